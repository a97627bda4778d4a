"""While the database is busy, full or away, requests are refused soon, and those that only read are still served."""

import fcntl
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from billycan.db import UTCDateTime, one_moment
from billycan.engines import sqlite
from billycan.engines.idle_connections import note_listeners
from billycan.engines.sqlite import Turns
from billycan.engines.statements import at_once
from billycan.fields import Moment
from billycan.sql import ByIds, Statement
from billycan.starting import migrate
from billycan.testing import Client
from billycan.working import worker
from billycan_contacts import resource

contacts = resource.contacts.table


@pytest.mark.parametrize("name", ["reader", "writer"])
def test_a_server_that_vanished_is_noticed(make_app, engine, name):
    if engine != "postgresql":
        pytest.skip("SQLite has no server")
    with getattr(make_app().db, name).connect() as db:
        given = db.connection.driver_connection.info.get_parameters()
    idle, interval, count = (int(given[f"keepalives_{what}"]) for what in ("idle", "interval", "count"))
    assert given["connect_timeout"] == "5"
    assert idle + interval * count <= 20 and int(given["tcp_user_timeout"]) <= 20_000


def test_times_are_read_whatever_way_a_database_is_told_to_write_them(make_app, databases, engine):
    if engine != "postgresql":
        pytest.skip("SQLite has text as billycan writes it")
    url = sa.make_url(databases.empty(engine))
    db = sa.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
    with db.connect() as connection:
        connection.exec_driver_sql(f'ALTER DATABASE "{url.database}" SET datestyle TO German')
    app = make_app("contacts", database=url.render_as_string(hide_password=False), migrated=False)
    migrate.upgrade_all(app.db, app.manifests)
    client = Client(app)
    made = client.post("/v1/contacts", {"name": "Ada"})["data"]
    assert [one["created_at"] for one in client.get("/v1/contacts")["data"]] == [made["created_at"]]


def test_postgresql_takes_stock_of_a_table_that_grew(make_app, engine, clock):
    if engine != "postgresql":
        pytest.skip("SQLite keeps no plan that was made for an empty table")
    app = make_app("contacts", fresh=True)
    client = Client(app)
    believed = sa.text("SELECT reltuples FROM pg_class WHERE relname = 'contacts' AND pg_table_is_visible(oid)")

    def rows():
        clock.move(seconds=worker.MEASURED_SECONDS + 1)
        worker.tick(app)
        with app.db.reading() as db:
            return db.execute(believed).scalar_one()

    def copy(mark, count):
        names = [column.name for column in contacts.c]
        shown = ", ".join(f"id || '{mark}' || n" if name == "id" else name for name in names)
        made = f"INSERT INTO contacts ({', '.join(names)}) SELECT {shown} FROM contacts, generate_series(1, {count}) n"
        with app.db.writing() as db:
            db.exec_driver_sql(made)

    client.post("/v1/contacts", {"name": "Ada"})
    assert rows() == -1, "one is quickly found in any way"
    copy("a", 400)
    assert rows() == 401
    copy("b", 1)
    assert rows() == 401, "PostgreSQL sees by itself to what grows slowly"
    copy("c", 2)
    assert rows() == 2406


def test_a_worker_takes_stock_before_it_does_what_is_due(make_app, engine, monkeypatch):
    """Else a statement would read what gathered while no worker ran as if the table were still empty."""
    if engine != "postgresql":
        pytest.skip("SQLite keeps no plan that was made for an empty table")
    app, done = make_app("contacts", fresh=True), []
    monkeypatch.setattr(worker.plans, "measure_grown", lambda db: done.append("measured"))
    monkeypatch.setattr(worker.Round, "_serve_task", lambda self, name, every: done.append(name))
    worker.tick(app)
    assert done[0] == "measured" and len(done) > 1


@pytest.fixture
def client(make_app, engine):
    if engine != "sqlite":
        pytest.skip("PostgreSQL has no lock that stops all who write")
    return Client(make_app("contacts"))


