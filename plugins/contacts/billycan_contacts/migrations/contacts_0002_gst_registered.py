"""Let a contact's `gst_registered` be unknown.

It was false where nobody said anything, so nothing tells who said so: every false becomes unknown.
"""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "contacts_0002", "contacts_0001"


def upgrade() -> None:
    # SQLite cannot let a column be null that must not, and to make the table anew others point at it too much.
    op.execute("ALTER TABLE contacts RENAME COLUMN gst_registered TO gst_registered_before")
    op.add_column("contacts", sa.Column("gst_registered", sa.Boolean))
    op.execute("UPDATE contacts SET gst_registered = gst_registered_before WHERE gst_registered_before")
    op.drop_column("contacts", "gst_registered_before")


def downgrade() -> None:
    op.execute("ALTER TABLE contacts RENAME COLUMN gst_registered TO gst_registered_before")
    op.add_column("contacts", sa.Column("gst_registered", sa.Boolean, nullable=False, server_default=sa.false()))
    op.execute("UPDATE contacts SET gst_registered = gst_registered_before WHERE gst_registered_before")
    op.drop_column("contacts", "gst_registered_before")
