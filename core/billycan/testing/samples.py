"""Texts and bodies made from types: what a parameter takes, and whole numbers that no column can hold."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, get_origin

import msgspec
from msgspec import Struct

from ..plain import is_struct, types_within

NOBODYS = "no_such_member"  # what no plugin calls anything


def literals(hint: Any) -> list[str]:
    """The texts that a type allows, where it names them."""
    return [part for part in types_within(hint) if isinstance(part, str)]


def sample(hint: Any) -> str:
    """A text that a parameter of this type takes."""
    parts = types_within(hint)
    named = [part for part in parts if isinstance(part, str)]
    if any(isinstance(part, type) and issubclass(part, date) for part in parts):
        return "2026-11-21"
    return named[0] if named else "1" if any(map(is_integer, parts)) else "true" if bool in parts else "x"


def with_integers(kind: type[Struct], body: Mapping[str, Any], value: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """A body with `value` for each whole number that a Struct takes, one at a time, with the member's name."""
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
