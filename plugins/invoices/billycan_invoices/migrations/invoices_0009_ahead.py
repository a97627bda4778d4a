"""Note what of a supply counts ahead of its invoices; of those there are nothing does, so their figures stay."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Cents, Json

revision, down_revision = "invoices_0009", "invoices_0008"


def upgrade() -> None:
    op.add_column("invoices", sa.Column("claim_supply", Json))
    figures = ("total", "gst", "export", "gst_free", "input_taxed")
    op.create_table(
        "invoices_ahead",
        sa.Column("tenant_id", ByCodePoint, sa.ForeignKey("core_tenants.id"), primary_key=True),
        sa.Column("id", ByCodePoint, primary_key=True),
        sa.Column("invoice_id", ByCodePoint, nullable=False),
        sa.Column("work_id", ByCodePoint, nullable=False),
        sa.Column("counts_on", sa.Date, nullable=False),
        *(sa.Column(name, Cents(), nullable=False) for name in figures),
        sa.ForeignKeyConstraint(["tenant_id", "invoice_id"], ["invoices.tenant_id", "invoices.id"]),
    )
    op.create_index(
        "ix_invoices_ahead_tenant_id_work_id_counts_on", "invoices_ahead", ["tenant_id", "work_id", "counts_on"]
    )
    op.create_index("ix_invoices_ahead_tenant_id_invoice_id", "invoices_ahead", ["tenant_id", "invoice_id"])


def downgrade() -> None:
    op.drop_table("invoices_ahead")
    op.drop_column("invoices", "claim_supply")
