"""Availability against a model that walks every minute, in zones with and without daylight saving."""

import sys
from bisect import bisect_left
from datetime import UTC, datetime, time, timedelta
from itertools import accumulate
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from billycan_bookings.rules import Taken, Terms, at_work, can_start, find_openings, is_covered
from billycan_staff.api import Person, Shift

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
ZONES = ("Sydney", "Adelaide", "Brisbane", "Perth", "Darwin", "Lord_Howe")
# The days around both changes of 2026 and 2027, and some days without one.
FIRST_DAYS = ("2026-04-03", "2026-10-02", "2027-04-02", "2027-10-01", "2026-07-10", "2026-12-30")


def person(*shifts, zone="Australia/Sydney", time_off=()):
    shifts = tuple(Shift(*shift) for shift in shifts)
    return Person(id="stf_1", name="Grace", active=True, timezone=zone, shifts=shifts, time_off=tuple(time_off))


def terms(duration=60, interval=60, before=0, after=0, capacity=1):
    duration, before, after = (timedelta(minutes=m) for m in (duration, before, after))
    return Terms("srv_1", duration, before, after, interval, capacity)


def local(text, zone="Australia/Sydney", fold=0):
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone), fold=fold).astimezone(UTC)


def clock(moment, zone="Australia/Sydney"):
    return f"{moment.astimezone(ZoneInfo(zone)):%H:%M%z}"


def starts_of_day(text, who, what, zone="Australia/Sydney"):
    since = local(text, zone)
    until = local((datetime.fromisoformat(text) + DAY).isoformat(), zone)
    return [clock(o.start_at, zone) for o in find_openings(what, [who], {}, since, until)]


def test_a_gap_shortens_the_day():
    who = person((6, 0, 300))
    assert starts_of_day("2026-10-04", who, terms()) == ["00:00+1000", "01:00+1000", "03:00+1100", "04:00+1100"]
    ordinary = ["00:00+1100", "01:00+1100", "02:00+1100", "03:00+1100", "04:00+1100"]
    assert starts_of_day("2026-10-11", who, terms()) == ordinary
    assert at_work(who, local("2026-10-04"), local("2026-10-05")) == [(local("2026-10-04"), local("2026-10-04T05:00"))]
    assert local("2026-10-04T05:00") - local("2026-10-04") == 4 * HOUR


def test_a_booking_over_a_gap_lasts_as_long_as_any():
    found = find_openings(terms(90), [person((6, 0, 300))], {}, local("2026-10-04"), local("2026-10-05"))
    assert [clock(o.start_at) for o in found] == ["00:00+1000", "01:00+1000", "03:00+1100"]
    assert {o.end_at - o.start_at for o in found} == {1.5 * HOUR}


def test_a_repeated_hour_is_offered_once_at_its_first_occurrence():
    found = ["00:00+1100", "01:00+1100", "02:00+1100", "03:00+1000", "04:00+1000"]
    assert starts_of_day("2027-04-04", person((6, 0, 300)), terms()) == found
    second = local("2027-04-04T02:00", fold=1)
    assert not can_start(terms(), person((6, 0, 300)), second)
    assert can_start(terms(), person((6, 0, 300)), second - HOUR)


def test_lord_howe_changes_by_half_an_hour():
    who = person((6, 60, 180), zone="Australia/Lord_Howe")
    what = terms(30, 30)
    found = ["01:00+1030", "01:30+1030", "02:30+1100"]
    assert starts_of_day("2026-10-04", who, what, "Australia/Lord_Howe") == found
    found = ["01:00+1100", "01:30+1100", "02:00+1030", "02:30+1030"]
    assert starts_of_day("2027-04-04", who, what, "Australia/Lord_Howe") == found


def test_a_shift_within_the_gap_does_not_happen():
    assert at_work(person((6, 120, 180)), local("2026-10-04"), local("2026-10-05")) == []
    late = at_work(person((6, 150, 240)), local("2026-10-04"), local("2026-10-05"))
    assert late == [(local("2026-10-04T03:00"), local("2026-10-04T04:00"))]


@pytest.mark.parametrize("zone", ZONES)
def test_a_working_day_is_the_same_whatever_the_season(zone):
    zone = f"Australia/{zone}"
    who = person(*((day, 480, 1020) for day in range(7)), zone=zone)
    for day in ("2026-04-05", "2026-10-04", "2026-07-15"):
        found = starts_of_day(day, who, terms(), zone)
        assert [text[:5] for text in found] == [f"{hour:02}:00" for hour in range(8, 17)]


