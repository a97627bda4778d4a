"""What happens to one request, top to bottom."""

import logging
import re
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any

import falcon
import sqlalchemy as sa
from msgspec import Struct

from . import chosen, idempotency, pages, paths, people, wire
from .context import Context
from .db import reason
from .defaults import envelope, refusal
from .extending import Extended
from .idempotency import Answer
from .ids import is_id
from .manifest import Empty, Page, Reply, Route
from .patch import decode_patch, differing
from .problems import (
    BadRequest,
    Fault,
    Invalid,
    MethodNotAllowed,
    NotAcceptable,
    NotFound,
    Problem,
    RouteNotFound,
    Unauthenticated,
)
from .query import decode_query, with_cursor
from .reader import SetAside, decode
from .signatures import Signature
from .work import unit_of_work

if TYPE_CHECKING:
    from .app import App
    from .keys import Identity

log = logging.getLogger("billycan")

STATE = "billycan.state"  # where in the WSGI environment the pipeline keeps what it knows of a request
_NOT_MODIFIED = 304
_REQUEST_ID = re.compile(r"[A-Za-z0-9._~-]{1,128}")
_IDEMPOTENCY_KEY = re.compile(r"[\x21-\x7e]([\x20-\x7e]{0,253}[\x21-\x7e])?")


class Call(Struct, kw_only=True):
    """A call of the API, over HTTP or from a page: what its answer depends on besides who makes it.

    `body` reads the body, once it is known that it is wanted. `has` are the ETags that the caller has answers of, `key`
    is its Idempotency-Key.
    """

    method: str
    path: str
    query: str = ""
    body: Callable[[], bytes] = bytes
    request_id: str = ""
    if_match: frozenset[str] | None = None
    has: Sequence[Any] = ()
    key: str | None = None
    takes_json: bool = True


class Endpoint(Struct, frozen=True):
    """A mounted route: whose it is, what its handler's signature says, what begins the ids that its filters take.

    `extended` is the resource whose body it takes, where other plugins take members of that, too. `choice` is what its
    `fields` chooses from.
    """

    plugin: str
    route: Route
    signature: Signature
    ids: Mapping[str, str] = {}
    extended: Extended | None = None
    choice: chosen.Choice | None = None

    def run(self, ctx: Context, values: Mapping[str, Any], params: Mapping[str, str]) -> Any:
        """What the handler returns for these, its `query` and `body`; with the members that other plugins add."""
        if self.extended and "body" in values:
            body, ctx.sent_besides = self.extended.take_out(self, values["body"], params.get("id"))
            values = {**values, "body": body}
        answer = self.route.handler(ctx, **values, **params)
        if ctx.sent_besides:
            raise RuntimeError(
                f"{self.route.method} {self.route.path}: its handler did not call its Records' insert or save"
            )
        if ctx.told and ctx.told[0] is answer:
            return ctx.told[1]
        return ctx.app.extensions.filled(ctx, answer)


