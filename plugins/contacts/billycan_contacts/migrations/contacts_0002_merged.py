"""Create the table of merged contacts."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, UTCDateTime
from billycan.migrations import key_columns

revision, down_revision = "contacts_0002", "contacts_0001"


def upgrade() -> None:
    op.create_table(
        "contacts_merged",
        *key_columns(),
        sa.Column("into_id", ByCodePoint, nullable=False),
        sa.Column("merged_at", UTCDateTime, nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id", "into_id"],
            ["contacts.tenant_id", "contacts.id"],
            name="fk_contacts_merged_tenant_id_into_id",
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_contacts_merged_tenant_id_into_id", "contacts_merged", ["tenant_id", "into_id"])


def downgrade() -> None:
    op.drop_table("contacts_merged")
