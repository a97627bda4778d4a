"""Whatever happens and is undone: ledger, labels, receivables and statements agree at the end of each month.

The same things happen to two businesses, each with the day on which it counts. One lodges months, and takes that back;
its twin never does. What the one lodges, corrections included, comes to what the other reports. In the end all credit
is given back, and the GST of all days is that of the invoices as they stand, worked out here by plain arithmetic.
"""

from collections import defaultdict
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

D = Decimal
FIRST, LAST = date(2026, 7, 6), date(2026, 11, 27)
MONTHS = [(date(2026, month, 1), date(2026, month + 1, 1) - timedelta(days=1)) for month in range(5, 12)]
SINCE, EVER = str(MONTHS[0][0]), "2027-12-31"
ADJUSTED = ("G1", "G2", "G3", "G4", "G7", "1A", "G10", "G11", "G13", "G14", "G15", "G18", "1B")
CARD = {"payment_method": "card"}
TERMS = (
    *({}, {"business_use_percent": 33}, {"tax_invoice_held": False}, {"due_date": "2027-01-01"}),
    *({"gst_code": "capital"}, {"tax_withheld": "30.00"}, {"gst_code": "gst_free"}, {"gst": "3.00"}),
)
CHANGES = ({"tax_invoice_held": True}, {"paid_on": str(LAST)}, {"business_use_percent": 50}, {"amount": "66.00"})


