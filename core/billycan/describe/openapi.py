"""The OpenAPI 3.1 document, from routes, signatures, docstrings and recorded answers."""

import inspect
import json
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import reduce
from http import HTTPStatus
from importlib.metadata import version
from operator import or_
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakKeyDictionary

import msgspec
from msgspec import UNSET, Struct, UnsetType, structs

from .. import problems
from ..context import Context, Event
from ..defaults import Pagination
from ..members import options
from ..resources import Empty, Reply
from ..starting import packages
from ..web import encode, parse
from .codes import every_code
from .headers import ALWAYS, HEADERS, WITH, deprecation_headers, pick_headers, refer_to
from .parameters import PARAMETERS, describe_parameters, reads_body, shows_version
from .refusals import example_errors, find_refusals, named_words
from .schemas import NULL, Json, Schemas, without_key

if TYPE_CHECKING:
    from ..app import App
    from ..endpoints import Endpoint
    from ..manifest import Route

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

# Generators of clients know this media type for any file; where they find no schema, they leave the operation out.
OCTETS = "application/octet-stream"
BINARY: Json = {"type": "string", "format": "binary"}

KEY = """An API key: `svc_live_…` is production, `svc_test_…` the sandbox. Each operation lists the scope that the key
must have: `<plugin>:read` or `<plugin>:write`; `read` and `write` stand for those of all plugins. Write does not
include read."""


class Error(Struct, kw_only=True):
    """The problem and how to fix it. `details` lists every error in a body, and some codes have members of their own.

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
    """A plugin's file of recorded examples: by operation, by error code and by event."""

    operations: Mapping[str, Json] = {}
    errors: Mapping[str, Json] = {}
    events: Mapping[str, Json] = {}


_documents: "WeakKeyDictionary[App, Json]" = WeakKeyDictionary()
_building = Lock()


def describe_api(app: "App") -> Json:
    """Return the OpenAPI document of every mounted route; it is built once for each app."""
    with _building:  # or all the first requests would build it at once
        if app not in _documents:
            _documents[app] = _Document(app).whole()
        return _documents[app]


