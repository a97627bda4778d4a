"""Create the clocks."""

import sqlalchemy as sa
from alembic import op

from billycan import UTCDateTime
from billycan.migrations import key_columns

revision, down_revision = "clock_0001", None


def upgrade() -> None:
    op.create_table(
        "clock_clocks",
        *key_columns(),
        sa.Column("at", UTCDateTime, nullable=False),
        sa.Column("since", UTCDateTime, nullable=False),
        sa.Column("until", UTCDateTime),
        sa.Column("advanced_from", UTCDateTime),
        sa.Column("advanced_to", UTCDateTime),
        sa.Column("looked_at", UTCDateTime, nullable=False),
        sa.Column("created_at", UTCDateTime, nullable=False),
        sa.UniqueConstraint("tenant_id", name="uq_clock_clocks_tenant_id"),
    )


def downgrade() -> None:
    op.drop_table("clock_clocks")
