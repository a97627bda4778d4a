"""Keep long work, and any single business, from holding up others.

Work that keeps a processor busy, such as a hash, a PDF or a long page, runs apart or in turns. A business's requests
hold a share of a process's places; one that waits for its part of the share holds no place.
"""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from time import perf_counter, thread_time
from typing import Any, ClassVar, TypeVar

from .problems import TooManyAtOnce

T = TypeVar("T")
# A thread lets others run at each statement. By default it gets its turn back after 5 ms if they compute, which is
# longer than a whole transaction takes; on SQLite all other writes wait for it meanwhile.
_SWITCH_SECONDS = 0.0005
PIECE_SECONDS = 0.001  # a quiet request waits for one piece each time that it waits for the database
_LONG_SECONDS = 0.005  # of computing, after which a request goes on only in the line of those that let others go
PLACES = 32  # for a process whose server does not set a number
MOST_WAITING = 32  # requests of a business in each process, and as many of its sandbox
MOST_AWAY = 64  # requests of a business and its sandbox in each process that wait for their clients
WAIT_SECONDS = 5.0
_MOST_ALONE_SECONDS = 0.02  # how long a write waits for another one of its business before it computes, too
# The order of waiting requests: the live business first, and for each those that are under way already.
_LIVE_UNDER_WAY, LIVE, _SANDBOX_UNDER_WAY, SANDBOX = range(4)
_UNDER_WAY = {LIVE: _LIVE_UNDER_WAY, SANDBOX: _SANDBOX_UNDER_WAY}


def run_apart(work: Callable[[], T]) -> T:
    """Return the result of `work`; under gevent it runs in a thread, so that the process can answer others meanwhile.

    `work` is a call of a compiled library that lets other threads run, and touches neither locks nor connections.
    """
    if not _is_gevent():
        return work()
    from gevent import get_hub  # noqa: PLC0415 - gevent need not be installed

    return get_hub().threadpool.apply(work)  # type: ignore[no-any-return]


def take_short_turns() -> None:
    """Let the threads of this process that compute take turns more often than Python does by default."""
    sys.setswitchinterval(_SWITCH_SECONDS)


def in_turns(items: Iterable[T]) -> Iterable[T]:
    """Return the items of a long computation; under gevent, let the process serve others every few milliseconds while
    they are iterated. Threads do so anyway.

    Do not use it in a write transaction, for which those others might wait.
    """
    sys.audit("billycan.slow", "to serve others")
    return map(_after_a_piece, items) if _is_gevent() else items


def in_pieces(items: Sequence[T], size: int) -> Iterable[Sequence[T]]:
    """Return a list in pieces of this size, in turns as `in_turns` does; without gevent the whole list is one piece."""
    if not _is_gevent():
        return in_turns([items])
    return in_turns([items[first : first + size] for first in range(0, len(items), size)])


def share_time() -> None:
    """Let the process serve others, under gevent, if it has computed for some milliseconds.

    Do not use it in a write transaction, for which those others might wait.
    """
    sys.audit("billycan.slow", "to serve others")
    if _is_gevent():
        _after_a_piece(None)


def finalize_in_turns() -> Callable[[Any], Any] | None:
    """Return the `finalize` of a Jinja environment: under gevent its templates are rendered in turns with others.

    Jinja calls it with each value that is written, within loops and macros too. Without gevent it is None, which costs
    nothing. Such a template may not be rendered in a write transaction.
    """
    return _after_a_piece if _is_gevent() else None


def let_others_go() -> None:
    """Let every greenlet run for which data has arrived, and then those that let others go before.

    gevent's `sleep(0)` only runs the greenlets that are ready already. It looks for new data after 50 of them, and one
    request on each of ten connections may take a second.
    """
    from gevent.hub import get_hub  # noqa: PLC0415 - gevent need not be installed

    computed = find_computed()
    _line_of(get_hub()).wait()
    begin_turn(computed)


def is_long() -> bool:
    """Tell whether the greenlet that runs serves a request that has computed for some milliseconds; no thread does.

    After an answer of PostgreSQL it lets others go, unless it has a transaction open. Several such requests of one
    business would otherwise go on with each answer, and all of them go ahead of a quiet one each time that it waits.
    """
    return _Line.computed >= _LONG_SECONDS and _Line.runs == threading.get_ident()


