"""The statements of a list: for the rows of a page, and for its total, which is remembered until something changes."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy.sql import operators

from ..context import Context
from ..engines import PLANNED_ANEW
from ..engines.statements import Statement, cache_key
from ..resources import Paging
from .filters import Condition, expression, is_narrowed

_TOTAL, _TOLD = "list_total", "list_told"
_MOST_TOTALS, _MOST_REMEMBERED = 1_000, timedelta(minutes=1)
_MOST_LISTS, _MOST_PLACES = 200, 32


class Order(msgspec.Struct, frozen=True):
    """One key of a sort: a column, its direction, and whether it may be NULL (NULLs come last both ways)."""

    column: Any
    descending: bool = False
    nullable: bool = False

    @classmethod
    def of(cls, key: Any) -> "Order":
        """Return the key that a column or `column.desc()` means; one that is an Order already, as it is."""
        if isinstance(key, sa.UnaryExpression) and key.modifier is operators.desc_op:
            return cls(key.element, True, bool(getattr(key.element, "nullable", False)))
        return key if isinstance(key, cls) else cls(key, False, bool(key.nullable))


class Found(msgspec.Struct, frozen=True):
    """The result of a list before it is cut into pages: a tenant's rows of a table, in an unambiguous order.

    `live` is a query for the number of rows without counting them, if no condition filters; its parameter is
    `tenant_id`. `columns` are the columns to fetch if not all, those of the order among them. `told` is a query for a
    number that rises with every change to what the list depends on, if there is one: until then the total is
    remembered, or places of rows if no condition filters. Set it to None when you add conditions of which that is not
    true. `beside` selects the `id` and `value` of the rows that come first, in the order of their values; the others
    follow, and `order` is that of the ids.
    """

    table: sa.Table
    tenant_id: str
    conditions: Sequence[Condition | sa.ColumnElement[bool]]
    order: tuple[Order, ...]
    live: sa.ScalarSelect[int] | None = None
    columns: tuple[Any, ...] = ()
    told: sa.ScalarSelect[int] | None = None
    beside: sa.Select[Any] | None = None

    @property
    def where(self) -> list[sa.ColumnElement[bool]]:
        """Return all conditions with their values, including that of the tenant."""
        return [_of_tenant(self.table, self.tenant_id), *map(expression, self.conditions)]


class QueryForm(msgspec.Struct, frozen=True):
    """All that distinguishes a page's query from others besides its conditions. Without an order it only counts.

    `after` tells for each key of a cursor whether it is None, and `skips` that the parameter `offset` is given: so many
    rows that it is `far` to read all of them.
    """

    order: tuple[Order, ...]
    limit: int
    counts: bool = False
    skips: bool = False
    after: tuple[bool, ...] = ()
    nulls_first: bool = False
    far: bool = False


def count_rows(ctx: Context, found: Found, query: Paging) -> int:
    """Return the number of rows of a list."""
    return fetch_rows(ctx, found, query, QueryForm((), 1, counts=True))[0][-1] or 0


def count_live(ctx: Context, found: Found) -> tuple[int, int | None]:
    """Return the number of rows of a list that nothing filters, and that of the business's last event if it is told."""
    row: sa.Row[Any] = _build_live(found.live, found.told).one(ctx.db, {"tenant_id": ctx.tenant_id})
    return getattr(row, _TOTAL) or 0, getattr(row, _TOLD)


@lru_cache(256)
def _build_live(live: Any, told: Any) -> Statement:
    return Statement(sa.select(live.label(_TOTAL), (sa.null() if told is None else told).label(_TOLD)))


