"""The client against the real API."""

import datetime as dt
import logging
import pickle
import subprocess
import sys
import threading
from decimal import Decimal

import httpx2
import pytest

from billycan.starting.plugins import first_party
from billycan.testing import Client
from billycan_client import (
    Billycan,
    BillycanError,
    Conflict,
    ConnectionFailed,
    Forbidden,
    Invalid,
    InvalidRequest,
    NotFound,
    RateLimited,
    Unauthenticated,
    UnexpectedAnswer,
    VersionConflict,
    models,
)
from billycan_client.errors import TYPES

pytestmark = pytest.mark.sqlite_alone
ALL = sorted(first_party() | {"contacts"})  # most of what is called here is theirs


class Recorder(httpx2.WSGITransport):
    """A transport to the app that keeps what was sent, and fails as told."""

    def __init__(self, app):
        super().__init__(app=app.wsgi)
        self.sent, self.before, self.after, self.instead = [], [], [], []

    def handle_request(self, request):
        self.sent.append(request)
        if self.before:
            raise self.before.pop(0)
        if self.instead:
            return self.instead.pop(0)
        response = super().handle_request(request)
        if self.after:
            raise self.after.pop(0)
        return response


@pytest.fixture
def app(make_app):
    return make_app(*ALL)


@pytest.fixture
def wire(app):
    return Recorder(app)


@pytest.fixture
def connect(wire, clock):
    """A client of a business; its waits move the app's clock, so that none is spent."""
    opened = []

    def make(key, **given):
        def sleep(seconds):
            waits.append(seconds)
            clock.move(seconds=seconds)

        waits = []
        opened.append(Billycan("http://api.test/", key, transport=wire, sleep=sleep, jitter=lambda: 0.5, **given))
        opened[-1].waits = waits
        return opened[-1]

    yield make
    for api in opened:
        api.close()


@pytest.fixture
def business(app):
    return Client(app)


@pytest.fixture
def api(connect, business):
    return connect(business.secret)


@pytest.mark.whole
def test_a_week_from_a_contact_to_a_paid_invoice(api, example):
    invoice = example.week(api)
    # 1100.00 - 10 % + 3 x 95.50, and 10 % GST of it
    assert (invoice.status, invoice.total, invoice.amount_due) == ("paid", Decimal("1404.15"), Decimal("0.00"))
    assert isinstance(invoice.paid_at, dt.datetime) and invoice.paid_at.tzinfo is not None
    assert type(invoice.due_date) is dt.date and invoice.external_id == "job 7"
    contact = api.contacts.get(invoice.client_id)
    assert contact.billing_address == models.Address(
        line1="14 Salamanca Place", line2=None, suburb="Hobart", state="TAS", postcode="7000", country="AU"
    )
    other = api.invoices.create(client_id=contact.id, line_items=[example.labour("0.1")])
    assert example.outcome(api, other.id) == "invalid_state_transition, but one may send, pay, duplicate"
    api.invoices.send(other.id)
    assert example.owed(api) == {"Salamanca Bakery": Decimal("10.51")}
    assert example.outcome(api, other.id) == "void"
    assert example.outcome(api, "inv_nope") == "gone"


@pytest.mark.whole
def test_amounts_pass_through_no_float(api, wire):
    contact = api.contacts.create(name="Ada")
    amounts = [Decimal("0.1"), "0.2000", 3, Decimal("1E+2"), Decimal("-0.0001"), Decimal("999999.9999")]
    lines = [models.NewLine(description="x", unit_price=amount) for amount in amounts]
    invoice = api.invoices.create(client_id=contact.id, line_items=lines, issue_date=dt.date(2026, 2, 28))
    assert [line.unit_price for line in invoice.line_items] == list(map(Decimal, amounts))
    assert b"999999.9999" in wire.sent[-1].content
    assert invoice.issue_date == dt.date(2026, 2, 28)


@pytest.mark.whole
def test_untyped_numbers_are_exact_too(api):
    api.expenses.create(date=dt.date(2026, 11, 20), amount="64.90", description="x", category_id=any_category(api))
    data = api.events.list(event="expense.created").first().data
    assert str(data["amount"]) == "64.90"


