"""Dashboard cards: amounts owed, invoiced and paid, and GST."""

from datetime import date
from decimal import Decimal
from itertools import pairwise
from typing import Any

import sqlalchemy as sa

from billycan import Context, Manifest
from billycan.sql import Statement

from .books.sums import amount_of, in_cents
from .resource import IS_OPEN, SETTLED
from .tables import invoices, payments

_MONTHS = 6
_AGES = (0, 30, 60, 90)  # days overdue
_NOT_INVOICED = ("draft", "void")
_BY_DAYS = {Statement.PLANNED_ANEW: True}


def _day_parameters(count: int) -> list[sa.BindParameter[date]]:
    return [sa.bindparam(f"day{i}", type_=sa.Date) for i in range(count)]


def _owed_by_age() -> Statement:
    """Build the sums of what is owed, from what is not due yet to the oldest debts."""
    due = in_cents(invoices.c.total) - sum(in_cents(invoices.c[name]) for name in SETTLED)
    late, ages = invoices.c.due_date, _day_parameters(len(_AGES))
    buckets = [late >= ages[0], *((late < newer) & (late >= older) for newer, older in pairwise(ages)), late < ages[-1]]
    sums = (sa.func.sum(sa.case((when, due), else_=0)) for when in buckets)
    return Statement(sa.select(*sums).where(invoices.c.tenant_id == sa.bindparam("tenant_id"), IS_OPEN))


def _by_month(day: sa.Column[Any], amount: sa.Column[Any], condition: sa.ColumnElement[bool]) -> Statement:
    """Build the sums of the amounts of each month."""
    starts = _day_parameters(_MONTHS + 1)
    months = ((day >= since) & (day < until) for since, until in pairwise(starts))
    sums = (sa.func.sum(sa.case((when, in_cents(amount)), else_=0)) for when in months)
    where = day.table.c.tenant_id == sa.bindparam("tenant_id"), day >= starts[0], condition
    return Statement(sa.select(*sums).where(*where).execution_options(**_BY_DAYS))


_OWED = _owed_by_age()
_INVOICED = _by_month(invoices.c.issue_date, invoices.c.total, invoices.c.status.not_in(_NOT_INVOICED))
_PAID = _by_month(payments.c.paid_on, payments.c.amount, payments.c.status == "recorded")
_GST = Statement(
    sa.select(sa.func.sum(in_cents(invoices.c.gst)).label("gst"))
    .where(invoices.c.tenant_id == sa.bindparam("tenant_id"), invoices.c.issue_date >= _day_parameters(1)[0])
    .where(invoices.c.status.not_in(_NOT_INVOICED))
    .execution_options(**_BY_DAYS)
)


def owed(ctx: Context) -> Manifest.Card:
    """Show what clients owe, by age of the debt."""
    today = ctx.today()
    ages = [today.fromordinal(today.toordinal() - days) for days in _AGES]
    sums = _fetch_sums(ctx, _OWED, *ages)
    overdue = sum(sums[1:], Decimal("0.00"))
    unpaid = "/v1/invoices?status=unpaid"
    rows = [("Not due yet", sums[0], f"{unpaid}&due_date_from={ages[0]}")]
    words = ("1 to 30 days overdue", "31 to 60 days", "61 to 90 days", "Over 90 days")
    for name, amount, newest, oldest in zip(words, sums[1:], ages, [*ages[1:], None], strict=True):
        since = f"&due_date_from={oldest}" if oldest else ""
        rows.append((name, amount, f"{unpaid}{since}&due_date_to={date.fromordinal(newest.toordinal() - 1)}"))
    note = f"of which ${overdue:,.2f} is overdue" if overdue else "none of it overdue"
    return Manifest.Card(title="Owed by clients", figure=sum(sums), note=note, rows=tuple(rows), path=unpaid)


def by_month(ctx: Context) -> Manifest.Card:
    """Show the amounts invoiced and paid in each of the last months."""
    starts = _months_to_show(ctx.today())
    invoiced, paid = _fetch_sums(ctx, _INVOICED, *starts), _fetch_sums(ctx, _PAID, *starts)
    names = [f"{start:%b}" for start in starts[:-1]]
    bars = {"Invoiced": tuple(zip(names, invoiced, strict=True)), "Paid": tuple(zip(names, paid, strict=True))}
    return Manifest.Card(
        title="Invoiced and paid by month", bars=bars, path=f"/v1/invoices?issue_date_from={starts[0]}"
    )


def gst(ctx: Context) -> Manifest.Card | None:
    """Show the GST on invoices since the last quarter ended."""
    if not ctx.tenant.gst_registered:
        return None
    today = ctx.today()
    since = date(today.year, (today.month - 1) // 3 * 3 + 1, 1)
    return Manifest.Card(
        title="GST on invoices",
        figure=_fetch_sums(ctx, _GST, since)[0],
        note=f"since {since.day} {since:%B}, by date of issue",
        path=f"/v1/invoices?issue_date_from={since}",
    )


def _fetch_sums(ctx: Context, statement: Statement, *days: date) -> list[Decimal]:
    row = statement.one(ctx.db, {"tenant_id": ctx.tenant_id, **{f"day{i}": day for i, day in enumerate(days)}})
    return [*map(amount_of, row)]


def _months_to_show(today: date) -> list[date]:
    """Return the first days of the months to show, this one last, and of the next month."""
    month = today.year * 12 + today.month - 1
    return [date(each // 12, each % 12 + 1, 1) for each in range(month - _MONTHS + 1, month + 2)]
