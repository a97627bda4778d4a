"""Random moves of a client's money: every invoice and payment adds up at every moment."""

from decimal import Decimal

import pytest
import sqlalchemy as sa
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from billycan.testing import Client
from billycan_invoices.tables import entries

D = Decimal
PARTS = ("amount_paid", "amount_credited", "amount_written_off", "cash_rounding", "amount_due")
TOTALS = ("13.03", "20.02", "110.00", "0.07")
ACTIONS = [
    *("pay", "pay", "receive", "allocate", "allocate", "deallocate", "refund", "reverse", "reverse_there"),
    *("credit", "credit", "issue", "issue", "void_note", "void", "write_off", "undo_write_off"),
]
OPEN = ("sent", "partially_paid", "written_off")


class Money(RuleBasedStateMachine):
    """A client with some invoices; a refused call changes nothing and gives its reason."""

    undo = {}

    def __init__(self, app):
        super().__init__()
        self.web = Client(app)
        self.client_id = self.web.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
        self.invoices, self.payments, self.notes = [], [], []

    @initialize()
    def begin(self):
        for total in TOTALS:
            self.bill(total)

    def bill(self, total):
        codes = ("gst", "gst_free") if len(self.invoices) % 2 else ("gst",)
        lines = [{"description": "Work", "unit_price": total, "gst_code": code} for code in codes]
        body = {"client_id": self.client_id, "line_items": lines, "amounts_are": "inclusive"}
        made = self.web.post("/v1/invoices", body)["data"]
        self.web.post(f"/v1/invoices/{made['id']}/send", status=200)
        self.invoices.append(made["id"])

    def call(self, path, body=None):
        """Return the answer to a POST; None if a rule refuses it."""
        answer = self.web.call("POST", path, body)
        if answer.status_int < 300:
            return answer.json["data"]["id"]
        assert answer.status_int in (409, 422), answer.text
        assert answer.json["error"]["code"] not in ("conflict", "has_dependents"), answer.text
        return None

    def invoice(self, id):
        return self.web.get(f"/v1/invoices/{id}")["data"]

    def amount(self, of, part):
        """Return part of an amount: all, half, a few cents, or a cent too much."""
        return {"all": of, "half": (of / 2).quantize(D("0.01")), "few": D("0.02"), "more": of + D("0.01")}[part]

    # One rule, because hypothesis leaves out some rules in each run.
    @rule(
        action=st.sampled_from(ACTIONS),
        one=st.integers(0, 7),
        other=st.integers(0, 7),
        part=st.sampled_from(["all", "all", "half", "half", "few", "more"]),
        method=st.sampled_from(["card", "card", "cash"]),
    )
    def act(self, action, one, other, part, method):
        invoice = self.invoice(self.invoices[one % len(self.invoices)])
        payment = self.payments and self.web.get(f"/v1/payments/{self.payments[other % len(self.payments)]}")["data"]
        getattr(self, action)(invoice, payment, part, method)

    def pay(self, invoice, payment, part, method):
        owed = invoice["amount_due"] or invoice["amount_written_off"]
        amount = self.amount(owed, part)
        if method == "cash":
            amount = (amount * 20).quantize(D(1)) / 20
        body = {"amount": str(amount), "payment_method": method}
        if amount > 0 and self.call(f"/v1/invoices/{invoice['id']}/payments", body):
            self.payments.append(self.invoice(invoice["id"])["payments"][-1]["id"])

    def receive(self, invoice, payment, part, method):
        body = {"client_id": self.client_id, "amount": "150.00", "payment_method": method, "allocations": []}
        for id in self.invoices[:2]:
            due = self.invoice(id)["amount_due"]
            if self.amount(due, part) > 0:
                body["allocations"].append({"invoice_id": id, "amount": str(self.amount(due, part))})
        if made := self.call("/v1/payments", body):
            self.payments.append(made)

    def allocate(self, invoice, payment, part, method):
        owed = invoice["amount_due"] or invoice["amount_written_off"]
        amount = self.amount(min(owed, payment["unallocated"]) if payment and part != "more" else owed, part)
        if payment and amount > 0:
            body = {"allocations": [{"invoice_id": invoice["id"], "amount": str(amount)}]}
            done = self.call(f"/v1/payments/{payment['id']}/allocate", body)
            assert not done or (amount <= payment["unallocated"] and invoice["status"] in OPEN)

    def deallocate(self, invoice, payment, part, method):
        for one in payment["allocations"][:1] if payment else ():
            body = {"invoice_id": one["invoice_id"], "amount": str(self.amount(one["amount"], part)), **self.undo}
            done = self.call(f"/v1/payments/{payment['id']}/deallocate", body)
            assert bool(done) == (D(body["amount"]) <= one["amount"])

    def refund(self, invoice, payment, part, method):
        if payment and (amount := self.amount(payment["unallocated"], part)):
            body = {"amount": str(amount), "payment_method": "card"}
            done = self.call(f"/v1/payments/{payment['id']}/refund", body)
            assert bool(done) == (payment["status"] == "recorded" and amount <= payment["unallocated"])

    def reverse(self, invoice, payment, part, method):
        if payment:
            done = self.call(f"/v1/payments/{payment['id']}/reverse", self.undo)
            assert bool(done) == ("reverse" in payment["allowed_actions"])

    def reverse_there(self, invoice, payment, part, method):
        for one in invoice["payments"]:
            done = self.call(f"/v1/invoices/{invoice['id']}/payments/{one['id']}/reverse", self.undo)
            assert bool(done) == (one["allowed_actions"] == ["reverse"])

    def credit(self, invoice, payment, part, method):
        left = invoice["total"] - invoice["amount_credited"]
        line = invoice["line_items"][0]
        lines = [{"invoice_line_id": line["id"], "amount": str(self.amount(line["total"], part))}]
        if method == "cash":
            lines = [{"description": "Goodwill", "unit_price": str(self.amount(left, part) or 1)}]
        what = {"full": True} if part == "all" else {"line_items": lines}
        if made := self.call("/v1/adjustment_notes", {"invoice_id": invoice["id"], "reason": "other", **what}):
            self.notes.append(made)

    def issue(self, invoice, payment, part, method):
        for id in self.notes[-2:]:
            self.call(f"/v1/adjustment_notes/{id}/issue")

    def void_note(self, invoice, payment, part, method):
        for id in self.notes[-1:] if part == "half" else self.notes[:1]:
            self.call(f"/v1/adjustment_notes/{id}/void", self.undo)

    def void(self, invoice, payment, part, method):
        done = self.call(f"/v1/invoices/{invoice['id']}/void", self.undo)
        assert bool(done) == ("void" in invoice["allowed_actions"])

    def write_off(self, invoice, payment, part, method):
        done = self.call(f"/v1/invoices/{invoice['id']}/write_off", {})
        assert bool(done) == ("write_off" in invoice["allowed_actions"])

    def undo_write_off(self, invoice, payment, part, method):
        done = self.call(f"/v1/invoices/{invoice['id']}/undo_write_off", self.undo)
        assert bool(done) == ("undo_write_off" in invoice["allowed_actions"])

    @invariant()
    def everything_adds_up(self):
        invoices = self.web.get(f"/v1/invoices?per_page=100&client_id={self.client_id}")["data"]
        payments = self.web.get(f"/v1/payments?per_page=100&client_id={self.client_id}")["data"]
        notes = self.web.get(f"/v1/adjustment_notes?per_page=100&status=issued&client_id={self.client_id}")["data"]
        for one in payments:
            assert one["amount"] == one["allocated"] + one["refunded"] + one["unallocated"]
            assert min(one["allocated"], one["refunded"], one["unallocated"]) >= 0
            assert one["allocated"] == sum(a["amount"] for a in one["allocations"])
            if one["status"] == "recorded":
                assert one["refunded"] == sum(r["amount"] for r in one["refunds"])
                assert one["cash_rounding"] == sum(a["cash_rounding"] for a in one["allocations"])
        for invoice in invoices:
            parts = {name: invoice[name] for name in PARTS}
            assert invoice["total"] == sum(parts.values()) or (invoice["status"] == "void" and not any(parts.values()))
            assert min(v for k, v in parts.items() if k != "cash_rounding") >= 0
            mine = [a for p in payments for a in p["allocations"] if a["invoice_id"] == invoice["id"]]
            assert parts["amount_paid"] == sum(a["amount"] for a in mine)
            assert parts["cash_rounding"] == sum(a["cash_rounding"] for a in mine)
            taken = [n for n in notes if n["invoice_id"] == invoice["id"]]
            assert parts["amount_credited"] == sum(n["total"] for n in taken) <= invoice["total"]
            assert sum(n["gst"] for n in taken) <= invoice["gst"]
            assert self.noted(invoice["id"]) == {
                **{name: parts[name] for name in PARTS if name != "amount_due"},
                "total": D(0) if invoice["status"] == "void" else invoice["total"] - parts["amount_credited"],
                "gst": D(0) if invoice["status"] == "void" else invoice["gst"] - sum(n["gst"] for n in taken),
            }
            assert invoice["status"] == self.status(invoice), invoice
            assert (invoice["paid_at"] is None) == (invoice["status"] != "paid")

    def noted(self, invoice_id):
        """Add up an invoice's entries in the ledger, by the names of the invoice's members."""
        names = {"paid": "amount_paid", "credited": "amount_credited", "written_off": "amount_written_off"}
        columns = [entries.c[name] for name in (*names, "cash_rounding", "total", "gst")]
        mine = (entries.c.tenant_id == self.web.tenant_id) & (entries.c.invoice_id == invoice_id)
        with self.web.app.db.reading() as db:
            found = db.execute(sa.select(*columns).where(mine)).all()
        return {names.get(c.name, c.name): sum(row[i] for row in found) for i, c in enumerate(columns)}

    def status(self, invoice):
        if invoice["status"] == "void":
            return "void"
        if invoice["amount_written_off"]:
            return "written_off"
        if invoice["amount_due"]:
            return "partially_paid" if invoice["amount_paid"] else "sent"
        return "paid" if invoice["amount_paid"] else "credited"


def run(make_app, examples, steps):
    app = make_app("contacts", "documents", "hosted", "invoices")
    modest = settings(max_examples=examples, stateful_step_count=steps)
    run_state_machine_as_test(lambda: Money(app), settings=modest)


@pytest.mark.sqlite_alone  # PostgreSQL has a longer walk, below
def test_money_always_adds_up(make_app):
    run(make_app, 6, 25)


@pytest.mark.long
def test_money_always_adds_up_for_long(make_app, examples):
    run(make_app, examples(40), 60)
