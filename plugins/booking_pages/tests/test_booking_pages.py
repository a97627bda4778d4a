"""A stranger books by the public page: what is offered, held and booked, what is told to whom, and what is refused."""

import re
from datetime import timedelta
from types import SimpleNamespace

import pytest
import sqlalchemy as sa
import webtest

from billycan.testing import Client, run_timed
from billycan_booking_pages.tables import requests
from billycan_bookings.tables import holds, slots
from billycan_mail.encryption import decrypt_text
from billycan_mail.tables import letters
from billycan_users.testing import Browser

PLUGINS = ("booking_pages", "bookings", "contacts", "dashboard", "documents", "hosted", "mail", "staff", "users")
MAIL = {"url": "smtp://127.0.0.1:1", "sender": "mail@example.com"}
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday")
ADA = {"name": "Ada Lovelace", "email": "Ada@Example.com", "phone": "0400 000 000", "notes": "Side gate"}
SITE = "https://www.example.com"


@pytest.fixture
def client(make_app):
    return Client(make_app(*PLUGINS, mail=MAIL))


@pytest.fixture
def at(client):
    """Turn the page on, for a service of an hour that Dave gives from 9 to 12, and one that is not offered."""
    hours = [{"day": day, "start": "09:00", "end": "12:00"} for day in DAYS]
    dave = client.post("/v1/staff", {"name": "Dave", "hours": hours})["data"]["id"]
    offered = {"duration_minutes": 60, "slot_interval_minutes": 60, "price": "100.00", "staff_ids": [dave]}
    service = client.post("/v1/services", {"name": "Blocked drain", **offered})["data"]["id"]
    inner = client.post("/v1/services", {"name": "Warranty visit", **offered})["data"]["id"]
    name = client.tenant_id.replace("_", "-")
    set_up(client, active=True, name=name, service_ids=[service], confirms_email=False)
    return SimpleNamespace(path=f"/b/{name}", times=f"/b/{name}/{service}", service=service, inner=inner, dave=dave)


def set_up(client, status=200, **settings):
    return client.call("PATCH", "/v1/booking_page", settings, status=status).json


class Visitor:
    """A stranger's browser, at an address of its own."""

    def __init__(self, client, address="192.0.2.1"):
        environ = {"REMOTE_ADDR": address, "HTTP_SEC_FETCH_SITE": "same-origin"}
        self.client, self.web = client, webtest.TestApp(client.app.wsgi, extra_environ=environ)

    def starts(self, times, query=""):
        return [
            button["value"] for button in self.web.get(times + query).html.find_all("button", attrs={"name": "start"})
        ]

    def choose(self, times, start, status=303, **fields):
        self.client.app.clock.move(seconds=1)
        answer = self.web.post(times, {"start": start, **fields}, status=status)
        return answer.headers["Location"] if status == 303 else answer

    def send(self, path, status=303, decision="send", **fields):
        return self.web.post(path, {"decision": decision, **fields}, status=status)

    def book(self, times, start, **details):
        path = self.choose(times, start)
        self.send(path, **{**ADA, **details})
        return path


@pytest.fixture
def visitor(client):
    return Visitor(client)


def bookings_of(client):
    return client.get("/v1/bookings?sort=created_at")["data"]


def letters_of(app):
    with app.db.reading() as db:
        rows = db.execute(
            sa.select(letters.c.address, letters.c.subject, letters.c.sealed).order_by(letters.c.id)
        ).all()
    return [(row.address, row.subject, decrypt_text(app, row.sealed)) for row in rows]


def count(client, table):
    with client.app.db.reading(client.tenant_id) as db:
        return db.execute(sa.select(sa.func.count()).where(table.c.tenant_id == client.tenant_id)).scalar_one()


