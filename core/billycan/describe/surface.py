"""The API as one fact per line, from its OpenAPI document, for reviewing changes.

Left out are descriptions, examples, links and headers, the envelope around each answer, the errors that follow from
what a route takes, and the members of a change that may only be sent back unchanged.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .codes import every_code
from .openapi import describe_api
from .refusals import named_words
from .schemas import PLACE, Json

if TYPE_CHECKING:
    from ..app import App

_WORDS = ("description", "title", "example", "examples", "readOnly", "x-kind", "x-unit")
_RENAMED = {"x-default": "default"}


def facts_of(app: "App") -> dict[str, Json]:
    """Map each fact's name to the fact: an operation, a parameter, a schema, a member, an event or a code."""
    codes = every_code(app)
    refuses = {}
    for endpoint in app.endpoints:
        others = [app.at["GET", path] for path in endpoint.route.also.values()]
        named = {code for e in (endpoint, *others) for code in named_words(e)} & codes.keys()
        refuses[f"{endpoint.route.path} {endpoint.route.method}"] = named
    return facts_in(describe_api(app), refuses, {code: said.status for code, said in codes.items()})


def facts_in(
    document: Json, refuses: Mapping[str, set[str]] | None = None, codes: Mapping[str, int] | None = None
) -> dict[str, Json]:
    """Return the facts of a document alone; what operations refuse, and all codes, are then those of their answers."""
    components, found = document["components"], _codes_in(document)
    facts: dict[str, Json] = {}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            name = f"{path} {method.upper()}"
            facts[name] = _operation_fact(operation, refuses[name] if refuses is not None else {*found[name]})
            facts |= {f"{name} ?{query}": fact for query, fact in _parameter_facts(operation)}
    for name, parameter in components["parameters"].items():
        facts[f"parameter {name}"] = {
            "in": parameter["in"],
            "name": parameter["name"],
            **_without_descriptions(parameter["schema"]),
        }
    events = {
        name: _body_of(event["post"])["properties"]["data"] for name, event in document.get("webhooks", {}).items()
    }
    facts |= {f"event {name}": {"data": _without_descriptions(data)} for name, data in events.items()}
    statuses = codes if codes is not None else {code: s for of in found.values() for code, s in of.items()}
    facts |= {f"code {code}": {"status": status} for code, status in statuses.items()}
    sent = _reached_schemas(components["schemas"], [_body_of(o) for o in _list_operations(document)])
    for name, schema in components["schemas"].items():
        facts[name] = {"is": "sent" if name in sent else "shown"}
        for member, kind in schema["properties"].items():
            if "readOnly" not in kind:
                required = {"required": True} if member in schema["required"] else {}
                facts[f"{name}.{member}"] = _without_descriptions(kind) | required
    return dict(sorted(facts.items()))


def write_surface(facts: Mapping[str, Json]) -> str:
    """Return the text of a file of facts, one per line."""
    lines = [f"{json.dumps(name)}: {json.dumps(fact, sort_keys=True)}" for name, fact in facts.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _operation_fact(operation: Json, refuses: set[str]) -> Json:
    status = next(status for status in operation["responses"] if status < "300")
    content = operation["responses"][status]["content"]
    answer = content.get("application/json", {}).get("schema", {})
    of_header = [p["$ref"].rpartition("/")[2] for p in operation.get("parameters", ()) if "$ref" in p]
    fact = {
        "answer": _without_descriptions(answer.get("properties", {}).get("data", {})),
        "body": _without_descriptions(_body_of(operation)),
        "deprecated": operation.get("deprecated"),
        "id": operation["operationId"],
        "needs": [" ".join(key["bearer"]) for key in operation["security"]],
        "other": sorted({*content, *operation.get("requestBody", {}).get("content", ())} - {"application/json"}),
        "refuses": sorted(refuses),
        "status": int(status),
        "takes": sorted(of_header),
    }
    return {name: value for name, value in fact.items() if value}


def _parameter_facts(operation: Json) -> Iterator[tuple[str, Json]]:
    for parameter in operation.get("parameters", ()):
        if parameter.get("in") == "query":
            fact = _without_descriptions(parameter["schema"]) | (
                {"required": True} if parameter.get("required") else {}
            )
            if parameter["name"] == "sort" and (sortable := re.match(r"\^-\?\(([\w|]+)\)", fact.get("pattern", ""))):
                fact = {"enum": sorted(sortable[1].split("|"))}
            yield parameter["name"], fact


def _codes_in(document: Json) -> dict[str, dict[str, int]]:
    """Map each operation to the codes that the descriptions of its answers list, and these to their statuses."""
    found: dict[str, dict[str, int]] = {}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            codes = found.setdefault(f"{path} {method.upper()}", {})
            for status, answer in operation["responses"].items():
                shared = document["components"]["responses"].get(answer.get("$ref", "").rpartition("/")[2], answer)
                codes |= dict.fromkeys(re.findall(r"(?m)^- `(\w+)`: ", shared.get("description", "")), int(status))
    return found


def _list_operations(described: Json) -> list[Json]:
    return [operation for path in described["paths"].values() for operation in path.values()]


def _body_of(operation: Json) -> Json:
    found: Json = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    return found


def _reached_schemas(schemas: Json, roots: Any) -> set[str]:
    """Return the names of the schemas in `roots`, nested ones included."""
    found: set[str] = set()
    waiting = _referred_names(roots)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _referred_names(
                [kind for kind in schemas[name]["properties"].values() if "readOnly" not in kind]
            )
    return found


def _referred_names(schema: Any) -> list[str]:
    return re.findall(f'"{PLACE}([^"]+)"', json.dumps(schema, default=str))


def _without_descriptions(schema: Any) -> Any:
    """Return a schema without descriptions, with references as bare names."""
    if isinstance(schema, dict):
        return {
            _RENAMED.get(key, key): value.removeprefix(PLACE) if key == "$ref" else _without_descriptions(value)
            for key, value in schema.items()
            if key not in _WORDS
        }
    return [_without_descriptions(item) for item in schema] if isinstance(schema, list) else schema
