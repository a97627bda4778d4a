"""Create the table of how far the rows of a release are filled."""

import sqlalchemy as sa
from alembic import op

from billycan.db import ByCodePoint

revision, down_revision = "core_0006", "core_0005"


def upgrade() -> None:
    op.create_table(
        "core_fills",
        sa.Column("tenant_id", ByCodePoint, sa.ForeignKey("core_tenants.id"), primary_key=True),
        sa.Column("version", ByCodePoint, primary_key=True),
        sa.Column("filled", sa.BigInteger, nullable=False),
        sa.Column("is_done", sa.Boolean, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("core_fills")
