"""Index who is assigned to which jobs, on PostgreSQL."""

from alembic import op

revision, down_revision = "jobs_0002", "jobs_0001"


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute("CREATE INDEX ix_jobs_assignee_ids_search ON jobs USING gin (assignee_ids jsonb_path_ops)")


def downgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP INDEX ix_jobs_assignee_ids_search")
