"""Listen for webhooks: each verified delivery wakes the thread that waits for one."""

import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

from .deliveries import VerificationError, verified
from .errors import UnexpectedAnswer

_MOST_BYTES = 4 << 20  # of a delivery, whose record has at most 2 MiB
_SECONDS = 10  # to send it
_AT_ONCE, _PER_SECOND = 10, 1.45  # together below the 100 requests that a key may make in a minute


class Listener:
    """A server on this machine, for an endpoint with this secret; `port` 0 takes any that is free.

    It speaks HTTP on 127.0.0.1: whatever ends TLS forwards the endpoint's URL to it.
    """

    def __init__(
        self,
        port: int,
        secret: str,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._woken, self._clock, self._sleep = threading.Event(), clock, sleep
        self._left, self._at = float(_AT_ONCE), clock()
        self._server = ThreadingHTTPServer(("127.0.0.1", port), _handler(secret, self._woken))
        self.port: int = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def wait(self, seconds: float) -> None:
        """Wait for a delivery since the last time, but no longer than this.

        While many follow each other closely, one wait is for several of them, so that a request after each wait stays
        below the limit of a key. Beyond it, a request would have to wait for much longer.
        """
        self._woken.wait(seconds)
        self._fill()
        if self._left < 1:
            self._sleep((1 - self._left) / _PER_SECOND)
            self._fill()
        self._left -= 1
        self._woken.clear()

    def _fill(self) -> None:
        """Note how many requests may be made by now."""
        now = self._clock()
        self._left, self._at = min(_AT_ONCE, self._left + (now - self._at) * _PER_SECOND), now

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def _handler(secret: str, woken: threading.Event) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = _SECONDS

        def do_POST(self) -> None:
            length = self.headers.get("Content-Length", "")
            if not length.isdecimal() or int(length) > _MOST_BYTES:
                return self._answer(413)
            try:
                verified({}, secret, {**self.headers}, self.rfile.read(int(length)))
            except VerificationError:
                return self._answer(401)
            except UnexpectedAnswer:
                pass  # the server sent it, and the changes have whatever it tells of
            woken.set()
            return self._answer(204)

        def _answer(self, status: int) -> None:
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing of each request."""

    return Handler
