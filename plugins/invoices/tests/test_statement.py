"""Tests of statements: the balance on every past day and all changes of it, whatever happened since."""

import csv
import io
import runpy
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import get_args
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule, run_state_machine_as_test

from billycan.testing import Client
from billycan_invoices.books.statement_schemas import Kind, StatementEntry

D = Decimal
ZONE = ZoneInfo("Australia/Sydney")
PLUGINS = ("contacts", "documents", "hosted", "invoices")
AGES = ("current", "days_1_30", "days_31_60", "days_61_90", "days_over_90")
Money = runpy.run_path(str(Path(__file__).with_name("test_money_machine.py")))["Money"]


def age(due_date, day):
    late = (day - due_date).days
    return AGES[next(i for i, most in enumerate((0, 30, 60, 90, 10**6)) if late <= most)]


class Days(Money):
    """A client's money over many days; records what the invoices show as owed at the end of each day."""

    everything_adds_up = None  # tested elsewhere
    undo = {"mistake": False}  # what was a mistake is in no statement

    def __init__(self, app):
        super().__init__(app)
        self.app, self.noted = app, {}

    @rule(days=st.sampled_from([1, 3, 20, 40]))
    def sleep(self, days):
        self.note()
        self.app.clock.move(days=days)

    @invariant()
    def note(self):
        """Record the amount owed on this day, and compare the statements of all earlier days."""
        owed = dict.fromkeys(AGES, D(0))
        invoices = self.web.get(f"/v1/invoices?per_page=100&client_id={self.client_id}")["data"]
        payments = self.web.get(f"/v1/payments?per_page=100&client_id={self.client_id}")["data"]
        day = self.today()
        for invoice in invoices:
            owed[age(date.fromisoformat(invoice["due_date"]), day)] += invoice["amount_due"]
        owed["credit"] = sum((p["unallocated"] for p in payments), D(0))
        self.noted[day] = owed

    @precondition(lambda self: len(self.noted) > 1)
    @rule(one=st.integers(0, 30), other=st.integers(0, 30))
    def look_back(self, one, other):
        days = [*self.noted]
        self.compare(*sorted([days[one % len(days)], days[other % len(days)]]))

    def teardown(self):
        first, *others = self.noted or [None]
        for day in others:
            self.compare(first, day)

    def compare(self, first, last):
        """Return the statement of the days after the first one, up to the last."""
        statement = self.statement(min(first + timedelta(days=1), last), last)
        # A later allocation counts on the day the money was received: it reduces both the credit and the amount due.
        assert statement["closing"] == self.balance(last)
        if last == self.today():
            assert {name: statement[name] for name in self.noted[last]} == self.noted[last]
        assert statement["total"] == sum(statement[name] for name in AGES)
        assert statement["closing"] == statement["total"] - statement["credit"]
        if first != last:
            assert statement["opening"] == self.balance(first)
        balance = statement["opening"]
        for entry in statement["entries"]:
            balance += entry["amount"]
            assert entry["balance"] == balance
        assert balance == statement["closing"]

    def balance(self, day):
        return sum(self.noted[day][name] for name in AGES) - self.noted[day]["credit"]

    def statement(self, since, until):
        return self.web.get(f"/v1/contacts/{self.client_id}/statement?from={since}&to={until}")["data"]

    def payment(self, place):
        return self.web.get(f"/v1/payments/{self.payments[place]}")["data"]

    def today(self):
        return self.app.now().astimezone(ZONE).date()


@pytest.mark.either
def test_every_day_stays_what_it_was_whatever_came_later(make_app):
    """A history with every kind of entry, read at its end."""
    days = Days(make_app(*PLUGINS))
    days.begin()
    cash, two, work, few = days.invoices
    story = [
        lambda: days.pay(days.invoice(cash), None, "all", "cash"),  # 13.05 for 13.03
        lambda: days.pay(days.invoice(work), None, "half", "card"),
        lambda: days.write_off(days.invoice(work), None, "all", ""),
        lambda: days.pay(days.invoice(work), None, "half", "card"),  # a recovery
        lambda: days.reverse(None, days.payment(-1), "all", ""),
        lambda: days.reverse(None, days.payment(1), "all", ""),  # what was paid before is written off, too
        lambda: days.receive(None, None, "half", "card"),
        lambda: days.allocate(days.invoice(two), days.payment(-1), "half", ""),
        lambda: days.deallocate(None, days.payment(-1), "half", ""),
        lambda: days.refund(None, days.payment(-1), "half", ""),
        lambda: days.credit(days.invoice(two), None, "all", "card") or days.issue(None, None, "", ""),
        lambda: days.void_note(None, None, "half", ""),
        lambda: days.credit(days.invoice(cash), None, "all", "card") or days.issue(None, None, "", ""),
        lambda: days.void(days.invoice(few), None, "", ""),
    ]
    for step in story:
        days.note()
        days.app.clock.move(days=11)
        step()
    days.note()
    days.teardown()
    kinds = {e["kind"] for e in days.statement(min(days.noted), days.today())["entries"]}
    assert kinds == {*get_args(Kind)}


