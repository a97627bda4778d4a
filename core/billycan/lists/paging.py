"""Pages of a list: page numbers, and signed cursors with a keyset underneath."""

import hashlib
from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any

import msgspec
import sqlalchemy as sa
from itsdangerous import BadData, Signer
from itsdangerous.encoding import base64_decode, base64_encode

from ..context import Context
from ..fields import Moment
from ..problems import BadRequest
from ..resources import STEERING, Page, Paging
from .queries import Form, Found, Order, count_rows, fetch_rows

DEFAULT_PER_PAGE = 25
_FAR = 1_000  # rows before a page, beyond which reading each of them takes too long
_VALUE = "list_value"


def paginate(ctx: Context, found: Found, query: Paging) -> Page[sa.Row[Any]]:
    """Return the page that `query` asks for, as rows; an empty one if the rows are only counted, by `totals`."""
    if ctx.counting is not None:
        ctx.counting.append(found)
        return Page([], 1, DEFAULT_PER_PAGE, 0)
    if found.beside is not None:
        return _by_values(ctx, found, query, found.beside)
    if query.cursor is not None:
        return _by_cursor(ctx, found, query)
    per_page = query.per_page or DEFAULT_PER_PAGE
    page = query.page or 1
    offset = (page - 1) * per_page
    if offset >= _FAR and found.live is not None and not found.conditions:
        return _by_far_number(ctx, found, query, page, per_page)
    rows = fetch_rows(
        ctx, found, query, Form(found.order, per_page + 1, counts=True, skips=bool(offset)), offset=offset
    )
    # Each row has the total; an empty first page means 0, and only an empty later page must count.
    total = 0
    if rows:
        total = rows[0][-1]
    elif offset:
        total = count_rows(ctx, found, query)
    return _build_page(
        ctx, found, query, rows[:per_page], page, per_page, total, more=len(rows) > per_page, back=page > 1
    )


def _by_far_number(ctx: Context, found: Found, query: Paging, page: int, per_page: int) -> Page[sa.Row[Any]]:
    """Return a late page of a list without filters: from its nearer end, reading only the keys of skipped rows."""
    offset, rows = (page - 1) * per_page, list[sa.Row[Any]]()
    with ctx.one_moment():
        total = count_rows(ctx, found, query)
        left = total - offset
        turns = offset > left
        if left > 0:
            order = tuple([Order(o.column, o.descending is not turns, o.nullable) for o in found.order])
            form = Form(order, per_page + 1, skips=True, nulls_first=turns, far=True)
            start = max(left - form.limit, 0) if turns else offset
            rows = fetch_rows(ctx, found, query, form, offset=start)
    if turns:
        rows = rows[:left][::-1]
    return _build_page(ctx, found, query, rows[:per_page], page, per_page, total, more=left > per_page, back=True)


