"""Let invoices say themselves which job they bill, and how much of it."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "jobs_0005", "jobs_0004"

# Whoever was invoiced so far was invoiced in whole, as much as the invoice came to.
TOLD = """
UPDATE invoices SET claim_on = job_id, claimed = total
WHERE status <> 'void' AND claim_on IS NULL AND EXISTS (
    SELECT 1 FROM jobs_invoices l
    WHERE l.tenant_id = invoices.tenant_id AND l.id = invoices.id AND l.job_id = invoices.job_id AND l.bills
)
"""
TAKEN_BACK = """
UPDATE jobs_invoices SET bills = true WHERE EXISTS (
    SELECT 1 FROM invoices i
    WHERE i.tenant_id = jobs_invoices.tenant_id AND i.id = jobs_invoices.id AND i.claim_on = jobs_invoices.job_id
    AND i.status <> 'void'
)
"""


def upgrade() -> None:
    if _knows_claims():
        op.execute(TOLD)
    op.drop_column("jobs_invoices", "bills")


def downgrade() -> None:
    op.add_column("jobs_invoices", sa.Column("bills", sa.Boolean, nullable=False, server_default=sa.false()))
    if _knows_claims():
        op.execute(TAKEN_BACK)


def _knows_claims() -> bool:
    """Whether there are invoices; without that plugin, no job was ever invoiced."""
    found = sa.inspect(op.get_bind())
    return found.has_table("invoices") and any(c["name"] == "claim_on" for c in found.get_columns("invoices"))
