"""Create the table of records whose timed work failed and waits."""

import sqlalchemy as sa
from alembic import op

from billycan.db import ByCodePoint, UTCDateTime

revision, down_revision = "core_0002", "core_0001"


def upgrade() -> None:
    op.create_table(
        "core_put_off",
        sa.Column("tenant_id", ByCodePoint, sa.ForeignKey("core_tenants.id"), primary_key=True),
        sa.Column("task", ByCodePoint, primary_key=True),
        sa.Column("id", ByCodePoint, primary_key=True),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("until", UTCDateTime, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("core_put_off")
