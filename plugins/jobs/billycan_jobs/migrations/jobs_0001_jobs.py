"""Create the jobs, their lines, and which invoices are for them."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Json, UTCDateTime
from billycan.migrations import create_resource_table, create_search_index, key_columns
from billycan_documents.api import document_columns, line_columns

revision, down_revision = "jobs_0001", None


def upgrade() -> None:
    create_resource_table(
        op,
        "jobs",
        sa.Column("number", sa.Text, nullable=False),
        sa.Column("sequence", sa.BigInteger, nullable=False),
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
        sa.Column("title_folded", ByCodePoint, nullable=False),
        sa.Column("search_text", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id", "client_id"], ["contacts.tenant_id", "contacts.id"], name="fk_jobs_tenant_id_client_id"
        ),
        sa.UniqueConstraint("tenant_id", "number", name="uq_jobs_tenant_id_number"),
    )
    for columns in (
        ("client_id", "created_at", "id"),
        ("status", "created_at", "id"),
        ("sequence", "id"),
        ("scheduled_start", "id"),
    ):
        op.create_index(f"ix_jobs_tenant_id_{'_'.join(columns)}", "jobs", ["tenant_id", *columns])
    create_search_index(op, "jobs")
    op.create_table(
        "jobs_lines",
        *key_columns(),
        *line_columns(),
        sa.ForeignKeyConstraint(
            ["tenant_id", "document_id"], ["jobs.tenant_id", "jobs.id"], name="fk_jobs_lines_tenant_id_document_id"
        ),
    )
    op.create_index(
        "ix_jobs_lines_tenant_id_document_id_position", "jobs_lines", ["tenant_id", "document_id", "position"]
    )
    op.create_table(
        "jobs_invoices",
        *key_columns(),
        sa.Column("job_id", ByCodePoint, nullable=False),
        sa.Column("bills", sa.Boolean, nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id", "job_id"], ["jobs.tenant_id", "jobs.id"], name="fk_jobs_invoices_tenant_id_job_id"
        ),
    )
    op.create_index("ix_jobs_invoices_tenant_id_job_id_id", "jobs_invoices", ["tenant_id", "job_id", "id"])


def downgrade() -> None:
    for table in ("jobs_invoices", "jobs_lines", "jobs"):
        op.drop_table(table)
