"""Create the tables of core: businesses and their keys, counters, events, idempotency answers and timed work."""

import sqlalchemy as sa
from alembic import op

from billycan.db import ByCodePoint, Json, UTCDateTime
from billycan.migrations import key_columns

revision, down_revision = "core_0001", None


def upgrade() -> None:
    op.create_table(
        "core_tenants",
        sa.Column("id", ByCodePoint, primary_key=True),
        sa.Column("environment", sa.Text, nullable=False),
        sa.Column("paired_id", ByCodePoint, nullable=False),
        sa.Column("profile", Json, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("created_at", UTCDateTime, nullable=False),
        sa.Column("updated_at", UTCDateTime, nullable=False),
    )
    op.create_table(
        "core_keys",
        sa.Column("id", ByCodePoint, primary_key=True),
        sa.Column("tenant_id", ByCodePoint, sa.ForeignKey("core_tenants.id"), nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("hint", sa.Text, nullable=False),
        sa.Column("name", sa.Text),
        sa.Column("scopes", Json, nullable=False),
        sa.Column("per_minute", sa.Integer),
        sa.Column("per_second", sa.Integer),
        sa.Column("created_at", UTCDateTime, nullable=False),
        sa.Column("expires_at", UTCDateTime),
        sa.Column("last_used_at", UTCDateTime),
        sa.Column("revoked_at", UTCDateTime),
        sa.Column("made_by", ByCodePoint),
        sa.Column("revoked_by", ByCodePoint),
        sa.UniqueConstraint("digest", name="uq_core_keys_digest"),
    )
    op.create_index("ix_core_keys_tenant_id", "core_keys", ["tenant_id"])
    op.create_table(
        "core_ceilings",
        sa.Column("tenant_id", ByCodePoint, sa.ForeignKey("core_tenants.id"), primary_key=True),
        sa.Column("per_minute", sa.Integer, nullable=False),
        sa.Column("per_second", sa.Integer, nullable=False),
    )
    op.create_table(
        "core_counters",
        sa.Column("tenant_id", ByCodePoint, sa.ForeignKey("core_tenants.id"), primary_key=True),
        sa.Column("name", ByCodePoint, primary_key=True),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("live", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "core_events",
        *key_columns(),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("created_at", UTCDateTime, nullable=False),
        sa.Column("data", sa.Text, nullable=False),
        sa.Column("actor", ByCodePoint),
        sa.UniqueConstraint("tenant_id", "sequence", name="uq_core_events_tenant_id_sequence"),
    )
    op.create_index("ix_core_events_tenant_id_event_sequence", "core_events", ["tenant_id", "event", "sequence"])
    op.create_table(
        "core_events_forgotten",
        sa.Column("tenant_id", ByCodePoint, sa.ForeignKey("core_tenants.id"), primary_key=True),
        sa.Column("event", ByCodePoint, primary_key=True),
        sa.Column("sequence", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "core_idempotency",
        sa.Column("tenant_id", ByCodePoint, sa.ForeignKey("core_tenants.id"), primary_key=True),
        sa.Column("key", ByCodePoint, primary_key=True),
        sa.Column("request", sa.LargeBinary, nullable=False),
        sa.Column("status", sa.Integer, nullable=False),
        sa.Column("headers", Json, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Column("created_at", UTCDateTime, nullable=False),
        sa.Column("scopes", Json),
    )
    op.create_index("ix_core_idempotency_created_at", "core_idempotency", ["created_at"])
    op.create_index(
        "ix_core_idempotency_large",
        "core_idempotency",
        ["tenant_id", "created_at"],
        sqlite_where=sa.text("length(body) > 4096"),
        postgresql_where=sa.text("octet_length(body) > 4096"),
    )
    op.create_table(
        "core_tasks", sa.Column("name", ByCodePoint, primary_key=True), sa.Column("due_at", UTCDateTime, nullable=False)
    )
    op.create_table(
        "core_waiting",
        sa.Column("tenant_id", ByCodePoint, sa.ForeignKey("core_tenants.id"), primary_key=True),
        sa.Column("task", ByCodePoint, primary_key=True),
        sa.Column("since", UTCDateTime, nullable=False),
    )
    op.create_table(
        "core_put_off",
        sa.Column("tenant_id", ByCodePoint, sa.ForeignKey("core_tenants.id"), primary_key=True),
        sa.Column("task", ByCodePoint, primary_key=True),
        sa.Column("id", ByCodePoint, primary_key=True),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("until", UTCDateTime, nullable=False),
    )
    op.create_table(
        "core_mornings",
        sa.Column("tenant_id", ByCodePoint, sa.ForeignKey("core_tenants.id"), primary_key=True),
        sa.Column("what", ByCodePoint, primary_key=True),
        sa.Column("id", ByCodePoint, primary_key=True),
        sa.Column("day", sa.Date, primary_key=True),
    )


def downgrade() -> None:
    for name in (
        "mornings",
        "put_off",
        "waiting",
        "tasks",
        "idempotency",
        "events_forgotten",
        "events",
        "counters",
        "ceilings",
        "keys",
        "tenants",
    ):
        op.drop_table(f"core_{name}")
