"""Deliveries: inserted in the transaction of their event, held, cancelled and sent again.

Only this file makes a delivery due in a transaction of the app, and hints at its endpoint after the commit. Changes to
many deliveries start here, and `chores` finishes them.
"""

import logging
import weakref
from collections import Counter, deque
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from billycan import App, Context, Event, Row, hookimpl, new_id, own
from billycan.fields import Moment
from billycan.sql import Statement, events
from billycan.timed import Leases

from . import chores
from .tables import CHORES, LOST, Hint, deliveries, endpoints

if TYPE_CHECKING:
    from .queue import Queue

log = logging.getLogger("billycan.webhooks")
_MOST_WAITING = 1000
_PATIENCE_SECONDS = 0.5


@hookimpl
def after_commit(ctx: Context) -> None:
    """Send a hint for each endpoint to which this transaction made a delivery due."""
    if hints := ctx.memo.get("webhooks"):
        nudger_of(ctx.app).send_hints_soon([*hints])


@hookimpl
def on_event(ctx: Context, event: Event) -> None:
    """Insert a delivery for each endpoint that subscribes to the event, in the open transaction."""
    made = {
        "of_tenant": ctx.tenant_id,
        "exactly": event.name,
        "kind": event.name.partition(".")[0] + ".*",
        "suffix": event.id.partition("_")[2],
        "event_id": event.id,
        "now": event.created_at,
        "due": ctx.app.now(),  # senders go by the real time
    }
    rows = _FAN_OUT.all(ctx.db, made)
    hint_at(ctx, (row.endpoint_id for row in rows if row.status == "pending"))


def _fan_out(dialect: str) -> sa.Insert:
    """Build the statement that inserts an event's deliveries."""
    named: list[Any] = [sa.bindparam("exactly"), sa.bindparam("kind"), sa.literal("*")]
    if dialect == "postgresql":
        wants: sa.ColumnElement[bool] = sa.func.jsonb_exists_any(_e.events, postgresql.array(named, type_=sa.Text()))
    else:
        item = sa.func.json_each(_e.events).table_valued("value")
        wants = sa.exists().where(item.c.value.in_(named))
    values = {
        "tenant_id": _e.tenant_id,
        # An event has one delivery for each endpoint: its id is made of theirs.
        "id": "dlv_" + sa.bindparam("suffix", type_=sa.Text) + sa.func.substr(_e.id, 21, 10),
        "endpoint_id": _e.id,
        "webhook_id": sa.bindparam("event_id", type_=sa.Text),
        "event": sa.bindparam("exactly", type_=sa.Text),
        "status": sa.case((_e.enabled, "pending"), else_="held"),
        "created_at": Leases.NOW,
        "due_at": sa.bindparam("due", type_=_d.due_at.type),
        "failures": sa.literal(0),
        "attempts_made": sa.literal(0),
        "connection_id": _e.connection_id,
    }
    wanted = sa.select(*values.values()).where(_e.tenant_id == _tenant, wants)
    return sa.insert(deliveries).from_select(list(values), wanted).returning(_d.endpoint_id, _d.status)


def add_delivery(
    ctx: Context, endpoint: Row, *, webhook_id: str, event: str, own_body: bytes | None, replay_of: str | None = None
) -> str:
    """Insert a ping, which has its own body, or a replay. Return its id. It is held if the endpoint is disabled."""
    id = new_id("dlv")
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
            created_at=ctx.now(),
            due_at=ctx.app.now(),
            failures=0,
            attempts_made=0,
            connection_id=endpoint.connection_id,
        )
    )
    if endpoint.enabled:
        hint_at(ctx, [endpoint.id])
    return id


def body_of(db: sa.Connection, tenant_id: str, delivery: Row) -> bytes | None:
    """Return the body of a delivery: a ping's own, or its event. Return None if the log no longer has the event."""
    return body_and_trace_of(db, tenant_id, delivery)[0]


def body_and_trace_of(db: sa.Connection, tenant_id: str, delivery: Row) -> tuple[bytes | None, str]:
    """Return the body of a delivery, and what leads back to the work that its event came of, if there is anything."""
    if delivery.own_body is not None:
        return bytes(delivery.own_body), ""
    row = db.execute(_LOGGED, {"of_tenant": tenant_id, "of_event": delivery.webhook_id}).first()
    return (Event.body_of(row), (row.behalf or {}).get("trace", "")) if row else (None, "")


def hold_deliveries(ctx: Context, endpoint_id: str) -> None:
    """Hold the open deliveries of an endpoint that was disabled."""
    _start_chore(ctx, endpoint_id, "hold")


def cancel_deliveries(ctx: Context, endpoint_id: str) -> None:
    """Cancel the open deliveries of an endpoint that is being deleted. The history stays."""
    _start_chore(ctx, endpoint_id, "cancel")


def release_deliveries(ctx: Context, endpoint_id: str) -> None:
    """Make an endpoint's held deliveries due."""
    hint_at(ctx, [endpoint_id] if _start_chore(ctx, endpoint_id, "release").count else [])


def count_pending(ctx: Context, endpoint_id: str) -> dict[str, int]:
    """Count the first `MOST_COUNTED` pending deliveries of an endpoint, by event, and those still to be inserted."""
    of_it = own(ctx, deliveries) & (_d.endpoint_id == endpoint_id) & (_d.status == "pending")
    found = _count_deliveries(ctx, sa.select(_d.event).where(of_it).order_by(_d.due_at))
    return dict.fromkeys(chores.owed_events(ctx, endpoint_id), 0) | found


