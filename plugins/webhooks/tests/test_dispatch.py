"""The order of sending: leases, and fair shares of the senders."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from billycan.tenants import set_standing
from billycan.testing import Client, counted
from billycan_webhooks import leases as leases_module
from billycan_webhooks import sender
from billycan_webhooks.dispatch import Dispatcher
from billycan_webhooks.leases import Desk
from billycan_webhooks.tables import deliveries


def contact(client, name="Ada"):
    return client.post("/v1/contacts", {"name": name})["data"]


def listed(client, query=""):
    return client.get(f"/v1/webhook_deliveries?per_page=100{query}")["data"]


def waiting(client, subscribe, count, url="http://127.0.0.1:9/"):
    """Insert `count` due deliveries; returns the hint of their endpoint."""
    endpoint = subscribe(client, url)
    for i in range(count):
        contact(client, str(i))
    return client.tenant_id, endpoint["id"]


def lease_one(app, hint, *, slow=True):
    (found,) = lease_all(app, hint, slow=slow)
    return found


def lease_all(app, *hints, slow=True):
    return Desk(app).write([], [(hint, slow) for hint in hints])[0]


def record(app, *made):
    return Desk(app).write(made, [])[1]


DONE, FAILED = sender.Outcome(error=None, response_status=204, response_body=""), sender.Outcome(error="timeout")


def test_a_clock_that_was_ahead_puts_nothing_off(hooks, subscribe, drain, receive, clock, caplog):
    """One delivery was made, one tried, and one taken by a worker that died, while the clock was 30 days ahead."""
    app, receiver = hooks(), receive()
    client = Client(app)
    live = subscribe(client, receiver.url)
    clock.move(days=30)
    dead = waiting(client, subscribe, 2)
    assert lease_one(app, dead)
    assert record(app, (lease_one(app, dead), FAILED))
    clock.move(days=-30, seconds=14)
    drain(app)
    assert "deliveries were put off by a clock that was ahead" in caplog.text
    assert [d["status"] for d in listed(client, f"&endpoint_id={live['id']}")] == ["delivered"] * 2
    assert [d["attempts_made"] for d in listed(client, f"&endpoint_id={dead[1]}")] == [2, 2]
    with app.db.reading(across="a test looks at every row") as db:
        rows = db.execute(sa.select(deliveries).where(deliveries.c.status == "pending")).all()
    assert all(row.due_at < app.now() + timedelta(hours=2) and row.lease_until is None for row in rows), rows


def test_what_a_host_made_whose_clock_is_a_little_ahead_is_due_at_once(hooks, subscribe, clock):
    app = hooks()
    client = Client(app)
    clock.move(seconds=4)
    hint = waiting(client, subscribe, 1)
    clock.move(seconds=-3.9)
    assert lease_one(app, hint)


def test_leases_go_by_the_database_servers_clock(hooks, subscribe):
    app = hooks()
    if app.db.is_sqlite:
        pytest.skip("SQLite has no clock but the machine's")
    app.is_clock_given, app.clock = False, lambda: datetime.now(UTC)
    hint = waiting(Client(app), subscribe, 1)
    app.clock = lambda: datetime.now(UTC) + timedelta(days=30)
    found = lease_one(app, hint)
    record(app, (found, FAILED))
    with app.db.reading(across="a test looks at every row") as db:
        row = db.execute(sa.select(deliveries)).one()
    assert abs(row.due_at - datetime.now(UTC)) < timedelta(hours=1)
    assert abs(int(found.headers["webhook-timestamp"]) - datetime.now(UTC).timestamp()) < 120


@pytest.mark.parametrize(("count", "leased"), [(1, 1), (6, 2)])
def test_each_is_claimed_once_and_two_at_a_time(hooks, subscribe, count, leased):
    app = hooks()
    hint = waiting(Client(app), subscribe, count)
    with ThreadPoolExecutor(6) as threads:
        won = [found for found in threads.map(lambda _: lease_one(app, hint), range(6)) if found]
    assert len(won) == len({found.delivery.id for found in won}) == leased
    assert lease_all(app, hint, hint, hint) == [None] * 3


def test_several_wishes_are_one_transaction(hooks, subscribe):
    app = hooks()
    hints = [waiting(Client(app), subscribe, 2) for _ in range(3)]
    begun = []
    sa.event.listen(app.db.writer, "begin", begun.append)
    found = lease_all(app, *hints * 2)
    assert len(begun) == 1
    assert [one.hint for one in found] == hints * 2 and len({one.delivery.id for one in found}) == 6
    assert record(app, *((one, DONE) for one in found)) == []
    assert len(begun) == 2


def test_a_lease_begins_when_its_endpoint_is_locked(hooks, subscribe, clock, monkeypatch):
    app = hooks()
    hint = waiting(Client(app), subscribe, 1)
    lock = leases_module._lock_endpoints

    def lock_after_a_wait(db, hints):
        clock.move(seconds=4)  # somebody else has its row meanwhile
        return lock(db, hints)

    monkeypatch.setattr(leases_module, "_lock_endpoints", lock_after_a_wait)
    asked_at = app.now()
    made = lease_one(app, hint)
    with app.db.reading(across="a test looks at every row") as db:
        row = db.execute(sa.select(deliveries).where(deliveries.c.id == made.delivery.id)).one()
    begun = row.first_attempt_at
    assert begun - asked_at > timedelta(seconds=4) and row.lease_until - begun == timedelta(seconds=45)


def test_what_waits_is_not_read_to_claim_the_next(hooks, subscribe, engine):
    app = hooks()
    hint = waiting(Client(app), subscribe, 2)
    statements = []
    sa.event.listen(app.db.writer, "before_cursor_execute", lambda *given: statements.append(given[2:4]))
    assert lease_one(app, hint)
    (asked,) = [said for said in statements if said[0].startswith("UPDATE webhooks_deliveries")]
    assert "core_events" not in asked[0], "within RETURNING, SQLite reads the whole log for one event"
    with app.db.writing() as db:
        if engine == "postgresql":
            db.exec_driver_sql("SET LOCAL enable_seqscan = off")  # which is right for two rows
            db.exec_driver_sql("ANALYZE webhooks_deliveries")
        plan = db.exec_driver_sql(f"EXPLAIN {'QUERY PLAN ' if engine == 'sqlite' else ''}{asked[0]}", asked[1])
        said = "\n".join(str(row) for row in plan)
    assert "ix_webhooks_deliveries_leased" in said and "Seq Scan" not in said, said


def test_what_is_recorded_together_has_its_own_consequences(hooks, subscribe):
    app = hooks()
    client, other = Client(app), Client(app)
    quick, gone = waiting(client, subscribe, 3), waiting(other, subscribe, 3)
    found = lease_all(app, quick, quick, gone, gone)
    closed = sender.Outcome(error="status", response_status=410, response_body="")
    made = [(one, DONE if one.hint == quick else closed) for one in found]
    following, _ = Desk(app).write(made, [(quick, True), (gone, True)])
    assert [one and one.hint for one in following] == [quick, None]
    assert [row["status"] for row in listed(client)] == ["pending", "delivered", "delivered"]
    assert [row["status"] for row in listed(other)] == ["held", "held", "held"]
    (endpoint,) = other.get("/v1/webhook_endpoints")["data"]
    assert (endpoint["enabled"], endpoint["disabled_reason"]) == (False, "gone")


def test_nobody_is_told_of_what_a_power_cut_could_still_undo(hooks, receive, drain, subscribe, monkeypatch):
    app, steps = hooks(), []
    client = Client(app)
    receiver = receive(lambda request: steps.append("told") or request.send_response(204) or request.end_headers())
    subscribe(client, receiver.url)
    contact(client)
    monkeypatch.setattr(app.db, "wait_for_disk", lambda: steps.append("disk"))
    drain(app)
    assert steps == ["disk", "told"], "nor is the disk waited for when nothing is leased"


def test_a_failure_says_when_to_come_again(hooks, subscribe):
    app = hooks()
    client = Client(app)
    hint = waiting(client, subscribe, 1)
    ((again, at),) = record(app, (lease_one(app, hint), FAILED))
    (row,) = listed(client)
    assert again == hint and str(at) == row["next_attempt_at"]
    assert lease_one(app, hint) is None


def test_a_lease_that_ran_out_is_taken_over_and_fences_the_old_holder(hooks, receive, drain, subscribe, clock):
    app, receiver = hooks(), receive()
    client = Client(app)
    dead = lease_one(app, waiting(client, subscribe, 1, receiver.url))
    drain(app)
    assert receiver.requests == []
    clock.move(seconds=46)
    drain(app)
    assert len(receiver.requests) == 1
    record(app, (dead, FAILED))
    shown = client.get(f"/v1/webhook_deliveries/{dead.delivery.id}")["data"]
    assert shown["status"] == "delivered" and shown["attempts_made"] == 2
    assert [a["error"] for a in shown["attempts"]] == ["timeout", None]


def test_an_attempt_whose_process_died_says_so(hooks, receive, drain, subscribe, clock):
    app, receiver = hooks(), receive()
    client = Client(app)
    dead = lease_one(app, waiting(client, subscribe, 1, receiver.url))
    clock.move(seconds=46)
    drain(app)
    shown = client.get(f"/v1/webhook_deliveries/{dead.delivery.id}")["data"]
    assert [(a["error"], a["finished_at"] is None) for a in shown["attempts"]] == [("interrupted", True), (None, False)]


@pytest.fixture
def unhurried(monkeypatch):
    """Whoever answers at all answers quickly, however busy the machine is."""
    monkeypatch.setattr("billycan_webhooks.dispatch._SLOW_MS", 600_000)


@pytest.fixture
def gate(receive):
    """A receiver that answers when it is told, and a way to wait for what reached it."""
    go = threading.Event()

    def answer(handler):
        go.wait(120)
        handler.send_response(204)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    receiver = receive(answer)
    receiver.open = go.set
    yield receiver
    go.set()


def test_rounds_send_all_that_waits_oldest_first_in_few_statements(hooks, receive, subscribe, dispatcher):
    app, receiver = hooks(), receive()
    client = Client(app)
    hint = waiting(client, subscribe, 6, receiver.url)
    dispatcher(app).add_hints([hint])
    with counted(app) as sent:
        while dispatcher(app).is_busy():
            dispatcher(app).round()
    oldest_first = [delivery["webhook_id"] for delivery in listed(client)][::-1]
    assert sorted(headers["webhook-id"] for headers, _, _ in receiver.requests) == oldest_first
    # Two are under way at once, so they need not arrive in the order in which they were taken.
    with app.db.reading(across="a test looks at every row") as db:
        taken = sa.select(deliveries.c.webhook_id).order_by(deliveries.c.first_attempt_at, deliveries.c.id)
        assert [*db.execute(taken).scalars()] == oldest_first
    # The endpoint, the lease and the attempt; then what came of it, in the transaction of the next.
    assert len(sent) <= 4 + 7 * 6, sent


def test_everybody_has_a_turn_before_anybody_has_a_second(hooks, gate, subscribe):
    app = hooks(threads=4)
    many, few = Client(app), Client(app)
    busy, quiet = waiting(many, subscribe, 10, gate.url), waiting(few, subscribe, 1, gate.url)
    dispatcher = Dispatcher(app)
    dispatcher.add_hints([busy, quiet])
    dispatcher.round()
    assert sorted(one.hint for one in dispatcher._flying) == sorted([busy, busy, quiet])
    gate.open()
    while dispatcher.is_busy():
        dispatcher.round()
    assert len(gate.requests) == 11


def test_a_business_has_a_quarter_of_the_senders(hooks, gate, subscribe):
    app = hooks(threads=16)
    greedy, other = Client(app), Client(app)
    dispatcher = Dispatcher(app)
    hints = [waiting(greedy, subscribe, 2, gate.url) for _ in range(12)]
    dispatcher.add_hints([*hints, waiting(other, subscribe, 1, gate.url)])
    dispatcher.round()
    of = [one.hint[0] for one in dispatcher._flying]
    assert (of.count(greedy.tenant_id), of.count(other.tenant_id)) == (4, 1)
    gate.open()
    while dispatcher.is_busy():
        dispatcher.round()


@pytest.mark.parametrize("outcome", [sender.Outcome(error="timeout"), sender.Outcome(error=None, duration_ms=9000)])
def test_half_of_the_senders_never_wait_for_what_is_slow(hooks, gate, subscribe, outcome, monkeypatch):
    """A success after nine seconds holds a sender as long as a failure does."""
    app = hooks(threads=8)
    dispatcher, businesses = Dispatcher(app), [Client(app) for _ in range(6)]
    hints = [waiting(client, subscribe, 1, gate.url) for client in businesses]
    with monkeypatch.context() as slowly:
        slowly.setattr(sender, "attempt_delivery", lambda *_, **__: outcome)
        dispatcher.add_hints(hints)
        while dispatcher.is_busy():
            dispatcher.round()
    for client in businesses:
        contact(client)
    dispatcher.add_hints(hints)
    dispatcher.round()
    assert len(dispatcher._flying) == 4
    quick = waiting(Client(app), subscribe, 1, gate.url)
    dispatcher.add_hints([quick])
    dispatcher.round()
    assert quick in [one.hint for one in dispatcher._flying]
    gate.open()
    while dispatcher.is_busy():
        dispatcher.round()
    assert len(gate.requests) == 7


@pytest.mark.usefixtures("unhurried")
def test_a_quick_endpoint_stays_quick_while_the_half_for_slow_ones_is_full(hooks, gate, receive, subscribe):
    """That nothing more was due to it just now says nothing about how it answers."""
    app, healthy = hooks(threads=4), receive()
    dispatcher, client = Dispatcher(app), Client(app)
    slow = [waiting(Client(app), subscribe, 1, gate.url) for _ in range(3)]
    dispatcher._slow.update(slow)
    quick = waiting(client, subscribe, 1, healthy.url)
    dispatcher.add_hints([*slow, quick])
    dispatcher.round()
    for count in (1, 2, 3):
        healthy.wait(count)
        while quick in [one.hint for one in dispatcher._flying] or not dispatcher._came.empty():
            dispatcher.round()
        contact(client, "again")
        dispatcher.add_hints([quick])
        dispatcher.round()
    healthy.wait(4)
    gate.wait(2)
    assert len(gate.requests) == 2
    gate.open()
    while dispatcher.is_busy():
        dispatcher.round()
    assert len(gate.requests) == 3


@pytest.mark.usefixtures("unhurried")
def test_a_slow_endpoint_is_quick_again_after_a_quick_answer(hooks, receive, subscribe, dispatcher):
    app = hooks()
    d = dispatcher(app)
    hint = waiting(Client(app), subscribe, 1, receive().url)
    d._slow.add(hint)
    d.add_hints([hint])
    while d.is_busy():
        d.round()
    assert d._slow == set()


def test_what_cannot_be_recorded_keeps_no_other_back(hooks, receive, subscribe, monkeypatch):
    """After a failed transaction each outcome is written by itself, until one succeeds."""
    app, receiver = hooks(), receive()
    client, other = Client(app), Client(app)
    hints = waiting(client, subscribe, 1, receiver.url), waiting(other, subscribe, 1, receiver.url)
    dispatcher, write, tries = Dispatcher(app), Desk.write, []
    monkeypatch.setattr("billycan_webhooks.dispatch._AGAIN_SECONDS", 0)

    def fails_for_the_first(desk, made, wanted):
        tries.append(len(made))
        if len(tries) < 12 and any(lease.hint == hints[0] for lease, _ in made):
            raise sa.exc.OperationalError("", {}, Exception("locked"))
        return write(desk, made, wanted)

    monkeypatch.setattr(Desk, "write", fails_for_the_first)
    dispatcher.add_hints(hints)
    while len(receiver.requests) < 2 or len(dispatcher._flying):
        dispatcher.round()
    for _ in range(6):
        dispatcher.round()
    assert [d["status"] for d in listed(other)] == ["delivered"], tries
    while dispatcher.is_busy():
        dispatcher.round()
    assert [d["status"] for d in listed(client)] == ["delivered"]
    assert len(receiver.requests) == 2


def test_what_cannot_be_claimed_is_left_to_the_sweep(hooks, receive, subscribe, monkeypatch):
    app, receiver = hooks(), receive()
    bad, good = (waiting(Client(app), subscribe, 1, receiver.url) for _ in range(2))
    dispatcher, write = Dispatcher(app), Desk.write
    monkeypatch.setattr("billycan_webhooks.dispatch._AGAIN_SECONDS", 0)

    def fails_for_one(desk, made, wanted):
        if any(hint == bad for hint, _ in wanted):
            raise LookupError("something about this one")
        return write(desk, made, wanted)

    with monkeypatch.context() as broken:
        broken.setattr(Desk, "write", fails_for_one)
        dispatcher.add_hints([bad, good])
        while dispatcher.is_busy():
            dispatcher.round()
        assert len(receiver.requests) == 1
    dispatcher.sweep()
    while dispatcher.is_busy():
        dispatcher.round()
    assert len(receiver.requests) == 2


def test_a_process_that_slept_sends_nothing(hooks, receive, subscribe, dispatcher, monkeypatch):
    app, receiver = hooks(), receive()
    dispatcher(app).add_hints([waiting(Client(app), subscribe, 1, receiver.url)])
    began = leases_module.boot_clock()
    monkeypatch.setattr("billycan_webhooks.dispatch.boot_clock", lambda: began + 20)
    while dispatcher(app).is_busy():
        dispatcher(app).round()
    assert receiver.requests == []


def test_what_was_queued_is_sent_after_a_business_is_suspended(hooks, subscribe, drain, receive):
    app, receiver = hooks(), receive()
    client = Client(app)
    subscribe(client, receiver.url)
    contact(client)
    with app.db.writing(across="a test") as db:
        set_standing(db, (client.tenant_id,), "suspended", app.now())
    app.epoch.bump()
    assert client.call("POST", "/v1/contacts", {"name": "Late"}).json["error"]["code"] == "business_suspended"
    drain(app)
    assert len(receiver.requests) == 1
    assert [d["status"] for d in listed(client)] == ["delivered"]
