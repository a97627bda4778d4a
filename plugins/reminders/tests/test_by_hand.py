"""Reminders that somebody sends by hand: in the words of the rule for the day, once a day, and not against a wish."""

from datetime import UTC, date, datetime, timedelta

import pytest

from billycan.testing import Client, run_timed

pytestmark = pytest.mark.either

PLUGINS = ("contacts", "documents", "hosted", "invoices", "mail", "reminders")
DUE = date(2026, 11, 2)


@pytest.fixture
def client(make_app, clock):
    client = Client(make_app(*PLUGINS, mail={"url": "smtp://127.0.0.1:1", "sender": "mail@example.com"}))
    client.contact = client.post("/v1/contacts", {"name": "Ada {number}", "email": "ada@example.com"})["data"]["id"]
    clock.time = datetime(2026, 11, 5, 2, tzinfo=UTC)  # three days after it was due, in the middle of the day
    return client


@pytest.fixture
def invoice(client):
    line = {"description": "Work", "unit_price": "1100.00"}
    body = {"client_id": client.contact, "issue_date": "2026-10-01", "due_date": str(DUE), "line_items": [line]}
    id = client.post("/v1/invoices", body)["data"]["id"]
    client.post(f"/v1/invoices/{id}/send", status=200)
    return id


def remind(client, invoice, body=None):
    return client.post(f"/v1/invoices/{invoice}/send_reminder", body)["data"]


def refused(client, invoice, code, status=409, body=None):
    return client.refused(status, code, "POST", f"/v1/invoices/{invoice}/send_reminder", body)


def preview(client, invoice):
    return client.post(f"/v1/invoices/{invoice}/send_reminder/preview", status=200)["data"]


def sent(client):
    return [(each["days"], each["status"], each["reason"]) for each in client.get("/v1/sent_reminders")["data"]]


def test_it_is_what_its_preview_says_and_is_listed(client, invoice):
    shown = preview(client, invoice)
    assert shown["to"] == ["ada@example.com"] and shown["subject"] == "Invoice INV-0001 was due on 2 November 2026"
    assert shown["message"].startswith("Hello Ada {number},\n\n$1,210.00 of invoice INV-0001 was due")
    assert "may have slipped your mind" in shown["message"] and "/i/" in shown["message"]
    assert sent(client) == [] and client.get("/v1/emails")["data"] == []
    email = remind(client, invoice)
    assert {name: email[name] for name in ("subject", "message")} == {n: shown[n] for n in ("subject", "message")}
    assert (email["id"][:4], email["reminder"], email["document_id"]) == ("eml_", True, invoice)
    assert "unsubscribe" in email["text"] and email["recipients"][0]["address"] == "ada@example.com"
    assert sent(client) == [(3, "sent", None)]
    assert client.get("/v1/sent_reminders")["data"][0]["email_id"] == email["id"]
    client.post(f"/v1/invoices/{invoice}/payments", {"amount": "210.00", "payment_method": "card"})
    assert "$1,000.00 of invoice" in preview(client, invoice)["message"]


@pytest.mark.parametrize(
    "late, said", [(-9, "soon"), (0, "soon"), (1, "first"), (13, "first"), (14, "last"), (99, "last")]
)
def test_the_rule_that_applies_on_the_day_gives_the_words(client, invoice, clock, late, said):
    rules = [(-5, "soon", True), (7, "first", True), (10, "not this", False), (14, "last", True)]
    rules = [{"days": d, "subject": "{number}", "message": text, "active": on} for d, text, on in rules]
    client.patch("/v1/reminders", {"enabled": False, "rules": rules})
    clock.time = datetime(2026, 11, 2, 2, tzinfo=UTC) + timedelta(late)
    assert preview(client, invoice)["message"] == remind(client, invoice)["message"] == said
    assert sent(client) == [(late, "sent", None)]


def test_without_a_rule_the_first_ones_give_the_words(client, invoice):
    client.patch("/v1/reminders", {"rules": [{"days": -3, "subject": "Soon", "message": "Soon"}]})
    assert "slipped your mind" in remind(client, invoice)["message"]


