"""Find payments by their references."""

from alembic import op

from billycan.migrations import create_neighbour_index

revision, down_revision = "invoices_0002", "invoices_0001"


def upgrade() -> None:
    create_neighbour_index(op, "invoices_payments", "reference")


def downgrade() -> None:
    op.drop_index("ix_invoices_payments_tenant_id_reference", "invoices_payments")
