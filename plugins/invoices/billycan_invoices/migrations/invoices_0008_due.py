"""Index invoices by their due date, so that those that are due soon or overdue are found in all businesses at once."""

from alembic import op

revision, down_revision = "invoices_0008", "invoices_0007"


def upgrade() -> None:
    op.create_index("ix_invoices_status_due_date", "invoices", ["status", "due_date"])


def downgrade() -> None:
    op.drop_index("ix_invoices_status_due_date", "invoices")
