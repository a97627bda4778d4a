"""Replicas of PostgreSQL: what may be read there is, and nobody misses a write that was acknowledged."""

import os
import signal
import time
from contextlib import contextmanager

import pytest
import sqlalchemy as sa

from billycan.db import ReplicaLost
from billycan.engines import postgres, replicas
from billycan.operating import health as doctor
from billycan.operating import metrics
from billycan.starting import migrate, policies
from billycan.starting.settings import SettingsError
from billycan.testing import Client, throwaway
from billycan.testing.fixtures import ROLE

PLUGINS = ("contacts", "documents", "hosted", "invoices")
SECONDS = 60


@pytest.fixture(scope="module")
def primary():
    if (server := throwaway.start()) is None:
        pytest.skip("Replicas were NOT TESTED: no PostgreSQL")
    return server


@pytest.fixture(scope="module")
def standby(primary):
    return primary.replica(max_standby_streaming_delay="10")


@pytest.fixture
def connect(make_app, engine):
    """An app on a primary, with reads from replicas: `connect(primary, standby)`."""
    if engine != "postgresql":
        pytest.skip("PostgreSQL's alone")

    def make(primary, *standbys):
        name = "billycan"
        if not asked(primary, "SELECT datname FROM pg_database WHERE datname = 'billycan'"):
            url = primary.database(name).render_as_string()
            app = make_app(*PLUGINS, database=url, migrated=False, walled=False)
            migrate.upgrade_all(app.db, app.manifests)
            with app.db.writing() as db:
                policies.create_policies(db, ROLE, "")
        urls = [server.url.set(database=name, username=ROLE).render_as_string() for server in (primary, *standbys)]
        return make_app(*PLUGINS, database=urls[0], database_replica=urls[1:])

    return make


@pytest.fixture
def app(connect, primary, standby):
    app = connect(primary, standby)
    catch_up(app)
    return app


def asked(server, statement, database="postgres"):
    engine = sa.create_engine(server.url.set(database=database), poolclass=sa.NullPool, isolation_level="AUTOCOMMIT")
    with engine.connect() as db:
        found = db.exec_driver_sql(statement)
        return [*found.scalars()] if found.returns_rows else []


def shown(app):
    lines = [line for line in metrics.write_metrics(app).splitlines() if not line.startswith("#")]
    return {name: float(number) for name, number in (line.rsplit(" ", 1) for line in lines if line)}


def until(is_so):
    end = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)


def catch_up(app):
    """Wait until every replica has replayed what is written now, and is asked."""
    written = app.db.replicas.written()

    def has(replica):
        try:
            return replica.behind(written) <= 0
        except (sa.exc.DBAPIError, TypeError):
            return False

    for replica in app.db.replicas:
        until(lambda replica=replica: has(replica) and not replica.is_left_out)


@contextmanager
def sent(*engines):
    """The statements that these engines send, but for those that ask how far a server is."""
    found = []

    def note(connection, cursor, statement, *given):
        if "pg_control_" not in statement and "_wal_" not in statement:
            found.append(statement)

    for engine in engines:
        sa.event.listen(engine, "before_cursor_execute", note)
    yield found
    for engine in engines:
        sa.event.remove(engine, "before_cursor_execute", note)


@contextmanager
def paused(standby):
    asked(standby, "SELECT pg_wal_replay_pause()")
    try:
        until(lambda: asked(standby, "SELECT pg_get_wal_replay_pause_state()") == ["paused"])
        yield
    finally:
        asked(standby, "SELECT pg_wal_replay_resume()")


def on_replicas(app):
    return sent(*(replica.engine for replica in app.db.replicas))


def test_everything_that_only_reads_is_read_from_the_replica(app):
    client = Client(app)
    id = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    client.get("/v1/me")  # whatever is looked up once a second is
    catch_up(app)
    for path in (f"/v1/contacts/{id}", "/v1/contacts?search=ada", "/v1/invoices", "/v1/events"):
        with on_replicas(app) as there, sent(app.db.reader, app.db.writer) as here:
            client.get(path)
        assert there and not [each for each in here if "contacts" in each or "invoices" in each], path
    with on_replicas(app) as there:
        listed = client.call("GET", "/v1/contacts", headers={"Accept": "text/csv"}, status=200)
    assert "Ada" in listed.text and there


def test_nobody_misses_a_write_while_the_replica_replays_nothing(app, connect, primary, standby):
    """Without a clock: what was paused replays nothing, however long somebody waits."""
    other = connect(primary, standby)
    client, elsewhere = Client(app), Client(other)
    elsewhere.headers, another_key = client.headers, Client(app, client.tenant_id)
    id = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    catch_up(app)
    with paused(standby):
        client.patch(f"/v1/contacts/{id}", {"name": "Grace"})
        for reader in (client, another_key, elsewhere):
            with on_replicas(app) as there, on_replicas(other) as there_too:
                assert reader.get(f"/v1/contacts/{id}")["data"]["name"] == "Grace"
                assert [each["name"] for each in reader.get("/v1/contacts")["data"]] == ["Grace"]
            assert there == there_too == []
        assert shown(app)[f'billycan_replica_behind_bytes{{replica="{behind(app).name}"}}'] > 0
    catch_up(app)
    with on_replicas(app) as there:
        assert client.get(f"/v1/contacts/{id}")["data"]["name"] == "Grace"
    assert there


