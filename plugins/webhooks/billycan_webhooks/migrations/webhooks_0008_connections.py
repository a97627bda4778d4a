"""Note of each endpoint, and of its deliveries, to which connected app it belongs: of those there are, to none."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint

revision, down_revision = "webhooks_0008", "webhooks_0007"


def upgrade() -> None:
    for name, columns in (("endpoints", ()), ("deliveries", ("created_at", "id"))):
        table, some = f"webhooks_{name}", sa.text("connection_id IS NOT NULL")
        op.add_column(table, sa.Column("connection_id", ByCodePoint))
        of_connection = ["tenant_id", "connection_id", *columns]
        op.create_index(f"ix_{table}_connection_id", table, of_connection, sqlite_where=some, postgresql_where=some)


def downgrade() -> None:
    for table in ("webhooks_endpoints", "webhooks_deliveries"):
        op.drop_index(f"ix_{table}_connection_id", table)
        op.drop_column(table, "connection_id")
