"""The table of requests for access, by people who have no business here yet."""

import sqlalchemy as sa

from billycan import ByCodePoint, UTCDateTime, new_table

requests = new_table(
    "access_requests",
    sa.Column("id", ByCodePoint, primary_key=True),
    sa.Column("state", sa.Text, nullable=False),  # unproved, proved, approved, refused or expired
    sa.Column("business", sa.Text, nullable=False),
    sa.Column("abn", sa.Text),
    sa.Column("email", sa.Text, nullable=False),
    sa.Column("purpose", sa.Text, nullable=False),
    sa.Column("address", sa.Text, nullable=False),  # of the requester; for IPv6 its /64
    sa.Column("digest", sa.LargeBinary, unique=True),  # of the confirmation link, until it is used
    sa.Column("business_id", ByCodePoint, sa.ForeignKey("core_tenants.id")),  # the business made for it
    sa.Column("created_at", UTCDateTime, nullable=False),
    sa.Column("decided_at", UTCDateTime),
    sa.Index("ix_access_requests_created_at", "created_at"),
    of="deployment",
)
requests.info["stays"] = True  # the operator's note of a decision, which goes with no business that moves
