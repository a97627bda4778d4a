"""The ledger of invoices: the change made by each sending, payment and note, and the day on which it counts.

Entries are added and never rewritten, so the amount paid, credited or written off up to a day is a sum over them:
`tables.entries` describes each column. Undoing something on a later day adds an entry on that day. A mistake is taken
off on the same days on which it was entered, so that it appears in no day's sum: see `Undoing`.
"""

from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Literal

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, new_id
from billycan.sql import Statement

from ..rules import ZERO
from ..tables import entries
from .sums import in_cents

Kind = Literal["invoice", "payment", "note", "write_off", "void", "deposit", "forfeit"]
# The GST codes with a figure of their own; the rest of a total is taxable, with GST.
UNTAXED = ("gst_free", "export", "input_taxed", "out_of_scope")
SETTLED = ("paid", "cash_rounding", "credited", "written_off")
FIGURES = (*SETTLED, "total", "gst", *UNTAXED)
# Entries that agree in all of these count as one entry with the sum of their figures.
CAUSE = ("invoice_id", "kind", "counts_on", "payment_id", "note_id")
_KEY = (*CAUSE, "taken_off_by")


class Change(Struct, kw_only=True):
    """A change of an invoice's figures, its cause, and the day on which it counts."""

    kind: Kind
    counts_on: date
    payment_id: str | None = None
    note_id: str | None = None
    taken_off_by: str | None = None
    paid: Decimal = ZERO
    cash_rounding: Decimal = ZERO
    credited: Decimal = ZERO
    written_off: Decimal = ZERO
    total: Decimal = ZERO
    gst: Decimal = ZERO
    gst_free: Decimal = ZERO
    export: Decimal = ZERO
    input_taxed: Decimal = ZERO
    out_of_scope: Decimal = ZERO

    def less(self, *names: str) -> "Change":
        """Return the change that reverses these figures on the same day; all figures if none are named."""
        taken = {name: -getattr(self, name) for name in names or FIGURES}
        return Change(**{name: getattr(self, name) for name in _KEY[1:]}, **taken)


_INSERT = Statement.Insertion(entries, entries.c.keys())


def _build_entries_by(column: sa.Column[Any]) -> Statement:
    return Statement(
        sa.select(*(entries.c[name] for name in (*_KEY, *FIGURES)))
        .where(entries.c.tenant_id == sa.bindparam("tenant_id"), column == sa.bindparam("id"))
        .order_by(entries.c.counts_on, entries.c.id)
    )


_OF_INVOICE, _OF_PAYMENT = _build_entries_by(entries.c.invoice_id), _build_entries_by(entries.c.payment_id)


def write(ctx: Context, invoice_id: str, changes: Sequence[Change]) -> None:
    """Add entries to the ledger, in one statement. Raises Conflict `period_locked` if a day is in a locked period."""
    ctx.check_unlocked(*(one.counts_on for one in changes))
    rows = [{"id": new_id("ent"), "invoice_id": invoice_id, **msgspec.structs.asdict(one)} for one in changes]
    if rows:
        _INSERT.run(ctx.db, ctx.tenant_id, rows)


def of_invoice(ctx: Context, invoice_id: str) -> list[Change]:
    """Return an invoice's changes that still stand, by day."""
    return _group_standing(_OF_INVOICE.all(ctx.db, {"tenant_id": ctx.tenant_id, "id": invoice_id})).get(invoice_id, [])


def of_payment(ctx: Context, payment_id: str) -> dict[str, list[Change]]:
    """Map each invoice to a payment's changes that still stand, by day, even if the payment no longer settles it."""
    return _group_standing(_OF_PAYMENT.all(ctx.db, {"tenant_id": ctx.tenant_id, "id": payment_id}))


def netted(*where: sa.ColumnElement[bool]) -> sa.Select[Any]:
    """Select the standing entries of the business in the parameter `tenant_id`, added up by cause, in whole cents."""
    sums = {name: sa.cast(sa.func.sum(in_cents(entries.c[name])), sa.BigInteger) for name in FIGURES}
    cause = [entries.c[name] for name in CAUSE]
    return (
        sa.select(sa.func.min(entries.c.id).label("id"), *cause, *(sums[name].label(name) for name in FIGURES))
        .where(entries.c.tenant_id == sa.bindparam("tenant_id"), *where)
        .group_by(*cause)
        .having(sa.or_(*(one != 0 for one in sums.values())))
    )


def last_day(changes: Iterable[Change], *days: date) -> date:
    """Return the latest of these days, including the days of the changes."""
    return max(*days, date.min, *(one.counts_on for one in changes))


def priced(kind: Kind, counts_on: date, row: Any, sign: int = 1, **members: Any) -> Change:
    """Return the change made by the price of a sent invoice or note; `sign` -1 takes the price off."""
    change = Change(kind=kind, counts_on=counts_on, total=sign * row["total"], gst=sign * row["gst"], **members)
    for part in row["gst_breakdown"]:
        if (code := part["gst_code"]) in UNTAXED:
            setattr(change, code, sign * (Decimal(part["net"]) + Decimal(part["gst"])))
    return change


def _group_standing(rows: Iterable[Any]) -> dict[str, list[Change]]:
    found: dict[tuple[Any, ...], Change] = {}
    for row in rows:
        cause, figures = row[: len(_KEY)], row[len(_KEY) :]
        if (one := found.get(cause)) is None:
            members = dict(zip(_KEY[1:], cause[1:], strict=True))
            one = found[cause] = Change(**members)
        for name, amount in zip(FIGURES, figures, strict=True):
            setattr(one, name, getattr(one, name) + amount)
    by_invoice: dict[str, list[Change]] = {}
    for cause, one in found.items():
        if any(getattr(one, name) for name in FIGURES):
            by_invoice.setdefault(cause[0], []).append(one)
    return by_invoice
