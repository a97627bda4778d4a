"""The ledger of invoices: what sending one, each movement of its money and each note changed, and on which day.

Entries are added and never rewritten, so what was paid, credited or written off of an invoice up to a day is a sum over
them, and stays so: `tables.entries` says what each column holds.
"""

from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Literal

import msgspec
from msgspec import Struct

from billycan import Context, Row, new_id
from billycan.sql import Insertion

from .rules import ZERO
from .tables import entries

Kind = Literal["invoice", "payment", "note", "write_off", "void", "deposit", "forfeit"]
# The GST codes that are told apart; what is left of a total is taxable, with GST.
UNTAXED = ("gst_free", "export", "input_taxed", "out_of_scope")


class Change(Struct, kw_only=True):
    """What changed of an invoice, by what, and on which day it counts."""

    kind: Kind
    counts_on: date
    payment_id: str | None = None
    note_id: str | None = None
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


_INSERT = Insertion(entries, entries.c.keys())


def write(ctx: Context, invoice_id: str, changes: Sequence[Change]) -> None:
    """Add entries to the ledger, in one statement."""
    rows = [{"id": new_id("ent"), "invoice_id": invoice_id, **msgspec.structs.asdict(one)} for one in changes]
    _INSERT.run(ctx.db, ctx.tenant_id, rows)


def priced(kind: Kind, counts_on: date, row: Any, sign: int = 1, **members: Any) -> Change:
    """A change by the price of an invoice or a note that was sent, as its row has it; less it where `sign` is -1."""
    change = Change(kind=kind, counts_on=counts_on, total=sign * row["total"], gst=sign * row["gst"], **members)
    for part in row["gst_breakdown"]:
        if (code := part["gst_code"]) in UNTAXED:
            setattr(change, code, sign * (Decimal(part["net"]) + Decimal(part["gst"])))
    return change


def day_of(ctx: Context, payments: Iterable[Row]) -> date:
    """The day on which money moves that is moved now: today, but no earlier than it was received."""
    days: list[date] = [ctx.today(), *(payment.paid_on for payment in payments)]
    return max(days)
