"""Sample texts for parameters, and bodies with whole numbers that no column can hold."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, get_origin

import msgspec
from msgspec import Struct

from ..members import is_struct, types_within

NOBODYS = "no_such_member"  # what no plugin calls anything


def literals(hint: Any) -> list[str]:
    """List the texts that a type names as its only values."""
    return [part for part in types_within(hint) if isinstance(part, str)]


def sample(hint: Any) -> str:
    """Return a text that a parameter of this type accepts."""
    parts = types_within(hint)
    named = [part for part in parts if isinstance(part, str)]
    if any(isinstance(part, type) and issubclass(part, date) for part in parts):
        return "2026-11-21"
    return named[0] if named else "1" if any(map(is_integer, parts)) else "true" if bool in parts else "x"


def with_integers(kind: type[Struct], body: Mapping[str, Any], value: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the body with `value` in place of one whole number at a time, each with the member's name."""
    for field in msgspec.structs.fields(kind):
        given = body.get(field.name)
        one = given[0] if given and isinstance(given, list) else given
        for part in types_within(field.type):
            if is_integer(part):
                yield field.name, {**body, field.name: value if get_origin(field.type) is not list else [value]}
            elif is_struct(part) and isinstance(one, Mapping):
                for name, changed in with_integers(part, one, value):
                    yield f"{field.name}.{name}", {**body, field.name: [changed] if one is not given else changed}


def is_integer(part: Any) -> bool:
    return isinstance(part, type) and issubclass(part, int) and part is not bool
