"""Pages of a list: page numbers, and signed cursors with a keyset underneath."""

import hashlib
from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any

import msgspec
import sqlalchemy as sa
from itsdangerous import BadData, URLSafeSerializer
from sqlalchemy.sql import operators

from .context import Context
from .fields import Moment
from .manifest import STEERING, Page, Paging
from .postgres import PLANNED_ANEW
from .problems import BadRequest

DEFAULT_PER_PAGE = 25
MOST_PAGE_BYTES = 8 * 1024 * 1024  # of a page as JSON; a single record is shown whatever its size
_TOTAL = "list_total"


class Order(msgspec.Struct, frozen=True):
    """One key of a sort: a column, its direction, and whether it may be NULL (NULLs come last both ways)."""

    column: Any
    descending: bool = False
    nullable: bool = False


class Found(msgspec.Struct, frozen=True):
    """What a list found, before it is cut into pages: a table, conditions, an order that ends in a unique column.

    `live` asks for the number of rows without counting them, where no condition filters; its parameter is `tenant_id`.
    `columns` are what is fetched of each row where not all are, those of the order among them; no search can be asked.
    """

    table: sa.Table
    where: Sequence[sa.ColumnElement[bool]]
    order: Sequence[Order]
    live: sa.ScalarSelect[int] | None = None
    columns: tuple[Any, ...] = ()


def paginate(ctx: Context, found: Found, query: Paging) -> Page[sa.Row[Any]]:
    """The page that `query` asks for, as rows."""
    if query.cursor is not None:
        return _by_cursor(ctx, found, query)
    per_page = query.per_page or DEFAULT_PER_PAGE
    page = query.page or 1
    # Asked for along with the rows; only a page past the end has none to tell it.
    number = (_count(found) if found.live is None else found.live).label(_TOTAL)
    searched = _is_searched(ctx, query)
    rows = _rows(ctx, found, found.where, per_page + 1, offset=(page - 1) * per_page, also=[number], searched=searched)
    if rows:
        total = rows[0]._mapping[_TOTAL]
    else:
        counted = sa.select(number).execution_options(**_planning(found))
        total = ctx.db.execute(counted, {"tenant_id": ctx.tenant_id}).scalar() or 0
    return _page(ctx, found, query, rows[:per_page], page, per_page, total, more=len(rows) > per_page, back=page > 1)


