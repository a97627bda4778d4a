"""Security deposits: requested without GST, until they are taken off the price of the work or forfeited.

At that moment the GST on the deposit arises (s 99-10 GST Act), and the ledger records the day: the amount out of scope
becomes part of the price of a supply, by the GST codes of the work. An applied deposit takes its share of the GST from
the invoice that takes it off, so on both bases the GST on the earlier payment counts from the day of that invoice.
"""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any

import msgspec
import sqlalchemy as sa

from billycan import Conflict, Context, Row, own
from billycan_documents.api import Part, cents, dollars, part_of

from ..books import ledger
from ..books.ledger import UNTAXED, Change, Kind
from ..tables import invoices
from .documents import documents, records


def parts_of_deposit(lines: Iterable[Part], wanted: int, *, per_line: bool) -> list[Part]:
    """Split a deposit of this many cents by the GST codes of the work."""
    found: dict[str, Part] = {}
    for part in part_of([*lines], wanted, per_line=per_line):
        had = found.get(part.gst_code, Part("", part.gst_code, 0, 0))
        found[part.gst_code] = Part("", part.gst_code, had.net + part.net, had.gst + part.gst)
    return [*found.values()]


def apply_deposits(ctx: Context, deposits: Sequence[Row], invoice_id: str) -> None:
    """Store which invoice takes these deposits off."""
    for row in deposits:
        documents.tell(ctx, records.save(ctx, row, applied_to=invoice_id), "invoice.updated")


def count_applied_gst(ctx: Context, invoice: Row) -> None:
    """Count the GST on the deposits that an invoice takes off, as the invoice is sent."""
    # The set of deposits cannot change while the invoice is locked, so they need no lock.
    if invoice.deposits_applied > 0:
        for deposit in ctx.db.execute(sa.select(invoices).where(own(ctx, invoices), _taken_off_by(invoice))).all():
            # What the deposit takes over is no part of the invoice's price, even if money for it came earlier.
            _move_deposit(ctx, deposit, invoice, invoice.issue_date, 1, of_invoice="invoice")


def let_go(ctx: Context, invoice: Row, on: date | None = None) -> None:
    """Free the deposits that a deleted or void invoice took off, so that another invoice can take them off.

    If the invoice was sent, its deposits count until `on`; without `on` they never counted, as the invoice's own
    changes were already removed.
    """
    for deposit in documents.held(ctx, _taken_off_by(invoice)) if invoice.deposits_applied > 0 else ():
        if invoice.status != "draft" and on is not None:
            _move_deposit(ctx, deposit, invoice, on, -1)
        elif invoice.status != "draft":
            stands = ledger.of_invoice(ctx, deposit.id)
            ledger.write(ctx, deposit.id, [one.less() for one in stands if one.taken_off_by == invoice.id])
        documents.tell(ctx, records.save(ctx, deposit, applied_to=None), "invoice.updated")


def keep_applied(row: Row) -> None:
    """Raise Conflict if another invoice takes this deposit off."""
    if row.applied_to is not None:
        message = f"The invoice {row.applied_to} takes this deposit off: void it, or delete it while it is a draft."
        raise Conflict(message, code="has_dependents", dependents={"invoices": 1})


def forfeit_deposit(ctx: Context, row: Row, on: date) -> None:
    """Count the GST on a deposit that the business keeps."""
    ledger.write(ctx, row.id, [_count_deposit(row, "forfeit", on)])


def void_forfeited(ctx: Context, row: Row, on: date) -> None:
    """Remove the GST on a forfeited deposit that is now void."""
    if row.forfeited_on is not None:
        ledger.write(ctx, row.id, [_count_deposit(row, "forfeit", on, -1)])


def credit_deposit(ctx: Context, before: Row, after: Row, on: date) -> None:
    """Adjust an applied or forfeited deposit to what a note leaves of it; the caller has locked both invoices."""
    if before.forfeited_on is not None:
        on = max(on, before.forfeited_on)
        ledger.write(ctx, before.id, [_count_deposit(before, "forfeit", on, -1), _count_deposit(after, "forfeit", on)])
    elif before.applied_to is not None:
        invoice = records.find(ctx, before.applied_to)
        if invoice.status != "draft":  # else it counts when that is sent
            on = max(on, invoice.issue_date)
            _move_deposit(ctx, before, invoice, on, -1)
            _move_deposit(ctx, after, invoice, on, 1)


def _taken_off_by(invoice: Row) -> sa.ColumnElement[bool]:
    taken_off: sa.ColumnElement[bool] = invoices.c.applied_to == invoice.id
    return taken_off


def _move_deposit(
    ctx: Context, deposit: Row, invoice: Row, on: date, sign: int, *, of_invoice: Kind = "deposit"
) -> None:
    counted = _count_deposit(deposit, "deposit", on, sign)
    ledger.write(ctx, deposit.id, [msgspec.structs.replace(counted, taken_off_by=invoice.id)])
    ledger.write(ctx, invoice.id, [_count_deposit(deposit, of_invoice, on, -sign)])


def _count_deposit(row: Row, kind: Kind, on: date, sign: int = 1) -> Change:
    """Return the change that makes a deposit part of the price, by the GST codes of the work, with its GST."""
    amount = cents(row.total - row.amount_credited)
    shares = [Part(*part) for part in row.claim_parts]
    if amount != sum(part.total for part in shares):
        shares = part_of(shares, amount, per_line=False) if amount else []
    sums: dict[str, Any] = dict.fromkeys(UNTAXED, 0) | {"out_of_scope": -amount}
    for part in shares:
        if part.gst_code in UNTAXED:
            sums[part.gst_code] += part.total
    sums["gst"] = sum(part.gst for part in shares)
    change = Change(kind=kind, counts_on=on)
    for name, value in sums.items():
        setattr(change, name, sign * dollars(value))
    return change
