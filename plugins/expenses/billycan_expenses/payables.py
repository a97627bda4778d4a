"""Amounts due to suppliers at the end of a day, in SQL: sums over bills and payments, by their own days."""

from typing import Any

import sqlalchemy as sa

from .parts import moves
from .tables import NONE, expenses

_NOTHING = sa.literal_column("0", sa.BigInteger)


def due_to_suppliers() -> sa.Select[Any]:
    """Select what was due of each expense, in whole cents, since when it had been, and to whom.

    Its parameters are `tenant_id` and `day`. Below zero is what a supplier owes: money given back that has not come, or
    a payment before the date of its bill. Nobody's name is null.
    """
    tenant_id: Any = sa.bindparam("tenant_id")
    day = sa.bindparam("day", type_=sa.Date)
    amount, e = sa.type_coerce(expenses.c.amount, sa.BigInteger), expenses.c

    def from_(when: sa.ColumnElement[Any]) -> sa.ColumnElement[int]:
        return sa.case((when <= day, amount), else_=_NOTHING)

    def once_void(when: sa.ColumnElement[Any]) -> sa.ColumnElement[int]:
        return from_(sa.case((e.voided_on > when, e.voided_on), (e.voided_on <= when, when)))

    paid = moves(tenant_id)
    sums = sa.select(paid.c.expense_id, sa.cast(sa.func.sum(paid.c.cents), sa.BigInteger).label("cents"))
    in_parts = sums.where(paid.c.paid_on <= day).group_by(paid.c.expense_id).subquery("in_parts")
    at_once = sa.case((e.payment_count == NONE, from_(e.paid_on) - once_void(e.paid_on)), else_=_NOTHING)
    due = from_(e.date) - once_void(e.date) - at_once - sa.func.coalesce(in_parts.c.cents, _NOTHING)
    stood = (e.status != "void") | e.voided_on.is_not(None)
    # What is paid on its own day is never due.
    was_due = (e.payment_count > NONE) | e.paid_on.is_(None) | (e.paid_on != e.date)
    found = (
        sa.select(
            e.supplier_id, e.supplier_name, sa.func.coalesce(e.due_date, e.date).label("due_on"), due.label("due")
        )
        .outerjoin(in_parts, in_parts.c.expense_id == e.id)
        .where(e.tenant_id == tenant_id, stood, was_due)
        .subquery("found")
    )
    return sa.select(found).where(found.c.due != 0)
