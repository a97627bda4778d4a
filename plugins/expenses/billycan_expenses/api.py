"""Expenses' functions for other plugins: billing a job's expenses, what is paid and due, and lodged periods."""

from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from operator import add
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, Records, Row, own
from billycan.sql import Statement

from .double_entry import bought
from .gst import not_claimed
from .parts import in_parts
from .payables import due_to_suppliers
from .records import emit_expense, records
from .splits import Cost, split
from .tables import NONE, expenses

__all__ = [
    "Billable",
    "bill",
    "billable",
    "bought",
    "due_to_suppliers",
    "forget_lodged",
    "give_samples",
    "keep_lodged",
    "names",
    "not_claimed",
    "paid_to_each",
]


class Billable(Struct, frozen=True):
    """An expense to charge to a job's client, or its lines of one kind: the row, its description, and their amount.

    `of_the_work` is true if it is part of the price of the work. It is false for what is out of scope, such as a
    payment made on the client's behalf.
    """

    row: Row
    description: str
    amount: Decimal
    of_the_work: bool


# Maps each id to itself, as an expense has no name, in one query; `lock=True` keeps them from being deleted until the
# transaction ends.
names = Records.names_of(expenses.c.id)


def billable(ctx: Context, job_id: str) -> list[Billable]:
    """Return the billable expenses of a job that no invoice charges yet, the oldest first, and lock them.

    The client is charged the amount paid.
    """
    due = own(ctx, expenses) & (expenses.c.job_id == job_id) & expenses.c.billable & expenses.c.invoice_id.is_(None)
    found = sa.select(expenses).where(due, expenses.c.status == "recorded").order_by(expenses.c.date, expenses.c.id)
    rows = ctx.db.execute(found.with_for_update()).all()
    parts = split(ctx, rows)
    return [
        Billable(row, row.description or row.reference or f"Expense of {row.date}", amount, of_the_work)
        for row in rows
        for of_the_work, amount in _of_the_work(parts[row.id].costs)
    ]


def _of_the_work(costs: Iterable[Cost]) -> list[tuple[bool, Decimal]]:
    """Add up the parts of an expense that are of the price of the work, and those that are out of scope."""
    sums: dict[bool, Decimal] = {}
    for cost in costs:
        of_the_work = cost.gst_code != "out_of_scope"
        sums[of_the_work] = sums.get(of_the_work, Decimal("0.00")) + cost.amount
    return [(of_the_work, amount) for of_the_work, amount in sums.items() if amount]


def give_samples(ctx: Context, job_id: str) -> None:
    """Assign the billable sample expenses to a job, which is a sample too."""
    loose = own(ctx, expenses) & expenses.c.billable & expenses.c.job_id.is_(None)
    for row in ctx.db.execute(sa.select(expenses).where(loose)).all():
        emit_expense(ctx, records.save(ctx, row, job_id=job_id), "expense.updated")


def bill(ctx: Context, spent: Sequence[Billable], invoice_id: str) -> None:
    """Note the invoice that charges these expenses. They are free again once it is deleted or void."""
    for row in {one.row.id: one.row for one in spent}.values():
        emit_expense(ctx, records.save(ctx, row, invoice_id=invoice_id), "expense.updated")


def paid_to_each(ctx: Context, since: date, until: date) -> dict[str, tuple[int, Decimal, Decimal, Decimal]]:
    """Map each contact's id to its payments on these days: their number, the amount with GST and tax withheld, the GST
    in it, and the tax withheld.

    A payment from which tax was withheld contains no GST. An expense voided as a mistake is left out; one voided from a
    day on is subtracted on that day.
    """
    rows: list[Any] = _PAID_TO_EACH.all(ctx.db, {"tenant_id": ctx.tenant_id, "since": since, "until": until})
    found: dict[str, list[int]] = {}
    for row in rows:
        sums = found.setdefault(row[0], [0] * 4)
        sums[:] = map(add, sums, map(int, row[1:]))
    return {
        id: (sums[0], _as_dollars(sums[1]), _as_dollars(sums[2]), _as_dollars(sums[3])) for id, sums in found.items()
    }


