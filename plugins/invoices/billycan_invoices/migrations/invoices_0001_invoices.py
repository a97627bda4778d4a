"""Create the invoices, their lines and their payments."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Cents, Json, UTCDateTime
from billycan.migrations import create_resource_table, create_search_index, key_columns
from billycan_documents.api import document_columns, line_columns

revision, down_revision = "invoices_0001", None


def upgrade() -> None:
    create_resource_table(
        op,
        "invoices",
        sa.Column("number", sa.Text, nullable=False),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.Column("client_id", ByCodePoint, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("issue_date", sa.Date, nullable=False),
        sa.Column("due_date", sa.Date, nullable=False),
        *document_columns(),
        sa.Column("document_title", sa.Text, nullable=False),
        sa.Column("amount_paid", Cents(), nullable=False),
        sa.Column("reference", sa.Text),
        sa.Column("purchase_order", sa.Text),
        sa.Column("notes", sa.Text),
        sa.Column("terms", sa.Text),
        sa.Column("quote_id", sa.Text),
        sa.Column("job_id", sa.Text),
        sa.Column("booking_id", sa.Text),
        sa.Column("client_name", sa.Text),
        sa.Column("client_abn", sa.Text),
        sa.Column("client_address", Json),
        sa.Column("sent_at", UTCDateTime),
        sa.Column("paid_at", UTCDateTime),
        sa.Column("payment_method", sa.Text),
        sa.Column("voided_at", UTCDateTime),
        sa.Column("void_reason", sa.Text),
        sa.Column("written_off_at", UTCDateTime),
        sa.Column("write_off_reason", sa.Text),
        sa.Column("search_text", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id", "client_id"],
            ["contacts.tenant_id", "contacts.id"],
            name="fk_invoices_tenant_id_client_id",
        ),
        sa.UniqueConstraint("tenant_id", "number", name="uq_invoices_tenant_id_number"),
    )
    for columns in (
        ("client_id", "created_at", "id"),
        ("status", "created_at", "id"),
        ("sequence", "id"),
        ("due_date", "id"),
        ("issue_date", "id"),
    ):
        op.create_index(f"ix_invoices_tenant_id_{'_'.join(columns)}", "invoices", ["tenant_id", *columns])
    create_search_index(op, "invoices")
    op.create_table(
        "invoices_lines",
        *key_columns(),
        *line_columns(),
        sa.ForeignKeyConstraint(
            ["tenant_id", "document_id"],
            ["invoices.tenant_id", "invoices.id"],
            name="fk_invoices_lines_tenant_id_document_id",
        ),
    )
    op.create_index(
        "ix_invoices_lines_tenant_id_document_id_position",
        "invoices_lines",
        ["tenant_id", "document_id", "position"],
    )
    op.create_table(
        "invoices_payments",
        *key_columns(),
        sa.Column("invoice_id", ByCodePoint, nullable=False),
        sa.Column("amount", Cents(), nullable=False),
        sa.Column("payment_method", sa.Text, nullable=False),
        sa.Column("paid_at", UTCDateTime, nullable=False),
        sa.Column("reference", sa.Text),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("created_at", UTCDateTime, nullable=False),
        sa.Column("reversed_at", UTCDateTime),
        sa.Column("reverse_reason", sa.Text),
        sa.ForeignKeyConstraint(
            ["tenant_id", "invoice_id"],
            ["invoices.tenant_id", "invoices.id"],
            name="fk_invoices_payments_tenant_id_invoice_id",
        ),
    )
    op.create_index(
        "ix_invoices_payments_tenant_id_invoice_id_id", "invoices_payments", ["tenant_id", "invoice_id", "id"]
    )


def downgrade() -> None:
    for table in ("invoices_payments", "invoices_lines", "invoices"):
        op.drop_table(table)
