"""Say how many rows of an import are written so far."""

import sqlalchemy as sa
from alembic import op

from billycan.migrations import key_columns

revision, down_revision = "imports_0002", "imports_0001"


def upgrade() -> None:
    op.create_table("imports_progress", *key_columns(), sa.Column("rows", sa.Integer, nullable=False))


def downgrade() -> None:
    op.drop_table("imports_progress")
