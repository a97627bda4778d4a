"""Create the services, slots and bookings."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Decimals, Json, UTCDateTime
from billycan.migrations import create_index, create_resource_table, key_columns

revision, down_revision = "bookings_0001", None


def upgrade() -> None:
    create_resource_table(
        op,
        "bookings_services",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("duration_minutes", sa.Integer, nullable=False),
        sa.Column("price", Decimals(2)),
        sa.Column("gst_code", sa.Text),
        sa.Column("buffer_before_minutes", sa.Integer, nullable=False),
        sa.Column("buffer_after_minutes", sa.Integer, nullable=False),
        sa.Column("capacity", sa.Integer, nullable=False),
        sa.Column("slot_interval_minutes", sa.Integer, nullable=False),
        sa.Column("min_notice_minutes", sa.Integer, nullable=False),
        sa.Column("max_advance_days", sa.Integer),
        sa.Column("requires_confirmation", sa.Boolean, nullable=False),
        sa.Column("staff_ids", Json, nullable=False),
        sa.Column("active", sa.Boolean, nullable=False),
        sa.Column("name_folded", ByCodePoint, nullable=False),
        sa.Column("search_text", sa.Text, nullable=False),
    )
    _index("bookings_services", "name_folded", "id")
    create_index(op, "bookings_services", "search_text")
    op.create_table(
        "bookings_slots",
        *key_columns(),
        sa.Column("staff_id", ByCodePoint, nullable=False),
        sa.Column("service_id", ByCodePoint, nullable=False),
        sa.Column("start_at", UTCDateTime, nullable=False),
        sa.Column("occupied_from", UTCDateTime, nullable=False),
        sa.Column("occupied_until", UTCDateTime, nullable=False),
        _reference("bookings_slots", "staff_id", "staff"),
        _reference("bookings_slots", "service_id", "bookings_services"),
        sa.UniqueConstraint("tenant_id", "staff_id", "start_at", name="uq_bookings_slots_tenant_id_staff_id_start_at"),
    )
    _index("bookings_slots", "staff_id", "occupied_until")
    _keep_apart()
    create_resource_table(
        op,
        "bookings",
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("service_id", ByCodePoint, nullable=False),
        sa.Column("staff_id", ByCodePoint, nullable=False),
        sa.Column("client_id", ByCodePoint, nullable=False),
        sa.Column("slot_id", ByCodePoint),
        sa.Column("start_at", UTCDateTime, nullable=False),
        sa.Column("end_at", UTCDateTime, nullable=False),
        sa.Column("notes", sa.Text),
        sa.Column("location", sa.Text),
        sa.Column("job_id", sa.Text),
        sa.Column("cancel_reason", sa.Text),
        sa.Column("reminded_of", UTCDateTime),
        sa.Column("search_text", sa.Text, nullable=False),
        _reference("bookings", "service_id", "bookings_services"),
        _reference("bookings", "staff_id", "staff"),
        _reference("bookings", "client_id", "contacts"),
        _reference("bookings", "slot_id", "bookings_slots"),
    )
    _index("bookings", "start_at", "id")
    _index("bookings", "status", "start_at")
    _index("bookings", "service_id", "start_at")
    _index("bookings", "staff_id", "start_at")
    _index("bookings", "client_id", "start_at")
    _index("bookings", "slot_id")
    create_index(op, "bookings", "job_id")
    op.create_index("ix_bookings_status_start_at", "bookings", ["status", "start_at"])
    create_index(op, "bookings", "search_text")


def downgrade() -> None:
    for table in ("bookings", "bookings_slots", "bookings_services"):
        op.drop_table(table)


def _keep_apart() -> None:
    """Let PostgreSQL itself refuse a person's overlapping times; without its extension the rows' locks alone do."""
    connection = op.get_bind()
    if connection.dialect.name != "postgresql":
        return
    try:
        with connection.begin_nested():
            connection.execute(sa.text("CREATE EXTENSION IF NOT EXISTS btree_gist"))
    except sa.exc.DBAPIError:
        return
    op.execute(
        "ALTER TABLE bookings_slots ADD CONSTRAINT ex_bookings_slots_apart EXCLUDE USING gist"
        " (tenant_id WITH =, staff_id WITH =, tstzrange(occupied_from, occupied_until) WITH &&)"
    )


def _reference(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["tenant_id", column], [f"{target}.tenant_id", f"{target}.id"], name=f"fk_{table}_tenant_id_{column}"
    )


def _index(table: str, *columns: str) -> None:
    op.create_index(f"ix_{table}_tenant_id_{'_'.join(columns)}", table, ["tenant_id", *columns])
