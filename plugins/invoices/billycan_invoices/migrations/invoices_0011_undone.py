"""Note on which day what was undone counts, and what of a note is held back on a cash basis.

What was undone before counts as it did. Of the notes there are nothing is held back, so their figures stay.
"""

from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Cents, Json, UTCDateTime

revision, down_revision = "invoices_0011", "invoices_0010"

HELD = "invoices_held"
FIGURES = ("paid", "cash_rounding", "total", "gst", "gst_free", "export", "input_taxed", "out_of_scope")
COLUMNS = (
    ("invoices", "voided_on"),
    ("invoices", "written_off_on"),
    ("invoices_payments", "reversed_on"),
    ("invoices_notes", "voided_on"),
)

tenants = sa.table("core_tenants", sa.column("id", sa.Text), sa.column("profile", Json))


def upgrade() -> None:
    for table, column in COLUMNS:
        op.add_column(table, sa.Column(column, sa.Date))
    op.create_table(
        HELD,
        sa.Column("tenant_id", ByCodePoint, sa.ForeignKey("core_tenants.id"), primary_key=True),
        sa.Column("id", ByCodePoint, primary_key=True),
        *(sa.Column(name, ByCodePoint, nullable=False) for name in ("invoice_id", "note_id", "payment_id")),
        sa.Column("counts_on", sa.Date, nullable=False),
        *(sa.Column(name, Cents(), nullable=False) for name in FIGURES),
        sa.ForeignKeyConstraint(["tenant_id", "invoice_id"], ["invoices.tenant_id", "invoices.id"]),
    )
    for columns in (("invoice_id", "counts_on"), ("counts_on", "invoice_id"), ("payment_id",)):
        op.create_index(f"ix_{HELD}_tenant_id_{'_'.join(columns)}", HELD, ["tenant_id", *columns])
    op.create_index("ix_invoices_entries_tenant_id_payment_id", "invoices_entries", ["tenant_id", "payment_id"])
    connection = op.get_bind()
    for tenant_id, profile in connection.execute(sa.select(tenants.c.id, tenants.c.profile)).all():
        zone = ZoneInfo(profile.get("timezone", "Australia/Sydney"))
        _fill(connection, tenant_id, zone, "invoices", "voided_at", "voided_on", "issue_date")
        _fill(connection, tenant_id, zone, "invoices", "written_off_at", "written_off_on", "issue_date")
        _fill(connection, tenant_id, zone, "invoices_payments", "reversed_at", "reversed_on", "paid_on")
        _fill(connection, tenant_id, zone, "invoices_notes", "voided_at", "voided_on", "issue_date")
    # Of the oldest ones that were written off it is not known when.
    op.execute(
        "UPDATE invoices SET written_off_on = issue_date WHERE status = 'written_off' AND written_off_on IS NULL"
    )


def downgrade() -> None:
    op.drop_index("ix_invoices_entries_tenant_id_payment_id", "invoices_entries")
    op.drop_table(HELD)
    for table, column in COLUMNS:
        op.drop_column(table, column)


def _fill(connection: sa.Connection, tenant_id: str, zone: ZoneInfo, name: str, at: str, on: str, least: str) -> None:
    """The dates of the times of a table, in the zone of the business, none before what was undone."""
    key = [sa.column("tenant_id", sa.Text), sa.column("id", sa.Text)]
    dates: list[Any] = [sa.column(on, sa.Date), sa.column(least, sa.Date)]
    table = sa.table(name, *key, sa.column(at, UTCDateTime), *dates)
    mine = table.c.tenant_id == tenant_id
    found = connection.execute(sa.select(table.c.id, table.c[at], table.c[least]).where(mine, table.c[at].is_not(None)))
    days: list[dict[str, Any]] = []
    for id, moment, first in found:
        day: date = max(moment.astimezone(zone).date(), first)
        days.append({"b_id": id, "b_on": day})
    if days:
        this = sa.update(table).where(mine, table.c.id == sa.bindparam("b_id")).values({on: sa.bindparam("b_on")})
        connection.execute(this, days)
