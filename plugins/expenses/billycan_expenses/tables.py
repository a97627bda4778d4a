"""The tables of expenses and their categories."""

import sqlalchemy as sa

from billycan import (
    ByCodePoint,
    Cents,
    TenThousandths,
    UTCDateTime,
    folded,
    neighbour_index,
    reference,
    resource_table,
    searchable,
    tenant_table,
)

categories = resource_table(
    "expenses_categories",
    sa.Column("name", sa.Text, nullable=False),
    # The GST code of expenses sent without one, and whether their GST must be entered.
    sa.Column("gst_code", sa.Text),
    sa.Column("gst_required", sa.Boolean, nullable=False),
    # If not, an expense that does not say its business use has none.
    sa.Column("deductible", sa.Boolean, nullable=False),
    folded("name"),
    searchable(),
)

# A row means that the tenant's starter set has been stored; the tenant may have changed it since.
started = tenant_table("expenses_started")

expenses = resource_table(
    "expenses",
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("date", sa.Date, nullable=False),
    sa.Column("amount", Cents(), nullable=False),
    sa.Column("description", sa.Text),
    sa.Column("category_id", ByCodePoint, nullable=False),
    sa.Column("supplier_id", ByCodePoint),
    sa.Column("supplier_name", sa.Text),
    sa.Column("supplier_abn", sa.Text),
    sa.Column("gst_code", sa.Text, nullable=False),
    sa.Column("gst", Cents(), nullable=False),
    sa.Column("import_gst", sa.Boolean, nullable=False),
    sa.Column("business_use_percent", TenThousandths(), nullable=False),
    # True if bought to make input taxed sales, so that its GST cannot be claimed.
    sa.Column("for_input_taxed_sales", sa.Boolean, nullable=False),
    sa.Column("tax_invoice_held", sa.Boolean, nullable=False),
    sa.Column("tax_invoice_held_on", sa.Date),
    # The last day on which its GST can be claimed, and whether it was recorded later than that.
    sa.Column("claim_until", sa.Date, nullable=False),
    sa.Column("recorded_late", sa.Boolean, nullable=False),
    sa.Column("paid_on", sa.Date),
    sa.Column("due_date", sa.Date),
    sa.Column("tax_withheld", Cents(), nullable=False),
    sa.Column("payment_method", sa.Text),
    sa.Column("reference", sa.Text),
    sa.Column("job_id", ByCodePoint),
    sa.Column("billable", sa.Boolean, nullable=False),
    sa.Column("invoice_id", ByCodePoint),
    # The purchase that the supplier refunds, for an amount below zero.
    sa.Column("refunded_expense_id", ByCodePoint),
    # The lodged tax period that counted it first, and that period's last day.
    sa.Column("lodged_in", ByCodePoint),
    sa.Column("lodged_until", sa.Date),
    sa.Column("voided_at", UTCDateTime),
    # The day from which it no longer counts; null for a mistake, which counts on no day.
    sa.Column("voided_on", sa.Date),
    sa.Column("void_reason", sa.Text),
    folded("description", nullable=True),
    searchable(),
    reference("category_id", "expenses_categories"),
    reference("supplier_id", "contacts"),
    sa.Index(None, "tenant_id", "date", "id"),
    sa.Index(None, "tenant_id", "paid_on", "id"),
    sa.Index(None, "tenant_id", "category_id", "created_at", "id"),
    sa.Index(None, "tenant_id", "supplier_id", "created_at", "id"),
    sa.Index(None, "tenant_id", "job_id", "created_at", "id"),
    neighbour_index("invoice_id"),
    neighbour_index("refunded_expense_id"),
)
