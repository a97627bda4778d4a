"""Create the apps, their secrets and connections, codes and tokens."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Json, UTCDateTime
from billycan.migrations import key_columns

revision, down_revision = "apps_0001", None


def _of(table: str, column: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["tenant_id", column], [f"{table}.tenant_id", f"{table}.id"], ondelete="CASCADE")


def upgrade() -> None:
    op.create_table(
        "apps_apps",
        sa.Column("id", ByCodePoint, primary_key=True),
        sa.Column("business_id", ByCodePoint, sa.ForeignKey("core_tenants.id"), nullable=False, index=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("home_page", sa.Text, nullable=False),
        sa.Column("redirect_uris", Json, nullable=False),
        sa.Column("scopes", Json, nullable=False),
        sa.Column("is_confidential", sa.Boolean, nullable=False),
        sa.Column("published", Json),
        sa.Column("created_at", UTCDateTime, nullable=False),
    )
    op.create_table(
        "apps_secrets",
        sa.Column("id", ByCodePoint, primary_key=True),
        sa.Column("app_id", ByCodePoint, sa.ForeignKey("apps_apps.id", ondelete="CASCADE"), nullable=False, index=True),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("hint", sa.Text, nullable=False),
        sa.Column("created_at", UTCDateTime, nullable=False),
    )
    op.create_table(
        "apps_connections",
        *key_columns(),
        sa.Column("app_id", ByCodePoint, sa.ForeignKey("apps_apps.id"), nullable=False),
        sa.Column("scopes", Json, nullable=False),
        sa.Column("user_id", ByCodePoint, nullable=False),
        sa.Column("user_name", sa.Text, nullable=False),
        sa.Column("created_at", UTCDateTime, nullable=False),
        sa.Column("consented_at", UTCDateTime, nullable=False),
        sa.Column("last_used_at", UTCDateTime),
        sa.Column("held_at", UTCDateTime),
        sa.UniqueConstraint("tenant_id", "app_id"),
    )
    op.create_index("ix_apps_connections_app_id", "apps_connections", ["app_id"])
    op.create_table(
        "apps_codes",
        *key_columns(),
        sa.Column("connection_id", ByCodePoint, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("redirect_uri", sa.Text, nullable=False),
        sa.Column("challenge", sa.Text, nullable=False),
        sa.Column("scopes", Json, nullable=False),
        sa.Column("expires_at", UTCDateTime, nullable=False),
        sa.Column("used_at", UTCDateTime),
        _of("apps_connections", "connection_id"),
    )
    op.create_index("ix_apps_codes_connection_id", "apps_codes", ["tenant_id", "connection_id"])
    _create_tokens("apps_access_tokens", sa.Column("scopes", Json, nullable=False))
    _create_tokens("apps_refresh_tokens", sa.Column("used_at", UTCDateTime), sa.Column("sealed", sa.LargeBinary))


def _create_tokens(name: str, *columns: sa.Column[object]) -> None:
    op.create_table(
        name,
        *key_columns(),
        sa.Column("connection_id", ByCodePoint, nullable=False),
        sa.Column("code_id", ByCodePoint, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("expires_at", UTCDateTime, nullable=False),
        *columns,
        _of("apps_connections", "connection_id"),
        _of("apps_codes", "code_id"),
    )
    for column in ("code_id", "connection_id"):
        op.create_index(f"ix_{name}_{column}", name, ["tenant_id", column])


def downgrade() -> None:
    for name in ("refresh_tokens", "access_tokens", "codes", "connections", "secrets", "apps"):
        op.drop_table(f"apps_{name}")
