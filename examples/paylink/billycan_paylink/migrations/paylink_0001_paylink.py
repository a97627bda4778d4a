"""Create the table of checkouts."""

import sqlalchemy as sa
from alembic import op

from billycan import Decimals, UTCDateTime
from billycan.migrations import key_columns

revision, down_revision = "paylink_0001", None


def upgrade() -> None:
    op.create_table(
        "paylink_checkouts",
        *key_columns(),
        sa.Column("invoice_id", sa.Text, nullable=False),
        sa.Column("amount", Decimals(2), nullable=False),
        sa.Column("url", sa.Text),
        sa.Column("created_at", UTCDateTime, nullable=False),
        sa.Column("paid_at", UTCDateTime),
        sa.ForeignKeyConstraint(
            ["tenant_id", "invoice_id"],
            ["invoices.tenant_id", "invoices.id"],
            name="fk_paylink_checkouts_tenant_id_invoice_id",
        ),
    )
    op.create_index("ix_paylink_checkouts_tenant_id_invoice_id", "paylink_checkouts", ["tenant_id", "invoice_id"])


def downgrade() -> None:
    op.drop_table("paylink_checkouts")
