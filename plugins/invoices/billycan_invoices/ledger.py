"""The ledger of invoices: what sending one, each movement of its money and each note changed, and on which day.

Entries are added and never rewritten, so what was paid, credited or written off of an invoice up to a day is a sum over
them: `tables.entries` says what each column holds. What is undone on a later day has an entry there. What was a mistake
is taken off on the very days on which it stood, so that no sum of any day has it: see `undo`.
"""

from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Literal

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, new_id
from billycan.gst import check_unlocked
from billycan.sql import Insertion, Statement

from .rules import ZERO
from .sums import in_cents
from .tables import entries

Kind = Literal["invoice", "payment", "note", "write_off", "void", "deposit", "forfeit"]
# The GST codes that are told apart; what is left of a total is taxable, with GST.
UNTAXED = ("gst_free", "export", "input_taxed", "out_of_scope")
SETTLED = ("paid", "cash_rounding", "credited", "written_off")
FIGURES = (*SETTLED, "total", "gst", *UNTAXED)
# Entries that have all of these in common count as one, of their sum.
CAUSE = ("invoice_id", "kind", "counts_on", "payment_id", "note_id")
_KEY = (*CAUSE, "taken_off_by")


class Change(Struct, kw_only=True):
    """What changed of an invoice, by what, and on which day it counts."""

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
        """The change that takes these figures of this one off on the same day; all of them without names."""
        taken = {name: -getattr(self, name) for name in names or FIGURES}
        return Change(**{name: getattr(self, name) for name in _KEY[1:]}, **taken)


_INSERT = Insertion(entries, entries.c.keys())


def _by(column: sa.Column[Any]) -> Statement:
    return Statement(
        sa.select(*(entries.c[name] for name in (*_KEY, *FIGURES)))
        .where(entries.c.tenant_id == sa.bindparam("tenant_id"), column == sa.bindparam("id"))
        .order_by(entries.c.counts_on, entries.c.id)
    )


_OF_INVOICE, _OF_PAYMENT = _by(entries.c.invoice_id), _by(entries.c.payment_id)


def write(ctx: Context, invoice_id: str, changes: Sequence[Change]) -> None:
    """Add entries to the ledger, in one statement. Conflict `period_locked` for days until which it is locked."""
    check_unlocked(ctx, *(one.counts_on for one in changes))
    rows = [{"id": new_id("ent"), "invoice_id": invoice_id, **msgspec.structs.asdict(one)} for one in changes]
    if rows:
        _INSERT.run(ctx.db, ctx.tenant_id, rows)


def of_invoice(ctx: Context, invoice_id: str) -> list[Change]:
    """What stands of an invoice, by day."""
    return _standing(_OF_INVOICE.all(ctx.db, {"tenant_id": ctx.tenant_id, "id": invoice_id})).get(invoice_id, [])


def of_payment(ctx: Context, payment_id: str) -> dict[str, list[Change]]:
    """What stands of a payment, by invoice and by day; invoices that it settles no longer are among them."""
    return _standing(_OF_PAYMENT.all(ctx.db, {"tenant_id": ctx.tenant_id, "id": payment_id}))


def netted(*where: sa.ColumnElement[bool]) -> sa.Select[Any]:
    """What stands of the entries of `tenant_id`, a parameter, in whole cents: those of one cause as one, and none of
    what is undone.
    """
    sums = {name: sa.cast(sa.func.sum(in_cents(entries.c[name])), sa.BigInteger) for name in FIGURES}
    cause = [entries.c[name] for name in CAUSE]
    return (
        sa.select(sa.func.min(entries.c.id).label("id"), *cause, *(sums[name].label(name) for name in FIGURES))
        .where(entries.c.tenant_id == sa.bindparam("tenant_id"), *where)
        .group_by(*cause)
        .having(sa.or_(*(one != 0 for one in sums.values())))
    )


def last_day(changes: Iterable[Change], *days: date) -> date:
    """The last of these days and of those on which something stands."""
    return max(*days, date.min, *(one.counts_on for one in changes))


def priced(kind: Kind, counts_on: date, row: Any, sign: int = 1, **members: Any) -> Change:
    """A change by the price of an invoice or a note that was sent, as its row has it; less it where `sign` is -1."""
    change = Change(kind=kind, counts_on=counts_on, total=sign * row["total"], gst=sign * row["gst"], **members)
    for part in row["gst_breakdown"]:
        if (code := part["gst_code"]) in UNTAXED:
            setattr(change, code, sign * (Decimal(part["net"]) + Decimal(part["gst"])))
    return change


def _standing(rows: Iterable[Any]) -> dict[str, list[Change]]:
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
