"""Keep whose address is proved, which links prove it, and the business that somebody used last."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint

revision, down_revision = "users_0004", "users_0003"


def upgrade() -> None:
    # Nobody knows who chose the passwords there are: the next link to a new one removes what else was set up.
    op.add_column("users_users", sa.Column("is_proved", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("users_users", sa.Column("last_business_id", ByCodePoint))
    op.add_column("users_links", sa.Column("proves", sa.Boolean, nullable=False, server_default=sa.false()))


def downgrade() -> None:
    with op.batch_alter_table("users_links") as links:
        links.drop_column("proves")
    with op.batch_alter_table("users_users") as users:
        users.drop_column("last_business_id")
        users.drop_column("is_proved")
