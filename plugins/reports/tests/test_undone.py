"""Undone or later matched payments and documents count on the day that the law and the client set, lodged or not.

Each story is worked out by hand, in three lists of a day and an amount: what the client owes, the GST on an accrual
basis (s 29-5(1), 29-20, 21-5 GST Act), and the GST on a cash basis (s 29-5(2), 29-20(2)).
"""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import product

import pytest

from billycan.testing import Client

pytestmark = pytest.mark.either

D = Decimal
PLUGINS = ("contacts", "documents", "expenses", "hosted", "invoices", "jobs", "reports")
SOLD, PAID, LATER, LAST, EARLY = (date(2026, 9, day) for day in (10, 15, 20, 25, 28))
DATED, TODAY, NEXT_YEAR = date(2026, 10, 5), date(2026, 10, 20), date(2027, 1, 20)
QUARTERS = (
    (date(2026, 7, 1), date(2026, 9, 30)),
    (date(2026, 10, 1), date(2026, 12, 31)),
    (date(2027, 1, 1), date(2027, 3, 31)),
)
LOOKED_AT = (date(2026, 9, 12), date(2026, 9, 30), DATED, TODAY)


@pytest.fixture
def app(make_app):
    return make_app(*PLUGINS)


class Business:
    """A business with a client, on some basis; money is 1,100.00 with 100.00 of GST."""

    signs = {"1A": 1, "1B": -1}  # of the labels that `gst` adds up

    def __init__(self, app, basis):
        self.app, self.web = app, Client(app)
        settings = [{"from": "2000-07-01", "registered": True, "basis": basis}]
        self.web.patch("/v1/tenant", {"gst_settings": settings})
        self.client = self.web.post("/v1/contacts", {"name": "Ada"})["data"]["id"]

    def on(self, day):
        self.app.clock.time = datetime(day.year, day.month, day.day, 2, tzinfo=UTC)

    def act(self, path, body=None, status=200):
        return self.web.post(f"/v1/{path}", body, status)["data"]

    def sell(self, amount=1100):
        self.on(SOLD)
        lines = [{"description": "Work", "unit_price": amount}]
        body = {"client_id": self.client, "amounts_are": "inclusive", "line_items": lines, "due_date": "2026-12-31"}
        id = self.act("invoices", body, 201)["id"]
        self.act(f"invoices/{id}/send")
        return id

    def pay(self, invoice, amount, day=PAID):
        self.on(day)
        body = {"amount": amount, "payment_method": "card"}
        return self.act(f"invoices/{invoice}/payments", body, 201)["payments"][-1]["id"]

    def receive(self, amount):
        self.on(PAID)
        return self.act("payments", {"client_id": self.client, "amount": amount, "payment_method": "card"}, 201)["id"]

    def credit(self, invoice, amount):
        self.on(LATER)
        lines = [{"description": "Goodwill", "unit_price": amount}]
        note = {"invoice_id": invoice, "reason": "other", "line_items": lines}
        id = self.act("adjustment_notes", note, 201)["id"]
        self.act(f"adjustment_notes/{id}/issue")
        return id

    def job(self):
        self.on(SOLD)
        lines = [{"description": "Work", "unit_price": 1100}]
        body = {"client_id": self.client, "title": "Job", "scheduled_start": "2026-09-10T15:00:00+10:00"}
        return self.act("jobs", {**body, "amounts_are": "inclusive", "line_items": lines}, 201)["id"]

    def claim(self, job, day, **part):
        self.on(day)
        id = self.act(f"jobs/{job}/invoice", part, 201)["id"]
        self.act(f"invoices/{id}/send")
        return id

    def buy(self, amount=1100, **more):
        """Billed on one day and paid on another."""
        self.on(PAID)
        category = self.web.get("/v1/expense_categories?per_page=1")["data"][0]["id"]
        body = {"date": str(SOLD), "paid_on": str(PAID), "amount": amount, "category_id": category}
        return self.act("expenses", {**body, "tax_invoice_held": True, **more}, 201)["id"]

    def lodge(self, quarter=0):
        since, until = QUARTERS[quarter]
        self.on(until + timedelta(days=2))
        self.act("gst_periods", {"from": str(since), "to": str(until)}, 201)

    def refused(self, code, path, body):
        """A member of the body breaks a rule."""
        self.web.refused(422, "validation_failed", "POST", f"/v1/{path}", body)
        assert [one["code"] for one in self.web.last.json["error"]["details"]] == [code]

    def owed(self):
        """Return the amount that the client owes at the end of each day; receivables and statements must agree."""
        found = []
        for day in LOOKED_AT:
            receivables = self.web.get(f"/v1/reports/receivables?as_at={day}")["data"]
            found.append(receivables["total"] - receivables["credit"])
        statement = self.web.get(f"/v1/contacts/{self.client}/statement?from=2026-09-01&to={LOOKED_AT[-1]}")["data"]
        moves = [(date.fromisoformat(one["date"]), one["amount"]) for one in statement["entries"]]
        assert found == [sum((amount for day, amount in moves if day <= one), D(0)) for one in LOOKED_AT]
        return found

    def gst(self, corrected=1):
        """The GST of each quarter up to one as it is reported, less what is claimed, and what that one corrects."""
        light = f"&labels={','.join(self.signs)}"
        before = [self.net(self.report(quarter, light)) for quarter in QUARTERS[:corrected]]
        report = self.report(QUARTERS[corrected])
        return [*before, self.net(report), self.net(report["corrections"])]

    def net(self, of):
        return sum((sign * of[label]["amount"] for label, sign in self.signs.items() if label in of), D(0))

    def report(self, quarter, labels=""):
        return self.web.get(f"/v1/reports/gst?from={quarter[0]}&to={quarter[1]}{labels}")["data"]


