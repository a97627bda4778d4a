"""Create the booking pages, and what visitors ask for on them."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Decimals, Json, UTCDateTime
from billycan.migrations import key_columns

revision, down_revision = "booking_pages_0001", None


def upgrade() -> None:
    op.create_table(
        "booking_pages",
        *key_columns(),
        sa.Column("active", sa.Boolean, nullable=False),
        sa.Column("name", ByCodePoint, unique=True),
        sa.Column("introduction", sa.Text),
        sa.Column("service_ids", Json, nullable=False),
        sa.Column("offers_staff", sa.Boolean, nullable=False),
        sa.Column("shows_prices", sa.Boolean, nullable=False),
        sa.Column("confirms_email", sa.Boolean, nullable=False),
        sa.Column("cancel_notice_minutes", sa.Integer, nullable=False),
        sa.Column("deposit_percent", Decimals(4)),
        sa.Column("embedded_in", Json, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("updated_at", UTCDateTime, nullable=False),
    )
    op.create_table(
        "booking_pages_requests",
        *key_columns(),
        sa.Column("service_id", ByCodePoint, nullable=False),
        sa.Column("staff_id", ByCodePoint),
        sa.Column("start_at", UTCDateTime, nullable=False),
        sa.Column("hold_id", ByCodePoint),
        sa.Column("name", sa.Text),
        sa.Column("email", sa.Text),
        sa.Column("phone", sa.Text),
        sa.Column("notes", sa.Text),
        sa.Column("created_at", UTCDateTime, nullable=False),
        sa.Column("sent_at", UTCDateTime),
        sa.Column("booking_id", ByCodePoint),
        sa.Column("deposit_due_at", UTCDateTime),
        sa.Column("deposit_id", ByCodePoint),
        sa.Column("deposit_url", sa.Text),
        sa.Column("ends_at", UTCDateTime, nullable=False),
    )
    op.create_index("ix_booking_pages_requests_ends_at", "booking_pages_requests", ["ends_at"])
    op.create_index("ix_booking_pages_requests_deposit_due_at", "booking_pages_requests", ["deposit_due_at"])
    columns = ["tenant_id", "booking_id"]
    op.create_index("ix_booking_pages_requests_tenant_id_booking_id", "booking_pages_requests", columns)
    columns = ["tenant_id", "email", "sent_at"]
    op.create_index("ix_booking_pages_requests_tenant_id_email_sent_at", "booking_pages_requests", columns)


def downgrade() -> None:
    op.drop_table("booking_pages_requests")
    op.drop_table("booking_pages")
