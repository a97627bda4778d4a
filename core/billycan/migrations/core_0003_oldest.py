"""Create the table of the oldest code that each plugin's tables still serve."""

import sqlalchemy as sa
from alembic import op

from billycan.db import ByCodePoint

revision, down_revision = "core_0003", "core_0002"


def upgrade() -> None:
    op.create_table(
        "core_oldest",
        sa.Column("name", ByCodePoint, primary_key=True),
        sa.Column("version", sa.Text, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("core_oldest")
