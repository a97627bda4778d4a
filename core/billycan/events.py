"""The outbox: the log of each tenant's events in commit order, and the unit of work that writes it.

Deliveries are made from it. `retention` decides how much of it is kept, and for how long.
"""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec
import sqlalchemy as sa

from . import counters
from .context import Context, Event
from .db import ByCodePoint, Json, UTCDateTime, metadata, new_table, own
from .engines.forms import Row
from .engines.statements import Asked, Statement, at_once
from .fields import DayOrInstant, Moment, is_id
from .lists.paging import check_size
from .problems import BadRequest, Problem
from .records import Records
from .resources import Named, Page, Paging

if TYPE_CHECKING:
    from .context import Context


events = new_table(
    counters.EVENTS,
    sa.Column("sequence", sa.BigInteger, nullable=False),
    sa.Column("event", sa.Text, nullable=False),
    sa.Column("created_at", UTCDateTime, nullable=False),
    sa.Column("data", sa.Text, nullable=False),
    sa.Column("actor", ByCodePoint),
    sa.Column("behalf", Json),  # the app, the proposal and who approved it, and the trace, if there are any
    sa.UniqueConstraint("tenant_id", "sequence"),
    sa.Index(None, "tenant_id", "event", "sequence"),
)
"""Core's table of the log of events, for reading; `Event` has the functions for it."""

# The position up to which events of each name were removed from the log: whoever polls from before it is refused.
forgotten = sa.Table(
    "core_events_forgotten",
    metadata,
    sa.Column("tenant_id", ByCodePoint, sa.ForeignKey("core_tenants.id"), primary_key=True),
    sa.Column("event", ByCodePoint, primary_key=True),
    sa.Column("sequence", sa.BigInteger, nullable=False),
)
BYTES = f"{counters.EVENTS}.bytes"  # the counter of the size of a tenant's log

_FORGOTTEN = Statement(
    sa.select(forgotten.c.event, forgotten.c.sequence).where(forgotten.c.tenant_id == sa.bindparam("tenant_id"))
)
_INSERT = Statement.Insertion(events, events.c.keys())
_INSERT_NUMBERED = Statement(sa.insert(events))
_KEPT = ("id", "event", "created_at", "data", "actor", "behalf")
_NUMBER = counters.advanced_both()
# Number and event in one statement, which every write that emits one event sends last.
_INSERT_ONE = Statement(
    sa.insert(events)
    .from_select(
        ["tenant_id", "sequence", *_KEPT],
        sa.select(
            sa.bindparam("tenant_id", type_=sa.Text),
            _NUMBER.c.number,
            *(sa.bindparam(name, type_=events.c[name].type) for name in _KEPT),
        ).where(_NUMBER.c.name == sa.bindparam("log", counters.EVENTS)),
    )
    .returning(events.c.sequence)  # in a cluster behind policies, as `Insertion` says
)


class Actor(msgspec.Struct, kw_only=True):
    """The key, person or connection of an app that did something, and on whose behalf.

    key_id: The key that did it.
    user_id: The person who did it.
    connection_id: The connection that did it.
    app_id: The app that is connected by it.
    proposal_id: The proposal that was carried out, if a person had to approve it.
    approved_by: The person who approved it.
    """

    key_id: str | None = None
    user_id: str | None = None
    connection_id: str | None = None
    app_id: str | None = None
    proposal_id: str | None = None
    approved_by: Named | None = None


# Known from the import on: msgspec crashes where two threads are the first to need it at once.
msgspec.json.Decoder(Actor)
_IDS = {"key": "key_id", "cnx": "connection_id"}


class LoggedEvent(msgspec.Struct, kw_only=True):
    """Something that happened to a record.

    id: Its id; the `webhook-id` of its deliveries.
    event: What happened, such as `invoice.paid`.
    created_at: When it happened; the `timestamp` of its deliveries.
    actor: Who did it; null for timed work, and for what a client did on a hosted page.
    data: The record as GET returned it then; after a deletion only its `id`. Null for a key that may not read it.
    """

    id: str
    event: str
    created_at: Moment
    actor: Actor | None
    data: dict[str, Any] | None


class EventQuery(Paging, kw_only=True):
    """`after` continues behind an event, oldest first, in commit order; an id given out stays valid.

    event: Events with any of these names; `invoice.*` means all of a kind, and `*` every event.
    after: Events after this one, oldest first, in commit order; use the last id of a page as the next `after`.
    """

    event: list[str] | None = None
    after: str | None = None
    created_at_from: DayOrInstant | None = None
    created_at_to: DayOrInstant | None = None


