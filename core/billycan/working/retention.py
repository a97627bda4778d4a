"""Limits on the age and the size of the event log: the oldest events are deleted first, a batch at a time.

The newest event of each name always stays. So the id after which a client asks for further events of that name stays
valid, however rare they are.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from msgspec import Struct

from .. import counters
from ..context import Context, Event
from ..db import own, upsert
from ..events import BYTES, events, forgotten
from ..fields import Moment

if TYPE_CHECKING:
    from ..app import App

MOST_AT_ONCE = 2_000
MOST_BYTES_AT_ONCE = 128 * 1024 * 1024
_MIB = 1024 * 1024


def too_old(app: "App", now: Moment) -> sa.Select[Any]:
    """The tenants with events that are older than `events_days` and not the newest of their name.

    Each tenant is looked up by its own index, which costs one row where no event is old. Its counter stands for it: it
    lies on the node that has its events.
    """
    before, later, c = now - timedelta(days=app.settings.events_days), events.alias("later"), counters.counters.c
    of = c.tenant_id
    kept = sa.select(_e.sequence).where(_e.tenant_id == of, _e.created_at >= before).order_by(_e.sequence).limit(1)
    first_kept = sa.func.coalesce(kept.correlate(counters.counters).scalar_subquery(), _BEYOND)
    newest = sa.select(sa.func.max(later.c.sequence)).where(
        later.c.tenant_id == _e.tenant_id, later.c.event == _e.event
    )
    old = sa.select(_e.sequence).where(
        _e.tenant_id == of, _e.sequence < first_kept, _e.sequence < newest.correlate(events).scalar_subquery()
    )
    # A value, not EXISTS: PostgreSQL would join it, and look at every event.
    first_old = old.limit(1).correlate(counters.counters).scalar_subquery()
    return sa.select(of.label("tenant_id"), of.label("id")).where(c.name == events.name, first_old.is_not(None))


def forget_old_events(ctx: Context, tenant_id: str) -> bool:
    """Forget the tenant's events that are older than `events_days`, a batch at a time; whether there may be more."""
    before = ctx.now() - timedelta(days=ctx.app.settings.events_days)
    # Events that stayed and those that are about to go come first: no index is needed to find where the others begin.
    kept = sa.select(_e.sequence).where(own(ctx, events), _e.created_at >= before).order_by(_e.sequence).limit(1)
    first_kept = ctx.db.execute(kept).scalar()
    return _forget_batch(ctx, MOST_BYTES_AT_ONCE, before=first_kept)


def too_large(app: "App", now: Moment) -> sa.Select[Any]:
    """The tenants whose log is larger than `events_mib`."""
    c = counters.counters.c
    most = app.settings.events_mib * _MIB
    return sa.select(c.tenant_id, c.tenant_id.label("id")).where(c.name == BYTES, c.live > most).order_by(c.live.desc())


def forget_excess_events(ctx: Context, tenant_id: str) -> None:
    """Forget as many of the tenant's oldest events as there are too many."""
    c = counters.counters.c
    size = ctx.db.execute(sa.select(c.live).where(own(ctx, counters.counters), c.name == BYTES)).scalar() or 0
    excess = size - ctx.app.settings.events_mib * _MIB
    if excess > 0:
        _forget_batch(ctx, min(excess, MOST_BYTES_AT_ONCE))


class Log(Struct):
    """The number and the size of the events of all businesses, and the business with the largest log."""

    count: int
    bytes: int
    oldest: Moment | None
    largest: str | None
    most_bytes: int


