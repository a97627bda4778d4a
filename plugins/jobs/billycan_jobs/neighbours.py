"""What jobs do when something happens in other plugins, inside the same transaction."""

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, Deleted, check_unused, own
from billycan.sql import json_list_has

from .documents import documents, records
from .tables import invoiced, jobs


class Invoice(Struct):
    """What a job needs to know of an invoice: which job it is for."""

    id: str
    job_id: str | None


class Origin(Struct):
    """What a job needs to know of a quote or booking: which job it names as its own."""

    id: str
    job_id: str | None


def keep_assigned(ctx: Context, staff: Deleted) -> None:
    """Refuse to delete staff that a job is assigned to."""
    assigned = json_list_has(ctx, jobs.c.assignee_ids, staff.id)
    check_unused(ctx, jobs, assigned, instead="set `active` to false instead")


def note_invoice(ctx: Context, invoice: Invoice) -> None:
    """Note which job an invoice is for, whoever made it."""
    _link(ctx, invoice.id, invoice.job_id)


def forget_invoice(ctx: Context, invoice: Deleted) -> None:
    """Let go of an invoice that was deleted."""
    _link(ctx, invoice.id, None)


def unbill(ctx: Context, invoice: Invoice) -> None:
    """Let a job be invoiced again when the invoice that billed it is voided; it stays listed."""
    link = _link(ctx, invoice.id, invoice.job_id)
    if link is not None and link.bills and link.job_id == invoice.job_id:
        this = own(ctx, invoiced) & (invoiced.c.id == invoice.id)
        ctx.db.execute(sa.update(invoiced).where(this).values(bills=False))
        _touch(ctx, link.job_id)


def note_quote(ctx: Context, quote: Origin) -> None:
    """Note the first quote that names the job as its own."""
    _note_origin(ctx, quote.job_id, quote_id=quote.id)


def note_booking(ctx: Context, booking: Origin) -> None:
    """Note the first booking that names the job as its own."""
    _note_origin(ctx, booking.job_id, booking_id=booking.id)


def forget_quote(ctx: Context, quote: Deleted) -> None:
    """Clear what points at a quote that was deleted."""
    _forget_origin(ctx, "quote_id", quote.id)


def forget_booking(ctx: Context, booking: Deleted) -> None:
    """Clear what points at a booking that was deleted."""
    _forget_origin(ctx, "booking_id", booking.id)


# The job's side of each link stays true, whoever makes or ends what it points at.
hears: dict[str, Callable[..., None]] = {
    "staff.deleted": keep_assigned,
    "invoice.created": note_invoice,
    "invoice.updated": note_invoice,
    "invoice.voided": unbill,
    "invoice.deleted": forget_invoice,
    "quote.created": note_quote,
    "quote.updated": note_quote,
    "quote.deleted": forget_quote,
    "booking.created": note_booking,
    "booking.updated": note_booking,
    "booking.deleted": forget_booking,
}


def _link(ctx: Context, invoice_id: str, job_id: str | None) -> Any:
    """Let an invoice be listed with this job and no other; returns the link it had."""
    this = own(ctx, invoiced) & (invoiced.c.id == invoice_id)
    had = ctx.db.execute(sa.select(invoiced).where(this)).first()
    if had is not None and had.job_id != job_id:
        ctx.db.execute(sa.delete(invoiced).where(this))
        _touch(ctx, had.job_id)
    if job_id is not None and (had is None or had.job_id != job_id) and documents.held(ctx, jobs.c.id == job_id):
        row = {"tenant_id": ctx.tenant_id, "id": invoice_id, "job_id": job_id, "bills": False}
        ctx.db.execute(sa.insert(invoiced).values(row))
        _touch(ctx, job_id)
    return had


def _note_origin(ctx: Context, job_id: str | None, **origin: Any) -> None:
    for row in documents.held(ctx, jobs.c.id == job_id) if job_id is not None else ():
        if all(getattr(row, column) is None for column in origin):
            documents.tell(ctx, records.save(ctx, row, **origin), "job.updated")


def _forget_origin(ctx: Context, column: str, id: str) -> None:
    pointing, cleared = jobs.c[column] == id, dict[str, Any]({column: None})
    # Looked for before the writes of the chain take turns: few of those records have a job.
    if ctx.db.execute(sa.select(jobs.c.id).where(own(ctx, jobs), pointing).limit(1)).first():
        for row in documents.held(ctx, pointing):
            documents.tell(ctx, records.save(ctx, row, **cleared), "job.updated")


def _touch(ctx: Context, job_id: str) -> None:
    for row in documents.held(ctx, jobs.c.id == job_id):
        documents.tell(ctx, records.save(ctx, row, touch=True), "job.updated")
