"""Query strings: each parameter is read by its type's rule, and all faults are reported at once."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple, TypeVar, get_args, get_origin
from urllib.parse import parse_qsl, urlencode

import msgspec

from .fields import is_id
from .plain import options, parts
from .problems import MOST_FAULTS, BadRequest, Fault
from .reader import Reader, Walk, compiled
from .resources import STEERING

T = TypeVar("T")
MOST_VALUES = 100  # of one parameter, separated by commas: each may become a condition of the query
MOST_METADATA = 10  # metadata filters in a query: each reads the metadata of every record that the others leave


def decode_query(query: str | Mapping[str, Any], kind: type[T], ids: Mapping[str, str] | None = None) -> T:
    """Read the query parameters as a `kind`; an unknown, repeated or malformed one is a 400 that names it.

    A page gives them by their names, as texts or as the values they stand for, and needs no query string. `ids` maps
    parameters that take ids to the prefixes of the ids, "" for an unknown prefix.
    """
    known, required = _compiled(kind)  # type: ignore[arg-type]
    if not query and not required:
        return kind()
    values: dict[str, Any] = {}
    found: list[Fault] = []
    for name, given in _pairs(query) if isinstance(query, str) else query.items():
        text = given if isinstance(given, int | list) else str(given)
        if "\x00" in f"{name}{text}":
            raise BadRequest(f"{name!r} holds a NUL character.", param=name.replace("\x00", ""))
        member, _, key = name.partition("[")
        if member == "metadata" and "metadata" in known and key.endswith("]"):
            given_keys = values.setdefault("metadata", {})
            given_keys[key[:-1]] = text
            if len(given_keys) == MOST_METADATA + 1:
                found.append(Fault(name, "invalid_filter", f"is one too many: use at most {MOST_METADATA} by metadata"))
        elif name not in known or name == "metadata":
            names = ", ".join(sorted(n if n != "metadata" else "metadata[key]" for n in known)) or "none"
            found.append(Fault(name, "unknown_parameter", f"is an unknown parameter. Known parameters: {names}"))
        else:
            value = values[name] = known[name].parse(text) if isinstance(text, str) else text
            if isinstance(value, list) and len(value) > MOST_VALUES:
                values[name] = value[:MOST_VALUES]
                found.append(Fault(name, _query_code(name), f"takes at most {MOST_VALUES} values"))
    for name, value in values.items():
        walk = Walk()
        values[name] = known[name].reader.read(value, name, (), walk, False)
        found += [Fault(_parameter_name(f.param), _query_code(name), f.message) for f in walk.faults]
    found += [
        _foreign_id(name, prefix) for name, prefix in (ids or {}).items() if not _are_ids(values.get(name), prefix)
    ]
    missing = [name for name in required if name not in values]
    found += [Fault(name, "invalid_parameter", "is required") for name in missing]
    if found:
        first = found[0]
        details = found[:MOST_FAULTS]
        raise BadRequest(f"{first.param}: {first.message}", code=first.code, param=first.param, details=details)
    return kind(**{known[name].member: value for name, value in values.items()})


class _Parameter(NamedTuple):
    """A parameter: the member it sets, the function from its text to a JSON value, and the reader of that value."""

    member: str
    parse: Callable[[str], Any]
    reader: Reader


@cache
def _compiled(kind: Any) -> tuple[dict[str, _Parameter], list[str]]:
    """Return the parameters of a query by name, and the required ones among them."""
    members = msgspec.structs.fields(kind)
    known = {f.encode_name: _Parameter(f.name, _parser(f.type), compiled(f.type)) for f in members}
    return known, [f.encode_name for f in members if f.required]


def with_cursor(query_string: str, cursor: str) -> str:
    """Return this query for the page that `cursor` leads to."""
    if not query_string:
        return urlencode({"cursor": cursor})
    kept = [pair for pair in _pairs(query_string) if pair[0] not in ("page", "cursor")]
    return urlencode([*kept, ("cursor", cursor)])


def _pairs(query_string: str) -> list[tuple[str, str]]:
    try:
        text = query_string.encode("latin-1").decode()  # WSGI passes bytes on as Latin-1
        pairs = parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=100)
    except ValueError:
        raise BadRequest("The query string is not UTF-8, or has more than 100 parameters.") from None
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            raise BadRequest(f"{name} is given twice; separate several values with commas.", param=name)
        seen.add(name)
    return pairs


def _parser(kind: Any) -> Callable[[str], Any]:
    """Return a function from a parameter's text to the JSON value that it stands for."""
    kinds = [parts(option)[0] for option in options(kind)]
    if lists := [k for k in kinds if get_origin(k) is list]:
        parse_one = _parser(get_args(lists[0])[0])
        return lambda text: [parse_one(part) for part in text.split(",")]
    takes_bool, takes_int = bool in kinds, int in kinds

    def parse(text: str) -> Any:
        if takes_bool and text in ("true", "false"):
            return text == "true"
        if takes_int and text.isascii() and text.removeprefix("-").isdigit() and len(text) < 20:
            return int(text)
        return text

    return parse


def _parameter_name(path: str) -> str:
    """Return the parameter of a fault: `kind[0]` came from `kind`, `metadata.a` from `metadata[a]`."""
    name, inside, key = path.partition(".")
    return f"{name}[{key}]" if inside else name.partition("[")[0]


def _query_code(name: str) -> str:
    return (
        f"invalid_{name}"
        if name in ("cursor", "sort")
        else ("invalid_parameter" if name in STEERING else "invalid_filter")
    )


def _are_ids(value: Any, prefix: str) -> bool:
    return all(
        is_id(str(id), prefix) for id in ([] if value is None else value if isinstance(value, list) else [value])
    )


def _foreign_id(name: str, prefix: str) -> Fault:
    return Fault(name, "invalid_filter", f"must be an id that begins with {prefix}_" if prefix else "must be an id")
