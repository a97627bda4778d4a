"""Handlers of payments: one function for each route."""

from decimal import Decimal

import sqlalchemy as sa

from billycan import Context, Invalid, Named, Page, Row, new_id
from billycan_documents.api import client_of

from .. import rules
from ..books import ledger, unallocated
from ..books.ledger import Change
from ..full_lists import REFUNDS
from ..tables import payments, refunds
from .records import allocations_of, allowed_actions, check_coins, never_used, received, records, show_payments
from .schemas import (
    NewReceipt,
    NewRefund,
    Payment,
    PaymentAllocation,
    PaymentDeallocation,
    PaymentQuery,
    PaymentReversal,
)
from .settlement import (
    apply_changes,
    emit_settlement,
    lock_invoices,
    most_payable,
    noted_at_of,
    receive_payment,
    reverse_locked_payment,
    settle_invoices,
    shares_of_payment,
    store_allocation,
    take_clients_turn,
    tell_of_payment,
)


def list_payments(ctx: Context, query: PaymentQuery) -> Page[Payment]:
    """All payments, including reversed ones unless you filter by `status`.

    The sum of `unallocated` over a client's payments is the client's credit.
    """
    page = records.rows(ctx, query, columns=records.columns(ctx))
    return page.of(show_payments(ctx, page.items))


def create_payment(ctx: Context, body: NewReceipt) -> Payment:
    """Record money received from a client, for several invoices or for none yet.

    What is not allocated is the client's credit. Cash must be a multiple of 0.05: within 0.02 of what is due it settles
    an invoice, and the difference is `cash_rounding`, at most 0.02 over all invoices of a payment. On a written-off
    invoice it is a recovery. Refused with `over_allocated` if more is allocated than was received,
    `overpayment_not_allowed` above what is due, `invalid_state_transition` for an invoice that cannot be paid, and
    `list_full` for one that has 500 payments. Emits `payment.recorded`, `invoice.recovered` for each recovery, and
    `invoice.paid` for each invoice that becomes paid.
    """
    client = client_of(ctx, body.client_id)
    check_coins(body.payment_method, body.amount)
    rows = lock_invoices(ctx, (one.invoice_id for one in body.allocations))
    given = shares_of_payment(
        ctx, body.allocations, rows, client_id=client.id, unallocated=body.amount, method=body.payment_method
    )
    own = {"external_id": body.external_id, "metadata": body.metadata}
    payment, after = receive_payment(ctx, Named(client.id, client.name), body.amount, body, given, **own)
    ctx.emit("payment.recorded", payment)
    for one, row in zip(given, after, strict=True):
        emit_settlement(ctx, one.invoice, row)
    return payment


def get_payment(ctx: Context, id: str) -> Payment:
    """One payment, whatever its status.

    It shows which invoices it settles, the amount refunded, and the amount left.
    """
    return show_payments(ctx, [records.find(ctx, id, records.columns(ctx))])[0]


def allocate_payment(ctx: Context, id: str, body: PaymentAllocation) -> Payment:
    """Settle invoices of the client with the unallocated amount of a payment.

    It counts on the day on which the money was received, even if you do this later. Credit from an adjustment note, and
    money that was taken off another invoice other than as a mistake, counts today. Possible while the payment is
    recorded; otherwise `invalid_state_transition`, also for an invoice that cannot be paid. Refused with
    `over_allocated` above the unallocated amount, with `overpayment_not_allowed` above what is due, and with
    `list_full` for an invoice that has 500 payments, or if the payment would settle more than 500 invoices. Emits
    `payment.allocated`, `invoice.recovered` for each recovery, and `invoice.paid` for each invoice that becomes paid.
    """
    take_clients_turn(ctx, payments, id)
    rows = lock_invoices(ctx, (one.invoice_id for one in body.allocations))
    payment = _lock_payment(ctx, id, "allocate")
    stored = {one.invoice_id: one for one in allocations_of(ctx, [id])}
    given = shares_of_payment(
        ctx,
        body.allocations,
        rows,
        client_id=payment.client_id,
        unallocated=payment.unallocated,
        method=payment.payment_method,
        rounded=sum((abs(one.cash_rounding) for one in stored.values()), rules.ZERO),
    )
    amount = sum((one.amount for one in given), rules.ZERO)
    unused = never_used(ctx, payment)
    payment = records.save(
        ctx,
        payment,
        allocated=payment.allocated + amount,
        unallocated=payment.unallocated - amount,
        cash_rounding=payment.cash_rounding + sum(one.rounding for one in given),
    )
    after = settle_invoices(ctx, payment, given, stored, on=max(ctx.today(), payment.paid_on), never_used=unused)
    told = tell_of_payment(ctx, payment, "payment.allocated")
    for one, row in zip(given, after, strict=True):
        emit_settlement(ctx, one.invoice, row)
    return told


