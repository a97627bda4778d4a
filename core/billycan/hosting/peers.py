"""A client's connection in a gunicorn worker, with deadlines both ways; a request that waits for it holds no place.

A worker has a thread (with gevent, a greenlet) for every connection, which costs next to nothing while it waits. Work
is the cost, so a request takes a place before it is handled, and gives it back while it waits for its client to send or
to receive. Slow, silent or hostile clients then hold up nobody but themselves.
"""

import errno
import select
import socket
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from billycan.apart import Share
from billycan.problems import Timeout, TooManyAtOnce
from billycan.sharing.addresses import by_address

# How long a client may take to send a request's head, and then its body, and to receive the response: each in all.
HEAD_SECONDS, BODY_SECONDS, RESPONSE_SECONDS = 10.0, 60.0, 60.0
_THROWN_OUT = "the connection made room for another"
LINGER_SECONDS, MOST_LINGER_BYTES = 2.0, 32 * 1024 * 1024


class Places:
    """Room for so many requests at once; requests that wait for a place get one in the order in which they came."""

    def __init__(self, number: int) -> None:
        self._free, self._lock = number, threading.Lock()
        self._waiting: deque[threading.Lock] = deque()

    def take(self) -> None:
        """Wait for a place."""
        with self._lock:
            if self._free:
                self._free -= 1
                return
            # Handed over directly: a thread that gives up a place and takes one again would mostly be quicker than
            # the thread that wakes up for it.
            turn = threading.Lock()
            turn.acquire()
            self._waiting.append(turn)
        turn.acquire()

    def give(self) -> None:
        """Hand the place to the request that has waited longest."""
        with self._lock:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._free += 1