def test_a_stranger_books_a_free_time_and_gets_a_confirmation(client, at, visitor):
    page = visitor.web.get(at.path)
    assert "Blocked drain" in page and "Warranty visit" not in page and "1 hour" in page
    assert "$100.00" in page or "$110.00" in page
    starts = visitor.starts(at.times)
    path = visitor.choose(at.times, starts[0])
    form = visitor.web.get(path)
    assert "We hold this time for you until" in form and "Book this time" in form
    visitor.send(path, **ADA)
    (booking,) = bookings_of(client)
    assert (booking["start_at"], booking["status"], booking["client"]["name"]) == (
        starts[0],
        "confirmed",
        "Ada Lovelace",
    )
    assert "Side gate" in booking["notes"] and "0400 000 000" in booking["notes"]
    assert "You are booked" in visitor.web.get(path)
    contact = client.get(f"/v1/contacts/{booking['client_id']}")["data"]
    assert (contact["kind"], contact["phone"]) == ("person", "0400 000 000")
    assert client.events()[-2:] == ["contact.created", "booking.created"]
    assert client.get("/v1/events?event=booking.created")["data"][0]["actor"] is None  # so that the owner is told
    ((address, subject, text),) = letters_of(client.app)[-1:]
    assert address == "ada@example.com" and subject.startswith("Your booking is confirmed")
    assert "Blocked drain" in text and "Side gate" not in text
    assert starts[0] not in visitor.starts(at.times)
    assert count(client, holds) == 0
    visitor.send(path, **ADA)  # the form sent twice
    assert len(bookings_of(client)) == 1


def test_a_held_time_is_nobody_elses_until_it_expires(client, at, visitor):
    first, second, third = visitor.starts(at.times)[:3]
    other = Visitor(client, "192.0.2.2")
    path = visitor.choose(at.times, first)
    assert first not in other.starts(at.times)
    assert "taken this time" in other.choose(at.times, first, status=409)
    ada = client.post("/v1/contacts", {"name": "Bob"})["data"]["id"]
    body = {"service_id": at.service, "client_id": ada, "start_at": first}
    error = client.post("/v1/bookings", body, status=409)["error"]
    assert error["code"] == "slot_unavailable" and first not in [each["start_at"] for each in error["alternatives"]]
    client.app.clock.move(minutes=11)
    assert first in other.starts(at.times)
    client.post("/v1/bookings", body)  # whose slot takes the place of the one that is no longer held
    answer = visitor.send(path, status=422, **ADA)
    assert "Somebody else has taken this time" in answer and ADA["notes"] in answer
    assert client.get("/v1/contacts?email=ada@example.com")["data"] == []
    path = visitor.choose(at.times, second)
    client.app.clock.move(minutes=11)
    visitor.send(path, **ADA)  # nobody took it meanwhile
    assert [each["start_at"] for each in bookings_of(client)] == [first, second]
    visitor.choose(at.times, third)
    client.app.clock.move(minutes=11)
    run_timed(client.app)
    assert (count(client, holds), count(client, slots)) == (0, 2)


def test_a_held_time_can_be_booked_though_the_notice_began_meanwhile(client, at, visitor):
    start = visitor.starts(at.times)[0]
    path = visitor.choose(at.times, start)
    client.patch(f"/v1/services/{at.service}", {"min_notice_minutes": 60 * 24 * 60})
    Visitor(client, "192.0.2.2").choose(at.times, start.replace("T22", "T23"), status=409)
    visitor.send(path, **ADA)
    assert [each["start_at"] for each in bookings_of(client)] == [start]


def test_a_sandbox_writes_to_nobody(client, at):
    sandbox = client.sandbox("read", "write")
    hours = [{"day": day, "start": "09:00", "end": "12:00"} for day in DAYS]
    sandbox.post("/v1/staff", {"name": "Dave", "hours": hours})
    service = sandbox.post("/v1/services", {"name": "Visit", "duration_minutes": 60})["data"]["id"]
    name = sandbox.tenant_id.replace("_", "-")
    set_up(sandbox, active=True, name=name, service_ids=[service], confirms_email=True)
    visitor, before = Visitor(sandbox), len(letters_of(client.app))
    times = f"/b/{name}/{service}"
    path = visitor.book(times, visitor.starts(times)[0])
    page = visitor.web.get(path)
    assert "You are booked" in page and "SANDBOX" in page and "Keep the address of this page" in page
    assert len(bookings_of(sandbox)) == 1 and bookings_of(client) == []
    assert len(letters_of(client.app)) == before


