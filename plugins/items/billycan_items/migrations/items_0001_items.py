"""Create the items."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Decimals
from billycan.migrations import create_index, create_resource_table

revision, down_revision = "items_0001", None


def upgrade() -> None:
    create_resource_table(
        op,
        "items",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("description", sa.Text),
        sa.Column("unit", sa.Text),
        sa.Column("unit_price", Decimals(4), nullable=False),
        sa.Column("gst_code", sa.Text),
        sa.Column("sku", sa.Text),
        sa.Column("active", sa.Boolean, nullable=False),
        sa.Column("name_folded", ByCodePoint, nullable=False),
        sa.Column("sku_folded", ByCodePoint),
        sa.Column("search_text", sa.Text, nullable=False),
        sa.UniqueConstraint("tenant_id", "sku", name="uq_items_tenant_id_sku"),
    )
    op.create_index("ix_items_tenant_id_name_folded_id", "items", ["tenant_id", "name_folded", "id"])
    create_index(op, "items", "search_text")


def downgrade() -> None:
    op.drop_table("items")
