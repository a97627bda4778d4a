"""Create recurring invoices, the dates for which they were made, and the items that they name."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Decimals, Json, UTCDateTime
from billycan.migrations import create_index, create_resource_table, key_columns

revision, down_revision = "recurring_0001", None


def upgrade() -> None:
    create_resource_table(
        op,
        "recurring_invoices",
        sa.Column("client_id", ByCodePoint, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("frequency", sa.Text, nullable=False),
        sa.Column("start_on", sa.Date, nullable=False),
        sa.Column("end_on", sa.Date),
        sa.Column("count", sa.Integer),
        sa.Column("then", sa.Text, nullable=False),
        sa.Column("line_items", Json, nullable=False),
        sa.Column("amounts_are", sa.Text),
        sa.Column("gst_rounding", sa.Text),
        sa.Column("discount_percent", Decimals(4)),
        sa.Column("discount_amount", Decimals(2)),
        sa.Column("reference", sa.Text),
        sa.Column("purchase_order", sa.Text),
        sa.Column("notes", sa.Text),
        sa.Column("terms", sa.Text),
        sa.Column("total", Decimals(2), nullable=False),
        sa.Column("next_on", sa.Date),
        sa.Column("invoices_made", sa.Integer, nullable=False),
        sa.Column("last_invoice_id", ByCodePoint),
        sa.Column("failure", Json),
        sa.Column("email_failure", Json),
        sa.Column("done_until", sa.Date),
        sa.Column("paused_on", sa.Date),
        sa.Column("pauses", Json, nullable=False),
        sa.Column("retry_at", UTCDateTime),
        sa.Column("search_text", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id", "client_id"],
            ["contacts.tenant_id", "contacts.id"],
            name="fk_recurring_invoices_tenant_id_client_id",
        ),
    )
    _index("recurring_invoices", "client_id", "created_at", "id")
    _index("recurring_invoices", "next_on", "id")
    op.create_index("ix_recurring_invoices_status_next_on", "recurring_invoices", ["status", "next_on"])
    create_index(op, "recurring_invoices", "search_text")
    op.create_table(
        "recurring_made",
        *key_columns(),
        sa.Column("recurring_id", ByCodePoint, nullable=False),
        sa.Column("day", sa.Date, nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id", "recurring_id"],
            ["recurring_invoices.tenant_id", "recurring_invoices.id"],
            name="fk_recurring_made_tenant_id_recurring_id",
        ),
        sa.UniqueConstraint("tenant_id", "recurring_id", "day", name="uq_recurring_made_tenant_id_recurring_id_day"),
    )
    op.create_table(
        "recurring_items",
        *key_columns(),
        sa.Column("recurring_id", ByCodePoint, nullable=False),
        sa.Column("item_id", ByCodePoint, nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id", "recurring_id"],
            ["recurring_invoices.tenant_id", "recurring_invoices.id"],
            name="fk_recurring_items_recurring_invoice",
            ondelete="CASCADE",
        ),
        sa.UniqueConstraint(
            "tenant_id", "recurring_id", "item_id", name="uq_recurring_items_tenant_id_recurring_id_item_id"
        ),
    )
    _index("recurring_items", "item_id")


def downgrade() -> None:
    for name in ("items", "made", "invoices"):
        op.drop_table(f"recurring_{name}")


def _index(table: str, *columns: str) -> None:
    op.create_index(f"ix_{table}_tenant_id_{'_'.join(columns)}", table, ["tenant_id", *columns])
