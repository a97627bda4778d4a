"""The OpenAPI 3.1 document, from routes, signatures, docstrings and recorded answers."""

import inspect
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from http import HTTPStatus
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakKeyDictionary

import msgspec
from msgspec import UNSET, Struct, UnsetType, structs

from .. import problems
from ..defaults import Pagination
from ..manifest import Empty, Reply
from ..plain import options
from ..wire import encode, parse
from .schemas import NULL, Json, Schemas, described, without

if TYPE_CHECKING:
    from ..app import App
    from ..manifest import Route
    from ..pipeline import Endpoint

INTRODUCTION = """Contacts, documents and money of a small business. Every resource comes from a plugin.

Every answer is `{"data", "pagination", "error"}`, with null for the members that do not apply. An error has only
`error`, and its `code` never changes. Answers may gain members: ignore those you do not know. In requests, only the
members described here are allowed.

Text is trimmed and may not contain control characters other than newline and tab. Dates lie between 1900 and 2200 and
refer to the business's time zone. Times are RFC 3339: send them with any offset, and receive them in UTC. Amounts have
at most 2 decimal places; unit prices, quantities and percentages have 4. A decimal may be sent as a number or as a
string; answers contain numbers.

PATCH takes a JSON Merge Patch: only the members that you send change, and null clears one. An array replaces the
stored one, but an item with the `id` of a stored item is merged into it. You may send read-only members back with their
current values.

Send an `Idempotency-Key` with any POST, PATCH or DELETE so that you can safely repeat it, and `If-Match` with the
record's `ETag` so that you do not overwrite anybody's change."""

KEY = """An API key: `svc_live_…` is production, `svc_test_…` the sandbox. Each operation lists the scope that the key
must have: `<plugin>:read` or `<plugin>:write`; `read` and `write` stand for those of all plugins. Write does not
include read."""


class Error(Struct, kw_only=True):
    """What is wrong and how to fix it. `details` lists every error in a body, and some codes have members of their own.

    type: The kind of failure; one for each status.
    code: Which failure it is; never changes.
    message: What is wrong and how to fix it, in a sentence for people.
    param: The member or parameter at fault, such as `line_items[0].quantity`.
    details: Every error that was found, each with its path.
    request_id: The request's id in our logs, as in `X-Request-Id`.
    status: The record's current status.
    allowed_actions: The actions that are possible now.
    required_scope: The scope that the key lacks.
    dependents: How many records of each kind refer to this one.
    limit: Which of the two limits was reached.
    retry_after: Seconds to wait.
    per_page: About how many records fit on a page.
    """

    type: Literal[
        "invalid_request", "authentication", "permission", "not_found", "conflict", "precondition", "validation",
        "rate_limit", "api",
    ]  # fmt: skip
    code: str
    message: str
    param: str | None
    details: list[problems.Fault]
    request_id: str | None
    status: str | UnsetType = UNSET
    allowed_actions: list[str] | UnsetType = UNSET
    required_scope: str | UnsetType = UNSET
    dependents: dict[str, int] | UnsetType = UNSET
    limit: Literal["minute", "second"] | UnsetType = UNSET
    retry_after: int | UnsetType = UNSET
    per_page: int | UnsetType = UNSET


class ErrorEnvelope(Struct):
    """Every response that is an error.

    data, pagination: Always null.
    error: What is wrong.
    """

    data: None
    pagination: None
    error: Error


class Examples(Struct):
    """What a plugin's file of recorded examples holds: by operation, by code, by event."""

    operations: Mapping[str, Json] = {}
    errors: Mapping[str, Json] = {}
    events: Mapping[str, Json] = {}


_documents: "WeakKeyDictionary[App, Json]" = WeakKeyDictionary()


def document(app: "App") -> Json:
    """The description of every mounted route, made when it is first asked for."""
    if app not in _documents:
        _documents[app] = _Document(app).whole()
    return _documents[app]


