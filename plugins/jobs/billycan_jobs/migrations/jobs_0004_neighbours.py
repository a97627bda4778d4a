"""Index which quote or booking a job was made for: it is asked when one of those is deleted, and by lists."""

from alembic import op

from billycan.migrations import create_neighbour_index

revision, down_revision = "jobs_0004", "jobs_0003"
COLUMNS = ("quote_id", "booking_id")


def upgrade() -> None:
    for column in COLUMNS:
        create_neighbour_index(op, "jobs", column)


def downgrade() -> None:
    for column in COLUMNS:
        op.drop_index(f"ix_jobs_tenant_id_{column}", "jobs")
