"""Services and bookings, each declared once: what is sent, shown, filtered, sorted, searched and stored."""

from decimal import Decimal
from typing import Annotated, Literal

import sqlalchemy as sa
from msgspec import Meta

from billycan import (
    ByCodePoint,
    Context,
    Member,
    Named,
    Neighbours,
    NewResource,
    Records,
    Resource,
    RuleBroken,
    UTCDateTime,
    own,
    reference,
    resource,
)
from billycan.fields import Id, Moment, Name, Notes, NotNegative, Text
from billycan_contacts import api as contacts
from billycan_staff import api as staff

from .rules import actions

Status = Literal["pending", "confirmed", "completed", "no_show", "cancelled", "declined"]
GstCode = Literal["gst", "gst_free", "export", "input_taxed", "out_of_scope"]
Location = Annotated[str, Text("Where it takes place: at most 500 characters.", most=500)]

DAY = 24 * 60


class NewService(NewResource, kw_only=True):
    """A service that clients can book.

    name: Its name.
    duration_minutes: How many minutes it takes.
    price: What it costs.
    gst_code: How the price is taxed.
    buffer_before_minutes: How many minutes to keep free before it.
    buffer_after_minutes: How many minutes to keep free after it.
    capacity: How many bookings share one time with one member of staff.
    slot_interval_minutes: How many minutes apart the offered times are.
    min_notice_minutes: How many minutes ahead it must be booked.
    max_advance_days: How many days ahead it can be booked; if null, any number.
    requires_confirmation: Whether new bookings are pending until they are confirmed.
    staff_ids: Who provides it; if empty, any active staff.
    active: Whether it can be booked.
    """

    name: Annotated[Name, Member(sort="indexed", search=True)]
    duration_minutes: Annotated[int, Meta(ge=1, le=7 * DAY), Member(sort=True)]
    price: Annotated[NotNegative | None, Member(sort=True, role="amount")] = None
    gst_code: GstCode | None = None
    buffer_before_minutes: Annotated[int, Meta(ge=0, le=DAY)] = 0
    buffer_after_minutes: Annotated[int, Meta(ge=0, le=DAY)] = 0
    capacity: Annotated[int, Meta(ge=1, le=1000)] = 1
    slot_interval_minutes: Annotated[int, Meta(ge=1, le=DAY)] = 15
    min_notice_minutes: Annotated[int, Meta(ge=0, le=366 * DAY)] = 0
    max_advance_days: Annotated[int, Meta(ge=0, le=3660)] | None = None
    requires_confirmation: Annotated[bool, Member(filter="one")] = False
    staff_ids: Annotated[list[Id], Meta(max_length=200)] = []
    active: Annotated[bool, Member(filter="one", role="active")] = True

    def __post_init__(self) -> None:
        for i, id in enumerate(self.staff_ids):
            if id in self.staff_ids[:i]:
                raise RuleBroken("invalid_value", "appears twice", f"staff_ids[{i}]")


class Service(Resource):
    """A service as it is shown."""

    name: str
    duration_minutes: int
    price: Decimal | None
    gst_code: GstCode | None
    buffer_before_minutes: int
    buffer_after_minutes: int
    capacity: int
    slot_interval_minutes: int
    min_notice_minutes: int
    max_advance_days: int | None
    requires_confirmation: bool
    staff_ids: list[str]
    active: bool


services = resource("bookings_services", sends=NewService, shows=Service, prefix="srv")


class BookingChange(NewResource, kw_only=True):
    """The members of a booking that can be changed at any time; use `reschedule` to move it.

    client_id: The contact it is for.
    notes: Notes on it.
    location: Where it takes place.
    job_id: The job it belongs to.
    """

    client_id: Annotated[Id, Member(filter="any", refers_to="contacts")]
    notes: Annotated[Notes | None, Member(search=True)] = None
    location: Annotated[Location | None, Member(search=True)] = None
    job_id: Annotated[Id | None, Member(filter="any")] = None


class NewBooking(BookingChange, kw_only=True):
    """A client's booking of a service; without `staff_id`, with anybody who is free.

    service_id: What is booked.
    start_at: When it begins.
    staff_id: With whom; without it, anybody who is free.
    force: Whether to ignore working hours, notice and maximum advance, and allow times in the past. Overlaps are still
      refused.
    """

    service_id: Annotated[Id, Member(filter="any", refers_to="bookings_services")]
    start_at: Annotated[Moment, Member(filter="range", sort="indexed", role="start")]
    staff_id: Annotated[Id | None, Member(filter="any", refers_to="staff", role="assignee")] = None
    force: Annotated[bool, Member(stored=False)] = False


class Booking(Resource):
    """A booking as it is shown.

    status: Its status; actions change it. All but `cancelled`, `declined` and `no_show` occupy the time.
    service: What is booked.
    end_at: When it ends; follows from the service.
    staff_id, staff: With whom.
    client: The contact it is for.
    cancel_reason: Why it was cancelled.
    """

    status: Annotated[
        Status,
        Member(
            filter="any",
            role="status",
            good=("completed",),
            info=("confirmed",),
            warn=("pending",),
            bad=("no_show",),
            ends=("cancelled", "declined"),
        ),
    ]
    service_id: str
    service: Named
    start_at: Moment
    end_at: Annotated[Moment, Member(filter="range", sort=True, role="end")]
    staff_id: str
    staff: Named
    client_id: str
    client: Named
    notes: str | None
    location: str | None
    job_id: str | None
    cancel_reason: str | None


neighbours = Neighbours(job_id="jobs")


def found_by(ctx: Context, text: str) -> sa.ColumnElement[bool]:
    """Match bookings that contain a text, or whose client's or service's name contains it."""
    table, of = bookings.table, services.table
    named = sa.select(of.c.id).where(own(ctx, of), ctx.search_condition(of, text, within=of.c.name_folded))
    of_service = ctx.among(table.c.service_id, named)
    return ctx.either(table, contacts.found_by("bookings", "client_id")(ctx, text), of_service)


bookings = resource(
    "bookings",
    sends=NewBooking,
    shows=Booking,
    prefix="bkg",
    more=(
        # NULL once the booking has freed its time.
        sa.Column("slot_id", ByCodePoint),
        # The start that `booking.reminder` was emitted for; a new start gets a new reminder.
        sa.Column("reminded_of", UTCDateTime),
        reference("slot_id", "bookings_slots"),
        sa.Index(None, "tenant_id", "status", "start_at"),
        sa.Index(None, "tenant_id", "service_id", "start_at"),
        sa.Index(None, "tenant_id", "staff_id", "start_at"),
        sa.Index(None, "tenant_id", "client_id", "start_at"),
        sa.Index(None, "tenant_id", "slot_id"),
        sa.Index(None, "status", "start_at"),
        Neighbours.index("job_id"),
    ),
    references={"service": Records.names_of(services.table.c.name), "staff": staff.names, "client": contacts.names},
    filters={"search": found_by},
    remembers=True,
    actions=lambda booking: actions.allowed(booking.status),
    neighbours=neighbours,
    needs={"allowed_actions": ("status",)},
)
