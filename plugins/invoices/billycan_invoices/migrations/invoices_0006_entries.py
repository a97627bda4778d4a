"""Keep a ledger of what changed of each invoice, and on which day; what is stored becomes its first entries."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Cents, Json, UTCDateTime
from billycan.migrations import key_columns

revision, down_revision = "invoices_0006", "invoices_0005"

BATCH = 1000
ENTRIES = "invoices_entries"
SETTLED = ("paid", "cash_rounding", "credited", "written_off")
UNTAXED = ("gst_free", "export", "input_taxed", "out_of_scope")
PRICE = ("total", "gst", *UNTAXED)
ZERO = Decimal("0.00")

tenants = sa.table("core_tenants", sa.column("id", sa.Text), sa.column("profile", Json))
invoices = sa.table(
    "invoices",
    *(sa.column(name, sa.Text) for name in ("tenant_id", "id", "status")),
    sa.column("issue_date", sa.Date),
    sa.column("gst_breakdown", sa.JSON),
    *(sa.column(name, Cents()) for name in ("total", "gst", "amount_written_off")),
    *(sa.column(name, UTCDateTime) for name in ("voided_at", "written_off_at")),
)
notes = sa.table(
    "invoices_notes",
    *(sa.column(name, sa.Text) for name in ("tenant_id", "id", "invoice_id", "status")),
    sa.column("issue_date", sa.Date),
    sa.column("issued_at", UTCDateTime),
    sa.column("released", Json),
    sa.column("gst_breakdown", sa.JSON),
    *(sa.column(name, Cents()) for name in ("total", "gst")),
)
allocations = sa.table(
    "invoices_allocations",
    *(sa.column(name, sa.Text) for name in ("tenant_id", "id", "invoice_id", "payment_id")),
    *(sa.column(name, Cents()) for name in ("amount", "cash_rounding")),
    sa.column("allocated_on", sa.Date),
)
payments = sa.table(
    "invoices_payments",
    *(sa.column(name, sa.Text) for name in ("tenant_id", "id")),
    *(sa.column(name, UTCDateTime) for name in ("created_at", "reversed_at")),
)


def upgrade() -> None:
    op.create_table(
        ENTRIES,
        *key_columns(),
        sa.Column("invoice_id", ByCodePoint, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("counts_on", sa.Date, nullable=False),
        sa.Column("payment_id", ByCodePoint),
        sa.Column("note_id", ByCodePoint),
        *(sa.Column(name, Cents(), nullable=False) for name in (*SETTLED, *PRICE)),
        sa.ForeignKeyConstraint(
            ["tenant_id", "invoice_id"],
            ["invoices.tenant_id", "invoices.id"],
            name=f"fk_{ENTRIES}_tenant_id_invoice_id",
        ),
    )
    for columns in (("invoice_id", "counts_on", "id"), ("counts_on", "invoice_id")):
        op.create_index(f"ix_{ENTRIES}_tenant_id_{'_'.join(columns)}", ENTRIES, ["tenant_id", *columns])
    connection = op.get_bind()
    for tenant_id, profile in connection.execute(sa.select(tenants.c.id, tenants.c.profile)).all():
        _fill(connection, tenant_id, ZoneInfo(profile["timezone"]))


def downgrade() -> None:
    op.drop_table(ENTRIES)


def _fill(connection: sa.Connection, tenant_id: str, zone: ZoneInfo) -> None:
    """The entries of a business's invoices, some at a time."""
    names = ("tenant_id", "id", "invoice_id", "kind", "payment_id", "note_id")
    columns: list[sa.ColumnClause[Any]] = [*map(sa.column, names), sa.column("counts_on", sa.Date)]
    columns += [sa.column(name, Cents()) for name in (*SETTLED, *PRICE)]
    insert = sa.insert(sa.table(ENTRIES, *columns))
    last = ""
    while True:
        sent = (invoices.c.tenant_id == tenant_id) & (invoices.c.status != "draft") & (invoices.c.id > last)
        rows = connection.execute(sa.select(invoices).where(sent).order_by(invoices.c.id).limit(BATCH)).all()
        if not rows:
            return
        first, last = rows[0].id, rows[-1].id
        settled, reduced = _beside(connection, tenant_id, first, last)
        made = [
            {**_blank(), "tenant_id": tenant_id, "invoice_id": row.id, **entry}
            for row in rows
            for entry in _entries(row, settled[row.id], reduced[row.id], zone)
        ]
        # An id that grows in the order of what happened, as those of later entries do.
        connection.execute(
            insert, [{"id": f"ent_0{row['invoice_id'][4:]}{i:06d}", **row} for i, row in enumerate(made)]
        )


