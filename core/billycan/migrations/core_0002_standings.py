"""Create the table of businesses that are not open: suspended, closed, arriving or leaving."""

import sqlalchemy as sa
from alembic import op

from billycan.db import ByCodePoint, Json, UTCDateTime

revision, down_revision = "core_0002", "core_0001"


def upgrade() -> None:
    op.create_table(
        "core_standings",
        sa.Column("tenant_id", ByCodePoint, sa.ForeignKey("core_tenants.id"), primary_key=True),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("since", UTCDateTime, nullable=False),
        sa.Column("ends_at", UTCDateTime),
        sa.Column("progress", Json),
    )


def downgrade() -> None:
    op.drop_table("core_standings")
