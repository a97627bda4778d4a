"""Keep what is still to be done to many deliveries, and index what is asked of them then."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Json, UTCDateTime
from billycan.migrations import key_columns

revision, down_revision = "webhooks_0011", "webhooks_0010"

OPEN, LOST, LEASED = (f"ix_webhooks_deliveries_{name}" for name in ("open", "lost", "leased"))
COLUMNS = ["tenant_id", "endpoint_id", "status", "due_at"]


def upgrade() -> None:
    op.create_table(
        "webhooks_chores",
        *key_columns(),
        sa.Column("endpoint_id", ByCodePoint, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("created_at", UTCDateTime, nullable=False),
        sa.Column("steps", sa.Integer, nullable=False),
        sa.Column("events", Json),
        sa.Column("first_sequence", sa.BigInteger),
        sa.Column("last_sequence", sa.BigInteger),
        sa.Column("since", UTCDateTime),
        sa.Column("until", UTCDateTime),
        sa.Column("after_id", ByCodePoint),
    )
    op.create_index(
        "ix_webhooks_chores_tenant_id_endpoint_id_id", "webhooks_chores", ["tenant_id", "endpoint_id", "id"]
    )
    op.drop_index(OPEN, "webhooks_deliveries")
    op.create_index(OPEN, "webhooks_deliveries", [*COLUMNS, "event"])
    _index_leased()
    some = sa.text("status IN ('failed', 'held')")
    columns = ["tenant_id", "endpoint_id", "created_at", "id", "event", "status"]
    op.create_index(LOST, "webhooks_deliveries", columns, sqlite_where=some, postgresql_where=some)


def downgrade() -> None:
    op.drop_index(LOST, "webhooks_deliveries")
    op.drop_index(OPEN, "webhooks_deliveries")
    op.create_index(OPEN, "webhooks_deliveries", COLUMNS)
    _index_leased()
    op.drop_table("webhooks_chores")


def _index_leased() -> None:
    """Make this index anew: of two that serve alike, SQLite takes the one that was made last."""
    some = sa.text("lease_until IS NOT NULL")
    op.drop_index(LEASED, "webhooks_deliveries")
    columns = ["tenant_id", "endpoint_id"]
    op.create_index(LEASED, "webhooks_deliveries", columns, sqlite_where=some, postgresql_where=some)