def sold(amount=1100):
    return [(SOLD, D(amount))]


def until(on, *moves):
    """Moves of days and amounts that count, and that count no more from a day on; of a mistake none do."""
    return [] if on is None else [*moves, *((max(on, day), -amount) for day, amount in moves)]


def an_invoice(business):
    id = business.sell()
    return (
        f"invoices/{id}/void",
        {},
        lambda on: (
            until(on, *sold()),
            until(on, (SOLD, D(100))),
            [],
        ),
    )


def a_payment(business):
    id = business.sell()
    payment = business.pay(id, 550)
    return (
        f"payments/{payment}/reverse",
        {},
        lambda on: (
            [*sold(), *until(on, (PAID, D(-550)))],
            [(SOLD, D(100))],
            until(on, (PAID, D(50))),
        ),
    )


def a_payment_of_an_invoice(business):
    path, _, figures = a_payment(business)
    (invoice,) = business.web.get("/v1/invoices")["data"]
    return f"invoices/{invoice['id']}/{path}", {}, figures


def what_a_payment_settles(business):
    """The client's money stays: it is credit instead."""
    id = business.sell()
    payment = business.pay(id, 550)
    return (
        f"payments/{payment}/deallocate",
        {"invoice_id": id, "amount": 220},
        lambda on: (
            [*sold(), (PAID, D(-550))],
            [(SOLD, D(100))],
            [(PAID, D(30)), *until(on, (PAID, D(20)))],
        ),
    )


def a_note_of_what_is_due(business):
    id = business.sell()
    note = business.credit(id, 330)
    return (
        f"adjustment_notes/{note}/void",
        {},
        lambda on: (
            [*sold(), *until(on, (LATER, D(-330)))],
            [(SOLD, D(100)), *until(on, (LATER, D(-30)))],
            [],
        ),
    )


def a_note_of_what_was_paid(business):
    """It made credit, which nobody used: on a cash basis it never counted."""
    id = business.sell()
    business.pay(id, 1100)
    note = business.credit(id, 330)
    return (
        f"adjustment_notes/{note}/void",
        {},
        lambda on: (
            [*sold(), (PAID, D(-1100)), *until(on, (LATER, D(-330)))],
            [(SOLD, D(100)), *until(on, (LATER, D(-30)))],
            [(PAID, D(100))],
        ),
    )


