"""The event log is in commit order, and a client that polls it misses nothing."""

import threading

import pytest
import sqlalchemy as sa

from billycan import Context, Deleted, events
from billycan.testing import Client

pytestmark = pytest.mark.either


@pytest.fixture
def client(make_app):
    return Client(make_app("contacts"))


def add(client, *names):
    return [client.post("/v1/contacts", {"name": name})["data"] for name in names]


def polled(client, after, query=""):
    """Everything the log has after an event, page by page, as a poller asks for it."""
    found = []
    while page := client.get(f"/v1/events?after={after}&per_page=2{query}")["data"]:
        found += page
        after = page[-1]["id"]
    return found


def test_an_event_is_the_record_as_get_answers_it(client, clock):
    (ada,) = add(client, "Ada")
    changed = client.patch(f"/v1/contacts/{ada['id']}", {"name": "Eve"})["data"]
    client.delete(f"/v1/contacts/{ada['id']}")
    log = client.get("/v1/events?sort=created_at")["data"]
    assert [e["event"] for e in log] == ["contact.created", "contact.updated", "contact.deleted"]
    assert [e["data"] for e in log] == [ada, changed, {"id": ada["id"], "deleted": True}]
    for event in log:
        assert set(event) == {"id", "event", "created_at", "actor", "data"} and event["id"].startswith("evt_")
        assert client.get(f"/v1/events/{event['id']}")["data"] == event
    assert client.get("/v1/events")["data"] == log[::-1]
    assert log[0]["created_at"] == ada["created_at"]
    for other in (Client(client.app), client.sandbox()):
        assert other.get("/v1/events")["pagination"]["total"] == 0
        other.get(f"/v1/events/{log[0]['id']}", 404)
        other.refused(400, "invalid_parameter", "GET", f"/v1/events?after={log[0]['id']}")


def test_a_refused_change_leaves_no_event(client):
    (ada,) = add(client, "Ada")
    client.post("/v1/contacts", {"name": ""}, 422)
    client.patch(f"/v1/contacts/{ada['id']}", {"name": "Eve"}, 412, If_Match='"7"')
    client.post(f"/v1/contacts/{ada['id']}/restore", status=409)
    assert client.events() == ["contact.created"]


def test_polling_gives_everything_once_and_in_order(client):
    add(client, "Ada")
    (first,) = client.get("/v1/events")["data"]
    assert polled(client, first["id"]) == []
    empty = client.get(f"/v1/events?after={first['id']}")["pagination"]
    assert (empty["total"], empty["has_more"], empty["next_cursor"]) == (0, False, None)
    add(client, *"BCDEF")
    found = polled(client, first["id"])
    assert [e["data"]["name"] for e in found] == [*"BCDEF"]
    assert polled(client, found[-1]["id"]) == []
    add(client, "G")
    assert [e["data"]["name"] for e in polled(client, found[-1]["id"])] == ["G"]
    # By cursor too, and from the middle.
    page = client.get(f"/v1/events?after={found[1]['id']}&per_page=2")
    cursor = page["pagination"]["next_cursor"]
    page = client.get(f"/v1/events?after={found[1]['id']}&cursor={cursor}")
    assert [e["data"]["name"] for e in page["data"]] == ["F", "G"] and not page["pagination"]["has_more"]


def test_the_log_is_filtered(client, clock):
    ada, bob = add(client, "Ada", "Bob")
    clock.move(days=1)
    client.patch(f"/v1/contacts/{ada['id']}", {"name": "Eve"})
    client.delete(f"/v1/contacts/{bob['id']}")
    first = client.get("/v1/events?sort=created_at&per_page=1")["data"][0]
    for query, found in {
        "event=contact.created": ["contact.created"] * 2,
        "event=contact.updated,contact.deleted": ["contact.deleted", "contact.updated"],
        "event=contact.deleted&created_at_to=2026-11-21": [],
        "created_at_to=2026-11-21": ["contact.created"] * 2,
        "created_at_from=2026-11-22": ["contact.deleted", "contact.updated"],
        f"created_at_to={first['created_at']}": ["contact.created"],
        "sort=created_at&event=contact.updated,contact.created": [
            "contact.created",
            "contact.created",
            "contact.updated",
        ],
        "sort=-created_at&per_page=1": ["contact.deleted"],
    }.items():
        assert [e["event"] for e in client.get(f"/v1/events?{query}")["data"]] == found, query
    assert [e["event"] for e in polled(client, first["id"], "&event=contact.updated")] == ["contact.updated"]


