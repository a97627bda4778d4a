"""The worker process: timed tasks, and whatever long work the plugins' manifests name.

Timed work is done in rounds. Each task that is due has a turn in a round, and within it each business for which
something is due: both are bounded in time, and the business that has waited longest comes first. What is left over is
taken up again by the next round, at once. Claims, waits and the `now` of timed work go by the clock that all processes
share (`App.shared_now`): a machine whose own clock is wrong neither does work too early nor puts it off.
"""

import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext, suppress
from datetime import timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from ..apart import take_short_turns
from ..context import Context
from ..db import ByCodePoint, UTCDateTime, at_most, metadata, own, reason, upsert
from ..fields import Moment
from ..manifest import Every
from ..problems import NotFound
from ..tenants import standings, tenants
from ..timed import Leases
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
# Businesses for which a task is due and was not finished in its turn: since when they wait for the next.
waiting = sa.Table(
    "core_waiting",
    metadata,
    sa.Column("tenant_id", ByCodePoint, sa.ForeignKey("core_tenants.id"), primary_key=True),
    sa.Column("task", ByCodePoint, primary_key=True),
    sa.Column("since", UTCDateTime, nullable=False),
    info={"stays": True},
)
Failed = Callable[[Exception], None]
Seconds = Callable[[], float]
MOST_AT_ONCE = 500  # records, in one turn
BUSINESS_SECONDS = 0.5  # of a business in a round, but for one record of each task, and what is under way
TASK_SECONDS = 2.0  # the longest turn of a task, likewise
IDLE_SECONDS = 5.0  # the longest pause between two rounds
LEAST_PAUSE_SECONDS = 0.1  # where no work was left over
ALIVE = "worker_alive"
ALIVE_SECONDS = 10
CLOCK = "worker_clock"  # what the worker's own clock said when it noted that it lives
MEASURED = "tables_measured"
MEASURED_SECONDS = 5
AGAIN_SECONDS = 5
SILENT_SECONDS = 30  # at most, if a worker is there
WAITING_SECONDS = 300  # of timed work, at most, if there are workers enough
LOOK_SECONDS = 0.5  # between two looks whether the deployment is read only
MOST_PUT_OFF_SECONDS = 6 * 3600
_STILL = sa.select(standings.c.tenant_id)
_DUE_TO_ANYBODY = "the worker looks for what is due to anybody"


def run(app: "App", stop: threading.Event) -> None:
    """Run until `stop` is set, then finish what is at hand. Each plugin's workers have a thread of their own."""
    take_short_turns()
    ends = threading.Event()
    threads = [threading.Thread(target=_watch_for_read_only, args=(app, stop, ends))]
    threads += [
        threading.Thread(target=_keep_working, args=(manifest.name, work, app, stop, ends))
        for manifest in app.manifests.values()
        for work in manifest.workers
    ]
    for thread in threads:
        thread.start()
    with suppress(sa.exc.SQLAlchemyError):  # the first round says what is wrong
        forget_others(app)
    was_wrong = False
    while not stop.is_set():
        pause = 1.0
        try:
            this = Round(app, stop=ends)
            pause = this.run()
            if this.is_clock_wrong != was_wrong:
                was_wrong = this.is_clock_wrong
                _say_of_clock(this)
        except sa.exc.SQLAlchemyError as error:
            log.error("timed tasks wait for the database: %s", reason(error))
        stop.wait(pause)
    for thread in threads:
        thread.join()


def _say_of_clock(this: "Round") -> None:
    if this.is_clock_wrong:
        log.error(
            "this machine's clock is %.1f s %s the database server's, by which timed work goes: set it right",
            abs(this.ahead_seconds),
            "ahead of" if this.ahead_seconds > 0 else "behind",
        )
    else:
        log.warning("this machine's clock agrees with the database server's again")


def _watch_for_read_only(app: "App", stop: threading.Event, ends: threading.Event) -> None:
    """Set `ends` while the deployment is read only, and for good with `stop`."""
    while not stop.wait(LOOK_SECONDS):
        with suppress(sa.exc.SQLAlchemyError):  # as it was, until the database answers
            is_read_only = app.read_only is not None
            if is_read_only and not ends.is_set():
                log.warning("the deployment is read only: what is under way is finished, and all else waits")
                ends.set()
            elif ends.is_set() and not is_read_only:
                log.warning("the deployment is not read only any more")
                ends.clear()
    ends.set()