def test_the_client_is_told_what_the_business_does(client, at, visitor):
    client.patch(f"/v1/services/{at.service}", {"requires_confirmation": True})
    path = visitor.book(at.times, visitor.starts(at.times, "?from=2026-12-14")[0])
    (booking,) = bookings_of(client)
    for action, body, subject, shown in (
        ("confirm", {}, "Your booking is confirmed", "You are booked"),
        ("reschedule", {"start_at": "2026-12-15T23:00:00Z"}, "Your booking has a new time", "Wednesday 16 December"),
        ("cancel", {}, "Your booking is cancelled", "This booking is cancelled"),
    ):
        before = len(letters_of(client.app))
        client.post(f"/v1/bookings/{booking['id']}/{action}", body, status=200)
        ((address, said, text),) = letters_of(client.app)[before:]
        assert address == "ada@example.com" and said.startswith(subject), action
        emailed = re.search(rf"{client.app.public_url}(/booking/\S+)", text)[1]
        assert shown in visitor.web.get(path) and shown in visitor.web.get(emailed)
    other = client.post("/v1/bookings", {"service_id": at.service, "client_id": booking["client_id"],
                                         "start_at": "2026-12-16T22:00:00Z"})["data"]["id"]  # fmt: skip
    before = len(letters_of(client.app))
    client.post(f"/v1/bookings/{other}/confirm", status=200)  # which was not made on the page
    assert len(letters_of(client.app)) == before


def test_a_deposit_is_asked_for_once_the_booking_is_confirmed(make_app):
    client = Client(make_app(*PLUGINS, "invoices", "jobs", mail=MAIL))
    hours = [{"day": day, "start": "09:00", "end": "12:00"} for day in DAYS]
    dave = client.post("/v1/staff", {"name": "Dave", "hours": hours})["data"]["id"]
    service = {"name": "Hot water", "duration_minutes": 60, "price": "1000.00", "requires_confirmation": True}
    service_id = client.post("/v1/services", service)["data"]["id"]
    name = client.tenant_id.replace("_", "-")
    page = {"active": True, "name": name, "service_ids": [service_id], "confirms_email": False, "deposit_percent": 20}
    set_up(client, **page)
    visitor, times = Visitor(client), f"/b/{name}/{service_id}"
    path = visitor.choose(times, visitor.starts(times)[0])
    registered = client.get("/v1/tenant")["data"]["gst_registered"]
    amount = "220.00" if registered else "200.00"
    assert f"A deposit of ${amount} is asked for" in visitor.web.get(path)
    visitor.send(path, **ADA)
    run_timed(client.app)
    assert client.get("/v1/invoices")["data"] == []
    (booking,) = bookings_of(client)
    client.post(f"/v1/bookings/{booking['id']}/confirm", status=200)
    for _ in range(2):
        run_timed(client.app)
    (invoice,) = client.get("/v1/invoices")["data"]
    assert (invoice["claim"], invoice["status"], f"{invoice['total']:.2f}") == ("deposit", "sent", amount)
    (job,) = client.get("/v1/jobs")["data"]
    assert (job["booking_id"], job["assignee_ids"]) == (booking["id"], [dave])
    link = visitor.web.get(path).html.find("a", string=re.compile("Pay the deposit"))
    assert f"${amount}" in link.text
    assert "Deposit request" in visitor.web.get(link["href"].removeprefix(client.app.public_url))
    _, subject, text = letters_of(client.app)[-1]
    assert subject.startswith("Please pay the deposit") and link["href"] in text
    client.post(f"/v1/invoices/{invoice['id']}/payments", {"amount": amount, "payment_method": "cash"})
    assert "Pay the deposit" not in visitor.web.get(path)
    assert client.get(f"/v1/bookings/{booking['id']}")["data"]["job_id"] == job["id"]


