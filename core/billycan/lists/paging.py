"""Pages of a list: page numbers, and signed cursors with a keyset underneath."""

import hashlib
from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache, partial
from typing import Any

import msgspec
import sqlalchemy as sa
from itsdangerous import BadData, Signer
from itsdangerous.encoding import base64_decode, base64_encode

from ..context import Context
from ..fields import Moment
from ..problems import BadRequest
from ..resources import STEERING, Page, Paging
from .queries import Found, Order, QueryForm, count_live, count_rows, fetch_rows

DEFAULT_PER_PAGE = 25
_FAR = 1_000  # rows before a page, beyond which reading each of them takes too long
_VALUE = "list_value"
_OF_VALUES = -1  # among the places of rows, the number of those that have a value
_NOT_COUNTED = 0.75  # of a list, from its beginning: to count is no quicker than to read the keys of so many rows


def paginate(ctx: Context, found: Found, query: Paging) -> Page[sa.Row[Any]]:
    """Return the page that `query` asks for, as rows; an empty one if the rows are only counted, by `totals`."""
    if ctx.counted_lists is not None:
        ctx.counted_lists.append(found)
        return Page([], 1, DEFAULT_PER_PAGE, 0)
    per_page = query.per_page or DEFAULT_PER_PAGE
    page = query.page or 1
    offset = (page - 1) * per_page
    if query.cursor is None and offset >= _FAR and found.live is not None and not found.conditions:
        return _by_far_number(ctx, found, query, page, per_page)
    if found.beside is not None:
        return _by_values(ctx, found, query, found.beside)
    if query.cursor is not None:
        return _by_cursor(ctx, found, query)
    rows = fetch_rows(
        ctx, found, query, QueryForm(found.order, per_page + 1, counts=True, skips=bool(offset)), offset=offset
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
    """Return a late page of a list without filters: from the nearest row whose place is known.

    Of the rows between them only the keys are read. While nothing changes, the places of pages are remembered.
    """
    offset = (page - 1) * per_page
    by_values = found.beside is not None
    key = (
        ctx.tenant_id,
        found.table.name,
        by_values and query.sort,
        *((o.column.name, o.descending) for o in found.order),
    )
    with ctx.one_moment():
        total, number = count_live(ctx, found)
        places = ctx.app.totals.places(key, number, ctx.now())
        if by_values:
            rows = _fetch_by_value(ctx, found, places, offset, per_page, total)
        else:
            rows = _fetch_part(_Part(0, total, _walk(ctx, found, query)), places, offset, per_page)
    ctx.app.totals.keep_places(key, number, places, ctx.now())
    return _build_page(
        ctx, found, query, rows[:per_page], page, per_page, total, more=total - offset > per_page, back=True
    )


class _Part(msgspec.Struct, frozen=True):
    """Rows of a list that one statement orders: those with the places `start` to `end`.

    `walk(keys, limit, skip, backwards)` returns rows beyond the one with these keys, or from an end of the part, each
    with its own keys. A part that `may_end_before` is not read from its end.
    """

    start: int
    end: int
    walk: Callable[[Any, int, int, bool], list[tuple[sa.Row[Any], Any]]]
    may_end_before: bool = False


def _fetch_part(part: _Part, places: dict[int, Any], offset: int, per_page: int) -> list[sa.Row[Any]]:
    """Return those rows of a page, and of the one that follows it, that are in this part; remember their places."""
    first, last = max(offset, part.start), min(offset + per_page + 1, part.end)
    if first >= last:
        return []
    known = {at: keys for at, keys in places.items() if part.start <= at < part.end and not first <= at < last}
    known |= {part.start - 1: None} | ({} if part.may_end_before else {part.end: None})
    nearest = min(known, key=lambda at: first - at if at < first else at - last + 1)
    limit, backwards = per_page + 2, nearest >= last
    if backwards:
        found = part.walk(known[nearest], limit, nearest - last, True)[::-1]
        begin = last - len(found)
    else:
        begin = max(first - 1, nearest + 1)
        found = part.walk(known[nearest], limit, begin - nearest - 1, False)
    at = {begin + i: each for i, each in enumerate(found)}
    # The next page begins behind the last row of this one, and this one, asked for again, behind the row before it.
    places.update({place: at[place][1] for place in (first - 1, offset + per_page - 1) if place in at})
    return [at[place][0] for place in range(first, last) if place in at]


def _walk(ctx: Context, found: Found, query: Paging) -> Any:
    def walk(keys: Any, limit: int, skip: int, backwards: bool) -> list[tuple[sa.Row[Any], Any]]:
        order = tuple([Order(o.column, o.descending is not backwards, o.nullable) for o in found.order])
        after = tuple([key is None for key in keys or ()])
        form = QueryForm(order, limit, skips=True, after=after, nulls_first=backwards, far=skip >= _FAR)
        given = {f"key{i}": key for i, key in enumerate(keys or ()) if key is not None}
        rows = fetch_rows(ctx, found, query, form, offset=skip, **given)
        return [(row, [getattr(row, o.column.key) for o in order]) for row in rows]

    return walk


def _fetch_by_value(
    ctx: Context, found: Found, places: dict[int, Any], offset: int, per_page: int, total: int
) -> list[sa.Row[Any]]:
    """Return the rows of a page, and of the one that follows it, of a list of which those with a value come first.

    How many these are is counted, and remembered, only for a page near the end of the list, or with rows without one.
    """
    assert found.beside is not None  # noqa: S101 - whoever calls this has looked
    values, table, (by_id,) = found.beside.subquery(), found.table, found.order
    lacks = sa.select(table.c.id).where(*found.where, ~sa.exists().where(values.c.id == table.c.id))
    asked = found.columns or tuple(table.c)

    def walk(with_value: bool, keys: Any, limit: int, skip: int, backwards: bool) -> list[tuple[sa.Row[Any], Any]]:
        some, order = (sa.select(values), [values.c.value, values.c.id]) if with_value else (lacks, [table.c.id])
        descending = by_id.descending is not backwards
        if keys:
            some = some.where(_beyond(order, keys, descending=descending))
        some = some.order_by(*_directed(order, descending=descending)).limit(sa.literal_column(str(limit)))
        place = some.offset(skip).subquery()
        value = place.c.value if with_value else sa.null()
        select = sa.select(*asked, value.label(_VALUE)).join(place, place.c.id == table.c.id).where(*found.where)
        order = [place.c.value, place.c.id] if with_value else [table.c.id]
        rows: list[sa.Row[Any]] = list(ctx.db.execute(select.order_by(*_directed(order, descending=descending))))
        return [(row, (getattr(row, _VALUE), row.id) if with_value else (row.id,)) for row in rows]

    there = places.pop(_OF_VALUES, None)
    if there is None and offset < total * _NOT_COUNTED:
        rows = _fetch_part(_Part(0, total, partial(walk, True), may_end_before=True), places, offset, per_page)
        if len(rows) == min(per_page + 1, total - offset):
            return rows
    if there is None:
        there = ctx.db.execute(sa.select(sa.func.count()).select_from(values)).scalar_one()
    places[_OF_VALUES] = there
    parts = _Part(0, there, partial(walk, True)), _Part(there, total, partial(walk, False))
    return [row for part in parts for row in _fetch_part(part, places, offset, per_page)]


def _directed(columns: Sequence[Any], *, descending: bool) -> list[Any]:
    return [column.desc() if descending else column for column in columns]


def _beyond(columns: Sequence[Any], keys: Sequence[Any], *, descending: bool) -> Any:
    """Match the rows that come after the one with these keys."""
    of, place = sa.tuple_(*columns), sa.tuple_(*(sa.literal(k, c.type) for k, c in zip(keys, columns, strict=True)))
    return of < place if descending else of > place


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
    form = QueryForm(order, per_page + 1, after=after, nulls_first=backwards)
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
    for with_value in (False, True) if backwards else (True, False):
        # A cursor at a row without a value is past all that have one, and one at a value is before all without.
        is_past = key is not None and with_value is not backwards and (key[0] is None) is with_value
        if len(rows) == limit or is_past:
            continue
        select, order = (has, of_values) if with_value else (lacks, [table.c.id])
        if key and with_value == (key[0] is not None):
            select = select.where(_beyond(order, key if with_value else key[1:], descending=descending))
        select = select.order_by(*_directed(order, descending=descending))
        select = select.limit(sa.literal_column(str(limit - len(rows))))
        got: list[sa.Row[Any]] = list(ctx.db.execute(select.offset(offset) if offset else select))
        if offset and with_value and got:
            offset = 0
        elif offset and with_value:
            # The others begin behind all that have a value.
            source = has.with_only_columns(table.c.id, maintain_column_froms=True).subquery()
            offset -= ctx.db.execute(sa.select(sa.func.count()).select_from(source)).scalar_one()
        rows += got
    more, rows = len(rows) > per_page, rows[:per_page]
    if cursor is None:
        total = count_rows(ctx, found, query)
        return _build_page(ctx, found, query, rows, page, per_page, total, more=more, back=page > 1)
    if backwards:
        return _build_page(ctx, found, query, rows[::-1], page, per_page, cursor["t"], more=True, back=more)
    return _build_page(ctx, found, query, rows, page, per_page, cursor["t"], more=more, back=True)


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