class _Document:
    """Builds one document; collects the components that several operations refer to."""

    def __init__(self, app: "App") -> None:
        self.app = app
        self.delivery = next((each.operation for _, each in app.offered(Event.Carrier) if each.operation), None)
        signatures = [endpoint.signature for endpoint in app.endpoints]
        answers = [s.listed or s.answer for s in signatures if s.answer is not Reply]
        events = app.events.values() if self.delivery else ()
        self.schemas = Schemas(
            [Empty, *(s.body for s in signatures if s.body)], [Pagination, ErrorEnvelope, *answers, *events]
        )
        self.examples = {name: _read_examples(packages.examples_of(name)) for name in app.parts}
        self.errors = example_errors(app) | {k: v for found in self.examples.values() for k, v in found.errors.items()}
        self.codes = every_code(app)
        self.guarded = [code for _, guard in app.offered(Context.Guard) for code in guard.codes]
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
            "tags": [
                _describe_plugin(self.app, plugin) for plugin in dict.fromkeys(e.plugin for e in self.app.endpoints)
            ],
            "paths": paths,
            **({"webhooks": webhooks} if webhooks else {}),
            "components": {
                "schemas": dict(sorted(self.schemas.components.items())),
                "responses": self.responses,
                "examples": {code: {"value": self.errors[code]} for code in self.shown_codes},
                "parameters": PARAMETERS,
                "headers": HEADERS,
                "links": self.links,
                "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer", "description": KEY}},
            },
        }

    def operation(self, endpoint: "Endpoint") -> Json:
        route = endpoint.route
        summary, description = _summary_and_description(endpoint)
        responses = {str(route.status): self.answer(endpoint)}
        if shows_version(endpoint):
            responses["304"] = {"description": "Not Modified", "headers": pick_headers([*ALWAYS, "ETag"])}
        others = [self.app.at["GET", path] for path in route.also.values()]
        guarded = self.guarded if endpoint.writes else ()
        for kind, label, codes in find_refusals(self.codes, endpoint, *others, besides=guarded):
            responses[str(kind.status)] = self.refusal(kind, label, codes)
        operation: Json = {
            "operationId": _operation_id(endpoint),
            "summary": summary,
            "description": description,
            "tags": [endpoint.plugin],
            "security": [] if route.public else [{"bearer": scopes} for scopes in self.scopes(route)],
            "parameters": list(describe_parameters(endpoint, self.app.at)),
            "requestBody": self.body(endpoint),
            "responses": responses,
        }
        if route.deprecated:
            notice = deprecation_headers(bool(route.sunset))
            operation["deprecated"] = True
            operation["responses"] = {status: self.with_headers(r, notice) for status, r in responses.items()}
        return {name: value for name, value in operation.items() if value or name in ("security", "summary")}

    def scopes(self, route: "Route") -> list[list[str]]:
        """List the ways a key may be allowed, each as the scopes that it needs together."""
        own = [route.scope] if route.scope else []
        return [[*own, scope] for scope in self.app.scopes_to_make(route)] or [own]

    def recorded(self, endpoint: "Endpoint", part: str) -> Json:
        """Return the recorded example of a request or an answer, or nothing if there is none."""
        example = self.examples[endpoint.plugin].operations.get(_operation_id(endpoint), {}).get(part)
        if part == "answer" and example:
            kind = endpoint.signature.listed or endpoint.signature.answer
            example = {**example, "data": self.with_added(kind, example["data"])}
        return {} if example is None else {"example": example}

    def with_added(self, kind: Any, data: Any) -> Any:
        """Return recorded records with the members that other plugins add to them."""
        adds = next((adds for more, adds in self.app.extensions.values() if more is kind), ())
        added = parse(encode(reduce(or_, (structs.asdict(e.shows()) for e in adds), {})))
        return [{**record, **added} for record in data] if isinstance(data, list) else {**data, **added}

    def body(self, endpoint: "Endpoint") -> Json | None:
        if not reads_body(endpoint):
            return None
        if endpoint.route.receive:
            return {"required": True, "content": {OCTETS: {"schema": BINARY, **self.recorded(endpoint, "request")}}}
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
        headers = [*ALWAYS]
        if signature.listed:
            headers.append("Link")
        elif any("version" in getattr(kind, "__struct_fields__", ()) for kind in kinds):
            headers.append("ETag")
        if route.status == 201 and homes:
            headers.append("Location")
        if endpoint.writes:
            headers.append("Idempotent-Replayed")
        content = {route.answers or "*/*": {"schema": _file_schema(route.answers)}}
        if content[route.answers or "*/*"]["schema"] is BINARY:
            content[OCTETS] = {"schema": BINARY}
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
            others = {*route.also, *(["text/csv"] if signature.listed else [])}
            content |= {media_type: {"schema": _file_schema(media_type)} for media_type in sorted(others)}
        answer: Json = {"description": HTTPStatus(route.status).phrase, "headers": pick_headers(headers)}
        if route.status == 201 and len(homes) == 1:
            answer["links"] = {name: refer_to("links", name) for name in self.linked(*homes)}
        return answer | {"content": content}

    def kinds(self, endpoint: "Endpoint") -> tuple[Any, ...]:
        """Return the types that an answer's data may have."""
        if endpoint.route.makes:
            return tuple(kind for kind, home in self.app.homes.items() if home in endpoint.route.makes)
        return options(endpoint.signature.listed or endpoint.signature.answer)

    def linked(self, home: str) -> Iterator[str]:
        """Yield the operations on a record that was just created; add a link for each to the components."""
        for endpoint in self.app.endpoints:
            if endpoint.signature.params == ("id",) and endpoint.route.path.startswith(home):
                id = _operation_id(endpoint)
                self.links[id] = {"operationId": id, "parameters": {"id": "$response.body#/data/id"}}
                yield id

    def refusal(self, kind: type[problems.Problem], label: str, codes: list[str]) -> Json:
        """Return a reference to the error response with these codes; add it to the components if it is new."""
        name = kind.__name__ + label
        if name not in self.responses:
            shown = {code: refer_to("examples", code) for code in codes if code in self.errors}
            self.shown_codes |= dict.fromkeys(shown)
            headers = pick_headers(ALWAYS) | pick_headers(WITH.get(kind, ()))
            if kind is problems.Conflict:
                headers["Retry-After"] = without_key(HEADERS["Retry-After"], "required")
            content = {"schema": self.schemas.shown(ErrorEnvelope)} | ({"examples": shown} if shown else {})
            self.responses[name] = {
                "description": "\n".join(f"- `{code}`: {self.codes[code].meaning}" for code in codes),
                "headers": headers,
                "content": {"application/json": content},
            }
        return refer_to("responses", name)

    def with_headers(self, response: Json, headers: Json) -> Json:
        """Return the response in full, not as a reference, with more headers."""
        whole = self.responses[response["$ref"].rpartition("/")[2]] if "$ref" in response else response
        return {**whole, "headers": {**whole["headers"], **headers}}

    def webhook(self, name: str) -> Json:
        """Describe the delivery of an event and its payload."""
        (plugin,) = (m.name for m in self.app.manifests.values() if name in m.events)
        kind = self.app.events[name]
        data = self.schemas.shown(kind)
        # Members that are unset by default are for some readers only; events never have them.
        if never := [f.name for f in structs.fields(kind) if f.default is UNSET]:
            data = {**data, "not": {"anyOf": [{"required": [member]} for member in never]}}
        members = {"event": {"const": name}, "timestamp": {"type": "string", "format": "date-time"}, "data": data}
        schema = {"type": "object", "properties": members, "required": [*members], "additionalProperties": False}
        content: Json = {"schema": schema}
        if example := self.examples[plugin].events.get(name):
            content["example"] = {**example, "data": self.with_added(kind, example["data"])}
        by = [_operation_id(e) for e in self.app.endpoints if name in named_words(e)]
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


def _describe_plugin(app: "App", plugin: str) -> Json:
    module = app.plugins.get_plugin("platform" if plugin == "core" else plugin)
    words = inspect.getdoc(module)
    return {"name": plugin} | ({"description": words} if words else {})


def _file_schema(media_type: str | None) -> Json:
    """Return the schema of an answer that is not an envelope."""
    if media_type == "application/json":
        return {"type": "object"}
    return {"type": "string"} if (media_type or "").startswith("text/") else BINARY


def _operation_id(endpoint: "Endpoint") -> str:
    return str(getattr(endpoint.route.handler, "__name__", ""))


def _summary_and_description(endpoint: "Endpoint") -> tuple[str, str]:
    """Return a route's summary and description from its handler's docstring, and from its deprecation."""
    route = endpoint.route
    summary, _, description = (inspect.getdoc(route.handler) or "").partition("\n")
    told = []
    if route.deprecated:
        gone = f", gone from {route.sunset}" if route.sunset else ""
        told.append(f"Deprecated since {route.deprecated}{gone}." + (f" See <{route.notice}>." if route.notice else ""))
    return summary, "\n\n".join([part for part in (description.strip(), *told) if part])


def _read_examples(file: Any) -> Examples:
    # The file is missing before the first recording. Amounts stay decimals, so that they are printed as recorded.
    kept = json.loads(file.read_text("utf-8"), parse_float=Decimal) if file and file.exists() else {}
    return msgspec.convert(kept, Examples)
