"""Create the holds of slots."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, UTCDateTime
from billycan.migrations import key_columns

revision, down_revision = "bookings_0002", "bookings_0001"


def upgrade() -> None:
    op.create_table(
        "bookings_holds",
        *key_columns(),
        sa.Column("slot_id", ByCodePoint, nullable=False),
        sa.Column("holder", sa.Text, nullable=False),
        sa.Column("expires_at", UTCDateTime, nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id", "slot_id"],
            ["bookings_slots.tenant_id", "bookings_slots.id"],
            name="fk_bookings_holds_tenant_id_slot_id",
        ),
    )
    op.create_index("ix_bookings_holds_expires_at", "bookings_holds", ["expires_at"])
    op.create_index("ix_bookings_holds_tenant_id_slot_id", "bookings_holds", ["tenant_id", "slot_id"])


def downgrade() -> None:
    op.drop_table("bookings_holds")