def a_bad_debt(business):
    id = business.sell()
    business.pay(id, 550)
    business.on(LATER)
    business.act(f"invoices/{id}/write_off", {})
    return (
        f"invoices/{id}/undo_write_off",
        {},
        lambda on: (
            [*sold(), (PAID, D(-550)), *until(on, (LATER, D(-550)))],
            [(SOLD, D(100)), *until(on, (LATER, D(-50)))],
            [(PAID, D(50))],
        ),
    )


def what_was_never_owed(business):
    """The invoice charged 550.00 too much: written off as a mistake, that counts on the invoice's own date (s 9-75)."""
    id = business.sell()
    business.pay(id, 550)
    business.on(LATER)
    business.act(f"invoices/{id}/write_off", {"mistake": True})
    return (
        f"invoices/{id}/undo_write_off",
        {},
        lambda on: (
            [*sold(), (PAID, D(-550)), *until(on, (SOLD, D(-550)))],
            [(SOLD, D(100)), *until(on, (SOLD, D(-50)))],
            [(PAID, D(50))],
        ),
    )


def a_bad_debt_that_was_recovered(business):
    """A payment after the write-off is a recovery until the day of the undo, then a payment of the invoice."""
    id = business.sell()
    business.on(LATER)
    business.act(f"invoices/{id}/write_off", {})
    business.pay(id, 440, LAST)
    return (
        f"invoices/{id}/undo_write_off",
        {},
        lambda on: (
            [*sold(), (LAST, D(-440)), *([] if on is None else [(LATER, D(-1100)), (LAST, D(440)), (on, D(660))])],
            [(SOLD, D(100)), *([] if on is None else [(LATER, D(-100)), (LAST, D(40)), (on, D(60))])],
            [(LAST, D(40))],
        ),
    )


def a_recovery(business):
    id = business.sell()
    business.on(LATER)
    business.act(f"invoices/{id}/write_off", {})
    payment = business.pay(id, 440, LAST)
    return (
        f"payments/{payment}/reverse",
        {},
        lambda on: (
            [*sold(), (LATER, D(-1100))],
            [(SOLD, D(100)), (LATER, D(-100)), *until(on, (LAST, D(40)))],
            until(on, (LAST, D(40))),
        ),
    )


def a_purchase(business):
    id = business.buy()
    return (
        f"expenses/{id}/void",
        {},
        lambda on: (
            [],
            until(on, (SOLD, D(-100))),
            until(on, (PAID, D(-100))),
        ),
    )


def what_a_supplier_gave_back(business):
    """S 19-70, 19-80: what was claimed of it is to be paid."""
    id = business.buy(-220, date=str(LATER), paid_on=str(LATER), refunded_expense_id=business.buy())
    return (
        f"expenses/{id}/void",
        {},
        lambda on: (
            [],
            [(SOLD, D(-100)), *until(on, (LATER, D(20)))],
            [(PAID, D(-100)), *until(on, (LATER, D(20)))],
        ),
    )


def a_purchase_of_which_tax_was_withheld(business):
    """Nothing of it is claimed (s 12-190 of Schedule 1 to the TAA 1953): W4 is looked at. No later quarter has less."""
    id, business.signs = business.buy(tax_withheld=517, tax_invoice_held=False), {"W4": 1}

    def figures(on):
        withheld = [] if on is None or on <= QUARTERS[0][1] else [(PAID, D(517))]
        return [], withheld, withheld

    return f"expenses/{id}/void", {}, figures


def a_payment_of_a_bill(business):
    """On a cash basis a bill counts as it is paid (s 29-10(2))."""
    id = business.buy(paid_on=None, due_date="2026-12-31")
    payment = business.act(f"expenses/{id}/payments", {"amount": 550}, 201)["payments"][0]["id"]
    return (
        f"expenses/{id}/payments/{payment}/reverse",
        {},
        lambda on: (
            [],
            [(SOLD, D(-100))],
            until(on, (PAID, D(-50))),
        ),
    )


