"""Rate limits as a sliding log, and the epoch of the keys: exact over all threads and processes of a host.

Each name has a small file that every process maps: word 0 counts the requests ever accepted, the other words are a
ring of when. The ring has one place more than any limit looks back on, and the count is stored last, so a process
killed between the two stores leaves a stamp that nobody counts and the next one overwrites. A name's lock is one byte
of the file `table`, a POSIX record lock: the kernel drops it when the process dies, and a fork does not inherit it.
"""

from __future__ import annotations

import fcntl
import hashlib
import mmap
import os
import random
import stat
import struct
import tempfile
import threading
import weakref
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from operator import itemgetter
from pathlib import Path
from typing import Literal

import msgspec

# A tick is the resolution of a float of Unix seconds from 2004 to 2038, so that reckoning in ticks rounds nothing.
SECOND = 1 << 22
MINUTE = 60 * SECOND
MOST_PER_MINUTE = 100_000
_MOST_MAPS = 512  # Each takes a file descriptor.
_SWEEP_TICKS, _SWEEP_FILES = SECOND // 4, 64  # How often a full table is looked over, and how much of it.
_TABLE, _COUNT_AND_SWEPT = 0, struct.Struct("=qq")  # The table's own lock and content.
_OVERFLOW = "addresses without a place"
_GONE = -1  # The count of a file that was replaced or removed, for those who still map it.

_lock = threading.Lock()  # Record locks do not tell the threads of a process apart.
# Closing any descriptor of a file drops all the locks of the process on it, so these wait until it holds none.
_abandoned: list[int] = []
Window = Literal["minute", "second"]


def _renew_lock() -> None:
    global _lock  # noqa: PLW0603 - the old one may be held by a thread that a forked child does not have
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_renew_lock)


