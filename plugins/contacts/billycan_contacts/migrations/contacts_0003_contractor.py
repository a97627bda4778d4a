"""Mark the contacts whose payments are reported to the tax office."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "contacts_0003", "contacts_0002"


def upgrade() -> None:
    op.add_column("contacts", sa.Column("contractor", sa.Boolean, nullable=False, server_default=sa.false()))


def downgrade() -> None:
    op.drop_column("contacts", "contractor")
