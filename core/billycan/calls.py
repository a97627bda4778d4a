"""Calls of the API: authorized, decoded, carried out in one transaction, and encoded before the commit."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

import falcon
import msgspec
from msgspec import Struct

from . import endpoints, idempotency, owning, web
from .apart import Share, share_time
from .context import MOST_REPEATS, Context, Outdated
from .csv import exporting
from .db import ReplicaLost, is_deadlock
from .endpoints import Endpoint, decode_query, with_cursor
from .events import notify_hearers, unit_of_work
from .fields import is_id
from .idempotency import Answer
from .lists import paging, queries
from .manifest import Route
from .problems import BadRequest, Fault, Invalid, NotAcceptable, NotFound, VersionConflict
from .reader import SetAside, decode, differing
from .resources import Empty, Page, Reply
from .web import Incoming

if TYPE_CHECKING:
    from .app import App
    from .keys import Identity

NOT_MODIFIED = 304
_IDEMPOTENCY_KEY = re.compile(r"[\x21-\x7e]([\x20-\x7e]{0,253}[\x21-\x7e])?")


class Call(Struct, kw_only=True):
    """A call of the API, over HTTP or from a page: everything its answer depends on besides the caller.

    query: The query string, or a page's parameters by name.
    body: Reads the body once it is needed.
    pieces: Reads a body that is not JSON, of at most so many bytes.
    known_tags: The ETags of answers that the caller has.
    key: Its Idempotency-Key.
    prefers_csv, prefers_bytes: Whether it asks for a list as CSV, or for a file as bytes of no certain type.
    repeats: How often the call has begun anew.
    count_more: Counts further requests of the caller.
    proposes: Why the caller makes it, if it prefers that a person is asked where one has to approve it.
    share: Its part of its business's share, over HTTP.
    """

    method: str
    path: str
    query: str | Mapping[str, Any] = ""
    body: Callable[[], bytes] = bytes
    pieces: Callable[[int], Iterable[bytes]] = lambda most: ()
    request_id: str = ""
    if_match: frozenset[str] | None = None
    known_tags: Sequence[Any] = ()
    key: str | None = None
    takes_json: bool = True
    prefers_csv: bool = False
    prefers_bytes: bool = False
    repeats: int = 0
    count_more: Callable[[int], None] = lambda requests: None
    proposes: str | None = None
    share: Share | None = None

    @property
    def query_string(self) -> str:
        """The query as it is sent over HTTP."""
        return self.query if isinstance(self.query, str) else urlencode(self.query)


class Arguments(NamedTuple):
    """A handler's arguments: `query`, `body` and the path's parameters.

    `set_aside` are the read-only members sent in a patch, and `sent` is the body as JSON.
    """

    values: dict[str, Any]
    params: dict[str, str]
    set_aside: list[SetAside]
    sent: Any


OCTETS = "application/octet-stream"


def answer_call(
    app: "App", call: Call, endpoint: Endpoint, params: dict[str, str], identity: "Identity | None", tenant_id: str
) -> Answer:
    """Authorize, decode, and run the handler and all that belongs to it in one transaction."""
    route = endpoint.route
    ctx = Context(
        app,
        tenant_id,
        identity,
        request_id=call.request_id,
        path=call.path,
        if_match=call.if_match,
        writes=endpoint.writes,
    )
    app.hook.authorize(ctx=ctx, route=route)
    _check_allowed(ctx, endpoint)
    if ctx.writes:
        app.standings.check_open(tenant_id)
    as_csv = call.prefers_csv and endpoint.signature.listed is not None
    if not call.takes_json and endpoint.signature.answer is not Reply and not as_csv:
        raise NotAcceptable
    raw = call.body() if route.method in ("POST", "PATCH") and not route.receive else b""
    key = _caller_key(identity, _check_idempotency_key(call.key)) if route.method != "GET" else None
    if ctx.writes and call.share and app.db.is_sqlite and not (route.own_transactions or route.receive):
        ctx.share = call.share
        ctx.share.compute_alone()
    arguments = _decode_request(ctx, call.query, endpoint, params, raw)
    ctx.key, ctx.count_more = call.key, call.count_more
    share_time()
    if not ctx.writes:
        reading = app.db.reading if call.repeats else app.db.reading_anywhere
        try:
            with reading(ctx.tenant_id) as ctx.db:
                if as_csv:
                    _check_own(ctx, endpoint, arguments)
                    return exporting.export_list(ctx, endpoint, arguments.values, params)
                return _run_handler(ctx, call, endpoint, arguments)
        except ReplicaLost:
            return answer_call(app, _begun_anew(call, raw), endpoint, params, identity, tenant_id)
    if route.own_transactions and route.own_transactions(arguments.values["body"]):
        return _answer_apart(ctx, call, endpoint, arguments, key, raw)
    if route.receive is None:
        ctx.may_begin_anew = call.repeats < MOST_REPEATS
        try:
            return _answer_write(ctx, call, endpoint, arguments, key, raw)
        except Exception as error:
            if not (isinstance(error, Outdated) or (ctx.may_begin_anew and is_deadlock(error))):
                raise
        return answer_call(app, _begun_anew(call, raw), endpoint, params, identity, tenant_id)
    incoming = Incoming(call.pieces(route.most_bytes), route.most_bytes)
    with route.receive(ctx, arguments.values.get("query"), incoming) as arguments.values["body"]:
        return _answer_write(ctx, call, endpoint, arguments, key, incoming.sha256.encode())


def _begun_anew(call: Call, raw: bytes) -> Call:
    # The requests whose work it does were counted the first time.
    return msgspec.structs.replace(call, body=lambda: raw, repeats=call.repeats + 1, count_more=lambda requests: None)


def _answer_write(
    ctx: Context, call: Call, endpoint: Endpoint, arguments: Arguments, key: str | None, sent: bytes
) -> Answer:
    """Answer a request that writes; `sent`, its body or a stand-in for it, tells a repeated request from another."""
    request = idempotency.fingerprint_request(call.method, call.path, call.query_string, sent) if key else b""
    if all(map(is_id, arguments.params.values())):
        endpoint.prepare(ctx, arguments.values, arguments.params)
        share_time()
    with unit_of_work(ctx):
        given = idempotency.replay_answer(ctx, key, request) if key else None
        if given is None:
            checks = _ask_guards(ctx, call, endpoint, arguments.params, None if endpoint.route.receive else sent)
            given = _run_handler(ctx, call, endpoint, arguments)
            if checks:
                notify_hearers(ctx)
                ctx.heard_count = len(ctx.events)
            for check in checks:
                check(given)
            if key:
                idempotency.store_answer(ctx, key, request, _without_secret(given, endpoint.route))
    return given


def _ask_guards(
    ctx: Context, call: Call, endpoint: Endpoint, params: Mapping[str, str], body: bytes | None
) -> list[Callable[[Answer], None]]:
    """Let every guard look at a call before its handler runs; return what has to approve of its answer."""
    guards = ctx.app.offered(Context.Guard)
    if not guards:
        return []
    versions = [*(call.if_match or ())]
    seen = Context.Guard.Call(
        method=call.method,
        path=call.path,
        query=call.query_string,
        body=body,
        version=int(versions[0]) if len(versions) == 1 and versions[0].isdecimal() and len(versions[0]) < 10 else None,
        proposes=call.proposes,
        route=endpoint.route,
        params=params,
    )
    return [check for _, guard in guards if (check := guard.watch(ctx, seen))]


def _answer_apart(
    ctx: Context, call: Call, endpoint: Endpoint, arguments: Arguments, key: str | None, sent: bytes
) -> Answer:
    """Answer a request whose handler opens its own transactions; its answer is stored in one of its own, at the end."""
    request = idempotency.fingerprint_request(call.method, call.path, call.query_string, sent) if key else b""
    if key:
        with ctx.app.db.reading(ctx.tenant_id) as ctx.db:
            if given := idempotency.replay_answer(ctx, key, request):
                return given
        del ctx.db
    answer = _run_handler(ctx, call, endpoint, arguments)
    if key:
        with unit_of_work(ctx):
            # An equal request may have been answered meanwhile: both get one answer.
            if given := idempotency.replay_answer(ctx, key, request):
                return given
            idempotency.store_answer(ctx, key, request, answer)
    return answer


def answer_within(ctx: Context, call: Call, endpoint: Endpoint, params: dict[str, str]) -> Answer:
    """Answer a call that writes in the open transaction of `ctx`; its events are heard before the next call."""
    own = ctx.beside(call.path, call.if_match)
    own.app.hook.authorize(ctx=own, route=endpoint.route)
    _check_allowed(own, endpoint)
    raw = call.body() if endpoint.route.method != "DELETE" else b""
    arguments = _decode_request(own, call.query, endpoint, params, raw)
    checks = _ask_guards(own, call, endpoint, params, raw)
    answer = _run_handler(own, call, endpoint, arguments)
    notify_hearers(own)
    for check in checks:
        check(answer)
    ctx.heard_count, ctx.changed, ctx.outdates = (
        len(ctx.events),
        ctx.changed or own.changed,
        ctx.outdates or own.outdates,
    )
    return answer


def count_records(
    app: "App", identity: "Identity", lists: Sequence[tuple[Endpoint, Mapping[str, Any]]], request_id: str
) -> list[int]:
    """Count the records of several lists in one statement, for somebody whom a page let in.

    Each is authorized and decoded, and its handler runs as usual, except that no rows are fetched.
    """
    found: list[list[queries.Found]] = []
    totals: list[int] = []
    with app.db.reading(identity.tenant_id) as db:
        ctx = Context(app, identity.tenant_id, identity, request_id=request_id, writes=False)
        ctx.db = db
        for endpoint, query in lists:
            ctx.path, ctx.counted_lists = endpoint.route.path, []
            app.hook.authorize(ctx=ctx, route=endpoint.route)
            _check_allowed(ctx, endpoint)
            totals.append(endpoint.run(ctx, _decode_request(ctx, query, endpoint, {}, b"").values, {}).total)
            found.append(ctx.counted_lists)
        counted = iter(queries.count_totals(ctx, [*chain(*found)]))
    # A plugin's own `paginate` has counted already.
    return [next(counted) if each else total for each, total in zip(found, totals, strict=True)]


def read_records(
    ctx: Context,
    endpoint: Endpoint,
    ids: Sequence[str],
    members: Collection[str] | None,
    includes: Collection[str] | None,
) -> dict[str, Any]:
    """Return the records with these ids, at most a page of them, as their list shows them: see `App.read_records`."""
    own = ctx.acting_as(ctx.identity) if ctx.identity else ctx
    own.path, own.writes, own.held = endpoint.route.path, ctx.writes, ctx.held
    # Always as many values: each number of them is a statement of its own.
    own.only_ids = (*ids, *[ids[-1]] * (-len(ids) % paging.DEFAULT_PER_PAGE))
    kind, choice = endpoint.signature.query, endpoint.choice
    offered = choice.includes if choice and members is None else frozenset[str]()
    included = sorted(offered if includes is None else offered.intersection(includes))
    if choice and members is not None:
        own.chosen = choice.kind, frozenset(choice.names[name] for name in {"id", *members})
    query = kind(per_page=len(own.only_ids), **({"include": included} if included else {}))
    return {record.id: record for record in endpoint.run(own, {"query": query}, {}).items}


def _decode_request(
    ctx: Context, asked: str | Mapping[str, Any], endpoint: Endpoint, params: dict[str, str], raw: bytes
) -> Arguments:
    """Return the handler's arguments from a query and the bytes of a body."""
    signature = endpoint.signature
    values: dict[str, Any] = {}
    set_aside: list[SetAside] = []
    choice = endpoint.choice
    query = decode_query(asked, choice.query if choice else signature.query or endpoints.NoQuery, endpoint.ids)
    if choice:
        choice.take(ctx, query)
    if signature.query:
        values["query"] = query
    tree = web.parse(raw) if raw else {}
    if signature.body:
        values["body"], set_aside = endpoint.read(ctx, tree)
    elif raw:
        decode(tree, Empty)
    return Arguments(values, params, set_aside, tree)


