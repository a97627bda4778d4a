"""The code in gunicorn's workers: the application, and gunicorn's own answers in the form of all others."""

import gc
import logging
import resource
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from email.utils import formatdate
from functools import lru_cache
from io import BytesIO
from typing import Any

from gunicorn import util
from gunicorn.http import wsgi
from gunicorn.http.body import Body, ChunkedReader
from gunicorn.http.errors import ParseException
from gunicorn.http.unreader import SocketUnreader
from gunicorn.workers.gthread import ThreadWorker

from billycan import web
from billycan.apart import begin_turn, let_others_go, take_short_turns
from billycan.app import App, build
from billycan.defaults import envelope, rate_limit_refusal
from billycan.pipeline import headers_of, new_request_id
from billycan.problems import BadRequest, HeadersTooLarge, PayloadTooLarge, Problem, RateLimited, Timeout
from billycan.starting.explain import explain_error

from .peers import Peer, Places
from .reloading import not_loaded

log = logging.getLogger("billycan")

MOST_PER_ADDRESS = 100  # connections to one process from one address, except a trusted proxy's
OF_THEIR_OWN = ("/-/health", "/-/ready")  # paths that have a place each
# Each costs 3 µs of CPU time, however small, and meanwhile gevent serves nobody else. A short body may have fewer, and
# so may the rest of a body that nobody reads any more.
MOST_CHUNKS, MOST_CHUNKS_OF_FEW_BYTES = 25_000, 1_000
_CHUNK_BYTES = 64  # on average, beyond those
_FILES = 4096  # open files of a process: each connection is one, and so is each of the limiter's
_MOST_MESSAGE = 200
_STAY_SECONDS = 0.05
# The pause after a 429, before the connection's next request is read. A client that honours Retry-After, which is a
# second or more, does not notice. Without the pause, 20 connections could get 2,000 refusals a second, and everybody
# else would wait.
_REFUSED_SECONDS = 0.05
_MOST_ACCEPTED = 4


class Malformed(BadRequest):
    code = "malformed_request"
    message = "The request is not well-formed HTTP/1.1."


class UriTooLong(PayloadTooLarge):
    status = 414
    message = "The request line is longer than 8,190 bytes."


class TooManyChunks(PayloadTooLarge):
    message = "The body has too many small chunks: send larger ones, or all of it with a Content-Length."


class HeadTimeout(Timeout):
    message = "The head of the request did not arrive in time."


class TooManyConnections(RateLimited):
    message = f"This address has too many connections open: at most {MOST_PER_ADDRESS} to each process."


_PROBLEMS: dict[int, type[Problem]] = {
    408: HeadTimeout,
    414: UriTooLong,
    429: TooManyConnections,
    431: HeadersTooLarge,
    500: Problem,
}
_REASONS = {400: "Bad Request", 408: "Request Timeout", 414: "URI Too Long", 429: "Too Many Requests"}
_REASONS |= {431: "Request Header Fields Too Large", 500: "Internal Server Error"}
_served: list[App] = []


class InOnePiece(wsgi.Response):  # type: ignore[misc]
    """A response whose head is sent with its body: two pieces would wake the client twice, and let others go first."""

    headers_sent: bool
    _head = b""

    def default_headers(self) -> list[str]:
        return [line for line in super().default_headers() if not line.startswith("Server:")]

    def send_headers(self) -> None:
        if not self.headers_sent:
            lines = [*self.default_headers(), *[f"{name}: {value}\r\n" for name, value in self.headers], "\r\n"]
            self._head = "".join(lines).encode("latin-1")
            self.headers_sent = True

    def _emit_body(self, data: bytes) -> None:
        if self.chunked:
            self._send_head()
            super()._emit_body(data)
        else:
            head, self._head = self._head, b""
            self.sock.sendall(head + data)

    def sendfile(self, respiter: Any) -> bool:
        return False  # it is written like any other

    def close(self) -> None:
        self.send_headers()
        self._send_head()
        super().close()

    def _send_head(self) -> None:
        if self._head:
            head, self._head = self._head, b""
            self.sock.sendall(head)


def application(reload: bool = False) -> Callable[..., Any]:
    """Return the WSGI application of this environment's settings; if they are wrong, print one line and exit.

    With `reload` it does not exit, but is loaded again once the file is mended.
    """
    try:
        app = build()
    except Exception as error:
        if reload:
            raise not_loaded(error) from error
        if (said := explain_error(error)) is None:
            raise
        log.error("%s", said)
        sys.exit(3)  # gunicorn then stops, instead of starting the worker again and again
    _served[:] = [app]
    take_short_turns()
    app.db.pace_writers()
    return app.wsgi