class _Document:
    """A document while it is made: what its operations share is gathered on the way."""

    def __init__(self, app: "App") -> None:
        self.app = app
        self.delivery = next((m.delivery for m in app.manifests.values() if m.delivery), None)
        signatures = [endpoint.signature for endpoint in app.endpoints]
        answers = [s.listed or s.answer for s in signatures if s.answer is not Reply]
        events = app.events.values() if self.delivery else ()
        self.schemas = Schemas(
            [Empty, *(s.body for s in signatures if s.body)], [Pagination, ErrorEnvelope, *answers, *events]
        )
        self.examples = {name: _recorded(manifest.examples) for name, manifest in app.parts.items()}
        self.errors = _errors(app) | {k: v for found in self.examples.values() for k, v in found.errors.items()}
        self.responses: dict[str, Json] = {}
        self.links: dict[str, Json] = {}
        self.shown_codes: dict[str, None] = {}

    def whole(self) -> Json:
        paths: dict[str, Json] = {}
        for endpoint in self.app.endpoints:
            paths.setdefault(endpoint.route.path, {})[endpoint.route.method.lower()] = self.operation(endpoint)
        webhooks = {name: {"post": self.webhook(name)} for name in self.app.events} if self.delivery else {}
        info = {"title": "billycan", "version": version("billycan-core"), "description": INTRODUCTION}
        return {
            "openapi": "3.1.0",
            "info": info | {"license": {"name": "Apache License 2.0", "identifier": "Apache-2.0"}},
            "servers": [{"url": self.app.public_url}],
            "tags": [_tag(self.app, plugin) for plugin in dict.fromkeys(e.plugin for e in self.app.endpoints)],
            "paths": paths,
            **({"webhooks": webhooks} if webhooks else {}),
            "components": {
                "schemas": dict(sorted(self.schemas.components.items())),
                "responses": self.responses,
                "examples": {code: {"value": self.errors[code]} for code in self.shown_codes},
                "parameters": _PARAMETERS,
                "headers": _HEADERS,
                "links": self.links,
                "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer", "description": KEY}},
            },
        }

    def operation(self, endpoint: "Endpoint") -> Json:
        route = endpoint.route
        summary, description = _words(endpoint)
        responses = {str(route.status): self.answer(endpoint)}
        for kind, label, codes in _refusals(self.app, endpoint):
            responses[str(kind.status)] = self.refusal(kind, label, codes)
        operation: Json = {
            "operationId": _id(endpoint),
            "summary": summary,
            "description": description,
            "tags": [endpoint.plugin],
            "security": [] if route.public else [{"bearer": scopes} for scopes in self.scopes(route)],
            "parameters": list(_parameters(endpoint)),
            "requestBody": self.body(endpoint),
            "responses": responses,
        }
        if route.deprecated:
            notice = _headers_of_notice(bool(route.sunset))
            operation["deprecated"] = True
            operation["responses"] = {status: self.with_headers(r, notice) for status, r in responses.items()}
        return {name: value for name, value in operation.items() if value or name in ("security", "summary")}

    def scopes(self, route: "Route") -> list[list[str]]:
        """What a key must hold together, one list for each way to be allowed."""
        own = [route.scope] if route.scope else []
        makes = [self.app.making[path] for path in route.makes if path in self.app.making]
        return [[*own, scope] for scope in makes] or [own]

    def recorded(self, endpoint: "Endpoint", part: str) -> Json:
        """The example of a request or an answer, where one was recorded."""
        example = self.examples[endpoint.plugin].operations.get(_id(endpoint), {}).get(part)
        if part == "answer" and example:
            kind = endpoint.signature.listed or endpoint.signature.answer
            example = {**example, "data": self.with_added(kind, example["data"])}
        return {} if example is None else {"example": example}

    def with_added(self, kind: Any, data: Any) -> Any:
        """Recorded records as they are where other plugins add members to them."""
        added = parse(encode(self.app.extensions.unknown(kind)))
        return [{**record, **added} for record in data] if isinstance(data, list) else {**data, **added}

    def body(self, endpoint: "Endpoint") -> Json | None:
        if not _reads_body(endpoint):
            return None
        signature = endpoint.signature
        if signature.patch:
            schema = self.schemas.patch(signature.body, signature.shown)
        else:
            schema = self.schemas.sent(signature.body or Empty)
        kinds = ["application/json", *(["application/merge-patch+json"] if endpoint.route.method == "PATCH" else [])]
        content = {kind: {"schema": schema, **self.recorded(endpoint, "request")} for kind in kinds}
        return {"required": self.schemas.requires(schema), "content": content}

    def answer(self, endpoint: "Endpoint") -> Json:
        route, signature = endpoint.route, endpoint.signature
        kinds = self.kinds(endpoint)
        homes = {self.app.homes[kind] for kind in kinds if kind in self.app.homes}
        headers = [*_ALWAYS]
        if signature.listed:
            headers.append("Link")
        elif any("version" in getattr(kind, "__struct_fields__", ()) for kind in kinds):
            headers.append("ETag")
        if route.status == 201 and homes:
            headers.append("Location")
        if route.method != "GET":
            headers.append("Idempotent-Replayed")
        content: Json = {"*/*": {}}
        if signature.answer is not Reply:
            found = [self.schemas.shown(kind) for kind in kinds]
            data = found[0] if len(found) == 1 else {"anyOf": found}
            members = {
                "data": {"type": "array", "items": data} if signature.listed else data,
                "pagination": self.schemas.shown(Pagination) if signature.listed else NULL,
                "error": NULL,
            }
            schema: Json = {"type": "object", "properties": members, "required": [*members]}
            content = {"application/json": {"schema": schema, **self.recorded(endpoint, "answer")}}
            content |= {media_type: {"schema": {"type": "string"}} for media_type in route.also}
        answer: Json = {"description": HTTPStatus(route.status).phrase, "headers": _headers(headers)}
        if route.status == 201 and len(homes) == 1:
            answer["links"] = {name: _ref("links", name) for name in self.linked(*homes)}
        return answer | {"content": content}

    def kinds(self, endpoint: "Endpoint") -> tuple[Any, ...]:
        """What an answer's data may be."""
        if endpoint.route.makes:
            return tuple(kind for kind, home in self.app.homes.items() if home in endpoint.route.makes)
        return options(endpoint.signature.listed or endpoint.signature.answer)

    def linked(self, home: str) -> Iterator[str]:
        """The operations on a record that was just made, each with a link to it."""
        for endpoint in self.app.endpoints:
            if endpoint.signature.params == ("id",) and endpoint.route.path.startswith(home):
                id = _id(endpoint)
                self.links[id] = {"operationId": id, "parameters": {"id": "$response.body#/data/id"}}
                yield id

    def refusal(self, kind: type[problems.Problem], label: str, codes: list[str]) -> Json:
        """A reference to the answer of a refusal by one of these codes."""
        name = kind.__name__ + label
        if name not in self.responses:
            shown = {code: _ref("examples", code) for code in codes if code in self.errors}
            self.shown_codes |= dict.fromkeys(shown)
            headers = _headers(_ALWAYS) | _headers(_WITH.get(kind, ()))
            if kind is problems.Conflict:
                headers["Retry-After"] = without(_HEADERS["Retry-After"], "required")
            content = {"schema": self.schemas.shown(ErrorEnvelope)} | ({"examples": shown} if shown else {})
            self.responses[name] = {
                "description": "\n".join(f"- `{code}`: {self.app.codes[code].meaning}" for code in codes),
                "headers": headers,
                "content": {"application/json": content},
            }
        return _ref("responses", name)

    def with_headers(self, response: Json, headers: Json) -> Json:
        """A response, written out, with more headers."""
        whole = self.responses[response["$ref"].rpartition("/")[2]] if "$ref" in response else response
        return {**whole, "headers": {**whole["headers"], **headers}}

    def webhook(self, name: str) -> Json:
        """How an event is delivered, and what it holds."""
        (plugin,) = (m.name for m in self.app.manifests.values() if name in m.events)
        kind = self.app.events[name]
        data = self.schemas.shown(kind)
        # What is unset by default is for some readers only; no event has it.
        if never := [f.name for f in structs.fields(kind) if f.default is UNSET]:
            data = {**data, "not": {"anyOf": [{"required": [member]} for member in never]}}
        members = {"event": {"const": name}, "timestamp": {"type": "string", "format": "date-time"}, "data": data}
        schema = {"type": "object", "properties": members, "required": [*members], "additionalProperties": False}
        content: Json = {"schema": schema}
        if example := self.examples[plugin].events.get(name):
            content["example"] = {**example, "data": self.with_added(kind, example["data"])}
        by = [_id(e) for e in self.app.endpoints if name in _named(e)]
        told = [f"Emitted by {', '.join(f'`{id}`' for id in by)}."] if by else []
        return {
            **(self.delivery or {}),
            "operationId": "on_" + name.replace(".", "_"),
            "summary": name.replace(".", " ").replace("_", " ").capitalize(),
            "description": "\n\n".join([*told, str((self.delivery or {}).get("description", ""))]),
            "tags": [plugin],
            "security": [],
            "requestBody": {"required": True, "content": {"application/json": content}},
        }


