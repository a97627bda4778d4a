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
    from ..endpoints import Endpoint

_WORDS = ("description", "title", "example", "examples", "readOnly", "x-kind", "x-unit")
_RENAMED = {"x-default": "default"}


def facts_of(app: "App") -> dict[str, Json]:
    """Map each fact's name to the fact: an operation, a parameter, a schema, a member, an event or a code."""
    described = describe_api(app)
    components = described["components"]
    codes = every_code(app)
    facts: dict[str, Json] = {}
    for endpoint in app.endpoints:
        name = f"{endpoint.route.path} {endpoint.route.method}"
        operation = described["paths"][endpoint.route.path][endpoint.route.method.lower()]
        others = [app.at["GET", path] for path in endpoint.route.also.values()]
        facts[name] = _operation_fact(
            operation, {code for e in (endpoint, *others) for code in named_words(e)} & codes.keys()
        )
        facts |= {f"{name} ?{query}": fact for query, fact in _parameter_facts(endpoint, operation)}
    for name, parameter in components["parameters"].items():
        facts[f"parameter {name}"] = {"in": parameter["in"], "name": parameter["name"], **_bare(parameter["schema"])}
    events = {name: _body(event["post"])["properties"]["data"] for name, event in described.get("webhooks", {}).items()}
    facts |= {f"event {name}": {"data": _bare(data)} for name, data in events.items()}
    facts |= {f"code {code}": {"status": said.status} for code, said in codes.items()}
    sent = _reached(components["schemas"], [_body(o) for o in _operations(described)])
    for name, schema in components["schemas"].items():
        facts[name] = {"is": "sent" if name in sent else "shown"}
        for member, kind in schema["properties"].items():
            if "readOnly" not in kind:
                required = {"required": True} if member in schema["required"] else {}
                facts[f"{name}.{member}"] = _bare(kind) | required
    return dict(sorted(facts.items()))


def printed(facts: Mapping[str, Json]) -> str:
    """Return the text of a file of facts, one per line."""
    lines = [f"{json.dumps(name)}: {json.dumps(fact, sort_keys=True)}" for name, fact in facts.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _operation_fact(operation: Json, refuses: set[str]) -> Json:
    status = next(status for status in operation["responses"] if status < "300")
    content = operation["responses"][status]["content"]
    answer = content.get("application/json", {}).get("schema", {})
    of_header = [p["$ref"].rpartition("/")[2] for p in operation.get("parameters", ()) if "$ref" in p]
    fact = {
        "answer": _bare(answer.get("properties", {}).get("data", {})),
        "body": _bare(_body(operation)),
        "deprecated": operation.get("deprecated"),
        "id": operation["operationId"],
        "needs": [" ".join(key["bearer"]) for key in operation["security"]],
        "other": sorted({*content, *operation.get("requestBody", {}).get("content", ())} - {"application/json"}),
        "refuses": sorted(refuses),
        "status": int(status),
        "takes": sorted(of_header),
    }
    return {name: value for name, value in fact.items() if value}


def _parameter_facts(endpoint: "Endpoint", operation: Json) -> Iterator[tuple[str, Json]]:
    for parameter in operation.get("parameters", ()):
        if parameter.get("in") == "query":
            fact = _bare(parameter["schema"]) | ({"required": True} if parameter.get("required") else {})
            if parameter["name"] == "sort":
                fact = {"enum": sorted(endpoint.signature.query.sortable)}
            yield parameter["name"], fact


def _operations(described: Json) -> list[Json]:
    return [operation for path in described["paths"].values() for operation in path.values()]


def _body(operation: Json) -> Json:
    found: Json = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    return found


def _reached(schemas: Json, roots: Any) -> set[str]:
    """Return the names of the schemas in `roots`, nested ones included."""
    found: set[str] = set()
    waiting = _names(roots)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _names([kind for kind in schemas[name]["properties"].values() if "readOnly" not in kind])
    return found


def _names(schema: Any) -> list[str]:
    return re.findall(f'"{PLACE}([^"]+)"', json.dumps(schema, default=str))


def _bare(schema: Any) -> Any:
    """Return a schema without descriptions, with references as bare names."""
    if isinstance(schema, dict):
        return {
            _RENAMED.get(key, key): value.removeprefix(PLACE) if key == "$ref" else _bare(value)
            for key, value in schema.items()
            if key not in _WORDS
        }
    return [_bare(item) for item in schema] if isinstance(schema, list) else schema
