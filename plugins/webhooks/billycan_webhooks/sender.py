"""One HTTP request to an untrusted receiver: only to a checked address, within one deadline, reading little."""

import os
import socket
import ssl
import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from queue import Empty, SimpleQueue
from typing import Any

import httpcore
from msgspec import Struct

from . import addresses
from .addresses import NotAllowed

MOST_BODY = 16 * 1024
MOST_HEADERS, MOST_HEADER_BYTES = 64, 8 * 1024
LOOKUP_SECONDS = 5.0
# A look-up goes on after its deadline, for as long as the name server of a hostile receiver keeps it waiting.
MOST_LOOKUPS, MOST_LOOKUPS_OF_ONE = 512, 32  # in all, and of one business

_lookups: Counter[str] = Counter()  # under way, by business
_counting = threading.Lock()


class Outcome(Struct, kw_only=True):
    """The outcome of one attempt, named like its columns; `response_body` is None if there was no response.

    `error` is None on success, else the kind of failure, and never shows an internal address. `detail` says more about
    some failures, in words. `phases` has the milliseconds of each phase that began, in order.
    """

    error: str | None
    detail: str | None = None
    phases: dict[str, int] = {}
    response_status: int | None = None
    response_headers: dict[str, str] = {}
    response_body: str | None = None
    duration_ms: int = 0


def attempt_delivery(
    url: str, headers: Mapping[str, str], body: bytes, *, timeout: float, private: bool, business: str = ""
) -> Outcome:
    """POST the body. Never raises, never follows a redirect, and ends within `timeout` seconds.

    The look-ups of a `business` that hang cannot keep another's from being made.
    """
    return _attempt_request("POST", url, headers, body, timeout, private, business)


def fetch_document(url: str, *, timeout: float, private: bool, business: str = "") -> Outcome:
    """GET a document from a stranger's server as deliveries are sent; of a longer answer, only the first MOST_BODY."""
    return _attempt_request("GET", url, {"accept": "application/json"}, b"", timeout, private, business)


def _attempt_request(
    method: str, url: str, headers: Mapping[str, str], body: bytes, timeout: float, private: bool, business: str
) -> Outcome:
    started = time.monotonic()
    found, watch = Outcome(error=None), _Stopwatch()
    try:
        backend = _CheckedBackend(started + timeout, private, watch, business)
        _send_request(method, addresses.parse_url(url, private), headers, body, backend, found)
        if not 200 <= (found.response_status or 0) < 300:
            found.error = "status"
    except NotAllowed:
        found.error = "blocked"
    except _NoSuchName:
        found.error = "dns"
    except httpcore.TimeoutException:
        found.error = "timeout"
    except httpcore.ConnectError as error:
        why = error.__cause__ or error.__context__
        found.error = "tls" if isinstance(why, ssl.SSLError) else "connect"
        found.detail = _failure_detail(why)
    except (httpcore.NetworkError, httpcore.ProtocolError, OSError, ValueError):
        found.error = "protocol"
    found.phases = watch.stopped()
    found.duration_ms = round((time.monotonic() - started) * 1000)
    return found


def _send_request(
    method: str,
    target: addresses.Target,
    headers: Mapping[str, str],
    body: bytes,
    backend: "_CheckedBackend",
    found: Outcome,
) -> None:
    origin = httpcore.Origin(target.scheme.encode(), target.host.encode(), target.port)
    url = httpcore.URL(scheme=target.scheme, host=target.host, port=target.port, target=target.path)
    sent = addresses.request_headers(target, headers, len(body))
    # No proxy, cookie, redirect or reused connection: httpcore adds none and reads no environment variables.
    with (
        httpcore.HTTPConnection(origin, ssl_context=_tls_context(), network_backend=backend) as connection,
        connection.stream(method, url, headers=list(sent.items()), content=body) as response,
    ):
        backend.watch.begin("body")
        found.response_status, found.response_headers = response.status, _readable_headers(response.headers)
        found.response_body, kept = "", b""
        for part in response.iter_stream():
            kept += part
            found.response_body = _as_text(kept[:MOST_BODY])
            if len(kept) >= MOST_BODY:
                break


def _failure_detail(why: BaseException | None) -> str | None:
    """Return the reason that TLS or the connection gave; it shows no address except the one in the URL."""
    if isinstance(why, ssl.SSLCertVerificationError):
        return _as_text(str(why.verify_message).encode())[:200]
    if isinstance(why, ssl.SSLError):
        return (why.reason or "").replace("_", " ").lower()[:200] or None
    return os.strerror(why.errno) if isinstance(why, OSError) and why.errno else None


