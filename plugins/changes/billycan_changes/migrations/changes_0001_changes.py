"""Create the table of records that changed without an event."""

import sqlalchemy as sa
from alembic import op

from billycan.migrations import key_columns

revision, down_revision = "changes_0001", None


def upgrade() -> None:
    op.create_table("changes_untold", *key_columns(), sa.Column("sequence", sa.BigInteger, nullable=False))
    op.create_index("ix_changes_untold_tenant_id_sequence_id", "changes_untold", ["tenant_id", "sequence", "id"])


def downgrade() -> None:
    op.drop_table("changes_untold")
