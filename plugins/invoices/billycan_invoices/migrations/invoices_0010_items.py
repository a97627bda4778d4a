"""Let lines name the item of the price list that they were filled in from."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint
from billycan.migrations import create_neighbour_index

revision, down_revision = "invoices_0010", "invoices_0009"


def upgrade() -> None:
    op.add_column("invoices_lines", sa.Column("item_id", ByCodePoint))
    create_neighbour_index(op, "invoices_lines", "item_id")


def downgrade() -> None:
    op.drop_index("ix_invoices_lines_tenant_id_item_id", "invoices_lines")
    op.drop_column("invoices_lines", "item_id")
