"""The tables of attachments, of bytes that wait to be stored, and of files left over in the storage."""

import sqlalchemy as sa

from billycan import ByCodePoint, UTCDateTime, tenant_table

attachments = tenant_table(
    "attachments",
    sa.Column("resource", ByCodePoint, nullable=False),
    # What the id of that record begins with.
    sa.Column("kind", ByCodePoint, nullable=False),
    sa.Column("filename", sa.Text, nullable=False),
    sa.Column("content_type", sa.Text, nullable=False),
    sa.Column("size", sa.BigInteger, nullable=False),
    sa.Column("sha256", sa.Text, nullable=False),
    sa.Column("created_at", UTCDateTime, nullable=False),
    sa.Index(None, "tenant_id", "resource", "created_at", "id"),
    sa.Index(None, "tenant_id", "created_at", "id"),
    sa.Index("ix_attachments_kind", "kind"),
)

# The bytes of attachments that another record's change kept along with itself: a task brings them to the storage.
waiting = tenant_table(
    "attachments_waiting",
    sa.Column("content", sa.LargeBinary, nullable=False),
    sa.Column("created_at", UTCDateTime, nullable=False, index=True),
)

# Bytes that may be in the storage and belong to no attachment: of one that is being uploaded, or was deleted.
leftovers = tenant_table(
    "attachments_leftovers",
    sa.Column("since", UTCDateTime, nullable=False, index=True),
    sa.Column("bytes", sa.BigInteger, nullable=False, server_default="0"),  # of one that was deleted
)

# How many bytes the attachments of a business have; its one row has the id "all".
used = tenant_table("attachments_used", sa.Column("bytes", sa.BigInteger, nullable=False))
