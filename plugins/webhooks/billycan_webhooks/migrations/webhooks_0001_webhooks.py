"""Create the endpoints, their deliveries and attempts, chores of many deliveries, and on PostgreSQL the queue."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Json, UTCDateTime
from billycan.migrations import key_columns

revision, down_revision = "webhooks_0001", None


def upgrade() -> None:
    op.create_table(
        "webhooks_endpoints",
        *key_columns(),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("events", Json, nullable=False),
        sa.Column("description", sa.Text),
        sa.Column("enabled", sa.Boolean, nullable=False),
        sa.Column("disabled_reason", sa.Text),
        sa.Column("failing_since", UTCDateTime),
        sa.Column("secret_version", sa.Integer, nullable=False),
        sa.Column("secret_key", sa.Text, nullable=False),
        sa.Column("secret_rotated_at", UTCDateTime),
        sa.Column("previous_secret_key", sa.Text),
        sa.Column("connection_id", ByCodePoint),
        sa.Column("made_by", ByCodePoint),
        sa.Column("external_id", sa.Text),
        sa.Column("metadata", Json, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("created_at", UTCDateTime, nullable=False),
        sa.Column("updated_at", UTCDateTime, nullable=False),
    )
    _index_some(
        "ix_webhooks_endpoints_connection_id",
        "webhooks_endpoints",
        ["tenant_id", "connection_id"],
        "connection_id IS NOT NULL",
    )
    _index("webhooks_endpoints", "created_at", "id")
    _index("webhooks_endpoints", "external_id")
    _index_some(
        "uq_webhooks_endpoints_external_id",
        "webhooks_endpoints",
        ["tenant_id", "external_id"],
        "connection_id IS NULL",
        unique=True,
    )
    _index_some(
        "uq_webhooks_endpoints_connection_id_external_id",
        "webhooks_endpoints",
        ["tenant_id", "connection_id", "external_id"],
        "connection_id IS NOT NULL",
        unique=True,
    )
    op.create_table(
        "webhooks_deliveries",
        *key_columns(),
        sa.Column("endpoint_id", ByCodePoint, nullable=False),
        sa.Column("webhook_id", ByCodePoint, nullable=False),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("own_body", sa.LargeBinary),
        sa.Column("replay_of", ByCodePoint),
        sa.Column("created_at", UTCDateTime, nullable=False),
        sa.Column("first_attempt_at", UTCDateTime),
        sa.Column("due_at", UTCDateTime, nullable=False),
        sa.Column("finished_at", UTCDateTime),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("attempts_made", sa.Integer, nullable=False),
        sa.Column("lease_until", UTCDateTime),
        sa.Column("lease_token", sa.Text),
        sa.Column("last_error", sa.Text),
        sa.Column("connection_id", ByCodePoint),
    )
    _index("webhooks_deliveries", "created_at", "id")
    _index_some("ix_webhooks_deliveries_due", "webhooks_deliveries", ["due_at"], "status = 'pending'")
    _index_some(
        "ix_webhooks_deliveries_needs",
        "webhooks_deliveries",
        ["tenant_id", "webhook_id"],
        "status IN ('pending', 'held')",
    )
    _index_some(
        "ix_webhooks_deliveries_held",
        "webhooks_deliveries",
        ["tenant_id", "endpoint_id", "created_at", "id"],
        "status = 'held'",
    )
    _index_some(
        "ix_webhooks_deliveries_finished",
        "webhooks_deliveries",
        ["tenant_id", "finished_at"],
        "finished_at IS NOT NULL",
    )
    _index_some(
        "ix_webhooks_deliveries_connection_id",
        "webhooks_deliveries",
        ["tenant_id", "connection_id", "created_at", "id"],
        "connection_id IS NOT NULL",
    )
    op.create_index(
        "ix_webhooks_deliveries_open", "webhooks_deliveries", ["tenant_id", "endpoint_id", "status", "due_at", "event"]
    )
    # After the one above: of two that serve alike, SQLite takes the one that was made last.
    _index_some(
        "ix_webhooks_deliveries_leased", "webhooks_deliveries", ["tenant_id", "endpoint_id"], "lease_until IS NOT NULL"
    )
    _index_some(
        "ix_webhooks_deliveries_lost",
        "webhooks_deliveries",
        ["tenant_id", "endpoint_id", "created_at", "id", "event", "status"],
        "status IN ('failed', 'held')",
    )
    op.create_table(
        "webhooks_attempts",
        *key_columns(),
        sa.Column("delivery_id", ByCodePoint, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("started_at", UTCDateTime, nullable=False),
        sa.Column("finished_at", UTCDateTime),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("headers", Json, nullable=False),
        sa.Column("error", sa.Text),
        sa.Column("response_status", sa.Integer),
        sa.Column("response_headers", Json),
        sa.Column("response_body", sa.Text),
        sa.Column("duration_ms", sa.Integer),
        sa.Column("phases", Json),
        sa.Column("detail", sa.Text),
        sa.Column("response_bytes", sa.Integer),
        sa.ForeignKeyConstraint(
            ["tenant_id", "delivery_id"],
            ["webhooks_deliveries.tenant_id", "webhooks_deliveries.id"],
            name="fk_webhooks_attempts_delivery",
            ondelete="CASCADE",
        ),
    )
    _index("webhooks_attempts", "delivery_id", "number")
    _index_some(
        "ix_webhooks_attempts_large",
        "webhooks_attempts",
        ["tenant_id", "id", "response_bytes"],
        "response_bytes > 1024",
    )
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
    _index("webhooks_chores", "endpoint_id", "id")
    if op.get_bind().dialect.name == "postgresql":
        _create_queue()


def downgrade() -> None:
    for name in ("chores", "attempts", "deliveries", "endpoints"):
        op.drop_table(f"webhooks_{name}")
    # The queue's tables stay: another deployment's queue may be in them.


def _create_queue() -> None:
    """Make the queue's tables as the owner: the role that runs the server may not."""
    from huey.storage import PostgresStorage  # noqa: PLC0415 - SQLite needs none of it

    for statement in PostgresStorage(create_tables=False).ddl:
        op.execute(statement)


def _index(table: str, *columns: str) -> None:
    op.create_index(f"ix_{table}_tenant_id_{'_'.join(columns)}", table, ["tenant_id", *columns])


def _index_some(name: str, table: str, columns: list[str], where: str, *, unique: bool = False) -> None:
    """Index the rows alone that a condition is true of."""
    some = sa.text(where)
    op.create_index(name, table, columns, unique=unique, sqlite_where=some, postgresql_where=some)
