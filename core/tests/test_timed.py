"""Timed work: once for each record that is due, each by itself, and again where it failed."""

from threading import Barrier, Thread

import pytest
import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, Every, Manifest, UTCDateTime, own, tenant_table
from billycan.db import metadata
from billycan.fields import Moment
from billycan.testing import Client, run_timed
from billycan.working.worker import _claim, failing, tick


class Settings(Struct):
    """How loud it rings."""

    loudness: int = 3


@pytest.fixture(scope="module")
def alarms():
    table = tenant_table("guest", sa.Column("rings_at", UTCDateTime, nullable=False), sa.Column("rang", sa.Integer))
    yield table
    metadata.remove(table)


@pytest.fixture
def bells(make_app, install, alarms):
    """A plugin whose alarms ring once when they are due; those named in `broken` fail."""
    broken = set()

    def due(app, now: Moment):
        late = alarms.c.rang.is_(None) & (alarms.c.rings_at <= now)
        return sa.select(alarms.c.tenant_id, alarms.c.id).where(late).order_by(alarms.c.rings_at)

    def ring(ctx: Context, id: str) -> None:
        loudness = ctx.settings(Settings).loudness
        ctx.db.execute(sa.update(alarms).where(own(ctx, alarms), alarms.c.id == id).values(rang=loudness))
        if id in broken:
            raise LookupError(f"{id} has no bell")

    install(Manifest(name="guest", settings=Settings, tasks=(Every(seconds=60, due=due, run=ring),)))
    app = make_app("guest", guest={"loudness": 7}, fresh=True, walled=False)  # its table is in no migration
    with app.db.writing() as db:
        alarms.create(db)
    app.broken = broken
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


def test_of_workers_that_look_at_once_one_runs_the_task(bells, clock):
    barrier, claimed = Barrier(4), []

    def look():
        for turn in range(25):
            barrier.wait()
            if _claim(bells, f"guest.{turn}", 60):
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
