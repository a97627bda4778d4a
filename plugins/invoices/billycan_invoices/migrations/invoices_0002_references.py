"""Create the table of payments that are to be allocated."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint
from billycan.migrations import key_columns

revision, down_revision = "invoices_0002", "invoices_0001"


def upgrade() -> None:
    op.create_table(
        "invoices_settling",
        *key_columns(),
        sa.Column("invoice_id", ByCodePoint, nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id", "invoice_id"],
            ["invoices.tenant_id", "invoices.id"],
            name="fk_invoices_settling_tenant_id_invoice_id",
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id", "id"],
            ["invoices_payments.tenant_id", "invoices_payments.id"],
            name="fk_invoices_settling_payment",
        ),
    )
    op.create_index("ix_invoices_settling_tenant_id_invoice_id", "invoices_settling", ["tenant_id", "invoice_id"])


def downgrade() -> None:
    op.drop_table("invoices_settling")
