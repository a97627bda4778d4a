"""Deposits: a job for the confirmed booking, and a deposit request for a part of its price, as timed work."""

from typing import Any

import sqlalchemy as sa

from billycan import App, Context, NotFound, Row, own
from billycan.fields import Moment

from . import emails, offering
from .handlers import load_page
from .tables import requests


def deposits_due(app: App, now: Moment) -> sa.Select[Any]:
    """Select the confirmed bookings whose deposit is still to be asked for."""
    due = sa.select(requests.c.tenant_id, requests.c.id).where(requests.c.deposit_due_at <= now)
    return due.order_by(requests.c.deposit_due_at)


def request_deposit(ctx: Context, id: str) -> None:
    """Make the job and the deposit request of a booking, and email its page to the client.

    It is timed work, so that a booking stands even if the request cannot be made: it is then tried again later.
    """
    this = own(ctx, requests) & (requests.c.id == id) & requests.c.deposit_due_at.is_not(None)
    row = ctx.db.execute(sa.select(requests).where(this).with_for_update()).first()
    if row is None:
        return
    deposit_id, url = _make_deposit_request(ctx, row)
    values = {"deposit_due_at": None, "deposit_id": deposit_id, "deposit_url": url}
    row = ctx.db.execute(sa.update(requests).where(this).values(values).returning(requests)).one()
    if deposit_id is not None:
        emails.write(ctx, row, "Please pay the deposit", "This page says how to pay the deposit:", url)


def _make_deposit_request(ctx: Context, row: Row) -> tuple[str | None, str | None]:
    """Return the id and the page of the deposit request; None if the booking or the plugins are no longer there."""
    page = load_page(ctx)
    try:
        booking = offering.call(ctx, "GET", "/v1/bookings/{id}", id=row.booking_id)
        service = offering.call(ctx, "GET", "/v1/services/{id}", id=row.service_id)
    except NotFound:
        return None, None
    wanted = offering.deposit_of(ctx, page, service)
    if booking.status != "confirmed" or not wanted or not (ctx.has("jobs") and ctx.has("invoices")):
        return None, None
    from billycan_invoices import api as invoices  # noqa: PLC0415 - the plugin may be off

    line = {"description": service.name, "quantity": 1, "unit_price": str(service.price), "gst_code": service.gst_code}
    job_id = (
        booking.job_id
        or offering.call(
            ctx,
            "POST",
            "/v1/jobs",
            body={
                "title": service.name,
                "client_id": booking.client_id,
                "booking_id": booking.id,
                "scheduled_start": booking.start_at.isoformat(),
                "scheduled_end": booking.end_at.isoformat(),
                # A job occupies whoever does it; other clients may share the time.
                "assignee_ids": [booking.staff_id] if service.capacity == 1 else [],
                "line_items": [{name: value for name, value in line.items() if value is not None}],
            },
        ).id
    )
    part = {"percent": str(page.deposit_percent), "claim": "deposit"}
    made = offering.call(ctx, "POST", "/v1/jobs/{id}/invoice", body=part, id=job_id)
    offering.call(ctx, "POST", "/v1/invoices/{id}/send", id=made.id)
    unpaid = invoices.lock_unpaid(ctx, made.id)
    return made.id, unpaid.url if unpaid else None
