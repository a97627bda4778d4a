"""The states of a booking, and the times at which a person can be booked: pure functions of hours, time off and slots.

Hours are local time. A shift lasts from the first moment the clock shows its start to the first moment it shows its
end, so a skipped hour shortens it; if the start itself is skipped, the shift begins later. Times are offered by the
clock, counted from the shift's start: a skipped time is not offered, a repeated one is offered at its first occurrence.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from msgspec import Struct

from billycan import Actions
from billycan.fields import Moment
from billycan_staff.api import Person, Shift

from .schemas import Opening

actions = Actions(
    {
        "confirm": ("pending", "confirmed"),
        "decline": ("pending", "declined"),
        "reschedule": ("pending confirmed", None),
        "complete": ("confirmed", "completed"),
        "no_show": ("confirmed", "no_show"),
        "cancel": ("pending confirmed", "cancelled"),
        "reopen": ("completed no_show", "confirmed"),
    }
)

# The other statuses free the time.
HOLDING = frozenset({"pending", "confirmed", "completed"})
DELETABLE = frozenset({"pending", "declined", "cancelled"})

Span = tuple[datetime, datetime]
NOBODY_BUSY: Mapping[str, Sequence[Span]] = {}
DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)


class Terms(Struct, frozen=True):
    """The duration, buffers and capacity of a service."""

    service_id: str
    duration: timedelta
    before: timedelta
    after: timedelta
    interval_minutes: int
    capacity: int

    def occupied(self, start: datetime) -> Span:
        """Return the time that a booking with this start occupies, buffers included."""
        return start - self.before, start + self.duration + self.after


class Taken(Struct, frozen=True):
    """A slot of one person that `booked` bookings share."""

    id: str
    service_id: str
    start_at: datetime
    occupied: Span
    booked: int


def find_openings(
    terms: Terms,
    people: Iterable[Person],
    taken: Mapping[str, Sequence[Taken]],
    since: datetime,
    until: datetime,
    busy: Mapping[str, Sequence[Span]] = NOBODY_BUSY,
    pace: Callable[[Iterable[datetime]], Iterable[datetime]] = iter,
) -> list[Opening]:
    """Return the openings with these people from `since` until before `until`, in order.

    `taken` holds each person's slots in order; they never overlap. `busy` holds other times at which they are
    unavailable. `pace` returns the starts as they come, which may be many, with pauses if need be.
    """
    found: dict[datetime, Opening] = {}
    for person in people:
        spans = at_work(person, since, until + terms.duration)
        others = join_spans(busy.get(person.id, ()))
        for start in pace(offered_starts(person, terms.interval_minutes, since, until)):
            if not is_covered(spans, start, start + terms.duration):
                continue
            if others and overlaps_any(others, *terms.occupied(start)):
                continue
            if places := places_left(terms, taken.get(person.id, ()), start):
                opening = found.get(start)
                if opening is None:
                    end_at = Moment.of(start + terms.duration)
                    opening = found[start] = Opening(Moment.of(start), end_at, [], 0)
                opening.staff_ids.append(person.id)
                opening.remaining += places
    return [found[start] for start in sorted(found)]


def can_start(terms: Terms, person: Person, start: datetime) -> bool:
    """Tell whether a person works throughout a booking with this start; a repeated hour counts at its first time."""
    if start.astimezone(ZoneInfo(person.timezone)).fold:
        return False
    return is_covered(at_work(person, start, start + terms.duration), start, start + terms.duration)


def places_left(terms: Terms, taken: Sequence[Taken], start: datetime) -> int:
    """Return how many more bookings a person with these slots can take at this start."""
    if not taken:
        return terms.capacity
    if (other := overlapped_slot(terms, taken, start)) is None:
        return terms.capacity
    return max(terms.capacity - other.booked, 0) if shares_slot(terms, other, start) else 0


def overlapped_slot(terms: Terms, taken: Sequence[Taken], start: datetime) -> Taken | None:
    """Return the last of a person's slots that a start would overlap; None if it would overlap none."""
    since, until = terms.occupied(start)
    i = bisect_left(taken, until, key=lambda slot: slot.occupied[0]) - 1
    return taken[i] if i >= 0 and taken[i].occupied[1] > since else None


