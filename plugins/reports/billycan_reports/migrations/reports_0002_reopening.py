"""Keep what was reopened, the warnings of a lodgement, the supply of each entry, and the tax withheld (W4)."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Cents, Json, UTCDateTime

revision, down_revision = "reports_0002", "reports_0001"

PERIODS, ENTRIES = "reports_gst_periods", "reports_gst_entries"
NEW = {PERIODS: ("status", "warnings", "reopened_at", "reopen_reason"), ENTRIES: ("supply_id", "W4")}


def upgrade() -> None:
    # SQLite adds a column that is never null only with a default; each INSERT gives its own value.
    op.add_column(PERIODS, sa.Column("status", sa.Text, nullable=False, server_default="lodged"))
    op.add_column(PERIODS, sa.Column("warnings", Json, nullable=False, server_default="[]"))
    op.add_column(PERIODS, sa.Column("reopened_at", UTCDateTime))
    op.add_column(PERIODS, sa.Column("reopen_reason", sa.Text))
    op.add_column(ENTRIES, sa.Column("supply_id", ByCodePoint, nullable=False, server_default=""))
    op.add_column(ENTRIES, sa.Column("W4", Cents(), nullable=False, server_default="0"))
    # Which sale a note belongs to was not kept: each document counts by itself.
    op.execute(f"UPDATE {ENTRIES} SET supply_id = document_id")  # noqa: S608 - a constant


def downgrade() -> None:
    for table, columns in NEW.items():
        for column in reversed(columns):
            op.drop_column(table, column)