def log_statements(ctx: Context) -> list[Asked]:
    """Return the statements for `at_once` that append the call's events to the log, numbered by the tenant's counter
    row.

    They are sent last, with the commit: the row's lock makes a tenant's events appear in the order of their numbers, so
    that a poller never passes one that a slow transaction commits later.
    """
    if not ctx.events:
        # Totals of lists are remembered until the next number.
        return [counters.skip_number(ctx, counters.EVENTS)] if ctx.changed else []
    size = sum(len(bytes(event.data)) for event in ctx.events)
    if len(ctx.events) == 1 and ctx.db.dialect.name == "postgresql":
        (event,) = ctx.events
        counted = {"name_1": counters.EVENTS, "by_1": 1, "name_2": BYTES, "by_2": size}
        return [(_INSERT_ONE, {"tenant_id": ctx.tenant_id, **counted, **_row_of_event(ctx, event)})]
    last = counters.advance_both(ctx, counters.EVENTS, len(ctx.events), BYTES, size)
    if len(ctx.events) == 1:
        return [(_INSERT_NUMBERED, {"tenant_id": ctx.tenant_id, "sequence": last, **_row_of_event(ctx, ctx.events[0])})]
    first = last - len(ctx.events) + 1
    return [
        _INSERT.asked(
            ctx.tenant_id, [{"sequence": first + i, **_row_of_event(ctx, event)} for i, event in enumerate(ctx.events)]
        )
    ]


def _row_of_event(ctx: Context, event: Event) -> dict[str, Any]:
    return {
        "id": event.id,
        "event": event.name,
        "created_at": event.created_at,
        "data": bytes(event.data).decode(),
        **actor_of(ctx),
    }


def actor_of(ctx: Context) -> dict[str, Any]:
    """Return the columns that say who does what a context does, and what leads back to it."""
    identity, behalf = ctx.identity, {**ctx.approval}
    for _, tracer in ctx.app.offered(Context.Tracer):
        if carried := tracer.carry():
            behalf["trace"] = carried
    if identity and identity.app_id:
        behalf["app_id"] = identity.app_id
    return {"actor": identity.id if identity else None, "behalf": behalf or None}


def list_events(ctx: Context, query: EventQuery) -> Page[LoggedEvent]:
    """Events, newest first; with `after`, those after that event, oldest first, in commit order.

    To poll, use the last id that you received as `after`: you will miss nothing and see nothing twice. Keep the id if a
    page is empty. By default, events are kept for 90 days, and up to 2 GiB of them. If events after `after` that
    match the filters are no longer kept, the error is `event_expired`.
    """
    if query.after is not None and query.sort not in (None, "created_at"):
        raise BadRequest("sort: events `after` another are always oldest first.", code="invalid_sort", param="sort")
    ascending = query.after is not None or query.sort == "created_at"
    beyond = [] if query.after is None else [events.c.sequence > _find_place(ctx, query.after, query.event)]
    order = [events.c.sequence if ascending else events.c.sequence.desc()]
    page = records.rows(ctx, query, *beyond, order=order, columns=_LISTED)
    shown = [row for row in page.items if ctx.may_read(row.event)]
    # Each may have some MiB: they are fetched only if they fit.
    check_size(sum(map(_size_of_row, shown)), shown, _size_of_row)
    asked = sa.select(events.c.id, events.c.data).where(own(ctx, events), events.c.id.in_([row.id for row in shown]))
    data = {row.id: row.data for row in ctx.db.execute(asked)} if shown else {}
    gone = {row.id for row in shown} - data.keys()  # forgotten a moment ago
    if page.items and not ctx.writes:  # a write waits at its end
        ctx.app.db.wait_for_disk()  # or a power cut could undo what somebody goes on from
    return page.of([_show_event(row, data.get(row.id)) for row in page.items if row.id not in gone])


def get_event(ctx: Context, id: str) -> LoggedEvent:
    """One event.

    `data` is the record as it was when the event happened.
    """
    row = records.find(ctx, id)
    return _show_event(row, row.data if ctx.may_read(row.event) else None)


