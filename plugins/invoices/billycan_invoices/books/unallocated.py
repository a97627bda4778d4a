"""Parts of adjustment notes held back on a cash basis until their credit is refunded or used.

A note that reduces the amount due counts on its own date. Anything beyond that becomes credit, and on a cash basis that
part of the note counts on the day on which the credit is refunded or settles another invoice (s 29-20(2) GST Act).
Until then both the amount paid and the same share of the price are held back. Rows are only added, and in the end add
up to nothing.
"""

from collections.abc import Iterable
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, new_id
from billycan.sql import Statement

from ..rules import ZERO
from ..tables import held
from .ledger import UNTAXED, Change
from .sums import in_cents

PRICE = ("total", "gst", *UNTAXED)
FIGURES = ("paid", "cash_rounding", *PRICE)
_INSERT = Statement.Insertion(held, held.c.keys())
_OF_PAYMENT = Statement(
    sa.select(held)
    .where(held.c.tenant_id == sa.bindparam("tenant_id"), held.c.payment_id == sa.bindparam("payment_id"))
    .order_by(held.c.note_id, held.c.counts_on, held.c.id)
)
_OF_INVOICE = Statement(
    sa.select(held)
    .where(held.c.tenant_id == sa.bindparam("tenant_id"), held.c.invoice_id == sa.bindparam("invoice_id"))
    .order_by(held.c.note_id, held.c.counts_on, held.c.id)
)


class Held(Struct):
    """The amount held back of the credit that a note released from a payment; `since` is the last day it changed.

    `used_on` is the invoice on which the credit was used, if any.
    """

    invoice_id: str
    note_id: str
    payment_id: str
    since: date
    figures: dict[str, Decimal]
    used_on: str | None = None


def hold_credit(ctx: Context, invoice_id: str, price: Change, released: Iterable[Change]) -> None:
    """Hold back the share of a note's price that the note released from payments."""
    left = {name: -getattr(price, name) for name in PRICE}
    rows = []
    for one in released:
        settled = -(one.paid + one.cash_rounding)
        figures = _share_of(left, settled, left["total"])
        left = {name: amount - figures[name] for name, amount in left.items()}
        figures |= {"paid": -one.paid, "cash_rounding": -one.cash_rounding}
        rows.append(Held(invoice_id, price.note_id or "", one.payment_id or "", one.counts_on, figures))
    _write_rows(ctx, rows)


def spend_credit(ctx: Context, payment_id: str, amount: Decimal, on: date, used_on: str | None = None) -> None:
    """Count this much of the credit from a payment as refunded or used, oldest credit first.

    Any amount above the credit given by notes was credit already. `used_on` is the invoice on which it is used.
    """
    rows = []
    for one in _add_up(_OF_PAYMENT.all(ctx.db, {"tenant_id": ctx.tenant_id, "payment_id": payment_id})):
        credit = one.figures["paid"]
        if (taken := min(amount, credit)) > 0:
            figures = one.figures if taken == credit else _share_of(one.figures, taken, credit)
            rows.append(_take_off(one, max(on, one.since), figures, used_on))
            amount -= taken
    _write_rows(ctx, rows)


def hold_again(ctx: Context, payment_id: str, invoice_id: str, amount: Decimal, on: date | None) -> None:
    """Hold back again this much of the credit used on an invoice, newest first.

    With `on`, the credit counts as used until that day; without it, the use was a mistake and never counts.
    """
    stored = _OF_PAYMENT.all(ctx.db, {"tenant_id": ctx.tenant_id, "payment_id": payment_id})
    used = [row for row in stored if row.used_on == invoice_id]
    left, rows = {one.note_id: -one.figures["paid"] for one in _add_up(used)}, []
    for one in sorted(_add_up(used, by_day=True), key=lambda one: one.since, reverse=True):
        if (taken := min(amount, -one.figures["paid"], left.get(one.note_id, ZERO))) > 0:
            figures = _share_of(one.figures, taken, -one.figures["paid"])
            rows.append(_take_off(one, _day_of_end(one.since, on), figures, invoice_id))
            left[one.note_id] -= taken
            amount -= taken
    _write_rows(ctx, rows)


def end_of_payment(ctx: Context, payment_id: str, on: date | None) -> None:
    """Release everything held back for a reversed payment: from a day on or, after a mistake, for all days."""
    _end_rows(ctx, _OF_PAYMENT.all(ctx.db, {"tenant_id": ctx.tenant_id, "payment_id": payment_id}), on)


