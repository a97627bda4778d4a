"""Create what agents may do, and what they did."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Decimals, Json, UTCDateTime
from billycan.migrations import key_columns

revision, down_revision = "agents_0001", None


def upgrade() -> None:
    op.create_table(
        "agents_policies",
        *key_columns(),
        sa.Column("policy", Json, nullable=False),
        sa.Column("frozen_at", UTCDateTime),
        sa.Column("changed_by", ByCodePoint, nullable=False),
        sa.Column("updated_at", UTCDateTime, nullable=False),
    )
    op.create_table(
        "agents_spent",
        *key_columns(),
        sa.Column("caller_id", ByCodePoint, nullable=False),
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("document_id", ByCodePoint, nullable=False),
        sa.Column("amount", Decimals(2), nullable=False),
        sa.UniqueConstraint(
            "tenant_id", "caller_id", "day", "document_id", name="uq_agents_spent_tenant_id_caller_id_day_document_id"
        ),
    )
    op.create_table(
        "agents_writes",
        *key_columns(),
        sa.Column("caller_id", ByCodePoint, nullable=False),
        sa.Column("written_at", UTCDateTime, nullable=False),
    )
    op.create_index("ix_agents_writes_caller", "agents_writes", ["tenant_id", "caller_id", "written_at"])
    op.create_table(
        "agents_proposals",
        *key_columns(),
        sa.Column("caller_id", ByCodePoint, nullable=False),
        sa.Column("caller_name", sa.Text),
        sa.Column("scopes", Json, nullable=False),
        sa.Column("operation", ByCodePoint, nullable=False),
        sa.Column("method", sa.Text, nullable=False),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("query", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("version", sa.Integer),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("preview", Json, nullable=False),
        sa.Column("previewed_at", UTCDateTime, nullable=False),
        sa.Column("mark", ByCodePoint, nullable=False),
        sa.Column("amount", Decimals(2)),
        sa.Column("reason", sa.Text),
        sa.Column("versions", Json, nullable=False),
        sa.Column("status", ByCodePoint, nullable=False),
        sa.Column("created_at", UTCDateTime, nullable=False),
        sa.Column("expires_at", UTCDateTime, nullable=False),
        sa.Column("changed_at", UTCDateTime),
        sa.Column("decided_at", UTCDateTime),
        sa.Column("decided_by", ByCodePoint),
        sa.Column("decided_by_name", sa.Text),
        sa.Column("decline_reason", sa.Text),
        sa.Column("error", Json),
        sa.Column("record_id", ByCodePoint),
    )
    op.create_index("ix_agents_proposals_created_at", "agents_proposals", ["tenant_id", "created_at", "id"])
    pending = sa.text("status = 'pending'")
    op.create_index(
        "ix_agents_proposals_pending",
        "agents_proposals",
        ["expires_at"],
        sqlite_where=pending,
        postgresql_where=pending,
    )
    op.create_index("ix_agents_proposals_caller", "agents_proposals", ["tenant_id", "caller_id", "status"])


def downgrade() -> None:
    op.drop_table("agents_proposals")
    op.drop_table("agents_writes")
    op.drop_table("agents_spent")
    op.drop_table("agents_policies")
