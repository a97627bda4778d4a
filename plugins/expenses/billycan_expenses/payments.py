"""The payments of an expense that is paid in parts, and the handlers that record and reverse them."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import sqlalchemy as sa

from billycan import Conflict, Context, Invalid, NotFound, Row, new_id, own
from billycan.sql import ByIds

from . import rules
from .parts_schemas import MOST, ExpensePaymentReversal, NewExpensePayment
from .records import claim_terms, emit_expense, records
from .refunds import check_nothing_given_back
from .resource import Expense
from .tables import payments

_STATED = ("amount", "paid_on", "status", "reversed_on")
_STATES = ByIds(
    sa.select(payments.c.expense_id, *(payments.c[name] for name in _STATED)).order_by(payments.c.id),
    payments.c.expense_id,
)


def add_expense_payment(ctx: Context, id: str, body: NewExpensePayment) -> Expense:
    """Record a payment of a bill, at most what is due; once nothing is due, the bill was paid on the last one's date.

    On a cash basis as much of its GST counts as of the bill is paid (s 29-10(2) GST Act). Only from recorded; otherwise
    `invalid_state_transition`. Returns the expense, with the new payment last. Refused with `overpayment_not_allowed`
    above what is due, and with `list_full` if it has 500 payments. Emits `expense.payment_recorded`.
    """
    row = records.lock(ctx, id)
    due = rules.amount_due(row)
    rules.actions.check("payments", row.status, rules.allowed_actions(row.status, due, row.part_paid))
    if body.amount > due:
        message = f"{body.amount} is more than the {max(due, rules.NOTHING)} that is due."
        raise Invalid(message, code="overpayment_not_allowed", param="amount", amount_due=max(due, rules.NOTHING))
    on = body.paid_on or ctx.today()
    if on > ctx.today() + timedelta(days=1):
        raise Invalid.member("paid_on", "out_of_range", "must not be later than tomorrow")
    ctx.check_unlocked(on)
    if row.payment_count >= MOST:
        raise Conflict(f"The expense has {MOST} payments; it can have at most {MOST}.", code="list_full")
    payment = {
        "id": new_id("epy"),
        "expense_id": id,
        "amount": body.amount,
        "paid_on": on,
        "payment_method": body.payment_method,
        "reference": body.reference,
        "status": "recorded",
        "created_at": ctx.now(),
    }
    ctx.db.execute(sa.insert(payments).values(tenant_id=ctx.tenant_id, **payment))
    row = _store_standing(ctx, row, payment_count=row.payment_count + 1)
    return emit_expense(ctx, row, "expense.payment_recorded")


def reverse_expense_payment(ctx: Context, id: str, payment_id: str, body: ExpensePaymentReversal) -> Expense:
    """Reverse a payment, for example one that was returned; it stays listed as reversed, and its amount is due again.

    Only once; otherwise `invalid_state_transition`. Send the `date` on which the money came back; without one it counts
    as a mistake and disappears from every figure, unless a lodged tax period includes it. Refused with `has_dependents`
    while money that the supplier gave back for the bill is recorded. Emits `expense.payment_reversed`.
    """
    row = records.lock(ctx, id)
    this = own(ctx, payments) & (payments.c.expense_id == id) & (payments.c.id == payment_id)
    payment = ctx.db.execute(sa.select(payments).where(this)).first()
    if payment is None:
        raise NotFound
    status = rules.payment_actions.check("reverse", payment.status)
    check_nothing_given_back(ctx, id)
    on = body.counts_on(ctx, [payment.paid_on], payment.paid_on, noted_at=payment.created_at)
    reversal = {"status": status, "reversed_at": ctx.now(), "reversed_on": on, "reverse_reason": body.reason}
    ctx.db.execute(sa.update(payments).where(this).values(reversal))
    return emit_expense(ctx, _store_standing(ctx, row), "expense.payment_reversed")


def standing(ctx: Context, id: str, amount: Decimal) -> dict[str, Any]:
    """Return the columns of an expense of this amount that follow from its payments."""
    rows = _STATES.all(ctx.db, ctx.tenant_id, [id])
    paid = [row for row in rows if row.status == "recorded"]
    part_paid = sum((row.amount for row in paid), rules.NOTHING)
    days: list[date] = [row.paid_on for row in rows if row.status == "recorded" or row.reversed_on]
    return {
        "part_paid": part_paid,
        "first_paid_on": min(days, default=None),
        "paid_on": max((row.paid_on for row in paid), default=None) if part_paid == amount else None,
    }


def _store_standing(ctx: Context, row: Row, **columns: Any) -> Row:
    """Store what follows from an expense's payments, and the last day to claim its GST."""
    columns |= standing(ctx, row.id, row.amount)
    claim = claim_terms(ctx, row.date, columns["first_paid_on"] or columns["paid_on"], row.created_at)
    return records.save(ctx, row, touch=True, **columns, **claim)
