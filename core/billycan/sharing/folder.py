"""The private folder that the processes of a host share: the epoch in it, what each keeps until a new one, and counts
of the requests that all of them have answered.

The folder may be full. Space is reserved for every part of a file before it is mapped, because touching a mapped page
without space kills the process without a message.

Each process writes its counts to a file of its own, and every process reads all the files. A process holds the lock of
its file while it lives: the counts of a dead process are added to `gone`, so that no total falls at a restart.
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
import mmap
import os
import shutil
import stat
import tempfile
import threading
import time
import weakref
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, Generic, TypeVar

T = TypeVar("T")
SECONDS = 1.0
MOST = 10_000
METHODS = ("GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS", "other")
BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds
STATUSES = 500  # from 100 on
BUCKETS = len(METHODS) * STATUSES
MICROSECONDS = BUCKETS + len(BOUNDS) + 1
_WORDS = MICROSECONDS + 1
_numbers = count(1)

log = logging.getLogger("billycan")


class Epoch:
    """A number that all processes of a host share; each bump changes it, and so does the loss of its file."""

    def __init__(self, folder: Path) -> None:
        private_folder(folder)
        self._path = folder / "epoch"
        self._path.touch(0o600)
        self._open_file()

    def read(self) -> int:
        # Each request reads it four times, and by its path that takes twice as long.
        found = os.fstat(self._file)
        if not found.st_nlink:
            try:
                self._open_file()
            except FileNotFoundError:
                return 0
            found = os.fstat(self._file)
        return found.st_ino << 32 | found.st_size

    def bump(self) -> None:
        private_folder(self._path.parent)
        with self._path.open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            os.truncate(file.fileno(), os.fstat(file.fileno()).st_size + 1)  # needs no space, even in a full folder

    def _open_file(self) -> None:
        self._file = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        weakref.finalize(self, os.close, self._file)  # a lost one stays open, too: other threads may be reading it


class Recent(Generic[T]):
    """A small cache of values at most a second old, and read since any process of this host last bumped the epoch."""

    def __init__(self, epoch: Epoch) -> None:
        self.epoch = epoch
        self._seen: dict[str, tuple[float, int, T]] = {}

    def get(self, key: str, load: Callable[[], T]) -> T:
        """Return the value of `key`; call `load` if there is no recent one."""
        now, epoch = time.monotonic(), self.epoch.read()
        found = self._seen.get(key)
        if found and now - found[0] < SECONDS and found[1] == epoch:
            return found[2]
        value = load()
        if len(self._seen) >= MOST:
            self._seen.clear()
        self._seen[key] = (now, epoch, value)
        return value

    def last(self, key: str) -> T | None:
        """Return the value of `key` that was loaded last, however old it is; None if there is none."""
        found = self._seen.get(key)
        return found[2] if found else None

    def forget(self, key: str) -> None:
        """Forget the value of `key`, so that it is loaded when it is needed next."""
        self._seen.pop(key, None)


def reserve_bytes(file: int, first: int, last: int) -> None:
    """Reserve space for the bytes from `first` to before `last` of a file, so that they can be mapped.

    Raise OSError if there is no space.
    """
    if hasattr(os, "posix_fallocate"):  # macOS has none
        os.posix_fallocate(file, first, last - first)


def shared_folder(identity: str) -> Path:
    """Return this user's folder for one deployment, in /dev/shm if possible; RuntimeError if it is not private."""
    memory = Path("/dev/shm")  # noqa: S108 - only for a folder whose owner is checked
    parent = memory if os.access(memory, os.W_OK | os.X_OK) else Path(tempfile.gettempdir())
    folder = parent / f"billycan-{os.geteuid()}-{hashlib.sha256(identity.encode()).hexdigest()[:32]}"
    private_folder(folder)
    return folder


def hold_folder(folder: Path) -> None:
    """Keep a shared folder from being swept while this process, or one that it forked, lives."""
    path = folder / _IN_USE
    while not _is_at(_held.get(folder), path):
        private_folder(folder)
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(file, fcntl.LOCK_SH)  # it may have been swept until here, so it is looked at again
        if (old := _held.get(folder)) is not None:
            os.close(old)
        _held[folder] = file


def sweep_folders(folder: Path) -> list[Path]:
    """Remove this user's other shared folders beside this one that no process holds; return them.

    Each database has one, so a changed setting leaves one behind. What somebody named in a setting is left alone.
    """
    prefix = folder.name.rpartition("-")[0]
    if prefix != f"billycan-{os.geteuid()}":
        return []
    swept = []
    for other in folder.parent.glob(f"{prefix}-*"):
        with suppress(OSError):  # it is in use, or gone, or of a release that held none
            file = os.open(other / _IN_USE, os.O_RDWR)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(other)
                swept.append(other)
            finally:
                os.close(file)
    return swept


def _is_at(file: int | None, path: Path) -> bool:
    try:
        return file is not None and os.path.samestat(os.fstat(file), path.stat())
    except OSError:
        return False


_IN_USE = "in-use"
_held: dict[Path, int] = {}  # the file of each folder that this process holds


def private_folder(folder: Path) -> None:
    """Create the folder for this user only; raise RuntimeError with the reason if it cannot be used."""
    user = os.geteuid()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != user:
            raise RuntimeError(
                f"{folder} is not a folder of user {user}: remove it, run as the user who owns it, or set"
                " BILLYCAN_SHARED_FOLDER to another"
            )
        folder.chmod(0o700)
    except OSError as error:
        raise RuntimeError(f"{folder} must be a folder that user {user} can make and write: {error}") from error


class Counts:
    """The requests that this process has answered, and their sum over all processes that share `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "counts"
        self._folder.mkdir(mode=0o700, exist_ok=True)
        self._lock = threading.Lock()
        self._words: Any = array("q", bytes(8 * _WORDS))  # without a file, these counts reach nobody
        self._map: mmap.mmap | None = None
        try:
            self._map = self._map_file()
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
        with self._one_at_a_time():
            return _sum_files(path.read_bytes() for path in self._folder.iterdir() if path.name != "turn")

    def _map_file(self) -> mmap.mmap:
        """Create, lock and map a file for this process."""
        with self._one_at_a_time():
            self._bury_dead()
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
    def _one_at_a_time(self) -> Iterator[None]:
        """Let one process at a time into the block; closing the file releases the lock."""
        with (self._folder / "turn").open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _bury_dead(self) -> None:
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
