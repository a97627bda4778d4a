"""What other plugins may use of expenses."""

from datetime import date
from decimal import Decimal
from typing import Any

import sqlalchemy as sa

from billycan import Context, names_of, own
from billycan.sql import PLANNED_ANEW

from .tables import expenses

# Maps each id to itself, as an expense has no name, in one query; `lock=True` keeps them from being deleted until the
# transaction ends.
names = names_of(expenses.c.id)


def paid_to_each(ctx: Context, since: date, until: date) -> dict[str, tuple[int, Decimal, Decimal, Decimal]]:
    """What was paid to each contact on these days, by id: how many expenses, the amount with GST and the tax withheld,
    the GST in it, and the tax withheld; void ones are left out.
    """
    sums = [sa.func.sum(sa.type_coerce(expenses.c[name], sa.BigInteger)) for name in ("amount", "gst", "tax_withheld")]
    paid = (expenses.c.paid_on.between(since, until), expenses.c.supplier_id.is_not(None), expenses.c.status != "void")
    asked = sa.select(expenses.c.supplier_id, sa.func.count(), *sums).where(own(ctx, expenses), *paid)
    # How many rows a year has decides whether they are sorted or hashed.
    rows = ctx.db.execute(asked.group_by(expenses.c.supplier_id).execution_options(**{PLANNED_ANEW: True})).all()
    return {row[0]: (row[1], _dollars(row[2]), _dollars(row[3]), _dollars(row[4])) for row in rows}


def _dollars(cents: Any) -> Decimal:
    return Decimal(int(cents)).scaleb(-2)
