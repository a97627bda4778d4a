"""Refunds by suppliers: each has the GST terms of its purchase, and cannot exceed what is left of it."""

from collections.abc import Container
from decimal import Decimal
from typing import Any

import sqlalchemy as sa

from billycan import Conflict, Context, Fault, Invalid, Row, own

from . import rules
from .lines import BY_EXPENSE
from .resource import NewExpense
from .tables import expenses, lines

# What a line takes from the line of the purchase.
_OF_THE_LINE = ("gst_code", "business_use_percent")


def follow_purchase(ctx: Context, body: NewExpense, said: Container[str], row: Row | None = None) -> None:
    """Give a supplier's refund the GST terms of its purchase, and lock the purchase.

    Adjusts no more than was claimed (s 19-70, 19-80 GST Act). `said` are the members that the client sent, and `row` is
    the expense as stored before. Raise Invalid if the purchase does not exist, if less of it is left than the refund,
    or if the client sent other terms.
    """
    if body.refunded_expense_id is None:
        return
    id = row.id if row else None
    found = own(ctx, expenses) & (expenses.c.id == body.refunded_expense_id) & (expenses.c.amount > rules.NOTHING)
    bought = ctx.db.execute(sa.select(expenses).where(found, expenses.c.status != "void").with_for_update()).first()
    if bought is None or bought.id == id:
        raise Invalid.member("refunded_expense_id", "not_found", "is not the id of an expense above zero")
    if bought.line_count and not body.line_items:
        rule = "is required, because the purchase has lines: say how much of which line, as refunded_line_id"
        raise Invalid.member("line_items", "required", rule)
    if body.line_items and not bought.line_count:
        raise Invalid.member("line_items", "invalid_value", "must be left out, because the purchase has none")
    others = own(ctx, expenses) & (expenses.c.refunded_expense_id == bought.id) & (expenses.c.id != (id or ""))
    others &= expenses.c.status != "void"
    cents = ctx.db.execute(sa.select(*map(_sum_of, ("amount", "gst"))).where(others)).one()
    amount, gst = map(_as_dollars, cents)
    faults = _follow_lines(ctx, body, bought, others) if body.line_items else []
    given_back = sum((line.amount for line in body.line_items), rules.NOTHING) if body.line_items else body.total
    if -given_back > bought.amount + amount:
        rule = f"must give back no more than {bought.amount + amount}, which is left of the purchase"
        faults.append(Fault("amount", "out_of_range", rule))
    elif bought.payment_count and body.paid_on and -given_back > bought.part_paid + amount:
        rule = f"must give back no more than {bought.part_paid + amount}, which is left of what was paid"
        faults.append(Fault("amount", "out_of_range", f"{rule}; of a bill to set off, leave paid_on null"))
    for name in rules.OF_THE_PURCHASE:
        if body.line_items and name in rules.OF_THE_LINES:
            continue
        if name in said and getattr(body, name) != getattr(bought, name):
            faults.append(Fault(name, "invalid_value", "must be that of the purchase: leave it out"))
        setattr(body, name, getattr(bought, name))
    if not body.line_items:
        faults += _give_gst(body, body.total, (bought.amount, bought.gst), (amount, gst), "gst")
    if faults:
        raise Invalid.of(*faults)


def _follow_lines(ctx: Context, body: NewExpense, bought: Row, others: sa.ColumnElement[bool]) -> list[Fault]:
    """Give each line of a refund the GST terms of its line of the purchase; return what is wrong."""
    by_id = {line.id: line for line in BY_EXPENSE.all(ctx.db, ctx.tenant_id, [bought.id])}
    sums = (sa.func.sum(sa.type_coerce(lines.c[name], sa.BigInteger)) for name in ("amount", "gst"))
    before = (
        sa.select(lines.c.refunded_line_id, *sums)
        .join(expenses, (expenses.c.tenant_id == lines.c.tenant_id) & (expenses.c.id == lines.c.expense_id))
        .where(own(ctx, lines), others, lines.c.refunded_line_id.in_(by_id))
        .group_by(lines.c.refunded_line_id)
    )
    so_far = {id: (_as_dollars(amount), _as_dollars(gst)) for id, amount, gst in ctx.db.execute(before)}
    faults = []
    for i, line in enumerate(body.line_items):
        at, of = f"line_items[{i}]", by_id.get(line.refunded_line_id or "")
        if of is None or of.amount <= 0:
            rule = "must be the id of a line of the purchase that is above zero"
            faults.append(Fault(f"{at}.refunded_line_id", "not_found", rule))
            continue
        amount, gst = so_far.get(of.id, (rules.NOTHING, rules.NOTHING))
        if not 0 <= -line.amount <= of.amount + amount:
            rule = f"must be from {-(of.amount + amount)} to 0, by what is left of the line of the purchase"
            faults.append(Fault(f"{at}.amount", "out_of_range", rule))
        for name in _OF_THE_LINE:
            if getattr(line, name) not in (None, getattr(of, name)):
                faults.append(Fault(f"{at}.{name}", "invalid_value", "must be that of the line: leave it out"))
            setattr(line, name, getattr(of, name))
        faults += _give_gst(line, line.amount, (of.amount, of.gst), (amount, gst), f"{at}.gst")
        so_far[of.id] = amount + line.amount, gst + (line.gst or rules.NOTHING)
    return faults


def _give_gst(
    to: Any, amount: Decimal, bought: tuple[Decimal, Decimal], before: tuple[Decimal, Decimal], param: str
) -> list[Fault]:
    """Give a refund or its line its share of the purchase's GST, or check the one it has.

    `before`, below zero, is what was given back of the purchase before, and the GST in it.
    """
    left = bought[1] + before[1]
    if to.gst is None:
        to.gst = rules.refunded_gst(bought, (-before[0], -before[1]), amount)
    elif not 0 <= -to.gst <= left:
        return [Fault(param, "out_of_range", f"must be from {-left} to 0, by the GST that is left of the purchase")]
    return []


def check_nothing_given_back(ctx: Context, id: str) -> None:
    """Raise Conflict while a refund of this purchase is recorded, since the refund follows the purchase."""
    given_back = own(ctx, expenses) & (expenses.c.refunded_expense_id == id) & (expenses.c.status != "void")
    if many := ctx.db.execute(sa.select(sa.func.count()).where(given_back)).scalar():
        message = "What the supplier gave back of this purchase is recorded: void that first."
        raise Conflict(message, code="has_dependents", dependents={"expenses": many})


def _sum_of(name: str) -> sa.ColumnElement[Any]:
    return sa.func.sum(sa.type_coerce(expenses.c[name], sa.BigInteger))


def _as_dollars(cents: Any) -> Decimal:
    return Decimal(int(cents or 0)).scaleb(-2)
