"""The table of archives: one that is being made and one that can be downloaded, for each business."""

import sqlalchemy as sa

from billycan import ByCodePoint, UTCDateTime, new_table

_UNDER_WAY = sa.text("finished_at IS NULL")

archives = new_table(
    "archives",
    sa.Column("asked_by", ByCodePoint, nullable=False),
    sa.Column("created_at", UTCDateTime, nullable=False),  # the real time, as the others
    sa.Column("share", sa.Integer, nullable=False),  # the percent of its parts that are written
    sa.Column("tries", sa.Integer, nullable=False),
    # The worker that makes it, and until when no other may.
    sa.Column("lease", ByCodePoint),
    sa.Column("lease_until", UTCDateTime, nullable=False),
    sa.Column("finished_at", UTCDateTime),
    sa.Column("fault", sa.Text),  # the reason that there is no file
    sa.Column("rows", sa.BigInteger),
    sa.Column("files", sa.BigInteger),
    sa.Column("bytes", sa.BigInteger),
    sa.Column("expires_at", UTCDateTime),
    # Never two at once.
    sa.Index("uq_archives_under_way", "tenant_id", unique=True, sqlite_where=_UNDER_WAY, postgresql_where=_UNDER_WAY),
    sa.Index("ix_archives_lease_until", "lease_until", sqlite_where=_UNDER_WAY, postgresql_where=_UNDER_WAY),
    sa.Index("ix_archives_expires_at", "expires_at"),
)
# A file has no others in it, and another deployment has none of these files.
archives.info["stays"] = True
