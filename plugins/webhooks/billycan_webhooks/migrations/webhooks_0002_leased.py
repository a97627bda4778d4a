"""Index the deliveries in flight: their number is asked at each claim."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "webhooks_0002", "webhooks_0001"


def upgrade() -> None:
    op.create_index(
        "ix_webhooks_deliveries_leased",
        "webhooks_deliveries",
        ["tenant_id", "endpoint_id"],
        sqlite_where=sa.text("lease_until IS NOT NULL"),
        postgresql_where=sa.text("lease_until IS NOT NULL"),
    )


def downgrade() -> None:
    op.drop_index("ix_webhooks_deliveries_leased", "webhooks_deliveries")
