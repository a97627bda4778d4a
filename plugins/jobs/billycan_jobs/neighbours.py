"""How a job hears of the records around it: who is deleted, which invoice is for it, which quote or booking."""

from typing import Any

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from billycan import Conflict, Context, Event, own
from billycan.neighbours import take_turns
from billycan.records import json_list_has

from .documents import records, show
from .tables import invoiced, jobs


class Neighbour(Struct):
    """What an event tells of a record: its id and the job it belongs to."""

    id: str
    job_id: str | None = None


def note(ctx: Context, event: Event) -> None:
    """Keep the job's side of each link true; called for every event, inside its transaction."""
    hear = _HEARD.get(event.name)
    if hear is not None:
        hear(ctx, event.name, msgspec.json.decode(event.data, type=Neighbour))


def keep_assigned(ctx: Context, event: str, staff: Neighbour) -> None:
    """Refuse to delete staff that a job is assigned to."""
    assigned = sa.select(jobs.c.number).where(own(ctx, jobs), json_list_has(ctx, jobs.c.assignee_ids, staff.id))
    if number := ctx.db.execute(assigned.order_by(jobs.c.sequence).limit(1)).scalar():
        raise Conflict(f"{number} is assigned to them: assign it to others first.", code="has_dependents")


def note_invoice(ctx: Context, event: str, invoice: Neighbour) -> None:
    """Note which job an invoice is for, whoever made it; one that is voided or deleted no longer bills it."""
    this = own(ctx, invoiced) & (invoiced.c.id == invoice.id)
    link = ctx.db.execute(sa.select(invoiced).where(this)).first()
    wanted = None if event == "invoice.deleted" else invoice.job_id
    if link is not None and link.job_id != wanted:
        ctx.db.execute(sa.delete(invoiced).where(this))
        _save(ctx, link.job_id)
    elif link is not None and link.bills and event == "invoice.voided":
        ctx.db.execute(sa.update(invoiced).where(this).values(bills=False))
        _save(ctx, link.job_id)
    if wanted is not None and (link is None or link.job_id != wanted) and _held(ctx, wanted) is not None:
        row = {"tenant_id": ctx.tenant_id, "id": invoice.id, "job_id": wanted, "bills": False}
        ctx.db.execute(sa.insert(invoiced).values(row))
        _save(ctx, wanted)


def note_origin(ctx: Context, event: str, origin: Neighbour) -> None:
    """Note the first quote and booking that name the job as theirs."""
    column = f"{event.partition('.')[0]}_id"
    if origin.job_id is not None:
        row = _held(ctx, origin.job_id)
        if row is not None and row._mapping[column] is None:
            _save(ctx, row.id, **{column: origin.id})


def forget_origin(ctx: Context, event: str, origin: Neighbour) -> None:
    """Clear what points at a quote or booking that was deleted."""
    column = f"{event.partition('.')[0]}_id"
    pointing = sa.select(jobs.c.id).where(own(ctx, jobs), jobs.c[column] == origin.id).order_by(jobs.c.id)
    for job_id in ctx.db.execute(pointing).scalars().all():
        _save(ctx, job_id, **{column: None})


_HEARD = {
    "staff.deleted": keep_assigned,
    **dict.fromkeys(("invoice.created", "invoice.updated", "invoice.voided", "invoice.deleted"), note_invoice),
    **dict.fromkeys(("quote.created", "quote.updated", "booking.created", "booking.updated"), note_origin),
    **dict.fromkeys(("quote.deleted", "booking.deleted"), forget_origin),
}


def _held(ctx: Context, job_id: str) -> Any:
    # Not by `records.lock`: the client's If-Match speaks of the other record.
    take_turns(ctx)
    locked = sa.select(jobs).where(own(ctx, jobs), jobs.c.id == job_id).with_for_update()
    return ctx.db.execute(locked).first()


def _save(ctx: Context, job_id: str, **columns: Any) -> None:
    row = _held(ctx, job_id)
    if row is not None:
        ctx.emit("job.updated", show(ctx, records.save(ctx, row, touch=True, **columns)))
