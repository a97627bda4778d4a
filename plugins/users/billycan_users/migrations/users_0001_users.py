"""Create the people, their roles, sessions, links and passkeys, and failed attempts to sign in."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Json, UTCDateTime
from billycan.migrations import key_columns

revision, down_revision = "users_0001", None


def upgrade() -> None:
    op.create_table(
        "users_users",
        sa.Column("id", ByCodePoint, primary_key=True),
        sa.Column("email", sa.Text, nullable=False),
        sa.Column("name", sa.Text),
        sa.Column("password", sa.Text),
        sa.Column("is_operator", sa.Boolean, nullable=False),
        sa.Column("totp", sa.LargeBinary),
        sa.Column("totp_step", sa.BigInteger),
        sa.Column("recovery", Json, nullable=False),
        sa.Column("is_proved", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("last_business_id", ByCodePoint),
        sa.Column("created_at", UTCDateTime, nullable=False),
        sa.UniqueConstraint("email", name="uq_users_users_email"),
    )
    op.create_table(
        "users_roles",
        *key_columns(),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("created_at", UTCDateTime, nullable=False),
        sa.ForeignKeyConstraint(["id"], ["users_users.id"], name="fk_users_roles_id", ondelete="CASCADE"),
    )
    op.create_index("ix_users_roles_id", "users_roles", ["id"])
    op.create_table(
        "users_sessions",
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        sa.Column("id", ByCodePoint, nullable=False),
        sa.Column("user_id", ByCodePoint, sa.ForeignKey("users_users.id", ondelete="CASCADE"), nullable=False),
        sa.Column("business_id", ByCodePoint),
        sa.Column("is_complete", sa.Boolean, nullable=False),
        sa.Column("address", sa.Text, nullable=False),
        sa.Column("browser", sa.Text, nullable=False),
        sa.Column("created_at", UTCDateTime, nullable=False),
        sa.Column("seen_at", UTCDateTime, nullable=False),
        sa.Column("proved_at", UTCDateTime, nullable=False),
        sa.Column("offered", sa.LargeBinary),
        sa.UniqueConstraint("id", name="uq_users_sessions_id"),
    )
    op.create_index("ix_users_sessions_user_id", "users_sessions", ["user_id"])
    op.create_table(
        "users_links",
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        sa.Column("id", ByCodePoint, nullable=False),
        sa.Column("purpose", sa.Text, nullable=False),
        sa.Column("user_id", ByCodePoint, sa.ForeignKey("users_users.id", ondelete="CASCADE"), nullable=False),
        sa.Column("business_id", ByCodePoint),
        sa.Column("role", sa.Text),
        sa.Column("made_by", ByCodePoint),
        sa.Column("proves", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("expires_at", UTCDateTime, nullable=False),
        sa.UniqueConstraint("id", name="uq_users_links_id"),
    )
    op.create_index("ix_users_links_expires_at", "users_links", ["expires_at"])
    op.create_index("ix_users_links_user_id", "users_links", ["user_id"])
    op.create_table(
        "users_passkeys",
        sa.Column("id", ByCodePoint, primary_key=True),
        sa.Column("user_id", ByCodePoint, sa.ForeignKey("users_users.id", ondelete="CASCADE"), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("credential", sa.LargeBinary, nullable=False),
        sa.Column("count", sa.BigInteger, nullable=False),
        sa.Column("created_at", UTCDateTime, nullable=False),
        sa.Column("used_at", UTCDateTime),
    )
    op.create_index("ix_users_passkeys_user_id", "users_passkeys", ["user_id"])
    op.create_table(
        "users_attempts",
        sa.Column("name", ByCodePoint, primary_key=True),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("until", UTCDateTime, nullable=False),
    )
    op.create_index("ix_users_attempts_until", "users_attempts", ["until"])
    op.create_table(
        "users_answered",
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        sa.Column("expires_at", UTCDateTime, nullable=False),
    )
    op.create_index("ix_users_answered_expires_at", "users_answered", ["expires_at"])
    op.create_table(
        "users_shown_once",
        sa.Column("session_id", ByCodePoint, sa.ForeignKey("users_sessions.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("path", sa.Text, primary_key=True),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
        sa.Column("expires_at", UTCDateTime, nullable=False),
    )


def downgrade() -> None:
    for name in ("shown_once", "answered", "attempts", "passkeys", "links", "sessions", "roles", "users"):
        op.drop_table(f"users_{name}")
