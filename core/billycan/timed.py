"""Timed work: leases of due rows, and mornings in each business's time zone."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar
from weakref import WeakKeyDictionary
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import sqlalchemy as sa
from msgspec import Struct

from .context import Context
from .db import ByCodePoint, UTCDateTime, at_most, metadata, own, upserts
from .engines.statements import Statement
from .fields import Moment
from .tenants import tenants

if TYPE_CHECKING:
    from .app import App

__all__ = ["Leases", "Morning"]

T = TypeVar("T")

HOUR = 9
KEPT_DAYS = 400
MOST_AT_ONCE = 1_000  # that are forgotten in one transaction

mornings = sa.Table(
    "core_mornings",
    metadata,
    sa.Column("tenant_id", ByCodePoint, sa.ForeignKey("core_tenants.id"), primary_key=True),
    sa.Column("what", ByCodePoint, primary_key=True),
    sa.Column("id", ByCodePoint, primary_key=True),
    sa.Column("day", sa.Date, primary_key=True),
)


class Morning(Struct, frozen=True):
    """Work on or near a date of a record, done once for each date: `Morning("invoice.overdue", 1, 31)`.

    It is due from 09:00 in the business's time zone. A worker that was away catches up until the end of the last day,
    and no later.

    what: Its name, in the form of an event's, which tells it from everything else.
    first, last: The first and the last day on which it is due, in days after the date; negative for days before it. No
      `last` may be more than a year.
    """

    what: str
    first: int
    last: int

    @staticmethod
    def latest(local: datetime) -> date:
        """Return the last date on which it has been 09:00."""
        return local.date() if local.hour >= HOUR else local.date() - timedelta(days=1)

    @staticmethod
    def by_zone(app: "App", now: Moment, value: Callable[[datetime], T]) -> "list[tuple[T, sa.ColumnElement[bool]]]":
        """Return each result of a function of the local time, and the condition that it is a business's.

        The condition is for a SELECT that joins `tenants`. There is at least one result, even without any business.
        """
        found: dict[T, list[str]] = {}
        for name, zone in _zones_of_businesses(app, now):
            found.setdefault(value(now.astimezone(zone)), []).append(name)
        return [(result, _ZONE.in_(names) if all(names) else sa.true()) for result, names in found.items()]

    def due(self, app: "App", day: sa.Column[Any], now: Moment) -> sa.Select[Any]:
        """The records, in any business, for which it is time, by this column of their table; the earliest date first.

        For an Every's `due`: add what else must hold of them. An index that leads to the column's values helps.
        """
        groups = self.by_zone(app, now, lambda local: (self.latest(local), local.date()))
        spans = [
            (is_there, today - timedelta(self.last), since - timedelta(self.first))
            for (since, today), is_there in groups
        ]
        earliest, latest = min(span[1] for span in spans), max(span[2] for span in spans)
        if len(spans) > 1:
            is_time = sa.or_(*(is_there & day.between(since, until) for is_there, since, until in spans))
        else:  # of one zone, the earliest and the latest date say it
            is_time = spans[0][0]
        return _select_not_done(self.what, day).where(day.between(earliest, latest), is_time)

    def once(self, ctx: Context, id: str, day: date) -> bool:
        """Tell whether a record with this date is due and not yet done; from the commit on it counts as done.

        Call it under the record's lock, in the transaction in which the work is done.
        """
        local = ctx.now().astimezone(ZoneInfo(ctx.tenant.timezone))
        if not local.date() - timedelta(self.last) <= day <= self.latest(local) - timedelta(self.first):
            return False
        return _NOTE.first(ctx.db, {"tenant_id": ctx.tenant_id, "what": self.what, "id": id, "day": day}) is not None


_NOTE = Statement(**upserts(mornings, lambda row: row.on_conflict_do_nothing().returning(mornings.c.id)))


@lru_cache(256)  # an advance of a sandbox's clock asks on every day of it
def _select_not_done(what: str, day: sa.Column[Any]) -> sa.Select[Any]:
    c = day.table.c
    was_done = sa.exists().where(
        mornings.c.tenant_id == c.tenant_id, mornings.c.what == what, mornings.c.id == c.id, mornings.c.day == day
    )
    of = sa.select(c.tenant_id, c.id).join(tenants, tenants.c.id == c.tenant_id)
    return of.where(~was_done).order_by(day)


def with_old_mornings(db: sa.Connection, now: Moment) -> Iterable[str]:
    """Return the tenants with work on their records that is too long ago to happen again, wherever they are."""
    last = (now + timedelta(days=1)).date() - timedelta(days=KEPT_DAYS)
    return db.execute(sa.select(mornings.c.tenant_id).where(mornings.c.day < last).distinct()).scalars()


def forget_mornings(ctx: Context) -> bool:
    """Forget work on the tenant's records that is too long ago to happen again; return whether more is left."""
    old = own(ctx, mornings) & (mornings.c.day < ctx.today() - timedelta(days=KEPT_DAYS))
    return ctx.db.execute(sa.delete(mornings).where(at_most(MOST_AT_ONCE, mornings, old))).rowcount == MOST_AT_ONCE


