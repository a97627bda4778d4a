"""Effects of adjustment notes on payments: a note releases payments into credit, and voiding it puts them back.

The newest payment is released first. The rows are locked as `settling` says.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from billycan import Conflict, Context, Row, new_id
from billycan.sql import Statement

from .. import rules
from ..books.ledger import Change, last_day
from ..full_lists import ALLOCATIONS, PAYMENTS
from ..payments.records import records, show_payments
from ..payments.settlement import lock_payments, store_allocation
from ..tables import allocations


class Release(Struct):
    """The amount that a note released of a payment's share in its invoice."""

    payment_id: str
    amount: Decimal
    cash_rounding: Decimal
    allocated_on: date


_OF_INVOICE = Statement(
    sa.select(allocations)
    .where(allocations.c.tenant_id == sa.bindparam("tenant_id"), allocations.c.invoice_id == sa.bindparam("invoice_id"))
    .order_by(allocations.c.payment_id)
)
_INSERT = Statement.Insertion(allocations, allocations.c.keys())


def lock_settling(ctx: Context, invoice_id: str, also: Iterable[str]) -> tuple[dict[str, Row], list[Row]]:
    """Lock the payments that settle an invoice, and those in `also`.

    Returns them and their allocations to the invoice, without reversed ones.
    """
    stored = _OF_INVOICE.all(ctx.db, {"tenant_id": ctx.tenant_id, "invoice_id": invoice_id})
    found = lock_payments(ctx, [*(one.payment_id for one in stored), *also])
    payments = {id: row for id, row in found.items() if row.status == "recorded"}
    return payments, [one for one in stored if one.payment_id in payments]


def release_excess(ctx: Context, payments: Mapping[str, Row], stored: Sequence[Row], excess: Decimal) -> list[Release]:
    """Take the excess off what the payments settle, newest first, and turn it into the client's credit."""
    released = []
    for one in reversed(stored):
        if excess <= 0:
            break
        taken = min(excess, one.amount + one.cash_rounding)
        left, rounding = rules.left_over(one.amount, one.cash_rounding, taken)
        store_allocation(ctx, one, left, rounding)
        gone = Release(one.payment_id, one.amount - left, one.cash_rounding - rounding, one.allocated_on)
        _change_payment(ctx, payments[one.payment_id], -gone.amount, -gone.cash_rounding)
        released.append(gone)
        excess -= taken
    return released


# Prepared at import: msgspec crashes if two threads are the first to need the type at once.
msgspec.json.Decoder(list[Release])


def restore_released(
    ctx: Context, invoice: Row, payments: Mapping[str, Row], stored: Sequence[Row], released: Any
) -> list[Release]:
    """Put back the payments that a note released, except those reversed since.

    Raises Conflict if the credit was spent, or if the invoice or a payment already lists as many rows as it can.
    """
    settling = {one.payment_id: one for one in stored}
    restored = [one for one in msgspec.convert(released, list[Release], strict=False) if one.payment_id in payments]
    new = []
    for one in restored:
        payment = payments[one.payment_id]
        if payment.unallocated < one.amount:
            raise Conflict(
                f"The credit that this note gave was spent: only {payment.unallocated} of {one.amount} is unallocated.",
                code="credit_spent",
                payment_id=payment.id,
            )
        if before := settling.get(one.payment_id):
            store_allocation(ctx, before, before.amount + one.amount, before.cash_rounding + one.cash_rounding)
        else:
            new.append({"id": new_id("all"), "invoice_id": invoice.id, **msgspec.structs.asdict(one)})
        _change_payment(ctx, payment, one.amount, one.cash_rounding)
    if new:
        PAYMENTS.check_room(ctx, {invoice.id: None}, len(new))
        ALLOCATIONS.check_room(ctx, dict.fromkeys(row["payment_id"] for row in new))
        _INSERT.run(ctx.db, ctx.tenant_id, new)
    return restored


def changes(
    note_id: str, released: Iterable[Release], sign: int, on: date, stands: Sequence[Change] = ()
) -> Iterator[Change]:
    """Yield the invoice's change for each payment that a note releases or puts back.

    It counts on `on`, but not before the day on which the payment came to settle the invoice, according to `stands`.
    """
    for one in released:
        yield Change(
            kind="payment",
            counts_on=last_day((c for c in stands if c.payment_id == one.payment_id), on),
            payment_id=one.payment_id,
            note_id=note_id,
            paid=sign * one.amount,
            cash_rounding=sign * one.cash_rounding,
        )


def changes_of_reversed(ctx: Context, released: Any, payments: Mapping[str, Row]) -> list[Change]:
    """Return a change for each released payment that was reversed since; it ends the payment on that day.

    A payment reversed as a mistake never settled anything. `payments` are those that were not reversed.
    """
    gone = {one.payment_id: one for one in msgspec.convert(released, list[Release], strict=False)}
    rows = lock_payments(ctx, gone.keys() - payments.keys()) if gone.keys() - payments.keys() else {}
    return [
        Change(
            kind="payment",
            counts_on=row.reversed_on,
            payment_id=id,
            paid=-gone[id].amount,
            cash_rounding=-gone[id].cash_rounding,
        )
        for id, row in rows.items()
        if row.reversed_on is not None
    ]


def emit_payments(ctx: Context, payment_ids: Sequence[str], event: str) -> None:
    """Emit an event of each of these payments."""
    if payment_ids:
        for payment in show_payments(ctx, [*lock_payments(ctx, payment_ids).values()]):
            ctx.emit(event, payment)


def _change_payment(ctx: Context, payment: Row, amount: Decimal, rounding: Decimal) -> None:
    records.save(
        ctx,
        payment,
        allocated=payment.allocated + amount,
        unallocated=payment.unallocated - amount,
        cash_rounding=payment.cash_rounding + rounding,
    )
