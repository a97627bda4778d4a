"""Dashboard cards: amounts owed, invoiced and paid, and GST."""

from datetime import date
from decimal import Decimal
from itertools import pairwise
from typing import Any

import sqlalchemy as sa

from billycan import Card, Context, own

from .books.sums import amount_of, in_cents
from .resource import IS_OPEN, SETTLED
from .tables import invoices, payments

_MONTHS = 6
_NOT_INVOICED = ("draft", "void")


def owed(ctx: Context) -> Card:
    """Show what clients owe, by age of the debt."""
    today = ctx.today()
    due = in_cents(invoices.c.total) - sum(in_cents(invoices.c[name]) for name in SETTLED)
    ages = [today.fromordinal(today.toordinal() - days) for days in (0, 30, 60, 90)]
    late = invoices.c.due_date
    buckets = [late >= ages[0], *((late < newer) & (late >= older) for newer, older in pairwise(ages)), late < ages[-1]]
    asked = sa.select(*(sa.func.sum(sa.case((when, due), else_=0)) for when in buckets))
    sums = [*map(amount_of, ctx.db.execute(asked.where(own(ctx, invoices), IS_OPEN)).one())]
    overdue = sum(sums[1:], Decimal("0.00"))
    unpaid = "/v1/invoices?status=unpaid"
    rows = [("Not due yet", sums[0], f"{unpaid}&due_date_from={ages[0]}")]
    words = ("1 to 30 days overdue", "31 to 60 days", "61 to 90 days", "Over 90 days")
    for name, amount, newest, oldest in zip(words, sums[1:], ages, [*ages[1:], None], strict=True):
        since = f"&due_date_from={oldest}" if oldest else ""
        rows.append((name, amount, f"{unpaid}{since}&due_date_to={date.fromordinal(newest.toordinal() - 1)}"))
    note = f"of which ${overdue:,.2f} is overdue" if overdue else "none of it overdue"
    return Card(title="Owed by clients", figure=sum(sums), note=note, rows=tuple(rows), path=unpaid)


def by_month(ctx: Context) -> Card:
    """Show the amounts invoiced and paid in each of the last months."""
    starts = _months(ctx.today())
    invoiced = _by_month(ctx, invoices.c.issue_date, invoices.c.total, starts, invoices.c.status.not_in(_NOT_INVOICED))
    paid = _by_month(ctx, payments.c.paid_on, payments.c.amount, starts, payments.c.status == "recorded")
    names = [f"{start:%b}" for start in starts[:-1]]
    bars = {"Invoiced": tuple(zip(names, invoiced, strict=True)), "Paid": tuple(zip(names, paid, strict=True))}
    return Card(title="Invoiced and paid by month", bars=bars, path=f"/v1/invoices?issue_date_from={starts[0]}")


def gst(ctx: Context) -> Card | None:
    """Show the GST on invoices since the last quarter ended."""
    if not ctx.tenant.gst_registered:
        return None
    today = ctx.today()
    since = date(today.year, (today.month - 1) // 3 * 3 + 1, 1)
    asked = sa.select(sa.func.coalesce(sa.func.sum(in_cents(invoices.c.gst)), 0)).where(
        own(ctx, invoices), invoices.c.issue_date >= since, invoices.c.status.not_in(_NOT_INVOICED)
    )
    return Card(
        title="GST on invoices",
        figure=amount_of(ctx.db.execute(asked).scalar_one()),
        note=f"since {since.day} {since:%B}, by date of issue",
        path=f"/v1/invoices?issue_date_from={since}",
    )


def _by_month(
    ctx: Context, day: sa.Column[Any], amount: sa.Column[Any], starts: list[date], *conditions: Any
) -> list[Decimal]:
    sums = [
        sa.func.sum(sa.case(((day >= since) & (day < until), in_cents(amount)), else_=0))
        for since, until in pairwise(starts)
    ]
    where = (own(ctx, day.table), day >= starts[0], *conditions)
    return [*map(amount_of, ctx.db.execute(sa.select(*sums).where(*where)).one())]


def _months(today: date) -> list[date]:
    """Return the first days of the months to show, this one last, and of the next month."""
    month = today.year * 12 + today.month - 1
    return [date(each // 12, each % 12 + 1, 1) for each in range(month - _MONTHS + 1, month + 2)]
