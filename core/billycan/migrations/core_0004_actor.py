"""Add to each event who did it."""

import sqlalchemy as sa
from alembic import op

from billycan.db import ByCodePoint

revision, down_revision = "core_0004", "core_0003"


def upgrade() -> None:
    op.add_column("core_events", sa.Column("actor", ByCodePoint))


def downgrade() -> None:
    with op.batch_alter_table("core_events") as events:
        events.drop_column("actor")
