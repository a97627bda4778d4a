"""Random books against a calculation of its own: plain arithmetic from the law, which shares no code with the product.

`Books` is that calculation. It keeps for each invoice what changed on which day, and works out each day's figures anew:

- Accrual: all the GST of a sale counts on the earlier of its invoice and its first payment (s 29-5(1) GST Act), a note
  on its date (s 19-40, 29-20), and a bad debt and what is recovered of it on theirs (s 21-5, 21-10).
- Cash: as much of the GST as of the price was received, each payment on the day it was received (s 29-5(2)); a note
  that reduces what is due changes the price. Bad debts do not count (s 21-5(2)).
- Purchases: an eleventh of the price, for business use (s 11-30), on the earlier of bill and payment or on a cash basis
  on payment, and above $82.50 not before the tax invoice is held (s 29-10(3), 29-80(1)).

All days from the first one on are within each report, so notes reduce the labels of their sales (GSTR 2013/1 par 57).
"""

from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

D = Decimal
FIRST = date(2026, 8, 3)
CENT = D("0.01")


def to_cents(amount):
    return D(amount).quantize(CENT, ROUND_HALF_UP)


@dataclass
class Sale:
    """An invoice: what it is, and what happened to it; each list has a day and an amount."""

    id: str
    client: str
    day: date
    taxed: Decimal
    free: Decimal
    paid: list = field(default_factory=list)
    notes: list = field(default_factory=list)
    bad: list = field(default_factory=list)  # what is written off, and below zero what is recovered
    void_on: date | None = None
    never: bool = False  # it was a mistake

    def total(self, day=date.max):
        return self.taxed + self.free - add_up(self.notes, day)

    def gst(self, day=date.max):
        """An eleventh of the taxed part; notes are of 11.00 each, so of 1.00 of GST."""
        return to_cents(self.taxed / 11) - add_up(self.notes, day) / 11

    def stands(self, day):
        return not self.never and self.day <= day and not (self.void_on and self.void_on <= day)

    def due(self, day=date.max):
        """Return the amount still to be paid."""
        if not self.stands(day):
            return D(0)
        return self.total(day) - add_up(self.paid, day) - add_up(self.bad, day)

    def counted(self, day, basis):
        """Return the amounts that it adds to G1, to 1A, and to 1B for bad debts up to a day."""
        nothing = D(0), D(0), D(0)
        if self.never or (self.void_on and self.void_on <= day):
            return nothing
        if basis == "cash":
            received = add_up(self.paid, day)
            share = received / self.total(day) if received else D(0)
            return received, to_cents(self.gst(day) * share), D(0)
        begins = min([self.day, *(one for one, _ in self.paid)])
        if begins > day:
            return nothing
        bad = add_up(self.bad, day)
        return self.total(day), self.gst(day), to_cents(self.gst(day) * bad / self.total(day)) if bad else D(0)


@dataclass
class Purchase:
    id: str
    amount: Decimal
    percent: int
    day: date
    paid_on: date | None
    held_on: date | None

    def counted(self, day, basis):
        """Return the amounts that it adds to G11 and 1B up to a day."""
        days = [self.paid_on] if basis == "cash" else [self.day, self.paid_on]
        first = min((one for one in days if one), default=date.max)
        if self.amount > D("82.50"):
            first = max(first, self.held_on or date.max)
        if first > day:
            return D(0), D(0)
        return self.amount, to_cents(to_cents(self.amount / 11) * self.percent / 100)


@dataclass
class Money:
    """A payment: what it is, and what of it settles which sale."""

    id: str
    client: str
    day: date
    amount: Decimal
    settles: list = field(default_factory=list)
    undone: bool = False
    bounced: date = date.max

    def left(self):
        return self.amount - sum((amount for _, amount in self.settles), D(0))


def add_up(moves, day):
    return sum((amount for one, amount in moves if one <= day), D(0))


