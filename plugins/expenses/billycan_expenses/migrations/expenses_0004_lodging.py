"""Keep GST codes of categories, import GST, what a refund is of, and which lodged period counted an expense."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint
from billycan.migrations import create_neighbour_index

revision, down_revision = "expenses_0004", "expenses_0003"

CATEGORIES = "expenses_categories"
# Of the starter set, as far as it was stored: by the ids that it has in every business.
CODES = {"Bank fees": (3, "input_taxed"), "Government charges": (12, "out_of_scope"), "Interest": (14, "input_taxed")}
INSURANCE = 13

categories = sa.table(CATEGORIES, *map(sa.column, ("id", "name", "gst_code", "gst_required")))


def upgrade() -> None:
    # SQLite adds a column that is never null only with a default; each INSERT gives its own value.
    op.add_column(CATEGORIES, sa.Column("gst_code", sa.Text))
    op.add_column(CATEGORIES, sa.Column("gst_required", sa.Boolean, nullable=False, server_default=sa.false()))
    for name, (number, code) in CODES.items():
        op.execute(_starter(number, name).values(gst_code=code))
    op.execute(_starter(INSURANCE, "Insurance").values(gst_required=sa.true()))
    op.add_column("expenses", sa.Column("import_gst", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("expenses", sa.Column("refunded_expense_id", ByCodePoint))
    op.add_column("expenses", sa.Column("lodged_in", ByCodePoint))
    op.add_column("expenses", sa.Column("lodged_until", sa.Date))
    create_neighbour_index(op, "expenses", "refunded_expense_id")


def downgrade() -> None:
    op.drop_index("ix_expenses_tenant_id_refunded_expense_id", "expenses")
    for column in ("lodged_until", "lodged_in", "refunded_expense_id", "import_gst"):
        op.drop_column("expenses", column)
    for column in ("gst_required", "gst_code"):
        op.drop_column(CATEGORIES, column)


def _starter(number: int, name: str) -> sa.Update:
    return sa.update(categories).where(categories.c.id == f"cat_{number:026d}", categories.c.name == name)
