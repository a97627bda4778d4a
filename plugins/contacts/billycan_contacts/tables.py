"""The table of merged contacts, beside the one that the resource declares."""

import sqlalchemy as sa

from billycan import ByCodePoint, UTCDateTime, new_table

# Each row's id is that of a contact that was merged into another, and is gone. When the other is merged in its turn,
# the row is moved like whatever else refers to it: the contact that is left is always one step away.
merged = new_table(
    "contacts_merged",
    sa.Column("into_id", ByCodePoint, nullable=False),
    sa.Column("merged_at", UTCDateTime, nullable=False),
    sa.ForeignKeyConstraint(
        ["tenant_id", "into_id"],
        ["contacts.tenant_id", "contacts.id"],
        name="fk_contacts_merged_tenant_id_into_id",
        ondelete="CASCADE",
    ),
    sa.Index(None, "tenant_id", "into_id"),
)
