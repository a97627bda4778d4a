"""Structs that clients send and receive, besides services and bookings."""

from typing import Annotated

from msgspec import Struct, field

from billycan.fields import Day, Id, Moment, Text

Reason = Annotated[str, Text("Why something was done: at most 500 characters.", most=500)]


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


class NewTime(Struct, forbid_unknown_fields=True, kw_only=True):
    """The new time of a booking; without `staff_id` the same person keeps it.

    start_at: The new start.
    staff_id: The new person; by default the same one.
    force: Whether to ignore working hours, notice and maximum advance, and allow times in the past. Overlaps are still
      refused.
    """

    start_at: Moment
    staff_id: Id | None = None
    force: bool = False


class BookingCancellation(Struct, forbid_unknown_fields=True, kw_only=True):
    """Cancelling a booking.

    reason: Why.
    """

    reason: Reason | None = None
