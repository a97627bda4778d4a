"""The worker process: timed tasks, and whatever long work the plugins' manifests name."""

import logging
import threading
from collections.abc import Callable
from contextlib import nullcontext
from datetime import timedelta
from typing import TYPE_CHECKING

import sqlalchemy as sa

from ..context import Context
from ..db import ByCodePoint, UTCDateTime, metadata, own, reason, upsert
from ..fields import Moment
from ..manifest import Every
from ..problems import NotFound
from ..tenants import tenants
from ..work import unit_of_work
from . import plans

if TYPE_CHECKING:
    from ..app import App

log = logging.getLogger("billycan")

tasks = sa.Table(
    "core_tasks",
    metadata,
    sa.Column("name", ByCodePoint, primary_key=True),
    sa.Column("due_at", UTCDateTime, nullable=False),
)
# Records whose timed work failed: they wait, so that they hold up no others.
put_off = sa.Table(
    "core_put_off",
    metadata,
    sa.Column("tenant_id", ByCodePoint, sa.ForeignKey("core_tenants.id"), primary_key=True),
    sa.Column("task", ByCodePoint, primary_key=True),
    sa.Column("id", ByCodePoint, primary_key=True),
    sa.Column("failures", sa.Integer, nullable=False),
    sa.Column("until", UTCDateTime, nullable=False),
)
Failed = Callable[[Exception], None]
MOST_AT_ONCE = 500
ALIVE = "worker_alive"
ALIVE_SECONDS = 10
MEASURED = "tables_measured"
MEASURED_SECONDS = 5
AGAIN_SECONDS = 5
_DUE_TO_ANYBODY = "the worker looks for what is due to anybody"


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


def tick(app: "App", failed: Failed | None = None) -> None:
    """Run every timed task that is due, note that a worker lives, and keep the database's plans right.

    What fails is logged and tried again, and `failed` is told of it.
    """
    _claim(app, ALIVE, ALIVE_SECONDS)
    for plugin, every in app.timed_tasks():
        name = f"{plugin}.{every.run.__name__}"
        if _claim(app, name, every.seconds):
            _run(app, name, every, failed or (lambda error: None))
    if not app.db.is_sqlite and _claim(app, MEASURED, MEASURED_SECONDS):
        plans.measure_grown(app.db)


def last_seen(db: sa.Connection) -> Moment | None:
    """When a worker last noted that it lives; None where none ever did."""
    due = db.execute(sa.select(tasks.c.due_at).where(tasks.c.name == ALIVE)).scalar()
    return Moment.of(due - timedelta(seconds=ALIVE_SECONDS)) if due else None


def silence(db: sa.Connection, now: Moment) -> dict[str, float]:
    """For how many seconds no worker has noted that it lives; nothing where none ever did."""
    seen = last_seen(db)
    return {} if seen is None else {"": max((now - seen).total_seconds(), 0)}


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
        # How many rows an upsert wrote is not told on PostgreSQL.
        return db.execute(row.returning(tasks.c.name)).first() is not None


def _run(app: "App", name: str, every: Every, failed: Failed) -> None:
    try:
        found = _due_records(app, name, every) if every.due else [(id, None) for id in _due_tenants(app, every)]
    except Exception as error:
        log.exception("%s cannot tell what is due", name)
        failed(error)
        return
    for tenant_id, id in found:
        ctx = Context(app, tenant_id)
        try:
            with nullcontext() if every.own_transactions else unit_of_work(ctx):
                every.run(ctx) if id is None else every.run(ctx, id)
        except NotFound:
            continue  # It was deleted since.
        except Exception as error:
            # One's trouble is not another's; the next time round tries again.
            log.exception("%s failed for %s", name, id or tenant_id)
            if id is not None:
                _put_off(ctx, name, id)
            failed(error)


def _due_tenants(app: "App", every: Every) -> list[str]:
    with app.db.reading(across=_DUE_TO_ANYBODY) as db:
        return list(every.tenants(db, app.now()) if every.tenants else db.execute(sa.select(tenants.c.id)).scalars())


def _due_records(app: "App", name: str, every: Every) -> list[tuple[str, str]]:
    """The tenant and id of each record that is due and not put off; of too many the most urgent, the others at once."""
    assert every.due is not None  # noqa: S101 - what the caller looked at
    now = app.now()
    due = every.due(app, now)
    of = due.selected_columns
    waits = sa.exists().where(put_off.c.tenant_id == of.tenant_id, put_off.c.id == of.id)
    waits = waits.where(put_off.c.task == name, put_off.c.until > now)
    with app.db.reading(across=_DUE_TO_ANYBODY) as db:
        found = [(row.tenant_id, row.id) for row in db.execute(due.where(~waits).limit(MOST_AT_ONCE))]
    if len(found) == MOST_AT_ONCE:
        with app.db.writing() as db:
            db.execute(sa.update(tasks).where(tasks.c.name == name).values(due_at=now))
    return found


def _put_off(ctx: Context, task: str, id: str) -> None:
    """Let a record that failed wait: for a minute at first, then four times as long each time, at most six hours."""
    with ctx.app.db.writing(ctx.tenant_id) as ctx.db:
        this = own(ctx, put_off) & (put_off.c.task == task) & (put_off.c.id == id)
        failures = (ctx.db.execute(sa.select(put_off.c.failures).where(this)).scalar() or 0) + 1
        seconds = min(60 * 4 ** min(failures - 1, 5), 6 * 3600)
        row = {"failures": failures, "until": Moment.of(ctx.now() + timedelta(seconds=seconds))}
        made = upsert(put_off, ctx.db).values(tenant_id=ctx.tenant_id, task=task, id=id, **row)
        ctx.db.execute(made.on_conflict_do_update(index_elements=["tenant_id", "task", "id"], set_=row))


def forget_put_off(ctx: Context) -> None:
    """Forget the tenant's failures of more than a day ago: their records were done since, or are due no more."""
    old = put_off.c.until <= ctx.now() - timedelta(days=1)
    ctx.db.execute(sa.delete(put_off).where(own(ctx, put_off), old))


def failing(db: sa.Connection, now: Moment) -> dict[str, float]:
    """How many records wait since their timed work failed, by task."""
    counted = sa.select(put_off.c.task, sa.func.count().label("records")).group_by(put_off.c.task)
    counted = counted.where(put_off.c.until > now)
    return {row.task: row.records for row in db.execute(counted)}
