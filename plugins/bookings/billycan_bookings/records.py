"""Bookings and services as stored and as shown."""

from collections.abc import Sequence

from billycan import Context, Row

from .resource import Booking, bookings, neighbours, services

records, service_records = bookings.records, services.records


def show_bookings(ctx: Context, rows: Sequence[Row]) -> list[Booking]:
    """Return bookings as clients see them."""
    wanted = rows if ctx.wants(Booking, "job_id") else ()
    return records.show(ctx, rows, job_id={row.id: neighbours.shown(ctx, row._mapping)["job_id"] for row in wanted})


def emit_booking(ctx: Context, row: Row, event: str) -> Booking:
    """Emit an event with the booking, and return the booking as clients see it."""
    (booking,) = show_bookings(ctx, [row])
    ctx.emit(event, booking)
    return booking