def find_computed() -> float:
    """Return for how many seconds the request of the greenlet that runs has computed.

    That is 0 again after it waited for anything but this line or PostgreSQL, such as its client: others ran meanwhile.
    """
    if _Line.runs != threading.get_ident():  # under gevent, the greenlet's
        return 0.0
    return _Line.computed + thread_time() - _Line.thread_began


def begin_turn(computed: float = 0.0) -> None:
    """Mark that a greenlet runs now after it has waited, so that it lets others go only once it has computed.

    `computed` is for how many seconds its request has done so already.
    """
    _Line.turn_began, _Line.thread_began = perf_counter(), thread_time()
    _Line.runs, _Line.computed = threading.get_ident(), computed


class _Line:
    """The greenlets that let others go: in each round of the hub's loop, after all new data, the first of them goes on.

    If all of them did, whoever waits for the database would wait for as many pieces each time.
    """

    turn_began: ClassVar = 0.0  # when the greenlet that runs went on, after it waited in this line or for PostgreSQL
    thread_began: ClassVar = 0.0  # the thread's processor time then
    computed: ClassVar = 0.0  # for how long its request had computed by then
    runs: ClassVar = 0  # that greenlet

    def __init__(self, hub: Any) -> None:
        self._hub, self._waiting = hub, deque[Any]()
        self._round = hub.loop.async_(priority=hub.loop.MINPRI)

    def wait(self) -> None:
        from gevent.hub import Waiter  # noqa: PLC0415 - gevent need not be installed

        waiter = Waiter(self._hub)
        self._waiting.append(waiter)
        if len(self._waiting) == 1:
            self._round.start(self._go_on)
            self._round.send()
        try:
            waiter.get()
        except BaseException:  # such as a gevent.Timeout
            if waiter in self._waiting:
                self._waiting.remove(waiter)
            raise

    def _go_on(self) -> None:
        waiter = self._waiting.popleft() if self._waiting else None
        if self._waiting:
            self._round.send()
        else:
            self._round.stop()  # or the loop would never end
        if waiter:
            waiter.switch(None)


@cache
def _line_of(hub: Any) -> _Line:
    return _Line(hub)


def _after_a_piece(value: T) -> T:
    if perf_counter() - _Line.turn_began >= PIECE_SECONDS:
        let_others_go()
    return value


def _is_gevent() -> bool:
    # Another thread may be importing it right now, such as by way of Huey: then nothing is patched.
    is_patched = getattr(sys.modules.get("gevent.monkey"), "is_module_patched", None)
    return is_patched is not None and bool(is_patched("threading"))


