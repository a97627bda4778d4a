"""Tools made from the routes: names, descriptions and input schemas from the OpenAPI document."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from string import Formatter
from typing import Any
from urllib.parse import quote
from weakref import WeakKeyDictionary

from msgspec import Struct

from billycan import App, Fault, Identity, Invalid
from billycan.web import encode

from .policies import matches
from .questions import Question, for_people, may_lack

Json = Mapping[str, Any]

JSON, ANYTHING = "application/json", "*/*"
MOST_LISTED = 40
MOST_FOUND = 8
# The dozen that most businesses need every day; `search_tools` finds the others.
COMMONEST = (
    "list_contacts",
    "create_contact",
    "list_invoices",
    "get_invoice",
    "create_invoice",
    "send_invoice",
    "list_quotes",
    "create_quote",
    "list_jobs",
    "create_job",
    "list_bookings",
    "get_proposal",
)
_ENDING = {"void", "cancel", "write_off", "decline", "end", "reverse", "merge", "reset", "no_show", "archive", "revise"}
_WORD = re.compile(r"[a-z0-9]+")
_SCHEMAS = "#/components/schemas/"


class Attached(Struct, frozen=True):
    """Resources that follow the answer of an operation, such as the picture of what it describes.

    addresses: Such as `billycan://attachments/{photo_id}/content`, with members of the answer in braces.
    """

    operation: str
    addresses: tuple[str, ...]


class Tool(Struct, frozen=True):
    """An operation of the API as a tool.

    `places` maps each argument but `body`, `if_match` and `idempotency_key` to `path` or `query`. `allows` are the ways
    in which a caller may be allowed to call it, each as the scopes that it needs together. `answers` is the media type
    of its answer, which is a file unless it is JSON. `mirrors` are the arguments that its schema wants repeated in
    headers, each as the names on the way to it and the header. `questions` ask people for arguments that a call lacks.
    `attaches` are the addresses of resources that follow its answer.
    """

    name: str
    title: str
    description: str
    schema: Json
    method: str
    path: str
    plugin: str
    writes: bool
    places: Mapping[str, str]
    allows: tuple[tuple[str, ...], ...]
    answers: str
    mirrors: tuple[tuple[tuple[str, ...], str], ...]
    questions: tuple[Question, ...]
    attaches: tuple[str, ...]

    @property
    def is_file(self) -> bool:
        """Tell whether it answers a file."""
        return self.answers != JSON

    def is_allowed(self, identity: Identity) -> bool:
        """Tell whether the caller holds the scopes that the tool needs."""
        return any(all(map(identity.holds, scopes)) for scopes in self.allows)

    def describe(self, *, takes_reason: bool = False) -> dict[str, Any]:
        """Return the tool as a list of tools has it; one that `takes_reason` may become a proposal."""
        schema = dict(self.schema)
        if takes_reason and self.writes:
            schema["properties"] = {**schema["properties"], "reason": _REASON}
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": schema,
            "annotations": self._annotations(),
        }

    def _annotations(self) -> dict[str, Any]:
        if not self.writes:
            return {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False}
        ends = self.method == "DELETE" or self.path.rpartition("/")[2] in _ENDING
        return {
            "readOnlyHint": False,
            "destructiveHint": ends or self.method == "PATCH",
            "idempotentHint": self.method != "POST",
            "openWorldHint": False,
        }

    def next_question(self, arguments: Json, answers: Json) -> Question | None:
        """Return the first question whose arguments a call lacks, unless it was answered or declined, which is None."""
        for question in self.questions:
            answer = answers.get(question.name, {})
            lacking = [name for name in question.asks if self._is_missing(arguments, name)]
            if lacking and answer is not None and not answer.keys() >= {*lacking}:
                return question
        return None

    def fill_in(self, arguments: Json, answers: Json) -> dict[str, Any]:
        """Return the arguments of a call with what people answered where it lacks something."""
        filled, body = dict(arguments), dict[str, Any]()
        for question in self.questions:
            for name, value in (answers.get(question.name) or {}).items():
                if name in question.asks and self._is_missing(arguments, name):
                    (filled if name in self.places else body)[name] = value
        return {**filled, "body": {**(arguments.get("body") or {}), **body}} if body else filled

    def members(self, asks: Sequence[str]) -> dict[str, Json]:
        """Return the schemas of members of the tool's query or body, as people are shown them."""
        known = self.schema["properties"]
        holders = {name: known if name in self.places else known["body"]["properties"] for name in asks}
        return {name: for_people(holder[name]) for name, holder in holders.items()}

    def _is_missing(self, arguments: Json, name: str) -> bool:
        holder = arguments if name in self.places else arguments.get("body") or {}
        return isinstance(holder, Mapping) and name not in holder

    def request(self, arguments: Json) -> tuple[str, dict[str, Any], bytes, int | None, str | None]:
        """Return the path, the query, the body, the version and the Idempotency-Key of a call with these arguments.

        Raise Invalid for arguments that the tool does not take, or that its path needs.
        """
        faults = []
        path, query = self.path, dict[str, Any]()
        known = self.schema["properties"]
        for name, value in arguments.items():
            if name not in known:
                text = f"is not an argument of {self.name}, which takes {', '.join(known) or 'none'}"
                faults.append(Fault(name, "unknown_field", text))
            elif self.places.get(name) == "path":
                path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
            elif self.places.get(name) == "query" and value is not None:
                query |= _in_query(name, value)
        missing = [name for name, place in self.places.items() if place == "path" and name not in arguments]
        faults += [Fault(name, "required", "is required") for name in missing]
        version, key, body = (arguments.get(name) for name in ("if_match", "idempotency_key", "body"))
        if version is not None and (not isinstance(version, int) or isinstance(version, bool)):
            faults.append(Fault("if_match", "invalid_type", "must be a whole number, the `version` of the record"))
        if key is not None and not isinstance(key, str):
            faults.append(Fault("idempotency_key", "invalid_type", "must be text"))
        if faults:
            raise Invalid.of(*faults)
        return path, query, b"" if body is None else encode(body), version, key


