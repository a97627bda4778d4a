"""Keep which lines of a final invoice take off what was invoiced before, and what they come to."""

import sqlalchemy as sa
from alembic import op

from billycan import Cents, Json

revision, down_revision = "invoices_0012", "invoices_0011"


def upgrade() -> None:
    op.add_column("invoices", sa.Column("less_line_ids", Json))
    op.add_column("invoices", sa.Column("less_subtotal", Cents()))
    op.add_column("invoices", sa.Column("less_gst", Cents()))


def downgrade() -> None:
    for name in ("less_line_ids", "less_subtotal", "less_gst"):
        op.drop_column("invoices", name)
