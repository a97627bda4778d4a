"""Mark the contacts whose payments are reported to the tax office, and find those that are not registered for GST."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "contacts_0003", "contacts_0002"


def upgrade() -> None:
    op.add_column("contacts", sa.Column("contractor", sa.Boolean, nullable=False, server_default=sa.false()))
    few = sa.text("NOT gst_registered")
    name = "ix_contacts_not_registered"
    op.create_index(name, "contacts", ["tenant_id", "id"], sqlite_where=few, postgresql_where=few)


def downgrade() -> None:
    op.drop_index("ix_contacts_not_registered", "contacts")
    op.drop_column("contacts", "contractor")
