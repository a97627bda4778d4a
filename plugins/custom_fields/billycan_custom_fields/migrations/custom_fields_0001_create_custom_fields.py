"""Create the custom fields."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Json, UTCDateTime
from billycan.migrations import create_index, create_resource_table, key_columns

revision, down_revision = "custom_fields_0001", None


def upgrade() -> None:
    create_resource_table(
        op,
        "custom_fields",
        sa.Column("resource", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("type", sa.Text, nullable=False),
        sa.Column("choices", Json, nullable=False),
        sa.Column("required", sa.Boolean, nullable=False),
        sa.Column("on_document", sa.Boolean, nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("resource_folded", ByCodePoint, nullable=False),
        sa.Column("key_folded", ByCodePoint, nullable=False),
        sa.Column("label_folded", ByCodePoint, nullable=False),
        sa.Column("search_text", sa.Text, nullable=False),
        sa.UniqueConstraint("tenant_id", "resource", "key", name="uq_custom_fields_tenant_id_resource_key"),
    )
    op.create_index(
        "ix_custom_fields_tenant_id_resource_folded_id",
        "custom_fields",
        ["tenant_id", "resource_folded", "id"],
    )
    create_index(op, "custom_fields", "search_text")
    op.create_table("custom_fields_clearings", *key_columns(), sa.Column("since", UTCDateTime, nullable=False))
    op.create_table(
        "custom_fields_values",
        *key_columns(),
        sa.Column("field_id", ByCodePoint, primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
        sa.Column("comparable", ByCodePoint, nullable=False),
    )
    op.create_index(
        "ix_custom_fields_values_tenant_id_field_id_comparable_id",
        "custom_fields_values",
        ["tenant_id", "field_id", "comparable", "id"],
    )


def downgrade() -> None:
    op.drop_table("custom_fields_values")
    op.drop_table("custom_fields_clearings")
    op.drop_table("custom_fields")