def _run_handler(ctx: Context, call: Call, endpoint: Endpoint, arguments: Arguments) -> Answer:
    """Run the handler and encode what it returns: Falcon would only find an unencodable value after the commit."""
    # Text that cannot be an id is not looked up: PostgreSQL rejects some of it.
    if not all(map(is_id, arguments.params.values())):
        raise NotFound
    _check_own(ctx, endpoint, arguments)
    if arguments.set_aside:
        _check_unchanged(ctx, endpoint, arguments)
    choice, asked = endpoint.choice, ctx.chosen[1] if ctx.chosen else None
    result = endpoint.run(ctx, arguments.values, arguments.params)
    _check_still_own(ctx, call.method, arguments)
    if ctx.if_match is not None and ctx.writes and (arguments.params or call.method != "POST"):
        raise VersionConflict("What this request changes has no version: send it without If-Match.")
    headers = dict(result.headers) if isinstance(result, Reply) else _build_headers(ctx, endpoint, result, asked)
    if not ctx.writes and _is_known(headers.get("ETag"), call.known_tags):
        if isinstance(result, Reply):
            close_pieces(result.body)
        return Answer(NOT_MODIFIED, headers, b"")
    if isinstance(result, Reply):
        as_bytes = call.prefers_bytes and result.content_type != falcon.MEDIA_JSON
        headers = {"Content-Type": OCTETS if as_bytes else result.content_type, **headers}
        if isinstance(result.body, bytes):
            return Answer(endpoint.route.status, headers, result.body)
        return Answer(endpoint.route.status, headers, b"", pieces=result.body)
    page = result if isinstance(result, Page) else None
    records = [*page.items] if page else [result]
    if choice and asked:
        records = [choice.cut(record, asked) for record in ctx.in_turns(records)]
    answer = ctx.app.hook.envelope(data=records if page else records[0], page=page, problem=None)
    if page:
        # In place and record by record: to encode a page of 8 MiB, and to free its records, takes a tenth of a second.
        result = page = page.of([])
        for i in ctx.in_turns(range(len(records))):
            records[i] = msgspec.Raw(web.encode(records[i]))
    body = web.encode(answer)
    if page:
        paging.check_size(len(body), records, _size_of_json)
    if page and page.next_cursor:
        path = ctx.app.public_url + endpoint.route.path.format(**arguments.params)
        headers["Link"] = f'<{path}?{with_cursor(call.query_string, page.next_cursor)}>; rel="next"'
    return Answer(endpoint.route.status, headers, body)


