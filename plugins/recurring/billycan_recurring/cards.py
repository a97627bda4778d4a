"""Cards of recurring invoices on the dashboard's overview."""

from typing import Any

import sqlalchemy as sa

from billycan import Context, Manifest, own
from billycan_contacts import api as contacts

from .tables import recurring

_MOST = 5


def next_invoices(ctx: Context) -> Manifest.Card | None:
    """Return the card of the next recurring invoices; None if there are none."""
    c = recurring.c
    query = sa.select(c.id, c.client_id, c.next_on, c.total, c.failure, c.email_failure)
    found = query.where(own(ctx, recurring), c.next_on.is_not(None)).order_by(c.next_on, c.id).limit(_MOST)
    rows = ctx.db.execute(found).all()
    if not rows:
        return None
    names = contacts.names(ctx, {row.client_id for row in rows})
    shown: list[tuple[Any, ...]] = [(f"{_write_day(row.next_on)}: {names[row.client_id]}", row.total) for row in rows]
    failing = sum(row.failure is not None for row in rows)
    unsent = sum(row.email_failure is not None for row in rows)
    notes = [f"{failing} could not be made"] * bool(failing) + [f"{unsent} could not be emailed"] * bool(unsent)
    path = "/v1/recurring_invoices?status=active&sort=next_on"
    return Manifest.Card(title="Next recurring invoices", note=", ".join(notes), rows=tuple(shown), path=path)


def _write_day(day: Any) -> str:
    return f"{day.day} {day:%b}"
