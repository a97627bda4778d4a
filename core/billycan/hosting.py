"""What runs in gunicorn's workers: the application, and gunicorn's own answers in the form of all the others."""

import logging
import secrets
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from socket import SHUT_WR
from typing import Any

from gunicorn import util
from gunicorn.http.parser import Parser
from gunicorn.http.unreader import SocketUnreader
from gunicorn.http.wsgi import Response

from . import wire
from .app import App, build
from .defaults import refusal
from .explain import explained
from .problems import BadRequest, PayloadTooLarge, Problem, Timeout

log = logging.getLogger("billycan")

HEAD_SECONDS, BODY_SECONDS = 10.0, 60.0  # by when a request's head, and then all of its body, must have come
LINGER_SECONDS, MOST_LINGER_BYTES = 2.0, 32 * 1024 * 1024
_MOST_MESSAGE = 200


class Malformed(BadRequest):
    code = "malformed_request"
    message = "The request is not well-formed HTTP/1.1."


class UriTooLong(PayloadTooLarge):
    status = 414
    message = "The request line is longer than 8,190 bytes."


class HeadersTooLarge(PayloadTooLarge):
    status = 431
    message = "The headers are too large: at most 100 of them, of 8,190 bytes each."


class HeadTimeout(Timeout):
    message = "The head of the request did not arrive in time."


_PROBLEMS: dict[int, type[Problem]] = {408: HeadTimeout, 414: UriTooLong, 431: HeadersTooLarge, 500: Problem}
_REASONS = {400: "Bad Request", 408: "Request Timeout", 414: "URI Too Long", 429: "Too Many Requests"}
_REASONS |= {431: "Request Header Fields Too Large", 500: "Internal Server Error"}
_served: list[App] = []


def application() -> Callable[..., Any]:
    """The WSGI application of this environment's settings; where they are wrong, one line says how and it exits."""
    try:
        app = build()
    except Exception as error:
        if (said := explained(error)) is None:
            raise
        log.error("%s", said)
        sys.exit(3)  # gunicorn then stops, instead of starting the worker again and again
    _served[:] = [app]
    return app.wsgi


def prepare(worker: Any) -> None:
    """Make a worker's own answers, closing and waiting those of this API; `worker` has loaded the application."""
    util.write_error = write_error
    Response.default_headers = _without_server(Response.default_headers)
    SocketUnreader.chunk = _within_deadline(SocketUnreader.chunk)
    Parser.__next__ = _punctual(Parser.__next__)
    # Closing is quick because whatever a client still sends was read before: a client that has unread bytes on their
    # way would lose the answer. gunicorn waits for it while it closes, and a gthread worker answers nobody meanwhile.
    Response.close = _lingering(Response.close)
    util.close_graceful = util.close
    if _served and _served[0].settings.trusted_proxies:
        worker.cfg.set("keepalive", 75)  # Longer than the proxy's: who closes first must not be who is asked next.


def write_error(sock: Any, status: int, reason: str, message: str) -> None:
    """Send gunicorn's own refusal of a request; counted against the socket's address, as one without a key is."""
    peer = sock.getpeername()
    problem = _problem(status, message)
    app = _served[0] if _served else None
    headers = {
        "Connection": "close",
        "Content-Type": "application/json",
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
    }
    if app:
        address = (peer[0] if isinstance(peer, tuple) else "") or "unknown"
        allowance = app.hook.rate_limit(app=app, identity=None, address=address, now=app.now().timestamp())
        if not allowance.allowed and problem.status < 500:
            problem = refusal(allowance)
        headers |= {
            "X-RateLimit-Limit": str(allowance.limit),
            "X-RateLimit-Remaining": str(allowance.remaining),
            "X-RateLimit-Reset": str(allowance.reset),
        }
    problem.request_id = headers["X-Request-Id"] = "req_" + secrets.token_hex(13)
    if problem.status >= 500:
        log.error("request %s failed in gunicorn itself", problem.request_id)
    envelope = {"data": None, "pagination": None, "error": problem.as_error()}
    body = wire.encode(app.hook.envelope(data=None, page=None, problem=problem) if app else envelope)
    headers |= {**problem.headers, "Content-Length": str(len(body))}
    lines = [f"HTTP/1.1 {problem.status} {_REASONS[problem.status]}", *(f"{k}: {v}" for k, v in headers.items())]
    util.write_nonblock(sock, "\r\n".join([*lines, "", ""]).encode("latin-1") + body)
    sock.shutdown(SHUT_WR)
    until = time.monotonic() + LINGER_SECONDS

    def receive() -> bytes:
        sock.settimeout(max(until - time.monotonic(), 0.001))
        data: bytes = sock.recv(65536)
        return data

    _discard(receive)


def _discard(read: Callable[[], bytes]) -> None:
    left = MOST_LINGER_BYTES
    with suppress(Exception):
        while left > 0 and (data := read()):
            left -= len(data)


def _lingering(close: Callable[[Any], None]) -> Callable[[Any], None]:
    def close_response(response: Any) -> None:
        close(response)
        response.req.unreader.deadline = time.monotonic() + LINGER_SECONDS
        _discard(lambda: response.req.body.read(65536))

    return close_response


def _problem(status: int, message: str) -> Problem:
    if status in _PROBLEMS:
        return _PROBLEMS[status]()
    if status > 501:
        return Problem()
    return Malformed(f"{Malformed.message[:-1]}: {message[:_MOST_MESSAGE]}." if message else None)


def _without_server(default_headers: Callable[[Any], list[str]]) -> Callable[[Any], list[str]]:
    def headers(response: Any) -> list[str]:
        return [line for line in default_headers(response) if not line.startswith("Server:")]

    return headers


def _within_deadline(chunk: Callable[..., bytes]) -> Callable[..., bytes]:
    def read(unreader: Any, size_hint: int | None = None) -> bytes:
        before = unreader.sock.gettimeout()
        left = max(unreader.deadline - time.monotonic(), 0.001)
        unreader.sock.settimeout(min(before or left, left))
        try:
            data = chunk(unreader, size_hint)
        finally:
            unreader.sock.settimeout(before)
        if data and not unreader.has_begun:
            unreader.has_begun, unreader.deadline = True, time.monotonic() + HEAD_SECONDS
        return data

    return read


def _punctual(read_head: Callable[[Any], Any]) -> Callable[[Any], Any]:
    # gunicorn itself waits without end for a head that is sent byte by byte.
    def read(parser: Any) -> Any:
        unreader = parser.unreader
        unreader.has_begun = bool(unreader.buf.getvalue())
        idles = parser.req_count > 0 and not unreader.has_begun
        unreader.deadline = time.monotonic() + (parser.cfg.keepalive if idles else HEAD_SECONDS)
        try:
            request = read_head(parser)
        except TimeoutError:
            if unreader.has_begun:
                write_error(unreader.sock, 408, "", "")
            raise StopIteration from None
        unreader.deadline = time.monotonic() + BODY_SECONDS
        return request

    return read