def behind(app):
    (replica,) = app.db.replicas
    return replica


def test_one_that_lags_is_not_waited_for_twice(app, standby, monkeypatch):
    client, asks = Client(app), []
    catch_up(app)
    was = replicas._count_bytes_behind
    monkeypatch.setattr(replicas, "_count_bytes_behind", lambda *given: asks.append(given) or was(*given))
    with paused(standby):
        client.post("/v1/contacts", {"name": "Ada"})
        client.get("/v1/contacts")
        assert len(asks) > 1, "it may replay the last few writes in a moment"
        for _ in range(3):
            asks.clear()
            client.get("/v1/contacts")
            assert len(asks) == 1


def test_a_write_that_is_about_to_be_replayed_is_waited_for(app, standby, monkeypatch):
    client = Client(app)
    catch_up(app)
    monkeypatch.setattr(replicas, "_WAIT_SECONDS", SECONDS)
    monkeypatch.setattr(replicas.time, "sleep", lambda seconds: asked(standby, "SELECT pg_wal_replay_resume()"))
    with paused(standby):
        client.post("/v1/contacts", {"name": "Ada"})
        with on_replicas(app) as there:
            assert [each["name"] for each in client.get("/v1/contacts")["data"]] == ["Ada"]
        assert there


def test_row_level_security_holds_on_a_replica(app):
    clients = [Client(app), Client(app)]
    for client in clients:
        client.post("/v1/contacts", {"name": client.tenant_id})
    catch_up(app)
    for client in clients:
        with app.db.reading_anywhere(client.tenant_id) as db:
            assert db.engine is behind(app).engine
            assert [*db.exec_driver_sql("SELECT name FROM contacts").scalars()] == [client.tenant_id]
            with pytest.raises(sa.exc.DBAPIError, match="read-only"):
                db.exec_driver_sql("UPDATE contacts SET name = ''")


def test_one_that_is_away_fails_no_request_and_is_told_of(app, standby, monkeypatch):
    monkeypatch.setattr(replicas, "_AWAY_SECONDS", 0.0)
    client, name = Client(app), behind(app).name
    client.post("/v1/contacts", {"name": "Ada"})
    catch_up(app)
    up, lag = (f'billycan_replica_{figure}{{replica="{name}"}}' for figure in ("up", "behind_bytes"))
    assert shown(app)[up] == 1 and shown(app)[lag] == 0
    assert [(f.ok, f.figures["behind_bytes"]) for f in doctor.check_replicas(app)] == [(True, 0)]
    standby.stop()
    try:
        for _ in range(3):
            assert client.get("/v1/contacts")["data"]
        assert shown(app)[up] == 0 and lag not in shown(app)
        (found,) = doctor.check_replicas(app)
        assert not found.ok and name in found.message and found.cure
    finally:
        standby.start()
    catch_up(app)
    with on_replicas(app) as there:
        assert client.get("/v1/contacts")["data"]
    assert there


def test_one_that_does_not_answer_holds_nobody_up_for_long(app, standby, monkeypatch):
    client = Client(app)
    client.post("/v1/contacts", {"name": "Ada"})
    catch_up(app)
    monkeypatch.setattr(replicas, "_ANSWER_SECONDS", 0.05)
    assert client.get("/v1/contacts")["data"]
    with app.db.reading_anywhere(client.tenant_id) as db:
        pid = db.exec_driver_sql("SELECT pg_backend_pid()").scalar()
    os.kill(pid, signal.SIGSTOP)
    try:
        with on_replicas(app) as there:
            assert client.get("/v1/contacts")["data"]
            assert client.get("/v1/contacts")["data"], "without another attempt"
        assert there == []
    finally:
        os.kill(pid, signal.SIGCONT)


@pytest.mark.parametrize("ends", ["terminated", "in conflict with what is replayed"])
def test_a_read_that_the_replica_ends_begins_anew_on_the_primary(app, standby, primary, monkeypatch, ends):
    client, done = Client(app), []
    client.post("/v1/contacts", {"name": "Ada"})
    catch_up(app)

    def end(connection, cursor, statement, *given):
        if "FROM contacts" in statement and not done:
            done.append(statement)
            pid = connection.connection.driver_connection.info.backend_pid
            if ends == "terminated":
                asked(standby, f"SELECT pg_terminate_backend({pid}, 10000)")
            else:
                raise sa.exc.OperationalError(statement, {}, _Conflict())

    monkeypatch.setattr(replicas, "_AWAY_SECONDS", 0.0)
    sa.event.listen(behind(app).engine, "before_cursor_execute", end)
    try:
        assert [each["name"] for each in client.get("/v1/contacts")["data"]] == ["Ada"]
    finally:
        sa.event.remove(behind(app).engine, "before_cursor_execute", end)
    assert done
    catch_up(app)


