"""A mistake leaves no trace: the books are those of a business to which it never happened, on every day."""

from decimal import Decimal

import pytest

pytestmark = pytest.mark.either

D = Decimal
JUL, AUG, SEP = ("2026-07-01", "2026-07-31"), ("2026-08-01", "2026-08-31"), ("2026-09-01", "2026-09-30")
Q1, Q2 = ("2026-07-01", "2026-09-30"), ("2026-10-01", "2026-12-31")
MISTAKE = {"mistake": True}


def a_sale_and_credit(open_business):
    """On a cash basis: 1,100 is paid, and a note of 330 gives credit, of which nothing is given back yet."""
    b = open_business("cash")
    b.on("2026-08-03")
    sold = b.invoice("Ada", ("Work", "1100.00"))
    paid = b.pay(sold, "1100.00")
    b.on("2026-08-10")
    b.note(sold, "330.00")
    other = b.invoice("Ada", ("More", "330.00"))
    b.on("2026-10-10")
    return b, paid, other


def test_credit_that_was_used_by_mistake_is_held_back_again(open_business):
    """The note counts when its credit is given back or used (s 29-20(2))."""
    b, paid, other = a_sale_and_credit(open_business)
    unused = {"G1": D(1100), "1A": D(100)}
    assert (b.labels(*Q1), b.labels(*Q2)) == (unused, {})
    for amounts in (["330.00"], ["110.00", "220.00"]):
        b.allocate(paid, other, "330.00")
        assert b.labels(*Q2) == {"G1": D(330), "1A": D(30), "G18": D(330), "1B": D(30)}
        for amount in amounts:
            b.do(f"payments/{paid}/deallocate", {"invoice_id": other, "amount": amount, **MISTAKE})
        assert (b.labels(*Q1), b.labels(*Q2)) == (unused, {})
        assert b.owed("2026-10-10") == {}


def test_credit_that_is_used_no_more_is_held_back_from_that_day(open_business):
    b, paid, other = a_sale_and_credit(open_business)
    b.allocate(paid, other, "330.00")
    b.on("2026-11-10")
    b.do(f"payments/{paid}/deallocate", {"invoice_id": other, "date": "2026-11-10"})
    october, november = ("2026-10-01", "2026-10-31"), ("2026-11-01", "2026-11-30")
    net = [
        sum(b.labels(*days).get(label, D(0)) * sign for label, sign in (("1A", 1), ("1B", -1)))
        for days in (october, november)
    ]
    assert net == [0, 0]
    assert (b.labels(*Q1), b.labels(*Q2)) == ({"G1": D(1100), "1A": D(100)}, {})
    b.refund(paid, "330.00")
    assert b.labels(*Q2) == {"G18": D(330), "1B": D(30)}


@pytest.mark.parametrize("noted", ["110.00", "330.00", "1100.00"])
def test_a_final_invoice_leaves_nothing_of_its_deposit(open_business, basis, noted):
    """Its GST arises once it is taken off the price (s 99-10), and by mistake never was."""
    b = open_business(basis)
    b.on("2026-07-03")
    job = b.job("Ada", "Bathroom", "5500.00")
    deposit = b.claim(job, percent=20, claim="deposit")
    b.pay(deposit, "1100.00")
    b.on("2026-07-10")
    b.do(f"invoices/{b.claim(job)}/void", {"date": "2026-07-10"})  # it is let go and taken off again
    until_then = [b.labels(*month) for month in (JUL, AUG, SEP)]
    b.on("2026-07-20")
    final = b.claim(job)
    b.on("2026-08-10")
    b.note(deposit, noted, reason="other")
    b.on("2026-09-10")
    b.do(f"invoices/{final}/void", MISTAKE)
    assert [b.labels(*month) for month in (JUL, AUG, SEP)] == until_then


@pytest.mark.parametrize("amount", ["550.00", "440.00"])
def test_a_note_leaves_nothing_of_a_payment_that_bounced_since(open_business, basis, amount):
    def books(with_note):
        b = open_business(basis)
        b.on("2026-07-03")
        sold = b.invoice("Ada", ("Work", "550.00"))
        paid = b.pay(sold, amount)
        b.on("2026-07-20")
        note = b.note(sold, "220.00") if with_note else None
        b.on("2026-08-10")
        b.do(f"payments/{paid}/reverse", {"date": "2026-08-10"})
        if note:
            b.on("2026-08-20")
            b.do(f"adjustment_notes/{note}/void", MISTAKE)
        at = [b.web.get(f"/v1/reports/receivables?as_at={day}")["data"] for day in ("2026-07-25", "2026-08-25")]
        owed = [b.owed(day) for day in ("2026-07-25", "2026-08-15", "2026-08-25")]
        return [(one["total"], one["credit"]) for one in at], owed, [b.labels(*month) for month in (JUL, AUG)]

    assert books(True) == books(False)


@pytest.mark.parametrize("days", [("2026-10-03", "2026-11-17"), ("2026-08-01", "2026-12-31")])
def test_days_that_are_no_tax_period_have_nothing_to_lodge(open_business, days):
    b = open_business("accrual")
    b.on("2026-08-06")
    b.invoice("Ada", ("Work", "1100.00"))
    b.on("2026-10-05")
    b.lodge(*Q1)
    b.invoice("Ada", ("Late", "110.00"), issue_date="2026-08-01")
    assert {one["to_lodge"] for label, one in b.report(*days).items() if label in ("G1", "1A", "1B", "G20")} == {None}
    assert (b.report(*Q1)["1A"]["to_lodge"], b.report(*Q2)["1A"]["to_lodge"]) == (100, 10)
