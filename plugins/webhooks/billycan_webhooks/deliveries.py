"""Deliveries: made in the transaction of their event, held, cancelled, sent again, and forgotten.

Here alone does a transaction of the app make a delivery due, and `made_due` knows to which endpoints.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from billycan import Context, Event, Row, events, new_id, own
from billycan.fields import Moment
from billycan.leases import NOW
from billycan.sql import Statement

from .nudging import Hint
from .tables import deliveries, endpoints


def made_due(ctx: Context) -> Sequence[Hint]:
    """The endpoints to which this transaction has made a delivery due, for a worker to hear of once it is committed."""
    return [*ctx.memo.get("webhooks", ())]


def fan_out(ctx: Context, event: Event) -> None:
    """Insert a delivery for each endpoint that wants the event, in the open transaction."""
    made = {
        "of_tenant": ctx.tenant_id,
        "exactly": event.name,
        "kind": event.name.partition(".")[0] + ".*",
        "suffix": event.id.partition("_")[2],
        "event_id": event.id,
        "now": event.created_at,
    }
    rows = _FAN_OUT.all(ctx.db, made)
    _note_due(ctx, (row.endpoint_id for row in rows if row.status == "pending"))


def _fan_out(dialect: str) -> sa.Insert:
    """The insertion of an event's deliveries."""
    named: list[Any] = [sa.bindparam("exactly"), sa.bindparam("kind"), sa.literal("*")]
    if dialect == "postgresql":
        wants: sa.ColumnElement[bool] = sa.func.jsonb_exists_any(_e.events, postgresql.array(named, type_=sa.Text()))
    else:
        item = sa.func.json_each(_e.events).table_valued("value")
        wants = sa.exists().where(item.c.value.in_(named))
    values = {
        "tenant_id": _e.tenant_id,
        # One event and one endpoint have one delivery: its id is made of theirs.
        "id": "dlv_" + sa.bindparam("suffix", type_=sa.Text) + sa.func.substr(_e.id, 21, 10),
        "endpoint_id": _e.id,
        "webhook_id": sa.bindparam("event_id", type_=sa.Text),
        "event": sa.bindparam("exactly", type_=sa.Text),
        "status": sa.case((_e.enabled, "pending"), else_="held"),
        "created_at": NOW,
        "due_at": NOW,
        "failures": sa.literal(0),
        "attempts_made": sa.literal(0),
        "connection_id": _e.connection_id,
    }
    wanted = sa.select(*values.values()).where(_e.tenant_id == _tenant, wants)
    return sa.insert(deliveries).from_select(list(values), wanted).returning(_d.endpoint_id, _d.status)


def add(
    ctx: Context, endpoint: Row, *, webhook_id: str, event: str, own_body: bytes | None, replay_of: str | None = None
) -> str:
    """Insert one delivery by itself: a ping, which has its own body, or a replay; held if the endpoint is disabled."""
    id, now = new_id("dlv"), ctx.now()
    ctx.db.execute(
        sa.insert(deliveries).values(
            tenant_id=ctx.tenant_id,
            id=id,
            endpoint_id=endpoint.id,
            webhook_id=webhook_id or id,
            event=event,
            status="pending" if endpoint.enabled else "held",
            own_body=own_body,
            replay_of=replay_of,
            created_at=now,
            due_at=now,
            failures=0,
            attempts_made=0,
            connection_id=endpoint.connection_id,
        )
    )
    if endpoint.enabled:
        _note_due(ctx, [endpoint.id])
    return id


def body_of(db: sa.Connection, tenant_id: str, delivery: Row) -> bytes | None:
    """What a delivery carries: a ping its own body, any other its event; None where the log has that no longer."""
    if delivery.own_body is not None:
        return bytes(delivery.own_body)
    row = db.execute(_LOGGED, {"of_tenant": tenant_id, "of_event": delivery.webhook_id}).first()
    return events.body_of(row) if row else None


