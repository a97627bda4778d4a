"""Create the apps, their secrets and connections, codes and tokens."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Json, UTCDateTime
from billycan.migrations import key_columns

revision, down_revision = "apps_0001", None


def upgrade() -> None:
    op.create_table(
        "apps_apps",
        sa.Column("id", ByCodePoint, primary_key=True),
        sa.Column("business_id", ByCodePoint, sa.ForeignKey("core_tenants.id"), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("home_page", sa.Text, nullable=False),
        sa.Column("redirect_uris", Json, nullable=False),
        sa.Column("scopes", Json, nullable=False),
        sa.Column("is_confidential", sa.Boolean, nullable=False),
        sa.Column("published", Json),
        sa.Column("created_at", UTCDateTime, nullable=False),
    )
    op.create_index("ix_apps_apps_business_id", "apps_apps", ["business_id"])
    op.create_table(
        "apps_secrets",
        sa.Column("id", ByCodePoint, primary_key=True),
        sa.Column("app_id", ByCodePoint, sa.ForeignKey("apps_apps.id", ondelete="CASCADE"), nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("hint", sa.Text, nullable=False),
        sa.Column("created_at", UTCDateTime, nullable=False),
    )
    op.create_index("ix_apps_secrets_app_id", "apps_secrets", ["app_id"])
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
        sa.UniqueConstraint("tenant_id", "app_id", name="uq_apps_connections_tenant_id_app_id"),
    )
    op.create_index("ix_apps_connections_app_id", "apps_connections", ["app_id"])
    op.create_table(
        "apps_codes",
        *key_columns(),
        sa.Column("connection_id", ByCodePoint, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("redirect_uri", sa.Text, nullable=False),
        sa.Column("challenge", sa.Text, nullable=False),
        sa.Column("scopes", Json, nullable=False),
        sa.Column("expires_at", UTCDateTime, nullable=False),
        sa.Column("used_at", UTCDateTime),
        sa.ForeignKeyConstraint(
            ["tenant_id", "connection_id"],
            ["apps_connections.tenant_id", "apps_connections.id"],
            name="fk_apps_codes_tenant_id_connection_id",
            ondelete="CASCADE",
        ),
        sa.UniqueConstraint("digest", name="uq_apps_codes_digest"),
    )
    op.create_index("ix_apps_codes_connection_id", "apps_codes", ["tenant_id", "connection_id"])
    op.create_table(
        "apps_access_tokens",
        *key_columns(),
        sa.Column("connection_id", ByCodePoint, nullable=False),
        sa.Column("code_id", ByCodePoint, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("scopes", Json, nullable=False),
        sa.Column("expires_at", UTCDateTime, nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id", "connection_id"],
            ["apps_connections.tenant_id", "apps_connections.id"],
            name="fk_apps_access_tokens_tenant_id_connection_id",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id", "code_id"],
            ["apps_codes.tenant_id", "apps_codes.id"],
            name="fk_apps_access_tokens_tenant_id_code_id",
            ondelete="CASCADE",
        ),
        sa.UniqueConstraint("digest", name="uq_apps_access_tokens_digest"),
    )
    op.create_index("ix_apps_access_tokens_code_id", "apps_access_tokens", ["tenant_id", "code_id"])
    op.create_index("ix_apps_access_tokens_connection_id", "apps_access_tokens", ["tenant_id", "connection_id"])
    op.create_table(
        "apps_refresh_tokens",
        *key_columns(),
        sa.Column("connection_id", ByCodePoint, nullable=False),
        sa.Column("code_id", ByCodePoint, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("expires_at", UTCDateTime, nullable=False),
        sa.Column("used_at", UTCDateTime),
        sa.Column("sealed", sa.LargeBinary),
        sa.ForeignKeyConstraint(
            ["tenant_id", "connection_id"],
            ["apps_connections.tenant_id", "apps_connections.id"],
            name="fk_apps_refresh_tokens_tenant_id_connection_id",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id", "code_id"],
            ["apps_codes.tenant_id", "apps_codes.id"],
            name="fk_apps_refresh_tokens_tenant_id_code_id",
            ondelete="CASCADE",
        ),
        sa.UniqueConstraint("digest", name="uq_apps_refresh_tokens_digest"),
    )
    op.create_index("ix_apps_refresh_tokens_code_id", "apps_refresh_tokens", ["tenant_id", "code_id"])
    op.create_index("ix_apps_refresh_tokens_connection_id", "apps_refresh_tokens", ["tenant_id", "connection_id"])
    op.create_index(
        "ix_apps_refresh_tokens_sealed",
        "apps_refresh_tokens",
        ["used_at"],
        sqlite_where=sa.text("sealed IS NOT NULL"),
        postgresql_where=sa.text("sealed IS NOT NULL"),
    )


def downgrade() -> None:
    for name in ("refresh_tokens", "access_tokens", "codes", "connections", "secrets", "apps"):
        op.drop_table(f"apps_{name}")
