from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from billycan.testing import Client, run_timed
from billycan.timed import Morning

SYDNEY = ZoneInfo("Australia/Sydney")
PLUGINS = (
    *("bookings", "clock", "contacts", "documents", "expenses", "hosted", "invoices", "mail", "quotes"),
    *("recurring", "reminders", "reports", "staff", "webhooks"),
)


def advance(client, to, status=202):
    return client.post("/v1/clock/advance", {"to": to.isoformat()}, status=status)["data"]


def begin_business(client):
    """Set up what a year makes something of."""
    settings = [{"from": "2026-07-01", "registered": True, "basis": "accrual", "period": "quarter"}]
    client.patch("/v1/tenant", {"gst_settings": settings})
    client.patch("/v1/reminders", {"enabled": True, "rules": client.get("/v1/reminders")["data"]["rules"]})
    contact = client.post("/v1/contacts", {"name": "Ada Baker", "email": "ada@example.com"})["data"]["id"]
    lines = [{"description": "Mowing", "unit_price": "80.00"}]
    for every, count, start_on, then in (("week", 2, "2026-11-23", "send"), ("month", 1, "2026-11-30", "draft")):
        rule = {"client_id": contact, "every": every, "every_count": count, "start_on": start_on, "then": then}
        client.post("/v1/recurring_invoices", {**rule, "line_items": lines})
    quote = client.post("/v1/quotes", {"client_id": contact, "expiry_date": "2027-02-10", "line_items": lines})["data"]
    client.post(f"/v1/quotes/{quote['id']}/send", status=200)
    return contact


def history(client, contact):
    """Return all that happened, without ids, times to the minute."""
    def plain(value):
        if isinstance(value, dict):
            return {k: plain(v) for k, v in value.items() if not (k == "id" or k.endswith("_id") or k == "hosted_url")}
        if isinstance(value, list):
            return [plain(one) for one in value]
        if isinstance(value, str) and value[10:11] == "T":
            return value[:16]
        return value

    kinds = ("invoices", "quotes", "recurring_invoices", "sent_reminders", "emails", "events")
    found = {kind: [plain(one) for one in client.walk(f"/v1/{kind}", sort="created_at")] for kind in kinds}
    found["events"] = [event for event in found["events"] if event["event"] != "clock.advanced"]
    quarters = (("2026-10-01", "2026-12-31"), ("2027-01-01", "2027-03-31"), ("2027-07-01", "2027-09-30"))
    found["gst"] = [
        plain(client.get(f"/v1/reports/gst?from={first}&to={last}")["data"]) for first, last in quarters
    ]
    return found


def test_a_year_that_the_clock_advances_equals_one_lived_day_by_day(make_app, clock):
    app = make_app(*PLUGINS)
    clients = [Client(app, profile={"timezone": "Australia/Sydney"}) for _ in range(2)]
    advanced, lived = (client.sandbox() for client in clients)
    contacts = {client: begin_business(client) for client in (advanced, lived)}
    began = clock.time
    advanced.post("/v1/clock", {}, status=201)
    end = datetime(2027, 11, 24, 12, tzinfo=SYDNEY)
    assert advance(advanced, end)["progress"] == 0
    run_timed(app)
    found = advanced.get("/v1/clock")["data"]
    assert (found["done"], found["progress"], found["now"][:16]) == (True, 100, "2027-11-24T01:00")
    of_advanced = history(advanced, contacts[advanced])

    assert advanced.delete("/v1/clock", status=200)
    clock.time, day = began, began.astimezone(SYDNEY).date()
    while day <= end.date():
        for hour in (0, 9):
            moment = datetime(day.year, day.month, day.day, hour, tzinfo=SYDNEY).astimezone(UTC)
            if began < moment <= end:
                clock.time = moment
                run_timed(app)
        day += timedelta(days=1)
    clock.time = end.astimezone(UTC)
    of_lived = history(lived, contacts[lived])
    assert {kind: len(found) for kind, found in of_advanced.items()} == {k: len(v) for k, v in of_lived.items()}
    for kind in of_lived:
        for one, other in zip(of_advanced[kind], of_lived[kind], strict=True):
            assert one == other
    assert len(of_lived["invoices"]) > 35
