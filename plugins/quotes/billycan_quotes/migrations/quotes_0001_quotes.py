"""Create the quotes and their lines."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Json, UTCDateTime
from billycan.migrations import create_resource_table, create_search_index, key_columns
from billycan_documents.api import document_columns, line_columns

revision, down_revision = "quotes_0001", None


def upgrade() -> None:
    create_resource_table(
        op,
        "quotes",
        sa.Column("number", sa.Text, nullable=False),
        sa.Column("sequence", sa.BigInteger, nullable=False),
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
        sa.Column("link_edition", sa.Integer, nullable=False),
        sa.Column("invoice_id", sa.Text),
        sa.Column("job_id", sa.Text),
        sa.Column("booking_id", sa.Text),
        sa.Column("client_name", sa.Text),
        sa.Column("client_abn", sa.Text),
        sa.Column("client_address", Json),
        sa.Column("sent_at", UTCDateTime),
        sa.Column("accepted_at", UTCDateTime),
        sa.Column("accepted_by", Json),
        sa.Column("declined_at", UTCDateTime),
        sa.Column("decline_reason", sa.Text),
        sa.Column("cancelled_at", UTCDateTime),
        sa.Column("search_text", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id", "client_id"],
            ["contacts.tenant_id", "contacts.id"],
            name="fk_quotes_tenant_id_client_id",
        ),
        sa.UniqueConstraint("tenant_id", "number", name="uq_quotes_tenant_id_number"),
    )
    op.create_index("ix_quotes_tenant_id_client_id_created_at", "quotes", ["tenant_id", "client_id", "created_at"])
    op.create_index("ix_quotes_tenant_id_sequence_id", "quotes", ["tenant_id", "sequence", "id"])
    op.create_index("ix_quotes_status_expiry_date", "quotes", ["status", "expiry_date"])
    create_search_index(op, "quotes")
    op.create_table(
        "quotes_lines",
        *key_columns(),
        *line_columns(),
        sa.ForeignKeyConstraint(
            ["tenant_id", "document_id"],
            ["quotes.tenant_id", "quotes.id"],
            name="fk_quotes_lines_tenant_id_document_id",
        ),
    )
    op.create_index(
        "ix_quotes_lines_tenant_id_document_id_position", "quotes_lines", ["tenant_id", "document_id", "position"]
    )


def downgrade() -> None:
    for table in ("quotes_lines", "quotes"):
        op.drop_table(table)
