"""Whatever happens in whatever order, and however it is undone: the books agree with themselves at each month's end.

The same things happen in two businesses, one of which lodges, reopens and locks its months, or made a mistake. So each
figure is compared with that of the other, and neither with a calculation: that is what `test_random_books` does.
"""

from collections import Counter
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

import pytest
import sqlalchemy as sa
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from billycan import Context
from billycan_invoices.tables import entries
from billycan_reports.ledger.backlog import begin_anew
from billycan_reports.ledger.catching_up import catch_up

D = Decimal
START, LAST = date(2026, 7, 6), date(2026, 10, 27)
MONTHS = [(date(2026, month, 1), date(2026, month + 1, 1) - timedelta(days=1)) for month in range(7, 11)]
EVER = MONTHS[0][0], date(2027, 12, 31)
LABELS = ("G1", "G2", "G3", "G4", "G7", "1A", "G10", "G11", "G13", "G14", "G15", "G18", "1B", "W4")
AMOUNTS = ("11.00", "77.77", "110.00", "333.33", "550.00", "1100.00")
CLAIMS = (
    {"percent": 20, "claim": "deposit"},
    {"percent": 30, "claim": "part_payment"},
    {"percent": 30, "claim": "progress", "retention_percent": 10},
    {"percent": 20},
    {"claim": "retention"},
    {},
)
PURCHASES = (
    {},
    {"business_use_percent": 33},
    {"tax_invoice_held": False},
    {"due_date": "2027-01-01"},
    {"gst_code": "capital"},
    {"tax_withheld": "4.00"},
    {"gst_code": "gst_free"},
    {"gst": "0.50"},
)
CHANGES = (
    {"tax_invoice_held": True},
    {"tax_invoice_held": False},
    {"business_use_percent": 50},
    {"amount": "66.00"},
    {"gst_code": "gst_free"},
    {"paid_on": None},
)
MONEY = ("pay", "receive", "allocate")
KINDS = (
    *("sell", "sell", "pay", "pay", "receive", "allocate", "allocate", "deallocate", "refund", "reverse"),
    *("note", "note", "void_note", "write_off", "undo_write_off", "void"),
    *("job", "claim", "claim", "forfeit", "cancel"),
    *("bill", "pay_bill", "pay_bill", "reverse_bill"),
)
PURCHASING = ("buy", "buy", "give_back", "void_expense", "change_expense", "change_expense")
LODGING = ("lodge", "lodge", "lodge", "reopen", "lock", "change_basis", "open_balances", "close_balances")
CONTROLLED = ("receivable", "credit_in_hand", "payable", "deposits_held", "gst_not_due")
UNDONE_ON = {"void": "voided_on", "reverse": "reversed_on"}
MOVE = {
    "days": st.sampled_from([0, 0, 0, 2, 9, 20]),
    "one": st.integers(0, 7),
    "other": st.integers(0, 7),
    "amount": st.sampled_from(AMOUNTS),
    "back": st.sampled_from([0, 0, 0, 5, 40, 70]),
    "how": st.sampled_from(["nothing", "mistake", "today", "date"]),
}


class Both(NamedTuple):
    """The id of one thing in each of the two businesses; None where it never was."""

    first: str
    second: str | None