def a_use_of_credit(business):
    """The note counts as its credit is used, on a cash basis, and so does the invoice for which it is."""
    id, other = business.sell(), business.sell(330)
    payment = business.pay(id, 1100)
    business.credit(id, 330)
    business.act(f"payments/{payment}/allocate", {"allocations": [{"invoice_id": other, "amount": 330}]})
    return (
        f"payments/{payment}/deallocate",
        {"invoice_id": other},
        lambda on: (
            [*sold(), *sold(330), (PAID, D(-1100)), (LATER, D(-330))],
            [(SOLD, D(130)), (LATER, D(-30))],
            [(PAID, D(100))],
        ),
    )


def a_part_payment(business):
    """On an accrual basis the GST on all of the work counts with the first (s 29-5(1))."""
    id = business.claim(business.job(), SOLD, percent=50, claim="part_payment")
    return (
        f"invoices/{id}/void",
        {},
        lambda on: (
            until(on, *sold(550)),
            until(on, (SOLD, D(100))),
            [],
        ),
    )


def a_final_invoice_of_a_deposit(business):
    """The GST on the deposit counts as it is applied (s 99-10), and the deposit stays paid."""
    job = business.job()
    business.pay(business.claim(job, SOLD, percent=20, claim="deposit"), 220)
    id = business.claim(job, LATER)
    return (
        f"invoices/{id}/void",
        {},
        lambda on: (
            [*sold(220), (PAID, D(-220)), *until(on, (LATER, D(880)))],
            until(on, (LATER, D(100))),
            until(on, (LATER, D(20))),
        ),
    )


def a_payment_of_a_forfeited_deposit(business):
    id = business.claim(business.job(), SOLD, percent=20, claim="deposit")
    payment = business.pay(id, 220)
    business.on(LATER)
    business.act(f"invoices/{id}/forfeit", {})
    return (
        f"payments/{payment}/reverse",
        {},
        lambda on: (
            [*sold(220), *until(on, (PAID, D(-220)))],
            [(LATER, D(20))],
            until(on, (LATER, D(20))),
        ),
    )


def a_release_of_retention(business):
    """It counts when it is invoiced (PAR 2017/2)."""
    job = business.job()
    business.claim(job, SOLD, percent=100, claim="progress", retention_percent=10)
    id = business.claim(job, LATER, claim="retention")
    return (
        f"invoices/{id}/void",
        {},
        lambda on: (
            [*sold(990), *until(on, (LATER, D(110)))],
            [(SOLD, D(90)), *until(on, (LATER, D(10)))],
            [],
        ),
    )


STORIES = (
    an_invoice,
    a_payment,
    a_payment_of_an_invoice,
    what_a_payment_settles,
    a_note_of_what_is_due,
    a_note_of_what_was_paid,
    a_bad_debt,
    what_was_never_owed,
    a_bad_debt_that_was_recovered,
    a_recovery,
    a_purchase,
    what_a_supplier_gave_back,
    a_purchase_of_which_tax_was_withheld,
    a_payment_of_a_bill,
    a_use_of_credit,
    a_part_payment,
    a_final_invoice_of_a_deposit,
    a_payment_of_a_forfeited_deposit,
    a_release_of_retention,
)
HOW = {
    "nothing said": {},
    "a mistake": {"mistake": True},
    "no mistake": {"mistake": False},
    "a date": {"date": str(DATED)},
    "a date in the first quarter": {"date": str(EARLY)},
}
MOST_LODGED = 2


def counts_on(how, lodged, today):
    """The day on which an undo counts, by the contract: None for a mistake."""
    if "date" in HOW[how]:
        return date.fromisoformat(HOW[how]["date"])
    mistake = HOW[how].get("mistake", not lodged)
    return None if mistake else today


def by_quarter(moves):
    return [sum((amount for day, amount in moves if since <= day <= until), D(0)) for since, until in QUARTERS]


