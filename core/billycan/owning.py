"""Callers limited to their own records, such as field staff: what they may call, find, change and be told."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from msgspec import UNSET, Struct, structs

from .db import ByCodePoint
from .fields import Number, is_id
from .members import is_struct, options, parts, types_within
from .problems import BadRequest, Fault, Forbidden, Invalid, NotFound
from .resources import Page, Reply

if TYPE_CHECKING:
    from .app import App
    from .context import Context
    from .endpoints import Endpoint


def is_open(app: "App", endpoint: "Endpoint") -> bool:
    """Tell whether callers limited to their own records may call a route at all: all others are closed to them.

    They list, read and change records that can be theirs. Any other route must say, with `own`, that it shows them no
    others.
    """
    route = endpoint.route
    if route.own:
        return True
    of = (path for prefix, path in app.prefixes.items() if prefix in app.owned)
    home = next((path for path in of if f"{route.path}/".startswith((f"{path}/{{id}}/", f"{path}//"))), None)
    home = home or (route.path if route.path in {app.prefixes[p] for p in app.owned if p in app.prefixes} else None)
    if home is None or route.method == "DELETE":
        return False
    if route.method == "GET":
        return route.path in (home, f"{home}/{{id}}")
    return route.path != home and endpoint.signature.answer is app.at["GET", f"{home}/{{id}}"].signature.answer


def check_allowed(ctx: "Context", endpoint: "Endpoint") -> None:
    """Raise Forbidden if a route is closed to the caller, who is limited to records of its own."""
    if not is_open(ctx.app, endpoint):
        raise Forbidden("You see only your own records, so you cannot do this. Ask somebody who sees all of them.")


def own_ids(ctx: "Context", prefix: str) -> sa.Select[Any]:
    """Select the ids of the records with this prefix that are the caller's own."""
    user_id = ctx.identity.id if ctx.identity else ""
    # Not correlated: it is a condition on the table that it selects from.
    found = [each.ids(ctx, user_id).correlate(None) for each in ctx.app.owned.get(prefix, ())]
    if not found:
        return sa.select(sa.literal("", ByCodePoint).label("id")).where(sa.false())
    return found[0] if len(found) == 1 else sa.select(sa.union(*found).subquery().c.id)


def are_own(ctx: "Context", ids: set[str]) -> bool:
    """Tell whether all of these records are the caller's own; ids with a prefix of no resource are ignored."""
    by_prefix: dict[str, set[str]] = {}
    for id in ids:
        prefix = id.partition("_")[0]
        if prefix in ctx.app.prefixes or prefix in ctx.app.owned:
            by_prefix.setdefault(prefix, set()).add(id)
    for prefix, wanted in by_prefix.items():
        found = own_ids(ctx, prefix)
        (column,) = found.selected_columns
        if {*ctx.db.execute(found.where(column.in_(sorted(wanted)))).scalars()} != wanted:
            return False
    return True


def check_call(ctx: "Context", endpoint: "Endpoint", params: Mapping[str, str], query: Any, sent: Any) -> None:
    """Refuse a call that names records other than the caller's own, as if there were none.

    `sent` is its body. If the caller sees no amounts, it also refuses to filter by them or to change them.
    """
    if ctx.hides_amounts:
        _check_amounts(endpoint, query, sent)
    asked = structs.asdict(query).values() if query is not None and endpoint.route.method != "GET" else ()
    if not are_own(ctx, {*params.values(), *(each for each in asked if isinstance(each, str) and is_id(each))}):
        raise NotFound
    if faults := [
        Fault(at, "not_found", "there is no such record") for at, id in ids_in(sent) if not are_own(ctx, {id})
    ]:
        raise Invalid.of(*faults)


def check_still_own(ctx: "Context", params: Mapping[str, str]) -> None:
    """Refuse a change after which the record is no longer the caller's own."""
    if not are_own(ctx, {*params.values()}):
        raise Forbidden("The record would no longer be yours. Ask somebody who sees all records to do this.")


def ids_in(tree: Any, at: str = "") -> Iterator[tuple[str, str]]:
    """Yield the ids by which a body refers to other records, each with its path."""
    if isinstance(tree, dict):
        for name, value in tree.items():
            path = f"{at}.{name}" if at else name
            if isinstance(value, dict | list) and not name.endswith("_ids"):
                yield from ids_in(value, path)
            elif isinstance(value, str) and name.endswith("_id") and is_id(value):
                yield path, value
            elif isinstance(value, list):
                yield from ((f"{path}[{i}]", each) for i, each in enumerate(value) if is_id(each))
    elif isinstance(tree, list):
        for i, each in enumerate(tree):
            yield from ids_in(each, f"{at}[{i}]")


def _check_amounts(endpoint: "Endpoint", query: Any, sent: Any) -> None:
    shown = endpoint.signature.listed
    if is_struct(shown) and query is not None:
        sort = [key.removeprefix("-") for key in (getattr(query, "sort", None) or "").split(",")]
        for name in amounts_of(shown):
            asked = (f"{name}_from", f"{name}_to", name)
            if name in sort or any(getattr(query, each, None) is not None for each in asked):
                raise BadRequest(
                    "You cannot see amounts, so you cannot filter or sort by them: leave them out.",
                    param="sort" if name in sort else name,
                )
    body = endpoint.signature.body
    kinds = {body, *types_within(body)} if body else set()
    if {*names_in(sent)} & {name for kind in kinds if is_struct(kind) for name in amounts_within(kind)}:
        raise Forbidden("You cannot see amounts, so you cannot change them: leave them out.")


def names_in(tree: Any) -> Iterator[str]:
    """Yield the names of the members of a body that have a value, however deep."""
    if isinstance(tree, dict):
        for name, value in tree.items():
            if value is not None:
                yield name
            yield from names_in(value)
    elif isinstance(tree, list):
        for each in tree:
            yield from names_in(each)


def hide_amounts(value: Any) -> Any:
    """Return a record or a page of records with null in place of each amount of money."""
    if isinstance(value, Page):
        return value.of([hide_amounts(each) for each in value.items])
    if isinstance(value, list):
        return [hide_amounts(each) for each in value]
    if not isinstance(value, Struct) or isinstance(value, Reply):
        return value
    amounts = amounts_of(type(value))
    changed: dict[str, Any] = {}
    for name in value.__struct_fields__:
        held = getattr(value, name)
        if name in amounts and held is not UNSET:
            changed[name] = None
        elif isinstance(held, Struct | list):
            changed[name] = hide_amounts(held)
        elif isinstance(held, dict):  # such as custom fields, of which a number may be an amount
            changed[name] = {key: None if isinstance(each, Decimal) else each for key, each in held.items()}
    return structs.replace(value, **changed) if changed else value


@cache
def amounts_of(kind: type[Struct]) -> frozenset[str]:
    """Name the members of a Struct that are amounts of money."""
    return frozenset(each.name for each in structs.fields(kind) if _is_amount(each.type))


@cache
def amounts_within(kind: type[Struct]) -> frozenset[str]:
    """Name the members that are amounts, of a Struct and of those within it."""
    return amounts_of(kind).union(
        *(
            amounts_within(inner)
            for each in structs.fields(kind)
            for inner in types_within(each.type)
            if is_struct(inner) and inner is not kind
        )
    )


def _is_amount(kind: Any) -> bool:
    rules = (parts(option)[1] for each in options(parts(kind)[0]) for option in (kind, each))
    return any(isinstance(rule, Number) and rule.kind == "money" for rule in rules)