class Books:
    """Two businesses to which the same happens. `told` says which of them are told of it now."""

    alike = True  # whatever the first can do, the second can

    def __init__(self, open_business, basis):
        self.pair = [open_business(basis, period="month") for _ in range(2)]
        self.told, self.today, self.basis = (0, 1), START, basis
        self.client = Both(*(one.contact("Ada") for one in self.pair))
        self.sales, self.money, self.notes, self.jobs, self.bought = [], [], [], [], []
        self.bills, self.paid, self.openings = [], [], []
        self.wait(0)

    def wait(self, days):
        self.today = min(self.today + timedelta(days=days), LAST)
        for business in self.pair:
            business.on(str(self.today))

    def happen(self, kind, one, other, amount, back, how):
        """Let something of a kind happen, unless there is nothing that it could happen to; the thing, if it is new."""
        self.one, self.other, self.amount, self.how = one, other, amount, how
        self.date = str(max(self.today - timedelta(days=back), EVER[0]))
        return getattr(self, kind)()

    def sell(self):
        lines = [{"description": "Work", "unit_price": self.amount}]
        if self.other % 3 == 0:
            lines.append({"description": "Water", "unit_price": "220.00", "gst_code": "gst_free"})
        body = {"client_id": self.client, "amounts_are": "inclusive", "line_items": lines, "issue_date": self.date}
        made = self.tell("invoices", body={**body, "due_date": "2027-06-30"})
        return self.keep(self.sales, made) if made and self.tell("invoices", made, "send") else None

    def pay(self):
        if invoice := pick(self.sales, self.one):
            body = {"amount": self.amount, "payment_method": "card", "paid_at": self.date}
            return self.keep(self.money, self.tell("invoices", invoice, "payments", body=body, of="payments"))
        return None

    def receive(self):
        body = {"client_id": self.client, "amount": self.amount, "payment_method": "card", "paid_at": self.date}
        return self.keep(self.money, self.tell("payments", body=body))

    def allocate(self):
        payment, invoice = pick(self.money, self.one), pick(self.sales, self.other)
        if not (payment and invoice):
            return None
        body = {"allocations": [{"invoice_id": invoice, "amount": self.amount}]}
        return self.tell("payments", payment, "allocate", body=body) and (payment, invoice)

    def deallocate(self):
        payment, invoice = pick(self.money, self.one), pick(self.sales, self.other)
        if payment and invoice:
            self.undo("payments", payment, "deallocate", invoice_id=invoice)

    def refund(self):
        if payment := pick(self.money, self.one):
            body = {"amount": self.amount, "payment_method": "card", "refunded_at": self.date}
            self.tell("payments", payment, "refund", body=body)

    def reverse(self):
        if payment := pick(self.money, self.one):
            self.undo("payments", payment, "reverse")

    def note(self):
        if not (invoice := pick(self.sales, self.one)):
            return None
        code = "gst_free" if self.other % 3 == 0 else "gst"
        lines = [{"description": "Goodwill", "unit_price": self.amount, "gst_code": code}]
        body = {"invoice_id": invoice, "reason": "other", "line_items": lines, "issue_date": self.date}
        made = self.tell("adjustment_notes", body=body)
        return self.keep(self.notes, made) if made and self.tell("adjustment_notes", made, "issue") else None

    def void_note(self):
        if note := pick(self.notes, self.one):
            self.undo("adjustment_notes", note, "void")

    def write_off(self):
        invoice = pick(self.sales, self.one)
        body = {"mistake": True} if self.how == "mistake" else {"date": self.date}
        return invoice and self.tell("invoices", invoice, "write_off", body=body) and invoice

    def undo_write_off(self):
        if invoice := pick(self.sales, self.one):
            self.undo("invoices", invoice, "undo_write_off")

    def void(self):
        if invoice := pick(self.sales, self.one):
            self.undo("invoices", invoice, "void")

    def job(self):
        lines = [{"description": "Work", "unit_price": "2200.00"}]
        start = f"{self.today}T15:00:00+10:00"
        body = {"title": "Job", "scheduled_start": start, "client_id": self.client, "line_items": lines}
        return self.keep(self.jobs, self.tell("jobs", body={**body, "amounts_are": "inclusive"}))

    def claim(self):
        job = pick(self.jobs, self.one)
        made = job and self.tell("jobs", job, "invoice", body=CLAIMS[self.other % len(CLAIMS)])
        return self.keep(self.sales, made) if made and self.tell("invoices", made, "send") else None

    def forfeit(self):
        if invoice := pick(self.sales, self.one):
            self.tell("invoices", invoice, "forfeit", body={"reason": "Cancelled"})

    def cancel(self):
        if (job := pick(self.jobs, self.one)) and self.other == 0:
            self.tell("jobs", job, "cancel", body={})

    def buy(self):
        category = self.pair[0].categories["Rent"]
        body = {"date": self.date, "amount": self.amount, "category_id": category, "tax_invoice_held": True}
        self.keep(self.bought, self.tell("expenses", body={**body, **PURCHASES[self.other]}))

    def bill(self):
        """A bill with lines of several kinds, which is paid in parts; its tax invoice may come later."""
        rent, meals = (self.pair[0].categories[name] for name in ("Rent", "Entertainment"))
        code = ("capital", "gst_free", "out_of_scope")[self.one % 3]
        lines = [
            {"category_id": rent, "amount": self.amount, "business_use_percent": (100, 33)[self.one % 2]},
            {"category_id": rent, "amount": "220.00", "gst_code": code},
            {"category_id": meals, "amount": "5.55"},
        ]
        body = {"date": self.date, "due_date": "2027-01-01", "tax_invoice_held": self.other % 3 > 0}
        made = self.keep(self.bought, self.tell("expenses", body={**body, "line_items": lines, **self.withheld()}))
        return self.keep(self.bills, made)

    def withheld(self):
        return {"tax_withheld": "4.00"} if self.other == 1 else {}

    def pay_bill(self):
        if bill := pick(self.bills, self.one):
            body = {"amount": self.amount, "paid_on": self.date}
            if made := self.tell("expenses", bill, "payments", body=body, of="payments"):
                if made.second:
                    self.paid.append((bill, made))
                return bill, made
        return None

    def reverse_bill(self):
        if paid := pick(self.paid, self.one):
            self.undo("expenses", paid[0], "payments", paid[1], "reverse")

    def give_back(self):
        if bought := pick(self.bought, self.one):
            category = self.pair[0].categories["Rent"]
            body = {"date": str(self.today), "amount": f"-{self.amount}", "category_id": category}
            self.keep(self.bought, self.tell("expenses", body={**body, "refunded_expense_id": bought}))

    def void_expense(self):
        if bought := pick(self.bought, self.one):
            self.undo("expenses", bought, "void")

    def change_expense(self):
        if bought := pick(self.bought, self.one):
            dates = {"paid_on": self.date}, {"date": self.date}
            self.tell("expenses", bought, body=pick([*CHANGES, *dates], self.other), method="PATCH")

    def open_balances(self):
        """The trial balance of an earlier system, to which the ledger comes on its day."""
        trials = Both(*(self.trial(which) for which in (0, 1)))
        sides = [
            [{"account_code": code, "credit" if x < 0 else "debit": str(abs(x))} for code, x in trial.items()]
            for trial in trials
        ]
        made = self.tell("opening_balances", body={"number": "TB", "date": self.date, "balances": Both(*sides)})
        if self.keep(self.openings, made):
            for which, trial in enumerate(trials):
                assert self.balances(which, self.date) == {code: x for code, x in trial.items() if x}, self.date

    def trial(self, which):
        """Take debtors and creditors as documents make them, the amount drawn for money, and the rest for sales."""
        self.catch_up(self.pair[which])
        roles, now = self.pair[which].roles(), self.balances(which, self.date)
        trial = {roles[role]: now.get(roles[role], D(0)) for role in CONTROLLED}
        return {**trial, roles["bank"]: D(self.amount), roles["sales"]: -sum(trial.values(), D(self.amount))}

    def balances(self, which, day):
        """Return the balance of each account at the end of a day; credits are below zero."""
        found = Counter()
        for one in self.pair[which].ledger():
            if one["date"] <= day:
                found[one["account"]["code"]] += one["debit"] - one["credit"]
        return {code: amount for code, amount in found.items() if amount}

    def close_balances(self):
        if opening := pick(self.openings, self.one):
            self.tell("opening_balances", opening, method="DELETE")

    def tell(self, *path, body=None, method="POST", of=None):
        """The thing that those of the pair answer who are told; None where the first refuses.

        `of` names the list in an answer whose last element is the thing.
        """
        found = [None, None]
        for which in self.told:
            data = self.ask(which, path, body, method)
            if data is None:
                if which == self.told[0]:
                    return None
                assert not self.alike, ("only the first does this", path, body, self.pair[which].web.last.text)
                assume(False)
            found[which] = data[of][-1]["id"] if of else data["id"]
        return Both(*found)

    def ask(self, which, path, body, method="POST"):
        web = self.pair[which].web
        answer = web.call(method, "/v1/" + "/".join(known_to(which, path)), known_to(which, body))
        assert answer.status_int < 300 or answer.status_int in (409, 422), (path, body, answer.text)
        return answer.json["data"] if answer.status_int < 300 else None

    def undo(self, *path, **body):
        """Undo something in the way that is drawn."""
        how = {"mistake": {"mistake": True}, "today": {"mistake": False}, "date": {"date": self.date}}
        self.tell(*path, body={**body, **how.get(self.how, {})})

    def keep(self, things, made):
        """Remember a thing, if it was made and both know it."""
        if made and made.second:
            things.append(made)
        return made

    def report(self, which, since, until):
        """The GST report of these days; no label of it is below zero."""
        report = self.pair[which].report(since, until)
        for label in LABELS:
            one, fix = report[label], report["corrections"].get(label, {"amount": D(0)})["amount"]
            if label == "W4":  # of an earlier month it is for a revised statement
                fix = D(0)
            assert min(one["amount"], fix) >= 0, (label, since, one["amount"], fix)
            if (since, until) in MONTHS:
                assert one["to_lodge"] == int(one["amount"] + fix), (label, since)
            else:
                assert one["to_lodge"] is None, (label, since)
        return report

    def owed(self, which, day):
        """Return the amount that Ada owed at the end of a day; her statement, receivables and the ledger agree."""
        owed = self.pair[which].owed(day)
        assert owed == ({"Ada": ledger} if (ledger := self.ledger(which, day)) else {}), day
        return owed

    def check_ledger(self, which):
        """The ledger agrees with what is owed, labels and money at each month's end, and has all there is to add."""
        business = self.pair[which]
        self.catch_up(business)
        code_of, entries_, payments = business.roles(), business.ledger(), money_of(business)
        documents = [one for one in entries_ if one["document"]["kind"] != "opening_balance"]
        opened = {one["account"]["code"] for one in entries_ if one not in documents}
        assert opened.isdisjoint(code_of[role] for role in CONTROLLED)
        for _, until in MONTHS:
            balance = Counter()
            for one in documents:
                if one["date"] <= str(until):
                    balance[one["account"]["code"]] += one["debit"] - one["credit"]
            at = {role: balance[code] for role, code in code_of.items()}
            owed = business.web.get(f"/v1/reports/receivables?as_at={until}")["data"]
            assert (at["receivable"], -at["credit_in_hand"]) == (owed["total"], owed["credit"]), until
            due = business.web.get(f"/v1/reports/payables?as_at={until}")["data"]
            assert -at["payable"] == due["total"] - due["credit"], until
            assert at["bank"] == sum(amount for day, amount in payments if day <= str(until)), until
            if which == 1:  # the other's labels are what was lodged
                labels = figures(business.report(EVER[0], until))
                assert -at["gst_collected"] - at["gst_paid"] == labels["1A"] - labels["1B"], until
                assert -at["tax_withheld"] == labels["W4"], until
        ctx = Context(business.app, business.web.tenant_id)
        with ctx.transaction():
            begin_anew(ctx)
        self.catch_up(business)
        assert business.ledger() == entries_

    def catch_up(self, business):
        more = True
        while more:
            ctx = Context(business.app, business.web.tenant_id)
            with ctx.transaction():
                more = catch_up(ctx)

    def ledger(self, which, day):
        """Return the charges less write-offs and net payments, according to the ledger."""
        web = self.pair[which].web
        of = (entries.c.tenant_id == web.tenant_id) & (entries.c.counts_on <= day)
        with web.app.db.reading() as db:
            rows = db.execute(sa.select(entries.c.total, entries.c.written_off, entries.c.cash_rounding).where(of))
            charged = sum((total - bad - rounding for total, bad, rounding in rows), D(0))
        for one in web.get("/v1/payments?per_page=100")["data"]:
            never = one["status"] == "reversed" and one["reversed_on"] is None
            ended = never or (one["reversed_on"] and one["reversed_on"] <= str(day))
            if one["paid_on"] <= str(day) and not ended:
                charged -= one["amount"]
            charged += sum((back["amount"] for back in one["refunds"] if back["refunded_on"] <= str(day)), D(0))
        return charged


