"""Subscribers that keep bookings right when something happens in other plugins, inside the same transaction."""

from collections.abc import Callable

import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, Deleted, Neighbours, own

from .records import emit_booking, records
from .tables import bookings, services


class Job(Struct):
    """The members of a job's event that bookings read; `booking_id` is the booking it was made for."""

    id: str
    booking_id: str | None


def keep_named(ctx: Context, staff: Deleted) -> None:
    """Refuse to delete staff that a service names."""
    naming = ctx.json_list_has(services.c.staff_ids, staff.id)
    Neighbours.check_unused(ctx, services, naming, instead="set `active` to false instead")


def store_job(ctx: Context, job: Job) -> None:
    """Store the first job that is made for a booking as the booking's job."""
    _point_at_job(ctx, (bookings.c.id == job.booking_id) & bookings.c.job_id.is_(None), job.id)


def forget_job(ctx: Context, job: Deleted) -> None:
    """Clear references to a deleted job."""
    _point_at_job(ctx, bookings.c.job_id == job.id, None)


def _point_at_job(ctx: Context, which: sa.ColumnElement[bool], job_id: str | None) -> None:
    found = sa.select(bookings).where(own(ctx, bookings), which).order_by(bookings.c.id).with_for_update()
    for row in ctx.db.execute(found).all():
        emit_booking(ctx, records.save(ctx, row, job_id=job_id), "booking.updated")


# Keep references of bookings right, whoever creates or deletes the other record.
hears: dict[str, Callable[..., None]] = {
    "staff.deleted": keep_named,
    "job.created with booking_id": store_job,
    "job.updated with booking_id": store_job,
    "job.deleted": forget_job,
}
