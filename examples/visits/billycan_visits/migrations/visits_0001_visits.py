"""Create the tables of visits and of plans."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Decimals
from billycan.migrations import create_resource_table, key_columns

revision, down_revision = "visits_0001", None


def upgrade() -> None:
    create_resource_table(
        op,
        "visits",
        sa.Column("job_id", ByCodePoint, nullable=False),
        sa.Column("visited_on", sa.Date, nullable=False),
        sa.Column("hours", Decimals(4), nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id", "job_id"], ["jobs.tenant_id", "jobs.id"], name="fk_visits_tenant_id_job_id"
        ),
    )
    op.create_index("ix_visits_tenant_id_job_id_visited_on", "visits", ["tenant_id", "job_id", "visited_on"])
    op.create_table(
        "visits_plans",
        *key_columns(),
        sa.Column("every_days", sa.Integer, nullable=False),
        sa.Column("next_on", sa.Date, nullable=False),
    )


def downgrade() -> None:
    for table in ("visits_plans", "visits"):
        op.drop_table(table)
