"""The tables of jobs, their lines, and the invoices made for them."""

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
from billycan_documents.api import document_columns, lines_table

jobs = resource_table(
    "jobs",
    *numbered(),
    sa.Column("client_id", ByCodePoint, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("description", sa.Text),
    sa.Column("site_address", Json),
    sa.Column("scheduled_start", UTCDateTime),
    sa.Column("scheduled_end", UTCDateTime),
    sa.Column("assignee_ids", Json, nullable=False),
    sa.Column("priority", sa.Text, nullable=False),
    sa.Column("checklist", Json, nullable=False),
    *document_columns(),
    sa.Column("reference", sa.Text),
    sa.Column("notes", sa.Text),
    sa.Column("terms", sa.Text),
    sa.Column("quote_id", sa.Text),
    sa.Column("booking_id", sa.Text),
    sa.Column("completed_at", UTCDateTime),
    sa.Column("completion_notes", sa.Text),
    sa.Column("cancelled_at", UTCDateTime),
    sa.Column("cancel_reason", sa.Text),
    folded("title"),
    searchable(),
    reference("client_id", "contacts"),
    sa.UniqueConstraint("tenant_id", "number"),
    sa.Index(None, "tenant_id", "client_id", "created_at", "id"),
    sa.Index(None, "tenant_id", "status", "created_at", "id"),
    sa.Index(None, "tenant_id", "sequence", "id"),
    sa.Index(None, "tenant_id", "scheduled_start", "id"),
    sa.Index(None, "tenant_id", "scheduled_end"),
    *map(neighbour_index, ("quote_id", "booking_id")),
)

lines = lines_table("jobs")

# Each row's id is the id of an invoice.
invoiced = tenant_table(
    "jobs_invoices",
    sa.Column("job_id", ByCodePoint, nullable=False),
    reference("job_id", "jobs"),
    sa.Index(None, "tenant_id", "job_id", "id"),
)
