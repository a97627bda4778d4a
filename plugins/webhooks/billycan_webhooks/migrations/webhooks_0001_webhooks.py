"""Create the endpoints, deliveries and attempts."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Json, UTCDateTime
from billycan.migrations import create_resource_table, key_columns

revision, down_revision = "webhooks_0001", None


def upgrade() -> None:
    create_resource_table(
        op,
        "webhooks_endpoints",
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
    )
    op.create_table(
        "webhooks_deliveries",
        *key_columns(),
        sa.Column("endpoint_id", ByCodePoint, nullable=False),
        sa.Column("webhook_id", ByCodePoint, nullable=False),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Column("replay_of", ByCodePoint),
        sa.Column("created_at", UTCDateTime, nullable=False),
        sa.Column("first_attempt_at", UTCDateTime),
        sa.Column("due_at", UTCDateTime, nullable=False),
        sa.Column("finished_at", UTCDateTime),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("attempts_made", sa.Integer, nullable=False),
        sa.Column("lease_until", UTCDateTime),
        sa.Column("lease_token", sa.Text),
    )
    op.create_index(
        "ix_webhooks_deliveries_tenant_id_created_at_id", "webhooks_deliveries", ["tenant_id", "created_at", "id"]
    )
    op.create_index(
        "ix_webhooks_deliveries_open", "webhooks_deliveries", ["tenant_id", "endpoint_id", "status", "due_at"]
    )
    op.create_index(
        "ix_webhooks_deliveries_due",
        "webhooks_deliveries",
        ["due_at"],
        sqlite_where=sa.text("status = 'pending'"),
        postgresql_where=sa.text("status = 'pending'"),
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
        sa.ForeignKeyConstraint(
            ["tenant_id", "delivery_id"],
            ["webhooks_deliveries.tenant_id", "webhooks_deliveries.id"],
            name="fk_webhooks_attempts_delivery",
            ondelete="CASCADE",
        ),
    )
    op.create_index(
        "ix_webhooks_attempts_tenant_id_delivery_id_number", "webhooks_attempts", ["tenant_id", "delivery_id", "number"]
    )


def downgrade() -> None:
    op.drop_table("webhooks_attempts")
    op.drop_table("webhooks_deliveries")
    op.drop_table("webhooks_endpoints")