def _check_allowed(ctx: Context, endpoint: Endpoint) -> None:
    if ctx.sees_only_own:
        owning.check_allowed(ctx, endpoint)


def _check_own(ctx: Context, endpoint: Endpoint, arguments: Arguments) -> None:
    if ctx.sees_only_own:
        owning.check_call(ctx, endpoint, arguments.params, arguments.values.get("query"), arguments.sent)


def _check_still_own(ctx: Context, method: str, arguments: Arguments) -> None:
    if ctx.sees_only_own and ctx.writes and method != "DELETE":
        owning.check_still_own(ctx, arguments.params)


def _size_of_json(encoded: msgspec.Raw) -> int:
    return memoryview(encoded).nbytes


def _check_unchanged(ctx: Context, endpoint: Endpoint, arguments: Arguments) -> None:
    """Refuse read-only members that differ from the answer of GET for the same record."""
    record = ctx.app.at["GET", endpoint.route.path].run(ctx, {}, arguments.params)
    # A client that sends back a stale record gets a version conflict, not a fault for a read-only member.
    if_match = ctx.if_match
    ctx.check_version(getattr(record, "version", 0))
    ctx.if_match = if_match  # to be compared once more, under the record's lock
    shown = web.parse(web.encode(record))
    if changed := differing(arguments.set_aside, shown):
        raise Invalid.of(*(Fault(a.path, "read_only", "cannot be changed by a client") for a in changed))


