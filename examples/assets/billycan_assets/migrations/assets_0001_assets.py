"""Create the table of assets."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Decimals
from billycan.migrations import create_index, create_resource_table

revision, down_revision = "assets_0001", None


def upgrade() -> None:
    create_resource_table(
        op,
        "assets",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("cost", Decimals(2), nullable=False),
        sa.Column("bought_on", sa.Date),
        sa.Column("custodian_id", ByCodePoint),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("name_folded", ByCodePoint, nullable=False),
        sa.Column("search_text", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id", "custodian_id"],
            ["contacts.tenant_id", "contacts.id"],
            name="fk_assets_tenant_id_custodian_id",
        ),
    )
    create_index(op, "assets", "search_text")


def downgrade() -> None:
    op.drop_table("assets")
