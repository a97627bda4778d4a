"""What concerns many deliveries of an endpoint at once, done in steps: others write in between.

An import may owe a business's endpoints hundreds of thousands of deliveries, and as many may be held, cancelled or sent
again by one request. The first step is taken in that request's transaction, and what is left is a chore: a row that is
committed with it, and from which the worker goes on. Chores of one endpoint are done in order; endpoints take turns.
"""

from collections.abc import Collection, Mapping
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, Row, events, new_id, own
from billycan.fields import Moment

from .nudging import CHORES, Hint
from .tables import LOST, chores, deliveries, endpoints

MOST_AT_ONCE = 1_000  # deliveries; on SQLite they take some hundredths of a second


class Step(Struct, frozen=True):
    """How many deliveries a step has changed, and with what the chore goes on; None where it is done."""

    count: int
    rest: Mapping[str, Any] | None = None


def start(
    db: sa.Connection, tenant_id: str, endpoint_id: str, kind: str, now: Moment, *, later: bool = False, **given: Any
) -> Step:
    """Take the first step, in a transaction that has locked the endpoint, and leave the rest to the worker.

    All is left to the worker if it is for `later`, or if the endpoint has chores already.
    """
    whose = {"tenant_id": tenant_id, "endpoint_id": endpoint_id}
    chore = {**dict.fromkeys(_c.keys()), **whose, "kind": kind, "created_at": now, "steps": 0, **given}
    later = later or are_left(db, tenant_id, endpoint_id)
    done = Step(0, {}) if later else _take(db, chore, now)
    if done.rest is not None:
        db.execute(sa.insert(chores).values({**chore, **done.rest, "id": new_id("cho")}))
    return done


def are_left(db: sa.Connection, tenant_id: str, endpoint_id: str) -> bool:
    """Whether an endpoint has chores."""
    its = (_c.tenant_id == tenant_id) & (_c.endpoint_id == endpoint_id)
    return db.execute(sa.select(_c.id).where(its).limit(1)).first() is not None


def note_many(ctx: Context, names: Collection[str], first: int, last: int) -> None:
    """Note that each endpoint is owed the deliveries of these events: the `hears_many` of the manifest."""
    found = []
    for row in ctx.db.execute(sa.select(_e.id, _e.events).where(own(ctx, endpoints)).order_by(_e.id)):
        if wanted := [name for name in names if any(events.matching(each, [name]) for each in row.events)]:
            new = {"tenant_id": ctx.tenant_id, "id": new_id("cho"), "endpoint_id": row.id, "created_at": ctx.now()}
            bounds = {"events": wanted, "first_sequence": first, "last_sequence": last}
            found.append({**new, "kind": "add", "steps": 0, **bounds})
    if found:
        ctx.db.execute(sa.insert(chores), found)
        ctx.memo.setdefault("webhooks", {})[ctx.tenant_id, CHORES] = None


def owed(ctx: Context, endpoint_id: str) -> set[str]:
    """The names of the events of which an endpoint will get deliveries that are not there yet."""
    its = own(ctx, chores) & (_c.endpoint_id == endpoint_id) & (_c.kind == "add")
    return {name for names in ctx.db.execute(sa.select(_c.events).where(its)).scalars() for name in names}


def left(db: sa.Connection) -> list[Hint]:
    """The hints that have a worker go on with all that is left, of anybody."""
    return [(id, CHORES) for id in db.execute(sa.select(_c.tenant_id).distinct()).scalars()]


def go_on(db: sa.Connection, tenant_id: str, now: Moment) -> list[Hint] | None:
    """Take the next step of a business's chores; what it made due, or None where nothing is left to do."""
    earlier = chores.alias()
    follows = sa.exists().where(
        earlier.c.tenant_id == tenant_id, earlier.c.endpoint_id == _c.endpoint_id, earlier.c.id < _c.id
    )
    firsts = sa.select(chores).where(_c.tenant_id == tenant_id, ~follows)
    found = db.execute(firsts.order_by(_c.steps, _c.id).limit(1)).first()
    if found is None:
        return None
    hint = (tenant_id, found.endpoint_id)
    endpoint = _locked(db, *hint)  # before the chore, as requests have it
    this = (_c.tenant_id == tenant_id) & (_c.id == found.id)
    row = db.execute(sa.select(chores).where(this).with_for_update()).first()
    if row is None:
        return []  # another worker has done it meanwhile
    done = _take(db, row._asdict(), now, endpoint)
    if done.rest is None:
        db.execute(sa.delete(chores).where(this))
    else:
        db.execute(sa.update(chores).where(this).values({**done.rest, "steps": row.steps + 1}))
    return [hint] if endpoint is not None and endpoint.enabled and row.kind in ("add", "release", "recover") else []


