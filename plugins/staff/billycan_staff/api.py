"""What other plugins may use of staff."""

from collections.abc import Iterable
from datetime import datetime

import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, names_of, own

from .schemas import WEEKDAYS, minutes_of
from .tables import staff


class Shift(Struct, frozen=True):
    """A stretch of work that comes every week: the day (0 is Monday) and minutes of local time since its midnight."""

    weekday: int
    start: int
    end: int


class Person(Struct, frozen=True, kw_only=True):
    """A member of staff, and when they work: weekly shifts in their time zone, less their time off."""

    id: str
    name: str
    active: bool
    timezone: str
    shifts: tuple[Shift, ...]
    time_off: tuple[tuple[datetime, datetime], ...]


# Maps each id to the name, in one query; `lock=True` keeps them from being deleted until the transaction ends.
names = names_of(staff.c.name)


def people(ctx: Context, ids: Iterable[str] | None = None, *, lock: bool = False) -> dict[str, Person]:
    """Map ids (all of the tenant's where None) to the people, inactive ones too, in one query and in order of id.

    `lock` keeps each of them from being changed, deleted or locked by others until the transaction ends.
    """
    found = sa.select(staff).where(own(ctx, staff)).order_by(staff.c.id)
    if ids is not None:
        found = found.where(staff.c.id.in_(list(ids)))
    if lock:
        # The weaker lock does not stop others from inserting rows that refer to this one.
        found = found.with_for_update(key_share=True)
    return {row.id: _person(row) for row in ctx.db.execute(found)}


def _person(row: sa.Row[tuple[object, ...]]) -> Person:
    return Person(
        id=row.id,
        name=row.name,
        active=row.active,
        timezone=row.timezone,
        shifts=tuple(Shift(WEEKDAYS.index(h["day"]), minutes_of(h["start"]), minutes_of(h["end"])) for h in row.hours),
        time_off=tuple((_moment(t["start_at"]), _moment(t["end_at"])) for t in row.time_off),
    )


_moment = datetime.fromisoformat  # of what is stored in UTC: to read it as a client's takes ten times as long
