"""The tables of booking pages, and of what visitors ask for on them."""

import sqlalchemy as sa

from billycan import ByCodePoint, Decimals, Json, UTCDateTime, new_table

# One row for each business; its id is always `booking_page`.
pages = new_table(
    "booking_pages",
    sa.Column("active", sa.Boolean, nullable=False, info={"elsewhere": False}),
    # The end of its address, which another business of another deployment may have.
    sa.Column("name", ByCodePoint, unique=True, info={"elsewhere": None}),
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

# A time that a visitor chose; later who they say they are, and the booking. Times are real, except the start.
requests = new_table(
    "booking_pages_requests",
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
    # The deposit: since when it is to be asked for, and then its invoice, and the page on which it is paid.
    sa.Column("deposit_due_at", UTCDateTime, index=True),
    sa.Column("deposit_id", ByCodePoint),
    sa.Column("deposit_url", sa.Text),
    sa.Column("ends_at", UTCDateTime, nullable=False, index=True),  # it is deleted then
    sa.Index(None, "tenant_id", "email", "sent_at"),
    sa.Index(None, "tenant_id", "booking_id"),
)
requests.info["stays"] = True  # links to it are signed by this deployment