def count_totals(ctx: Context, lists: Sequence[Found]) -> list[int]:
    """Count the rows of several lists in one statement; remembered totals are not counted again."""
    if not lists:
        return []
    given: dict[str, Any] = {"tenant_id": ctx.tenant_id}
    asked, keys, bound = [], list[Any](), list[Any]()
    for n, found in enumerate(lists):
        told = found.told if found.live is None else None
        filters, values, expressions = _sort_filters(found, ctx.db, f"list{n}_")
        if not all(expression.is_plain for expression in expressions):
            counts = [_select_count(found.table, found.where) if found.live is None else found.live for found in lists]
            return [total or 0 for total in ctx.db.execute(sa.select(*counts), {"tenant_id": ctx.tenant_id}).one()]
        asked.append((found.table, filters, found.order, found.live, told))
        own = [bind.value for expression in expressions for bind in expression.binds]
        keys.append(told is not None and _total_key(found.table, filters, [ctx.tenant_id, *values.values(), *own]))
        number, total = ctx.app.totals.known(keys[-1], ctx.now())
        given |= {**values, f"list{n}_known_at": number, f"list{n}_known_total": total}
        bound += own
    statement, parameters = _build_count(tuple(asked))
    row = statement.one(ctx.db, {**given, **dict(zip(parameters, bound, strict=True))})
    for n, key in enumerate(keys):
        if key:
            ctx.app.totals.keep(key, given[f"list{n}_known_at"], row[-1], row[n], ctx.now())
    return [total or 0 for total in row[: len(lists)]]  # a business that never had any has no counter


@lru_cache(256)
def _build_count(
    asked: "tuple[tuple[sa.Table, _Filters, tuple[Order, ...], Any, Any], ...]",
) -> tuple[Statement, list[str]]:
    """Return the statement that counts the rows of lists, and the names of their expressions' parameters, in order."""
    counts, parameters, planning = list[Any](), list[str](), dict[str, bool]()
    for n, (table, filters, order, live, told) in enumerate(asked):
        where = _build_conditions(table, filters, parameters, f"list{n}_")
        total = _select_count(table, where) if live is None else live
        counts.append((total if told is None else _unless_known(told, total, f"list{n}_")).label(f"list{n}"))
        planning |= _planning_options(table, where, order)
    counts += [told for *_, told in asked if told is not None][:1]  # they all have the same
    return Statement(sa.select(*counts).execution_options(**planning), varying=parameters), parameters


def _sort_filters(
    found: Found, db: sa.Connection, start: str = ""
) -> "tuple[_Filters, dict[str, Any], list[_Expression]]":
    """Return a list's filters without values, the values by parameter name, and the expressions among the filters."""
    filters: list[tuple[Any, Any, int] | _Expression] = []
    values, expressions = dict[str, Any](), list[_Expression]()
    for i, condition in enumerate(found.conditions):
        if isinstance(condition, Condition):
            filters.append((condition.column, condition.compare, len(condition.values)))
            values |= {f"{start}value{i}_{n}": value for n, value in enumerate(condition.values)}
        else:
            expressions.append(_Expression(condition, db))
            filters.append(expressions[-1])
    return tuple(filters), values, expressions


def _total_key(table: sa.Table, filters: "_Filters", values: list[Any]) -> Any:
    """Return the key under which the total of a list is remembered."""
    forms = tuple([each.key if isinstance(each, _Expression) else each for each in filters])
    # On SQLite a value may be the ids of 5,000 rows.
    return table, forms, hashlib.sha256(repr(values).encode()).digest()


