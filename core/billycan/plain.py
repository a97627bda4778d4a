"""Inspection of types, and readers of plain types that have no rule of ours."""

import re
from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from types import UnionType
from typing import Annotated, Any, Literal, TypeGuard, Union, get_args, get_origin

import msgspec
from msgspec import Meta, Raw, Struct

from .fields import Rule
from .problems import RuleBroken


def parts(kind: Any) -> tuple[Any, Rule | None, Meta | None]:
    """Return a type without its annotations, its rule, and msgspec's limits if it has those in place of a rule."""
    if get_origin(kind) is not Annotated:
        return kind, None, None
    beside = kind.__metadata__
    rule = next((m for m in beside if isinstance(m, Rule)), None)
    return kind.__origin__, rule, next((m for m in beside if isinstance(m, Meta)), None)


def options(kind: Any) -> tuple[Any, ...]:
    """Return the members of a union; any other type by itself."""
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def is_struct(kind: Any) -> TypeGuard[type[Struct]]:
    """Tell whether a type is a Struct."""
    return isinstance(kind, type) and issubclass(kind, Struct)


def types_within(hint: Any) -> list[Any]:
    """List the types that a type contains, and the values that it names."""
    inner = () if isinstance(hint, str) else get_args(hint)
    return [part for each in inner for part in types_within(each)] if inner else [hint]


def structs_within(hint: Any) -> Iterator[type[Struct]]:
    """Yield the Structs that a type contains, and those in their members."""
    waiting, found = [hint], set[Any]()
    while waiting:
        for part in filter(is_struct, types_within(waiting.pop())):
            if part not in found:
                found.add(part)
                yield part
                waiting += [field.type for field in msgspec.structs.fields(part)]


def length_limits(limits: Meta | None) -> tuple[int, int | None]:
    """Return the least and the most length that limits allow."""
    return (limits.min_length or 0, limits.max_length) if limits else (0, None)


def plain_reader(kind: Any, limits: Meta | None = None) -> Callable[[Any], Any]:
    """Return a reader of a type that has no rule of ours."""
    if get_origin(kind) is Annotated:
        kind, rule, limits = parts(kind)
        if rule:
            return rule.read
    if isinstance(kind, type) and issubclass(kind, Rule):
        raise TypeError(f"{kind.__name__} is a rule and no type: write Annotated[…, {kind.__name__}(…)]")
    if kind in (Any, Raw):
        return lambda value: value
    if get_origin(kind) is Literal:
        return _one_of(get_args(kind))
    words = _KINDS.get(kind)
    if words is None:
        return _by_msgspec(kind)
    within = [*_bounds(limits)] if limits else []

    def read(value: Any) -> Any:
        if isinstance(value, bool) is not (kind is bool) or not isinstance(value, kind):
            if isinstance(value, Decimal) and kind is int:
                if not -(2**63) <= value < 2**63:
                    raise RuleBroken("out_of_range", "is beyond any number allowed here")
                raise RuleBroken("invalid_type", f"must be {words}, without a fraction or an exponent")
            if kind is not float or isinstance(value, bool) or not isinstance(value, int | Decimal):
                raise RuleBroken("invalid_type", f"must be {words}")
        for holds, code, message in within:
            if not holds(value):
                raise RuleBroken(code, message)
        return float(value) if kind is float else value

    return read


_KINDS: dict[Any, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
    Decimal: "a number such as 19.95",
    date: "a date such as 2026-11-30",
    type(None): "null",
}


def _one_of(options: tuple[Any, ...]) -> Callable[[Any], Any]:
    kinds = {type(option) for option in options}
    message = f"must be one of {', '.join(map(str, options))}"

    def read(value: Any) -> Any:
        if type(value) not in kinds or value not in options:
            raise RuleBroken("invalid_value", message)
        return value

    return read


def _bounds(limits: Meta) -> Iterator[tuple[Callable[[Any], bool], str, str]]:
    """Yield the checks of msgspec's limits, each with the code and the message of its failure."""
    least, most, above, below = limits.ge, limits.le, limits.gt, limits.lt
    if least is not None and most is not None:
        yield lambda v: least <= v <= most, "out_of_range", f"must be between {least} and {most}"
    elif least is not None:
        yield lambda v: v >= least, "out_of_range", f"must be at least {least}"
    elif most is not None:
        yield lambda v: v <= most, "out_of_range", f"must be at most {most}"
    if above is not None:
        yield lambda v: v > above, "out_of_range", f"must be above {above}"
    if below is not None:
        yield lambda v: v < below, "out_of_range", f"must be below {below}"
    fewest, longest = length_limits(limits)
    if fewest:
        yield lambda v: len(v) >= fewest, "required", f"must have at least {fewest} character{'s' * (fewest > 1)}"
    if longest is not None:
        yield lambda v: len(v) <= longest, "too_long", f"must have at most {longest} characters"
    if limits.pattern is not None:
        form = re.compile(limits.pattern)
        yield lambda v: bool(form.search(v)), "invalid_value", "does not have the form documented"
    if (step := limits.multiple_of) is not None:
        yield lambda v: v % step == 0, "invalid_value", f"must be a multiple of {step}"


def _by_msgspec(kind: Any) -> Callable[[Any], Any]:
    """Return a reader of a type that core has no words for, such as an enumeration."""
    msgspec.json.Decoder(kind)  # msgspec crashes where two threads are the first to need it at once

    def read(value: Any) -> Any:
        try:
            return msgspec.convert(value, kind)
        except msgspec.ValidationError:
            raise RuleBroken("invalid_value", "does not have the form documented") from None

    return read
