"""The pages of what is owed: the figures of the API, to read, to print and for a spreadsheet."""

import pytest

from billycan.testing import Client
from billycan_dashboard.business import reports
from billycan_users.testing import Browser

pytestmark = pytest.mark.sqlite_alone
PLUGINS = ("contacts", "documents", "hosted", "invoices", "reports", "users", "dashboard")


@pytest.fixture
def client(make_app):
    client = Client(make_app(*PLUGINS))
    client.contact = client.post("/v1/contacts", {"name": "=<Ada>"})["data"]["id"]
    line = {"description": "Work", "unit_price": "1000.00"}
    body = {"client_id": client.contact, "issue_date": "2026-09-01", "due_date": "2026-09-15", "line_items": [line]}
    id = client.post("/v1/invoices", body)["data"]["id"]
    client.post(f"/v1/invoices/{id}/send", status=200)
    paid = {"amount": "100.00", "payment_method": "card", "paid_at": "2026-10-02", "reference": "EFT 7"}
    client.post(f"/v1/invoices/{id}/payments", paid)
    return client


def test_receivables_of_any_day_lead_to_statements(client):
    browser = Browser(client.app).join(client, "viewer")
    page = browser.get("/dashboard/reports/receivables")
    assert "=&lt;Ada&gt;" in page.text and "$1,000.00" in page.text
    assert 'class="days_61_90" x="0" width="1000"' in page.text, "67 days after it was due"
    assert "$1,100.00" in browser.get("/dashboard/reports/receivables?as_at=2026-09-30").text
    assert "Nobody owed anything" in browser.get("/dashboard/reports/receivables?as_at=2026-08-31").text
    browser.get("/dashboard/reports/receivables?as_at=yesterday", status=400)
    browser.get("/dashboard/reports/receivables?as_at=2026-09-30")
    statement = browser.page.click("Ada").text
    assert "<h1>Statement</h1>" in statement and "2 Jul 2026 to 30 Sep 2026" in statement
    assert statement.count("$1,100.00") >= 3 and "INV-0001" in statement and "EFT 7" not in statement
    assert ">Details<" in statement and "1 to 30 days overdue" in statement


def test_a_contacts_page_leads_to_its_statement(client):
    browser = Browser(client.app).join(client)
    page = browser.get(f"/dashboard/contacts/{client.contact}").click("^Statement$").text
    assert "EFT 7" in page and "Closing balance" in page
    assert browser.get("/dashboard/invoices").text.count(">Statement<") == 0
    browser.get("/dashboard/reports/statements/con_0", status=404)


def test_files_open_in_a_spreadsheet(client):
    browser = Browser(client.app).join(client)
    browser.get("/dashboard/reports/receivables?as_at=2026-09-30")
    file = browser.page.click("CSV")
    assert file.body.startswith(b"\xef\xbb\xbfclient_id,client,current") and b"'=<Ada>" in file.body
    assert "receivables-2026-09-30.csv" in file.headers["Content-Disposition"] and file.content_type == "text/csv"
    browser.get(f"/dashboard/reports/statements/{client.contact}?from=2026-09-01&to=2026-10-31")
    rows = browser.page.click("CSV").body.decode("utf-8-sig").splitlines()
    assert rows[3].startswith("2026-10-02,payment,,EFT 7,-100.00")