_zones_asked: "WeakKeyDictionary[App, tuple[Moment, list[tuple[str, ZoneInfo]]]]" = WeakKeyDictionary()


def _zones_of_businesses(app: "App", now: Moment) -> list[tuple[str, ZoneInfo]]:
    """The zones that any business has, asked once in each round of timed work: all its tasks are given one `now`.

    One without a name is that of all businesses.
    """
    at, zones = _zones_asked.get(app, (None, []))
    if at is not now:
        with app.db.reading(across="timed work by date is looked for in the zone of every business") as db:
            names = [*db.execute(_NAMES).scalars()]
        zones = []
        for name in names:
            with suppress(ZoneInfoNotFoundError, ValueError):  # this machine may lack the rules of one
                zones.append((name, ZoneInfo(name)))
        zones = zones or [("UTC", ZoneInfo("UTC"))]
        _zones_asked[app] = now, zones
    return zones


def look_in(app: "App", now: Moment, timezone: str) -> None:
    """Have work by date looked for as if each business were in this zone, where it is looked for at this very `now`."""
    _zones_asked[app] = now, [("", ZoneInfo(timezone))]


def next_morning(now: Moment, timezone: str) -> Moment:
    """Return the next 09:00 of a zone."""
    local = now.astimezone(ZoneInfo(timezone))
    day = Morning.latest(local) + timedelta(days=1)
    return Moment.of(datetime.combine(day, time(HOUR), local.tzinfo))


_ZONE: sa.ColumnElement[str] = tenants.c.profile["timezone"].as_string()
_NAMES = sa.select(_ZONE).distinct().order_by(_ZONE)


class Leases:
    """Leases of a table's rows: at most one worker at a time does the work of a row, and a dead one's goes on.

    For work that is done outside of transactions, such as sending. The table has `due_at`, `first_attempt_at` (null for
    what was never tried) and `lease_until`.

    AHEAD_SECONDS: The seconds by which the clocks of hosts may differ.
    NOW: The parameter that is the present time, for a statement of your own.
    """

    AHEAD_SECONDS: ClassVar = 5.0
    NOW: ClassVar[sa.BindParameter[Any]] = sa.bindparam("now", type_=UTCDateTime())
    _SOON: ClassVar[sa.BindParameter[Any]] = sa.bindparam("soon", type_=UTCDateTime())

    def __init__(self, table: sa.Table) -> None:
        self._table = table

    @staticmethod
    def times(now: Moment) -> dict[str, Moment]:
        """Return the parameters of a statement with `is_free`, for `now = app.shared_now(db)`."""
        return {Leases.NOW.key: now, Leases._SOON.key: Moment.of(now + timedelta(seconds=Leases.AHEAD_SECONDS))}

    @property
    def is_free(self) -> sa.ColumnElement[bool]:
        """The condition that a row is due and nobody leases it; the statement needs the parameters of `times`."""
        c, now = self._table.c, self.NOW
        due = (c.due_at <= self._SOON) & ((c.due_at <= now) | c.first_attempt_at.is_(None))  # the former by an index
        return due & (c.lease_until.is_(None) | (c.lease_until <= now))

    def bring_forward(
        self,
        db: sa.Connection,
        is_open: sa.ColumnElement[bool],
        now: Moment,
        *,
        retry_seconds: float,
        lease_seconds: float,
    ) -> bool:
        """Make open rows due that a wrong clock put too far ahead; return whether there was any.

        Call it each minute. It acts on the open rows of all tenants. A retry is at most `retry_seconds` ahead, and a
        lease `lease_seconds`.
        """
        table, c, far = self._table, self._table.c, timedelta(seconds=Leases.AHEAD_SECONDS)
        late = c.first_attempt_at.is_(None) | (c.due_at > Moment.of(now + timedelta(seconds=retry_seconds) + far))
        ahead = sa.update(table).where(is_open, c.due_at > Moment.of(now + far), late).values(due_at=now)
        held = c.lease_until.is_not(None) & (c.lease_until > Moment.of(now + timedelta(seconds=lease_seconds) + far))
        ended = sa.update(table).where(is_open, held).values(lease_until=now)
        counts = [db.execute(each, execution_options=_ACROSS).rowcount for each in (ahead, ended)]
        return any(counts)


_ACROSS = {"billycan_across": "what a wrong clock put off is anybody's"}
