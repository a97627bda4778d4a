"""Create the expenses and their categories."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Decimals, UTCDateTime
from billycan.migrations import create_index, create_resource_table, key_columns

revision, down_revision = "expenses_0001", None


def upgrade() -> None:
    create_resource_table(
        op,
        "expenses_categories",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("gst_code", sa.Text),
        sa.Column("gst_required", sa.Boolean, nullable=False),
        sa.Column("deductible", sa.Boolean, nullable=False),
        sa.Column("name_folded", ByCodePoint, nullable=False),
        sa.Column("search_text", sa.Text, nullable=False),
    )
    create_index(op, "expenses_categories", "search_text")
    op.create_table("expenses_started", *key_columns())
    create_resource_table(
        op,
        "expenses",
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("date", sa.Date, nullable=False),
        sa.Column("amount", Decimals(2), nullable=False),
        sa.Column("description", sa.Text),
        sa.Column("category_id", ByCodePoint, nullable=False),
        sa.Column("supplier_id", ByCodePoint),
        sa.Column("supplier_name", sa.Text),
        sa.Column("supplier_abn", sa.Text),
        sa.Column("gst_code", sa.Text, nullable=False),
        sa.Column("gst", Decimals(2), nullable=False),
        sa.Column("import_gst", sa.Boolean, nullable=False),
        sa.Column("business_use_percent", Decimals(4), nullable=False),
        sa.Column("for_input_taxed_sales", sa.Boolean, nullable=False),
        sa.Column("tax_invoice_held", sa.Boolean, nullable=False),
        sa.Column("tax_invoice_held_on", sa.Date),
        sa.Column("claim_until", sa.Date, nullable=False),
        sa.Column("recorded_late", sa.Boolean, nullable=False),
        sa.Column("paid_on", sa.Date),
        sa.Column("due_date", sa.Date),
        sa.Column("tax_withheld", Decimals(2), nullable=False),
        sa.Column("payment_method", sa.Text),
        sa.Column("reference", sa.Text),
        sa.Column("job_id", ByCodePoint),
        sa.Column("billable", sa.Boolean, nullable=False),
        sa.Column("invoice_id", ByCodePoint),
        sa.Column("refunded_expense_id", ByCodePoint),
        sa.Column("lodged_in", ByCodePoint),
        sa.Column("lodged_until", sa.Date),
        sa.Column("voided_at", UTCDateTime),
        sa.Column("voided_on", sa.Date),
        sa.Column("void_reason", sa.Text),
        sa.Column("description_folded", ByCodePoint),
        sa.Column("search_text", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id", "category_id"],
            ["expenses_categories.tenant_id", "expenses_categories.id"],
            name="fk_expenses_tenant_id_category_id",
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id", "supplier_id"],
            ["contacts.tenant_id", "contacts.id"],
            name="fk_expenses_tenant_id_supplier_id",
        ),
    )
    _index("expenses", "date", "id")
    _index("expenses", "category_id", "created_at", "id")
    _index("expenses", "supplier_id", "created_at", "id")
    _index("expenses", "job_id", "created_at", "id")
    _index("expenses", "paid_on", "id")
    create_index(op, "expenses", "invoice_id")
    create_index(op, "expenses", "refunded_expense_id")
    create_index(op, "expenses", "search_text")


def downgrade() -> None:
    for table in ("expenses", "expenses_started", "expenses_categories"):
        op.drop_table(table)


def _index(table: str, *columns: str) -> None:
    op.create_index(f"ix_{table}_tenant_id_{'_'.join(columns)}", table, ["tenant_id", *columns])
