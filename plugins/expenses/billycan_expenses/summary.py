"""Totals of expenses by category, GST code or month: one aggregate over whole cents, for any filters."""

from calendar import month_name
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import msgspec
import sqlalchemy as sa

from billycan import Context, own
from billycan.sql import fold

from . import categories, resource, rules
from .records import business_share, claimable, records
from .schemas import Group, GroupBy, SummaryQuery
from .tables import expenses

_KEYS: dict[GroupBy, tuple[sa.ColumnElement[Any], ...]] = {
    "category": (expenses.c.category_id,),
    "gst_code": (expenses.c.gst_code,),
    "month": (sa.extract("year", expenses.c.date), sa.extract("month", expenses.c.date)),
}


def summarise_expenses(ctx: Context, query: SummaryQuery) -> list[Group]:
    """Counts and sums of matching expenses, by category unless you send `group_by`; void ones are left out.

    It takes the same filters as the list, such as the dates of a quarter.
    """
    by = query.group_by
    filters = msgspec.structs.asdict(query)
    del filters["group_by"]
    conditions = records.conditions(ctx, resource.expenses.query(**filters))
    amount, gst = _whole(expenses.c.amount), _whole(expenses.c.gst)
    now = sa.case((claimable(ctx), business_share(gst)), else_=0)
    sums = (sa.func.count(), *(sa.func.sum(cents) for cents in (amount, amount - gst, gst, now)))
    where = (own(ctx, expenses), expenses.c.status != "void", *conditions)
    rows = ctx.db.execute(sa.select(*_KEYS[by], *sums).where(*where).group_by(*_KEYS[by])).all()
    keyed = {_key(row[:-5]): row[-5:] for row in rows}
    labels = categories.names(ctx, keyed) if by == "category" else {key: _label(by, key) for key in keyed}
    order: dict[GroupBy, Callable[[str], Any]] = {
        "category": lambda key: (fold(labels[key]), key),
        "gst_code": list(rules.LABELS).index,
        "month": str,
    }
    return [
        Group(key, labels[key], keyed[key][0], *(Decimal(int(cents)).scaleb(-2) for cents in keyed[key][1:]))
        for key in sorted(keyed, key=order[by])
    ]


def _whole(column: sa.ColumnElement[Any]) -> sa.ColumnElement[int]:
    """The stored whole number of a scaled column."""
    return sa.type_coerce(column, sa.BigInteger)


def _key(values: Any) -> str:
    return str(values[0]) if len(values) == 1 else f"{int(values[0]):04d}-{int(values[1]):02d}"


def _label(by: GroupBy, key: str) -> str:
    if by == "gst_code":
        return rules.LABELS[key]
    year, month = key.split("-")
    return f"{month_name[int(month)]} {year}"