def prepare_worker(worker: Any) -> None:
    """Replace a worker's connections and error answers with this API's; `worker` has loaded the application."""
    if worker.cfg.is_ssl:
        log.error("certfile: gunicorn cannot limit slow clients over TLS: terminate TLS in a proxy, see docs/deploy.md")
        sys.exit(3)
    if _served and _served[0].settings.trusted_proxies:
        worker.cfg.set("keepalive", 75)  # Longer than the proxy's, so that the proxy closes idle connections first.
    files, most_files = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= files < _FILES:
        with suppress(ValueError):  # where fewer are allowed
            resource.setrlimit(resource.RLIMIT_NOFILE, (_FILES, most_files))
    util.write_error = write_error
    wsgi.Response = InOnePiece
    Body.read = _read_or_fail(Body.read)
    ChunkedReader.parse_chunk_size = _count_chunks(ChunkedReader.parse_chunk_size)
    # Read no more than requested: with a megabyte read ahead, each piece taken copies the rest.
    SocketUnreader.max_body_chunk = web.PIECE_BYTES
    # The rest of the request has been read already; a gthread worker would answer no one while it waits for more.
    util.close_graceful = util.close
    # Fewer than gunicorn would accept; the others wait in the kernel's queue.
    most = worker.cfg.worker_connections * 3 // 4
    places, takes_turns = worker.cfg.threads, True  # whether others are served while a request waits
    if isinstance(worker, ThreadWorker):
        # One for each connection that waits for its client; places limit those at work.
        worker.tpool = ThreadPoolExecutor(worker.worker_connections)
        worker.handle = _admitting_threads(worker, most)
    else:
        # More than these could not reach the database at once.
        places = 2 * _served[0].settings.pool_size if _served else 1
        takes_turns = is_gevent = "gevent.monkey" in sys.modules
        worker.handle = _admit_connections(
            worker.handle, worker.cfg.keepalive, most, let_others_go if is_gevent else _go_on
        )
        worker.timeout_ctx = nullcontext  # gevent's own deadline for a head, without an answer
        if is_gevent:
            _prepare_gevent(worker.cfg, waits=not (_served and _served[0].settings.plain_sql))
    for app in _served:
        # A greenlet cannot switch inside SQLite, so at most one request of a business is really at work.
        app.shares.divide(1 if app.db.is_sqlite and not isinstance(worker, ThreadWorker) else places)
    _watch_requests(worker.cfg, Places(places), rests=takes_turns)
    # gunicorn looks up some thirty settings for each request, at 0.4 µs each unless they are attributes, and
    # writes the date of each response anew.
    vars(worker.cfg).update({name: setting.get() for name, setting in worker.cfg.settings.items()})
    util.http_date = lambda: _http_date(int(time.time()))
    # Objects from the start stay, so the garbage collector can skip them: this saves a twentieth of all CPU time.
    gc.collect()
    gc.freeze()


def _admitting_threads(worker: ThreadWorker, most: int) -> Callable[[Any], Any]:
    """Return a `handle` for gthread, which calls it with a connection each time that something has arrived on it.

    Its thread stays with the connection for a moment, in which most clients send their next request. Handing it back to
    the thread that waits for all, and from there to another one, takes 150 µs of CPU.
    """
    handle, idle_seconds = worker.handle, worker.cfg.keepalive

    def admit(connection: Any) -> Any:
        if not isinstance(connection.sock, Peer):
            connection.sock = Peer(connection.sock, _address_of(connection.client), idle_seconds, _close_late)
            if not _is_admitted(connection.sock, most):
                return False
        kept = handle(connection)
        while kept is True and worker.alive and (_has_more(connection) or connection.sock.stays(_STAY_SECONDS)):
            kept = handle(connection)
        return kept

    return admit


def _has_more(connection: Any) -> bool:
    """Tell whether the next request was read along with the last one."""
    return bool(connection.parser.unreader.buf.getvalue())


def _admit_connections(
    handle: Callable[..., None], idle_seconds: float, most: int, let_others_go: Callable[[], None]
) -> Callable[..., None]:
    """Return a `handle` for gevent and sync, which call it once for each connection."""

    def admit(listener: Any, client: Any, address: Any) -> None:
        peer = Peer(client, _address_of(address), idle_seconds, _close_late, let_others_go)
        try:
            if _is_admitted(peer, most):
                handle(listener, peer, address)
        finally:
            peer.close()

    return admit


def _prepare_gevent(cfg: Any, *, waits: bool) -> None:
    """Limit how many connections gevent accepts at once, so that other processes get some.

    If it `waits`, have it wait for PostgreSQL by its own loop.
    """
    from gevent.baseserver import BaseServer  # noqa: PLC0415 - gevent need not be installed

    # In each round of its loop. gunicorn has it accept one where there are several processes, and 100 where there is
    # one: with 100, of eight connections that came at once the same process took all in one case of six.
    BaseServer.max_accept = _MOST_ACCEPTED
    cfg.set("workers", 1)
    if waits and "psycopg" in sys.modules:
        from billycan.engines import greenlets  # noqa: PLC0415 - SQLite needs no psycopg

        greenlets.install_wait()