def check_size(size: int, records: Sequence[Any], size_of: Callable[[Any], int]) -> None:
    """Refuse a page of records where they are too large together; a single one never is."""
    if size > MOST_PAGE_BYTES and len(records) > 1:
        # As many as fit even if each is as large as the largest.
        raise page_too_large(len(records), MOST_PAGE_BYTES // max(1, *map(size_of, records)))


def page_too_large(records: int, fits: int) -> BadRequest:
    """The refusal of a page that would be too large; its `per_page` says about how many such records fit."""
    fits = max(1, fits)
    return BadRequest(
        f"per_page: these {records} records have more than {MOST_PAGE_BYTES >> 20} MiB: ask for {fits} at a time.",
        code="page_too_large",
        param="per_page",
        per_page=fits,
    )


def _by_cursor(ctx: Context, found: Found, query: Paging) -> Page[sa.Row[Any]]:
    if query.page is not None:
        raise BadRequest("page: send either page or cursor.", param="page")
    cursor = _read(ctx, found, query)
    per_page, page, total = cursor["n"], cursor["p"], cursor["t"]
    if query.per_page not in (None, per_page):
        raise BadRequest(f"per_page: this cursor continues pages of {per_page}.", param="per_page")
    backwards = cursor["b"]
    order = [Order(o.column, o.descending != backwards, o.nullable) for o in found.order]
    values = [_unpack(o.column, v) for o, v in zip(order, cursor["k"], strict=True)]
    where = [*found.where, _beyond(order, values, nulls_first=backwards)]
    searched = _is_searched(ctx, query)
    rows = _rows(ctx, found, where, per_page + 1, order=order, nulls_first=backwards, searched=searched)
    more, rows = len(rows) > per_page, rows[:per_page]
    if backwards:
        return _page(ctx, found, query, rows[::-1], page, per_page, total, more=True, back=more)
    return _page(ctx, found, query, rows, page, per_page, total, more=more, back=True)


def _page(
    ctx: Context,
    found: Found,
    query: Paging,
    rows: list[sa.Row[Any]],
    page: int,
    per_page: int,
    total: int,
    *,
    more: bool,
    back: bool,
) -> Page[sa.Row[Any]]:
    def cursor(row: sa.Row[Any], to: int, backwards: bool) -> str:
        keys = [_pack(row._mapping[o.column.key]) for o in found.order]
        return _serializer(ctx, found, query).dumps({"k": keys, "p": to, "n": per_page, "t": total, "b": backwards})

    return Page(
        rows,
        page,
        per_page,
        total,
        has_more=more and bool(rows),
        next_cursor=cursor(rows[-1], page + 1, False) if more and rows else None,
        prev_cursor=cursor(rows[0], max(page - 1, 1), True) if back and rows else None,
    )


def _rows(
    ctx: Context,
    found: Found,
    where: Sequence[sa.ColumnElement[bool]],
    limit: int,
    offset: int = 0,
    order: Sequence[Order] | None = None,
    nulls_first: bool = False,
    also: Sequence[sa.Label[Any]] = (),
    searched: bool = False,
) -> list[sa.Row[Any]]:
    table: sa.FromClause = found.table
    order = order or found.order
    if searched:
        # How much a text finds PostgreSQL can only guess. OFFSET 0 has it look for the text first and sort what it
        # found, where it may otherwise walk all rows in their order for one that is not there.
        table = sa.select(table).where(*where).offset(sa.literal_column("0")).subquery()
        order, where = [msgspec.structs.replace(o, column=table.c[o.column.key]) for o in order], ()
    build = _built if searched else _ordered
    select = build(table, tuple(order), limit, nulls_first, found.columns).where(*where).add_columns(*also)
    if offset:
        select = select.offset(offset)
    select = select.execution_options(**_planning(found))
    return list(ctx.db.execute(select, {"tenant_id": ctx.tenant_id}).all())


def _is_searched(ctx: Context, query: Paging) -> bool:
    return ctx.db.dialect.name == "postgresql" and getattr(query, "search", None) is not None


def _built(
    table: sa.FromClause, order: tuple[Order, ...], limit: int, nulls_first: bool, columns: tuple[Any, ...]
) -> sa.Select[Any]:
    """The query of a list before any condition."""
    select = sa.select(*columns or (table,))
    for o in order:
        if o.nullable:
            empty = o.column.is_(None)
            select = select.order_by(empty.desc() if nulls_first else empty)
        select = select.order_by(o.column.desc() if o.descending else o.column)
    # A literal limit lets PostgreSQL keep one plan; as a parameter it plans the query anew each time.
    return select.limit(sa.literal_column(str(limit)))


_ordered = lru_cache(_built)  # once for each order: to build it takes as long as to run it


def _planning(found: Found) -> dict[str, bool]:
    """Execution options that have PostgreSQL plan a query anew for what is asked, unless one plan is right for all."""
    filters = [condition for condition in found.where if not _is_equality(condition, "tenant_id")]
    order = tuple(o.column.name for o in found.order)
    right = not filters or (
        len(filters) == 1 and any(_is_equality(filters[0], name) for name in _found_by(found.table, order))
    )
    return {} if right else {PLANNED_ANEW: True}


def _is_equality(condition: sa.ColumnElement[bool], name: str) -> bool:
    """Whether a condition asks a column of this name for one value."""
    return (
        isinstance(condition, sa.BinaryExpression)
        and condition.operator is operators.eq
        and getattr(condition.left, "name", None) == name
    )


@lru_cache
def _found_by(table: sa.Table, order: tuple[str, ...]) -> list[str]:
    """The columns by whose value an index finds rows in this order, or a single one, however many there are of each."""
    if not isinstance(table, sa.Table):
        return []
    indexes = [[c.name for c in index.columns] for index in table.indexes]
    unique = [[c.name for c in u.columns] for u in table.constraints if isinstance(u, sa.UniqueConstraint)]
    sorted_ = [columns[1] for columns in indexes if columns[:1] == ["tenant_id"] and tuple(columns[2:]) == order]
    return [*sorted_, *(columns[1] for columns in unique if columns[:1] == ["tenant_id"] and len(columns) == 2)]


def _count(found: Found) -> sa.ScalarSelect[int]:
    count = sa.select(sa.func.count()).select_from(found.table).where(*found.where)
    return count.correlate(None).scalar_subquery()


def _beyond(order: Sequence[Order], values: Sequence[Any], *, nulls_first: bool) -> sa.ColumnElement[bool]:
    """The rows that come after the one with these values of the sort's keys."""
    if not any(o.nullable for o in order) and len({o.descending for o in order}) == 1:
        # A row comparison is one range of the index.
        left, right = (
            sa.tuple_(*(o.column for o in order)),
            sa.tuple_(*(_bound(o, v) for o, v in zip(order, values, strict=True))),
        )
        return left < right if order[0].descending else left > right
    beyond: sa.ColumnElement[bool] = sa.false()
    for o, value in reversed(list(zip(order, values, strict=True))):
        after, same = _after(o, value, nulls_first), _same(o, value)
        beyond = after | (same & beyond)
    return beyond


def _bound(o: Order, value: Any) -> Any:
    return sa.bindparam(None, value, type_=o.column.type)


def _after(o: Order, value: Any, nulls_first: bool) -> sa.ColumnElement[bool]:
    if value is None:
        return o.column.isnot(None) if nulls_first else sa.false()
    after: sa.ColumnElement[bool] = o.column < _bound(o, value) if o.descending else o.column > _bound(o, value)
    return after | o.column.is_(None) if o.nullable and not nulls_first else after


def _same(o: Order, value: Any) -> sa.ColumnElement[bool]:
    same: sa.ColumnElement[bool] = o.column.is_(None) if value is None else o.column == _bound(o, value)
    return same


# Cursors --------------------------------------------------------------------------------------------------------------


def _serializer(ctx: Context, found: Found, query: Paging) -> URLSafeSerializer:
    """Signs for this tenant, path, filters and sort alone; old secrets still verify."""
    asked = {k: str(v) for k, v in msgspec.structs.asdict(query).items() if v is not None and k not in STEERING}
    # The columns too: a release may have given a sort other keys.
    keys = [str(o.column.name) for o in found.order]
    bound = [ctx.tenant_id, ctx.path, query.sort, keys, sorted(asked.items())]
    salt = hashlib.sha256(msgspec.json.encode(bound)).digest()
    return URLSafeSerializer(
        ctx.app.secrets, salt=b"cursor" + salt, signer_kwargs={"digest_method": hashlib.sha256}, serializer=_Json
    )


class _Json:
    loads = staticmethod(msgspec.json.decode)

    @staticmethod
    def dumps(value: Any) -> str:
        return msgspec.json.encode(value).decode()


def _read(ctx: Context, found: Found, query: Paging) -> Any:
    try:
        return _serializer(ctx, found, query).loads(query.cursor or "")
    except (BadData, ValueError):
        raise BadRequest(
            "cursor: does not belong to this list: repeat the filters and the sort of the page it came from.",
            code="invalid_cursor",
            param="cursor",
        ) from None


def _pack(value: Any) -> Any:
    return str(value) if isinstance(value, Decimal | date) else value


def _unpack(column: Any, value: Any) -> Any:
    if value is None or isinstance(value, int):
        return value
    kind = column.type.python_type
    if issubclass(kind, datetime):
        return Moment.of(datetime.fromisoformat(value.replace("Z", "+00:00")))
    return (
        date.fromisoformat(value) if issubclass(kind, date) else Decimal(value) if issubclass(kind, Decimal) else value
    )
