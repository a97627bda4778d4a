"""A supplier's refund reduces the claim of its purchase, and never by more (s 19-70, 19-80 GST Act), on both bases."""

from decimal import Decimal

import pytest

pytestmark = pytest.mark.either

D = Decimal
Q1, Q2 = ("2026-07-01", "2026-09-30"), ("2026-10-01", "2026-12-31")


def give_back(b, bought, *amounts, **more):
    return [b.buy("Back", amount, tax_invoice_held=False, refunded_expense_id=bought, **more) for amount in amounts]


def refused(b, status, code, method, path, body=None):
    answer = b.web.call(method, f"/v1/{path}", body)
    error = answer.json["error"]
    assert (answer.status_int, error["code"]) == (status, code), answer.text
    return {(one["param"], one["code"]) for one in error["details"] or ()}


@pytest.mark.parametrize(
    ("terms", "claimed"),
    [
        ({}, "20.00"),
        ({"business_use_percent": 50}, "10.00"),
        ({"business_use_percent": 33, "gst": "12.01"}, "3.96"),
        ({"for_input_taxed_sales": True}, "0.00"),
        ({"tax_withheld": "100.00", "tax_invoice_held": False}, "0.00"),  # no ABN was quoted
        ({"tax_invoice_held": False}, "0.00"),
        ({"gst_code": "gst_free"}, "0.00"),
        ({"gst": "12.00"}, "12.00"),  # a receipt of which not all is taxable
        ({"gst_code": "capital"}, "20.00"),
        ({"import_gst": True, "gst": "200.00"}, "200.00"),
        ({"supplier_name": "A", "supplier_abn": None}, "0.00"),  # no tax invoice shows no ABN
    ],
    ids=str,
)
def test_what_is_given_back_in_full_takes_back_what_was_claimed(open_business, basis, terms, claimed):
    for parts in (["-220.00"], ["-73.33", "-73.34", "-73.33"]):
        b = open_business(basis)
        b.on("2026-08-06")
        bought = b.buy("Goods", "220.00", **terms)
        assert b.labels(*Q1).get("1B", D(0)) == D(claimed)
        b.on("2026-10-06")
        given = give_back(b, bought, *parts)
        assert b.labels(*Q2).get("1A", D(0)) == D(claimed)
        assert b.labels("2026-07-01", "2026-12-31").keys() <= {"W4"}  # what was withheld stays so
        status, *others = (
            b.web.get(f"/v1/expenses/{id}")["data"]["gst_breakdown"]["claim_status"] for id in (bought, *given)
        )
        assert {*others} == {status}
        assert {*given} <= {one["id"] for one in b.web.get(f"/v1/expenses?claim_status={status}")["data"]}


def test_a_tax_invoice_that_comes_later_counts_for_both(open_business, basis):
    """Until then nothing is claimed, and nothing is taken back."""
    b = open_business(basis)
    b.on("2026-08-06")
    bought = b.buy("Goods", "220.00", tax_invoice_held=False)
    give_back(b, bought, "-55.00")
    assert b.labels(*Q1) == {}
    b.on("2026-10-06")
    b.expense(bought, tax_invoice_held=True)
    assert (b.labels(*Q1), b.labels(*Q2)) == ({}, {"G11": D(165), "1B": D(15)})


def test_a_credit_for_a_bill_adjusts_nothing_before_the_bill_is_paid(open_business):
    """On a cash basis nothing was claimed yet (s 29-10(2))."""
    b = open_business("cash")
    b.on("2026-08-03")
    bought = b.buy("Goods", "1100.00", due_date="2026-11-01")
    b.on("2026-08-10")
    give_back(b, bought, "-110.00")
    assert b.labels(*Q1) == {}
    b.on("2026-11-01")
    b.expense(bought, paid_on="2026-11-01")
    assert (b.labels(*Q1), b.labels(*Q2)) == ({}, {"G11": D(990), "1B": D(90)})


def test_no_more_is_given_back_than_was_paid(open_business):
    b = open_business("accrual")
    b.on("2026-08-06")
    bought = b.buy("Goods", "110.00", business_use_percent=50)
    (half,) = give_back(b, bought, "-55.00")
    of = {"date": b.day, "category_id": b.categories["Materials and supplies"], "refunded_expense_id": bought}
    more = {**of, "amount": "-55.01"}
    assert refused(b, 422, "validation_failed", "POST", "expenses", more) == {("amount", "out_of_range")}
    assert refused(b, 422, "validation_failed", "PATCH", f"expenses/{half}", {"amount": "-110.01"}) == {
        ("amount", "out_of_range")
    }
    less = {**of, "amount": "-55.00", "gst": "-5.01", "business_use_percent": 60, "gst_code": "capital"}
    assert refused(b, 422, "validation_failed", "POST", "expenses", less) == {
        *(("gst", "out_of_range"), ("business_use_percent", "invalid_value"), ("gst_code", "invalid_value"))
    }
    made = b.expense(half, amount="-110.00")
    assert (made["gst"], made["business_use_percent"], made["gst_breakdown"]["gst_claimable"]) == (-10, 50, -5)
    b.do(f"expenses/{half}/void")
    give_back(b, bought, "-110.00")
    assert b.labels(*Q1) == {}


def test_a_purchase_stays_while_something_of_it_is_given_back(open_business, basis):
    b = open_business(basis)
    b.on("2026-08-03")
    bought = b.buy("Goods", "220.00")
    b.on("2026-08-10")
    (back,) = give_back(b, bought, "-55.00")
    refused(b, 409, "has_dependents", "POST", f"expenses/{bought}/void", {"mistake": True})
    for change in ({"business_use_percent": 50}, {"amount": "330.00"}, {"gst_code": "capital"}):
        refused(b, 409, "has_dependents", "PATCH", f"expenses/{bought}", change)
    b.expense(bought, description="Paint")
    refused(b, 422, "validation_failed", "PATCH", f"expenses/{back}", {"gst_code": "gst_free"})
    b.do(f"expenses/{back}/void", {"mistake": True})
    b.do(f"expenses/{bought}/void", {"mistake": True})
    assert b.labels(*Q1) == {}
    of_void = {"date": b.day, "amount": "-55.00", "category_id": b.categories["Materials and supplies"]}
    assert refused(b, 422, "validation_failed", "POST", "expenses", {**of_void, "refunded_expense_id": bought}) == {
        ("refunded_expense_id", "not_found")
    }


def test_money_from_a_contractor_without_an_abn_has_no_gst(open_business):
    b = open_business("cash")
    b.on("2026-08-03")
    who = b.contact("Sparks", roles=["supplier"], contractor=True)
    bought = b.buy("Wiring", "1000.00", supplier_id=who, tax_withheld="470.00")
    give_back(b, bought, "-200.00", supplier_id=who)
    (entry,) = b.web.get("/v1/reports/taxable_payments?year=2027")["data"]["contractors"]
    assert (entry["gross"], entry["gst"], entry["tax_withheld"]) == (800, 0, 470)