_REASON = {
    "type": "string",
    "maxLength": 500,
    "description": "Why you do this, in one sentence. A person who has to approve it reads it.",
}
_IF_MATCH = {"type": "integer", "description": "The `version` that the record must still have."}
_IDEMPOTENCY_KEY = {
    "type": "string",
    "minLength": 1,
    "maxLength": 200,
    "description": "A text of your own: the same call with the same text is carried out once.",
}

SEARCH, CALL = "search_tools", "call_tool"
_ABOUT_OTHERS: tuple[dict[str, Any], ...] = (
    {
        "name": CALL,
        "title": "Call another tool",
        "description": f"Call a tool that {SEARCH} found, with the arguments that its inputSchema describes.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "The name of the tool."},
                "arguments": {"type": "object", "description": "Its arguments."},
            },
            "required": ["name"],
            "additionalProperties": False,
        },
        "annotations": {"readOnlyHint": False, "destructiveHint": True, "openWorldHint": False},
    },
    {
        "name": SEARCH,
        "title": "Find tools",
        "description": f"Find more tools by words, such as `void invoice`, and call them with {CALL}.",
        "inputSchema": {
            "type": "object",
            "properties": {"query": {"type": "string", "description": "Words that describe what you want to do."}},
            "required": ["query"],
            "additionalProperties": False,
        },
        "annotations": {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False},
    },
)

_made: "WeakKeyDictionary[App, dict[str, Tool]]" = WeakKeyDictionary()


def all_tools(app: App) -> Mapping[str, Tool]:
    """Return every tool of a deployment by its name, in the order of names; made once for each app."""
    if app not in _made:
        _made[app] = {tool.name: tool for tool in sorted(_tools(app), key=lambda tool: tool.name)}
    return _made[app]


def allowed_tools(app: App, identity: Identity, policy: Identity.Policy | None = None) -> list[Tool]:
    """Return the tools that the caller's scopes and policy allow, in the order of names."""
    tools = [tool for tool in all_tools(app).values() if tool.is_allowed(identity)]
    if policy is None:
        return tools
    only_reads = policy.mode == "read_only"
    return [tool for tool in tools if not (tool.writes and (only_reads or matches(tool.name, policy.never)))]


def fill_in_addresses(addresses: Sequence[str], known: Mapping[str, str]) -> list[str]:
    """Return the addresses of which all that stands in braces is known, with that in its place."""
    needed = {address: {name for _, name, _, _ in Formatter().parse(address) if name} for address in addresses}
    return [address.format_map(known) for address, names in needed.items() if names <= known.keys()]


def list_tools(app: App, identity: Identity, policy: Identity.Policy | None = None) -> list[dict[str, Any]]:
    """Describe the tools that a caller is shown: all of up to 40, else the commonest and two that find the others.

    Where a person may have to approve a call, it takes a reason.
    """
    tools, takes_reason = allowed_tools(app, identity, policy), may_propose(policy)
    if len(tools) <= MOST_LISTED:
        return [tool.describe(takes_reason=takes_reason) for tool in tools]
    shown = [tool.describe(takes_reason=takes_reason) for tool in tools if tool.name in COMMONEST]
    return sorted([*shown, *_ABOUT_OTHERS], key=lambda tool: str(tool["name"]))


def scopes_at_first(app: App) -> list[str]:
    """List the scopes of the commonest tools: an app may begin with these, and ask for more when a call needs it."""
    tools = all_tools(app)
    return sorted({scope for name in COMMONEST if name in tools for scope in tools[name].allows[0]})


