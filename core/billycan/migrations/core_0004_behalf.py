"""Add to each event the app, and the proposal and who approved it."""

import sqlalchemy as sa
from alembic import op

from billycan.db import Json

revision, down_revision = "core_0004", "core_0003"


def upgrade() -> None:
    op.add_column("core_events", sa.Column("behalf", Json))


def downgrade() -> None:
    op.drop_column("core_events", "behalf")