def test_a_deposit_needs_the_plugins_that_make_it(client, at):
    error = set_up(client, deposit_percent=20, status=422)["error"]
    assert error["details"][0]["param"] == "deposit_percent"


def test_holds_cannot_block_the_day(client, at, visitor):
    day = visitor.starts(at.times, "?from=2026-12-14")[:3]  # a Monday
    paths = [Visitor(client, f"192.0.2.{i}").choose(at.times, start) for i, start in enumerate(day[:2], 10)]
    assert ["We hold" in visitor.web.get(path) for path in paths] == [True, True]
    unheld = Visitor(client, "192.0.2.20").choose(at.times, day[2])  # there is one free, and two are held
    assert "This time is not held for you" in visitor.web.get(unheld)
    assert visitor.starts(at.times, "?from=2026-12-14")[0] == day[2]
    Visitor(client, "192.0.2.21").book(at.times, day[2])
    assert "Somebody else has taken" in visitor.send(unheld, status=422, **ADA)


def test_an_address_holds_five_times_and_gives_one_back_by_choosing_again(client, at, visitor):
    client.patch(f"/v1/services/{at.service}", {"capacity": 20})
    start = visitor.starts(at.times)[0]
    paths = [visitor.choose(at.times, start) for _ in range(5)]
    answer = visitor.choose(at.times, start, status=429)
    assert "You hold five times" in answer and answer.headers["Retry-After"] == "600"
    Visitor(client, "192.0.2.9").choose(at.times, start)
    back = visitor.web.get(paths[0]).html.find("a", string=re.compile("another time"))["href"]
    page = visitor.web.get(back)
    token = page.html.find("input", attrs={"name": "instead"})["value"]
    visitor.choose(at.times, start, instead=token)
    assert count(client, holds) == 6


def test_a_client_who_is_known_is_found_and_nobody_is_told(client, at, visitor):
    known = client.post("/v1/contacts", {"name": "Countess of Lovelace", "email": "ada@example.com"})["data"]["id"]
    path = visitor.book(at.times, visitor.starts(at.times)[0])
    (booking,) = bookings_of(client)
    assert booking["client_id"] == known and "Ada Lovelace" in booking["notes"]
    page = visitor.web.get(path)
    assert "Countess" not in page and "Countess" not in letters_of(client.app)[-1][2]
    new = visitor.book(at.times, visitor.starts(at.times)[0], email="new@example.com")
    plain = [
        re.sub(r"\S+@example.com|\d+:\d+ [ap]m|\w+day.*?,", "", visitor.web.get(each).html.main.text)
        for each in (path, new)
    ]
    assert plain[0] == plain[1]


def test_an_address_is_confirmed_before_the_booking_is_made(client, at, visitor):
    set_up(client, confirms_email=True)
    start = visitor.starts(at.times)[0]
    path = visitor.choose(at.times, start)
    visitor.send(path, **ADA)
    assert "Check your email" in visitor.web.get(path) and bookings_of(client) == []
    visitor.send(path, decision="confirm")  # by the link of the browser, which proves nothing
    assert bookings_of(client) == []
    address, subject, text = letters_of(client.app)[-1]
    assert address == "ada@example.com" and subject.startswith("Please confirm")
    emailed = re.search(rf"{client.app.public_url}(/booking/\S+)", text)[1]
    client.app.clock.move(minutes=25)
    assert start not in visitor.starts(at.times)
    assert "Confirm this booking" in visitor.web.get(emailed) and bookings_of(client) == []  # GET changes nothing
    visitor.send(emailed, decision="confirm")
    assert [each["start_at"] for each in bookings_of(client)] == [start]
    assert "You are booked" in visitor.web.get(emailed) and "You are booked" in visitor.web.get(path)
    subjects = [subject for _, subject, _ in letters_of(client.app)]
    assert subjects[-1].startswith("Your booking is confirmed")


