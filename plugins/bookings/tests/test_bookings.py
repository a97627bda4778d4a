"""Services, availability and bookings in every state, as the contract defines them, through the API."""

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from billycan import Context
from billycan.testing import Client, counted
from billycan_bookings import handlers, rules, slots
from billycan_bookings.tables import bookings as bookings_table
from billycan_bookings.tables import slots as slots_table

pytestmark = pytest.mark.either

MONDAY = "2026-11-23"
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday")


class Business:
    """A plumber in Sydney with staff who work from 8 to 12 on weekdays, and a service of an hour."""

    def __init__(self, app, *, staff=1, **service):
        self.web = Client(app, profile={"timezone": "Australia/Sydney"})
        self.hours = [{"day": day, "start": "08:00", "end": "12:00"} for day in WEEKDAYS]
        self.client_id = self.web.post("/v1/contacts", {"name": "Ada Lovelace"})["data"]["id"]
        self.staff = [self.employ(f"Staff {i}") for i in range(staff)]
        self.service_id = self.serve(**service)

    def employ(self, name):
        return self.web.post("/v1/staff", {"name": name, "hours": self.hours})["data"]["id"]

    def serve(self, **members):
        body = {"name": "Blocked drain", "duration_minutes": 60, "slot_interval_minutes": 30, **members}
        return self.web.post("/v1/services", body)["data"]["id"]

    def body(self, at, **members):
        return {"service_id": self.service_id, "client_id": self.client_id, "start_at": at, **members}

    def book(self, at, **members):
        return self.web.post("/v1/bookings", self.body(at, **members))["data"]

    def refused(self, at, code="slot_unavailable", status=409, **members):
        return self.web.refused(status, code, "POST", "/v1/bookings", self.body(at, **members))

    def act(self, booking, action, body=None, status=200):
        return self.web.post(f"/v1/bookings/{booking['id']}/{action}", body, status)

    def open(self, since=MONDAY, until=None, **filters):
        query = "".join(f"&{name}={value}" for name, value in filters.items())
        service = filters.get("service_id") or self.service_id
        query = "" if "service_id" in filters else query
        return self.web.get(f"/v1/availability?service_id={service}&from={since}&to={until or since}{query}")["data"]

    def clock(self, openings):
        zone = timedelta(hours=11)
        return [f"{datetime.fromisoformat(o['start_at']) + zone:%H:%M}" for o in openings]


def monday(clock_time):
    return f"{MONDAY}T{clock_time}:00+11:00"


@pytest.fixture
def app(make_app):
    return make_app("bookings", "contacts", "staff")


def test_a_booking_lives(app):
    shop = Business(app)
    made = shop.book(monday("09:00"), notes="Kitchen sink", location="12 Elizabeth St", metadata={"colour": "red"})
    assert shop.web.last.headers["Location"].endswith(f"/v1/bookings/{made['id']}") and made["id"].startswith("bkg_")
    assert made["status"] == "confirmed" and made["version"] == 1
    assert (made["start_at"], made["end_at"]) == ("2026-11-22T22:00:00Z", "2026-11-22T23:00:00Z")
    assert made["service"] == {"id": shop.service_id, "name": "Blocked drain"}
    assert made["client"] == {"id": shop.client_id, "name": "Ada Lovelace"}
    assert made["staff"] == {"id": shop.staff[0], "name": "Staff 0"}
    assert made["allowed_actions"] == ["reschedule", "complete", "no_show", "cancel"]
    assert made["job_id"] is None and made["cancel_reason"] is None
    path = f"/v1/bookings/{made['id']}"
    changed = shop.web.patch(path, {"notes": None, "location": "14 Elizabeth St"})["data"]
    assert (changed["notes"], changed["location"], changed["version"]) == (None, "14 Elizabeth St", 2)
    moved = shop.act(made, "reschedule", {"start_at": monday("09:30")})["data"]
    assert (moved["id"], moved["start_at"], moved["version"]) == (made["id"], "2026-11-22T22:30:00Z", 3)
    assert shop.act(made, "reschedule", {"start_at": monday("09:30")})["data"] == moved
    done = shop.act(made, "complete")["data"]
    assert done["status"] == "completed" and done["allowed_actions"] == ["reopen"]
    names = ["created", "updated", "rescheduled", "completed"]
    assert shop.web.events()[-4:] == [f"booking.{name}" for name in names]


