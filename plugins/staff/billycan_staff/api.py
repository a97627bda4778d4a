"""Staff's functions for other plugins: people, their working hours and their time off."""

from collections.abc import Iterable
from datetime import datetime

import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, Records, own

from .resource import WEEKDAYS, minutes_of, staff

_table = staff.table


class Shift(Struct, frozen=True):
    """A weekly stretch of work: the day (0 is Monday), and minutes of local time since its midnight."""

    weekday: int
    start: int
    end: int


class Person(Struct, frozen=True, kw_only=True):
    """A member of staff with their working hours: weekly shifts in their time zone, and their time off."""

    id: str
    name: str
    active: bool
    timezone: str
    shifts: tuple[Shift, ...]
    time_off: tuple[tuple[datetime, datetime], ...]


# Map each id to the name, in one query; `lock=True` keeps the staff from being deleted until the transaction ends.
names = Records.names_of(_table.c.name)


def signing_in_as(ctx: Context, user_id: str) -> sa.Select[tuple[str]]:
    """Select the members of staff that a person signs in as."""
    return sa.select(_table.c.id).where(own(ctx, _table), _table.c.user_id == user_id)


def ids_of(ctx: Context, user_id: str) -> list[str]:
    """List the ids of the members of staff that a person signs in as, looked up once in a call."""
    known: dict[str, list[str]] = ctx.memo.setdefault("staff", {})
    if user_id not in known:
        known[user_id] = [*ctx.db.execute(signing_in_as(ctx, user_id)).scalars()]
    return known[user_id]


def people(ctx: Context, ids: Iterable[str] | None = None, *, lock: bool = False) -> dict[str, Person]:
    """Map ids (all of the tenant's if None) to the people, including inactive ones, in one query and in order of id.

    `lock` keeps each of them from being changed, deleted or locked by others until the transaction ends.
    """
    found = sa.select(_table).where(own(ctx, _table)).order_by(_table.c.id)
    if ids is not None:
        found = found.where(_table.c.id.in_(list(ids)))
    if lock:
        # The weaker lock lets others insert rows that refer to this one.
        found = found.with_for_update(key_share=True)
    return {row.id: _person_of(row) for row in ctx.db.execute(found)}


def _person_of(row: sa.Row[tuple[object, ...]]) -> Person:
    return Person(
        id=row.id,
        name=row.name,
        active=row.active,
        timezone=row.timezone,
        shifts=tuple(Shift(WEEKDAYS.index(h["day"]), minutes_of(h["start"]), minutes_of(h["end"])) for h in row.hours),
        time_off=tuple((_moment(t["start_at"]), _moment(t["end_at"])) for t in row.time_off),
    )


_moment = datetime.fromisoformat  # for stored UTC times: reading them as a client's takes ten times as long