def _keep_working(
    plugin: str, work: Callable[..., None], app: "App", stop: threading.Event, ends: threading.Event
) -> None:
    """Run a plugin's work until `stop`, again and again should it fail: the others' goes on meanwhile.

    While the deployment is read only, which sets `ends`, it does not run.
    """
    while not stop.is_set():
        if ends.is_set():
            stop.wait(LOOK_SECONDS)
            continue
        try:
            work(app, ends)
        except Exception:
            log.exception("%s of %s failed and starts anew in %s s", work.__name__, plugin, AGAIN_SECONDS)
            stop.wait(AGAIN_SECONDS)
        else:
            if not ends.is_set():
                return  # it has nothing to do here


def tick(app: "App", failed: Failed | None = None, clock: Seconds = time.monotonic) -> float:
    """Run one round; returns for how many seconds nothing is due, 0 where work was left over.

    What fails is logged and tried again, and `failed` is called with the error. `clock` times the turns.
    """
    return Round(app, failed, clock).run()


def forget_others(app: "App") -> None:
    """Remove the tasks of plugins that are off: nobody waits for them."""
    names = {ALIVE, CLOCK, MEASURED, *named_tasks(app)}
    with app.db.writing(across=_DUE_TO_ANYBODY) as db:
        db.execute(sa.delete(tasks).where(tasks.c.name.not_in(names)))
        db.execute(sa.delete(waiting).where(waiting.c.task.not_in(names)))


def named_tasks(app: "App") -> dict[str, Every]:
    """Map the names of all tasks to what they do."""
    return {f"{plugin}.{every.run.__name__}": every for plugin, every in app.timed_tasks()}