class Pipeline:
    """Falcon's middleware and responder: each request passes through these methods in this order."""

    def __init__(self, app: "App", find: Callable[[str], Any]) -> None:
        """`find` gives what is routed at a path, its template last."""
        self.app, self.find = app, find
        public = [e.route for e in app.endpoints if e.route.public]
        self.public = {(method, route.path) for route in public for method in _methods(route)}
        self.notices: dict[tuple[str, str], dict[str, str]] = {
            (e.route.method, e.route.path): _notice(e.route) for e in app.endpoints if e.route.deprecated
        }

    def process_request(self, req: falcon.Request, resp: falcon.Response) -> None:
        """Who is calling, for which tenant, and may they call now; refused before any handler is chosen."""
        state = req.env[STATE] = req.context
        state.began = time.perf_counter()
        sent = req.get_header("X-Request-Id") or ""
        state.request_id = sent if _REQUEST_ID.fullmatch(sent) else "req_" + secrets.token_hex(13)
        state.identity = state.allowance = state.page = None
        path = paths.as_sent(req.env)
        canonical = paths.is_canonical(path)
        found = self.find(req.path) if canonical else None
        template = found[-1] if found else ""
        if found and template in self.app.page_paths:
            state.page = found[0]  # pages know their visitors by other means, and have allowances of their own
            return
        self.admit(req, needs_key=paths.is_of_the_api(req.path) and (req.method, template) not in self.public)
        if not canonical:
            self.lead_to_page(req, resp, path.removesuffix("/"))

    def admit(self, req: falcon.Request, *, needs_key: bool) -> None:
        """Say who is calling, and count the call: whatever is no page comes through here, known path or not."""
        state, hook = req.context, self.app.hook
        now = self.app.now().timestamp()
        address = self.app.address_of(req)
        refused: Exception | None = None
        if needs_key:
            try:
                state.identity = hook.authenticate(app=self.app, req=req)
                if state.identity:
                    state.tenant_id = hook.resolve_tenant(identity=state.identity, req=req)
                else:
                    refused = Unauthenticated()
            except Exception as error:  # noqa: BLE001 - raised below, once it is counted
                refused = error
        state.allowance = hook.rate_limit(app=self.app, identity=state.identity, address=address, now=now)
        # A failure of ours, such as a database that is away, is said as such: nobody could be told apart meanwhile.
        if not state.allowance.allowed and (refused is None or isinstance(refused, Problem)):
            raise refusal(state.allowance)
        if refused:
            raise refused

    def lead_to_page(self, req: falcon.Request, resp: falcon.Response, path: str) -> None:
        """From a slash after a page's path to the page; RouteNotFound from any other spelling of any path."""
        found = self.find(req.path.removesuffix("/")) if paths.is_canonical(path) else None
        template = found[-1] if found else ""
        # Nothing that was sent is sent back: a path with a parameter is not redirected.
        if req.method not in ("GET", "HEAD") or template not in self.app.page_paths or "{" in template:
            raise RouteNotFound
        resp.status, resp.location, resp.complete = falcon.HTTP_308, f"../{template.rpartition('/')[2]}", True

    def respond(self, req: falcon.Request, resp: falcon.Response, endpoint: Endpoint, params: dict[str, str]) -> None:
        """Answer an HTTP request."""
        state = req.context
        # Whatever way the request took: nothing runs for nobody but what is declared public.
        if state.identity is None and not endpoint.route.public:
            raise Unauthenticated
        tenant_id = state.tenant_id if state.identity else ""
        call = Call(
            method=req.method,
            path=req.path,
            query=req.query_string,
            body=lambda: wire.read_body(req),
            request_id=state.request_id,
            if_match=_if_match(req),
            has=tuple(req.if_none_match or ()),
            key=req.get_header("Idempotency-Key"),
            takes_json=req.client_accepts_json,
        )
        answer = self.answer(call, self.preferred(req, endpoint), params, state.identity, tenant_id)
        resp.status, resp.data = answer.status, answer.body
        resp.set_headers(
            ({} if answer.status == _NOT_MODIFIED else {"Content-Type": falcon.MEDIA_JSON}) | answer.headers
        )
        if answer.replayed:
            resp.set_header("Idempotent-Replayed", "true")

    def answer(
        self, call: "Call", endpoint: Endpoint, params: dict[str, str], identity: "Identity | None", tenant_id: str
    ) -> Answer:
        """Authorize, decode, and run the handler and all that belongs to it in one transaction."""
        app, route = self.app, endpoint.route
        ctx = Context(
            app,
            tenant_id,
            identity,
            request_id=call.request_id,
            path=call.path,
            if_match=call.if_match,
            writes=route.method != "GET",
        )
        app.hook.authorize(ctx=ctx, route=route)
        if not call.takes_json and endpoint.signature.answer is not Reply:
            raise NotAcceptable
        raw = call.body() if route.method in ("POST", "PATCH") else b""
        key = _checked(call.key) if ctx.writes else None
        values, aside = self.decode(ctx, call.query, endpoint, raw)
        if not ctx.writes:
            with app.db.reading(ctx.tenant_id) as ctx.db:
                return self.handle(ctx, call, endpoint, values, params, aside)
        request = idempotency.fingerprint(call.method, call.path, call.query, raw)
        with unit_of_work(ctx):
            answer = idempotency.replay(ctx, key, request) if key else None
            if answer is None:
                answer = self.handle(ctx, call, endpoint, values, params, aside)
                if key:
                    idempotency.remember(ctx, key, request, _without_secret(answer, route))
        return answer

    def preferred(self, req: falcon.Request, endpoint: Endpoint) -> Endpoint:
        """The endpoint that answers in the media type the client prefers: this one, or one its route's `also` names."""
        also = endpoint.route.also
        path = also.get(req.client_prefers([falcon.MEDIA_JSON, *also]) or "") if also else None
        return next((e for e in self.app.endpoints if e.route.path == path), endpoint) if path else endpoint

    def decode(
        self, ctx: Context, query_string: str, endpoint: Endpoint, raw: bytes
    ) -> tuple[dict[str, Any], list[SetAside]]:
        """The handler's `query` and `body`, and the read-only members a patch repeats."""
        signature = endpoint.signature
        values: dict[str, Any] = {}
        aside: list[SetAside] = []
        choice = endpoint.choice
        query = decode_query(query_string, choice.query if choice else signature.query or chosen.NoQuery, endpoint.ids)
        if choice:
            choice.take(ctx, query)
        if signature.query:
            values["query"] = query
        tree = wire.parse(raw) if raw else {}
        if signature.patch:
            values["body"], aside = decode_patch(tree, signature.body, signature.shown)
        elif signature.body:
            values["body"] = decode(tree, signature.body, signature.shown)
        elif raw:
            decode(tree, Empty)
        return values, aside

    def handle(
        self,
        ctx: Context,
        call: "Call",
        endpoint: Endpoint,
        values: dict[str, Any],
        params: dict[str, str],
        aside: list[SetAside],
    ) -> Answer:
        """Run the handler and encode what it returns: Falcon would find an unencodable value only after the commit."""
        # What cannot be an id is not looked up: PostgreSQL would choke on some of it.
        if not all(map(is_id, params.values())):
            raise NotFound
        if aside:
            self.check_unchanged(ctx, endpoint, params, aside)
        choice, asked = endpoint.choice, ctx.chosen[1] if ctx.chosen else None
        result = endpoint.run(ctx, values, params)
        headers = dict(result.headers) if isinstance(result, Reply) else self._headers(endpoint, result, asked)
        if not ctx.writes and _is_known(headers.get("ETag"), call.has):
            return Answer(_NOT_MODIFIED, headers, b"")
        if isinstance(result, Reply):
            return Answer(endpoint.route.status, {"Content-Type": result.content_type, **headers}, result.body)
        page = result if isinstance(result, Page) else None
        records = page.items if page else [result]
        if choice and asked:
            records = [choice.cut(record, asked) for record in records]
        data = records if page else records[0]
        body = wire.encode(self.app.hook.envelope(data=data, page=page, problem=None))
        if page:
            pages.check_size(len(body), records, lambda item: len(wire.encode(item)))
        if page and page.next_cursor:
            path = self.app.public_url + endpoint.route.path.format(**params)
            headers["Link"] = f'<{path}?{with_cursor(call.query, page.next_cursor)}>; rel="next"'
        return Answer(endpoint.route.status, headers, body)

    def check_unchanged(self, ctx: Context, endpoint: Endpoint, params: dict[str, str], aside: list[SetAside]) -> None:
        """Refuse read-only members that differ from what GET answers for the same record."""
        record = self.app.getters[endpoint.route.path].run(ctx, {}, params)
        # Who sends back a whole record that is stale by now is told so, not that its version is read-only.
        ctx.check_version(getattr(record, "version", 0))
        shown = wire.parse(wire.encode(record))
        if changed := differing(aside, shown):
            raise Invalid.of(*(Fault(a.path, "read_only", "cannot be changed by a client") for a in changed))

    def _headers(self, endpoint: Endpoint, result: Any, asked: frozenset[str] | None) -> dict[str, str]:
        headers: dict[str, str] = {}
        if isinstance(version := getattr(result, "version", None), int):
            headers["ETag"] = chosen.tag(version, asked)
        if endpoint.route.status == 201 and (home := self.app.homes.get(type(result))):
            headers["Location"] = self.app.public_url + home.replace("{id}", result.id)
        return headers

    def allow(self, req: falcon.Request, resp: falcon.Response, methods: str) -> None:
        """Answer OPTIONS."""
        if req.context.identity is None:
            raise Unauthenticated
        resp.set_header("Allow", methods)
        resp.content_type = falcon.MEDIA_JSON
        resp.data = wire.encode(self.app.hook.envelope(data=None, page=None, problem=None))

    def process_response(self, req: falcon.Request, resp: falcon.Response, resource: Any, succeeded: bool) -> None:
        """The headers of every answer."""
        caching = resp.get_header("Cache-Control")
        resp.set_headers(headers_of(req.context))
        if caching:
            resp.set_header("Cache-Control", caching)
        if self.notices:
            self.give_notice(req, resp)
        self.app.counts.add(req.method, resp.status_code, time.perf_counter() - req.context.began)

    def give_notice(self, req: falcon.Request, resp: falcon.Response) -> None:
        """Say of a deprecated route that it is, on its refusals too: most of them are made before it is chosen."""
        found = self.find(req.path)
        method = "GET" if req.method == "HEAD" else req.method
        for name, value in self.notices.get((method, found[-1] if found else ""), {}).items():
            resp.append_header(name, value)

    def fail(self, req: falcon.Request, resp: falcon.Response, error: Exception, params: Any) -> None:
        """Any exception as the envelope's error."""
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
            self.show(req, resp, problem)
        except Exception:
            # Whatever a plugin does to errors, the client is told in core's own words.
            log.exception("request %s failed, and so did its answer", request_id)
            problem = Problem()
            problem.request_id = request_id
            resp.text, resp.data = None, wire.encode(envelope(data=None, page=None, problem=problem))
            resp.content_type = falcon.MEDIA_JSON
        resp.status = problem.status
        resp.set_headers(problem.headers)

    def show(self, req: falcon.Request, resp: falcon.Response, problem: Problem) -> None:
        """A refusal as whoever asked can read it: as the page's own, as a page, or in the envelope."""
        if refuse := getattr(req.context.page, "refuse", None):
            refuse(resp, problem)
        elif not paths.is_of_the_api(req.path) and people.is_person(req):
            people.refuse(resp, problem)
        else:
            resp.text, resp.data = None, wire.encode(self.app.hook.envelope(data=None, page=None, problem=problem))
            resp.content_type = falcon.MEDIA_JSON


