"""The load client, a process of its own: keep-alive connections that each send their requests one after another.

It reads a job from standard input, `{"port", "seconds", "most", "connections": [["GET / HTTP/1.1…", …], …]}`, and
writes `{"seconds", "microseconds": [one for each answer], "statuses": {"200": 12}}`. With a `rate`, requests come at
times that are so far apart, whatever becomes of those before, and the time of each counts from when it was due.
"""

import json
import selectors
import socket
import sys
import time


class Connection:
    """A connection with one request under way at a time; a server may close it after an answer."""

    def __init__(self, port: int, requests: list[bytes], ready: selectors.BaseSelector) -> None:
        self.port, self.requests, self.ready = port, requests, ready
        self.socket: socket.socket | None = None
        self.sent = 0

    def send(self, due: float = 0.0) -> None:
        self.buffer, self.length = b"", 0
        self.began = due or time.perf_counter()
        if self.socket is None:
            self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=30)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.ready.register(self.socket, selectors.EVENT_READ, self)
        self.socket.sendall(self.requests[self.sent % len(self.requests)])
        self.sent += 1

    def close(self) -> None:
        self.ready.unregister(self.socket)
        self.socket.close()
        self.socket = None

    def receive(self) -> bool:
        """Take what has arrived; return True when that completes the answer."""
        data = self.socket.recv(1 << 18)
        if not data:
            raise ConnectionError(f"the server closed a connection after {self.buffer!r}")
        self.buffer += data
        if not self.length:
            head, end, _ = self.buffer.partition(b"\r\n\r\n")
            if not end:
                return False
            size = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
            self.length = len(head) + len(end) + int(size)
            self.closes = b"connection: close" in head.lower()
        if len(self.buffer) < self.length:
            return False
        if self.closes:
            self.close()
        return True

    @property
    def status(self) -> str:
        return self.buffer[9:12].decode()


def run(port: int, seconds: float, most: int, connections: list[list[str]], rate: float = 0.0) -> dict[str, object]:
    ready = selectors.DefaultSelector()
    opened = [Connection(port, [request.encode() for request in requests], ready) for requests in connections]
    microseconds: list[int] = []
    statuses: dict[str, int] = {}
    began = time.perf_counter()
    if rate:
        _pace(opened, rate, seconds, ready, microseconds, statuses)
        return {"seconds": time.perf_counter() - began, "microseconds": microseconds, "statuses": statuses}
    for connection in opened:
        connection.send()
    waiting = len(opened)
    while waiting:
        for key, _ in ready.select():
            connection = key.data
            if not connection.receive():
                continue
            now = time.perf_counter()
            microseconds.append(round((now - connection.began) * 1e6))
            statuses[connection.status] = statuses.get(connection.status, 0) + 1
            if now - began < seconds and len(microseconds) + waiting <= most:
                connection.send()
            else:
                waiting -= 1
    return {"seconds": time.perf_counter() - began, "microseconds": microseconds, "statuses": statuses}


def _pace(
    opened: list[Connection],
    rate: float,
    seconds: float,
    ready: selectors.BaseSelector,
    microseconds: list[int],
    statuses: dict[str, int],
) -> None:
    """Send a request each time one is due, over a free connection or the next to be free."""
    free, sent, count = [*opened], 0, int(rate * seconds)
    began = time.perf_counter()
    while sent < count or len(free) < len(opened):
        due = began + sent / rate
        while free and sent < count and due <= time.perf_counter():
            free.pop(0).send(due)
            sent += 1
            due = began + sent / rate
        wait = max(0.0, due - time.perf_counter()) if free and sent < count else 1.0
        # Without a connection there is nothing to wait for, which a selector would do all the same.
        for key, _ in ready.select(wait) if len(ready.get_map()) else [time.sleep(wait)][:0]:
            connection = key.data
            if connection.receive():
                microseconds.append(round((time.perf_counter() - connection.began) * 1e6))
                statuses[connection.status] = statuses.get(connection.status, 0) + 1
                free.append(connection)


def free_port() -> int:
    """Return a port without a listener."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def hold(port: int, count: int, addresses: int) -> list[socket.socket]:
    """Open this many connections from as many addresses of this machine, and wait for one answer on each."""
    held = []
    for number in range(count):
        source = (f"127.0.0.{number % addresses + 2}", 0)
        held.append(socket.create_connection(("127.0.0.1", port), timeout=30, source_address=source))
        held[-1].sendall(_HEALTH)
    for connection in held:
        connection.recv(65536)
    return held


def ask_again(held: list[socket.socket]) -> int:
    """Count the connections that are still answered, and close them all."""
    answered = 0
    for connection in held:
        try:
            connection.sendall(_HEALTH)
            answered += connection.recv(65536).startswith(b"HTTP/1.1 200")
        except OSError:
            pass
        connection.close()
    return answered


_HEALTH = b"GET /-/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


if __name__ == "__main__":
    json.dump(run(**json.load(sys.stdin)), sys.stdout)
