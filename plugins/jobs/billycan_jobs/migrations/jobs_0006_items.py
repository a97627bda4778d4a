"""Let lines name the item of the price list that they were filled in from."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint
from billycan.migrations import create_neighbour_index

revision, down_revision = "jobs_0006", "jobs_0005"


def upgrade() -> None:
    op.add_column("jobs_lines", sa.Column("item_id", ByCodePoint))
    create_neighbour_index(op, "jobs_lines", "item_id")


def downgrade() -> None:
    op.drop_index("ix_jobs_lines_tenant_id_item_id", "jobs_lines")
    op.drop_column("jobs_lines", "item_id")