def headers_of(state: Any) -> dict[str, str]:
    """The headers that every answer to a request has; `state` is what the pipeline knows of it."""
    headers = {
        "X-Request-Id": state.request_id,
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store",
    }
    if allowance := state.allowance:
        headers["X-RateLimit-Limit"] = str(allowance.limit)
        headers["X-RateLimit-Remaining"] = str(allowance.remaining)
        headers["X-RateLimit-Reset"] = str(allowance.reset)
    return headers


def _methods(route: Route) -> tuple[str, ...]:
    return ("GET", "HEAD") if route.method == "GET" else (route.method,)


def _notice(route: Route) -> dict[str, str]:
    """The headers of a deprecated route (RFC 9745, RFC 8594)."""
    headers: dict[str, str] = {}
    if route.deprecated:
        headers["Deprecation"] = f"@{int(_midnight(route.deprecated).timestamp())}"
    if route.sunset:
        headers["Sunset"] = format_datetime(_midnight(route.sunset), usegmt=True)
    if route.notice:
        headers["Link"] = f'<{route.notice}>; rel="deprecation"'
    return headers


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def _without_secret(answer: Answer, route: Route) -> Answer:
    """What may be stored of an answer: a secret is never written down."""
    if route.shown_once is None:
        return answer
    envelope = wire.parse(answer.body)
    envelope["data"][route.shown_once] = None
    return Answer(answer.status, answer.headers, wire.encode(envelope))


def _is_known(tag: str | None, known: Sequence[Any]) -> bool:
    """Whether the client says that it has what this tag stands for."""
    return tag is not None and ("*" in known or falcon.ETag.loads(tag) in known)


def _if_match(req: falcon.Request) -> frozenset[str] | None:
    """The versions an If-Match allows; None where it is absent or `*`."""
    header = req.get_header("If-Match")
    if header is None or header.strip() == "*":
        return None
    return frozenset(map(chosen.version_in, header.split(",")))


def _checked(key: str | None) -> str | None:
    """An idempotency key as it was sent; BadRequest for what cannot be one."""
    if key is not None and not _IDEMPOTENCY_KEY.fullmatch(key):
        raise BadRequest("Idempotency-Key: must be 1 to 255 printable characters.", param="Idempotency-Key")
    return key


def _from_falcon(error: falcon.HTTPError) -> Problem:
    if isinstance(error, falcon.HTTPRouteNotFound):
        return RouteNotFound()
    if isinstance(error, falcon.HTTPMethodNotAllowed):
        return MethodNotAllowed(headers=dict(error.headers or {}))
    return BadRequest(error.description or error.title) if error.status_code < 500 else Problem()