def test_payables_of_any_day_lead_to_unpaid_bills(make_app):
    client = Client(make_app("contacts", "expenses", "reports", "users", "dashboard"))
    category = client.get("/v1/expense_categories?per_page=1")["data"][0]["id"]
    sparky = client.post("/v1/contacts", {"name": "<Sparky>", "roles": ["supplier"]})["data"]["id"]
    for who in ({"supplier_id": sparky, "description": "Cable"}, {"supplier_name": "Shop & Co"}, {}):
        bill = {"date": "2026-09-01", "amount": "440.00", "category_id": category, "due_date": "2026-09-15"}
        client.post("/v1/expenses", {**bill, **who})
    browser = Browser(client.app).join(client, "viewer")
    page = browser.get("/dashboard").click("Payables")
    assert "&lt;Sparky&gt;" in page.text and "$1,320.00" in page.text and "Nobody named" in page.text
    assert "Owed to 3 suppliers" in page.text and 'class="days_61_90" x="0" width="1000"' in page.text
    assert b"supplier_id,supplier,supplier_name,current" in page.click("CSV").body
    assert "Cable" in page.click("Sparky").text and "Shop &amp; Co" in page.click("Shop").text
    assert "Nothing was owed" in browser.get("/dashboard/reports/payables?as_at=2026-08-31").text


def test_what_is_off_has_no_page(make_app):
    client = Client(make_app("contacts", "users", "dashboard"))
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    browser = Browser(client.app).join(client)
    assert "Receivables" not in browser.get("/dashboard").text
    assert ">Statement<" not in browser.get(f"/dashboard/contacts/{contact}").text
    for path in ("receivables", "receivables.csv", "payables", "payables.csv", f"statements/{contact}"):
        browser.get(f"/dashboard/reports/{path}", status=404)


def test_what_contractors_were_paid_is_a_page(make_app):
    client = Client(make_app("contacts", "expenses", "reports", "users", "dashboard"))
    category = client.get("/v1/expense_categories?per_page=1")["data"][0]["id"]
    sparky = {"name": "<Sparky>", "abn": "47555222000", "roles": ["supplier"], "contractor": True}
    sparky = client.post("/v1/contacts", sparky)["data"]["id"]
    spent = {"date": "2026-06-15", "amount": "1100.00", "category_id": category, "supplier_id": sparky}
    client.post("/v1/expenses", spent)
    browser = Browser(client.app).join(client, "viewer")
    page = browser.get("/dashboard").click("Taxable payments")
    assert "year to 30 June 2026" in page.text and "due on 28 Aug 2026" in page.text
    assert "$1,100.00" in page.text and "$100.00" in page.text and "47 555 222 000" in page.text
    assert "One contractor lacks" in page.text and "No address" in page.text and "&lt;Sparky&gt;" in page.text
    assert b"<Sparky>,47555222000" in page.click("CSV").body
    assert "No contractor was paid" in browser.get("/dashboard/reports/taxable-payments?year=2027").text
    browser.get("/dashboard/reports/taxable-payments?year=soon", status=400)


def test_a_report_of_many_is_shown_page_by_page(make_app, monkeypatch):
    client = Client(
        make_app("contacts", "documents", "expenses", "hosted", "invoices", "reports", "users", "dashboard")
    )
    category = client.get("/v1/expense_categories?per_page=1")["data"][0]["id"]
    for i in range(3):
        contact = client.post("/v1/contacts", {"name": f"Client {i}", "contractor": True})["data"]["id"]
        body = {"client_id": contact, "line_items": [{"description": "Work", "unit_price": f"{9 - i}00.00"}]}
        id = client.post("/v1/invoices", body)["data"]["id"]
        client.post(f"/v1/invoices/{id}/send", status=200)
        spent = {"date": "2026-06-15", "amount": "1100.00", "category_id": category, "supplier_id": contact}
        client.post("/v1/expenses", spent)
        client.post("/v1/expenses", {**spent, "amount": f"{9 - i}00.00", "paid_on": None})
    monkeypatch.setattr(reports, "SHOWN", 2)
    browser = Browser(client.app).join(client, "viewer")
    for path in ("receivables", "payables", "taxable-payments"):
        first = browser.get(f"/dashboard/reports/{path}")
        second = first.click(href="page=2")
        assert [f"Client {i}" in first.text for i in range(3)] == [True, True, False]
        assert [f"Client {i}" in second.text for i in range(3)] == [False, False, True]
        assert ">All " in second.text  # and what they come to together
        assert "Client 0" in browser.get(f"/dashboard/reports/{path}?page=x").text
