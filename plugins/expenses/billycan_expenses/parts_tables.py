"""The tables of an expense's lines and payments."""

import sqlalchemy as sa

from billycan import ByCodePoint, Context, Decimals, UTCDateTime, new_table, reference
from billycan.sql import ByIds, Statement

lines = new_table(
    "expenses_lines",
    sa.Column("expense_id", ByCodePoint, nullable=False),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("category_id", ByCodePoint, nullable=False),
    sa.Column("amount", Decimals(2), nullable=False),
    sa.Column("description", sa.Text),
    sa.Column("gst_code", sa.Text, nullable=False),
    sa.Column("gst", Decimals(2), nullable=False),
    sa.Column("business_use_percent", Decimals(4), nullable=False),
    # The line of the purchase, for a supplier's refund: no foreign key, as a patch writes all lines anew.
    sa.Column("refunded_line_id", ByCodePoint),
    reference("expense_id", "expenses"),
    reference("category_id", "expenses_categories"),
    sa.Index(None, "tenant_id", "expense_id", "position"),
    sa.Index(None, "tenant_id", "category_id", "expense_id"),
)

payments = new_table(
    "expenses_payments",
    sa.Column("expense_id", ByCodePoint, nullable=False),
    sa.Column("amount", Decimals(2), nullable=False),
    sa.Column("paid_on", sa.Date, nullable=False),
    sa.Column("payment_method", sa.Text),
    sa.Column("reference", sa.Text),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("created_at", UTCDateTime, nullable=False),
    # The day on which its reversal counts; null for a mistake.
    sa.Column("reversed_at", UTCDateTime),
    sa.Column("reversed_on", sa.Date),
    sa.Column("reverse_reason", sa.Text),
    reference("expense_id", "expenses"),
    sa.Index(None, "tenant_id", "expense_id", "id"),
    sa.Index(None, "tenant_id", "paid_on"),
    # Few are: reports look for them among all payments.
    sa.Index(
        "ix_expenses_payments_reversed",
        "tenant_id",
        "reversed_on",
        sqlite_where=sa.text("reversed_on IS NOT NULL"),
        postgresql_where=sa.text("reversed_on IS NOT NULL"),
    ),
)

PAYMENTS = ByIds(sa.select(payments).order_by(payments.c.expense_id, payments.c.id), payments.c.expense_id)

# A literal: a condition on it can use a partial index, and SQLite need not plan a statement anew for each value.
NONE = sa.literal_column("0", sa.Integer)

_ONE_LINE = Statement(sa.select(lines.c.id).where(lines.c.tenant_id == sa.bindparam("tenant_id")).limit(1))


def has_lines(ctx: Context) -> bool:
    """Tell whether any expense of the business has lines. If none has, its statements stay as simple as without."""
    return _ONE_LINE.first(ctx.db, {"tenant_id": ctx.tenant_id}) is not None