class _Stopwatch:
    """The duration of each phase: one ends when the next begins."""

    def __init__(self) -> None:
        self.phases: dict[str, int] = {}
        self.name, self.since = "", 0.0

    def begin(self, name: str) -> None:
        self.stopped()
        self.name, self.since = name, time.monotonic()

    def stopped(self) -> dict[str, int]:
        if self.name:
            self.phases[self.name] = round((time.monotonic() - self.since) * 1000)
            self.name = ""
        return self.phases


def _readable_headers(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    found: dict[str, str] = {}
    left = MOST_HEADER_BYTES
    for raw_name, raw_value in list(headers)[:MOST_HEADERS]:
        name, value = _as_text(raw_name)[:100].lower(), _as_text(raw_value)[:500]
        left -= len(name) + len(value)
        if left < 0:
            break
        found[name] = value
    return found


def _as_text(raw: bytes) -> str:
    # PostgreSQL cannot store NUL.
    return raw.decode("utf-8", "replace").replace("\x00", "\ufffd")


@cache
def _tls_context() -> ssl.SSLContext:
    return ssl.create_default_context()


class _NoSuchName(Exception):
    """The host name has no address."""


def look_up(host: str, port: int) -> list[str]:
    """Return every address of a host name."""
    return [str(answer[4][0]) for answer in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


def _look_up_within(host: str, port: int, seconds: float, business: str) -> list[str]:
    """Run `look_up` with a time limit, which getaddrinfo does not have."""
    if addresses.ip_address_of(host):
        return [host]
    with _counting:
        if _lookups[business] >= MOST_LOOKUPS_OF_ONE or _lookups.total() >= MOST_LOOKUPS:
            raise _NoSuchName
        _lookups[business] += 1
    done: SimpleQueue[list[str]] = SimpleQueue()

    def run() -> None:
        try:
            done.put(look_up(host, port))
        except (OSError, UnicodeError):
            done.put([])
        finally:
            with _counting:
                _lookups[business] -= 1
                if not _lookups[business]:
                    del _lookups[business]

    threading.Thread(target=run, daemon=True, name="webhooks look-up").start()
    try:
        found = done.get(timeout=max(seconds, 0))
    except Empty:
        found = []
    if not found:
        raise _NoSuchName
    return found


class _CheckedBackend(httpcore.NetworkBackend):
    """Looks a name up once, refuses it if any address is forbidden, and connects only to an address it checked."""

    def __init__(self, deadline: float, private: bool, watch: _Stopwatch | None = None, business: str = "") -> None:
        self.deadline, self.private, self.watch = deadline, private, watch or _Stopwatch()
        self.business = business
        self.inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Any = None,
    ) -> httpcore.NetworkStream:
        self.watch.begin("dns")
        seconds = min(LOOKUP_SECONDS, _seconds_left(self.deadline))
        answers = _look_up_within(host, port, seconds, self.business)
        for answer in answers:
            address = addresses.ip_address_of(answer.partition("%")[0])
            if address is None:
                raise NotAllowed
            addresses.check_address(address, self.private)
        self.watch.begin("connect")
        for last, answer in ((i == len(answers) - 1, a) for i, a in enumerate(answers)):
            try:
                share = _seconds_left(self.deadline) if last else min(_seconds_left(self.deadline), 2.0)
                stream = self.inner.connect_tcp(answer, port, timeout=share)
                self.watch.begin("first_byte")
                return _TimedStream(stream, self.deadline, self.watch)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if last:
                    raise
        raise _NoSuchName

    def connect_unix_socket(self, *_: Any, **__: Any) -> httpcore.NetworkStream:
        raise NotAllowed

    def sleep(self, seconds: float) -> None:
        raise NotImplementedError


def _seconds_left(deadline: float) -> float:
    """Return the seconds until the deadline. Raise ReadTimeout if none are left."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout("deadline")
    return left


class _TimedStream(httpcore.NetworkStream):
    """A connection on which every operation ends at the attempt's deadline."""

    def __init__(self, inner: httpcore.NetworkStream, deadline: float, watch: _Stopwatch) -> None:
        self.inner, self.deadline, self.watch = inner, deadline, watch

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self.inner.read(max_bytes, _seconds_left(self.deadline))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        # The inner write would allow the whole timeout for each part.
        connection: socket.socket = self.inner.get_extra_info("socket")
        rest = memoryview(buffer)
        try:
            while rest:
                connection.settimeout(_seconds_left(self.deadline))
                rest = rest[connection.send(rest) :]
        except TimeoutError as error:
            raise httpcore.WriteTimeout from error
        except OSError as error:
            raise httpcore.WriteError from error

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        self.watch.name = "tls"  # replaces the phase of the first byte, which has only begun
        inner = self.inner.start_tls(ssl_context, server_hostname, _seconds_left(self.deadline))
        self.watch.begin("first_byte")
        return _TimedStream(inner, self.deadline, self.watch)

    def close(self) -> None:
        self.inner.close()

    def get_extra_info(self, info: str) -> Any:
        return self.inner.get_extra_info(info)
