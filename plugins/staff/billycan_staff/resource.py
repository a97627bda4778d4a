"""Staff, declared once: what is sent, shown, filtered, sorted, searched and stored."""

import re
from itertools import pairwise
from typing import Annotated, Literal, get_args

from msgspec import Meta, Struct

from billycan import Member, NewResource, Resource, RuleBroken, resource
from billycan.fields import Email, Id, Moment, Name, Phone, Text, Zone

Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
WEEKDAYS: tuple[Weekday, ...] = get_args(Weekday)

_CLOCK_TIME = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]|24:00")


def _clock_time(text: str) -> str:
    if not _CLOCK_TIME.fullmatch(text):
        raise RuleBroken("invalid_value", "must be a time of day such as 08:00, at most 24:00")
    return text


ClockTime = Annotated[
    str,
    Text(
        "A local time of day `HH:MM`; `24:00` is the midnight that ends the day.",
        least=5,
        most=5,
        kind="time",
        pattern=rf"^\s*({_CLOCK_TIME.pattern})\s*$",
        check=_clock_time,
    ),
]


def _stored_instant(text: str) -> str:
    return str(Moment.read(text))


StoredInstant = Annotated[
    str,
    Text(
        "A point in time with an offset, kept as its text in UTC since it lies within a JSON column.",
        least=1,
        most=40,
        format="date-time",
        check=_stored_instant,
    ),
]


class Hours(Struct, forbid_unknown_fields=True, kw_only=True):
    """Working hours that repeat every week, in local time.

    day: The day of the week.
    start: When work starts, as HH:MM in the person's time zone.
    end: When it ends; 24:00 is midnight.
    """

    day: Weekday
    start: ClockTime
    end: ClockTime

    def __post_init__(self) -> None:
        if self.end <= self.start:
            raise RuleBroken("out_of_range", "must be after start; work past midnight goes on the next day", ".end")


class TimeOff(Struct, forbid_unknown_fields=True, kw_only=True):
    """A period in which a person does not work, whatever their hours say.

    start_at: When it begins.
    end_at: When it ends.
    reason: Why.
    """

    start_at: StoredInstant
    end_at: StoredInstant
    reason: Name | None = None

    def __post_init__(self) -> None:
        if Moment.read(self.end_at) <= Moment.read(self.start_at):
            raise RuleBroken("out_of_range", "must be after start_at", ".end_at")


class NewStaff(NewResource, kw_only=True):
    """A person who does the work.

    name: Their name.
    email: Their email address.
    phone: Their phone number.
    timezone: The IANA time zone of their hours; defaults to the business's.
    hours: When they work each week; empty for never.
    time_off: When they do not work, whatever their hours say.
    active: Whether they can be booked and assigned.
    user_id: The person of the business who signs in as this member of staff: with the role `field`, they see what is
      assigned to them.
    """

    name: Annotated[Name, Member(sort="indexed", search=True)]
    email: Annotated[Email | None, Member(filter="one", search=True)] = None
    phone: Annotated[Phone | None, Member(search=True)] = None
    timezone: Annotated[Zone | None, Member(filter="any")] = None
    hours: Annotated[list[Hours], Meta(max_length=100)] = []
    time_off: Annotated[list[TimeOff], Meta(max_length=500)] = []
    active: Annotated[bool, Member(filter="one", role="active")] = True
    user_id: Annotated[Id | None, Member(filter="any")] = None

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
    user_id: str | None


staff = resource("staff", sends=NewStaff, shows=Staff, prefix="stf")


def minutes_of(clock_time: str) -> int:
    """Return the minutes since midnight of a clock time."""
    return int(clock_time[:2]) * 60 + int(clock_time[3:])
