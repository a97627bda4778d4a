"""The worker as it runs: Huey's consumer, the dispatcher and its senders, and a queue that is lost."""

import logging
import os
import pickle
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from huey.storage import SqliteStorage

from billycan.testing import Client
from billycan_imports.testing import finish_imports
from billycan_webhooks import deliveries as hinting
from billycan_webhooks.dispatch import Dispatcher, run_dispatcher
from billycan_webhooks.queue import JsonSerializer, Queue
from billycan_webhooks.tables import deliveries

pytestmark = pytest.mark.either

# Within which a hint brings what is due where nothing sweeps: ample for a slow machine, and less than a minute.
HINTED_SECONDS = 30


def contact(client, name="Ada"):
    return client.post("/v1/contacts", {"name": name})["data"]


def listed(client, query=""):
    return client.get(f"/v1/webhook_deliveries?per_page=100{query}")["data"]


def until(true, seconds=120.0):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it does not come true"
        time.sleep(0.005)


@pytest.fixture
def working(monkeypatch):
    """Run the real consumer and dispatcher for an app; no hint is lost because the machine is slow."""
    monkeypatch.setattr(hinting, "_PATIENCE_SECONDS", 30)
    monkeypatch.setattr("billycan_webhooks.queue._READ_SECONDS", 0.1)  # for so long it listens on once it is to stop
    stop = threading.Event()

    def start(app):
        start.threads.append(threading.Thread(target=run_dispatcher, args=(app, stop)))
        start.threads[-1].start()
        return stop

    start.threads = []
    yield start
    stop.set()
    for thread in start.threads:
        thread.join(20)
        assert not thread.is_alive(), "it would go on beside the next tests, without its database"


@pytest.fixture
def unswept(monkeypatch):
    """Hints alone bring what is due."""
    monkeypatch.setattr(Dispatcher, "sweep", lambda *_: None)


@pytest.mark.usefixtures("unswept")
def test_the_worker_delivers_at_once_and_stops_gracefully(hooks, receive, subscribe, working, caplog):
    stopping = threading.Event()

    def slowly(handler):
        stopping.wait(60)
        handler.send_response(200)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    app, receiver, slow = hooks(timeout_seconds=60, lease_seconds=90), receive(), receive(slowly)
    client = Client(app)
    subscribe(client, receiver.url)
    subscribe(client, slow.url)
    stop = working(app)
    for i in range(10):
        contact(client, str(i))
        receiver.wait(i + 1)
    slow.wait(2)
    stop.set()
    stopping.set()
    for thread in working.threads:
        thread.join(20)
    assert slow.most_active == 2
    with app.db.reading(across="a test looks at every row") as db:
        leased = db.execute(sa.select(deliveries.c.id).where(deliveries.c.lease_until.is_not(None))).all()
    assert leased == [], "what was in flight was finished and recorded"
    assert len(receiver.requests) == 10
    assert [r.getMessage() for r in caplog.records if r.levelno >= logging.ERROR] == []


def test_a_hanging_and_a_dripping_endpoint_hold_nobody_up(hooks, receive, subscribe, working):
    over = threading.Event()

    def hang(handler):
        handler.close_connection = True  # or the sender would wait for its answer when this is over
        over.wait()

    def drip(handler):
        handler.close_connection = True
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        while not over.wait(0.1):
            handler.wfile.write(b".")

    # No attempt at these two ends while the test runs: whoever came behind one would arrive too late for `wait`.
    app = hooks(timeout_seconds=60, lease_seconds=90)
    healthy, hanging, dripping = receive(), receive(hang), receive(drip)
    client, other = Client(app), Client(app)
    for receiver in (hanging, dripping):
        subscribe(other, receiver.url)
    subscribe(client, healthy.url)
    for i in range(20):
        contact(other, str(i))
    working(app)
    leased = sa.select(sa.func.count()).where(deliveries.c.lease_until.is_not(None))
    most = 0
    try:
        hanging.wait(2)
        dripping.wait(2)
        for i in range(30):
            contact(client, str(i))
            healthy.wait(i + 1)
            with app.db.reading(across="a test looks at every row") as db:
                counts = db.execute(leased.group_by(deliveries.c.endpoint_id)).scalars()
                most = max([most, *counts])
        assert (len(hanging.requests), len(dripping.requests), most) == (2, 2, 2)
        assert {delivery["status"] for delivery in listed(other)} == {"pending"}
    finally:
        over.set()


