"""What money does to the invoices it settles: a payment is allocated to them, taken off them, or reversed.

Whoever moves money locks rows in one order, so that nobody waits for somebody who waits: first the client's turn, where
more is touched than invoices or than a payment, then invoices by id, payments by id, adjustment notes, and counters.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from billycan import Conflict, Context, Fault, Invalid, Named, Row, new_id, own
from billycan.gst import check_unlocked, is_lodged, undone_on
from billycan.sql import ByIds, Insertion, Statement

from . import held, ledger, rules
from .documents import amount_due, documents
from .documents import records as invoice_records
from .ledger import Change
from .listed import ALLOCATIONS, PAYMENTS
from .payment_schemas import Allocation, NewAllocation, Payment, PaymentReversal
from .payments import allowed_actions, received, show, shown
from .payments import records as payment_records
from .schemas import Invoice
from .tables import allocations, invoices, notes, payments


class Share(Struct):
    """What a payment is to settle of an invoice: the row, locked, an amount, and what cash rounding adds to it.

    `param` is the member that names the invoice, where one does.
    """

    invoice: Row
    amount: Decimal
    rounding: Decimal = rules.ZERO
    param: str | None = None


def take_clients_turn(ctx: Context, table: sa.Table, id: str) -> None:
    """Let what moves a client's money between payments, invoices and notes go one after the other from here on.

    Whose money it is says a row of `table`. SQLite has one writer anyway.
    """
    if ctx.db.dialect.name == "postgresql":
        _TURNS[table].all(ctx.db, {"tenant_id": ctx.tenant_id, "id": id})


def _turn(table: sa.Table) -> Statement:
    name = sa.func.concat("money ", table.c.tenant_id, " ", table.c.client_id)
    lock = sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtextextended(name, 0)))
    return Statement(lock.where(table.c.tenant_id == sa.bindparam("tenant_id"), table.c.id == sa.bindparam("id")))


_TURNS = {table: _turn(table) for table in (payments, notes)}
_INVOICES = ByIds(sa.select(invoices).order_by(invoices.c.id).with_for_update(), invoices.c.id)
_PAYMENTS = ByIds(sa.select(payments).order_by(payments.c.id).with_for_update(), payments.c.id)


def lock_invoices(ctx: Context, ids: Iterable[str]) -> dict[str, Row]:
    """Those of these invoices that there are, locked in the order of their ids."""
    return {row.id: row for row in _INVOICES.all(ctx.db, ctx.tenant_id, sorted({*ids}))}


def lock_payments(ctx: Context, ids: Iterable[str]) -> dict[str, Row]:
    """Those of these payments that there are, locked in the order of their ids."""
    return {row.id: row for row in _PAYMENTS.all(ctx.db, ctx.tenant_id, sorted({*ids}))}


def owed(row: Row) -> Decimal:
    """What a payment can be for: what is due, or what was written off."""
    written_off: Decimal = row.amount_written_off
    return written_off if row.status == "written_off" else amount_due(row)


def shares(
    ctx: Context,
    asked: Sequence[NewAllocation],
    found: Mapping[str, Row],
    *,
    client_id: str,
    unallocated: Decimal,
    method: str,
    rounded: Decimal = rules.ZERO,
) -> list[Share]:
    """What a payment of a client is to settle, as asked.

    `found` are the invoices, locked, `unallocated` is what there is, and `rounded` what was rounded in cash already.
    Invalid or Conflict where it cannot be: an invoice that is not the client's or that nothing can be paid on, more
    than there is, or more than is due.
    """
    if faults := _faults(asked, found, client_id):
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
        made.append(share(row, one.amount, method, f"allocations[{i}].amount", rounded))
        made[-1].param = f"allocations[{i}].invoice_id"
        rounded += abs(made[-1].rounding)
    return made


def share(row: Row, amount: Decimal, method: str, param: str, rounded: Decimal = rules.ZERO) -> Share:
    """What an amount settles of an invoice; Invalid where that is more than is owed."""
    due = owed(row)
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


def receive(
    ctx: Context, client: Named, amount: Decimal, body: Any, given: Sequence[Share], **members: Any
) -> tuple[Payment, list[Row]]:
    """A new payment of a client that settles these, and their invoices as they are then; `body` says how and when."""
    paid_at, paid_on = received(ctx, body.paid_at, "paid_at")
    check_unlocked(ctx, paid_on)
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
    after = allocate(ctx, row, given, {}, on=paid_on, never_used=allocated)
    found = [Allocation(one.invoice.id, one.invoice.number, one.amount, one.rounding, paid_on) for one in given]
    (payment,) = show(ctx, [row], {row.id: found}, {row.id: []})
    return payment, after


def allocate(
    ctx: Context, payment: Row, given: Sequence[Share], stored: Mapping[str, Row], *, on: date, never_used: Decimal
) -> list[Row]:
    """Settle the invoices with a payment, whose figures say so already; returns them as they are then.

    Money counts on the day it was received, whenever it is allocated (s 29-5 GST Act): that is so for as much as was
    `never_used`. The rest settled another invoice since, and counts `on` the day it settles this one. `stored` are the
    rows by invoice that say what of the payment settles them already. Conflict `list_full` where an invoice or the
    payment lists as many as it can.
    """
    PAYMENTS.check_rows(ctx, [(one.invoice, one.param) for one in given if one.invoice.id not in stored])
    new = []
    for one in given:
        if before := stored.get(one.invoice.id):
            keep(ctx, before, before.amount + one.amount, before.cash_rounding + one.rounding)
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
        changes = [_paid(day, payment.id, amount) for day, amount in parts if amount]
        changes[-1].cash_rounding = one.rounding
        settled.append(moved(ctx, one.invoice, changes, by=by))
        never_used -= first
        if one.amount > first:
            held.spend(ctx, payment.id, one.amount - first, on, one.invoice.id)
    return settled


_INSERT = Insertion(allocations, allocations.c.keys())


def reverse(
    ctx: Context, payment: Row, rows: Mapping[str, Row], stored: Sequence[Row], body: PaymentReversal
) -> Payment:
    """Reverse a locked payment: what it settled of these locked invoices is due, or written off, again.

    The invoices are all that the ledger has of it, which `stored` no longer may. Conflict where some of it was
    refunded, or it is reversed already. Emits `payment.reversed`.
    """
    rules.payment_actions.check("reverse", payment.status, allowed_actions(payment))
    if payment.refunded:
        raise Conflict("Some of this payment was refunded, so that it cannot be reversed.", code="has_refunds")
    stands = ledger.of_payment(ctx, payment.id)
    changes = [change for of_one in stands.values() for change in of_one]
    days = [payment.paid_on, *(one.counts_on for one in changes)]
    on = undone_on(ctx, body, days, max(days), lambda: is_lodged(ctx, days, payment.created_at))
    if on is None:
        settled = {one.invoice_id for one in stored}
        for id, of_one in stands.items():
            taken_off = [one.less("paid", "cash_rounding") for one in of_one if one.kind == "payment"]
            if id in settled:
                moved(ctx, rows[id], taken_off)
            else:  # it settled this one on some days only, which has all its figures without it
                ledger.write(ctx, id, _with_bad_debt(rows[id], taken_off))
    else:
        for one in stored:
            moved(ctx, rows[one.invoice_id], [_paid(on, payment.id, -one.amount, -one.cash_rounding)])
    held.end_of_payment(ctx, payment.id, on)
    row = payment_records.save(
        ctx,
        payment,
        status="reversed",
        allocated=rules.ZERO,
        unallocated=rules.ZERO,
        refunded=payment.amount,  # the client has it all back
        reversed_at=ctx.now(),
        reversed_on=on,
        reverse_reason=body.reason,
    )
    return tell_of_payment(ctx, row, "payment.reversed")


def tell_of_payment(ctx: Context, row: Row, event: str) -> Payment:
    """The payment as it is shown, having told of it by this event."""
    (payment,) = shown(ctx, [row])
    ctx.emit(event, payment)
    return payment


def keep(ctx: Context, allocation: Row, amount: Decimal, rounding: Decimal) -> None:
    """Store what is left, or there is now, of an allocation."""
    this = own(ctx, allocations) & (allocations.c.id == allocation.id)
    if amount:
        ctx.db.execute(sa.update(allocations).where(this).values(amount=amount, cash_rounding=rounding))
    else:
        ctx.db.execute(sa.delete(allocations).where(this))


def moved(ctx: Context, row: Row, changes: Sequence[Change], *, by: Mapping[str, Any] | None = None) -> Row:
    """A locked invoice after these changes, which the ledger keeps; its status follows.

    What is written off then follows, too. `by` says when it became paid and how, where it does; else it is now.
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
    """The changes of an invoice with what each makes of a debt that was written off.

    From the day of the write-off on, what is paid is a recovery. What was paid before that day makes less of what was
    written off on it.
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
    for one in reversed(changes):  # once a day: what a note takes off and releases is no recovery
        one.written_off = -by_day.pop(one.counts_on, rules.ZERO)
    return [*changes, *([Change(kind="write_off", counts_on=since, written_off=-before)] if before else [])]


def _paid(on: date, payment_id: str, amount: Decimal, rounding: Decimal = rules.ZERO) -> Change:
    return Change(kind="payment", counts_on=on, payment_id=payment_id, paid=amount, cash_rounding=rounding)


def tell(ctx: Context, before: Row, after: Row, invoice: Invoice | None = None) -> None:
    """Emit what a payment made of an invoice: `recovered` where it was written off, `paid` where it became so."""
    told = {"invoice.recovered": before.status == "written_off", "invoice.paid": becomes_paid(before, after)}
    for event in (name for name, happened in told.items() if happened):
        invoice = invoice or documents.show(ctx, after)
        ctx.emit(event, invoice)


def becomes_paid(before: Row, after: Row) -> bool:
    """Whether an invoice was not paid before, and is."""
    return bool(after.status == "paid" and before.status != "paid")


def _faults(asked: Sequence[NewAllocation], found: Mapping[str, Row], client_id: str) -> list[Fault]:
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
