"""Reminders at 09:00 in the business's zone: each rule once for a due date, and only while something is due."""

from datetime import UTC, date, datetime, timedelta
from threading import Barrier, Event, Thread
from zoneinfo import ZoneInfo

import pytest

from billycan import Context, Deleted, Manifest
from billycan.testing import Client, run_timed
from billycan_reminders.reminding import remind

pytestmark = pytest.mark.either

PLUGINS = ("contacts", "documents", "hosted", "invoices", "reminders")
ZONES = ("Australia/Sydney", "Australia/Adelaide", "Australia/Perth", "Australia/Lord_Howe")
LINES = [{"description": "Work", "unit_price": "1100.00"}]
STARTS, ENDS = date(2027, 10, 3), date(2027, 4, 4)  # of daylight saving
DUE = ENDS + timedelta(3)
RULE = {"days": 7, "subject": "{number} of {business}", "message": "{client}: {amount_due} by {due_date}, {link} {{x"}


@pytest.fixture
def app(make_app):
    return make_app(*PLUGINS, "mail", mail={"url": "smtp://127.0.0.1:1", "sender": "mail@example.com"})


@pytest.fixture
def at(clock):
    """Run timed work at a time on a date in a zone; the clock may move back."""

    def look(app, day, hour=9, zone="Australia/Sydney", *, minute=0):
        clock.time = datetime(day.year, day.month, day.day, hour, minute, tzinfo=ZoneInfo(zone))
        run_timed(app)

    return look


def client_of(app, zone="Australia/Sydney", *, days=(-3, 7, 14), **contact):
    client = Client(app, profile={"name": "Quoll Plumbing", "timezone": zone})
    contact = {"name": "Ada {number}", "email": "ada@example.com", **contact}
    client.contact = client.post("/v1/contacts", contact)["data"]["id"]
    if days:
        rules = [{"days": each, "subject": "Reminder", "message": f"{each} days"} for each in days]
        client.patch("/v1/reminders", {"enabled": True, "rules": rules})
    return client


def invoice(client, due=DUE, **members):
    body = {"client_id": client.contact, "issue_date": str(due - timedelta(20)), "due_date": str(due), **members}
    id = client.post("/v1/invoices", {"line_items": LINES, **body})["data"]["id"]
    client.post(f"/v1/invoices/{id}/send", status=200)
    return id


def fates(client, query=""):
    found = client.get(f"/v1/sent_reminders?sort=created_at&per_page=100{query}")["data"]
    return [(each["days"], each["status"], each["reason"]) for each in found]


def messages(client):
    return [email["message"] for email in client.get("/v1/emails?sort=created_at")["data"]]


def test_nothing_goes_until_the_business_turns_it_on(app, clock, at):
    client = client_of(app, days=())
    shown = client.get("/v1/reminders")["data"]
    assert (shown["enabled"], [rule["days"] for rule in shown["rules"]]) == (False, [-3, 7, 14])
    invoice(client)
    at(app, DUE - timedelta(3))
    assert fates(client) == []
    changed = client.patch("/v1/reminders", {"enabled": True})["data"]
    assert changed["rules"] == shown["rules"] and changed["version"] == 1
    assert client.patch("/v1/reminders", {"enabled": True})["data"]["version"] == 1
    run_timed(app)
    (email,) = client.get("/v1/emails")["data"]
    assert email["subject"] == "Invoice INV-0001 is due on 7 April 2027" and email["reminder"]
    assert "$1,210.00 of invoice INV-0001 is due on 7 April 2027" in email["message"] and "{" in email["message"]
    assert "/i/" in email["message"] and "Quoll Plumbing" in email["message"]


def test_only_reminders_of_the_day_on_which_it_was_turned_on_and_later_go(app, clock, at):
    client = client_of(app, days=())
    invoice(client)
    clock.time = datetime(2027, 4, 16, tzinfo=UTC)
    client.patch("/v1/reminders", {"enabled": True})
    run_timed(app)
    assert fates(client) == []
    at(app, DUE + timedelta(14))
    assert fates(client) == [(14, "sent", None)]