def _paid_to_each() -> Statement:
    mine, has_supplier = expenses.c.tenant_id == sa.bindparam("tenant_id"), expenses.c.supplier_id.is_not(None)
    since, until = (sa.bindparam(name, type_=sa.Date) for name in ("since", "until"))
    amount, gst, withheld = (
        sa.type_coerce(expenses.c[name], sa.BigInteger) for name in ("amount", "gst", "tax_withheld")
    )
    # A supplier without an ABN charged no GST, and refunds none.
    bought = expenses.alias()
    withheld_then = sa.select(sa.type_coerce(bought.c.tax_withheld, sa.BigInteger))
    withheld_then = withheld_then.where(bought.c.tenant_id == sa.bindparam("tenant_id"))

    def had_no_gst(withheld: Any, refunded: Any) -> Any:
        then = withheld_then.where(bought.c.id == refunded).scalar_subquery()
        return sa.case((withheld > 0, withheld), (refunded.is_not(None), then), else_=0) > 0

    no_gst = had_no_gst(withheld, expenses.c.refunded_expense_id)
    paid, ended = (sa.case((expenses.c[day].between(since, until), 1), else_=0) for day in ("paid_on", "voided_on"))
    counts = sa.case((expenses.c.status != "void", paid), else_=paid - ended)
    figures = amount, sa.case((no_gst, 0), else_=gst), withheld
    sums = [sa.func.sum(sa.case((counts > 0, 1), else_=0)), *(sa.func.sum(counts * one) for one in figures)]
    either = sa.or_(
        (expenses.c.status != "void") & expenses.c.paid_on.between(since, until),
        expenses.c.voided_on.is_not(None) & (expenses.c.paid_on <= until) & (expenses.c.voided_on >= since),
    )
    at_once = sa.select(expenses.c.supplier_id, *sums).where(
        mine, has_supplier, either, counts != 0, expenses.c.payment_count == NONE
    )
    terms = ("supplier_id", "status", "voided_on", "refunded_expense_id")
    p = in_parts(sa.bindparam("tenant_id"), "gst", "tax_withheld", also=terms, where=has_supplier).c
    of_parts = p.cents, sa.case((had_no_gst(p.all_tax_withheld, p.refunded_expense_id), 0), else_=p.gst), p.tax_withheld
    many = sa.func.count(sa.distinct(sa.case((p.cents > 0, p.id))))
    stood = sa.or_(p.status != "void", p.voided_on.is_not(None))
    paid_in_parts = sa.select(p.supplier_id, many, *map(sa.func.sum, of_parts))
    paid_in_parts = paid_in_parts.where(stood, p.paid_on.between(since, until))
    asked = sa.union_all(at_once.group_by(expenses.c.supplier_id), paid_in_parts.group_by(p.supplier_id))
    # The number of rows in a year decides whether the database sorts or hashes them.
    return Statement(asked.execution_options(**{Statement.PLANNED_ANEW: True}))


_PAID_TO_EACH = _paid_to_each()


def keep_lodged(ctx: Context, counted: sa.Select[Any], gst_period_id: str, until: date) -> None:
    """Note that a lodged period ending on `until` counted these expenses, given by a SELECT of their ids.

    From then on they can be voided but not deleted, and the values that the period counted cannot change.
    """
    free = own(ctx, expenses) & expenses.c.lodged_in.is_(None) & expenses.c.id.in_(counted)
    ctx.db.execute(sa.update(expenses).where(free).values(lodged_in=gst_period_id, lodged_until=until))


def forget_lodged(ctx: Context, gst_period_id: str) -> None:
    """Allow changes again to expenses that only this period counted, because it is no longer lodged."""
    of_it = own(ctx, expenses) & (expenses.c.lodged_in == gst_period_id)
    ctx.db.execute(sa.update(expenses).where(of_it).values(lodged_in=None, lodged_until=None))


def _as_dollars(cents: Any) -> Decimal:
    return Decimal(int(cents)).scaleb(-2)
