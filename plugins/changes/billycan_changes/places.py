"""Places in the stream of changes: the log of events and, between them, records that changed without one."""

import re
from collections.abc import Collection
from typing import NamedTuple, Self

import sqlalchemy as sa

from billycan import BadRequest, Context, Problem, Row
from billycan.sql import Statement, counters, events

from .tables import untold

_CURSOR = re.compile(r"(\d{1,18})\.(\d{1,18})\.(evt_[0-9a-z]{1,40})?(?:\.([a-z]{2,10}_[0-9a-z]{1,40}))?")


class Resync(Problem):
    """410: not all changes since the cursor are known any more."""

    status, type, code = 410, "invalid_request", "resync"
    message = (
        "Not all changes after this cursor are kept, or it belongs to another state of the database: take a new cursor"
        " by leaving `after` out, then fetch the lists of the records anew."
    )


class Place(NamedTuple):
    """A place in the stream: a number, and after the event with that number the id of a record; behind which event.

    The event tells whether the log is still the one that the place was given out for.
    """

    sequence: int
    record: str
    event_sequence: int
    event: str

    @property
    def cursor(self) -> str:
        cursor = f"{self.sequence}.{self.event_sequence}.{self.event}"
        return f"{cursor}.{self.record}" if self.record else cursor

    def at(self, row: Row, record: str) -> Self:
        """Return the place of a further row: of the event itself, or of a record."""
        if record:
            return self._replace(sequence=row.sequence, record=record)
        return self._replace(sequence=row.sequence, record="", event_sequence=row.sequence, event=row.id)


Step = tuple[int, str, Row]
"""A number, the id of a record that changed without an event or "", and the row."""


def steps_after(ctx: Context, after: Place, most: int) -> tuple[list[Step], bool]:
    """Return at most so many steps of each kind behind a place, in order, and whether there are more."""
    given = {"tenant_id": ctx.tenant_id, "sequence": after.sequence, "most": most + 1}
    logged = _EVENTS.all(ctx.db, given)
    noted = _UNTOLD.all(ctx.db, {**given, "record": after.record})
    kinds: list[list[Step]] = [[(r.sequence, "", r) for r in logged], [(r.sequence, r.id, r) for r in noted]]
    # Behind the last one of a kind that is known, others of that kind may come first.
    ends = [steps[most - 1][:2] for steps in kinds if len(steps) > most]
    found = sorted((step for steps in kinds for step in steps), key=_order_of_step)
    return [step for step in found if not ends or _order_of_step(step) <= min(ends)], bool(ends)


def _order_of_step(step: Step) -> tuple[int, str]:
    return step[:2]


def newest_place(ctx: Context) -> Place:
    """Return the place of this moment."""
    given = {"tenant_id": ctx.tenant_id}
    event, noted = _LAST_EVENT.first(ctx.db, given), _LAST_UNTOLD.first(ctx.db, given)
    place = Place(0, "", 0, "")
    if event:
        place = place.at(event, "")
    if noted and noted.sequence >= place.sequence:
        place = place.at(noted, noted.id)
    return place


def check_place(ctx: Context, cursor: str, names: Collection[str]) -> Place:
    """Return the place of a cursor; raise Resync if events of these names behind it are gone, or the log is another."""
    read = _CURSOR.fullmatch(cursor)
    if read is None:
        raise BadRequest("after: is no cursor of changes.", code="invalid_cursor", param="after")
    place = Place(int(read[1]), read[4] or "", int(read[2]), read[3] or "")
    forgotten = ctx.app.forgotten_events(ctx)
    if any(until > place.sequence for name, until in forgotten.items() if name in names):
        raise Resync(param="after")
    row = _AT.one(ctx.db, {"tenant_id": ctx.tenant_id, "sequence": place.event_sequence})
    # An event may be gone by its age; one that never was, or is another one, is of a database that was put back.
    is_gone = row.id is None and place.event_sequence <= max(forgotten.values(), default=0)
    if not (is_gone or (row.id or "") == place.event) or place.sequence > (row.number or 0):
        raise Resync(param="after")
    return place


_e, _u = events.c, untold.c
_tenant: sa.BindParameter[str] = sa.bindparam("tenant_id", type_=sa.Text)
_sequence: sa.BindParameter[int] = sa.bindparam("sequence", type_=sa.BigInteger)
_record: sa.BindParameter[str] = sa.bindparam("record", type_=_u.id.type)
_most: sa.BindParameter[int] = sa.bindparam("most", type_=sa.Integer)
_EVENTS = Statement(
    sa.select(_e.sequence, _e.id, _e.event, sa.func.octet_length(_e.data).label("size"))
    .where(_e.tenant_id == _tenant, _e.sequence > _sequence)
    .order_by(_e.sequence)
    .limit(_most)
)
_UNTOLD = Statement(
    sa.select(_u.sequence, _u.id)
    .where(_u.tenant_id == _tenant, sa.tuple_(_u.sequence, _u.id) > sa.tuple_(_sequence, _record))
    .order_by(_u.sequence, _u.id)
    .limit(_most)
)
_LAST_EVENT = Statement(
    sa.select(_e.sequence, _e.id).where(_e.tenant_id == _tenant).order_by(_e.sequence.desc()).limit(1)
)
_LAST_UNTOLD = Statement(
    sa.select(_u.sequence, _u.id).where(_u.tenant_id == _tenant).order_by(_u.sequence.desc(), _u.id.desc()).limit(1)
)
_number = sa.select(counters.c.number).where(counters.c.tenant_id == _tenant, counters.c.name == events.name)
_AT = Statement(
    sa.select(
        sa.select(_e.id).where(_e.tenant_id == _tenant, _e.sequence == _sequence).scalar_subquery().label("id"),
        _number.scalar_subquery().label("number"),
    )
)
