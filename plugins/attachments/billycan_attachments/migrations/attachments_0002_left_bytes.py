"""Say how many bytes a deleted attachment left in the storage."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "attachments_0002", "attachments_0001"

TABLE = "attachments_leftovers"


def upgrade() -> None:
    op.add_column(TABLE, sa.Column("bytes", sa.BigInteger, nullable=False, server_default="0"))


def downgrade() -> None:
    with op.batch_alter_table(TABLE) as table:
        table.drop_column("bytes")
