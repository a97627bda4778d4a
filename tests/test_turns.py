"""Long reads in Python pause again and again, because under gevent nobody else would be served."""

import pytest

from billycan import apart
from billycan.testing import Client

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


@pytest.fixture
def pauses(monkeypatch):
    """Count the pauses that let other greenlets run, as under gevent."""
    found = []
    monkeypatch.setattr(apart, "_is_gevent", lambda: True)
    monkeypatch.setattr(apart, "let_others_go", lambda: found.append(1))
    return found


def test_others_go_between_the_records_of_an_export(make_app, pauses):
    client = Client(make_app("contacts"))
    for i in range(101):
        client.post("/v1/contacts", {"name": f"Ada {i}"})
    # Ahead of the transaction: within one others might wait for it, and the test kit would fail a write that pauses.
    assert 101 <= len(pauses) <= 2 * 101
    pauses.clear()
    client.call("GET", "/v1/contacts", headers={"Accept": "text/csv"}, status=200)
    assert len(pauses) > 101


def test_others_go_between_the_starts_that_may_be_booked(make_app, pauses):
    client = Client(make_app("bookings", "contacts", "staff"))
    for i in range(3):
        hours = [{"day": day, "start": "09:00", "end": "17:00"} for day in DAYS]
        client.post("/v1/staff", {"name": f"Grace {i}", "hours": hours})
    service = client.post("/v1/services", {"name": "Blocked drain", "duration_minutes": 60})["data"]["id"]
    pauses.clear()
    found = client.get(f"/v1/availability?service_id={service}&from=2026-11-30&to=2026-11-30")["data"]
    of_each = 8 * 4  # 8 hours, by quarters of an hour
    once = 1  # when the request is decoded
    assert found and len(found[0]["staff_ids"]) == 3 and len(pauses) == 3 * of_each + once
