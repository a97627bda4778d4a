"""The OpenAPI 3.1 document, from routes and signatures."""

import inspect
from collections.abc import Iterable, Iterator
from http import HTTPStatus
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakKeyDictionary

from msgspec import UNSET, Struct, UnsetType

from . import problems
from .defaults import Pagination
from .manifest import Empty, Reply
from .schemas import NULL, Json, Schemas, described, options, without

if TYPE_CHECKING:
    from .app import App
    from .pipeline import Endpoint

INTRODUCTION = """A small business's contacts, documents and money, from plugins.

Every answer is `{"data", "pagination", "error"}`. Text is trimmed and holds no control characters but newline and tab;
dates lie between 1900 and 2200; amounts have at most 2 decimals, unit prices, quantities and percentages 4. An array in
a merge patch replaces the stored one; an item with the `id` of a stored one is merged over it."""


class Error(Struct, kw_only=True):
    """What is wrong and how to mend it: every fault of a body is in `details`; some codes have members of their own."""

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
    limit: Literal["minute", "second"] | UnsetType = UNSET
    retry_after: int | UnsetType = UNSET


class ErrorEnvelope(Struct):
    """Every answer that is no success."""

    data: None
    pagination: None
    error: Error


_documents: "WeakKeyDictionary[App, Json]" = WeakKeyDictionary()


def document(app: "App") -> Json:
    """The description of every mounted route, made when it is first asked for."""
    if app not in _documents:
        _documents[app] = _document(app)
    return _documents[app]


def _document(app: "App") -> Json:
    signatures = [endpoint.signature for endpoint in app.endpoints]
    answers = [s.listed or s.answer for s in signatures if s.answer is not Reply]
    schemas = Schemas([Empty, *(s.body for s in signatures if s.body)], [Pagination, ErrorEnvelope, *answers])
    paths: dict[str, Json] = {}
    for endpoint in app.endpoints:
        operation = _operation(app, endpoint, schemas)
        paths.setdefault(endpoint.route.path, {})[endpoint.route.method.lower()] = operation
    refused = {kind: _refusal(kind, schemas) for endpoint in app.endpoints for kind in _refusals(endpoint)}
    return {
        "openapi": "3.1.0",
        "info": {"title": "billycan", "version": version("billycan-core"), "description": INTRODUCTION},
        "servers": [{"url": app.public_url}],
        "tags": [{"name": plugin} for plugin in dict.fromkeys(endpoint.plugin for endpoint in app.endpoints)],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.components.items())),
            "responses": {kind.__name__: answer for kind, answer in refused.items()},
            "parameters": _PARAMETERS,
            "headers": _HEADERS,
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer", "description": "An API key."}},
        },
    }


def _operation(app: "App", endpoint: "Endpoint", schemas: Schemas) -> Json:
    route = endpoint.route
    summary, _, description = (inspect.getdoc(route.handler) or "").partition("\n")
    operation: Json = {
        "operationId": getattr(route.handler, "__name__", ""),
        "summary": summary,
        "description": description.strip(),
        "tags": [endpoint.plugin],
        "security": [] if route.public else [{"bearer": [route.scope] if route.scope else []}],
        "parameters": list(_parameters(endpoint)),
        "requestBody": _body(endpoint, schemas),
        "responses": {str(route.status): _answer(app, endpoint, schemas)}
        | {str(kind.status): {"$ref": f"#/components/responses/{kind.__name__}"} for kind in _refusals(endpoint)},
    }
    return {name: value for name, value in operation.items() if value or name in ("security", "summary")}


# What is sent ---------------------------------------------------------------------------------------------------------


def _reads_body(endpoint: "Endpoint") -> bool:
    return endpoint.route.method in ("POST", "PATCH")


def _checks_version(endpoint: "Endpoint") -> bool:
    return endpoint.route.method in ("PATCH", "DELETE") or bool(_reads_body(endpoint) and endpoint.signature.params)


def _parameters(endpoint: "Endpoint") -> Iterator[Json]:
    for name in endpoint.signature.params:
        yield {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
    if endpoint.signature.query:
        yield from _query(endpoint.signature.query)
    if endpoint.route.method != "GET":
        yield {"$ref": "#/components/parameters/IdempotencyKey"}
    if _checks_version(endpoint):
        yield {"$ref": "#/components/parameters/IfMatch"}


def _query(kind: Any) -> Iterator[Json]:
    """The members of a query as parameters."""
    (query,) = described([kind])[1].values()
    for name, member in query["properties"].items():
        given = [option for option in member.get("anyOf", [member]) if option != NULL]
        schema = given[0] if len(given) == 1 else {"anyOf": given}
        parameter: Json = {"name": name, "in": "query"}
        if description := schema.get("description") or _DESCRIPTIONS.get(name):
            parameter["description"] = description
        if name in query["required"]:
            parameter["required"] = True
        if name == "sort":
            field = f"-?({'|'.join(kind.sortable)})"
            schema["pattern"] = f"^{field}(,{field})*$"
        if schema.get("type") == "array":
            schema["minItems"] = 1
            parameter |= {"style": "form", "explode": False}
        if schema.get("type") == "object":
            parameter |= {"style": "deepObject", "explode": True}
        yield {**parameter, "schema": without(schema, "description")}


_DESCRIPTIONS = {
    "page": "From 1; not together with `cursor`.",
    "per_page": "How many to a page; 25 unless said.",
    "cursor": "`next_cursor` or `prev_cursor` of another page; filters and sort are repeated unchanged.",
    "sort": "Fields in order, each once; `-` before one for descending. `-created_at` unless said.",
    "include": "What list items leave out by themselves.",
}

_PARAMETERS = {
    "IdempotencyKey": {
        "name": "Idempotency-Key",
        "in": "header",
        "description": "The same key with the same request gives the first answer again, for 24 hours.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]([ -~]*[!-~])?$"},
    },
    "IfMatch": {
        "name": "If-Match",
        "in": "header",
        "description": "The ETag of the version to change; where the record has another, the answer is 412.",
        "schema": {"type": "string"},
    },
}