def any_category(api):
    return api.expense_categories.list().first().id


def test_lists_are_lazy_and_whole(api, wire):
    made = [api.contacts.create(name=f"Contact {n}", metadata={"odd": str(n % 2)}).id for n in range(7)]
    wire.sent.clear()
    listing = api.contacts.list(per_page=3, sort="name")
    assert not wire.sent
    items = iter(listing)
    assert [next(items).id for _ in range(3)] == made[:3] and len(wire.sent) == 1
    early = api.contacts.create(name="Aaron")
    assert [contact.id for contact in items] == made[3:], "a row added meanwhile repeats none"
    api.contacts.delete(early.id)
    assert [request.method for request in wire.sent] == ["GET", "POST", "GET", "GET", "DELETE"]
    assert [contact.id for contact in listing] == made, "each loop starts anew"
    assert [len(page.data) for page in listing.pages()] == [3, 3, 1]
    wire.sent.clear()
    assert listing.first().id == made[0] and listing.total() == 7
    assert [request.url.params["per_page"] for request in wire.sent] == ["1", "1"]
    assert [c.id for c in api.contacts.list(metadata={"odd": "1"}, sort="name")] == made[1::2]
    assert [c.id for c in api.contacts.list(page=2, per_page=3, sort="name")] == made[3:]
    assert api.contacts.list(search="nobody").first() is None


@pytest.mark.whole
def test_filters_take_one_value_or_several(api, wire):
    ada = api.contacts.create(name="Ada", kind="person")
    bob = api.contacts.create(name="Bob")
    api.contacts.archive(bob.id)
    assert [c.name for c in api.contacts.list(status="archived")] == ["Bob"]
    assert api.contacts.list(status=["active", "archived"]).total() == 2
    assert [c.id for c in api.contacts.list(kind="person", created_at_to=ada.created_at)] == [ada.id]
    assert api.contacts.list(created_at_from=dt.date(2026, 11, 21), updated_since=ada.created_at).total() == 2
    assert api.services.list(active=True).total() == 0 and wire.sent[-1].url.params["active"] == "true"


def test_events_are_followed_without_gaps(api):
    first = api.contacts.create(name="Ada")
    (seen,) = api.events.list()
    api.contacts.update(first.id, name="Ada B")
    api.contacts.archive(first.id)
    assert [e.event for e in api.events.list(after=seen.id, per_page=1)] == ["contact.updated", "contact.updated"]


@pytest.mark.whole
def test_what_is_no_json_is_bytes(api):
    ada = api.contacts.create(name="Ada")
    worker = api.staff.create(name="Grace", hours=[models.NewHours(day="monday", start="08:00", end="17:00")])
    service = api.services.create(name="Tap", duration_minutes=60, staff_ids=[worker.id])
    slots = api.availability.list(service_id=service.id, from_=dt.date(2026, 11, 23), to=dt.date(2026, 11, 23))
    assert slots[0].staff_ids == [worker.id]
    booking = api.bookings.create(service_id=service.id, client_id=ada.id, start_at=slots[0].start_at)
    assert api.bookings.get_calendar(booking.id).startswith(b"BEGIN:VCALENDAR")
    assert api.openapi.get().startswith(b"{")
    with pytest.raises(Conflict) as caught:
        api.bookings.create(service_id=service.id, client_id=ada.id, start_at=slots[0].start_at)
    assert caught.value.code == "slot_unavailable" and caught.value.body["alternatives"]