@pytest.mark.parametrize(
    "rules, param",
    [
        ([{**RULE, "message": "{amount}"}], "rules[0].message"),
        ([{**RULE, "message": "Hello {client"}], "rules[0].message"),
        ([RULE | {"message": "Hi", "subject": "}{number}"}], "rules[0].subject"),
        ([{"days": 1, "subject": "Hi", "message": "{client.__class__}"}], "rules[0].message"),
        ([{"days": 91, "subject": "Hi", "message": "Hi"}], "rules[0].days"),
        ([{"days": 1.5, "subject": "Hi", "message": "Hi"}], "rules[0].days"),
        ([{"days": 1, "subject": "Hi", "message": "Hi"}] * 2, "rules[1].days"),
        ([{"days": i, "subject": "Hi", "message": "Hi"} for i in range(11)], "rules"),
    ],
)
def test_rules_are_checked_when_they_are_stored(app, rules, param):
    client = client_of(app, days=())
    found = client.refused(422, "validation_failed", "PATCH", "/v1/reminders", {"rules": rules})
    assert found["details"][0]["param"] == param
    assert client.get("/v1/reminders")["data"]["version"] == 0


def test_scopes_and_businesses_are_apart(app, at):
    client, other = client_of(app), client_of(app)
    id = invoice(client)
    at(app, DUE - timedelta(3))
    assert fates(client, f"&invoice_id={id}") == [(-3, "sent", None)] and fates(other) == []
    (sent,) = client.get(f"/v1/sent_reminders?invoice_id={id}&status=sent")["data"]
    other.refused(404, "resource_not_found", "GET", f"/v1/sent_reminders/{sent['id']}")
    assert client.get(f"/v1/sent_reminders/{sent['id']}")["data"]["invoice"]["name"] == "INV-0001"
    other.patch("/v1/reminders", {"enabled": False})
    assert client.get("/v1/reminders")["data"]["enabled"]
    reader = client.key("reminders:read")
    reader.refused(403, "insufficient_scope", "PATCH", "/v1/reminders", {"enabled": False})
    client.key("invoices:write").refused(403, "insufficient_scope", "GET", "/v1/reminders")


@pytest.mark.parametrize("sunday", [pytest.param(STARTS, marks=pytest.mark.either), ENDS], ids=["begins", "ends"])
def test_at_nine_where_the_business_is_and_once_whatever_the_clock_does(app, clock, sunday):
    clock.time = datetime(2027, 3, 1, tzinfo=UTC)
    clients = {zone: client_of(app, zone) for zone in ZONES}
    for client in clients.values():
        invoice(client, sunday + timedelta(3))
    nine = {zone: datetime(sunday.year, sunday.month, sunday.day, 9, tzinfo=ZoneInfo(zone)) for zone in ZONES}
    for time in sorted({each.timestamp() for each in nine.values()}):  # in summer Lord Howe has the time of Sydney
        for early in (1, 0):
            clock.time = datetime.fromtimestamp(time - early, UTC)
            run_timed(app)
            for zone, client in clients.items():
                assert len(fates(client)) == (time - early >= nine[zone].timestamp()), zone
    for hours in (-3, 6, 24):
        clock.move(hours=hours)
        run_timed(app)
    for client in clients.values():
        assert messages(client) == ["-3 days"]


def test_late_workers_send_the_latest_only_and_not_what_is_too_old(app, at):
    client = client_of(app, days=(-3, 0, 2, 4, 30))
    invoice(client)
    at(app, DUE + timedelta(5), 8)
    assert messages(client) == ["4 days"]
    for days in (6, 28, 29):
        at(app, DUE + timedelta(days), 12)
    assert messages(client) == ["4 days"]
    at(app, DUE + timedelta(38))  # eight days late
    assert fates(client) == [(4, "sent", None)]
    soon = client_of(app, days=(-3,))
    invoice(soon, DUE + timedelta(60))
    at(app, DUE + timedelta(60), 8)
    at(app, DUE + timedelta(61))
    assert messages(soon) == ["-3 days"]
    invoice(soon, DUE + timedelta(90))
    at(app, DUE + timedelta(91))  # a reminder before the due date is not sent after it
    assert messages(soon) == ["-3 days"]