def test_availability_lists_what_is_free(app):
    shop = Business(app, staff=2)
    found = shop.open()
    assert shop.clock(found) == ["08:00", "08:30", "09:00", "09:30", "10:00", "10:30", "11:00"]
    assert found[0] == {
        "start_at": "2026-11-22T21:00:00Z",
        "end_at": "2026-11-22T22:00:00Z",
        "staff_ids": sorted(shop.staff),
        "remaining": 2,
    }
    shop.book(monday("09:00"), staff_id=shop.staff[0])
    found = {o["start_at"][11:16]: (o["staff_ids"], o["remaining"]) for o in shop.open()}
    assert found["22:00"] == ([shop.staff[1]], 1) and found["21:00"][1] == 2
    assert shop.clock(shop.open(staff_id=shop.staff[0])) == ["08:00", "10:00", "10:30", "11:00"]
    assert shop.open("2026-11-21", "2026-11-22") == []
    assert len(shop.open(MONDAY, "2026-12-23")) == 23 * 7
    assert shop.web.last.json["pagination"] is None
    shop.web.patch(f"/v1/staff/{shop.staff[1]}", {"active": False})
    assert shop.clock(shop.open()) == ["08:00", "10:00", "10:30", "11:00"]
    shop.web.patch(f"/v1/services/{shop.service_id}", {"active": False})
    assert shop.open() == []


@pytest.mark.sqlite_alone
@pytest.mark.parametrize(
    ("query", "code", "param"),
    [
        ("from=2026-11-23&to=2026-11-24", "invalid_parameter", "service_id"),
        ("service_id=srv_1&to=2026-11-24", "invalid_parameter", "from"),
        ("service_id=srv_1&from=2026-11-23", "invalid_parameter", "to"),
        ("service_id=srv_1&from=2026-11-23&to=2026-11-22", "invalid_parameter", "to"),
        ("service_id=srv_1&from=2026-11-01&to=2026-12-02", "invalid_parameter", "to"),
        ("service_id=srv_1&from=yesterday&to=2026-12-02", "invalid_filter", "from"),
        ("service_id=srv_1&from=2026-11-01&to=2026-12-01&day=1", "unknown_parameter", "day"),
    ],
)
def test_availability_refuses_what_it_cannot_read(app, query, code, param):
    assert Client(app).refused(400, code, "GET", f"/v1/availability?{query}")["param"] == param


# Standard time and summer time.
OFFSETS = {
    "Sydney": ("+10:00", "+11:00"),
    "Adelaide": ("+09:30", "+10:30"),
    "Lord_Howe": ("+10:30", "+11:00"),
    "Brisbane": ("+10:00", "+10:00"),
    "Darwin": ("+09:30", "+09:30"),
    "Perth": ("+08:00", "+08:00"),
}


@pytest.mark.parametrize("zone", OFFSETS)
def test_availability_keeps_to_the_clock_when_it_changes(app, zone):
    standard, summer = OFFSETS[zone]
    web = Client(app, profile={"timezone": f"Australia/{zone}"})
    web.post("/v1/staff", {"name": "Grace", "hours": [{"day": "sunday", "start": "00:00", "end": "06:00"}]})
    service = {"name": "Visit", "duration_minutes": 60, "slot_interval_minutes": 60}
    path = f"/v1/availability?service_id={web.post('/v1/services', service)['data']['id']}"
    # Two o'clock is skipped in spring; in autumn it comes twice, but on Lord Howe, where half past one does.
    spring = dict.fromkeys((0, 1), standard) | dict.fromkeys((2,) if standard == summer else (), standard)
    spring |= dict.fromkeys((3, 4, 5), summer)
    autumn = dict.fromkeys((0, 1, 2), summer) | dict.fromkeys((3, 4, 5), standard)
    autumn |= {2: standard} if zone == "Lord_Howe" else {}
    for day, offsets in (("2027-10-03", spring), ("2027-04-04", autumn)):
        starts = [datetime.fromisoformat(f"{day}T{hour:02}:00:00{offset}") for hour, offset in offsets.items()]
        found = web.get(f"{path}&from={day}&to={day}")["data"]
        assert [datetime.fromisoformat(o["start_at"]) for o in found] == starts
        assert [datetime.fromisoformat(o["end_at"]) for o in found] == [s + timedelta(hours=1) for s in starts]
        for opening in found[1:3]:
            body = {"service_id": path.rpartition("=")[2], "start_at": opening["start_at"]}
            web.post("/v1/bookings", body | {"client_id": web.post("/v1/contacts", {"name": "Ada"})["data"]["id"]})


def test_availability_is_bounded(app, monkeypatch):
    business = Business(app, staff=3)
    monkeypatch.setattr(handlers, "MOST_STARTS", 2 * 48 * 3)
    path = f"/v1/availability?service_id={business.service_id}&from={MONDAY}&to=2026-11-"
    error = business.web.refused(400, "page_too_large", "GET", path + "25")
    assert error["param"] == "to" and "ask for 2 days at a time" in error["message"]
    assert len(business.web.get(path + "24")["data"]) == 14
    monkeypatch.setattr(handlers, "MOST_STARTS", 1)
    assert len(business.web.get(path + "23")["data"]) == 7


def test_availability_of_a_service_there_is_not(app):
    shop, stranger = Business(app), Client(app)
    days = f"from={MONDAY}&to={MONDAY}"
    for service_id in (shop.service_id, "srv_00000000000000000000000000"):
        error = stranger.refused(400, "invalid_parameter", "GET", f"/v1/availability?service_id={service_id}&{days}")
        assert error["param"] == "service_id"
    stranger.refused(400, "invalid_filter", "GET", f"/v1/availability?service_id=nope&{days}")
    assert shop.open(staff_id="stf_00000000000000000000000000") == []


