"""Visitors and callers of the API who want the same time at once: it is held once, booked once, and never more."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa
import webtest

from billycan.testing import Client
from billycan_bookings.tables import bookings, holds, slots

PLUGINS = ("booking_pages", "bookings", "contacts", "documents", "hosted", "mail", "staff", "users")
ADA = {"decision": "send", "name": "Ada", "email": "ada@example.com"}
AT_ONCE = 8


@pytest.fixture
def client(make_app):
    return Client(make_app(*PLUGINS))


@pytest.fixture
def times(client):
    hours = [{"day": day, "start": "09:00", "end": "17:00"} for day in ("monday", "tuesday", "wednesday")]
    client.post("/v1/staff", {"name": "Dave", "hours": hours})
    service = {"name": "Visit", "duration_minutes": 60, "slot_interval_minutes": 60}
    service_id = client.post("/v1/services", service)["data"]["id"]
    name = client.tenant_id.replace("_", "-")
    page = {"active": True, "name": name, "service_ids": [service_id], "confirms_email": False}
    client.patch("/v1/booking_page", page)
    return f"/b/{name}/{service_id}"


def visitor(client, i):
    return webtest.TestApp(client.app.wsgi, extra_environ={"REMOTE_ADDR": f"192.0.2.{i}"})


def at_once(work):
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return [*pool.map(work, range(AT_ONCE))]


def first_start(client, times):
    return visitor(client, 99).get(f"{times}?from=2026-12-14").html.find("button", attrs={"name": "start"})["value"]


def count(client, table):
    with client.app.db.reading(client.tenant_id) as db:
        return db.execute(sa.select(sa.func.count()).where(table.c.tenant_id == client.tenant_id)).scalar_one()


def test_of_those_who_choose_a_time_at_once_one_holds_it(client, times):
    start = first_start(client, times)
    answers = at_once(lambda i: visitor(client, i).post(times, {"start": start}, status="*").status_int)
    assert Counter(answers) == {303: 1, 409: AT_ONCE - 1}
    assert (count(client, holds), count(client, slots)) == (1, 1)


def test_one_address_holds_no_more_than_five_by_asking_at_once(client, times):
    client.patch(f"/v1/services/{times.rpartition('/')[2]}", {"capacity": 50})
    start = first_start(client, times)
    answers = at_once(lambda i: visitor(client, 1).post(times, {"start": start}, status="*").status_int)
    assert Counter(answers) == {303: 5, 429: AT_ONCE - 5}
    assert (count(client, holds), count(client, slots)) == (5, 1)


def test_a_time_whose_hold_expired_is_booked_once(client, times):
    start, service_id = first_start(client, times), times.rpartition("/")[2]
    path = visitor(client, 1).post(times, {"start": start}, status=303).headers["Location"]
    contact = client.post("/v1/contacts", {"name": "Bob"})["data"]["id"]
    body = {"service_id": service_id, "client_id": contact, "start_at": start}
    client.app.clock.move(minutes=11)

    def book(i):
        if i == 0:
            return visitor(client, 1).post(path, ADA, status="*").status_int
        web = visitor(client, 10 + i)
        return web.post_json("/v1/bookings", body, headers=client.headers, status="*").status_int

    answers = Counter(at_once(book))
    assert answers in ({303: 1, 409: AT_ONCE - 1}, {422: 1, 201: 1, 409: AT_ONCE - 2})
    assert (count(client, bookings), count(client, slots), count(client, holds)) == (1, 1, 0)


def test_a_form_that_is_sent_many_times_at_once_books_once(client, times):
    path = visitor(client, 1).post(times, {"start": first_start(client, times)}, status=303).headers["Location"]
    answers = at_once(lambda i: visitor(client, 1).post(path, ADA, status="*").status_int)
    assert Counter(answers) == {303: AT_ONCE}
    assert (count(client, bookings), count(client, slots), count(client, holds)) == (1, 1, 0)
    assert len(client.get("/v1/contacts")["data"]) == 1