def _locked(db: sa.Connection, tenant_id: str, endpoint_id: str) -> Row | None:
    this = sa.select(endpoints).where(_e.tenant_id == tenant_id, _e.id == endpoint_id)
    return db.execute(this.with_for_update()).first()


def _take(db: sa.Connection, chore: Mapping[str, Any], now: Moment, endpoint: Row | None = None) -> Step:
    """One step of a chore."""
    its = (_d.tenant_id == chore["tenant_id"]) & (_d.endpoint_id == chore["endpoint_id"])
    if chore["kind"] == "add":
        return Step(0) if endpoint is None else _add(db, chore, endpoint)
    if chore["kind"] == "recover":
        return _recover(db, chore, its, now)
    moves: dict[str, tuple[list[str], dict[str, Any]]] = {
        "hold": (["pending"], {"status": "held"}),
        "cancel": (["pending", "held"], {"status": "cancelled", "finished_at": now}),
        "release": (["held"], {"status": "pending", "due_at": now}),
    }
    statuses, values = moves[chore["kind"]]
    # One in flight is let finish: should it have to go again, its next claim finds how the endpoint is then.
    which = [its, _d.status.in_(statuses), _d.lease_until.is_(None) | (_d.lease_until <= now)]
    if chore["kind"] != "cancel":  # what comes after the request is none of its business
        which.append(_d.created_at <= chore["created_at"])
    some = sa.select(_d.id).where(*which).limit(MOST_AT_ONCE).correlate(None)
    moved = sa.update(deliveries).where(*which, _d.id.in_(some)).values({**values, **_UNLEASED})
    count = db.execute(moved).rowcount
    return Step(count, {} if count == MOST_AT_ONCE else None)


def _recover(db: sa.Connection, chore: Mapping[str, Any], its: sa.ColumnElement[bool], now: Moment) -> Step:
    """Make the next failed or held deliveries of a time due, each with all its attempts."""
    after = (_d.created_at > chore["since"]) | (_d.id > (chore["after_id"] or ""))
    within = _d.created_at.between(chore["since"], chore["until"])
    some = sa.select(_d.id, _d.created_at).where(its, LOST, within, after)
    found = db.execute(some.order_by(_d.created_at, _d.id).limit(MOST_AT_ONCE)).all()
    anew = {"status": "pending", "due_at": now, "failures": 0, "first_attempt_at": None, "finished_at": None}
    logged = sa.exists().where(_l.tenant_id == _d.tenant_id, _l.id == _d.webhook_id)
    these = its & _d.id.in_([row.id for row in found]) & LOST & (_d.own_body.is_not(None) | logged)
    count = db.execute(sa.update(deliveries).where(these).values(anew)).rowcount if found else 0
    if len(found) < MOST_AT_ONCE:
        return Step(count)
    return Step(count, {"since": found[-1].created_at, "after_id": found[-1].id})


def _add(db: sa.Connection, chore: Mapping[str, Any], endpoint: Row) -> Step:
    """Insert the deliveries of the next events that were written to the log together."""
    last, mine = chore["last_sequence"], (_l.tenant_id == chore["tenant_id"]) & _l.event.in_(chore["events"])
    within = _l.sequence.between(chore["first_sequence"], last)
    found = db.execute(sa.select(_l.sequence).where(mine, within).order_by(_l.sequence).limit(MOST_AT_ONCE)).scalars()
    if not (places := found.all()):
        return Step(0)
    values = {
        "tenant_id": _l.tenant_id,
        "id": "dlv_" + sa.func.substr(_l.id, 5) + sa.literal(endpoint.id[20:30]),  # as `fan_out` has it
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


_c, _d, _e, _l = chores.c, deliveries.c, endpoints.c, events.events.c
_UNLEASED: dict[str, Any] = {"lease_until": None, "lease_token": None}
