"""PgBouncer in front of PostgreSQL: one that shares sessions needs the setting `pooled`, and is else refused."""

import re
import threading
import time

import pytest
import sqlalchemy as sa

from billycan.db import Database, one_moment
from billycan.engines import postgres
from billycan.starting.explain import explain_error
from billycan.testing import Client, throwaway
from billycan.tools import doctor


@pytest.fixture
def pool(make_app, engine):
    """A pooler before the database of a new app with contacts: `pool("transaction")`."""
    if engine != "postgresql":
        pytest.skip("PostgreSQL's alone")
    if not throwaway.Pooler.program():
        pytest.skip("Poolers were NOT TESTED: no pgbouncer on PATH")
    made = []

    def start(mode, **given):
        made.append(throwaway.Pooler(make_app("contacts", fresh=True).db.url, mode, **given))
        return made[-1].url

    yield start
    for pooler in made:
        pooler.close()


@pytest.fixture
def through(make_app):
    return lambda url, **given: make_app("contacts", database=url.render_as_string(), **given)


@pytest.mark.parametrize("more", ["", "server_round_robin = 1"])
def test_sessions_that_are_shared_are_refused_at_the_start(pool, through, more, monkeypatch):
    url = pool("transaction", more=more)
    with pytest.raises(sa.exc.OperationalError) as refused:
        through(url)
    said = explain_error(refused.value)
    cures = r"a pooler .* of its own: set PgBouncer's pool_mode to session, or the setting pooled to true, or connect"
    assert re.search(cures, said), said
    monkeypatch.setenv("BILLYCAN_DATABASE", url.render_as_string())
    monkeypatch.setenv("BILLYCAN_SECRET", "a secret for tests that is long enough")
    monkeypatch.setenv("BILLYCAN_PLUGINS", "contacts")
    (found,) = [finding for finding in doctor.examine() if finding.check == "database"]
    assert not found.ok and "pool_mode" in found.message


def test_each_connection_is_looked_at(pool, through, caplog):
    """As where the pooler is put in between, or its mode changed, while the server runs."""
    app = through(pool("session"))
    client = Client(app)
    client.post("/v1/contacts", {"name": "Ada"})
    shared = Database(pool("transaction"))
    app.db.dispose()
    ours, app.db = app.db, shared
    try:
        client.refused(503, "unavailable", "GET", "/v1/contacts")
        client.refused(503, "unavailable", "POST", "/v1/contacts", {"name": "Bob"})
    finally:
        app.db = ours
        shared.dispose()
    assert "pool_mode" in caplog.text
    assert [each["name"] for each in client.get("/v1/contacts")["data"]] == ["Ada"]