def test_a_taken_time_is_refused_with_alternatives_that_can_be_had(app):
    shop = Business(app)
    shop.book(monday("10:00"))
    for at in ("09:30", "10:00", "10:30", "09:01"):
        error = shop.refused(monday(at))
        assert error["param"] == "start_at" and len(error["alternatives"]) == 5
    assert shop.clock(error["alternatives"]) == ["08:00", "08:30", "09:00", "11:00", "08:00"]
    shop.refused(monday("10:30"), force=True)
    for opening in shop.refused(monday("10:30"), staff_id=shop.staff[0])["alternatives"]:
        assert opening["staff_ids"] == shop.staff and opening["remaining"] == 1
    nearest = shop.refused(monday("10:30"))["alternatives"][-2]
    assert shop.book(nearest["start_at"])["end_at"] == nearest["end_at"]


def test_nobody_waits_while_alternatives_are_looked_for(app, monkeypatch):
    shop, other, starts, made = Business(app), Business(app), rules.offered_starts, []
    shop.book(monday("10:30"))

    def noted(*given):
        made.append(other.web.post("/v1/contacts", {"name": "Eve"}))  # SQLite has one writer
        return starts(*given)

    monkeypatch.setattr(rules, "offered_starts", noted)
    assert len(shop.refused(monday("10:30"))["alternatives"]) == 5 and made


def test_a_booking_that_is_moved_is_not_in_its_own_way(app):
    shop = Business(app)
    one, two = shop.book(monday("09:00")), shop.book(monday("10:00"))
    path = f"/v1/bookings/{one['id']}/reschedule"
    error = shop.web.refused(409, "slot_unavailable", "POST", path, {"start_at": two["start_at"]})
    assert "09:00" in shop.clock(error["alternatives"]) and "10:00" not in shop.clock(error["alternatives"])


def test_alternatives_are_looked_for_among_no_more_than_a_bound(app, monkeypatch):
    shop, looked_at, starts = Business(app, staff=3), [], rules.offered_starts
    for id in shop.staff:
        away = {"start_at": "2026-01-01T00:00:00Z", "end_at": "2027-06-01T00:00:00Z"}
        shop.web.patch(f"/v1/staff/{id}", {"time_off": [away]})

    def noted(person, *more):
        for start in starts(person, *more):
            looked_at.append(person.name)
            yield start

    monkeypatch.setattr(rules, "offered_starts", noted)
    # Each of the three has 48 starts on each day, and only the 7 in working hours are checked.
    for most, days in ((60 * 48 * 3, 42), (14 * 48 * 3, 10), (2 * 48 * 3, 1)):
        looked_at.clear()
        monkeypatch.setattr(slots, "MOST_STARTS", most)
        assert shop.refused(monday("10:00"))["alternatives"] == []
        assert len({*looked_at}) == 3 and len(looked_at) <= days * 8 * 3 * 2
    monkeypatch.setattr(slots, "MOST_STARTS", 2 * 48 * 2)
    looked_at.clear()
    shop.refused(monday("10:00"))
    assert len({*looked_at}) == 2


def test_hours_hold_unless_forced(app):
    shop = Business(app)
    for at in (monday("07:59"), monday("11:01"), monday("20:00"), "2026-11-21T09:00:00+11:00"):
        assert "force" in shop.refused(at)["message"]
    assert shop.book(monday("20:00"), force=True)["status"] == "confirmed"
    shop.refused(monday("20:30"), force=True)
    assert shop.book("2026-11-20T09:00:00+11:00", force=True)["start_at"] == "2026-11-19T22:00:00Z"
    evening = shop.book(monday("08:00"))
    shop.web.refused(409, "slot_unavailable", "POST", f"/v1/bookings/{evening['id']}/reschedule",
                     {"start_at": monday("06:00")})  # fmt: skip
    moved = shop.act(evening, "reschedule", {"start_at": monday("06:00"), "force": True})["data"]
    assert moved["start_at"] == "2026-11-22T19:00:00Z"


def test_time_off_is_not_offered(app):
    shop = Business(app)
    off = [{"start_at": monday("09:00"), "end_at": monday("10:00")}]
    shop.web.patch(f"/v1/staff/{shop.staff[0]}", {"time_off": off})
    assert shop.clock(shop.open()) == ["08:00", "10:00", "10:30", "11:00"]
    shop.refused(monday("09:00"))
    shop.book(monday("09:00"), force=True)


def test_buffers_keep_bookings_apart(app):
    shop = Business(app, buffer_before_minutes=15, buffer_after_minutes=30)
    shop.book(monday("09:00"))
    for at in ("09:44", "10:30", "10:44", "08:00"):
        shop.refused(monday(at))
    shop.book(monday("10:45"))
    other = shop.serve(name="Tap", duration_minutes=15)
    shop.refused(monday("10:29"), service_id=other)
    shop.refused(monday("11:45"), service_id=other)
    shop.book(monday("12:15"), service_id=other, force=True)
    shop.book(monday("08:30"), service_id=other)


