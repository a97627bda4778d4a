"""Copies of records that follow the changes, and what they are told if they cannot."""

import pytest
import sqlalchemy as sa

from billycan import Context
from billycan.events import events
from billycan.testing import Client, counted, run_timed
from billycan_changes import handlers
from billycan_contacts.resource import contacts

CONTACTS = "/v1/contacts"


@pytest.fixture
def client(make_app):
    return Client(make_app("changes", "contacts", "hosted", "documents", "invoices", "items", "attachments"))


def changes(client, after=None, **query):
    asked = "&".join(f"{name}={value}" for name, value in {**query, **({"after": after} if after else {})}.items())
    return client.get(f"/v1/changes?{asked}")["data"]


def invoices_since(client, cursor):
    return {each["id"]: each["record"] for each in changes(client, cursor, resources="invoices")["changes"]}


def add(client, name, **more):
    return client.post(CONTACTS, {"name": name, **more})["data"]["id"]


def test_each_record_is_sent_once_as_it_is_now_in_the_order_of_its_last_change(client):
    old = add(client, "Old")
    start = changes(client)
    assert start == {"changes": [], "cursor": start["cursor"], "has_more": False}
    ada, eve = add(client, "Ada"), add(client, "Eve")
    item = client.post("/v1/items", {"name": "Tap", "unit_price": "10.00"})["data"]
    client.patch(f"{CONTACTS}/{old}", {"notes": "x"})
    client.patch(f"{CONTACTS}/{ada}", {"notes": "y"})
    client.delete(f"{CONTACTS}/{eve}")
    found = changes(client, start["cursor"])
    assert [(each["resource"], each["id"], each["deleted"]) for each in found["changes"]] == [
        ("items", item["id"], False),
        ("contacts", old, False),
        ("contacts", ada, False),
        ("contacts", eve, True),
    ]
    shown = [each["record"] for each in found["changes"]]
    assert shown == [item, client.get(f"{CONTACTS}/{old}")["data"], client.get(f"{CONTACTS}/{ada}")["data"], None]
    assert found["has_more"] is False
    assert changes(client, found["cursor"]) == {"changes": [], "cursor": found["cursor"], "has_more": False}
    # Any change is a place to continue at.
    for i, each in enumerate(found["changes"]):
        assert changes(client, each["cursor"])["changes"] == found["changes"][i + 1 :]
    # A part at a time it is the same.
    cursor, parts, more = start["cursor"], [], True
    while more:
        part = changes(client, cursor, per_page=1)
        assert len(part["changes"]) <= 1
        parts, cursor, more = parts + part["changes"], part["cursor"], part["has_more"]
    assert {each["id"]: each["record"] for each in parts} == {each["id"]: each["record"] for each in found["changes"]}


def test_only_the_resources_asked_for_are_sent_and_only_to_keys_that_may_read_them(client):
    start = changes(client)["cursor"]
    ada = add(client, "Ada")
    client.post("/v1/items", {"name": "Tap", "unit_price": "10.00"})
    assert [each["id"] for each in changes(client, start, resources="contacts")["changes"]] == [ada]
    reader = client.key("contacts:read")
    assert [each["id"] for each in changes(reader, start)["changes"]] == [ada]
    error = reader.refused(403, "insufficient_scope", "GET", f"/v1/changes?resources=contacts,items&after={start}")
    assert error["required_scope"] == "items:read"
    client.key("write").refused(403, "insufficient_scope", "GET", "/v1/changes")
    for wrong in ("nothing", "attachments", "events", "me"):
        assert client.refused(400, "invalid_filter", "GET", f"/v1/changes?resources={wrong}")["param"] == "resources"
    stranger = Client(client.app)
    stranger.refused(410, "resync", "GET", f"/v1/changes?after={changes(client)['cursor']}")
    assert changes(stranger, changes(stranger)["cursor"])["changes"] == []


def test_a_record_has_what_its_list_can_include(client):
    ada = add(client, "Ada")
    start = changes(client)["cursor"]
    lines = [{"description": f"Tap {i}", "quantity": 1, "unit_price": "10.00"} for i in range(3)]
    made = [client.post("/v1/invoices", {"client_id": ada, "line_items": lines})["data"] for _ in range(30)]
    found = changes(client, start, resources="invoices")["changes"]
    assert [each["id"] for each in found] == [each["id"] for each in made]
    assert found[0]["record"] == made[0]
    path = f"/v1/invoices/{made[0]['id']}"
    client.post(f"{path}/send", status=200)
    paid = client.post(f"{path}/payments", {"amount": "10.00", "payment_method": "card"})["data"]["payments"]
    assert invoices_since(client, start)[made[0]["id"]]["payments"] == paid
    start = changes(client)["cursor"]
    client.post(f"{path}/payments/{paid[0]['id']}/reverse", {}, 200)
    (shown,) = invoices_since(client, start).values()
    assert shown == client.get("/v1/invoices?status=sent&include=line_items,payments")["data"][0]
    assert (shown["status"], shown["payments"][0]["status"]) == ("sent", "reversed")
    for names in ("payments", "line_items", "line_items,payments"):
        (some,) = changes(client, start, resources="invoices,contacts", include=names)["changes"]
        assert some["record"] == client.get(f"/v1/invoices?status=sent&include={names}")["data"][0]
    error = client.refused(400, "invalid_parameter", "GET", "/v1/changes?resources=contacts&include=payments")
    assert (error["param"], "use none" in error["message"]) == ("include", True)