class Allowance(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a request, with the figures of the minute, or of the window that refused."""

    allowed: bool
    limit: int
    remaining: int
    reset: int  # Unix seconds, rounded up, at which the oldest counted request leaves the window
    window: Window
    retry_after: int | None = None  # seconds, at least 1, after which a request is certain to be allowed


class Limiter:
    """Counts requests by name in `folder`; names `address:…` have at most `most_addresses` files and then share one.

    A RuntimeError says why the folder cannot be used.
    """

    def __init__(self, folder: Path, most_addresses: int = 4096) -> None:
        self._folder, self._addresses, self._most_addresses = folder, folder / "addresses", most_addresses
        self._looked = 0  # when the table was last seen in its place
        with _lock:
            self._begin()

    def take(self, name: str, per_minute: int, per_second: int, now: float) -> Allowance:
        """Count a request at `now` (Unix seconds) unless one of its windows is full; a refusal costs nothing.

        A `now` up to a minute behind the newest request counts as that request's time; requests further ahead are
        forgotten, because the clock was put back. An OSError says that the folder is full.
        """
        if not 1 <= per_minute <= MOST_PER_MINUTE or per_second < 1:
            raise ValueError(f"limits are 1 to {MOST_PER_MINUTE} a minute and at least 1 a second")
        at, key = round(now * SECOND), name
        with _lock:
            if abs(at - self._looked) >= SECOND:
                self._looked = at
                if not os.fstat(self._table).st_nlink:  # Some systems empty /dev/shm when a user logs out.
                    abandon = self._abandon
                    self._begin()
                    abandon()
            while True:
                place = _place(key)
                fcntl.lockf(self._table, fcntl.LOCK_EX, 1, place)
                try:
                    if log := self._log(key, per_minute + 1, at):
                        return log.take(per_minute, per_second, at)
                finally:  # Spelled out: _locked would add a quarter to the time of it all.
                    fcntl.lockf(self._table, fcntl.LOCK_UN, 1, place)
                key = _OVERFLOW

    def _begin(self) -> None:
        _private(self._folder)
        _private(self._addresses)
        while _abandoned:
            os.close(_abandoned.pop())
        self._table = os.open(self._folder / "table", os.O_RDWR | os.O_CREAT, 0o600)
        self._abandon = weakref.finalize(self, _abandoned.append, self._table)
        self._logs: dict[str, _Log] = {}  # the least recently used first

    @contextmanager
    def _locked(self, place: int, flags: int = fcntl.LOCK_EX) -> Iterator[None]:
        fcntl.lockf(self._table, flags, 1, place)
        try:
            yield
        finally:
            fcntl.lockf(self._table, fcntl.LOCK_UN, 1, place)

    def _log(self, key: str, room: int, at: int) -> _Log | None:
        """The log of a key whose lock is held, sound and with room; None for an address that finds no place."""
        log = self._logs.pop(key, None)
        if log is None or not log.is_sound(room, at):
            log = self._open(key, room, at)
        if log:
            self._logs[key] = log
            if len(self._logs) > _MOST_MAPS:
                del self._logs[next(iter(self._logs))]
        return log

    def _open(self, key: str, room: int, at: int) -> _Log | None:
        is_address = key.startswith("address:")
        path = (self._addresses if is_address else self._folder) / str(_place(key))
        found = _Log.find(path)
        if found and found.is_sound(room, at):
            return found
        if is_address and not path.exists() and not self._make_place(path, at):
            return None
        stamps = found.stamps(at) if found else []
        # A ring only grows: a smaller one would forget requests, should the limit rise again within the minute.
        room = max(room, found.room if found else 0)
        new = self._folder / f"{path.name}.new"
        new.write_bytes(array("q", [len(stamps), *stamps]) + array("q", bytes(8 * (room - len(stamps)))))
        if found:
            found.words[0] = _GONE
        new.replace(path)
        return _Log(path)

    def _make_place(self, path: Path, at: int) -> bool:
        """Make an empty file for one more address, unless there are too many."""
        with self._locked(_TABLE):
            count, swept = _COUNT_AND_SWEPT.unpack(os.pread(self._table, 16, 0).ljust(16, b"\0"))
            if count >= self._most_addresses and abs(at - swept) >= _SWEEP_TICKS:
                count, swept = self._sweep(at), at
            has_place: bool = count < self._most_addresses
            os.pwrite(self._table, _COUNT_AND_SWEPT.pack(count + has_place, swept), 0)
            if has_place:
                path.touch(0o600)
            return has_place

    def _sweep(self, at: int) -> int:
        """Remove the idle ones among some files of addresses; give how many files there are then."""
        paths = list(self._addresses.iterdir())
        count = len(paths)
        for path in random.sample(paths, min(count, _SWEEP_FILES)):
            try:
                with self._locked(int(path.name), fcntl.LOCK_EX | fcntl.LOCK_NB):
                    log = _Log.find(path)
                    if log and at - MINUTE < log.newest <= at + MINUTE:
                        continue
                    if log:
                        log.words[0] = _GONE
                    path.unlink()
                    count -= 1
            except BlockingIOError:
                pass  # In use. To wait here could be to wait for one who waits for the table.
        return count


class _Log:
    """The mapped file of one name, whose lock is held whenever it is read or written."""

    def __init__(self, path: Path) -> None:
        fd = os.open(path, os.O_RDWR)
        try:
            # One store to such a view is one store of the processor: a word is written whole or not at all.
            self.words = memoryview(mmap.mmap(fd, os.fstat(fd).st_size // 8 * 8)).cast("q")
        finally:
            os.close(fd)
        self.room = len(self.words) - 1

    @classmethod
    def find(cls, path: Path) -> _Log | None:
        """The log at `path`, or None where there is none or an unfinished one."""
        return cls(path) if path.exists() and path.stat().st_size >= 16 else None

    @property
    def newest(self) -> int:
        return self._ago(1)

    def is_sound(self, room: int, at: int) -> bool:
        count = self.words[0]
        oldest = self._ago(min(count, self.room - 1))
        return count >= 0 and self.room >= room and oldest <= self.newest <= at + MINUTE

    def stamps(self, at: int) -> list[int]:
        """Every stamp up to a minute ahead of `at`, in order, whatever state the file is in."""
        return sorted(stamp for stamp in self.words[1:] if stamp and stamp <= at + MINUTE)

    def take(self, per_minute: int, per_second: int, at: int) -> Allowance:
        clock = max(at, self.newest)
        minute, second = self._count(clock - MINUTE), self._count(clock - SECOND)
        if minute < per_minute and second < per_second:
            count = self.words[0]
            self.words[1 + count % self.room] = clock
            self.words[0] = count + 1
            remaining, reset = per_minute - minute - 1, _seconds(self._ago(minute + 1) + MINUTE)
            return Allowance(allowed=True, limit=per_minute, remaining=remaining, reset=reset, window="minute")
        windows: list[tuple[int, Window, int, int]] = []
        if minute >= per_minute:
            windows.append((self._ago(per_minute) + MINUTE, "minute", per_minute, _seconds(self._ago(minute) + MINUTE)))
        if second >= per_second:
            windows.append((self._ago(per_second) + SECOND, "second", per_second, _seconds(self._ago(second) + SECOND)))
        # The one that ends last: after it, both allow a request.
        end, window, limit, reset = max(windows, key=itemgetter(0))
        wait = _seconds(end - at)
        return Allowance(allowed=False, limit=limit, remaining=0, reset=reset, window=window, retry_after=wait)

    def _ago(self, number: int) -> int:
        """When the last request but `number` - 1 was."""
        return self.words[1 + (self.words[0] - number) % self.room]

    def _count(self, after: int) -> int:
        """How many requests came after that time, by bisecting the two ordered runs of the ring."""
        head = self.words[0] % self.room
        found = head + 1 - bisect_right(self.words, after, 1, head + 1)
        if found == head and self.words[0] > head:
            found += self.room + 1 - bisect_right(self.words, after, head + 2, self.room + 1)
        return found


class Epoch:
    """A number that all processes of a host share; each bump changes it, and so does the loss of its file."""

    def __init__(self, folder: Path) -> None:
        _private(folder)
        self._path = folder / "epoch"
        self._path.touch(0o600)

    def read(self) -> int:
        try:
            found = os.stat(self._path)  # noqa: PTH116 - each request reads it
        except FileNotFoundError:
            return 0
        return found.st_ino << 32 | found.st_size

    def bump(self) -> None:
        _private(self._path.parent)
        with self._path.open("ab") as file:
            file.write(b".")  # Appending needs no lock.


def shared_folder(identity: str) -> Path:
    """This user's folder, in memory where there is /dev/shm, for one deployment; RuntimeError if it is not private."""
    memory = Path("/dev/shm")  # noqa: S108 - only for a folder whose owner is checked
    parent = memory if os.access(memory, os.W_OK | os.X_OK) else Path(tempfile.gettempdir())
    folder = parent / f"billycan-{os.geteuid()}-{hashlib.sha256(identity.encode()).hexdigest()[:32]}"
    _private(folder)
    return folder


def _private(folder: Path) -> None:
    """Make the folder, for this user only; a RuntimeError says why it cannot be used."""
    user = os.geteuid()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != user:
            raise RuntimeError(f"{folder} is not a folder of user {user}: remove it, or run as the user who owns it")
        folder.chmod(0o700)
    except OSError as error:
        raise RuntimeError(f"{folder} must be a folder that user {user} can make and write: {error}") from error


@lru_cache(4096)
def _place(key: str) -> int:
    """The number that is the name of a key's file and the byte of its lock; 0 is the table's."""
    return 1 + (int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") >> 2)


def _seconds(ticks: int) -> int:
    return -(-ticks // SECOND)