def test_a_class_takes_as_many_as_it_holds(app):
    shop = Business(app, staff=2, capacity=3)
    made = [shop.book(monday("09:00")) for _ in range(6)]
    assert [b["staff_id"] for b in made] == [shop.staff[0]] * 3 + [shop.staff[1]] * 3
    shop.refused(monday("09:00"))
    shop.refused(monday("09:00"), service_id=shop.serve(capacity=3))
    shop.act(made[1], "cancel")
    assert [o["remaining"] for o in shop.open() if o["start_at"] == made[0]["start_at"]] == [1]
    assert shop.book(monday("09:00"))["staff_id"] == shop.staff[0]
    shop.web.patch(f"/v1/services/{shop.service_id}", {"capacity": 5})
    shop.book(monday("09:00"))
    shop.web.patch(f"/v1/services/{shop.service_id}", {"duration_minutes": 30})
    shop.refused(monday("09:00"))


def test_notice_and_days_ahead_bound_what_is_offered(app, clock):
    shop = Business(app, min_notice_minutes=120, max_advance_days=3)
    clock.time = datetime(2026, 11, 22, 21, 15, tzinfo=UTC)  # 08:15 on Monday in Sydney
    assert shop.clock(shop.open()) == ["10:30", "11:00"]
    shop.refused(monday("10:00"))
    shop.book(monday("10:30"))
    assert len(shop.open("2026-11-26")) == 7 and shop.open("2026-11-27") == []
    error = shop.refused("2026-11-27T08:00:00+11:00")
    assert error["alternatives"][-1]["start_at"] == "2026-11-26T00:00:00Z"
    shop.refused("1900-01-01T00:00:00Z")
    shop.refused("2200-12-31T00:00:00Z")
    shop.book("2026-11-27T08:00:00+11:00", force=True)


def test_the_order_of_staff_is_the_services(app):
    shop = Business(app, staff=3)
    a, b, c = shop.staff
    shop.web.patch(f"/v1/services/{shop.service_id}", {"staff_ids": [c, a]})
    assert shop.open()[0]["staff_ids"] == [c, a]
    assert [shop.book(monday("09:00"))["staff_id"] for _ in range(2)] == [c, a]
    shop.refused(monday("09:00"))
    error = shop.refused(monday("10:00"), "validation_failed", 422, staff_id=b)
    assert error["details"] == [
        {"param": "staff_id", "code": "invalid_value", "message": "does not provide this service"}
    ]
    assert shop.open(staff_id=b) == []
    shop.web.refused(409, "has_dependents", "DELETE", f"/v1/staff/{a}")
    shop.web.patch(f"/v1/staff/{a}", {"active": False})
    error = shop.refused(monday("10:00"), "validation_failed", 422, staff_id=a)
    assert "is not active" in error["message"] and error["details"][0]["code"] == "invalid_value"
    shop.web.patch(f"/v1/services/{shop.service_id}", {"staff_ids": []})
    shop.web.refused(409, "has_dependents", "DELETE", f"/v1/staff/{a}")  # a booking still names them
    shop.web.delete(f"/v1/staff/{b}")


def test_all_that_is_not_there_is_named_at_once(app):
    shop = Business(app)
    unknown = {name: f"{name[:3]}_00000000000000000000000000" for name in ("service_id", "client_id", "staff_id")}
    error = shop.refused(monday("09:00"), "validation_failed", 422, **unknown, job_id="job_1")
    assert {(f["param"], f["code"]) for f in error["details"]} == {
        (name, "not_found") for name in ("service_id", "client_id", "staff_id", "job_id")
    }
    stranger = Business(app)
    shop.refused(monday("09:00"), "validation_failed", 422, staff_id=stranger.staff[0])
    shop.refused("2026-11-23T09:00:00", "validation_failed", 422)
    assert shop.web.last.json["error"]["details"][0]["code"] == "offset_required"
    made = shop.book(monday("09:00"))
    for body in (
        {"start_at": monday("10:00")},
        {"staff_id": "stf_1"},
        {"status": "pending"},
        {"end_at": made["start_at"]},
    ):
        error = shop.web.refused(422, "validation_failed", "PATCH", f"/v1/bookings/{made['id']}", body)
        assert error["details"][0]["code"] == "read_only"
    shop.web.refused(422, "validation_failed", "PATCH", f"/v1/bookings/{made['id']}", {"client_id": "con_1"})
    shop.web.refused(422, "validation_failed", "PATCH", f"/v1/bookings/{made['id']}", {"job_id": "job_1"})
    shop.web.patch(f"/v1/services/{shop.service_id}", {"active": False})
    shop.refused(monday("10:00"), "validation_failed", 422)


INTO = {
    "pending": [],
    "confirmed": ["confirm"],
    "declined": ["decline"],
    "completed": ["confirm", "complete"],
    "no_show": ["confirm", "no_show"],
    "cancelled": ["cancel"],
}


