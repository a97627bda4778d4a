"""The tables of a business's reminder rules, of who gets no reminders, and of what became of each reminder."""

import sqlalchemy as sa

from billycan import ByCodePoint, UTCDateTime, reference, resource_table, tenant_table

# One row a business, whose id is always `reminders`. `since` is the first day for whose reminders it is time.
settings = tenant_table(
    "reminders_settings",
    sa.Column("enabled", sa.Boolean, nullable=False),
    sa.Column("since", sa.Date, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("updated_at", UTCDateTime, nullable=False),
)

rules = tenant_table(
    "reminders_rules",
    sa.Column("days", sa.Integer, nullable=False),
    sa.Column("subject", sa.Text, nullable=False),
    sa.Column("message", sa.Text, nullable=False),
    sa.Column("active", sa.Boolean, nullable=False),
    sa.UniqueConstraint("tenant_id", "days"),
)

# Each row's id is that of an invoice or a contact. Without a foreign key: the plugin hears of what is deleted.
off = tenant_table("reminders_off")

# What became of each reminder. No rule has two of them for an invoice and its due date.
sent = resource_table(
    "reminders_sent",
    sa.Column("invoice_id", ByCodePoint, nullable=False),
    sa.Column("due_date", sa.Date, nullable=False),
    sa.Column("days", sa.Integer, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("reason", sa.Text),
    sa.Column("email_id", ByCodePoint),  # no reference: mail may be off, and forgets
    reference("invoice_id", "invoices"),
    sa.UniqueConstraint("tenant_id", "invoice_id", "due_date", "days"),
)