class Round:
    """One look at all timed tasks, with a turn for each that is due."""

    def __init__(
        self,
        app: "App",
        failed: Failed | None = None,
        clock: Seconds = time.monotonic,
        stop: threading.Event | None = None,
    ) -> None:
        self.app, self.clock, self.stop = app, clock, stop or threading.Event()
        self.failed: Failed = failed or (lambda error: None)
        with app.db.reading(across=_DUE_TO_ANYBODY) as db:
            self.begun, self._began = app.shared_now(db), clock()
            self.ahead_seconds = (app.now() - self.begun).total_seconds()
            self._due = {row.name: row.due_at for row in db.execute(sa.select(tasks))}
            self._since: dict[str, dict[str, Moment]] = {}
            still = {*db.execute(_STILL).scalars()}
            for row in (row for row in db.execute(sa.select(waiting)) if row.tenant_id not in still):
                self._since.setdefault(row.task, {})[row.tenant_id] = row.since
        self._left: set[str] = set()
        self._spent: dict[str, float] = defaultdict(float)  # seconds by business

    @property
    def is_clock_wrong(self) -> bool:
        """True if this machine's clock differs too much from the shared one."""
        return abs(self.ahead_seconds) > Leases.AHEAD_SECONDS

    def now(self) -> Moment:
        """The present time by the clock that all processes share."""
        if self.app.has_own_clock:
            return self.app.now()
        return Moment.of(self.begun + timedelta(seconds=self.clock() - self._began))

    def run(self) -> float:
        """Run the round; see `tick`."""
        every = {ALIVE: ALIVE_SECONDS}
        self._note_alive()
        if self.app.read_only:
            return LOOK_SECONDS
        if not self.app.db.is_sqlite:
            every[MEASURED] = MEASURED_SECONDS
            # Before the tasks: one that finds 100,000 rows in a table that was empty when last looked at takes minutes.
            if self._claims_task(MEASURED, MEASURED_SECONDS):
                plans.measure_grown(self.app.db)
        for name, task in named_tasks(self.app).items():
            if self.stop.is_set():
                return 0
            every[name] = task.seconds
            if self._claims_task(name, task.seconds):
                self._serve_task(name, task)
                self._note_alive()
        if self._left:
            return 0
        now = self.now()
        if any(_is_due(self._due.get(name), now, seconds) for name, seconds in every.items()):
            return LEAST_PAUSE_SECONDS  # another worker has it, or it came about meanwhile
        pause: float = (min(self._due[name] for name in every) - now).total_seconds()
        return min(max(pause, LEAST_PAUSE_SECONDS), IDLE_SECONDS)

    def _claims_task(self, name: str, seconds: int, **notes: Moment) -> bool:
        """Tell whether this worker is the one to run a task now."""
        now = self.now()
        if not _is_due(self._due.get(name), now, seconds) or not _claim_task(self.app, name, seconds, now, notes):
            return False
        self._due[name] = Moment.of(now + timedelta(seconds=seconds))
        return True

    def _note_alive(self) -> None:
        self._claims_task(ALIVE, ALIVE_SECONDS, **{CLOCK: self.app.now()})

    def _serve_task(self, name: str, every: Every) -> None:
        """Give the businesses for which a task is due their turns, the one that waited longest first."""
        since, begun = self._since.get(name, {}), self.now()
        try:
            due = self._due_of(name, every, since)
        except Exception as error:
            log.exception("%s cannot tell what is due", name)
            self.failed(error)
            return
        left: dict[str, Moment] = {}
        over = self.clock() + TASK_SECONDS
        for tenant_id in sorted(due, key=lambda tenant_id: since.get(tenant_id, begun)):
            if self.clock() >= over:
                left[tenant_id] = since.get(tenant_id, begun)
            elif not self._take_turn(name, every, tenant_id, due[tenant_id]):
                left[tenant_id] = self.now()
        self._note_left(name, since, left)

    def _take_turn(self, name: str, every: Every, tenant_id: str, ids: list[str | None] | None) -> bool:
        """Do what is due to a business for as long as its turn lasts; return whether that was all.

        Its turns of a round share their seconds, but in each something is done: one with work for many tasks would
        otherwise keep the others waiting for as many seconds, and those tasks that come last would never have a turn.
        """
        began = self.clock()
        try:
            return self._do_until(began + BUSINESS_SECONDS - self._spent[tenant_id], name, every, tenant_id, ids)
        finally:
            self._spent[tenant_id] += self.clock() - began

    def _do_until(self, over: float, name: str, every: Every, tenant_id: str, ids: list[str | None] | None) -> bool:
        if ids is None:
            ids = [id for _, id in self._list_records(name, every, tenant_id)]
        if ids == [None]:
            while more := self._run_task(name, every, tenant_id, None):
                if self.clock() >= over:
                    break
            return not more
        for number, id in enumerate(ids, 1):
            while self._run_task(name, every, tenant_id, id):
                if self.clock() >= over:
                    return False
            if self.clock() >= over:
                return number == len(ids) < MOST_AT_ONCE
        return len(ids) < MOST_AT_ONCE

    def _run_task(self, name: str, every: Every, tenant_id: str, id: str | None) -> bool:
        """Run a task once; return whether it says that more is left."""
        return run_once(self.app, name, every, tenant_id, id, self.now(), self.failed)

    def _due_of(self, name: str, every: Every, since: Mapping[str, Moment]) -> dict[str, list[str | None] | None]:
        """The businesses for which a task is due, each with its records, the most urgent first.

        None stands for records that are still to be asked for, and a None among them for work without records.
        """
        if every.due is None:
            # What an earlier round left over comes first.
            return {tenant_id: [None] for tenant_id in since or self._list_tenants(every)}
        found = self._list_records(name, every)
        if len(found) == MOST_AT_ONCE:  # and there may be more, of others
            return dict.fromkeys(self._tenants_with_records(name, every))
        due: dict[str, list[str | None] | None] = {}
        for tenant_id, id in found:
            ids = due.setdefault(tenant_id, [])
            assert ids is not None  # noqa: S101 - as this loop has it
            ids.append(id)
        return due

    def _list_tenants(self, every: Every) -> Iterable[str]:
        with self.app.db.reading(across=_DUE_TO_ANYBODY) as db:
            found = every.tenants(db, self.begun) if every.tenants else db.execute(sa.select(tenants.c.id)).scalars()
            apart = {id for each in self._select_apart(every) for id in db.execute(each).scalars()}
            return [tenant_id for tenant_id in found if tenant_id not in apart]

    def _list_records(self, name: str, every: Every, tenant_id: str | None = None) -> list[tuple[str, str]]:
        """The tenant and id of each record that is due, as many as a turn may have; of one business, where given."""
        due = self._select_records(name, every)
        if tenant_id is not None:
            due = due.where(due.selected_columns.tenant_id == tenant_id)
        with self.app.db.reading(across=_DUE_TO_ANYBODY) as db:
            return [(row.tenant_id, row.id) for row in db.execute(due.limit(MOST_AT_ONCE))]

    def _tenants_with_records(self, name: str, every: Every) -> list[str]:
        found = self._select_records(name, every).order_by(None).subquery()
        with self.app.db.reading(across=_DUE_TO_ANYBODY) as db:
            return list(db.execute(sa.select(found.c.tenant_id).distinct()).scalars())

    def _select_records(self, name: str, every: Every) -> sa.Select[tuple[str, str]]:
        """Select the records that are due and not put off."""
        # One time for all tasks of the round: what they ask of all businesses is asked once.
        due = select_due(self.app, name, every, self.begun)
        of = due.selected_columns
        return due.where(*(of.tenant_id.not_in(each) for each in self._select_apart(every)))

    def _select_apart(self, every: Every) -> list[sa.Select[Any]]:
        """Return the queries for the businesses whose task is not run here.

        They are those that are not open and, if the task goes by a business's time, those with a time of their own,
        whose work `alone` does.
        """
        still = [] if every.of_the_closed else [_STILL]
        return still if every.real_time else [*still, *(each.tenants for _, each in self.app.offered(Context.Clock))]

    def _note_left(self, name: str, since: Mapping[str, Moment], left: Mapping[str, Moment]) -> None:
        """Store the businesses that wait for a task's next turn, and since when; that turn then comes at once."""
        done = [{"of_tenant": tenant_id} for tenant_id in since if tenant_id not in left]
        new = [
            {"tenant_id": tenant_id, "task": name, "since": at}
            for tenant_id, at in left.items()
            if since.get(tenant_id) != at
        ]
        if not done and not left:
            return
        with self.app.db.writing(across=_DUE_TO_ANYBODY) as db:
            if done:
                its = (waiting.c.task == name) & (waiting.c.tenant_id == sa.bindparam("of_tenant"))
                db.execute(sa.delete(waiting).where(its), done)
            if new:
                row = upsert(waiting, db)
                key = ["tenant_id", "task"]
                db.execute(row.on_conflict_do_update(index_elements=key, set_={"since": row.excluded.since}), new)
            if left:
                db.execute(sa.update(tasks).where(tasks.c.name == name).values(due_at=self.now()))
                self._left.add(name)


