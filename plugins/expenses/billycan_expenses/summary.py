"""Totals of expenses by category, GST code or month: one aggregate over whole cents, for any filters."""

from calendar import month_name
from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache
from operator import add
from typing import Any

import msgspec
import sqlalchemy as sa

from billycan import Context, GstEntries, own
from billycan.sql import fold

from . import categories, resource, rules
from .claim_status import claim, span_of
from .parts_tables import has_lines
from .records import business_share, gst_for_business, records
from .schemas import Group, GroupBy, SummaryQuery
from .tables import NONE, expenses, lines

_DAY = expenses.c.date


def summarise_expenses(ctx: Context, query: SummaryQuery) -> list[Group]:
    """Counts and sums of matching expenses, by category unless you send `group_by`; void ones are left out.

    It takes the same filters as the list, such as the dates of a quarter. An expense with lines counts line by line.
    """
    by = query.group_by
    filters = msgspec.structs.asdict(query)
    del filters["group_by"]
    conditions = records.conditions(ctx, resource.expenses.query(**filters))
    where = (own(ctx, expenses), expenses.c.status != "void", *conditions)
    span = span_of(ctx)
    whole = _select_sums(span.period, by).where(*where)
    parts = [whole]
    if by != "month" and has_lines(ctx):
        of_lines = _add_up_lines(by).where(own(ctx, lines), *where)
        of_parts = _sums_of_lines(span.period, of_lines.subquery()).where(own(ctx, expenses))
        parts = [whole.where(expenses.c.line_count == NONE), of_parts]
    keyed: dict[str, list[int]] = {}
    for row in ctx.db.execute(sa.union_all(*parts), span.values(ctx)):
        sums = keyed.setdefault(_group_key(row[:-5]), [0] * 5)
        sums[:] = map(add, sums, map(int, row[-5:]))
    labels = categories.names(ctx, keyed) if by == "category" else {key: _group_label(by, key) for key in keyed}
    order: dict[GroupBy, Callable[[str], Any]] = {
        "category": lambda key: (fold(labels[key]), key),
        "gst_code": list(rules.LABELS).index,
        "month": str,
    }
    return [
        Group(key, labels[key], keyed[key][0], *(Decimal(cents).scaleb(-2) for cents in keyed[key][1:]))
        for key in sorted(keyed, key=order[by])
    ]


@lru_cache
def _add_up_lines(by: GroupBy) -> sa.Select[Any]:
    """Select the sums of an expense's lines by their category or code, all of which share its claim status."""
    of_each = (lines.c.tenant_id == expenses.c.tenant_id) & (lines.c.expense_id == expenses.c.id)
    of = (lines.c.tenant_id, lines.c.expense_id, _keys_of(lines, by)[0].label("key"))
    amount, gst = _in_cents(lines.c.amount), _in_cents(lines.c.gst)
    sums = {"amount": amount, "gst": gst, "share": business_share(gst, lines)}
    summed = (sa.cast(sa.func.sum(cents), sa.BigInteger).label(name) for name, cents in sums.items())
    return sa.select(*of, *summed).join(expenses, of_each).group_by(*of)


def _sums_of_lines(period: GstEntries.Period, of: sa.Subquery) -> sa.Select[Any]:
    of_each = (of.c.tenant_id == expenses.c.tenant_id) & (of.c.expense_id == expenses.c.id)
    now = sa.case((_is_claimable(period), of.c.share), else_=0)
    sums = (sa.func.sum(cents) for cents in (of.c.amount, of.c.amount - of.c.gst, of.c.gst, now))
    return sa.select(of.c.key, sa.func.count(), *sums).join(expenses, of_each).group_by(of.c.key)


@lru_cache(64)
def _select_sums(period: GstEntries.Period, by: GroupBy) -> sa.Select[Any]:
    keys, amount, gst = _keys_of(expenses, by), _in_cents(expenses.c.amount), _in_cents(expenses.c.gst)
    share = gst_for_business() if by == "month" else business_share(gst)
    now = sa.case((_is_claimable(period), share), else_=0)
    sums = (sa.func.sum(cents) for cents in (amount, amount - gst, gst, now))
    return sa.select(*keys, sa.func.count(), *sums).select_from(expenses).group_by(*keys)


def _keys_of(of: sa.Table, by: GroupBy) -> tuple[sa.ColumnElement[Any], ...]:
    if by == "month":
        return sa.extract("year", _DAY), sa.extract("month", _DAY)
    return (of.c.category_id if by == "category" else of.c.gst_code,)


@lru_cache(64)
def _is_claimable(period: GstEntries.Period) -> sa.ColumnElement[bool]:
    return claim(period, expenses) == "claimable"


def _in_cents(column: sa.ColumnElement[Any]) -> sa.ColumnElement[int]:
    """The stored whole number of a scaled column."""
    return sa.type_coerce(column, sa.BigInteger)


def _group_key(values: Any) -> str:
    return str(values[0]) if len(values) == 1 else f"{int(values[0]):04d}-{int(values[1]):02d}"


def _group_label(by: GroupBy, key: str) -> str:
    if by == "gst_code":
        return rules.LABELS[key]
    year, month = key.split("-")
    return f"{month_name[int(month)]} {year}"
