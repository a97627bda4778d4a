"""The tables of attachments, of bytes that wait to be stored, and of files left over in the storage."""

import sqlalchemy as sa

from billycan import ByCodePoint, UTCDateTime, new_table

attachments = new_table(
    "attachments",
    sa.Column("resource", ByCodePoint, nullable=False),
    # The prefix of that record's id.
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

# Bytes of attachments stored in the transaction of another change: a task moves them to the storage.
waiting = new_table(
    "attachments_waiting",
    sa.Column("content", sa.LargeBinary, nullable=False),
    sa.Column("created_at", UTCDateTime, nullable=False, index=True),
)

# Bytes that may be in the storage without an attachment: being uploaded, or of a deleted attachment.
leftovers = new_table(
    "attachments_leftovers",
    sa.Column("since", UTCDateTime, nullable=False, index=True),
    sa.Column("bytes", sa.BigInteger, nullable=False, server_default="0"),  # of one that was deleted
)

# The total size of a business's attachments, in one row with the id "all".
used = new_table("attachments_used", sa.Column("bytes", sa.BigInteger, nullable=False))
