"""Retention of webhooks: one body per event, bounded responses, bounded waiting."""

import json

import pytest
import sqlalchemy as sa

from billycan.sql import events
from billycan.testing import Client
from billycan.working import worker
from billycan_webhooks import handlers, retention, sender
from billycan_webhooks.queue import Queue
from billycan_webhooks.tables import deliveries


def contact(client, name="Ada", **more):
    return client.post("/v1/contacts", {"name": name, **more})["data"]


def listed(client, query=""):
    return client.get(f"/v1/webhook_deliveries?per_page=100{query}")["data"]


def stored(app):
    """All that is stored, as text."""
    with app.db.reading() as db:
        return "".join(
            str(db.execute(sa.text(f'SELECT * FROM "{name}"')).all())
            for name in sa.inspect(db).get_table_names()
            if not name.endswith("_search")  # the indexes for search, which cannot be read
        )


def test_a_body_is_stored_once_however_many_want_it(hooks, receive, drain, subscribe):
    app, receiver = hooks(), receive()
    client = Client(app)
    for _ in range(5):
        subscribe(client, receiver.url)
    contact(client, notes="an unmistakable note")
    drain(app)
    drain(app)
    (delivery, *_) = listed(client)
    client.post(f"/v1/webhook_deliveries/{delivery['id']}/replay")
    drain(app)
    assert len({body for _, body, _ in receiver.requests}) == 1 and len(receiver.requests) == 6
    # The contact itself, what search finds it by, and the event.
    assert stored(app).count("an unmistakable note") <= 3
    shown = client.get(f"/v1/webhook_deliveries/{delivery['id']}")["data"]
    assert shown["attempts"][0]["request"]["body"].encode() == receiver.requests[0][1]


def test_a_replayed_ping_has_the_same_body(hooks, receive, drain, subscribe, clock):
    app, receiver = hooks(), receive()
    client = Client(app)
    endpoint = subscribe(client, receiver.url)
    sent = client.post(f"/v1/webhook_endpoints/{endpoint['id']}/test")["data"]
    drain(app)
    clock.move(hours=1)
    client.post(f"/v1/webhook_deliveries/{sent['id']}/replay")
    drain(app)
    (_, first, _), (_, second, _) = receiver.requests
    assert first == second and json.loads(first)["event"] == "ping"


def test_what_is_held_has_an_end(hooks, receive, drain, subscribe, clock):
    app, receiver = hooks(hold_days=3, hold_most=2), receive()
    client = Client(app)
    endpoint = subscribe(client, receiver.url)
    path = f"/v1/webhook_endpoints/{endpoint['id']}"
    client.patch(path, {"enabled": False})
    for name in ("Ada", "Bob", "Cy"):
        contact(client, name)
    clock.move(hours=1)
    worker.tick(app)
    found = listed(client)
    assert [d["status"] for d in found] == ["held", "held", "cancelled"]
    assert [d["last_error"] for d in found] == [None, None, "held_too_long"]
    clock.move(days=3)
    worker.tick(app)
    assert {d["status"] for d in listed(client)} == {"cancelled"}
    client.patch(path, {"enabled": True})
    assert client.post(f"{path}/recover", {"since": "2026-01-01T00:00:00Z"}, 202)["data"]["deliveries"] == 0
    # Nothing is lost with them: the log has the event, and a replay sends it.
    assert len(client.events()) == 3
    client.post(f"/v1/webhook_deliveries/{found[0]['id']}/replay")
    drain(app)
    assert len(receiver.requests) == 1


def test_answers_are_kept_up_to_a_size_and_the_newest_first(hooks, receive, drain, subscribe, monkeypatch, clock):
    def long(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "9000")
        handler.end_headers()
        handler.wfile.write(b"y" * 9000)

    app, receiver = hooks(), receive(long)
    client, other = Client(app), Client(app)
    subscribe(client, receiver.url)
    subscribe(other, receiver.url)
    contact(other)
    for i in range(5):
        contact(client, str(i))
        drain(app)
    monkeypatch.setattr(retention, "MOST_RESPONSE_BYTES", 20_000)
    clock.move(hours=1)
    worker.tick(app)
    attempts = [client.get(f"/v1/webhook_deliveries/{d['id']}")["data"]["attempts"][0] for d in listed(client)]
    assert [a["response"]["body"] and len(a["response"]["body"]) for a in attempts] == [9000, 9000, None, None, None]
    assert all(a["response"]["status"] == 200 for a in attempts)
    (kept,) = listed(other)
    assert client.get("/v1/webhook_deliveries")["pagination"]["total"] == 5
    assert other.get(f"/v1/webhook_deliveries/{kept['id']}")["data"]["attempts"][0]["response"]["body"]


def test_an_existing_queue_is_closed_to_others(hooks, engine):
    if engine == "postgresql":
        pytest.skip("the queue is in the database")
    app = hooks()
    file = Queue(app, patience=1).file
    file.chmod(0o644)
    assert Queue(app, patience=1).file == file and file.stat().st_mode & 0o777 == 0o600


