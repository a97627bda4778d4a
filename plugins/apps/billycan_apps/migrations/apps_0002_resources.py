"""Add what a token is for alone, and apps that describe themselves."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "apps_0002", "apps_0001"


def upgrade() -> None:
    op.add_column("apps_apps", sa.Column("address", sa.Text))
    op.add_column("apps_codes", sa.Column("resource", sa.Text))
    op.add_column("apps_access_tokens", sa.Column("resource", sa.Text))


def downgrade() -> None:
    op.drop_column("apps_access_tokens", "resource")
    op.drop_column("apps_codes", "resource")
    op.drop_index("ix_apps_apps_address", "apps_apps", if_exists=True)
    op.drop_column("apps_apps", "address")
