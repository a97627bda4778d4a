"""Take bodies from the log of events, note why a delivery waits, and measure the answers that are kept."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "webhooks_0003", "webhooks_0002"

_LOGGED = (
    "EXISTS (SELECT 1 FROM core_events AS e WHERE e.tenant_id = webhooks_deliveries.tenant_id"
    " AND e.id = webhooks_deliveries.webhook_id)"
)
_LAST_ERROR = (
    "SELECT a.error FROM webhooks_attempts AS a WHERE a.tenant_id = webhooks_deliveries.tenant_id"
    " AND a.delivery_id = webhooks_deliveries.id AND a.error IS NOT NULL ORDER BY a.number DESC LIMIT 1"
)


def upgrade() -> None:
    op.add_column("webhooks_deliveries", sa.Column("own_body", sa.LargeBinary))
    op.execute(f"UPDATE webhooks_deliveries SET own_body = body WHERE NOT {_LOGGED}")  # noqa: S608 - only our own words
    op.drop_column("webhooks_deliveries", "body")
    op.add_column("webhooks_deliveries", sa.Column("last_error", sa.Text))
    op.execute(f"UPDATE webhooks_deliveries SET last_error = ({_LAST_ERROR}) WHERE status <> 'delivered'")  # noqa: S608
    op.add_column("webhooks_attempts", sa.Column("response_bytes", sa.Integer))
    size = "octet_length(response_body)" if op.get_bind().dialect.name == "postgresql" else _SQLITE_SIZE
    op.execute(f"UPDATE webhooks_attempts SET response_bytes = {size} WHERE response_body IS NOT NULL")  # noqa: S608
    op.create_index(
        "ix_webhooks_attempts_large",
        "webhooks_attempts",
        ["tenant_id", "id", "response_bytes"],
        sqlite_where=sa.text("response_bytes > 1024"),
        postgresql_where=sa.text("response_bytes > 1024"),
    )


_SQLITE_SIZE = "length(CAST(response_body AS BLOB))"


def downgrade() -> None:
    # Undone only when the tables are dropped: what the bodies were is in the log.
    op.drop_index("ix_webhooks_attempts_large", "webhooks_attempts")
    op.drop_column("webhooks_attempts", "response_bytes")
    op.drop_column("webhooks_deliveries", "last_error")
    op.drop_column("webhooks_deliveries", "own_body")
    op.add_column("webhooks_deliveries", sa.Column("body", sa.LargeBinary))
