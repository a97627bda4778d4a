"""Recurring invoices as stored and as shown."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

import msgspec
import sqlalchemy as sa

from billycan import Context, Page, Query, Row, new_id, own
from billycan.sql import ByIds
from billycan_documents.api import plain_number

from . import resource
from .dates import Series
from .resource import RecurringInvoice, RecurringLine
from .tables import named_items, recurring

records = resource.recurring.records

_MOST_AT_ONCE = 100_000  # bytes of lines that are fetched together, if they are not of one record
_FEW = 25  # records whose sizes are asked together: SQLite reads the lines to know it

_LINES = ByIds(sa.select(recurring.c.id, recurring.c.line_items), recurring.c.id)
_TEXT = sa.cast(recurring.c.line_items, sa.Text)
_SIZES = ByIds(sa.select(recurring.c.id, sa.func.octet_length(_TEXT)), recurring.c.id)


def list_recurring(ctx: Context, query: Query[RecurringInvoice]) -> Page[RecurringInvoice]:
    """Return the page of a query. Raise BadRequest, without loading lines, if the page would be too large."""
    columns = records.columns(ctx) or tuple(recurring.c)
    found = records.rows(ctx, query, columns=tuple(column for column in columns if column.name != "line_items"))
    ids = [row.id for row in found.items] if ctx.wants(RecurringInvoice, "line_items") else []
    sizes: dict[str, int] = {}
    for first in ctx.in_turns(range(0, len(ids), _FEW)):
        sizes |= map(tuple, _SIZES.all(ctx.db, ctx.tenant_id, ids[first : first + _FEW]))
    if len(sizes) > 1 and sum(sizes.values()) > Page.MOST_BYTES:
        raise Page.too_large(len(sizes), Page.MOST_BYTES // max(sizes.values()))
    lines = _LINES.in_groups(ctx.db, ctx.tenant_id, ids, sizes, _MOST_AT_ONCE)
    stored = dict(map(tuple, ctx.in_turns(lines)))
    return found.of(show_recurring(ctx, found.items, stored))


def show_recurring(
    ctx: Context, rows: Sequence[Row], stored: Mapping[str, list[dict[str, Any]]] | None = None
) -> list[RecurringInvoice]:
    """Return recurring invoices as clients see them; `stored` are their lines if the rows have none."""
    if stored is None:
        stored = {row.id: row.line_items for row in rows} if ctx.wants(RecurringInvoice, "line_items") else {}
    lines = {id: [_show_line(line) for line in each] for id, each in ctx.in_turns(stored.items())}
    percents = {row.id: _plain_percent(getattr(row, "discount_percent", None)) for row in rows}
    currency = dict.fromkeys((row.id for row in rows), "AUD")
    return records.show(ctx, rows, currency=currency, line_items=lines, discount_percent=percents)


def emit_recurring(ctx: Context, row: Row, event: str) -> RecurringInvoice:
    """Emit an event with the recurring invoice, and return it as clients see it."""
    (shown,) = show_recurring(ctx, [row])
    ctx.emit(event, shown)
    return shown


def store_items(ctx: Context, row: Row) -> None:
    """Store which items the lines name, so that those are not deleted; none once it has ended."""
    ctx.db.execute(sa.delete(named_items).where(own(ctx, named_items), named_items.c.recurring_id == row.id))
    ids = {line["item_id"] for line in row.line_items if line["item_id"]} if row.status != "ended" else ()
    links = [{"tenant_id": row.tenant_id, "id": new_id("nam"), "recurring_id": row.id, "item_id": id} for id in ids]
    if links:
        ctx.db.execute(sa.insert(named_items), links)


def next_date(row: Any) -> date | None:
    """Return the date of the next invoice of a row; None if none is left."""
    if row.count is not None and row.invoices_made >= row.count:
        return None
    return next(series_of(row).after(row.done_until), None)


def series_of(row: Any, *more: tuple[date, date]) -> Series:
    """Return the dates of a row, with `more` pauses."""
    pauses = msgspec.convert(row.pauses, list[tuple[date, date]])
    return Series(row.frequency, row.start_on, row.end_on, [*pauses, *more])


def _show_line(line: dict[str, Any]) -> RecurringLine:
    """Return a stored line as shown, without trailing zeros in its numbers."""
    price = line["unit_price"]
    numbers: dict[str, Any] = {
        "quantity": plain_number(line["quantity"]),
        "unit_price": None if price is None else plain_number(price, 2),
        "discount_percent": _plain_percent(line["discount_percent"]),
    }
    return RecurringLine(**{**{name: line[name] for name in RecurringLine.__struct_fields__}, **numbers})


def _plain_percent(percent: Decimal | None) -> Decimal | None:
    return None if percent is None else plain_number(percent)
