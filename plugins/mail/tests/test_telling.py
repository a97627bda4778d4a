"""Emails that tell people of events: at once or on their morning, once, and only what their role may read."""

import re

import pytest
import sqlalchemy as sa

from billycan.testing import Client, run_timed
from billycan_users.notifying import EVENTS
from billycan_users.tables import digests, untold, users
from billycan_users.testing import Browser

pytestmark = pytest.mark.either


@pytest.fixture
def shop(mailing, serve, drain):
    """Return a client, and a function that does the timed work and returns the new letters by their addresses."""
    server = serve()
    names = ("bookings", "contacts", "dashboard", "documents", "hosted", "invoices", "jobs", "quotes", "staff", "users")
    app = mailing(server, *names, public_url="http://127.0.0.1:8000")
    client = Client(app, profile={"timezone": "Australia/Hobart"})

    def told():
        run_timed(app)
        run_timed(app)
        drain(app)
        found = [
            (str(each["To"]).partition(".")[0], str(each["Subject"]), each.get_content()) for each in server.messages
        ]
        server.messages.clear()
        return sorted(each for each in found if " · " in each[1])  # not those of an account

    return client, told


def decided(client, action, **sent):
    contact = client.post("/v1/contacts", {"name": "Salamanca Bakery"})["data"]["id"]
    lines = [{"description": "New taps", "unit_price": 1100}]
    quote = client.post("/v1/quotes", {"client_id": contact, "line_items": lines})["data"]["id"]
    client.post(f"/v1/quotes/{quote}/send", status=200)
    return client.post(f"/v1/quotes/{quote}/{action}", sent, 200)["data"]


def rule_of(client, email, event):
    with client.app.db.reading() as db:
        id = db.execute(sa.select(users.c.id).where(users.c.email == email)).scalar_one()
    rules = client.get("/v1/notification_rules")["data"]
    return next(rule for rule in rules if (rule["user_id"], rule["event"]) == (id, event))


def test_people_are_told_at_once_or_on_their_morning_and_only_once(shop, clock):
    client, told = shop
    people = {role: Browser(client.app).join(client, role) for role in ("owner", "office", "bookkeeper", "viewer")}
    daily = rule_of(client, people["viewer"].email, "quote.accepted")
    assert daily["how"] == "none"
    for change, status in (({"how": "daily"}, 200), ({"how": "daily"}, 200), ({"how": "weekly"}, 422)):
        client.patch(f"/v1/notification_rules/{daily['id']}", change, status)
    assert client.get(f"/v1/notification_rules/{daily['id']}")["data"] == {**daily, "how": "daily"}
    client.get("/v1/notification_rules/ntr_000", 404)
    quote = decided(client, "accept", name="Ada")
    first = told()
    assert [to for to, _, _ in first] == ["office", "owner"], "as their roles are told by default"
    assert first[0][1].startswith(f"A quote was accepted: {quote['number']} for Salamanca Bakery, $1,210.00")
    assert f"/dashboard/quotes/{quote['id']}" in first[0][2]
    assert told() == []
    second = decided(client, "accept", name="Ada")
    assert len(told()) == 2
    clock.move(hours=24)
    ((to, subject, text),) = told()
    assert (to, subject.partition(" ·")[0]) == ("viewer", "2 notifications")
    assert quote["number"] in text and second["number"] in text
    assert told() == []
    # The page of the account, and the link of an email, change what the person is told of.
    people["owner"].sign_in()
    page = people["owner"].get("/dashboard/account/notifications").text
    assert "An invoice is overdue" in page and "An agent waits" not in page
    people["owner"].send(quote_accepted="none", payment_recorded="mail")
    link = re.search(r"http://[^/]+(/dashboard/unsubscribe/\S+)", first[0][2])[1]
    stranger = Browser(client.app)
    assert "Stop these emails?" in stranger.get(link).text
    assert rule_of(client, people["office"].email, "quote.accepted")["how"] == "mail", "a scanner opens every link"
    stranger.send(link)
    assert rule_of(client, people["office"].email, "quote.accepted")["how"] == "none"
    stranger.get(link + "x", 404)
    decided(client, "accept", name="Ada")
    assert told() == []
    assert [to for to, _, _ in told_of_decline(client, told)] == ["office", "owner"]


def told_of_decline(client, told):
    decided(client, "decline", reason="Too dear")
    return told()


def test_nobody_is_told_of_what_their_role_does_not_read_or_of_what_they_did(shop, clock):
    client, told = shop
    owner, field, keeper = (Browser(client.app).join(client, role) for role in ("owner", "field", "bookkeeper"))
    may = {rule["event"] for rule in client.get("/v1/notification_rules")["data"]}
    assert may <= {*EVENTS}
    with pytest.raises(StopIteration):
        rule_of(client, keeper.email, "quote.accepted")
    mine = rule_of(client, field.email, "booking.created")
    assert mine["how"] == "none"
    client.patch(f"/v1/notification_rules/{mine['id']}", {"how": "mail"})
    hours = [{"day": "monday", "start": "00:00", "end": "24:00"}]
    grace = client.post("/v1/staff", {"name": "Grace", "hours": hours, "user_id": mine["user_id"]})["data"]["id"]
    ada = client.post("/v1/staff", {"name": "Ada", "hours": hours})["data"]["id"]
    service = {"name": "Drain", "duration_minutes": 60, "price": "180.00", "staff_ids": [grace, ada]}
    service = client.post("/v1/services", service)["data"]["id"]
    contact = client.post("/v1/contacts", {"name": "Salamanca Bakery"})["data"]["id"]
    booked = {"service_id": service, "client_id": contact, "start_at": "2030-01-07T09:00:00+11:00", "force": True}
    for staff, tells in ((ada, ["owner"]), (grace, ["field", "owner"])):
        client.post("/v1/bookings", {**booked, "staff_id": staff})
        found = told()
        assert [to for to, _, _ in found] == tells
        assert "$180" not in found[0][1] + found[0][2]
    # What somebody did themselves is no news to them, and a sandbox tells nobody.
    lines = {"client_id": contact, "line_items": [{"description": "New taps", "unit_price": 1100}]}
    quote = client.post("/v1/quotes", lines)["data"]["id"]
    client.post(f"/v1/quotes/{quote}/send", status=200)
    owner.get(f"/dashboard/quotes/{quote}/accept")
    owner.send(f"/dashboard/quotes/{quote}/accept", name="Ada")
    assert client.get(f"/v1/quotes/{quote}")["data"]["status"] == "accepted"
    assert told() == []
    decided(client.sandbox("read", "write"), "accept", name="Ada")
    assert told() == []
    # Who is removed meanwhile is told of nothing, and nothing is left of it.
    client.patch(f"/v1/notification_rules/{mine['id']}", {"how": "daily"})
    client.post("/v1/bookings", {**booked, "staff_id": grace, "start_at": "2030-01-07T12:00:00+11:00"})
    told()
    owner.get("/dashboard/people")
    owner.send(f"/dashboard/people/{mine['user_id']}", button="remove=yes")
    clock.move(hours=24)
    assert [to for to, _, _ in told()] == []
    with client.app.db.reading(client.tenant_id) as db:
        for table in (untold, digests):
            assert db.execute(sa.select(table.c.id).where(table.c.tenant_id == client.tenant_id)).all() == []
