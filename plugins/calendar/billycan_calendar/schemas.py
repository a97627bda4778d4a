"""Structs that clients send and receive: the days that are asked for, and what is planned on them."""

from typing import Annotated

from msgspec import Struct, field

from billycan import Named
from billycan.fields import Day, Moment, Text

MOST_DAYS = 92


class CalendarQuery(Struct, forbid_unknown_fields=True, kw_only=True):
    """The days that are asked for, both inclusive and at most 92, in the business's time zone.

    from: The first day; by default, today.
    to: The last day; by default, six days after the first.
    assignee_id: List only entries assigned to this member of staff.
    cancelled: Whether what was cancelled or declined is listed, too.
    """

    since: Day | None = field(default=None, name="from")
    until: Day | None = field(default=None, name="to")
    assignee_id: Annotated[str, Text("The id of a member of staff.", least=1, most=40)] | None = None
    cancelled: bool = False


class CalendarEntry(Struct):
    """Something planned.

    type: What it is: the last part of the path of its list, such as `bookings`.
    id: Its id.
    title: Its title.
    start_at: When it begins.
    end_at: When it ends; null if that is open.
    assignee_ids: The members of staff assigned to it.
    status: Its status; null if it has none.
    client: The client it is for; null if it is for none.
    location: Where it takes place, in one line; null if that is not known.
    cancelled: Whether it was cancelled or declined.
    version: The record's version; goes up by one with each change.
    updated_at: When the record was last changed.
    """

    type: str
    id: str
    title: str
    start_at: Moment
    end_at: Moment | None
    assignee_ids: list[str]
    status: str | None
    client: Named | None
    location: str | None
    cancelled: bool
    version: int
    updated_at: Moment