class Books:
    """The events of a business, sent to the product and recorded here besides."""

    def __init__(self, business, basis):
        self.business, self.basis, self.today = business, basis, FIRST
        self.sales, self.money, self.purchases = [], [], []
        self.clients = {business.contact(name): name for name in ("Ada", "Ben")}
        business.on(str(FIRST))

    def act(self, kind, days, which, amount, flag):
        self.today += timedelta(days=days)
        self.business.on(str(self.today))
        getattr(self, kind)(which, amount, flag)

    def pick(self, things, which):
        return things[which % len(things)] if things else None

    def sell(self, which, amount, flag):
        client = self.pick(list(self.clients), which)
        free = amount / 3 if flag else D(0)
        sale = Sale("", client, self.today, amount, to_cents(free))
        lines = [("Work", sale.taxed), *([("Water", sale.free, "gst_free")] if sale.free else [])]
        sale.id = self.business.invoice(self.clients[client], *lines)
        self.sales.append(sale)

    def pay(self, which, amount, flag):
        sale = self.pick([one for one in self.sales if one.due() > 0 or add_up(one.bad, date.max) > 0], which)
        if not sale:
            return
        bad = add_up(sale.bad, date.max)
        amount = min(amount, bad or sale.due()) if flag else (bad or sale.due())
        money = Money(self.business.pay(sale.id, amount), sale.client, self.today, amount, [(sale, amount)])
        sale.paid.append((self.today, amount))
        if bad:
            sale.bad.append((self.today, -amount))
        self.money.append(money)

    def receive(self, which, amount, flag):
        client = self.pick(list(self.clients), which)
        id = self.business.receive(self.clients[client], amount)
        self.money.append(Money(id, client, self.today, amount))

    def match(self, which, amount, flag):
        """Use money for a sale that is due, days after it was received."""
        pairs = [
            (money, sale)
            for money in self.money
            for sale in self.sales
            if not money.undone and money.left() > 0 and sale.due() > 0 and sale.client == money.client
        ]
        if not pairs:
            return
        money, sale = self.pick(pairs, which)
        amount = min(money.left(), sale.due(), *([amount] if flag else []))
        self.business.allocate(money.id, sale.id, amount)
        money.settles.append((sale, amount))
        sale.paid.append((money.day, amount))

    def reverse(self, which, amount, flag):
        """A payment of one sale was a mistake, or bounces today."""
        found = [one for one in self.money if len(one.settles) == 1 and not one.undone and not one.settles[0][0].bad]
        money = self.pick([one for one in found if one.day >= one.settles[0][0].day], which)
        if not money:
            return
        self.business.do(f"payments/{money.id}/reverse", {"mistake": flag})
        (sale, amount), money.undone = money.settles[0], True
        if flag:
            sale.paid.remove((money.day, amount))
            money.day = date.max
        else:
            sale.paid.append((self.today, -amount))
            money.bounced = self.today

    def credit(self, which, amount, flag):
        """Take 11.00, or a multiple, off what is due of the taxed part of a sale."""
        found = [one for one in self.sales if not one.free and not one.bad and one.due() > 11 and one.total() > 22]
        if sale := self.pick(found, which):
            amount = max(D(11), min(amount, sale.due()) // 22 * 11)
            self.business.note(sale.id, amount)
            sale.notes.append((self.today, amount))

    def write_off(self, which, amount, flag):
        found = [one for one in self.sales if one.due() > 0 and not one.bad]
        if sale := self.pick(found, which):
            self.business.do(f"invoices/{sale.id}/write_off", {})
            sale.bad.append((self.today, sale.due()))

    def void(self, which, amount, flag):
        found = [one for one in self.sales if not (one.paid or one.notes or one.bad or one.void_on or one.never)]
        if sale := self.pick(found, which):
            self.business.do(f"invoices/{sale.id}/void", {"mistake": flag})
            sale.never, sale.void_on = flag, None if flag else self.today

    def buy(self, which, amount, flag):
        percent, is_paid = (100, 100, 60, 33)[which % 4], which % 3 > 0
        more = {} if is_paid else {"due_date": "2026-12-31"}
        body = {"business_use_percent": percent, "tax_invoice_held": flag, **more}
        id = self.business.buy("Goods", amount, **body)
        paid_on, held_on = self.today if is_paid else None, self.today if flag else None
        self.purchases.append(Purchase(id, amount, percent, self.today, paid_on, held_on))

    def settle_purchase(self, which, amount, flag):
        """A bill is paid, or a tax invoice comes."""
        if flag and (one := self.pick([one for one in self.purchases if not one.paid_on], which)):
            self.business.expense(one.id, paid_on=str(self.today))
            one.paid_on = self.today
        elif not flag and (one := self.pick([one for one in self.purchases if not one.held_on], which)):
            self.business.expense(one.id, tax_invoice_held=True, tax_invoice_held_on=str(self.today))
            one.held_on = self.today

    def labels(self, day):
        sales = [one.counted(day, self.basis) for one in self.sales]
        bought = [one.counted(day, self.basis) for one in self.purchases]
        total = sum((one[0] for one in bought), D(0))
        return {
            "G1": sum((one[0] for one in sales), D(0)),
            "1A": sum((one[1] for one in sales), D(0)),
            "G11": total,
            "1B": sum((one[2] for one in sales), D(0)) + sum((one[1] for one in bought), D(0)),
        }

    def owed(self, day):
        """Return the amount that each client owes less what they paid, however it was matched."""
        found = {}
        for client, name in self.clients.items():
            sales = [one for one in self.sales if one.client == client and one.stands(day)]
            owed = sum((one.total(day) - add_up(one.bad, day) for one in sales), D(0))
            for one in self.money:
                if one.client == client and one.day <= day and one.bounced > day:
                    owed -= one.amount
            if owed:
                found[name] = owed
        return found

    def check(self, day):
        report = self.business.report(FIRST, day)
        expected = self.labels(day)
        assert {label: report[label]["amount"] for label in expected} == expected, day
        assert self.business.owed(day) == self.owed(day), day


KINDS = [
    *("sell", "sell", "pay", "pay", "receive", "match", "match", "reverse", "credit", "write_off", "void"),
    *("buy", "buy", "settle_purchase"),
]
AMOUNTS = st.sampled_from(["0.07", "13.03", "33.05", "82.50", "82.51", "110.00", "247.77", "1234.56"]).map(D)
MOVES = st.lists(
    st.tuples(st.sampled_from(KINDS), st.integers(0, 9), st.integers(0, 11), AMOUNTS, st.booleans()),
    min_size=5,
    max_size=25,
)


@pytest.mark.either
def test_random_books_come_to_what_the_law_says(open_business, basis):
    @settings(max_examples=max(6, settings().max_examples // 10))
    @given(MOVES)
    def live(moves):
        books = Books(open_business(basis), basis)
        books.sell(0, D("550.00"), False)
        books.sell(1, D("247.77"), True)
        for kind, days, which, amount, flag in moves:
            books.act(kind, days, which, amount, flag)
        span = (books.today - FIRST).days
        for day in sorted({FIRST + timedelta(days=span * part // 4) for part in range(1, 5)}):
            books.check(day)

    live()
