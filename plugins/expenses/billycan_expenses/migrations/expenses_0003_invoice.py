"""Note which invoice charges an expense to the client."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint
from billycan.migrations import create_neighbour_index

revision, down_revision = "expenses_0003", "expenses_0002"


def upgrade() -> None:
    op.add_column("expenses", sa.Column("invoice_id", ByCodePoint))
    create_neighbour_index(op, "expenses", "invoice_id")


def downgrade() -> None:
    op.drop_index("ix_expenses_tenant_id_invoice_id", "expenses")
    op.drop_column("expenses", "invoice_id")