def test_shifts_that_meet_are_one_and_each_starts_its_own_grid():
    who = person((0, 480, 495), (0, 495, 600))
    assert [text[:5] for text in starts_of_day("2026-07-13", who, terms(30, 30))] == [
        "08:00",
        "08:15",
        "08:45",
        "09:15",
    ]
    night = person((4, 1320, 1440), (5, 0, 120))
    start, end = local("2026-07-17T23:30"), local("2026-07-18T00:30")
    assert is_covered(at_work(night, start, end), start, end)


def test_time_off_and_taken_slots_leave_the_grid_where_it_is():
    off = (local("2026-07-13T10:10"), local("2026-07-13T11:50"))
    who = person((0, 480, 840), time_off=[off])
    at = local("2026-07-13T12:00")
    taken = {"stf_1": [Taken("slt_1", "srv_2", at, (at, at + 45 * MINUTE), 1)]}
    found = find_openings(terms(60, 30), [who], taken, local("2026-07-13"), local("2026-07-14"))
    assert [clock(o.start_at)[:5] for o in found] == ["08:00", "08:30", "09:00", "13:00"]


def test_buffers_reach_beyond_hours_but_not_into_what_is_taken():
    who, what = person((0, 480, 720)), terms(60, 60, before=30, after=30)
    assert [text[:5] for text in starts_of_day("2026-07-13", who, what)] == ["08:00", "09:00", "10:00", "11:00"]
    at = local("2026-07-13T09:00")
    taken = {"stf_1": [Taken("slt_1", "srv_1", at, what.occupied(at), 1)]}
    found = find_openings(what, [who], taken, local("2026-07-13"), local("2026-07-14"))
    assert [clock(o.start_at)[:5] for o in found] == ["11:00"]


def test_a_slot_is_shared_up_to_its_capacity():
    at, what = local("2026-07-13T09:00"), terms(capacity=3)
    for booked, left in ((1, 2), (2, 1), (3, 0), (4, 0)):
        taken = {"stf_1": [Taken("slt_1", "srv_1", at, what.occupied(at), booked)]}
        found = find_openings(what, [person((0, 480, 720))], taken, at, at + HOUR)
        assert [o.remaining for o in found] == [left] * bool(left)
    longer = Taken("slt_1", "srv_1", at, (at, at + 2 * HOUR), 1)
    assert find_openings(what, [person((0, 480, 720))], {"stf_1": [longer]}, at, at + HOUR) == []


def lines_run(run):
    """Count the lines of Python that a call runs."""
    count = 0

    def each(frame, event, arg):
        nonlocal count
        count += event == "line"
        return each

    before = sys.gettrace()
    sys.settrace(each)
    try:
        run()
    finally:
        sys.settrace(before)
    return count


