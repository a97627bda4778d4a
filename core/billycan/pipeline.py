"""The steps of one request through the application, in order, starting with the check of its URL."""

import logging
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

import falcon
import sqlalchemy as sa

from . import calls, endpoints, people, web
from .apart import Share
from .db import reason
from .defaults import envelope, rate_limit_refusal
from .endpoints import Endpoint
from .manifest import Route
from .problems import (
    BadRequest,
    Forbidden,
    HeadersTooLarge,
    MethodNotAllowed,
    Problem,
    RouteNotFound,
    Unauthenticated,
)
from .sharing.limits import Allowance

if TYPE_CHECKING:
    from .app import App

log = logging.getLogger("billycan")

STATE = "billycan.state"  # the key in the WSGI environment of the pipeline's record of a request
SHARE = "billycan.share"  # the key of its part of its business's share
MOST_HEADERS_BYTES = 32_768  # in all: parsing hundreds of KB can take a second, before the caller is counted
_RECENT_SECONDS = 1.0  # the caller's record may be that old anyway
_REQUEST_ID = re.compile(r"[A-Za-z0-9._~-]{1,128}")


class Pipeline:
    """Falcon's middleware and responder: each request passes through these methods in this order."""

    def __init__(self, app: "App", find: Callable[[str], Any]) -> None:
        """`find` returns what is routed at a path, its template last."""
        self.app, self.find = app, find
        self.gives_notice = any(e.route.deprecated for e in app.endpoints)

    def build_resource(self, endpoints: Sequence[Endpoint]) -> Any:
        """Return a Falcon resource with one responder for each method of a path."""
        methods = [e.route.method for e in endpoints]
        allow = ", ".join(sorted([*methods, *(["HEAD"] if "GET" in methods else []), "OPTIONS"]))

        def responder(endpoint: Endpoint) -> Callable[..., None]:
            def respond(resource: Any, req: falcon.Request, resp: falcon.Response, **params: str) -> None:
                self.answer_request(req, resp, endpoint, params)

            return respond

        def options(resource: Any, req: falcon.Request, resp: falcon.Response, **params: str) -> None:
            self.answer_options(req, resp, allow)

        responders = {f"on_{e.route.method.lower()}": responder(e) for e in endpoints} | {"on_options": options}
        if "on_get" in responders:
            responders["on_head"] = responders["on_get"]
        return type("Path", (), responders)()

    def process_request(self, req: falcon.Request, resp: falcon.Response) -> None:
        """Find the caller and the tenant, and refuse a call that is not allowed now, before any handler is chosen."""
        state = req.env[STATE] = req.context
        state.began = time.perf_counter()
        fits = _keep_headers(req.env)
        sent = req.get_header("X-Request-Id") or ""
        state.request_id = sent if _REQUEST_ID.fullmatch(sent) else new_request_id()
        state.identity = state.allowance = state.page = state.problem = None
        state.tenant_id = state.template = ""
        if not fits:
            raise HeadersTooLarge
        path = as_sent(req.env)
        canonical = is_canonical(path)
        found = self.find(req.path) if canonical else None
        template = state.template = found[-1] if found else ""
        if found and template in self.app.page_paths:
            state.page = found[0]  # pages identify visitors and count visits themselves
            return
        endpoint = self.find_endpoint(req, found)
        public = endpoint.route.public if endpoint else False
        is_open = public == "or_key" and not req.get_header("Authorization") if public is not True else True
        admit_caller(self.app, req, needs_key=is_of_the_api(req.path) and not is_open)
        if not canonical:
            self.lead_to_page(req, resp, path.removesuffix("/"))

    def find_endpoint(self, req: falcon.Request, found: Any) -> Endpoint | None:
        """Return the endpoint that a request is for, among those at its path."""
        method = "GET" if req.method == "HEAD" else req.method
        return self.app.at.get((method, found[-1])) if found else None

    def lead_to_page(self, req: falcon.Request, resp: falcon.Response, path: str) -> None:
        """Redirect from a page's path with a final slash to the page; raise RouteNotFound for any other spelling."""
        found = self.find(req.path.removesuffix("/")) if is_canonical(path) else None
        template = found[-1] if found else ""
        # The client's own text is never sent back, so a path with a parameter is not redirected.
        if req.method not in ("GET", "HEAD") or template not in self.app.page_paths or "{" in template:
            raise RouteNotFound
        resp.status, resp.location, resp.complete = falcon.HTTP_308, f"../{template.rpartition('/')[2]}", True

    def answer_request(
        self, req: falcon.Request, resp: falcon.Response, endpoint: Endpoint, params: dict[str, str]
    ) -> None:
        """Answer an HTTP request."""
        state = req.context
        # However the request came here, only public routes run without a caller.
        if state.identity is None and not endpoint.route.public:
            raise Unauthenticated
        tenant_id = state.tenant_id if state.identity else ""
        call = calls.Call(
            method=req.method,
            path=req.path,
            query=req.query_string,
            body=lambda: self.read_body(req),
            pieces=lambda most: self.read_pieces(req, most),
            request_id=state.request_id,
            if_match=_if_match(req),
            known_tags=tuple(req.if_none_match or ()),
            key=req.get_header("Idempotency-Key"),
            count_more=lambda requests: count_more(self.app, req, requests),
            takes_json=req.client_accepts_json,
            prefers_bytes=req.accept == calls.OCTETS,
            proposes=_reason_given(req),
            share=req.env.get(SHARE),
            prefers_csv="csv" in req.accept and req.client_prefers([falcon.MEDIA_JSON, "text/csv"]) == "text/csv",
        )
        answer = calls.answer_call(
            self.app, call, self.choose_endpoint(req, endpoint), params, state.identity, tenant_id
        )
        resp.status, resp.data = answer.status, answer.body
        if answer.pieces is not None and req.method == "HEAD":
            calls.close_pieces(answer.pieces)
        elif answer.pieces is not None:
            resp.data, resp.stream = None, answer.pieces
        resp.set_headers(
            ({} if answer.status == calls.NOT_MODIFIED else {"Content-Type": falcon.MEDIA_JSON}) | answer.headers
        )
        if answer.replayed:
            resp.set_header("Idempotent-Replayed", "true")

    def read_body(self, req: falcon.Request) -> bytes:
        """Return the body; refuse a caller who lost access while it arrived."""
        raw = web.read_body(req)
        self.check_still_there(req)
        return raw

    def read_pieces(self, req: falcon.Request, most: int) -> Iterator[bytes]:
        """Yield the body as it arrives; check at its end as `read_body` does."""
        yield from web.read_pieces(req, most)
        self.check_still_there(req)

    def check_still_there(self, req: falcon.Request) -> None:
        """Refuse a caller whose key or connection ended while the body arrived, which may take a minute."""
        state = req.context
        if state.identity is None or (self.app.now() - state.at).total_seconds() < _RECENT_SECONDS:
            return
        now = self.app.hook.authenticate(app=self.app, req=req)
        if now is None or (now.id, now.tenant_id) != (state.identity.id, state.identity.tenant_id):
            raise Unauthenticated
        if lost := sorted(set(state.identity.scopes) - set(now.scopes)):
            raise Forbidden(f"This key lost the scope {lost[0]} while the request arrived.", required_scope=lost[0])

    def choose_endpoint(self, req: falcon.Request, endpoint: Endpoint) -> Endpoint:
        """Return the endpoint that answers in the client's preferred media type: this one, or one in its `also`."""
        also = endpoint.route.also
        path = also.get(req.client_prefers([falcon.MEDIA_JSON, *also]) or "") if also else None
        return self.app.at.get(("GET", path), endpoint) if path else endpoint

    def answer_options(self, req: falcon.Request, resp: falcon.Response, methods: str) -> None:
        """Answer OPTIONS."""
        if req.context.identity is None:
            raise Unauthenticated
        resp.set_header("Allow", methods)
        resp.content_type = falcon.MEDIA_JSON
        resp.data = web.encode(self.app.hook.envelope(data=None, page=None, problem=None))

    def process_response(self, req: falcon.Request, resp: falcon.Response, resource: Any, succeeded: bool) -> None:
        """Set the headers of every answer."""
        caching = resp.get_header("Cache-Control")
        resp.set_headers(headers_of(req.context.request_id, req.context.allowance))
        if caching:
            resp.set_header("Cache-Control", caching)
        if self.gives_notice and (endpoint := self.find_endpoint(req, self.find(req.path))):
            # On refusals, too: most of them happen before the route is chosen.
            for name, value in _deprecation_headers(endpoint.route).items():
                resp.append_header(name, value)
        seconds = time.perf_counter() - req.context.began
        self.app.counts.add(req.method, resp.status_code, seconds)
        if self.app.observers and req.context.tenant_id:
            self.report_answer(req, resp.status_code, seconds)

    def report_answer(self, req: falcon.Request, status: int, seconds: float) -> None:
        """Report a known caller's request and its answer to the observers."""
        state, problem = req.context, req.context.problem
        code, param = (problem.code, problem.param) if problem else (None, None)
        what = (req.method, state.template, status, seconds, state.request_id, code, param)
        answered = Route.Answered(state.tenant_id, state.identity.id, state.at, *what)
        for observe in self.app.observers:
            try:
                observe(answered)
            except Exception:
                log.exception("request %s could not be observed", state.request_id)

    def answer_error(self, req: falcon.Request, resp: falcon.Response, error: Exception, params: Any) -> None:
        """Answer any exception as the envelope's error."""
        request_id = req.context.request_id
        problem = _from_falcon(error) if isinstance(error, falcon.HTTPError) else None
        try:
            problem = problem or self.app.hook.handle_error(error=error)
            if problem is None:
                log.error("request %s failed", request_id, exc_info=error)
                problem = Problem()
            elif problem.status >= 500 and isinstance(error, sa.exc.SQLAlchemyError):
                log.warning("request %s failed: %s", request_id, reason(error))
            problem.request_id = request_id
            req.context.problem = problem
            self.write_refusal(req, resp, problem)
        except Exception:
            # If a plugin's hook fails, the client gets core's own message.
            log.exception("request %s failed, and so did its answer", request_id)
            problem = req.context.problem = Problem()
            problem.request_id = request_id
            resp.text, resp.data = None, web.encode(envelope(data=None, page=None, problem=problem))
            resp.content_type = falcon.MEDIA_JSON
        resp.status = problem.status
        resp.set_headers(problem.headers)

    def write_refusal(self, req: falcon.Request, resp: falcon.Response, problem: Problem) -> None:
        """Write a refusal in the form for its reader: the page's own, a plain page, or the envelope."""
        if refuse := getattr(req.context.page, "refuse", None):
            refuse(resp, problem)
        elif not is_of_the_api(req.path) and people.is_person(req):
            people.write_refusal(resp, problem)
        else:
            resp.text, resp.data = None, web.encode(self.app.hook.envelope(data=None, page=None, problem=problem))
            resp.content_type = falcon.MEDIA_JSON