def test_what_was_marked_by_mistake_is_taken_back(app):
    shop = Business(app)
    done, missed = shop.book(monday("09:00")), shop.book(monday("10:00"))
    for booking, action in ((done, "complete"), (missed, "no_show")):
        marked = shop.act(booking, action)["data"]
        assert marked["allowed_actions"] == ["reopen"]
        back = shop.act(booking, "reopen")["data"]
        assert (back["status"], back["start_at"], back["staff_id"]) == (
            "confirmed",
            booking["start_at"],
            booking["staff_id"],
        )
        assert shop.web.events()[-1] == "booking.reopened"
        error = shop.web.refused(409, "invalid_state_transition", "POST", f"/v1/bookings/{booking['id']}/reopen")
        assert "`reopen` is not possible while the status is `confirmed`" in error["message"]
    assert "10:00" not in shop.clock(shop.open())  # it holds its time again


def test_who_did_not_come_gets_no_time_that_another_has(app):
    shop = Business(app)
    missed = shop.book(monday("09:00"))
    shop.act(missed, "no_show")
    shop.book(monday("09:00"))
    error = shop.web.refused(409, "slot_unavailable", "POST", f"/v1/bookings/{missed['id']}/reopen")
    assert error["alternatives"]
    assert shop.web.get(f"/v1/bookings/{missed['id']}")["data"]["status"] == "no_show"


@pytest.mark.parametrize(
    ("at", "says"),
    [("2026-11-20T09:00:00+11:00", "in the past"), (monday("13:00"), "outside working hours"),
     ("2026-11-21T11:30:00+11:00", "at least 60 minutes ahead"), ("2027-03-01T09:00:00+11:00", "later than")],
)  # fmt: skip
def test_a_refusal_says_why(app, at, says):
    shop = Business(app, min_notice_minutes=60, max_advance_days=30)
    assert says in shop.refused(at)["message"]
    shop.book(at, force=True)


@pytest.fixture
def busy(make_app):
    """A business with two plumbers; the first has a job on Monday from 09:00 to 10:30."""
    shop = Business(make_app("bookings", "contacts", "documents", "jobs", "staff"), staff=2, slot_interval_minutes=60)
    times = {"scheduled_start": monday("09:00"), "scheduled_end": monday("10:30")}
    body = {"client_id": shop.client_id, "title": "Drain", "assignee_ids": shop.staff[:1], **times}
    shop.job = shop.web.post("/v1/jobs", body)["data"]
    return shop


def test_a_job_takes_the_time_of_who_is_assigned(busy):
    first, second = busy.staff
    assert busy.clock(busy.open(staff_id=first)) == ["08:00", "11:00"]
    assert busy.clock(busy.open(staff_id=second)) == ["08:00", "09:00", "10:00", "11:00"]
    for force in (False, True):
        error = busy.refused(monday("10:00"), staff_id=first, force=force)
        assert busy.clock(error["alternatives"])[:2] == ["08:00", "11:00"]
    assert busy.book(monday("10:00"))["staff_id"] == second
    booked = busy.book(monday("08:00"), staff_id=first)
    moved = {"start_at": monday("09:00"), "staff_id": first}
    busy.web.refused(409, "slot_unavailable", "POST", f"/v1/bookings/{booked['id']}/reschedule", moved)


def test_buffers_keep_clear_of_jobs(busy):
    busy.service_id = busy.serve(buffer_before_minutes=31, buffer_after_minutes=30, slot_interval_minutes=30)
    assert busy.clock(busy.open(staff_id=busy.staff[0])) == []
    busy.service_id = busy.serve(buffer_before_minutes=30, slot_interval_minutes=30)
    assert busy.clock(busy.open(staff_id=busy.staff[0])) == ["08:00", "11:00"]


@pytest.mark.parametrize("end", ["complete", "cancel", "unassign", "unplan", "delete"])
def test_a_job_that_is_done_with_gives_its_time_back(busy, end):
    path = f"/v1/jobs/{busy.job['id']}"
    if end in ("complete", "cancel"):
        busy.web.post(f"{path}/{end}", {}, 200)
    elif end == "delete":
        busy.web.post(f"{path}/cancel", {}, 200)
        busy.web.delete(path)
    else:
        busy.web.patch(path, {"unassign": {"assignee_ids": []}, "unplan": {"scheduled_end": None}}[end])
    assert busy.clock(busy.open(staff_id=busy.staff[0])) == ["08:00", "09:00", "10:00", "11:00"]


def test_a_jobs_own_booking_is_not_in_its_way(busy):
    first, _ = busy.staff
    booked = busy.book(monday("09:00"), staff_id=first, job_id=busy.job["id"])
    busy.act(booked, "reschedule", {"start_at": monday("09:15"), "force": True})
    busy.act(booked, "no_show")
    assert busy.act(booked, "reopen")["data"]["status"] == "confirmed"


