"""Handlers of invoices: one function for each route."""

from typing import Any

from billycan import Conflict, Context, Deleted, Fault, Invalid, Named, Page, Patch, Row
from billycan.books import Undoing
from billycan_documents.api import breakdown, check_registration, client_of, frozen

from .. import rules
from ..books import early_gst, ledger, unallocated
from ..books.ledger import Change
from ..resource import Invoice, InvoiceQuery, ListedInvoice, NewInvoice
from . import deposits
from .documents import add_draft, allowed_actions, amount_due, documents, neighbours, records, tax_invoice
from .schemas import Forfeiture, InvoiceVoiding, InvoiceWriteOff, Preview, PreviewLine, WriteOffUndoing


def list_invoices(ctx: Context, query: InvoiceQuery) -> Page[ListedInvoice]:
    """All invoices, whatever their status; `include=line_items,payments` adds their lines and their payments.

    You can also filter by the computed statuses `overdue` (due before today) and `unpaid` (sent or partially paid).
    """
    return documents.page(ctx, query)


def create_invoice(ctx: Context, body: NewInvoice) -> Invoice:
    """Create a draft. Its number is assigned now and never reused.

    GST is rounded once for the document or once for each line. Subtotal and GST always add up to the total. Refused
    with `gst_not_registered` if a business that is not registered for GST charges it, and with `list_full` if its quote
    or job has 500 invoices. Emits `invoice.created`.
    """
    return add_draft(ctx, body)


def preview_invoice(ctx: Context, body: NewInvoice) -> Preview:
    """Calculate an invoice without storing it.

    Send the same body as for creating an invoice; the response has all of its figures. No number is assigned. Refused
    with `gst_not_registered` if a business that is not registered for GST charges it, and with `list_full` if its quote
    or job has 500 invoices.
    """
    draft = documents.draft(ctx, body)
    client, columns = draft.client, draft.columns
    compliance = tax_invoice(
        ctx, title=columns["document_title"], total=columns["total"], name=client.name, abn=client.abn
    )
    return Preview(
        client=Named(client.id, client.name),
        currency="AUD",
        gst_breakdown=breakdown(columns.pop("gst_breakdown")),
        tax_invoice=compliance,
        line_items=[
            PreviewLine(**{name: getattr(line, name) for name in PreviewLine.__struct_fields__}) for line in draft.lines
        ],
        **{name: columns[name] for name in Preview.__struct_fields__ if name in columns},
    )


def get_invoice(ctx: Context, id: str) -> Invoice:
    """One invoice with its lines and payments.

    Once it is sent, `hosted_url` is shown to keys with `invoices:write`.
    """
    return documents.get(ctx, id)


def update_invoice(ctx: Context, id: str, body: Patch[NewInvoice]) -> Invoice:
    """Change a draft, or the few members of a sent invoice that may still change.

    Once sent, only `notes`, `reference`, `purchase_order`, `metadata`, `external_id` and `due_date` can change;
    anything else is `document_locked`. If the invoice has a `claim`, what it bills is locked from the start. Refused
    with `gst_not_registered` if a business that is not registered for GST charges it, and with `list_full` if you
    change its quote or job to one that has 500 invoices. Emits `invoice.updated` if anything changed.
    """
    if body.sent.keys() & (neighbours.plugins.keys() | rules.LOCKED_IN_CLAIMS):
        ctx.take_turns()  # before locking the invoice, as in deleting it
    row = records.lock(ctx, id)
    edit = documents.edit(ctx, row, body)
    if row.status != "draft":
        if edit.after.due_date is None:
            raise Invalid.member("due_date", "required", "cannot be cleared once the invoice is sent")
        if edit.after.due_date < row.issue_date:
            raise Invalid.member("due_date", "out_of_range", "must not be before issue_date")
    if row.claim is None and row.claim_on is None:
        return documents.change(ctx, edit)
    changed = {name for name in rules.LOCKED_IN_CLAIMS if edit.differs(name)}
    if row.claim is None:
        return documents.change(ctx, edit, **_lets_go(row, changed))
    if locked := sorted(changed):
        message = f"{', '.join(locked)}: a claim stays as it was made. Delete the draft and make another claim instead."
        raise Conflict(message, code="document_locked", param=locked[0], status=row.status)
    return documents.change(ctx, edit, keeps_figures=True)


def _lets_go(row: Row, changed: set[str]) -> dict[str, Any]:
    """The columns with which an invoice of all the work bills it no longer, once it names another quote or job."""
    if row.claim_on is None:
        return {}
    billed = {row.quote_id: "quote_id", row.job_id: "job_id"}[row.claim_on]
    return {"claim_on": None} if billed in changed else {}


