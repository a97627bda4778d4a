"""Handlers of changes, one function for each route: steps of the stream, and their records as they are now.

What a record was at a step is not looked at: each is read anew, by its own list, so that what changed a hundred times
is sent once, as it is.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import sqlalchemy as sa

from billycan import BadRequest, Context, Page, Row
from billycan.sql import ByIds, events
from billycan.web import encode

from .followed import Followed, asked_resources, check_includes
from .places import Place, check_place, newest_place, steps_after
from .schemas import ChangedRecord, Changes, ChangesQuery

MOST_LOOKED_AT = 500  # steps of each kind, those of other resources among them
MOST_BYTES = Page.MOST_BYTES


def get_changes(ctx: Context, query: ChangesQuery) -> Changes:
    """The latest state of each record that changed since a cursor, in one order for several resources.

    Without `after`, there are no changes, only the `cursor` of this moment. Keep it, fetch the lists of the records,
    and then ask for the changes after it, again and again, with the `cursor` of each answer: put `record` in the place
    of your copy, and remove your copy if `deleted` is true. A record that changed again is sent again, so it does not
    matter if your copy is newer. Refused with `resync` if changes that followed `after` are no longer kept: by default
    that is after 90 days. The key needs the read scope of each resource; otherwise `insufficient_scope`.
    """
    asked = asked_resources(ctx, query.resources)
    check_includes(ctx, asked.values(), query.include or ())
    with ctx.one_moment():
        if query.after is None:
            return Changes([], newest_place(ctx).cursor, has_more=False)
        names = frozenset[str]().union(*(each.events for each in asked.values()))
        last = check_place(ctx, query.after, names)
        steps, more = steps_after(ctx, last, MOST_LOOKED_AT)
        found, size = list[tuple[Place, Row]](), 0
        for _, record, row in steps:
            if record.partition("_")[0] in asked if record else row.event in names:
                size += 0 if record else row.size
                if len(found) == query.per_page or (found and size > MOST_BYTES):
                    more = True
                    break
                found.append((last.at(row, record), row))
            last = last.at(row, record)
        places = _places_of_records(ctx, found, asked)
        records = dict[str, Any]()
        for prefix, each in asked.items():
            records |= _read_records(ctx, each, [id for id in places if id.partition("_")[0] == prefix], query.include)
    return _show_changes(ctx, asked, places, records, last, more)


def _show_changes(
    ctx: Context,
    asked: Mapping[str, Followed],
    places: Mapping[str, Place],
    records: Mapping[str, Any],
    last: Place,
    more: bool,
) -> Changes:
    """Return the records in the order of their places, as many of them as an answer may have."""
    changes, size = list[ChangedRecord](), 0
    for id, place in ctx.in_turns(sorted(places.items(), key=lambda item: item[1])):
        encoded = encode(records[id]) if id in records else None
        size += len(encoded or b"")
        if changes and size > MOST_BYTES:
            return Changes(changes, changes[-1].cursor, has_more=True)
        raw: Any = msgspec.Raw(encoded) if encoded else None
        changes.append(ChangedRecord(asked[id.partition("_")[0]].name, id, raw is None, raw, place.cursor))
    return Changes(changes, last.cursor, more)


def _read_records(
    ctx: Context, resource: Followed, ids: Sequence[str], includes: Sequence[str] | None
) -> Mapping[str, Any]:
    """Return the records with these ids; in parts, if they would be too large a page."""
    try:
        return ctx.app.read_records(ctx, resource.path, ids, includes=includes)
    except BadRequest as refusal:
        if refusal.code != "page_too_large" or len(ids) < 2:
            raise
    half = len(ids) // 2
    return {**_read_records(ctx, resource, ids[:half], includes), **_read_records(ctx, resource, ids[half:], includes)}


def _places_of_records(
    ctx: Context, found: Sequence[tuple[Place, Row]], asked: Mapping[str, Followed]
) -> dict[str, Place]:
    """Map the id of each record to the place of its last change."""
    told = [place.event for place, _ in found if not place.record]
    rows = _ABOUT[ctx.db.dialect.name].all(ctx.db, ctx.tenant_id, told)
    about = {row.id: row.about for row in rows}
    places = {place.record or str(about[place.event]): place for place, _ in found}
    return {id: place for id, place in places.items() if id.partition("_")[0] in asked}


_e = events.c
_ABOUT = {
    "sqlite": ByIds(sa.select(_e.id, sa.func.json_extract(_e.data, "$.id").label("about")), _e.id),
    "postgresql": ByIds(sa.select(_e.id, sa.cast(_e.data, sa.JSON)["id"].as_string().label("about")), _e.id),
}