def test_a_job_is_scheduled_over_a_booking(busy):
    booked = busy.book(monday("11:00"), staff_id=busy.staff[0])
    busy.web.patch(f"/v1/jobs/{busy.job['id']}", {"scheduled_end": monday("12:00")})
    assert busy.web.get(f"/v1/bookings/{booked['id']}")["data"]["status"] == "confirmed"
    assert busy.clock(busy.open(staff_id=busy.staff[0])) == ["08:00"]


@pytest.mark.parametrize(
    ("status", "held"),
    [("pending", True), ("confirmed", True), ("completed", True), ("no_show", False), ("cancelled", False),
     ("declined", False)],
)  # fmt: skip
def test_what_holds_its_time_and_what_can_be_deleted(app, status, held):
    shop = Business(app, requires_confirmation=True)
    made = shop.book(monday("09:00"))
    for step in INTO[status]:
        made = shop.act(made, step)["data"]
    assert ("09:00" in shop.clock(shop.open())) is not held
    path = f"/v1/bookings/{made['id']}"
    if status in ("pending", "cancelled", "declined"):
        assert shop.web.delete(path)["data"] == {"id": made["id"], "deleted": True}
        shop.web.get(path, 404)
        assert shop.web.events()[-1] == "booking.deleted"
        assert "09:00" in shop.clock(shop.open())
        shop.web.delete(f"/v1/services/{shop.service_id}")
    else:
        assert shop.web.refused(409, "document_locked", "DELETE", path)["status"] == status
        shop.web.refused(409, "has_dependents", "DELETE", f"/v1/services/{shop.service_id}")
        shop.web.refused(409, "has_dependents", "DELETE", f"/v1/contacts/{shop.client_id}")


def test_a_reason_may_be_given(app):
    shop = Business(app)
    first, second = shop.book(monday("09:00")), shop.book(monday("10:00"))
    assert shop.act(first, "cancel", {"reason": "Fixed it myself"})["data"]["cancel_reason"] == "Fixed it myself"
    assert shop.act(second, "cancel")["data"]["cancel_reason"] is None


def test_rescheduling_frees_what_was_and_takes_what_is_asked(app):
    shop = Business(app, staff=2, capacity=2)
    one, two = shop.book(monday("09:00")), shop.book(monday("09:00"))
    moved = shop.act(one, "reschedule", {"start_at": monday("10:30")})["data"]
    assert moved["staff_id"] == two["staff_id"] == shop.staff[0]
    back = shop.act(one, "reschedule", {"start_at": monday("09:00")})["data"]
    assert [o["staff_ids"] for o in shop.open()][2] == [shop.staff[1]] and back["start_at"] == two["start_at"]
    handed = shop.act(one, "reschedule", {"start_at": monday("09:00"), "staff_id": shop.staff[1]})["data"]
    assert handed["staff"]["name"] == "Staff 1"
    busy = shop.book(monday("10:00"), staff_id=shop.staff[0])
    error = shop.web.refused(409, "slot_unavailable", "POST", f"/v1/bookings/{one['id']}/reschedule",
                             {"start_at": monday("09:30"), "staff_id": shop.staff[0]})  # fmt: skip
    assert all(o["staff_ids"] == [shop.staff[0]] for o in error["alternatives"]) and error["alternatives"]
    assert shop.web.get(f"/v1/bookings/{one['id']}")["data"] == handed
    assert shop.act(busy, "reschedule", {"start_at": monday("10:15")})["data"]["start_at"] == "2026-11-22T23:15:00Z"
    shop.web.patch(f"/v1/staff/{shop.staff[0]}", {"active": False})
    shop.web.refused(422, "validation_failed", "POST", f"/v1/bookings/{busy['id']}/reschedule",
                     {"start_at": monday("11:00")})  # fmt: skip


def test_no_slot_outlives_its_bookings(app):
    shop = Business(app, capacity=2)
    made = [shop.book(monday("09:00")) for _ in range(2)] + [shop.book(monday("10:00"))]
    slots_left = sa.select(sa.func.count()).where(slots_table.c.tenant_id == shop.web.tenant_id)
    for booking, left in zip(made, (2, 1, 0), strict=True):
        shop.act(booking, "cancel")
        with app.db.reading() as db:
            assert db.execute(slots_left).scalar() == left


