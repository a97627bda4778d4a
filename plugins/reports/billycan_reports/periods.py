"""The tax periods of a business, according to its GST settings (Division 27 GST Act)."""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

Span = tuple[date, date]
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_DAY = timedelta(days=1)


def period_of(settings: Sequence[Any], day: date) -> Span:
    """Return the first and last day of the tax period that contains a day.

    Periods end with the months of a year from July on (s 27-5, 27-10 GST Act). If their length changes while the
    business is registered, the old period ends on the day before the change, and the new one begins with the change.
    """
    lengths = (
        [one.period for one in settings if one.since <= day] or [one.period for one in settings[:1]] or ["quarter"]
    )
    months = _MONTHS[lengths[-1]]
    back = (day.month - 7) % 12 % months
    since = date(day.year - (day.month <= back), (day.month - 1 - back) % 12 + 1, 1)
    after = since.month - 1 + months
    until = date(since.year + after // 12, after % 12 + 1, 1) - _DAY
    for before, then in pairwise(settings):
        if before.registered and before.period != then.period:
            since = then.since if since < then.since <= day else since
            until = then.since - _DAY if day < then.since <= until else until
    return since, until


def periods_between(settings: Sequence[Any], since: date, until: date) -> Iterator[Span]:
    """Yield the tax periods that overlap these days and contain a registered day, the newest first."""
    if not any(one.registered for one in settings):
        return
    since = max(since, settings[0].since)
    while until >= since:
        span = period_of(settings, until)
        if registered_between(settings, *span):
            yield span
        until = span[0] - _DAY


def registered_between(settings: Sequence[Any], since: date, until: date) -> bool:
    """Tell whether the business was registered on any of these days."""
    ends = [one.since for one in settings[1:]]
    return any(
        one.registered and one.since <= until and (end is None or end > since)
        for one, end in zip(settings, [*ends, None], strict=False)
    )


def first_difference(before: Sequence[Any], after: Sequence[Any]) -> date | None:
    """Return the first day on which these settings differ; None if they agree on every day."""
    days = sorted({day for one in (*before, *after) for day in (one.since - _DAY, one.since)})
    return next((day for day in days if _settings_on(before, day) != _settings_on(after, day)), None)


def differ(before: Sequence[Any], after: Sequence[Any], since: date, until: date) -> bool:
    """Tell whether these settings differ on any of these days."""
    days = {since, until, *(one.since for one in (*before, *after) if since < one.since <= until)}
    return any(_settings_on(before, day) != _settings_on(after, day) for day in days)


def _settings_on(settings: Sequence[Any], day: date) -> tuple[Any, ...]:
    """Return the settings that matter on a day; the basis and the length of a period only while registered.

    On a cash basis, unpaid amounts count on the last day of a registration (s 138-15 GST Act).
    """
    found = [one for one in settings if one.since <= day]
    if not found or not found[-1].registered:
        return (False,)
    ends = found[-1].basis == "cash" and any(one.since == day + _DAY and not one.registered for one in settings)
    return (True, found[-1].basis, found[-1].period, ends)
