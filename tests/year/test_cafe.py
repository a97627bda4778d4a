"""A café's half-year: GST-free food beside taxable food, cash to five cents, purchases with and without tax invoices.

Sections without an Act are from the A New Tax System (Goods and Services Tax) Act 1999. Bread, milk, fruit and coffee
beans to take away are GST-free (s 38-2, Schedule 2); meals, hot food, prepared drinks and cakes are taxable (s 38-3,
Schedule 1). All prices include GST. What is not at a label of the list is zero there.
"""

from decimal import Decimal

import pytest

pytestmark = pytest.mark.either

Q1, Q2 = ("2026-07-01", "2026-09-30"), ("2026-10-01", "2026-12-31")

PURCHASES_Q1 = {
    "G10": "8800.00",  # the espresso machine
    # Beans 240, detergent 82.50, insurance 1,165, fuel 220. Crockery waits for its tax invoice (s 29-10(3)); the
    # council's permit is no consideration for a supply (Div 81).
    "G11": "1707.50",
    "G14": "305.00",  # beans 240, stamp duty in the premium 1,165 - 11 x 100 = 65
    "G15": "88.00",  # 40 % of the fuel is private
    # 7.50 without a tax invoice, since the price is at most $82.50 (s 29-80(1)); 800, 100, and 60 % of 20 (s 11-30)
    "1B": "919.50",
}
PURCHASES_Q2 = {
    # Crockery 165, the tax invoice of which came in October; the grinder of which customs charged 231, so that the
    # taxable importation and its GST are 11 x 231 = 2,541 (s 13-20); the grower's apples 55
    "G11": "2761.00",
    "G14": "55.00",  # the grower is not registered, so there is no GST in the price (s 9-5(d), 11-5)
    "1B": "246.00",  # 15 + 231
}
EXPECTED = {
    "accrual": {
        Q1: {
            "G1": "963.05",  # takings 500.03 and 13.02; catering 450.00
            "G3": "207.66",  # bread and milk 87.66, fruit 120.00
            # 412.37 / 11 = 37.488, and 13.02 / 11 = 1.184, each to the nearest cent (s 9-90); 330 / 11 = 30.00
            "1A": "68.67",
            **PURCHASES_Q1,
        },
        # 200.00, and 44.00 of cake; the loaf went back within the quarter. 200 / 11 = 18.18. That 20.00 is taken off
        # the GST-free fruit of the quarter before changes no GST, and is no adjustment (s 19-40).
        Q2: {"G1": "244.00", "1A": "22.18", **PURCHASES_Q2},
    },
    "cash": {
        Q1: {
            "G1": "738.05",  # half of the catering is paid: 500.03 + 13.02 + 225.00; coins change no price
            "G3": "147.66",  # 87.66 + 60.00
            "1A": "53.67",  # 37.49 + 1.18 + 15.00
            **PURCHASES_Q1,
        },
        # The other half of the catering: 225.00, with fruit 60.00 and GST 15.00. 20.00 for fruit is given back in the
        # quarter in which this half of the sale counts, so it is 20.00 less of that sale; GST does not change.
        Q2: {"G1": "449.00", "G3": "40.00", "1A": "37.18", **PURCHASES_Q2},
    },
}
TO_LODGE = {  # cents are cut off (s 388-85 of Schedule 1, Taxation Administration Act 1953)
    "accrual": {
        Q1: {"G1": 963, "G3": 207, "1A": 68, "G10": 8800, "G11": 1707, "G14": 305, "G15": 88, "1B": 919},
        # With the corrections: 1A 22.18 + 7.50, G11 2,761 + 72.60, 1B 246 + 6.60
        Q2: {"G1": 244, "G7": 82, "1A": 29, "G11": 2833, "G14": 55, "1B": 252},
    },
    "cash": {
        Q1: {"G1": 738, "G3": 147, "1A": 53, "G10": 8800, "G11": 1707, "G14": 305, "G15": 88, "1B": 919},
        Q2: {"G1": 449, "G3": 40, "G7": 82, "1A": 44, "G11": 2833, "G14": 55, "1B": 252},  # 37.18 + 7.50
    },
}