def shares_slot(terms: Terms, slot: Taken, start: datetime) -> bool:
    """Tell whether a booking with this start would share this slot."""
    return (slot.service_id, slot.start_at, slot.occupied) == (terms.service_id, start, terms.occupied(start))


def offered_starts(person: Person, interval_minutes: int, since: datetime, until: datetime) -> Iterator[datetime]:
    """Yield the times offered by a person's clock from `since` until before `until`."""
    zone = ZoneInfo(person.timezone)
    for midnight, shift in _shifts_of(person, since, until):
        first, end = (first_moment(midnight + minute * MINUTE, zone) for minute in (shift.start, shift.end))
        is_even = first and end and end - first == (shift.end - shift.start) * MINUTE  # no clock change in it
        for minute in range(shift.start, shift.end, interval_minutes):
            if first and is_even:
                start: datetime | None = first + (minute - shift.start) * MINUTE
            else:
                start = first_moment(midnight + minute * MINUTE, zone)
            if start and since <= start < until:
                yield start


def at_work(person: Person, since: datetime, until: datetime) -> list[Span]:
    """Return the working hours of a person that overlap or touch these times; shifts that meet become one span."""
    zone = ZoneInfo(person.timezone)
    worked = [
        (_moment_from(midnight + shift.start * MINUTE, zone), _moment_from(midnight + shift.end * MINUTE, zone))
        for midnight, shift in _shifts_of(person, since, until)
    ]
    spans = join_spans((start, end) for start, end in worked if start < end and start <= until and end >= since)
    return [*_cut_out(spans, join_spans(person.time_off))]


def join_spans(spans: Iterable[Span]) -> list[Span]:
    """Sort spans, and join those that overlap or meet."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


def is_covered(spans: Sequence[Span], start: datetime, end: datetime) -> bool:
    """Tell whether one of these spans, which are sorted and apart, covers the whole time."""
    i = bisect_left(spans, start + timedelta.resolution, key=lambda span: span[0]) - 1
    return i >= 0 and end <= spans[i][1]


def overlaps_any(spans: Sequence[Span], since: datetime, until: datetime) -> bool:
    """Tell whether any of these spans, which are sorted and apart, overlaps a time."""
    i = bisect_left(spans, until, key=lambda span: span[0]) - 1
    return i >= 0 and spans[i][1] > since


def first_moment(wall: datetime, zone: ZoneInfo) -> datetime | None:
    """Return the first moment at which clocks in a zone show this time; None if they skip it."""
    moment = wall.replace(tzinfo=zone).astimezone(UTC)
    return moment if moment.astimezone(zone).replace(tzinfo=None) == wall else None


def _moment_from(wall: datetime, zone: ZoneInfo) -> datetime:
    """Return the first moment at which clocks in a zone show this time or a later one."""
    while (moment := first_moment(wall, zone)) is None:
        wall += MINUTE
    return moment


def _shifts_of(person: Person, since: datetime, until: datetime) -> Iterator[tuple[datetime, Shift]]:
    """Yield a person's shifts on the local days that may touch these times, each with the midnight it counts from."""
    zone = ZoneInfo(person.timezone)
    day, last = (moment.astimezone(zone).date() for moment in (since, until))
    while day <= last:
        midnight = datetime.combine(day, time())  # local time, in any zone
        yield from ((midnight, shift) for shift in person.shifts if shift.weekday == day.weekday())
        day += DAY


def _cut_out(spans: Iterable[Span], off: Sequence[Span]) -> Iterator[Span]:
    """Yield the parts of spans outside `off`. Both are sorted and apart, and each is read once."""
    i = 0
    for start, end in spans:
        left = start
        while i < len(off) and off[i][0] < end:
            if left < off[i][0]:
                yield left, off[i][0]
            left = max(left, off[i][1])
            if left >= end:
                break  # it may extend into the next span
            i += 1
        if left < end:
            yield left, end
