"""Events on the morning of a date: at nine in the business's zone, once for each date, with any number of workers."""

from datetime import UTC, date, datetime, timedelta
from threading import Barrier, Thread
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa

from billycan import Context, Manifest
from billycan.testing import Client, run_timed
from billycan.timed import Morning
from billycan.working.worker import tick
from billycan_invoices.invoices.due import tell_overdue

pytestmark = pytest.mark.either

ZONES = ("Australia/Sydney", "Australia/Adelaide", "Australia/Perth", "Australia/Lord_Howe")
LINES = [{"description": "Work", "unit_price": "100.00"}]
STARTS, ENDS = date(2027, 10, 3), date(2027, 4, 4)  # of daylight saving, at two in the morning


@pytest.fixture
def app(make_app):
    return make_app("bookings", "contacts", "documents", "hosted", "invoices", "quotes", "staff")


@pytest.fixture
def at(app, clock):
    """Run what is due at a time on a date in a zone; the clock may move backwards."""

    def look(day, hour, zone="Australia/Sydney", *, minute=0, second=0):
        clock.time = datetime(day.year, day.month, day.day, hour, minute, second, tzinfo=ZoneInfo(zone))
        run_timed(app)

    return look


def client_of(app, zone="Australia/Sydney"):
    client = Client(app, profile={"timezone": zone})
    client.contact = client.post("/v1/contacts", {"name": "Ada Baker"})["data"]["id"]
    return client


def invoice(client, due, *, issued=None):
    body = {"client_id": client.contact, "issue_date": str(issued or due - timedelta(20)), "due_date": str(due)}
    id = client.post("/v1/invoices", {**body, "line_items": LINES})["data"]["id"]
    client.post(f"/v1/invoices/{id}/send", status=200)
    return id


def told(client, *names):
    names = names or ("invoice.due_soon", "invoice.overdue", "quote.expiring", "booking.reminder")
    return [name for name in client.events() if name in names]


@pytest.mark.parametrize("sunday", [STARTS, ENDS], ids=["begins", "ends"])
def test_at_nine_where_the_business_is_on_the_days_when_clocks_change(app, clock, at, sunday):
    clock.time = datetime(2027, 3, 1, tzinfo=UTC)
    clients = {zone: client_of(app, zone) for zone in ZONES}
    for client in clients.values():
        invoice(client, sunday + timedelta(3))
        invoice(client, sunday - timedelta(1))
        quote = {"client_id": client.contact, "expiry_date": str(sunday + timedelta(3)), "line_items": LINES}
        client.post(f"/v1/quotes/{client.post('/v1/quotes', quote)['data']['id']}/send", status=200)
    nine = {
        zone: datetime(sunday.year, sunday.month, sunday.day, 9, tzinfo=ZoneInfo(zone)).timestamp() for zone in ZONES
    }
    for time in sorted({*nine.values()}):  # in summer Lord Howe has the time of Sydney
        for early in (1, 0):
            clock.time = datetime.fromtimestamp(time - early, UTC)
            run_timed(app)
            for zone, client in clients.items():
                done = time - early >= nine[zone]
                assert sorted(told(client)) == (
                    ["invoice.due_soon", "invoice.overdue", "quote.expiring"] if done else []
                )
    for hours in (-2, 5, 24):
        clock.move(hours=hours)
        run_timed(app)
    for client in clients.values():
        assert sorted(told(client)) == ["invoice.due_soon", "invoice.overdue", "quote.expiring"]


def test_a_new_due_date_is_told_of_and_an_old_one_is_not_told_of_again(app, at):
    client = client_of(app)
    id = invoice(client, date(2026, 12, 10))
    at(date(2026, 12, 7), 9)
    for due in ("2026-12-09", "2026-12-10", "2026-12-20"):
        client.patch(f"/v1/invoices/{id}", {"due_date": due})
        run_timed(app)
    assert told(client) == ["invoice.due_soon"] * 2
    at(date(2026, 12, 21), 9)
    client.patch(f"/v1/invoices/{id}", {"due_date": "2026-12-10"})
    run_timed(app)
    client.patch(f"/v1/invoices/{id}", {"due_date": "2026-12-20"})
    run_timed(app)
    assert told(client) == ["invoice.due_soon"] * 2 + ["invoice.overdue"] * 2
    event = client.get("/v1/events?event=invoice.overdue")["data"][0]["data"]
    assert event["is_overdue"] and event["due_date"] == "2026-12-10" and event["id"] == id
    assert client.get(f"/v1/invoices/{id}")["data"]["version"] == event["version"] + 1  # telling changes nothing


def test_late_workers_tell_of_what_is_overdue_and_not_of_what_was_due_soon(app, at):
    client = client_of(app)
    invoice(client, date(2026, 12, 10))
    at(date(2026, 12, 18), 3)
    assert told(client) == ["invoice.overdue"]
    invoice(client, date(2026, 11, 10))  # an old one, sent late: nobody is to be told of it as if it were news
    at(date(2026, 12, 19), 9)
    assert told(client) == ["invoice.overdue"]