def admit_caller(app: "App", req: falcon.Request, *, needs_key: bool) -> None:
    """Authenticate the caller and count the call: all requests come here but those for pages that need no key."""
    state, hook = req.context, app.hook
    state.at = app.now()
    address = app.address_of(req)
    refused: Exception | None = None
    if needs_key:
        try:
            state.identity = hook.authenticate(app=app, req=req)
            if state.identity:
                state.tenant_id = hook.resolve_tenant(identity=state.identity, req=req)
            else:
                refused = Unauthenticated()
        except Exception as error:  # noqa: BLE001 - raised below, once it is counted
            refused = error
    state.allowance = app.count_call(state.at.timestamp(), state.identity, address)
    # A failure of our own, such as an unreachable database, is no 401: callers cannot be identified meanwhile.
    if not state.allowance.allowed and (refused is None or isinstance(refused, Problem)):
        raise rate_limit_refusal(state.allowance)
    if refused:
        raise refused
    if state.tenant_id:
        app.take_share(req, state.tenant_id)


def count_more(app: "App", req: falcon.Request, requests: int) -> None:
    """Count further requests of a caller whose request does the work of several."""
    state = req.context
    if state.identity is None:
        return
    state.allowance = app.count_calls(state.at.timestamp(), state.identity, app.address_of(req), requests)
    if not state.allowance.allowed:
        raise rate_limit_refusal(state.allowance)