def money_of(business):
    """The money received, and below zero the money paid, each with its day."""
    found = []
    for one in business.web.get("/v1/payments?per_page=100")["data"]:
        if one["status"] == "recorded" or one["reversed_on"]:
            found.append((one["paid_on"], one["amount"]))
        if one["reversed_on"]:
            found.append((one["reversed_on"], -one["amount"]))
        found += [(back["refunded_on"], -back["amount"]) for back in one["refunds"]]
    for one in business.web.get("/v1/expenses?per_page=100&include=payments")["data"]:
        paid, withheld = D(0), D(0)
        for day, amount in sorted(spent_on(one), key=lambda part: part[0]):
            paid, before = paid + amount, withheld
            withheld = share(one["tax_withheld"], paid, one["amount"])
            found.append((day, withheld - before - amount))
    return found


def spent_on(expense):
    """The amounts paid of an expense, and below zero those that came back, each with its day."""
    if expense["status"] == "void" and not expense["voided_on"]:
        return []
    if expense["payments"]:
        stood = [one for one in expense["payments"] if one["status"] == "recorded" or one["reversed_on"]]
        parts = [(one["paid_on"], one["reversed_on"], one["amount"]) for one in stood]
    else:
        parts = [(expense["paid_on"], expense["voided_on"], expense["amount"])] if expense["paid_on"] else []
    undone = [(max(paid_on, ended_on), -amount) for paid_on, ended_on, amount in parts if ended_on]
    return [*((paid_on, amount) for paid_on, _, amount in parts), *undone]


