"""Updates of jobs when something happens in other plugins, inside the same transaction."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, Deleted, Neighbours, own
from billycan.sql import Statement
from billycan_documents.api import invoiced_again, keeps_items

from .documents import billed, documents, records
from .resource import Job
from .tables import invoiced, jobs, lines


class Invoice(Struct):
    """The members of an invoice that jobs read: the job it is for, and whether the invoice may still change."""

    id: str
    job_id: str | None
    status: str


class Note(Struct):
    """The members of an adjustment note that jobs read: the invoice, and whether the note reduces it."""

    id: str
    invoice_id: str
    status: str
    total: Decimal


class Origin(Struct):
    """The members of a quote or booking that jobs read: the job that it names."""

    id: str
    job_id: str | None


def keep_assigned(ctx: Context, staff: Deleted) -> None:
    """Refuse to delete staff who are assigned to a job."""
    assigned = ctx.json_list_has(jobs.c.assignee_ids, staff.id)
    Neighbours.check_unused(ctx, jobs, assigned, instead="set `active` to false instead")


def note_invoice(ctx: Context, invoice: Invoice) -> None:
    """Record the job that an invoice is for now, and what it bills, whoever made or changed the invoice."""
    had = _link_job(ctx, invoice.id, invoice.job_id)
    if had is not None and had.job_id == invoice.job_id and invoice.status == "draft":
        _bill_job(ctx, had.job_id, only_if_differs=True)


def forget_invoice(ctx: Context, invoice: Deleted) -> None:
    """Remove a deleted invoice from its job."""
    _link_job(ctx, invoice.id, None)


def unbill(ctx: Context, invoice: Invoice) -> None:
    """Bill less of a job when its invoice was voided, or its deposit was forfeited. The invoice stays listed."""
    from billycan_invoices import api as invoices  # noqa: PLC0415 - there only where that plugin is

    _link_job(ctx, invoice.id, invoice.job_id)
    _, job_id = invoices.work_of(ctx, invoice.id)
    if job_id is not None:
        _bill_job(ctx, job_id)


def note_credit(ctx: Context, note: Note) -> None:
    """Bill less or more of a job when a note changes its invoice; refuse if an invoice bills that part again."""
    from billycan_invoices import api as invoices  # noqa: PLC0415 - there only where that plugin is

    _, job_id = invoices.work_of(ctx, note.invoice_id)
    job = _bill_job(ctx, job_id) if job_id else None
    if job and note.status == "void" and job.invoiced.claimed > job.invoiced.quoted:
        raise invoiced_again(job.invoiced.quoted - job.invoiced.claimed + note.total)


def note_quote(ctx: Context, quote: Origin) -> None:
    """Record the first quote that names the job as its own."""
    _note_origin(ctx, quote.job_id, quote_id=quote.id)


def note_booking(ctx: Context, booking: Origin) -> None:
    """Record the first booking that names the job as its own."""
    _note_origin(ctx, booking.job_id, booking_id=booking.id)


def forget_quote(ctx: Context, quote: Deleted) -> None:
    """Clear the jobs' link to a deleted quote."""
    _forget_origin(ctx, "quote_id", quote.id)


def forget_booking(ctx: Context, booking: Deleted) -> None:
    """Clear the jobs' link to a deleted booking."""
    _forget_origin(ctx, "booking_id", booking.id)


# Keeps the job's side of each link right when the other record is made, changed or deleted.
hears: dict[str, Callable[..., None]] = {
    "staff.deleted": keep_assigned,
    "invoice.created with job_id": note_invoice,
    "invoice.updated": note_invoice,
    "invoice.voided": unbill,
    "invoice.forfeited": unbill,
    "invoice.deleted": forget_invoice,
    "adjustment_note.issued": note_credit,
    "adjustment_note.voided": note_credit,
    "quote.created with job_id": note_quote,
    "quote.updated with job_id": note_quote,
    "quote.deleted": forget_quote,
    "booking.created with job_id": note_booking,
    "booking.updated with job_id": note_booking,
    "booking.deleted": forget_booking,
    "item.deleted": keeps_items(jobs, lines),
}


_LINK = Statement(
    sa.select(invoiced).where(invoiced.c.tenant_id == sa.bindparam("tenant_id"), invoiced.c.id == sa.bindparam("id"))
)


def _link_job(ctx: Context, invoice_id: str, job_id: str | None) -> Any:
    """List an invoice with this job and no other; return the link it had."""
    this = own(ctx, invoiced) & (invoiced.c.id == invoice_id)
    had = _LINK.first(ctx.db, {"tenant_id": ctx.tenant_id, "id": invoice_id})
    if had is not None and had.job_id != job_id:
        ctx.db.execute(sa.delete(invoiced).where(this))
        _bill_job(ctx, had.job_id)
    if job_id is not None and (had is None or had.job_id != job_id) and documents.held(ctx, jobs.c.id == job_id):
        row = {"tenant_id": ctx.tenant_id, "id": invoice_id, "job_id": job_id}
        ctx.db.execute(sa.insert(invoiced).values(row))
        _bill_job(ctx, job_id)
    return had


def _bill_job(ctx: Context, job_id: str, *, only_if_differs: bool = False) -> Job | None:
    """Store how much of a job its invoices bill now, and emit its event; return the job, if it changed."""
    for row in documents.held(ctx, jobs.c.id == job_id):
        amount = billed(ctx, row)
        if not only_if_differs or amount != row.billed:
            return documents.tell(ctx, records.save(ctx, row, touch=True, billed=amount), "job.updated")
    return None


def _note_origin(ctx: Context, job_id: str | None, **origin: Any) -> None:
    for row in documents.held(ctx, jobs.c.id == job_id):
        if all(getattr(row, column) is None for column in origin):
            documents.tell(ctx, records.save(ctx, row, **origin), "job.updated")


def _forget_origin(ctx: Context, column: str, id: str) -> None:
    pointing, cleared = jobs.c[column] == id, dict[str, Any]({column: None})
    # Looks before it waits for the turn to write, because few of those records have a job.
    if ctx.db.execute(sa.select(jobs.c.id).where(own(ctx, jobs), pointing).limit(1)).first():
        for row in documents.held(ctx, pointing):
            documents.tell(ctx, records.save(ctx, row, **cleared), "job.updated")