@pytest.mark.parametrize("basis", [pytest.param("accrual", marks=pytest.mark.long), "cash"])
@pytest.mark.parametrize("story", STORIES, ids=lambda one: one.__name__)
def test_every_undo_counts_where_it_should(app, story, basis, engine):
    cases = [*product(range(MOST_LODGED + 1), HOW)]
    # Python decides which day counts. Each way and each number of lodged periods asks PostgreSQL once.
    for lodged, how in cases if engine == "sqlite" else cases[::3]:
        business = Business(app, basis)
        path, more, figures = story(business)
        for quarter in range(lodged):
            business.lodge(quarter)
        business.on(today := NEXT_YEAR if lodged == 2 else TODAY)
        business.act(path, {**more, **HOW[how]})
        (owed, *gst), (_, *never) = (figures(on) for on in (counts_on(how, lodged, today), date.max))
        now, before = by_quarter(gst[basis == "cash"]), by_quarter(never[basis == "cash"])
        # What was lodged stays, and the first quarter that was not takes what changed of it.
        last = max(lodged, 1)
        expected = [*before[:lodged], *now[lodged : last + 1], sum(now[:lodged]) - sum(before[:lodged])]
        case = f"{how}, {lodged} lodged"
        assert business.gst(last) == expected, case
        assert business.owed() == [sum((x for day, x in owed if day <= one), D(0)) for one in LOOKED_AT], case


@pytest.mark.parametrize("basis", ["accrual", "cash"])
def test_money_counts_when_it_was_received_however_late_it_is_matched(app, basis):
    for lodged in (False, True):
        business = Business(app, basis)
        id, payment = business.sell(), business.receive(1100)
        if lodged:
            business.lodge()
        business.on(TODAY)
        business.act(f"payments/{payment}/allocate", {"allocations": [{"invoice_id": id, "amount": 1100}]})
        matched = [D(0), D(0), D(100)] if lodged else [D(100), D(0), D(0)]
        assert business.gst() == (matched if basis == "cash" else [D(100), D(0), D(0)])
        assert business.owed() == [1100, 0, 0, 0]
        at_the_end = business.web.get("/v1/reports/receivables?as_at=2026-09-30")["data"]
        assert (at_the_end["total"], at_the_end["credit"]) == (0, 0)


def test_a_wrong_match_made_after_lodging_is_in_no_lodged_period(app):
    """So it was a mistake if nothing is said, and the money counts for the right invoice on the day it came."""
    business = Business(app, "cash")
    wrong, right, payment = business.sell(), business.sell(), business.receive(1100)
    business.lodge()
    business.on(TODAY)
    business.act(f"payments/{payment}/allocate", {"allocations": [{"invoice_id": wrong, "amount": 1100}]})
    business.on(date(2026, 10, 22))
    business.act(f"payments/{payment}/deallocate", {"invoice_id": wrong})
    assert business.gst() == [0, 0, 0]
    business.act(f"payments/{payment}/allocate", {"allocations": [{"invoice_id": right, "amount": 1100}]})
    assert business.gst() == [0, 0, 100]
    assert business.owed() == [2200, 1100, 1100, 1100]
    entries = business.web.get(f"/v1/reports/receivables?as_at={QUARTERS[0][1]}")["data"]["entries"]
    assert [(one["total"], one["credit"]) for one in entries] == [(1100, 0)]


@pytest.mark.parametrize("basis", ["accrual", "cash"])
@pytest.mark.parametrize("how", HOW)
def test_money_that_was_matched_after_lodging_and_is_reversed_was_credit_in_what_was_lodged(app, how, basis):
    """So no lodged label has it: if nothing is said it was a mistake, and its correction goes with it."""
    business = Business(app, basis)
    id, payment = business.sell(), business.receive(1100)
    business.lodge()
    business.on(DATED)
    business.act(f"payments/{payment}/allocate", {"allocations": [{"invoice_id": id, "amount": 1100}]})
    before = [D(100), D(0), D(0)] if basis == "accrual" else [D(0), D(0), D(100)]
    assert business.gst() == before
    business.on(TODAY)
    on = counts_on(how, 0, TODAY)
    assert business.act(f"payments/{payment}/reverse", HOW[how])["reversed_on"] == (on and str(on))
    first, second, _ = by_quarter(until(on, (PAID, D(100))))
    assert business.gst() == (before if basis == "accrual" else [0, second, first])
    paid = until(on, (PAID, D(-1100)))
    assert business.owed() == [1100 + sum(x for day, x in paid if day <= one) for one in LOOKED_AT]


