"""Create the tables of attachments, of bytes that wait to be stored, of what is left in the storage, and of its use."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, UTCDateTime
from billycan.migrations import key_columns

revision, down_revision = "attachments_0001", None


def upgrade() -> None:
    op.create_table(
        "attachments",
        *key_columns(),
        sa.Column("resource", ByCodePoint, nullable=False),
        sa.Column("kind", ByCodePoint, nullable=False),
        sa.Column("filename", sa.Text, nullable=False),
        sa.Column("content_type", sa.Text, nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("sha256", sa.Text, nullable=False),
        sa.Column("created_at", UTCDateTime, nullable=False),
    )
    op.create_index(
        "ix_attachments_tenant_id_resource_created_at_id", "attachments", ["tenant_id", "resource", "created_at", "id"]
    )
    op.create_index("ix_attachments_tenant_id_created_at_id", "attachments", ["tenant_id", "created_at", "id"])
    op.create_index("ix_attachments_kind", "attachments", ["kind"])
    op.create_table(
        "attachments_waiting",
        *key_columns(),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.Column("created_at", UTCDateTime, nullable=False),
    )
    op.create_index("ix_attachments_waiting_created_at", "attachments_waiting", ["created_at"])
    op.create_table(
        "attachments_leftovers",
        *key_columns(),
        sa.Column("since", UTCDateTime, nullable=False),
        sa.Column("bytes", sa.BigInteger, nullable=False, server_default="0"),
    )
    op.create_index("ix_attachments_leftovers_since", "attachments_leftovers", ["since"])
    op.create_table("attachments_used", *key_columns(), sa.Column("bytes", sa.BigInteger, nullable=False))


def downgrade() -> None:
    for table in ("attachments_used", "attachments_leftovers", "attachments_waiting", "attachments"):
        op.drop_table(table)