class Peer(socket.socket):
    """The socket of one client, made from the accepted one. Times are those of `time.monotonic()`.

    It never blocks and has deadlines of its own, so gunicorn need not set them: each such call would let other threads
    go first.
    """

    _open: "set[Peer]" = set()  # those of this process that are counted
    _counting = threading.Lock()

    def __init__(
        self,
        accepted: socket.socket,
        address: str,
        idle_seconds: float,
        late: Callable[["Peer"], None],
        let_others_go: Callable[[], None] = lambda: None,
    ) -> None:
        """`late` answers a client that began to send a request and did not finish its head in time.

        `let_others_go` is what a greenlet does to let others run; threads take turns anyway.
        """
        super().__init__(accepted.family, accepted.type, accepted.proto, fileno=accepted.detach())
        super().settimeout(0)
        self.address, self.network = address, by_address("connections", address)
        self._idle_seconds, self._late, self.let_others_go = idle_seconds, late, let_others_go
        self._places: Places | None = None
        self._share: Share | None = None
        self.has_place = self._is_over = False
        self.expect(False)

    def is_admitted(self, most_of_address: int, most: int) -> bool:
        """Admit the connection unless its address has `most_of_address` open already; return whether it was admitted.

        If that makes more than `most` in all, the slowest is thrown out: newcomers are always heard.
        """
        with Peer._counting:
            if sum(other.network == self.network for other in Peer._open) >= most_of_address:
                return False
            slowest = _find_slowest(Peer._open) if len(Peer._open) >= most else None
            Peer._open.add(self)
            if slowest:
                Peer._open.remove(slowest)
                slowest.throw_out()
        return True

    def throw_out(self) -> None:
        """End the connection without an answer; its handler finds it closed by the client."""
        self._is_over = True
        with suppress(OSError):
            self.shutdown(socket.SHUT_RDWR)

    def expect(self, begun: bool) -> None:
        """Await a request; `begun` says that its first bytes are there already."""
        self._begun, self._in_request, self.is_early, self.since = begun, False, begun, time.monotonic()
        self.has_waited = False
        self._receive_by = self.since + (HEAD_SECONDS if begun else self._idle_seconds)
        self._send_by: float | None = None

    def begin(self, places: Places) -> None:
        """Wait for a place to handle the request in, whose head has arrived.

        Raise ConnectionResetError if the client was thrown out meanwhile.
        """
        self._in_request, self._receive_by, self._send_by = True, time.monotonic() + BODY_SECONDS, None
        self._places = places
        self._resume_work()
        if self._is_over:
            raise ConnectionResetError(errno.ECONNRESET, _THROWN_OUT)

    def hold(self, share: Share) -> None:
        """Take the request's part of its business's share, once the business is known; wait for it without a place.

        If the same business began the last request, others go first. Raise TooManyAtOnce if too many wait.
        """
        self._share = share
        if not share.begin():
            self._pause_work()
            try:
                share.wait()
            finally:
                self._take_place()
        if share.is_repeated:
            self.let_others_go()

    def end(self, read_rest: Callable[[int], bytes] | None) -> bool:
        """Return the place and the share after the response, and read the rest that the client sends of its request.

        A connection that is closed with unread bytes on their way would lose the response. Return False if the rest
        cannot be read to its end, or not at all: nothing more is received then, because it could be taken for a
        request.
        """
        if self._share:
            self._share.leave()
        self._pause_work()
        self._places = self._share = None
        self._receive_by = time.monotonic() + LINGER_SECONDS
        if not (read_rest and _read_to_end(read_rest)):
            self._close_in_peace()
        return not self._is_over

    def refuse(self, response: bytes) -> None:
        """Send this response and nothing after it, whatever else the client sends."""
        self._is_over = True
        self.sendall(response)
        self._close_in_peace()

    def _close_in_peace(self) -> None:
        """Send nothing more, and read what is still on its way: closing on unread bytes would lose the response."""
        self._is_over = True
        with suppress(OSError):
            self.shutdown(socket.SHUT_WR)
        until, receive = time.monotonic() + LINGER_SECONDS, super().recv
        _read_to_end(lambda size: self._in_time(receive, until, size) if time.monotonic() < until else b"")

    def stays(self, seconds: float) -> bool:
        """Tell whether something arrives within so many seconds: the next request, or the end of the connection."""
        ready = select.poll()
        ready.register(self, select.POLLIN)
        return bool(ready.poll(seconds * 1000))

    def setblocking(self, flag: bool) -> None:
        """Do nothing: a Peer never blocks."""

    def settimeout(self, value: float | None) -> None:
        """Do nothing: a Peer has deadlines of its own."""

    def recv(self, *given: Any) -> bytes:
        """Return the bytes that have arrived; none, as if the client had hung up, after the deadline of a request's
        head.

        Raise Timeout after the deadline of a body, and TooManyAtOnce if too many requests of its business wait.
        """
        if self._is_over:
            return b""
        try:
            if self._begun and time.monotonic() > self._receive_by:
                raise TimeoutError
            data: bytes = self._in_time(super().recv, self._receive_by, *given)
        except TimeoutError:
            # Bytes that arrive from here on belong to a request under way.
            self._is_over = True
            if self._in_request:
                raise Timeout from None
            if self._begun:
                self._late(self)
            return b""
        if data and not self._begun:
            self._begun, self._receive_by = True, time.monotonic() + HEAD_SECONDS
        return data

    def send(self, *given: Any, **more: Any) -> int:
        """Send bytes and return how many were taken.

        Raise ConnectionResetError after the response's deadline, or if too many requests of its business wait.
        """
        if self._send_by is None:
            self._send_by = time.monotonic() + RESPONSE_SECONDS
        try:
            sent: int = self._in_time(super().send, self._send_by, *given)
        except (TimeoutError, TooManyAtOnce):
            self._is_over = True
            raise ConnectionResetError(errno.ECONNRESET, "the client does not take its response") from None
        return sent

    def sendall(self, data: Any, *flags: Any) -> None:
        """Send all the bytes, within the deadline of the response."""
        left = memoryview(data)
        while left:
            left = left[self.send(left, *flags) :]

    def close(self) -> None:
        """Close the connection and stop counting it."""
        with Peer._counting:
            Peer._open.discard(self)
        super().close()

    def _in_time(self, call: Callable[..., Any], until: float, *given: Any) -> Any:
        try:
            return call(*given)
        except BlockingIOError:
            self._pause_work()
        self.has_waited = True
        try:
            super().settimeout(max(until - time.monotonic(), 0.001))
            return call(*given)
        except OSError as error:
            if self._is_over:  # gevent says that the socket was closed, and not what the other end would see
                raise ConnectionResetError(errno.ECONNRESET, _THROWN_OUT) from error
            raise
        finally:
            super().settimeout(0)
            self._resume_work()

    def _resume_work(self) -> None:
        if self._share:
            self._share.resume()
        self._take_place()

    def _take_place(self) -> None:
        if self._places:
            self._places.take()
            self.has_place = True

    def _pause_work(self) -> None:
        if self._share:
            self._share.pause()
        if self._places:
            self.has_place = False
            self._places.give()


def _find_slowest(peers: Iterable[Peer]) -> Peer | None:
    """Return the slowest peer without work under way, of the address that has most of them."""
    waiting = [peer for peer in peers if not peer.has_place]
    of_network = Counter(peer.network for peer in waiting)
    return max(waiting, key=lambda peer: (of_network[peer.network], -peer.since), default=None)


def _read_to_end(read: Callable[[int], bytes]) -> bool:
    """Read to the end, and return True; False if there is too much, or if it cannot be read."""
    left = MOST_LINGER_BYTES
    with suppress(Exception):
        while left > 0:
            data = read(65536)
            if not data:
                return True
            left -= len(data)
    return False
