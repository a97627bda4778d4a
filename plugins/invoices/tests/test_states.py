"""Random actions on invoices against a model of the contract: every transition, refusal, amount and event."""

from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from billycan.testing import Client

D = Decimal
FROM = {
    "send": {"draft"},
    "pay": {"draft", "sent", "partially_paid"},
    "payments": {"sent", "partially_paid"},
    "reverse": {"partially_paid", "paid"},
    "void": {"sent"},
    "write_off": {"sent", "partially_paid"},
    "duplicate": {"draft", "sent", "partially_paid", "paid", "void", "written_off"},
}
ACTIONS = [
    *("send", "send", "pay", "payments", "payments", "payments", "reverse", "reverse", "reverse", "void", "write_off"),
    *("change", "put_off", "put_off", "delete", "duplicate", "business"),
]
ABN = "47555222000"
CASH = {"payment_method": "cash"}


@dataclass
class Model:
    """What the contract says an invoice is now; its total is 11.00 for each unit."""

    id: str
    number: int
    units: int
    due_date: date
    status: str = "draft"
    version: int = 1
    deleted: bool = False
    payments: list = field(default_factory=list)

    @property
    def total(self):
        return D(11) * self.units

    @property
    def paid(self):
        return sum((p["amount"] for p in self.payments if p["status"] == "recorded"), D(0))

    @property
    def allowed(self):
        """The actions that are not refused for the state alone; without money there is nothing to reverse."""
        return {action for action, statuses in FROM.items() if self.status in statuses} - (
            set() if self.paid else {"reverse"}
        )


