"""What quotes do when something happens in other plugins, inside the same transaction."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, own
from billycan_documents.api import invoiced_again, keeps_items

from .documents import billed, documents, records
from .schemas import Quote
from .tables import claims, lines, quotes


class Invoice(Struct):
    """What a quote needs to know of an invoice: whether it was made from one, bills a part, and is a draft still."""

    id: str
    quote_id: str | None
    status: str
    claim: str | None


class Note(Struct):
    """What a quote needs to know of an adjustment note: the invoice it reduces, and whether it does."""

    id: str
    invoice_id: str
    status: str
    total: Decimal


class Gone(Struct):
    """A record that was deleted or voided."""

    id: str


def note_invoice(ctx: Context, invoice: Invoice) -> None:
    """Mark the quote an invoice was made from as invoiced, whoever made it: its job, or a client of the API.

    One that bills a part of the work marks it only once nothing is left.
    """
    if invoice.claim is not None:
        if invoice.quote_id is not None:
            link = {"tenant_id": ctx.tenant_id, "id": invoice.id, "quote_id": invoice.quote_id}
            ctx.db.execute(sa.insert(claims).values(link))
            _settle(ctx, invoice.quote_id)
        return
    for row in documents.held(ctx, quotes.c.id == invoice.quote_id) if invoice.quote_id else ():
        if row.status in _AWAITS_INVOICE:
            _save(ctx, row, status="invoiced", invoice_id=invoice.id)


def follow_invoice(ctx: Context, invoice: Invoice) -> None:
    """Let go of a draft that names another quote now, and note it with the one that it names."""
    if invoice.claim is not None:  # that stays as it was made
        return
    if invoice.status != "draft":  # locked, so it names the quote it did; and a void one bills none
        return
    let_go = quotes.c.invoice_id == invoice.id
    if invoice.quote_id is not None:
        let_go &= quotes.c.id != invoice.quote_id
    # Looked for before the writes of the chain take turns: few changes of an invoice concern a quote.
    if ctx.db.execute(sa.select(quotes.c.id).where(own(ctx, quotes), let_go).limit(1)).first():
        _release(ctx, let_go)
    named = (quotes.c.id == invoice.quote_id) & quotes.c.status.in_(_AWAITS_INVOICE)
    if invoice.quote_id and ctx.db.execute(sa.select(quotes.c.id).where(own(ctx, quotes), named)).first():
        note_invoice(ctx, invoice)


def forget_invoice(ctx: Context, invoice: Gone) -> None:
    """Let a quote be invoiced again when the invoice made from it, or one for a part, is deleted or voided."""
    _release(ctx, quotes.c.invoice_id == invoice.id)
    this = own(ctx, claims) & (claims.c.id == invoice.id)
    if quote_id := ctx.db.execute(sa.select(claims.c.quote_id).where(this)).scalar():
        ctx.db.execute(sa.delete(claims).where(this))
        _settle(ctx, quote_id)


def note_credit(ctx: Context, note: Note) -> None:
    """Let what was credited be invoiced again; a note is not voided once another invoice bills that."""
    from billycan_invoices import api as invoices  # noqa: PLC0415 - there only where that plugin is

    quote_id, _ = invoices.work_of(ctx, note.invoice_id)
    if quote_id is None:
        return
    for quote in _settle(ctx, quote_id):
        if note.status == "void" and quote.invoiced.claimed > quote.invoiced.quoted:
            raise invoiced_again(quote.invoiced.quoted - quote.invoiced.claimed + note.total)


def forget_job(ctx: Context, job: Gone) -> None:
    """Clear what points at a job that was deleted; a quote that became it can be converted again."""
    for row in documents.held(ctx, quotes.c.job_id == job.id):
        back = {"status": "accepted", "converted_to": None} if row.status == "converted" else {}
        _save(ctx, row, job_id=None, **back)


def forget_booking(ctx: Context, booking: Gone) -> None:
    """Clear what points at a booking that was deleted."""
    for row in documents.held(ctx, quotes.c.booking_id == booking.id):
        _save(ctx, row, booking_id=None)


_AWAITS_INVOICE = ("accepted", "converted")
# The quote's side of each link stays true, whoever makes or ends what it points at.
hears: dict[str, Callable[..., None]] = {
    "invoice.created": note_invoice,
    "invoice.updated": follow_invoice,
    "invoice.deleted": forget_invoice,
    "invoice.voided": forget_invoice,
    "adjustment_note.issued": note_credit,
    "adjustment_note.voided": note_credit,
    "job.deleted": forget_job,
    "booking.deleted": forget_booking,
    "item.deleted": keeps_items(quotes, lines),
}


def _release(ctx: Context, which: sa.ColumnElement[bool]) -> None:
    for row in documents.held(ctx, which):
        _save(ctx, row, status="converted" if row.converted_to == "job" else "accepted", invoice_id=None)


def _settle(ctx: Context, quote_id: str) -> list[Quote]:
    """Let a quote be invoiced if nothing is left to invoice of it, and not otherwise."""
    told = []
    for row in documents.held(ctx, quotes.c.id == quote_id):
        found = billed(ctx, [row])[row.id]
        columns: dict[str, Any] = {}
        if found.is_all and row.status in _AWAITS_INVOICE:
            columns = {"status": "invoiced", "invoice_id": found.last}
        elif not found.is_all and row.status == "invoiced":
            columns = {"status": "converted" if row.converted_to == "job" else "accepted", "invoice_id": None}
        told.append(documents.tell(ctx, records.save(ctx, row, touch=True, **columns), "quote.updated"))
    return told


def _save(ctx: Context, row: Any, **columns: Any) -> None:
    documents.tell(ctx, records.save(ctx, row, **columns), "quote.updated")
