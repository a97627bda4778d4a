"""Create the archives."""

from typing import Any

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, UTCDateTime
from billycan.migrations import key_columns

revision, down_revision = "archives_0001", None

_UNDER_WAY = sa.text("finished_at IS NULL")


def upgrade() -> None:
    op.create_table(
        "archives",
        *key_columns(),
        sa.Column("asked_by", ByCodePoint, nullable=False),
        sa.Column("created_at", UTCDateTime, nullable=False),
        sa.Column("share", sa.Integer, nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("lease", ByCodePoint),
        sa.Column("lease_until", UTCDateTime, nullable=False),
        sa.Column("finished_at", UTCDateTime),
        sa.Column("fault", sa.Text),
        sa.Column("rows", sa.BigInteger),
        sa.Column("files", sa.BigInteger),
        sa.Column("bytes", sa.BigInteger),
        sa.Column("expires_at", UTCDateTime),
    )
    some: Any = {"sqlite_where": _UNDER_WAY, "postgresql_where": _UNDER_WAY}
    op.create_index("uq_archives_under_way", "archives", ["tenant_id"], unique=True, **some)
    op.create_index("ix_archives_lease_until", "archives", ["lease_until"], **some)
    op.create_index("ix_archives_expires_at", "archives", ["expires_at"])


def downgrade() -> None:
    op.drop_table("archives")
