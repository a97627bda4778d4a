"""The tables of recurring invoices, of the dates whose invoices were made, and of the items that their lines name."""

import sqlalchemy as sa

from billycan import (
    ByCodePoint,
    Cents,
    Json,
    TenThousandths,
    UTCDateTime,
    reference,
    resource_table,
    searchable,
    tenant_table,
)

recurring = resource_table(
    "recurring_invoices",
    sa.Column("client_id", ByCodePoint, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("frequency", sa.Text, nullable=False),
    sa.Column("start_on", sa.Date, nullable=False),
    sa.Column("end_on", sa.Date),
    sa.Column("count", sa.Integer),
    sa.Column("then", sa.Text, nullable=False),
    # The body of an invoice as sent: each invoice takes the prices of items and the GST of its own date.
    sa.Column("line_items", Json, nullable=False),
    sa.Column("amounts_are", sa.Text),
    sa.Column("gst_rounding", sa.Text),
    sa.Column("discount_percent", TenThousandths()),
    sa.Column("discount_amount", Cents()),
    sa.Column("reference", sa.Text),
    sa.Column("purchase_order", sa.Text),
    sa.Column("notes", sa.Text),
    sa.Column("terms", sa.Text),
    # The total of an invoice when it was last calculated.
    sa.Column("total", Cents(), nullable=False),
    sa.Column("next_on", sa.Date),
    sa.Column("invoices_made", sa.Integer, nullable=False),
    sa.Column("last_invoice_id", ByCodePoint),
    sa.Column("failure", Json),
    sa.Column("email_failure", Json),
    # The last date that is done, and the pauses: pairs of the first day and the day after the last.
    sa.Column("done_until", sa.Date),
    sa.Column("paused_on", sa.Date),
    sa.Column("pauses", Json, nullable=False),
    sa.Column("retry_at", UTCDateTime),
    searchable(),
    reference("client_id", "contacts"),
    sa.Index(None, "tenant_id", "client_id", "created_at", "id"),
    sa.Index(None, "tenant_id", "next_on", "id"),
    sa.Index(None, "status", "next_on"),
)

# Each row's id is an invoice, which may be deleted while it is a draft: its date stays done. No date has two rows.
made = tenant_table(
    "recurring_made",
    sa.Column("recurring_id", ByCodePoint, nullable=False),
    sa.Column("day", sa.Date, nullable=False),
    reference("recurring_id", "recurring_invoices"),
    sa.UniqueConstraint("tenant_id", "recurring_id", "day"),
)

# Deleting an item looks here, instead of in all lines. An ended recurring invoice has no rows.
named_items = tenant_table(
    "recurring_items",
    sa.Column("recurring_id", ByCodePoint, nullable=False),
    sa.Column("item_id", ByCodePoint, nullable=False),  # no foreign key: the plugin items may be off
    sa.ForeignKeyConstraint(
        ["tenant_id", "recurring_id"],
        ["recurring_invoices.tenant_id", "recurring_invoices.id"],
        name="fk_recurring_items_recurring_invoice",
        ondelete="CASCADE",
    ),
    sa.UniqueConstraint("tenant_id", "recurring_id", "item_id"),
    sa.Index(None, "tenant_id", "item_id"),
)
