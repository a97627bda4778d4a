"""Rate limits as a sliding log, exact over all threads and processes of a host.

Each name has a small file that every process maps: word 0 counts the requests ever accepted, and the other words are a
ring of their times. The ring has one place more than any limit looks back on, and the count is stored last: if a
process is killed between the two stores, its stamp is not counted and the next request overwrites it. A name's lock is
one byte of the file `table`, a POSIX record lock: the kernel drops it when the process dies, and a fork does not
inherit it. Pages that were never written take no memory: they are reserved one by one, as the ring fills, and never
read before.

One client can have many addresses, so the number of files for each use of addresses is bounded. Addresses beyond that
number are counted by network, in a table of fixed size (`_Crowd`).

A file that has not counted for a minute says nothing any more. Such files are removed where there are many, and where
the folder is full. If that does not help, each process counts by itself (`OwnCounts`).
"""

from __future__ import annotations

import fcntl
import hashlib
import mmap
import os
import random
import tempfile
import threading
import weakref
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Literal

import msgspec

from .addresses import crowd_of
from .folder import private_folder, reserve_bytes

# A tick is the resolution of a float of Unix seconds from 2004 to 2038, so that reckoning in ticks rounds nothing.
SECOND = 1 << 22
MINUTE = 60 * SECOND
MOST_PER_MINUTE = 100_000
_MOST_MAPS = 512  # Each takes a file descriptor.
_SWEEP_TICKS, _SWEEP_FILES = SECOND // 4, 64  # How often a full table is searched for idle files, and how many of them.
_MOST_KEYS = 2048  # files of keys and businesses, beyond which idle ones are removed
_CROWD_WORDS = 1 << 18
_GONE = -1  # The count of a file that was replaced or removed, for processes that still map it.

_lock = threading.Lock()  # Record locks do not tell the threads of a process apart.
# Closing any descriptor of a file drops all the locks of the process on it, so these wait until it holds none.
_abandoned: list[int] = []
Window = Literal["minute", "second"]


def _renew_lock() -> None:
    global _lock  # noqa: PLW0603 - the old one may be held by a thread that a forked child does not have
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_renew_lock)


class Limit(msgspec.Struct, frozen=True):
    """The most requests that may be counted under a name.

    name: What is counted, such as a key's id.
    per_minute: The most in any 60 seconds.
    per_second: The most in any second.
    requests: How many requests are counted at once. If there are several, only the minute can refuse them, and the
      second those that follow.
    """

    class Allowance(msgspec.Struct, frozen=True, kw_only=True):
        """The outcome of counting a request, with the figures of the minute, or of the window that refused it.

        allowed: Whether the request may go on.
        limit, remaining: How many requests the window takes, and how many of them are left.
        reset: When the oldest counted request leaves the window, in Unix seconds, rounded up.
        window: `minute` or `second`.
        retry_after: The seconds, at least 1, after which a request is certain to be allowed; None if this one is.
        """

        allowed: bool
        limit: int
        remaining: int
        reset: int
        window: Window
        retry_after: int | None = None

    name: str
    per_minute: int
    per_second: int
    requests: int = 1


Allowance = Limit.Allowance