def deallocate_payment(ctx: Context, id: str, body: PaymentDeallocation) -> Payment:
    """Take a payment, or part of it, off an invoice: the amount is unallocated then, and due again.

    A mistake disappears from every figure; otherwise the amount settles the invoice until `date`. Possible while the
    payment is recorded; otherwise `invalid_state_transition`. If the invoice was written off, the amount is written off
    again. Refused with `over_allocated` above the amount allocated to the invoice. Emits `payment.deallocated`.
    """
    take_clients_turn(ctx, payments, id)
    rows = lock_invoices(ctx, [body.invoice_id])
    payment = _lock_payment(ctx, id, "deallocate")
    found = [one for one in allocations_of(ctx, [id]) if one.invoice_id == body.invoice_id]
    if not found:
        raise Invalid.member("invoice_id", "not_found", "nothing of this payment is allocated to such an invoice")
    (before,), row = found, rows[body.invoice_id]
    taken = body.amount or before.amount
    if taken > before.amount:
        message = f"{taken} is more than the {before.amount} that settles this invoice."
        raise Invalid(message, code="over_allocated", param="amount", allocated=before.amount)
    left = before.amount - taken
    # A remainder above the amount due is rounded down to it; rounding never replaces the amount taken off.
    due = most_payable(row) + before.amount + before.cash_rounding
    rounding = min(due - left, rules.ZERO) if left else rules.ZERO
    store_allocation(ctx, before, left, rounding)
    change = rounding - before.cash_rounding
    stands = ledger.of_payment(ctx, id)[body.invoice_id]
    changes = _taken_off(stands, taken, change)
    days = [one.counts_on for one in changes]
    least = ledger.last_day(stands, payment.paid_on)
    on = body.counts_on(ctx, days, least, noted_at=noted_at_of(ctx, payment, before))
    if on is not None:
        changes = [Change(kind="payment", counts_on=on, payment_id=id, paid=-taken, cash_rounding=change)]
    apply_changes(ctx, row, changes)
    unallocated.hold_again(ctx, id, body.invoice_id, taken, on)
    payment = records.save(
        ctx,
        payment,
        allocated=payment.allocated - taken,
        unallocated=payment.unallocated + taken,
        cash_rounding=payment.cash_rounding + change,
    )
    return tell_of_payment(ctx, payment, "payment.deallocated")


def refund_payment(ctx: Context, id: str, body: NewRefund) -> Payment:
    """Record that some of the unallocated amount was given back; credit from adjustment notes is used first.

    The date must not be before the payment was received. Possible while it is recorded; otherwise
    `invalid_state_transition`. Refused with `over_refunded` above the unallocated amount, and with `list_full` if it
    has 500 refunds. Emits `payment.refunded`.
    """
    take_clients_turn(ctx, payments, id)
    payment = _lock_payment(ctx, id, "refund")
    check_coins(body.payment_method, body.amount)
    if body.amount > payment.unallocated:
        message = f"{body.amount} is more than the {payment.unallocated} that is unallocated."
        raise Invalid(message, code="over_refunded", param="amount", unallocated=payment.unallocated)
    refunded_at, refunded_on = received(ctx, body.refunded_at, "refunded_at")
    if refunded_on < payment.paid_on:
        message = f"must not be before the payment was received, on {payment.paid_on}"
        raise Invalid.member("refunded_at", "out_of_range", message)
    ctx.check_unlocked(refunded_on)
    REFUNDS.check_rows(ctx, [(payment, None)])
    refund = {
        "id": new_id("rfd"),
        "payment_id": id,
        "amount": body.amount,
        "payment_method": body.payment_method,
        "refunded_at": refunded_at,
        "refunded_on": refunded_on,
        "reference": body.reference,
    }
    ctx.db.execute(sa.insert(refunds).values(tenant_id=ctx.tenant_id, **refund))
    unallocated.spend_credit(ctx, id, body.amount, refunded_on)
    payment = records.save(
        ctx, payment, refunded=payment.refunded + body.amount, unallocated=payment.unallocated - body.amount
    )
    return tell_of_payment(ctx, payment, "payment.refunded")


def reverse_whole_payment(ctx: Context, id: str, body: PaymentReversal) -> Payment:
    """Reverse a payment, for example one that bounced, wherever it is allocated.

    From recorded to reversed; otherwise `invalid_state_transition`. What it settled is due again or, if the invoice was
    written off, written off again; none of it remains as credit. Send the `date` on which it bounced; without one it
    counts as a mistake and disappears from every figure, unless a lodged tax period includes it. Refused with
    `has_refunds`. Emits `payment.reversed`.
    """
    take_clients_turn(ctx, payments, id)
    stored = allocations_of(ctx, [id])
    rows = lock_invoices(ctx, ledger.of_payment(ctx, id))
    return reverse_locked_payment(ctx, records.lock(ctx, id), rows, stored, body)


def _taken_off(stands: list[Change], amount: Decimal, rounding: Decimal) -> list[Change]:
    """Return the changes that take this amount off the days on which a payment settled an invoice, newest first."""
    changes = []
    for one in reversed(stands):
        if (taken := min(one.paid, amount)) > 0:
            changes.append(one.less("paid"))
            changes[-1].paid = -taken
            amount -= taken
    rounded = next((one.less("paid") for one in stands if one.cash_rounding), changes[0])
    where = next((one for one in changes if one.counts_on == rounded.counts_on), changes[0])
    where.cash_rounding = rounding
    return changes


def _lock_payment(ctx: Context, id: str, action: str) -> Row:
    """A payment, locked, of which this action is possible."""
    payment = records.lock(ctx, id)
    rules.payment_actions.check(action, payment.status, allowed_actions(payment))
    return payment
