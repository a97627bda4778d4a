"""Create the tables of lodged GST periods and of the entries that were lodged."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Decimals, Json, UTCDateTime
from billycan.migrations import create_resource_table, key_columns

revision, down_revision = "reports_0001", None


def upgrade() -> None:
    create_resource_table(
        op,
        "reports_gst_periods",
        sa.Column("since", sa.Date, nullable=False),
        sa.Column("until", sa.Date, nullable=False),
        sa.Column("basis", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("figures", Json, nullable=False),
        sa.Column("warnings", Json, nullable=False),
        sa.Column("reopened_at", UTCDateTime),
        sa.Column("reopen_reason", sa.Text),
    )
    _index("reports_gst_periods", "until", "id")
    op.create_table(
        "reports_gst_entries",
        *key_columns(),
        sa.Column("period_id", ByCodePoint, nullable=False),
        sa.Column("of_period_id", ByCodePoint, nullable=False),
        sa.Column("document_id", ByCodePoint, nullable=False),
        sa.Column("supply_id", ByCodePoint, nullable=False),
        sa.Column("G1", Decimals(2), nullable=False),
        sa.Column("G2", Decimals(2), nullable=False),
        sa.Column("G3", Decimals(2), nullable=False),
        sa.Column("G4", Decimals(2), nullable=False),
        sa.Column("G7", Decimals(2), nullable=False),
        sa.Column("1A", Decimals(2), nullable=False),
        sa.Column("G10", Decimals(2), nullable=False),
        sa.Column("G11", Decimals(2), nullable=False),
        sa.Column("G13", Decimals(2), nullable=False),
        sa.Column("G14", Decimals(2), nullable=False),
        sa.Column("G15", Decimals(2), nullable=False),
        sa.Column("G18", Decimals(2), nullable=False),
        sa.Column("1B", Decimals(2), nullable=False),
        sa.Column("W4", Decimals(2), nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id", "period_id"],
            ["reports_gst_periods.tenant_id", "reports_gst_periods.id"],
            name="fk_reports_gst_entries_tenant_id_period_id",
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id", "of_period_id"],
            ["reports_gst_periods.tenant_id", "reports_gst_periods.id"],
            name="fk_reports_gst_entries_tenant_id_of_period_id",
        ),
    )
    _index("reports_gst_entries", "period_id", "document_id")
    _index("reports_gst_entries", "of_period_id", "document_id")


def downgrade() -> None:
    op.drop_table("reports_gst_entries")
    op.drop_table("reports_gst_periods")


def _index(table: str, *columns: str) -> None:
    op.create_index(f"ix_{table}_tenant_id_{'_'.join(columns)}", table, ["tenant_id", *columns])
