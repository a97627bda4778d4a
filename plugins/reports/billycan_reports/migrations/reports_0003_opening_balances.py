"""Create the tables of opening balances."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Decimals
from billycan.migrations import create_resource_table, key_columns

revision, down_revision = "reports_0003", "reports_0002"


def upgrade() -> None:
    create_resource_table(
        op,
        "reports_opening_balances",
        sa.Column("number", sa.Text, nullable=False),
        sa.Column("date", sa.Date, nullable=False),
        sa.Column("total", Decimals(2), nullable=False),
    )
    op.create_index(
        "ix_reports_opening_balances_tenant_id_date_id", "reports_opening_balances", ["tenant_id", "date", "id"]
    )
    op.create_table(
        "reports_opening_lines",
        *key_columns(),
        sa.Column("opening_id", ByCodePoint, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("account_id", ByCodePoint, nullable=False),
        sa.Column("amount", Decimals(2)),
        sa.Column("added", Decimals(2), nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id", "opening_id"],
            ["reports_opening_balances.tenant_id", "reports_opening_balances.id"],
            name="fk_reports_opening_lines_tenant_id_opening_id",
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id", "account_id"],
            ["reports_accounts.tenant_id", "reports_accounts.id"],
            name="fk_reports_opening_lines_tenant_id_account_id",
        ),
    )
    op.create_index(
        "ix_reports_opening_lines_tenant_id_opening_id_position",
        "reports_opening_lines",
        ["tenant_id", "opening_id", "position"],
    )
    op.create_index(
        "ix_reports_opening_lines_tenant_id_account_id", "reports_opening_lines", ["tenant_id", "account_id"]
    )


def downgrade() -> None:
    op.drop_table("reports_opening_lines")
    op.drop_table("reports_opening_balances")
