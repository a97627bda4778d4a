"""The tables of recurring invoices, of the dates whose invoices were made, and of the items that their lines name."""

import sqlalchemy as sa

from billycan import ByCodePoint, new_table, reference

from . import resource

recurring = resource.recurring.table

# Each row's id is an invoice, which may be deleted while it is a draft: its date stays done. No date has two rows.
made = new_table(
    "recurring_made",
    sa.Column("recurring_id", ByCodePoint, nullable=False),
    sa.Column("day", sa.Date, nullable=False),
    reference("recurring_id", "recurring_invoices"),
    sa.UniqueConstraint("tenant_id", "recurring_id", "day"),
)

# Deleting an item looks here, instead of in all lines. An ended recurring invoice has no rows.
named_items = new_table(
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
