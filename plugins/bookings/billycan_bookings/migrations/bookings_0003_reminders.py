"""Keep of which start a booking was reminded, and index bookings by their start, to find those of all businesses."""

import sqlalchemy as sa
from alembic import op

from billycan import UTCDateTime

revision, down_revision = "bookings_0003", "bookings_0002"


def upgrade() -> None:
    op.add_column("bookings", sa.Column("reminded_of", UTCDateTime))
    op.create_index("ix_bookings_status_start_at", "bookings", ["status", "start_at"])


def downgrade() -> None:
    op.drop_index("ix_bookings_status_start_at", "bookings")
    with op.batch_alter_table("bookings") as bookings:
        bookings.drop_column("reminded_of")