def _tag(app: "App", plugin: str) -> Json:
    module = app.plugins.get_plugin("platform" if plugin == "core" else plugin)
    words = inspect.getdoc(module)
    return {"name": plugin} | ({"description": words} if words else {})


def _id(endpoint: "Endpoint") -> str:
    return str(getattr(endpoint.route.handler, "__name__", ""))


def _words(endpoint: "Endpoint") -> tuple[str, str]:
    """What the handler's docstring says: in a line, and at length; and that the route is deprecated."""
    route = endpoint.route
    summary, _, description = (inspect.getdoc(route.handler) or "").partition("\n")
    told = []
    if route.deprecated:
        gone = f", gone from {route.sunset}" if route.sunset else ""
        told.append(f"Deprecated since {route.deprecated}{gone}." + (f" See <{route.notice}>." if route.notice else ""))
    return summary, "\n\n".join([part for part in (description.strip(), *told) if part])


def _named(endpoint: "Endpoint") -> list[str]:
    """What stands in backticks in the handler's docstring: among it, codes and events."""
    return re.findall(r"`([a-z_.]+)`", inspect.getdoc(endpoint.route.handler) or "")


def _recorded(file: Any) -> Examples:
    # Amounts stay decimals, so that they are printed as they were.
    kept = json.loads(file.read_text(), parse_float=Decimal) if file else {}
    return msgspec.convert(kept, Examples)