@pytest.fixture
def locked(client):
    """Another process writes, and does not finish."""
    with closing(sqlite3.connect(client.app.db.url.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


@pytest.mark.usefixtures("locked")
def test_reads_go_on_while_another_process_writes(client, caplog):
    assert client.get("/v1/contacts")["data"] == []
    assert f"the use of {client.key_id} could not be noted" in caplog.text


@pytest.mark.usefixtures("locked")
def test_writes_are_refused_when_another_process_does_not_finish(client, monkeypatch, caplog):
    monkeypatch.setattr(sqlite, "WAIT_SECONDS", 0.01)
    error = client.refused(503, "unavailable", "POST", "/v1/contacts", {"name": "Ada"})
    assert client.last.headers["Retry-After"] == "1"
    assert caplog.messages[-1] == f"request {error['request_id']} failed: database is locked"


def test_writes_wait_for_each_other_only_so_long(client, monkeypatch):
    monkeypatch.setattr(sqlite, "WAIT_SECONDS", 0.01)
    with ThreadPoolExecutor(1) as threads, client.app.db.writing():
        threads.submit(client.refused, 503, "unavailable", "POST", "/v1/contacts", {"name": "Ada"}).result(30)
    client.post("/v1/contacts", {"name": "Ada"})


def test_who_has_just_written_does_not_go_first_again_while_another_process_waits(tmp_path):
    mine, theirs = Turns(str(tmp_path / "a.db")), Turns(str(tmp_path / "a.db"))  # each as a process of its own has it
    order = []

    def write(name, turns):
        with turns.taken(30):
            order.append(name)

    with ThreadPoolExecutor(1) as threads:
        with mine.taken(30):
            waiting = threads.submit(write, "theirs", theirs)
            deadline = time.monotonic() + 30
            while is_free(tmp_path / "a.db-next"):
                assert time.monotonic() < deadline, "nobody waits in line"
        write("mine", mine)
        waiting.result(30)
    assert order == ["theirs", "mine"]


def test_who_has_just_written_lets_the_others_of_its_process_go_first(tmp_path):
    turns, order = Turns(str(tmp_path / "a.db")), []

    def write(name, tenant):
        with turns.taken(30, tenant):
            order.append(name)

    with ThreadPoolExecutor(4) as threads:
        with turns.taken(30, "noisy"):
            asked = []
            for name, tenant in (("1", "noisy"), ("2", "noisy"), ("3", "quiet"), ("4", "third")):
                asked.append(threads.submit(write, name, tenant))
                deadline = time.monotonic() + 30
                while len(turns._line._waiting) < len(asked):
                    assert time.monotonic() < deadline, "it does not wait in line"
        for each in asked:
            each.result(30)
    assert order == ["3", "1", "4", "2"]


def test_who_has_just_written_lets_those_go_first_who_come_while_it_waits_for_another_process(tmp_path):
    mine, theirs, order = Turns(str(tmp_path / "a.db")), Turns(str(tmp_path / "a.db")), []

    def write(name, tenant):
        with mine.taken(30, tenant):
            order.append(name)

    def wait_until(is_so, otherwise):
        deadline = time.monotonic() + 30
        while not is_so():
            assert time.monotonic() < deadline, otherwise

    write("1", "noisy")
    with ThreadPoolExecutor(4) as threads:
        with theirs.taken(30):
            asked = [threads.submit(write, "2", "noisy")]
            wait_until(lambda: not is_free(tmp_path / "a.db-next"), "it does not wait for the other process")
            for name, tenant in (("3", "noisy"), ("4", "quiet"), ("5", "third")):
                asked.append(threads.submit(write, name, tenant))
                wait_until(lambda: len(mine._line._waiting) == len(asked) - 1, "it does not wait in line")
        for each in asked:
            each.result(30)
    assert order == ["1", "4", "2", "5", "3"]
    with theirs.taken(0) as left:  # the file is free again
        assert not left and not is_free(tmp_path / "a.db-turn")
    assert is_free(tmp_path / "a.db-turn") and not mine._line._is_taken


def test_a_turn_is_handed_on_though_its_files_are_closed_meanwhile(tmp_path):
    turns = Turns(str(tmp_path / "a.db"))
    turns.rests = True
    with turns.taken(30, "noisy"):
        turns.close()  # as when all connections are closed while a request writes
    with turns.taken(0, "quiet"):
        assert not is_free(tmp_path / "a.db-turn")
    assert not turns._line._is_taken and is_free(tmp_path / "a.db-turn")


def test_a_thread_that_let_another_go_first_waits_only_so_long(tmp_path):
    line = Turns(str(tmp_path / "a.db"))._line
    line.take("noisy", 0)
    line.give()
    line.take("noisy", 0)
    deadline = time.monotonic() + 30
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(line.take, "quiet", deadline)
        while not line._waiting:
            assert time.monotonic() < deadline, "it does not wait in line"
        with pytest.raises(sa.exc.TimeoutError):
            line.let_another_go_first("noisy", 0)
        waiting.result(30)
    assert line._is_taken and not line._waiting  # the turn is the other one's


@pytest.mark.parametrize("others", [True, False])
def test_who_wrote_for_long_leaves_the_turn_to_others_who_write(tmp_path, monkeypatch, others):
    clock, slept = [1000.0], []
    monkeypatch.setattr(sqlite.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(sqlite.time, "sleep", lambda seconds: (slept.append(seconds), pass_time(seconds)))
    mine, theirs = Turns(str(tmp_path / "a.db")), Turns(str(tmp_path / "a.db"))  # each as a process of its own has it
    mine.rests = theirs.rests = True

    def pass_time(seconds):
        clock[0] += seconds

    def write(turns, tenant, seconds):
        with turns.taken(30, tenant):
            pass_time(seconds)

    if others:
        write(theirs, "quiet", 0.001)
    write(mine, "noisy", 0.1)
    pass_time(0.05)
    write(theirs, "quiet" if others else "noisy", 0.001)
    assert slept == []
    write(mine, "noisy", 0.001)
    assert slept == ([pytest.approx(0.149)] if others else [])
    write(theirs, "noisy", 0.001)
    write(mine, "noisy", 2.0)  # however long it took, it rests for a second at most, and only where there is time
    with mine.taken(0.5, "noisy"):
        pass_time(5.0)
    assert len(slept) == others
    write(theirs, "noisy", 0.001)
    assert len(slept) == others


def test_a_thread_that_waits_no_longer_leaves_the_line(tmp_path):
    turns = Turns(str(tmp_path / "a.db"))
    with turns.taken(30, "noisy"), ThreadPoolExecutor(1) as threads, pytest.raises(sa.exc.TimeoutError):
        threads.submit(turns.taken(0, "quiet").__enter__).result(30)
    with turns.taken(0, "third"):
        pass
    assert not turns._line._is_taken


def is_free(path):
    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def test_a_turn_ends_with_its_process_and_is_not_waited_for_without_end(tmp_path):
    path = str(tmp_path / "a.db")
    mine, theirs = Turns(path), Turns(path)
    with theirs.taken(30):
        with mine.taken(0) as left:  # what holds the turn may have nothing to do with the database
            assert left == 0
        theirs.close()  # as when it is killed
        with mine.taken(30) as left:
            assert left > 0


def test_nothing_can_be_written_for_a_while(make_app, engine):
    app = make_app("contacts")
    client = Client(app)
    read_only = "PRAGMA query_only=1" if engine == "sqlite" else "SET transaction_read_only = on"

    def stop_writing(db):
        db.exec_driver_sql(read_only)

    sa.event.listen(app.db.writer, "begin", stop_writing)
    client.refused(503, "unavailable", "POST", "/v1/contacts", {"name": "Ada"})
    assert client.get("/v1/contacts")["data"] == []
    sa.event.remove(app.db.writer, "begin", stop_writing)
    client.post("/v1/contacts", {"name": "Ada"})


@pytest.fixture
def on_postgresql(make_app, engine):
    if engine == "sqlite":
        pytest.skip("SQLite is no server")
    return make_app("contacts", pool_size=1)


def inserted(name):
    """A contact's columns, of which the id is the name."""
    texts = dict.fromkeys(("id", "name", "name_folded", "search_text"), name) | {"kind": "person", "status": "active"}
    empty = {"roles": [], "people": [], "tags": [], "metadata": {}, "contractor": False}
    return {**texts, **empty, "version": 1, "created_at": datetime.now(UTC), "updated_at": datetime.now(UTC)}


def test_an_error_is_raised_where_it_happens_and_the_rest_of_its_trip_with_it(on_postgresql):
    db, client = on_postgresql.db, Client(on_postgresql)
    insert = Statement(sa.insert(contacts))
    count = Statement(sa.select(sa.func.count()).where(contacts.c.tenant_id == sa.bindparam("tenant_id")))
    own = {"tenant_id": client.tenant_id}
    for _ in range(2):  # what is prepared outlives errors and savepoints
        with pytest.raises(ZeroDivisionError), db.writing(client.tenant_id) as tx:
            at_once(tx, (insert, own | inserted("ada")), (count, own))
            with pytest.raises(sa.exc.IntegrityError), tx.begin_nested():
                at_once(tx, (insert, own | inserted("bob")), (insert, own | inserted("ada")), (count, own))
            assert at_once(tx, (count, own), (count, own)) == [[(1,)], [(1,)]]
            tx.execute(sa.text("CREATE TEMP TABLE passing (id int)"))
            tx.execute(sa.text("DROP TABLE passing"))  # psycopg has PostgreSQL forget what is prepared
            assert count.one(tx, own) == (1,)
            raise ZeroDivisionError
    assert client.get("/v1/contacts")["pagination"]["total"] == 0


def test_lists_are_parts_or_parameters_of_a_statement(make_app):
    client = Client(make_app("contacts"))
    for name in ("Ada", "Bob", "Cy"):
        client.post("/v1/contacts", {"name": name})
    of = sa.select(contacts.c.name).where(contacts.c.tenant_id == sa.bindparam("tenant_id")).order_by(contacts.c.name)
    of = of.where(contacts.c.name.in_(["Ada", "Bob", "10%"]), contacts.c.name != sa.bindparam("less"))
    parts, given = Statement(of), Statement(of.where(contacts.c.name.not_in(sa.bindparam("names", expanding=True))))
    none, own = Statement(of.where(contacts.c.name.in_([]))), {"tenant_id": client.tenant_id, "less": "Dee"}
    with client.app.db.reading(client.tenant_id) as db:
        for less, found in (("Cy", ["Ada", "Bob"]), ("Ada", ["Bob"])):
            assert [row.name for row in parts.all(db, {**own, "less": less})] == found
        for names, found in ((["Ada"], ["Bob"]), (["Ada", "Bob"], [])):
            assert [row.name for row in given.all(db, {**own, "names": names})] == found
        assert none.all(db, own) == []
        assert parts._find_form(db, own).is_plain and not given._find_form(db, own).is_plain


def test_whoever_listens_learns_how_many_rows_a_statement_had(make_app, engine):
    app = make_app("contacts")
    client, sent, heard = Client(app), [], []
    insert, own = Statement(sa.insert(contacts)), {"tenant_id": client.tenant_id}
    several = Statement.Insertion(contacts, [*own, *inserted("ada"), "email"])
    rename = Statement(sa.update(contacts).where(contacts.c.tenant_id == sa.bindparam("of_tenant")))
    named = Statement(sa.select(contacts.c.name).where(contacts.c.tenant_id == sa.bindparam("tenant_id")))

    def before(db, cursor, statement, parameters, execution, many):
        sent.append(statement.split()[0])

    def after(db, cursor, statement, parameters, execution, many):
        assert str(execution.compiled).split()[0] == statement.split()[0]
        heard.append((statement.split()[0], cursor.rowcount))

    with app.db.writing(client.tenant_id) as tx:
        sa.event.listen(tx, "before_cursor_execute", before)
        sa.event.listen(tx, "after_cursor_execute", after)
        note_listeners(tx)
        at_once(tx, (insert, own | inserted("ada")), (insert, own | inserted("bob")))
        several.run(tx, client.tenant_id, [inserted(f"c{i}") | {"email": None} for i in range(11)])
        rename.run(tx, {"of_tenant": client.tenant_id, "notes": "new"})
        assert len(named.all(tx, own)) == 13
        tx.execute(sa.select(contacts.c.id).where(contacts.c.tenant_id == client.tenant_id)).all()
    # On SQLite, rows go in groups, and those of a SELECT by SQLAlchemy itself are still to be fetched.
    many, unknown = ([("INSERT", 10), ("INSERT", 1)], -1) if engine == "sqlite" else ([("INSERT", 11)], 13)
    assert heard[:2] == [("INSERT", 1)] * 2 and heard[2:-3] == many
    assert heard[-3:] == [("UPDATE", 13), ("SELECT", 13), ("SELECT", unknown)]
    assert sent == [verb for verb, _ in heard]


def test_a_time_is_read_as_what_its_column_is(on_postgresql):
    time = "timestamptz '2026-01-01 09:30:00.25+10'"
    columns = [("plain", time, sa.DateTime(timezone=True)), ("moment", time, UTCDateTime())]
    columns += [("no_time", "CAST(NULL AS timestamptz)", sa.DateTime(timezone=True))]
    select = sa.select(*(sa.literal_column(sql, kind).label(name) for name, sql, kind in columns))
    twice = select.union_all(select)
    with on_postgresql.db.reading() as db:
        rows = [Statement(select).one(db, {}), *Statement(twice).all(db, {}), db.execute(select).one()]
    for plain, moment, no_time in rows:
        assert (type(plain), plain, no_time) == (datetime, datetime(2025, 12, 31, 23, 30, 0, 250_000, UTC), None)
        assert (type(moment), moment, str(moment)) == (Moment, plain, "2025-12-31T23:30:00.250Z")


def test_a_commit_that_fails_undoes_its_trip(on_postgresql):
    db, client = on_postgresql.db, Client(on_postgresql)
    own, insert = {"tenant_id": client.tenant_id}, Statement(sa.insert(contacts))
    with pytest.raises(sa.exc.IntegrityError), db.writing(client.tenant_id) as tx:
        tx.execute(sa.text("CREATE TEMP TABLE late (id int UNIQUE DEFERRABLE INITIALLY DEFERRED)"))
        tx.execute(sa.text("INSERT INTO late VALUES (1), (1)"))
        at_once(tx, (insert, own | inserted("ada")), commits=True)
    assert client.get("/v1/contacts")["data"] == []
    with db.writing(client.tenant_id) as tx:
        at_once(tx, (insert, own | inserted("bob")), commits=True)
    assert [one["name"] for one in client.get("/v1/contacts")["data"]] == ["bob"]


def test_a_moment_begins_though_prepared_statements_make_room_for_others(on_postgresql, monkeypatch):
    from billycan.engines import postgres

    db, client = on_postgresql.db, Client(on_postgresql)
    own = {"tenant_id": client.tenant_id}
    counted = Statement(sa.select(sa.func.count()).where(contacts.c.tenant_id == sa.bindparam("tenant_id")))
    with db.reading(client.tenant_id) as reading:
        assert counted.one(reading, own) == (0,)
        monkeypatch.setattr(postgres, "_MOST_PREPARED", 1)
        with one_moment(reading), one_moment(reading):
            assert counted.one(reading, own) == (0,)
            with db.writing(client.tenant_id) as tx:
                Statement(sa.insert(contacts)).run(tx, own | inserted("ada"))
            assert counted.one(reading, own) == (0,)
        assert counted.one(reading, own) == (1,)


def test_a_connection_that_ends_within_a_transaction_is_replaced(on_postgresql):
    db, client = on_postgresql.db, Client(on_postgresql)
    (ada,) = [client.post("/v1/contacts", {"name": "Ada"})["data"]]
    end = sa.text("SELECT pg_terminate_backend(pg_backend_pid())")
    with pytest.raises(sa.exc.DBAPIError), db.writing(client.tenant_id) as tx:
        tx.execute(end)
    with pytest.raises(sa.exc.DBAPIError), db.writing(client.tenant_id) as tx:
        ByIds(sa.select(contacts.c.id, sa.func.pg_terminate_backend(sa.func.pg_backend_pid())), contacts.c.id).all(
            tx, client.tenant_id, [ada["id"]]
        )
    assert client.post("/v1/contacts", {"name": "Bob"})["data"]["version"] == 1


FOREVER = sa.text("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")


@pytest.mark.parametrize("writes", [False, True])
def test_a_statement_that_takes_too_long_is_ended_and_its_connection_goes_on(make_app, engine, monkeypatch, writes):
    app = make_app("contacts")
    client = Client(app)
    if engine == "postgresql":
        with app.db.reading() as db:
            assert db.execute(sa.text("SHOW statement_timeout")).scalar_one() == f"{sqlite.STATEMENT_SECONDS:.0f}s"
        return
    monkeypatch.setattr(sqlite, "STATEMENT_SECONDS", 0.0)
    opened = app.db.writing if writes else app.db.reading
    with pytest.raises(sa.exc.OperationalError, match="interrupted") as error, opened(client.tenant_id) as db:
        db.execute(FOREVER).scalar_one()
    problem = app.hook.handle_error(error=error.value)
    assert (problem.status, problem.code) == (503, "unavailable")
    monkeypatch.undo()
    with opened(client.tenant_id) as db:
        assert db.execute(sa.text("SELECT 1")).scalar_one() == 1
    assert client.post("/v1/contacts", {"name": "Ada"})


@pytest.mark.sqlite_alone
def test_a_read_that_took_long_runs_apart_the_next_time_and_a_write_never_does(make_app, monkeypatch):
    """Under gevent `run_apart` means a thread, so that the process can answer others meanwhile."""
    app, apart = make_app("contacts"), []
    client = Client(app)
    client.post("/v1/contacts", {"name": "Ada"})
    monkeypatch.setattr(sqlite, "run_apart", lambda work: apart.append(work) or work())
    names, found = sa.select(contacts.c.name).where(contacts.c.tenant_id == client.tenant_id), []
    for seconds in (-1.0, 60.0, 60.0):
        monkeypatch.setattr(sqlite, "LONG_READ_SECONDS", seconds)
        with app.db.reading(client.tenant_id) as db:
            found.append([*db.execute(names).scalars()])
    assert found == [["Ada"]] * 3
    assert len(apart) == 1
    monkeypatch.setattr(sqlite, "LONG_READ_SECONDS", -1.0)
    for _ in range(2):
        with app.db.noting() as db:
            db.execute(names)
    assert len(apart) == 1


def test_a_migration_may_take_its_time(databases, engine, monkeypatch, make_app):
    monkeypatch.setattr(sqlite, "STATEMENT_SECONDS", 0.0)
    monkeypatch.setattr(sqlite, "_STEPS", 1)
    app = make_app("contacts", fresh=True, migrated=False)
    assert migrate.upgrade_all(app.db, app.manifests)