@pytest.mark.parametrize(
    ("query", "code", "param"),
    [
        ("after=evt_0", "invalid_parameter", "after"),
        ("after=", "invalid_parameter", "after"),
        ("after=%27", "invalid_parameter", "after"),
        ("sort=event", "invalid_sort", "sort"),
        ("after=evt_0&sort=-created_at", "invalid_sort", "sort"),
        ("sort=", "invalid_sort", "sort"),
        ("event=a&event=b", "invalid_parameter", "event"),
        ("search=x", "unknown_parameter", "search"),
        ("created_at_from=x", "invalid_filter", "created_at_from"),
    ],
)
def test_a_bad_question_is_refused(client, query, code, param):
    assert client.refused(400, code, "GET", f"/v1/events?{query}")["param"] == param


def test_an_event_nobody_declares_cannot_be_emitted(client):
    with pytest.raises(LookupError, match=r"contact\.exploded"):
        Context(client.app, client.tenant_id).emit("contact.exploded", {})


@pytest.mark.both
def test_a_slow_transaction_never_slips_in_behind_a_poller(client):
    """While one transaction with a numbered event is open, no later event can be seen before it."""
    (bob,) = add(client, "Bob")
    (last,) = client.get("/v1/events?per_page=1")["data"]
    slow = Context(client.app, client.tenant_id)
    quick = client.key()
    seen = []
    with client.app.db.writing() as slow.db:
        slow.emit("contact.deleted", Deleted("slow"))
        events.write_events(slow)
        other = threading.Thread(target=quick.patch, args=(f"/v1/contacts/{bob['id']}", {"name": "quick"}))
        other.start()
        waits(client.app, other)
        seen += polled(client, last["id"])
        assert seen == []
    other.join(30)
    seen += polled(client, last["id"])
    assert [e["data"].get("name", "slow") for e in seen] == ["slow", "quick"]


def waits(app, thread):
    """Return once a thread's transaction waits for another's."""
    while thread.is_alive():
        if app.db.is_sqlite:
            if app.db._engines._turns._line._waiting:
                return
            continue
        with app.db.reading() as db:
            if db.execute(sa.text("SELECT count(*) FROM pg_locks WHERE NOT granted")).scalar():
                return
    pytest.fail("it did not wait")


@pytest.mark.both
def test_many_writers_and_a_poller(make_app):
    """Writers of one tenant in threads, each an event or two at a time, while a poller reads on."""
    client = Client(make_app("contacts", pool_size=8))
    add(client, "Ada")
    (first,) = client.get("/v1/events")["data"]
    writers = [client.key() for _ in range(4)]
    made = []

    def write(writer):
        for _ in range(6):
            (contact,) = add(writer, "x")
            writer.delete(f"/v1/contacts/{contact['id']}")
            made.extend([("contact.created", contact["id"]), ("contact.deleted", contact["id"])])

    threads = [threading.Thread(target=write, args=(writer,)) for writer in writers]
    for thread in threads:
        thread.start()
    seen, after = [], first["id"]
    while any(thread.is_alive() for thread in threads):
        seen += polled(client, after)
        after = seen[-1]["id"] if seen else after
    seen += polled(client, after)
    given = [(e["event"], e["data"]["id"]) for e in seen]
    assert len(given) == len(set(given)) and set(given) == set(made)
    assert seen == polled(client, first["id"])
