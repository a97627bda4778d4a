"""The tables of reminder rules, of invoices and contacts without reminders, and of sent or skipped reminders."""

import sqlalchemy as sa

from billycan import ByCodePoint, UTCDateTime, new_table, reference

# One row for each business; its id is always `reminders`. `since` is the first day that reminders are sent for.
settings = new_table(
    "reminders_settings",
    sa.Column("enabled", sa.Boolean, nullable=False),
    sa.Column("since", sa.Date, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("updated_at", UTCDateTime, nullable=False),
)

rules = new_table(
    "reminders_rules",
    sa.Column("days", sa.Integer, nullable=False),
    sa.Column("subject", sa.Text, nullable=False),
    sa.Column("message", sa.Text, nullable=False),
    sa.Column("active", sa.Boolean, nullable=False),
    sa.UniqueConstraint("tenant_id", "days"),
)

# Each row's id is an invoice or a contact. There is no foreign key: the plugin hears of deletions.
off = new_table("reminders_off")

# The result of each reminder; at most one for a rule, an invoice and its due date.
sent = new_table(
    "reminders_sent",
    sa.Column("invoice_id", ByCodePoint, nullable=False),
    sa.Column("due_date", sa.Date, nullable=False),
    sa.Column("days", sa.Integer, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("reason", sa.Text),
    sa.Column("email_id", ByCodePoint),  # no foreign key: mail may be off, and deletes old emails
    reference("invoice_id", "invoices"),
    sa.UniqueConstraint("tenant_id", "invoice_id", "due_date", "days"),
    of="resource",
)