def test_bookings_are_found(app):
    shop = Business(app, staff=2, requires_confirmation=True)
    tap = shop.serve(name="Dripping tap")
    bob = shop.web.post("/v1/contacts", {"name": "Böb"})["data"]["id"]
    first = shop.book(monday("09:00"), staff_id=shop.staff[1], notes="Möld", external_id="x1")
    second = shop.book(monday("08:00"), service_id=tap, client_id=bob)
    ids = {first["id"]: "first", second["id"]: "second"}

    def found(query):
        return [ids[b["id"]] for b in shop.web.get(f"/v1/bookings?{query}")["data"]]

    assert found("sort=start_at") == ["second", "first"] and found("sort=-end_at") == ["first", "second"]
    assert found("status=confirmed,cancelled") == ["second"]
    assert found(f"service_id={tap}") == ["second"] and found(f"client_id={shop.client_id}") == ["first"]
    assert found(f"staff_id={shop.staff[1]}") == ["first"] and found("external_id=x1") == ["first"]
    assert found(f"start_at_from={MONDAY}&start_at_to={MONDAY}&sort=start_at") == ["second", "first"]
    assert found("start_at_from=2026-11-24") == found(f"start_at_to={MONDAY}T07:59:59%2B11:00") == []
    assert found("end_at_to=2026-11-22T22:00:00Z") == ["second"]
    assert found("search=mold") == ["first"] and found("search=bob") == found("search=dripping") == ["second"]
    assert found("client_id=con_00000000000000000000000000") == []
    shop.web.refused(400, "invalid_filter", "GET", "/v1/bookings?status=open")
    assert [s["name"] for s in shop.web.get("/v1/services?sort=name&search=d&active=true")["data"]] == [
        "Blocked drain",
        "Dripping tap",
    ]


def test_a_booking_is_a_calendar_file(app):
    shop = Business(app)
    notes = "Gate code; 12,\nback\\slash " + "ü" * 60
    made = shop.book(monday("09:00"), notes=notes, location="12 Elizabeth St, Hobart")
    path = f"/v1/bookings/{made['id']}"
    answer = shop.web.call("GET", f"{path}.ics", status=200)
    assert answer.headers["Content-Type"] == "text/calendar; charset=utf-8" and answer.headers["ETag"] == '"1"'
    assert f'filename="{made["id"]}.ics"' in answer.headers["Content-Disposition"]
    lines = answer.body.split(b"\r\n")
    assert all(len(line) <= 75 and b"\n" not in line for line in lines) and lines[-1] == b""
    text = answer.body.replace(b"\r\n ", b"").decode()
    assert text.startswith("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:") and text.endswith("END:VCALENDAR\r\n")
    members = dict(line.split(":", 1) for line in text.splitlines() if not line.startswith(("BEGIN", "END")))
    assert members["UID"] == f"{made['id']}@billycan" and members["SEQUENCE"] == "1"
    assert (members["DTSTART"], members["DTEND"]) == ("20261122T220000Z", "20261122T230000Z")
    assert members["DTSTAMP"].startswith("20261121T00") and members["STATUS"] == "CONFIRMED"
    assert members["SUMMARY"] == "Blocked drain for Ada Lovelace"
    assert members["LOCATION"] == "12 Elizabeth St\\, Hobart"
    assert members["DESCRIPTION"] == "Gate code\\; 12\\,\\nback\\\\slash " + "ü" * 60
    assert shop.web.call("GET", path, headers={"Accept": "text/calendar"}, status=200).body == answer.body
    shop.act(made, "cancel")
    text = shop.web.call("GET", path, headers={"Accept": "text/calendar, application/json;q=0.5"}, status=200).text
    assert "STATUS:CANCELLED" in text and "SEQUENCE:2" in text


def test_json_is_answered_to_those_who_take_anything(app):
    shop = Business(app)
    path = f"/v1/bookings/{shop.book(monday('09:00'))['id']}"
    for accept in ("*/*", "application/json", "application/json, text/calendar;q=0.5", "text/calendar;q=0.1, */*"):
        answer = shop.web.call("GET", path, headers={"Accept": accept}, status=200)
        assert answer.headers["Content-Type"] == "application/json", accept
    shop.web.call("GET", path, headers={"Accept": "text/html"}, status=406)
    shop.web.call("GET", "/v1/bookings", headers={"Accept": "text/calendar"}, status=406)
    for wrong in ("nope", "bkg_00000000000000000000000000"):
        shop.web.refused(404, "resource_not_found", "GET", f"/v1/bookings/{wrong}.ics")
    missing = Client(app).call("GET", f"{path}.ics", headers={"Accept": "text/calendar"}, status=404)
    assert missing.json["error"]["code"] == "resource_not_found"


def test_services_say_what_they_are(app):
    shop = Business(app)
    body = {"name": "Tap", "duration_minutes": 45, "price": "99.50", "gst_code": "gst", "staff_ids": shop.staff}
    made = shop.web.post("/v1/services", body)["data"]
    assert made["id"].startswith("srv_") and {k: str(v) for k, v in made.items() if k in body} == {
        k: str(v) for k, v in body.items()
    }
    defaults = {"buffer_before_minutes": 0, "buffer_after_minutes": 0, "capacity": 1, "slot_interval_minutes": 15}
    defaults |= {"min_notice_minutes": 0, "max_advance_days": None, "requires_confirmation": False, "active": True}
    assert {name: made[name] for name in defaults} == defaults
    for member, value, param, code in (
        ("duration_minutes", 0, "duration_minutes", "out_of_range"),
        ("capacity", 0, "capacity", "out_of_range"),
        ("slot_interval_minutes", 0, "slot_interval_minutes", "out_of_range"),
        ("price", "-1", "price", "out_of_range"),
        ("gst_code", "vat", "gst_code", "invalid_value"),
        ("staff_ids", shop.staff * 2, "staff_ids[1]", "invalid_value"),
        ("staff_ids", ["stf_1"], "staff_ids[0]", "not_found"),
    ):
        for method, path in (("POST", "/v1/services"), ("PATCH", f"/v1/services/{made['id']}")):
            error = shop.web.refused(422, "validation_failed", method, path, {**body, member: value})
            assert (error["details"][0]["param"], error["details"][0]["code"]) == (param, code)
    shop.web.patch(f"/v1/services/{made['id']}", {"price": None})
    shop.web.delete(f"/v1/services/{made['id']}")
    assert shop.web.events()[-3:] == ["service.created", "service.updated", "service.deleted"]


