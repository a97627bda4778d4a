"""What bookings do when something happens in other plugins, inside the same transaction."""

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from billycan import Conflict, Context, Event, own
from billycan.records import json_list_has

from .handlers import records, tell
from .tables import bookings, services


class Neighbour(Struct):
    """What an event tells of a record: its id and the booking it is for."""

    id: str
    booking_id: str | None = None


def note(ctx: Context, event: Event) -> None:
    """Keep the bookings' side of each link true; called for every event."""
    hear = _HEARD.get(event.name)
    if hear is not None:
        hear(ctx, msgspec.json.decode(event.data, type=Neighbour))


def keep_named(ctx: Context, staff: Neighbour) -> None:
    """Refuse to delete staff whom a service names."""
    named = sa.select(services.c.name).where(own(ctx, services), json_list_has(ctx, services.c.staff_ids, staff.id))
    if name := ctx.db.execute(named.limit(1)).scalar():
        raise Conflict(f"The service {name} names them: take them off it first.", code="has_dependents")


def note_job(ctx: Context, job: Neighbour) -> None:
    """Note the first job that is made for a booking."""
    if job.booking_id is not None:
        _point(ctx, (bookings.c.id == job.booking_id) & bookings.c.job_id.is_(None), job.id)


def forget_job(ctx: Context, job: Neighbour) -> None:
    """Clear what points at a job that was deleted."""
    _point(ctx, bookings.c.job_id == job.id, None)


def _point(ctx: Context, which: sa.ColumnElement[bool], job_id: str | None) -> None:
    found = sa.select(bookings).where(own(ctx, bookings), which).order_by(bookings.c.id).with_for_update()
    for row in ctx.db.execute(found).all():
        tell(ctx, records.save(ctx, row, job_id=job_id), "booking.updated")


_HEARD = {
    "staff.deleted": keep_named,
    "job.created": note_job,
    "job.updated": note_job,
    "job.deleted": forget_job,
}