def _body(endpoint: "Endpoint", schemas: Schemas) -> Json | None:
    if not _reads_body(endpoint):
        return None
    signature = endpoint.signature
    if signature.patch:
        schema = schemas.patch(signature.body, signature.shown)
    else:
        schema = schemas.sent(signature.body or Empty)
    media_types = ["application/json", *(["application/merge-patch+json"] if endpoint.route.method == "PATCH" else [])]
    content = {media_type: {"schema": schema} for media_type in media_types}
    return {"required": schemas.requires(schema), "content": content}


# What is answered -----------------------------------------------------------------------------------------------------


def _answer(app: "App", endpoint: "Endpoint", schemas: Schemas) -> Json:
    route, signature = endpoint.route, endpoint.signature
    kinds = options(signature.answer)
    headers = [*_ALWAYS]
    if any("version" in getattr(kind, "__struct_fields__", ()) for kind in kinds):
        headers.append("ETag")
    # A handler that makes one of several resources names what they have in common.
    if route.status == 201 and any(_is_a(home, kind) for home in app.homes for kind in kinds):
        headers.append("Location")
    if signature.listed:
        headers.append("Link")
    if route.method != "GET":
        headers.append("Idempotent-Replayed")
    content: Json = {"*/*": {}}
    if signature.answer is not Reply:
        data = schemas.shown(signature.listed or signature.answer)
        members = {
            "data": {"type": "array", "items": data} if signature.listed else data,
            "pagination": schemas.shown(Pagination) if signature.listed else NULL,
            "error": NULL,
        }
        content = _json({"type": "object", "properties": members, "required": [*members]})
        content |= {media_type: {"schema": {"type": "string"}} for media_type in route.also}
    return {"description": HTTPStatus(route.status).phrase, "headers": _headers(headers), "content": content}


def _refusals(endpoint: "Endpoint") -> Iterator[type[problems.Problem]]:
    """The problems a client may meet on a route, by status."""
    route = endpoint.route
    writes, reads_body = route.method != "GET", _reads_body(endpoint)
    yield problems.BadRequest
    if not route.public:
        yield problems.Unauthenticated
    if route.scope:
        yield problems.Forbidden
    if endpoint.signature.params:
        yield problems.NotFound
    if endpoint.signature.answer is not Reply:
        yield problems.NotAcceptable
    if reads_body:
        yield problems.Timeout
    if writes:
        yield problems.Conflict
    if _checks_version(endpoint):
        yield problems.VersionConflict
    if reads_body:
        yield from (problems.PayloadTooLarge, problems.UnsupportedMediaType)
    if writes:
        yield problems.Invalid
    yield from (problems.RateLimited, problems.Problem, problems.Unavailable)


def _refusal(kind: type[problems.Problem], schemas: Schemas) -> Json:
    names = [*_ALWAYS]
    if kind in (problems.RateLimited, problems.Unavailable):
        names.append("Retry-After")
    if kind is problems.Unauthenticated:
        names.append("WWW-Authenticate")
    return {"description": kind.message, "headers": _headers(names), "content": _json(schemas.shown(ErrorEnvelope))}


_WHOLE = {"type": "integer", "minimum": 0}
_ALWAYS = ("X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")
_HEADERS: dict[str, Json] = {
    "X-Request-Id": {"description": "The request's id in our logs.", "required": True, "schema": {"type": "string"}},
    "X-RateLimit-Limit": {"description": "Requests in the window.", "required": True, "schema": _WHOLE},
    "X-RateLimit-Remaining": {"description": "How many are left.", "required": True, "schema": _WHOLE},
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
    "Location": {"description": "Where the new record is.", "required": True, "schema": {"type": "string"}},
    "Link": {"description": 'The next page, with `rel="next"`, where there is one.', "schema": {"type": "string"}},
    "Idempotent-Replayed": {"description": "That this answer is an earlier one.", "schema": {"const": "true"}},
    "Retry-After": {"description": "Seconds to wait.", "required": True, "schema": _WHOLE},
    "WWW-Authenticate": {"required": True, "schema": {"const": "Bearer"}},
}


def _is_a(kind: Any, other: Any) -> bool:
    return isinstance(kind, type) and isinstance(other, type) and issubclass(kind, other)


def _headers(names: Iterable[str]) -> Json:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _json(schema: Json) -> Json:
    return {"application/json": {"schema": schema}}