def _find_place(ctx: Context, event_id: str, names: Sequence[str] | None) -> int:
    """Return the position of an event in the log; raise BadRequest if events that followed it are no longer kept.

    Only events with the requested names count: forgotten events of other names are no loss.
    """
    asked = [Event.has_name(ctx, forgotten.c.event, names)] if names else []
    gone = sa.select(sa.func.max(forgotten.c.sequence)).where(own(ctx, forgotten), *asked).scalar_subquery()
    place = sa.select(events.c.sequence).where(own(ctx, events), events.c.id == event_id).scalar_subquery()
    found, last_gone = ctx.db.execute(sa.select(place, gone)).one()
    if found is None and (last_gone is None or not is_id(event_id, "evt")):
        raise BadRequest("after: there is no such event.", param="after")
    if found is None or (last_gone is not None and last_gone > found):
        raise BadRequest(
            "after: not all events that came after this one are still kept. Fetch the records that you follow anew,"
            " then continue with the newest event.",
            code="event_expired",
            param="after",
        )
    return int(found)


def forgotten_events(ctx: Context) -> dict[str, int]:
    """Map names of events to the position up to which they are no longer kept."""
    return {row.event: row.sequence for row in _FORGOTTEN.all(ctx.db, {"tenant_id": ctx.tenant_id})}


def _size_of_row(row: Row) -> int:
    return int(row.size) + 200  # for the envelope around it


def _show_event(row: Row, data: str | None) -> LoggedEvent:
    raw: Any = None if data is None else msgspec.Raw(data.encode())
    actor = None
    if row.actor is not None:
        by = {_IDS.get(row.actor.partition("_")[0], "user_id"): row.actor}
        actor = msgspec.convert({**by, **(row.behalf or {})}, Actor)
    return LoggedEvent(id=row.id, event=row.event, created_at=row.created_at, actor=actor, data=raw)


def _has_name(ctx: Context, names: Sequence[str]) -> sa.ColumnElement[bool]:
    return Event.has_name(ctx, events.c.event, names)


_LISTED = (
    events.c.id,
    events.c.sequence,
    events.c.event,
    events.c.created_at,
    events.c.actor,
    events.c.behalf,
    sa.func.octet_length(events.c.data).label("size"),
)
# What `after` asks depends on the other filters.
_FILTERS = {"after": lambda ctx, id: sa.true(), "event": _has_name}
records = Records(events, LoggedEvent, prefix="evt", filters=_FILTERS)


log = logging.getLogger("billycan")


@contextmanager
def unit_of_work(ctx: "Context") -> Iterator[None]:
    """See `Context.transaction`."""
    try:
        with ctx.app.db.writing(ctx.tenant_id) as ctx.db:
            yield
            write_events(ctx, commits=True)
            if ctx.share:
                ctx.share.let_others_compute()
    except Problem as problem:
        if problem.find_more:
            ctx.memo = {}
            with ctx.app.db.reading(ctx.tenant_id) as ctx.db:
                problem.more |= problem.find_more(ctx)
        if problem.settle:
            problem.more |= problem.settle()
        raise
    if ctx.outdates:
        ctx.app.epoch.bump()
    call_after_commit(ctx)


def write_events(ctx: "Context", *, commits: bool = False) -> None:
    """Notify the hearers, then append all events to the log as the last statements."""
    notify_hearers(ctx)
    if last := [*ctx.last_statements, *log_statements(ctx), *_build_notes(ctx)]:
        at_once(ctx.db, *last, commits=commits)


def _build_notes(ctx: "Context") -> Iterator[Asked]:
    """Yield the statements of the plugins that note records changed without an event."""
    ids = [id for id in ctx.touched if id not in ctx.emitted_ids]
    for _, follower in ctx.app.offered(Records.Follower) if ids else ():
        yield from follower.note(ctx, ids)


def notify_hearers(ctx: "Context", *, of_many: bool = False) -> None:
    """Pass each event to its hearers, which may emit more; if `of_many`, not to those that get all events at once.

    The functions that `hears` declares come first, then the hook, by which webhooks hear of every event.
    """
    on_event = ctx.app.on_event_of_many if of_many else ctx.app.hook.on_event
    for event in islice(ctx.events, ctx.heard_count, None):
        for hear, read, member in ctx.app.hearers.get(event.name, ()):
            data = read(event.data)
            if member is None or getattr(data, member) is not None:
                hear(ctx, data)
        on_event(ctx=ctx, event=event)


def call_after_commit(ctx: "Context") -> None:
    """Call every plugin's `after_commit`, even if there are no events; a failure in one does not stop the others."""
    offered: dict[str, Any] = {"ctx": ctx, "events": ctx.events}
    for implementation in ctx.app.after_commit:
        try:
            implementation.function(*(offered[name] for name in implementation.argnames))
        except Exception:
            log.exception("after_commit of %s failed", implementation.plugin_name)
