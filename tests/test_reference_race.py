"""References without a foreign key hold: a record locked by `names_of` cannot be deleted until the commit."""

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
import sqlalchemy as sa

from billycan import Conflict, Context, Deleted, Manifest, own
from billycan.starting.plugins import first_party
from billycan.testing import Client
from billycan_bookings import api as bookings
from billycan_contacts import api as contacts
from billycan_contacts.handlers import create_contact
from billycan_contacts.resource import NewContact
from billycan_contacts.resource import contacts as declared
from billycan_expenses import api as expenses
from billycan_invoices import api as invoices
from billycan_jobs import api as jobs
from billycan_quotes import api as quotes
from billycan_staff import api as staff

LINES = [{"description": "Labour", "unit_price": "50.00"}]
WEEK = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def booking(c):
    service = c.post("/v1/services", {"name": "Visit", "duration_minutes": 30})["data"]["id"]
    hours = [{"day": day, "start": "00:00", "end": "24:00"} for day in WEEK]
    c.post("/v1/staff", {"name": "Grace", "hours": hours})
    body = {"client_id": ada(c), "service_id": service, "start_at": "2026-12-01T01:00:00Z"}
    id = c.post("/v1/bookings", body)["data"]["id"]
    c.post(f"/v1/bookings/{id}/cancel", {}, 200)
    return id


def expense(c):
    category = c.get("/v1/expense_categories")["data"][0]["id"]
    return c.post("/v1/expenses", {"date": "2026-11-20", "amount": "5.00", "category_id": category})["data"]["id"]


def ada(c):
    return c.post("/v1/contacts", {"name": "Ada"})["data"]["id"]


def made(path, **body):
    return lambda c: c.post(path, {**body, **({"client_id": ada(c)} if "title" in body else {})})["data"]["id"]


RESOURCES = {
    "contact": ("/v1/contacts", contacts.names, ada),
    "staff": ("/v1/staff", staff.names, made("/v1/staff", name="Grace")),
    "service": ("/v1/services", bookings.service_names, made("/v1/services", name="Visit", duration_minutes=30)),
    "booking": ("/v1/bookings", bookings.names, booking),
    "job": ("/v1/jobs", jobs.names, made("/v1/jobs", title="Gutters")),
    "quote": ("/v1/quotes", quotes.names, made("/v1/quotes", title="Gutters", line_items=LINES)),
    "invoice": (
        "/v1/invoices",
        invoices.names,
        lambda c: c.post("/v1/invoices", {"client_id": ada(c), "line_items": LINES})["data"]["id"],
    ),
    "expense": ("/v1/expenses", expenses.names, expense),
}


class Guest:
    """A plugin whose contacts refer to a record by `external_id` and keep it from being deleted."""

    def __init__(self):
        self.deleting, self.go_on = Event(), Event()
        self.go_on.set()

    def hear(self, ctx: Context, record: Deleted) -> None:
        self.deleting.set()
        assert self.go_on.wait(20)
        table = declared.table
        if ctx.db.execute(sa.select(table.c.id).where(own(ctx, table), table.c.external_id == record.id)).first():
            raise Conflict("It is referred to.", code="has_dependents")


@pytest.fixture
def guest(install):
    found = Guest()
    hears = {f"{noun}.deleted": found.hear for noun in RESOURCES}
    install(Manifest(name="guest", requires=tuple(first_party() - {"redis_limits"}), hears=hears))
    return found


@pytest.fixture
def client(make_app, guest):
    return Client(make_app(*sorted(first_party() - {"redis_limits"}), "guest"))


def until_somebody_waits(app):
    """Return once a transaction waits for another's row; on SQLite, return at once."""
    if not app.db.is_sqlite:
        waiting = sa.text(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        end = time.monotonic() + 60
        with app.db.reader.connect() as db:
            while not db.execute(waiting).scalar():
                assert time.monotonic() < end, "nobody waits: the record was not locked"


@pytest.mark.parametrize("noun", RESOURCES)
def test_who_deletes_a_locked_record_waits_and_is_refused(client, guest, noun):
    path, names, make = RESOURCES[noun]
    id = make(client)
    ctx = Context(client.app, client.tenant_id)
    with ThreadPoolExecutor(1) as pool:
        with ctx.transaction():
            assert id in names(ctx, [id], lock=True)
            deletion = pool.submit(client.call, "DELETE", f"{path}/{id}")
            until_somebody_waits(client.app)
            create_contact(ctx, NewContact(name="Refers", external_id=id))
        answer = deletion.result(20)
    assert answer.status_int == 409 and answer.json["error"]["code"] == "has_dependents"
    client.get(f"{path}/{id}")


@pytest.mark.parametrize("noun", RESOURCES)
def test_who_locks_a_record_that_is_being_deleted_waits_and_finds_none(client, guest, noun):
    path, names, make = RESOURCES[noun]
    id = make(client)
    guest.go_on.clear()

    def look():
        ctx = Context(client.app, client.tenant_id)
        with ctx.transaction():
            return names(ctx, [id], lock=True)

    with ThreadPoolExecutor(2) as pool:
        deletion = pool.submit(client.call, "DELETE", f"{path}/{id}")
        assert guest.deleting.wait(20)
        found = pool.submit(look)
        until_somebody_waits(client.app)
        guest.go_on.set()
        assert deletion.result(20).status_int == 200
        assert found.result(20) == {}
