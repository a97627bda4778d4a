"""The worked examples in docs/accountants.md: what their tables say is what the app answers."""

from collections import Counter
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from billycan.testing import Client, run_timed
from billycan_imports.testing import finish_imports

pytestmark = pytest.mark.either

D = Decimal
PLUGINS = ("contacts", "documents", "expenses", "hosted", "imports", "invoices", "reports")
PAGE = (Path(__file__).parents[1] / "docs" / "accountants.md").read_text("utf-8")
QUARTERS = {
    "July to September": "from=2026-07-01&to=2026-09-30",
    "October to December": "from=2026-10-01&to=2026-12-31",
    "January to March": "from=2027-01-01&to=2027-03-31",
}


def table(*columns):
    """The rows of the page's table with these columns."""
    header = "".join(f"| {column} " if column else "| " for column in columns)
    rows = PAGE.partition(f"{header}|\n")[2].splitlines()[1:]
    ends = next(i for i, row in enumerate(rows) if not row.startswith("|"))
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[:ends]]


@pytest.fixture
def business(make_app):
    """`business("cash")`: one that is registered and has a category for what it buys."""
    app = make_app(*PLUGINS)

    def open_one(basis):
        on(app, "2027-01-31")
        client = Client(app, profile={"timezone": "Australia/Hobart"})
        setting = {"from": "2000-07-01", "registered": True, "basis": basis, "period": "quarter"}
        client.patch("/v1/tenant", {"gst_settings": [setting]})
        client.category = client.get("/v1/expense_categories?search=Materials")["data"][0]["id"]
        return client

    return open_one


def on(app, day):
    app.clock.time = datetime.fromisoformat(day).replace(hour=2, tzinfo=UTC)


def labels(client, quarter):
    return client.get(f"/v1/reports/gst?{QUARTERS[quarter]}")["data"]


def bill(client):
    """The bill of three lines, half of which is paid in October."""
    abn = {"abn": "47555222000", "roles": ["supplier"]}
    supplier = client.post("/v1/contacts", {"name": "Derwent Pipe Supplies", **abn})["data"]["id"]
    parts = (("660.00", "gst"), ("330.00", "capital"), ("110.00", "gst_free"))
    lines = [{"category_id": client.category, "amount": amount, "gst_code": code} for amount, code in parts]
    body = {"date": "2026-10-05", "due_date": "2026-11-05", "supplier_id": supplier, "tax_invoice_held": True}
    made = client.post("/v1/expenses", {**body, "line_items": lines})["data"]
    client.post(f"/v1/expenses/{made['id']}/payments", {"amount": "550.00", "paid_on": "2026-10-20"})
    return made


def test_a_bill_that_is_paid_in_parts(business):
    client = business("cash")
    made = bill(client)
    client.post(f"/v1/expenses/{made['id']}/payments", {"amount": "550.00", "paid_on": "2027-01-15"})
    quarters = ("October to December", "January to March")
    (paid, *rows) = table("", *quarters)
    assert paid[1:] == ["550.00", "550.00"] and len(rows) == 4
    found = [labels(client, quarter) for quarter in quarters]
    assert [[name, *(str(each[name]["amount"]) for each in found)] for name, *_ in rows] == rows
    other = business("accrual")
    bill(other)
    whole = labels(other, "October to December")
    said = [str(whole[name]["amount"]) for name in ("G10", "G11", "1B")]
    assert "{} at G10, {} at G11 and {} at 1B".format(*said) in PAGE


def test_what_is_owed_to_suppliers(business):
    client = business("cash")
    made = bill(client)
    shop = {"date": "2026-09-12", "amount": "88.00", "category_id": client.category, "supplier_name": "Corner Hardware"}
    client.post("/v1/expenses", {**shop, "paid_on": None})
    lines = [{"category_id": client.category, "amount": "-66.00", "refunded_line_id": made["line_items"][0]["id"]}]
    back = {"date": "2026-10-28", "refunded_expense_id": made["id"], "supplier_id": made["supplier_id"]}
    credit = client.post("/v1/expenses", {**back, "line_items": lines, "paid_on": None})["data"]["id"]
    report = client.get("/v1/reports/payables?as_at=2026-10-31")["data"]
    names = [(one["supplier"] or {}).get("name", one["supplier_name"]) for one in report["entries"]]
    shown = zip([*names, "All suppliers"], [*report["entries"], report], strict=True)
    figures = ("current", "days_31_60", "total", "credit")
    rows = [[name, *(str(one[figure]) for figure in figures)] for name, one in shown]
    assert rows == table("", "Not due yet", "31 to 60 days", "Total", "Credit")
    entries = client.get("/v1/ledger_entries?account=200&per_page=100")["data"]
    payable = sum(one["credit"] - one["debit"] for one in entries if one["date"] <= "2026-10-31")
    assert f"is ${payable:.0f} on that day" in PAGE and payable == report["total"] - report["credit"]
    # It is set off against the bill.
    client.post(f"/v1/expenses/{made['id']}/payments", {"amount": "66.00", "paid_on": "2026-11-02"})
    client.patch(f"/v1/expenses/{credit}", {"paid_on": "2026-11-02"})
    after = client.get("/v1/reports/payables?as_at=2026-11-02")["data"]
    assert (after["total"], after["credit"]) == (D("572.00"), 0)