def test_somebodys_time_takes_work_in_proportion_to_its_parts():
    since = local("2026-11-23")

    def look(n):
        minutes = [MINUTE * (i * 1440 // n) for i in range(n)]
        pauses = [(since + at + MINUTE, since + at + 2 * MINUTE) for at in minutes]
        who = person(*((0, at.seconds // 60, at.seconds // 60 + 4) for at in minutes), time_off=pauses)
        return lines_run(lambda: find_openings(terms(1, 4), [who], {}, since, since + DAY, {who.id: pauses * 2}))

    few, more, many = map(look, (40, 80, 160))
    assert many - more <= 2.2 * (more - few), f"{few}, {more}, {many} lines"


class Model:
    """Everything by minutes, from two days before the window to two days after it."""

    def __init__(self, who, what, taken, since, until):
        self.who, self.what, self.taken = who, what, taken
        zone = ZoneInfo(who.timezone)
        count = (until - since + 4 * DAY) // MINUTE
        self.minutes = [since - 2 * DAY + i * MINUTE for i in range(count)]
        self.walls = [m.astimezone(zone).replace(tzinfo=None) for m in self.minutes]
        self.latest_wall = list(accumulate(self.walls, max))
        self.days = sorted({wall.date() for wall in self.walls})[1:-1]
        self.working = self._working()
        self.busy = {m for slot in taken for m in minutes_of(*slot.occupied)}

    def _working(self):
        found = set()
        for day in self.days:
            for shift in self.who.shifts:
                if shift.weekday == day.weekday():
                    midnight = datetime.combine(day, time())
                    # On when the clock has reached the start, off when it has reached the end.
                    on, off = (bisect_left(self.latest_wall, midnight + m * MINUTE) for m in (shift.start, shift.end))
                    found.update(self.minutes[on:off])
        return found - {m for off in self.who.time_off for m in minutes_of(*off)}

    def openings(self, since, until):
        labels = {
            datetime.combine(day, time()) + minute * MINUTE
            for day in self.days
            for shift in self.who.shifts
            if shift.weekday == day.weekday()
            for minute in range(shift.start, shift.end, self.what.interval_minutes)
        }
        found, shown = {}, set()
        for minute, wall in zip(self.minutes, self.walls, strict=True):
            if wall in labels and wall not in shown and since <= minute < until and (left := self.left(minute)):
                found[minute] = left
            shown.add(wall)
        return found

    def left(self, start):
        if not self.working.issuperset(minutes_of(start, start + self.what.duration)):
            return 0
        what = self.what
        occupied = start - what.before, start + what.duration + what.after
        if self.busy.isdisjoint(minutes_of(*occupied)):
            return self.what.capacity
        for slot in self.taken:
            if (slot.service_id, slot.start_at, slot.occupied) == (self.what.service_id, start, occupied):
                return max(self.what.capacity - slot.booked, 0)
        return 0


def minutes_of(start, end):
    return {start + i * MINUTE for i in range((end - start) // MINUTE)}


@st.composite
def situations(draw):
    zone = f"Australia/{draw(st.sampled_from(ZONES))}"
    since = local(draw(st.sampled_from(FIRST_DAYS)), zone) + draw(st.integers(0, 36)) * HOUR
    until = since + draw(st.integers(1, 60)) * HOUR
    # Early mornings are where clocks change.
    bounds = st.one_of(st.integers(0, 1440), st.integers(0, 16).map(lambda n: n * 15))
    shifts = []
    for day in range(7):
        times = sorted(draw(st.lists(bounds, max_size=4, unique=True)))
        shifts += [(day, a, b) for a, b in zip(times[::2], times[1::2], strict=False)]
    moments = st.integers(-600, 60 * 60).map(lambda n: since + n * MINUTE)
    time_off = [(at, at + draw(st.integers(1, 600)) * MINUTE) for at in draw(st.lists(moments, max_size=2))]
    what = terms(
        draw(st.integers(1, 240)),
        draw(st.sampled_from((5, 15, 20, 30, 45, 60, 90))),
        draw(st.integers(0, 45)),
        draw(st.integers(0, 45)),
        draw(st.integers(1, 3)),
    )
    who = person(*shifts, zone=zone, time_off=time_off)
    offered = [o.start_at for o in find_openings(what, [who], {}, since, until)]
    taken, busy_until = [], since - 10 * DAY
    for at in sorted(draw(st.lists(st.one_of(moments, *([st.sampled_from(offered)] if offered else [])), max_size=6))):
        same = draw(st.booleans())
        occupied = what.occupied(at) if same else (at, at + draw(st.integers(1, 120)) * MINUTE)
        if occupied[0] >= busy_until:
            booked = draw(st.integers(1, 4))
            taken.append(Taken(f"slt_{at}", "srv_1" if same else "srv_2", at, occupied, booked))
            busy_until = occupied[1]
    return who, what, taken, since, until


@settings(max_examples=100, deadline=None)
@given(situations())
def test_availability_agrees_with_the_minute_by_minute_model(situation):
    who, what, taken, since, until = situation
    model = Model(who, what, taken, since, until)
    found = find_openings(what, [who], {who.id: taken}, since, until)
    assert {o.start_at: o.remaining for o in found} == model.openings(since, until)
    assert [o.start_at for o in found] == sorted(o.start_at for o in found)
    for opening in found:
        assert opening.end_at - opening.start_at == what.duration and opening.staff_ids == [who.id]
        assert can_start(what, who, opening.start_at)


@settings(max_examples=50, deadline=None)
@given(situations(), situations())
def test_two_people_offer_what_each_of_them_does(one, other):
    who, what, taken, since, until = one
    second = Person(**{**{name: getattr(other[0], name) for name in Person.__struct_fields__}, "id": "stf_2"})
    alone = [find_openings(what, [p], {who.id: taken}, since, until) for p in (who, second)]
    together = find_openings(what, [who, second], {who.id: taken}, since, until)
    assert sum(o.remaining for o in together) == sum(o.remaining for found in alone for o in found)
    for opening in together:
        with_each = [o for found in alone for o in found if o.start_at == opening.start_at]
        assert opening.staff_ids == [id for o in with_each for id in o.staff_ids]
