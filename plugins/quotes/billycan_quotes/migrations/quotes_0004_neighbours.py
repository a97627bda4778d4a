"""Index which job or booking a quote names: it is asked when one of those is deleted, and by lists."""

from alembic import op

from billycan.migrations import create_neighbour_index

revision, down_revision = "quotes_0004", "quotes_0003"
COLUMNS = ("job_id", "booking_id")


def upgrade() -> None:
    for column in COLUMNS:
        create_neighbour_index(op, "quotes", column)


def downgrade() -> None:
    for column in COLUMNS:
        op.drop_index(f"ix_quotes_tenant_id_{column}", "quotes")
