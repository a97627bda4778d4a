"""Chores: changes to many deliveries of one endpoint, made in steps so that others can write in between.

An import may owe a business's endpoints hundreds of thousands of deliveries, and one request may hold, cancel or resend
as many. The request's transaction takes the first step and stores the rest as a chore: a row that is committed with it,
and that the worker finishes. Chores of one endpoint are done in order; endpoints take turns.
"""

from collections.abc import Collection, Mapping
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, Event, Row, new_id, own
from billycan.fields import Moment
from billycan.sql import events

from .tables import CHORES, LOST, Hint, chores, deliveries, endpoints

MOST_AT_ONCE = 1_000  # deliveries; on SQLite they take some hundredths of a second


class Step(Struct, frozen=True):
    """The number of deliveries that a step changed, and the columns that the chore goes on with; None if it is done."""

    count: int
    rest: Mapping[str, Any] | None = None


def start_chore(
    db: sa.Connection, tenant_id: str, endpoint_id: str, kind: str, now: Moment, *, later: bool = False, **given: Any
) -> Step:
    """Take the first step and leave the rest to the worker. The transaction must have locked the endpoint.

    The worker takes every step if `later` is true, or if the endpoint has chores already.
    """
    whose = {"tenant_id": tenant_id, "endpoint_id": endpoint_id}
    chore = {**dict.fromkeys(_c.keys()), **whose, "kind": kind, "created_at": now, "steps": 0, **given}
    later = later or has_chores(db, tenant_id, endpoint_id)
    done = Step(0, {}) if later else _take_step(db, chore, now)
    if done.rest is not None:
        db.execute(sa.insert(chores).values({**chore, **done.rest, "id": new_id("cho")}))
    return done


def has_chores(db: sa.Connection, tenant_id: str, endpoint_id: str) -> bool:
    """Tell whether an endpoint has chores."""
    its = (_c.tenant_id == tenant_id) & (_c.endpoint_id == endpoint_id)
    return db.execute(sa.select(_c.id).where(its).limit(1)).first() is not None


def owe_deliveries(ctx: Context, names: Collection[str], first: int, last: int) -> None:
    """Add a chore for each endpoint that subscribes to any of these events: the `note_many` of the manifest."""
    found = []
    for row in ctx.db.execute(sa.select(_e.id, _e.events).where(own(ctx, endpoints)).order_by(_e.id)):
        if wanted := [name for name in names if any(Event.matching(each, [name]) for each in row.events)]:
            new = {"tenant_id": ctx.tenant_id, "id": new_id("cho"), "endpoint_id": row.id, "created_at": ctx.app.now()}
            bounds = {"events": wanted, "first_sequence": first, "last_sequence": last}
            found.append({**new, "kind": "add", "steps": 0, **bounds})
    if found:
        ctx.db.execute(sa.insert(chores), found)
        ctx.memo.setdefault("webhooks", {})[ctx.tenant_id, CHORES] = None


def owed_events(ctx: Context, endpoint_id: str) -> set[str]:
    """Return the names of the events whose deliveries to an endpoint are still to be inserted."""
    its = own(ctx, chores) & (_c.endpoint_id == endpoint_id) & (_c.kind == "add")
    return {name for names in ctx.db.execute(sa.select(_c.events).where(its)).scalars() for name in names}


def hints_of_chores(db: sa.Connection) -> list[Hint]:
    """Return a hint for each business that has chores."""
    return [(id, CHORES) for id in db.execute(sa.select(_c.tenant_id).distinct()).scalars()]


def take_next_step(db: sa.Connection, tenant_id: str, now: Moment) -> list[Hint] | None:
    """Take the next step of a business's chores. Return hints of what is due now, or None if there are no chores."""
    earlier = chores.alias()
    follows = sa.exists().where(
        earlier.c.tenant_id == tenant_id, earlier.c.endpoint_id == _c.endpoint_id, earlier.c.id < _c.id
    )
    firsts = sa.select(chores).where(_c.tenant_id == tenant_id, ~follows)
    found = db.execute(firsts.order_by(_c.steps, _c.id).limit(1)).first()
    if found is None:
        return None
    hint = (tenant_id, found.endpoint_id)
    endpoint = _lock_endpoint(db, *hint)  # before the chore, in the order of requests
    this = (_c.tenant_id == tenant_id) & (_c.id == found.id)
    row = db.execute(sa.select(chores).where(this).with_for_update()).first()
    if row is None:
        return []  # another worker has finished it
    done = _take_step(db, row._asdict(), now, endpoint)
    if done.rest is None:
        db.execute(sa.delete(chores).where(this))
    else:
        db.execute(sa.update(chores).where(this).values({**done.rest, "steps": row.steps + 1}))
    return [hint] if endpoint is not None and endpoint.enabled and row.kind in ("add", "release", "recover") else []


