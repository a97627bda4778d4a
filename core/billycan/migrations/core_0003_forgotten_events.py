"""Count how large each log of events is, and create the table of what was forgotten of it."""

import sqlalchemy as sa
from alembic import op

from billycan.db import ByCodePoint

revision, down_revision = "core_0003", "core_0002"

_COUNTED = (
    "INSERT INTO core_counters (tenant_id, name, number, live) SELECT tenant_id, 'core_events.bytes', {sum}, {sum}"
    " FROM core_events GROUP BY tenant_id"
)


def upgrade() -> None:
    op.create_table(
        "core_events_forgotten",
        sa.Column("tenant_id", ByCodePoint, sa.ForeignKey("core_tenants.id"), primary_key=True),
        sa.Column("event", ByCodePoint, primary_key=True),
        sa.Column("sequence", sa.BigInteger, nullable=False),
    )
    size = "octet_length(data)" if op.get_bind().dialect.name == "postgresql" else "length(CAST(data AS BLOB))"
    op.execute(_COUNTED.format(sum=f"sum({size})"))
    op.create_index(
        "ix_core_idempotency_large",
        "core_idempotency",
        ["tenant_id", "created_at"],
        sqlite_where=sa.text("length(body) > 4096"),
        postgresql_where=sa.text("octet_length(body) > 4096"),
    )


def downgrade() -> None:
    op.drop_index("ix_core_idempotency_large", "core_idempotency")
    op.execute("DELETE FROM core_counters WHERE name = 'core_events.bytes'")
    op.drop_table("core_events_forgotten")
