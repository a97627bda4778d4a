"""Amounts that clients owed at the end of any day, by age: sums over the ledger, unaffected by later changes."""

from collections.abc import Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from billycan import Context
from billycan.sql import Statement

from ..tables import entries, invoices, payments, refunds
from .sums import amount_of, in_cents

# Each age with its largest number of days past due; amounts not due yet are `current`.
AGES = {"current": 0, "days_1_30": 30, "days_31_60": 60, "days_61_90": 90, "days_over_90": None}
FIGURES = (*AGES, "total", "credit")
_ALL = 2**63 - 1


class Owed(Struct):
    """The amounts owed at the end of a day, by age; `credit` is money paid that settled no invoice."""

    current: Decimal
    days_1_30: Decimal
    days_31_60: Decimal
    days_61_90: Decimal
    days_over_90: Decimal
    total: Decimal
    credit: Decimal

    @property
    def balance(self) -> Decimal:
        """The amount to pay after all credit is used."""
        return self.total - self.credit


def owed_by(ctx: Context, client_id: str, day: date) -> Owed:
    """Return what a client owed at the end of a day."""
    row = _OWED_BY.one(ctx.db, {**_parameters_of(ctx, day), "client_id": client_id})
    return Owed(*map(amount_of, row))


def owed_by_each(ctx: Context, day: date, *, limit: int | None, offset: int) -> tuple[dict[str, Owed], int, Owed]:
    """Map each client with a debt or credit to what they owed, largest first.

    Also returns the number of such clients and the sum over all of them. Without a `limit` all clients are returned.
    """
    limits = {"most": limit or _ALL, "skipped": offset}
    rows = _OWED_BY_EACH.all(ctx.db, {**_parameters_of(ctx, day), **limits})
    if not rows:
        if not offset:
            return {}, 0, Owed(*map(amount_of, [0] * len(FIGURES)))
        _, count, all_ = owed_by_each(ctx, day, limit=1, offset=0)
        return {}, count, all_
    width = len(FIGURES) + 1
    each = {row[0]: Owed(*map(amount_of, row[1:width])) for row in rows}
    return each, rows[0][width], Owed(*map(amount_of, rows[0][width + 1 :]))


def _by_client(*, of_one: bool) -> sa.Select[Any]:
    """Select what each client owed, in cents: one row for every client who ever had an invoice or paid."""
    parts = sa.union_all(*_select_parts(of_one)).subquery()
    sums = {name: sa.func.sum(parts.c[name]) for name in (*AGES, "credit")}
    total = sum(list(sums.values())[1:-1], sums["current"])
    figures = {**sums, "total": total}
    shown: list[Any] = [figures[name].label(name) for name in FIGURES]
    return sa.select(parts.c.client_id, *shown).group_by(parts.c.client_id)


def _select_parts(of_one: bool) -> list[sa.Select[Any]]:
    """Select the amount owed on each invoice, and the amounts received and refunded of each payment."""

    def whose(table: sa.Table) -> sa.ColumnElement[bool]:
        return table.c.client_id == sa.bindparam("client_id") if of_one else sa.true()

    day = sa.bindparam("day", type_=sa.Date)
    ledger = sa.select(
        entries.c.invoice_id,
        sa.func.sum(in_cents(entries.c.total) - _settled_amount()).label("due"),
        sa.func.sum(in_cents(entries.c.paid)).label("paid"),
    ).where(_own_rows(entries), entries.c.counts_on <= day)
    if of_one:
        ledger = ledger.where(
            entries.c.invoice_id.in_(sa.select(invoices.c.id).where(_own_rows(invoices), whose(invoices)))
        )
    of_each = ledger.group_by(entries.c.invoice_id).subquery()
    due = of_each.c.due
    # An amount taken off a paid invoice belongs to the client until it is released.
    credit = sa.case((due < 0, -due), else_=0) - of_each.c.paid
    owing = _select_row(invoices.c.client_id, {**_split_by_age(due), "credit": credit}).join(
        of_each, of_each.c.invoice_id == invoices.c.id
    )
    kept = (payments.c.status == "recorded") | (payments.c.reversed_on > day)
    received = _select_row(payments.c.client_id, {"credit": in_cents(payments.c.amount)})
    given_back = _select_row(payments.c.client_id, {"credit": -in_cents(refunds.c.amount)}).join(
        payments, (payments.c.tenant_id == refunds.c.tenant_id) & (payments.c.id == refunds.c.payment_id)
    )
    return [
        owing.where(_own_rows(invoices), whose(invoices), (due != 0) | (of_each.c.paid != 0)),
        received.where(_own_rows(payments), whose(payments), payments.c.paid_on <= day, kept),
        given_back.where(_own_rows(refunds), _own_rows(payments), whose(payments), refunds.c.refunded_on <= day),
    ]


def _select_row(client_id: sa.ColumnElement[str], figures: Mapping[str, sa.ColumnElement[int]]) -> sa.Select[Any]:
    nothing = sa.literal_column("0", sa.BigInteger)
    shown: list[Any] = [figures.get(name, nothing).label(name) for name in (*AGES, "credit")]
    return sa.select(client_id.label("client_id"), *shown)


def _split_by_age(due: sa.ColumnElement[int]) -> dict[str, sa.ColumnElement[int]]:
    """Return the amount due on an invoice in the column of its age."""
    found: dict[str, sa.ColumnElement[int]] = {}
    newest = None
    for name, most in AGES.items():
        oldest = None if most is None else sa.bindparam(f"oldest_{name}", type_=sa.Date)
        when = [due > 0]
        when += [] if oldest is None else [invoices.c.due_date >= oldest]
        when += [] if newest is None else [invoices.c.due_date < newest]
        found[name] = sa.case((sa.and_(*when), due), else_=0)
        newest = oldest
    return found


def _parameters_of(ctx: Context, day: date) -> dict[str, Any]:
    """Return the parameters of the query: the tenant, the day, and the first due date of each age."""
    oldest = {f"oldest_{name}": day - timedelta(days=most) for name, most in AGES.items() if most is not None}
    return {"tenant_id": ctx.tenant_id, "day": day, **oldest}


def _own_rows(table: sa.Table) -> sa.ColumnElement[bool]:
    own: sa.ColumnElement[bool] = table.c.tenant_id == sa.bindparam("tenant_id")
    return own


def _settled_amount() -> sa.ColumnElement[int]:
    return in_cents(entries.c.paid) + in_cents(entries.c.cash_rounding) + in_cents(entries.c.written_off)


def _of_one() -> Statement:
    figures = _by_client(of_one=True).subquery()
    return Statement(sa.select(*(sa.func.sum(figures.c[name]) for name in FIGURES)))


def _of_each() -> Statement:
    figures = _by_client(of_one=False).cte()
    over_all = [sa.func.count().over(), *(sa.func.sum(figures.c[name]).over() for name in FIGURES)]
    some = sa.select(figures, *over_all).where((figures.c.total > 0) | (figures.c.credit != 0))
    in_order = some.order_by(figures.c.total.desc(), figures.c.client_id)
    most, skipped = (sa.bindparam(name, type_=sa.BigInteger) for name in ("most", "skipped"))
    # The number of invoices decides if the database sorts or hashes them.
    return Statement(in_order.limit(most).offset(skipped).execution_options(**{Statement.PLANNED_ANEW: True}))


_OWED_BY, _OWED_BY_EACH = _of_one(), _of_each()
