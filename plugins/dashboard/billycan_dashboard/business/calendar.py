"""The calendar: what is planned by day, week and month, and a list of it."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from msgspec import Struct

from billycan import App
from billycan.fields import Moment
from billycan_users.api import Answer, Led, Screen, Shown, Visit, mounted

from ..resources import moving
from ..resources.kinds import Kind, kinds, role_reaches, title_of, url

HERE, TODAY, API = "/dashboard/calendar", "/dashboard/today", "/v1/calendar"
VIEWS = ("day", "week", "month", "list")
_SLOT = 30  # minutes of a row
_FIRST, _LAST = 7, 18  # hours that are shown even if nothing is planned in them
_MOST_LANES, _MOST_IN_CELL, _MOST_UNPLANNED, _MOST_STAFF = 4, 4, 8, 12


class Entry(Struct, frozen=True):
    """An entry as a page shows it: what it is, its local times, and its place in a column: row, rows and lane."""

    kind: Kind
    id: str
    title: str
    client: str
    status: str
    tone: str
    starts: datetime
    ends: datetime | None
    staff: tuple[str, ...]
    at: int = 0
    rows: int = 1
    lane: int = 1

    @property
    def page(self) -> str:
        return f"{self.kind.page}/{self.id}"

    @property
    def move(self) -> str:
        """The page that moves it; empty once it is over."""
        return f"{HERE}/{self.kind.path.removeprefix('/v1/')}/{self.id}" if self.tone in moving.TO_COME else ""

    @property
    def time(self) -> str:
        """Its time, such as `9:30 am – 11 am`."""
        return _clock(self.starts) + (f" – {_clock(self.ends)}" if self.ends else "")

    @property
    def begins(self) -> str:
        return _clock(self.starts)

    def is_on(self, day: date) -> bool:
        """Tell whether it is on a day; what ends at midnight is not on the day that begins then."""
        ends = self.ends or self.starts
        return self.starts.date() <= day and (self.starts.date() == day or ends > _midnight(day))

    def goes_on(self, day: date) -> str:
        """Return what a later day shows in place of its start, such as `until 1 am`; empty on its first day."""
        if self.starts.date() == day or self.ends is None:
            return ""
        return "all day" if self.ends >= _midnight(day + timedelta(days=1)) else f"until {_clock(self.ends)}"


class Column(Struct, frozen=True):
    """A column of a board: a day, or a member of staff on a day, with the entries in it."""

    name: str
    day: date
    staff_id: str
    page: str
    is_today: bool
    entries: Sequence[Entry]


def is_on(app: App) -> bool:
    return ("GET", API) in app.at


def show_calendar(visit: Visit) -> Answer:
    """Show what is planned around a day, in one of four views."""
    if not may_see(visit):
        return Led("/dashboard")
    view = visit.query.get("view", "week")
    view = view if view in VIEWS else "week"
    today = visit.today()
    day = read_day(visit.query.get("day", "")) or today
    first, last = _period(view, day)
    staff, chosen = list_staff(visit), visit.query.get("staff", "")
    entries = [*list_entries(visit, first, last, chosen)]
    names = dict(staff)
    columns = [*_columns(view, first, last, today, entries, staff, chosen)]
    hours = _hours(entries) if view in ("day", "week") else range(0)
    values = {
        "view": view,
        "views": [(each, each.capitalize(), _at(each, day, chosen)) for each in VIEWS],
        "day": day,
        "today": today,
        "period": _said(view, first, last, day),
        "before": _at(view, _step(view, day, -1), chosen),
        "after": _at(view, _step(view, day, 1), chosen),
        "now": _at(view, today, chosen),
        "staff": staff,
        "chosen": chosen,
        "names": names,
        "hours": [(_hour(hour), 2 * (hour - hours.start) + 1) for hour in hours],
        "columns": [_placed(column, hours.start) for column in columns] if hours else columns,
        "first_hour": hours.start if hours else 0,
        "weeks": [columns[i : i + 7] for i in range(0, len(columns), 7)] if view == "month" else [],
        "most": _MOST_IN_CELL,
        "total": len(entries),
        "unplanned": [*_unplanned(visit)],
        "makers": [k for k in moving.planned(visit.app) if k.may(visit, "make") and k.daily],
        "undo": moving.undo_of(visit),
        "back": visit.query_string,
    }
    return Shown("dashboard/calendar.html", values, frames=True)


def list_entries(visit: Visit, first: date, last: date, staff_id: str) -> Iterator[Entry]:
    zone = ZoneInfo(visit.session.zone)
    asked = {"from": first, "to": last} | ({"assignee_id": staff_id} if staff_id else {})
    of = kinds(visit.app)
    for entry in visit.call("GET", API, asked)["data"]:
        kind = of.get(f"/v1/{entry['type']}")
        if kind is None:
            continue
        status = kind.playing("status")
        yield Entry(
            kind=kind,
            id=entry["id"],
            title=entry["title"],
            client=entry["client"]["name"] if entry["client"] else "",
            status=entry["status"] or "",
            tone=status.meaning.tones.get(entry["status"], "") if status else "",
            starts=Moment.read(entry["start_at"]).astimezone(zone).replace(tzinfo=None),
            ends=Moment.read(entry["end_at"]).astimezone(zone).replace(tzinfo=None) if entry["end_at"] else None,
            staff=tuple(entry["assignee_ids"]),
        )


def _columns(
    view: str,
    first: date,
    last: date,
    today: date,
    entries: Sequence[Entry],
    staff: Sequence[tuple[str, str]],
    chosen: str,
) -> Iterator[Column]:
    """Yield the columns of a board: of a day for each member of staff, and else for each day."""
    if view == "day" and not chosen and staff:
        for id, name in staff:
            page = _at("day", first, id)
            yield Column(name, first, id, page, first == today, [e for e in entries if id in e.staff])
        if free := [entry for entry in entries if not {id for id, _ in staff} & {*entry.staff}]:
            yield Column("Nobody yet", first, "", "", first == today, free)
        return
    for ahead in range((last - first).days + 1):
        day = first + timedelta(days=ahead)
        name = str(day.day) if view == "month" else f"{day:%a} {day.day}"
        on = [entry for entry in entries if entry.is_on(day)]
        yield Column(name, day, chosen, _at("day", day, chosen), day == today, on)


def _placed(column: Column, first_hour: int) -> Column:
    """Give the entries of a column their places; those at one time stand side by side."""
    free: list[int] = []  # the row from which each lane is free
    placed = []
    for entry in sorted(column.entries, key=lambda entry: entry.starts):
        opens = _midnight(column.day) + timedelta(hours=first_hour)
        starts = max(entry.starts, opens)
        at = int((starts - opens).total_seconds() / 60) // _SLOT
        minutes = ((entry.ends or entry.starts + timedelta(hours=1)) - starts).total_seconds() / 60
        rows = int(max(1, min(-(-minutes // _SLOT), 2 * 24 - at - 2 * first_hour)))
        lane = next((i for i, row in enumerate(free) if row <= at), len(free))
        if lane == len(free):
            free.append(0)
        free[lane] = at + rows
        values = {name: getattr(entry, name) for name in Entry.__struct_fields__}
        placed.append(Entry(**values | {"at": at + 1, "rows": rows, "lane": min(lane + 1, _MOST_LANES)}))
    return Column(column.name, column.day, column.staff_id, column.page, column.is_today, placed)


def _hours(entries: Sequence[Entry]) -> range:
    first = min([_FIRST, *(e.starts.hour for e in entries)])
    last = max([_LAST, *(_last_hour(e) for e in entries)])
    return range(first, last)


def _last_hour(entry: Entry) -> int:
    ends = entry.ends or entry.starts
    return 24 if ends.date() > entry.starts.date() else ends.hour + 1


def _unplanned(visit: Visit) -> Iterator[tuple[Kind, Mapping[str, Any], str]]:
    """Yield the newest records that have no time yet, with the page that gives them one."""
    for kind in moving.planned(visit.app):
        if not kind.may(visit, "list") or not moving.may_move(visit, kind):
            continue
        start, status = kind.playing("start"), kind.playing("status")
        assert start is not None and status is not None  # noqa: S101 - it is planned
        names = ",".join(dict.fromkeys(("id", start.name, status.name, *kind.titles, "client")))
        found = visit.call("GET", kind.path, {"per_page": 50, "fields": names})["data"]
        open_ = [
            r for r in found if r[start.name] is None and status.meaning.tones.get(r[status.name], "") in ("", "warn")
        ]
        for record in open_[:_MOST_UNPLANNED]:
            title = next((record[name] for name in reversed(kind.titles) if record.get(name)), title_of(kind, record))
            yield kind, record, title


def find_staff(visit: Visit) -> list[tuple[str, str, str]]:
    """List the ids, names and email addresses of the staff."""
    listing = visit.app.at.get(("GET", "/v1/staff"))
    if listing is None or not role_reaches(visit, listing):
        return []
    asked = {"active": "true", "per_page": 100, "sort": "name", "fields": "id,name,email"}
    return [(each["id"], each["name"], each["email"] or "") for each in visit.call("GET", "/v1/staff", asked)["data"]]


def list_staff(visit: Visit, *, mine: bool = False) -> list[tuple[str, str]]:
    """List the ids and names of the staff that a board has columns for."""
    return [(id, name) for id, name, _ in find_staff(visit)][: None if mine else _MOST_STAFF]


def read_day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _period(view: str, day: date) -> tuple[date, date]:
    """Return the first and the last day that a view shows: a month begins on a Monday."""
    if view == "day":
        return day, day
    monday = day - timedelta(days=day.weekday())
    if view == "month":
        first = day.replace(day=1)
        first -= timedelta(days=first.weekday())
        return first, first + timedelta(days=41)
    return monday, monday + timedelta(days=6 if view == "week" else 27)


def _step(view: str, day: date, way: int) -> date:
    if view == "month":
        return (day.replace(day=15) + way * timedelta(days=30)).replace(day=1)
    return day + way * timedelta(days={"day": 1, "week": 7, "list": 28}[view])


def _at(view: str, day: date, staff_id: str) -> str:
    return url(HERE, {"view": view, "day": day} | ({"staff": staff_id} if staff_id else {}))


def _said(view: str, first: date, last: date, day: date) -> str:
    if view == "day":
        return say_day(day)
    if view == "month":
        return f"{day:%B %Y}"
    ends = f"{last.day} {last:%B %Y}"
    return f"{first.day} – {ends}" if first.month == last.month else f"{first.day} {first:%B} – {ends}"


def say_day(day: date) -> str:
    return f"{day:%A}, {day.day} {day:%B %Y}"


def _midnight(day: date) -> datetime:
    return datetime.combine(day, datetime.min.time())


def _clock(at: datetime) -> str:
    return f"{at.hour % 12 or 12}{f':{at:%M}' if at.minute else ''} {'am' if at.hour < 12 else 'pm'}"


def _hour(hour: int) -> str:
    return f"{hour % 12 or 12} {'am' if hour < 12 else 'pm'}"


def may_see(visit: Visit) -> bool:
    """Tell whether the visitor may read anything that the calendar shows."""
    return any(kind.may(visit, "list") for kind in kinds(visit.app).values() if kind.playing("start"))


def _navs(visit: Visit) -> list[tuple[str, str, str]]:
    return [("Calendar", HERE, ""), ("Today", TODAY, "")] if may_see(visit) else []


screens = mounted(
    Screen(HERE, show_calendar, role="field", navs=_navs, when=is_on, live=True),
    Screen(f"{HERE}/{{resource}}/{{id}}", moving.show_move, moving.move_record, role="field", when=is_on),
)
