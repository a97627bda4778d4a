"""The OpenAPI document as one business has it: with the members that plugins let it define, such as `custom`."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from ..extending import members_of_business
from .openapi import describe_api
from .schemas import NULL, PLACE, Json, describe_types, names_in, without_key

if TYPE_CHECKING:
    from ..app import App
    from ..context import Context
    from ..endpoints import Endpoint

# The members that a business defined: the number of the endpoint, the member's name, and the Struct of what it holds,
# which is the same while its definitions are.
Defined = tuple[tuple[int, str, type[Struct]], ...]


def find_defined(ctx: "Context") -> Defined:
    """Return the members that the calling business defined."""
    members = (members_of_business(ctx, endpoint) for endpoint in ctx.app.endpoints)
    return tuple((i, name, kind) for i, of_one in enumerate(members) for name, kind in of_one.items())


def describe_for(app: "App", defined: Defined) -> Json:
    """Return the document for a business that defined these members."""
    whole = describe_api(app)
    paths, schemas = {**whole["paths"]}, {**whole["components"]["schemas"]}
    for i, name, kind in defined:
        endpoint = app.endpoints[i]
        path, method = endpoint.route.path, endpoint.route.method.lower()
        for component, form in _components_of(whole["paths"][path][method]):
            _put_member(schemas, component, name, kind, form)
        paths[path] = {**paths[path], method: _with_filters(paths[path][method], endpoint, name, kind)}
    components = {**whole["components"], "schemas": dict(sorted(schemas.items()))}
    return {**whole, "paths": paths, "components": components}


def _components_of(operation: Json) -> Iterator[tuple[str, str]]:
    """Yield the components of an operation's records, each with what it is for: `New`, `Change` or, shown, nothing."""
    for name in names_in(operation.get("requestBody", {})):
        yield name, "Change" if name.endswith("Change") else "New"
    for status, answer in operation["responses"].items():
        if status.startswith("2"):
            data = answer.get("content", {}).get("application/json", {}).get("schema", {}).get("properties", {})
            yield from ((name, "") for name in names_in(data.get("data", {})))


def _put_member(schemas: Json, component: str, name: str, kind: type[Struct], form: str) -> None:
    """Let a member of a component be what the business has; a component without that member stays."""
    record = schemas[component]
    if name not in record.get("properties", {}):
        return
    (struct,) = describe_types([kind])[1].values()
    title = f"New{kind.__name__}" if form == "New" else f"{kind.__name__}{form}"
    members = struct["properties"]
    if form == "":
        struct = without_key(struct, "additionalProperties")
    if form != "Change":
        members = {key: without_key(_not_null(member), "default") for key, member in members.items()}
    required = struct["required"] if form == "New" else []
    schemas[title] = {**struct, "properties": members, "required": required}
    said = {key: record["properties"][name][key] for key in ("x-plugin",) if key in record["properties"][name]}
    refers: Json = {"$ref": PLACE + title}
    whole = {"anyOf": [refers, NULL]} if form == "Change" else refers
    needs = [*record.get("required", ()), *([name] if required and name not in record.get("required", ()) else [])]
    schemas[component] = {**record, "properties": {**record["properties"], name: {**whole, **said}}, "required": needs}


def _with_filters(operation: Json, endpoint: "Endpoint", name: str, kind: type[Struct]) -> Json:
    """Return a list's operation with a parameter for each filter by what the business has, and its sorts."""
    parameters = operation.get("parameters", [])
    if not endpoint.signature.listed or all(each.get("name") != name for each in parameters):
        return operation
    (struct,) = describe_types([kind])[1].values()
    found = [each for each in parameters if each.get("name") not in (name, f"{name}_from", f"{name}_to")]
    keys = "|".join(struct["properties"])
    for i, each in enumerate(found):
        if each.get("name") == "sort" and keys:
            pattern = f"^({each['schema']['pattern'].strip('^$')}|-?{name}\\[({keys})\\])$"
            found[i] = {**each, "schema": {**each["schema"], "pattern": pattern}}
    for key, member in struct["properties"].items():
        schema, says = without_key(_not_null(member), "default"), member.get("description", key)
        schema = without_key(schema, "description")
        bounds = ("from", "to") if _has_range(schema) else ()
        for end in ("", *(f"_{bound}" for bound in bounds)):
            words = {"": "", "_from": ": at least this", "_to": ": at most this"}[end]
            asked = {"type": "string"} if "enum" in schema else schema  # several choices, separated by commas
            found.append({"name": f"{name}[{key}]{end}", "in": "query", "description": says + words, "schema": asked})
    return {**operation, "parameters": found}


def _has_range(schema: Mapping[str, Any]) -> bool:
    return schema.get("format") == "date" or any(each.get("type") == "number" for each in schema.get("anyOf", ()))


def _not_null(schema: Json) -> Json:
    """Return a schema that does not allow null."""
    if "anyOf" not in schema:
        return schema
    given = [option for option in schema["anyOf"] if option != NULL]
    return {**without_key(schema, "anyOf"), **(given[0] if len(given) == 1 else {"anyOf": given})}
