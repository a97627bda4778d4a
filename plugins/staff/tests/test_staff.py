"""Staff as the contract defines them, through the API."""

import pytest

from billycan.testing import Client

pytestmark = pytest.mark.either


@pytest.fixture
def client(make_app):
    return Client(make_app("staff"), profile={"timezone": "Australia/Hobart"})


def hours(*spans, day="monday"):
    return [{"day": day, "start": start, "end": end} for start, end in spans]


def test_a_member_of_staff_lives(client):
    made = client.post("/v1/staff", {"name": " Grace ", "phone": "0412 345 678"})["data"]
    assert client.last.headers["Location"].endswith(f"/v1/staff/{made['id']}") and made["id"].startswith("stf_")
    assert (made["name"], made["timezone"], made["hours"], made["time_off"], made["active"]) == (
        "Grace",
        "Australia/Hobart",
        [],
        [],
        True,
    )
    assert made["allowed_actions"] == []
    week = hours(("13:00", "24:00"), ("00:00", "12:30"), ("12:30", "13:00"))
    off = [{"start_at": "2026-12-24T12:00:00+11:00", "end_at": "2027-01-04T00:00:00+11:00", "reason": "Summer"}]
    path = f"/v1/staff/{made['id']}"
    changed = client.patch(path, {"hours": week, "time_off": off, "timezone": "Australia/Perth"})["data"]
    assert changed["hours"] == week and changed["version"] == 2
    assert changed["time_off"][0]["start_at"] == "2026-12-24T01:00:00Z"
    assert client.patch(path, {"timezone": None, "active": False})["data"]["timezone"] == "Australia/Hobart"
    assert client.patch(path, {"time_off": off})["data"]["version"] == 3
    client.delete(path)
    client.get(path, 404)
    assert client.events() == ["staff.created", "staff.updated", "staff.updated", "staff.deleted"]


@pytest.mark.sqlite_alone
@pytest.mark.parametrize(
    ("member", "value", "param", "code"),
    [
        ("name", "", "name", "required"),
        ("timezone", "Hobart", "timezone", "invalid_value"),
        ("email", "grace", "email", "invalid_value"),
        ("hours", [{"day": "mon", "start": "08:00", "end": "09:00"}], "hours[0].day", "invalid_value"),
        ("hours", hours(("8:00", "09:00")), "hours[0].start", "invalid_value"),
        ("hours", hours(("08:60", "09:00")), "hours[0].start", "invalid_value"),
        ("hours", hours(("08:00", "24:01")), "hours[0].end", "invalid_value"),
        ("hours", hours(("٠٨:٠٠", "24:00")), "hours[0].start", "invalid_value"),
        ("hours", hours(("09:00", "09:00")), "hours[0].end", "out_of_range"),
        ("hours", hours(("22:00", "06:00")), "hours[0].end", "out_of_range"),
        ("hours", hours(("13:00", "17:00"), ("08:00", "13:01")), "hours[0]", "invalid_value"),
        ("hours", [{"day": "monday", "start": "08:00"}], "hours[0].end", "required"),
        ("time_off", [{"start_at": "2026-12-24T12:00:00", "end_at": "2026-12-25T00:00:00Z"}], "time_off[0].start_at",
         "offset_required"),
        ("time_off", [{"start_at": "2026-12-24T12:00:00Z", "end_at": "2026-12-24T12:00:00Z"}], "time_off[0].end_at",
         "out_of_range"),
        ("time_off", [{"start_at": "2026-12-24", "end_at": "2026-12-25"}], "time_off[0].start_at", "invalid_date"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(client, member, value, param, code):
    error = client.refused(422, "validation_failed", "POST", "/v1/staff", {"name": "Grace", member: value})
    fault = error["details"][0]
    assert (fault["param"], fault["code"]) == (param, code)
    made = client.post("/v1/staff", {"name": "Grace"})["data"]
    client.refused(422, "validation_failed", "PATCH", f"/v1/staff/{made['id']}", {member: value})


def test_staff_are_found(client):
    for name, active in (("Zoë", True), ("alan", False), ("Bea", True)):
        client.post("/v1/staff", {"name": name, "active": active, "phone": "0412 345 678" if active else None})
    names = lambda path: [s["name"] for s in client.get(path)["data"]]  # noqa: E731
    assert names("/v1/staff?sort=name") == ["alan", "Bea", "Zoë"]
    assert names("/v1/staff?active=true&sort=-name") == ["Zoë", "Bea"]
    assert names("/v1/staff?search=zoe") == ["Zoë"]
    assert names("/v1/staff?search=%2B61412345678&sort=name") == ["Bea", "Zoë"]
    assert names("/v1/staff?timezone=Australia/Perth,Australia/Darwin") == []
    client.refused(400, "invalid_filter", "GET", "/v1/staff?active=yes")
