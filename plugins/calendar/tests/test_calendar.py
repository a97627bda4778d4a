"""Entries of the calendar: by days in the business's time zone, by whoever does it, and by what a key may read."""

import pytest

from billycan.testing import Client

DAY = "2026-12-09"


@pytest.fixture
def client(make_app):
    return Client(make_app("bookings", "calendar", "contacts", "documents", "jobs", "staff"))


@pytest.fixture
def ids(client):
    """Make a booking at 9 am, and jobs: one that spans midnight, one without an end, one without a start."""
    client_id = client.post("/v1/contacts", {"name": "Salamanca Bakery"})["data"]["id"]
    dave, kim = (client.post("/v1/staff", {"name": name})["data"]["id"] for name in ("Dave", "Kim"))
    service = client.post("/v1/services", {"name": "Blocked drain", "duration_minutes": 60, "staff_ids": [dave]})[
        "data"
    ]["id"]
    booked = {"client_id": client_id, "service_id": service, "start_at": f"{DAY}T09:00:00+11:00", "force": True}
    booked["location"] = "1 Elizabeth St,\nupstairs"
    night = {"scheduled_start": f"{DAY}T22:00:00+11:00", "scheduled_end": "2026-12-10T02:00:00+11:00"}
    address = {"line1": "2 Elizabeth St", "suburb": "Hobart", "state": "TAS", "postcode": "7000"}
    jobs = [
        {"title": "Night shift", "assignee_ids": [dave, kim], "site_address": address, **night},
        {"title": "Begun", "scheduled_start": f"{DAY}T08:30:00+11:00"},
        {"title": "Not planned yet"},
    ]
    made = {job["title"]: client.post("/v1/jobs", {"client_id": client_id, **job})["data"]["id"] for job in jobs}
    return made | {"Dave": dave, "Kim": kim, "Blocked drain": client.post("/v1/bookings", booked)["data"]["id"]}


def test_what_is_planned_is_listed_by_day_and_by_staff(client, ids):
    def titles(query):
        return [entry["title"] for entry in client.get(f"/v1/calendar?{query}")["data"]]

    day = f"from={DAY}&to={DAY}"
    assert titles(day) == ["Begun", "Blocked drain", "Night shift"]
    for query, expected in {
        "from=2026-12-10&to=2026-12-10": ["Night shift"],  # which spans midnight
        "from=2026-12-08&to=2026-12-08": [],
        "from=2026-12-08": ["Begun", "Blocked drain", "Night shift"],  # a week
        "from=2026-12-11": [],
        f"{day}&assignee_id={ids['Dave']}": ["Blocked drain", "Night shift"],
        f"{day}&assignee_id={ids['Kim']}": ["Night shift"],
        f"{day}&assignee_id=stf_unknown": [],
    }.items():
        assert titles(query) == expected, query
    first = client.get(f"/v1/calendar?{day}&assignee_id={ids['Dave']}")["data"][0]
    assert first == {
        "type": "bookings", "id": ids["Blocked drain"], "title": "Blocked drain", "status": "confirmed",
        "start_at": "2026-12-08T22:00:00Z", "end_at": "2026-12-08T23:00:00Z", "assignee_ids": [ids["Dave"]],
        "client": {"id": first["client"]["id"], "name": "Salamanca Bakery"}, "location": "1 Elizabeth St, upstairs",
        "cancelled": False, "version": 1, "updated_at": first["updated_at"],
    }  # fmt: skip
    client.post(f"/v1/bookings/{ids['Blocked drain']}/cancel", {}, status=200)
    assert titles(day) == ["Begun", "Night shift"]
    assert titles(f"{day}&cancelled=true") == ["Begun", "Blocked drain", "Night shift"]
    assert [each["cancelled"] for each in client.get(f"/v1/calendar?{day}&cancelled=true")["data"]] == [
        False,
        True,
        False,
    ]
    night = client.get("/v1/calendar?from=2026-12-10&to=2026-12-10")["data"][0]
    assert night["location"] == "2 Elizabeth St, Hobart TAS 7000"


def test_wrong_days_and_keys_are_refused(client, ids):
    for query, param in (
        ("from=2026-12-10&to=2026-12-09", "to"),
        ("from=2026-01-01&to=2026-04-03", "to"),
        ("from=x", "from"),
    ):
        error = client.call("GET", f"/v1/calendar?{query}", status=400).json["error"]
        assert error["param"] == param, query
    assert client.get("/v1/calendar?from=2026-01-01&to=2026-04-02")["data"] == []
    some = client.key("jobs:read")
    assert {entry["type"] for entry in some.get(f"/v1/calendar?from={DAY}")["data"]} == {"jobs"}
    client.key("contacts:read").call("GET", "/v1/calendar", status=403)
