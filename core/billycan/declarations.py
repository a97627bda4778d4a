"""A resource, declared once: its table, its records and the query of its list follow from the Structs of its members.

`resource("items", sends=NewItem, shows=Item, prefix="itm")` reads the two Structs at import, member by member:

- The **column** is named like the member that is shown, and is of the type that is sent. It is nullable where null may
  be shown.
- **Filters, sorting and search** are in the `Member` beside the type, on the Struct that is sent, or on the one that is
  shown for a member that only the server sets.

What does not follow from this is written out: a column, index or constraint in `more`, a parameter of its own in the
Struct that is given as `query`. `billycan resource items` prints the result.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Generic, Literal, TypedDict, TypeVar, Unpack, cast, get_args, get_origin

import msgspec
import sqlalchemy as sa
from msgspec import Struct, UnsetType
from msgspec.structs import fields

from .db import ByCodePoint, Decimals, Json, UTCDateTime, folded, new_table, numbered, reference, searchable
from .engines.forms import Row
from .fields import Day, DayOrInstant, Id, Moment, Number, Rule, Search
from .members import Member, beside, is_struct, parts
from .members import options as options_of
from .records import Filter, Records
from .references import Names, Neighbours
from .resources import Query, Resource

T = TypeVar("T", bound=Struct)


class Declaration(Struct, Generic[T], frozen=True):
    """A resource as it was declared: its table, its records and the query of its list."""

    table: sa.Table
    records: Records[T]
    query: type[Query[Any]]


class RecordsOptions(TypedDict, total=False):
    """The options of Records that a declaration passes on; `search` adds columns that are no member."""

    search: Sequence[str]
    references: Mapping[str, Names]
    filters: Mapping[str, Filter]
    number: str
    actions: Callable[[Row], list[str]]
    neighbours: Neighbours
    needs: Mapping[str, Sequence[str]]
    points_at: Mapping[str, str]
    remembers: bool


def resource(
    name: str,
    *,
    sends: type[Struct],
    shows: type[T],
    prefix: str,
    query: type[Query[Any]] | None = None,
    more: Sequence[sa.schema.SchemaItem] = (),
    **options: Unpack[RecordsOptions],
) -> Declaration[T]:
    """Declare a resource: `table`, `records` and `query` follow from its two Structs. `billycan resource NAME` prints
    them.

    Each member that is shown has a column of its name, for the type that is sent; one that only the server sets, for
    the type that is shown. The column is nullable if null can be shown. A record that `references` names needs no
    column.

    sends, shows: The Struct that clients send, and the one they are shown.
    prefix: What begins the ids.
    query: A Struct with the parameters of the list that follow from no member; a handler takes it or `Query[Boat]`.
    more: Columns, indexes and constraints besides those that follow from the members; a column in it takes the place of
      its member's.
    options: Those of Records; `search` names columns besides those of members, and `number` adds the columns of one.
    """
    members = [*_shown_members(sends, shows)]
    stored = [m for m in members if m.use.stored and m.name not in options.get("references", ())]
    more = (*(numbered() if options.get("number") else ()), *more)
    written = {part.name for part in more if isinstance(part, sa.Column)}
    table = new_table(
        name,
        *_build_columns([m for m in stored if m.name not in written]),
        *_build_constraints(stored),
        *more,
        of="resource",
    )
    options["search"] = [*(m.name for m in members if m.use.search), *options.get("search", ())]
    records = Records(table, shows, prefix=prefix, **options)
    _queries[shows] = asks = _build_query(members, query or Query, shows)
    if query:
        _queries[query] = asks
    return Declaration(table, records, asks)


def resolve_query(kind: Any) -> Any:
    """Return the query of a list for the type that its handler names, such as `Query[Item]`; any other type as it is.

    A handler may also name the Struct that was given as `query`.
    """
    is_derived = get_origin(kind) is Query
    named = get_args(kind)[0] if is_derived else kind
    if is_derived and named not in _queries:
        raise TypeError(f"no resource(…) shows {named.__name__}, of which a handler takes the Query: declare it")
    return _queries.get(named, kind)


_queries: dict[Any, type[Query[Any]]] = {}


class _Declared(Struct, frozen=True):
    """A member of a resource: its type without null, the rule of that type, whether it may be null, and its use."""

    name: str
    kind: Any
    rule: Rule | None
    nullable: bool
    use: Member


def _shown_members(sends: type[Struct], shows: type[Struct]) -> Iterator[_Declared]:
    """Yield the members that are shown, except those that every resource has."""
    sent = {field.name: field.type for field in fields(sends)}
    for name in sent.keys() - {*shows.__struct_fields__}:
        if _member_beside(sent[name]) != Member(stored=False):
            raise TypeError(
                f"{sends.__name__}.{name} is not shown: add {name} to {shows.__name__}, or say Member(stored=False)"
            )
    for field in fields(shows):
        if field.name not in Resource.__struct_fields__:
            kind, rule = _split_type(sent.get(field.name, field.type))
            use = _member_beside(field.type) or _member_beside(sent.get(field.name)) or Member()
            yield _Declared(field.name, kind, rule, type(None) in options_of(parts(field.type)[0]), use)


def _member_beside(kind: Any) -> Member | None:
    """Return the Member beside a type, or beside one that may also be null."""
    return next((part for part in beside(kind) if isinstance(part, Member)), None)


def _split_type(kind: Any) -> tuple[Any, Rule | None]:
    """Return a type without null and without what stands beside it, and its rule."""
    inner, rule, _ = parts(kind)
    choices = [option for option in options_of(inner) if option not in (type(None), UnsetType)]
    return _split_type(choices[0]) if len(choices) == 1 and choices[0] is not inner else (inner, rule)


def _build_columns(members: Sequence[_Declared]) -> Iterator[sa.Column[Any]]:
    """Yield the columns of members, and those by which they are sorted and searched."""
    yield from (sa.Column(m.name, _column_type(m), nullable=m.nullable) for m in members)
    yield from (folded(m.name, nullable=m.nullable) for m in members if _is_folded(m))
    if any(m.use.search for m in members):
        yield searchable()


def _build_constraints(members: Sequence[_Declared]) -> Iterator[sa.schema.SchemaItem]:
    """Yield the indexes and constraints of members."""
    for m in members:
        if m.use.sort == "indexed":
            yield sa.Index(None, "tenant_id", f"{m.name}_folded" if _is_folded(m) else m.name, "id")
        if m.use.unique:
            yield sa.UniqueConstraint("tenant_id", m.name)
        if m.use.refers_to:
            yield reference(m.name, m.use.refers_to)


def _is_folded(member: _Declared) -> bool:
    return bool(member.use.sort) and member.kind is str


def _column_type(member: _Declared) -> Any:
    if isinstance(member.rule, Number):
        return Decimals(member.rule.places)
    if member.use.refers_to:
        return ByCodePoint
    if _is_json(member.kind):
        return Json
    found = sa.Text if get_origin(member.kind) is Literal else _COLUMNS.get(member.kind)
    if found is None:
        raise TypeError(
            f"{member.name}: no column is known for {member.kind}: add one of this name to `more`, or say"
            " Member(stored=False)"
        )
    return found


_COLUMNS = {str: sa.Text, bool: sa.Boolean, int: sa.Integer, date: sa.Date, Moment: UTCDateTime}


def _is_json(kind: Any) -> bool:
    return is_struct(kind) or get_origin(kind) in (list, dict)


def _build_query(members: Sequence[_Declared], base: type[Query[Any]], shows: type[Struct]) -> type[Query[Any]]:
    """Return the query of a list: the parameters of `base`, and those that follow from the members."""
    taken: dict[str, Any] = {"search": Search} if any(m.use.search for m in members) else {}
    for m in members:
        if m.use.filter == "range":
            taken |= dict.fromkeys((f"{m.name}_from", f"{m.name}_to"), _filter_type(m))
        elif m.use.filter:
            one: Any = _filter_type(m)
            taken[m.name] = list[one] if m.use.filter == "any" else one
    made = msgspec.defstruct(
        f"{shows.__name__}Query",
        [(name, kind | None, None) for name, kind in taken.items()],
        bases=(base,),
        namespace={"sortable": (*base.sortable, *(m.name for m in members if m.use.sort))},
        module=shows.__module__,
        kw_only=True,
    )
    return cast("type[Query[Any]]", made)


def _filter_type(member: _Declared) -> Any:
    """Return the type of a filter's value, read by the rule of the member."""
    kind, rule = member.kind, member.rule
    if _is_json(kind) or (kind is Decimal and rule is None):
        cure = "declare its amount by a type such as Amount" if kind is Decimal else "give `query` a parameter instead"
        raise TypeError(f"{member.name}: no filter compares {kind}: {cure}")
    if kind is Moment:
        return DayOrInstant
    if kind is date:
        return Day
    # An id is checked by what it must begin with.
    return Annotated[kind, rule] if rule and rule is not parts(Id)[1] else kind