class Invoices(RuleBasedStateMachine):
    documents = Bundle("documents")

    def __init__(self, app, clock):
        super().__init__()
        self.clock, self.client = clock, Client(app)
        self.contact_id = self.client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
        self.models, self.events, self.numbers, self.abn = [], ["contact.created"], 0, ABN

    def today(self):
        return self.clock.time.astimezone(ZoneInfo("Australia/Sydney")).date()

    def add(self, made, units):
        self.numbers += 1
        assert made["number"] == f"INV-{self.numbers:04d}"
        self.events.append("invoice.created")
        self.models.append(Model(made["id"], self.numbers, units, self.today() + timedelta(days=14)))
        return self.models[-1]

    def attempt(self, model, method, path, body, refusal, stale, status=200):
        """Make a call that is refused as told, or else answers with the record; 404 and 412 come before."""
        if model.deleted:
            refusal = (404, "resource_not_found")
        elif stale:
            refusal = (412, "version_conflict")
        sent = {"headers": {"If-Match": f'"{model.version + 1 if stale else model.version}"'}}
        path = f"/v1/invoices/{model.id}{path}"
        if refusal:
            error = self.client.refused(*refusal, method, path, body, **sent)
            if error["code"] == "invalid_state_transition":
                assert (error["status"], set(error["allowed_actions"])) == (model.status, model.allowed)
            return None
        answer = self.client.call(method, path, body, status, sent["headers"])
        return answer.json["data"]

    def refusal_to_send(self, model):
        if model.units < 0:
            return 422, "negative_total"
        return (422, "tax_invoice_incomplete") if self.abn is None else None

    def refusal_of(self, model, action):
        if action == "void" and model.paid and model.status in ("partially_paid", "paid"):
            return 409, "has_payments"
        if model.status not in FROM[action]:
            return 409, "invalid_state_transition"
        return self.refusal_to_send(model) if action in ("send", "pay") and model.status == "draft" else None

    def settle(self, model, event="payment.recorded"):
        """What a payment, or taking one back, makes of the state."""
        due = model.total - model.paid
        model.status = "paid" if not due else "partially_paid" if model.paid else "sent"
        self.events.append(event)
        self.events += ["invoice.paid"] if model.status == "paid" else []

    # What clients do ----------------------------------------------------------------------------------------------

    @initialize(target=documents)
    def begin(self):
        return multiple(*(self.create(units) for units in (10, 3, 1, 0, -1)))

    # One rule, because hypothesis leaves out some rules in each run.
    @rule(
        target=documents,
        model=documents,
        action=st.sampled_from(ACTIONS),
        units=st.sampled_from([-1, 0, 1, 4]),
        cents=st.sampled_from([1, 549, 550, 1100, 3300]),
        place=st.integers(0, 2),
        days=st.sampled_from([0, 0, 0, 5]),
        stale=st.sampled_from([False] * 9 + [True]),
    )
    def act(self, model, action, units, cents, place, days, stale):
        self.clock.move(days=days)
        given = {"payments": [D(cents) / 100], "reverse": [place], "change": [units], "put_off": [units + place]}
        if action == "business":
            self.abn = ABN if units >= 0 else None
            self.client.patch("/v1/tenant", {"abn": self.abn})
        elif action == "duplicate" and len(self.models) < 8:
            made = self.attempt(model, "POST", "/duplicate", None, None, stale, status=201)
            return self.add(made, model.units) if made else multiple()
        elif action != "duplicate":
            getattr(self, action)(model, *given.get(action, ()), stale)
        return multiple()

    def create(self, units):
        lines = [{"description": "Hours", "quantity": units, "unit_price": "10.00"}]
        body = {"client_id": self.contact_id, "line_items": lines}
        return self.add(self.client.post("/v1/invoices", body)["data"], units)

    def send(self, model, stale):
        if self.attempt(model, "POST", "/send", None, self.refusal_of(model, "send"), stale):
            model.status, model.version = "sent" if model.units else "paid", model.version + 1
            self.events += ["invoice.sent"] + ([] if model.units else ["invoice.paid"])

    def payments(self, model, amount, stale):
        refusal = self.refusal_of(model, "payments")
        if not refusal and amount > model.total - model.paid:
            refusal = 422, "overpayment_not_allowed"
        shown = self.attempt(model, "POST", "/payments", {"amount": str(amount), **CASH}, refusal, stale, 201)
        if shown:
            model.payments.append({"id": shown["payments"][-1]["id"], "amount": amount, "status": "recorded"})
            model.version += 1
            self.settle(model)

    def pay(self, model, stale):
        was = model.status
        if shown := self.attempt(model, "POST", "/pay", CASH, self.refusal_of(model, "pay"), stale):
            self.events += ["invoice.sent"] if was == "draft" else []
            model.version += 1 + (was == "draft" and model.units > 0)
            if model.units == 0:
                model.status = "paid"
                self.events.append("invoice.paid")
                return
            amount = model.total - model.paid
            model.payments.append({"id": shown["payments"][-1]["id"], "amount": amount, "status": "recorded"})
            self.settle(model)

    def reverse(self, model, place, stale):
        payment = model.payments[place] if place < len(model.payments) else None
        path = f"/payments/{payment['id'] if payment else 'pay_0'}/reverse"
        refusal = self.refusal_of(model, "reverse")
        if payment is None:
            refusal = 404, "resource_not_found"
        elif not refusal and payment["status"] == "reversed":
            self.client.refused(409, "invalid_state_transition", "POST", f"/v1/invoices/{model.id}{path}")
            return
        if self.attempt(model, "POST", path, {"reason": "Bounced"}, refusal, stale):
            payment["status"] = "reversed"
            model.version += 1
            self.settle(model, "payment.reversed")

    def void(self, model, stale):
        if self.attempt(model, "POST", "/void", None, self.refusal_of(model, "void"), stale):
            model.status, model.version = "void", model.version + 1
            self.events.append("invoice.voided")

    def write_off(self, model, stale):
        if self.attempt(model, "POST", "/write_off", None, self.refusal_of(model, "write_off"), stale):
            model.status, model.version = "written_off", model.version + 1
            self.events.append("invoice.written_off")

    def change(self, model, units, stale):
        body = {"line_items": [{"description": "Days", "quantity": units, "unit_price": 10}]}
        refusal = None if model.status == "draft" else (409, "document_locked")
        if self.attempt(model, "PATCH", "", body, refusal, stale):
            model.units, model.version = units, model.version + 1
            self.events.append("invoice.updated")

    def put_off(self, model, days, stale):
        due = model.due_date + timedelta(days=days)
        if self.attempt(model, "PATCH", "", {"due_date": str(due)}, None, stale) and days:
            model.due_date, model.version = due, model.version + 1
            self.events.append("invoice.updated")

    def delete(self, model, stale):
        refusal = None if model.status == "draft" else (409, "document_locked")
        if self.attempt(model, "DELETE", "", None, refusal, stale):
            model.deleted = True
            self.events.append("invoice.deleted")

    # What always holds --------------------------------------------------------------------------------------------

    @invariant()
    def every_invoice_is_what_the_model_says(self):
        living = [model for model in self.models if not model.deleted]
        found = self.client.get("/v1/invoices?sort=number&per_page=100")
        assert found["pagination"]["total"] == len(living)
        for model, shown in zip(living, found["data"], strict=True):
            assert (shown["id"], shown["status"], shown["version"]) == (model.id, model.status, model.version)
            assert (shown["total"], shown["amount_paid"]) == (model.total, model.paid)
            assert shown["total"] == shown["amount_paid"] + shown["amount_due"] == shown["subtotal"] + shown["gst"]
            assert set(shown["allowed_actions"]) == model.allowed
            late = model.status in ("sent", "partially_paid") and model.due_date < self.today()
            assert shown["is_overdue"] == late
            assert (shown["paid_at"] is not None) == (model.status == "paid")
            assert (shown["sent_at"] is None) == (model.status == "draft")

    def teardown(self):
        for model in self.models:
            if model.deleted:
                self.client.get(f"/v1/invoices/{model.id}", 404)
                continue
            shown = self.client.get(f"/v1/invoices/{model.id}")["data"]
            kept = [{name: p[name] for name in ("id", "amount", "status")} for p in shown["payments"]]
            assert kept == model.payments
        told, page = [], self.client.get("/v1/events?sort=created_at&per_page=100")
        while page:
            told += [event["event"] for event in page["data"]]
            cursor = page["pagination"]["next_cursor"]
            page = cursor and self.client.get(f"/v1/events?sort=created_at&cursor={cursor}")
        assert told == self.events


def test_random_actions_keep_to_the_model(make_app, clock):
    app = make_app("contacts", "gst", "hosted", "invoices")
    modest = settings(derandomize=True, max_examples=20, stateful_step_count=40, deadline=None)
    run_state_machine_as_test(lambda: Invoices(app, clock), settings=modest)
