"""Events for invoices due soon or overdue, emitted by timed work in the morning, in the business's time zone."""

from datetime import date
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from msgspec import Struct

from billycan import App, Context, Row
from billycan.fields import Moment
from billycan.timed import Morning

from ..resource import IS_OPEN
from ..rules import OPEN
from ..tables import invoices
from .documents import amount_due, documents, hosted_url, records

DUE_SOON = Morning("invoice.due_soon", -3, 0)
OVERDUE = Morning("invoice.overdue", 1, 31)


class Unpaid(Struct, frozen=True, kw_only=True):
    """A sent invoice that is not settled; `sent_on` is the day it was sent, in the business's time zone."""

    id: str
    number: str
    client_id: str
    client_name: str
    due_date: date
    sent_on: date
    amount_due: Decimal
    url: str


def unpaid() -> sa.Subquery:
    """Select `tenant_id`, `id` and `due_date` of all sent, unsettled invoices of every business."""
    c = invoices.c
    return sa.select(c.tenant_id, c.id, c.due_date).where(IS_OPEN).subquery()


def lock_unpaid(ctx: Context, id: str) -> Unpaid | None:
    """Lock an invoice until the transaction ends, and return it; None once it is settled. Raises NotFound.

    A payment being recorded at the same time finishes first, or waits.
    """
    return _unpaid_of(ctx, records.lock(ctx, id))


def find_unpaid(ctx: Context, id: str) -> Unpaid | None:
    """Return an invoice without locking it; None if it was not sent or is settled. Raises NotFound."""
    return _unpaid_of(ctx, records.find(ctx, id))


def _unpaid_of(ctx: Context, row: Row) -> Unpaid | None:
    if row.status not in OPEN:
        return None
    return Unpaid(
        id=row.id,
        number=row.number,
        client_id=row.client_id,
        client_name=row.client_name,
        due_date=row.due_date,
        sent_on=row.sent_at.astimezone(ZoneInfo(ctx.tenant.timezone)).date(),
        amount_due=amount_due(row),
        url=hosted_url(ctx, row) or "",
    )


def due_soon(app: App, now: Moment) -> sa.Select[Any]:
    """Select the invoices due within three days that have had no such event."""
    return DUE_SOON.due(app, invoices.c.due_date, now).where(IS_OPEN)


def tell_due_soon(ctx: Context, id: str) -> None:
    """Emit `invoice.due_soon`, unless the invoice was settled or its due date moved meanwhile."""
    _tell_due(ctx, id, DUE_SOON)


def overdue(app: App, now: Moment) -> sa.Select[Any]:
    """Select the overdue invoices that have had no such event."""
    return OVERDUE.due(app, invoices.c.due_date, now).where(IS_OPEN)


def tell_overdue(ctx: Context, id: str) -> None:
    """Emit `invoice.overdue`, unless the invoice was settled or its due date moved meanwhile."""
    _tell_due(ctx, id, OVERDUE)


def _tell_due(ctx: Context, id: str, morning: Morning) -> None:
    row = records.lock(ctx, id)  # a payment being recorded now finishes first, or waits
    if row.status in OPEN and amount_due(row) > 0 and morning.once(ctx, id, row.due_date):
        documents.tell(ctx, row, morning.what)