def test_what_is_settled_or_a_draft_is_never_told_of(app, at, clock):
    client = client_of(app)
    due = date(2026, 12, 10)
    paid, part, void, written_off = (invoice(client, due) for _ in range(4))
    client.post(f"/v1/invoices/{paid}/pay", {"payment_method": "card"}, 200)
    client.post(f"/v1/invoices/{part}/payments", {"payment_method": "card", "amount": "20.00"})
    client.post(f"/v1/invoices/{void}/void", status=200)
    client.post(f"/v1/invoices/{written_off}/write_off", status=200)
    client.post("/v1/invoices", {"client_id": client.contact, "due_date": str(due), "line_items": LINES})
    at(date(2026, 12, 11), 9)
    assert [e["data"]["id"] for e in client.get("/v1/events?event=invoice.overdue")["data"]] == [part]
    # One that is paid after it was found is looked at again.
    late = invoice(client, date(2026, 12, 8))
    client.post(f"/v1/invoices/{late}/pay", {"payment_method": "card"}, 200)
    ctx = Context(app, client.tenant_id)
    with ctx.transaction():
        tell_overdue(ctx, late)
    assert told(client) == ["invoice.overdue"]


def test_only_zones_of_businesses_are_asked_of_and_a_change_counts_from_the_next_round(make_app, at, clock):
    app = make_app("contacts", "documents", "hosted", "invoices", fresh=True)
    assert zones_of(app) == ["UTC"], "there is no business yet"
    client = client_of(app, "Australia/Sydney")
    invoice(client, date(2026, 12, 10))
    clock.time = datetime(2026, 12, 11, 9, tzinfo=ZoneInfo("Asia/Kolkata"))
    client.patch("/v1/tenant", {"timezone": "America/Los_Angeles"})
    asked = []

    def note(db, cursor, statement, parameters, context, many):
        asked.append((statement, len(parameters)))

    engine = app.db.writer if app.db.is_sqlite else app.db.reader
    sa.event.listen(engine, "before_cursor_execute", note)
    run_timed(app)
    sa.event.remove(engine, "before_cursor_execute", note)
    assert len([1 for statement, _ in asked if "DISTINCT" in statement and "profile" in statement]) == 1, asked
    assert max(number for _, number in asked) < 30, "no list of zones in which nobody is"
    assert told(client) == ["invoice.due_soon"], "there it is the evening before"
    client.patch("/v1/tenant", {"timezone": "Asia/Kolkata"})
    run_timed(app)
    assert told(client) == ["invoice.due_soon", "invoice.overdue"]
    assert sorted(zones_of(app)) == ["Asia/Kolkata", "Australia/Sydney"]


def zones_of(app):
    """Return the time zones that timed work is looked for in."""
    return [zone for zone, _ in Morning.by_zone(app, app.now(), lambda local: str(local.tzinfo))]


@pytest.mark.both
def test_two_workers_at_once_tell_once(app, make_app, clock):
    client = client_of(app)
    for _ in range(5):
        invoice(client, date(2026, 12, 10))
    clock.time = datetime(2026, 12, 11, 12, tzinfo=UTC)
    tenant_id, found = client.tenant_id, []
    ids = [each["id"] for each in client.get("/v1/invoices")["data"]]
    barrier = Barrier(3)

    def work():
        barrier.wait()
        for id in ids:
            ctx = Context(app, tenant_id)
            with ctx.transaction():
                tell_overdue(ctx, id)
            found.extend(ctx.events)

    threads = [Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 5 and told(client) == ["invoice.overdue"] * 5


def test_what_fails_before_the_commit_is_told_of_later(make_app, install, clock):
    falls = []

    def on_event(ctx, event):
        if event.name == "invoice.overdue" and not falls:
            falls.append(event)
            raise OSError("the disk is full")

    install(Manifest(name="guest"), on_event=on_event)
    app = make_app("contacts", "documents", "hosted", "invoices", "guest", fresh=True)
    client = client_of(app)
    invoice(client, date(2026, 12, 10))
    clock.time = datetime(2026, 12, 11, 12, tzinfo=UTC)
    with pytest.raises(OSError, match="the disk is full"):
        run_timed(app)
    assert told(client) == []
    clock.move(minutes=2)
    tick(app)
    assert told(client) == ["invoice.overdue"]


def test_a_booking_is_reminded_of_on_the_day_before_and_again_when_it_is_moved(app, at, clock):
    client = client_of(app, "Australia/Lord_Howe")
    clock.time = datetime(2027, 3, 29, tzinfo=UTC)
    staff = client.post("/v1/staff", {"name": "Grace"})["data"]["id"]
    service = {"name": "Inspection", "duration_minutes": 60, "staff_ids": [staff]}
    service = client.post("/v1/services", service)["data"]["id"]
    # On the Monday after daylight saving ended, half an hour: midnight is at 13:30 in UTC.
    bookings = [
        client.post("/v1/bookings", {"service_id": service, "client_id": client.contact, "start_at": at, "force": True})
        for at in ("2027-04-05T23:00:00+10:30", "2027-04-06T00:00:00+10:30")
    ]
    first, second = (each["data"]["id"] for each in bookings)
    at(date(2027, 4, 4), 8, "Australia/Lord_Howe", minute=59, second=58)
    assert told(client) == []
    at(date(2027, 4, 4), 9, "Australia/Lord_Howe")
    run_timed(app)
    assert [e["data"]["id"] for e in client.get("/v1/events?event=booking.reminder")["data"]] == [first]
    moved = {"start_at": "2027-04-09T10:00:00+10:30", "force": True}
    client.post(f"/v1/bookings/{first}/reschedule", moved, 200)
    client.post(f"/v1/bookings/{second}/cancel", status=200)
    at(date(2027, 4, 8), 10, "Australia/Lord_Howe")
    assert told(client) == ["booking.reminder"] * 2
    at(date(2027, 4, 9), 12, "Australia/Lord_Howe")  # a worker that comes when it has begun says nothing of it
    assert told(client) == ["booking.reminder"] * 2
