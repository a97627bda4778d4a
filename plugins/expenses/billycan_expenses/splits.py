"""The lines and the payments of an expense, as one list each: with or without lines, at once or in parts."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from msgspec import Struct

from billycan import Context, Row

from . import rules
from .lines import BY_EXPENSE
from .parts_tables import PAYMENTS


class Cost(Struct, frozen=True):
    """A part of an expense: its category and GST code, its amount with GST, the GST in it, and how much of
    that is for business use.
    """

    category_id: str
    gst_code: str
    amount: Decimal
    gst: Decimal
    gst_for_business: Decimal


class Paid(Struct, frozen=True):
    """The amount paid of an expense on a day, and how much of it was withheld; below zero for what came back."""

    on: date
    method: str | None
    amount: Decimal
    withheld: Decimal


class Split(Struct, frozen=True):
    """The parts of an expense, which add up to its amount, and its payments, by day."""

    costs: list[Cost]
    payments: list[Paid]


def split(ctx: Context, rows: Sequence[Row]) -> dict[str, Split]:
    """Map the id of each of these expenses to its parts and payments, in at most two queries for all of them.

    A payment that was a mistake is left out, and one that was undone from a day on is taken off on that day.
    """
    lines: dict[str, list[Row]] = {}
    for line in BY_EXPENSE.all(ctx.db, ctx.tenant_id, [row.id for row in rows if row.line_count]):
        lines.setdefault(line.expense_id, []).append(line)
    moves: dict[str, list[tuple[date, str, str | None, Decimal]]] = {}
    for one in PAYMENTS.all(ctx.db, ctx.tenant_id, [row.id for row in rows if row.payment_count]):
        of_it = moves.setdefault(one.expense_id, [])
        if one.status == "recorded" or one.reversed_on is not None:
            of_it.append((one.paid_on, one.id, one.payment_method, one.amount))
        if one.reversed_on is not None:
            of_it.append((one.reversed_on, one.id, one.payment_method, -one.amount))
    return {
        row.id: Split(_split_costs(lines.get(row.id) or [row]), _split_payments(row, moves.get(row.id))) for row in rows
    }


def _split_costs(parts: Sequence[Row]) -> list[Cost]:
    return [
        Cost(
            one.category_id, one.gst_code, one.amount, one.gst, rules.claimable_part(one.gst, one.business_use_percent)
        )
        for one in parts
    ]


def _split_payments(row: Row, moves: list[tuple[date, str, str | None, Decimal]] | None) -> list[Paid]:
    if moves is None:
        return [] if row.paid_on is None else [Paid(row.paid_on, row.payment_method, row.amount, row.tax_withheld)]
    paid, so_far = [], rules.NOTHING
    for on, _, method, amount in sorted(moves, key=lambda one: one[:2]):
        before = rules.paid_share(row.tax_withheld, so_far, row.amount)
        so_far += amount
        paid.append(Paid(on, method, amount, rules.paid_share(row.tax_withheld, so_far, row.amount) - before))
    return paid
