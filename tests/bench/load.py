"""The load client, a process of its own: keep-alive connections that each send their requests one after another.

It reads a job from standard input, `{"port", "seconds", "most", "connections": [["GET / HTTP/1.1…", …], …]}`, and
writes `{"seconds", "microseconds": [one for each answer], "statuses": {"200": 12}}`.
"""

import json
import selectors
import socket
import sys
import time


class Connection:
    """One request under way at a time, the next as soon as it is answered; a server may close after an answer."""

    def __init__(self, port: int, requests: list[bytes], ready: selectors.BaseSelector) -> None:
        self.port, self.requests, self.ready = port, requests, ready
        self.socket: socket.socket | None = None
        self.sent = 0

    def send(self) -> None:
        self.buffer, self.length = b"", 0
        self.began = time.perf_counter()
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
        """Take what has arrived; True when that completes the answer."""
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


def run(port: int, seconds: float, most: int, connections: list[list[str]]) -> dict[str, object]:
    ready = selectors.DefaultSelector()
    opened = [Connection(port, [request.encode() for request in requests], ready) for requests in connections]
    microseconds: list[int] = []
    statuses: dict[str, int] = {}
    began = time.perf_counter()
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


if __name__ == "__main__":
    json.dump(run(**json.load(sys.stdin)), sys.stdout)