def pick(things, which):
    return things[which % len(things)] if things else None


def known_to(which, value):
    """A path or a body, with the ids that one of the two knows."""
    if isinstance(value, Both):
        return value[which]
    if isinstance(value, list | tuple):
        return [known_to(which, one) for one in value]
    if isinstance(value, dict):
        return {name: known_to(which, one) for name, one in value.items()}
    return value


def net(of):
    """The GST of some labels, less what is claimed."""
    signs = {"1A": 1, "1B": -1}
    return sum((sign * of[label]["amount"] for label, sign in signs.items() if label in of), D(0))


def figures(report):
    return {label: report[label]["amount"] for label in LABELS}


class Lodging(RuleBasedStateMachine, Books):
    """The first business lodges, reopens and locks its months, and the second never does."""

    def __init__(self, open_business, basis):
        RuleBasedStateMachine.__init__(self)
        Books.__init__(self, open_business, basis)
        self.lodged, self.locked, self.bases = [], [], {basis}

    @initialize()
    def begin(self):
        for amount in ("550.00", "1100.00"):
            self.happen("sell", 1, 1, amount, 0, "")

    # One rule, because hypothesis leaves out some rules in each run.
    @rule(kind=st.sampled_from(KINDS + PURCHASING + LODGING), **MOVE)
    def act(self, kind, days, one, other, amount, back, how):
        self.wait(days)
        self.happen(kind, one, other, amount, back, how)

    def undo(self, *path, **body):
        """If the client says nothing, tell the second how the first understood it: a lodged period matters."""
        if self.how != "nothing":
            return super().undo(*path, **body)
        before = self.noted()
        self.told = (0,)
        if self.tell(*path, body=body):
            after = self.pair[0].web.last.json["data"]
            if path[2] == "payments":
                (undone,) = (one for one in after["payments"] if one["id"] == path[3].first)
                is_mistake = undone["reversed_on"] is None
            elif path[-1] in UNDONE_ON:
                is_mistake = after[UNDONE_ON[path[-1]]] is None
            else:
                is_mistake = any(day < self.today for day in self.noted()[len(before) :])
            self.told = (1,)
            assert self.tell(*path, body={**body, "mistake": is_mistake}), (path, self.pair[1].web.last.text)
        self.told = (0, 1)
        return None

    def noted(self):
        """The day of each of the first one's entries, in the order in which they were made."""
        of = entries.c.tenant_id == self.pair[0].web.tenant_id
        with self.pair[0].web.app.db.reading() as db:
            return db.execute(sa.select(entries.c.counts_on).where(of).order_by(entries.c.id)).scalars().all()

    def lodge(self):
        if MONTHS[len(self.lodged)][1] < self.today:
            self.lodged.append(self.pair[0].lodge(*map(str, MONTHS[len(self.lodged)])))

    def reopen(self):
        if self.lodged:
            self.pair[0].do(f"gst_periods/{self.lodged.pop()}/reopen", {"reason": "Too early"})

    def lock(self):
        """Lock the first's books only. The second skips each change that the first refuses, so its figures stay too."""
        day = date.fromisoformat(self.date)
        if self.other == 0 and not (self.locked and day <= self.locked[-1][0]):
            self.pair[0].web.patch("/v1/tenant", {"locked_until": str(day)})
            self.locked.append((day, figures(self.report(1, EVER[0], day)), self.owed(1, day)))

    def change_basis(self):
        if self.other == 0:
            basis = ("accrual", "cash")[self.one % 2]
            changed = False
            for business in self.pair:
                since = business.web.get("/v1/tenant")["data"]["gst_settings"]
                since = [one for one in since if one["from"] < self.date]
                new = {"from": self.date, "registered": True, "basis": basis, "period": "month"}
                body = {"gst_settings": [*since, new], "accept_corrections": True}
                answer = business.web.call("PATCH", "/v1/tenant", body)
                if answer.status_int != 200:
                    assert answer.json["error"]["code"] == "period_locked" and not changed, answer.text
                    return
                changed = True
            self.bases.add(basis)

    def teardown(self):
        for _, until in MONTHS:
            assert self.owed(0, until) == self.owed(1, until), until
        for day, labels, owed in self.locked:
            assert (figures(self.report(1, EVER[0], day)), self.owed(1, day)) == (labels, owed), day
        # The first month that is not lodged takes the corrections of those before.
        first, second = ([self.report(which, *month) for month in MONTHS] for which in (0, 1))
        still = len(self.lodged) + 1
        assert [figures(one) for one in first[still:]] == [figures(one) for one in second[still:]]
        as_lodged = [one for report in first[:still] for one in (report, report["corrections"])]
        assert sum(map(net, as_lodged)) == sum(map(net, second[:still]))
        withheld = [sum(one["W4"]["amount"] for one in of if "W4" in one) for of in (as_lodged, second[:still])]
        assert withheld[0] == withheld[1]
        assert sum(map(net, second)) == net(self.report(1, *EVER))
        for which in (0, 1):
            self.check_ledger(which)
        self.give_all_back()

    def give_all_back(self):
        """Once nothing is credit, the GST on sales is what the invoices themselves say."""
        if self.jobs or len(self.bases) > 1:
            return
        web = self.pair[1].web
        self.told = (1,)
        for one in web.get("/v1/payments?per_page=100")["data"]:
            if one["status"] == "recorded" and one["unallocated"]:
                body = {"amount": one["unallocated"], "payment_method": "card"}
                self.tell("payments", one["id"], "refund", body=body)
        notes = web.get("/v1/adjustment_notes?per_page=100&status=issued")["data"]
        expected = owed = D(0)
        for sale in web.get("/v1/invoices?per_page=100")["data"]:
            if sale["status"] in ("draft", "void"):
                continue
            gst = sale["gst"] - sum((one["gst"] for one in notes if one["invoice_id"] == sale["id"]), D(0))
            total = sale["total"] - sale["amount_credited"]
            paid, bad = (share(gst, sale[name], total) for name in ("amount_paid", "amount_written_off"))
            expected += paid if self.basis == "cash" else gst - bad
            owed += sale["amount_due"]
        assert self.owed(1, EVER[1]) == ({"Ada": owed} if owed else {})
        days = f"from={EVER[0]}&to={EVER[1]}"
        found = D(0)
        for label, sign in (("1A", 1), ("1B", -1)):
            documents = web.get(f"/v1/reports/gst/documents?{days}&label={label}")["data"]
            found += sum(sign * one["amount"] for one in documents if not one["id"].startswith("exp_"))
        assert found == expected


