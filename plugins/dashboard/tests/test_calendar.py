"""The calendar as pages: its views, and moving what is planned and back."""

import pytest

from billycan.testing import Client
from billycan_users.testing import Browser

pytestmark = pytest.mark.sqlite_alone
PLUGINS = ("bookings", "calendar", "contacts", "documents", "jobs", "staff", "users", "dashboard")
DAY = "2026-12-09"
HOURS = [
    {"day": day, "start": "08:00", "end": "17:00"} for day in ("monday", "tuesday", "wednesday", "thursday", "friday")
]


@pytest.fixture
def client(make_app):
    return Client(make_app(*PLUGINS))


@pytest.fixture
def ids(client):
    details = {"phone": "0400 000 000", "billing_address": {"line1": "1 Elizabeth St", "suburb": "Hobart"}}
    ada = client.post("/v1/contacts", {"name": "Ada", **details})["data"]["id"]
    dave, kim = (client.post("/v1/staff", {"name": name, "hours": HOURS})["data"]["id"] for name in ("Dave", "Kim"))
    service = {"name": "Blocked drain", "duration_minutes": 60, "staff_ids": [dave, kim], "slot_interval_minutes": 60}
    service_id = client.post("/v1/services", service)["data"]["id"]
    booked = {"client_id": ada, "service_id": service_id, "staff_id": dave}
    first, second = (
        client.post("/v1/bookings", {**booked, "start_at": f"{DAY}T{hour}:00:00+11:00"})["data"]["id"]
        for hour in ("09", "11")
    )
    job = client.post("/v1/jobs", {"client_id": ada, "title": "Fit a basin"})["data"]["id"]
    return {"Dave": dave, "Kim": kim, "first": first, "second": second, "job": job}


def test_each_view_shows_what_is_planned_and_what_has_no_time(client, owner, ids):
    for view in ("day", "week", "month", "list"):
        page = owner.get(f"/dashboard/calendar?view={view}&day={DAY}").text
        assert page.count(f"/dashboard/bookings/{ids['first']}") == 1 and "Blocked drain" in page and "9 am" in page, (
            view
        )
        assert "Fit a basin" in page
        only = owner.get(f"/dashboard/calendar?view={view}&day={DAY}&staff={ids['Kim']}").text
        assert ids["first"] not in only, view
    assert owner.get("/dashboard/calendar?view=year&day=x&staff=y").status_int == 200
    assert ids["first"] not in owner.get("/dashboard/calendar?view=week&day=2026-12-16").text


def test_what_is_done_is_not_offered_to_be_moved(client, owner, ids):
    def offered():
        found = set()
        for view in ("day", "week", "list"):
            page = owner.get(f"/dashboard/calendar?view={view}&day={DAY}").html
            links = page.select(".shift, .agenda .button")
            found |= {name for name, id in ids.items() for link in links if link["href"].partition("?")[0].endswith(id)}
            # A script drags what has a page that moves it.
            dragged = {each["data-move"].rpartition("/")[2] for each in page.select("[data-move]")}
            assert view == "list" or dragged == {link["href"].partition("?")[0].rpartition("/")[2] for link in links}
        return found

    client.post(f"/v1/jobs/{ids['job']}/schedule", {"scheduled_start": f"{DAY}T14:00:00+11:00"}, status=200)
    assert offered() == {"first", "second", "job"}
    client.post(f"/v1/bookings/{ids['first']}/complete", {}, status=200)
    client.post(f"/v1/bookings/{ids['second']}/no_show", {}, status=200)
    assert offered() == {"job"}
    client.post(f"/v1/jobs/{ids['job']}/start", {}, status=200)
    assert offered() == {"job"}
    client.post(f"/v1/jobs/{ids['job']}/complete", {}, status=200)
    assert offered() == set()


def test_what_runs_over_midnight_has_its_hours_on_both_days(client, owner, ids):
    def board(start, end):
        times = {"scheduled_start": f"2026-12-{start}:00+11:00", "scheduled_end": f"2026-12-{end}:00+11:00"}
        client.patch(f"/v1/jobs/{ids['job']}", times)
        page = owner.get(f"/dashboard/calendar?view=week&day={DAY}").html
        found = {slots["data-day"]: slots.select(f"a[href$='{ids['job']}']") for slots in page.select(".slots")}
        blocks = {day: [link.parent for link in links] for day, links in found.items() if links}
        return [hour.text for hour in page.select(".hours li")], blocks

    hours, blocks = board("09T21:00", "10T00:00")
    assert hours[-1] == "11 pm" and [*blocks] == [DAY]  # and not on the day that begins when it ends
    hours, blocks = board("09T21:00", "10T10:00")
    assert hours[0] == "7 am" and [*blocks] == [DAY, "2026-12-10"]
    later = blocks["2026-12-10"][0]
    assert "until 10 am" in later.text and "9 pm" not in later.text
    assert {"at-1", "for-6"} <= {*later["class"]}, "it ends at 10, three hours after the board begins"
    assert "all day" in board("08T21:00", "10T10:00")[1][DAY][0].text


def test_a_booking_is_moved_to_what_is_free_and_taken_back(client, owner, ids):
    path, here = f"/v1/bookings/{ids['first']}", f"/dashboard/calendar/bookings/{ids['first']}"
    owner.get(f"{here}?view=day&day={DAY}")
    owner.send(here, time="11:00", status=409)  # which Dave has already
    offered = [button["value"] for button in owner.page.html.find_all("button", attrs={"name": "free"})]
    assert f"{DAY}T10:00" in offered and f"{DAY}T11:00" not in offered
    owner.send(here, button=f"free={DAY}T10:00")
    assert client.get(path)["data"]["start_at"] == "2026-12-08T23:00:00Z"
    assert "is now on 9 Dec 2026, 10:00 am" in owner.page.text and "Move it back" in owner.page.text
    owner.send(here)
    assert client.get(path)["data"]["start_at"] == "2026-12-08T22:00:00Z"
    owner.get(f"{here}?view=day&day={DAY}")
    owner.send(here, day="", status=422)
    assert "such as 9 December and 9:30" in owner.page.text
    owner.send(here, day=DAY, staff=ids["Kim"], time="11:00")
    assert client.get(path)["data"]["staff_id"] == ids["Kim"]


def test_a_job_is_planned_for_somebody_and_a_change_meanwhile_is_told(client, owner, ids):
    path, here = f"/v1/jobs/{ids['job']}", f"/dashboard/calendar/jobs/{ids['job']}"
    owner.get(here)
    client.patch(path, {"notes": "Ring first."})
    owner.send(here, day=DAY, time="13:30", staff=ids["Kim"], status=409)
    assert client.get(path)["data"]["status"] == "open"
    owner.send(here)
    job = client.get(path)["data"]
    assert (job["status"], job["assignee_ids"]) == ("scheduled", [ids["Kim"]])
    assert (job["scheduled_start"], job["scheduled_end"]) == ("2026-12-09T02:30:00Z", "2026-12-09T04:30:00Z")
    viewer = Browser(client.app).join(client, "viewer")
    viewer.get(here)
    viewer.send(here, status=403)
