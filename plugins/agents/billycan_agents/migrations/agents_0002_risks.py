"""Create the table of changes of bank accounts."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, UTCDateTime
from billycan.migrations import key_columns

revision, down_revision = "agents_0002", "agents_0001"


def upgrade() -> None:
    op.create_table(
        "agents_bank_changes",
        *key_columns(),
        sa.Column("changed_at", UTCDateTime, nullable=False),
        sa.Column("changed_by", ByCodePoint),
    )


def downgrade() -> None:
    op.drop_table("agents_bank_changes")