def hold(db: sa.Connection, tenant_id: str, endpoint_id: str) -> None:
    """Hold what an endpoint that was disabled still has to get."""
    _move_open(db, tenant_id, endpoint_id, ["pending"], status="held")


def cancel(ctx: Context, endpoint_id: str) -> None:
    """Cancel what an endpoint that is deleted will never get; the history stays."""
    _move_open(ctx.db, ctx.tenant_id, endpoint_id, ["pending", "held"], status="cancelled", finished_at=ctx.now())


def release(ctx: Context, endpoint_id: str) -> None:
    """Send what was held for an endpoint."""
    _make_due(ctx, endpoint_id, _d.endpoint_id == endpoint_id, _d.status == "held")


def on_their_way(ctx: Context, endpoint_id: str, status: str = "pending") -> Sequence[str]:
    """The events that are still to be delivered to an endpoint, or that are held."""
    return _events(ctx, _d.endpoint_id == endpoint_id, _d.status == status)


def recoverable(ctx: Context, endpoint_id: str, since: Moment, until: Moment) -> Sequence[str]:
    """The events that `recover` would send."""
    return _events(ctx, *_lost(endpoint_id, since, until))


def recover(ctx: Context, endpoint_id: str, since: Moment, until: Moment) -> int:
    """Send every failed or held delivery of a time again, each with all its attempts; returns how many."""
    anew = {"failures": 0, "first_attempt_at": None, "finished_at": None}
    return _make_due(ctx, endpoint_id, *_lost(endpoint_id, since, until), **anew)


def _make_due(ctx: Context, endpoint_id: str, *where: sa.ColumnElement[bool], **values: Any) -> int:
    """Make an endpoint's deliveries due now; returns how many there are."""
    moved = sa.update(deliveries).where(own(ctx, deliveries), *where)
    count = ctx.db.execute(moved.values(status="pending", due_at=ctx.now(), **values)).rowcount
    _note_due(ctx, [endpoint_id] if count else [])
    return count


def _note_due(ctx: Context, endpoint_ids: Iterable[str]) -> None:
    noted: dict[Hint, None] = ctx.memo.setdefault("webhooks", {})
    noted.update(dict.fromkeys((ctx.tenant_id, id) for id in endpoint_ids))


def _events(ctx: Context, *where: sa.ColumnElement[bool]) -> Sequence[str]:
    return ctx.db.execute(sa.select(_d.event).where(own(ctx, deliveries), *where).distinct()).scalars().all()


def _lost(endpoint_id: str, since: Moment, until: Moment) -> list[sa.ColumnElement[bool]]:
    within = _d.created_at.between(since, until)
    logged = sa.exists().where(_l.tenant_id == _d.tenant_id, _l.id == _d.webhook_id)
    there = _d.own_body.is_not(None) | logged
    return [_d.endpoint_id == endpoint_id, _d.status.in_(["failed", "held"]), within, there]


def _move_open(db: sa.Connection, tenant_id: str, endpoint_id: str, statuses: list[str], **values: Any) -> None:
    # One in flight is let finish: should it have to go again, its next claim finds how the endpoint is then.
    whose = (deliveries.c.tenant_id == tenant_id) & (deliveries.c.endpoint_id == endpoint_id)
    still = deliveries.c.status.in_(statuses) & deliveries.c.lease_until.is_(None)
    db.execute(sa.update(deliveries).where(whose, still).values(values))


_d, _e, _l = deliveries.c, endpoints.c, events.events.c
_tenant: sa.BindParameter[str] = sa.bindparam("of_tenant")
# Not within the RETURNING of a claim: SQLite would read the whole log for it.
_LOGGED: sa.Select[Any] = sa.select(_l.event, _l.created_at, _l.data).where(
    _l.tenant_id == _tenant, _l.id == sa.bindparam("of_event", type_=sa.Text)
)
_FAN_OUT = Statement(**{dialect: _fan_out(dialect) for dialect in ("sqlite", "postgresql")})