@pytest.mark.long
def test_a_queue_that_is_deleted_only_delays(hooks, receive, subscribe, working, caplog):
    caplog.set_level(logging.INFO, logger="billycan.webhooks")
    app, receiver = hooks(walled=False), receive()
    client = Client(app)
    subscribe(client, receiver.url)
    working(app)
    contact(client)
    receiver.wait(1)
    if app.db.is_sqlite:
        Path(app.db.url.database).with_suffix(".queue.db").unlink()
    else:
        with app.db.writing() as db:
            db.execute(sa.text("DROP TABLE huey_task"))
    contact(client, "Bob")
    receiver.wait(2)
    contact(client, "Cy")
    receiver.wait(3)
    assert [r.getMessage() for r in caplog.records if r.levelno >= logging.ERROR] == []
    said = caplog.text.lower()
    assert not any(words in said for words in ("insert into", "delete from", "select count")), said


def test_what_comes_before_the_queue_is_open_needs_no_hint(hooks, receive, subscribe, working, monkeypatch):
    app, receiver = hooks(), receive()
    client = Client(app)
    subscribe(client, receiver.url)
    monkeypatch.setattr(hinting.Nudger, "_send_waiting", lambda nudger: nudger._waiting.clear())

    def open_late(app, **given):
        contact(client)
        return Queue(app, **given | {"sweep": None})  # that of each minute would find it, too

    monkeypatch.setattr("billycan_webhooks.dispatch.Queue", open_late)
    working(app)
    receiver.wait(1)


def test_a_queue_file_is_private_and_a_broken_one_is_made_anew(hooks, engine, tmp_path):
    file = tmp_path / "queue.db"
    app = hooks(queue=f"sqlite:///{file}")
    for _ in range(2):
        queue = Queue(app, patience=1.0)
        assert file.stat().st_mode & 0o777 == 0o600
        queue.hint([("ten_1", "whk_1")])
        assert [tuple(hint) for hint in queue.huey.dequeue().args] == [("ten_1", "whk_1")]
        queue.close()
        file.write_bytes(b"this is no database, whatever it may have been before " * 200)


def test_a_queue_file_is_asked_only_when_it_was_written_to(hooks, tmp_path, monkeypatch):
    listening = Queue(hooks(queue=f"sqlite:///{tmp_path / 'queue.db'}"), patience=5.0, deliver=lambda _: None)
    sending = Queue(hooks(queue=f"sqlite:///{tmp_path / 'queue.db'}"), patience=5.0)
    monkeypatch.setattr("billycan_webhooks.queue._READ_SECONDS", 0.0)
    assert listening.huey.dequeue() is None  # from now on its file is open
    asked, looked = [], []
    ask, look = SqliteStorage.dequeue, type(listening.huey.storage)._last_change
    monkeypatch.setattr(SqliteStorage, "dequeue", lambda storage: asked.append(1) or ask(storage))

    def written(storage):
        if len(looked) == 3:
            sending.hint([("ten_1", "whk_1")])
        looked.append(1)
        return look(storage)

    monkeypatch.setattr(type(listening.huey.storage), "_last_change", written)
    monkeypatch.setattr("billycan_webhooks.queue._LOOK_SECONDS", 0.001)
    monkeypatch.setattr("billycan_webhooks.queue._READ_SECONDS", 60.0)
    assert [tuple(hint) for hint in listening.huey.dequeue().args] == [("ten_1", "whk_1")]
    assert (len(asked), len(looked)) == (2, 4), "at first, and when it was written to"
    for queue in (listening, sending):
        queue.close()


def test_the_queue_is_there_for_a_role_that_owns_nothing(make_app):
    app = make_app("contacts", "webhooks", fresh=True)
    queue = Queue(app, patience=2.0, deliver=lambda _: None)
    queue.hint([("ten_1", "whk_1")])
    queue.hint([("ten_1", "whk_2")], at=datetime(2200, 1, 1, tzinfo=UTC))
    assert [tuple(hint) for hint in queue.huey.dequeue().args] == [("ten_1", "whk_1")]
    queue.huey.execute(queue.huey.dequeue())  # which puts it off
    assert [tuple(hint) for task in queue.huey.scheduled() for hint in task.args] == [("ten_1", "whk_2")]
    queue.close()


