"""Create the tables of lodged GST periods and of the entries that were lodged."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Cents, Json
from billycan.migrations import create_resource_table, key_columns

revision, down_revision = "reports_0001", None

PERIODS, ENTRIES = "reports_gst_periods", "reports_gst_entries"
LABELS = ("G1", "G2", "G3", "G4", "G7", "1A", "G10", "G11", "G13", "G14", "G15", "G18", "1B")


def upgrade() -> None:
    create_resource_table(
        op,
        PERIODS,
        sa.Column("since", sa.Date, nullable=False),
        sa.Column("until", sa.Date, nullable=False),
        sa.Column("basis", sa.Text, nullable=False),
        sa.Column("figures", Json, nullable=False),
    )
    op.create_index(f"ix_{PERIODS}_tenant_id_until_id", PERIODS, ["tenant_id", "until", "id"])
    op.create_table(
        ENTRIES,
        *key_columns(),
        sa.Column("period_id", ByCodePoint, nullable=False),
        sa.Column("of_period_id", ByCodePoint, nullable=False),
        sa.Column("document_id", ByCodePoint, nullable=False),
        *(sa.Column(label, Cents(), nullable=False) for label in LABELS),
        *map(_to, ("period_id", "of_period_id")),
    )
    for column in ("period_id", "of_period_id"):
        op.create_index(f"ix_{ENTRIES}_tenant_id_{column}_document_id", ENTRIES, ["tenant_id", column, "document_id"])


def downgrade() -> None:
    for table in (ENTRIES, PERIODS):
        op.drop_table(table)


def _to(column: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["tenant_id", column], [f"{PERIODS}.tenant_id", f"{PERIODS}.id"], name=f"fk_{ENTRIES}_tenant_id_{column}"
    )
