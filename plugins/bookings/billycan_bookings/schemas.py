"""Structs that clients send and receive."""

from decimal import Decimal
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from billycan import Named, NewResource, PageQuery, Resource, RuleBroken
from billycan.fields import Day, DayOrInstant, Id, Instant, Moment, Name, Notes, NotNegative, Search, Text

Status = Literal["pending", "confirmed", "completed", "no_show", "cancelled", "declined"]
GstCode = Literal["gst", "gst_free", "export", "input_taxed", "out_of_scope"]

DAY = 24 * 60


Location = Annotated[str, Text("Where it takes place: at most 500 characters.", most=500)]
Reason = Annotated[str, Text("Why something was done: at most 500 characters.", most=500)]


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

    name: Name
    duration_minutes: Annotated[int, Meta(ge=1, le=7 * DAY)]
    price: NotNegative | None = None
    gst_code: GstCode | None = None
    buffer_before_minutes: Annotated[int, Meta(ge=0, le=DAY)] = 0
    buffer_after_minutes: Annotated[int, Meta(ge=0, le=DAY)] = 0
    capacity: Annotated[int, Meta(ge=1, le=1000)] = 1
    slot_interval_minutes: Annotated[int, Meta(ge=1, le=DAY)] = 15
    min_notice_minutes: Annotated[int, Meta(ge=0, le=366 * DAY)] = 0
    max_advance_days: Annotated[int, Meta(ge=0, le=3660)] | None = None
    requires_confirmation: bool = False
    staff_ids: Annotated[list[Id], Meta(max_length=200)] = []
    active: bool = True

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


class ServiceQuery(PageQuery, kw_only=True):
    """Filters of services."""

    sortable = ("created_at", "updated_at", "name", "price", "duration_minutes")

    search: Search | None = None
    active: bool | None = None
    requires_confirmation: bool | None = None


class Opening(Struct):
    """A time that can be booked.

    start_at: When it begins.
    end_at: When it ends.
    staff_ids: Who is free then.
    remaining: How many more bookings all of `staff_ids` can take then, together.
    """

    start_at: Moment
    end_at: Moment
    staff_ids: list[str]
    remaining: int


class AvailabilityQuery(Struct, kw_only=True):
    """The service, the days in the tenant's zone (both inclusive, at most 31), and optionally the member of staff.

    service_id: The service to book.
    from: The first day.
    to: The last day.
    staff_id: With whom; without it, anybody who provides the service.
    """

    service_id: str
    since: Day = field(name="from")
    until: Day = field(name="to")
    staff_id: str | None = None


class BookingChange(NewResource, kw_only=True):
    """The members of a booking that can be changed at any time; use `reschedule` to move it.

    client_id: The contact it is for.
    notes: Notes on it.
    location: Where it takes place.
    job_id: The job it belongs to.
    """

    client_id: Id
    notes: Notes | None = None
    location: Location | None = None
    job_id: Id | None = None


class NewBooking(BookingChange, kw_only=True):
    """A client's booking of a service; without `staff_id`, with anybody who is free.

    service_id: What is booked.
    start_at: When it begins.
    staff_id: With whom; without it, anybody who is free.
    force: Whether to ignore working hours, notice and maximum advance, and allow times in the past. Overlaps are still
      refused.
    """

    service_id: Id
    start_at: Instant
    staff_id: Id | None = None
    force: bool = False


class NewTime(Struct, forbid_unknown_fields=True, kw_only=True):
    """The new time of a booking; without `staff_id` the same person keeps it.

    start_at: The new start.
    staff_id: The new person; by default the same one.
    force: Whether to ignore working hours, notice and maximum advance, and allow times in the past. Overlaps are still
      refused.
    """

    start_at: Instant
    staff_id: Id | None = None
    force: bool = False


class BookingCancellation(Struct, forbid_unknown_fields=True, kw_only=True):
    """Cancelling a booking.

    reason: Why.
    """

    reason: Reason | None = None


class Booking(Resource):
    """A booking as it is shown.

    status: Its status; actions change it. All but `cancelled`, `declined` and `no_show` occupy the time.
    service: What is booked.
    end_at: When it ends; follows from the service.
    staff_id, staff: With whom.
    client: The contact it is for.
    cancel_reason: Why it was cancelled.
    """

    status: Status
    service_id: str
    service: Named
    start_at: Moment
    end_at: Moment
    staff_id: str
    staff: Named
    client_id: str
    client: Named
    notes: str | None
    location: str | None
    job_id: str | None
    cancel_reason: str | None


class BookingQuery(PageQuery, kw_only=True):
    """Filters of bookings."""

    sortable = ("created_at", "updated_at", "start_at", "end_at")

    search: Search | None = None
    status: list[Status] | None = None
    service_id: list[str] | None = None
    staff_id: list[str] | None = None
    client_id: list[str] | None = None
    job_id: list[str] | None = None
    start_at_from: DayOrInstant | None = None
    start_at_to: DayOrInstant | None = None
    end_at_from: DayOrInstant | None = None
    end_at_to: DayOrInstant | None = None