def test_a_cafes_half_year(open_business, basis, exact):  # noqa: PLR0915 - a story, day by day
    expected = {quarter: exact(labels) for quarter, labels in EXPECTED[basis].items()}
    cafe = open_business(basis)

    # First quarter
    cafe.on("2026-07-07")
    takings = cafe.invoice("Counter", ("Meals and coffee", "412.37"), ("Bread and milk", "87.66", "gst_free"))
    cafe.pay(takings, "500.05", "cash")  # 500.03 in coins
    shown = cafe.web.get(f"/v1/invoices/{takings}")["data"]
    assert (shown["status"], shown["cash_rounding"], shown["total"]) == ("paid", Decimal("-0.02"), Decimal("500.03"))
    cafe.on("2026-07-15")
    cafe.buy("Coffee beans", "240.00", gst_code="gst_free")
    detergent = cafe.buy("Detergent", "82.50", tax_invoice_held=False)
    crockery = cafe.buy("Crockery", "165.00", tax_invoice_held=False)
    cafe.on("2026-07-21")
    cafe.pay(cafe.invoice("Counter", ("Coffee", "13.02")), "13.00", "cash")
    cafe.on("2026-08-03")
    cafe.buy("Espresso machine", "8800.00", gst_code="capital")
    cafe.on("2026-08-12")
    catering = cafe.invoice("School", ("Sandwiches", "330.00"), ("Whole fruit", "120.00", "gst_free"))
    cafe.on("2026-08-20")
    cafe.buy("Public liability", "1165.00", "Insurance", gst="100.00")
    cafe.buy("Footpath permit", "310.00", "Government charges")
    cafe.on("2026-09-14")
    cafe.buy("Fuel", "220.00", business_use_percent=60)
    cafe.on("2026-09-25")
    cafe.pay(catering, "225.00")
    assert cafe.owed("2026-09-30") == exact({"School": "225.00"})

    cafe.on("2026-10-12")
    assert "awaiting_tax_invoice" in cafe.warnings(*Q1)
    cafe.expense(crockery, tax_invoice_held=True, tax_invoice_held_on="2026-10-12")
    assert cafe.labels(*Q1) == expected[Q1]
    assert cafe.to_lodge(*Q1) == TO_LODGE[basis][Q1]
    cafe.on("2026-10-27")
    cafe.lodge(*Q1)

    # Second quarter
    catering_paid = cafe.pay(catering, "225.00")
    cafe.on("2026-11-03")  # the detergent was 72.60: what was lodged is voided and recorded anew, and never changed
    cafe.web.refused(409, "document_locked", "PATCH", f"/v1/expenses/{detergent}", {"amount": "72.60"})
    cafe.web.refused(409, "document_locked", "DELETE", f"/v1/expenses/{detergent}")
    cafe.expense(detergent, description="Detergent, 5 L")
    cafe.do(f"expenses/{detergent}/void", {"reason": "Misread", "mistake": True})
    cafe.buy("Detergent, 5 L", "72.60", date="2026-07-15", tax_invoice_held=False)
    cafe.on("2026-11-10")
    cafe.pay(cafe.invoice("Counter", ("Meals and coffee", "200.00")), "200.00", "cash")
    cafe.on("2026-11-20")
    cafe.note(catering, "20.00", line=1, reason="returned")
    cafe.refund(catering_paid, "20.00")
    cafe.on("2026-12-05")
    cakes = cafe.invoice("Counter", ("Cake", "44.00"), ("Loaf", "8.00", "gst_free"))
    cakes_paid = cafe.pay(cakes, "52.00")
    cafe.on("2026-12-06")
    cafe.note(cakes, "8.00", line=1, reason="returned")
    cafe.refund(cakes_paid, "8.00")
    cafe.on("2026-12-10")
    cafe.buy("Grinder, from Milan", "2000.00", gst_code="out_of_scope")
    cafe.buy("Grinder, customs", "231.00", gst="231.00", import_gst=True, tax_invoice_held=False)
    cafe.contact("Grower", roles=["supplier"], gst_registered=False)
    apples = cafe.buy("Apples, sliced", "55.00", supplier_id=cafe.contact("Grower"))
    status = cafe.web.get(f"/v1/expenses/{apples}")["data"]["gst_breakdown"]
    assert (status["claim_status"], status["gst_claimable"]) == ("supplier_not_registered", 0)

    assert cafe.labels(*Q1) == expected[Q1]
    assert cafe.labels(*Q2) == expected[Q2]
    # Of the first quarter, 82.50 is claimed no more, which increases what is due, and 72.60 is.
    assert cafe.corrections(*Q2) == exact({"G7": "82.50", "1A": "7.50", "G11": "72.60", "1B": "6.60"})
    assert cafe.to_lodge(*Q2) == TO_LODGE[basis][Q2]
    assert cafe.owed("2026-09-30") == exact({"School": "225.00"})
    assert cafe.owed("2026-12-31") == {}


@pytest.mark.parametrize(("due", "given", "rounding"), [("13.02", "13.00", "0.02"), ("13.03", "13.05", "-0.02")])
def test_coins_settle_a_price_and_change_no_gst(open_business, basis, exact, due, given, rounding):
    cafe = open_business(basis)
    cafe.on("2026-07-21")
    coffee = cafe.invoice("Counter", ("Coffee", due))
    cafe.pay(coffee, given, "cash")
    assert cafe.web.get(f"/v1/invoices/{coffee}")["data"]["cash_rounding"] == Decimal(rounding)
    assert cafe.labels(*Q1) == exact({"G1": due, "1A": "1.18"})  # 1.184 and 1.185: 13.03 / 11 = 1.1845
    assert cafe.owed("2026-07-21") == {}


def test_bank_fees_have_no_gst_in_the_price(open_business, basis, exact):
    """They are input taxed when the bank supplies them (s 40-5): a purchase without GST in the price, as at G14."""
    cafe = open_business(basis)
    cafe.on("2026-08-20")
    cafe.buy("Account keeping", "25.00", "Bank fees")
    assert cafe.labels(*Q1) == exact({"G11": "25.00", "G14": "25.00"})


def test_what_is_bought_for_input_taxed_sales_gives_no_credit(open_business, basis, exact):
    """GST is in its price and cannot be claimed (s 11-15(2)); the worksheet has it at G13, however much it is."""
    cafe = open_business(basis)
    cafe.on("2026-08-20")
    flat = {"tax_invoice_held": False, "for_input_taxed_sales": True}
    repair = cafe.buy("Tap in the flat that is let", "220.00", **flat)
    cafe.buy("Hot water service of the flat", "1980.00", gst_code="capital", business_use_percent=50, **flat)
    cafe.buy("Lender's fee for the flat", "30.00", "Bank fees", **flat)
    shown = cafe.web.get(f"/v1/expenses/{repair}")["data"]["gst_breakdown"]
    assert (shown["gst"], shown["gst_claimable"], shown["claim_status"]) == (20, 0, "not_creditable")
    wanted = exact({"G10": "1980.00", "G11": "250.00", "G13": "1240.00", "G15": "990.00"})
    assert cafe.labels(*Q1) == wanted
    assert cafe.report(*Q1)["G20"]["amount"] == 0 and cafe.report(*Q1)["not_claimed"] == []
