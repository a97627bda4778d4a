"""Create the jobs, their lines, and which invoices are for them."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Decimals, Json, UTCDateTime
from billycan.migrations import create_index, create_resource_table, key_columns

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
        sa.Column("amounts_are", sa.Text, nullable=False),
        sa.Column("gst_rounding", sa.Text, nullable=False),
        sa.Column("discount_percent", Decimals(4)),
        sa.Column("discount_amount", Decimals(2)),
        sa.Column("subtotal", Decimals(2), nullable=False),
        sa.Column("discount_total", Decimals(2), nullable=False),
        sa.Column("gst", Decimals(2), nullable=False),
        sa.Column("total", Decimals(2), nullable=False),
        sa.Column("gst_breakdown", sa.JSON, nullable=False),
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
        _reference("jobs", "client_id", "contacts"),
        sa.UniqueConstraint("tenant_id", "number", name="uq_jobs_tenant_id_number"),
    )
    _index("jobs", "client_id", "created_at", "id")
    _index("jobs", "status", "created_at", "id")
    _index("jobs", "sequence", "id")
    _index("jobs", "scheduled_start", "id")
    _index("jobs", "scheduled_end")
    create_index(op, "jobs", "quote_id")
    create_index(op, "jobs", "booking_id")
    create_index(op, "jobs", "search_text")
    if op.get_bind().dialect.name == "postgresql":
        # Who is assigned to which jobs.
        op.execute("CREATE INDEX ix_jobs_assignee_ids_search ON jobs USING gin (assignee_ids jsonb_path_ops)")
    op.create_table(
        "jobs_lines",
        *key_columns(),
        sa.Column("document_id", ByCodePoint, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("quantity", Decimals(4), nullable=False),
        sa.Column("unit", sa.Text),
        sa.Column("unit_price", Decimals(4), nullable=False),
        sa.Column("discount_percent", Decimals(4)),
        sa.Column("discount_amount", Decimals(2)),
        sa.Column("gst_code", sa.Text, nullable=False),
        sa.Column("net", Decimals(2), nullable=False),
        sa.Column("gst", Decimals(2), nullable=False),
        sa.Column("total", Decimals(2), nullable=False),
        sa.Column("item_id", ByCodePoint),
        _reference("jobs_lines", "document_id", "jobs"),
    )
    _index("jobs_lines", "document_id", "position")
    create_index(op, "jobs_lines", "item_id")
    op.create_table(
        "jobs_invoices",
        *key_columns(),
        sa.Column("job_id", ByCodePoint, nullable=False),
        _reference("jobs_invoices", "job_id", "jobs"),
    )
    _index("jobs_invoices", "job_id", "id")


def downgrade() -> None:
    for table in ("jobs_invoices", "jobs_lines", "jobs"):
        op.drop_table(table)


def _reference(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["tenant_id", column], [f"{target}.tenant_id", f"{target}.id"], name=f"fk_{table}_tenant_id_{column}"
    )


def _index(table: str, *columns: str) -> None:
    op.create_index(f"ix_{table}_tenant_id_{'_'.join(columns)}", table, ["tenant_id", *columns])
