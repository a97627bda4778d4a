"""The handler of the calendar, one function for each route: entries are as the lists of their resources show them."""

from collections.abc import Iterator, Mapping
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import sqlalchemy as sa

from billycan import BadRequest, Context, Forbidden, Named, own
from billycan.fields import Moment

from .planned import Planned, planned_resources
from .schemas import MOST_DAYS, CalendarEntry, CalendarQuery

_WEEK = timedelta(days=6)
_LONGEST = timedelta(days=31)  # after its start, an entry is no longer looked for
_MOST = 5_000
_PAGE = 100  # records that are read at a time


def list_calendar(ctx: Context, query: CalendarQuery) -> list[CalendarEntry]:
    """Entries planned on some days, of every resource with a start that the key may read, in order of their start.

    An entry that spans midnight belongs to both days; one that lasts longer than 31 days, only to the first 31.
    Cancelled and declined entries are left out unless `cancelled` is true.
    """
    shown = planned_resources(ctx.app)
    asked = [each for each in shown if ctx.holds(each.scope)]
    if shown and not asked:
        raise Forbidden("This key may read nothing that the calendar shows.", required_scope="read")
    zone = ZoneInfo(ctx.tenant.timezone)
    first = query.since or ctx.today_in(ctx.tenant.timezone)
    last = query.until or first + _WEEK
    _check_days(first, last)
    begins, ends = _midnight_of(first, zone), _midnight_of(last + timedelta(days=1), zone)
    with ctx.one_moment():
        found = [entry for each in asked for entry in _list_entries(ctx, each, begins, ends, query)]
    return sorted(found, key=lambda entry: (entry.start_at, entry.type, entry.id))


def _check_days(first: date, last: date) -> None:
    if not timedelta() <= last - first < timedelta(days=MOST_DAYS):
        message = f"to: must be from 0 to {MOST_DAYS - 1} days after `from`."
        raise BadRequest(message, code="invalid_parameter", param="to")


def _midnight_of(day: date, zone: ZoneInfo) -> Moment:
    return Moment.read(datetime.combine(day, time(), zone).isoformat())


def _list_entries(
    ctx: Context, of: Planned, begins: Moment, ends: Moment, query: CalendarQuery
) -> Iterator[CalendarEntry]:
    ids = _list_ids(ctx, of, begins, ends)
    for first in ctx.in_turns(range(0, len(ids), _PAGE)):
        records = ctx.app.read_records(ctx, of.path, ids[first : first + _PAGE], of.members)
        for record in records.values():
            entry = _build_entry(of, record)
            is_asked = query.assignee_id is None or query.assignee_id in entry.assignee_ids
            if is_asked and (query.cancelled or not entry.cancelled):
                yield entry


def _list_ids(ctx: Context, of: Planned, begins: Moment, ends: Moment) -> list[str]:
    """List the ids of what is planned between two moments."""
    start, end = of.table.c[of.start], of.table.c.get(of.end)
    lasts = start >= begins if end is None else sa.func.coalesce(end, start) > begins
    found = sa.select(of.table.c.id).where(
        own(ctx, of.table), start >= begins - _LONGEST, start < ends, sa.or_(start >= begins, lasts)
    )
    if ctx.sees_only_own:
        found = found.where(of.table.c.id.in_(ctx.own_ids(of.table.info["prefix"])))
    ids = list(ctx.db.execute(found.limit(_MOST + 1)).scalars())
    if len(ids) > _MOST:
        raise BadRequest(
            f"from, to: more than {_MOST:,} {of.name} are planned: ask for fewer days.",
            code="invalid_filter",
            param="to",
        )
    return ids


def _build_entry(of: Planned, record: Any) -> CalendarEntry:
    whose = getattr(record, "client", None)
    client = whose if isinstance(whose, Named) else None
    names = [named.name for name in of.named if isinstance(named := getattr(record, name), Named) and name != "client"]
    texts = [text for name in of.titles if (text := getattr(record, name))]
    staff = getattr(record, of.assignee) if of.assignee else None
    status = getattr(record, of.status) if of.status else None
    return CalendarEntry(
        type=of.name,
        id=record.id,
        title=texts[-1] if texts else names[0] if names else client.name if client else record.id,
        start_at=getattr(record, of.start),
        end_at=getattr(record, of.end) if of.end else None,
        assignee_ids=[*staff] if isinstance(staff, list) else [staff] if staff else [],
        status=status,
        client=client,
        location=next(filter(None, (_one_line(getattr(record, name)) for name in of.places)), None),
        cancelled=status in of.ended,
        version=record.version,
        updated_at=record.updated_at,
    )


def _one_line(place: Any) -> str:
    """Return a place or an address in one line; empty if there is none."""
    if not place or isinstance(place, str):
        return " ".join((place or "").split())
    found: Mapping[str, str | None] = msgspec.to_builtins(place)
    town = " ".join(filter(None, (found.get(name) for name in ("suburb", "state", "postcode"))))
    return ", ".join(filter(None, (found.get("line1"), found.get("line2"), town)))