def share(gst, part, of):
    return (gst * part / of).quantize(D("0.01"), ROUND_HALF_UP) if of else D(0)


def run(open_business, basis, examples, steps):
    modest = settings(max_examples=examples, stateful_step_count=steps)
    run_state_machine_as_test(lambda: Lodging(open_business, basis), settings=modest)


@pytest.mark.sqlite_alone  # PostgreSQL has a longer walk, below
def test_the_books_agree_however_they_are_lodged(open_business, basis):
    run(open_business, basis, 2, 25)


@pytest.mark.long
def test_the_books_agree_however_they_are_lodged_for_long(open_business, basis, examples):
    run(open_business, basis, examples(25), 40)


class Mistaken(Books):
    """The first business makes a mistake, which the second never made."""

    alike = False  # what the mistake made possible, the second cannot do

    def figures(self, which, since, until):
        days = f"from={since}&to={until}&labels={','.join(LABELS)}"
        report = self.pair[which].web.get(f"/v1/reports/gst?{days}")["data"]
        return figures(report), self.owed(which, until)


MOVES = st.lists(st.fixed_dictionaries({"kind": st.sampled_from(KINDS), **MOVE}), max_size=8)
UNDONE = {
    "sell": ("invoices", "void"),
    "claim": ("invoices", "void"),
    "pay": ("payments", "reverse"),
    "receive": ("payments", "reverse"),
    "allocate": ("payments", "deallocate"),
    "note": ("adjustment_notes", "void"),
    "write_off": ("invoices", "undo_write_off"),
    "bill": ("expenses", "void"),
    "pay_bill": ("expenses", "reverse"),
}