@pytest.mark.whole
def test_each_error_is_a_class_of_its_own(app, api, connect, business):
    ada = api.contacts.create(name="Ada")
    api.contacts.update(ada.id, name="Ada B")
    draft = api.invoices.create(client_id=ada.id, line_items=[models.NewLine(description="x", unit_price=1)])
    nothing = connect(business.key("events:read").secret)
    for kind, status, code, call in [
        (InvalidRequest, 400, "invalid_sort", lambda: api.contacts.list(sort="colour").first()),
        (Unauthenticated, 401, "invalid_api_key", connect("svc_test_nonsense").me.get),
        (Forbidden, 403, "insufficient_scope", lambda: nothing.contacts.get(ada.id)),
        (NotFound, 404, "resource_not_found", lambda: api.contacts.get("con_none")),
        (Conflict, 409, "invalid_state_transition", lambda: api.invoices.void(draft.id, reason="x")),
        (VersionConflict, 412, "version_conflict", lambda: api.contacts.delete(ada.id, if_match=1)),
        (Invalid, 422, "validation_failed", lambda: api.contacts.create(name="", email="no")),
    ]:
        with pytest.raises(kind) as caught:
            call()
        error = caught.value
        assert (type(error), error.status, error.code) == (kind, status, code)
        assert error.request_id and error.request_id in str(error) and error.message in str(error)
        assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert [(fault.param, fault.code) for fault in error.details] == [("name", "required"), ("email", "invalid_value")]
    assert "\nemail: " in str(error)
    with pytest.raises(Forbidden) as caught:
        nothing.contacts.get(ada.id)
    assert caught.value.required_scope == "contacts:read" and caught.value.allowed_actions == []
    types = app.openapi()["components"]["schemas"]["Error"]["properties"]["type"]["enum"]
    assert sorted(TYPES) == sorted(types)


def test_a_change_can_name_the_version_it_changes(api):
    ada = api.contacts.create(name="Ada")
    ada = api.contacts.update(ada.id, name="Ada B", if_match=ada.version)
    assert api.contacts.update(ada.id, notes="x", if_match=f'"{ada.version}"').version == 3
    with pytest.raises(VersionConflict):
        api.contacts.archive(ada.id, if_match=ada.version)
    assert api.contacts.delete(ada.id, if_match=3).id == ada.id


def test_null_clears_and_what_is_not_sent_stays(api):
    ada = api.contacts.create(name="Ada", notes="Gate code 7", phone="0400 000 000", metadata={"a": "1", "b": "2"})
    ada = api.contacts.update(ada.id, notes=None, metadata={"a": None})
    assert (ada.notes, ada.phone, ada.metadata) == (None, "0400 000 000", {"b": "2"})


def test_a_lost_answer_changes_nothing_twice(api, wire):
    for lost in (httpx2.ReadError("reset"), httpx2.ReadTimeout("slow"), httpx2.RemoteProtocolError("cut")):
        wire.after.append(lost)
        made = api.contacts.create(name="Ada")
        first, second = wire.sent[-2:]
        assert first.headers["Idempotency-Key"] == second.headers["Idempotency-Key"]
        api.contacts.delete(made.id)
        assert api.contacts.list().total() == 0
    keys = [r.headers["Idempotency-Key"] for r in wire.sent if r.method != "GET"]
    assert len(set(keys)) == 6, "each call has a key of its own"
    assert not any("Idempotency-Key" in r.headers for r in wire.sent if r.method == "GET")


def test_a_key_given_makes_one_record_across_processes(api):
    made = api.contacts.create(name="Ada", idempotency_key="import line 7")
    assert api.contacts.create(name="Ada", idempotency_key="import line 7") == made
    with pytest.raises(Invalid, match="idempotency_key_reused"):
        api.contacts.create(name="Bob", idempotency_key="import line 7")


def test_waits_grow_and_end(api, wire):
    wire.before[:] = [httpx2.ConnectError("refused")] * 9
    with pytest.raises(ConnectionFailed) as caught:
        api.me.get()
    assert api.waits == [0.25, 0.5, 1.0] and len(wire.sent) == 4, "full jitter, here always half"
    assert caught.value.status is None and "ConnectError" in str(caught.value)


@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_passing_failure_is_tried_again(api, wire, status):
    wire.instead.append(httpx2.Response(status, headers={"Retry-After": "2"}, text="<html>busy"))
    assert api.me.get().tenant.name == "Derwent Plumbing"
    assert api.waits == [2.25]


def test_a_request_still_running_elsewhere_is_waited_for(api, wire):
    error = {"type": "conflict", "code": "idempotency_in_progress", "message": "Wait.", "details": []}
    wire.instead.append(httpx2.Response(409, json={"data": None, "pagination": None, "error": error}))
    assert api.contacts.create(name="Ada").name == "Ada"
    assert len({request.headers["Idempotency-Key"] for request in wire.sent}) == 1 and len(wire.sent) == 2