def test_money_that_came_before_its_invoice_brings_it_forward_on_accrual(app):
    """S 29-5(1)(a): the first of invoice and payment."""
    business = Business(app, "accrual")
    payment = business.receive(220)
    business.on(TODAY)
    lines = [{"description": "Work", "unit_price": "1100.00"}]
    body = {"client_id": business.client, "amounts_are": "inclusive", "line_items": lines}
    id = business.act("invoices", body, 201)["id"]
    business.act(f"invoices/{id}/send")
    assert business.gst() == [0, 100, 0]
    business.act(f"payments/{payment}/allocate", {"allocations": [{"invoice_id": id, "amount": 220}]})
    assert business.gst() == [100, 0, 0]
    business.act(f"payments/{payment}/deallocate", {"invoice_id": id})
    assert business.gst() == [0, 100, 0]


def test_money_that_settled_another_invoice_until_some_day_counts_from_then_on(app):
    """It is received once: no day shows it for both, and none shows more than was paid."""
    business = Business(app, "cash")
    first, second, payment = business.sell(), business.sell(), business.receive(1100)
    business.on(TODAY)
    business.act(f"payments/{payment}/allocate", {"allocations": [{"invoice_id": first, "amount": 1100}]})
    business.act(f"payments/{payment}/deallocate", {"invoice_id": first, "amount": 440, "date": str(DATED)})
    business.act(f"payments/{payment}/allocate", {"allocations": [{"invoice_id": second, "amount": 330}]})
    assert business.gst() == [100, -10, 0]
    entries = business.web.get(f"/v1/reports/receivables?as_at={LOOKED_AT[1]}")["data"]["entries"]
    assert [(one["total"], one["credit"]) for one in entries] == [(1100, 0)]


def test_on_a_cash_basis_a_note_counts_as_its_credit_is_given_back_or_used(app):
    """S 29-20(2) GST Act; what reduces only what is due was never counted."""
    business = Business(app, "cash")
    id, other = business.sell(), business.sell()
    payment = business.pay(id, 990)
    business.credit(id, 440)  # 110 of it was due, and 330 is credit
    assert business.gst() == [90, 0, 0]
    business.on(DATED)
    back = {"amount": 110, "payment_method": "card", "refunded_at": str(DATED)}
    business.act(f"payments/{payment}/refund", back)
    assert business.gst() == [90, -10, 0]
    business.on(TODAY)
    business.act(f"payments/{payment}/allocate", {"allocations": [{"invoice_id": other, "amount": 220}]})
    assert business.gst() == [90, -10, 0]  # 20.00 of the note is made good by 20.00 of the other invoice
    report = business.web.get("/v1/reports/gst?from=2026-10-01&to=2026-12-31")["data"]
    assert [[one["amount"] for one in report[label]["documents"]] for label in ("1A", "1B")] == [[20], [30]]


