"""Note which invoices bill a part of a quote, and let those of a whole one say how much of it they bill."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint
from billycan.migrations import key_columns

revision, down_revision = "quotes_0005", "quotes_0004"

TOLD = """
UPDATE invoices SET claim_on = quote_id, claimed = total
WHERE status <> 'void' AND claim_on IS NULL AND EXISTS (
    SELECT 1 FROM quotes q
    WHERE q.tenant_id = invoices.tenant_id AND q.id = invoices.quote_id AND q.invoice_id = invoices.id
    AND q.converted_to = 'invoice'
)
"""


def upgrade() -> None:
    op.create_table(
        "quotes_claims",
        *key_columns(),
        sa.Column("quote_id", ByCodePoint, nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id", "quote_id"], ["quotes.tenant_id", "quotes.id"], name="fk_quotes_claims_tenant_id_quote_id"
        ),
    )
    op.create_index("ix_quotes_claims_tenant_id_quote_id", "quotes_claims", ["tenant_id", "quote_id"])
    found = sa.inspect(op.get_bind())
    if found.has_table("invoices") and any(c["name"] == "claim_on" for c in found.get_columns("invoices")):
        op.execute(TOLD)


def downgrade() -> None:
    op.drop_table("quotes_claims")
