"""What bookings do when something happens in other plugins, inside the same transaction."""

from collections.abc import Callable

import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, Deleted, check_unused, own
from billycan.sql import json_list_has

from .records import records, tell
from .tables import bookings, services


class Job(Struct):
    """What bookings need to know of a job: whether it was made for one."""

    id: str
    booking_id: str | None


def keep_named(ctx: Context, staff: Deleted) -> None:
    """Refuse to delete staff whom a service names."""
    naming = json_list_has(ctx, services.c.staff_ids, staff.id)
    check_unused(ctx, services, naming, instead="set `active` to false instead")


def note_job(ctx: Context, job: Job) -> None:
    """Note the first job that is made for a booking."""
    if job.booking_id is not None:
        _point(ctx, (bookings.c.id == job.booking_id) & bookings.c.job_id.is_(None), job.id)


def forget_job(ctx: Context, job: Deleted) -> None:
    """Clear what points at a job that was deleted."""
    _point(ctx, bookings.c.job_id == job.id, None)


def _point(ctx: Context, which: sa.ColumnElement[bool], job_id: str | None) -> None:
    found = sa.select(bookings).where(own(ctx, bookings), which).order_by(bookings.c.id).with_for_update()
    for row in ctx.db.execute(found).all():
        tell(ctx, records.save(ctx, row, job_id=job_id), "booking.updated")


# The bookings' side of each link stays true, whoever makes or deletes what it points at.
hears: dict[str, Callable[..., None]] = {
    "staff.deleted": keep_named,
    "job.created": note_job,
    "job.updated": note_job,
    "job.deleted": forget_job,
}
