"""The table of checkouts: each lets a client pay one amount on the provider's page."""

import sqlalchemy as sa

from billycan import Decimals, UTCDateTime, new_table, reference

checkouts = new_table(
    "paylink_checkouts",
    sa.Column("invoice_id", sa.Text, nullable=False),
    sa.Column("amount", Decimals(2), nullable=False),
    sa.Column("url", sa.Text),  # null until the provider has answered
    sa.Column("created_at", UTCDateTime, nullable=False),
    sa.Column("paid_at", UTCDateTime),
    reference("invoice_id", "invoices"),
    sa.Index(None, "tenant_id", "invoice_id"),
)
