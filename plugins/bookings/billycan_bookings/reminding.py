"""Reminders of bookings: timed work, from 09:00 in the business's time zone on the day before."""

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from billycan import App, Context, own
from billycan.fields import Moment
from billycan.sql import tenants
from billycan.timed import Morning

from .records import emit_booking, records
from .tables import bookings

HOUR = 9


def to_remind(app: App, now: Moment) -> sa.Select[Any]:
    """Select the confirmed bookings whose reminder is due and not yet sent, the earliest start first."""
    ends = Morning.by_zone(app, now, _end_of_due_days)
    is_time = sa.or_(*(is_there & (bookings.c.start_at < end) for end, is_there in ends))
    ahead = (bookings.c.start_at > now) & (bookings.c.start_at < max(end for end, _ in ends))
    of = sa.select(bookings.c.tenant_id, bookings.c.id).join(tenants, tenants.c.id == bookings.c.tenant_id)
    to_tell = bookings.c.reminded_of.is_distinct_from(bookings.c.start_at)
    return of.where(bookings.c.status == "confirmed", ahead, is_time, to_tell).order_by(bookings.c.start_at)


def emit_reminder(ctx: Context, id: str) -> None:
    """Emit `booking.reminder`, unless the booking was cancelled, moved or reminded of in the meantime."""
    row = records.lock(ctx, id)
    is_time = ctx.now() < row.start_at < _end_of_due_days(ctx.now().astimezone(ZoneInfo(ctx.tenant.timezone)))
    if row.status == "confirmed" and is_time and row.reminded_of != row.start_at:
        this = own(ctx, bookings) & (bookings.c.id == id)
        ctx.db.execute(sa.update(bookings).where(this).values(reminded_of=row.start_at))
        emit_booking(ctx, row, "booking.reminder")


def _end_of_due_days(local: datetime) -> Moment:
    """Return the end of the last day whose bookings are due a reminder: tomorrow from 09:00 on, today before that."""
    days = 2 if local.hour >= HOUR else 1
    return Moment.start_of(local.date() + timedelta(days), str(local.tzinfo))
