"""The dates of a recurring invoice: pure functions."""

from calendar import monthrange
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from itertools import count

from msgspec import Struct

from billycan.fields import LAST_DATE

DAYS = {"week": 7, "fortnight": 14}
MONTHS = {"month": 1, "quarter": 3, "year": 12}

Pause = tuple[date, date]


class Series(Struct, frozen=True):
    """When an invoice is to be made: from `start_on` to `end_on`, but in no pause.

    The first day of a pause is in it, and the last one is not.
    """

    frequency: str
    start_on: date
    end_on: date | None = None
    pauses: Iterable[Pause] = ()

    def after(self, day: date | None) -> Iterator[date]:
        """Its dates after a day, in order; all of them for None."""
        for each in _every(self.frequency, self.start_on):
            if each > (self.end_on or LAST_DATE):
                return
            if (day is None or each > day) and not any(since <= each < until for since, until in self.pauses):
                yield each


def _every(frequency: str, start: date) -> Iterator[date]:
    """Each date from `start` on; of a month that is too short, its last day. No date is moved by the ones before it."""
    for i in count():
        if frequency in DAYS:
            days = i * DAYS[frequency]
            if (LAST_DATE - start).days < days:
                return
            yield start + timedelta(days)
        else:
            month = start.year * 12 + start.month - 1 + i * MONTHS[frequency]
            year, month = month // 12, month % 12 + 1
            if year > LAST_DATE.year:
                return
            yield date(year, month, min(start.day, monthrange(year, month)[1]))
