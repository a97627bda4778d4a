"""The parts of a request other than its body, as in the OpenAPI document."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .headers import refer_to
from .schemas import NULL, Json, describe_types, without_key

if TYPE_CHECKING:
    from ..endpoints import Endpoint


def reads_body(endpoint: "Endpoint") -> bool:
    """Tell whether a request to this route has a body."""
    return endpoint.route.method in ("POST", "PATCH")


def checks_version(endpoint: "Endpoint") -> bool:
    """Tell whether the route compares If-Match, which it refuses where what it changes has no version."""
    route = endpoint.route
    return route.method in ("PATCH", "DELETE") or bool(
        endpoint.writes and reads_body(endpoint) and endpoint.signature.params
    )


def shows_version(endpoint: "Endpoint") -> bool:
    """Tell whether the route answers a single record with an ETag, and so accepts If-None-Match."""
    choice = endpoint.choice
    return bool(choice and not endpoint.signature.listed and "version" in choice.names)


def describe_parameters(endpoint: "Endpoint", at: "Mapping[tuple[str, str], Endpoint]") -> Iterator[Json]:
    """Yield the parameters of a route: in its path, its query and its headers. `at` are the endpoints of the app."""
    for name in endpoint.signature.params:
        whose = "The record's id." if name == "id" else "The id of a part of the record."
        yield {"name": name, "in": "path", "required": True, "description": whose, "schema": {"type": "string"}}
    if endpoint.signature.query:
        yield from _describe_query(endpoint.signature.query, endpoint.ids)
    if endpoint.choice:
        yield refer_to("parameters", "Fields")
    if shows_version(endpoint):
        yield refer_to("parameters", "IfNoneMatch")
    if endpoint.writes:
        yield refer_to("parameters", "IdempotencyKey")
    shown = at.get(("GET", "".join(endpoint.route.path.partition("}")[:2])))
    if checks_version(endpoint) and shown and shows_version(shown):
        yield refer_to("parameters", "IfMatch")


def _describe_query(kind: Any, ids: Mapping[str, str]) -> Iterator[Json]:
    """Yield the members of a query as parameters; `ids` maps those that take ids to the prefixes of the ids."""
    (query,) = describe_types([kind])[1].values()
    for name, member in query["properties"].items():
        given = [option for option in member.get("anyOf", [member]) if option != NULL]
        schema = given[0] if len(given) == 1 else {"anyOf": given}
        parameter: Json = {"name": name, "in": "query"}
        required = name in query["required"]
        if (
            description := _bound_text(name, given)
            or member.get("description")
            or (not required and _filter_text(name, schema))
        ):
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
        yield {**parameter, "schema": without_key(schema, "description")}


def _bound_text(name: str, given: list[Json]) -> str:
    """Describe a bound of a filter."""
    of, _, bound = name.rpartition("_")
    if not of or bound not in ("from", "to"):
        return ""
    from_, to = ("or later", "or earlier") if "date" in str(given) else ("or more", "or less")
    within = f"Records whose `{of}` is this {from_ if bound == 'from' else to}."
    takes_time = "date-time" in str(given)
    return within + (" A date means that whole day in the business's time zone." if takes_time else "")


def _filter_text(name: str, schema: Json) -> str:
    """Describe a filter that has no description of its own."""
    return f"Records with {'any of these values' if schema.get('type') == 'array' else 'this value'} of `{name}`."


PARAMETERS = {
    "Fields": {
        "name": "fields",
        "in": "query",
        "description": "The members of each record to return; `id` is always among them. Those that you do not name are"
        " then missing from the response, even if its schema requires them.",
        "schema": {"type": "array", "items": {"type": "string"}, "minItems": 1, "uniqueItems": True},
        "style": "form",
        "explode": False,
    },
    "IdempotencyKey": {
        "name": "Idempotency-Key",
        "in": "header",
        "description": "The same key with the same request returns the first response again, for 24 hours.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]([ -~]*[!-~])?$"},
    },
    "IfNoneMatch": {
        "name": "If-None-Match",
        "in": "header",
        "description": "The ETags of what you have; if one of them is the current one, the response is 304.",
        "schema": {"type": "string"},
    },
    "IfMatch": {
        "name": "If-Match",
        "in": "header",
        "description": "The ETag of the version to change; if the record has another version, the response is 412.",
        "schema": {"type": "string"},
    },
}
