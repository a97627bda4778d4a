"""Create the staff."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Json
from billycan.migrations import create_index, create_resource_table

revision, down_revision = "staff_0001", None


def upgrade() -> None:
    create_resource_table(
        op,
        "staff",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("email", sa.Text),
        sa.Column("phone", sa.Text),
        sa.Column("timezone", sa.Text, nullable=False),
        sa.Column("hours", Json, nullable=False),
        sa.Column("time_off", Json, nullable=False),
        sa.Column("active", sa.Boolean, nullable=False),
        sa.Column("name_folded", ByCodePoint, nullable=False),
        sa.Column("search_text", sa.Text, nullable=False),
    )
    op.create_index("ix_staff_tenant_id_name_folded_id", "staff", ["tenant_id", "name_folded", "id"])
    create_index(op, "staff", "search_text")


def downgrade() -> None:
    op.drop_table("staff")