@pytest.mark.parametrize("undone", [None, "a mistake", "a date"])
def test_a_note_of_one_code_counts_by_what_it_takes_off(app, undone):
    """Of a sale that is half GST-free: what is given back of the taxable half takes only GST off."""
    business = Business(app, "cash")
    business.on(SOLD)
    lines = [{"description": "Work", "unit_price": "1100.00"}]
    lines.append({"description": "Water", "unit_price": "1000.00", "gst_code": "gst_free"})
    body = {"client_id": business.client, "amounts_are": "inclusive", "line_items": lines}
    made = business.act("invoices", body, 201)
    business.act(f"invoices/{made['id']}/send")
    payment = business.pay(made["id"], 2100)
    business.on(LATER)
    note = {"invoice_id": made["id"], "reason": "returned"}
    note["line_items"] = [{"invoice_line_id": made["line_items"][0]["id"]}]
    note = business.act("adjustment_notes", note, 201)["id"]
    business.act(f"adjustment_notes/{note}/issue")
    assert business.gst() == [100, 0, 0]
    business.on(TODAY)
    if undone:
        business.act(f"adjustment_notes/{note}/void", HOW[undone])
        assert business.gst() == [100, 0, 0]
        return
    for _ in range(2):
        business.act(f"payments/{payment}/refund", {"amount": 550, "payment_method": "card"})
    assert business.gst() == [100, -100, 0]
    report = business.web.get("/v1/reports/gst?from=2026-10-01&to=2026-12-31")["data"]
    assert [report[label]["amount"] for label in ("G1", "G3", "G18", "1B")] == [0, 0, 1100, 100]


@pytest.mark.parametrize("amount", [220, 110])
@pytest.mark.parametrize("spent", ["refunded", "used"])
@pytest.mark.parametrize("undone", [{}, {"date": str(LAST)}, {"date": str(TODAY)}], ids=["mistake", "before", "after"])
def test_what_was_given_back_stays_so_whichever_note_it_was_of(app, undone, spent, amount):
    """Credit of two notes is alike: once the first is void, what was given back of it was of the second."""
    business = Business(app, "cash")
    id, other = business.sell(), business.sell(220)
    payment = business.pay(id, 1100)
    first, _ = business.credit(id, 220), business.credit(id, 330)
    business.on(DATED)
    back = {"amount": amount, "payment_method": "card"}
    used = {"allocations": [{"invoice_id": other, "amount": amount}]}
    paths = {"refunded": ("refund", back), "used": ("allocate", used)}
    business.act(f"payments/{payment}/{paths[spent][0]}", paths[spent][1])
    gst = [100, -D(amount) / 11 if spent == "refunded" else 0, 0]
    assert business.gst() == gst
    business.on(TODAY)
    business.act(f"adjustment_notes/{first}/void", undone)
    assert business.gst() == gst
    if spent == "used":
        business.act(f"payments/{payment}/deallocate", {"invoice_id": other})
        assert business.gst() == [100, 0, 0]
        amount = 0
    business.act(f"payments/{payment}/refund", {**back, "amount": 330 - amount})
    assert business.gst() == [100, -30, 0]


def test_what_was_paid_before_a_write_off_but_recorded_after_it_is_no_recovery(app):
    """On no day is the debt whole again."""
    business = Business(app, "accrual")
    id = business.sell()
    business.on(LATER)
    business.act(f"invoices/{id}/write_off", {})
    business.on(TODAY)
    body = {"amount": 440, "payment_method": "card", "paid_at": str(PAID)}
    business.act(f"invoices/{id}/payments", body, 201)
    assert business.owed() == [1100, 0, 0, 0]
    at = business.web.get(f"/v1/reports/receivables?as_at={PAID}")["data"]
    assert (at["total"], at["credit"]) == (660, 0)
    report = business.web.get("/v1/reports/gst?from=2026-07-01&to=2026-09-30")["data"]
    assert (report["G18"]["amount"], report["1B"]["amount"]) == (660, 60)


def test_a_write_off_has_a_day(app):
    business = Business(app, "accrual")
    id = business.sell()
    business.pay(id, 550)
    business.on(TODAY)
    path = f"invoices/{id}/write_off"
    for day in (SOLD, date(2026, 10, 21)):  # before the payment, and tomorrow
        business.refused("out_of_range", path, {"date": str(day)})
    business.refused("invalid_value", path, {"mistake": True, "date": str(LATER)})
    made = business.act(path, {"date": str(LATER), "mistake": False})
    assert made["written_off_on"] == str(LATER) and "undo_write_off" in made["allowed_actions"]
    assert business.gst() == [50, 0, 0]
    assert business.owed() == [1100, 0, 0, 0]
    undone = business.act(f"invoices/{id}/undo_write_off", {})
    assert (undone["status"], undone["amount_due"], undone["written_off_on"]) == ("partially_paid", 550, None)
    business.web.refused(409, "invalid_state_transition", "POST", f"/v1/invoices/{id}/undo_write_off", {})


