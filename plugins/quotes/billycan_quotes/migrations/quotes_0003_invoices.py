"""Index which quote an invoice was made from."""

from alembic import op

revision, down_revision = "quotes_0003", "quotes_0002"


def upgrade() -> None:
    op.create_index("ix_quotes_tenant_id_invoice_id", "quotes", ["tenant_id", "invoice_id"])


def downgrade() -> None:
    op.drop_index("ix_quotes_tenant_id_invoice_id", "quotes")