def _lock_endpoint(db: sa.Connection, tenant_id: str, endpoint_id: str) -> Row | None:
    this = sa.select(endpoints).where(_e.tenant_id == tenant_id, _e.id == endpoint_id)
    return db.execute(this.with_for_update()).first()


def _take_step(db: sa.Connection, chore: Mapping[str, Any], now: Moment, endpoint: Row | None = None) -> Step:
    """Take one step of a chore."""
    its = (_d.tenant_id == chore["tenant_id"]) & (_d.endpoint_id == chore["endpoint_id"])
    if chore["kind"] == "add":
        return Step(0) if endpoint is None else _add_next(db, chore, endpoint)
    if chore["kind"] == "recover":
        return _recover_next(db, chore, its, now)
    moves: dict[str, tuple[list[str], dict[str, Any]]] = {
        "hold": (["pending"], {"status": "held"}),
        "cancel": (["pending", "held"], {"status": "cancelled", "finished_at": now}),
        "release": (["held"], {"status": "pending", "due_at": now}),
    }
    statuses, values = moves[chore["kind"]]
    # A delivery in flight is left to finish. If it must be sent again, its next lease checks the endpoint.
    which = [its, _d.status.in_(statuses), _d.lease_until.is_(None) | (_d.lease_until <= now)]
    if chore["kind"] != "cancel":  # deliveries made after the request are not part of it
        which.append(_d.created_at <= chore["created_at"])
    some = sa.select(_d.id).where(*which).limit(MOST_AT_ONCE).correlate(None)
    moved = sa.update(deliveries).where(*which, _d.id.in_(some)).values({**values, **_UNLEASED})
    count = db.execute(moved).rowcount
    return Step(count, {} if count == MOST_AT_ONCE else None)


def _recover_next(db: sa.Connection, chore: Mapping[str, Any], its: sa.ColumnElement[bool], now: Moment) -> Step:
    """Make the next failed or held deliveries of a period due, with all their attempts again."""
    after = sa.tuple_(_d.created_at, _d.id) > sa.tuple_(
        sa.literal(chore["since"], _d.created_at.type), sa.literal(chore["after_id"] or "")
    )
    within = _d.created_at.between(chore["since"], chore["until"])
    some = sa.select(_d.id, _d.created_at).where(its, LOST, within, after)
    found = db.execute(some.order_by(_d.created_at, _d.id).limit(MOST_AT_ONCE)).all()
    anew = {"status": "pending", "due_at": now, "failures": 0, "first_attempt_at": None, "finished_at": None}
    logged = sa.exists().where(_l.tenant_id == chore["tenant_id"], _l.id == _d.webhook_id)
    these = its & _d.id.in_([row.id for row in found]) & LOST & (_d.own_body.is_not(None) | logged)
    count = db.execute(sa.update(deliveries).where(these).values(anew)).rowcount if found else 0
    if len(found) < MOST_AT_ONCE:
        return Step(count)
    return Step(count, {"since": found[-1].created_at, "after_id": found[-1].id})


def _add_next(db: sa.Connection, chore: Mapping[str, Any], endpoint: Row) -> Step:
    """Insert the deliveries of the next events in the log."""
    last, mine = chore["last_sequence"], (_l.tenant_id == chore["tenant_id"]) & _l.event.in_(chore["events"])
    within = _l.sequence.between(chore["first_sequence"], last)
    found = db.execute(sa.select(_l.sequence).where(mine, within).order_by(_l.sequence).limit(MOST_AT_ONCE)).scalars()
    if not (places := found.all()):
        return Step(0)
    values = {
        "tenant_id": _l.tenant_id,
        "id": "dlv_" + sa.func.substr(_l.id, 5) + sa.literal(endpoint.id[20:30]),  # as in `on_event`
        "endpoint_id": sa.literal(endpoint.id),
        "webhook_id": _l.id,
        "event": _l.event,
        "status": sa.literal("pending" if endpoint.enabled else "held"),
        "created_at": _l.created_at,
        "due_at": _l.created_at,
        "failures": sa.literal(0),
        "attempts_made": sa.literal(0),
        "connection_id": sa.literal(endpoint.connection_id, _d.connection_id.type),
    }
    these = sa.select(*values.values()).where(mine, _l.sequence.between(places[0], places[-1]))
    db.execute(sa.insert(deliveries).from_select(list(values), these))
    return Step(len(places), {"first_sequence": places[-1] + 1} if places[-1] < last else None)


_c, _d, _e, _l = chores.c, deliveries.c, endpoints.c, events.c
_UNLEASED: dict[str, Any] = {"lease_until": None, "lease_token": None}