@pytest.mark.parametrize("basis", ["accrual", "cash"])
def test_what_was_never_owed_counts_on_no_day_after_the_invoice(app, basis):
    """On an accrual basis a lodged period that has it is corrected; on a cash basis it never counted."""
    for lodged in (False, True):
        business = Business(app, basis)
        id = business.sell()
        business.pay(id, 880)
        if lodged:
            business.lodge()
        business.on(TODAY)
        made = business.act(f"invoices/{id}/write_off", {"mistake": True, "reason": "20 % discount was agreed"})
        assert (made["written_off_on"], made["amount_written_off"], made["amount_due"]) == (str(SOLD), 220, 0)
        assert business.owed() == [880, 0, 0, 0]
        counted = [D(100), D(0), D(-20)] if lodged else [D(80), D(0), D(0)]
        assert business.gst() == (counted if basis == "accrual" else [D(80), D(0), D(0)])


def test_what_was_never_owed_was_at_no_time_a_bad_debt(app):
    business = Business(app, "accrual")
    id = business.sell()
    business.on(PAID)
    business.act(f"invoices/{id}/write_off", {})
    business.on(LAST)
    business.act(f"invoices/{id}/undo_write_off", {"mistake": False})
    assert business.owed() == [1100, 1100, 1100, 1100]
    business.act(f"invoices/{id}/write_off", {"mistake": True})
    for day in (SOLD, PAID, LATER, LAST):
        at = business.web.get(f"/v1/reports/receivables?as_at={day}")["data"]
        assert (at["total"], at["credit"]) == (0, 0)
    assert business.gst() == [0, 0, 0]


def test_what_was_never_owed_is_refused_while_the_day_of_its_invoice_is_locked(app):
    business = Business(app, "accrual")
    id = business.sell()
    business.on(TODAY)
    business.web.patch("/v1/tenant", {"locked_until": str(LAST)})
    path = f"invoices/{id}/write_off"
    business.web.refused(409, "period_locked", "POST", f"/v1/{path}", {"mistake": True})
    business.act(path, {})


def test_an_undo_is_refused_on_days_on_which_it_cannot_be(app):
    business = Business(app, "accrual")
    id, payment = business.sell(), business.receive(550)
    business.on(TODAY)
    paths = {f"invoices/{id}/void": SOLD, f"payments/{payment}/reverse": PAID}
    for path, day in paths.items():
        for wrong in (date(day.year, day.month, day.day - 1), date(2026, 10, 21)):
            business.refused("out_of_range", path, {"date": str(wrong)})
        business.refused("invalid_value", path, {"date": str(day), "mistake": True})
        business.act(path, {"date": str(day)})
    assert business.owed() == [0, 0, 0, 0]


def test_a_refund_is_not_dated_before_its_payment(app):
    business = Business(app, "cash")
    payment = business.receive(550)
    business.on(TODAY)
    body = {"amount": 110, "payment_method": "card", "refunded_at": str(SOLD)}
    business.refused("out_of_range", f"payments/{payment}/refund", body)
    business.act(f"payments/{payment}/refund", {**body, "refunded_at": str(PAID)})


def test_a_mistaken_payment_takes_off_what_a_note_released_of_it(app):
    for basis, gst in (("accrual", [70, 0, 0]), ("cash", [0, 0, 0])):
        business = Business(app, basis)
        id = business.sell()
        payment = business.pay(id, 1100)
        business.credit(id, 330)
        business.on(TODAY)
        business.act(f"payments/{payment}/reverse", {})
        assert business.gst() == gst
        assert business.owed() == [1100, 770, 770, 770]
        assert business.web.get(f"/v1/invoices/{id}")["data"]["amount_due"] == 770
