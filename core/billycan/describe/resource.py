"""A resource, member by member: its column, and how clients send it, see it, filter by it, sort by it and search it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

import sqlalchemy as sa
from msgspec import Struct, UnsetType, structs

from ..members import is_struct, options, parts
from ..resources import STEERING
from ..starting.added_members import structs_of, table_of

if TYPE_CHECKING:
    from ..app import App


class DescribedMember(Struct, kw_only=True):
    """A member of a resource; one that is neither sent nor shown is a parameter of the list alone.

    type: The values that are shown or, if it is not shown, sent.
    nullable: Whether null may be shown.
    column: The type of its column; None if it has none.
    sent: Whether a new record must have it; `no` if it is only shown.
    shown: Whether it is shown.
    filters: The parameters by which lists filter by it.
    sort: Whether lists sort by it; `indexed` if an index keeps that order.
    search: Whether `search` looks through it.
    """

    member: str
    type: str
    nullable: bool
    column: str | None
    sent: Literal["required", "optional", "no"]
    shown: bool
    filters: list[str]
    sort: Literal["", "yes", "indexed"]
    search: bool


def resource_names(app: "App") -> list[str]:
    """List the resources of the enabled plugins: the paths of their lists, without `/v1/`."""
    return sorted(e.route.path.removeprefix("/v1/") for e in app.endpoints if _is_resource(e.signature.listed))


def describe_resource(app: "App", name: str) -> list[DescribedMember]:
    """Describe each member of a resource, and each parameter of its list that belongs to none."""
    path = f"/v1/{name}"
    endpoint = app.at["GET", path]
    kinds, bodies = structs_of(path, [e for e in app.endpoints if e.plugin == endpoint.plugin])
    unextended = {more: kind for kind, (more, _) in app.extensions.items()}
    table = table_of([unextended.get(kind, kind) for kind in kinds], app.manifests[endpoint.plugin].tables)
    shown = {f.name: f for f in structs.fields(endpoint.signature.listed)}
    sent = {f.name: f for body in bodies for f in structs.fields(body)}
    query = endpoint.signature.query
    asks = {f.name: f.type for f in structs.fields(query) if f.name not in STEERING}
    described = []
    for member in dict.fromkeys([*shown, *sent]):
        field = shown.get(member) or sent[member]
        filters = [name for name in asks if name.removesuffix("_from").removesuffix("_to") == member]
        column = table.c.get(member) if table is not None else None
        described.append(
            DescribedMember(
                member=member,
                type=_type_name(field.type),
                nullable=member in shown and type(None) in options(parts(field.type)[0]),
                column=None if column is None else _column_name(column),
                sent="no" if member not in sent else "required" if sent[member].required else "optional",
                shown=member in shown,
                filters=filters,
                sort=_how_sorted(table, member) if member in query.sortable else "",
                search=table is not None and member in table.info.get("search", ()),
            )
        )
    found = {name for each in described for name in each.filters}
    return described + [_describe_parameter(name, kind) for name, kind in asks.items() if name not in found]


def _is_resource(listed: Any) -> bool:
    return is_struct(listed) and {"id", "version"} <= {*listed.__struct_fields__}


def _describe_parameter(name: str, kind: Any) -> DescribedMember:
    return DescribedMember(
        member=name,
        type=_type_name(kind),
        nullable=False,
        column=None,
        sent="no",
        shown=False,
        filters=[name],
        sort="",
        search=False,
    )


def _type_name(kind: Any) -> str:
    """Name a type as it is in a Struct, without null and without rules."""
    kind = parts(kind)[0]
    choices = [option for option in options(kind) if option not in (type(None), UnsetType)]
    if len(choices) != 1 or choices[0] is not kind:
        return " | ".join(map(_type_name, choices))
    if get_origin(kind) is Literal:
        return " | ".join(map(str, get_args(kind)))
    if inner := get_args(kind):
        return f"{get_origin(kind).__name__}[{', '.join(map(_type_name, inner))}]"
    name: str = getattr(kind, "__name__", str(kind))
    return name


def _column_name(column: sa.Column[Any]) -> str:
    places = getattr(column.type, "places", None)
    name = type(column.type).__name__
    return f"{name}({places})" if places is not None else name


def _how_sorted(table: sa.Table | None, member: str) -> Literal["yes", "indexed"]:
    names = (member, f"{member}_folded", *(["sequence"] if member == "number" else []))
    return (
        "indexed" if any(columns[1:2] in [[name] for name in names] for columns in _ordered_indexes(table)) else "yes"
    )


def _ordered_indexes(table: sa.Table | None) -> Iterator[list[str]]:
    """Yield the columns of the indexes that keep a business's records in an order."""
    for index in table.indexes if table is not None else ():
        columns = [column.name for column in index.columns]
        if columns[:1] == ["tenant_id"] and columns[2:] == ["id"]:
            yield columns