def _errors(app: "App") -> dict[str, Json]:
    """The refusals that always say the same, made as they are when they happen."""
    found = {}
    for kind in _ALWAYS_THE_SAME:
        problem = kind()
        problem.request_id = "req_01ke0000000000000000000001"
        found[problem.code] = parse(encode(app.hook.envelope(data=None, page=None, problem=problem)))
    return found


_ALWAYS_THE_SAME: tuple[type[problems.Problem], ...] = (
    problems.Unauthenticated,
    problems.NotFound,
    problems.NotAcceptable,
    problems.Timeout,
    problems.VersionConflict,
    problems.PayloadTooLarge,
    problems.UnsupportedMediaType,
    problems.Problem,
    problems.Unavailable,
)


# What is sent ---------------------------------------------------------------------------------------------------------


def _reads_body(endpoint: "Endpoint") -> bool:
    return endpoint.route.method in ("POST", "PATCH")


def _checks_version(endpoint: "Endpoint") -> bool:
    return endpoint.route.method in ("PATCH", "DELETE") or bool(_reads_body(endpoint) and endpoint.signature.params)


def _parameters(endpoint: "Endpoint") -> Iterator[Json]:
    for name in endpoint.signature.params:
        whose = "The record's id." if name == "id" else "The id of a part of the record."
        yield {"name": name, "in": "path", "required": True, "description": whose, "schema": {"type": "string"}}
    if endpoint.signature.query:
        yield from _query(endpoint.signature.query, endpoint.ids)
    if endpoint.route.method != "GET":
        yield _ref("parameters", "IdempotencyKey")
    if _checks_version(endpoint):
        yield _ref("parameters", "IfMatch")


