"""Subscribers that keep quotes right when something happens in other plugins, inside the same transaction."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, own
from billycan_documents.api import invoiced_again, keeps_items

from .documents import billed_amounts, documents, records
from .resource import Quote
from .tables import claims, lines, quotes


class Invoice(Struct):
    """The members of an invoice's event that quotes read; `claim` is set if it bills a part of the work."""

    id: str
    quote_id: str | None
    status: str
    claim: str | None


class Note(Struct):
    """The members of an adjustment note's event that quotes read."""

    id: str
    invoice_id: str
    status: str
    total: Decimal


class Gone(Struct):
    """A record that was deleted or voided."""

    id: str


def note_invoice(ctx: Context, invoice: Invoice) -> None:
    """Mark the quote of an invoice as invoiced, whether a job or a client of the API made the invoice.

    An invoice for a part of the work marks the quote only once nothing is left.
    """
    assert invoice.quote_id is not None  # noqa: S101 - it is only called for such an invoice
    if invoice.claim is not None:
        link = {"tenant_id": ctx.tenant_id, "id": invoice.id, "quote_id": invoice.quote_id}
        ctx.db.execute(sa.insert(claims).values(link))
        _settle_quote(ctx, invoice.quote_id)
        return
    for row in documents.held(ctx, quotes.c.id == invoice.quote_id):
        if row.status in _AWAITS_INVOICE:
            _save_quote(ctx, row, status="invoiced", invoice_id=invoice.id)


def follow_invoice(ctx: Context, invoice: Invoice) -> None:
    """Release the quote that a draft no longer names, and mark the one that it names now."""
    if invoice.claim is not None:  # an invoice for a part keeps its quote
        return
    if invoice.status != "draft":  # once sent, its quote cannot change; a void one bills none
        return
    let_go = quotes.c.invoice_id == invoice.id
    if invoice.quote_id is not None:
        let_go &= quotes.c.id != invoice.quote_id
    # Look before waiting for the chain's other writes: few changes of an invoice concern a quote.
    if ctx.db.execute(sa.select(quotes.c.id).where(own(ctx, quotes), let_go).limit(1)).first():
        _release_quote(ctx, let_go)
    named = (quotes.c.id == invoice.quote_id) & quotes.c.status.in_(_AWAITS_INVOICE)
    if invoice.quote_id and ctx.db.execute(sa.select(quotes.c.id).where(own(ctx, quotes), named)).first():
        note_invoice(ctx, invoice)


def forget_invoice(ctx: Context, invoice: Gone) -> None:
    """Let a quote be invoiced again once its invoice, or one for a part of it, is deleted or voided."""
    _release_quote(ctx, quotes.c.invoice_id == invoice.id)
    this = own(ctx, claims) & (claims.c.id == invoice.id)
    if quote_id := ctx.db.execute(sa.select(claims.c.quote_id).where(this)).scalar():
        ctx.db.execute(sa.delete(claims).where(this))
        _settle_quote(ctx, quote_id)


def note_credit(ctx: Context, note: Note) -> None:
    """Let a credited amount be invoiced again. Refuse to void a note once another invoice bills that amount."""
    from billycan_invoices import api as invoices  # noqa: PLC0415 - the plugin may be off

    quote_id, _ = invoices.work_of(ctx, note.invoice_id)
    if quote_id is None:
        return
    for quote in _settle_quote(ctx, quote_id):
        if note.status == "void" and quote.invoiced.claimed > quote.invoiced.quoted:
            raise invoiced_again(quote.invoiced.quoted - quote.invoiced.claimed + note.total)


def forget_job(ctx: Context, job: Gone) -> None:
    """Clear references to a deleted job; a quote that became the job can be converted again."""
    for row in documents.held(ctx, quotes.c.job_id == job.id):
        back = {"status": "accepted", "converted_to": None} if row.status == "converted" else {}
        _save_quote(ctx, row, job_id=None, **back)


def forget_booking(ctx: Context, booking: Gone) -> None:
    """Clear references to a deleted booking."""
    for row in documents.held(ctx, quotes.c.booking_id == booking.id):
        _save_quote(ctx, row, booking_id=None)


_AWAITS_INVOICE = ("accepted", "converted")
# Keep references of quotes right, whoever creates, voids or deletes the other record.
hears: dict[str, Callable[..., None]] = {
    "invoice.created with quote_id": note_invoice,
    "invoice.updated": follow_invoice,
    "invoice.deleted": forget_invoice,
    "invoice.voided": forget_invoice,
    "adjustment_note.issued": note_credit,
    "adjustment_note.voided": note_credit,
    "job.deleted": forget_job,
    "booking.deleted": forget_booking,
    "item.deleted": keeps_items(quotes, lines),
}


def _release_quote(ctx: Context, which: sa.ColumnElement[bool]) -> None:
    for row in documents.held(ctx, which):
        _save_quote(ctx, row, status="converted" if row.converted_to == "job" else "accepted", invoice_id=None)


def _settle_quote(ctx: Context, quote_id: str) -> list[Quote]:
    """Mark a quote as invoiced if nothing is left to invoice, and as not invoiced otherwise."""
    settled = []
    for row in documents.held(ctx, quotes.c.id == quote_id):
        found = billed_amounts(ctx, [row])[row.id]
        columns: dict[str, Any] = {}
        if found.is_all and row.status in _AWAITS_INVOICE:
            columns = {"status": "invoiced", "invoice_id": found.last}
        elif not found.is_all and row.status == "invoiced":
            columns = {"status": "converted" if row.converted_to == "job" else "accepted", "invoice_id": None}
        settled.append(documents.tell(ctx, records.save(ctx, row, touch=True, **columns), "quote.updated"))
    return settled


def _save_quote(ctx: Context, row: Any, **columns: Any) -> None:
    documents.tell(ctx, records.save(ctx, row, **columns), "quote.updated")
