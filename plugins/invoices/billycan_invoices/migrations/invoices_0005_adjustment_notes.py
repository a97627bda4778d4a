"""Add adjustment notes, which reduce invoices, and their lines."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Cents, Json, TenThousandths, UTCDateTime
from billycan.migrations import create_resource_table, create_search_index, key_columns

revision, down_revision = "invoices_0005", "invoices_0004"

NOTES, LINES = "invoices_notes", "invoices_notes_lines"


def upgrade() -> None:
    create_resource_table(
        op,
        NOTES,
        sa.Column("number", sa.Text, nullable=False),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.Column("invoice_id", ByCodePoint, nullable=False),
        sa.Column("client_id", ByCodePoint, nullable=False),
        sa.Column("invoice_number", sa.Text, nullable=False),
        sa.Column("invoice_total", Cents(), nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("description", sa.Text),
        sa.Column("full", sa.Boolean, nullable=False),
        sa.Column("issue_date", sa.Date, nullable=False),
        sa.Column("amounts_are", sa.Text, nullable=False),
        sa.Column("gst_rounding", sa.Text, nullable=False),
        sa.Column("subtotal", Cents(), nullable=False),
        sa.Column("gst", Cents(), nullable=False),
        sa.Column("total", Cents(), nullable=False),
        sa.Column("gst_breakdown", sa.JSON, nullable=False),
        sa.Column("document_title", sa.Text, nullable=False),
        sa.Column("client_name", sa.Text),
        sa.Column("client_abn", sa.Text),
        sa.Column("client_address", Json),
        sa.Column("released", Json, nullable=False),
        sa.Column("issued_at", UTCDateTime),
        sa.Column("voided_at", UTCDateTime),
        sa.Column("void_reason", sa.Text),
        sa.Column("search_text", sa.Text, nullable=False),
        _to(NOTES, "invoice_id", "invoices"),
        _to(NOTES, "client_id", "contacts"),
        sa.UniqueConstraint("tenant_id", "number", name=f"uq_{NOTES}_tenant_id_number"),
    )
    for columns in (
        ("invoice_id", "created_at", "id"),
        ("client_id", "created_at", "id"),
        ("status", "created_at", "id"),
        ("sequence", "id"),
        ("issue_date", "id"),
    ):
        op.create_index(f"ix_{NOTES}_tenant_id_{'_'.join(columns)}", NOTES, ["tenant_id", *columns])
    create_search_index(op, NOTES)
    op.create_table(
        LINES,
        *key_columns(),
        sa.Column("document_id", ByCodePoint, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("invoice_line_id", ByCodePoint),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("quantity", TenThousandths(), nullable=False),
        sa.Column("unit", sa.Text),
        sa.Column("unit_price", TenThousandths(), nullable=False),
        sa.Column("amount", Cents()),
        sa.Column("gst_code", sa.Text, nullable=False),
        sa.Column("net", Cents(), nullable=False),
        sa.Column("gst", Cents(), nullable=False),
        sa.Column("total", Cents(), nullable=False),
        _to(LINES, "document_id", NOTES),
    )
    op.create_index(f"ix_{LINES}_tenant_id_document_id_position", LINES, ["tenant_id", "document_id", "position"])


def downgrade() -> None:
    for table in (LINES, NOTES):
        op.drop_table(table)


def _to(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["tenant_id", column], [f"{target}.tenant_id", f"{target}.id"], name=f"fk_{table}_tenant_id_{column}"
    )
