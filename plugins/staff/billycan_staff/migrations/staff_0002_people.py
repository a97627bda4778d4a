"""Add the person who signs in as a member of staff."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint

revision, down_revision = "staff_0002", "staff_0001"


def upgrade() -> None:
    op.add_column("staff", sa.Column("user_id", ByCodePoint))


def downgrade() -> None:
    op.drop_column("staff", "user_id")