def events_under_way(ctx: Context, endpoint_id: str, status: str) -> set[str]:
    """Return the events of an endpoint's deliveries in this status, including those still to be inserted."""
    of_it = sa.select(_d.event).where(own(ctx, deliveries), _d.endpoint_id == endpoint_id, _d.status == status)
    return {*ctx.db.execute(of_it.distinct()).scalars(), *chores.owed_events(ctx, endpoint_id)}


def count_lost(ctx: Context, endpoint_id: str, since: Moment, until: Moment) -> dict[str, int]:
    """Count the first `MOST_COUNTED` failed and held deliveries of a period, by event."""
    of_it = own(ctx, deliveries) & (_d.endpoint_id == endpoint_id) & LOST & _d.created_at.between(since, until)
    return _count_deliveries(ctx, sa.select(_d.event).where(of_it).order_by(_d.created_at, _d.id))


def _count_deliveries(ctx: Context, of_it: sa.Select[Any]) -> dict[str, int]:
    some = of_it.limit(MOST_COUNTED).subquery()
    found = ctx.db.execute(sa.select(some.c.event, sa.func.count().label("count")).group_by(some.c.event))
    return {row.event: row._mapping["count"] for row in found}


def recover_deliveries(ctx: Context, endpoint_id: str, since: Moment, until: Moment, counted: int) -> int:
    """Send every failed or held delivery of a period again, with all its attempts. Return the number of deliveries.

    Returns `counted` if the first step leaves some of them to the worker.
    """
    done = _start_chore(ctx, endpoint_id, "recover", since=since, until=until)
    hint_at(ctx, [endpoint_id] if done.count else [])
    # A delivery whose event is gone cannot be sent: if one step does it all, such deliveries are not counted.
    return done.count if done.rest is None else counted


def _start_chore(ctx: Context, endpoint_id: str, kind: str, **given: Any) -> chores.Step:
    # A connection may have many endpoints, but a transaction takes only one step.
    moved = ctx.memo.setdefault("webhooks_moved", Counter())
    later = moved.total() >= chores.MOST_AT_ONCE
    done = chores.start_chore(ctx.db, ctx.tenant_id, endpoint_id, kind, ctx.app.now(), later=later, **given)
    moved[endpoint_id] += done.count
    hint_at(ctx, [CHORES] if done.rest is not None else [])
    return done


def hint_at(ctx: Context, endpoint_ids: Iterable[str]) -> None:
    """Hint at endpoints after the commit: something is due to them."""
    noted: dict[Hint, None] = ctx.memo.setdefault("webhooks", {})
    noted.update(dict.fromkeys((ctx.tenant_id, id) for id in endpoint_ids))


MOST_COUNTED = 10_000  # deliveries: the transaction of a request counts no more

_d, _e, _l = deliveries.c, endpoints.c, events.c
_tenant: sa.BindParameter[str] = sa.bindparam("of_tenant")
# Not part of the RETURNING of a lease: SQLite would read the whole log for it.
_LOGGED: sa.Select[Any] = sa.select(_l.event, _l.created_at, _l.data, _l.behalf).where(
    _l.tenant_id == _tenant, _l.id == sa.bindparam("of_event", type_=sa.Text)
)
_FAN_OUT = Statement(sqlite=_fan_out("sqlite"), postgresql=_fan_out("postgresql"))


def nudger_of(app: App) -> "Nudger":
    """Return the app's nudger."""
    return _nudgers.get(app) or _nudgers.setdefault(app, Nudger(app))  # another thread may have set it


class Nudger:
    """Sends hints to the queue in a thread of its own, so that no request waits for the queue."""

    def __init__(self, app: App) -> None:
        self._app = weakref.ref(app)
        self._thread = ThreadPoolExecutor(1, "webhooks nudger")
        self._waiting: deque[tuple[list[Hint], Moment | None]] = deque(maxlen=_MOST_WAITING)
        self._queue: Queue | None = None

    def send_hints_soon(self, hints: Iterable[Hint], at: Moment | None = None) -> None:
        """Send hints soon, as `Queue.hint` does. Those that find no room are left to the sweep."""
        self._waiting.append((list(hints), at))
        self._thread.submit(self._send_waiting)

    def _send_waiting(self) -> None:
        try:
            from .queue import Queue  # noqa: PLC0415 - Huey is for the workers, and for who has a hint for them

            while self._waiting and (app := self._app()):
                if self._queue and not self._queue.is_whole():
                    self._close_queue()
                self._queue = self._queue or Queue(app, patience=_PATIENCE_SECONDS)
                self._queue.hint(*self._waiting.popleft())
        except Exception as error:  # noqa: BLE001 - whatever a queue raises, the sweep finds the delivery
            self._waiting.clear()
            self._close_queue()
            log.info("hints were lost: %s", error_line(error))

    def _close_queue(self) -> None:
        if self._queue:
            self._queue.close()
        self._queue = None

    __del__ = _close_queue


_nudgers: "weakref.WeakKeyDictionary[App, Nudger]" = weakref.WeakKeyDictionary()


def error_line(error: Exception) -> str:
    """Return the first line of an error: further lines quote the statement and its values."""
    return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
