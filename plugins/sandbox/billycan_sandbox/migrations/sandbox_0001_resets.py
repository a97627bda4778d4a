"""Create the resets."""

import sqlalchemy as sa
from alembic import op

from billycan import UTCDateTime
from billycan.migrations import key_columns

revision, down_revision = "sandbox_0001", None


def upgrade() -> None:
    op.create_table(
        "sandbox_resets",
        *key_columns(),
        sa.Column("samples", sa.Boolean, nullable=False),
        sa.Column("removed", sa.BigInteger, nullable=False),
        sa.Column("filled", sa.Text),
        sa.Column("created_at", UTCDateTime, nullable=False),
        sa.Column("done_at", UTCDateTime),
        sa.UniqueConstraint("tenant_id", name="uq_sandbox_resets_tenant_id"),
    )


def downgrade() -> None:
    op.drop_table("sandbox_resets")