def test_a_due_date_that_moves_is_a_new_date(app, at):
    client = client_of(app, days=(-3, 0))
    id = invoice(client)
    at(app, DUE)
    client.patch(f"/v1/invoices/{id}", {"due_date": str(DUE + timedelta(10))})
    at(app, DUE + timedelta(6))
    assert messages(client) == ["0 days"]
    at(app, DUE + timedelta(7))
    client.patch(f"/v1/invoices/{id}", {"due_date": str(DUE + timedelta(3))})
    run_timed(app)
    assert messages(client) == ["0 days", "-3 days", "0 days"]
    client.patch(f"/v1/invoices/{id}", {"due_date": str(DUE)})
    run_timed(app)
    assert len(messages(client)) == 3


@pytest.mark.both
def test_workers_at_once_and_a_payment_in_the_same_second(app, clock, at):
    client = client_of(app, days=(0,))
    ids = [invoice(client) for _ in range(3)]
    clock.time = datetime(2027, 4, 7, 1, tzinfo=UTC)
    client.post(f"/v1/invoices/{ids[0]}/pay", {"payment_method": "card"}, status=200)  # after a worker has looked
    barrier = Barrier(3)

    def work():
        barrier.wait()
        for id in ids:
            ctx = Context(app, client.tenant_id)
            with ctx.transaction():
                remind(ctx, id)

    threads = [Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    told = client.get("/v1/sent_reminders")["data"]
    assert sorted(each["invoice_id"] for each in told) == sorted(ids[1:])
    assert messages(client) == ["0 days"] * 2


@pytest.mark.both
@pytest.mark.parametrize("first", ["payment", "reminder"])
def test_a_payment_and_a_reminder_at_the_same_instant_come_one_after_the_other(make_app, install, clock, first):
    inside, begun = Event(), Event()

    def on_event(ctx, event):
        """Hold the first transaction open until the other begins."""
        if event.name == ("invoice.paid" if first == "payment" else "guest.reminded"):
            inside.set()
            assert begun.wait(60)

    install(Manifest(name="guest", events={"guest.reminded": Deleted}), on_event=on_event)
    mail = {"url": "smtp://127.0.0.1:1", "sender": "mail@example.com"}
    app = make_app(*PLUGINS, "guest", "mail", fresh=True, mail=mail)
    client = client_of(app, days=(0,))
    id = invoice(client)
    clock.time = datetime(2027, 4, 7, 1, tzinfo=UTC)

    def pay():
        client.post(f"/v1/invoices/{id}/pay", {"payment_method": "card"}, status=200)

    def send():
        ctx = Context(app, client.tenant_id)
        with ctx.transaction():
            remind(ctx, id)
            ctx.emit("guest.reminded", Deleted(id))

    quick, late = (pay, send) if first == "payment" else (send, pay)
    thread = Thread(target=quick)
    thread.start()
    assert inside.wait(60)
    begun.set()
    late()
    thread.join()
    assert client.get(f"/v1/invoices/{id}")["data"]["status"] == "paid"
    assert fates(client) == ([] if first == "payment" else [(0, "sent", None)])
    assert messages(client) == ([] if first == "payment" else ["0 days"])


def test_what_is_settled_reminds_nobody_and_what_is_not_wanted_is_skipped(app, clock, at):
    client = client_of(app, days=(0, 7))
    paid, void, written_off, unwanted, rest = [invoice(client) for _ in range(5)]
    client.post("/v1/invoices", {"client_id": client.contact, "due_date": str(DUE), "line_items": LINES})
    client.post(f"/v1/invoices/{paid}/pay", {"payment_method": "card"}, status=200)
    client.post(f"/v1/invoices/{void}/void", {"reason": "Wrong"}, status=200)
    client.post(f"/v1/invoices/{written_off}/write_off", {"reason": "Gone"}, status=200)
    assert client.patch(f"/v1/invoices/{unwanted}", {"reminders": False})["data"]["reminders"] is False
    client.post(f"/v1/invoices/{rest}/payments", {"amount": "100.00", "payment_method": "card"})
    at(app, DUE)
    assert {(i["status"], i["reason"]) for i in client.get(f"/v1/sent_reminders?invoice_id={unwanted}")["data"]} == {
        ("skipped", "reminders_off")
    }
    assert fates(client, f"&invoice_id={rest}") == [(0, "sent", None)] and len(fates(client)) == 2
    client.patch(f"/v1/contacts/{client.contact}", {"reminders": False})
    client.patch(f"/v1/invoices/{unwanted}", {"reminders": True})
    at(app, DUE + timedelta(7))
    assert (
        fates(client, "&reason=reminders_off")
        == [(0, "skipped", "reminders_off")] + [(7, "skipped", "reminders_off")] * 2
    )
    assert client.get(f"/v1/contacts/{client.contact}")["data"]["reminders"] is False


def test_no_reminder_follows_an_invoice_at_once(app, clock):
    clock.time = datetime(2027, 4, 7, 1, tzinfo=UTC)
    client = client_of(app, days=(0, 1))
    invoice(client)
    run_timed(app)
    assert fates(client) == [(0, "skipped", "just_sent")]
    clock.move(days=1)
    run_timed(app)
    assert messages(client) == ["1 days"]


def test_what_cannot_be_sent_says_why(app, make_app, clock, at):
    nowhere, leaver = client_of(app, days=(0,), email=None), client_of(app, days=(0,))
    leaver.post("/v1/suppressed_addresses", {"address": "ada@example.com", "covers": "reminders"})
    for client in (nowhere, leaver):
        invoice(client)
    sandbox = nowhere.sandbox()
    at(app, DUE)
    run_timed(app)
    assert fates(nowhere) == [(0, "skipped", "no_address")] and messages(nowhere) == []
    assert fates(leaver) == [(0, "skipped", "address_suppressed")] and messages(leaver) == []
    assert leaver.get("/v1/events?event=email.failed")["data"] == [], "nothing was tried, so nothing failed"
    assert fates(sandbox) == []
    for mail, reason in (((), "no_mail"), (("mail",), "email_held")):
        other = make_app(*PLUGINS, *mail, fresh=True)
        clock.time = datetime(2027, 3, 1, tzinfo=UTC)
        client = client_of(other, days=(0,))
        invoice(client)
        at(other, DUE)
        run_timed(other)
        assert fates(client) == [(0, "skipped", reason)]


def test_what_is_too_long_for_a_pdf_is_reminded_of_without_one(make_app, at):
    app = make_app(*PLUGINS, "mail", "pdf", mail={"url": "smtp://127.0.0.1:1", "sender": "mail@example.com"})
    client = client_of(app, days=(0,))
    for lines in (LINES, [{"description": "W" * 990, "unit_price": "1.00"}] * 210):
        invoice(client, line_items=lines)
    at(app, DUE)
    assert fates(client) == [(0, "sent", None)] * 2
    short, long = client.get("/v1/emails?sort=created_at")["data"]
    assert short["attachment"]["filename"] == "INV-0001.pdf" and long["attachment"] is None


def test_values_are_filled_in_once(app, at):
    client = client_of(app, days=())
    rule = {**RULE, "message": "{client}: {amount_due} by {due_date}, {link}"}
    client.patch("/v1/reminders", {"enabled": True, "rules": [rule]})
    invoice(client)
    at(app, DUE + timedelta(7))
    (email,) = client.get("/v1/emails")["data"]
    assert email["subject"] == "INV-0001 of Quoll Plumbing"
    assert email["message"].startswith("Ada {number}: $1,210.00 by 7 April 2027, http")
