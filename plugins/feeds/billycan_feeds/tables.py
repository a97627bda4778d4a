"""The table of links, each to the feed of one person in one business or its sandbox."""

import sqlalchemy as sa

from billycan import ByCodePoint, UTCDateTime, new_table

links = new_table(
    "feeds_links",
    sa.Column("user_id", ByCodePoint, nullable=False),
    sa.Column("business_id", ByCodePoint, nullable=False),  # the live tenant, where the person has a role
    sa.Column("digest", sa.LargeBinary, nullable=False, unique=True),  # of the secret, which cannot be read back
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("created_at", UTCDateTime, nullable=False),  # the real time, as the next
    sa.Column("read_at", UTCDateTime),
    # A link ends with its person's membership, and does not come back with it.
    sa.ForeignKeyConstraint(
        ["business_id", "user_id"],
        ["users_roles.tenant_id", "users_roles.id"],
        name="fk_feeds_links_business_id_user_id",
        ondelete="CASCADE",
    ),
    sa.Index(None, "tenant_id", "user_id"),
    sa.Index(None, "business_id", "user_id"),
)
# What lets somebody in goes with no business that moves.
links.info["stays"] = True
