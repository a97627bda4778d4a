"""The tables of apps, their connections to tenants, and their codes and tokens, of which only digests are stored."""

import sqlalchemy as sa

from billycan import ByCodePoint, Json, UTCDateTime, new_table

# An app belongs to the business that registered it, and may be connected to others: its rows are the deployment's.
apps = new_table(
    "apps_apps",
    sa.Column("id", ByCodePoint, primary_key=True),
    sa.Column("business_id", ByCodePoint, sa.ForeignKey("core_tenants.id"), nullable=False, index=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("home_page", sa.Text, nullable=False),
    sa.Column("redirect_uris", Json, nullable=False),
    sa.Column("scopes", Json, nullable=False),
    sa.Column("is_confidential", sa.Boolean, nullable=False),
    sa.Column("published", Json),  # name, home page, redirect URIs and scopes as approved, and if withdrawn
    sa.Column("created_at", UTCDateTime, nullable=False),
    sa.Column("address", sa.Text),  # of the document in which it describes itself: its client_id
    sa.Index("ix_apps_apps_address", "address"),
    of="deployment",
)

secrets = new_table(
    "apps_secrets",
    sa.Column("id", ByCodePoint, primary_key=True),
    sa.Column("app_id", ByCodePoint, sa.ForeignKey("apps_apps.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("digest", sa.LargeBinary, nullable=False),
    sa.Column("hint", sa.Text, nullable=False),
    sa.Column("created_at", UTCDateTime, nullable=False),
    of="deployment",
)


def _of_connection(column: str = "connection_id", table: str = "apps_connections") -> sa.ForeignKeyConstraint:
    """Return a foreign key to a row that goes with its connection."""
    return sa.ForeignKeyConstraint(["tenant_id", column], [f"{table}.tenant_id", f"{table}.id"], ondelete="CASCADE")


connections = new_table(
    "apps_connections",
    sa.Column("app_id", ByCodePoint, sa.ForeignKey("apps_apps.id"), nullable=False),
    sa.Column("scopes", Json, nullable=False),
    sa.Column("user_id", ByCodePoint, nullable=False),  # consented last; no reference: it outlives them
    sa.Column("user_name", sa.Text, nullable=False),
    sa.Column("created_at", UTCDateTime, nullable=False),
    sa.Column("consented_at", UTCDateTime, nullable=False),
    sa.Column("last_used_at", UTCDateTime),
    sa.Column("held_at", UTCDateTime),  # on hold since then, until somebody consents again
    sa.UniqueConstraint("tenant_id", "app_id"),
    sa.Index("ix_apps_connections_app_id", "app_id"),
)

# A code; after its use, the group of its tokens.
codes = new_table(
    "apps_codes",
    sa.Column("connection_id", ByCodePoint, nullable=False),
    sa.Column("digest", sa.LargeBinary, nullable=False, unique=True),
    sa.Column("redirect_uri", sa.Text, nullable=False),
    sa.Column("challenge", sa.Text, nullable=False),
    sa.Column("scopes", Json, nullable=False),
    sa.Column("expires_at", UTCDateTime, nullable=False),
    sa.Column("used_at", UTCDateTime),
    sa.Column("resource", sa.Text),  # that its tokens are for alone (RFC 8707)
    _of_connection(),
    sa.Index("ix_apps_codes_connection_id", "tenant_id", "connection_id"),
)

access_tokens = new_table(
    "apps_access_tokens",
    sa.Column("connection_id", ByCodePoint, nullable=False),
    sa.Column("code_id", ByCodePoint, nullable=False),
    sa.Column("digest", sa.LargeBinary, nullable=False, unique=True),
    sa.Column("scopes", Json, nullable=False),
    sa.Column("expires_at", UTCDateTime, nullable=False),
    sa.Column("resource", sa.Text),
    _of_connection(),
    _of_connection("code_id", "apps_codes"),
    sa.Index("ix_apps_access_tokens_code_id", "tenant_id", "code_id"),
    sa.Index("ix_apps_access_tokens_connection_id", "tenant_id", "connection_id"),
)

_SEALED = sa.text("sealed IS NOT NULL")
refresh_tokens = new_table(
    "apps_refresh_tokens",
    sa.Column("connection_id", ByCodePoint, nullable=False),
    sa.Column("code_id", ByCodePoint, nullable=False),
    sa.Column("digest", sa.LargeBinary, nullable=False, unique=True),
    sa.Column("expires_at", UTCDateTime, nullable=False),
    sa.Column("used_at", UTCDateTime),
    sa.Column("sealed", sa.LargeBinary),  # the answer to its use, which only this token decrypts
    _of_connection(),
    _of_connection("code_id", "apps_codes"),
    sa.Index("ix_apps_refresh_tokens_code_id", "tenant_id", "code_id"),
    sa.Index("ix_apps_refresh_tokens_connection_id", "tenant_id", "connection_id"),
    sa.Index("ix_apps_refresh_tokens_sealed", "used_at", sqlite_where=_SEALED, postgresql_where=_SEALED),
)
