"""A plumber's year: deposits, progress claims, notes, bad debts, and what is undone before and after lodging.

Sections without an Act are from the A New Tax System (Goods and Services Tax) Act 1999. All prices include GST. What is
not at a label of the list is zero there.
"""

from decimal import Decimal

import pytest

pytestmark = pytest.mark.either

Q1, Q2 = ("2026-07-01", "2026-09-30"), ("2026-10-01", "2026-12-31")
Q3, Q4 = ("2027-01-01", "2027-03-31"), ("2027-04-01", "2027-06-30")
Q5 = ("2027-07-01", "2027-09-30")

ACCRUAL = {
    Q1: {
        # Tap 1,100, claim 2,200, boiler 880, and two invoices sent by mistake, 330 and 440, of which nobody knows yet.
        # The deposit of 1,100 is no payment for a supply yet (s 99-5). What was voided as a mistake, 770, was never
        # a supply (s 9-5).
        "G1": "4950.00",
        "1A": "450.00",  # an eleventh (s 9-75): 100 + 200 + 80 + 30 + 40
        "G11": "660.00",  # pipes
        "1B": "60.00",
    },
    Q2: {
        # The rest of the bathroom, 5,500 - 2,200, with the deposit in it (s 99-10), and gutters 880
        "G1": "4180.00",
        "1A": "380.00",  # 300 + 80
        # Decreasing adjustments of sales of Q1 (s 19-40): notes 110 and 88, and 330 that was voided after lodging
        "G18": "528.00",
        "1B": "48.00",  # 10 + 8 + 30
    },
    Q3: {
        "G1": "440.00",  # drains; part of it is paid by credit, which changes nothing here
        "1A": "40.00",
        "G11": "1320.00",  # the copper's bill came in March (s 29-10(1)(b))
        "1B": "120.00",
    },
    Q4: {
        "G1": "550.00",  # the deposit that is forfeited (s 99-10)
        "G7": "66.00",  # pipes of Q1 given back (s 19-70)
        "1A": "56.00",  # 50 + 6
        "G18": "880.00",  # the gutters are a bad debt (s 21-5)
        "1B": "80.00",
    },
    Q5: {"G7": "220.00", "1A": "20.00"},  # a quarter of the gutters is paid after all (s 21-10)
}

CASH = {
    Q1: {
        # Tap 1,100; boiler 880, which was received on 22 September though it was matched in October (s 29-5(2))
        "G1": "1980.00",
        "1A": "180.00",
        "G11": "660.00",
        "1B": "60.00",
    },
    Q2: {
        # Claim 2,200 and the rest of the bathroom 2,200 as they are paid, and the deposit 1,100 as it is applied
        "G1": "5500.00",
        "1A": "500.00",
        "G18": "110.00",  # the note of which the money was given back; the other one's was not (s 29-20(2))
        "1B": "10.00",
    },
    Q3: {
        "G1": "660.00",  # drains 88 by credit and 352 by card; gutters 220, of which nobody knows that it will bounce
        "1A": "60.00",
        "G18": "88.00",  # the credit of the second note is used (s 29-20(2))
        "1B": "8.00",
    },
    Q4: {
        "G1": "550.00",  # the deposit that is forfeited
        "G7": "66.00",
        "1A": "56.00",  # 50 + 6
        "G11": "1320.00",  # the copper is paid (s 29-10(2))
        "G18": "220.00",  # the payment of March bounced in April
        "1B": "140.00",  # 120 + 20; a bad debt is no adjustment, because its GST never counted (s 21-5(2))
    },
    Q5: {"G1": "220.00", "1A": "20.00"},  # what is paid of the gutters is a sale as any other
}


