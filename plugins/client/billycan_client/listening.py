"""Listen for webhooks: each verified delivery wakes the thread that waits for one."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

from .deliveries import VerificationError, verified
from .errors import UnexpectedAnswer

_MOST_BYTES = 4 << 20  # of a delivery, whose record has at most 2 MiB
_SECONDS = 10  # to send it


class Listener:
    """A server on this machine, for an endpoint with this secret; `port` 0 takes any that is free.

    It speaks HTTP on 127.0.0.1: whatever ends TLS forwards the endpoint's URL to it.
    """

    def __init__(self, port: int, secret: str) -> None:
        self._woken = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", port), _handler(secret, self._woken))
        self.port: int = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def wait(self, seconds: float) -> None:
        """Wait for a delivery since the last time, but no longer than this."""
        self._woken.wait(seconds)
        self._woken.clear()

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
