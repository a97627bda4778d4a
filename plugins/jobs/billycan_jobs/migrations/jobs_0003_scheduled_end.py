"""Index when jobs end: who can be booked depends on what is not over yet."""

from alembic import op

revision, down_revision = "jobs_0003", "jobs_0002"


def upgrade() -> None:
    op.create_index("ix_jobs_tenant_id_scheduled_end", "jobs", ["tenant_id", "scheduled_end"])


def downgrade() -> None:
    op.drop_index("ix_jobs_tenant_id_scheduled_end", "jobs")