def fetch_rows(ctx: Context, found: Found, query: Paging, form: QueryForm, **given: Any) -> list[sa.Row[Any]]:
    filters, values, expressions = _sort_filters(found, ctx.db)
    given |= {"tenant_id": ctx.tenant_id, **values}
    is_searched = ctx.db.dialect.name == "postgresql" and getattr(query, "search", None) is not None
    searched = bool(expressions) and (is_searched or any(is_narrowed(e.condition) for e in expressions))
    if not all(expression.is_plain for expression in expressions):
        where = found.where
        select = _build_select(found.table, where, form, found.live, found.columns, searched=searched)
        return list(ctx.db.execute(select, given))
    told = found.told if form.counts and found.live is None else None
    weight = sum(_WEIGHT if isinstance(each, _Expression) else each[2] for each in filters)
    build = _built if weight <= _FEW else _built_of_many
    statement, parameters = build(found.table, filters, form, found.live, found.columns, searched=searched, told=told)
    bound = [bind.value for expression in expressions for bind in expression.binds]
    asked = {**given, **dict(zip(parameters, bound, strict=True))}
    if told is None:
        return statement.all(ctx.db, asked, in_turns=not ctx.writes)
    key = _total_key(found.table, filters, [ctx.tenant_id, *values.values(), *bound])
    number, total = ctx.app.totals.known(key, ctx.now())
    asked |= {"known_at": number, "known_total": total}
    rows = statement.all(ctx.db, asked, in_turns=not ctx.writes)
    if rows:
        ctx.app.totals.keep(key, number, getattr(rows[0], _TOLD), getattr(rows[0], _TOTAL), ctx.now())
    return rows


class Totals:
    """The totals of filtered lists, and places of rows in others, each valid while the number of events stays the same.

    They expire after a minute, because that number falls if the database is restored under running processes.
    """

    def __init__(self) -> None:
        self._known: dict[Any, tuple[int, int, datetime]] = {}
        self._places: dict[Any, tuple[int, Mapping[int, Any], datetime]] = {}

    def known(self, key: Any, now: datetime) -> tuple[int, int]:
        """Return the number of events at which a total is known, or one that no business has, and the total."""
        number, total, since = self._known.get(key, (-1, 0, now))
        return (-1, 0) if now - since >= _MOST_REMEMBERED else (number, total)

    def keep(self, key: Any, known_at: int, number: int | None, total: int, now: datetime) -> None:
        """Remember a total that was counted together with the number of events, unless it was known."""
        if number not in (None, known_at):
            if len(self._known) >= _MOST_TOTALS:
                self._known.clear()
            self._known[key] = number, total, now

    def places(self, key: Any, number: int | None, now: datetime) -> dict[int, Any]:
        """Return the keys of a list's rows by their places, as far as they are known at this number of events."""
        known_at, places, since = self._places.get(key, (None, {}, now))
        return {} if known_at != number or now - since >= _MOST_REMEMBERED else {**places}

    def keep_places(self, key: Any, number: int | None, places: Mapping[int, Any], now: datetime) -> None:
        """Remember these places, the last ones only, unless nothing tells when they change."""
        if number is None:
            return
        if len(self._places) >= _MOST_LISTS:
            self._places.clear()
        known_at, _, since = self._places.get(key, (None, {}, now))
        is_same = known_at == number and now - since < _MOST_REMEMBERED
        kept = {place: places[place] for place in [*places][-_MOST_PLACES:]}
        self._places[key] = number, kept, since if is_same else now


_Filters = tuple["tuple[Any, Any, int] | _Expression", ...]


class _Expression:
    """A condition that a plugin built, equal to others that differ in the values of their parameters only."""

    __slots__ = ("binds", "condition", "is_plain", "key")

    def __init__(self, condition: sa.ColumnElement[bool], db: sa.Connection) -> None:
        found = cache_key(db, condition)
        self.condition, self.binds = condition, found.bindparams if found else []
        self.key = found.key if found else None
        # SQLAlchemy compiles a list of values anew for each number of values.
        self.is_plain = found is not None and not any(bind.expanding or bind.callable for bind in self.binds)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Expression) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


def _build_list(
    table: sa.Table,
    filters: _Filters,
    form: QueryForm,
    live: sa.ScalarSelect[int] | None,
    columns: tuple[Any, ...],
    *,
    searched: bool,
    told: sa.ScalarSelect[int] | None,
) -> tuple[Statement, list[str]]:
    """Build the query for pages of this form, with conditions on these columns by number of values, or expressions.

    Return it with the names of the expressions' parameters, in order.
    """
    parameters: list[str] = []
    where = _build_conditions(table, filters, parameters)
    select = _build_select(table, where, form, live, columns, searched=searched, told=told)
    return Statement(select, varying=parameters), parameters