def test_other_refusals_are_not_tried_again(api, wire):
    wire.instead.append(httpx2.Response(500, text="<html>no"))
    with pytest.raises(UnexpectedAnswer) as caught:
        api.me.get()
    assert caught.value.status == 500 and len(wire.sent) == 1


def test_a_rate_limit_is_waited_out(connect, business, wire):
    api = connect(business.key(per_minute=3).secret)
    assert [api.me.get().limits.per_minute for _ in range(5)] == [3] * 5
    (wait,) = api.waits
    assert 59 <= wait <= 61 and len(wire.sent) == 6
    impatient = connect(business.key(per_minute=1).secret, longest_wait_seconds=5)
    impatient.me.get()
    with pytest.raises(RateLimited) as caught:
        impatient.me.get()
    assert caught.value.code == "rate_limited" and caught.value.retry_after >= 59 and impatient.waits == []


def test_what_a_later_server_adds_is_read(api, wire):
    ada = api.contacts.create(name="Ada")
    later = wire.handle_request(
        httpx2.Request("GET", f"http://api.test/v1/contacts/{ada.id}", headers=wire.sent[0].headers)
    )
    text = later.read().decode().replace('"status":"active"', '"status":"dormant","mood":{"now":1.10}')
    assert "dormant" in text
    wire.instead.append(httpx2.Response(200, text=text))
    assert api.contacts.get(ada.id).status == "dormant"


@pytest.mark.parametrize("text", ["", "<html>", "{}", '{"data": {"id": 7}}', '{"data": null}', "\xff"])
def test_an_answer_that_is_none_is_an_error(api, wire, text):
    wire.instead.append(httpx2.Response(200, content=text.encode("latin1")))
    with pytest.raises(UnexpectedAnswer, match="GET /v1/contacts/con_1"):
        api.contacts.get("con_1")


def test_ids_are_one_segment_of_a_path(api, wire):
    with pytest.raises(NotFound):
        api.contacts.get("../me?x=/#")
    assert wire.sent[-1].url.raw_path == b"/v1/contacts/..%2Fme%3Fx%3D%2F%23"
    for none in ("", ".", ".."):
        with pytest.raises(ValueError, match="is no id"):
            api.contacts.delete(none)
    assert len(wire.sent) == 1


def test_the_key_is_never_shown(api, business, wire, caplog):
    caplog.set_level(logging.DEBUG)
    wire.before.append(httpx2.ConnectError("refused"))
    api.me.get()
    wire.before[:] = [httpx2.ConnectError("refused")] * 4
    with pytest.raises(BillycanError) as caught:
        api.me.get()
    seen = [repr(api), str(api), repr(api.contacts), repr(caught.value), repr(caught.value.__cause__), caplog.text]
    assert business.secret not in " ".join(seen) and repr(api) == "Billycan('http://api.test')"
    assert wire.sent[0].headers["User-Agent"].startswith("billycan-client/1.")


def test_it_closes_what_it_opened(business, wire):
    with Billycan("http://api.test", business.secret, transport=wire) as api:
        assert api.me.get().environment == "live"
    with pytest.raises(RuntimeError):
        api.me.get()


def test_threads_share_it(api, wire):
    names = []
    threads = [threading.Thread(target=lambda: names.append(api.me.get().tenant.name)) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join(20) for thread in threads]
    assert names == ["Derwent Plumbing"] * 4


AT_ONCE = """
import sys, threading
import msgspec
from billycan_client.decoding import decoder

sys.setswitchinterval(1e-6)
for _ in range(100):
    row = msgspec.defstruct("Row", [("id", int)])
    kind = msgspec.defstruct("Page", [(f"rows_{i}", list[row] | None, None) for i in range(20)])
    barrier = threading.Barrier(8)
    def read():
        barrier.wait()
        decoder(kind).decode(b'{"rows_1": [{"id": 1}]}')
    threads = [threading.Thread(target=read) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
"""


@pytest.mark.sqlite_alone
def test_threads_that_are_the_first_to_read_something_crash_nothing():
    subprocess.run([sys.executable, "-c", AT_ONCE], check=True, timeout=60)
