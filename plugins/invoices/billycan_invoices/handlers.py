"""What each endpoint does."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import sqlalchemy as sa

from billycan import Conflict, Context, Deleted, Fault, Invalid, Named, NotFound, Page, Patch, own
from billycan.fields import Moment
from billycan.ids import new_id
from billycan.neighbours import take_turns
from billycan.records import Row
from billycan.wire import decode, plain
from billycan_gst.api import (
    as_sent,
    breakdown,
    check_registration,
    let_one_discount_clear_the_other,
    line_id_faults,
    work_out,
)

from . import rules
from .documents import (
    amount_due,
    client_of,
    header,
    invoice_lines,
    neighbours,
    payments_of,
    records,
    show,
    show_all,
    tax_invoice,
)
from .schemas import (
    Invoice,
    InvoiceQuery,
    InvoiceVoiding,
    InvoiceWriteOff,
    ListedInvoice,
    NewInvoice,
    NewPayment,
    Payment,
    PaymentReversal,
    Preview,
    PreviewLine,
    Settlement,
)
from .tables import payments

ZERO = Decimal("0.00")


def list_invoices(ctx: Context, query: InvoiceQuery) -> Page[ListedInvoice]:
    """All invoices, whatever their status; `include=line_items` adds their lines.

    The computed `overdue` (due before today) and `unpaid` (sent or partially paid) are statuses to filter by, too.
    """
    page = records.rows(ctx, query)
    return page.of(show_all(ctx, page.items, with_lines="line_items" in (query.include or ())))


def create_invoice(ctx: Context, body: NewInvoice) -> Invoice:
    """Make a draft; its number is given now and never again.

    Figures are worked out at once: GST is rounded once for the document or once for each line, and subtotal and GST
    always add up to the total. Refused with `gst_not_registered` where a business that is not registered charges
    GST. Emits `invoice.created`.
    """
    client = client_of(ctx, body.client_id)
    neighbours.check(ctx, body)
    worked = work_out(ctx, body)
    columns = header(ctx, body, client, worked)
    row = records.insert(ctx, status="draft", amount_paid=ZERO, **columns)
    invoice_lines.add(ctx, row.id, worked.lines)
    invoice = show(ctx, row, lines=worked.lines, client=client)
    ctx.emit("invoice.created", invoice)
    return invoice


def preview_invoice(ctx: Context, body: NewInvoice) -> Preview:
    """Work an invoice out without storing it.

    Takes what making one takes, and answers every figure of it; no number is used. Refused with
    `gst_not_registered` where a business that is not registered charges GST.
    """
    client = client_of(ctx, body.client_id)
    neighbours.check(ctx, body)
    worked = work_out(ctx, body)
    columns = header(ctx, body, client, worked)
    compliance = tax_invoice(
        ctx, title=columns["document_title"], total=columns["total"], name=client.name, abn=client.abn
    )
    return Preview(
        client=Named(client.id, client.name),
        currency="AUD",
        gst_breakdown=breakdown(columns.pop("gst_breakdown")),
        tax_invoice=compliance,
        line_items=[
            PreviewLine(**{name: getattr(line, name) for name in PreviewLine.__struct_fields__})
            for line in worked.lines
        ],
        **{name: columns[name] for name in Preview.__struct_fields__ if name in columns},
    )


def get_invoice(ctx: Context, id: str) -> Invoice:
    """One invoice with its lines and payments.

    `hosted_url`, once it is sent, is there for keys with `invoices:write` only.
    """
    return show(ctx, records.find(ctx, id))


def update_invoice(ctx: Context, id: str, body: Patch[NewInvoice]) -> Invoice:
    """Change a draft; of a sent invoice only what its client does not hold.

    Once sent, only `notes`, `reference`, `purchase_order`, `metadata`, `external_id` and `due_date` change, else
    `document_locked`. Refused with `gst_not_registered` where a business that is not registered charges GST. Emits
    `invoice.updated` where anything changed.
    """
    if body.sent.keys() & neighbours.plugins.keys():
        take_turns(ctx)  # before the invoice is locked, as whoever deletes it does
    row = records.lock(ctx, id)
    stored = invoice_lines.of(ctx, [id])[id]
    let_one_discount_clear_the_other(body)
    if faults := line_id_faults(body, stored):
        raise _locked(row, ["line_items"]) if row.status != "draft" else Invalid.of(*faults)
    sent = [as_sent(line) for line in stored]
    before = {**row._mapping, **neighbours.shown(ctx, row._mapping), "currency": "AUD", "line_items": sent}
    after = body.over(before)
    if row.status != "draft":
        changed = _save_open_members(ctx, row, after, before)
        invoice = show(ctx, changed, lines=stored)
    else:
        client = client_of(ctx, after.client_id)
        neighbours.check(ctx, after, before)
        worked = work_out(ctx, after, stored=[line.id for line in stored])
        new_lines = worked.lines != stored
        changed = records.save(ctx, row, touch=new_lines, **header(ctx, after, client, worked))
        if new_lines:
            invoice_lines.replace(ctx, id, worked.lines)
        invoice = show(ctx, changed, lines=worked.lines, client=client)
    if changed.version != row.version:
        ctx.emit("invoice.updated", invoice)
    return invoice


def delete_invoice(ctx: Context, id: str) -> Deleted:
    """Delete a draft; anything sent must be kept for five years (s 382-5 of Schedule 1 to the TAA 1953).

    Refused with `document_locked` in any other status, and with `has_dependents` while anything points at it. Its
    number stays used. Emits `invoice.deleted`.
    """
    take_turns(ctx)  # the numbers' counter is locked before the job or quote that hears of this
    row = records.lock(ctx, id)
    if row.status != "draft":
        instead = ": void it instead" if "void" in rules.allowed_actions(row.status, row.amount_paid) else ""
        message = f"An invoice that is {row.status} must be kept{instead}."
        raise Conflict(message, code="document_locked", status=row.status)
    invoice_lines.remove(ctx, id)
    deleted = records.delete(ctx, row)
    ctx.emit("invoice.deleted", deleted)
    return deleted


def send_invoice(ctx: Context, id: str) -> Invoice:
    """Check the draft as a tax invoice, lock it and freeze what it says; one of 0.00 is paid at once.

    From draft to sent, else `invalid_state_transition`. The client's name, ABN and address and the rules of
    rounding are frozen, and the client's page is there; bringing it to the client is yours. Refused with
    `tax_invoice_incomplete` where it lacks what a tax invoice must show, `negative_total` and `gst_not_registered`.
    Emits `invoice.sent`, and `invoice.paid` for one of 0.00.
    """
    row = records.lock(ctx, id)
    _check(row, "send")
    _, invoice = _send(ctx, row)
    return invoice


def add_payment(ctx: Context, id: str, body: NewPayment) -> Invoice:
    """Record money received, at most what is due.

    From sent or partially_paid, else `invalid_state_transition`; it becomes paid once nothing is due. Answers the
    invoice, the new payment last. Refused with `overpayment_not_allowed` above what is due. Emits
    `payment.recorded`, and `invoice.paid` when it becomes paid.
    """
    row = records.lock(ctx, id)
    _check(row, "payments")
    if body.amount > amount_due(row):
        raise Invalid(
            f"{body.amount} is more than the {amount_due(row)} that is due.",
            code="overpayment_not_allowed",
            param="amount",
            amount_due=amount_due(row),
        )
    return _pay(ctx, row, body.amount, body)


def pay_invoice(ctx: Context, id: str, body: Settlement) -> Invoice:
    """Record that all that is due was received; a draft is sent first, in the same transaction.

    From draft, sent or partially_paid to paid, else `invalid_state_transition`. Sending a draft is refused as it is
    by itself: `tax_invoice_incomplete`, `negative_total`, `gst_not_registered`. Emits `payment.recorded` and
    `invoice.paid`, for a draft after `invoice.sent`.
    """
    row = records.lock(ctx, id)
    _check(row, "pay")
    if row.status == "draft":
        row, invoice = _send(ctx, row)
        if invoice.status == "paid":
            return invoice
    return _pay(ctx, row, amount_due(row), body)


def reverse_payment(ctx: Context, id: str, pay_id: str, body: PaymentReversal) -> Invoice:
    """Take a payment back, as when it bounced; it stays listed as reversed.

    From partially_paid or paid, else `invalid_state_transition`, as for a payment that was reversed before. What it
    paid is due again. Emits `payment.reversed`.
    """
    row = records.lock(ctx, id)
    payment = next((p for p in payments_of(ctx, id) if p.id == pay_id), None)
    if payment is None:
        raise NotFound
    _check(row, "reverse")
    if payment.status == "reversed":
        message = "This payment was reversed before."
        raise Conflict(message, code="invalid_state_transition", status="reversed", allowed_actions=[])
    payment.status, payment.reversed_at, payment.reverse_reason = "reversed", ctx.now(), body.reason
    this = own(ctx, payments) & (payments.c.id == pay_id)
    ctx.db.execute(
        sa.update(payments)
        .where(this)
        .values(status="reversed", reversed_at=payment.reversed_at, reverse_reason=body.reason)
    )
    paid = row.amount_paid - payment.amount
    status = "partially_paid" if paid else "sent"
    row = records.save(ctx, row, amount_paid=paid, status=status, paid_at=None, payment_method=None)
    ctx.emit("payment.reversed", payment)
    return show(ctx, row)


def void_invoice(ctx: Context, id: str, body: InvoiceVoiding) -> Invoice:
    """Cancel a sent invoice nobody has paid; its number stays used.

    From sent to void, else `invalid_state_transition`; `has_payments` while money on it was not reversed. Emits
    `invoice.voided`.
    """
    take_turns(ctx)  # before the invoice is locked, as whoever deletes it does
    row = records.lock(ctx, id)
    if row.amount_paid and row.status in ("partially_paid", "paid"):
        raise Conflict("Money was received for this invoice: reverse its payments first.", code="has_payments")
    status = _check(row, "void")
    return _end(ctx, row, "invoice.voided", status=status, voided_at=ctx.now(), void_reason=body.reason)


def write_off_invoice(ctx: Context, id: str, body: InvoiceWriteOff) -> Invoice:
    """Give up what is still due as a bad debt.

    From sent or partially_paid to written_off, else `invalid_state_transition`. Emits `invoice.written_off`.
    """
    row = records.lock(ctx, id)
    status = _check(row, "write_off")
    reason = {"written_off_at": ctx.now(), "write_off_reason": body.reason}
    return _end(ctx, row, "invoice.written_off", status=status, **reason)


def duplicate_invoice(ctx: Context, id: str) -> Invoice:
    """Make a new draft of the same content, issued today.

    From any status. Refused with `gst_not_registered` where the business no longer charges GST. Emits
    `invoice.created`.
    """
    row = records.lock(ctx, id)
    members = {name: row._mapping[name] for name in _COPIED}
    lines = [{**as_sent(line), "id": None} for line in invoice_lines.of(ctx, [id])[id]]
    return create_invoice(ctx, decode({**members, "line_items": lines}, NewInvoice))


_COPIED = (
    *("client_id", "amounts_are", "gst_rounding", "discount_percent", "discount_amount"),
    *("reference", "purchase_order", "notes", "terms", "metadata"),
)


def _check(row: Row, action: str) -> str | None:
    return rules.actions.check(action, row.status, rules.allowed_actions(row.status, row.amount_paid))


def _send(ctx: Context, row: Row) -> tuple[Row, Invoice]:
    stored = invoice_lines.of(ctx, [row.id])[row.id]
    codes = [line.gst_code for line in stored]
    check_registration(ctx, codes)
    if row.total < 0:
        raise Invalid("The total is below zero: an invoice asks for money.", code="negative_total", param="total")
    client = client_of(ctx, row.client_id)
    title = rules.document_title(ctx.tenant.gst_registered, codes)
    compliance = tax_invoice(ctx, title=title, total=row.total, name=client.name, abn=client.abn)
    if not compliance.compliant:
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
        client_name=client.name,
        client_abn=client.abn,
        client_address=client.billing_address,
    )
    invoice = show(ctx, row, lines=stored)
    ctx.emit("invoice.sent", invoice)
    if row.status == "paid":
        ctx.emit("invoice.paid", invoice)
    return row, invoice


def _pay(ctx: Context, row: Row, amount: Decimal, body: NewPayment | Settlement) -> Invoice:
    paid_at = Moment.of(body.paid_at or ctx.now())
    payment = Payment(
        id=new_id("pay"),
        invoice_id=row.id,
        amount=amount,
        payment_method=body.payment_method,
        paid_at=paid_at,
        reference=body.reference,
        status="recorded",
        created_at=ctx.now(),
        reversed_at=None,
        reverse_reason=None,
    )
    columns = {name: getattr(payment, name) for name in Payment.__struct_fields__}
    ctx.db.execute(sa.insert(payments).values(tenant_id=ctx.tenant_id, **columns))
    paid = row.amount_paid + amount
    settles = paid == row.total
    settled = {"status": "paid", "paid_at": paid_at, "payment_method": body.payment_method} if settles else {}
    row = records.save(ctx, row, **{"amount_paid": paid, "status": "partially_paid", **settled})
    invoice = show(ctx, row)
    ctx.emit("payment.recorded", payment)
    if settles:
        ctx.emit("invoice.paid", invoice)
    return invoice


def _end(ctx: Context, row: Row, event: str, **columns: Any) -> Invoice:
    invoice = show(ctx, records.save(ctx, row, **columns))
    ctx.emit(event, invoice)
    return invoice


def _save_open_members(ctx: Context, row: Row, after: NewInvoice, before: dict[str, Any]) -> Row:
    """Save what may still change of a sent invoice; Conflict where anything else would."""
    changed = {name for name in after.__struct_fields__ if plain(getattr(after, name)) != before[name]}
    if locked := sorted(changed - rules.OPEN_ONCE_SENT):
        raise _locked(row, locked)
    values = {name: getattr(after, name) for name in changed}
    if values.get("due_date", row.due_date) is None:
        raise Invalid.member("due_date", "required", "cannot be cleared once the invoice is sent")
    if values.get("due_date", row.due_date) < row.issue_date:
        raise Invalid.member("due_date", "out_of_range", "must not be before issue_date")
    return records.save(ctx, row, **values)


def _locked(row: Row, members: Sequence[str]) -> Conflict:
    return Conflict(
        f"{', '.join(members)}: a {row.status} invoice is locked; "
        f"only {', '.join(sorted(rules.OPEN_ONCE_SENT))} still change.",
        code="document_locked",
        param=members[0],
        status=row.status,
    )
