"""The dates of a recurring invoice: pure functions."""

from calendar import monthrange
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from itertools import count

from msgspec import Struct

from billycan.fields import Moment

DAYS = {"week": 7, "fortnight": 14}
MONTHS = {"month": 1, "quarter": 3, "year": 12}

Pause = tuple[date, date]


class Series(Struct, frozen=True):
    """The dates of the invoices: from `start_on` to `end_on`, outside pauses.

    The first day of a pause belongs to it, the last one does not.
    """

    frequency: str
    start_on: date
    end_on: date | None = None
    pauses: Iterable[Pause] = ()

    def after(self, day: date | None) -> Iterator[date]:
        """Yield the dates after a day, in order; all of them for None."""
        for each in _dates_from(self.frequency, self.start_on):
            if each > (self.end_on or Moment.LAST_DATE):
                return
            if (day is None or each > day) and not any(since <= each < until for since, until in self.pauses):
                yield each


def _dates_from(frequency: str, start: date) -> Iterator[date]:
    """Yield each date from `start` on, all counted from `start`; in a month too short for it, the last day."""
    for i in count():
        if frequency in DAYS:
            days = i * DAYS[frequency]
            if (Moment.LAST_DATE - start).days < days:
                return
            yield start + timedelta(days)
        else:
            month = start.year * 12 + start.month - 1 + i * MONTHS[frequency]
            year, month = month // 12, month % 12 + 1
            if year > Moment.LAST_DATE.year:
                return
            yield date(year, month, min(start.day, monthrange(year, month)[1]))