class Shares:
    """The shares of all businesses in one process: for each, a quarter of the process's places, and at least one."""

    def __init__(self, places: int = PLACES) -> None:
        self._lock = threading.Lock()
        self._queues: dict[str, _Queue] = {}  # only of businesses that have requests at work
        self.last = ""  # the business that took a part last
        self.divide(places)

    def divide(self, places: int) -> None:
        """Set how many places the process has."""
        self.most = max(1, places // 4)

    def take(self, business: str, rank: int) -> threading.Lock | None:
        """Take a part of the business's share, or join its queue: the lock returned opens when a part is handed over.

        Raise TooManyAtOnce if the queue is full.
        """
        with self._lock:
            queue = self._queues.get(business)
            if queue is None:
                queue = self._queues[business] = _Queue()
            if queue.held < self.most:
                queue.held += 1
                self.last = business
                return None
            if rank in _UNDER_WAY and len(queue.waiting[rank]) >= MOST_WAITING:
                raise TooManyAtOnce
            gate = threading.Lock()
            gate.acquire()
            queue.waiting[rank].append(gate)
            return gate

    def give(self, business: str) -> None:
        """Hand a part over to the next request in the queue, or back to the business."""
        with self._lock:
            queue = self._queues[business]
            for waiting in queue.waiting:
                if waiting:
                    self.last = business
                    waiting.popleft().release()
                    return
            queue.held -= 1
            self._forget_idle(business, queue)

    def compute_alone(self, business: str) -> threading.Lock | None:
        """Return the lock of the one write of a business that computes, taken; None if that takes too long."""
        with self._lock:
            computes = self._queues[business].computes  # the request still holds its part
        return computes if computes.acquire(timeout=_MOST_ALONE_SECONDS) else None

    def leave_for_client(self, business: str) -> None:
        """Count a request that waits for its client; raise TooManyAtOnce if the business has too many of those.

        What they have sent, or are to receive, takes memory.
        """
        with self._lock:
            queue = self._queues[business]  # the request still holds its part
            if queue.away >= MOST_AWAY:
                raise TooManyAtOnce
            queue.away += 1

    def return_from_client(self, business: str) -> None:
        """Stop counting a request whose client has answered."""
        with self._lock:
            queue = self._queues[business]
            queue.away -= 1
            self._forget_idle(business, queue)

    def withdraw(self, business: str, rank: int, gate: threading.Lock) -> bool:
        """Leave the queue; return False if a part was handed over in the meantime."""
        with self._lock:
            waiting = self._queues[business].waiting[rank]
            if gate in waiting:
                waiting.remove(gate)
                return True
        return False

    def _forget_idle(self, business: str, queue: _Queue) -> None:
        if not queue.held and not queue.away:
            del self._queues[business]


class _Queue:
    """The requests of a business: counts of those at work and of those that wait for their clients; a queue by rank.

    `computes` is the lock of the one write that computes.
    """

    __slots__ = ("away", "computes", "held", "waiting")

    def __init__(self) -> None:
        self.held = self.away = 0
        self.computes = threading.Lock()
        self.waiting: tuple[deque[threading.Lock], ...] = (deque(), deque(), deque(), deque())


class Share:
    """One request's part of its business's share, until `leave`; only the request's own thread uses it."""

    def __init__(self, shares: Shares, business: str, rank: int) -> None:
        self._shares, self._business, self._rank = shares, business, rank
        self._gate: threading.Lock | None = None
        self._computes: threading.Lock | None = None
        self._is_held = self._is_over = self._is_away = False
        self.is_repeated = False  # whether the same business took a part just before

    def begin(self) -> bool:
        """Take the part and return True, or join the queue and return False. TooManyAtOnce if the queue is full."""
        self.is_repeated = self._shares.last == self._business
        self._gate = self._shares.take(self._business, self._rank)
        self._is_held = self._gate is None
        return self._is_held

    def wait(self) -> None:
        """Wait for the part without holding a place; raise TooManyAtOnce if that takes too long."""
        self.is_repeated = True
        self._wait_for_part(WAIT_SECONDS)
        if not self._is_held:
            raise TooManyAtOnce

    def pause(self) -> None:
        """Give the part up while the request waits for its client; raise TooManyAtOnce if too many of them do."""
        if self._is_held:
            self._shares.leave_for_client(self._business)
            self._is_away = True
            self.let_others_compute()
            self._give_part()

    def resume(self) -> None:
        """Take the part again, waiting as long as necessary without a place: a request under way cannot be refused."""
        self._return_from_client()
        if not self._is_over:
            self._rank = _UNDER_WAY.get(self._rank, self._rank)
            if not self.begin():
                self._wait_for_part(-1)

    def compute_alone(self) -> None:
        """Wait, for some milliseconds at most, until the business's other writes in this process need no processor.

        Otherwise two of them would take Python's lock from each other at each statement, while one of them holds the
        turn for which all others wait.
        """
        self._computes = self._computes or self._shares.compute_alone(self._business)

    def let_others_compute(self) -> None:
        """Let the business's next write begin, such as before this one waits for the disk."""
        if computes := self._computes:
            self._computes = None
            computes.release()

    def leave(self) -> None:
        """Give the part up for good."""
        self._is_over = True
        self.let_others_compute()
        self._return_from_client()
        self._give_part()

    def _give_part(self) -> None:
        if self._is_held:
            self._is_held = False
            self._shares.give(self._business)

    def _return_from_client(self) -> None:
        if self._is_away:
            self._is_away = False
            self._shares.return_from_client(self._business)

    def _wait_for_part(self, seconds: float) -> None:
        gate, self._gate = self._gate, None
        try:
            self._is_held = gate is None or gate.acquire(timeout=seconds)
        finally:
            if gate and not self._is_held:  # too late, or the thread is being ended
                self._is_held = not self._shares.withdraw(self._business, self._rank, gate)
