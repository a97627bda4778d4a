"""Keep which purchases are for input taxed sales, and from which day a void expense counts no more."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "expenses_0005", "expenses_0004"


def upgrade() -> None:
    # SQLite adds a column that is never null only with a default; each INSERT gives its own value.
    column = sa.Column("for_input_taxed_sales", sa.Boolean, nullable=False, server_default=sa.false())
    op.add_column("expenses", column)
    op.add_column("expenses", sa.Column("voided_on", sa.Date))


def downgrade() -> None:
    op.drop_column("expenses", "voided_on")
    op.drop_column("expenses", "for_input_taxed_sales")