def run_once(
    app: "App", name: str, every: Every, tenant_id: str, id: str | None, now: Moment, failed: Failed | None = None
) -> bool:
    """Run a task once, at this time; return whether it says that more is left."""
    ctx = Context(app, tenant_id, now=now)
    with app.traced(name, tenant_id) as work:
        try:
            with nullcontext() if every.own_transactions else ctx.transaction():
                return bool(every.run(ctx) if id is None else every.run(ctx, id))
        except NotFound:
            pass  # It was deleted since.
        except Exception as error:
            # One's trouble is not another's; the next time round tries again.
            log.exception("%s failed for %s", name, id or tenant_id)
            work.facts["error.type"] = type(error).__name__
            if id is not None:
                _put_off(ctx, name, id)
            if failed:
                failed(error)
    return False


def select_due(app: "App", name: str, every: Every, now: Moment) -> sa.Select[Any]:
    """Select the records that are due at this time and not put off."""
    assert every.due is not None  # noqa: S101 - what the callers looked at
    due = every.due(app, now)
    of = due.selected_columns
    # They are few, and a task may begin with a table that each node of a cluster has: not looked up for each row of it.
    waits = sa.select(put_off.c.tenant_id, put_off.c.id).where(put_off.c.task == name, _is_put_off(now))
    return due.where(sa.tuple_(of.tenant_id, of.id).not_in(waits))


def _is_due(due: Moment | None, now: Moment, seconds: int) -> bool:
    """Tell whether a task is due. A time further ahead than the interval is due too: a wrong clock set it."""
    return due is None or due <= now or due > _latest_due(now, seconds)


def _latest_due(now: Moment, seconds: float) -> Moment:
    """Return the latest time that a wait of so many seconds can rightly end, allowing for clock differences."""
    return Moment.of(now + timedelta(seconds=seconds + Leases.AHEAD_SECONDS))


def _claim_task(app: "App", name: str, seconds: int, now: Moment, notes: Mapping[str, Moment] | None = None) -> bool:
    """Tell whether this worker is the one to run a task now: the first worker to come sets the task's next time.

    Also writes `notes` into rows of their own. A power cut may undo this, and then the work is done again.
    """
    with app.db.noting() as db:
        row = upsert(tasks, db).values(name=name, due_at=Moment.of(now + timedelta(seconds=seconds)))
        due = (tasks.c.due_at <= now) | (tasks.c.due_at > _latest_due(now, seconds))
        row = row.on_conflict_do_update(index_elements=["name"], set_={"due_at": row.excluded.due_at}, where=due)
        # PostgreSQL does not report the number of rows that an upsert wrote.
        is_ours = db.execute(row.returning(tasks.c.name)).first() is not None
        for note, at in (notes or {}).items() if is_ours else ():
            noted = upsert(tasks, db).values(name=note, due_at=at)
            db.execute(noted.on_conflict_do_update(index_elements=["name"], set_={"due_at": at}))
        return is_ours


