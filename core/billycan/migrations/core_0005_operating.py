"""Create the tables of the read-only mode, and of what operators did."""

import sqlalchemy as sa
from alembic import op

from billycan.db import ByCodePoint, Json, UTCDateTime

revision, down_revision = "core_0005", "core_0004"


def upgrade() -> None:
    op.create_table(
        "core_read_only",
        sa.Column("id", ByCodePoint, primary_key=True),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("since", UTCDateTime, nullable=False),
        sa.Column("ends_at", UTCDateTime),
    )
    op.create_table(
        "core_operations",
        sa.Column("id", ByCodePoint, primary_key=True),
        sa.Column("at", UTCDateTime, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("did", sa.Text, nullable=False),
        sa.Column("business", ByCodePoint),
        sa.Column("name", sa.Text),
        sa.Column("detail", Json, nullable=False),
    )
    op.create_index("ix_core_operations_business", "core_operations", ["business", "id"])


def downgrade() -> None:
    op.drop_table("core_operations")
    op.drop_table("core_read_only")