class Limiter:
    """Counts requests by name in `folder`, each name exactly.

    Names from `by_address` have at most `most_addresses` files for each use. An address beyond that shares one
    address's allowance with its network (IPv4 /24, IPv6 /48), so that a flood from many addresses only affects its own
    networks. Raise RuntimeError with the reason if the folder cannot be used.
    """

    def __init__(self, folder: Path, most_addresses: int = 2048) -> None:
        self._folder, self._addresses, self._most_addresses = folder, folder / "addresses", most_addresses
        self._looked = self._swept = 0  # when the table was last checked to be in its place, and idle files removed
        self._has_grown = False  # whether a file was made since then
        with _lock:
            self._open_table()

    def take(self, name: str, per_minute: int, per_second: int, now: float) -> Allowance:
        """Count a request at `now` (Unix seconds) unless one of its windows is full; a refusal costs nothing."""
        return self.take_each(now, Limit(name, per_minute, per_second))

    def take_each(self, now: float, *limits: Limit) -> Allowance:
        """Count a request at `now` under each limit, or under none if one of them is reached.

        Return the allowance of the limit that refused it, or else of the one with the fewest requests remaining. Only
        one limit is possible if it is an address's. A `now` up to a minute behind the newest request counts as that
        request's time; requests further ahead are forgotten, because the clock was put back. Raise OSError if the
        folder is full.
        """
        for limit in limits:
            if not 1 <= limit.per_minute <= MOST_PER_MINUTE or limit.per_second < 1:
                raise ValueError(f"limits are 1 to {MOST_PER_MINUTE} a minute and at least 1 a second")
        at = round(now * SECOND)
        # In one order everywhere, so that no two processes wait for each other.
        places = sorted({_number_of_file(limit.name) for limit in limits})
        with _lock:
            if abs(at - self._looked) >= SECOND:
                self._looked = at
                if not os.fstat(self._table).st_nlink:  # Some systems empty /dev/shm when a user logs out.
                    self._begin_anew()
                if self._has_grown:
                    self._has_grown = False
                    self._sweep_folder(self._folder, at, _MOST_KEYS)
            try:
                return self._count_locked(places, limits, at)
            except OSError:
                if not self._make_room(at):
                    raise
                return self._count_locked(places, limits, at)

    def _count_locked(self, places: Sequence[int], limits: Sequence[Limit], at: int) -> Allowance:
        try:
            for place in places:
                fcntl.lockf(self._table, fcntl.LOCK_EX, 1, place)
            return self._count_request(limits, at)
        finally:  # Written out: `_lock_place` would add a quarter to the time of the whole call.
            for place in places:
                fcntl.lockf(self._table, fcntl.LOCK_UN, 1, place)

    def _count_request(self, limits: Sequence[Limit], at: int) -> Allowance:
        """Count a request under each of the limits, whose locks are held, or under none of them."""
        tightest: Allowance | None = None
        logs = []
        for limit in limits:
            log = self._find_log(limit.name, limit.per_minute + 1, at)
            if log is None:
                use, network = crowd_of(limit.name)
                with self._locked_crowd(use) as crowd:
                    return crowd.take(network, limit, at)
            allowance = log.allow(limit, at)
            if not allowance.allowed:
                return allowance
            if tightest is None or allowance.remaining < tightest.remaining:
                tightest = allowance
            logs.append((log, limit.requests))
        assert tightest is not None  # noqa: S101 - whoever counts names a limit
        for log, requests in logs:
            for _ in range(requests):
                log.add(at)
        return tightest

    def _open_table(self) -> None:
        private_folder(self._folder)
        private_folder(self._addresses)
        while _abandoned:
            os.close(_abandoned.pop())
        self._table = os.open(self._folder / "table", os.O_RDWR | os.O_CREAT, 0o600)
        self._abandon = weakref.finalize(self, _abandoned.append, self._table)
        self._logs: dict[str, _Log] = {}  # the least recently used first
        self._crowds: dict[str, _Crowd] = {}

    def _begin_anew(self) -> None:
        abandon = self._abandon
        try:
            self._open_table()
        except RuntimeError as error:
            raise OSError(str(error)) from error
        abandon()

    @contextmanager
    def _locked_crowd(self, use: str) -> Iterator[_Crowd]:
        with self._lock_place(_number_of_file(f"addresses of {use}")):
            if use not in self._crowds:
                path = self._addresses / f"{use}.crowd"
                self._crowds[use] = _Crowd(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
            yield self._crowds[use]

    @contextmanager
    def _lock_place(self, place: int, flags: int = fcntl.LOCK_EX) -> Iterator[None]:
        fcntl.lockf(self._table, flags, 1, place)
        try:
            yield
        finally:
            fcntl.lockf(self._table, fcntl.LOCK_UN, 1, place)

    def _find_log(self, key: str, room: int, at: int) -> _Log | None:
        """Return the sound and large enough log of a key whose lock is held; None for an address without a place."""
        log = self._logs.pop(key, None)
        if log is None or not log.is_sound(room, at):
            log = self._open_log(key, room, at)
        if log:
            self._logs[key] = log
            if len(self._logs) > _MOST_MAPS:
                del self._logs[next(iter(self._logs))]
        return log

    def _open_log(self, key: str, room: int, at: int) -> _Log | None:
        is_address = key.startswith("address:")
        folder = self._addresses / crowd_of(key)[0] if is_address else self._folder
        path = folder / str(_number_of_file(key))
        found = _Log.find(path)
        if found and found.is_sound(room, at):
            return found
        if is_address and not path.exists() and not self._make_place(key, path, at):
            return None
        stamps = _read_stamps(path, at) if found else []
        # A ring only grows: a smaller one would forget requests, should the limit rise again within the minute.
        room = max(room, found.room if found else 0)
        new = self._folder / f"{path.name}.new"
        try:
            new.write_bytes(array("q", [len(stamps), *stamps]))
        except OSError:
            new.unlink(missing_ok=True)
            raise
        os.truncate(new, 8 * (1 + room))  # Pages that are never written take no memory, however high the limit.
        if found:
            found.words[0] = _GONE
        new.replace(path)
        self._has_grown = True
        return _Log(path)

    def _make_room(self, at: int) -> bool:
        """Remove idle files from a full folder, at most once a second; return False if that was tried just before.

        No lock of a name may be held.
        """
        if abs(at - self._swept) < SECOND:
            return False
        self._swept = at
        self._sweep_folder(self._folder, at)
        for folder in self._addresses.iterdir():
            if folder.is_dir():
                with self._locked_crowd(folder.name) as crowd:
                    crowd.noted = (self._sweep_folder(folder, at), at)
        # What is removed takes room as long as any process maps it.
        self._logs = {key: log for key, log in self._logs.items() if log.words[0] != _GONE}
        return True

    def _make_place(self, key: str, path: Path, at: int) -> bool:
        """Create an empty file for one more address; return False if there are too many."""
        use, network = crowd_of(key)
        with self._locked_crowd(use) as crowd:
            # An address counted with its network stays so until that is quiet, or it would have two allowances.
            if not crowd.is_quiet(network, at):
                return False
            count, swept = crowd.noted
            if count >= self._most_addresses and abs(at - swept) >= _SWEEP_TICKS:
                count, swept = self._sweep_folder(path.parent, at), at
            has_place = count < self._most_addresses
            crowd.noted = (count + has_place, swept)
            if has_place:
                path.parent.mkdir(mode=0o700, exist_ok=True)
                path.touch(0o600)
            return has_place

    def _sweep_folder(self, folder: Path, at: int, most: int = 0) -> int:
        """Remove idle files of a sample from a folder with more than `most`; return the number of files left."""
        paths = [path for path in folder.iterdir() if path.name.isdigit()]
        count = len(paths)
        for path in random.sample(paths, min(count, _SWEEP_FILES)) if count > most else ():
            try:
                with self._lock_place(int(path.name), fcntl.LOCK_EX | fcntl.LOCK_NB):
                    log = _Log.find(path)
                    if log and at - MINUTE < log.newest <= at + MINUTE:
                        continue
                    if log:
                        log.words[0] = _GONE
                    path.unlink()
                    count -= 1
            except BlockingIOError:
                pass  # In use. Waiting could deadlock: its holder may wait for the crowd.
        return count


class OwnCounts:
    """Counts requests in this process alone, by name, in memory of fixed size, while nothing can be shared.

    A limit then holds in each process, and half of it is allowed at once, the rest spread evenly.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._table: _Crowd | None = None

    def take_each(self, now: float, *limits: Limit) -> Allowance:
        """Count a request at `now`, as `Limiter.take_each` does; a refusal has charged the limits before it."""
        found = []
        with self._lock:
            self._table = self._table or _Crowd(_private_file())
            for limit in limits:
                found.append(self._table.take(limit.name, limit, round(now * SECOND)))
                if not found[-1].allowed:
                    return found[-1]
        return min(found, key=attrgetter("remaining"))


def _private_file() -> int:
    """Return an open file of this process that takes no room in any folder, where the system has such files."""
    if hasattr(os, "memfd_create"):  # macOS has none
        return os.memfd_create("billycan limits")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


class _Log:
    """The mapped file of one name; its lock is held whenever it is read or written."""

    def __init__(self, path: Path) -> None:
        fd = os.open(path, os.O_RDWR)
        try:
            # A store to such a view is one store of the processor: a word is written whole or not at all.
            self.words = memoryview(mmap.mmap(fd, os.fstat(fd).st_size // 8 * 8)).cast("q")
        finally:
            os.close(fd)
        self._path, self.room, self._reserved = path, len(self.words) - 1, 0

    @classmethod
    def find(cls, path: Path) -> _Log | None:
        """Return the log at `path`, or None if there is none or an unfinished one."""
        return cls(path) if path.exists() and path.stat().st_size >= 16 else None

    @property
    def newest(self) -> int:
        count = self.words[0]
        return self.words[1 + (count - 1) % self.room] if count > 0 else 0

    def is_sound(self, room: int, at: int) -> bool:
        count = self.words[0]
        if count < 0 or self.room < room:
            return False
        oldest = self._time_of(min(count, self.room - 1))
        return oldest <= self.newest <= at + MINUTE

    def add(self, at: int) -> None:
        """Count a request."""
        count, clock = self.words[0], max(at, self.newest)
        self.words[1 + count % self.room] = clock
        self.words[0] = count + 1

    def allow(self, limit: Limit, at: int) -> Allowance:
        """Return the allowance of more requests as if they were counted; reserve space for them if they are allowed."""
        per_minute, per_second, more = limit.per_minute, limit.per_second, limit.requests
        clock = max(at, self.newest)
        minute, second = self._count_after(clock - MINUTE), 0
        if more == 1:
            # The second has no more than the minute, which is few enough for most requests.
            second = minute if minute < per_second else self._count_after(clock - SECOND)
        if minute + more <= per_minute and second < per_second:
            for i in range(more):
                place = 1 + (self.words[0] + i) % self.room
                if place >= self._reserved:
                    self._reserve_space(place)  # before any of the limits is charged, because the folder may be full
            remaining, reset = (
                per_minute - minute - more,
                _whole_seconds((self._time_of(minute) if minute else clock) + MINUTE),
            )
            return Allowance(allowed=True, limit=per_minute, remaining=remaining, reset=reset, window="minute")
        windows: list[tuple[int, Window, int, int]] = []
        if minute + more > per_minute:
            last = self._time_of(per_minute - more + 1)
            windows.append((last + MINUTE, "minute", per_minute, _whole_seconds(self._time_of(minute) + MINUTE)))
        if second >= per_second:
            windows.append(
                (
                    self._time_of(per_second) + SECOND,
                    "second",
                    per_second,
                    _whole_seconds(self._time_of(second) + SECOND),
                )
            )
        # The one that ends last: after it, both allow a request.
        end, window, most, reset = max(windows, key=itemgetter(0))
        wait = _whole_seconds(end - at)
        return Allowance(allowed=False, limit=most, remaining=0, reset=reset, window=window, retry_after=wait)

    def _reserve_space(self, place: int) -> None:
        """Reserve space for a word and the rest of its page, or raise OSError; earlier pages are already reserved."""
        first = 8 * place // mmap.PAGESIZE * mmap.PAGESIZE
        end = min(first + mmap.PAGESIZE, 8 * len(self.words))  # beyond its end, the file would grow
        fd = os.open(self._path, os.O_RDWR)
        try:
            reserve_bytes(fd, first, end)
        finally:
            os.close(fd)
        self._reserved = end // 8

    def _time_of(self, number: int) -> int:
        """Return the time of the request `number` places back; 1 is the newest."""
        return self.words[1 + (self.words[0] - number) % self.room]

    def _count_after(self, after: int) -> int:
        """Count the requests after a time, by bisecting the two ordered runs of the ring."""
        head = self.words[0] % self.room
        found = head + 1 - bisect_right(self.words, after, 1, head + 1)
        if found == head and self.words[0] > head:
            found += self.room + 1 - bisect_right(self.words, after, head + 2, self.room + 1)
        return found


class _Crowd:
    """The addresses of one use without a file of their own, counted by network in an open file of fixed size.

    Each network has four words, and each word is the time until which it is charged. The earliest of them counts, and a
    request moves all four beyond it. Other networks may have charged some of the words, but hardly ever all: a network
    is never charged too little, and almost never for others (a count-min sketch with conservative update, over the
    generic cell rate algorithm of ITU-T I.371). The lock of the use is held whenever the file is read or written. Few
    of its words are ever used, so it is not mapped and takes only the memory of those.
    """

    def __init__(self, file: int) -> None:
        self._file = file
        weakref.finalize(self, os.close, self._file)
        os.truncate(self._file, 8 * (2 + _CROWD_WORDS))

    @property
    def noted(self) -> tuple[int, int]:
        """The number of addresses that have a file, and the time when they were last counted."""
        return self._read_word(0), self._read_word(1)

    @noted.setter
    def noted(self, noted: tuple[int, int]) -> None:
        os.pwrite(self._file, array("q", noted), 0)

    def is_quiet(self, network: str, at: int) -> bool:
        """Tell whether no request of this network was allowed here for a minute."""
        return min(self._charged_until(place, at) for place in self._places_of(network)) <= at - MINUTE

    def take(self, network: str, limit: Limit, at: int) -> Allowance:
        # A limit of n allows b at once and n - b more, spread evenly over the window.
        per_minute, per_second = limit.per_minute, limit.per_second
        burst = (min(per_minute, per_second) + 1) // 2
        cost = max(-(-MINUTE // (per_minute - burst + 1)), -(-SECOND // (per_second - burst + 1)))
        places = self._places_of(network)
        charged = {place: self._charged_until(place, at) for place in places}
        until = max(at, min(charged.values())) + cost
        room = at + burst * cost - until
        if room < 0:
            reset, wait = _whole_seconds(until - cost), _whole_seconds(-room)
            return Allowance(
                allowed=False, limit=per_minute, remaining=0, reset=reset, window="minute", retry_after=wait
            )
        # Several at once are let through as one is, and charged as what they are.
        until += (limit.requests - 1) * cost
        for place in places:
            os.pwrite(self._file, array("q", [max(charged[place], until)]), 8 * place)
        return Allowance(
            allowed=True, limit=per_minute, remaining=room // cost, reset=_whole_seconds(until), window="minute"
        )

    def _places_of(self, network: str) -> list[int]:
        digest = hashlib.sha256(network.encode()).digest()
        return [2 + int.from_bytes(digest[n : n + 4], "big") % _CROWD_WORDS for n in range(0, 16, 4)]

    def _charged_until(self, place: int, at: int) -> int:
        # No charge lasts longer than a minute. One from a clock more than a minute ahead is void: it was put back.
        until = self._read_word(place)
        return until if until <= at + 2 * MINUTE + SECOND else 0

    def _read_word(self, place: int) -> int:
        return array("q", os.pread(self._file, 8, 8 * place))[0]


def _read_stamps(path: Path, at: int) -> list[int]:
    """Return the stamps in a name's file up to a minute ahead of `at`, in order, even from a damaged file."""
    content = path.read_bytes()
    return sorted(stamp for stamp in array("q", content[: len(content) // 8 * 8])[1:] if stamp and stamp <= at + MINUTE)


@lru_cache(4096)
def _number_of_file(key: str) -> int:
    """Return the number that names a key's file and that is the byte of its lock."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") >> 2


def _whole_seconds(ticks: int) -> int:
    return -(-ticks // SECOND)