def test_somebody_may_say_it_in_other_words_to_another_address(client, invoice):
    email = remind(client, invoice, {"to": ["bob@example.com"], "subject": "Hi", "message": "Call me {soon}"})
    assert (email["subject"], email["message"]) == ("Hi", "Call me {soon}")
    assert [each["address"] for each in email["recipients"]] == ["bob@example.com"]
    fault = refused(client, invoice, "validation_failed", 422, {"to": ["bob"], "subject": ""})["details"]
    assert [each["param"] for each in fault] == ["to[0]", "subject"]


def test_a_client_is_reminded_once_a_day_whoever_does_it(client, invoice, clock):
    client.patch("/v1/reminders", {"enabled": True})
    remind(client, invoice)
    refused(client, invoice, "already_reminded")
    clock.move(days=1)
    remind(client, invoice)
    clock.time = datetime(2026, 11, 9, 1, tzinfo=UTC)  # seven days after it was due, after nine
    run_timed(client.app)
    assert sent(client) == [(7, "sent", None), (4, "sent", None), (3, "sent", None)]
    refused(client, invoice, "already_reminded")
    clock.time = datetime(2026, 11, 15, 20, tzinfo=UTC)  # before nine on the day of the last rule
    remind(client, invoice)
    clock.move(hours=8)
    run_timed(client.app)
    assert [days for days, *_ in sent(client)] == [14, 7, 4, 3]


def test_a_reminder_that_was_skipped_today_can_be_sent(client, invoice, clock):
    client.patch(f"/v1/contacts/{client.contact}", {"email": None})
    client.patch("/v1/reminders", {"enabled": True})
    clock.time = datetime(2026, 11, 9, 1, tzinfo=UTC)
    run_timed(client.app)
    assert sent(client) == [(7, "skipped", "no_address")]
    assert preview(client, invoice)["to"] == []
    assert refused(client, invoice, "validation_failed", 422)["details"][0]["param"] == "to"
    client.patch(f"/v1/contacts/{client.contact}", {"email": "ada@example.com"})
    remind(client, invoice)
    assert sent(client) == [(7, "sent", None)]


def test_nobody_is_reminded_of_what_is_not_due_or_against_a_wish(client, invoice):
    client.patch(f"/v1/contacts/{client.contact}", {"reminders": False})
    assert refused(client, invoice, "reminders_off")["param"] == "reminders"
    client.patch(f"/v1/contacts/{client.contact}", {"reminders": True})
    client.patch(f"/v1/invoices/{invoice}", {"reminders": False})
    refused(client, invoice, "reminders_off")
    client.patch(f"/v1/invoices/{invoice}", {"reminders": True})
    client.post("/v1/suppressed_addresses", {"address": "ada@example.com", "covers": "reminders"})
    refused(client, invoice, "address_suppressed", 422)
    client.post(f"/v1/invoices/{invoice}/pay", {"payment_method": "card"}, 200)
    refused(client, invoice, "nothing_due")
    client.refused(409, "nothing_due", "POST", f"/v1/invoices/{invoice}/send_reminder/preview")
    draft = client.post(f"/v1/invoices/{invoice}/duplicate")["data"]["id"]
    refused(client, draft, "nothing_due")
    assert sent(client) == [] and client.get("/v1/emails")["data"] == []


def test_scopes_and_versions_are_looked_at(client, invoice):
    at = f"/v1/invoices/{invoice}/send_reminder"
    assert (
        client.key("reminders:write").refused(403, "insufficient_scope", "POST", at)["required_scope"] == "mail:write"
    )
    client.key("mail:write", "invoices:write").refused(403, "insufficient_scope", "POST", at)
    reader = preview(client.key("reminders:read", "invoices:read"), invoice)
    assert reader["to"] == [] and "/i/" not in reader["message"] and "…" in reader["message"]
    client.refused(412, "version_conflict", "POST", at, headers={"If-Match": '"1"'})
    Client(client.app).refused(404, "resource_not_found", "POST", at)
    remind(client.key("reminders:write", "mail:write"), invoice)


def test_without_mail_there_is_no_such_route(make_app):
    client = Client(make_app(*(name for name in PLUGINS if name != "mail")))
    client.refused(404, "route_not_found", "POST", "/v1/invoices/inv_0/send_reminder")