def test_a_service_that_is_confirmed_by_the_business_is_pending(client, at, visitor):
    client.patch(f"/v1/services/{at.service}", {"requires_confirmation": True})
    path = visitor.book(at.times, visitor.starts(at.times)[0])
    (booking,) = bookings_of(client)
    assert booking["status"] == "pending" and "has yet to confirm" in visitor.web.get(path)
    client.post(f"/v1/bookings/{booking['id']}/decline", status=200)
    assert "This booking was declined" in visitor.web.get(path)


def test_a_client_cancels_by_the_link_until_the_notice_begins(client, at, visitor):
    path = visitor.book(at.times, visitor.starts(at.times, "?from=2026-12-14")[0])
    set_up(client, cancel_notice_minutes=60 * 24 * 200)
    assert "no longer be moved or cancelled here" in visitor.web.get(path)
    visitor.send(path, decision="cancel")
    assert bookings_of(client)[0]["status"] == "confirmed"
    set_up(client, cancel_notice_minutes=60)
    assert "Cancel it" in visitor.web.get(path)
    visitor.send(path, decision="cancel")
    booking = bookings_of(client)[0]
    assert booking["status"] == "cancelled" and "by the link" in booking["cancel_reason"]
    assert "This booking is cancelled" in visitor.web.get(path)
    assert client.events()[-1] == "booking.cancelled"


def test_a_client_moves_the_booking_by_the_link_until_the_notice_begins(client, at, visitor):
    kim_hours = [{"day": "tuesday", "start": "14:00", "end": "15:00"}]
    kim = client.post("/v1/staff", {"name": "Kim", "hours": kim_hours})["data"]["id"]
    client.patch(f"/v1/services/{at.service}", {"staff_ids": [at.dave, kim]})
    old, new, other = visitor.starts(at.times, "?from=2026-12-14")[:3]
    path = visitor.book(at.times, old)
    link = visitor.web.get(path).html.find("a", string="Move it to another time")["href"]
    token = visitor.web.get(link).html.find("input", attrs={"name": "instead"})["value"]
    moved = visitor.choose(at.times, new, instead=token)
    (booking,) = bookings_of(client)
    assert (booking["start_at"], booking["staff_id"], booking["status"]) == (new, at.dave, "confirmed")
    assert "You are booked" in visitor.web.get(moved) and client.events()[-1] == "booking.rescheduled"
    assert letters_of(client.app)[-1][1].startswith("Your booking has a new time")
    assert old in visitor.starts(at.times, "?from=2026-12-14")
    afternoon = "2026-12-15T03:00:00Z"  # when Kim alone works
    visitor.choose(at.times, afternoon, instead=token)
    assert bookings_of(client)[0]["staff_id"] == kim
    set_up(client, cancel_notice_minutes=60 * 24 * 200)
    assert "Move it" not in visitor.web.get(path)
    visitor.choose(at.times, other, instead=token)  # asks for a booking of its own
    assert [each["start_at"] for each in bookings_of(client)] == [afternoon]


def test_forms_are_checked_and_a_machine_is_caught(client, at, visitor):
    path = visitor.choose(at.times, visitor.starts(at.times)[0])
    for wrong, said in (
        ({"name": "", "email": ""}, "Please enter your name."),
        ({**ADA, "email": "ada@"}, "This must be an email address"),
        ({**ADA, "phone": "call me"}, 'id="fault-phone"'),
        ({**ADA, "website": "https://spam.example"}, "leave the field “Website” empty"),
    ):
        assert said in visitor.send(path, status=422, **wrong)
    assert bookings_of(client) == [] and client.get("/v1/contacts")["data"] == []
    foreign = {"Sec-Fetch-Site": "cross-site"}
    web = webtest.TestApp(client.app.wsgi, extra_environ={"REMOTE_ADDR": "192.0.2.1"})
    web.post(path, {"decision": "send", **ADA}, headers=foreign, status=405)
    web.post(at.times, {"start": "2026-12-14T00:00:00Z"}, headers=foreign, status=405)
    assert bookings_of(client) == []


