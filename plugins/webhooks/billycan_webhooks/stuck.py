"""Deliveries that do not move, for the operator's console, and what can be done about them there."""

from collections.abc import Sequence
from datetime import timedelta

import sqlalchemy as sa

from billycan import App, Manifest

from .deliveries import nudger_of
from .retention import count_waiting
from .tables import PENDING, deliveries

LATE = timedelta(seconds=60)
_ACROSS = "the operator sees what does not move of anybody's"
_d = deliveries.c


def count_deliveries(app: App) -> dict[str, float]:
    """Count the unfinished deliveries by state, and the hints that wait in Huey, which may be fewer or more."""
    from .queue import Queue  # noqa: PLC0415 - only a visit of the console needs Huey in a web process

    with app.db.reading(across=_ACROSS) as db:
        found = count_waiting(db, app.shared_now(db))
    try:
        queue = Queue(app, patience=1.0)
        found |= {"huey_hints": queue.huey.pending_count(), "huey_scheduled": queue.huey.scheduled_count()}
        queue.close()
    except Exception:  # noqa: BLE001 - whatever a queue raises, deliveries go by the sweep
        found["huey_unreachable"] = 1
    return found


def list_stuck(app: App, most: int) -> Sequence[Manifest.Queue.Stuck]:
    """List deliveries that failed before or that no worker has taken, those due first."""
    with app.db.reading(across=_ACROSS) as db:
        late = app.shared_now(db) - LATE
        waits = (_d.failures > 0) | (_d.due_at <= late)
        columns = (_d.tenant_id, _d.id, _d.event, _d.endpoint_id, _d.failures, _d.last_error, _d.due_at)
        rows = db.execute(sa.select(*columns).where(PENDING, waits).order_by(_d.due_at).limit(most)).all()
    return [
        Manifest.Queue.Stuck(
            tenant_id=row.tenant_id,
            id=row.id,
            what=f"{row.event} to {row.endpoint_id}",
            why=f"failed {row.failures} time{'s' * (row.failures > 1)}, the last with {row.last_error}"
            if row.failures
            else "no worker has taken it",
            due_at=row.due_at,
            actions=("try_now",),
        )
        for row in rows
    ]


def try_now(app: App, tenant_id: str, id: str) -> None:
    """Make a delivery due, unless it is being sent."""
    with app.db.writing(tenant_id) as db:
        now = app.shared_now(db)
        this = (_d.tenant_id == tenant_id) & (_d.id == id) & PENDING
        is_free = _d.lease_until.is_(None) | (_d.lease_until <= now)
        made_due = sa.update(deliveries).where(this, is_free).values(due_at=now).returning(_d.endpoint_id)
        endpoint_id = db.execute(made_due).scalar()
    if endpoint_id:
        nudger_of(app).send_hints_soon([(tenant_id, endpoint_id)])


QUEUE = Manifest.Queue(
    title="Webhook deliveries", count=count_deliveries, list_stuck=list_stuck, actions={"try_now": try_now}
)
