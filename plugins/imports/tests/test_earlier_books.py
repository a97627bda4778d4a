"""The books of an earlier system come in as files: invoices by their numbers, and what was paid of them."""

from decimal import Decimal

import pytest

from billycan.testing import Client, run_timed
from billycan_imports.testing import finish_imports

pytestmark = pytest.mark.either
D = Decimal
APP = ("contacts", "documents", "hosted", "imports", "invoices", "reports")

FILE = """\
number,client.name,client.abn,issue_date,due_date,reference,line_items.description,line_items.quantity,\
line_items.unit_price,line_items.gst_code,amount_paid,paid_at,payment_method
INV-0412,hale & co,,2026-06-10,2026-07-10,PO 7,Labour,2,100.00,gst,20.00,2026-06-20,card
INV-0412,hale & co,,,,,Delivery,,15.00,gst_free,,,
INV-0412,,,,,,Parts,3,10.00,,20.00,,
A/7,,51824753556,2026-05-01,2026-05-15,,Gutters,1,500.00,,550.00,2026-05-20,
INV-0009,Hale & Co,,2026-07-02,,,Labour,1,0.00,,,,
"""


@pytest.fixture
def app(make_app):
    return make_app(*APP)


@pytest.fixture
def client(app):
    client = Client(app)
    client.post("/v1/contacts", {"name": "Hale & Co"})
    client.post("/v1/contacts", {"name": "Grace Pty Ltd", "abn": "51824753556"})
    return client


def imported(client, text, resource="invoices", query=""):
    path = f"/v1/imports?resource={resource}{query}"
    made = client.call("POST", path, raw=text.encode(), status=202, headers={"Content-Type": "text/csv"})
    finish_imports(client.app)
    return client.get(f"/v1/imports/{made.json['data']['id']}")["data"]


def faults(found):
    return [(each["row"], each["column"], each["code"]) for each in found["faults"]]


def test_rows_of_one_number_are_one_invoice(client):
    found = imported(client, FILE)
    assert (found["status"], found["rows"], found["rows_imported"]) == ("done", 3, 3), found["faults"]
    nothing, partly, paid = client.get("/v1/invoices?sort=issue_date&include=line_items,payments")["data"][::-1]
    assert (partly["number"], partly["status"], partly["client"]["name"]) == ("INV-0412", "partially_paid", "Hale & Co")
    assert [(line["description"], line["total"]) for line in partly["line_items"]] == [
        ("Labour", D("220.00")),
        ("Delivery", D("15.00")),
        ("Parts", D("33.00")),
    ]
    assert (partly["total"], partly["amount_due"], partly["gst"]) == (D("268.00"), D("248.00"), D("23.00"))
    assert (partly["issue_date"], partly["due_date"], partly["reference"]) == ("2026-06-10", "2026-07-10", "PO 7")
    (payment,) = partly["payments"]
    assert (payment["amount"], payment["paid_on"], payment["payment_method"]) == (20, "2026-06-20", "card")
    assert (paid["number"], paid["status"], paid["amount_due"]) == ("A/7", "paid", 0)
    assert paid["client"]["name"] == "Grace Pty Ltd" and paid["payment_method"] == "other"
    assert (nothing["status"], nothing["due_date"], nothing["amount_due"]) == ("paid", "2026-07-16", 0)
    assert client.events()[2:] == ["invoice.created"] * 3 + ["import.finished"]
    # Work goes on with what came in, as if it had been made here, and above the last number.
    path = f"/v1/invoices/{partly['id']}"
    client.post(f"{path}/payments", {"amount": "248.00", "payment_method": "card", "paid_at": "2026-08-01"})
    new = client.post("/v1/invoices/" + partly["id"] + "/duplicate")["data"]
    assert new["number"] == "INV-0413"
    assert client.get("/v1/invoices")["pagination"]["total"] == 4


def test_each_fault_is_told_at_its_row(client):
    text = (
        "number,client.name,issue_date,line_items.description,line_items.unit_price,amount_paid,paid_at\n"
        "1,Hale & Co,2026-06-10,Labour,10.00,,\n"
        "1,Hale & Co,2026-06-11,Parts,ten,,\n"
        "1,,,,,,\n"
        "2,Nobody,2026-06-10,Labour,10.00,,\n"
        "3,Hale & Co,2026-06-10,Labour,10.00,11.01,2026-06-12\n"
        "4,Hale & Co,2026-06-10,Labour,10.00,5.00,2026-06-09\n"
        "5,Hale & Co,2026-06-10,Labour,-10.00,,\n"
        "6,Hale & Co,2026-06-10,Labour,10.00,,\n"
        "7,Hale & Co,2026-06-10,Labour,10.00,,\n"
        "6,Hale & Co,2026-06-10,Again,10.00,,\n"
    )
    assert faults(imported(client, text)) == [
        (2, "issue_date", "invalid_value"),
        (4, "client", "not_found"),
        (5, "amount_paid", "overpayment_not_allowed"),
        (6, "paid_at", "required"),
        (7, "line_items", "negative_total"),
        (10, "number", "duplicate_number"),
    ]
    text = text.replace("2026-06-11", "").partition("2,Nobody")[0]
    assert faults(imported(client, text)) == [
        (2, "line_items.unit_price", "invalid_value"),
        (3, "line_items.description", "required"),
        (3, "line_items.unit_price", "required"),
    ]
    client.post("/v1/contacts", {"name": "HALE & CO"})
    one = "number,client.name,issue_date,line_items.description,line_items.unit_price\n1,Hale & Co,2026-06-10,Work,1\n"
    assert faults(imported(client, one)) == [(1, "client", "invalid_value")]
    assert client.get("/v1/invoices")["data"] == []