def delete_invoice(ctx: Context, id: str) -> Deleted:
    """Delete a draft; anything sent must be kept for five years (s 382-5 of Schedule 1 to the TAA 1953).

    Refused with `document_locked` in any other status, and with `has_dependents` while other records refer to it. Its
    number is never reused. Emits `invoice.deleted`.
    """
    ctx.take_turns()  # locks the counter of numbers before the job or quote that hears the event
    row = records.lock(ctx, id)
    if row.status != "draft":
        instead = ": void it instead" if row.status == "sent" and not row.amount_credited else ""
        message = f"An invoice that is {row.status} must be kept{instead}."
        raise Conflict(message, code="document_locked", status=row.status)
    deposits.keep_applied(row)
    deposits.let_go(ctx, row)
    return documents.remove(ctx, row)


def send_invoice(ctx: Context, id: str) -> Invoice:
    """Check the draft as a tax invoice, lock it and freeze its contents; an invoice for 0.00 is paid at once.

    From draft to sent; otherwise `invalid_state_transition`. The client's name, ABN and address are frozen, and
    `hosted_url` is the client's page. Nothing is emailed: send the link yourself. Refused with `tax_invoice_incomplete`
    if something that a tax invoice must show is missing, `negative_total` and `gst_not_registered`. Emits
    `invoice.sent`, and `invoice.paid` if the total is 0.00.
    """
    row = records.lock(ctx, id)
    documents.check(ctx, row, "send")
    _, invoice = send_draft(ctx, row)
    return invoice


def void_invoice(ctx: Context, id: str, body: InvoiceVoiding) -> Invoice:
    """Cancel a sent invoice that has no payments; its number is never reused.

    A mistake disappears from every figure; otherwise the invoice counts until `date`. From sent to void; otherwise
    `invalid_state_transition`. Refused with `has_adjustment_notes` until its notes are voided, and with `has_payments`
    until its payments are reversed. Emits `invoice.voided`.
    """
    ctx.take_turns()  # before locking the invoice, as in deleting it
    row = records.lock(ctx, id)
    if row.amount_credited and row.status in ("sent", "partially_paid", "paid", "credited"):
        message = "Adjustment notes were issued for this invoice: void them first."
        raise Conflict(message, code="has_adjustment_notes")
    if row.amount_paid and row.status in ("partially_paid", "paid"):
        raise Conflict("Money was received for this invoice: reverse its payments first.", code="has_payments")
    deposits.keep_applied(row)
    documents.check(ctx, row, "void")
    stands = ledger.of_invoice(ctx, id)
    days, least = [row.issue_date], ledger.last_day(stands, row.issue_date)
    on = body.counts_on(ctx, days, least, noted_at=row.sent_at)
    ended = {"voided_at": ctx.now(), "voided_on": on, "void_reason": body.reason}
    invoice = documents.move(ctx, row, "void", "invoice.voided", **ended)
    if on is None:
        ledger.write(ctx, id, [one.less() for one in stands])
    else:
        ledger.write(ctx, id, [ledger.priced("void", on, row._mapping, -1)])
        deposits.void_forfeited(ctx, row, on)
    unallocated.end_of_invoice(ctx, id, on)
    deposits.let_go(ctx, row, on)
    if on is None:
        early_gst.undo_early_gst(ctx, row)
    else:
        early_gst.settle(ctx, row, on)
    return invoice


def write_off_invoice(ctx: Context, id: str, body: InvoiceWriteOff) -> Invoice:
    """Write off the amount due: it moves to `amount_written_off`.

    A bad debt counts on `date`, by default today; a mistake, which was never owed, on the invoice's own date. From sent
    or partially_paid to written_off; otherwise `invalid_state_transition`. Use `payments` to record money that arrives
    later, as a recovery. Emits `invoice.written_off`.
    """
    row = records.lock(ctx, id)
    documents.check(ctx, row, "write_off")
    stands = ledger.of_invoice(ctx, id)
    earlier = [one for one in stands if one.written_off]  # undone since, so they add up to nothing
    writing_off = Undoing(date=body.date, mistake=bool(body.mistake))
    on = writing_off.counts_on(ctx, [row.issue_date], ledger.last_day(stands, row.issue_date))
    off = Change(kind="write_off", counts_on=on or row.issue_date, written_off=amount_due(row))
    invoice = documents.move(
        ctx,
        row,
        "write_off",
        "invoice.written_off",
        amount_written_off=amount_due(row),
        written_off_at=ctx.now(),
        written_off_on=off.counts_on,
        write_off_reason=body.reason,
    )
    # What was never owed was at no time a bad debt, either.
    ledger.write(ctx, id, [off] if on else [off, *(one.less("written_off") for one in earlier)])
    return invoice