def test_only_what_is_offered_can_be_chosen(client, at, visitor):
    start = visitor.starts(at.times)[0]
    odd = start.replace(":00:00", ":07:00")
    for each in (odd, "2020-01-06T00:00:00Z", "2029-01-08T23:00:00Z"):
        visitor.choose(at.times, each, status=409)
    for path in (f"{at.path}/{at.inner}", f"{at.path}/srv_unknown", "/b/nobody", "/b/nobody/srv_x"):
        visitor.web.get(path, status=404)
        visitor.choose(path, start, status=404 if path.count("/") == 3 else 405)
    for wrong in ("", "x", start[:10]):
        visitor.choose(at.times, wrong, status=404)
    assert count(client, holds) == count(client, requests) == 0
    last = client.app.now().date() + timedelta(days=92)
    week = visitor.starts(at.times, f"?from={last - timedelta(days=6)}")
    assert len(week) >= 12 and max(visitor.starts(at.times, "?from=2030-01-01") or week)[:10] <= str(last)
    assert visitor.web.get(f"{at.times}?from=x").status_int == 200


def test_a_page_that_is_off_is_not_there(client, at, visitor):
    start = visitor.starts(at.times)[0]
    path, booked = visitor.choose(at.times, start), visitor.book(at.times, visitor.starts(at.times)[1])
    set_up(client, active=False)
    unknown = visitor.web.get("/b/nobody", status=404)
    assert visitor.web.get(at.path, status=404).html.main.text == unknown.html.main.text
    visitor.web.get(at.times, status=404)
    visitor.web.get(path, status=404)
    visitor.send(path, **ADA)
    assert len(bookings_of(client)) == 1
    assert "You are booked" in visitor.web.get(booked)  # and can still be cancelled


def test_a_deleted_service_leaves_the_page(client, at, visitor):
    set_up(client, service_ids=[at.inner, at.service])
    client.delete(f"/v1/services/{at.inner}")
    stored = client.get("/v1/booking_page")["data"]
    assert (stored["service_ids"], stored["version"]) == ([at.service], 3)
    set_up(client, introduction="Welcome")


def test_only_the_sites_that_are_named_may_frame_it(client, at, visitor):
    path = visitor.choose(at.times, visitor.starts(at.times)[0])
    for each in (at.path, at.times, path):
        headers = visitor.web.get(each).headers
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"] and headers["X-Frame-Options"] == "DENY"
    set_up(client, embedded_in=[SITE, "https://shop.example.com:8443"])
    for each in (at.path, at.times, path):
        headers = visitor.web.get(each).headers
        policy = headers["Content-Security-Policy"]
        assert f"frame-ancestors {SITE} https://shop.example.com:8443" in policy and "X-Frame-Options" not in headers
        assert "script-src" not in policy and "default-src 'none'" in policy and "Set-Cookie" not in headers
    for wrong in (
        "http://example.com",
        "https://example.com/x",
        "https://*.example.com",
        "https://a.com; script-src *",
    ):
        set_up(client, embedded_in=[wrong], status=422)


def test_staff_are_chosen_only_where_the_business_says_so(client, at, visitor):
    hours = [{"day": day, "start": "13:00", "end": "14:00"} for day in DAYS]
    kim = client.post("/v1/staff", {"name": "Kim", "hours": hours})["data"]["id"]
    client.patch(f"/v1/services/{at.service}", {"staff_ids": [at.dave, kim]})
    assert "Kim" not in visitor.web.get(at.times) and len(visitor.starts(at.times, f"?staff={kim}")) > 5
    set_up(client, offers_staff=True)
    assert "Kim" in visitor.web.get(at.times)
    (start, *_) = starts = visitor.starts(at.times, f"?staff={kim}")
    assert len(starts) <= 5
    path = visitor.choose(at.times, start, staff=kim)
    assert "with Kim" in visitor.web.get(path)
    visitor.send(path, **ADA)
    assert bookings_of(client)[0]["staff_id"] == kim