def test_the_log_keeps_what_is_still_to_be_delivered(hooks, receive, drain, subscribe, clock):
    app, receiver = hooks(hold_days=300), receive()
    client = Client(app)
    path = f"/v1/webhook_endpoints/{subscribe(client, receiver.url)['id']}"
    for name in ("Ada", "Bob"):
        contact(client, name)
    drain(app)
    client.patch(path, {"enabled": False})
    for name in ("Cy", "Dee", "Eve"):
        contact(client, name)
    clock.move(days=120)
    worker.tick(app)
    # Two were delivered long ago, three are held.
    assert [e["data"]["name"] for e in client.get("/v1/events?sort=created_at")["data"]] == ["Cy", "Dee", "Eve"]
    client.patch(path, {"enabled": True})
    assert client.post(f"{path}/recover", {"since": "2026-01-01T00:00:00Z"}, 202)["data"]["deliveries"] == 3
    drain(app)
    assert len(receiver.requests) == 5
    clock.move(hours=2)
    worker.tick(app)
    assert len(client.events()) == 1


def test_what_was_forgotten_meanwhile_is_not_sent(hooks, receive, drain, subscribe, clock):
    """As where the plugin was off for months: what waited is cancelled and says why, and the others go on."""
    app, receiver = hooks(), receive(500, 204)
    client = Client(app)
    endpoint = subscribe(client, receiver.url)
    contact(client, "Ada")
    drain(app)  # fails, and waits for its retry
    for name in ("Bob", "Cy"):
        contact(client, name)
    (waits, *_) = reversed(listed(client))
    with app.db.writing(across="a test looks at every row") as db:
        db.execute(sa.delete(events).where(events.c.id.in_([d["webhook_id"] for d in listed(client)[1:]])))
    clock.move(minutes=20)
    drain(app)
    found = [client.get(f"/v1/webhook_deliveries/{d['id']}")["data"] for d in reversed(listed(client))]
    assert [d["status"] for d in found] == ["cancelled", "cancelled", "delivered"]
    assert [d["last_error"] for d in found] == ["event_expired", "event_expired", None]
    assert found[0]["attempts"][0]["request"]["body"] is None and found[2]["attempts"][0]["request"]["body"]
    client.refused(409, "invalid_state_transition", "POST", f"/v1/webhook_deliveries/{waits['id']}/replay")
    with app.db.writing(across="a test looks at every row") as db:
        db.execute(sa.update(deliveries).values(status="failed"))
    since = {"since": "2026-01-01T00:00:00Z"}
    path = f"/v1/webhook_endpoints/{endpoint['id']}/recover"
    assert client.post(path, since, 202)["data"]["deliveries"] == 1


def test_a_delivery_shows_its_newest_attempts_and_a_bounded_part_of_what_they_carried(
    hooks, receive, drain, subscribe, clock, monkeypatch
):
    app, receiver = hooks(), receive(500)
    client = Client(app)
    subscribe(client, receiver.url)
    contact(client)
    for _ in range(4):
        drain(app)
        clock.move(days=1, hours=1)
    (delivery,) = listed(client)
    path = f"/v1/webhook_deliveries/{delivery['id']}"
    shown = client.get(path)["data"]["attempts"]
    (body,) = {a["request"]["body"] for a in shown}
    assert [a["number"] for a in shown] == [1, 2, 3, 4]
    monkeypatch.setattr(handlers, "MOST_BODY_BYTES", 2 * len(body) + 1)
    bodies = [a["request"]["body"] for a in client.get(path)["data"]["attempts"]]
    assert bodies == [None, None, body, body]
    monkeypatch.setattr(handlers, "MOST_ATTEMPTS", 3)
    assert [a["number"] for a in client.get(path)["data"]["attempts"]] == [2, 3, 4]


def test_a_log_that_is_shorter_than_deliveries_are_kept_stops_the_start(make_app):
    with pytest.raises(Exception, match=r"webhooks failed to start: events_days must be at least 31"):
        make_app("contacts", "webhooks", events_days=30, fresh=True)
    make_app("contacts", "webhooks", events_days=31, fresh=True)


def test_the_headers_of_an_answer_are_bounded_together(receive):
    def many(handler):
        handler.send_response(200)
        for i in range(60):
            handler.send_header(f"X-{i}", "y" * 500)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    outcome = sender.attempt_delivery(receive(many).url, {}, b"{}", timeout=5, private=True)
    assert outcome.error is None and outcome.response_headers
    assert sum(len(name) + len(value) for name, value in outcome.response_headers.items()) <= sender.MOST_HEADER_BYTES


def test_a_delivery_that_waits_for_its_retry_says_why(hooks, receive, drain, subscribe, clock):
    app, receiver = hooks(), receive(500, 204)
    client = Client(app)
    subscribe(client, receiver.url)
    contact(client)
    (new,) = listed(client)
    assert (new["status"], new["attempts_made"], new["last_error"]) == ("pending", 0, None)
    drain(app)
    (waiting,) = listed(client)
    assert (waiting["status"], waiting["attempts_made"], waiting["last_error"]) == ("pending", 1, "status")
    assert waiting["next_attempt_at"] > new["next_attempt_at"]
    assert client.get(f"/v1/webhook_deliveries/{new['id']}")["data"]["last_error"] == "status"
    clock.move(seconds=600)
    drain(app)
    assert [(d["status"], d["last_error"]) for d in listed(client)] == [("delivered", None)]