def live(books, moves, *without):
    for move in moves:
        members = {name: value for name, value in move.items() if name not in ("kind", "days")}
        books.wait(move["days"])
        if move["kind"] not in without:
            books.happen(move["kind"], **members)


def check_that_mistakes_leave_nothing(open_business, basis, examples):
    @settings(max_examples=examples)
    @given(MOVES, st.sampled_from([*UNDONE]), st.fixed_dictionaries(MOVE), MOVES, MOVES, st.integers(0, 150))
    def mistake(before, kind, move, between, after, days):
        books = Mistaken(open_business, basis)
        books.happen("job", 0, 0, "", 0, "")
        books.happen("sell", 0, 0, "550.00", 0, "")
        books.happen("bill", 0, 0, "550.00", 0, "")
        live(books, before)
        books.told = (0,)
        books.wait(move.pop("days"))
        made = books.happen(kind, **move)
        assume(made)
        books.told = (0, 1)
        # What a note released of a payment stays released where the payment was a mistake: someone else's may be.
        live(books, between, *(("note",) if kind in MONEY else ()))
        resource, action = UNDONE[kind]
        thing, body = made, {"mistake": True}
        if kind == "allocate":
            thing, invoice = made
            body |= {"invoice_id": invoice, "amount": move["amount"]}
        path = [thing, action]
        if kind == "pay_bill":
            path = [thing[0], "payments", thing[1], action]
        books.told = (0,)
        assume(books.tell(resource, *path, body=body))
        books.told = (0, 1)
        live(books, after)
        cut = min(START + timedelta(days=days), LAST)
        spans = [(EVER[0], cut), (cut + timedelta(days=1), EVER[1])]
        for span in spans:
            assert books.figures(0, *span) == books.figures(1, *span)

    mistake()


@pytest.mark.sqlite_alone  # PostgreSQL has more of them, below
def test_a_mistake_leaves_nothing(open_business, basis):
    check_that_mistakes_leave_nothing(open_business, basis, 3)


@pytest.mark.long
def test_a_mistake_leaves_nothing_for_long(open_business, basis, examples):
    check_that_mistakes_leave_nothing(open_business, basis, examples(100))
