"""Create the table of imported events whose entries follow."""

import sqlalchemy as sa
from alembic import op

from billycan.migrations import key_columns

revision, down_revision = "audit_0003", "audit_0002"


def upgrade() -> None:
    op.create_table(
        "audit_imported",
        *key_columns(),
        sa.Column("first", sa.BigInteger, nullable=False),
        sa.Column("last", sa.BigInteger, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("audit_imported")