class _Conflict(Exception):
    sqlstate = "40001"


def test_a_real_conflict_with_what_is_replayed_is_known(app, primary, standby, monkeypatch):
    """A replica that was asked for too long ends the read, so that it can replay the removal of what is read."""
    monkeypatch.setattr(replicas, "_AWAY_SECONDS", 0.0)
    client = Client(app)
    client.post("/v1/contacts", {"name": "Ada"})
    catch_up(app)
    with pytest.raises(ReplicaLost), app.db.reading_anywhere(client.tenant_id) as db:
        assert db.engine is behind(app).engine
        db.exec_driver_sql("BEGIN ISOLATION LEVEL REPEATABLE READ")
        db.exec_driver_sql("SELECT count(*) FROM contacts")
        asked(primary, "UPDATE contacts SET notes = 'x'", "billycan")
        asked(primary, "VACUUM contacts", "billycan")
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            db.exec_driver_sql("SELECT count(*) FROM contacts")
    catch_up(app)


def test_one_that_a_failover_left_behind_is_not_read_from(connect):
    """It has replayed a later position than the new primary has written, on a log that is no longer the primary's."""
    primary = throwaway.start()
    successor, left = primary.replica(), primary.replica()
    before = connect(primary, left)
    id = Client(before).post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    until(lambda: asked(successor, "SELECT count(*) FROM contacts", "billycan") == [1])
    successor.promote()
    asked(primary, "SELECT pg_switch_wal()")
    Client(before).post("/v1/contacts", {"name": "lost"})
    until(lambda: asked(left, "SELECT count(*) FROM contacts", "billycan") == [2])
    app = connect(successor, left)
    far = asked(left, "SELECT pg_last_wal_replay_lsn()::text")[0]
    assert asked(successor, f"SELECT pg_current_wal_flush_lsn() < '{far}'") == [True]
    client = Client(app)
    client.post("/v1/contacts", {"name": "Grace"})
    with on_replicas(app) as there:
        assert [each["name"] for each in client.get("/v1/contacts")["data"]] == ["Grace"]
    assert there == [] and id
    (found,) = doctor.check_replicas(app)
    assert not found.ok and "does not follow" in found.message


def test_one_that_reads_from_replicas_of_other_nodes_is_not_read_from(connect, primary):
    """A cluster's coordinator knows how far it is itself, but not those nodes: it would miss writes that they lack.

    PostgreSQL keeps the setting for the extension, whether it is installed or not.
    """
    standby = primary.replica(**{"citus.use_secondary_nodes": "always"})
    app = connect(primary, standby)
    client = Client(app)
    id = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    until(lambda: asked(standby, f"SELECT id FROM contacts WHERE id = '{id}'", "billycan"))
    with on_replicas(app) as there:
        assert [each["name"] for each in client.get("/v1/contacts")["data"]] == ["Ada"]
    assert there == []
    (found,) = doctor.check_replicas(app)
    assert not found.ok and "other nodes" in found.message


def test_two_replicas_take_turns(connect, primary, standby):
    second = primary.replica()
    app = connect(primary, standby, second)
    client = Client(app)
    catch_up(app)
    used = []
    for _ in range(4):
        with sent(next(iter(app.db.replicas)).engine) as there:
            client.get("/v1/contacts")
        used.append(bool(there))
    assert used in ([True, False] * 2, [False, True] * 2)


@pytest.mark.parametrize("replica", ["sqlite:///var/x.db", "nonsense", "postgresql+psycopg://h/x"])
def test_only_postgresql_has_replicas(make_app, engine, replica):
    if engine == "postgresql" and replica.startswith("postgresql"):
        pytest.skip("that is right")
    with pytest.raises(SettingsError, match="database_replica: must be"):
        make_app("contacts", database_replica=[replica])


def test_what_no_synchronous_replica_has_is_not_acknowledged(connect, monkeypatch):
    monkeypatch.setitem(postgres._SETTINGS, "statement_timeout", "200")  # does not end a commit's wait
    monkeypatch.setattr(postgres, "HUNG_SECONDS", 0.0)
    server = throwaway.start()
    app = connect(server)
    client = Client(app)
    client.get("/v1/me")
    monkeypatch.setattr(postgres, "PATIENCE_SECONDS", 1.0)

    def await_replica(name):
        asked(server, f"ALTER SYSTEM SET synchronous_standby_names = '{name}'")
        asked(server, "SELECT pg_reload_conf()")

    def create(status):
        headers = {"Idempotency-Key": "one"}
        return client.call("POST", "/v1/contacts", {"name": "Ada"}, headers=headers, status=status).json["data"]

    await_replica("away")
    create(503)
    create(409)  # PostgreSQL still waits: nobody sees it, not even whoever asks again
    await_replica("")
    until(lambda: asked(server, "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'") == [])
    id = create(201)["id"]
    assert [each["id"] for each in client.get("/v1/contacts")["data"]] == [id]
