"""Note what an invoice bills of a quote's or a job's work; the figures of those there are stay as they are."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Cents, Json, TenThousandths
from billycan.migrations import create_neighbour_index

revision, down_revision = "invoices_0007", "invoices_0006"


def upgrade() -> None:
    for column in (
        sa.Column("claim", sa.Text),
        sa.Column("claim_on", ByCodePoint),
        sa.Column("claimed", Cents()),
        sa.Column("claim_percent", TenThousandths()),
        sa.Column("claim_parts", Json),
        # SQLite adds a column that is never null only with a default; each INSERT gives its own value.
        sa.Column("deposits_applied", Cents(), nullable=False, server_default="0"),
        sa.Column("applied_to", ByCodePoint),
        sa.Column("deposit_gst", Cents()),
        sa.Column("forfeited_on", sa.Date),
        sa.Column("forfeit_reason", sa.Text),
    ):
        op.add_column("invoices", column)
    create_neighbour_index(op, "invoices", "applied_to")


def downgrade() -> None:
    op.drop_index("ix_invoices_tenant_id_applied_to", "invoices")
    for column in (
        *("claim", "claim_on", "claimed", "claim_percent", "claim_parts", "deposits_applied", "applied_to"),
        *("deposit_gst", "forfeited_on", "forfeit_reason"),
    ):
        op.drop_column("invoices", column)
