"""Sample services and bookings of an invented plumber in Hobart: a week of them, in every state."""

from datetime import datetime, time
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from billycan import Context, decode, own
from billycan.demo import ago, working_day
from billycan_contacts import api as contacts
from billycan_staff import api as staff

from . import handlers as h
from .resource import NewBooking, NewService
from .schemas import BookingCancellation

_SERVICES: dict[str, dict[str, Any]] = {
    "drain": {"name": "Blocked drain", "duration_minutes": 60, "price": "180.00", "buffer_after_minutes": 30},
    "tap": {"name": "Leaking tap or toilet", "duration_minutes": 45, "price": "145.00", "buffer_after_minutes": 15},
    "hot_water": {
        "name": "Hot water service",
        "duration_minutes": 90,
        "price": "240.00",
        "buffer_after_minutes": 30,
        "min_notice_minutes": 120,
        "max_advance_days": 60,
    },
    "quote": {"name": "Site visit and quote", "duration_minutes": 30, "price": "0.00", "requires_confirmation": True},
}

# Working days from today, the clock, service, client, and the actions on the booking.
_WEEK: tuple[tuple[int, int, str, str, str], ...] = (
    (-3, 9, "tap", "Odo", "complete"),
    (-2, 10, "drain", "Brindle Wren", "complete"),
    (-1, 8, "quote", "Little Tern", "no_show"),
    (-1, 13, "tap", "Marnie", "complete"),
    (1, 8, "hot_water", "Marnie", ""),
    (1, 13, "drain", "Saltmarram", ""),
    (2, 9, "quote", "Little Tern", ""),
    (2, 10, "tap", "Odo", "cancel"),
    (3, 8, "drain", "Brindle Wren", ""),
    (4, 9, "quote", "Saltmarram", "confirm"),
    (4, 14, "tap", "Marnie", ""),
    (5, 10, "quote", "Odo", "decline"),
)


def add_samples(ctx: Context) -> None:
    """Add the sample services and bookings."""
    with ago(ctx, 380):
        services = {key: h.create_service(ctx, decode(values, NewService)).id for key, values in _SERVICES.items()}
    zone = ZoneInfo(ctx.tenant.timezone)
    everybody = list(staff.people(ctx))
    for i, (days, hour, service, client, action) in enumerate(_WEEK):
        client_id = ctx.db.execute(contacts.named_like(ctx, client)).scalar_one()
        somebody = everybody[i % len(everybody)] if everybody else None
        start_at = datetime.combine(working_day(ctx, days), time(hour), zone)
        values: dict[str, Any] = {
            "service_id": services[service],
            "client_id": client_id,
            "start_at": start_at.isoformat(),
            "staff_id": somebody,
            "job_id": _completed_job(ctx, client_id) if (client, action) == ("Marnie", "complete") else None,
        }
        # Booked a week ago, even if that was a day off.
        with ago(ctx, 8):
            booking = h.create_booking(ctx, decode({**values, "force": True}, NewBooking))
        if booking.status == "pending" and action in ("no_show", "complete"):
            with ago(ctx, 7):
                h.confirm_booking(ctx, booking.id)
        if action == "cancel":
            h.cancel_booking(ctx, booking.id, decode({"reason": "Mended it themselves"}, BookingCancellation))
        elif action:
            _ACTIONS[action](ctx, booking.id)


_ACTIONS = {
    "complete": h.complete_booking,
    "confirm": h.confirm_booking,
    "decline": h.decline_booking,
    "no_show": h.mark_no_show,
}


def _completed_job(ctx: Context, client_id: str) -> str | None:
    """Return the id of the client's completed sample job; None if the plugin jobs is off."""
    for table in ctx.app.manifests["jobs"].tables if ctx.has("jobs") else ():
        if table.name == "jobs":
            done = (table.c.client_id == client_id) & (table.c.status == "complete")
            id: str | None = ctx.db.execute(sa.select(table.c.id).where(own(ctx, table), done)).scalars().first()
            return id
    return None
