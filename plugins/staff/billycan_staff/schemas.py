"""What clients send and receive."""

import re
from itertools import pairwise
from typing import Annotated, Literal, get_args

from msgspec import Meta, Struct

from billycan import NewResource, PageQuery, Resource, RuleBroken
from billycan.fields import Email, Instant, Name, Phone, Search, Text, Zone

Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
WEEKDAYS: tuple[Weekday, ...] = get_args(Weekday)

_CLOCK_TIME = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]|24:00")


class ClockTime(Text, least=5, most=5, pattern=rf"^\s*({_CLOCK_TIME.pattern})\s*$"):
    """A local time of day `HH:MM`; `24:00` is the midnight that ends the day."""

    @classmethod
    def check(cls, text: str) -> str:
        if not _CLOCK_TIME.fullmatch(text):
            raise RuleBroken("invalid_value", "must be a time of day such as 08:00, at most 24:00")
        return text


class StoredInstant(Text, least=1, most=40, format="date-time"):
    """A point in time with an offset, kept as its text in UTC since it lies within a JSON column."""

    @classmethod
    def check(cls, text: str) -> str:
        return str(Instant.read(text))


class Hours(Struct, forbid_unknown_fields=True, kw_only=True):
    """A stretch of work that comes every week, in local time.

    day: The day of the week.
    start: When work begins, as HH:MM in the person's time zone.
    end: When it ends; 24:00 is midnight.
    """

    day: Weekday
    start: ClockTime
    end: ClockTime

    def __post_init__(self) -> None:
        if self.end <= self.start:
            raise RuleBroken("out_of_range", "must be after start; work past midnight goes on the next day", ".end")


class TimeOff(Struct, forbid_unknown_fields=True, kw_only=True):
    """A stretch in which somebody does not work whatever their hours say.

    start_at: When it begins.
    end_at: When it ends.
    reason: Why.
    """

    start_at: StoredInstant
    end_at: StoredInstant
    reason: Name | None = None

    def __post_init__(self) -> None:
        if Instant.read(self.end_at) <= Instant.read(self.start_at):
            raise RuleBroken("out_of_range", "must be after start_at", ".end_at")


class NewStaff(NewResource, kw_only=True):
    """Somebody who does the work.

    name: Their name.
    email: Their email address.
    phone: Their phone number.
    timezone: The IANA time zone of their hours; the business's unless said.
    hours: When they work each week; empty for never.
    time_off: When they do not, whatever their hours say.
    active: Whether they can be booked and assigned.
    """

    name: Name
    email: Email | None = None
    phone: Phone | None = None
    timezone: Zone | None = None
    hours: Annotated[list[Hours], Meta(max_length=100)] = []
    time_off: Annotated[list[TimeOff], Meta(max_length=500)] = []
    active: bool = True

    def __post_init__(self) -> None:
        in_order = sorted(enumerate(self.hours), key=lambda item: (item[1].day, item[1].start))
        for (_, earlier), (i, later) in pairwise(in_order):
            if earlier.day == later.day and later.start < earlier.end:
                raise RuleBroken("invalid_value", f"overlaps {earlier.start} to {earlier.end}", f"hours[{i}]")


class Staff(Resource):
    """A member of staff as it is shown."""

    name: str
    email: str | None
    phone: str | None
    timezone: str
    hours: list[Hours]
    time_off: list[TimeOff]
    active: bool


class StaffQuery(PageQuery, kw_only=True):
    """Filters of staff."""

    sortable = ("created_at", "updated_at", "name")

    search: Search | None = None
    active: bool | None = None
    email: Email | None = None
    timezone: list[Zone] | None = None


def minutes_of(clock_time: str) -> int:
    """Minutes since midnight."""
    return int(clock_time[:2]) * 60 + int(clock_time[3:])
