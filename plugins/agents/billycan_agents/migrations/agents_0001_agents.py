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


def downgrade() -> None:
    op.drop_table("agents_writes")
    op.drop_table("agents_spent")
    op.drop_table("agents_policies")