def test_a_queue_that_may_only_be_read_counts_as_away(hooks, receive, subscribe, working, databases, engine):
    """As in a PostgreSQL that has become a replica, whose connections are still good for reads."""
    if engine != "postgresql":
        pytest.skip("PostgreSQL's alone")
    url = databases.empty(engine)
    app, receiver = hooks(queue=url), receive()
    Queue(app, patience=5.0, deliver=lambda _: None).close()
    database = sa.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
    with database.connect() as db:
        name = db.scalar(sa.text("SELECT current_database()"))
        db.execute(sa.text(f"ALTER DATABASE {name} SET default_transaction_read_only = on"))
    client = Client(app)
    subscribe(client, receiver.url)
    working(app)
    for number in range(2):
        contact(client, str(number))
        receiver.wait(number + 1)


@pytest.mark.long
def test_a_redis_that_is_killed_only_delays(hooks, receive, subscribe, working, redis_server, caplog):
    app, receiver = hooks(queue=redis_server.url), receive()
    client = Client(app)
    subscribe(client, receiver.url)
    working(app)
    contact(client)
    receiver.wait(1)

    def said(count):
        end = time.monotonic() + 120
        while True:
            found = [r.getMessage() for r in caplog.records if r.getMessage().startswith("the queue ")]
            if len(found) >= count or time.monotonic() > end:
                return found
            time.sleep(0.005)

    assert redis_server.ask("DBSIZE").startswith(b":")
    redis_server.stop()
    assert said(1)[0].startswith("the queue cannot be reached")
    for i in range(5):
        contact(client, str(i))
    redis_server.start()
    receiver.wait(6)
    assert said(2)[1:] == ["the queue is back"]
    assert len({headers["webhook-id"] for headers, _, _ in receiver.requests}) == len(receiver.requests) == 6
    assert [r.getMessage() for r in caplog.records if r.levelno >= logging.ERROR] == []


@pytest.mark.parametrize(("setting", "level"), [("sandbox", "INFO"), (True, "WARNING"), (False, None)])
def test_private_receivers_for_all_are_warned_of(make_app, caplog, setting, level):
    stop = threading.Event()
    stop.set()
    caplog.set_level("INFO", "billycan.webhooks")
    run_dispatcher(make_app("contacts", "webhooks", webhooks={"allow_private": setting}), stop)
    assert [record.levelname for record in caplog.records] == ([level] if level else [])


def test_a_retry_waits_in_huey_for_its_time(hooks, receive, subscribe, working):
    """Scheduled by the worker that failed, kept by Huey's own storage, and handed to whoever listens when it is due."""
    app, receiver = hooks(retry_offsets="550"), receive(500)
    app.clock = lambda: datetime.now(UTC)
    client = Client(app)
    endpoint = subscribe(client, receiver.url)
    working(app)
    contact(client)
    receiver.wait(1)
    looking = Queue(app, patience=30.0)
    until(looking.huey.scheduled_count)
    (task,) = looking.huey.scheduled()
    (row,) = listed(client)
    due = datetime.fromisoformat(row["next_attempt_at"])
    assert abs(task.eta.replace(tzinfo=UTC) - due) < timedelta(milliseconds=2)
    assert [tuple(hint) for hint in task.args] == [(client.tenant_id, endpoint["id"])]
    looking.close()


@pytest.mark.usefixtures("unswept")
def test_a_scheduled_retry_is_sent_at_its_time_without_a_sweep(hooks, receive, subscribe, working):
    app, receiver = hooks(retry_offsets="1"), receive(500, 204)
    app.clock = lambda: datetime.now(UTC)
    client = Client(app)
    subscribe(client, receiver.url)
    working(app)
    contact(client)
    receiver.wait(2)
    until(lambda: [d["status"] for d in listed(client)] == ["delivered"])


@pytest.fixture
def arriving(hooks, receive, subscribe, working):
    """A client whose endpoint has had one delivery from a worker that never sweeps; its receiver, and the endpoint."""
    app, receiver = hooks(retry_offsets=""), receive(204)
    client = Client(app)
    endpoint = subscribe(client, receiver.url)
    working(app)
    contact(client)
    receiver.wait(1)
    until(lambda: listed(client)[0]["status"] == "delivered")
    return client, receiver, endpoint