def _keep_headers(environ: dict[str, Any]) -> bool:
    """Tell whether the headers are small enough in all; if not, remove them so that nothing reads them."""
    if sum([len(value) for name, value in environ.items() if name.startswith("HTTP_")]) <= MOST_HEADERS_BYTES:
        return True
    for name in [name for name in environ if name.startswith("HTTP_")]:
        del environ[name]
    return False


class Outer:
    """The WSGI callable: errors that escape Falcon itself, such as a bad header value, are still a plain envelope."""

    def __init__(self, inner: Callable[..., Iterable[bytes]]) -> None:
        self.inner = inner

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        # An unknown method is one that no route takes; Falcon would refuse some before the pipeline begins.
        if environ["REQUEST_METHOD"] not in falcon.HTTP_METHODS:
            environ["REQUEST_METHOD"] = "TRACE"
        try:
            body = self.inner(environ, start_response)
        except Exception:
            problem, state = Problem(), environ[STATE]
            problem.request_id = state.request_id
            log.exception("request %s failed beyond its handler", problem.request_id)
            body = [web.encode(envelope(data=None, page=None, problem=problem))]
            headers = headers_of(state.request_id, state.allowance)
            headers |= {"Content-Type": "application/json", "Content-Length": str(len(body[0]))}
            # A server that has a head but has not sent it accepts another only with the error.
            start_response("500 Internal Server Error", [*headers.items()], sys.exc_info())
        share = environ.get(SHARE)
        return _Held(body, share) if share else body


