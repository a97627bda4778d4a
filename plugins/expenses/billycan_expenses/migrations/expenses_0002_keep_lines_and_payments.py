"""Keep the lines and payments of expenses."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Decimals, UTCDateTime
from billycan.migrations import key_columns

revision, down_revision = "expenses_0002", "expenses_0001"


def upgrade() -> None:
    op.create_table(
        "expenses_lines",
        *key_columns(),
        sa.Column("expense_id", ByCodePoint, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("category_id", ByCodePoint, nullable=False),
        sa.Column("amount", Decimals(2), nullable=False),
        sa.Column("description", sa.Text),
        sa.Column("gst_code", sa.Text, nullable=False),
        sa.Column("gst", Decimals(2), nullable=False),
        sa.Column("business_use_percent", Decimals(4), nullable=False),
        sa.Column("refunded_line_id", ByCodePoint),
        sa.ForeignKeyConstraint(
            ["tenant_id", "category_id"],
            ["expenses_categories.tenant_id", "expenses_categories.id"],
            name="fk_expenses_lines_tenant_id_category_id",
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id", "expense_id"],
            ["expenses.tenant_id", "expenses.id"],
            name="fk_expenses_lines_tenant_id_expense_id",
        ),
    )
    op.create_index(
        "ix_expenses_lines_tenant_id_category_id_expense_id",
        "expenses_lines",
        ["tenant_id", "category_id", "expense_id"],
    )
    op.create_index(
        "ix_expenses_lines_tenant_id_expense_id_position",
        "expenses_lines",
        ["tenant_id", "expense_id", "position"],
    )
    op.create_table(
        "expenses_payments",
        *key_columns(),
        sa.Column("expense_id", ByCodePoint, nullable=False),
        sa.Column("amount", Decimals(2), nullable=False),
        sa.Column("paid_on", sa.Date, nullable=False),
        sa.Column("payment_method", sa.Text),
        sa.Column("reference", sa.Text),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("created_at", UTCDateTime, nullable=False),
        sa.Column("reversed_at", UTCDateTime),
        sa.Column("reversed_on", sa.Date),
        sa.Column("reverse_reason", sa.Text),
        sa.ForeignKeyConstraint(
            ["tenant_id", "expense_id"],
            ["expenses.tenant_id", "expenses.id"],
            name="fk_expenses_payments_tenant_id_expense_id",
        ),
    )
    op.create_index(
        "ix_expenses_payments_tenant_id_expense_id_id",
        "expenses_payments",
        ["tenant_id", "expense_id", "id"],
    )
    op.create_index("ix_expenses_payments_tenant_id_paid_on", "expenses_payments", ["tenant_id", "paid_on"])
    op.create_index(
        "ix_expenses_payments_reversed",
        "expenses_payments",
        ["tenant_id", "reversed_on"],
        sqlite_where=sa.text("reversed_on IS NOT NULL"),
        postgresql_where=sa.text("reversed_on IS NOT NULL"),
    )
    op.add_column("expenses", sa.Column("line_count", sa.Integer, nullable=False, server_default="0"))
    op.add_column("expenses", sa.Column("lines_gst", Decimals(2)))
    op.add_column("expenses", sa.Column("payment_count", sa.Integer, nullable=False, server_default="0"))
    op.add_column("expenses", sa.Column("part_paid", Decimals(2), nullable=False, server_default="0"))
    op.add_column("expenses", sa.Column("first_paid_on", sa.Date))


def downgrade() -> None:
    op.drop_index("ix_expenses_in_parts", "expenses", if_exists=True)
    op.drop_column("expenses", "first_paid_on")
    op.drop_column("expenses", "part_paid")
    op.drop_column("expenses", "payment_count")
    op.drop_column("expenses", "lines_gst")
    op.drop_column("expenses", "line_count")
    op.drop_table("expenses_payments")
    op.drop_table("expenses_lines")
