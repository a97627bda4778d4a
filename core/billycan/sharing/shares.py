"""The share of a process's places that one business's requests may hold; a request that waits for it holds no place."""

from __future__ import annotations

import threading
from collections import deque

from ..problems import TooManyAtOnce

PLACES = 32  # for a process whose server does not set a number
MOST_WAITING = 32  # requests of a business in each process, and as many of its sandbox
MOST_AWAY = 64  # requests of a business and its sandbox in each process that wait for their clients
WAIT_SECONDS = 5.0
# The order of waiting requests: the live business first, and for each those that are under way already.
_LIVE_UNDER_WAY, LIVE, _SANDBOX_UNDER_WAY, SANDBOX = range(4)
_UNDER_WAY = {LIVE: _LIVE_UNDER_WAY, SANDBOX: _SANDBOX_UNDER_WAY}


class Shares:
    """The shares of all businesses in one process: for each, a quarter of the process's places, and at least one."""

    def __init__(self, places: int = PLACES) -> None:
        self._lock = threading.Lock()
        self._lines: dict[str, _Queue] = {}  # only of businesses that have requests at work
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
            line = self._lines.get(business)
            if line is None:
                line = self._lines[business] = _Queue()
            if line.held < self.most:
                line.held += 1
                self.last = business
                return None
            if rank in _UNDER_WAY and len(line.waiting[rank]) >= MOST_WAITING:
                raise TooManyAtOnce
            gate = threading.Lock()
            gate.acquire()
            line.waiting[rank].append(gate)
            return gate

    def give(self, business: str) -> None:
        """Hand a part over to the next request in the queue, or back to the business."""
        with self._lock:
            line = self._lines[business]
            for waiting in line.waiting:
                if waiting:
                    self.last = business
                    waiting.popleft().release()
                    return
            line.held -= 1
            self._forget_idle(business, line)

    def leave_for_client(self, business: str) -> None:
        """Count a request that waits for its client; raise TooManyAtOnce if the business has too many of those.

        What they have sent, or are to receive, takes memory.
        """
        with self._lock:
            line = self._lines[business]  # the request still holds its part
            if line.away >= MOST_AWAY:
                raise TooManyAtOnce
            line.away += 1

    def return_from_client(self, business: str) -> None:
        """Count a request no longer that its client has answered."""
        with self._lock:
            line = self._lines[business]
            line.away -= 1
            self._forget_idle(business, line)

    def withdraw(self, business: str, rank: int, gate: threading.Lock) -> bool:
        """Leave the queue; return False if a part was handed over in the meantime."""
        with self._lock:
            waiting = self._lines[business].waiting[rank]
            if gate in waiting:
                waiting.remove(gate)
                return True
        return False

    def _forget_idle(self, business: str, line: _Queue) -> None:
        if not line.held and not line.away:
            del self._lines[business]


class _Queue:
    """The requests of a business: counts of those at work and of those that wait for their clients; a queue by rank."""

    __slots__ = ("away", "held", "waiting")

    def __init__(self) -> None:
        self.held = self.away = 0
        self.waiting: tuple[deque[threading.Lock], ...] = (deque(), deque(), deque(), deque())


class Share:
    """One request's part of its business's share, until `leave`; only the request's own thread uses it."""

    def __init__(self, shares: Shares, business: str, rank: int) -> None:
        self._shares, self._business, self._rank = shares, business, rank
        self._gate: threading.Lock | None = None
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
        self._wait(WAIT_SECONDS)
        if not self._is_held:
            raise TooManyAtOnce

    def pause(self) -> None:
        """Give the part up while the request waits for its client; raise TooManyAtOnce if too many of them do."""
        if self._is_held:
            self._shares.leave_for_client(self._business)
            self._is_away = True
            self._give()

    def resume(self) -> None:
        """Take the part again, waiting as long as necessary without a place: a request under way cannot be refused."""
        self._return()
        if not self._is_over:
            self._rank = _UNDER_WAY.get(self._rank, self._rank)
            if not self.begin():
                self._wait(-1)

    def leave(self) -> None:
        """Give the part up for good."""
        self._is_over = True
        self._return()
        self._give()

    def _give(self) -> None:
        if self._is_held:
            self._is_held = False
            self._shares.give(self._business)

    def _return(self) -> None:
        if self._is_away:
            self._is_away = False
            self._shares.return_from_client(self._business)

    def _wait(self, seconds: float) -> None:
        gate, self._gate = self._gate, None
        try:
            self._is_held = gate is None or gate.acquire(timeout=seconds)
        finally:
            if gate and not self._is_held:  # too late, or the thread is being ended
                self._is_held = not self._shares.withdraw(self._business, self._rank, gate)
