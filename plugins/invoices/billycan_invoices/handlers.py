"""What each endpoint does."""

from decimal import Decimal
from typing import Any

import sqlalchemy as sa

from billycan import Conflict, Context, Deleted, Fault, Invalid, Named, NotFound, Page, Patch, own
from billycan.fields import Moment
from billycan.ids import new_id
from billycan.records import Row
from billycan.wire import decode, plain
from billycan_gst.api import (
    as_sent,
    breakdown,
    check_line_ids,
    check_registration,
    let_one_discount_clear_the_other,
    work_out,
)

from . import rules
from .documents import (
    amount_due,
    check_neighbours,
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
    ListedInvoice,
    NewInvoice,
    NewPayment,
    Payment,
    Preview,
    PreviewLine,
    Settlement,
    WithReason,
)
from .tables import payments

ZERO = Decimal("0.00")


def list_invoices(ctx: Context, query: InvoiceQuery) -> Page[ListedInvoice]:
    """All invoices, whatever their status; `include=line_items` adds their lines."""
    page = records.rows(ctx, query)
    return page.of(show_all(ctx, page.items, with_lines="line_items" in (query.include or ())))


def create_invoice(ctx: Context, body: NewInvoice) -> Invoice:
    """Make a draft; its number is given now and never again."""
    client = client_of(ctx, body.client_id)
    check_neighbours(ctx, body, {})
    worked = work_out(ctx, body)
    columns = header(ctx, body, client, worked)
    row = records.insert(ctx, status="draft", amount_paid=ZERO, **columns)
    invoice_lines.add(ctx, row.id, worked.lines)
    invoice = show(ctx, row, lines=worked.lines, client=client)
    ctx.emit("invoice.created", invoice)
    return invoice


def preview_invoice(ctx: Context, body: NewInvoice) -> Preview:
    """Work an invoice out without storing it."""
    client = client_of(ctx, body.client_id)
    check_neighbours(ctx, body, {})
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
    """One invoice with its lines and payments."""
    return show(ctx, records.find(ctx, id))


def update_invoice(ctx: Context, id: str, body: Patch[NewInvoice]) -> Invoice:
    """Change a draft; of a sent invoice only what its client does not hold."""
    row = records.lock(ctx, id)
    stored = invoice_lines.of(ctx, [id])[id]
    let_one_discount_clear_the_other(body)
    if row.status == "draft":
        check_line_ids(body, stored)
    sent = [as_sent(line) for line in stored]
    before = {**row._mapping, **neighbours(ctx, row), "currency": "AUD", "line_items": sent}
    after = body.over(before)
    if row.status != "draft":
        changed = _save_open_members(ctx, row, after, before)
        invoice = show(ctx, changed, lines=stored)
    else:
        client = client_of(ctx, after.client_id)
        check_neighbours(ctx, after, before)
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
    """Delete a draft; anything sent must be kept for five years (s 382-5 of Schedule 1 to the TAA 1953)."""
    row = records.lock(ctx, id)
    if row.status != "draft":
        raise Conflict(
            f"A {row.status} invoice must be kept: void it instead.", code="document_locked", status=row.status
        )
    invoice_lines.remove(ctx, id)
    deleted = records.delete(ctx, row)
    ctx.emit("invoice.deleted", deleted)
    return deleted


def send_invoice(ctx: Context, id: str) -> Invoice:
    """Check the draft as a tax invoice, lock it and freeze what it says; one of 0.00 is paid at once."""
    row = records.lock(ctx, id)
    rules.actions.check("send", row.status)
    _, invoice = _send(ctx, row)
    return invoice


def add_payment(ctx: Context, id: str, body: NewPayment) -> Invoice:
    """Record money received, at most what is due."""
    row = records.lock(ctx, id)
    rules.actions.check("payments", row.status)
    if body.amount > amount_due(row):
        raise Invalid(
            f"{body.amount} is more than the {amount_due(row)} that is due.",
            code="overpayment_not_allowed",
            param="amount",
            amount_due=amount_due(row),
        )
    return _pay(ctx, row, body.amount, body)


def pay_invoice(ctx: Context, id: str, body: Settlement) -> Invoice:
    """Record that all that is due was received; a draft is sent first, in the same transaction."""
    row = records.lock(ctx, id)
    rules.actions.check("pay", row.status)
    if row.status == "draft":
        row, invoice = _send(ctx, row)
        if invoice.status == "paid":
            return invoice
    return _pay(ctx, row, amount_due(row), body)


def reverse_payment(ctx: Context, id: str, pay_id: str, body: WithReason) -> Invoice:
    """Take a payment back, as when it bounced; it stays listed as reversed."""
    row = records.lock(ctx, id)
    payment = next((p for p in payments_of(ctx, id) if p.id == pay_id), None)
    if payment is None:
        raise NotFound
    rules.actions.check("reverse", row.status)
    if payment.status == "reversed":
        raise Conflict("This payment was reversed before.", code="invalid_state_transition", status="reversed")
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


def void_invoice(ctx: Context, id: str, body: WithReason) -> Invoice:
    """Cancel a sent invoice nobody has paid; its number stays used."""
    row = records.lock(ctx, id)
    if row.amount_paid and row.status in ("partially_paid", "paid"):
        raise Conflict("Money was received for this invoice: reverse its payments first.", code="has_payments")
    status = rules.actions.check("void", row.status)
    return _end(ctx, row, "invoice.voided", status=status, voided_at=ctx.now(), void_reason=body.reason)


def write_off_invoice(ctx: Context, id: str, body: WithReason) -> Invoice:
    """Give up what is still due as a bad debt."""
    row = records.lock(ctx, id)
    status = rules.actions.check("write_off", row.status)
    reason = {"written_off_at": ctx.now(), "write_off_reason": body.reason}
    return _end(ctx, row, "invoice.written_off", status=status, **reason)


def duplicate_invoice(ctx: Context, id: str) -> Invoice:
    """Make a new draft of the same content, issued today."""
    row = records.lock(ctx, id)
    members = {name: row._mapping[name] for name in _COPIED}
    lines = [{**as_sent(line), "id": None} for line in invoice_lines.of(ctx, [id])[id]]
    return create_invoice(ctx, decode({**members, "line_items": lines}, NewInvoice))


_COPIED = (
    *("client_id", "amounts_are", "gst_rounding", "discount_percent", "discount_amount"),
    *("reference", "purchase_order", "notes", "terms", "metadata"),
)


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
        raise Conflict(
            f"{', '.join(locked)}: a {row.status} invoice is locked; "
            f"only {', '.join(sorted(rules.OPEN_ONCE_SENT))} still change.",
            code="document_locked",
            param=locked[0],
            status=row.status,
        )
    values = {name: getattr(after, name) for name in changed}
    if values.get("due_date", row.due_date) is None:
        raise Invalid.member("due_date", "required", "cannot be cleared once the invoice is sent")
    if values.get("due_date", row.due_date) < row.issue_date:
        raise Invalid.member("due_date", "out_of_range", "must not be before issue_date")
    return records.save(ctx, row, **values)