def _build_conditions(
    table: sa.Table, filters: _Filters, parameters: list[str], start: str = ""
) -> list[sa.ColumnElement[bool]]:
    """Return the conditions of filters; add the names of the expressions' parameters to `parameters`."""
    where = [_of_tenant(table, sa.bindparam("tenant_id"))]
    for i, each in enumerate(filters):
        if isinstance(each, _Expression):
            parameters += [bind.key for bind in each.binds]
            where.append(each.condition)
            continue
        column, compare, count = each
        values = [sa.bindparam(f"{start}value{i}_{n}", type_=column.type) for n in range(count)]
        where.append(Condition(column, compare, ()).of(values))
    return where


# Building the query of a list takes four times as long as running it. A query with few values takes 30 to 80 KiB, and
# one with hundreds more than a MiB: only a few of those are kept, or a client that varies its filters would fill the
# memory.
_FEW, _WEIGHT = 16, 8  # values, and how many of them an expression counts as


_built = lru_cache(1024)(_build_list)


_built_of_many = lru_cache(64)(_build_list)


def _of_tenant(table: sa.Table, tenant_id: Any) -> sa.ColumnElement[bool]:
    own: sa.ColumnElement[bool] = table.c.tenant_id == tenant_id
    return own


def _build_select(
    table: sa.Table,
    where: Sequence[sa.ColumnElement[bool]],
    form: QueryForm,
    live: sa.ScalarSelect[int] | None,
    columns: tuple[Any, ...],
    *,
    searched: bool = False,
    told: sa.ScalarSelect[int] | None = None,
) -> sa.Select[Any]:
    planning = _planning_options(table, where, form.order)
    total: Any = _select_count(table, where) if live is None else live
    also: list[Any] = [total.label(_TOTAL)] if form.counts else []
    if told is not None:
        also = [told.label(_TOLD), _unless_known(told, total).label(_TOTAL)]
    if not form.order:
        return sa.select(*also).execution_options(**planning)
    if form.after:
        keys = [
            None if is_none else sa.bindparam(f"key{i}", type_=o.column.type)
            for i, (o, is_none) in enumerate(zip(form.order, form.after, strict=True))
        ]
        where = [*where, _beyond_keys(form.order, keys, nulls_first=form.nulls_first)]
    source: sa.FromClause = table
    order: Sequence[Order] = form.order
    if searched:
        # A database can only guess how many rows a text finds. OFFSET 0 makes it look for the text first and sort
        # what it found; otherwise it may walk through all rows in order, looking for one that is not there.
        source = sa.select(table).where(*where).offset(sa.literal_column("0")).subquery()
        order, where = [msgspec.structs.replace(o, column=source.c[o.column.key]) for o in order], ()
    fetched = [source.c[column.key] for column in columns] if searched else columns
    select: sa.Select[Any] = sa.select(*fetched or (source,)).where(*where).add_columns(*also)
    if form.far:
        ordered = sa.select(table.c.id, *(o.column for o in order if o.column is not table.c.id)).where(*where)
        place = _limit_rows(_in_order(ordered, order, nulls_first=form.nulls_first), form).subquery()
        select = _in_order(select.join(place, place.c.id == table.c.id), order, nulls_first=form.nulls_first)
    else:
        select = _limit_rows(_in_order(select, order, nulls_first=form.nulls_first), form)
    return select.execution_options(**planning)


def _in_order(select: sa.Select[Any], order: Sequence[Order], *, nulls_first: bool) -> sa.Select[Any]:
    for o in order:
        if o.nullable:
            empty = o.column.is_(None)
            select = select.order_by(empty.desc() if nulls_first else empty)
        select = select.order_by(o.column.desc() if o.descending else o.column)
    return select


