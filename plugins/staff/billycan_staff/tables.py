"""The table of staff."""

import sqlalchemy as sa

from billycan import Json, folded, resource_table, searchable

staff = resource_table(
    "staff",
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("email", sa.Text),
    sa.Column("phone", sa.Text),
    sa.Column("timezone", sa.Text, nullable=False),
    sa.Column("hours", Json, nullable=False),
    sa.Column("time_off", Json, nullable=False),
    sa.Column("active", sa.Boolean, nullable=False),
    folded("name"),
    searchable(),
    sa.Index(None, "tenant_id", "name_folded", "id"),
)
