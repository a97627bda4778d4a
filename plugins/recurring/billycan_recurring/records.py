"""Recurring invoices as stored and as shown."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

import msgspec
import sqlalchemy as sa

from billycan import Actions, Context, Page, Records, Row, new_id, own
from billycan.sql import MOST_PAGE_BYTES, ByIds, bytes_of, page_too_large
from billycan_contacts import api as contacts
from billycan_documents.api import plain_number

from .dates import Series
from .schemas import RecurringInvoice, RecurringInvoiceQuery, RecurringLine
from .tables import named_items, recurring

actions = Actions(
    {"pause": ("active", "paused"), "resume": ("paused", "active"), "end": ("active paused", "ended")},
)

records = Records(
    recurring,
    RecurringInvoice,
    prefix="rec",
    references={"client": contacts.names},
    search=("reference", "purchase_order", "notes"),
    filters={"search": contacts.found_by(recurring.c.client_id)},
    actions=lambda row: actions.allowed(row.status),
    needs={"allowed_actions": ("status",), "currency": (), "line_items": ("line_items",)},
)

_LINES = ByIds(sa.select(recurring.c.id, recurring.c.line_items), recurring.c.id)
_SIZES = ByIds(sa.select(bytes_of(sa.cast(recurring.c.line_items, sa.Text)).label("size")), recurring.c.id)


def page(ctx: Context, query: RecurringInvoiceQuery) -> Page[RecurringInvoice]:
    """The page that a query asks for; BadRequest, without fetching their lines, where it would be too large."""
    columns = records.columns(ctx) or tuple(recurring.c)
    found = records.rows(ctx, query, columns=tuple(column for column in columns if column.name != "line_items"))
    ids = [row.id for row in found.items] if ctx.wants(RecurringInvoice, "line_items") else []
    sizes = [row.size for row in _SIZES.all(ctx.db, ctx.tenant_id, ids)]
    if len(sizes) > 1 and sum(sizes) > MOST_PAGE_BYTES:
        raise page_too_large(len(sizes), MOST_PAGE_BYTES // max(sizes))
    return found.of(show(ctx, found.items, dict(map(tuple, _LINES.all(ctx.db, ctx.tenant_id, ids)))))


def show(
    ctx: Context, rows: Sequence[Row], stored: Mapping[str, list[dict[str, Any]]] | None = None
) -> list[RecurringInvoice]:
    """The recurring invoices as clients see them; `stored` are their lines where the rows do not have them."""
    if stored is None:
        stored = {row.id: row.line_items for row in rows} if ctx.wants(RecurringInvoice, "line_items") else {}
    lines = {id: [_shown(line) for line in each] for id, each in stored.items()}
    percents = {row.id: _percent(getattr(row, "discount_percent", None)) for row in rows}
    currency = dict.fromkeys((row.id for row in rows), "AUD")
    return records.show(ctx, rows, currency=currency, line_items=lines, discount_percent=percents)


def tell(ctx: Context, row: Row, event: str) -> RecurringInvoice:
    """The recurring invoice as it is shown, having told of it by this event."""
    (shown,) = show(ctx, [row])
    ctx.emit(event, shown)
    return shown


def note_items(ctx: Context, row: Row) -> None:
    """Keep which items its lines name, so that they are not deleted; none once it has ended."""
    ctx.db.execute(sa.delete(named_items).where(own(ctx, named_items), named_items.c.recurring_id == row.id))
    ids = {line["item_id"] for line in row.line_items if line["item_id"]} if row.status != "ended" else ()
    links = [{"tenant_id": row.tenant_id, "id": new_id("nam"), "recurring_id": row.id, "item_id": id} for id in ids]
    if links:
        ctx.db.execute(sa.insert(named_items), links)


def next_date(row: Any) -> date | None:
    """The date of the next invoice of these columns; None where there is none any more."""
    if row.count is not None and row.invoices_made >= row.count:
        return None
    return next(series(row).after(row.done_until), None)


def series(row: Any, *more: tuple[date, date]) -> Series:
    """The dates of these columns, with `more` pauses."""
    pauses = msgspec.convert(row.pauses, list[tuple[date, date]])
    return Series(row.frequency, row.start_on, row.end_on, [*pauses, *more])


def _shown(line: dict[str, Any]) -> RecurringLine:
    """A stored line, its numbers without zeros that say nothing."""
    price = line["unit_price"]
    numbers: dict[str, Any] = {
        "quantity": plain_number(line["quantity"]),
        "unit_price": None if price is None else plain_number(price, 2),
        "discount_percent": _percent(line["discount_percent"]),
    }
    return RecurringLine(**{**{name: line[name] for name in RecurringLine.__struct_fields__}, **numbers})


def _percent(percent: Decimal | None) -> Decimal | None:
    return None if percent is None else plain_number(percent)