def run(make_app, examples, steps):
    app = make_app(*PLUGINS)
    modest = settings(max_examples=examples, stateful_step_count=steps)
    run_state_machine_as_test(lambda: Days(app), settings=modest)


@pytest.mark.long
def test_every_day_stays_what_it_was_for_long(make_app, examples):
    run(make_app, examples(25), 40)


@pytest.fixture
def client(make_app):
    return Client(make_app(*PLUGINS))


@pytest.fixture
def contact(client):
    return client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]


def test_a_statement_says_what_each_entry_is(client, contact):
    line = {"description": "Work", "unit_price": "100.00"}
    body = {"client_id": contact, "line_items": [line], "issue_date": "2026-11-01", "reference": "=Tap"}
    invoice = client.post("/v1/invoices", body)["data"]
    client.post(f"/v1/invoices/{invoice['id']}/send", status=200)
    paid = {"amount": "150.00", "payment_method": "card", "paid_at": "2026-11-10", "reference": "0042"}
    given = [{"invoice_id": invoice["id"], "amount": "110.00"}]
    payment = client.post("/v1/payments", {"client_id": contact, **paid, "allocations": given})["data"]
    path = f"/v1/contacts/{contact}/statement"
    statement = client.get(f"{path}?from=2026-11-01&to=2026-11-30")["data"]
    assert statement["client"] == {"id": contact, "name": "Ada"} and statement["from"] == "2026-11-01"
    shown = [[e[n] for n in ("date", "kind", "number", "reference", "amount", "balance")] for e in statement["entries"]]
    assert shown == [
        ["2026-11-01", "invoice", invoice["number"], "=Tap", D("110.00"), D("110.00")],
        ["2026-11-10", "payment", None, "0042", D("-150.00"), D("-40.00")],
    ]
    assert statement["entries"][0]["invoice_id"] == invoice["id"]
    assert statement["entries"][1]["payment_id"] == payment["id"]
    assert (statement["opening"], statement["closing"], statement["credit"]) == (0, D("-40.00"), D("40.00"))
    later = client.get(f"{path}?from=2026-11-10&to=2026-11-10")["data"]
    assert (later["opening"], later["closing"], len(later["entries"])) == (D("110.00"), D("-40.00"), 1)
    answer = client.web.get(f"{path}?from=2026-11-01&to=2026-11-30", headers={**client.headers, "Accept": "text/csv"})
    header, *rows = csv.reader(io.StringIO(answer.body.decode(), newline=""))
    assert header == [*StatementEntry.__struct_fields__]
    assert [row[1:6] for row in rows] == [
        ["opening", "", "", "", "0.00"],
        ["invoice", invoice["number"], "'=Tap", "110.00", "110.00"],
        ["payment", "", "0042", "-150.00", "-40.00"],
        ["closing", "", "", "", "-40.00"],
    ]


def test_a_statement_adds_up_while_money_moves(client, contact):
    app = client.app
    if app.db.is_sqlite:
        return  # SQLite reads from the moment the GET began
    paid = {"client_id": contact, "amount": "5.00", "payment_method": "card"}
    client.post("/v1/payments", paid)
    moves = []

    def meanwhile(connection, cursor, statement, *_):
        if "invoices_payments" in statement:
            moves.append(client.post("/v1/payments", paid))

    sa.event.listen(app.db.reader, "before_cursor_execute", meanwhile)
    statement = client.get(f"/v1/contacts/{contact}/statement")["data"]
    sa.event.remove(app.db.reader, "before_cursor_execute", meanwhile)
    # The snapshot is taken at the first statement, after one payment came in.
    assert len(statement["entries"]) == 2 < 1 + len(moves)
    assert (statement["opening"], statement["closing"]) == (0, D("-10.00"))
    assert len(client.get(f"/v1/contacts/{contact}/statement")["data"]["entries"]) == 1 + len(moves)


def test_a_statement_is_of_a_contact_that_may_be_read_and_of_days_in_order(client, contact):
    path = f"/v1/contacts/{contact}/statement"
    statement = client.get(path)["data"]
    assert (statement["from"], statement["to"], statement["entries"]) == ("2026-08-23", "2026-11-21", [])
    client.refused(404, "resource_not_found", "GET", "/v1/contacts/con_0/statement")
    client.refused(400, "invalid_parameter", "GET", f"{path}?from=2026-11-22")
    for scopes, missing in ((["invoices:read"], "contacts:read"), (["contacts:read"], "invoices:read")):
        error = client.key(*scopes).refused(403, "insufficient_scope", "GET", path)
        assert error["required_scope"] == missing
    assert client.key("invoices:read", "contacts:read").get(path)["data"] == statement
