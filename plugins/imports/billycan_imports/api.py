"""Imports' functions for other plugins: what the columns of a file can become."""

from typing import Any, Literal, get_args, get_origin

from msgspec import Struct
from msgspec.structs import fields

from billycan import Context
from billycan.csv.importing import Importer

from .mapping import is_date

__all__ = ["ImportableMember", "importable_members"]


class ImportableMember(Struct, frozen=True):
    """A member that a column of a file can become.

    choices: Its values, if it has only some.
    is_date: Whether it is a date.
    is_required: Whether each record needs it.
    """

    name: str
    choices: tuple[str, ...]
    is_date: bool
    is_required: bool


def importable_members(ctx: Context, resource: str) -> list[ImportableMember]:
    """List the members that can be imported of a resource, in their order; empty if it cannot be imported."""
    if resource not in ctx.app.importable:
        return []
    endpoint = ctx.of_business(ctx.app.importable[resource])
    body = endpoint.signature.body
    needed = {f.encode_name for f in fields(body) if f.required} | {*getattr(body, "required_without", ())}
    return [
        ImportableMember(name, _choices_of(kind), is_date(kind), name in needed)
        for name, kind in Importer(endpoint, []).members().items()
    ]


def _choices_of(kind: Any) -> tuple[str, ...]:
    if get_origin(kind) is list:
        (kind,) = get_args(kind) or (str,)
    return get_args(kind) if get_origin(kind) is Literal and len(get_args(kind)) > 1 else ()
