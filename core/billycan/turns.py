"""Who writes next in a SQLite file: its threads and processes, one after the other.

SQLite itself waits by sleeping for up to a tenth of a second, and whoever asks at the right moment goes first: beside a
process that writes without pause another one starves. Here one process that waits holds the lock `next`, so that the
one which held `turn` and has just finished cannot go first again. Both locks end with the process that holds them.
"""

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa

_PAUSE_SECONDS = 0.0005  # flock can wait without pauses, but not for so long and no longer


class Turns:
    """The turns of one database file, kept in two files beside it."""

    def __init__(self, database: str) -> None:
        self._thread = threading.Lock()
        self._paths = f"{database}-next", f"{database}-turn"
        self._files: list[int] = []

    @contextmanager
    def taken(self, wait_seconds: float) -> Iterator[float]:
        """Ours while the block runs: gives the seconds that are left of the wait.

        None are left where another process kept its turn all the while: SQLite then says how the matter stands. A
        TimeoutError is raised where another thread did.
        """
        until = time.monotonic() + wait_seconds
        if not self._thread.acquire(timeout=wait_seconds):
            raise sa.exc.TimeoutError("other threads write for too long")
        try:
            self._open()
            if self._wait(0, until):
                self._wait(1, until)
                self._release(0)
            yield max(until - time.monotonic(), 0)
        finally:
            # Both, for a thread may be ended while it waits: the one must not be kept from everybody then.
            self._release(0)
            self._release(1)
            self._thread.release()

    def close(self) -> None:
        """Close the files; they are opened again when they are needed."""
        while self._files:
            os.close(self._files.pop())

    def _open(self) -> None:
        try:
            while len(self._files) < len(self._paths):
                self._files.append(os.open(self._paths[len(self._files)], os.O_RDWR | os.O_CREAT, 0o600))
        except OSError:
            self.close()  # in a folder that cannot be written, nor can the database

    def _wait(self, which: int, until: float) -> bool:
        while self._files:
            try:
                fcntl.flock(self._files[which], fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > until:
                    return False
                time.sleep(_PAUSE_SECONDS)
            else:
                return True
        return False

    def _release(self, which: int) -> None:
        if self._files:
            fcntl.flock(self._files[which], fcntl.LOCK_UN)
