"""Create the table of what happened to a record in a morning, so that it happens once for each date."""

import sqlalchemy as sa
from alembic import op

from billycan.db import ByCodePoint

revision, down_revision = "core_0006", "core_0005"


def upgrade() -> None:
    op.create_table(
        "core_mornings",
        sa.Column("tenant_id", ByCodePoint, sa.ForeignKey("core_tenants.id"), primary_key=True),
        sa.Column("what", ByCodePoint, primary_key=True),
        sa.Column("id", ByCodePoint, primary_key=True),
        sa.Column("day", sa.Date, primary_key=True),
    )


def downgrade() -> None:
    op.drop_table("core_mornings")
