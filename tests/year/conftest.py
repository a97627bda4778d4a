"""A business that is kept through the API alone, as its bookkeeper would: each call is dated, and days really pass."""

from collections import Counter
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from billycan.testing import Client

D = Decimal
PLUGINS = ("contacts", "documents", "expenses", "hosted", "invoices", "jobs", "reports")
LABELS = ("G1", "G2", "G3", "G4", "G7", "1A", "G10", "G11", "G13", "G14", "G15", "G18", "1B", "W4")


class Business:
    """Its documents by id, on a day that `on` sets; prices include GST."""

    def __init__(self, app, basis, **setting):
        self.app, self.web, self.day = app, Client(app, profile={"timezone": "Australia/Hobart"}), ""
        first = {"from": "2000-07-01", "registered": True, "basis": basis, "period": "quarter"}
        self.settle({**first, **setting})
        listed = self.web.get("/v1/expense_categories?per_page=100")["data"]
        self.categories = {one["name"]: one["id"] for one in listed}
        self.contacts = {}

    def on(self, day):
        """Let a day come: it is midday in Hobart."""
        self.day, self.app.clock.time = day, datetime.fromisoformat(day).replace(hour=2, tzinfo=UTC)

    def settle(self, *settings):
        self.web.patch("/v1/tenant", {"gst_settings": settings})

    def do(self, path, body=None, status=200):
        return self.web.post(f"/v1/{path}", body, status)["data"]

    def contact(self, name, **more):
        """The id of the contact of that name."""
        if name not in self.contacts:
            self.contacts[name] = self.do("contacts", {"name": name, **more}, 201)["id"]
        return self.contacts[name]

    def invoice(self, client, *lines, **more):
        """Send an invoice of lines such as ("Tap", "110.00") or ("Bread", "8.00", "gst_free")."""
        made = self.do("invoices", {**self.work(client, *lines), **more}, 201)
        return self.send(made["id"])

    def send(self, invoice):
        self.do(f"invoices/{invoice}/send")
        return invoice

    def work(self, client, *lines):
        names = ("description", "unit_price", "gst_code")
        items = [dict(zip(names, line, strict=False)) for line in lines]
        return {"client_id": self.contact(client), "amounts_are": "inclusive", "line_items": items}

    def job(self, client, title, price):
        job = {"title": title, "scheduled_start": f"{self.day}T15:00:00+10:00"}
        return self.do("jobs", {**job, **self.work(client, (title, price))}, 201)["id"]

    def claim(self, job, **part):
        """Send an invoice for a part of a job, or for all that is left of it."""
        return self.send(self.do(f"jobs/{job}/invoice", part, 201)["id"])

    def pay(self, invoice, amount, method="card", **more):
        body = {"amount": amount, "payment_method": method, **more}
        return self.do(f"invoices/{invoice}/payments", body, 201)["payments"][-1]["id"]

    def receive(self, client, amount, **more):
        """Note money that is not matched with an invoice yet."""
        body = {"client_id": self.contact(client), "amount": amount, "payment_method": "bank_transfer"}
        return self.do("payments", {**body, **more}, 201)["id"]

    def allocate(self, payment, invoice, amount):
        self.do(f"payments/{payment}/allocate", {"allocations": [{"invoice_id": invoice, "amount": amount}]})

    def refund(self, payment, amount):
        self.do(f"payments/{payment}/refund", {"amount": amount, "payment_method": "bank_transfer"})

    def note(self, invoice, amount, line=0, reason="price_change"):
        """Issue an adjustment note that takes an amount off a line of an invoice."""
        line_id = self.web.get(f"/v1/invoices/{invoice}")["data"]["line_items"][line]["id"]
        body = {"invoice_id": invoice, "reason": reason}
        body["line_items"] = [{"invoice_line_id": line_id, "amount": amount}]
        made = self.do("adjustment_notes", body, 201)["id"]
        self.do(f"adjustment_notes/{made}/issue")
        return made

    def buy(self, words, amount, category="Materials and supplies", **more):
        """Record a purchase of today; by default its tax invoice is held, and it is paid."""
        body = {"date": self.day, "amount": amount, "description": words, "category_id": self.categories[category]}
        return self.do("expenses", {**body, "tax_invoice_held": True, **more}, 201)["id"]

    def expense(self, id, **members):
        return self.web.patch(f"/v1/expenses/{id}", members)["data"]

    def report(self, since, until):
        return self.web.get(f"/v1/reports/gst?from={since}&to={until}")["data"]

    def labels(self, since, until):
        """The labels of these days that are not zero, to the cent."""
        return figures(self.report(since, until))

    def corrections(self, since, until):
        return figures(self.report(since, until)["corrections"])

    def to_lodge(self, since, until):
        """The column that is copied into the activity statement: whole dollars, with the corrections in them."""
        report = self.report(since, until)
        return {label: int(report[label]["to_lodge"]) for label in LABELS if report[label]["to_lodge"]}

    def lodge(self, since, until):
        return self.do("gst_periods", {"from": since, "to": until}, 201)["id"]

    def warnings(self, since, until):
        return {one["code"] for one in self.report(since, until)["warnings"]}

    def ledger(self):
        """All entries of the ledger, as they were added; those of a document add up to zero on each day."""
        found, path = [], "/v1/ledger_entries?sort=created_at&per_page=100"
        answer = self.web.get(path)
        while True:
            found += answer["data"]
            if not (cursor := answer["pagination"]["next_cursor"]):
                break
            answer = self.web.get(f"{path}&cursor={cursor}")
        sums = Counter()
        for one in found:
            sums[one["document"]["id"], one["date"]] += one["debit"] - one["credit"]
        assert not any(sums.values()), sums
        return found

    def roles(self):
        """The code of each account by its role."""
        return {one["role"]: one["code"] for one in self.web.get("/v1/accounts?per_page=100")["data"] if one["role"]}

    def owed(self, day):
        """Return each client's debt less their credit at the end of a day; receivables and statements must agree."""
        entries = self.web.get(f"/v1/reports/receivables?as_at={day}")["data"]["entries"]
        owed = {one["client_id"]: one["total"] - one["credit"] for one in entries}
        found = {}
        for name, id in self.contacts.items():
            statement = self.web.get(f"/v1/contacts/{id}/statement?from=2026-01-01&to={day}")["data"]
            moves = sum((one["amount"] for one in statement["entries"]), statement["opening"])
            assert statement["closing"] == moves == owed.get(id, 0), (name, day)
            if statement["closing"]:
                found[name] = statement["closing"]
        return found


def figures(of):
    return {label: of[label]["amount"] for label in LABELS if label in of and of[label]["amount"]}


@pytest.fixture
def open_business(make_app):
    """`open_business("cash")`"""
    app = make_app(*PLUGINS)
    return lambda basis, **setting: Business(app, basis, **setting)


@pytest.fixture
def exact():
    """The figures of a dictionary as Decimals: `exact({"G1": "110.00"})`"""
    return lambda written: {label: D(amount) for label, amount in written.items()}


@pytest.fixture(params=["accrual", "cash"])
def basis(request):
    return request.param