def _beside(
    connection: sa.Connection, tenant_id: str, first: str, last: str
) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    """By invoice, for a range of their ids: what payments settle of it, and the notes that reduce it."""
    settled, reduced = defaultdict(list), defaultdict(list)
    joined = (payments.c.tenant_id == allocations.c.tenant_id) & (payments.c.id == allocations.c.payment_id)
    select = sa.select(allocations, payments.c.created_at, payments.c.reversed_at).join(payments, joined)
    here = (allocations.c.tenant_id == tenant_id) & allocations.c.invoice_id.between(first, last)
    for row in connection.execute(select.where(here).order_by(allocations.c.payment_id)):
        settled[row.invoice_id].append(row)
    here = (notes.c.tenant_id == tenant_id) & notes.c.invoice_id.between(first, last) & (notes.c.status == "issued")
    for row in connection.execute(sa.select(notes).where(here).order_by(notes.c.id)):
        reduced[row.invoice_id].append(row)
    return settled, reduced


def _entries(invoice: Any, settled: Iterable[Any], reduced: Iterable[Any], zone: ZoneInfo) -> Iterator[dict[str, Any]]:
    """What is known of what happened to an invoice; its sums are the invoice's figures."""
    yield {"kind": "invoice", "counts_on": invoice.issue_date, **_price(invoice, 1)}
    if invoice.status == "void":
        on = _day(invoice.voided_at, zone, invoice.issue_date)
        yield {"kind": "void", "counts_on": on, **_price(invoice, -1)}
    recovered = ZERO
    for one in settled:
        signs = [(1, one.allocated_on, one.created_at)]
        if one.reversed_at:
            signs.append((-1, _day(one.reversed_at, zone, one.allocated_on), one.reversed_at))
        for sign, on, at in signs:
            paid, rounding = sign * one.amount, sign * one.cash_rounding
            late = invoice.written_off_at is not None and at > invoice.written_off_at
            change = -(paid + rounding) if late else ZERO
            recovered += change
            figures = {"paid": paid, "cash_rounding": rounding, "written_off": change}
            yield {"kind": "payment", "counts_on": on, "payment_id": one.payment_id, **figures}
    if off := invoice.amount_written_off - recovered:
        on = _day(invoice.written_off_at, zone, invoice.issue_date)
        yield {"kind": "write_off", "counts_on": on, "written_off": off}
    for note in reduced:
        price = {"credited": note.total, **_price(note, -1)}
        yield {"kind": "note", "counts_on": note.issue_date, "note_id": note.id, **price}
        for one in note.released:  # it had settled so much before
            paid, rounding = Decimal(one["amount"]), Decimal(one["cash_rounding"])
            settling, since = (
                {"kind": "payment", "payment_id": one["payment_id"]},
                date.fromisoformat(one["allocated_on"]),
            )
            yield {**settling, "counts_on": since, "paid": paid, "cash_rounding": rounding}
            back = {"note_id": note.id, "paid": -paid, "cash_rounding": -rounding}
            yield {**settling, "counts_on": _day(note.issued_at, zone, since), **back}


def _price(row: Any, sign: int) -> dict[str, Decimal]:
    price = {"total": sign * row.total, "gst": sign * row.gst}
    for part in row.gst_breakdown:
        if part["gst_code"] in UNTAXED:
            price[part["gst_code"]] = sign * (Decimal(part["net"]) + Decimal(part["gst"]))
    return price


def _blank() -> dict[str, Any]:
    return {"payment_id": None, "note_id": None, **dict.fromkeys((*SETTLED, *PRICE), ZERO)}


def _day(at: datetime | None, zone: ZoneInfo, least: date) -> date:
    """The date of a time in a zone, but none before `least`; rows from before there was such a time count there."""
    return max(at.astimezone(zone).date(), least) if at else least