def _build_headers(ctx: Context, endpoint: Endpoint, result: Any, asked: frozenset[str] | None) -> dict[str, str]:
    headers: dict[str, str] = {}
    if isinstance(version := getattr(result, "version", None), int):
        headers["ETag"] = endpoints.version_tag(version, asked)
    if endpoint.route.status == 201 and (home := ctx.app.homes.get(type(result))):
        headers["Location"] = ctx.app.public_url + home.replace("{id}", result.id)
    return headers


def close_pieces(pieces: Any) -> None:
    """Close a body of pieces when no more of it is needed."""
    if end := getattr(pieces, "close", None):
        end()


def _without_secret(answer: Answer, route: Route) -> Answer:
    """Return the answer as it may be stored: a secret is never written down."""
    if route.shown_once is None:
        return answer
    envelope = web.parse(answer.body)
    envelope["data"][route.shown_once] = None
    return Answer(answer.status, answer.headers, web.encode(envelope))


def _is_known(tag: str | None, known: Sequence[Any]) -> bool:
    """Tell whether the client says that it has the record with this tag."""
    return tag is not None and ("*" in known or falcon.ETag.loads(tag) in known)


def _caller_key(identity: "Identity | None", key: str | None) -> str | None:
    """Return an idempotency key as stored: each connected app has its own, all others of a tenant share theirs."""
    if key is None or identity is None or identity.connection_id is None:
        return key
    return f"{identity.connection_id}\n{key}"  # no key from a client has a line feed


def _check_idempotency_key(key: str | None) -> str | None:
    """Return an idempotency key as sent; raise BadRequest if it cannot be one."""
    if key is not None and not _IDEMPOTENCY_KEY.fullmatch(key):
        raise BadRequest("Idempotency-Key: must be 1 to 255 printable characters.", param="Idempotency-Key")
    return key