def _limit_rows(select: sa.Select[Any], form: QueryForm) -> sa.Select[Any]:
    # A literal limit lets PostgreSQL keep one plan; as a parameter it plans the query anew each time.
    select = select.limit(sa.literal_column(str(form.limit)))
    return select.offset(sa.bindparam("offset", type_=sa.Integer)) if form.skips else select


def _unless_known(told: sa.ScalarSelect[int], total: Any, start: str = "") -> sa.Case[int]:
    """Return a total that is not counted if the business's events still have the number at which it is known."""
    at, known = (sa.bindparam(f"{start}{name}", type_=sa.BigInteger) for name in ("known_at", "known_total"))
    return sa.case((told == at, known), else_=total)


def _planning_options(
    table: sa.Table, where: Sequence[sa.ColumnElement[bool]], order: Sequence[Order]
) -> dict[str, bool]:
    """Return execution options that let PostgreSQL plan the query for its values, unless one plan suits all values."""
    filters = [condition for condition in where if not _is_equality(condition, "tenant_id")]
    by = tuple(o.column.name for o in order)
    right = not filters or (len(filters) == 1 and any(_is_equality(filters[0], name) for name in _found_by(table, by)))
    return {} if right else {PLANNED_ANEW: True}


def _is_equality(condition: sa.ColumnElement[bool], name: str) -> bool:
    """Tell whether a condition compares a column of this name with one value."""
    return (
        isinstance(condition, sa.BinaryExpression)
        and condition.operator is operators.eq
        and getattr(condition.left, "name", None) == name
    )


@lru_cache
def _found_by(table: sa.Table, order: tuple[str, ...]) -> list[str]:
    """List the columns by which an index finds rows in this order, however many rows each of their values has."""
    if not isinstance(table, sa.Table):
        return []
    indexes = [[c.name for c in index.columns] for index in table.indexes]
    unique = [[c.name for c in u.columns] for u in table.constraints if isinstance(u, sa.UniqueConstraint)]
    sorted_ = [columns[1] for columns in indexes if columns[:1] == ["tenant_id"] and tuple(columns[2:]) == order]
    return [*sorted_, *(columns[1] for columns in unique if columns[:1] == ["tenant_id"] and len(columns) == 2)]


def _select_count(table: sa.Table, where: Sequence[sa.ColumnElement[bool]]) -> sa.ScalarSelect[int]:
    count = sa.select(sa.func.count()).select_from(table).where(*where)
    return count.correlate(None).scalar_subquery()


def _beyond_keys(order: Sequence[Order], keys: Sequence[Any], *, nulls_first: bool) -> sa.ColumnElement[bool]:
    """Match the rows after the one with these keys, each a parameter or None."""
    if not any(o.nullable for o in order) and len({o.descending for o in order}) == 1:
        # A row comparison is one range of the index.
        left, right = sa.tuple_(*(o.column for o in order)), sa.tuple_(*keys)
        return left < right if order[0].descending else left > right
    beyond: sa.ColumnElement[bool] = sa.false()
    for o, key in reversed(list(zip(order, keys, strict=True))):
        after, same = _after_key(o, key, nulls_first), _same_key(o, key)
        beyond = after | (same & beyond)
    return beyond


def _after_key(o: Order, key: Any, nulls_first: bool) -> sa.ColumnElement[bool]:
    if key is None:
        return o.column.isnot(None) if nulls_first else sa.false()
    after: sa.ColumnElement[bool] = o.column < key if o.descending else o.column > key
    return after | o.column.is_(None) if o.nullable and not nulls_first else after


def _same_key(o: Order, key: Any) -> sa.ColumnElement[bool]:
    same: sa.ColumnElement[bool] = o.column.is_(None) if key is None else o.column == key
    return same
