"""Create the contacts."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Json
from billycan.migrations import create_index, create_resource_table

revision, down_revision = "contacts_0001", None


def upgrade() -> None:
    create_resource_table(
        op,
        "contacts",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("roles", Json, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("email", sa.Text),
        sa.Column("phone", sa.Text),
        sa.Column("website", sa.Text),
        sa.Column("abn", sa.Text),
        sa.Column("gst_registered", sa.Boolean),
        sa.Column("contractor", sa.Boolean, nullable=False),
        sa.Column("billing_address", Json),
        sa.Column("site_address", Json),
        sa.Column("people", Json, nullable=False),
        sa.Column("payment_terms_days", sa.Integer),
        sa.Column("notes", sa.Text),
        sa.Column("tags", Json, nullable=False),
        sa.Column("name_folded", ByCodePoint, nullable=False),
        sa.Column("search_text", sa.Text, nullable=False),
    )
    op.create_index("ix_contacts_tenant_id_name_folded_id", "contacts", ["tenant_id", "name_folded", "id"])
    op.create_index(
        "ix_contacts_not_registered",
        "contacts",
        ["tenant_id", "id"],
        sqlite_where=sa.text("NOT gst_registered"),
        postgresql_where=sa.text("NOT gst_registered"),
    )
    create_index(op, "contacts", "search_text")


def downgrade() -> None:
    op.drop_table("contacts")
