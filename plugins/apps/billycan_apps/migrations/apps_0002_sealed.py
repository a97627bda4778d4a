"""Index the answers to refreshes that are still kept."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "apps_0002", "apps_0001"


def upgrade() -> None:
    some = sa.text("sealed IS NOT NULL")
    name, table = "ix_apps_refresh_tokens_sealed", "apps_refresh_tokens"
    op.create_index(name, table, ["used_at"], sqlite_where=some, postgresql_where=some)


def downgrade() -> None:
    op.drop_index("ix_apps_refresh_tokens_sealed", "apps_refresh_tokens")
