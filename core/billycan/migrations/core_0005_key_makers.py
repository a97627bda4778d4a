"""Add to each key who made it, and who revoked it."""

import sqlalchemy as sa
from alembic import op

from billycan.db import ByCodePoint

revision, down_revision = "core_0005", "core_0004"
_COLUMNS = ("made_by", "revoked_by")


def upgrade() -> None:
    for name in _COLUMNS:
        op.add_column("core_keys", sa.Column(name, ByCodePoint))


def downgrade() -> None:
    with op.batch_alter_table("core_keys") as keys:
        for name in _COLUMNS:
            keys.drop_column(name)