def kept(db: sa.Connection) -> Log:
    """Count and measure the event logs of all businesses."""
    c = counters.counters.c
    count = db.execute(sa.select(sa.func.coalesce(sa.func.sum(c.live), 0)).where(c.name == events.name)).scalar_one()
    sizes = sa.select(c.tenant_id, c.live).where(c.name == BYTES, c.live > 0)
    of = db.execute(sizes.order_by(c.live.desc())).all()
    # The first of each log: to look for the oldest of all events would read every one of them.
    first = sa.select(_e.tenant_id, sa.func.min(_e.sequence).label("sequence")).group_by(_e.tenant_id).subquery()
    those = (_e.tenant_id == first.c.tenant_id) & (_e.sequence == first.c.sequence)
    oldest = db.execute(sa.select(sa.func.min(_e.created_at)).join_from(events, first, those)).scalar()
    largest = of[0] if of else None
    return Log(
        count=int(count),
        bytes=sum(row.live for row in of),
        oldest=oldest,
        largest=largest.tenant_id if largest else None,
        most_bytes=largest.live if largest else 0,
    )


def _forget_batch(ctx: Context, most_bytes: int, before: int | None = None) -> bool:
    """Forget a batch of the oldest, up to the one with which it is as large as that, and none from `before` on.

    Returns whether there may be more.
    """
    found = sa.select(_e.id, _SIZE).where(*_may_be_forgotten(ctx, before)).order_by(_e.sequence)
    ids: list[str] = []
    with ctx.db.execute(found.limit(MOST_AT_ONCE), {"tenant_id": ctx.tenant_id}) as rows:
        for row in rows:
            ids.append(row.id)
            if (most_bytes := most_bytes - row.size) <= 0:
                break
    if not ids:
        return False
    _forget_these(ctx, ids)
    return most_bytes <= 0 or len(ids) == MOST_AT_ONCE


def forget_every_event(ctx: Context) -> int:
    """Forget a batch of the tenant's events, the newest of each name among them; return how many."""
    ids = list(ctx.db.execute(sa.select(_e.id).where(own(ctx, events)).order_by(_e.sequence).limit(500)).scalars())
    if ids:
        _forget_these(ctx, ids)
    return len(ids)


def _forget_these(ctx: Context, ids: Sequence[str]) -> None:
    """Delete these events, and note up to where the log has none of their names any more."""
    delete = sa.delete(events).where(own(ctx, events), _e.id.in_(ids)).returning(_e.event, _e.sequence, _SIZE)
    gone = ctx.db.execute(delete).all()
    counters.forget(ctx, events.name, len(gone))
    counters.forget(ctx, BYTES, sum(size for _, _, size in gone))
    last: dict[str, int] = {}
    for event, sequence, _ in gone:
        last[event] = max(sequence, last.get(event, 0))
    for event, sequence in sorted(last.items()):
        row = upsert(forgotten, ctx.db).values(tenant_id=ctx.tenant_id, event=event, sequence=sequence)
        ctx.db.execute(
            row.on_conflict_do_update(index_elements=["tenant_id", "event"], set_={"sequence": row.excluded.sequence})
        )


def _may_be_forgotten(ctx: Context, before: int | None) -> Sequence[sa.ColumnElement[bool]]:
    """Match events that may go: a later one of the same name is also before `before`, and no plugin needs them."""
    later = events.alias("later")
    newest = sa.select(sa.func.max(later.c.sequence)).where(
        later.c.tenant_id == ctx.tenant_id, later.c.event == _e.event, *_up_to(later.c.sequence, before)
    )
    needed = [each.needs for _, each in ctx.app.offered(Event.Carrier) if each.needs is not None]
    return [
        own(ctx, events),
        *_up_to(_e.sequence, before),
        _e.sequence < newest.scalar_subquery(),
        *(~_holds_needed(select) for select in needed),
    ]


def _up_to(sequence: Any, before: int | None) -> list[sa.ColumnElement[bool]]:
    return [] if before is None else [sequence < before]


def _holds_needed(needed: sa.Select[Any]) -> sa.ColumnElement[bool]:
    of = needed.selected_columns
    return needed.where(of.tenant_id == _e.tenant_id, of.id == _e.id).correlate(events).exists()


_e = events.c
_BEYOND = sa.literal(2**63 - 1, sa.BigInteger)  # all sequences
_SIZE = sa.func.octet_length(_e.data).label("size")
