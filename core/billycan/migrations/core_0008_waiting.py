"""Create the table of businesses whose timed work is left for a later round."""

import sqlalchemy as sa
from alembic import op

from billycan.db import ByCodePoint, UTCDateTime

revision, down_revision = "core_0008", "core_0007"


def upgrade() -> None:
    op.create_table(
        "core_waiting",
        sa.Column("tenant_id", ByCodePoint, sa.ForeignKey("core_tenants.id"), primary_key=True),
        sa.Column("task", ByCodePoint, primary_key=True),
        sa.Column("since", UTCDateTime, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("core_waiting")
