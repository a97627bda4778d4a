"""Bills that are paid in parts: what is due, when each part counts, and how a payment is undone."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from billycan.testing import Client
from billycan_expenses.starter import STARTER
from billycan_expenses.tables import expenses

pytestmark = pytest.mark.either

D = Decimal
IDS = {name: id for id, name in STARTER.items()}
TOOLS, FUEL, SUBS = (IDS[name] for name in ("Tools and equipment", "Fuel and oil", "Subcontractors"))
MONTHS = [(f"2026-{month:02}-01", f"2026-{month:02}-{30 + (month in (7, 8))}") for month in (7, 8, 9, 11)]


@pytest.fixture
def client(make_app, clock):
    clock.time = datetime(2026, 11, 20, 2, tzinfo=UTC)
    return Client(make_app("contacts", "documents", "expenses", "hosted", "invoices", "reports"))


@pytest.fixture(params=["accrual", "cash"])
def basis(client, request):
    setting = {"from": "2000-07-01", "registered": True, "basis": request.param, "period": "month"}
    client.patch("/v1/tenant", {"gst_settings": [setting]})
    return request.param


def bill(client, amount="1000.00", **members):
    body = {"date": "2026-07-10", "due_date": "2026-08-10", "tax_invoice_held": True, **members}
    if "line_items" not in members:
        body |= {"amount": amount, "category_id": FUEL}
    return client.post("/v1/expenses", body)["data"]


def pay(client, made, amount, on=None, **more):
    body = {"amount": amount, **({"paid_on": on} if on else {}), **more}
    return client.post(f"/v1/expenses/{made['id']}/payments", body)["data"]


def reverse(client, made, place=-1, **body):
    id = made["payments"][place]["id"]
    return client.post(f"/v1/expenses/{made['id']}/payments/{id}/reverse", body, 200)["data"]


def counted(client, label="1B", basis=None):
    more = f"&basis={basis}" if basis else ""
    reports = [client.get(f"/v1/reports/gst?from={since}&to={until}{more}")["data"] for since, until in MONTHS]
    for report in reports:
        for one in ("G7", "G10", "G11", "G18", "1A", "1B"):
            assert report[one]["amount"] == sum(each["amount"] for each in report[one]["documents"]) >= 0
    return [report[label]["amount"] for report in reports]


def test_a_bill_is_due_until_it_is_paid(client):
    made = bill(client, reference="B-7")
    assert (made["paid_on"], made["amount_paid"], made["amount_due"], made["is_overdue"]) == (None, 0, 1000, True)
    assert (made["payments"], made["allowed_actions"]) == ([], ["payments", "void"])
    first = pay(client, made, "400.00", "2026-08-03", payment_method="bank_transfer", reference="T-1")
    assert client.last.headers["Location"].endswith(f"/v1/expenses/{made['id']}")
    assert (first["amount_paid"], first["amount_due"], first["paid_on"], first["version"]) == (400, 600, None, 2)
    (payment,) = first["payments"]
    assert payment.pop("id").startswith("epy_") and payment.pop("created_at")
    assert payment == {
        "amount": 400, "paid_on": "2026-08-03", "payment_method": "bank_transfer", "reference": "T-1",
        "status": "recorded", "allowed_actions": ["reverse"], "reversed_at": None, "reversed_on": None,
        "reverse_reason": None,
    }  # fmt: skip
    for query, many in (("from=600&amount_due_to=600", 1), ("from=600.01", 0), ("to=599.99", 0)):
        assert len(client.get(f"/v1/expenses?amount_due_{query}")["data"]) == many, query
    path = f"/v1/expenses/{made['id']}"
    error = client.refused(422, "overpayment_not_allowed", "POST", f"{path}/payments", {"amount": "600.01"})
    assert (error["amount_due"], error["param"]) == (600, "amount")
    client.refused(422, "validation_failed", "POST", f"{path}/payments", {"amount": "1.00", "paid_on": "2026-11-22"})
    client.refused(422, "validation_failed", "POST", f"{path}/payments", {"amount": "0.00"})
    client.refused(422, "validation_failed", "PATCH", path, {"paid_on": "2026-11-20"})
    client.refused(422, "validation_failed", "PATCH", path, {"amount": "399.99"})
    found = {
        status: [one["id"] for one in client.get(f"/v1/expenses?status={status}")["data"]]
        for status in ("unpaid", "overdue", "void", "recorded")
    }
    assert found == {"unpaid": [made["id"]], "overdue": [made["id"]], "void": [], "recorded": [made["id"]]}
    paid = pay(client, made, "600.00")
    assert (paid["amount_due"], paid["paid_on"], paid["is_overdue"]) == (0, "2026-11-20", False)
    assert client.patch(path, paid)["data"] == paid
    assert client.get("/v1/expenses?status=unpaid,overdue")["data"] == []
    assert len(client.get("/v1/expenses?amount_due_from=0&amount_due_to=0")["data"]) == 1
    more = client.patch(path, {"amount": "1000.01"})["data"]
    assert (more["amount_due"], more["paid_on"]) == (D("0.01"), None)
    assert client.patch(path, {"amount": "1000.00"})["data"]["paid_on"] == "2026-11-20"
    for action, body in (("DELETE", None), ("POST", None)):
        client.refused(409, "has_payments", action, path if action == "DELETE" else f"{path}/void", body)
    for place in (0, 1):
        back = reverse(client, paid, place, reason="Returned")
    assert (back["amount_paid"], back["amount_due"], back["paid_on"]) == (0, 1000, None)
    assert [one["reverse_reason"] for one in back["payments"]] == ["Returned"] * 2
    undo = f"{path}/payments/{paid['payments'][0]['id']}/reverse"
    client.refused(409, "invalid_state_transition", "POST", undo, None)
    client.refused(404, "resource_not_found", "POST", f"{path}/payments/epy_none/reverse", None)
    client.delete(path)
    assert client.events() == [
        "expense.created", *["expense.payment_recorded"] * 2, *["expense.updated"] * 2,
        *["expense.payment_reversed"] * 2, "expense.deleted",
    ]  # fmt: skip


def test_each_payment_counts_on_its_day_on_a_cash_basis(client, basis):
    made = bill(client, business_use_percent="50")  # 90.91 of GST, of which 45.46 can be claimed
    pay(client, made, "333.33", "2026-08-03")
    pay(client, made, "333.33", "2026-09-03")
    pay(client, made, "333.34", "2026-11-03")
    expected = {
        "cash": ([0, D("15.15"), D("15.16"), D("15.15")], [0, D("333.33"), D("333.33"), D("333.34")]),
        "accrual": ([D("45.46"), 0, 0, 0], [1000, 0, 0, 0]),
    }
    assert (counted(client), counted(client, "G11")) == expected[basis]
    assert counted(client, basis="cash") == expected["cash"][0]


def test_lines_count_together_by_payment(client, basis):
    lines = [
        {"category_id": TOOLS, "amount": "550.00", "gst_code": "capital"},
        {"category_id": FUEL, "amount": "110.00"},
        {"category_id": FUEL, "amount": "40.00", "gst_code": "gst_free"},
        {"category_id": FUEL, "amount": "300.00", "gst_code": "out_of_scope"},
    ]
    made = bill(client, line_items=lines)
    pay(client, made, "250.00", "2026-07-20")
    pay(client, made, "750.00", "2026-09-20")
    parts = [(550, "G10"), (150, "G11"), (40, "G14"), (60, "1B")]
    for whole, label in parts:
        quarter = D(whole) / 4
        expected = [quarter, 0, whole - quarter, 0] if basis == "cash" else [whole, 0, 0, 0]
        assert counted(client, label) == expected, label


def test_the_tax_invoice_holds_the_claim_back(client, basis):
    made = bill(client, "990.00", tax_invoice_held=False)
    pay(client, made, "330.00", "2026-07-20")
    assert counted(client) == [0] * 4
    client.patch(f"/v1/expenses/{made['id']}", {"tax_invoice_held_on": "2026-08-20"})
    pay(client, made, "660.00", "2026-09-20")
    assert counted(client) == ([0, 30, 60, 0] if basis == "cash" else [0, 90, 0, 0])


def test_a_payment_undone_counts_until_then_or_never(client, basis):
    made = bill(client, "1100.00")
    pay(client, made, "220.00", "2026-07-20")
    made = pay(client, made, "330.00", "2026-08-20")
    path = f"/v1/expenses/{made['id']}/payments/{made['payments'][1]['id']}/reverse"
    client.refused(422, "validation_failed", "POST", path, {"date": "2026-08-19"})
    reverse(client, made, 0, mistake=True)
    made = reverse(client, made, 1, date="2026-09-05")
    assert made["payments"][1]["reversed_on"] == "2026-09-05"
    report = counted(client, "1B"), counted(client, "1A")
    assert report == (([0, 30, 0, 0], [0, 0, 30, 0]) if basis == "cash" else ([100, 0, 0, 0], [0] * 4))
    client.post(f"/v1/expenses/{made['id']}/void", {"date": "2026-11-02"}, 200)
    report = counted(client, "1B"), counted(client, "1A")
    assert report == (([0, 30, 0, 0], [0, 0, 30, 0]) if basis == "cash" else ([100, 0, 0, 0], [0, 0, 0, 100]))


def test_a_prepayment_counts_first(client, basis):
    terms = {"date": "2026-08-10", "due_date": None, "paid_on": None, "tax_invoice_held_on": "2026-07-15"}
    made = bill(client, "1100.00", **terms)
    pay(client, made, "110.00", "2026-07-20")
    assert counted(client) == ([10, 0, 0, 0] if basis == "cash" else [100, 0, 0, 0])


def test_what_is_unpaid_counts_once_the_cash_basis_ends(client):
    setting = {"registered": True, "period": "month"}
    both = [{"from": "2000-07-01", "basis": "cash", **setting}, {"from": "2026-09-01", "basis": "accrual", **setting}]
    client.patch("/v1/tenant", {"gst_settings": both})
    made = bill(client, "1100.00")
    pay(client, made, "110.00", "2026-08-20")
    pay(client, made, "110.00", "2026-11-20")
    assert counted(client) == [0, 10, 90, 0]


def test_tax_withheld_and_contractors_by_payment(client, basis):
    made = client.post("/v1/contacts", {"name": "Sparks", "roles": ["supplier"], "contractor": True})["data"]
    one = bill(client, "1000.00", supplier_id=made["id"], tax_withheld="470.00", date="2026-05-10")
    two = bill(client, "110.00", supplier_id=made["id"], date="2026-05-10")
    client.patch(f"/v1/contacts/{made['id']}", {"abn": "51824753556"})
    for expense in (one, two):
        pay(client, expense, "55.00", "2026-06-10")
        last = pay(client, expense, "55.00", "2026-07-10")
    reverse(client, last, date="2026-08-10")
    pay(client, one, "333.33", "2026-08-15")

    def paid(year):
        report = client.get(f"/v1/reports/taxable_payments?year={year}")["data"]
        return [(each["payments"], each["gross"], each["gst"], each["tax_withheld"]) for each in report["contractors"]]

    assert paid(2026) == [(2, 110, 5, D("25.85"))]
    withheld = D("208.37") - D("25.85")
    assert paid(2027) == [(3, D("388.33"), 0, withheld)]
    assert counted(client, "W4") == [D("25.85"), D("208.37") - D("51.70"), 0, 0]


def test_a_lodged_or_locked_period_stays(client, basis):
    made = bill(client, "1100.00")
    made = pay(client, made, "110.00", "2026-07-20")
    client.post("/v1/gst_periods", {"from": "2026-07-01", "to": "2026-07-31"})
    path = f"/v1/expenses/{made['id']}"
    client.refused(409, "document_locked", "PATCH", path, {"gst": "50.00"})
    client.patch(path, {"description": "Boots"})
    pay(client, made, "220.00", "2026-07-25")  # told late: a correction
    report = client.get("/v1/reports/gst?from=2026-08-01&to=2026-08-31")["data"]
    changes = {label: one["amount"] for label, one in report["corrections"].items() if label in ("G11", "1B")}
    assert changes == ({"G11": 220, "1B": 20} if basis == "cash" else {})
    back = reverse(client, made, 0)  # of a lodged period, so it counts today
    assert back["payments"][0]["reversed_on"] == "2026-11-20"
    client.patch("/v1/tenant", {"locked_until": "2026-08-31"})
    late = {"amount": "1.00", "paid_on": "2026-08-31"}
    client.refused(409, "period_locked", "POST", f"{path}/payments", late)
    undo = f"{path}/payments/{back['payments'][1]['id']}/reverse"
    client.refused(409, "period_locked", "POST", undo, {"mistake": True})
    assert reverse(client, back, 1, date="2026-09-01")["amount_paid"] == 0


def test_what_is_given_back_of_a_bill_paid_in_part(client, basis):
    made = bill(client, "1100.00")
    first = pay(client, made, "110.00", "2026-08-20")["payments"][0]["id"]
    back = {"refunded_expense_id": made["id"], "amount": "-220.00", "category_id": FUEL, "date": "2026-09-02"}
    error = client.refused(422, "validation_failed", "POST", "/v1/expenses", back)
    assert [one["param"] for one in error["details"]] == ["amount"]
    client.post("/v1/expenses", back | {"paid_on": None})
    client.refused(409, "has_dependents", "POST", f"/v1/expenses/{made['id']}/payments/{first}/reverse", None)
    pay(client, made, "770.00", "2026-11-02")
    report = counted(client), counted(client, "1A")
    assert report == (([0, 10, 0, 70], [0] * 4) if basis == "cash" else ([100, 0, 0, 0], [0, 0, 20, 0]))


def test_two_payments_at_once_pay_no_more_than_is_due(client):
    made = bill(client, "100.00")
    calls = [("POST", f"/v1/expenses/{made['id']}/payments", {"amount": "60.00"})] * 4
    statuses = sorted(answer.status_int for answer in client.race(*calls))
    assert statuses == [201, 422, 422, 422]
    assert client.get(f"/v1/expenses/{made['id']}")["data"]["amount_paid"] == 60


def test_a_bill_takes_500_payments(client):
    made = bill(client, "600.00")
    with client.app.db.writer.begin() as db:
        this = (expenses.c.tenant_id == client.tenant_id) & (expenses.c.id == made["id"])
        db.execute(expenses.update().where(this).values(payment_count=500))
    client.refused(409, "list_full", "POST", f"/v1/expenses/{made['id']}/payments", {"amount": "1.00"})
