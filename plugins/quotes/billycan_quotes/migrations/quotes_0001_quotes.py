"""Create the quotes, their lines, and which invoices bill a part of them."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Decimals, Json, UTCDateTime
from billycan.migrations import create_index, create_resource_table, key_columns

revision, down_revision = "quotes_0001", None


def upgrade() -> None:
    create_resource_table(
        op,
        "quotes",
        sa.Column("number", sa.Text, nullable=False),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.Column("client_id", ByCodePoint, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("title", sa.Text),
        sa.Column("summary", sa.Text),
        sa.Column("issue_date", sa.Date, nullable=False),
        sa.Column("expiry_date", sa.Date, nullable=False),
        sa.Column("amounts_are", sa.Text, nullable=False),
        sa.Column("gst_rounding", sa.Text, nullable=False),
        sa.Column("discount_percent", Decimals(4)),
        sa.Column("discount_amount", Decimals(2)),
        sa.Column("subtotal", Decimals(2), nullable=False),
        sa.Column("discount_total", Decimals(2), nullable=False),
        sa.Column("gst", Decimals(2), nullable=False),
        sa.Column("total", Decimals(2), nullable=False),
        sa.Column("gst_breakdown", sa.JSON, nullable=False),
        sa.Column("reference", sa.Text),
        sa.Column("notes", sa.Text),
        sa.Column("terms", sa.Text),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("link_edition", sa.Integer, nullable=False),
        sa.Column("converted_to", sa.Text),
        sa.Column("invoice_id", sa.Text),
        sa.Column("job_id", sa.Text),
        sa.Column("booking_id", sa.Text),
        sa.Column("client_name", sa.Text),
        sa.Column("client_abn", sa.Text),
        sa.Column("client_address", Json),
        sa.Column("sent_at", UTCDateTime),
        sa.Column("accepted_at", UTCDateTime),
        sa.Column("accepted_by", Json),
        sa.Column("declined_at", UTCDateTime),
        sa.Column("decline_reason", sa.Text),
        sa.Column("cancelled_at", UTCDateTime),
        sa.Column("title_folded", ByCodePoint),
        sa.Column("search_text", sa.Text, nullable=False),
        _reference("quotes", "client_id", "contacts"),
        sa.UniqueConstraint("tenant_id", "number", name="uq_quotes_tenant_id_number"),
    )
    _index("quotes", "client_id", "created_at")
    _index("quotes", "sequence", "id")
    op.create_index("ix_quotes_status_expiry_date", "quotes", ["status", "expiry_date"])
    _index("quotes", "invoice_id")
    create_index(op, "quotes", "job_id")
    create_index(op, "quotes", "booking_id")
    create_index(op, "quotes", "search_text")
    op.create_table(
        "quotes_lines",
        *key_columns(),
        sa.Column("document_id", ByCodePoint, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("quantity", Decimals(4), nullable=False),
        sa.Column("unit", sa.Text),
        sa.Column("unit_price", Decimals(4), nullable=False),
        sa.Column("discount_percent", Decimals(4)),
        sa.Column("discount_amount", Decimals(2)),
        sa.Column("gst_code", sa.Text, nullable=False),
        sa.Column("net", Decimals(2), nullable=False),
        sa.Column("gst", Decimals(2), nullable=False),
        sa.Column("total", Decimals(2), nullable=False),
        sa.Column("item_id", ByCodePoint),
        _reference("quotes_lines", "document_id", "quotes"),
    )
    _index("quotes_lines", "document_id", "position")
    create_index(op, "quotes_lines", "item_id")
    op.create_table(
        "quotes_claims",
        *key_columns(),
        sa.Column("quote_id", ByCodePoint, nullable=False),
        _reference("quotes_claims", "quote_id", "quotes"),
    )
    _index("quotes_claims", "quote_id")


def downgrade() -> None:
    for table in ("quotes_claims", "quotes_lines", "quotes"):
        op.drop_table(table)


def _reference(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["tenant_id", column], [f"{target}.tenant_id", f"{target}.id"], name=f"fk_{table}_tenant_id_{column}"
    )


def _index(table: str, *columns: str) -> None:
    op.create_index(f"ix_{table}_tenant_id_{'_'.join(columns)}", table, ["tenant_id", *columns])
