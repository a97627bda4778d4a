"""The samples on a new user's first look: every list has believable records, and they refer to each other."""

from datetime import UTC, datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from billycan import demo
from billycan.testing import Client
from billycan.tools import serve

pytestmark = pytest.mark.either

PLUGINS = ("bookings", "contacts", "documents", "expenses", "hosted", "invoices", "jobs", "quotes", "staff", "webhooks")
STATUSES = {
    "quotes": {"draft", "sent", "accepted", "declined", "expired", "cancelled", "converted", "invoiced"},
    "bookings": {"pending", "confirmed", "completed", "no_show", "declined", "cancelled"},
    "jobs": {"open", "scheduled", "in_progress", "on_hold", "complete", "cancelled"},
    "invoices": {"draft", "sent", "partially_paid", "paid", "credited", "void", "written_off"},
    "expenses": {"recorded", "void"},
}


def test_whoever_listens_to_everybody_is_told(make_app, capsys):
    serve._announce_address(make_app("contacts", fresh=True), "http://127.0.0.1:8000", is_loopback=False)
    assert "over plain http: put a TLS proxy in front of it\n" in capsys.readouterr().out
    serve._announce_address(make_app("contacts", fresh=True), "http://127.0.0.1:8000")
    assert "plain http" not in capsys.readouterr().out


def test_what_serve_says_has_single_blank_lines(make_app, capsys):
    serve._announce_address(make_app("contacts", "users", "dashboard", fresh=True), "http://127.0.0.1:8000")
    said = capsys.readouterr().out
    assert "More keys" in said and "Open the dashboard" in said
    assert "\n\n\n" not in said


def test_the_sample_business_is_whole(make_app, caplog):
    app = make_app(*PLUGINS, fresh=True)
    business = demo.first(app)
    assert not caplog.records, caplog.text
    client = Client(app, business.sandbox)
    lists = ("contacts", "staff", "services", "expense_categories", *STATUSES)
    found = {name: {x["id"]: x for x in client.get(f"/v1/{name}?per_page=100")["data"]} for name in lists}
    assert all(found.values())
    for name, statuses in STATUSES.items():
        assert {x["status"] for x in found[name].values()} == statuses
    links = 0
    for record in [x for name in STATUSES for x in found[name].values()]:
        for member, name in (("quote_id", "quotes"), ("booking_id", "bookings"), ("job_id", "jobs")):
            if id := record.get(member):
                links += 1
                assert "client" not in record or found[name][id]["client"] == record["client"]
    assert links >= 6
    (chain,) = [x for x in found["jobs"].values() if x["booking_id"]]
    assert found["bookings"][chain["booking_id"]]["job_id"] == chain["id"] and chain["invoice_ids"]
    assert chain["id"] in {x["job_id"] for x in found["expenses"].values()}
    assert {x["staff_id"] for x in found["bookings"].values()} == set(found["staff"])
    assert all(x["description"] for x in found["expenses"].values())


def test_no_page_of_files_and_emails_is_empty(make_app, caplog):
    app = make_app("attachments", "mail", "reminders", *PLUGINS, fresh=True)
    client = Client(app, demo.first(app).sandbox)
    assert not caplog.records, caplog.text
    (file,) = client.get("/v1/attachments")["data"]
    spent = client.get(f"/v1/expenses/{file['resource']}")["data"]
    assert (spent["supplier_name"], str(spent["amount"])) == ("Wayside Fuel", "96.80")
    assert b"$96.80" in client.call("GET", f"/v1/attachments/{file['id']}/content", status=200).body
    (reminder,) = client.get("/v1/sent_reminders")["data"]
    (email,) = client.get("/v1/emails")["data"]
    assert (reminder["email_id"], reminder["reason"]) == (email["id"], "email_held")
    assert email["document_id"] == reminder["invoice_id"] and email["created_at"] < app.now().isoformat()