def test_a_plumbers_year(open_business, basis, exact):  # noqa: PLR0915 - a story, day by day
    expected = {quarter: exact(labels) for quarter, labels in (ACCRUAL if basis == "accrual" else CASH).items()}
    plumber = open_business(basis)
    net = Decimal(0)

    # First quarter
    plumber.on("2026-07-06")
    tap = plumber.invoice("Marnie", ("Tap", "1100.00"))
    plumber.on("2026-07-20")
    tap_paid = plumber.pay(tap, "1100.00")
    plumber.on("2026-08-03")
    bathroom = plumber.job("Marnie", "Bathroom", "5500.00")
    deposit = plumber.claim(bathroom, percent=20, claim="deposit")
    plumber.on("2026-08-10")
    plumber.pay(deposit, "1100.00")
    plumber.on("2026-08-24")
    claim = plumber.claim(bathroom, amount="2200.00", claim="progress")  # a tax invoice of its own (Div 156)
    plumber.on("2026-09-10")
    pipes = plumber.buy("Pipes", "660.00")
    plumber.on("2026-09-15")
    boiler = plumber.invoice("Ben", ("Boiler", "880.00"))
    plumber.on("2026-09-22")
    boiler_paid = plumber.receive("Ben", "880.00")
    plumber.on("2026-09-29")
    wrong = [plumber.invoice("Ben", ("Not Ben's", price)) for price in ("770.00", "330.00", "440.00")]
    assert plumber.owed("2026-09-30") == exact({"Marnie": "2200.00", "Ben": "1540.00"})

    plumber.on("2026-10-02")
    plumber.do(f"invoices/{wrong[0]}/void", {})
    plumber.on("2026-10-05")
    plumber.allocate(boiler_paid, boiler, "880.00")
    assert plumber.labels(*Q1) == expected[Q1]
    assert plumber.owed("2026-09-30") == exact({"Marnie": "2200.00", "Ben": "770.00"})
    plumber.on("2026-10-28")
    plumber.lodge(*Q1)

    # Second quarter
    claim_paid = plumber.pay(claim, "2200.00")
    plumber.on("2026-11-09")
    plumber.note(tap, "110.00")
    plumber.on("2026-11-12")
    plumber.refund(tap_paid, "110.00")
    plumber.on("2026-11-16")
    plumber.do(f"invoices/{wrong[1]}/void", {})  # its period was lodged: it counts today
    plumber.do(f"invoices/{wrong[2]}/void", {"mistake": True})  # it was no supply: the first quarter was wrong
    plumber.on("2026-11-20")
    rest = plumber.claim(bathroom)
    shown = plumber.web.get(f"/v1/invoices/{rest}")["data"]
    assert (shown["total"], shown["gst"]) == (Decimal("2200.00"), Decimal("300.00"))
    plumber.on("2026-12-14")
    plumber.note(boiler, "88.00")
    plumber.on("2026-12-15")
    plumber.pay(rest, "2200.00")
    plumber.on("2026-12-18")
    gutters = plumber.invoice("Cleo", ("Gutters", "880.00"))
    assert plumber.labels(*Q1) == expected[Q1]  # what was lodged stays
    assert plumber.labels(*Q2) == expected[Q2]
    # Only on an accrual basis was anything reported of the invoice: an eleventh of 440 too much.
    corrections = {"G18": "440.00", "1B": "40.00"} if basis == "accrual" else {}
    assert plumber.corrections(*Q2) == exact(corrections)
    assert plumber.to_lodge(*Q2) == (
        {"G1": 4180, "1A": 380, "G18": 968, "1B": 88}
        if basis == "accrual"
        else {"G1": 5500, "1A": 500, "G18": 110, "1B": 10}
    )
    # The 440 never was a debt; the 330 was one until 16 November. Ben's credit is 88.
    assert plumber.owed("2026-09-30") == exact({"Marnie": "2200.00", "Ben": "330.00"})
    assert plumber.owed("2026-12-31") == exact({"Ben": "-88.00", "Cleo": "880.00"})
    plumber.on("2027-01-12")
    plumber.lodge(*Q2)

    # Third quarter
    plumber.on("2027-01-18")
    drains = plumber.invoice("Ben", ("Drains", "440.00"))
    plumber.allocate(boiler_paid, drains, "88.00")
    plumber.on("2027-01-25")
    plumber.pay(drains, "352.00")
    plumber.on("2027-02-08")
    bounced = plumber.pay(gutters, "330.00")
    plumber.on("2027-02-11")
    plumber.do(f"payments/{bounced}/reverse", {"date": "2027-02-11"})  # within the quarter: nothing is left of it
    plumber.on("2027-03-15")
    copper = plumber.buy("Copper", "1320.00", due_date="2027-04-15")
    plumber.on("2027-03-30")
    bounced = plumber.pay(gutters, "220.00")
    assert plumber.labels(*Q3) == expected[Q3]

    plumber.on("2027-04-06")
    plumber.do(f"payments/{bounced}/reverse", {"date": "2027-04-06"})
    assert plumber.labels(*Q3) == expected[Q3]
    assert plumber.owed("2027-03-31") == exact({"Cleo": "660.00"})
    assert plumber.owed("2027-04-06") == exact({"Cleo": "880.00"})
    plumber.lodge(*Q3)

    # Fourth quarter
    plumber.on("2027-04-15")
    plumber.expense(copper, paid_on="2027-04-15")
    plumber.on("2027-04-20")
    plumber.do(f"invoices/{gutters}/write_off", {"reason": "Insolvent"})
    assert plumber.owed("2027-04-20") == {}
    plumber.on("2027-05-18")
    plumber.do(f"invoices/{gutters}/undo_write_off", {})  # Cleo is found again: it was no bad debt
    assert plumber.owed("2027-04-20") == exact({"Cleo": "880.00"})
    assert "G18" not in plumber.labels(*Q4) or basis == "cash"
    plumber.on("2027-05-20")
    plumber.do(f"invoices/{gutters}/write_off", {"reason": "Insolvent after all"})
    plumber.on("2027-05-24")
    kept = plumber.claim(plumber.job("Cleo", "Laundry", "2750.00"), amount="550.00", claim="deposit")
    plumber.on("2027-05-25")
    plumber.pay(kept, "550.00")
    plumber.on("2027-06-01")
    plumber.do(f"invoices/{kept}/forfeit", {"reason": "Called off"})
    plumber.on("2027-06-20")
    plumber.buy("Pipes, returned", "-66.00", refunded_expense_id=pipes)
    assert plumber.labels(*Q4) == expected[Q4]
    assert plumber.owed("2027-06-30") == {}

    plumber.on("2027-07-05")
    plumber.pay(gutters, "220.00")
    assert (plumber.labels(*Q4), plumber.labels(*Q5)) == (expected[Q4], expected[Q5])
    plumber.on("2027-07-12")
    last = plumber.lodge(*Q4)

    # All told: kept are 990 + 5,500 + 792 + 440 + 220 + 550 = 8,492 of sales and 1,914 of purchases, an eleventh each.
    for quarter in expected:
        for of in (plumber.labels(*quarter), plumber.corrections(*quarter)):
            net += of.get("1A", 0) - of.get("1B", 0)
    assert net == Decimal("772.00") - Decimal("174.00")

    # The last period was lodged by mistake; the one before it stays.
    periods = {one["from"]: one["id"] for one in plumber.web.get("/v1/gst_periods")["data"]}
    earlier = f"/v1/gst_periods/{periods[Q3[0]]}/reopen"
    plumber.web.refused(409, "later_period_lodged", "POST", earlier, {"reason": "Not this one"})
    taken_back = plumber.do(f"gst_periods/{last}/reopen", {"reason": "The tax office has not got it yet"})
    assert taken_back["status"] == "reopened"
    assert "gst_period.reopened" in plumber.web.events()
    plumber.lodge(*Q4)

    # The accountant has signed the year: nothing of it may change any more.
    plumber.web.patch("/v1/tenant", {"locked_until": "2027-06-30"})
    body = {"client_id": plumber.contact("Cleo"), "amount": "110.00", "payment_method": "card"}
    plumber.web.refused(409, "period_locked", "POST", "/v1/payments", {**body, "paid_at": "2027-06-30"})
    plumber.web.refused(409, "period_locked", "POST", f"/v1/payments/{claim_paid}/reverse", {"mistake": True})
    plumber.web.refused(409, "period_locked", "POST", f"/v1/invoices/{gutters}/undo_write_off", {"mistake": True})
    plumber.web.refused(409, "period_locked", "POST", f"/v1/expenses/{copper}/void", {"mistake": True})
    plumber.web.post("/v1/payments", {**body, "paid_at": "2027-07-01"})
    assert plumber.labels(*Q4) == expected[Q4]
