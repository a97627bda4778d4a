"""Let lines name the item of the price list that they were filled in from."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint
from billycan.migrations import create_neighbour_index

revision, down_revision = "quotes_0006", "quotes_0005"


def upgrade() -> None:
    op.add_column("quotes_lines", sa.Column("item_id", ByCodePoint))
    create_neighbour_index(op, "quotes_lines", "item_id")


def downgrade() -> None:
    op.drop_index("ix_quotes_lines_tenant_id_item_id", "quotes_lines")
    op.drop_column("quotes_lines", "item_id")
