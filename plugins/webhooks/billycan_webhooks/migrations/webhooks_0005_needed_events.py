"""Index what is still to be delivered by its event, which the log keeps for so long."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "webhooks_0005", "webhooks_0004"


def upgrade() -> None:
    op.create_index(
        "ix_webhooks_deliveries_needs",
        "webhooks_deliveries",
        ["tenant_id", "webhook_id"],
        sqlite_where=sa.text("status IN ('pending', 'held')"),
        postgresql_where=sa.text("status IN ('pending', 'held')"),
    )


def downgrade() -> None:
    op.drop_index("ix_webhooks_deliveries_needs", "webhooks_deliveries")