def _query(kind: Any, ids: Mapping[str, str]) -> Iterator[Json]:
    """The members of a query as parameters; `ids` says what the ids begin with that some of them take."""
    (query,) = described([kind])[1].values()
    for name, member in query["properties"].items():
        given = [option for option in member.get("anyOf", [member]) if option != NULL]
        schema = given[0] if len(given) == 1 else {"anyOf": given}
        parameter: Json = {"name": name, "in": "query"}
        required = name in query["required"]
        if description := _of_bound(name, given) or member.get("description") or (not required and _of(name, schema)):
            parameter["description"] = description
        if required:
            parameter["required"] = True
        if name in ids:
            schema.get("items", schema)["pattern"] = f"^{ids[name] or '[a-z]{2,5}'}_[0-9a-z]{{1,40}}$"
        if name == "sort":
            field = f"-?({'|'.join(kind.sortable)})"
            schema["pattern"] = f"^{field}(,{field})*$"
        if schema.get("type") == "array":
            schema["minItems"] = 1
            parameter |= {"style": "form", "explode": False}
        if schema.get("type") == "object":
            parameter |= {"style": "deepObject", "explode": True}
        yield {**parameter, "schema": without(schema, "description")}


def _of_bound(name: str, given: list[Json]) -> str:
    """What a bound of a filter does."""
    of, _, bound = name.rpartition("_")
    if not of or bound not in ("from", "to"):
        return ""
    from_, to = ("or later", "or earlier") if "date" in str(given) else ("or more", "or less")
    within = f"Records whose `{of}` is this {from_ if bound == 'from' else to}."
    takes_time = "date-time" in str(given)
    return within + (" A date means that whole day in the business's time zone." if takes_time else "")


def _of(name: str, schema: Json) -> str:
    """What a filter does that says nothing of itself."""
    return f"Records with {'any of these values' if schema.get('type') == 'array' else 'this value'} of `{name}`."


_PARAMETERS = {
    "IdempotencyKey": {
        "name": "Idempotency-Key",
        "in": "header",
        "description": "The same key with the same request returns the first response again, for 24 hours.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]([ -~]*[!-~])?$"},
    },
    "IfMatch": {
        "name": "If-Match",
        "in": "header",
        "description": "The ETag of the version to change; if the record has another version, the response is 412.",
        "schema": {"type": "string"},
    },
}


# What is refused ------------------------------------------------------------------------------------------------------


def _refusals(app: "App", endpoint: "Endpoint") -> Iterator[tuple[type[problems.Problem], str, list[str]]]:
    """The problems a client may meet on a route, by status: each with what tells its answer from others, and its codes.

    Core's own follow from what the route takes; a handler names the others in its docstring.
    """
    own = [code for code in dict.fromkeys(_named(endpoint)) if code in app.codes]
    for kind, label, codes in _possible(endpoint):
        more = sorted(code for code in own if app.codes[code].status == kind.status and code not in codes)
        yield kind, label + "".join(f"_{code}" for code in more), [*codes, *more]


