"""Read an OpenAPI document as the clients of each language need it."""

import re
from collections.abc import Iterable, Iterator
from functools import reduce
from typing import Any

Json = dict[str, Any]

SCHEMAS = "#/components/schemas/"


def read_document(document: Json) -> Json:
    """Return the document with references replaced by their targets, except those to Structs, which have names."""
    found: Json = _inlined(document, document)
    return found


def groups_of(document: Json) -> dict[str, list[tuple[str, str, str, Json]]]:
    """Map the first part of paths to the operations there: a method's name, the HTTP method, path and operation."""
    found: dict[str, list[tuple[str, str, Json]]] = {}
    for method, path, operation in operations_of(document):
        (group,) = re.findall(r"^/(?:v\d+/)?(\w+)", path)
        found.setdefault(group, []).append((method, path, operation))
    groups = {}
    for group, each in sorted(found.items()):
        names = [method_name(group, operation_id(*operation)) for operation in each]
        own = [
            name if names.count(name) == 1 else operation_id(*operation)
            for name, operation in zip(names, each, strict=True)
        ]
        groups[group] = [(name, *operation) for name, operation in zip(own, each, strict=True)]
    return groups


def structs_of(document: Json) -> tuple[set[str], set[str]]:
    """Return the names of the Structs that are sent, and of those that are shown."""
    schemas = document["components"]["schemas"]
    answers = [answer_of(operation) for _, _, operation in operations_of(document)]
    shown = _reached(schemas, [*answers, *(event["data"] for _, event, _ in events_of(document))], sent=False)
    return _reached(schemas, _sent_types(document), sent=True), shown


def operations_of(document: Json) -> Iterator[tuple[str, str, Json]]:
    for path, item in document["paths"].items():
        shared = item.get("parameters", [])
        for method in ("get", "post", "put", "patch", "delete"):
            if method in item:
                yield method, path, {**item[method], "parameters": [*shared, *item[method].get("parameters", ())]}


def events_of(document: Json) -> Iterator[tuple[str, Json, str]]:
    """Yield each event's name, the members of its body, and its description."""
    for key, item in document.get("webhooks", {}).items():
        struct = struct_of(document["components"]["schemas"], body_of(item["post"]))
        members = {"data": {}, **struct.get("properties", {})}
        yield members.get("event", {}).get("const", key), members, item["post"].get("summary", "")


def answer_of(operation: Json) -> Json | None:
    """Return the schema of `data` in the answer; None if the answer is not an envelope."""
    success: Json = next((answer for status, answer in operation["responses"].items() if status[0] == "2"), {})
    schema = success.get("content", {}).get("application/json", {}).get("schema", {})
    found: Json | None = schema.get("properties", {}).get("data")
    return found


def is_listed(operation: Json) -> bool:
    """Tell whether the answer is a page of a list."""
    parameters = operation.get("parameters", ())
    return "items" in (answer_of(operation) or {}) and any(p["name"] == "cursor" for p in parameters)


def _sent_types(document: Json) -> Iterator[Any]:
    schemas = document["components"]["schemas"]
    for _, _, operation in operations_of(document):
        body = body_of(operation)
        # Its members become arguments; only types inside them are Structs.
        struct = struct_of(schemas, body)
        yield from (kind for _, kind in members_of(struct, sent=True)) if "properties" in struct else [body]


def takes_bytes(operation: Json) -> bool:
    """Tell whether a body is something other than JSON."""
    content = operation.get("requestBody", {}).get("content", {})
    return bool(content) and not any("json" in kind for kind in content)


def body_of(operation: Json) -> Json:
    content = operation.get("requestBody", {}).get("content", {})
    found: Json = content.get("application/json", {}).get("schema", {})
    return found


def struct_of(schemas: Json, schema: Json) -> Json:
    found: Json = schemas[schema["$ref"].removeprefix(SCHEMAS)] if "$ref" in schema else schema
    return found


def members_of(struct: Json, sent: bool) -> list[tuple[str, Json]]:
    members = struct.get("properties", {}).items()
    return [(name, kind) for name, kind in members if not (sent and kind.get("readOnly"))]


def _reached(schemas: Json, roots: Iterable[Any], sent: bool) -> set[str]:
    """Return the names of the Structs in some schemas, and of the Structs in those."""
    found: set[str] = set()
    waiting = list(roots)
    while waiting:
        match waiting.pop():
            case {"$ref": str(ref)}:
                name = ref.removeprefix(SCHEMAS)
                waiting += [] if name in found else [kind for _, kind in members_of(schemas[name], sent)]
                found.add(name)
            case dict(schema):
                waiting += [schema.get("items"), schema.get("additionalProperties"), *options_of(schema)]
    return found


def options_of(schema: Json) -> list[Json]:
    if isinstance(kinds := schema.get("type"), list):
        return [{**schema, "type": kind} for kind in kinds]
    return schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf") or []


def text_of(schema: Json) -> str:
    """Return the description in a member's schema."""
    own = [schema, *(option for option in options_of(schema) if isinstance(option, dict))]
    return next(filter(None, (option.get("description", "") for option in own)), "")


def method_name(group: str, operation_id: str) -> str:
    """Shorten an operation's name by the words of its group: `send_invoice` of invoices becomes `send`."""
    verb, *words = operation_id.split("_")
    said = {_singular(word) for word in group.split("_")}
    return "_".join([verb, *(word for word in words if _singular(word) not in said)])


def operation_id(method: str, path: str, operation: Json) -> str:
    given = operation.get("operationId") or "_".join([method, *re.findall(r"\w+", path)])
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|\W+", "_", given).lower()


def _singular(word: str) -> str:
    return re.sub("(?<=.)s$", "", re.sub("ies$", "y", word))


def class_name(name: str) -> str:
    return "".join(word[0].upper() + word[1:] for word in re.split(r"[^a-zA-Z0-9]+", name) if word)


def _inlined(document: Json, value: Any) -> Any:
    """Replace references in the document by their targets, except references to Structs, which have names."""
    if isinstance(value, list):
        return [_inlined(document, item) for item in value]
    if not isinstance(value, dict):
        return value
    if isinstance(ref := value.get("$ref"), str):
        found = reduce(lambda part, key: part[key], ref.removeprefix("#/").split("/"), document)
        return value if ref.startswith(SCHEMAS) and "properties" in found else _inlined(document, found)
    return {key: _inlined(document, member) for key, member in value.items()}
