"""The table of contacts."""

import sqlalchemy as sa

from billycan import Json, folded, resource_table, searchable

contacts = resource_table(
    "contacts",
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("roles", Json, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("email", sa.Text),
    sa.Column("phone", sa.Text),
    sa.Column("website", sa.Text),
    sa.Column("abn", sa.Text),
    sa.Column("gst_registered", sa.Boolean),
    sa.Column("contractor", sa.Boolean, nullable=False),
    sa.Column("billing_address", Json),
    sa.Column("site_address", Json),
    sa.Column("people", Json, nullable=False),
    sa.Column("payment_terms_days", sa.Integer),
    sa.Column("notes", sa.Text),
    sa.Column("tags", Json, nullable=False),
    folded("name"),
    searchable(),
    sa.Index(None, "tenant_id", "name_folded", "id"),
    # Few are known not to be registered, and every sum of claims looks for them.
    sa.Index(
        "ix_contacts_not_registered",
        "tenant_id",
        "id",
        sqlite_where=sa.text("NOT gst_registered"),
        postgresql_where=sa.text("NOT gst_registered"),
    ),
)
