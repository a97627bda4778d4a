"""The handler of changes: places in the log of events, and the records that they are about as they are now.

The log has each business's events in the order of their commits, so that nothing appears before a place already given
out. What a record was at an event is not looked at: each is read anew, by its own list, so that what changed a hundred
times is sent once, as it is.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
import sqlalchemy as sa

from billycan import BadRequest, Context, Page, Problem, Row
from billycan.sql import ByIds, Statement, bytes_of, events
from billycan.web import encode

from .followed import Followed, asked_resources
from .schemas import ChangedRecord, Changes, ChangesQuery

MOST_LOOKED_AT = 500  # events of other resources among them
MOST_BYTES = Page.MOST_BYTES // 2  # of the records as they were at these events
_CURSOR = re.compile(r"(\d{1,18})\.(evt_[0-9a-z]{1,40})?")


class Resync(Problem):
    """410: the log no longer has all changes since the cursor."""

    status, type, code = 410, "invalid_request", "resync"
    message = (
        "Not all changes after this cursor are kept, or it belongs to another state of the database: take a new cursor"
        " by leaving `after` out, then fetch the lists of the records anew."
    )


class Place(NamedTuple):
    """A place in the log: the position of an event and its id."""

    sequence: int
    id: str

    @property
    def cursor(self) -> str:
        return f"{self.sequence}.{self.id}"


def get_changes(ctx: Context, query: ChangesQuery) -> Changes:
    """The latest state of each record that changed since a cursor, in one order for several resources.

    Without `after`, there are no changes, only the `cursor` of this moment. Keep it, fetch the lists of the records,
    and then ask for the changes after it, again and again, with the `cursor` of each answer: put `record` in the place
    of your copy, and remove your copy if `deleted` is true. A record that changed again is sent again, so it does not
    matter if your copy is newer. Refused with `resync` if changes that followed `after` are no longer kept: by default
    that is after 90 days. The key needs the read scope of each resource; otherwise `insufficient_scope`.
    """
    asked = asked_resources(ctx, query.resources)
    with ctx.one_moment():
        if query.after is None:
            return Changes([], _newest(ctx).cursor, has_more=False)
        names = frozenset[str]().union(*(each.events for each in asked.values()))
        after = _check(ctx, query.after, names)
        rows = _AFTER.all(ctx.db, {"tenant_id": ctx.tenant_id, "sequence": after.sequence, "most": MOST_LOOKED_AT + 1})
        last, found = after, list[Row]()
        looked_at, size = 0, 0
        for row in rows[:MOST_LOOKED_AT]:
            if row.event in names:
                size += row.size
                if len(found) == query.per_page or (found and size > MOST_BYTES):
                    break
                found.append(row)
            looked_at, last = looked_at + 1, Place(row.sequence, row.id)
        changes = [*_changes(ctx, asked, found)]
    return Changes(changes, last.cursor, has_more=looked_at < len(rows))


def _changes(ctx: Context, asked: Mapping[str, Followed], found: Sequence[Row]) -> Iterator[ChangedRecord]:
    """Yield the records that events are about, as they are now, each at the place of its last event."""
    about = _records_of(ctx, found)
    places = {id: Place(row.sequence, row.id) for row in found if (id := about[row.id])}
    records = dict[str, Any]()
    for prefix, each in asked.items():
        records |= _read(ctx, each, [id for id in places if id.partition("_")[0] == prefix])
    in_order = sorted(places.items(), key=lambda item: item[1])
    for id, place in ctx.in_turns(in_order):
        resource = asked.get(id.partition("_")[0])
        if resource is None:
            continue
        raw: Any = msgspec.Raw(encode(records[id])) if id in records else None
        yield ChangedRecord(resource.name, id, raw is None, raw, place.cursor)


def _read(ctx: Context, resource: Followed, ids: Sequence[str]) -> Mapping[str, Any]:
    """Return the records with these ids; in parts, if they would be too large a page."""
    try:
        return ctx.app.read_records(ctx, resource.path, ids)
    except BadRequest as refusal:
        if refusal.code != "page_too_large" or len(ids) < 2:
            raise
    half = len(ids) // 2
    return {**_read(ctx, resource, ids[:half]), **_read(ctx, resource, ids[half:])}


def _records_of(ctx: Context, found: Sequence[Row]) -> Mapping[str, str | None]:
    """Map the id of each event to the id of the record that it is about."""
    rows = _ABOUT[ctx.db.dialect.name].all(ctx.db, ctx.tenant_id, [row.id for row in found])
    return {row.id: row.about for row in rows}


def _newest(ctx: Context) -> Place:
    row = _NEWEST.first(ctx.db, {"tenant_id": ctx.tenant_id})
    return Place(row.sequence, row.id) if row else Place(ctx.app.forgotten_until(ctx), "")


def _check(ctx: Context, cursor: str, names: frozenset[str]) -> Place:
    """Return the place of a cursor; raise Resync if the log was not kept from there on, or is another one."""
    read = _CURSOR.fullmatch(cursor)
    if read is None:
        raise BadRequest("after: is no cursor of changes.", code="invalid_cursor", param="after")
    place = Place(int(read[1]), read[2] or "")
    if ctx.app.forgotten_until(ctx, sorted(names)) > place.sequence:
        raise Resync(param="after")
    row = _AT.first(ctx.db, {"tenant_id": ctx.tenant_id, "sequence": place.sequence})
    # An event may be gone by its age; one that never was, or is another one, is of a database that was put back.
    if row.id != place.id if row else place.sequence > ctx.app.forgotten_until(ctx):
        raise Resync(param="after")
    return place


_e = events.c
_own = _e.tenant_id == sa.bindparam("tenant_id")
_AFTER = Statement(
    sa.select(_e.sequence, _e.id, _e.event, bytes_of(_e.data).label("size"))
    .where(_own, _e.sequence > sa.bindparam("sequence", type_=sa.BigInteger))
    .order_by(_e.sequence)
    .limit(sa.bindparam("most", type_=sa.Integer))
)
_AT = Statement(sa.select(_e.id).where(_own, _e.sequence == sa.bindparam("sequence", type_=sa.BigInteger)))
_NEWEST = Statement(sa.select(_e.sequence, _e.id).where(_own).order_by(_e.sequence.desc()).limit(1))
_ABOUT = {
    "sqlite": ByIds(sa.select(_e.id, sa.func.json_extract(_e.data, "$.id").label("about")), _e.id),
    "postgresql": ByIds(sa.select(_e.id, sa.cast(_e.data, sa.JSON)["id"].as_string().label("about")), _e.id),
}
