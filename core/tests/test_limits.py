"""No window ever holds more than its limit, over threads, processes, kills, clock steps and lost files."""

import ctypes
import fcntl
import math
import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from billycan.sharing import limits
from billycan.sharing.addresses import by_address
from billycan.sharing.folder import Epoch, _held, hold_folder, shared_folder, sweep_folders
from billycan.sharing.limits import SECOND, Allowance, Limit, Limiter

NOW = 1_800_000_000.0
FORK = multiprocessing.get_context("fork")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "limits"


@pytest.fixture
def limiter(folder: Path) -> Limiter:
    return Limiter(folder)


@pytest.fixture(scope="module")
def memory() -> Iterator[Path]:
    """A folder as fast as the real one."""
    folder = shared_folder(f"test {os.getpid()}")
    yield folder
    shutil.rmtree(folder)


def accepted(
    limiter: Limiter, times: int, *, name: str = "key", per: tuple[int, int] = (5, 5), now: float = NOW
) -> int:
    """Count how many of several requests at one time are allowed."""
    return sum(limiter.take(name, *per, now).allowed for _ in range(times))


def log_file(folder: Path, name: str = "key") -> Path:
    return folder / str(limits._number_of_file(name))


def address(number: int, use: str = "api") -> str:
    """The name of the first address of a network of its own."""
    return by_address(use, f"10.{number >> 8}.{number & 255}.1")


def places(folder: Path, use: str = "api") -> set[str]:
    """The files of addresses."""
    return {path.name for path in (folder / "addresses" / use).iterdir()}


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def together(*works: Callable[[], object]) -> None:
    """Run each in a forked process of its own."""
    processes = [FORK.Process(target=work) for work in works]
    for process in processes:
        process.start()
    for process in processes:
        process.join(300)
    assert [process.exitcode for process in processes] == [0] * len(works)


class Model:
    """The rule, by brute force."""

    def __init__(self) -> None:
        self.requests: list[float] = []

    def take(self, per_minute: int, per_second: int, now: float, more: int = 1) -> Allowance:
        clock = max([now, *self.requests[-1:]])
        minute = [at for at in self.requests if at > clock - 60]
        second = [at for at in self.requests if at > clock - 1] if more == 1 else []
        if len(minute) + more <= per_minute and len(second) < per_second:
            self.requests += [clock] * more
            reset, remaining = math.ceil([*minute, clock][0] + 60), per_minute - len(minute) - more
            return Allowance(allowed=True, limit=per_minute, remaining=remaining, reset=reset, window="minute")
        ends = {}
        if len(minute) + more > per_minute:
            ends["minute"] = minute[-(per_minute - more + 1)] + 60
        if len(second) >= per_second:
            ends["second"] = second[-per_second] + 1
        window = max(ends, key=ends.__getitem__)
        limit, reset = (per_minute, minute[0] + 60) if window == "minute" else (per_second, second[0] + 1)
        wait = math.ceil(ends[window] - now)
        return Allowance(
            allowed=False, limit=limit, remaining=0, reset=math.ceil(reset), window=window, retry_after=wait
        )