class _Held:
    """A body that holds a part of its business's share until it is sent: a server closes it whatever happens."""

    def __init__(self, body: Iterable[bytes], share: Share) -> None:
        self._body, self._share = body, share

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._body)

    def close(self) -> None:
        try:
            calls.close_pieces(self._body)
        finally:
            self._share.leave()


def new_request_id() -> str:
    """Return an id for a request whose client sent none."""
    return "req_" + os.urandom(13).hex()


def headers_of(request_id: str, allowance: Allowance | None) -> dict[str, str]:
    """Return the headers of every answer to a request; `allowance` is None if it was not counted."""
    headers = {
        "X-Request-Id": request_id,
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store",
    }
    if allowance:
        headers["X-RateLimit-Limit"] = str(allowance.limit)
        headers["X-RateLimit-Remaining"] = str(allowance.remaining)
        headers["X-RateLimit-Reset"] = str(allowance.reset)
    return headers


def _deprecation_headers(route: Route) -> dict[str, str]:
    """Return the headers of a deprecated route (RFC 9745, RFC 8594)."""
    headers: dict[str, str] = {}
    if route.deprecated:
        headers["Deprecation"] = f"@{int(_midnight_of(route.deprecated).timestamp())}"
    if route.sunset:
        headers["Sunset"] = format_datetime(_midnight_of(route.sunset), usegmt=True)
    if route.notice:
        headers["Link"] = f'<{route.notice}>; rel="deprecation"'
    return headers


def _midnight_of(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def _if_match(req: falcon.Request) -> frozenset[str] | None:
    """Return the versions that an If-Match allows; None if it is absent or `*`."""
    header = req.get_header("If-Match")
    if header is None or header.strip() == "*":
        return None
    return frozenset(map(endpoints.version_in, header.split(",")))


def _reason_given(req: falcon.Request) -> str | None:
    """Return the caller's reason if it asks for a person's decision (`Prefer: propose`, RFC 7240), else None."""
    prefer = req.get_header("Prefer")
    if prefer is None or "propose" not in [each.strip().lower() for each in prefer.split(",")]:
        return None
    return (req.get_header("X-Reason") or "").encode("latin-1").decode("utf-8", "replace")


def _from_falcon(error: falcon.HTTPError) -> Problem:
    if isinstance(error, falcon.HTTPNotFound):
        return RouteNotFound()
    if isinstance(error, falcon.HTTPMethodNotAllowed):
        return MethodNotAllowed(error.description, headers=dict(error.headers or {}))
    return BadRequest(error.description or error.title) if error.status_code < 500 else Problem()


# What most paths are: without a character that could stand for another, and no segment that begins with a dot.
_PLAIN = re.compile(r"(/[A-Za-z0-9_~-][A-Za-z0-9_.~-]*)+")
_AUTHORITY = re.compile(r"^https?://[^/?#]*", re.IGNORECASE)
_NEVER_IN_A_SEGMENT = re.compile(r"[/\\\0]")


def as_sent(environ: Mapping[str, Any]) -> str:
    """Return the path of the request line as the client wrote it; empty if a fragment follows, which is not allowed."""
    # PATH_INFO is decoded already, where %2f cannot be told from a slash; only gunicorn keeps what was sent.
    target = environ.get("RAW_URI") or quote(environ["PATH_INFO"].encode("latin-1"))
    if _PLAIN.fullmatch(target):
        return str(target)
    return "" if "#" in target else _AUTHORITY.sub("", target).partition("?")[0] or "/"  # RFC 9112, 3.2.1 and 3.2.2


def is_canonical(path: str) -> bool:
    """Tell whether a path as sent is the one spelling of itself.

    It is not if it has an empty segment, a slash at its end, `.` or `..`, or an encoded slash, backslash or NUL.
    """
    if _PLAIN.fullmatch(path):
        return True
    return path == "/" or (path.startswith("/") and all(map(_is_plain, path[1:].split("/"))))


def _is_plain(segment: str) -> bool:
    text = unquote(segment)
    return text not in ("", ".", "..") and not _NEVER_IN_A_SEGMENT.search(text)


def is_of_the_api(path: str) -> bool:
    """Tell whether a decoded path is under /v1, or could be taken to be."""
    return path.startswith("/v1/") or "v1" in re.split(r"[/\\]+", unquote(path).lower())
