"""Create the log of requests, its days, and the processes that write it."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, UTCDateTime
from billycan.migrations import key_columns

revision, down_revision = "requests_0001", None


def upgrade() -> None:
    op.create_table(
        "requests_log",
        *key_columns(),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("caller_id", ByCodePoint, nullable=False),
        sa.Column("method", sa.Text, nullable=False),
        sa.Column("route", sa.Text, nullable=False),
        sa.Column("status", sa.Integer, nullable=False),
        sa.Column("microseconds", sa.BigInteger, nullable=False),
        sa.Column("request_id", sa.Text, nullable=False),
        sa.Column("code", sa.Text),
        sa.Column("param", sa.Text),
    )
    op.create_table(
        "requests_days",
        *key_columns(),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in ("answered", "refused", "failed", "lost", "kept")),
    )
    op.create_index("ix_requests_days_id", "requests_days", ["id"])
    op.create_table(
        "requests_writers",
        sa.Column("id", ByCodePoint, primary_key=True),
        sa.Column("wrote_at", UTCDateTime, nullable=False),
    )


def downgrade() -> None:
    for name in ("writers", "days", "log"):
        op.drop_table(f"requests_{name}")
