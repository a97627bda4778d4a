"""Index which job a booking names: it is asked when one of those is deleted, and by lists."""

from alembic import op

from billycan.migrations import create_neighbour_index

revision, down_revision = "bookings_0002", "bookings_0001"


def upgrade() -> None:
    create_neighbour_index(op, "bookings", "job_id")


def downgrade() -> None:
    op.drop_index("ix_bookings_tenant_id_job_id", "bookings")