def test_a_record_that_changed_without_an_event_is_sent_too(client):
    """A part of an invoice is paid: only the payment is told of."""
    ada = add(client, "Ada")
    lines = [{"description": "Tap", "quantity": 1, "unit_price": "100.00"}]
    ids = [client.post("/v1/invoices", {"client_id": ada, "line_items": lines})["data"]["id"] for _ in range(4)]
    for id in ids:
        client.post(f"/v1/invoices/{id}/send", status=200)
    start = changes(client)["cursor"]
    parts = [{"invoice_id": id, "amount": "10.00"} for id in ids]
    body = {"client_id": ada, "amount": "40.00", "payment_method": "card", "allocations": parts}
    payment = client.post("/v1/payments", body)["data"]["id"]
    found = changes(client, start)
    assert [each["id"] for each in found["changes"]] == [payment, *ids]
    assert {each["record"]["status"] for each in found["changes"][1:]} == {"partially_paid"}
    # They have one number, and any of them is a place to continue at.
    for i, each in enumerate(found["changes"]):
        assert changes(client, each["cursor"])["changes"] == found["changes"][i + 1 :]
    assert changes(client)["cursor"] == found["cursor"]
    part = changes(client, start, per_page=3)
    assert ([each["id"] for each in part["changes"]], part["has_more"]) == ([payment, *ids[:2]], True)
    assert [each["id"] for each in changes(client, part["cursor"])["changes"]] == ids[2:]
    client.post(f"/v1/invoices/{ids[0]}/payments", {"amount": "5.00", "payment_method": "card"})
    assert [each["resource"] for each in changes(client, found["cursor"])["changes"]] == ["payments", "invoices"]


def test_it_costs_what_a_list_costs(client):
    """One query for each resource, however many records changed."""
    start = changes(client)["cursor"]
    for i in range(40):
        add(client, f"Ada {i}")
    with counted(client.app) as few:
        assert len(changes(client, start, per_page=2)["changes"]) == 2
    with counted(client.app) as many:
        assert len(changes(client, start)["changes"]) == 40
    assert len(many) == len(few) <= 8, many
    # In the order of its list, SQLite would look for them among all records there are.
    assert not [each for each in many if "ORDER BY contacts.created_at" in each]


def test_a_place_that_is_no_longer_kept_asks_for_a_new_start(client, clock):
    start = changes(client)["cursor"]
    add(client, "Old")
    ada = add(client, "Ada")
    middle = changes(client)["cursor"]
    for name in ("Tap", "Pipe"):
        client.post("/v1/items", {"name": name, "unit_price": "10.00"})
    clock.move(days=91)
    add(client, "Eve")
    client.patch(f"{CONTACTS}/{ada}", {"notes": "x"})
    late = changes(client)["cursor"]
    run_timed(client.app)
    error = client.refused(410, "resync", "GET", f"/v1/changes?after={start}")
    assert error["param"] == "after"
    client.refused(410, "resync", "GET", f"/v1/changes?after={middle}&resources=items")
    # What was forgotten after this place is none of it.
    assert len(changes(client, middle, resources="contacts")["changes"]) == 2
    assert changes(client, late)["changes"] == []
    for wrong in ("x", "1", "1.1", "-1.1.", "1.evt_1.2", "9" * 30 + ".1.", "1.1.evt_1.con_1;"):
        client.refused(400, "invalid_cursor", "GET", f"/v1/changes?after={wrong}")


def test_a_place_of_another_state_of_the_database_asks_for_a_new_start(client):
    """After a backup is put back, positions are used again."""
    add(client, "Ada")
    lost = changes(client)["cursor"]
    with client.app.db.writing(across="a backup is put back") as db:
        db.execute(sa.delete(events).where(events.c.tenant_id == client.tenant_id))
    client.refused(410, "resync", "GET", f"/v1/changes?after={lost}")
    for place in ("1.1.evt_01m7yjmt31mtrmy8tkhfwv38rc", "99.99.evt_01m7yjmt31mtrmy8tkhfwv38rc", "99.0."):
        client.refused(410, "resync", "GET", f"/v1/changes?after={place}")


def test_many_changes_of_others_are_passed_over_a_part_at_a_time(client, monkeypatch):
    start = changes(client)["cursor"]
    for i in range(5):
        client.post("/v1/items", {"name": f"Tap {i}", "unit_price": "10.00"})
    ada = add(client, "Ada")
    monkeypatch.setattr(handlers, "MOST_LOOKED_AT", 2)
    found, cursor, asked = [], start, 0
    while True:
        answer = changes(client, cursor, resources="contacts")
        found, cursor, asked = found + answer["changes"], answer["cursor"], asked + 1
        if not answer["has_more"]:
            break
    assert ([each["id"] for each in found], asked) == ([ada], 3)
    monkeypatch.setattr(handlers, "MOST_LOOKED_AT", 500)
    monkeypatch.setattr(handlers, "MOST_BYTES", 1)
    assert [len(changes(client, start)["changes"]), changes(client, start)["has_more"]] == [1, True]


def test_a_change_that_began_earlier_and_is_committed_later_is_not_passed_over(client):
    """Its number is given out at its commit, for a record with an event and for one without."""
    if client.app.db.is_sqlite:
        return  # which has one writer
    ada, start = add(client, "Ada"), changes(client)["cursor"]
    slow = Context(client.app, client.tenant_id)
    with slow.transaction():
        contacts.records.save(slow, contacts.records.lock(slow, ada), notes="x")
        eve = add(client, "Eve")
        found = changes(client, start)
        assert [each["id"] for each in found["changes"]] == [eve]
    assert [each["id"] for each in changes(client, found["cursor"])["changes"]] == [ada]
