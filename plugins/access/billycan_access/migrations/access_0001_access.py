"""Create the requests for access."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, UTCDateTime

revision, down_revision = "access_0001", None


def upgrade() -> None:
    op.create_table(
        "access_requests",
        sa.Column("id", ByCodePoint, primary_key=True),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("business", sa.Text, nullable=False),
        sa.Column("abn", sa.Text),
        sa.Column("email", sa.Text, nullable=False),
        sa.Column("purpose", sa.Text, nullable=False),
        sa.Column("address", sa.Text, nullable=False),
        sa.Column("digest", sa.LargeBinary, unique=True),
        sa.Column("business_id", ByCodePoint, sa.ForeignKey("core_tenants.id")),
        sa.Column("created_at", UTCDateTime, nullable=False),
        sa.Column("decided_at", UTCDateTime),
    )
    op.create_index("ix_access_requests_created_at", "access_requests", ["created_at"])


def downgrade() -> None:
    op.drop_table("access_requests")