def _put_off(ctx: Context, task: str, id: str) -> None:
    """Let a record that failed wait: for a minute at first, then four times as long each time, at most six hours."""
    with ctx.app.db.writing(ctx.tenant_id) as ctx.db:
        this = own(ctx, put_off) & (put_off.c.task == task) & (put_off.c.id == id)
        failures = (ctx.db.execute(sa.select(put_off.c.failures).where(this)).scalar() or 0) + 1
        seconds = min(60 * 4 ** min(failures - 1, 5), MOST_PUT_OFF_SECONDS)
        row = {"failures": failures, "until": Moment.of(ctx.now() + timedelta(seconds=seconds))}
        made = upsert(put_off, ctx.db).values(tenant_id=ctx.tenant_id, task=task, id=id, **row)
        ctx.db.execute(made.on_conflict_do_update(index_elements=["tenant_id", "task", "id"], set_=row))


@lru_cache(8)
def _is_put_off(now: Moment) -> sa.ColumnElement[bool]:
    """The condition that a record still waits. A wait longer than the longest is over: a wrong clock set it."""
    return (put_off.c.until > now) & (put_off.c.until <= _latest_due(now, MOST_PUT_OFF_SECONDS))


def with_old_failures(db: sa.Connection, now: Moment) -> Iterable[str]:
    """Return the tenants with failures of more than a day ago."""
    return db.execute(sa.select(put_off.c.tenant_id).where(_is_past(now)).distinct()).scalars()


def forget_put_off(ctx: Context) -> bool:
    """Forget the tenant's failures of more than a day ago: their records were done since, or are due no more."""
    old = own(ctx, put_off) & _is_past(ctx.now())
    return ctx.db.execute(sa.delete(put_off).where(at_most(MOST_AT_ONCE, put_off, old))).rowcount == MOST_AT_ONCE


def _is_past(now: Moment) -> sa.ColumnElement[bool]:
    return put_off.c.until <= now - timedelta(days=1)


def last_seen(db: sa.Connection) -> Moment | None:
    """Return the last time a worker noted that it is alive; None if none ever did."""
    due = db.execute(sa.select(tasks.c.due_at).where(tasks.c.name == ALIVE)).scalar()
    return Moment.of(due - timedelta(seconds=ALIVE_SECONDS)) if due else None


def silence(db: sa.Connection, now: Moment) -> dict[str, float]:
    """Return the seconds since a worker last noted that it is alive; empty if none ever did.

    The number is below zero if a wrong clock set the note in the future.
    """
    seen = last_seen(db)
    return {} if seen is None else {"": (now - seen).total_seconds()}


def clock_ahead(db: sa.Connection, now: Moment) -> dict[str, float]:
    """Return the seconds by which the worker's clock was ahead of the shared one when last seen; negative if behind."""
    seen = last_seen(db)
    said = db.execute(sa.select(tasks.c.due_at).where(tasks.c.name == CLOCK)).scalar()
    return {} if seen is None or said is None else {"": (said - seen).total_seconds()}


def longest_wait(db: sa.Connection, now: Moment) -> dict[str, float]:
    """Return the seconds that the longest waiting business has waited for its timed work; 0 if none waits."""
    noted = sa.select(sa.func.min(tasks.c.due_at)).where(tasks.c.name.not_in([ALIVE, CLOCK, MEASURED]))
    firsts = [db.execute(select).scalar() for select in (noted, sa.select(sa.func.min(waiting.c.since)))]
    # Nobody waits for a task whose time is still to come.
    return {"": max([0.0, *((now - first).total_seconds() for first in firsts if first)])}


def failing(db: sa.Connection, now: Moment) -> dict[str, float]:
    """Count the records that wait because their timed work failed, by task."""
    counted = sa.select(put_off.c.task, sa.func.count().label("records")).group_by(put_off.c.task)
    counted = counted.where(_is_put_off(now))
    return {row.task: row.records for row in db.execute(counted)}
