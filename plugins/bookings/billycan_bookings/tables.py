"""The tables of services, bookings, and the slots of staff that bookings hold."""

import sqlalchemy as sa

from billycan import (
    ByCodePoint,
    Cents,
    Json,
    UTCDateTime,
    folded,
    neighbour_index,
    reference,
    resource_table,
    searchable,
    tenant_table,
)

services = resource_table(
    "bookings_services",
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("duration_minutes", sa.Integer, nullable=False),
    sa.Column("price", Cents()),
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
    folded("name"),
    searchable(),
    sa.Index(None, "tenant_id", "name_folded", "id"),
)

# One row for each start at which a member of staff gives a service, however many bookings share it. On PostgreSQL an
# exclusion constraint (created in the migration) keeps the occupied times of a person apart.
slots = tenant_table(
    "bookings_slots",
    sa.Column("staff_id", ByCodePoint, nullable=False),
    sa.Column("service_id", ByCodePoint, nullable=False),
    sa.Column("start_at", UTCDateTime, nullable=False),
    # From the start of the buffer before to the end of the buffer after.
    sa.Column("occupied_from", UTCDateTime, nullable=False),
    sa.Column("occupied_until", UTCDateTime, nullable=False),
    reference("staff_id", "staff"),
    reference("service_id", "bookings_services"),
    sa.UniqueConstraint("tenant_id", "staff_id", "start_at"),
    sa.Index(None, "tenant_id", "staff_id", "occupied_until"),
)

bookings = resource_table(
    "bookings",
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("service_id", ByCodePoint, nullable=False),
    sa.Column("staff_id", ByCodePoint, nullable=False),
    sa.Column("client_id", ByCodePoint, nullable=False),
    # NULL once the booking has freed its time.
    sa.Column("slot_id", ByCodePoint),
    sa.Column("start_at", UTCDateTime, nullable=False),
    sa.Column("end_at", UTCDateTime, nullable=False),
    sa.Column("notes", sa.Text),
    sa.Column("location", sa.Text),
    sa.Column("job_id", sa.Text),
    sa.Column("cancel_reason", sa.Text),
    # The start that `booking.reminder` was emitted for; a new start gets a new reminder.
    sa.Column("reminded_of", UTCDateTime),
    searchable(),
    reference("service_id", "bookings_services"),
    reference("staff_id", "staff"),
    reference("client_id", "contacts"),
    reference("slot_id", "bookings_slots"),
    sa.Index(None, "tenant_id", "start_at", "id"),
    sa.Index(None, "tenant_id", "status", "start_at"),
    sa.Index(None, "tenant_id", "service_id", "start_at"),
    sa.Index(None, "tenant_id", "staff_id", "start_at"),
    sa.Index(None, "tenant_id", "client_id", "start_at"),
    sa.Index(None, "tenant_id", "slot_id"),
    sa.Index(None, "status", "start_at"),
    neighbour_index("job_id"),
)