class Twins:
    """Two businesses to which the same happens; a record is known by its place, and its ids are one of each."""

    def __init__(self, open_business, basis):
        self.basis, self.today = basis, FIRST
        self.both = [open_business(basis, period="month") for _ in range(2)]
        self.records, self.lodged = defaultdict(list), []
        self.rent = self.both[0].categories["Rent"]  # starter categories have the same ids everywhere

    def act(self, kind, days, which, amount, back, how):
        self.today = min(self.today + timedelta(days=days), LAST)
        for one in self.both:
            one.on(str(self.today))
        self.amount, self.back = amount, str(self.today - timedelta(days=back))
        self.how = {"mistake": True} if how == 0 else {"mistake": False} if how == 1 else {"date": self.back}
        getattr(self, kind)(which, *(self.records[name] for name in NEEDS.get(kind, ())))

    def say(self, path, ids=("", ""), kind=None, method="POST", **body):
        """Tell both; what the one that lodges may do, so may the other. Pairs have a value for each."""
        made = []
        for place, one in enumerate(self.both):
            its = {name: value[place] if isinstance(value, Pair) else value for name, value in body.items()}
            answer = one.web.call(method, "/v1/" + path.format(ids[place]), its)
            if answer.status_int >= 300:
                assert answer.status_int in (409, 422) and not place, answer.text
                return None
            data = answer.json["data"]
            made.append(data["payments"][-1]["id"] if kind == "payment" and "payments" in data else data["id"])
        if kind:
            self.records[kind].append(made)
        return made

    def client(self):
        return Pair(one.contact("Ada") for one in self.both)

    # What can happen --------------------------------------------------------------------------------------------------

    def sell(self, which, *_):
        lines = [{"description": "Work", "unit_price": ("1100.00", "550.00", "333.33")[which % 3]}]
        lines += [{"description": "Water", "unit_price": "220.00", "gst_code": "gst_free"}][: which // 5]
        dates = {"issue_date": self.back, "due_date": "2027-06-30"}
        made = self.say(
            "invoices", kind="invoice", client_id=self.client(), amounts_are="inclusive", line_items=lines, **dates
        )
        self.say("invoices/{}/send", made)

    def pay(self, which, invoices):
        self.say(
            "invoices/{}/payments", pick(invoices, which), "payment", amount=self.amount, paid_at=self.back, **CARD
        )

    def receive(self, which):
        body = {"client_id": self.client(), "amount": self.amount, "paid_at": self.back, **CARD}
        self.say("payments", kind="payment", **body)

    def allocate(self, which, payments, invoices):
        invoice = pick(invoices, which)
        shares = Pair([{"invoice_id": id, "amount": self.amount}] for id in invoice)
        self.say("payments/{}/allocate", pick(payments, which), allocations=shares)

    def deallocate(self, which, payments, invoices):
        of = Pair(pick(invoices, which))
        self.say("payments/{}/deallocate", pick(payments, which), invoice_id=of, amount=self.amount, **self.how)

    def refund(self, which, payments):
        self.say("payments/{}/refund", pick(payments, which), amount=self.amount, refunded_at=self.back, **CARD)

    def credit(self, which, invoices):
        lines = [{"description": "Goodwill", "unit_price": self.amount, "gst_code": ("gst", "gst_free")[which % 2]}]
        of = Pair(pick(invoices, which))
        note = self.say("adjustment_notes", kind="note", invoice_id=of, reason="other", line_items=lines)
        if note:
            self.say("adjustment_notes/{}/issue", note)

    def write_off(self, which, invoices):
        self.say("invoices/{}/write_off", pick(invoices, which), date=self.back)

    def undo(self, which, *records):
        """One of these is undone: as a mistake, today, or on a day before."""
        verbs = ("invoices/{}/void", "invoices/{}/undo_write_off", "payments/{}/reverse", "adjustment_notes/{}/void")
        verb, of = pick([*zip((*verbs, "expenses/{}/void"), records, strict=True)], which)
        if of:
            self.say(verb, pick(of, which // 2), **self.how)

    def buy(self, which):
        body = {"date": self.back, "amount": "110.00", "category_id": self.rent, "tax_invoice_held": True}
        self.say("expenses", kind="expense", **{**body, **TERMS[which % len(TERMS)]})

    def give_back(self, which, expenses):
        of = Pair(pick(expenses, which))
        body = {"date": str(self.today), "amount": "-55.00", "category_id": self.rent, "refunded_expense_id": of}
        self.say("expenses", kind="expense", **body)

    def change(self, which, expenses):
        self.say("expenses/{}", pick(expenses, which), method="PATCH", **CHANGES[which % len(CHANGES)])

    def lodge(self, which):
        if len(self.lodged) < len(MONTHS) and MONTHS[len(self.lodged)][1] < self.today:
            self.lodged.append(self.both[0].lodge(*map(str, MONTHS[len(self.lodged)])))

    def reopen(self, which):
        if self.lodged:
            self.both[0].do(f"gst_periods/{self.lodged.pop()}/reopen", {"reason": "Too early"})

    # What is true -----------------------------------------------------------------------------------------------------

    def check(self):
        lodges, never = self.both
        reported = D(0)
        for place, month in enumerate(MONTHS):
            mine, theirs = (one.report(*month) for one in self.both)
            for report in (mine, theirs):
                fixed = report["corrections"]
                least = [report[label]["amount"] for label in ADJUSTED] + [one["amount"] for one in fixed.values()]
                assert min(least) >= 0, month
            if place <= len(self.lodged):  # the first that is not lodged has the last corrections
                reported += net(mine) + net(mine["corrections"]) - net(theirs)
            else:
                assert {x: mine[x]["amount"] for x in ADJUSTED} == {x: theirs[x]["amount"] for x in ADJUSTED}, month
            assert lodges.owed(month[1]) == never.owed(month[1])  # receivables are the statement's, entry by entry
        assert reported == 0

    def check_all_given_back(self):
        """The ledger says the same as the invoices and payments themselves."""
        b = self.both[1]
        for one in b.web.get("/v1/payments?per_page=100&status=recorded")["data"]:
            if one["unallocated"]:
                b.refund(one["id"], str(one["unallocated"]))
        credited = defaultdict(D)
        for note in b.web.get("/v1/adjustment_notes?per_page=100&status=issued")["data"]:
            credited[note["invoice_id"]] += note["gst"]
        due, gst = D(0), D(0)
        for one in b.web.get("/v1/invoices?per_page=100")["data"]:
            if one["status"] not in ("draft", "void"):
                price, its = one["total"] - one["amount_credited"], one["gst"] - credited[one["id"]]
                due += one["amount_due"]
                if self.basis == "cash":
                    gst += share(its, one["amount_paid"], price)
                else:
                    gst += its - share(its, one["amount_written_off"], price)
        claimed = {}
        for one in b.web.get("/v1/expenses?per_page=100&status=recorded")["data"]:
            if one["gst_breakdown"]["claim_status"] == "claimable" and (one["paid_on"] or self.basis == "accrual"):
                claimed[one["id"]] = one["refunded_expense_id"], one["gst"], one["business_use_percent"]
        for id, (of, tax, percent) in claimed.items():
            if of is None:
                given_back = sum((more for other, more, _ in claimed.values() if other == id), D(0))
                gst -= share(tax, percent, D(100)) - share(-given_back, percent, D(100))
        assert net(b.report(SINCE, EVER)) == gst
        assert b.owed(EVER) == ({"Ada": due} if due else {})


class Pair(list):
    """A value for each of the two."""


NEEDS = {
    **dict.fromkeys(("pay", "credit", "write_off"), ("invoice",)),
    **dict.fromkeys(("allocate", "deallocate"), ("payment", "invoice")),
    **dict.fromkeys(("give_back", "change"), ("expense",)),
    "refund": ("payment",),
    "undo": ("invoice", "invoice", "payment", "note", "expense"),
}


def pick(things, which):
    return things[which % len(things)]


def net(of):
    return sum((of[label]["amount"] * sign for label, sign in (("1A", 1), ("1B", -1)) if label in of), D(0))


def share(amount, part, whole):
    return (amount * part / whole).quantize(D("0.01"), ROUND_HALF_UP) if whole else D(0)


KINDS = (
    *("sell", "pay", "pay", "receive", "allocate", "allocate", "deallocate", "refund", "credit", "credit", "write_off"),
    *("undo", "undo", "undo", "buy", "give_back", "change", "lodge", "lodge", "reopen"),
)
MOVES = st.lists(
    st.tuples(
        st.sampled_from(KINDS),
        st.sampled_from([0, 2, 9, 20]),
        st.integers(0, 9),
        st.sampled_from(["11.00", "110.00", "330.00", "550.00"]),
        st.sampled_from([0, 0, 0, 5, 40]),
        st.integers(0, 2),
    ),
    min_size=8,
    max_size=30,
)


@pytest.mark.either
def test_ledger_labels_receivables_and_statements_agree(open_business, basis):
    @settings(max_examples=max(4, settings().max_examples // 12))
    @given(MOVES)
    def live(moves):
        twins = Twins(open_business, basis)
        for kind, *more in (("sell", 0, 0, "11.00", 0, 0), ("sell", 0, 5, "11.00", 0, 0), *moves):
            if all(twins.records[name] for name in NEEDS.get(kind, ()) if kind != "undo"):
                twins.act(kind, *more)
        twins.check()
        twins.check_all_given_back()

    live()
