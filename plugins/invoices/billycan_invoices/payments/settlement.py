"""Effects of payments on invoices: money is allocated to invoices, taken off them, or reversed.

Every transaction that moves money locks rows in the same order, so that no two wait for each other: first the client's
turn, if more than invoices or one payment is touched, then invoices by id, payments by id, adjustment notes, and
counters.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from msgspec import Struct

from billycan import Conflict, Context, Fault, Invalid, Named, Row, new_id, own
from billycan.sql import ByIds, Statement

from .. import rules
from ..books import ledger, unallocated
from ..books.ledger import Change
from ..full_lists import ALLOCATIONS, PAYMENTS
from ..invoices.documents import amount_due, documents
from ..invoices.documents import records as invoice_records
from ..resource import Invoice
from ..tables import allocations, invoices, notes, payments
from .records import allowed_actions, received, show_loaded_payments, show_payments
from .records import records as payment_records
from .schemas import Allocation, NewAllocation, Payment, PaymentReversal


class Share(Struct):
    """The amount of an invoice that a payment is to settle, with the locked row and the cash rounding.

    `param` is the member that names the invoice, if any.
    """

    invoice: Row
    amount: Decimal
    rounding: Decimal = rules.ZERO
    param: str | None = None


def take_clients_turn(ctx: Context, table: sa.Table, id: str) -> None:
    """Make transactions that move this client's money between payments, invoices and notes wait for each other.

    The row `id` of `table` identifies the client. SQLite has one writer anyway.
    """
    if ctx.db.dialect.name == "postgresql":
        _TURNS[table].all(ctx.db, {"tenant_id": ctx.tenant_id, "id": id})


def _build_lock(table: sa.Table) -> Statement:
    name = sa.func.concat("money ", table.c.tenant_id, " ", table.c.client_id)
    lock = sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtextextended(name, 0)))
    return Statement(lock.where(table.c.tenant_id == sa.bindparam("tenant_id"), table.c.id == sa.bindparam("id")))


_TURNS = {table: _build_lock(table) for table in (payments, notes)}
_INVOICES = ByIds(sa.select(invoices).order_by(invoices.c.id).with_for_update(), invoices.c.id)
_PAYMENTS = ByIds(sa.select(payments).order_by(payments.c.id).with_for_update(), payments.c.id)


def lock_invoices(ctx: Context, ids: Iterable[str]) -> dict[str, Row]:
    """Lock these invoices in the order of their ids, and map id to row for those that exist."""
    return {row.id: row for row in _INVOICES.all(ctx.db, ctx.tenant_id, sorted({*ids}))}


def lock_payments(ctx: Context, ids: Iterable[str]) -> dict[str, Row]:
    """Lock these payments in the order of their ids, and map id to row for those that exist."""
    return {row.id: row for row in _PAYMENTS.all(ctx.db, ctx.tenant_id, sorted({*ids}))}


def most_payable(row: Row) -> Decimal:
    """Return the most that a payment can settle of an invoice: the amount due or written off."""
    written_off: Decimal = row.amount_written_off
    return written_off if row.status == "written_off" else amount_due(row)


def shares_of_payment(
    ctx: Context,
    asked: Sequence[NewAllocation],
    found: Mapping[str, Row],
    *,
    client_id: str,
    unallocated: Decimal,
    method: str,
    rounded: Decimal = rules.ZERO,
) -> list[Share]:
    """Return the shares of a client's payment, as the caller requested them.

    `found` are the locked invoices, `unallocated` the money available, and `rounded` the cash rounding so far. Raises
    Invalid or Conflict for an invoice that is another client's or cannot be paid, and for more than is available or
    due.
    """
    if faults := _find_faults(asked, found, client_id):
        raise Invalid.of(*faults)
    for i, one in enumerate(asked):
        try:
            documents.check(ctx, found[one.invoice_id], "payments")
        except Conflict as refused:
            refused.param = f"allocations[{i}].invoice_id"
            raise
    if (wanted := sum(one.amount for one in asked)) > unallocated:
        raise Invalid(
            f"{wanted} is more than the {unallocated} that is unallocated.",
            code="over_allocated",
            param="allocations",
            unallocated=unallocated,
        )
    made = []
    for i, one in enumerate(asked):
        row = found[one.invoice_id]
        made.append(share_of_invoice(row, one.amount, method, f"allocations[{i}].amount", rounded))
        made[-1].param = f"allocations[{i}].invoice_id"
        rounded += abs(made[-1].rounding)
    return made


def share_of_invoice(row: Row, amount: Decimal, method: str, param: str, rounded: Decimal = rules.ZERO) -> Share:
    """Return the share of an invoice that an amount settles. Raises Invalid if it exceeds what is owed."""
    due = most_payable(row)
    rounding = rules.cash_rounding(amount, due, rounded) if rules.is_cash(method) else rules.ZERO
    if amount + rounding > due:
        what = "was written off" if row.status == "written_off" else "is due"
        raise Invalid(
            f"{amount} is more than the {due} that {what}.",
            code="overpayment_not_allowed",
            param=param,
            amount_due=amount_due(row),
        )
    return Share(row, amount, rounding)


def receive_payment(
    ctx: Context, client: Named, amount: Decimal, body: Any, given: Sequence[Share], **members: Any
) -> tuple[Payment, list[Row]]:
    """Store a client's new payment that settles these shares; return it and the changed invoices.

    `body` says how and when it was paid.
    """
    paid_at, paid_on = received(ctx, body.paid_at, "paid_at")
    ctx.check_unlocked(paid_on)
    allocated = sum((one.amount for one in given), rules.ZERO)
    row = payment_records.insert(
        ctx,
        client_id=client.id,
        client_name=client.name,
        amount=amount,
        allocated=allocated,
        refunded=rules.ZERO,
        unallocated=amount - allocated,
        cash_rounding=sum((one.rounding for one in given), rules.ZERO),
        payment_method=body.payment_method,
        paid_at=paid_at,
        paid_on=paid_on,
        reference=body.reference,
        status="recorded",
        **{"metadata": {}, **members},
    )
    after = settle_invoices(ctx, row, given, {}, on=paid_on, never_used=allocated)
    found = [Allocation(one.invoice.id, one.invoice.number, one.amount, one.rounding, paid_on) for one in given]
    (payment,) = show_loaded_payments(ctx, [row], {row.id: found}, {row.id: []})
    return payment, after


def settle_invoices(
    ctx: Context, payment: Row, given: Sequence[Share], stored: Mapping[str, Row], *, on: date, never_used: Decimal
) -> list[Row]:
    """Settle invoices with a payment whose own figures are already updated; return the changed invoices.

    Money counts on the day it was received, whenever it is allocated (s 29-5 GST Act), up to the amount `never_used`.
    The rest settled another invoice before, and counts on `on`. `stored` maps invoices to the payment's existing
    allocations. Raises Conflict `list_full` if an invoice or the payment lists as many as it can.
    """
    PAYMENTS.check_rows(ctx, [(one.invoice, one.param) for one in given if one.invoice.id not in stored])
    new = []
    for one in given:
        if before := stored.get(one.invoice.id):
            store_allocation(ctx, before, before.amount + one.amount, before.cash_rounding + one.rounding)
            continue
        row = {"payment_id": payment.id, "invoice_id": one.invoice.id, "amount": one.amount, "allocated_on": on}
        new.append({"id": new_id("all"), "cash_rounding": one.rounding, **row})
    if new:
        ALLOCATIONS.check_room(ctx, {payment.id: "allocations"} if stored else {}, len(new))
        _INSERT.run(ctx.db, ctx.tenant_id, new)
    by = {"paid_at": payment.paid_at, "payment_method": payment.payment_method}
    settled = []
    for one in given:
        first = min(one.amount, never_used)
        parts = (payment.paid_on, first), (on, one.amount - first)
        changes = [_change_of_payment(day, payment.id, amount) for day, amount in parts if amount]
        changes[-1].cash_rounding = one.rounding
        settled.append(apply_changes(ctx, one.invoice, changes, by=by))
        never_used -= first
        if one.amount > first:
            unallocated.spend_credit(ctx, payment.id, one.amount - first, on, one.invoice.id)
    return settled


_INSERT = Statement.Insertion(allocations, allocations.c.keys())


def reverse_locked_payment(
    ctx: Context, payment: Row, rows: Mapping[str, Row], stored: Sequence[Row], body: PaymentReversal
) -> Payment:
    """Reverse a locked payment: the amounts it settled of these locked invoices are due, or written off, again.

    The invoices are all those in the payment's ledger entries, which can be more than in `stored`. Raises Conflict if
    some of the payment was refunded, or it is already reversed. Emits `payment.reversed`.
    """
    rules.payment_actions.check("reverse", payment.status, allowed_actions(payment))
    if payment.refunded:
        raise Conflict("Some of this payment was refunded, so that it cannot be reversed.", code="has_refunds")
    stands = ledger.of_payment(ctx, payment.id)
    changes = [change for of_one in stands.values() for change in of_one]
    days = [payment.paid_on, *(one.counts_on for one in changes)]
    noted_at = min((noted_at_of(ctx, payment, one) for one in stored), default=None)
    if stands.keys() - {one.invoice_id for one in stored}:  # it settled others before, since nobody knows when
        noted_at = payment.created_at
    on = body.counts_on(ctx, days, max(days), noted_at=noted_at)
    if on is None:
        settled = {one.invoice_id for one in stored}
        for id, of_one in stands.items():
            taken_off = [one.less("paid", "cash_rounding") for one in of_one if one.kind == "payment"]
            if id in settled:
                apply_changes(ctx, rows[id], taken_off)
            else:  # it settled this invoice on some past days only, so the invoice's figures do not include it
                ledger.write(ctx, id, _with_bad_debt(rows[id], taken_off))
    else:
        for one in stored:
            apply_changes(
                ctx, rows[one.invoice_id], [_change_of_payment(on, payment.id, -one.amount, -one.cash_rounding)]
            )
    unallocated.end_of_payment(ctx, payment.id, on)
    row = payment_records.save(
        ctx,
        payment,
        status="reversed",
        allocated=rules.ZERO,
        unallocated=rules.ZERO,
        refunded=payment.amount,  # all of it went back to the client
        reversed_at=ctx.now(),
        reversed_on=on,
        reverse_reason=body.reason,
    )
    return tell_of_payment(ctx, row, "payment.reversed")


def noted_at_of(ctx: Context, payment: Row, allocation: Row) -> datetime:
    """Return the earliest time at which a payment was allocated to an invoice.

    A tax period that was lodged before has the payment as credit, and so at no label.
    """
    day: date = allocation.allocated_on
    begins = datetime.combine(day, time(), ZoneInfo(ctx.tenant.timezone))
    noted_at: datetime = payment.created_at
    return max(noted_at, begins)


def tell_of_payment(ctx: Context, row: Row, event: str) -> Payment:
    """Emit this event of a payment, and return the payment as shown."""
    (payment,) = show_payments(ctx, [row])
    ctx.emit(event, payment)
    return payment


def store_allocation(ctx: Context, allocation: Row, amount: Decimal, rounding: Decimal) -> None:
    """Store the new amount and rounding of an allocation."""
    this = own(ctx, allocations) & (allocations.c.id == allocation.id)
    if amount:
        ctx.db.execute(sa.update(allocations).where(this).values(amount=amount, cash_rounding=rounding))
    else:
        ctx.db.execute(sa.delete(allocations).where(this))


def apply_changes(ctx: Context, row: Row, changes: Sequence[Change], *, by: Mapping[str, Any] | None = None) -> Row:
    """Apply these changes to a locked invoice and to the ledger, and return its new row with the status that follows.

    The amount written off follows, too. `by` says when and how the invoice became paid, if it did; the default is now.
    """
    columns = {
        "amount_paid": row.amount_paid + sum(one.paid for one in changes),
        "amount_credited": row.amount_credited + sum(one.credited for one in changes),
        "cash_rounding": row.cash_rounding + sum(one.cash_rounding for one in changes),
    }
    status, written_off = rules.standing(row.total, *columns.values(), given_up=row.written_off_on is not None)
    ledger.write(ctx, row.id, _with_bad_debt(row, changes))
    if status != "paid":
        columns |= {"paid_at": None, "payment_method": None}
    elif row.status != "paid":
        columns |= by or {"paid_at": ctx.now()}
    return invoice_records.save(ctx, row, status=status, amount_written_off=written_off, **columns)


def _with_bad_debt(row: Row, changes: Sequence[Change]) -> list[Change]:
    """Add to each change its effect on a debt that was written off.

    A payment counted on or after the day of the write-off is a recovery. An earlier one reduces the amount written off
    on that day.
    """
    since: date | None = row.written_off_on
    if since is None:
        return [*changes]
    before, by_day = rules.ZERO, dict[date, Decimal]()
    for one in changes:
        settled = one.paid + one.cash_rounding + one.credited
        if one.counts_on < since:
            before += settled
        else:
            by_day[one.counts_on] = by_day.get(one.counts_on, rules.ZERO) + settled
    for one in reversed(changes):  # once a day: the amount that a note takes off and releases is no recovery
        one.written_off = -by_day.pop(one.counts_on, rules.ZERO)
    return [*changes, *([Change(kind="write_off", counts_on=since, written_off=-before)] if before else [])]


def _change_of_payment(on: date, payment_id: str, amount: Decimal, rounding: Decimal = rules.ZERO) -> Change:
    return Change(kind="payment", counts_on=on, payment_id=payment_id, paid=amount, cash_rounding=rounding)


def emit_settlement(ctx: Context, before: Row, after: Row, invoice: Invoice | None = None) -> None:
    """Emit the effect of a payment on an invoice: `recovered` if it was written off, `paid` if it became paid."""
    told = {"invoice.recovered": before.status == "written_off", "invoice.paid": becomes_paid(before, after)}
    for event in (name for name, happened in told.items() if happened):
        invoice = invoice or documents.show(ctx, after)
        ctx.emit(event, invoice)


def becomes_paid(before: Row, after: Row) -> bool:
    """Tell whether an invoice is paid now and was not before."""
    return bool(after.status == "paid" and before.status != "paid")


def _find_faults(asked: Sequence[NewAllocation], found: Mapping[str, Row], client_id: str) -> list[Fault]:
    faults, seen = [], set()
    for i, one in enumerate(asked):
        row, param = found.get(one.invoice_id), f"allocations[{i}].invoice_id"
        if row is None:
            faults.append(Fault(param, "not_found", "there is no such invoice"))
        elif one.invoice_id in seen:
            faults.append(Fault(param, "invalid_value", "appears twice: send one amount for each invoice"))
        elif row.client_id != client_id:
            faults.append(Fault(param, "invalid_value", "is an invoice of another client"))
        seen.add(one.invoice_id)
    return faults
