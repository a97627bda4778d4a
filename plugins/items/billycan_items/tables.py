"""The table of items."""

import sqlalchemy as sa

from billycan import TenThousandths, folded, resource_table, searchable

items = resource_table(
    "items",
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("description", sa.Text),
    sa.Column("unit", sa.Text),
    sa.Column("unit_price", TenThousandths(), nullable=False),
    sa.Column("gst_code", sa.Text),
    sa.Column("sku", sa.Text),
    sa.Column("active", sa.Boolean, nullable=False),
    folded("name"),
    folded("sku", nullable=True),
    searchable(),
    sa.UniqueConstraint("tenant_id", "sku"),
    sa.Index(None, "tenant_id", "name_folded", "id"),
)
