"""Types of members, taken apart: what is in a union, and what stands beside a type."""

from types import UnionType
from typing import Annotated, Any, TypeGuard, Union, get_args, get_origin

from msgspec import Meta, Struct

from billycan.fields import Rule


def parts(kind: Any) -> tuple[Any, Rule | None, Meta | None]:
    """Return a type without what stands beside it, then its rule and its limits."""
    if get_origin(kind) is not Annotated:
        return kind, None, None
    rule = next((each for each in kind.__metadata__ if isinstance(each, Rule)), None)
    return kind.__origin__, rule, next((each for each in kind.__metadata__ if isinstance(each, Meta)), None)


def options(kind: Any) -> tuple[Any, ...]:
    """Return the members of a union; any other type by itself."""
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def is_struct(kind: Any) -> TypeGuard[type[Struct]]:
    """Tell whether a type is a Struct."""
    return isinstance(kind, type) and issubclass(kind, Struct)
