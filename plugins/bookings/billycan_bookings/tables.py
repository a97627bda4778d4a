"""The tables of services, bookings, the slots of staff that bookings hold, and those that are held without one."""

import sqlalchemy as sa

from billycan import ByCodePoint, UTCDateTime, new_table, reference

from . import resource

services, bookings = resource.services.table, resource.bookings.table

# One row for each start at which a member of staff gives a service, however many bookings share it. On PostgreSQL an
# exclusion constraint (created in the migration) keeps the occupied times of a person apart.
slots = new_table(
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

# A place in a slot, held for minutes while somebody decides. Once it has expired, it holds nothing.
holds = new_table(
    "bookings_holds",
    sa.Column("slot_id", ByCodePoint, nullable=False),
    sa.Column("holder", sa.Text, nullable=False),  # who holds it, as a digest
    sa.Column("expires_at", UTCDateTime, nullable=False, index=True),  # by the real time
    reference("slot_id", "bookings_slots"),
    sa.Index(None, "tenant_id", "slot_id"),
)
