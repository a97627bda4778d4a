"""Counts of the requests that every process of a host has answered.

Each process writes its counts to a file of its own, and every process reads all the files. A process holds the lock of
its file while it lives: the counts of a dead process are added to `gone`, so that no total falls at a restart.
"""

from __future__ import annotations

import fcntl
import logging
import mmap
import os
import threading
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from .folder import reserve_bytes

METHODS = ("GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS", "other")
BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds
STATUSES = 500  # from 100 on
BUCKETS = len(METHODS) * STATUSES
MICROSECONDS = BUCKETS + len(BOUNDS) + 1
_WORDS = MICROSECONDS + 1
_numbers = count(1)

log = logging.getLogger("billycan")


class Counts:
    """The requests that this process has answered, and their sum over all processes that share `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "counts"
        self._folder.mkdir(mode=0o700, exist_ok=True)
        self._lock = threading.Lock()
        self._words: Any = array("q", bytes(8 * _WORDS))  # without a file, these counts reach nobody
        self._map: mmap.mmap | None = None
        try:
            self._map = self._mapped()
            self._words = memoryview(self._map).cast("q")
        except OSError:
            log.exception(
                "the metrics lack the requests of this process until it is restarted: make room in %s", self._folder
            )

    def add(self, method: str, status: int, seconds: float) -> None:
        """Count a request and its duration."""
        place = METHODS.index(method if method in METHODS else "other") * STATUSES + status - 100
        with self._lock:
            self._words[place] += 1
            self._words[BUCKETS + bisect_left(BOUNDS, seconds)] += 1
            self._words[MICROSECONDS] += round(seconds * 1_000_000)

    @property
    def is_open(self) -> bool:
        """Tell whether other processes can see what this one counts."""
        return self._map is not None

    def close(self) -> None:
        """Stop counting; other processes then add this one's counts to `gone`."""
        with self._lock:
            if self._map:
                self._words.release()
                self._map.close()
                self._map, self._words = None, array("q", bytes(8 * _WORDS))  # later requests are not counted

    def whole(self) -> array[int]:
        """Return the sum over all processes, including those that have ended."""
        with self._turn():
            return _sum_files(path.read_bytes() for path in self._folder.iterdir() if path.name != "turn")

    def _mapped(self) -> mmap.mmap:
        """Create, lock and map a file for this process."""
        with self._turn():
            self._bury()
            path = self._folder / f"{os.getpid()}-{next(_numbers)}"
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                reserve_bytes(file, 0, 8 * _WORDS)
                os.truncate(file, 8 * _WORDS)
                return mmap.mmap(file, 8 * _WORDS)  # which keeps the lock, too
            except OSError:
                path.unlink()
                raise
            finally:
                os.close(file)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Let one process at a time into the block; closing the file releases the lock."""
        with (self._folder / "turn").open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _bury(self) -> None:
        """Add the counts of dead processes to `gone`; a live process holds the lock of its file."""
        dead = [path for path in self._folder.iterdir() if path.name not in ("turn", "gone", "new") and _is_free(path)]
        if dead:
            gone = self._folder / "gone"
            kept = [gone] if gone.exists() else []
            new = self._folder / "new"
            new.write_bytes(_sum_files(path.read_bytes() for path in (*dead, *kept)).tobytes())
            new.replace(gone)
            for path in dead:
                path.unlink()


def _is_free(path: Path) -> bool:
    file = os.open(path, os.O_RDWR)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(file)
    return True


def _sum_files(files: Iterable[bytes]) -> array[int]:
    total = array("q", bytes(8 * _WORDS))
    for content in files:
        # Another release may have had other counts.
        if len(content) == 8 * _WORDS:
            total = array("q", map(sum, zip(total, array("q", content), strict=True)))
    return total
