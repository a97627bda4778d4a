"""Payments to contractors in a financial year, for the taxable payments annual report."""

import csv
import io
from decimal import Decimal

import pytest

from billycan.testing import Client, counted

pytestmark = pytest.mark.either

D = Decimal
ADDRESS = {"line1": "7 Main Road", "suburb": "Franklin", "state": "TAS", "postcode": "7113"}


@pytest.fixture
def client(make_app):
    return Client(make_app("contacts", "expenses", "reports"))


def pay(client, supplier, amount, paid_on, **members):
    category = client.get("/v1/expense_categories?per_page=1")["data"][0]["id"]
    body = {"date": "2026-06-15", "amount": amount, "category_id": category, "supplier_id": supplier}
    return client.post("/v1/expenses", {**body, "paid_on": paid_on, **members})["data"]["id"]


def test_what_was_paid_in_the_year_to_contractors(client):
    abn = {"abn": "47 555 222 000", "billing_address": ADDRESS, "phone": "+61 491 570 156"}
    sparky = {"name": "=Sparky", "roles": ["supplier"], "contractor": True, **abn}
    sparky, nobody, shop = (
        client.post("/v1/contacts", body)["data"]["id"]
        for body in (sparky, {"name": "Ada", "contractor": True}, {"name": "Shop", "roles": ["supplier"]})
    )
    pay(client, sparky, "1100.00", "2026-07-01")  # for work before, but paid in this year
    pay(client, sparky, "550.00", "2027-06-30", date="2027-06-30")
    pay(client, sparky, "-110.00", "2026-08-01", date="2026-08-01")  # given back
    pay(client, sparky, "220.00", "2026-06-30")  # the year before
    pay(client, sparky, "330.00", None, due_date="2026-12-01")  # not yet
    void = pay(client, sparky, "440.00", "2026-08-01")
    client.post(f"/v1/expenses/{void}/void", status=200)
    pay(client, nobody, "100.00", "2026-09-01", tax_withheld="47.00", gst_code="out_of_scope")
    pay(client, shop, "99.00", "2026-09-01")
    pay(client, nobody, "11.00", "2026-09-01")  # whoever has no ABN, or is not registered, charges no GST
    with counted(client.app) as sent:
        report = client.get("/v1/reports/taxable_payments")["data"]
    assert len(sent) == 2
    assert (report["year"], report["from"], report["to"]) == (2027, "2026-07-01", "2027-06-30")
    names = ("supplier_id", "abn", "payments", "gross", "gst", "tax_withheld", "missing")
    assert [[one[name] for name in names] for one in report["contractors"]] == [
        [sparky, "47555222000", 3, D("1540.00"), D("140.00"), 0, []],
        [nobody, None, 2, D("111.00"), 0, D("47.00"), ["abn", "address"]],
    ]
    assert report["contractors"][0]["address"]["suburb"] == "Franklin"
    assert [report[name] for name in ("gross", "gst", "tax_withheld")] == [D("1651.00"), D("140.00"), D("47.00")]
    before = client.get("/v1/reports/taxable_payments?year=2026")["data"]
    assert [one["gross"] for one in before["contractors"]] == [D("220.00")]
    answer = client.web.get("/v1/reports/taxable_payments.csv", headers=client.headers)
    header, first, _ = csv.reader(io.StringIO(answer.body.decode(), newline=""))
    row = dict(zip(header, first, strict=True))
    assert row["supplier"] == "'=Sparky" and row["phone"] == "+61 491 570 156" and row["abn"] == "47555222000"
    assert (row["suburb"], row["gross"], row["payments"]) == ("Franklin", "1540.00", "3")


def test_the_financial_year_of_a_day_begins_on_1_july(client):
    client.app.clock.move(days=-144)
    assert client.get("/v1/reports/taxable_payments")["data"]["year"] == 2026  # 30 June
    client.app.clock.move(days=1)
    assert client.get("/v1/reports/taxable_payments")["data"]["year"] == 2027
