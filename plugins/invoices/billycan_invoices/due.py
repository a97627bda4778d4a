"""Tell of invoices that are due soon or overdue: timed work, in the morning where the business is."""

from typing import Any

import sqlalchemy as sa

from billycan import App, Context
from billycan.fields import Moment
from billycan.mornings import Morning

from .documents import amount_due, documents, records
from .tables import invoices

DUE_SOON = Morning("invoice.due_soon", -3, 0)
OVERDUE = Morning("invoice.overdue", 1, 31)

_OPEN = ("sent", "partially_paid")


def due_soon(app: App, now: Moment) -> sa.Select[Any]:
    """The invoices that are to be paid within three days, and of which nobody was told."""
    return DUE_SOON.due(invoices.c.due_date, now).where(invoices.c.status.in_(_OPEN))


def tell_due_soon(ctx: Context, id: str) -> None:
    """Emit `invoice.due_soon`, unless the invoice was settled or put off meanwhile."""
    _tell(ctx, id, DUE_SOON)


def overdue(app: App, now: Moment) -> sa.Select[Any]:
    """The invoices that should have been paid, and of which nobody was told."""
    return OVERDUE.due(invoices.c.due_date, now).where(invoices.c.status.in_(_OPEN))


def tell_overdue(ctx: Context, id: str) -> None:
    """Emit `invoice.overdue`, unless the invoice was settled or put off meanwhile."""
    _tell(ctx, id, OVERDUE)


def _tell(ctx: Context, id: str, morning: Morning) -> None:
    row = records.lock(ctx, id)  # whoever records a payment at this moment comes first, or waits
    if row.status in _OPEN and amount_due(row) > 0 and morning.once(ctx, id, row.due_date):
        documents.tell(ctx, row, morning.what)
