"""The total of a filtered list is counted once, and again after the business's next change, whoever makes it."""

from datetime import UTC, date, datetime, time, timedelta

import pytest
import sqlalchemy as sa

from billycan import Context, counters
from billycan.testing import Client
from billycan_contacts.resource import contacts

ACTIVE = "/v1/contacts?status=active&per_page=1"


@pytest.fixture
def client(make_app):
    found = Client(make_app("contacts"))
    for name in ("Ada", "Grace", "Joan"):
        found.post("/v1/contacts", {"name": name})
    return found


def total(client, path=ACTIVE):
    return client.get(path)["pagination"]["total"]


def mislead(client):
    """Make each remembered total wrong by a hundred, so that a later total is right only if it was counted."""
    known = client.app.totals._known
    known.update({key: (number, total + 100, since) for key, (number, total, since) in known.items()})


def first_id(client):
    return client.get("/v1/contacts?sort=name")["data"][0]["id"]


def archive_untold(client):
    """Archive a contact without an event."""
    id = client.get(ACTIVE)["data"][0]["id"]
    ctx = Context(client.app, client.tenant_id)
    with ctx.transaction():
        contacts.records.save(ctx, contacts.records.lock(ctx, id), status="archived")


def test_a_total_is_counted_again_only_after_a_change(client):
    assert total(client) == 3
    mislead(client)
    assert total(client) == 103
    assert total(client, f"{ACTIVE}&page=2") == 103
    assert total(client, f"{ACTIVE}&page=1000") == 103
    assert total(client, f"{ACTIVE}&sort=name&fields=name") == 103
    assert total(client, "/v1/contacts?status=archived") == 0
    assert total(client, "/v1/contacts") == 3
    client.post("/v1/contacts", {"name": "Mary"})
    assert total(client) == total(client, f"{ACTIVE}&page=1000") == 4


def test_a_total_is_remembered_for_a_minute_at_most(client, clock):
    assert total(client) == 3
    mislead(client)
    clock.time += timedelta(seconds=58)
    assert total(client) == 103
    clock.time += timedelta(seconds=2)
    assert total(client) == 3


def test_what_another_process_changes_counts_at_once(client, make_app):
    other = Client(make_app("contacts"), client.tenant_id)
    assert total(client) == 3
    mislead(client)
    other.post(f"/v1/contacts/{first_id(client)}/archive", None, 200)
    assert total(client) == 2
    mislead(client)
    other.delete(f"/v1/contacts/{client.get(ACTIVE)['data'][0]['id']}")
    assert total(client) == 1


def test_other_values_and_other_businesses_have_totals_of_their_own(client):
    neighbour = Client(client.app)
    for _ in range(2):
        assert [total(client, f"/v1/contacts?search={text}") for text in ("ada", "grace", "nobody")] == [1, 1, 0]
        assert total(neighbour) == 0
    neighbour.post("/v1/contacts", {"name": "Ada"})
    assert (total(neighbour), total(client)) == (1, 3)


def test_a_change_that_no_event_tells_of_counts_too(client):
    assert total(client) == 3
    mislead(client)
    last = client.get("/v1/events")["data"][0]["id"]
    archive_untold(client)
    assert total(client) == 2
    # A number was skipped, but a client that polls misses no event.
    client.post("/v1/contacts", {"name": "Mary"})
    assert [each["event"] for each in client.get(f"/v1/events?after={last}")["data"]] == ["contact.created"]
    assert client.get("/v1/events")["pagination"]["total"] == 4


def test_before_the_first_event_a_change_is_not_missed_either(client):
    with client.app.db.writing(client.tenant_id) as db:
        own = counters.counters.c.tenant_id == client.tenant_id
        db.execute(sa.delete(counters.counters).where(own, counters.counters.c.name == counters.EVENTS))
    assert total(client) == 3
    assert not client.app.totals._known
    for left in (2, 1):
        archive_untold(client)
        assert total(client) == left
        mislead(client)


def test_a_condition_of_a_handlers_own_is_counted_each_time(client):
    ctx = Context(client.app, client.tenant_id, writes=False)
    with client.app.db.reading(client.tenant_id) as ctx.db:
        assert contacts.records.page(ctx, contacts.query(status=["active"]), contacts.table.c.name != "Ada").total == 2
    assert not client.app.totals._known


def test_a_transaction_that_writes_neither_uses_nor_leaves_a_total(client):
    ctx = Context(client.app, client.tenant_id)
    query = contacts.query(status=["active"])
    with pytest.raises(ZeroDivisionError), ctx.transaction():
        row = ctx.db.execute(sa.select(contacts.table).where(contacts.table.c.tenant_id == client.tenant_id)).first()
        assert contacts.records.page(ctx, query).total == 3
        contacts.records.save(ctx, contacts.records.lock(ctx, row.id), status="archived")
        assert contacts.records.page(ctx, query).total == 2
        raise ZeroDivisionError
    assert total(client) == 3


def test_totals_of_worked_out_statuses_are_remembered_until_the_day_changes(make_app, clock):
    client = Client(make_app("contacts", "documents", "hosted", "invoices"))
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    made = client.post(
        "/v1/invoices", {"client_id": contact, "line_items": [{"description": "Leak", "unit_price": "90"}]}
    )
    sent = client.post(f"/v1/invoices/{made['data']['id']}/send", None, 200)["data"]
    clock.time = datetime.combine(date.fromisoformat(sent["due_date"]), time(12), UTC)
    unpaid, overdue = (f"/v1/invoices?status={status}" for status in ("unpaid", "overdue"))
    assert (total(client, unpaid), total(client, overdue)) == (1, 0)
    mislead(client)
    # An empty first page needs no count.
    assert (total(client, unpaid), total(client, overdue)) == (101, 0)
    clock.time += timedelta(days=1)
    assert (total(client, unpaid), total(client, overdue)) == (1, 1)
    mislead(client)
    assert (total(client, unpaid), total(client, overdue)) == (101, 101)
