"""Check that an answer is exactly what its handler declares: nothing is converted, missing or extra."""

import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

import msgspec
from msgspec import Raw, UnsetType

from ..endpoints import endpoint_at
from ..members import is_struct, options, parts
from ..resources import Reply, Resource
from .client import Client, decoded

if TYPE_CHECKING:
    from ..app import App

_FORMS = {
    datetime: (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z"), "a time such as 2026-11-30T09:00:00Z"),
    date: (re.compile(r"\d{4}-\d\d-\d\d"), "a date such as 2026-11-30"),
}
_fields = cache(msgspec.structs.fields)
_JSON: Mapping[Any, tuple[tuple[type, ...], str]] = {
    str: ((str,), "text"),
    bool: ((bool,), "true or false"),
    int: ((int,), "a whole number"),
    float: ((int, Decimal), "a number"),
    Decimal: ((int, Decimal), "a number"),
    type(None): ((type(None),), "null"),
}


class Strict(Client):
    """A client that compares each answer with what its handler declares."""

    def call(self, method: str, path: str, *args: Any, **given: Any) -> Any:
        answer = super().call(method, path, *args, **given)
        # With `fields` it is not all of what is declared.
        if 200 <= answer.status_int < 300 and "json" in answer.content_type and "fields=" not in path:
            check(self.app, method, path, decoded(answer))
        return answer


def check(app: "App", method: str, path: str, answer: Mapping[str, Any]) -> None:
    """Fail if the answer of a successful call differs from what its route's handler declares."""
    endpoint, _ = endpoint_at(app, method, path) or (None, {})
    if endpoint and endpoint.signature.answer is not Reply:
        kind, data = endpoint.signature.listed, answer["data"]
        if kind:
            faults = [fault for i, item in enumerate(data) for fault in undeclared(item, kind, f"data[{i}]")]
        elif endpoint.signature.answer is Resource:  # any that the route makes
            made = [kind for kind, home in app.homes.items() if home in endpoint.route.makes]
            found = [[*undeclared(data, kind, "data")] for kind in made]
            faults = min(found, key=len)
        else:
            faults = [*undeclared(data, endpoint.signature.answer, "data")]
        assert not faults, f"{method} {path} answers what its handler does not declare: {'; '.join(faults[:5])}"


def undeclared(value: Any, kind: Any, at: str = "") -> Iterator[str]:
    """Yield the parts of a JSON value, with exact numbers, that a type does not allow."""
    kind, _, _ = parts(kind)
    choices = [option for option in options(kind) if option is not UnsetType]
    if len(choices) > 1:
        found = [[*undeclared(value, option, at)] for option in choices]
        if all(found):
            yield from min(found, key=len)
        return
    (kind,) = choices
    origin = get_origin(kind) or kind
    if kind in (Any, Raw):
        return
    if is_struct(origin):
        yield from _check_members(value, kind, at)
    elif origin is Literal:
        if not any(value == option and type(value) is type(option) for option in get_args(kind)):
            yield f"{at} is {value!r}, not one of {', '.join(map(str, get_args(kind)))}"
    elif origin in (list, tuple, set, frozenset):
        yield from _check_within(value, list, (get_args(kind) or (Any,))[0], at)
    elif origin is dict:
        yield from _check_within(value, dict, (get_args(kind) or (str, Any))[1], at)
    else:
        yield from _check_plain(value, kind, at)


def _check_within(value: Any, holder: type, kind: Any, at: str) -> Iterator[str]:
    if not isinstance(value, holder):
        yield f"{at} is {value!r}, not {'a list' if holder is list else 'an object'}"
        return
    held: Any = value
    for name, each in enumerate(held) if holder is list else held.items():
        yield from undeclared(each, kind, f"{at}[{name}]" if holder is list else f"{at}.{name}")


def _check_members(value: Any, kind: Any, at: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{at} is {value!r}, not an object"
        return
    fields = {field.encode_name: field for field in _fields(kind)}
    for name, field in fields.items():
        if name in value:
            yield from undeclared(value[name], field.type, f"{at}.{name}")
        elif UnsetType not in options(parts(field.type)[0]):
            yield f"{at}.{name} is missing"
    yield from (f"{at}.{name} is not declared" for name in value if name not in fields)


def _check_plain(value: Any, kind: Any, at: str) -> Iterator[str]:
    for base, (form, words) in _FORMS.items():
        if isinstance(kind, type) and issubclass(kind, base):
            if not isinstance(value, str) or not form.fullmatch(value):
                yield f"{at} is {value!r}, not {words}"
            return
    kinds, words = _JSON.get(kind, ((object,), ""))
    if not isinstance(value, kinds) or (isinstance(value, bool) and kind is not bool):
        yield f"{at} is {value!r}, not {words}"
