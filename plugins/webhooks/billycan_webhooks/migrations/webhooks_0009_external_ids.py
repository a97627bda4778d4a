"""Let each connected app, and the business, have external ids of its own."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "webhooks_0009", "webhooks_0008"

LOOKED_UP = "ix_webhooks_endpoints_tenant_id_external_id"
TABLE, UNIQUE = "webhooks_endpoints", "uq_webhooks_endpoints_tenant_id_external_id"
INDEXES = (
    ("uq_webhooks_endpoints_external_id", ["tenant_id", "external_id"], "connection_id IS NULL"),
    (
        "uq_webhooks_endpoints_connection_id_external_id",
        ["tenant_id", "connection_id", "external_id"],
        "connection_id IS NOT NULL",
    ),
)


def upgrade() -> None:
    with op.batch_alter_table(TABLE) as endpoints:
        endpoints.drop_constraint(UNIQUE, type_="unique")
    op.create_index(LOOKED_UP, TABLE, ["tenant_id", "external_id"])
    for name, columns, condition in INDEXES:
        some = sa.text(condition)
        op.create_index(name, TABLE, columns, unique=True, sqlite_where=some, postgresql_where=some)


def downgrade() -> None:
    op.drop_index(LOOKED_UP, TABLE)
    for name, _, _ in INDEXES:
        op.drop_index(name, TABLE)
    with op.batch_alter_table(TABLE) as endpoints:
        endpoints.create_unique_constraint(UNIQUE, ["tenant_id", "external_id"])