def test_of_many_files_those_that_say_nothing_any_more_are_removed(
    folder: Path, limiter: Limiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keys come and go, and each leaves a file."""
    monkeypatch.setattr(limits, "_MOST_KEYS", 20)
    for number in range(200):
        assert accepted(limiter, 2, name=f"key {number}", per=(1, 1)) == 1
    for second in range(60, 70):
        limiter.take(f"late {second}", 1, 1, NOW + second)
    left = {path.name for path in folder.iterdir() if path.name.isdigit()}
    # The last file is made after the last sweep.
    assert len(left) <= 20 + 1 and {log_file(folder, f"late {second}").name for second in range(60, 70)} <= left
    assert accepted(limiter, 2, name="key 1", per=(1, 1), now=NOW + 70) == 1
    assert accepted(limiter, 2, name="late 69", per=(1, 1), now=NOW + 70) == 0


EDGES = [0, 0, 0, 2**-20, 0.1, 0.25, 1 - 2**-20, 1, 1 + 2**-20, 7, 59, 60 - 2**-20, 60, 60 + 2**-20, 200]
gaps = st.one_of(st.sampled_from(EDGES), st.floats(0, 130), st.floats(0, 2))
steps_back = st.floats(-60, 0)
some_limits = st.tuples(st.integers(1, 12), st.integers(1, 15))


@settings(max_examples=400, deadline=None)
@given(steps=st.lists(gaps, max_size=120), per=some_limits, start=st.floats(NOW, NOW + 100))
def test_it_agrees_with_the_rule(memory: Path, steps: list[float], per: tuple[int, int], start: float) -> None:
    limiter, model, name, now, times = Limiter(memory), Model(), uuid.uuid4().hex, start, []
    for step in steps:
        now += step
        allowance = limiter.take(name, *per, now)
        assert allowance == model.take(*per, now)
        times += [now] * allowance.allowed
    for seconds, limit in ((60, per[0]), (1, per[1])):
        for first in times:
            assert sum(first <= at < first + seconds for at in times) <= limit


@settings(max_examples=200, deadline=None)
@given(steps=st.lists(st.tuples(gaps, st.integers(1, 12)), max_size=60), per=some_limits)
def test_several_requests_at_once_are_counted_as_that_many(
    memory: Path, steps: list[tuple[float, int]], per: tuple[int, int]
) -> None:
    """Only the minute refuses them, and what it allows leaves that much less to the others."""
    limiter, model, name, now, times = Limiter(memory), Model(), uuid.uuid4().hex, NOW, []
    for step, several in steps:
        now += step
        more = min(several, per[0])
        allowance = limiter.take_each(now, Limit(name, *per, requests=more))
        assert allowance == model.take(*per, now, more)
        times += [now] * more * allowance.allowed
    assert all(sum(first <= at < first + 60 for at in times) <= per[0] for first in times)


@settings(max_examples=200, deadline=None)
@given(steps=st.lists(st.tuples(gaps, st.integers(0, 2)), max_size=120), per=some_limits, business=some_limits)
def test_several_limits_are_charged_together_or_not_at_all(
    memory: Path, steps: list[tuple[float, int]], per: tuple[int, int], business: tuple[int, int]
) -> None:
    """Three keys of one business, each beside the ceiling of all."""
    limiter, models, of_all, now, run = Limiter(memory), [Model(), Model(), Model()], Model(), NOW, uuid.uuid4().hex
    for step, number in steps:
        now += step
        allowance = limiter.take_each(now, Limit(f"{run} {number}", *per), Limit(run, *business))
        before = [[*model.requests] for model in (models[number], of_all)]
        expected = [models[number].take(*per, now), of_all.take(*business, now)]
        refused = [one for one in expected if not one.allowed]
        if refused:
            models[number].requests, of_all.requests = before
        assert allowance == (refused[0] if refused else min(expected, key=lambda one: one.remaining))


@settings(max_examples=300, deadline=None)
@given(steps=st.lists(st.tuples(st.one_of(gaps, steps_back), some_limits), max_size=120))
def test_it_agrees_while_limits_change_and_the_clock_lags(
    memory: Path, steps: list[tuple[float, tuple[int, int]]]
) -> None:
    limiters, model, name, now = [Limiter(memory), Limiter(memory)], Model(), uuid.uuid4().hex, NOW
    for number, (step, per) in enumerate(steps):
        now = max([now + step, *(at - 60 for at in model.requests[-1:])])
        assert limiters[number % 2].take(name, *per, now) == model.take(*per, now)


@settings(max_examples=300, deadline=None)
@given(steps=st.lists(st.one_of(gaps, steps_back), max_size=40), per=some_limits, start=st.floats(NOW, NOW + 100))
def test_a_request_is_allowed_after_retry_after(
    memory: Path, steps: list[float], per: tuple[int, int], start: float
) -> None:
    name, now = uuid.uuid4().hex, start
    for step in steps:
        now += step
        allowance = Limiter(memory).take(name, *per, now)
        if allowance.retry_after is not None:
            assert allowance.retry_after >= 1
            now += allowance.retry_after
            assert Limiter(memory).take(name, *per, now).allowed


def test_the_figures_describe_the_minute_or_the_window_that_refused(limiter: Limiter) -> None:
    take = limiter.take
    expected = Allowance(allowed=True, limit=3, remaining=2, reset=int(NOW) + 61, window="minute")
    assert take("key", 3, 2, NOW + 0.5) == expected
    assert take("key", 3, 2, NOW + 0.75).remaining == 1
    refused = Allowance(allowed=False, limit=2, remaining=0, reset=int(NOW) + 2, window="second", retry_after=1)
    assert take("key", 3, 2, NOW + 1) == refused
    assert take("key", 3, 2, NOW + 10).remaining == 0
    refused = Allowance(allowed=False, limit=3, remaining=0, reset=int(NOW) + 61, window="minute", retry_after=51)
    assert take("key", 3, 2, NOW + 10) == refused
    assert not take("key", 3, 2, NOW + 60.25).allowed
    assert take("key", 3, 2, NOW + 60.5).reset == int(NOW) + 61


def test_a_burst_is_refused_by_the_second_and_the_rest_by_the_minute(limiter: Limiter) -> None:
    assert [accepted(limiter, 40, per=(100, 20), now=NOW + second) for second in range(7)] == [20] * 5 + [0, 0]
    assert limiter.take("key", 100, 20, NOW).window == "minute"
    assert accepted(limiter, 40, per=(100, 20), now=NOW + 60) == 20


def test_a_refused_request_costs_nothing(limiter: Limiter) -> None:
    assert accepted(limiter, 5) == 5
    assert not any(accepted(limiter, 50, now=NOW + second) for second in range(60))
    assert accepted(limiter, 10, now=NOW + 60) == 5


def test_names_are_independent(limiter: Limiter) -> None:
    assert [accepted(limiter, 9, name=name) for name in ("a", "b", "address:api ::/64", "a")] == [5, 5, 5, 0]


def test_limits_may_change_at_any_time(folder: Path, limiter: Limiter) -> None:
    other = Limiter(folder)
    assert accepted(limiter, 10, per=(5, 5)) == 5
    assert accepted(other, 100, per=(50, 99)) == 45
    assert accepted(limiter, 10, per=(5, 5)) == 0
    refused = limiter.take("key", 5, 5, NOW + 20)
    assert (refused.limit, refused.retry_after) == (5, 40)
    assert accepted(limiter, 100, per=(60, 60)) == 10  # Nothing was forgotten while the limit was low.


def test_the_largest_limit_is_exact(memory: Path) -> None:
    limiter = Limiter(memory)
    assert accepted(limiter, 100_010, per=(100_000, 200_000)) == 100_000
    assert limiter.take("key", 100_000, 200_000, NOW + 59).retry_after == 1
    assert limiter.take("key", 100_000, 200_000, NOW + 60).remaining == 99_999


@pytest.mark.parametrize("per", [(0, 1), (1, 0), (100_001, 1), (-1, -1)])
def test_impossible_limits_are_refused(limiter: Limiter, per: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="limits are 1 to 100000 a minute"):
        limiter.take("key", *per, NOW)


def test_a_restart_forgets_nothing(folder: Path) -> None:
    assert [accepted(Limiter(folder), 3) for _ in range(4)] == [3, 2, 0, 0]


@pytest.mark.parametrize("own_limiter", [False, True])
def test_threads_of_processes_accept_exactly_the_limit(memory: Path, own_limiter: bool) -> None:
    inherited, name, counts = Limiter(memory), f"hammer {own_limiter}", FORK.RawArray(ctypes.c_long, 16)
    start = FORK.Barrier(4)
    assert inherited.take(name, 3000, 3000, NOW).allowed  # The children share this map and its descriptors.

    def work(process: int) -> None:
        limiter = Limiter(memory) if own_limiter else inherited
        start.wait(120)

        def hammer(thread: int) -> None:
            counts[process * 4 + thread] = accepted(limiter, 500, name=name, per=(3000, 3000))

        threads = [threading.Thread(target=hammer, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    together(*(lambda number=number: work(number) for number in range(4)))
    assert sum(counts) == 2999


def test_processes_that_raise_limits_at_once_forget_nothing(memory: Path) -> None:
    counts, start = FORK.RawArray(ctypes.c_long, 4), FORK.Barrier(4)

    def work(number: int) -> None:
        limiter = Limiter(memory)
        start.wait(120)
        for limit in range(1, 400):
            counts[number] += limiter.take("growing", limit, 400, NOW).allowed
        counts[number] += accepted(limiter, 400, name="growing", per=(400, 400))

    together(*(lambda number=number: work(number) for number in range(4)))
    assert sum(counts) == 400


@pytest.mark.long
def test_a_killed_process_leaves_no_lock_and_an_exact_log(memory: Path) -> None:
    limiter, limit, kills = Limiter(memory), 60_000, 40
    counts = FORK.RawArray(ctypes.c_long, kills * 2)

    def hammer(number: int) -> None:
        for _ in range(700):
            counts[number] += limiter.take("killed", limit, limit, NOW).allowed

    for number in range(0, kills * 2, 2):
        pair = [FORK.Process(target=hammer, args=(number + one,)) for one in range(2)]
        for process in pair:
            process.start()
        stop = random.randrange(1, 600)
        while counts[number] + counts[number + 1] < stop:
            pass
        for process in pair:
            process.kill()
            process.join()
    rest = accepted(limiter, limit, name="killed", per=(limit, limit))
    assert rest > 0
    # A killed process may have been allowed a request that it did not live to count.
    assert limit - kills * 2 <= sum(counts) + rest <= limit


@pytest.mark.long
def test_a_process_killed_while_it_makes_files_leaves_them_usable(memory: Path) -> None:
    rounds, limit = 30, 200
    counts = FORK.RawArray(ctypes.c_long, rounds * 4)

    def churn(number: int) -> None:
        limiter = Limiter(memory, most_addresses=3)
        for step in range(limit):
            for name in range(4):  # Each limit is a larger ring.
                took = limiter.take(
                    f"{'address:api ' * (name % 2)}{number}.{name}", 1 + step, limit, NOW + number * 100
                )
                counts[number * 4 + name] += took.allowed

    for number in range(rounds):
        process = FORK.Process(target=churn, args=(number,))
        process.start()
        stop = random.randrange(1, limit)
        while counts[number * 4] < stop and process.is_alive():
            pass
        process.kill()
        process.join()
        limiter = Limiter(memory, most_addresses=3)
        for name in range(4):
            per, key = (limit, limit), f"{'address:api ' * (name % 2)}{number}.{name}"
            rest = accepted(limiter, limit * 2, name=key, per=per, now=NOW + number * 100)
            assert limit - 1 <= counts[number * 4 + name] + rest <= limit, (number, name)
        assert len(places(memory)) <= 3


def held_elsewhere(folder: Path, place: int) -> bool:
    """Tell whether another process finds the lock taken."""

    def look() -> None:
        fd = os.open(folder / "table", os.O_RDWR)
        try:
            fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
        except BlockingIOError:
            sys.exit(7)

    child = FORK.Process(target=look)
    child.start()
    child.join()
    return child.exitcode == 7


def test_a_limiter_that_ends_drops_no_lock_of_another(folder: Path, limiter: Limiter) -> None:
    other = Limiter(folder)
    assert not held_elsewhere(folder, 9)
    with limiter._lock_place(9):
        del other
        assert held_elsewhere(folder, 9)


def test_a_fork_in_the_middle_of_a_request_does_not_stop_the_child(limiter: Limiter) -> None:
    with limits._lock:  # A thread that the child will not have holds it.
        child = FORK.Process(target=lambda: sys.exit(accepted(limiter, 9)))
        child.start()
    child.join(20)
    assert child.exitcode == 5
    assert accepted(limiter, 9) == 0


@pytest.mark.parametrize("requests", range(1, 15))
def test_a_stamp_without_its_count_is_nobodys(folder: Path, limiter: Limiter, requests: int) -> None:
    """As a process leaves it that is killed between the two stores."""
    for number in range(requests):
        assert limiter.take("key", 5, 5, NOW + number * 15).allowed
    now = NOW + requests * 15
    with log_file(folder).open("r+b") as file:
        words = array("q", file.read())
        words[1 + words[0] % (len(words) - 1)] = int(now * SECOND)
        file.seek(0)
        file.write(words)
    assert accepted(limiter, 9, now=now) == 5 - min(requests, 3)
    assert accepted(Limiter(folder), 9, now=now + 60) == 5


@pytest.mark.parametrize("count", [0, -1, -(2**63)])
def test_a_torn_header_forgets_no_request(folder: Path, limiter: Limiter, count: int) -> None:
    assert [limiter.take("key", 5, 5, NOW + number).allowed for number in range(4)] == [True] * 4
    with log_file(folder).open("r+b") as file:
        file.write(count.to_bytes(8, sys.byteorder, signed=True))
    assert accepted(limiter, 9, now=NOW + 4) == 1
    assert accepted(Limiter(folder), 9, now=NOW + 4) == 0


@pytest.mark.parametrize("content", [b"", b"x", b"\0" * 8, b"\xff" * 15, b"\xff" * 4096, b"\0" * 4096])
def test_a_broken_file_is_replaced(folder: Path, limiter: Limiter, content: bytes) -> None:
    log_file(folder).write_bytes(content)
    assert accepted(limiter, 9) == 5
    assert accepted(Limiter(folder), 9) == 0


def test_a_clock_put_back_forgets_what_is_more_than_a_minute_ahead(limiter: Limiter) -> None:
    assert accepted(limiter, 2) == 2
    assert accepted(limiter, 9, now=NOW + 3600) == 5
    assert accepted(limiter, 9, now=NOW + 30) >= 3  # The ring is as small as the limit: some of it was overwritten.
    assert accepted(limiter, 2, name="spare", per=(20, 20)) == 2
    assert accepted(limiter, 3, name="spare", per=(20, 20), now=NOW + 3600) == 3
    assert accepted(limiter, 20, name="spare", per=(5, 5), now=NOW + 30) == 3


def test_a_clock_a_little_behind_never_allows_too_much(limiter: Limiter) -> None:
    assert accepted(limiter, 3) == 3
    assert accepted(limiter, 9, now=NOW - 60) == 2
    refused = limiter.take("key", 5, 5, NOW - 20)
    assert (refused.reset, refused.retry_after) == (int(NOW) + 60, 80)
    assert accepted(limiter, 9, now=NOW + 59.9) == 0
    assert accepted(limiter, 9, now=NOW + 60) == 5


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.7", "192.0.2.8", False),
        ("192.0.2.7", "::ffff:192.0.2.7", True),
        ("2001:db8:0:1::1", "2001:DB8:0:1:ffff:ffff:ffff:ffff", True),
        ("2001:db8:0:1::1", "2001:db8:0:2::1", False),
        ("fe80::1%eth0", "fe80::2%eth1", True),
        ("192.0.2.7:4001", "192.0.2.7:4002", True),
        ("192.0.2.7:4001", "192.0.2.7", True),
        ("192.0.2.7:4001", "192.0.2.8:4001", False),
        ("[2001:db8:0:1::1]:4001", "[2001:db8:0:1::2]:4002", True),
        ("[2001:db8:0:1::1]", "2001:db8:0:1::2", True),
        ("unknown", "unknown", True),
        ("unknown", "192.0.2.7", False),
    ],
)
def test_an_ipv6_address_counts_as_its_64(one: str, other: str, same: bool) -> None:
    assert (by_address("api", one) == by_address("api", other)) == same


def test_a_use_is_a_word() -> None:
    with pytest.raises(ValueError, match="a use is one word"):
        by_address("../keys", "192.0.2.7")


def test_no_use_of_addresses_exhausts_another(folder: Path) -> None:
    limiter = Limiter(folder, most_addresses=8)
    assert sum(accepted(limiter, 9, name=address(number, "api")) for number in range(100)) < 100 * 5
    assert [accepted(limiter, 9, name=address(number, "hosted")) for number in range(8)] == [5] * 8
    assert [accepted(limiter, 9, name=address(number, "sign_in")) for number in range(8)] == [5] * 8
    assert accepted(limiter, 9, name="key") == 5


def size(folder: Path) -> int:
    """Return the size of the files in a folder, in bytes."""
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*"))


def _of_many_networks(number: int) -> str:
    return f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"


def _of_one_network(number: int) -> str:
    return f"2001:db8:1:{number:x}::1"


@pytest.mark.parametrize(
    ("most", "flood"),
    [pytest.param(100_000, _of_many_networks, marks=pytest.mark.long), (20_000, _of_one_network)],
)
def test_a_flood_from_many_addresses_refuses_the_flood_and_no_newcomer(
    memory: Path, most: int, flood: Callable[[int], str]
) -> None:
    shutil.rmtree(memory)
    limiter, refused, newcomers, networks = Limiter(memory, most_addresses=512), 0, 0, set()
    for number in range(most):
        now = NOW + 10 * number / most
        name = by_address("api", flood(number))
        networks.add(limits.crowd_of(name)[1])
        refused += not limiter.take(name, 100, 20, now).allowed
        if number % 100 == 99:  # each of a network of its own
            newcomer = by_address("api", f"{60 + (newcomers >> 8)}.{newcomers & 255}.7.9")
            assert limiter.take(newcomer, 100, 20, now).allowed, number
            newcomers += 1
    # Of each network 10 at once and 91 a minute, beside the addresses that have a place of their own.
    assert most - refused <= 512 + len(networks) * (10 + 16)
    assert newcomers == most // 100
    assert len(places(memory)) == 512
    assert size(memory / "addresses") < 8 << 20
    # Who has a place keeps an allowance of its own throughout.
    first = by_address("api", flood(0))
    assert [limiter.take(first, 100, 20, NOW + 10).remaining for _ in range(3)] == [98, 97, 96]


def test_addresses_without_a_place_share_the_allowance_of_their_network(folder: Path) -> None:
    limiter = Limiter(folder, most_addresses=1)
    assert accepted(limiter, 9, name=by_address("api", "192.0.2.1")) == 5
    assert [accepted(limiter, 2, name=by_address("api", f"192.0.2.{n}")) for n in (2, 3, 4)] == [2, 1, 0]
    assert accepted(limiter, 9, name=by_address("api", "192.0.3.1")) == 3
    assert accepted(limiter, 9, name=by_address("api", "2001:db8:1:1::1")) == 3
    assert accepted(limiter, 9, name=by_address("api", "2001:db8:1:2::1")) == 0
    assert accepted(limiter, 9, name=by_address("api", "2001:db8:2:1::1")) == 3
    refused = limiter.take(by_address("api", "192.0.2.4"), 5, 5, NOW)
    assert (refused.limit, refused.remaining, refused.window, refused.retry_after) == (5, 0, "minute", 20)
    assert limiter.take(by_address("api", "192.0.2.4"), 5, 5, NOW + 20).allowed


def test_an_address_gets_a_place_when_its_network_was_quiet_for_a_minute(folder: Path) -> None:
    limiter = Limiter(folder, most_addresses=1)
    names = [by_address("api", f"192.0.2.{n}") for n in (1, 2)]
    assert accepted(limiter, 1, name=names[0]) == 1
    assert accepted(limiter, 1, name=names[1], now=NOW + 30) == 1
    # A place is free, but with it a second allowance would be had within the minute.
    assert accepted(limiter, 9, name=names[1], now=NOW + 70) == 3
    assert accepted(limiter, 9, name=names[1], now=NOW + 300) == 5
    assert places(folder) == {str(limits._number_of_file(names[1]))}


@settings(max_examples=200, deadline=None)
@given(steps=st.lists(st.tuples(gaps, st.integers(1, 9)), max_size=80), per=some_limits)
def test_whatever_is_with_its_network_never_exceeds_its_limit(
    memory: Path, steps: list[tuple[float, int]], per: tuple[int, int]
) -> None:
    limiter, use, now = Limiter(memory, most_addresses=1), f"u{uuid.uuid4().hex}", NOW
    times: dict[int, list[float]] = {}
    for step, number in steps:
        now += step
        allowance = limiter.take(by_address(use, f"192.0.{number}.7"), *per, now)
        if allowance.allowed:
            times.setdefault(number, []).append(now)
        else:
            assert allowance.retry_after is not None and allowance.retry_after >= 1
    for found in times.values():
        for seconds, limit in ((60, per[0]), (1, per[1])):
            assert all(sum(first <= at < first + seconds for at in found) <= limit for first in found)


def test_processes_count_a_network_together(memory: Path) -> None:
    counts, start = FORK.RawArray(ctypes.c_long, 4), FORK.Barrier(4)
    accepted(Limiter(memory, most_addresses=1), 1, name=by_address("together", "192.0.9.1"), now=NOW)

    def work(number: int) -> None:
        limiter = Limiter(memory, most_addresses=1)
        start.wait(120)
        for one in range(200):
            name = by_address("together", f"192.0.2.{one}")
            counts[number] += limiter.take(name, 100, 60, NOW).allowed

    together(*(lambda number=number: work(number) for number in range(4)))
    assert sum(counts) == 30


def test_a_high_limit_takes_no_memory_that_is_not_used(memory: Path) -> None:
    limiter = Limiter(memory)
    for number in range(64):
        assert limiter.take(by_address("roomy", f"10.0.0.{number}"), 100_000, 100_000, NOW).allowed
    assert size(memory / "addresses" / "roomy") <= 64 * 3 * 4096


def test_a_removed_address_that_others_map_stays_exact(folder: Path) -> None:
    first, second = Limiter(folder, most_addresses=1), Limiter(folder, most_addresses=1)
    assert accepted(first, 2, name="address:api a") + accepted(second, 2, name="address:api a") == 4
    assert accepted(first, 1, name="address:api b", now=NOW + 100) == 1
    assert str(limits._number_of_file("address:api a")) not in places(folder)
    assert accepted(second, 3, name="address:api c", now=NOW + 100) == 3  # with its network
    assert accepted(second, 9, name="address:api a", now=NOW + 100) == 3
    assert accepted(second, 3, name="address:api a", now=NOW + 300) == 3  # with b's place
    assert accepted(first, 9, name="address:api a", now=NOW + 300) == 2


def test_a_clock_put_back_frees_the_places_of_addresses(folder: Path) -> None:
    limiter = Limiter(folder, most_addresses=1)
    assert accepted(limiter, 1, name="address:api a", now=NOW + 3600) == 1
    assert accepted(limiter, 9, name="address:api b") == 5
    assert places(folder) == {str(limits._number_of_file("address:api b"))}


def test_an_idle_address_in_use_is_not_waited_for(folder: Path) -> None:
    limiter, busy, done = Limiter(folder, most_addresses=1), FORK.Event(), FORK.Event()
    assert accepted(limiter, 1, name="address:api a") == 1

    def hold() -> None:
        with Limiter(folder)._lock_place(limits._number_of_file("address:api a")):
            busy.set()
            done.wait(120)

    child = FORK.Process(target=hold)
    child.start()
    assert busy.wait(120)
    assert accepted(limiter, 1, name="address:api b", now=NOW + 100) == 1
    done.set()
    child.join()
    assert places(folder) == {str(limits._number_of_file("address:api a"))}


def test_processes_keep_the_bound_of_addresses_together(memory: Path) -> None:
    shutil.rmtree(memory)
    start = FORK.Barrier(4)

    def work() -> None:
        limiter = Limiter(memory, most_addresses=20)
        start.wait(120)
        for minute in range(6):
            for number in range(30):
                limiter.take(f"address:api {number}", 1, 1, NOW + minute * 61)
                assert len(places(memory)) <= 20

    together(*[work] * 4)
    # Those that were counted with their network meanwhile get a place when that is quiet.
    limiter = Limiter(memory, most_addresses=20)
    for number in range(30):
        limiter.take(f"address:api {number}", 1, 1, NOW + 10_000)
    assert len(places(memory)) == 20


def test_few_files_stay_open(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_MOST_MAPS", 3)
    limiter, before = Limiter(folder), open_files()
    assert [accepted(limiter, 4, name=str(number)) for number in range(20)] == [4] * 20
    assert open_files() <= before + 3
    assert [accepted(limiter, 4, name=str(number)) for number in range(20)] == [1] * 20
    for _ in range(20):
        assert accepted(Limiter(folder), 1, name="other", now=NOW + 60) in (0, 1)
    assert open_files() <= before + 5


def test_a_folder_that_was_emptied_is_made_again(folder: Path) -> None:
    first, second, epoch = Limiter(folder), Limiter(folder), Epoch(folder)
    assert accepted(first, 1) + accepted(second, 1) == 2
    before = epoch.read()
    shutil.rmtree(folder)
    assert epoch.read() != before
    assert accepted(first, 3, now=NOW + 2) == 3
    assert accepted(second, 9, now=NOW + 2) == 2
    lost = epoch.read()
    epoch.bump()
    assert epoch.read() != lost
    assert folder.stat().st_mode & 0o777 == 0o700


def test_each_bump_of_the_epoch_reaches_every_process(folder: Path) -> None:
    epoch, seen = Epoch(folder), set()
    for _ in range(5):
        seen.add(epoch.read())
        together(lambda: Epoch(folder).bump())
    assert len(seen | {epoch.read()}) == 6
    assert Epoch(folder).read() == epoch.read()
    before = epoch.read()
    together(*[lambda: [Epoch(folder).bump() for _ in range(50)]] * 4)
    assert epoch.read() == before + 200


def test_a_folder_that_cannot_be_used_is_named_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    for make in (Limiter, Epoch):
        for folder in (tmp_path / "file", tmp_path / "file" / "within", Path("/proc/billycan")):
            with pytest.raises(RuntimeError, match=f"{folder} (must be|is not) a folder"):
                make(folder)


def test_the_shared_folder_is_private_and_named_from_the_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)  # a system without /dev/shm
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = shared_folder("sqlite:///a.db")
    folder.chmod(0o755)
    monkeypatch.chdir("/")
    assert shared_folder("sqlite:///a.db") == folder
    assert folder.parent == tmp_path
    assert folder.stat().st_mode & 0o777 == 0o700
    assert shared_folder("sqlite:///b.db") != folder
    assert "sqlite" not in folder.name
    monkeypatch.undo()
    if os.access("/dev/shm", os.W_OK):
        (in_memory := shared_folder(f"{tmp_path}")).rmdir()
        assert in_memory.parent == Path("/dev/shm")


def test_folders_that_no_process_holds_are_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ours, used, left, named = [*map(shared_folder, ("ours", "used", "left")), tmp_path / "billycan-of-a-setting"]
    named.mkdir()
    for folder in (ours, used, left, named):
        hold_folder(folder)
    child = os.fork()
    if not child:  # what was forked goes on using it
        signal.pause()
    try:
        os.close(_held.pop(used))
        os.close(_held.pop(left))
        assert sweep_folders(ours) == []
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    hold_folder(used)
    old = shared_folder("of a release that held none")
    assert sweep_folders(named) == [] and sweep_folders(ours) == [left]
    assert {*tmp_path.iterdir()} == {ours, used, old, named}
    shutil.rmtree(used)
    hold_folder(used)
    assert (used / "in-use").exists(), "whoever begins while it is swept holds the next one"


def test_a_folder_of_somebody_else_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = shared_folder("ours")
    folder.rename(tmp_path / "moved")
    folder.symlink_to(tmp_path / "moved")
    with pytest.raises(RuntimeError, match=f"{folder} is not a folder of user"):
        shared_folder("ours")
    monkeypatch.setattr(os, "geteuid", lambda: 4242)  # This user has not made tmp_path / "moved".
    for use in (Limiter, Epoch, lambda _: shared_folder("theirs")):
        with pytest.raises(RuntimeError, match="is not a folder of user 4242: remove it, run as the user who owns"):
            use(tmp_path / "moved")


def test_it_works_under_gevent(folder: Path) -> None:
    pytest.importorskip("gevent")
    program = f"""
from gevent import monkey; monkey.patch_all()
import os, gevent, threading
from pathlib import Path
from billycan.sharing.limits import Limiter
limiter = Limiter(Path({str(folder)!r}))
counts = []
def work():
    counts.append(sum(limiter.take("key", 300, 300, {NOW}).allowed for _ in range(100)))
gevent.joinall([gevent.spawn(work) for _ in range(4)])
if child := os.fork():
    # Gevent's own waits for a signal that it now and then misses on Python 3.13.
    monkey.get_original("os", "waitpid")(child, 0)
else:
    print(sum(counts), limiter.take("key", 301, 301, {NOW}).allowed, flush=True)
    os._exit(0)
print(limiter.take("key", 301, 301, {NOW}).allowed)
"""
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=60)
    assert (done.stdout.split(), done.stderr) == (["300", "True", "False"], "")


def test_the_time_of_a_request_is_measured(memory: Path) -> None:
    """Printed (pytest -s), not judged."""
    limiter, number = Limiter(memory), 20_000
    for per_minute, per_second in ((100, 20), (100_000, 2_000)):
        start, clock = time.perf_counter(), NOW
        for _ in range(number):
            clock += 0.05
            limiter.take(f"timed {per_minute}", per_minute, per_second, clock)
        print(f"\ntake at {per_minute} a minute: {(time.perf_counter() - start) / number * 1e6:.1f} µs")
