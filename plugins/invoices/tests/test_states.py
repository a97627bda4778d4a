"""Random actions on invoices against a model of the contract: every transition, refusal, amount and event."""

from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
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
    "payments": {"sent", "partially_paid", "written_off"},
    "void": {"sent"},
    "write_off": {"sent", "partially_paid"},
    "undo_write_off": {"written_off", "paid"},
    "duplicate": {"draft", "sent", "partially_paid", "paid", "void", "written_off"},
}
ACTIONS = [
    *("send", "send", "pay", "payments", "payments", "payments", "reverse", "reverse", "reverse", "void", "write_off"),
    "undo_write_off",
    *("change", "put_off", "put_off", "delete", "duplicate", "business"),
]
ABN = "47555222000"
COIN, MOST_ROUNDING = D("0.05"), D("0.02")


@dataclass
class Model:
    """The state of an invoice according to the contract; its total is 11.00 for each unit."""

    id: str
    number: int
    units: int
    due_date: date
    status: str = "draft"
    version: int = 1
    written_off: bool = False
    deleted: bool = False
    payments: list = field(default_factory=list)

    @property
    def total(self):
        return D(11) * self.units

    def sum(self, name):
        return sum((p[name] for p in self.payments if p["status"] == "recorded"), D(0))

    @property
    def paid(self):
        return self.sum("amount")

    @property
    def rest(self):
        """Return the amount due or written off."""
        return D(0) if self.status == "void" else self.total - self.paid - self.sum("cash_rounding")

    def allowed(self, abn):
        """The actions that are possible: a draft below zero, or without the seller's ABN, cannot be sent."""
        blocked = {"send", "pay"} if self.status == "draft" and (self.units < 0 or abn is None) else set()
        blocked |= set() if self.written_off else {"undo_write_off"}
        return {action for action, statuses in FROM.items() if self.status in statuses} - blocked


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
        """Make a call that is refused as expected or answers with the record; 404 and 412 come first."""
        if model.deleted:
            refusal = (404, "resource_not_found")
        elif stale:
            refusal = (412, "version_conflict")
        sent = {"headers": {"If-Match": f'"{model.version + 1 if stale else model.version}"'}}
        path = f"/v1/invoices/{model.id}{path}"
        if refusal:
            error = self.client.refused(*refusal, method, path, body, **sent)
            if error["code"] == "invalid_state_transition":
                assert (error["status"], set(error["allowed_actions"])) == (model.status, model.allowed(self.abn))
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
        if model.status not in FROM[action] or (action == "undo_write_off" and not model.written_off):
            return 409, "invalid_state_transition"
        return self.refusal_to_send(model) if action in ("send", "pay") and model.status == "draft" else None

    def settle(self, model, event="payment.recorded"):
        """Update the state after a payment or its reversal."""
        left = "written_off" if model.written_off else "partially_paid" if model.paid else "sent"
        recovers = model.status == "written_off" and event == "payment.recorded"
        model.status = left if model.rest else "paid"
        self.events += [event] + (["invoice.recovered"] if recovers else [])
        self.events += ["invoice.paid"] if model.status == "paid" else []

    @initialize(target=documents)
    def begin(self):
        return multiple(*(self.create(units) for units in (10, 3, 1, 0, -1)))

    # One rule, because hypothesis leaves out some rules in each run.
    @rule(
        target=documents,
        model=documents,
        action=st.sampled_from(ACTIONS),
        units=st.sampled_from([-1, 0, 1, 4]),
        cents=st.sampled_from([1, 549, 550, 552, 1100, 3300]),
        place=st.integers(0, 2),
        method=st.sampled_from(["cash", "card"]),
        days=st.sampled_from([0, 0, 0, 5]),
        stale=st.sampled_from([False] * 9 + [True]),
    )
    def act(self, model, action, units, cents, place, method, days, stale):
        self.clock.move(days=days)
        given = {
            "payments": [D(cents) / 100, method],
            "pay": [method],
            "reverse": [place],
            "change": [units],
            "put_off": [units + place],
        }
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

    def payments(self, model, amount, method, stale):
        refusal, rounding = self.refusal_of(model, "payments"), D(0)
        if not refusal and method == "cash":
            rounding = model.rest - amount if abs(model.rest - amount) <= MOST_ROUNDING else D(0)
            refusal = (422, "validation_failed") if amount % COIN else None
        if not refusal and amount + rounding > model.rest:
            refusal = 422, "overpayment_not_allowed"
        body = {"amount": str(amount), "payment_method": method}
        if shown := self.attempt(model, "POST", "/payments", body, refusal, stale, 201):
            self.note_payment(model, shown, amount, rounding)

    def note_payment(self, model, shown, amount, rounding):
        payment = {"id": shown["payments"][-1]["id"], "amount": amount, "cash_rounding": rounding, "status": "recorded"}
        model.payments.append(payment)
        model.version += 1
        self.settle(model)

    def pay(self, model, method, stale):
        was, due = model.status, model.rest
        refusal = self.refusal_of(model, "pay")
        amount = (
            due if method == "card" else min((due // COIN * COIN, (due // COIN + 1) * COIN), key=lambda x: abs(due - x))
        )
        if not refusal and due and not amount:
            refusal = 422, "validation_failed"
        if shown := self.attempt(model, "POST", "/pay", {"payment_method": method}, refusal, stale):
            self.events += ["invoice.sent"] if was == "draft" else []
            model.version += was == "draft"
            if model.units == 0:
                model.status = "paid"
                self.events.append("invoice.paid")
                return
            self.note_payment(model, shown, amount, due - amount)

    def reverse(self, model, place, stale):
        payment = model.payments[place] if place < len(model.payments) else None
        path = f"/payments/{payment['id'] if payment else 'pay_0'}/reverse"
        refusal = None if payment else (404, "resource_not_found")
        if payment and payment["status"] == "reversed" and not stale:
            error = self.client.refused(409, "invalid_state_transition", "POST", f"/v1/invoices/{model.id}{path}")
            assert (error["status"], error["allowed_actions"]) == ("reversed", [])
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
            model.status, model.version, model.written_off = "written_off", model.version + 1, True
            self.events.append("invoice.written_off")

    def undo_write_off(self, model, stale):
        if self.attempt(model, "POST", "/undo_write_off", None, self.refusal_of(model, "undo_write_off"), stale):
            model.version, model.written_off = model.version + 1, False
            if model.rest:
                model.status = "partially_paid" if model.paid else "sent"
            self.events.append("invoice.write_off_undone")

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

    @invariant()
    def every_invoice_is_what_the_model_says(self):
        living = [model for model in self.models if not model.deleted]
        found = self.client.get("/v1/invoices?sort=number&per_page=100")
        assert found["pagination"]["total"] == len(living)
        for model, shown in zip(living, found["data"], strict=True):
            assert (shown["id"], shown["status"], shown["version"]) == (model.id, model.status, model.version)
            assert (shown["total"], shown["amount_paid"]) == (model.total, model.paid)
            parts = [shown[name] for name in ("amount_paid", "amount_written_off", "cash_rounding", "amount_due")]
            off = model.rest if model.status == "written_off" else D(0)
            assert parts == [model.paid, off, model.sum("cash_rounding"), model.rest - off]
            assert shown["total"] == shown["subtotal"] + shown["gst"]
            assert shown["total"] == sum(parts) or (model.status == "void" and not any(parts))
            assert min(parts[:2]) >= 0 and (parts[3] >= 0 or model.status == "draft")
            assert set(shown["allowed_actions"]) == model.allowed(self.abn)
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
            kept = [{n: p[n] for n in ("id", "amount", "cash_rounding", "status")} for p in shown["payments"]]
            assert kept == model.payments
            may = [p["allowed_actions"] for p in shown["payments"]]
            assert may == [["reverse"] if p["status"] == "recorded" else [] for p in model.payments]
        told, page = [], self.client.get("/v1/events?sort=created_at&per_page=100")
        while page:
            told += [event["event"] for event in page["data"]]
            cursor = page["pagination"]["next_cursor"]
            page = cursor and self.client.get(f"/v1/events?sort=created_at&cursor={cursor}")
        assert told == self.events


@pytest.mark.either
def test_random_actions_keep_to_the_model(make_app, clock, examples):
    app = make_app("contacts", "documents", "hosted", "invoices")
    modest = settings(max_examples=examples(20), stateful_step_count=40)
    run_state_machine_as_test(lambda: Invoices(app, clock), settings=modest)
