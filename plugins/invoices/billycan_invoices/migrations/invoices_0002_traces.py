"""Note which invoice took a deposit off, and on which one the credit of a note was used."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint

revision, down_revision = "invoices_0002", "invoices_0001"

NEW = (("invoices_entries", "taken_off_by"), ("invoices_held", "used_on"))


def upgrade() -> None:
    for table, column in NEW:
        op.add_column(table, sa.Column(column, ByCodePoint))
    # Of a deposit that was taken off before by another invoice, too, all is noted as of the one that does now.
    op.execute(
        "UPDATE invoices_entries SET taken_off_by = (SELECT applied_to FROM invoices WHERE"
        " invoices.tenant_id = invoices_entries.tenant_id AND invoices.id = invoices_entries.invoice_id)"
        " WHERE kind = 'deposit'"
    )


def downgrade() -> None:
    for table, column in NEW:
        op.drop_column(table, column)