def _possible(endpoint: "Endpoint") -> Iterator[tuple[type[problems.Problem], str, list[str]]]:
    route = endpoint.route
    writes, reads_body = route.method != "GET", _reads_body(endpoint)
    yield problems.BadRequest, *_unreadable(endpoint)
    if not route.public:
        keys = ["missing_api_key", "invalid_api_key", "revoked_api_key", "expired_api_key"]
        yield problems.Unauthenticated, "", keys
    if route.scope:
        yield problems.Forbidden, "", ["insufficient_scope"]
    if endpoint.signature.params:
        yield problems.NotFound, "", ["resource_not_found"]
    if endpoint.signature.answer is not Reply:
        yield problems.NotAcceptable, "", ["not_acceptable"]
    if reads_body:
        yield problems.Timeout, "", ["timeout"]
    if writes:
        named = "external_id" in getattr(endpoint.signature.body, "__struct_fields__", ())
        conflicts = [
            "conflict",
            "idempotency_in_progress",
            "idempotency_answer_gone",
            *(["duplicate_external_id"] if named else []),
        ]
        yield problems.Conflict, "Record" if named else "", conflicts
    if _checks_version(endpoint):
        yield problems.VersionConflict, "", ["version_conflict"]
    if reads_body:
        yield problems.PayloadTooLarge, "", ["payload_too_large"]
        yield problems.UnsupportedMediaType, "", ["unsupported_media_type"]
        yield problems.Invalid, "Body", ["validation_failed", "idempotency_key_reused"]
    elif writes:
        yield problems.Invalid, "", ["idempotency_key_reused"]
    yield problems.RateLimited, "", ["rate_limited"]
    yield problems.Problem, "", ["internal_error"]
    yield problems.Unavailable, "", ["unavailable"]


def _unreadable(endpoint: "Endpoint") -> tuple[str, list[str]]:
    codes = ["malformed_request", "unknown_parameter", "invalid_parameter"]
    if _reads_body(endpoint):
        return "Body", [*codes, "malformed_json", "duplicate_key", "too_deep"]
    if endpoint.signature.listed:
        return "List", [*codes, "invalid_filter", "invalid_sort", "invalid_cursor", "page_too_large"]
    return ("Query", [*codes, "invalid_filter"]) if endpoint.signature.query else ("", codes)


# Headers --------------------------------------------------------------------------------------------------------------

_WHOLE = {"type": "integer", "minimum": 0}
_ALWAYS = ("X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")
_HEADERS: dict[str, Json] = {
    "X-Request-Id": {
        "description": "The request's id in the server's logs.",
        "required": True,
        "schema": {"type": "string"},
    },
    "X-RateLimit-Limit": {"description": "Requests in the window.", "required": True, "schema": _WHOLE},
    "X-RateLimit-Remaining": {"description": "Requests left in the window.", "required": True, "schema": _WHOLE},
    "X-RateLimit-Reset": {
        "description": "When the oldest counted request leaves the window, in Unix seconds.",
        "required": True,
        "schema": _WHOLE,
    },
    "ETag": {
        "description": "The record's version, for If-Match.",
        "required": True,
        "schema": {"type": "string", "pattern": '^"[0-9]+"$'},
    },
    "Location": {"description": "The URL of the new record.", "required": True, "schema": {"type": "string"}},
    "Link": {
        "description": 'The URL of the next page, with `rel="next"`, if there is one.',
        "schema": {"type": "string"},
    },
    "Idempotent-Replayed": {
        "description": "Present if this is the stored response to an earlier request with the same key.",
        "schema": {"const": "true"},
    },
    "Retry-After": {"description": "Seconds to wait.", "required": True, "schema": _WHOLE},
    "WWW-Authenticate": {
        "description": "How to authenticate.",
        "required": True,
        "schema": {"const": "Bearer"},
    },
}
_WITH: dict[type[problems.Problem], tuple[str, ...]] = {
    problems.RateLimited: ("Retry-After",),
    problems.Unavailable: ("Retry-After",),
    problems.Unauthenticated: ("WWW-Authenticate",),
}


def _headers_of_notice(goes: bool) -> Json:
    since = {
        "description": "When the route was deprecated, in Unix seconds after an @ (RFC 9745).",
        "required": True,
        "schema": {"type": "string", "pattern": "^@[0-9]+$"},
    }
    until = {
        "description": "When the route will be removed (RFC 8594).",
        "required": True,
        "schema": {"type": "string"},
    }
    return {"Deprecation": since} | ({"Sunset": until} if goes else {})


def _headers(names: Iterable[str]) -> Json:
    return {name: _ref("headers", name) for name in names}


def _ref(kind: str, name: str) -> Json:
    return {"$ref": f"#/components/{kind}/{name}"}