def test_a_session_of_ones_own_behind_a_pooler_serves_as_any_other(pool, through):
    app = through(pool("session"))
    client, other = Client(app), Client(app)
    both = [client, other]
    for i in range(20):
        both[i % 2].post("/v1/contacts", {"name": str(i)})
    found = {}

    def read(i):
        found[i] = {int(each["name"]) % 2 for each in both[i % 2].get("/v1/contacts")["data"]}

    threads = [threading.Thread(target=read, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {i: {i % 2} for i in range(8)}


def test_a_pooler_takes_no_bounds_away(pool, through):
    """It drops what a connection asks for as it is made, so that is asked for again."""
    db = through(pool("session")).db
    with db.reading() as reader:
        told = [reader.exec_driver_sql(f"SHOW {name}").scalar() for name in ("statement_timeout", "lock_timeout")]
        assert told == ["15s", "5s"] and reader.exec_driver_sql("SHOW default_transaction_read_only").scalar() == "on"
    with db.writing() as writer:
        assert writer.exec_driver_sql("SHOW transaction_read_only").scalar() == "off"


def test_a_pooler_with_no_session_left_keeps_nobody_waiting_for_the_look(pool):
    db = Database(pool("session", size=1))
    begun = time.monotonic()
    try:
        with db.reading() as reader:
            assert reader.exec_driver_sql("SELECT 1").scalar() == 1
    finally:
        db.dispose()
    assert time.monotonic() - begun < 30, "PgBouncer would have it wait for two minutes"


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("before", ["one server", "a cluster"])
def test_pooled_connections_share_sessions_and_nothing_else(pool, through, plain, before):
    """Each transaction gets another session here, and no session is asked for more than one transaction in turn."""
    url = pool("transaction", size=3, more="server_round_robin = 1")
    if before == "a cluster":  # or so it seems
        with sa.create_engine(url.set(username="postgres"), poolclass=sa.NullPool).begin() as db:
            db.exec_driver_sql("CREATE VIEW pg_dist_node AS SELECT 1")
    app = through(url, pooled=True, plain_sql=plain)
    clients = [Client(app), Client(app)]
    right, seen = [], sa.text("SELECT split_part(name, ' ', 1) FROM contacts WHERE tenant_id IN (:one, :two)")
    both = dict(zip(("one", "two"), (client.tenant_id for client in clients), strict=True))

    def use(number):
        whose = number % 2
        mine, others = clients[whose], clients[1 - whose]
        for i in range(12):
            id = mine.post("/v1/contacts", {"name": f"client{whose} {number} {i}"})["data"]["id"]
            mine.patch(f"/v1/contacts/{id}", {"notes": f"{number} {i}"})
            assert mine.get(f"/v1/contacts/{id}")["data"]["notes"] == f"{number} {i}"
            others.get(f"/v1/contacts/{id}", 404)
            listed = mine.get(f"/v1/contacts?per_page=100{['', '&search=client'][i % 2]}")["data"]
            assert {each["name"].split()[0] for each in listed} == {f"client{whose}"} and len(listed) > i
            with app.db.reading(mine.tenant_id) as db, one_moment(db):
                assert {*db.execute(seen, both).scalars()} == {f"client{whose}"}
        right.append(number)

    threads = [threading.Thread(target=use, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(right) == 4


def test_pooled_transactions_have_the_bounds_that_sessions_have(pool, through):
    app = through(pool("transaction", size=2), pooled=True)
    ours, other = Client(app).tenant_id, Client(app).tenant_id
    told = sa.text(
        "SELECT current_setting('statement_timeout'), current_setting('lock_timeout'),"
        " current_setting('transaction_read_only'), current_setting('billycan.tenant')"
    )
    for _ in range(3):
        with app.db.reading(ours) as db:
            assert [*db.execute(told).one()] == ["15s", "5s", "on", ours]
            assert [*db.execute(told).one()] == ["15s", "5s", "on", ours], "each statement is a transaction"
            with one_moment(db):
                assert [*db.execute(told).one()] == ["15s", "5s", "on", ours]
            with pytest.raises(sa.exc.DBAPIError, match=r"read-only|UPDATE"):
                db.exec_driver_sql("UPDATE contacts SET name = ''")
        with app.db.writing(other) as db:
            assert [*db.execute(told).one()] == ["15s", "5s", "off", other]
            with db.begin_nested():
                assert db.execute(told).one()[3] == other
        with pytest.raises(sa.exc.DBAPIError), app.db.writing(other) as db:
            db.exec_driver_sql("SELECT 1 / 0")
        # What a transaction told is gone with it: nothing is left for whoever gets the session next.
        with app.db.writer.connect() as db:
            raw = db.connection.driver_connection
            assert raw.execute("SHOW statement_timeout").fetchone() == ("0",)
            assert raw.execute("SELECT current_setting('billycan.tenant', true)").fetchone() in [("",), (None,)]


def test_a_statement_beyond_those_that_are_kept_is_prepared_in_place_of_another(pool, through, monkeypatch):
    """As PgBouncer from 1.21 on keeps them; an older one keeps none, and then none is prepared."""
    monkeypatch.setattr(postgres, "_MOST_PREPARED", 2)
    app = through(pool("transaction", size=2, more="server_round_robin = 1"), pooled=True)
    client = Client(app)
    for i in range(6):
        id = client.post("/v1/contacts", {"name": str(i)})["data"]["id"]
        assert client.get(f"/v1/contacts/{id}")["data"]["name"] == str(i)
    assert client.get("/v1/contacts?sort=name")["pagination"]["total"] == 6


def test_a_pool_with_no_session_left_is_503_in_time_and_says_why(pool, through, caplog):
    url = pool("transaction", size=1, more="query_wait_timeout = 4")
    app = through(url, pooled=True)
    client = Client(app)
    client.post("/v1/contacts", {"name": "Ada"})
    with app.db.writing(client.tenant_id) as db:
        db.exec_driver_sql("SELECT 1")  # it has the only session
        assert client.decoded(client.call("GET", "/-/ready", None, 503))["status"] == "unavailable"
        begun = time.monotonic()
        client.refused(503, "unavailable", "GET", "/v1/contacts")
        assert time.monotonic() - begun < 60, "PgBouncer would have it wait for two minutes"
    assert "query_wait_timeout" in caplog.text
    assert [each["name"] for each in client.get("/v1/contacts")["data"]] == ["Ada"]


def test_without_a_pooler_the_look_is_one_round_trip(make_app, engine, monkeypatch):
    if engine != "postgresql":
        pytest.skip("PostgreSQL's alone")
    from billycan.engines import sessions

    db = make_app("contacts").db
    probed = []
    monkeypatch.setattr(sessions, "_is_shared", lambda *given: probed.append(given))
    db.dispose()
    with db.reading() as reader:
        assert reader.exec_driver_sql("SELECT 1").scalar() == 1
    assert probed == []