def _go_on() -> None:
    """Do nothing: a process that handles one request at a time has no others."""


def _watch_requests(cfg: Any, places: Places, *, rests: bool) -> None:
    """Mark the beginning and the end of each connection's requests, by gunicorn's own hooks.

    If it `rests`, a connection waits after a refused request.
    """
    of_their_own, for_early = {path: Places(1) for path in OF_THEIR_OWN}, Places(1)

    def begin(worker: Any, request: Any) -> None:
        peer = request.unreader.sock
        if not peer.has_waited:
            peer.let_others_go()  # a client that sends without pause never lets others go
        begin_turn()
        # Clients that do not await their responses, which is unusual, share one place.
        peer.begin(for_early if peer.is_early else of_their_own.get(request.path, places))

    def end(worker: Any, request: Any, environ: Any, response: Any) -> None:
        unreader, body = request.unreader, request.body
        body.reader.chunks_left = MOST_CHUNKS_OF_FEW_BYTES
        if not unreader.sock.end(None if body.failed else body.read):
            unreader.buf = BytesIO()  # what follows may still be of the body, and is no request
        if rests and getattr(response, "status_code", None) == RateLimited.status:
            time.sleep(_REFUSED_SECONDS)
        unreader.sock.expect(bool(unreader.buf.getvalue()))

    cfg.set("pre_request", begin)
    cfg.set("post_request", end)


@lru_cache(1)
def _http_date(second: int) -> str:
    return formatdate(second, usegmt=True)


def _read_or_fail(read: Callable[..., bytes]) -> Callable[..., bytes]:
    """Return a body's `read` that raises OSError for malformed chunks, and TooManyChunks for many small ones."""

    def read_body(body: Body, size: int | None = None) -> bytes:
        reader, before = body.reader, getattr(body.reader, "chunks_left", MOST_CHUNKS)
        # Reading so many bytes takes no more than this.
        reader.chunks_left = most = min(before, MOST_CHUNKS_OF_FEW_BYTES + (size or 0) // _CHUNK_BYTES)
        try:
            return read(body, size)
        except ParseException as error:
            raise OSError("the chunks of the body are not well-formed") from error
        finally:
            reader.chunks_left += before - most

    return read_body


def _count_chunks(parse: Callable[..., Any]) -> Callable[..., Any]:
    """Return a `parse_chunk_size` that raises TooManyChunks once a body has too many."""

    def parse_chunk_size(reader: Any, *given: Any, **more: Any) -> Any:
        reader.chunks_left = getattr(reader, "chunks_left", MOST_CHUNKS) - 1
        if reader.chunks_left < 0:
            raise TooManyChunks
        return parse(reader, *given, **more)

    return parse_chunk_size


def _address_of(address: Any) -> str:
    """Return a client's address; empty if it came by a socket of the file system."""
    return address[0] if isinstance(address, tuple) else ""


def _is_admitted(peer: Peer, most: int) -> bool:
    """Tell whether there is room for one more connection of this peer's address; if not, send it a refusal."""
    is_proxy = not peer.address or (_served and _served[0].is_trusted(peer.address))
    if is_proxy or peer.is_admitted(MOST_PER_ADDRESS, most):
        return True
    write_error(peer, 429, "", "")
    return False


def _close_late(peer: Peer) -> None:
    write_error(peer, 408, "", "")


def write_error(sock: Peer, status: int, reason: str, message: str) -> None:
    """Send gunicorn's own refusal of a request; counted against the socket's address, as one without a key is."""
    problem = _build_problem(status, message)
    app = _served[0] if _served else None
    allowance = app.count_call(app.now().timestamp(), None, sock.address or "unknown") if app else None
    if allowance and not allowance.allowed and problem.status < 500:
        problem = rate_limit_refusal(allowance)
    problem.request_id = new_request_id()
    if problem.status >= 500:
        log.error("request %s failed in gunicorn itself", problem.request_id)
    wrap = app.hook.envelope if app else envelope
    body = web.encode(wrap(data=None, page=None, problem=problem))
    headers = {"Connection": "close", "Content-Type": "application/json", "Content-Length": str(len(body))}
    headers |= headers_of(problem.request_id, allowance) | problem.headers
    lines = [f"HTTP/1.1 {problem.status} {_REASONS[problem.status]}", *(f"{k}: {v}" for k, v in headers.items())]
    sock.refuse("\r\n".join([*lines, "", ""]).encode("latin-1") + body)


def _build_problem(status: int, message: str) -> Problem:
    if status in _PROBLEMS:
        return _PROBLEMS[status]()
    if status > 501:
        return Problem()
    return Malformed(f"{Malformed.message[:-1]}: {message[:_MOST_MESSAGE]}." if message else None)