@pytest.mark.usefixtures("unswept")
def test_a_ping_is_sent_without_a_sweep(arriving):
    client, receiver, endpoint = arriving
    client.post(f"/v1/webhook_endpoints/{endpoint['id']}/test", status=201)
    receiver.wait(2, HINTED_SECONDS)
    assert receiver.events[1:] == ["ping"]


@pytest.mark.long
@pytest.mark.usefixtures("unswept")
def test_a_replay_is_sent_without_a_sweep(arriving):
    client, receiver, _ = arriving
    client.post(f"/v1/webhook_deliveries/{listed(client)[0]['id']}/replay", status=201)
    receiver.wait(2, HINTED_SECONDS)


@pytest.mark.long
@pytest.mark.usefixtures("unswept")
def test_what_is_recovered_is_sent_without_a_sweep(arriving):
    client, receiver, endpoint = arriving
    here = f"/v1/webhook_endpoints/{endpoint['id']}"
    client.patch(here, {"enabled": False})
    for i in range(5):
        contact(client, str(i))
    client.patch(here, {"enabled": True})
    body = {"since": "2026-11-20T00:00:00Z"}
    assert client.post(f"{here}/recover", body, 202)["data"]["deliveries"] == 5
    receiver.wait(6, HINTED_SECONDS)


@pytest.mark.long
@pytest.mark.usefixtures("unswept")
def test_what_a_renewed_consent_releases_is_sent_without_a_sweep(make_app, receive, subscribe, working):
    from billycan_apps.testing import OAuthApp

    plugins = ("apps", "contacts", "dashboard", "users", "webhooks")
    app, receiver = make_app(*plugins, fresh=True, webhooks={"allow_private": True}), receive()
    client = Client(app)
    oauth = OAuthApp(client, "contacts:read", "webhooks:read", "webhooks:write")
    subscribe(oauth.connect(), receiver.url, "contact.*")
    working(app)
    contact(client)
    receiver.wait(1)
    oauth.consents(scopes=["webhooks:read", "webhooks:write"])
    contact(client)
    assert listed(client)[0]["status"] == "held"
    oauth.consents()
    receiver.wait(2, HINTED_SECONDS)


@pytest.mark.long
@pytest.mark.usefixtures("unswept")
def test_what_is_imported_is_delivered_without_a_sweep(make_app, receive, subscribe, working):
    app = make_app("contacts", "imports", "webhooks", fresh=True, webhooks={"allow_private": True})
    client, receiver = Client(app), receive()
    subscribe(client, receiver.url, "contact.*")
    working(app)
    contact(client)
    receiver.wait(1)
    sent = {"Content-Type": "text/csv", **client.headers}
    made = client.web.post("/v1/imports?resource=contacts", b"name\nBob\nCy\n", headers=sent, status=202).json["data"]
    finish_imports(app)
    assert client.get(f"/v1/imports/{made['id']}")["data"]["finished_at"]
    receiver.wait(3, HINTED_SECONDS)


def test_what_is_due_without_a_hint_is_found_when_a_worker_starts(hooks, receive, subscribe, working, monkeypatch):
    app, receiver = hooks(), receive()
    client = Client(app)
    subscribe(client, receiver.url)
    with monkeypatch.context() as patch:
        patch.setattr(hinting.Nudger, "send_hints_soon", lambda *_: None)
        contact(client)
    working(app)
    receiver.wait(1)


def test_the_sweep_is_a_periodic_task_of_huey(hooks):
    """From the minute after its start on: whoever listens sweeps before."""
    swept = []
    queue = Queue(hooks(), patience=2.0, deliver=lambda _: None, sweep=lambda: swept.append(1))
    for minute in range(3):
        for task in queue.huey.read_periodic(datetime(2026, 1, 1, 0, minute, tzinfo=UTC)):
            queue.huey.enqueue(task)
    while task := queue.huey.dequeue():
        queue.huey.execute(task)
    assert len(swept) == 2
    queue.close()


def test_nothing_runs_what_is_written_into_the_queue():
    class Evil:
        def __reduce__(self):
            return os.system, ("touch /tmp/billycan-evil",)

    with pytest.raises(ValueError):
        JsonSerializer()._deserialize(pickle.dumps(Evil()))