@pytest.mark.parametrize("basis", ["accrual", "cash"])
def test_what_was_reported_before_is_not_reported_again(client, basis):
    settings = [{"from": "2026-01-01", "registered": True, "basis": basis, "period": "quarter"}]
    client.patch("/v1/tenant", {"gst_settings": settings})
    assert imported(client, FILE)["status"] == "done"
    owed = client.get("/v1/reports/receivables?as_at=2026-06-30")["data"]
    assert owed["total"] == D("248.00")
    before = "/v1/reports/gst?from=2026-04-01&to=2026-06-30"
    since = "/v1/reports/gst?from=2026-07-01&to=2026-09-30"
    # What the earlier system has reported of the quarter before, as its own labels.
    on_sales = {"accrual": D("73.00"), "cash": D("51.72")}[basis]
    assert client.get(before)["data"]["1A"]["amount"] == on_sales
    assert client.get(since)["data"]["1A"]["amount"] == 0
    partly = client.get("/v1/invoices?number=INV-0412")["data"][0]["id"]
    given = {"amount": "248.00", "payment_method": "card", "paid_at": "2026-08-01"}
    client.post(f"/v1/invoices/{partly}/payments", given)
    assert client.get(since)["data"]["1A"]["amount"] == (0 if basis == "accrual" else D("21.28"))
    assert client.get(before)["data"]["1A"]["amount"] == on_sales


def test_books_that_are_locked_take_nothing_in(client):
    client.patch("/v1/tenant", {"locked_until": "2026-05-31"})
    assert faults(imported(client, FILE)) == [(4, None, "period_locked")]


def test_one_comes_in_by_the_api(client):
    contact = client.get("/v1/contacts")["data"][0]["id"]
    line = {"description": "Balance", "unit_price": "100.00"}
    body = {"number": "INV-0044", "client_id": contact, "issue_date": "2026-06-01", "line_items": [line]}
    made = client.post("/v1/invoices/import", body)["data"]
    assert (made["number"], made["status"], made["amount_due"]) == ("INV-0044", "sent", D("110.00"))
    assert client.post("/v1/invoices/import", body, 409)["error"]["code"] == "duplicate_number"
    assert client.get("/v1/invoices?search=0044")["data"][0]["id"] == made["id"]
    plain = {"client_id": contact, "line_items": [line]}
    assert client.post("/v1/invoices", plain)["data"]["number"] == "INV-0045"
    stranger = Client(client.app)
    assert stranger.post("/v1/invoices/import", body, 422)["error"]["param"] == "client_id"
    assert Client(client.app, client.tenant_id, ("invoices:read",)).post("/v1/invoices/import", body, 403)


PAYMENTS = """\
invoice_number,client.name,amount,paid_at,payment_method,reference,external_id
INV-0412,,100.00,2026-07-10,,INV 412,bank-1
INV-0412,,200.00,2026-08-02,bank_transfer,rest,bank-2
,Grace Pty Ltd,30.00,2026-08-03,cash,,bank-3
"""


def test_payments_settle_the_invoices_that_they_name(client):
    assert imported(client, FILE)["status"] == "done"
    found = imported(client, PAYMENTS, "payments")
    assert (found["status"], found["rows_imported"]) == ("done", 3), found["faults"]
    owed = client.get("/v1/reports/receivables?as_at=2026-12-31")["data"]
    run_timed(client.app)
    invoice = client.get("/v1/invoices?number=INV-0412&include=payments")["data"][0]
    assert (invoice["status"], invoice["amount_due"]) == ("paid", 0)
    assert [payment["amount"] for payment in invoice["payments"]] == [20, 100, 148]
    rest, first = (client.get(f"/v1/payments?reference={text}")["data"][0] for text in ("rest", "INV%20412"))
    assert (rest["unallocated"], rest["client"]["name"], first["paid_on"]) == (52, "Hale & Co", "2026-07-10")
    assert client.get("/v1/payments?external_id=bank-3")["data"][0]["unallocated"] == 30
    # What is owed and who has credit is the same before and after, because each counts on its own day.
    after = client.get("/v1/reports/receivables?as_at=2026-12-31")["data"]
    assert after["total"] - after["credit"] == owed["total"] - owed["credit"]
    count = len(client.events())
    run_timed(client.app)
    assert len(client.events()) == count
    again = faults(imported(client, PAYMENTS, "payments"))
    assert again == [(i, "external_id", "duplicate_external_id") for i in (1, 2, 3)]


def test_a_payment_that_cannot_settle_its_invoice_is_credit(client):
    imported(client, FILE)
    id = client.get("/v1/invoices?number=A/7")["data"][0]["id"]
    text = "invoice_number,amount,paid_at\nA/7,10.00,2026-07-01\nB/1,10.00,2026-07-01\n,10.00,2026-07-01\n"
    found = imported(client, text, "payments")
    assert faults(found) == [(2, "invoice_number", "not_found"), (3, "client_id", "required")]
    imported(client, text.partition("B/1")[0], "payments")
    run_timed(client.app)
    (credit,) = client.get("/v1/payments?unallocated_from=0.01")["data"]
    assert credit["unallocated"] == 10 and credit["client_id"] == client.get(f"/v1/invoices/{id}")["data"]["client_id"]
