"""The noisy business's connections, in a process of their own: each sends its next request once it has its answer.

Unlike the bench's client it continues after any answer, and sends bodies that a server is slow to take.
"""

import os
import selectors
import socket
import time
from collections import Counter
from collections.abc import Sequence
from itertools import cycle
from multiprocessing.synchronize import Event

MOST_SECONDS, DRAIN_SECONDS = 60.0, 60.0  # of a flood, and for what is under way when it is over


class Connection:
    """One request under way at a time: the head and the body of each, in turn."""

    def __init__(self, port: int, requests: Sequence[tuple[bytes, bytes]], ready: selectors.BaseSelector) -> None:
        self._port, self._requests, self._ready = port, cycle(requests), ready
        self._socket: socket.socket | None = None
        self.asked, self.most = 0, len(requests)
        self._in_chunks = False

    def ask(self) -> None:
        """Send as much of the next request as the server takes."""
        if self._socket is None:
            self._socket = socket.create_connection(("127.0.0.1", self._port), timeout=30)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._socket.setblocking(False)
            self._ready.register(self._socket, selectors.EVENT_READ, self)
        self.asked += 1
        head, body = next(self._requests)
        self._unsent, self._answer, self._length = memoryview(head + body), b"", 0
        self._send()

    def go_on(self, events: int) -> str:
        """Send or receive more; return the status of a complete answer, or "cut" for an incomplete one."""
        if events & selectors.EVENT_WRITE:
            self._send()
        if not events & selectors.EVENT_READ:
            return ""
        assert self._socket
        try:
            data = self._socket.recv(1 << 18)
        except (BlockingIOError, InterruptedError):
            return ""
        except OSError:
            data = b""
        self._answer += data
        if not self._length:
            head, end, _ = self._answer.partition(b"\r\n\r\n")
            if end:
                head = head.lower()
                self._in_chunks = b"\r\ntransfer-encoding: chunked" in head
                size = head.partition(b"content-length: ")[2].partition(b"\r\n")[0]
                self._length = len(head) + len(end) + int(size or 0)
        is_whole = bool(self._length) and len(self._answer) >= self._length
        if is_whole and self._in_chunks:
            is_whole = self._answer.endswith(b"\r\n0\r\n\r\n")
        status = self._answer[9:12].decode() if is_whole else "cut" if not data else ""
        if status and (not data or self._unsent or b"connection: close" in self._answer[: self._length].lower()):
            self.close()
        return status

    def close(self) -> None:
        if self._socket:
            self._ready.unregister(self._socket)
            self._socket.close()
            self._socket = None

    def _send(self) -> None:
        assert self._socket
        try:
            while self._unsent:
                self._unsent = self._unsent[self._socket.send(self._unsent[: 1 << 18]) :]
        except (BlockingIOError, InterruptedError):
            pass
        except OSError:  # it was refused before it was sent: the answer may still come
            self._unsent = memoryview(b"")
        wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if self._unsent else 0)
        self._ready.modify(self._socket, wanted, self)


_over: list[Event] = []


def prepare(over: Event) -> None:
    """Store the event by which another process ends a flood; the server goes first, as with a client elsewhere."""
    os.nice(10)
    _over[:] = [over]


def run(port: int, connections: Sequence[Sequence[tuple[bytes, bytes]]], *, once: bool = False) -> Counter[str]:
    """Flood until it is over, a minute at most, or send each request `once`; count the answers by status."""
    ready = selectors.DefaultSelector()
    statuses: Counter[str] = Counter()
    opened = [Connection(port, requests, ready) for requests in connections]
    until = time.monotonic() + MOST_SECONDS
    for connection in opened:
        connection.ask()
    waiting = len(opened)
    while waiting and time.monotonic() < until + DRAIN_SECONDS:
        for key, events in ready.select(1.0):
            if status := key.data.go_on(events):
                statuses[status] += 1
                is_over = key.data.asked >= key.data.most if once else _over[0].is_set()
                if time.monotonic() < until and not is_over:
                    key.data.ask()
                else:
                    waiting -= 1
                    key.data.close()
    statuses["unanswered"] += waiting
    for connection in opened:
        connection.close()
    return +statuses
