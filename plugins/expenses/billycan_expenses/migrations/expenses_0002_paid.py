"""Note when an expense was paid, is due and got its tax invoice, what was withheld, and how long it can be claimed."""

from datetime import date

import sqlalchemy as sa
from alembic import op

from billycan import Cents

revision, down_revision = "expenses_0002", "expenses_0001"

NEW = ("tax_invoice_held_on", "claim_until", "recorded_late", "paid_on", "due_date", "tax_withheld")

expenses = sa.table("expenses", sa.column("date", sa.Date), sa.column("claim_until", sa.Date))


def upgrade() -> None:
    # SQLite adds a column that is never null only with a default; each INSERT gives its own value.
    op.add_column("expenses", sa.Column("tax_invoice_held_on", sa.Date))
    op.add_column("expenses", sa.Column("claim_until", sa.Date, nullable=False, server_default="1970-01-01"))
    op.add_column("expenses", sa.Column("recorded_late", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("expenses", sa.Column("paid_on", sa.Date))
    op.add_column("expenses", sa.Column("due_date", sa.Date))
    op.add_column("expenses", sa.Column("tax_withheld", Cents(), nullable=False, server_default="0"))
    # What was recorded so far was paid, and its tax invoice held, on its date; what was claimed stays claimed.
    op.execute("UPDATE expenses SET paid_on = date")
    op.execute("UPDATE expenses SET tax_invoice_held_on = date WHERE tax_invoice_held")
    connection = op.get_bind()
    for (day,) in connection.execute(sa.select(expenses.c.date).distinct()).all():
        of_day = sa.update(expenses).where(expenses.c.date == day)
        connection.execute(of_day.values(claim_until=_claim_until(day)))
    op.create_index("ix_expenses_tenant_id_paid_on_id", "expenses", ["tenant_id", "paid_on", "id"])


def downgrade() -> None:
    op.drop_index("ix_expenses_tenant_id_paid_on_id", "expenses")
    for column in reversed(NEW):
        op.drop_column("expenses", column)


def _claim_until(day: date) -> date:
    """Four years after the return of the quarter of a day was due: billycan knew of no other periods."""
    if day.month > 9:
        return date(day.year + 5, 2, 28)
    return date(day.year + 4, {0: 4, 1: 7, 2: 10}[(day.month - 1) // 3], 28)
