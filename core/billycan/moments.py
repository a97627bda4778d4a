"""Points in time in UTC, and where the days of a time zone begin."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo


class Moment(datetime):
    """A point in time in UTC, to the millisecond; printed with `.mmm` only when that is not zero."""

    @classmethod
    def of(cls, value: datetime) -> "Moment":
        v = value if value.tzinfo is UTC else value.astimezone(UTC)
        return cls(v.year, v.month, v.day, v.hour, v.minute, v.second, v.microsecond // 1000 * 1000, UTC)

    def __str__(self) -> str:
        # In two parts: written whole, its offset would take as long again.
        time = self.time().isoformat("milliseconds" if self.microsecond else "seconds")
        return f"{self.date().isoformat()}T{time}Z"


def start_of_day(day: date, zone: str) -> Moment:
    """The first instant of a calendar day in a time zone."""
    return Moment.of(datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(zone)))


def day_after(day: date) -> date:
    return day + timedelta(days=1)
