"""The table of assets."""

import sqlalchemy as sa

from billycan import Cents, folded, reference, resource_table, searchable

assets = resource_table(
    "assets",
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("cost", Cents(), nullable=False),
    sa.Column("bought_on", sa.Date),
    sa.Column("custodian_id", sa.Text),
    sa.Column("status", sa.Text, nullable=False),
    folded("name"),
    searchable(),
    reference("custodian_id", "contacts"),
)
