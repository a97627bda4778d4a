"""Bookings and services as stored and as shown."""

from collections.abc import Sequence

import sqlalchemy as sa

from billycan import Context, Neighbours, Records, Row, own
from billycan.sql import among, contains, either, search_condition
from billycan_contacts import api as contacts
from billycan_staff import api as staff

from . import rules
from .api import service_names
from .schemas import Booking, Service
from .tables import bookings, services

neighbours = Neighbours(job_id="jobs")


def found_by(ctx: Context, text: str) -> sa.ColumnElement[bool]:
    """Match bookings that contain a text, or whose client's or service's name contains it."""
    named = sa.select(services.c.id).where(
        own(ctx, services), search_condition(services, text, ctx), contains(services.c.name_folded, text)
    )
    of_service = among(ctx, bookings.c.service_id, named)
    return either(ctx, bookings, contacts.found_by(bookings.c.client_id)(ctx, text), of_service)


service_records = Records(services, Service, prefix="srv", search=("name",))
records = Records(
    bookings,
    Booking,
    prefix="bkg",
    references={"service": service_names, "staff": staff.names, "client": contacts.names},
    search=("location", "notes"),
    filters={"search": found_by},
    remembers=True,
    actions=lambda booking: rules.actions.allowed(booking.status),
    neighbours=neighbours,
    needs={"allowed_actions": ("status",)},
)


def show_bookings(ctx: Context, rows: Sequence[Row]) -> list[Booking]:
    """Return bookings as clients see them."""
    wanted = rows if ctx.wants(Booking, "job_id") else ()
    return records.show(ctx, rows, job_id={row.id: neighbours.shown(ctx, row._mapping)["job_id"] for row in wanted})


def emit_booking(ctx: Context, row: Row, event: str) -> Booking:
    """Emit an event with the booking, and return the booking as clients see it."""
    (booking,) = show_bookings(ctx, [row])
    ctx.emit(event, booking)
    return booking
