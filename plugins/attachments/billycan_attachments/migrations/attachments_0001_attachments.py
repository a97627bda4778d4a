"""Create the tables of attachments, of bytes that wait to be stored, of what is left in the storage, and of its use."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, UTCDateTime
from billycan.migrations import key_columns

revision, down_revision = "attachments_0001", None

TABLE = "attachments"
WAITING, LEFTOVERS, USED = f"{TABLE}_waiting", f"{TABLE}_leftovers", f"{TABLE}_used"


def upgrade() -> None:
    op.create_table(
        TABLE,
        *key_columns(),
        sa.Column("resource", ByCodePoint, nullable=False),
        sa.Column("kind", ByCodePoint, nullable=False),
        sa.Column("filename", sa.Text, nullable=False),
        sa.Column("content_type", sa.Text, nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("sha256", sa.Text, nullable=False),
        sa.Column("created_at", UTCDateTime, nullable=False),
    )
    resource = ["tenant_id", "resource", "created_at", "id"]
    op.create_index(f"ix_{TABLE}_tenant_id_resource_created_at_id", TABLE, resource)
    op.create_index(f"ix_{TABLE}_tenant_id_created_at_id", TABLE, ["tenant_id", "created_at", "id"])
    op.create_table(
        WAITING,
        *key_columns(),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.Column("created_at", UTCDateTime, nullable=False),
    )
    op.create_index(f"ix_{WAITING}_created_at", WAITING, ["created_at"])
    op.create_table(LEFTOVERS, *key_columns(), sa.Column("since", UTCDateTime, nullable=False))
    op.create_index(f"ix_{LEFTOVERS}_since", LEFTOVERS, ["since"])
    op.create_table(USED, *key_columns(), sa.Column("bytes", sa.BigInteger, nullable=False))


def downgrade() -> None:
    for table in (USED, LEFTOVERS, WAITING, TABLE):
        op.drop_table(table)
