"""Payments as stored and as shown: the invoices each settles, the refunds, and what is left."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from billycan import Context, Invalid, Named, Records, Row, own
from billycan.fields import Moment
from billycan.sql import ByIds, Statement

from .. import rules
from ..tables import allocations, entries, invoices, payments, refunds
from .schemas import Allocation, Payment, Refund


def of_invoices(ctx: Context, ids: list[str]) -> sa.ColumnElement[bool]:
    """Match the payments that settle any of these invoices, including reversed ones."""
    settling = sa.select(allocations.c.payment_id).where(
        own(ctx, allocations), sa.or_(sa.false(), *(allocations.c.invoice_id == id for id in ids))
    )
    return ctx.among(payments.c.id, settling)


def allowed_actions(row: Any) -> list[str]:
    """List the actions that are possible on a payment now."""
    now = {
        "allocate": row.unallocated,
        "deallocate": row.allocated,
        "refund": row.unallocated,
        "reverse": not row.refunded,
    }
    return [action for action in rules.payment_actions.allowed(row.status) if now[action]]


records = Records(
    payments,
    Payment,
    prefix="pay",
    filters={"invoice_id": of_invoices},
    actions=allowed_actions,
    needs={
        "client": ("client_id", "client_name"),
        "invoice_id": (),
        "allocations": ("status",),
        "refunds": ("status", "refunded"),
        "allowed_actions": ("status", "allocated", "refunded", "unallocated"),
    },
    points_at={"invoice_id": "invoices"},
)

_ALLOCATIONS = ByIds(
    sa.select(
        allocations.c.payment_id, *(allocations.c.get(n, invoices.c.number) for n in Allocation.__struct_fields__)
    )
    .join(invoices, (invoices.c.tenant_id == allocations.c.tenant_id) & (invoices.c.id == allocations.c.invoice_id))
    .where(invoices.c.tenant_id == sa.bindparam("tenant_id"))
    .order_by(allocations.c.payment_id, invoices.c.sequence),
    allocations.c.payment_id,
)
_REFUNDS = ByIds(
    sa.select(refunds.c.payment_id, *(refunds.c[name] for name in Refund.__struct_fields__)).order_by(refunds.c.id),
    refunds.c.payment_id,
)


def _moved_by(table: sa.Table, on: str, amount: str) -> sa.Select[Any]:
    mine = table.c.tenant_id == sa.bindparam("tenant_id"), table.c.payment_id == sa.bindparam("payment_id")
    return sa.select(table.c[on].label("on"), table.c[amount].label("amount")).where(*mine)


_MOVED = Statement(sa.union_all(_moved_by(entries, "counts_on", "paid"), _moved_by(refunds, "refunded_on", "amount")))


def never_used(ctx: Context, payment: Row) -> Decimal:
    """Return how much of a payment settled nothing and was not refunded on any day since it was received."""
    by_day: dict[date, Decimal] = {}
    for row in _MOVED.all(ctx.db, {"tenant_id": ctx.tenant_id, "payment_id": payment.id}):
        by_day[row.on] = by_day.get(row.on, rules.ZERO) + row.amount
    left = least = Decimal(payment.amount)
    for on in sorted(by_day):
        left -= by_day[on]
        least = min(least, left)
    return max(least, rules.ZERO)


def show_payments(ctx: Context, rows: Sequence[Row]) -> list[Payment]:
    """Return payments as clients see them, with one query each for all allocations and all refunds."""
    ids = [row.id for row in rows]
    by_id: dict[str, list[Allocation]] = {id: [] for id in ids}
    if ctx.wants(Payment, "allocations", "invoice_id"):
        for row in _ALLOCATIONS.all(ctx.db, ctx.tenant_id, ids):
            by_id[row[0]].append(Allocation(*row[1:]))
    given_back: dict[str, list[Refund]] = {id: [] for id in ids}
    if ctx.wants(Payment, "refunds"):
        refunded = [row.id for row in rows if row.refunded and row.status == "recorded"]
        for row in _REFUNDS.all(ctx.db, ctx.tenant_id, refunded):
            given_back[row[0]].append(Refund(*row[1:]))
    return show_loaded_payments(ctx, rows, by_id, given_back)


def show_loaded_payments(
    ctx: Context,
    rows: Sequence[Row],
    by_id: dict[str, list[Allocation]],
    given_back: dict[str, list[Refund]],
) -> list[Payment]:
    """Return payments as `show_payments` does, from allocations and refunds, by payment, that are loaded already."""
    wants_client, wants_allocations = ctx.wants(Payment, "client"), ctx.wants(Payment, "allocations")
    return records.show(
        ctx,
        rows,
        client={row.id: Named(row.client_id, row.client_name) for row in rows} if wants_client else {},
        invoice_id={id: found[0].invoice_id if len(found) == 1 else None for id, found in by_id.items()},
        allocations={row.id: by_id[row.id] if row.status == "recorded" else [] for row in rows if wants_allocations},
        refunds=given_back,
    )


def received(ctx: Context, when: date | None, member: str) -> tuple[Moment, date]:
    """Return when money changed hands, and the date in the tenant's zone; a date alone stands for its midday.

    Without `when` it is now. Raises Invalid, naming `member`, if the date is later than tomorrow.
    """
    zone = ZoneInfo(ctx.tenant.timezone)
    moment: date = when or ctx.now()
    if not isinstance(moment, datetime):
        moment = datetime.combine(moment, time(12), zone)
    on = moment.astimezone(zone).date()
    if on > ctx.today() + timedelta(days=1):
        raise Invalid.member(member, "out_of_range", "must not be later than tomorrow")
    return Moment.of(moment), on


def check_coins(method: str, amount: Decimal, hint: str = "") -> None:
    """Refuse an amount of cash that no coins add up to."""
    if rules.is_cash(method) and amount % rules.LEAST_COIN:
        message = f"must be a multiple of {rules.LEAST_COIN}, as cash is{hint}"
        raise Invalid.member("amount", "invalid_value", message)


def allocations_of(ctx: Context, payment_ids: Iterable[str]) -> list[Row]:
    """Return the rows that link these payments to the invoices they settle, by payment and invoice."""
    return list(_STORED.all(ctx.db, ctx.tenant_id, payment_ids))


_STORED = ByIds(
    sa.select(allocations).order_by(allocations.c.payment_id, allocations.c.invoice_id), allocations.c.payment_id
)