def check_size(size: int, records: Sequence[Any], size_of: Callable[[Any], int]) -> None:
    """Refuse a page of records that are too large together; a single record never is."""
    if size > Page.MOST_BYTES and len(records) > 1:
        # As many as fit if all were as large as the largest.
        raise Page.too_large(len(records), Page.MOST_BYTES // max(1, *map(size_of, records)))


def _by_cursor(ctx: Context, found: Found, query: Paging) -> Page[sa.Row[Any]]:
    cursor = _checked_cursor(ctx, found, query)
    per_page, page, total = cursor["n"], cursor["p"], cursor["t"]
    backwards = cursor["b"]
    order = tuple([Order(o.column, o.descending != backwards, o.nullable) for o in found.order])
    keys = [_unpack_value(o.column, v) for o, v in zip(order, cursor["k"], strict=True)]
    after = tuple([key is None for key in keys])
    form = Form(order, per_page + 1, after=after, nulls_first=backwards)
    rows = fetch_rows(ctx, found, query, form, **{f"key{i}": key for i, key in enumerate(keys) if key is not None})
    more, rows = len(rows) > per_page, rows[:per_page]
    if backwards:
        return _build_page(ctx, found, query, rows[::-1], page, per_page, total, more=True, back=more)
    return _build_page(ctx, found, query, rows, page, per_page, total, more=more, back=True)


def _by_values(ctx: Context, found: Found, query: Paging, beside: sa.Select[Any]) -> Page[sa.Row[Any]]:
    """Return a page in the order of values that another table has: first the rows with one, then those without."""
    cursor = None if query.cursor is None else _checked_cursor(ctx, found, query)
    per_page = cursor["n"] if cursor else query.per_page or DEFAULT_PER_PAGE
    page = cursor["p"] if cursor else query.page or 1
    backwards = bool(cursor and cursor["b"])
    values, table, limit = beside.subquery(), found.table, per_page + 1
    (by_id,) = found.order
    descending = by_id.descending != backwards
    key = None if cursor is None else (_unpack_value(values.c.value, cursor["k"][0]), cursor["k"][1])
    offset = 0 if cursor else (page - 1) * per_page
    asked = found.columns or tuple(table.c)
    has = sa.select(*asked, values.c.value.label(_VALUE)).join(values, values.c.id == table.c.id).where(*found.where)
    of_values = [values.c.value, values.c.id]
    none = sa.null().label(_VALUE)
    lacks = sa.select(*asked, none).where(*found.where, ~sa.exists().where(values.c.id == table.c.id))
    rows: list[sa.Row[Any]] = []
    left = -1  # or the rows from a late page on, to the end that may be nearer
    for with_value in (False, True) if backwards else (True, False):
        # A cursor at a row without a value is past all that have one, and one at a value is before all without.
        is_past = key is not None and with_value is not backwards and (key[0] is None) is with_value
        if len(rows) == limit or is_past:
            continue
        select, order = (has, of_values) if with_value else (lacks, [table.c.id])
        if key and with_value == (key[0] is not None):
            place = key if with_value else key[1:]
            keys = sa.tuple_(*(sa.literal(k, c.type) for k, c in zip(place, order, strict=True)))
            columns = sa.tuple_(*order)
            select = select.where(columns < keys if descending else columns > keys)
        most, turns = limit - len(rows), 0 < left < offset
        if turns:
            most, offset = min(left, most), max(left - most, 0)
        select = select.order_by(*(column.desc() if descending is not turns else column for column in order))
        select = select.limit(sa.literal_column(str(most)))
        is_far = offset >= _FAR and not found.conditions
        if offset and with_value and is_far:
            select = _far(found, values, limit, offset, descending=descending)
        elif offset:
            select = select.offset(offset)
        got: list[sa.Row[Any]] = list(ctx.db.execute(select))
        if offset and with_value and got:
            offset = 0
        elif offset and with_value:
            # The others begin behind all that have a value.
            source = values if is_far else has.with_only_columns(table.c.id, maintain_column_froms=True).subquery()
            there = ctx.db.execute(sa.select(sa.func.count()).select_from(source)).scalar_one()
            offset -= there
            if is_far:
                left = max(count_rows(ctx, found, query) - there - offset, 0)
        rows += reversed(got) if turns else got
    more, rows = len(rows) > per_page, rows[:per_page]
    if cursor is None:
        total = count_rows(ctx, found, query)
        return _build_page(ctx, found, query, rows, page, per_page, total, more=more, back=page > 1)
    if backwards:
        return _build_page(ctx, found, query, rows[::-1], page, per_page, cursor["t"], more=True, back=more)
    return _build_page(ctx, found, query, rows, page, per_page, cursor["t"], more=more, back=True)


def _far(found: Found, values: sa.Subquery, limit: int, offset: int, *, descending: bool) -> sa.Select[Any]:
    """Select rows by their values; only the values of skipped rows are read."""

    def order(by: Any) -> list[Any]:
        return [by.c.value.desc(), by.c.id.desc()] if descending else [by.c.value, by.c.id]

    some = sa.select(values).order_by(*order(values)).limit(limit).offset(offset).subquery()
    asked = found.columns or tuple(found.table.c)
    rows = sa.select(*asked, some.c.value.label(_VALUE)).join(some, some.c.id == found.table.c.id)
    return rows.where(*found.where).order_by(*order(some))


def _checked_cursor(ctx: Context, found: Found, query: Paging) -> Any:
    """Return what a cursor says; refuse one that continues other pages."""
    if query.page is not None:
        raise BadRequest("page: send either page or cursor.", param="page")
    cursor = _read_cursor(ctx, found, query)
    if query.per_page not in (None, cursor["n"]):
        raise BadRequest(f"per_page: this cursor continues pages of {cursor['n']}.", param="per_page")
    return cursor


def _build_page(
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
        keys = [_pack_value(getattr(row, o.column.key)) for o in found.order]
        if found.beside is not None:
            keys.insert(0, _pack_value(getattr(row, _VALUE)))
        value = {"k": keys, "p": to, "n": per_page, "t": total, "b": backwards}
        return _cursor_signer(ctx, found, query).sign(base64_encode(msgspec.json.encode(value))).decode()

    return Page(
        rows,
        page,
        per_page,
        total,
        has_more=more and bool(rows),
        next_cursor=cursor(rows[-1], page + 1, False) if more and rows else None,
        prev_cursor=cursor(rows[0], max(page - 1, 1), True) if back and rows else None,
    )


def _cursor_signer(ctx: Context, found: Found, query: Paging) -> Signer:
    """Return a signer for this tenant, path, filters and sort alone; cursors signed with old secrets stay valid."""
    asked = {k: str(v) for k, v in msgspec.structs.asdict(query).items() if v is not None and k not in STEERING}
    # Sign the columns, too: another release may sort by other keys.
    keys = [str(o.column.name) for o in found.order]
    bound = [ctx.tenant_id, ctx.path, query.sort, keys, sorted(asked.items())]
    return _signer_of(tuple(ctx.app.secrets), msgspec.json.encode(bound))


@lru_cache(1024)
def _signer_of(secrets: tuple[str, ...], bound: bytes) -> Signer:
    salt = b"cursor" + hashlib.sha256(bound).digest()
    return Signer(list(secrets), salt=salt, digest_method=hashlib.sha256)


def _read_cursor(ctx: Context, found: Found, query: Paging) -> Any:
    try:
        # Not with itsdangerous' Serializer, which takes ten times as long.
        payload = _cursor_signer(ctx, found, query).unsign((query.cursor or "").encode(errors="replace"))
        return msgspec.json.decode(base64_decode(payload))
    except BadData:
        raise BadRequest(
            "cursor: does not belong to this list: repeat the filters and the sort of the page it came from.",
            code="invalid_cursor",
            param="cursor",
        ) from None


def _pack_value(value: Any) -> Any:
    return str(value) if isinstance(value, Decimal | date) else value


def _unpack_value(column: Any, value: Any) -> Any:
    if value is None or isinstance(value, int):
        return value
    kind = column.type.python_type
    if issubclass(kind, datetime):
        return Moment.of(datetime.fromisoformat(value.replace("Z", "+00:00")))
    return (
        date.fromisoformat(value) if issubclass(kind, date) else Decimal(value) if issubclass(kind, Decimal) else value
    )
