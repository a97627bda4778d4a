"""The tables of quotes and their lines."""

import sqlalchemy as sa

from billycan import (
    ByCodePoint,
    Json,
    UTCDateTime,
    folded,
    neighbour_index,
    numbered,
    reference,
    resource_table,
    searchable,
    tenant_table,
)
from billycan_documents.api import document_columns, lines_table, party_columns

quotes = resource_table(
    "quotes",
    *numbered(),
    sa.Column("client_id", ByCodePoint, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("title", sa.Text),
    sa.Column("summary", sa.Text),
    sa.Column("issue_date", sa.Date, nullable=False),
    sa.Column("expiry_date", sa.Date, nullable=False),
    *document_columns(),
    sa.Column("reference", sa.Text),
    sa.Column("notes", sa.Text),
    sa.Column("terms", sa.Text),
    sa.Column("revision", sa.Integer, nullable=False),
    # Goes up by one to revoke all earlier links.
    sa.Column("link_edition", sa.Integer, nullable=False),
    # `job` or `invoice`, once converted.
    sa.Column("converted_to", sa.Text),
    sa.Column("invoice_id", sa.Text),
    sa.Column("job_id", sa.Text),
    sa.Column("booking_id", sa.Text),
    *party_columns(),
    sa.Column("sent_at", UTCDateTime),
    sa.Column("accepted_at", UTCDateTime),
    sa.Column("accepted_by", Json),
    sa.Column("declined_at", UTCDateTime),
    sa.Column("decline_reason", sa.Text),
    sa.Column("cancelled_at", UTCDateTime),
    folded("title", nullable=True),
    searchable(),
    reference("client_id", "contacts"),
    sa.UniqueConstraint("tenant_id", "number"),
    sa.Index(None, "tenant_id", "client_id", "created_at"),
    sa.Index(None, "tenant_id", "sequence", "id"),
    sa.Index(None, "tenant_id", "invoice_id"),
    *map(neighbour_index, ("job_id", "booking_id")),
    sa.Index(None, "status", "expiry_date"),
)

lines = lines_table("quotes")

# Each row's id is an invoice that bills a part of the quote, to find the quote when that is deleted or voided.
claims = tenant_table(
    "quotes_claims",
    sa.Column("quote_id", ByCodePoint, nullable=False),
    reference("quote_id", "quotes"),
    sa.Index(None, "tenant_id", "quote_id"),
)