def test_the_ledger_on_a_cash_basis(business):
    client = business("cash")
    ada = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    line = {"description": "Boiler", "unit_price": "2200.00"}
    body = {"client_id": ada, "issue_date": "2026-10-03", "amounts_are": "inclusive", "line_items": [line]}
    sale = client.post("/v1/invoices", body)["data"]["id"]
    client.post(f"/v1/invoices/{sale}/send", status=200)
    half = {"amount": "1100.00", "payment_method": "card", "paid_at": "2026-10-17"}
    client.post(f"/v1/invoices/{sale}/payments", half)
    found = Counter()
    for one in client.get("/v1/ledger_entries?per_page=100")["data"]:
        found[one["date"], one["account"]["name"]] += one["debit"] - one["credit"]
    said = {
        (f"2026-10-{int(day.split()[0]):02d}", account): D(debit or "0") - D(credit or "0")
        for day, account, debit, credit in table("Day", "Account", "Debit", "Credit")
    }
    assert found == said and len(said) == 7


INVOICES = """\
number,client.name,issue_date,amounts_are,line_items.description,line_items.unit_price,amount_paid,paid_at
INV-0412,Ada,2026-06-10,inclusive,Gutters,220.00,55.00,2026-06-20
"""
BILLS = """\
date,due_date,amount,category_id,supplier_name,supplier_abn,reference,tax_invoice_held,paid_on
2026-06-15,2026-07-15,330.00,{category},Pipe Shop,47555222000,P-77,true,
"""


def take_over(client):
    """Import what the business had before."""
    for resource, text in (("invoices", INVOICES), ("expenses", BILLS.format(category=client.category))):
        bring_in(client, resource, text)


def bring_in(client, resource, text):
    path, kind = f"/v1/imports?resource={resource}", {"Content-Type": "text/csv"}
    id = client.call("POST", path, raw=text.encode(), status=202, headers=kind).json["data"]["id"]
    finish_imports(client.app)
    run_timed(client.app)
    found = client.get(f"/v1/imports/{id}")["data"]
    assert found["status"] == "done", found["faults"]


@pytest.mark.parametrize(("column", "basis"), [(1, "cash"), (2, "accrual")])
def test_books_are_taken_over(business, column, basis):
    client = business(basis)
    client.post("/v1/contacts", {"name": "Ada"})
    take_over(client)
    invoice, bought = (client.get(f"/v1/{kind}")["data"][0]["id"] for kind in ("invoices", "expenses"))
    rest = {"amount": "165.00", "payment_method": "card", "paid_at": "2026-08-14"}
    client.post(f"/v1/invoices/{invoice}/payments", rest)
    client.post(f"/v1/expenses/{bought}/payments", {"amount": "330.00", "paid_on": "2026-07-10"})
    reports = [f"/v1/reports/{name}?as_at=2026-06-30" for name in ("receivables", "payables")]
    found = [client.get(path)["data"]["total"] for path in reports]
    found += [labels(client, "July to September")[label]["amount"] for label in ("G1", "1A", "G11", "1B")]
    rows = table("", "Cash", "Accruals")
    assert [row[0].split(" ")[0] for row in rows] == ["Receivables", "Payables", "G1", "1A", "G11", "1B"]
    assert [str(amount) for amount in found] == [row[column] for row in rows]


def test_the_ledger_is_brought_to_the_trial_balance(business):
    client = business("cash")
    client.post("/v1/contacts", {"name": "Ada"})
    take_over(client)
    bring_in(client, "accounts", "code,name,type\n250,Van loan,liability\n300,Owner's equity,equity\n")
    codes = {one["name"]: one["code"] for one in client.get("/v1/accounts?per_page=100")["data"]}
    said = table("Account", "Documents", "Trial balance", "Added")
    rows = [(codes[name], *map(D, amounts)) for name, *amounts in said]
    assert balances(client) == {code: made for code, made, _, _ in rows if made}
    text = "number,date,balances.account_code,balances.debit,balances.credit\n"
    for code, _, is_to_be, _ in rows:
        text += f"TB 2026,2026-06-30,{code},{max(is_to_be, 0) or ''},{max(-is_to_be, 0) or ''}\n"
    labels_before = labels(client, "July to September")
    bring_in(client, "opening_balances", text)
    id = client.get("/v1/opening_balances")["data"][0]["id"]
    assert balances(client) == {code: is_to_be for code, _, is_to_be, _ in rows if is_to_be}
    assert balances(client, document_id=id) == {code: added for code, *_, added in rows if added}
    assert labels(client, "July to September") == labels_before and text.splitlines()[1] in PAGE


def balances(client, **filters):
    sums = Counter()
    query = "&".join(["per_page=100", *(f"{name}={value}" for name, value in filters.items())])
    for one in client.get(f"/v1/ledger_entries?{query}")["data"]:
        sums[one["account"]["code"]] += one["debit"] - one["credit"]
    return {code: amount for code, amount in sums.items() if amount}
