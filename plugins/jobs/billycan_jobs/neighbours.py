"""What jobs do when something happens in other plugins, inside the same transaction."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, Deleted, check_unused, own
from billycan.sql import Statement, json_list_has
from billycan_documents.api import invoiced_again, keeps_items

from .documents import documents, records
from .tables import invoiced, jobs, lines


class Invoice(Struct):
    """What a job needs to know of an invoice: which job it is for."""

    id: str
    job_id: str | None


class Note(Struct):
    """What a job needs to know of an adjustment note: the invoice it reduces, and whether it does."""

    id: str
    invoice_id: str
    status: str
    total: Decimal


class Origin(Struct):
    """What a job needs to know of a quote or booking: which job it names as its own."""

    id: str
    job_id: str | None


def keep_assigned(ctx: Context, staff: Deleted) -> None:
    """Refuse to delete staff that a job is assigned to."""
    assigned = json_list_has(ctx, jobs.c.assignee_ids, staff.id)
    check_unused(ctx, jobs, assigned, instead="set `active` to false instead")


def note_new_invoice(ctx: Context, invoice: Invoice) -> None:
    """Note which job a new invoice is for, whoever made it."""
    if invoice.job_id is not None:
        _link(ctx, invoice.id, invoice.job_id)


def note_invoice(ctx: Context, invoice: Invoice) -> None:
    """Note which job an invoice is for now."""
    _link(ctx, invoice.id, invoice.job_id)


def forget_invoice(ctx: Context, invoice: Deleted) -> None:
    """Let go of an invoice that was deleted."""
    _link(ctx, invoice.id, None)


def unbill(ctx: Context, invoice: Invoice) -> None:
    """Tell of a job of which less is invoiced, as an invoice for it was voided; it stays listed."""
    from billycan_invoices import api as invoices  # noqa: PLC0415 - there only where that plugin is

    _link(ctx, invoice.id, invoice.job_id)
    _, job_id = invoices.work_of(ctx, invoice.id)
    if job_id is not None:
        _touch(ctx, job_id)


def note_credit(ctx: Context, note: Note) -> None:
    """Tell of a job of which less, or again more, is invoiced; refused where another invoice bills that by now."""
    from billycan_invoices import api as invoices  # noqa: PLC0415 - there only where that plugin is

    _, job_id = invoices.work_of(ctx, note.invoice_id)
    for row in documents.held(ctx, jobs.c.id == job_id) if job_id else ():
        job = documents.tell(ctx, records.save(ctx, row, touch=True), "job.updated")
        if note.status == "void" and job.invoiced.claimed > job.invoiced.quoted:
            raise invoiced_again(job.invoiced.quoted - job.invoiced.claimed + note.total)


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
    "invoice.created": note_new_invoice,
    "invoice.updated": note_invoice,
    "invoice.voided": unbill,
    "invoice.deleted": forget_invoice,
    "adjustment_note.issued": note_credit,
    "adjustment_note.voided": note_credit,
    "quote.created": note_quote,
    "quote.updated": note_quote,
    "quote.deleted": forget_quote,
    "booking.created": note_booking,
    "booking.updated": note_booking,
    "booking.deleted": forget_booking,
    "item.deleted": keeps_items(jobs, lines),
}


_LINK = Statement(
    sa.select(invoiced).where(invoiced.c.tenant_id == sa.bindparam("tenant_id"), invoiced.c.id == sa.bindparam("id"))
)


def _link(ctx: Context, invoice_id: str, job_id: str | None) -> Any:
    """Let an invoice be listed with this job and no other; returns the link it had."""
    this = own(ctx, invoiced) & (invoiced.c.id == invoice_id)
    had = _LINK.first(ctx.db, {"tenant_id": ctx.tenant_id, "id": invoice_id})
    if had is not None and had.job_id != job_id:
        ctx.db.execute(sa.delete(invoiced).where(this))
        _touch(ctx, had.job_id)
    if job_id is not None and (had is None or had.job_id != job_id) and documents.held(ctx, jobs.c.id == job_id):
        row = {"tenant_id": ctx.tenant_id, "id": invoice_id, "job_id": job_id}
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
