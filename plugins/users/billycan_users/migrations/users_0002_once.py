"""Keep a second factor that is being set up with the session, and the challenges that were answered."""

import sqlalchemy as sa
from alembic import op

from billycan import UTCDateTime

revision, down_revision = "users_0002", "users_0001"


def upgrade() -> None:
    op.add_column("users_sessions", sa.Column("offered", sa.LargeBinary))
    op.create_index("ix_users_attempts_until", "users_attempts", ["until"])
    op.create_table(
        "users_answered",
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        sa.Column("expires_at", UTCDateTime, nullable=False, index=True),
    )


def downgrade() -> None:
    op.drop_table("users_answered")
    op.drop_index("ix_users_attempts_until", "users_attempts")
    with op.batch_alter_table("users_sessions") as sessions:
        sessions.drop_column("offered")
