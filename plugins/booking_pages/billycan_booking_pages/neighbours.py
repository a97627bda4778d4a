"""Subscribers that tell clients when something happens in other plugins: a booking is confirmed, moved or cancelled."""

from collections.abc import Callable
from datetime import datetime, timedelta

import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, Deleted, Row, own
from billycan.fields import Moment

from . import emails
from .handlers import load_page
from .tables import pages, requests

_LOOK = "To look at it, open this page:"


class Booking(Struct):
    """The members of a booking's event that are read."""

    id: str
    start_at: datetime


def tell_confirmed(ctx: Context, booking: Booking) -> None:
    """Tell the client that the booking is confirmed, and have the deposit asked for."""
    if (row := _lock_request(ctx, booking)) is None:
        return
    if load_page(ctx).deposit_percent and row.deposit_id is None:
        row = _store_request(ctx, row, deposit_due_at=ctx.app.now())
    emails.write(ctx, row, "Your booking is confirmed", "To look at it or cancel it, open this page:")


def tell_declined(ctx: Context, booking: Booking) -> None:
    """Tell the client that the business declined."""
    if row := _lock_request(ctx, booking):
        emails.write(ctx, row, "Your booking was declined", _LOOK)


def tell_cancelled(ctx: Context, booking: Booking) -> None:
    """Tell the client that the booking is cancelled, whoever did so."""
    if row := _lock_request(ctx, booking):
        emails.write(ctx, row, "Your booking is cancelled", _LOOK)


def tell_moved(ctx: Context, booking: Booking) -> None:
    """Tell the client the new time."""
    if row := _lock_request(ctx, booking):
        start = Moment.of(booking.start_at)
        row = _store_request(ctx, row, start_at=start, ends_at=max(row.ends_at, start + timedelta(days=2)))
        emails.write(ctx, row, "Your booking has a new time", "To look at it or cancel it, open this page:")


def forget_service(ctx: Context, service: Deleted) -> None:
    """Take a deleted service off the page."""
    page = load_page(ctx, lock=True)
    if service.id in page.service_ids:
        left = [id for id in page.service_ids if id != service.id]
        changed = {"service_ids": left, "version": page.version + 1, "updated_at": ctx.now()}
        ctx.db.execute(sa.update(pages).where(own(ctx, pages)).values(changed))


def _lock_request(ctx: Context, booking: Booking) -> Row | None:
    this = own(ctx, requests) & (requests.c.booking_id == booking.id)
    return ctx.db.execute(sa.select(requests).where(this).with_for_update()).first()


def _store_request(ctx: Context, row: Row, **values: object) -> Row:
    this = own(ctx, requests) & (requests.c.id == row.id)
    return ctx.db.execute(sa.update(requests).where(this).values(values).returning(requests)).one()


hears: dict[str, Callable[..., None]] = {
    "booking.confirmed": tell_confirmed,
    "booking.declined": tell_declined,
    "booking.cancelled": tell_cancelled,
    "booking.rescheduled": tell_moved,
    "service.deleted": forget_service,
}
