"""Create invoices with their ledger, the payments that settle them and the adjustment notes that reduce them."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Decimals, Json, UTCDateTime
from billycan.migrations import create_index, create_resource_table, key_columns

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
        sa.Column("amounts_are", sa.Text, nullable=False),
        sa.Column("gst_rounding", sa.Text, nullable=False),
        sa.Column("discount_percent", Decimals(4)),
        sa.Column("discount_amount", Decimals(2)),
        sa.Column("subtotal", Decimals(2), nullable=False),
        sa.Column("discount_total", Decimals(2), nullable=False),
        sa.Column("gst", Decimals(2), nullable=False),
        sa.Column("total", Decimals(2), nullable=False),
        sa.Column("gst_breakdown", sa.JSON, nullable=False),
        sa.Column("document_title", sa.Text, nullable=False),
        sa.Column("amount_paid", Decimals(2), nullable=False),
        sa.Column("amount_credited", Decimals(2), nullable=False),
        sa.Column("amount_written_off", Decimals(2), nullable=False),
        sa.Column("cash_rounding", Decimals(2), nullable=False),
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
        sa.Column("voided_on", sa.Date),
        sa.Column("void_reason", sa.Text),
        sa.Column("written_off_at", UTCDateTime),
        sa.Column("written_off_on", sa.Date),
        sa.Column("write_off_reason", sa.Text),
        sa.Column("claim", sa.Text),
        sa.Column("claim_on", ByCodePoint),
        sa.Column("claimed", Decimals(2)),
        sa.Column("claim_percent", Decimals(4)),
        sa.Column("claim_parts", Json),
        sa.Column("less_line_ids", Json),
        sa.Column("less_subtotal", Decimals(2)),
        sa.Column("less_gst", Decimals(2)),
        sa.Column("progress_claim", Json),
        sa.Column("retained", Decimals(2)),
        sa.Column("retained_parts", Json),
        sa.Column("deposits_applied", Decimals(2), nullable=False),
        sa.Column("applied_to", ByCodePoint),
        sa.Column("deposit_gst", Decimals(2)),
        sa.Column("forfeited_on", sa.Date),
        sa.Column("forfeit_reason", sa.Text),
        sa.Column("claim_supply", Json),
        sa.Column("search_text", sa.Text, nullable=False),
        _reference("invoices", "client_id", "contacts"),
        sa.UniqueConstraint("tenant_id", "number", name="uq_invoices_tenant_id_number"),
    )
    _index("invoices", "client_id", "created_at", "id")
    _index("invoices", "status", "created_at", "id")
    _index("invoices", "sequence", "id")
    _index("invoices", "due_date", "id")
    _index("invoices", "issue_date", "id")
    create_index(op, "invoices", "quote_id")
    create_index(op, "invoices", "job_id")
    create_index(op, "invoices", "booking_id")
    create_index(op, "invoices", "applied_to")
    op.create_index("ix_invoices_status_due_date", "invoices", ["status", "due_date"])
    create_index(op, "invoices", "search_text")
    op.create_table(
        "invoices_lines",
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
        _reference("invoices_lines", "document_id", "invoices"),
    )
    _index("invoices_lines", "document_id", "position")
    create_index(op, "invoices_lines", "item_id")
    create_resource_table(
        op,
        "invoices_payments",
        sa.Column("client_id", ByCodePoint, nullable=False),
        sa.Column("client_name", sa.Text, nullable=False),
        sa.Column("amount", Decimals(2), nullable=False),
        sa.Column("allocated", Decimals(2), nullable=False),
        sa.Column("refunded", Decimals(2), nullable=False),
        sa.Column("unallocated", Decimals(2), nullable=False),
        sa.Column("cash_rounding", Decimals(2), nullable=False),
        sa.Column("payment_method", sa.Text, nullable=False),
        sa.Column("paid_at", UTCDateTime, nullable=False),
        sa.Column("paid_on", sa.Date, nullable=False),
        sa.Column("reference", sa.Text),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("reversed_at", UTCDateTime),
        sa.Column("reversed_on", sa.Date),
        sa.Column("reverse_reason", sa.Text),
        _reference("invoices_payments", "client_id", "contacts"),
        sa.CheckConstraint("amount = allocated + refunded + unallocated", name=op.f("ck_invoices_payments_adds_up")),
        sa.CheckConstraint(
            "allocated >= 0 AND refunded >= 0 AND unallocated >= 0", name=op.f("ck_invoices_payments_not_negative")
        ),
    )
    _index("invoices_payments", "client_id", "created_at", "id")
    _index("invoices_payments", "status", "created_at", "id")
    _index("invoices_payments", "paid_at", "id")
    _index("invoices_payments", "paid_on", "id")
    op.create_table(
        "invoices_allocations",
        *key_columns(),
        sa.Column("payment_id", ByCodePoint, nullable=False),
        sa.Column("invoice_id", ByCodePoint, nullable=False),
        sa.Column("amount", Decimals(2), nullable=False),
        sa.Column("cash_rounding", Decimals(2), nullable=False),
        sa.Column("allocated_on", sa.Date, nullable=False),
        _reference("invoices_allocations", "payment_id", "invoices_payments"),
        _reference("invoices_allocations", "invoice_id", "invoices"),
        sa.UniqueConstraint(
            "tenant_id", "payment_id", "invoice_id", name="uq_invoices_allocations_tenant_id_payment_id_invoice_id"
        ),
    )
    _index("invoices_allocations", "invoice_id", "payment_id")
    op.create_table(
        "invoices_entries",
        *key_columns(),
        sa.Column("invoice_id", ByCodePoint, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("counts_on", sa.Date, nullable=False),
        sa.Column("payment_id", ByCodePoint),
        sa.Column("note_id", ByCodePoint),
        sa.Column("taken_off_by", ByCodePoint),
        sa.Column("paid", Decimals(2), nullable=False),
        sa.Column("cash_rounding", Decimals(2), nullable=False),
        sa.Column("credited", Decimals(2), nullable=False),
        sa.Column("written_off", Decimals(2), nullable=False),
        sa.Column("total", Decimals(2), nullable=False),
        sa.Column("gst", Decimals(2), nullable=False),
        sa.Column("gst_free", Decimals(2), nullable=False),
        sa.Column("export", Decimals(2), nullable=False),
        sa.Column("input_taxed", Decimals(2), nullable=False),
        sa.Column("out_of_scope", Decimals(2), nullable=False),
        _reference("invoices_entries", "invoice_id", "invoices"),
    )
    _index("invoices_entries", "invoice_id", "counts_on", "id")
    _index("invoices_entries", "counts_on", "invoice_id")
    _index("invoices_entries", "payment_id")
    op.create_table(
        "invoices_held",
        *key_columns(),
        sa.Column("invoice_id", ByCodePoint, nullable=False),
        sa.Column("note_id", ByCodePoint, nullable=False),
        sa.Column("payment_id", ByCodePoint, nullable=False),
        sa.Column("used_on", ByCodePoint),
        sa.Column("counts_on", sa.Date, nullable=False),
        sa.Column("paid", Decimals(2), nullable=False),
        sa.Column("cash_rounding", Decimals(2), nullable=False),
        sa.Column("total", Decimals(2), nullable=False),
        sa.Column("gst", Decimals(2), nullable=False),
        sa.Column("gst_free", Decimals(2), nullable=False),
        sa.Column("export", Decimals(2), nullable=False),
        sa.Column("input_taxed", Decimals(2), nullable=False),
        sa.Column("out_of_scope", Decimals(2), nullable=False),
        _reference("invoices_held", "invoice_id", "invoices"),
    )
    _index("invoices_held", "invoice_id", "counts_on")
    _index("invoices_held", "counts_on", "invoice_id")
    _index("invoices_held", "payment_id")
    op.create_table(
        "invoices_ahead",
        *key_columns(),
        sa.Column("invoice_id", ByCodePoint, nullable=False),
        sa.Column("work_id", ByCodePoint, nullable=False),
        sa.Column("counts_on", sa.Date, nullable=False),
        sa.Column("total", Decimals(2), nullable=False),
        sa.Column("gst", Decimals(2), nullable=False),
        sa.Column("export", Decimals(2), nullable=False),
        sa.Column("gst_free", Decimals(2), nullable=False),
        sa.Column("input_taxed", Decimals(2), nullable=False),
        _reference("invoices_ahead", "invoice_id", "invoices"),
    )
    _index("invoices_ahead", "work_id", "counts_on")
    _index("invoices_ahead", "invoice_id")
    op.create_table(
        "invoices_refunds",
        *key_columns(),
        sa.Column("payment_id", ByCodePoint, nullable=False),
        sa.Column("amount", Decimals(2), nullable=False),
        sa.Column("payment_method", sa.Text, nullable=False),
        sa.Column("refunded_at", UTCDateTime, nullable=False),
        sa.Column("refunded_on", sa.Date, nullable=False),
        sa.Column("reference", sa.Text),
        _reference("invoices_refunds", "payment_id", "invoices_payments"),
    )
    _index("invoices_refunds", "payment_id", "id")
    _index("invoices_refunds", "refunded_on", "id")
    create_resource_table(
        op,
        "invoices_notes",
        sa.Column("number", sa.Text, nullable=False),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.Column("invoice_id", ByCodePoint, nullable=False),
        sa.Column("client_id", ByCodePoint, nullable=False),
        sa.Column("invoice_number", sa.Text, nullable=False),
        sa.Column("invoice_total", Decimals(2), nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("description", sa.Text),
        sa.Column("full", sa.Boolean, nullable=False),
        sa.Column("issue_date", sa.Date, nullable=False),
        sa.Column("amounts_are", sa.Text, nullable=False),
        sa.Column("gst_rounding", sa.Text, nullable=False),
        sa.Column("subtotal", Decimals(2), nullable=False),
        sa.Column("gst", Decimals(2), nullable=False),
        sa.Column("total", Decimals(2), nullable=False),
        sa.Column("gst_breakdown", sa.JSON, nullable=False),
        sa.Column("document_title", sa.Text, nullable=False),
        sa.Column("client_name", sa.Text),
        sa.Column("client_abn", sa.Text),
        sa.Column("client_address", Json),
        sa.Column("released", Json, nullable=False),
        sa.Column("issued_at", UTCDateTime),
        sa.Column("voided_at", UTCDateTime),
        sa.Column("voided_on", sa.Date),
        sa.Column("void_reason", sa.Text),
        sa.Column("search_text", sa.Text, nullable=False),
        _reference("invoices_notes", "invoice_id", "invoices"),
        _reference("invoices_notes", "client_id", "contacts"),
        sa.UniqueConstraint("tenant_id", "number", name="uq_invoices_notes_tenant_id_number"),
    )
    _index("invoices_notes", "invoice_id", "created_at", "id")
    _index("invoices_notes", "client_id", "created_at", "id")
    _index("invoices_notes", "status", "created_at", "id")
    _index("invoices_notes", "sequence", "id")
    _index("invoices_notes", "issue_date", "id")
    create_index(op, "invoices_notes", "search_text")
    op.create_table(
        "invoices_notes_lines",
        *key_columns(),
        sa.Column("document_id", ByCodePoint, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("invoice_line_id", ByCodePoint),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("quantity", Decimals(4), nullable=False),
        sa.Column("unit", sa.Text),
        sa.Column("unit_price", Decimals(4), nullable=False),
        sa.Column("amount", Decimals(2)),
        sa.Column("gst_code", sa.Text, nullable=False),
        sa.Column("net", Decimals(2), nullable=False),
        sa.Column("gst", Decimals(2), nullable=False),
        sa.Column("total", Decimals(2), nullable=False),
        _reference("invoices_notes_lines", "document_id", "invoices_notes"),
    )
    _index("invoices_notes_lines", "document_id", "position")


def downgrade() -> None:
    for table in (
        "invoices_notes_lines",
        "invoices_notes",
        "invoices_refunds",
        "invoices_ahead",
        "invoices_held",
        "invoices_entries",
        "invoices_allocations",
        "invoices_payments",
        "invoices_lines",
        "invoices",
    ):
        op.drop_table(table)


def _reference(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["tenant_id", column], [f"{target}.tenant_id", f"{target}.id"], name=f"fk_{table}_tenant_id_{column}"
    )


def _index(table: str, *columns: str) -> None:
    op.create_index(f"ix_{table}_tenant_id_{'_'.join(columns)}", table, ["tenant_id", *columns])
