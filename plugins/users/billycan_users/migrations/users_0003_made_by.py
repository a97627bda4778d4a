"""Keep who made an invitation, so that it ends with what they may do."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint

revision, down_revision = "users_0003", "users_0002"


def upgrade() -> None:
    op.add_column("users_links", sa.Column("made_by", ByCodePoint))


def downgrade() -> None:
    with op.batch_alter_table("users_links") as links:
        links.drop_column("made_by")
