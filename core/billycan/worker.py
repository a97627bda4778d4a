"""The worker process: timed tasks, and whatever long work the plugins' manifests name."""

import logging
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

import sqlalchemy as sa

from .context import Context
from .db import ByCodePoint, UTCDateTime, metadata, reason, upsert
from .fields import Moment
from .manifest import Every
from .tenants import tenants
from .work import unit_of_work

if TYPE_CHECKING:
    from .app import App

log = logging.getLogger("billycan")

tasks = sa.Table(
    "core_tasks",
    metadata,
    sa.Column("name", ByCodePoint, primary_key=True),
    sa.Column("due_at", UTCDateTime, nullable=False),
)
ALIVE = "worker_alive"
ALIVE_SECONDS = 10
MEASURED = "tables_measured"
MEASURED_SECONDS = 5
AGAIN_SECONDS = 5


def run(app: "App", stop: threading.Event) -> None:
    """Run until `stop` is set, then finish what is at hand. Each plugin's workers have a thread of their own."""
    threads = [
        threading.Thread(target=_keep, args=(manifest.name, work, app, stop))
        for manifest in app.manifests.values()
        for work in manifest.workers
    ]
    for thread in threads:
        thread.start()
    while not stop.is_set():
        try:
            tick(app)
        except sa.exc.SQLAlchemyError as error:
            log.error("timed tasks wait for the database: %s", reason(error))
        stop.wait(1)
    for thread in threads:
        thread.join()


def _keep(plugin: str, work: Callable[..., None], app: "App", stop: threading.Event) -> None:
    """Run a plugin's work until `stop`, again and again should it fail: the others' goes on meanwhile."""
    while not stop.is_set():
        try:
            return work(app, stop)
        except Exception:
            log.exception("%s of %s failed and starts anew in %s s", work.__name__, plugin, AGAIN_SECONDS)
            stop.wait(AGAIN_SECONDS)
    return None


def tick(app: "App") -> None:
    """Run every timed task that is due, note that a worker lives, and keep the database's plans right."""
    _claim(app, ALIVE, ALIVE_SECONDS)
    for plugin, every in app.timed_tasks():
        if _claim(app, f"{plugin}.{every.run.__name__}", every.seconds):
            _run(app, plugin, every)
    if not app.db.is_sqlite and _claim(app, MEASURED, MEASURED_SECONDS):
        app.db.measure_grown()


def last_seen(db: sa.Connection) -> Moment | None:
    """When a worker last noted that it lives; None where none ever did."""
    due = db.execute(sa.select(tasks.c.due_at).where(tasks.c.name == ALIVE)).scalar()
    return Moment.of(due - timedelta(seconds=ALIVE_SECONDS)) if due else None


def _claim(app: "App", name: str, seconds: int) -> bool:
    """Whether this worker is the one to run a task now: the row is set to its next time by whoever comes first."""
    now = app.now()
    with app.db.reading() as db:
        due = db.execute(sa.select(tasks.c.due_at).where(tasks.c.name == name)).scalar()
    if due is not None and due > now:
        return False
    with app.db.writing() as db:
        row = upsert(tasks, db).values(name=name, due_at=Moment.of(now + timedelta(seconds=seconds)))
        row = row.on_conflict_do_update(
            index_elements=["name"], set_={"due_at": row.excluded.due_at}, where=tasks.c.due_at <= now
        )
        return bool(db.execute(row).rowcount)


def _run(app: "App", plugin: str, every: Every) -> None:
    try:
        with app.db.reading() as db:
            due = every.tenants(db, app.now()) if every.tenants else db.execute(sa.select(tenants.c.id)).scalars()
            ids = list(due)
    except Exception:
        log.exception("%s of %s cannot tell which tenants have something due", every.run.__name__, plugin)
        return
    for tenant_id in ids:
        ctx = Context(app, tenant_id)
        try:
            with unit_of_work(ctx):
                every.run(ctx)
        except Exception:
            # One tenant's trouble is not another's; the next time round tries again.
            log.exception("%s of %s failed for %s", every.run.__name__, plugin, tenant_id)