def test_a_name_belongs_to_one_business_and_settings_are_checked(client, at, make_app):
    other = Client(client.app)
    name = at.path.removeprefix("/b/")
    error = set_up(other, name=name, status=422)["error"]
    assert error["details"][0]["message"] == "is taken: choose another"
    faults = set_up(other, active=True, status=422)["error"]["details"]
    assert {fault["param"] for fault in faults} == {"name", "service_ids"}
    assert set_up(other, service_ids=[at.service], status=422)["error"]["details"][0]["code"] == "not_found"
    assert set_up(other, name="Not A Name", status=422)
    stored = client.get("/v1/booking_page")["data"]
    assert stored["url"] == f"{client.app.public_url}{at.path}" and stored["version"] == 1
    client.call("PATCH", "/v1/booking_page", {"active": True}, headers={"If-Match": '"7"'}, status=412)
    client.key("booking_pages:read").call("PATCH", "/v1/booking_page", {}, status=403)
    silent = Client(make_app(*PLUGINS))
    assert silent.get("/v1/booking_page")["data"]["confirms_email"] is False
    assert set_up(silent, active=True, name="silent", service_ids=[], confirms_email=True, status=422)


def test_an_address_gets_few_emails_however_often_it_is_entered(client, at, visitor):
    client.patch(f"/v1/services/{at.service}", {"capacity": 20})
    before = len(letters_of(client.app))
    for _ in range(7):
        visitor.book(at.times, visitor.starts(at.times)[0], email="victim@example.com")
        client.app.clock.move(seconds=30)
    to_victim = [letter for letter in letters_of(client.app)[before:] if letter[0] == "victim@example.com"]
    assert len(bookings_of(client)) == 7 and len(to_victim) == 5
    last = visitor.book(at.times, visitor.starts(at.times)[0], email="victim@example.com")
    assert "Keep the address of this page" in visitor.web.get(last)  # and not that an email went there
    set_up(client, confirms_email=True)
    path = visitor.choose(at.times, visitor.starts(at.times)[0])
    assert "Please contact the business" in visitor.send(path, status=422, **{**ADA, "email": "Victim@example.com"})
    visitor.send(path, **ADA)
    assert "Check your email" in visitor.web.get(path)


def test_what_is_over_is_deleted_and_pages_are_counted(client, at, visitor):
    visitor.choose(at.times, visitor.starts(at.times)[0])
    visitor.book(at.times, visitor.starts(at.times)[0])
    client.app.clock.move(hours=25)
    run_timed(client.app)
    assert count(client, requests) == 1
    client.app.clock.move(days=10)
    run_timed(client.app)
    assert count(client, requests) == 0 and len(bookings_of(client)) == 1
    statuses = []
    for _ in range(65):
        client.app.clock.move(seconds=0.2)
        statuses.append(visitor.web.get("/b/nobody", status="*").status_int)
    assert statuses == [404] * 60 + [429] * 5


def test_an_owner_sets_the_page_up_in_the_dashboard(client, at):
    owner, here = Browser(client.app).join(client), "/dashboard/booking-page"
    assert f"{client.app.public_url}{at.path}" in owner.get(here).text and "Warranty visit" in owner.page.text
    owner.send(here, name="salamanca-plumbing", embedded_in="www.example.com", status=422)
    owner.get(here)
    owner.send(here, name=" Salamanca-Plumbing ", embedded_in=f"{SITE}/", introduction="Welcome")
    assert f'src="{client.app.public_url}/b/salamanca-plumbing"' in owner.page.html.text
    stored = client.get("/v1/booking_page")["data"]
    assert (stored["name"], stored["embedded_in"], stored["introduction"]) == ("salamanca-plumbing", [SITE], "Welcome")
    assert stored["service_ids"] == [at.service] and stored["active"]
    Browser(client.app).join(client, "viewer").get(here, status=403)