def test_the_database_itself_keeps_a_persons_times_apart(app, monkeypatch):
    shop = Business(app)
    shop.book(monday("09:00"))
    monkeypatch.setattr(slots.rules, "places_left", lambda *given: 1)
    monkeypatch.setattr(slots.rules, "overlapped_slot", lambda *given: None)
    error = shop.refused(monday("09:00"))
    assert error["alternatives"] and "see alternatives" in error["message"]
    if not app.db.is_sqlite:
        shop.refused(monday("09:30"))
        shop.refused(monday("08:01"))
    with app.db.reading() as db:
        mine = bookings_table.c.tenant_id == shop.web.tenant_id
        assert db.execute(sa.select(sa.func.count()).where(mine)).scalar() == 1


def test_on_postgresql_the_constraint_alone_keeps_times_apart(app, monkeypatch):
    if app.db.is_sqlite:
        pytest.skip("SQLite has one writer at a time")
    shop = Business(app)
    unlocked = slots.people
    monkeypatch.setattr(slots, "people", lambda ctx, ids=None, *, lock=False: unlocked(ctx, ids))
    minutes = (0, 0, 7, 15, 29, 30, 45, 59)
    answers = shop.web.race(*(("POST", "/v1/bookings", shop.body(monday(f"09:{minute:02}"))) for minute in minutes))
    assert sorted(answer.status_int for answer in answers) == [201] + [409] * 7


def test_a_booking_knows_the_job_made_for_it(make_app):
    app = make_app("bookings", "contacts", "documents", "jobs", "staff")
    shop = Business(app)
    booking = shop.book(monday("09:00"))
    path = f"/v1/bookings/{booking['id']}"
    body = {"title": "Clear the drain", "client_id": shop.client_id, "booking_id": booking["id"]}
    job = shop.web.post("/v1/jobs", body)["data"]
    assert shop.web.get(path)["data"]["job_id"] == job["id"]
    assert shop.web.events()[-2:] == ["job.created", "booking.updated"]
    shop.web.post("/v1/jobs", body)
    assert shop.web.get(path)["data"]["job_id"] == job["id"]
    assert [b["id"] for b in shop.web.get(f"/v1/bookings?job_id={job['id']}")["data"]] == [booking["id"]]
    shop.refused(monday("10:00"), "validation_failed", 422, job_id="job_1")
    shop.web.patch(path, {"job_id": None})
    shop.web.patch(path, {"job_id": job["id"]})
    without = Client(make_app("bookings", "contacts", "staff", database=_url(app)), shop.web.tenant_id)
    shown = without.get(path)["data"]
    assert shown["job_id"] is None and without.patch(path, shown)["data"] == shown
    without.patch(path, {"notes": "Bring the camera"})
    assert shop.web.get(path)["data"]["job_id"] == job["id"]
    shop.web.delete(f"/v1/jobs/{job['id']}")
    assert shop.web.get(path)["data"]["job_id"] is None


def _url(app):
    return app.db.url.render_as_string(hide_password=False)


def test_the_sample_week_shows_every_status(make_app):
    app = make_app("bookings", "contacts", "staff")
    shop = Client(app, profile={"timezone": "Australia/Hobart"})
    for name in ("contacts", "staff", "bookings"):
        ctx = Context(app, shop.tenant_id)
        with ctx.transaction():
            app.manifests[name].demo(ctx)
    week = shop.get("/v1/bookings?per_page=100")["data"]
    assert {b["status"] for b in week} == {"pending", "confirmed", "completed", "no_show", "cancelled", "declined"}
    assert len(week) == 12 and shop.get("/v1/services")["pagination"]["total"] == 4
    service = shop.get("/v1/services?search=drain")["data"][0]["id"]
    assert shop.get(f"/v1/availability?service_id={service}&from=2026-11-23&to=2026-11-27")["data"]


def test_few_statements_are_sent(app):
    shop = Business(app, staff=3)
    made = shop.book(monday("09:00"))
    for path, most in ((f"/v1/bookings/{made['id']}", 4), ("/v1/bookings", 5)):
        with counted(app) as sent:
            shop.web.get(path)
        assert len(sent) <= most, sent
    with counted(app) as sent:
        shop.open(MONDAY, "2026-12-23")
    assert len(sent) <= 4, sent
    with counted(app) as sent:
        shop.book(monday("10:00"))
    assert len(sent) <= 18, sent
