"""Handlers of the payments of one invoice: one function for each route."""

from billycan import Conflict, Context, Invalid, Named, NotFound

from .. import rules
from ..books import ledger
from ..invoices.documents import amount_due, documents, records
from ..invoices.handlers import send_draft
from ..resource import Invoice
from ..tables import payments
from .records import allocations_of, check_coins
from .schemas import NewPayment, PaymentReversal, Settlement
from .settlement import (
    Share,
    emit_settlement,
    lock_invoices,
    lock_payments,
    most_payable,
    receive_payment,
    reverse_locked_payment,
    share_of_invoice,
    take_clients_turn,
)


def add_payment(ctx: Context, id: str, body: NewPayment) -> Invoice:
    """Record a payment, at most what is due; on a written-off invoice it is a recovery.

    From sent, partially_paid or written_off; otherwise `invalid_state_transition`; it becomes paid once nothing is due,
    or once everything that was written off is recovered. Cash must be a multiple of 0.05: within 0.02 of the amount due
    it settles the invoice, and the difference is `cash_rounding`. Returns the invoice, with the new payment last.
    Refused with `overpayment_not_allowed` above what is due, and with `list_full` if it has 500 payments. Emits
    `payment.recorded`, `invoice.recovered` for a recovery, and `invoice.paid` when it becomes paid.
    """
    row = records.lock(ctx, id)
    documents.check(ctx, row, "payments")
    due = most_payable(row)
    check_coins(body.payment_method, body.amount, f": {rules.in_cash(due)} settles {due}")
    return _record_payment(ctx, share_of_invoice(row, body.amount, body.payment_method, "amount"), body)


def pay_invoice(ctx: Context, id: str, body: Settlement) -> Invoice:
    """Record that everything due was received; a draft is sent first, in the same transaction.

    From draft, sent or partially_paid to paid; otherwise `invalid_state_transition`. In cash, the amount is rounded to
    the nearest 0.05. A draft is refused for the same reasons as by `send`: `tax_invoice_incomplete`, `negative_total`,
    `gst_not_registered`. Refused with `list_full` if the invoice has 500 payments. Emits `payment.recorded` and
    `invoice.paid`; for a draft, `invoice.sent` first.
    """
    row = records.lock(ctx, id)
    documents.check(ctx, row, "pay")
    if row.status == "draft":
        row, invoice = send_draft(ctx, row)
        if invoice.status == "paid":
            return invoice
    due = amount_due(row)
    amount = rules.in_cash(due) if rules.is_cash(body.payment_method) else due
    if not amount:
        message = f"cannot be cash: there is no coin for {due}. Write it off, or take it another way"
        raise Invalid.member("payment_method", "invalid_value", message)
    return _record_payment(ctx, Share(row, amount, due - amount), body)


def reverse_payment(ctx: Context, id: str, pay_id: str, body: PaymentReversal) -> Invoice:
    """Reverse a payment, for example one that bounced; it stays listed as reversed.

    Only once; otherwise `invalid_state_transition`. Its amount is due again or, if the invoice was written off, written
    off again. Send the `date` on which it bounced; without one it counts as a mistake and disappears from every figure,
    unless a lodged tax period includes it. Refused with `allocated_elsewhere` if it settles other invoices too, and
    with `has_refunds`. Emits `payment.reversed`.
    """
    take_clients_turn(ctx, payments, pay_id)
    rows = lock_invoices(ctx, {id, *ledger.of_payment(ctx, pay_id)})
    records.lock(ctx, id)
    payment, stored = lock_payments(ctx, [pay_id]).get(pay_id), allocations_of(ctx, [pay_id])
    if payment is None or id not in {one.invoice_id for one in stored}:
        raise NotFound
    if len(stored) > 1 and payment.status == "recorded":
        message = "This payment settles other invoices too: reverse it as a whole, at /v1/payments, or deallocate it."
        raise Conflict(message, code="allocated_elsewhere")
    reverse_locked_payment(ctx, payment, rows, stored, body)
    return documents.get(ctx, id)


def _record_payment(ctx: Context, given: Share, body: NewPayment | Settlement) -> Invoice:
    """Record a payment that settles so much of what is owed, and nothing else."""
    before = given.invoice
    client = Named(before.client_id, before.client_name)
    own = {"external_id": body.external_id, "metadata": body.metadata}
    payment, (after,) = receive_payment(ctx, client, given.amount, body, [given], **own)
    invoice = documents.show(ctx, after)
    ctx.emit("payment.recorded", payment)
    emit_settlement(ctx, before, after, invoice)
    return invoice