def may_propose(policy: Identity.Policy | None) -> bool:
    """Tell whether a person may have to approve what a caller with this policy does."""
    return policy is not None and policy.mode != "read_only" and not policy.is_free


def search_tools(tools: Sequence[Tool], query: str) -> list[Tool]:
    """Return the tools that words describe best: those in the name count most, then those in the title."""
    words = {*_WORD.findall(query.lower())}
    ranked = [(_rank(tool, words), tool) for tool in tools]
    found = sorted((each for each in ranked if each[0]), key=lambda each: (-each[0], each[1].name))
    return [tool for _, tool in found[:MOST_FOUND]]


def _rank(tool: Tool, words: set[str]) -> int:
    name, title, text = ({*_WORD.findall(each.lower())} for each in (tool.name, tool.title, tool.description))
    name |= {word.removesuffix("s") for word in name}
    return sum(
        8 * (word in name or word.removesuffix("s") in name) + 3 * (word in title) + (word in text) for word in words
    )


def _tools(app: App) -> Iterator[Tool]:
    document = app.openapi()
    resolve = partial(_resolve, document["components"]["schemas"])
    for endpoint in app.endpoints:
        route = endpoint.route
        operation = document["paths"][route.path][route.method.lower()]
        answers = operation["responses"][str(route.status)]["content"]
        # A file can be an answer, but no argument; nor is one the answer to a change.
        if route.public or route.receive or (endpoint.writes and JSON not in answers):
            continue
        properties, places, needed = dict[str, Any](), dict[str, str](), list[str]()
        for parameter in operation.get("parameters", ()):
            if "$ref" in parameter:
                parameter = document["components"]["parameters"][parameter["$ref"].rpartition("/")[2]]  # noqa: PLW2901
            name, place = parameter["name"], parameter["in"]
            if place == "header":
                if name == "If-Match":
                    properties["if_match"] = _IF_MATCH
                elif name == "Idempotency-Key":
                    properties["idempotency_key"] = _IDEMPOTENCY_KEY
                continue
            described = {"description": parameter["description"]} if "description" in parameter else {}
            properties[name], places[name] = {**resolve(parameter["schema"]), **described}, place
            needed += [name] if parameter.get("required") else []
        body = operation.get("requestBody")
        if body:
            properties["body"] = resolve(body["content"][JSON]["schema"])
            needed += ["body"] if body.get("required") else []
        text = operation.get("description") or ""
        schema = {
            "type": "object",
            "properties": properties,
            **({"required": needed} if needed else {}),
            "additionalProperties": False,
        }
        questions = tuple(each for _, each in app.offered(Question) if each.operation == operation["operationId"])
        for question in questions:
            schema = may_lack(schema, question.asks)
        yield Tool(
            name=operation["operationId"],
            title=operation["summary"].rstrip("."),
            description="\n\n".join(filter(None, (operation["summary"], text))),
            schema=schema,
            method=route.method,
            path=route.path,
            plugin=endpoint.plugin,
            writes=endpoint.writes,
            places=places,
            allows=tuple(tuple(each["bearer"]) for each in operation["security"]),
            answers=JSON if JSON in answers else next(iter(answers)),
            mirrors=(*_mirrored(properties),),
            questions=questions,
            attaches=tuple(
                address
                for _, each in app.offered(Attached)
                if each.operation == operation["operationId"]
                for address in each.addresses
            ),
        )


def _mirrored(properties: Json, within: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the properties that clients repeat in a header, so that proxies can route by them."""
    for name, schema in properties.items():
        if "x-mcp-header" in schema:
            yield (*within, name), f"Mcp-Param-{schema['x-mcp-header']}"
        yield from _mirrored(schema.get("properties", {}), (*within, name))


def _resolve(schemas: Json, schema: Any, within: tuple[str, ...] = ()) -> Any:
    """Return a schema with what it refers to in its place: many clients pass schemas on to models that resolve none."""
    if isinstance(schema, list):
        return [_resolve(schemas, each, within) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(_SCHEMAS)
        if name in within:
            return {"type": "object"}
        more = {key: value for key, value in schema.items() if key != "$ref"}
        return {**_resolve(schemas, schemas[name], (*within, name)), **_resolve(schemas, more, within)}
    resolve = partial(_resolve, schemas, within=within)
    return {
        # Members have any names.
        key: {name: resolve(each) for name, each in value.items()} if key == "properties" else resolve(value)
        for key, value in schema.items()
        if key not in ("example", "examples")
    }


def _in_query(name: str, value: Any) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return {f"{name}[{key}]": str(each) for key, each in value.items()}
    return {name: value if isinstance(value, int | list) else str(value)}
