"""Timed work: once for each record that is due, each by itself, and again after a failure."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from threading import Barrier, Thread

import pytest
import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, Every, Manifest, UTCDateTime, new_table, own
from billycan.db import metadata
from billycan.fields import Moment
from billycan.testing import Client, run_timed
from billycan.working import worker
from billycan.working.worker import _claim_task, failing, tick


class Settings(Struct):
    """The settings of the alarm."""

    loudness: int = 3


@pytest.fixture(scope="module")
def alarms():
    table = new_table("guest", sa.Column("rings_at", UTCDateTime, nullable=False), sa.Column("rang", sa.Integer))
    yield table
    metadata.remove(table)


class Stopwatch:
    """A clock for turns that only runs while an alarm rings, for as long as `takes` says."""

    def __init__(self):
        self.seconds, self.takes = 0.0, 0.0

    def __call__(self):
        return self.seconds


@pytest.fixture
def watch():
    return Stopwatch()


@pytest.fixture
def bells(make_app, install, alarms, watch):
    """A plugin whose alarms ring once when they are due, those named in `broken` fail; and it visits businesses."""
    broken, rung, visited, times = set(), [], [], []

    def due(app, now: Moment):
        late = alarms.c.rang.is_(None) & (alarms.c.rings_at <= now)
        return sa.select(alarms.c.tenant_id, alarms.c.id).where(late).order_by(alarms.c.rings_at)

    def ring(ctx: Context, id: str) -> None:
        loudness = ctx.settings(Settings).loudness
        watch.seconds += watch.takes
        rung.append(ctx.tenant_id)
        times.append(ctx.now())
        ctx.db.execute(sa.update(alarms).where(own(ctx, alarms), alarms.c.id == id).values(rang=loudness))
        if id in broken:
            raise LookupError(f"{id} has no bell")

    def visit(ctx: Context) -> None:
        watch.seconds += watch.takes
        visited.append(ctx.tenant_id)

    work = Every(seconds=60, due=due, run=ring), Every(seconds=60, run=visit)
    install(Manifest(name="guest", settings=Settings, tasks=work))
    app = make_app("guest", guest={"loudness": 7}, fresh=True, walled=False)  # its table is in no migration
    with app.db.writing() as db:
        alarms.create(db)
    app.broken, app.rung, app.visited, app.times = broken, rung, visited, times
    return app


def add(client, alarms, *ids, at=None):
    rows = [{"tenant_id": client.tenant_id, "id": id, "rings_at": at or client.app.now()} for id in ids]
    with client.app.db.writing(client.tenant_id) as db:
        db.execute(sa.insert(alarms), rows)


def rang(app, alarms):
    with app.db.reading(across="a test looks at every row") as db:
        return {row.id: row.rang for row in db.execute(sa.select(alarms)) if row.rang}


def test_each_record_is_done_when_it_is_due(bells, alarms, clock):
    ada, grace = Client(bells), Client(bells)
    add(ada, alarms, "alm_1")
    add(grace, alarms, "alm_2", at=Moment.of(clock.time.replace(hour=12)))
    run_timed(bells)
    assert rang(bells, alarms) == {"alm_1": 7}
    clock.move(hours=12)
    run_timed(bells)
    assert rang(bells, alarms) == {"alm_1": 7, "alm_2": 7}


def test_one_that_fails_undoes_no_other_and_waits_longer_each_time(bells, alarms, clock, caplog):
    client = Client(bells)
    bells.broken.add("alm_1")
    add(client, alarms, "alm_1", "alm_2")
    with pytest.raises(LookupError, match="alm_1 has no bell"):
        run_timed(bells)
    assert rang(bells, alarms) == {"alm_2": 7}
    assert "guest.ring failed for alm_1" in caplog.text
    with bells.db.reading(across="a test looks at every row") as db:
        assert failing(db, bells.now()) == {"guest.ring": 1}
    tried = caplog.text.count("failed for alm_1")
    for minutes in range(6):  # The second attempt comes after a minute, the third after four more.
        clock.move(minutes=1)
        tick(bells)
        assert caplog.text.count("failed for alm_1") - tried == (1 if minutes < 4 else 2), minutes
    bells.broken.clear()
    clock.move(minutes=17)
    run_timed(bells)
    assert rang(bells, alarms) == {"alm_1": 7, "alm_2": 7}
    clock.move(days=2)
    run_timed(bells)
    with bells.db.reading() as db:
        assert db.execute(sa.text("SELECT count(*) FROM core_put_off")).scalar() == 0


def test_no_more_are_taken_at_once_than_one_turn_can_hold(bells, alarms, clock, monkeypatch):
    monkeypatch.setattr("billycan.working.worker.MOST_AT_ONCE", 3)
    client = Client(bells)
    add(client, alarms, *(f"alm_{i}" for i in range(7)))
    for done in (3, 6, 7, 7):  # What is left comes in the next turn, a second later.
        tick(bells)
        assert len(rang(bells, alarms)) == done


def wait_of(app):
    with app.db.reading(across="a test looks at every row") as db:
        (seconds,) = worker.longest_wait(db, app.now()).values()
    return seconds


def left(app):
    with app.db.reading(across="a test looks at every row") as db:
        return [row.tenant_id for row in db.execute(sa.select(worker.waiting).order_by(worker.waiting.c.since))]


def test_a_business_with_much_to_do_has_no_more_than_its_turn(bells, alarms, clock, watch):
    noisy, quiet = Client(bells), Client(bells)
    add(noisy, alarms, *(f"alm_n{i:02}" for i in range(20)))
    clock.move(seconds=1)
    add(quiet, alarms, "alm_quiet")
    watch.takes = 0.2
    assert tick(bells, clock=watch) == 0, "what is left over comes at once"
    assert bells.rung == [noisy.tenant_id] * 3 + [quiet.tenant_id]
    assert left(bells) == [noisy.tenant_id]
    for _ in range(6):
        tick(bells, clock=watch)
    assert len(bells.rung) == 21 and left(bells) == []
    assert tick(bells, clock=watch) > 0


def test_a_business_with_much_to_do_for_many_tasks_has_one_turns_time_in_all(make_app, install, watch):
    done = []

    def visiting(name):
        def visit(ctx: Context) -> bool:
            watch.seconds += 0.1
            done.append((name, ctx.tenant_id))
            return ctx.tenant_id == noisy.tenant_id  # whose work never ends

        visit.__name__ = name
        return Every(seconds=60, run=visit)

    install(Manifest(name="guest", tasks=tuple(visiting(name) for name in ("first", "second", "third"))))
    app = make_app("guest", fresh=True)
    noisy, quiet = Client(app), Client(app)
    tick(app, clock=watch)
    counts = Counter(name for name, tenant_id in done if tenant_id == noisy.tenant_id)
    assert counts == {"first": 5, "second": 1, "third": 1}  # of 0.5 s, and one for each task
    assert Counter(name for name, tenant_id in done if tenant_id == quiet.tenant_id) == dict.fromkeys(counts, 1)


def test_a_business_with_more_than_a_turn_can_hold_hides_nobody(bells, alarms, clock, monkeypatch):
    monkeypatch.setattr("billycan.working.worker.MOST_AT_ONCE", 3)
    noisy, quiet = Client(bells), Client(bells)
    add(noisy, alarms, *(f"alm_{i}" for i in range(7)))
    clock.move(seconds=1)
    add(quiet, alarms, "alm_quiet")
    tick(bells, clock=lambda: 0.0)
    assert bells.rung == [noisy.tenant_id] * 3 + [quiet.tenant_id]


def test_who_waited_longest_comes_first(bells, alarms, clock, watch):
    clients = [Client(bells) for _ in range(7)]
    for client in clients:
        add(client, alarms, *(f"alm_{client.tenant_id}{i}" for i in range(3)))
        clock.move(seconds=1)
    ids = [client.tenant_id for client in clients]
    watch.takes = 0.5
    tick(bells, clock=watch)
    assert bells.rung == ids[:4], "a task has two seconds in a round"
    clock.move(seconds=30)
    assert 30 <= wait_of(bells) < 31
    tick(bells, clock=watch)
    assert bells.rung == [*ids[:4], *ids[4:], ids[0]]
    for _ in range(5):
        tick(bells, clock=watch)
    assert sorted(bells.rung) == sorted(ids * 3) and left(bells) == []


def test_a_slow_task_keeps_no_other_waiting_and_visits_end_where_they_left_off(bells, alarms, clock, watch):
    clients = [Client(bells) for _ in range(6)]
    for client in clients:
        add(client, alarms, *(f"alm_{client.tenant_id}{i}" for i in range(30)))
    ids = {client.tenant_id for client in clients}
    watch.takes = 0.5
    assert tick(bells, clock=watch) == 0
    assert (len(bells.rung), len(bells.visited)) == (4, 4)
    for _ in range(2):
        tick(bells, clock=watch)
    assert {*bells.visited} >= ids, "with their sandboxes they are twelve"
    for _ in range(3):
        tick(bells, clock=watch)
    found = len(bells.visited)
    assert found == len({*bells.visited}) == 12, "the next visits are due in a minute"
    clock.move(minutes=1)
    tick(bells, clock=watch)
    assert len(bells.visited) == found + 4


def test_how_long_somebody_waits_is_shown(bells, alarms, clock):
    client = Client(bells)
    tick(bells)
    assert wait_of(bells) == 0
    clock.move(minutes=10)
    assert 539 < wait_of(bells) < 541, "core's own work was due after a minute, and no worker came"
    assert (
        "\nbillycan_tasks_waiting_seconds 540."
        in client.web.get("/-/metrics", extra_environ={"REMOTE_ADDR": "127.0.0.1"}).text
    )
    tick(bells)
    assert wait_of(bells) == 0


def test_a_clock_that_was_ahead_stops_nothing(bells, alarms, clock):
    client = Client(bells)
    add(client, alarms, "alm_1")
    bells.broken.add("alm_1")
    clock.move(days=30)
    tick(bells)
    clock.move(days=-30, seconds=14)
    with bells.db.reading(across="a test looks at every row") as db:
        assert worker.silence(db, bells.now())[""] < -2_500_000, "it is shown as it is"
    bells.broken.clear()
    tick(bells)
    assert rang(bells, alarms) == {"alm_1": 7}
    add(client, alarms, "alm_2")
    clock.move(minutes=1)
    tick(bells)
    assert rang(bells, alarms) == {"alm_1": 7, "alm_2": 7}
    with bells.db.reading(across="a test looks at every row") as db:
        assert 0 <= worker.silence(db, bells.now())[""] < 1


def test_timed_work_goes_by_the_database_servers_clock(bells, alarms, clock, caplog):
    if bells.db.is_sqlite:
        pytest.skip("SQLite has no clock but the machine's")
    client = Client(bells)
    bells.is_clock_given = False
    bells.clock = lambda: datetime.now(UTC) + timedelta(days=30)
    now = datetime.now(UTC)
    add(client, alarms, "alm_1", at=Moment.of(now - timedelta(hours=1)))
    add(client, alarms, "alm_2", at=Moment.of(now + timedelta(days=1)))
    this = worker.Round(bells)
    this.run()
    assert rang(bells, alarms) == {"alm_1": 7}, "the other is due tomorrow"
    assert abs(bells.times[0] - now) < timedelta(minutes=5)
    assert this.is_clock_wrong
    with bells.db.reading(across="a test looks at every row") as db:
        shared = bells.shared_now(db)
        latest = db.execute(sa.select(sa.func.max(worker.tasks.c.due_at)).where(worker.tasks.c.name != worker.CLOCK))
        assert latest.scalar_one() < shared + timedelta(days=1, seconds=1)
        assert 0 <= worker.silence(db, shared)[""] < 60
        assert abs(worker.clock_ahead(db, shared)[""] - 30 * 86400) < 60


def test_tasks_of_plugins_that_are_off_are_forgotten_when_a_worker_starts(bells):
    with bells.db.writing() as db:
        db.execute(sa.insert(worker.tasks).values(name="gone.ring", due_at=bells.now()))
    tick(bells)
    worker.forget_others(bells)
    with bells.db.reading() as db:
        names = {*db.execute(sa.select(worker.tasks.c.name)).scalars()}
    assert "gone.ring" not in names and {"guest.ring", worker.ALIVE} <= names


def test_of_workers_that_look_at_once_one_runs_the_task(bells, clock):
    barrier, claimed = Barrier(4), []

    def look():
        for turn in range(25):
            barrier.wait()
            if _claim_task(bells, f"guest.{turn}", 60, bells.now()):
                claimed.append(turn)

    threads = [Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(claimed) == [*range(25)]


def test_work_for_records_cannot_be_for_tenants_too(make_app, install):
    every = Every(seconds=60, run=print, due=print, tenants=print)
    install(Manifest(name="guest", tasks=(every,)))
    with pytest.raises(Exception, match="guest: print has both due and tenants"):
        make_app("guest")