def undo_write_off(ctx: Context, id: str, body: WriteOffUndoing) -> Invoice:
    """Undo a write-off: the amount still written off is due again, and recoveries count as ordinary payments.

    A mistake disappears from every figure; otherwise the write-off counts until `date`. From written_off to sent or
    partially_paid; an invoice that was recovered in full stays paid. Otherwise `invalid_state_transition`. Emits
    `invoice.write_off_undone`.
    """
    row = records.lock(ctx, id)
    documents.check(ctx, row, "undo_write_off")
    if row.written_off_on is None:
        raise Conflict(
            "This invoice was paid and not written off.",
            code="invalid_state_transition",
            status=row.status,
            allowed_actions=allowed_actions(ctx, row),
        )
    stands = ledger.of_invoice(ctx, id)
    bad = [one for one in stands if one.written_off and one.counts_on >= row.written_off_on]
    days, least = [one.counts_on for one in bad], ledger.last_day(stands, row.written_off_on)
    on = body.counts_on(ctx, days, least, noted_at=row.written_off_at)
    if on is None:
        ledger.write(ctx, id, [one.less("written_off") for one in bad])
    elif row.amount_written_off:
        ledger.write(ctx, id, [Change(kind="write_off", counts_on=on, written_off=-row.amount_written_off)])
    settled = row.amount_paid, row.amount_credited, row.cash_rounding
    status, nothing = rules.standing(row.total, *settled, given_up=False)
    row = records.save(
        ctx,
        row,
        status=status,
        amount_written_off=nothing,
        written_off_at=None,
        written_off_on=None,
        write_off_reason=None,
    )
    return documents.tell(ctx, row, "invoice.write_off_undone")


def duplicate_invoice(ctx: Context, id: str) -> Invoice:
    """Create a new draft with the same content, issued today.

    From any status. Refused with `gst_not_registered` if the business is no longer registered for GST. Emits
    `invoice.created`.
    """
    body = documents.copy(ctx, records.lock(ctx, id), NewInvoice, *_COPIED)
    with ctx.copying(id):
        return create_invoice(ctx, body)


def prepare_duplicate(ctx: Context, id: str) -> None:
    """Do what duplicating an invoice needs no lock for."""
    documents.prepare_copy(ctx, records.find(ctx, id), NewInvoice, *_COPIED)


_COPIED = ("purchase_order", "metadata")


def forfeit_invoice(ctx: Context, id: str, body: Forfeiture) -> Invoice:
    """Keep a deposit that was paid, because the client did not go through with the work.

    From paid, for an invoice whose `claim` is `deposit` and which no other invoice has deducted; otherwise
    `invalid_state_transition`. The GST on it arises on that date (s 99-10 GST Act) and is shown as `forfeited_gst`.
    Emits `invoice.forfeited`, and `job.updated` if it was for a job.
    """
    ctx.take_turns()  # as in taking a deposit off an invoice
    row = records.lock(ctx, id)
    allowed = allowed_actions(ctx, row)
    rules.actions.check("forfeit", row.status if "forfeit" in allowed else "draft", allowed)
    on = body.forfeited_on or ctx.today()
    if not row.issue_date <= on <= ctx.today():
        raise Invalid.member("forfeited_on", "out_of_range", "must be from issue_date to today")
    deposits.forfeit_deposit(ctx, row, on)
    row = records.save(ctx, row, forfeited_on=on, forfeit_reason=body.reason)
    return documents.tell(ctx, row, "invoice.forfeited")


def send_draft(ctx: Context, row: Row) -> tuple[Row, Invoice]:
    stored = documents.lines(ctx, [row.id])[row.id]
    codes = [line.gst_code for line in stored]
    check_registration(ctx, codes, row.issue_date)
    if row.total < 0:
        raise Invalid("The total is below zero: change the lines.", code="negative_total", param="total")
    client = client_of(ctx, row.client_id)
    title = rules.document_title(ctx.tenant.registered_on(row.issue_date), codes, row.claim)
    compliance = tax_invoice(ctx, title=title, total=row.total, name=client.name, abn=client.abn)
    if compliance.missing:
        faults = [Fault(name, "required", "is missing from this tax invoice") for name in compliance.missing]
        raise Invalid(
            f"A tax invoice needs {', '.join(compliance.missing)}: complete the business profile or the contact.",
            code="tax_invoice_incomplete",
            details=faults,
            missing=compliance.missing,
        )
    row = records.save(
        ctx,
        row,
        status="sent" if row.total else "paid",
        paid_at=None if row.total else ctx.now(),
        sent_at=ctx.now(),
        document_title=title,
        **frozen(client),
    )
    ledger.write(ctx, row.id, [ledger.priced("invoice", row.issue_date, row._mapping)])
    deposits.count_applied_gst(ctx, row)
    early_gst.settle(ctx, row, row.issue_date)
    invoice = documents.tell(ctx, row, "invoice.sent", lines=stored)
    if row.status == "paid":
        ctx.emit("invoice.paid", invoice)
    return row, invoice