def end_of_invoice(ctx: Context, invoice_id: str, on: date | None) -> None:
    """Release everything held back for a void invoice: from a day on or, after a mistake, for all days."""
    _end_rows(ctx, _OF_INVOICE.all(ctx.db, {"tenant_id": ctx.tenant_id, "invoice_id": invoice_id}), on)


def end_of_note(ctx: Context, invoice_id: str, note_id: str, on: date | None) -> None:
    """Release everything held back for a void note: from a day on or, after a mistake, for all days.

    What was refunded or used of its credit, and still is, was credit of other notes of the same payment.
    """
    rows = _OF_INVOICE.all(ctx.db, {"tenant_id": ctx.tenant_id, "invoice_id": invoice_id})
    ended = [row for row in rows if row.note_id == note_id]
    _end_rows(ctx, ended, on)
    for row in ended:
        day = _day_of_end(row.counts_on, on)
        if row.paid < 0:
            spend_credit(ctx, row.payment_id, -row.paid, day, row.used_on)
        elif row.used_on is not None:
            hold_again(ctx, row.payment_id, row.used_on, row.paid, day)


def netted(*where: sa.ColumnElement[bool]) -> sa.Select[Any]:
    """Select the amounts held back by day, in whole cents, for the business in the parameter `tenant_id`."""
    sums = {name: sa.cast(sa.func.sum(in_cents(held.c[name])), sa.BigInteger) for name in FIGURES}
    cause = [held.c[name] for name in ("invoice_id", "note_id", "payment_id", "counts_on")]
    return (
        sa.select(sa.func.min(held.c.id).label("id"), *cause, *(sums[name].label(name) for name in FIGURES))
        .where(held.c.tenant_id == sa.bindparam("tenant_id"), *where)
        .group_by(*cause)
        .having(sa.or_(*(one != 0 for one in sums.values())))
    )


def _end_rows(ctx: Context, rows: Iterable[Any], on: date | None) -> None:
    ends = _add_up(rows, by_day=True)
    _write_rows(ctx, [_take_off(one, _day_of_end(one.since, on), one.figures, one.used_on) for one in ends])


def _day_of_end(counts_on: date, on: date | None) -> date:
    """Return the day on which what counts on a day ends: at the earliest that day, on which a mistake ends."""
    return max(on or counts_on, counts_on)


def _add_up(rows: Iterable[Any], *, by_day: bool = False) -> list[Held]:
    """Add up the amounts held back by note and payment, and if `by_day` is true, also by day and use."""
    found: dict[tuple[Any, ...], Held] = {}
    for row in rows:
        used_on = row.used_on if by_day else None
        key = (row.invoice_id, row.note_id, row.payment_id, row.counts_on if by_day else None, used_on)
        if (one := found.get(key)) is None:
            figures = dict.fromkeys(FIGURES, ZERO)
            one = found[key] = Held(row.invoice_id, row.note_id, row.payment_id, row.counts_on, figures, used_on)
        one.since = row.counts_on
        for name in FIGURES:
            one.figures[name] += getattr(row, name)
    return [one for one in found.values() if any(one.figures.values())]


def _share_of(figures: dict[str, Decimal], part: Decimal, of: Decimal) -> dict[str, Decimal]:
    """Return these figures times `part / of`, in whole cents."""
    return {name: (amount * part / of).quantize(ZERO, ROUND_HALF_UP) for name, amount in figures.items()}


def _take_off(one: Held, on: date, figures: dict[str, Decimal], used_on: str | None = None) -> Held:
    taken = {name: -value for name, value in figures.items()}
    return Held(one.invoice_id, one.note_id, one.payment_id, on, taken, used_on)


def _write_rows(ctx: Context, rows: list[Held]) -> None:
    if not rows:
        return
    ctx.check_unlocked(*(one.since for one in rows))
    stored = [
        {
            "id": new_id("hel"),
            "invoice_id": one.invoice_id,
            "note_id": one.note_id,
            "payment_id": one.payment_id,
            "used_on": one.used_on,
            "counts_on": one.since,
            **one.figures,
        }
        for one in rows
    ]
    _INSERT.run(ctx.db, ctx.tenant_id, stored)