HOBART = ZoneInfo("Australia/Hobart")
# Ends of months and years, a leap day, both changes of daylight-saving time, weekends, small hours and late ones.
DAYS = ("2026-12-31T23:59", "2027-01-01T00:00", "2028-02-29T08:15", "2026-10-04T03:00", "2027-04-04T02:30")
DAYS += ("2027-08-07T06:59",)
PAST = ("created_at", "updated_at", "sent_at", "accepted_at", "declined_at", "paid_at", "voided_at", "written_off_at")
PAST += ("completed_at", "cancelled_at")


@pytest.mark.long
@pytest.mark.sqlite_alone
@pytest.mark.parametrize("day", DAYS)
def test_its_dates_agree_whatever_the_day_it_is_made_on(make_app, clock, caplog, day):
    clock.time = datetime.fromisoformat(day).replace(tzinfo=HOBART).astimezone(UTC)
    app = make_app(*PLUGINS)
    client = Client(app, demo.first(app).sandbox)
    assert not caplog.records, caplog.text
    now, today = app.now(), app.now().astimezone(HOBART).date().isoformat()
    found = {name: client.get(f"/v1/{name}?per_page=100")["data"] for name in ("contacts", "staff", *STATUSES)}

    def local_day(instant):
        return at(instant).astimezone(HOBART).date().isoformat()

    begun = {record["id"]: record["created_at"] for records in found.values() for record in records}
    for name, records in found.items():
        assert name not in STATUSES or {record["status"] for record in records} == STATUSES[name]
        for record in records:
            times = [record[member] for member in PAST if record.get(member)]
            assert at(record["created_at"]) <= min(map(at, times)) and max(map(at, times)) <= now, record
            linked = [begun[id] for member in LINKS if (id := record.get(member))]
            assert all(at(other) <= at(record["updated_at"]) for other in linked), record
        if name in ("quotes", "invoices"):
            by_number = sorted(records, key=lambda record: record["number"])
            assert all(one["issue_date"] <= next["issue_date"] for one, next in pairwise(by_number)), name
            assert all(record["issue_date"] == local_day(record["created_at"]) for record in records)
    for quote in found["quotes"]:
        assert quote["issue_date"] <= quote["expiry_date"]
        assert (quote["status"] == "expired") == (quote["status"] != "draft" and quote["expiry_date"] < today)
        if decided := quote["accepted_at"] or quote["declined_at"]:
            assert at(quote["sent_at"]) < at(decided) and local_day(decided) <= quote["expiry_date"]
    for invoice in found["invoices"]:
        payments = client.get(f"/v1/invoices/{invoice['id']}")["data"]["payments"]
        assert invoice["issue_date"] <= invoice["due_date"]
        assert all(at(invoice["sent_at"]) <= at(payment["paid_at"]) <= now for payment in payments)
    for booking in found["bookings"]:
        assert (at(booking["start_at"]) > now) == (booking["status"] not in ("completed", "no_show")), booking
    for job in found["jobs"]:
        start = job["scheduled_start"] and at(job["scheduled_start"])
        assert job["status"] not in ("in_progress", "complete") or start <= now, job
        assert job["status"] != "scheduled" or start > now, job
        assert not job["completed_at"] or at(job["scheduled_end"]) <= at(job["completed_at"]), job
    assert not overlaps(found)


LINKS = ("client_id", "supplier_id", "staff_id", "quote_id", "booking_id", "job_id", "invoice_id")


def at(instant):
    return datetime.fromisoformat(instant.replace("Z", "+00:00"))


def overlaps(found):
    """List the pairs of times in which somebody is in two places at once."""
    busy = [(b["staff_id"], b["start_at"], b["end_at"]) for b in found["bookings"] if b["status"] != "cancelled"]
    busy += [(id, j["scheduled_start"], j["scheduled_end"]) for j in found["jobs"] for id in j["assignee_ids"]]
    return [(one, other) for one, other in pairwise(sorted(busy)) if one[0] == other[0] and other[1] < one[2]]
