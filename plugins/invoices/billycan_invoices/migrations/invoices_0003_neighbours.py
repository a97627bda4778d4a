"""Index which quote, job or booking an invoice names: it is asked when one of those is deleted, and by lists."""

from alembic import op

from billycan.migrations import create_neighbour_index

revision, down_revision = "invoices_0003", "invoices_0002"
COLUMNS = ("quote_id", "job_id", "booking_id")


def upgrade() -> None:
    for column in COLUMNS:
        create_neighbour_index(op, "invoices", column)


def downgrade() -> None:
    for column in COLUMNS:
        op.drop_index(f"ix_invoices_tenant_id_{column}", "invoices")
