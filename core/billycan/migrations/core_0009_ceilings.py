"""Create the table of the limits that the operator chose for single businesses."""

import sqlalchemy as sa
from alembic import op

from billycan.db import ByCodePoint

revision, down_revision = "core_0009", "core_0008"


def upgrade() -> None:
    op.create_table(
        "core_ceilings",
        sa.Column("tenant_id", ByCodePoint, sa.ForeignKey("core_tenants.id"), primary_key=True),
        sa.Column("per_minute", sa.Integer, nullable=False),
        sa.Column("per_second", sa.Integer, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("core_ceilings")
