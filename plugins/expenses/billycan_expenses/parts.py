"""The parts of expenses, in SQL: their lines, each with the expense's terms, and the payments of each.

An expense without lines is one part, with its own amount, GST, category and GST code, and one that is paid all at once,
as its `paid_on` says, has no payments.
"""

from collections.abc import Callable, Sequence
from typing import Any

import sqlalchemy as sa

from billycan import GstEntries

from .tables import NONE, expenses, lines, payments

# What a line has of its own.
_OWN = ("category_id", "gst_code", "business_use_percent")


def of_each(table: Any, name: str, *also: sa.ColumnElement[Any]) -> sa.Subquery:
    """Select the parts of each expense: its columns, with those of a line in their place if it has lines.

    `part_amount` and `part_gst` are in whole cents, and `amount` and `gst` those of the expense. `part_id` is the id of
    the line or else of the expense, and `refunded_part_id` that of the purchase's part that a refund is of. `also` are
    columns that follow from the expense's.
    """
    line = lines.alias(f"{name}_lines")
    of_line = (line.c.tenant_id == table.c.tenant_id) & (line.c.expense_id == table.c.id) & (table.c.line_count > NONE)
    whole = (sa.type_coerce(table.c[one], sa.BigInteger) for one in ("amount", "gst"))
    own = (sa.type_coerce(line.c[one], sa.BigInteger) for one in ("amount", "gst"))
    amount, gst = (sa.func.coalesce(part, all_of_it) for part, all_of_it in zip(own, whole, strict=True))
    return (
        sa.select(
            *(column for column in table.c if column.name not in _OWN),
            *(sa.func.coalesce(line.c[one], table.c[one]).label(one) for one in _OWN),
            sa.func.coalesce(line.c.id, table.c.id).label("part_id"),
            sa.func.coalesce(line.c.refunded_line_id, table.c.refunded_expense_id).label("refunded_part_id"),
            amount.label("part_amount"),
            gst.label("part_gst"),
            *also,
        )
        .select_from(table.outerjoin(line, of_line))
        .subquery(name)
    )


def moves(tenant_id: Any, is_asked: Callable[[Any], Any] | None = None) -> sa.Subquery:
    """Select each payment in whole cents, on its day, and each that was undone from a day on, below zero on that day.

    A payment that was a mistake is left out. With `is_asked`, only payments of the expenses whose id it is true of.
    """
    cents = sa.type_coerce(payments.c.amount, sa.BigInteger)
    stood = (payments.c.status == "recorded") | payments.c.reversed_on.is_not(None)
    of = payments.c.tenant_id == tenant_id
    if is_asked is not None:
        of &= is_asked(payments.c.expense_id)
    paid = sa.select(payments.c.expense_id, payments.c.id, payments.c.paid_on, cents.label("cents")).where(of, stood)
    undone = sa.select(payments.c.expense_id, payments.c.id, payments.c.reversed_on, -cents)
    return sa.union_all(paid, undone.where(of, payments.c.reversed_on.is_not(None))).subquery("moves")


def in_parts(tenant_id: Any, *figures: str, also: Sequence[str] = (), where: Any = None) -> sa.Subquery:
    """Select the `moves` of each expense, with what of these figures of the expense belongs to each, in whole cents.

    Each figure as a whole is `all_` with its name, `also` are columns of the expense, and `where` is a condition on it:
    a join of this with the expenses would compare each move with each of them.
    """
    paid = moves(tenant_id)
    of = (expenses.c.tenant_id == tenant_id) & (expenses.c.id == paid.c.expense_id)
    window: dict[str, Any] = {"partition_by": paid.c.expense_id, "order_by": (paid.c.paid_on, paid.c.id)}
    so_far = sa.cast(sa.func.sum(paid.c.cents).over(**window, rows=(None, 0)), sa.BigInteger)
    price, *whole = (sa.type_coerce(expenses.c[name], sa.BigInteger) for name in ("amount", *figures))
    stands = sa.select(
        *paid.c,
        *(expenses.c[name] for name in also),
        so_far.label("so_far"),
        price.label("price"),
        *(a.label(n) for n, a in zip(figures, whole, strict=True)),
    )
    joined = stands.join(expenses, of)
    s = (joined if where is None else joined.where(where)).subquery("stands").c
    shares = {name: GstEntries.Period.share_paid(s[name], s.so_far, s.price) for name in figures}
    before = {name: GstEntries.Period.share_paid(s[name], s.so_far - s.cents, s.price) for name in figures}
    columns = s.expense_id, s.id, s.paid_on, s.cents, *(s[name] for name in also)
    whole_figures = (s[name].label(f"all_{name}") for name in figures)
    return sa.select(
        *columns, *whole_figures, *((shares[name] - before[name]).label(name) for name in figures)
    ).subquery("paid")
