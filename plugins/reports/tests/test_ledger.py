"""The ledger: double entry made of what is stored, and only added to. See also `tests/year/test_books_machine.py`."""

import csv
from collections import Counter
from decimal import Decimal

import pytest

from billycan import Context
from billycan.testing import Client, run_timed
from billycan_imports.testing import finish_imports

pytestmark = pytest.mark.either

PLUGINS = ("contacts", "documents", "expenses", "hosted", "imports", "invoices", "items", "jobs", "reports")
D = Decimal
CASH = {"from": "2020-07-01", "registered": True, "basis": "cash", "period": "quarter"}


@pytest.fixture
def app(make_app):
    return make_app(*PLUGINS)


@pytest.fixture
def client(app):
    return Client(app, profile={"name": "Brindle Plumbing"})


def invoice(client, price="110.00", **more):
    """Send an invoice of the 2nd of November to Ada; its id."""
    if "ada" not in vars(client):
        client.ada = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    lines = [{"description": "Tap", "unit_price": price}]
    body = {"client_id": client.ada, "amounts_are": "inclusive", "line_items": lines, "issue_date": "2026-11-02"}
    made = client.post("/v1/invoices", {**body, **more})["data"]["id"]
    client.post(f"/v1/invoices/{made}/send", status=200)
    return made


def expense(client, **more):
    category = client.get("/v1/expense_categories?search=Materials")["data"][0]["id"]
    body = {"date": "2026-11-03", "amount": "220.00", "category_id": category, "tax_invoice_held": True}
    return client.post("/v1/expenses", {**body, **more})["data"]["id"]


def listed(client, **filters):
    """The entries as (date, account, amount), oldest first; a credit is below zero."""
    query = "&".join(["sort=created_at", "per_page=100", *(f"{name}={value}" for name, value in filters.items())])
    found = client.get(f"/v1/ledger_entries?{query}")["data"]
    return [(one["date"], one["account"]["name"], one["debit"] - one["credit"]) for one in found]


def balance(client, **filters):
    sums = Counter()
    for _, account, amount in listed(client, **filters):
        sums[account] += amount
    return {account: amount for account, amount in sums.items() if amount}


@pytest.mark.both
def test_a_sale_its_payment_and_a_purchase_on_an_accrual_basis(client):
    sale = invoice(client)
    client.post(f"/v1/invoices/{sale}/payments", {"amount": "50.00", "payment_method": "card", "paid_at": "2026-11-05"})
    expense(client)
    assert listed(client) == [
        ("2026-11-02", "Accounts receivable", D("110.00")),
        ("2026-11-02", "GST collected", D("-10.00")),
        ("2026-11-02", "Sales", D("-100.00")),
        ("2026-11-05", "Bank", D("50.00")),
        ("2026-11-05", "Accounts receivable", D("-50.00")),
        ("2026-11-03", "GST paid", D("20.00")),
        ("2026-11-03", "Purchases and expenses", D("200.00")),
        ("2026-11-03", "Bank", D("-220.00")),
    ]
    first = client.get("/v1/ledger_entries?sort=created_at")["data"][0]
    assert first["document"] == {"id": sale, "kind": "invoice", "number": "INV-0001"}
    assert first["account"] == {"code": "110", "name": "Accounts receivable"}
    assert (first["debit"], first["credit"], first["contact_id"]) == (D("110.00"), D("0.00"), client.ada)
    assert [one["gst_code"] for one in client.get("/v1/ledger_entries?account=400,500")["data"]] == ["gst", "gst"]


def test_on_a_cash_basis_gst_is_not_due_until_it_is_paid(client):
    client.patch("/v1/tenant", {"gst_settings": [CASH]})
    sale = invoice(client)
    bill = expense(client, paid_on=None)
    assert balance(client)["GST not due yet"] == D("10.00")  # 20.00 to claim, 10.00 to pay
    client.post(f"/v1/invoices/{sale}/payments", {"amount": "55.00", "payment_method": "card", "paid_at": "2026-11-05"})
    client.patch(f"/v1/expenses/{bill}", {"paid_on": "2026-11-06"})
    assert listed(client)[-8:] == [
        ("2026-11-05", "GST not due yet", D("5.00")),
        ("2026-11-05", "GST collected", D("-5.00")),
        ("2026-11-05", "Bank", D("55.00")),
        ("2026-11-05", "Accounts receivable", D("-55.00")),
        ("2026-11-06", "Accounts payable", D("220.00")),
        ("2026-11-06", "GST paid", D("20.00")),
        ("2026-11-06", "Bank", D("-220.00")),
        ("2026-11-06", "GST not due yet", D("-20.00")),
    ]
    client.post(f"/v1/invoices/{sale}/write_off", {"date": "2026-11-10", "reason": "Gone"}, 200)
    # What was never due is no loss.
    assert balance(client, date_from="2026-11-07") == {
        "Accounts receivable": D("-55.00"),
        "Bad debts": D("50.00"),
        "GST not due yet": D("5.00"),
    }


def test_gst_of_a_bill_paid_in_parts_is_not_due_from_its_date_on(client):
    """Also of what is not paid yet: a later payment adds nothing to the days before it."""
    client.patch("/v1/tenant", {"gst_settings": [CASH]})
    category = client.get("/v1/expense_categories?search=Materials")["data"][0]["id"]
    lines = [{"category_id": category, "amount": "165.00"}, {"category_id": category, "amount": "55.00"}]
    body = {"date": "2026-11-03", "paid_on": None, "line_items": lines, "tax_invoice_held": True}
    bill = f"/v1/expenses/{client.post('/v1/expenses', body)['data']['id']}/payments"
    bought = {"GST not due yet": D("20.00"), "Purchases and expenses": D("200.00"), "Accounts payable": D("-220.00")}
    assert balance(client) == bought
    paid = client.post(bill, {"amount": "55.00", "paid_on": "2026-11-05"})["data"]["payments"][0]["id"]
    assert balance(client, date_to="2026-11-04") == bought
    part = {"Accounts payable": D("55.00"), "Bank": D("-55.00"), "GST paid": D("5.00"), "GST not due yet": D("-5.00")}
    assert balance(client, date_from="2026-11-05") == part
    client.post(f"{bill}/{paid}/reverse", {"date": "2026-11-06", "reason": "Returned"}, 200)
    assert balance(client) == bought
    client.post(bill, {"amount": "220.00", "paid_on": "2026-11-09"})
    assert balance(client, date_to="2026-11-04") == bought
    assert balance(client) == {"GST paid": D("20.00"), "Purchases and expenses": D("200.00"), "Bank": D("-220.00")}
    assert all(date >= "2026-11-03" for date, *_ in listed(client)) and len(listed(client)) <= 20


def test_money_of_a_void_bill_came_back_when_its_payment_was_reversed(client):
    """Not when the bill ended, which may be before that."""
    category = client.get("/v1/expense_categories?search=Materials")["data"][0]["id"]
    body = {"date": "2026-11-03", "amount": "220.00", "category_id": category, "due_date": "2026-12-01"}
    bill = f"/v1/expenses/{client.post('/v1/expenses', {**body, 'tax_withheld': '22.00'})['data']['id']}"
    paid = client.post(f"{bill}/payments", {"amount": "110.00", "paid_on": "2026-11-04"})["data"]["payments"][0]["id"]
    client.post(f"{bill}/payments/{paid}/reverse", {"date": "2026-11-08", "reason": "Returned"}, 200)
    client.post(f"{bill}/void", {"date": "2026-11-06", "reason": "Cancelled"}, 200)
    out = {"Accounts payable": D("110.00"), "Bank": D("-99.00"), "Tax withheld": D("-11.00")}
    assert balance(client, date_to="2026-11-07") == out
    assert balance(client) == {}


@pytest.mark.both
def test_nothing_is_rewritten_whatever_is_undone(client):
    sale, other = invoice(client), invoice(client, "220.00")
    bill = expense(client)
    before = client.get("/v1/ledger_entries?sort=created_at&per_page=100")["data"]
    client.post(f"/v1/invoices/{sale}/void", {"reason": "Twice", "mistake": True}, 200)
    client.post(f"/v1/invoices/{other}/void", {"reason": "Cancelled", "date": "2026-11-09"}, 200)
    client.patch(
        f"/v1/expenses/{bill}", {"date": "2026-10-31", "tax_invoice_held_on": "2026-10-31", "amount": "110.00"}
    )
    after = client.get("/v1/ledger_entries?sort=created_at&per_page=100")["data"]
    assert after[: len(before)] == before
    assert balance(client, document_id=sale) == balance(client, document_id=other) == {}
    assert {date for date, _, _ in listed(client, document_id=sale)} == {"2026-11-02"}
    assert balance(client, document_id=other, date_to="2026-11-08")["Sales"] == D("-200.00")
    assert balance(client, date_to="2026-10-31") == {
        "Purchases and expenses": D("100.00"),
        "GST paid": D("10.00"),
        "Bank": D("-110.00"),
    }
    client.delete(f"/v1/expenses/{expense(client)}")
    assert balance(client, date_from="2026-11-03", date_to="2026-11-03") == {}


@pytest.mark.both
def test_a_poller_sees_each_entry_once_in_the_order_of_commits(client):
    invoice(client)
    page = client.get("/v1/ledger_entries?sort=created_at")["data"]
    last = page[-1]["id"]
    assert client.get(f"/v1/ledger_entries?after={last}")["data"] == []
    expense(client, date="2026-10-01")
    assert [one["date"] for one in client.get(f"/v1/ledger_entries?after={last}")["data"]] == ["2026-10-01"] * 3
    client.refused(400, "invalid_parameter", "GET", "/v1/ledger_entries?after=led_0")
    client.refused(400, "invalid_filter", "GET", "/v1/ledger_entries?account=999")
    client.key("invoices:read").refused(403, "insufficient_scope", "GET", "/v1/ledger_entries")
    assert client.key("reports:read").get("/v1/ledger_entries")["data"]


def test_items_categories_and_payment_methods_name_accounts_and_old_entries_keep_theirs(client):
    client.post("/v1/accounts", {"code": "4-1100", "name": "Parts sold", "type": "income"})
    client.post("/v1/accounts", {"code": "6-2200", "name": "Materials", "type": "expense"})
    client.post("/v1/accounts", {"code": "1-1180", "name": "Card clearing", "type": "asset"})
    tap = client.post("/v1/items", {"name": "Tap", "unit_price": "110.00", "account_code": "4-1100"})["data"]
    assert tap["account_code"] == "4-1100"
    category = client.get("/v1/expense_categories?search=Materials")["data"][0]["id"]
    client.patch(f"/v1/expense_categories/{category}", {"account_code": "6-2200"})
    method = client.post("/v1/payment_methods", {"name": "Card", "account_code": "1-1180"})["data"]["id"]
    lines = [{"item_id": tap["id"]}, {"description": "Labour", "unit_price": "55.00"}]
    sale = invoice(client, line_items=lines)
    client.post(f"/v1/invoices/{sale}/pay", {"payment_method": "card"}, 200)
    bill = expense(client)
    assert balance(client) == {
        "Parts sold": D("-100.00"),
        "Sales": D("-50.00"),
        "GST collected": D("-15.00"),
        "Card clearing": D("165.00"),
        "Materials": D("200.00"),
        "GST paid": D("20.00"),
        "Bank": D("-220.00"),
    }
    for path in (f"items/{tap['id']}", f"expense_categories/{category}"):
        client.patch(f"/v1/{path}", {"account_code": None})
    client.delete(f"/v1/payment_methods/{method}")
    client.patch(f"/v1/expenses/{bill}", {"amount": "110.00"})  # of the same category: as it was coded then
    assert balance(client, document_id=bill)["Materials"] == D("100.00")
    assert "Materials" not in balance(client, document_id=expense(client))
    client.refused(422, "validation_failed", "PATCH", f"/v1/items/{tap['id']}", {"account_code": "no"})
    materials = client.get("/v1/accounts?code=6-2200")["data"][0]["id"]
    client.refused(409, "has_dependents", "DELETE", f"/v1/accounts/{materials}")
    client.patch(f"/v1/accounts/{materials}", {"code": "6-2201"})
    assert client.get("/v1/ledger_entries?account=6-2201")["data"]
    client.refused(409, "duplicate_account_code", "PATCH", f"/v1/accounts/{materials}", {"code": "100"})


def test_what_a_note_takes_off_and_what_it_gives_back(client):
    tap = client.post("/v1/items", {"name": "Tap", "unit_price": "110.00"})["data"]["id"]
    sale = invoice(client, line_items=[{"item_id": tap}])
    paid = client.post(f"/v1/invoices/{sale}/pay", {"payment_method": "card", "paid_at": "2026-11-04"}, 200)["data"]
    body = {"invoice_id": sale, "reason": "returned", "full": True, "issue_date": "2026-11-05"}
    note = client.post("/v1/adjustment_notes", body)["data"]["id"]
    client.post(f"/v1/adjustment_notes/{note}/issue", status=200)
    assert balance(client, document_id=note) == {
        "Accounts receivable": D("-110.00"),
        "GST collected": D("10.00"),
        "Sales": D("100.00"),
    }
    assert balance(client) == {"Bank": D("110.00"), "Credit of clients": D("-110.00")}
    payment = paid["payments"][0]["id"]
    client.post(f"/v1/payments/{payment}/refund", {"amount": "110.00", "payment_method": "card"}, 200)
    assert balance(client) == {}


def test_a_deposit_is_held_until_it_is_taken_off(client):
    ada = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    lines = [{"description": "Bathroom", "unit_price": "1100.00"}]
    body = {"title": "Bathroom", "client_id": ada, "amounts_are": "inclusive", "line_items": lines}
    job = client.post("/v1/jobs", {**body, "scheduled_start": "2026-11-20T15:00:00+10:00"})["data"]["id"]
    deposit = client.post(f"/v1/jobs/{job}/invoice", {"amount": "220.00", "claim": "deposit"})["data"]["id"]
    client.post(f"/v1/invoices/{deposit}/pay", {"payment_method": "card"}, 200)
    assert balance(client) == {"Bank": D("220.00"), "Deposits held": D("-220.00")}
    final = client.post(f"/v1/jobs/{job}/invoice", {})["data"]["id"]
    client.post(f"/v1/invoices/{final}/send", status=200)
    assert balance(client) == {
        "Bank": D("220.00"),
        "Accounts receivable": D("880.00"),
        "Sales": D("-1000.00"),
        "GST collected": D("-100.00"),
    }


def test_income_and_costs_are_tracked(client):
    client.post("/v1/tracking_categories", {"name": "Region", "options": ["North", "South"]})
    client.post("/v1/tracking_categories", {"name": "Van", "options": ["1", "2"]})
    third = {"name": "Crew", "options": ["A"]}
    client.refused(409, "too_many_tracking_categories", "POST", "/v1/tracking_categories", third)
    sale = invoice(client, tracking={"Region": "North", "Van": "2"})
    by_account = {one["account"]["name"]: one["tracking"] for one in client.get("/v1/ledger_entries")["data"]}
    assert by_account["Sales"] == {"Region": "North", "Van": "2"}
    assert by_account["Accounts receivable"] == {}
    bill = expense(client)
    client.patch(f"/v1/expenses/{bill}", {"tracking": {"Region": "South"}})
    moved = client.get(f"/v1/ledger_entries?document_id={bill}&account=500&sort=created_at")["data"]
    assert [(one["debit"] - one["credit"], one["tracking"]) for one in moved] == [
        (D("200.00"), {}),
        (D("200.00"), {"Region": "South"}),
        (D("-200.00"), {}),
    ]
    wrong = {"tracking": {"Region": "West"}}
    assert client.refused(422, "validation_failed", "PATCH", f"/v1/invoices/{sale}", wrong)["details"]


def test_no_entry_is_added_on_days_for_which_the_books_are_locked(client):
    """Neither by another tracking nor by another payment method; a bill of those days can be paid later."""
    client.post("/v1/tracking_categories", {"name": "Region", "options": ["North", "South"]})
    sale, spent, bill = invoice(client), expense(client, payment_method="card"), expense(client, paid_on=None)
    client.patch("/v1/tenant", {"locked_until": "2026-11-10"})
    before = listed(client)
    north = {"tracking": {"Region": "North"}}
    for path in (f"/v1/invoices/{sale}", f"/v1/expenses/{spent}"):
        client.refused(409, "period_locked", "PATCH", path, north)
    client.refused(409, "period_locked", "PATCH", f"/v1/expenses/{spent}", {"payment_method": "cash"})
    assert listed(client) == before
    client.patch(f"/v1/expenses/{bill}", {"payment_method": "cash", "paid_on": "2026-11-12"})
    assert {date for date, *_ in listed(client)[len(before) :]} == {"2026-11-12"}
    later = invoice(client, issue_date="2026-11-11")
    assert client.patch(f"/v1/invoices/{later}", north)["data"]["tracking"] == {"Region": "North"}


def test_what_is_tracked_by_a_renamed_category_can_be_tracked_by_the_other_one(client):
    client.post("/v1/tracking_categories", {"name": "Van", "options": ["1", "2"]})
    region = client.post("/v1/tracking_categories", {"name": "Region", "options": ["North"]})["data"]["id"]
    sale = invoice(client, tracking={"Region": "North", "Van": "1"})
    client.patch(f"/v1/tracking_categories/{region}", {"name": "Area"})
    changed = client.patch(f"/v1/invoices/{sale}", {"tracking": {"Van": "2"}})["data"]
    assert changed["tracking"] == {"Region": "North", "Van": "2"}


@pytest.mark.both
def test_what_was_there_before_gets_entries_in_the_background(app, client, clock):
    """As much as one transaction takes at a time, the same as if the ledger had been there."""
    from billycan_reports.ledger import catching_up
    from billycan_reports.ledger.entries import entries

    sale = invoice(client)
    client.post(f"/v1/invoices/{sale}/payments", {"amount": "50.00", "payment_method": "card"})
    expense(client)
    there = balance(client)
    ctx = Context(app, client.tenant_id)
    with ctx.transaction():
        ctx.db.execute(entries.delete().where(entries.c.tenant_id == client.tenant_id))
    assert balance(client) == {}
    run_timed(app)
    assert balance(client) == there
    with ctx.transaction():
        assert not catching_up.catch_up(ctx)
    # Settings that change what counts when are for all documents.
    client.patch("/v1/tenant", {"gst_settings": [CASH]})
    clock.move(seconds=61)
    run_timed(app)
    assert balance(client)["GST collected"] == D("-4.55")


def test_imported_records_get_accounts_and_entries(app, client, clock):
    """Their entries are made in the background, as a file has up to ten thousand."""
    run_timed(app)
    client.post("/v1/accounts", {"code": "4-1100", "name": "Parts sold", "type": "income"})
    category = client.get("/v1/expense_categories?search=Materials")["data"][0]["id"]
    rows = "".join(f"2026-11-{day:02d},11.00,{category},true\r\n" for day in range(1, 21))
    for resource, content in {
        "expenses": f"date,amount,category_id,tax_invoice_held\r\n{rows}",
        "items": "name,unit_price,account_code\r\nTap,11.00,4-1100\r\nPipe,22.00,\r\n",
    }.items():
        path, headers = f"/v1/imports?resource={resource}", {"Content-Type": "text/csv"}
        id = client.call("POST", path, status=202, headers=headers, raw=content.encode()).json["data"]["id"]
        finish_imports(app)
        assert client.get(f"/v1/imports/{id}")["data"]["status"] == "done"
    assert {one["name"]: one["account_code"] for one in client.get("/v1/items")["data"]} == {
        "Tap": "4-1100",
        "Pipe": None,
    }
    clock.move(seconds=61)
    run_timed(app)
    assert balance(client)["Bank"] == D("-220.00")


def test_an_export_has_what_no_earlier_one_of_its_format_had(client):
    def export(since, until, format="xero"):
        return client.post("/v1/ledger_exports", {"from": since, "to": until, "format": format})["data"]

    invoice(client)
    first = export("2026-11-01", "2026-11-30")
    content = client.call("GET", f"/v1/ledger_exports/{first['id']}/content").text
    assert (first["entries"], export("2026-11-01", "2026-11-30")["entries"]) == (3, 0)
    expense(client)
    expense(client, date="2026-12-01", paid_on="2026-12-01")
    late = export("2026-11-03", "2026-12-31")
    assert late["entries"] == 6
    assert export("2026-01-01", "2026-12-31")["entries"] == 0
    assert export("2026-01-01", "2026-12-31", "csv")["entries"] == 9
    assert client.call("GET", f"/v1/ledger_exports/{first['id']}/content").text == content
    client.refused(422, "validation_failed", "POST", "/v1/ledger_exports", {"from": "2026-12-01", "to": "2026-11-01"})


XERO = """\
*Narration,*Date,Description,*AccountCode,*TaxRate,*Amount,TrackingName1,TrackingOption1,TrackingName2,TrackingOption2
Invoice INV-0001 ({sale}),02/11/2026,Ada,1-1200,BAS Excluded,110.00,,,,
Invoice INV-0001 ({sale}),02/11/2026,Ada,210,BAS Excluded,-10.00,,,,
Invoice INV-0001 ({sale}),02/11/2026,Ada,400,BAS Excluded,-100.00,Region,North,,
Expense {bill},03/11/2026,,211,BAS Excluded,20.00,,,,
Expense {bill},03/11/2026,,500,BAS Excluded,200.00,,,,
Expense {bill},03/11/2026,,100,BAS Excluded,-220.00,,,,
"""
MYOB = """\
Journal Number|Date|Memo|Account Number|Debit Ex-Tax Amount|Debit Inc-Tax Amount|Credit Ex-Tax Amount|\
Credit Inc-Tax Amount|Tax Code|Allocation Memo
|02/11/2026|Invoice INV-0001 ({sale})|1-1200|110.00|110.00|0.00|0.00|N-T|Ada
|02/11/2026|Invoice INV-0001 ({sale})|210|0.00|0.00|10.00|10.00|N-T|Ada
|02/11/2026|Invoice INV-0001 ({sale})|400|0.00|0.00|100.00|100.00|N-T|Ada

|03/11/2026|Expense {bill}|211|20.00|20.00|0.00|0.00|N-T|
|03/11/2026|Expense {bill}|500|200.00|200.00|0.00|0.00|N-T|
|03/11/2026|Expense {bill}|100|0.00|0.00|220.00|220.00|N-T|
"""
CSV = """\
date,document_kind,document_number,account_code,account_name,debit,credit,gst_code,contact_name,tracking
2026-11-02,invoice,INV-0001,1-1200,Accounts receivable,110.00,0.00,,Ada,
2026-11-02,invoice,INV-0001,210,GST collected,0.00,10.00,,Ada,
2026-11-02,invoice,INV-0001,400,Sales,0.00,100.00,gst,Ada,Region: North
2026-11-03,expense,,211,GST paid,20.00,0.00,,,
2026-11-03,expense,,500,Purchases and expenses,200.00,0.00,gst,,
2026-11-03,expense,,100,Bank,0.00,220.00,,,
"""


@pytest.mark.parametrize(("format", "expected"), [("xero", XERO), ("myob", MYOB), ("csv", CSV)])
def test_the_files_are_what_other_software_takes(client, format, expected):
    receivable = client.get("/v1/accounts?role=receivable")["data"][0]["id"]
    client.patch(f"/v1/accounts/{receivable}", {"code": "1-1200"})
    client.post("/v1/tracking_categories", {"name": "Region", "options": ["North"]})
    ids = {"sale": invoice(client, tracking={"Region": "North"}), "bill": expense(client)}
    days = {"from": "2026-11-01", "to": "2026-11-30"}
    made = client.post("/v1/ledger_exports", {**days, "format": format})["data"]["id"]
    answer = client.call("GET", f"/v1/ledger_exports/{made}/content", status=200)
    text = answer.text.replace("\r\n", "\n").replace("\t", "|")
    if format == "csv":  # without the ids
        rows = list(csv.DictReader(text.splitlines()))
        header = expected.partition("\n")[0].split(",")
        text = "\n".join([",".join(header), *(",".join(row[name] for name in header) for row in rows), ""])
    assert text == expected.format(**ids)


def sold_and_bought(client):
    """A mixed sale and a note on it; a bill that is partly private, of which a line is GST-free, and a bank fee."""
    client.post("/v1/tracking_categories", {"name": "Region", "options": ["North"]})
    client.post("/v1/accounts", {"code": "4-1100", "name": "Parts sold", "type": "income"})
    tap = client.post("/v1/items", {"name": "Tap", "unit_price": "30.00", "account_code": "4-1100"})["data"]["id"]
    lines = [{"description": "Labour", "unit_price": "110.00"}, {"item_id": tap, "quantity": 2}]
    lines.append({"description": "Water", "unit_price": "20.00", "gst_code": "gst_free"})
    more = {"due_date": "2026-11-30", "purchase_order": "PO 9", "tracking": {"Region": "North"}}
    sale = invoice(client, line_items=lines, amounts_are="inclusive", **more)
    note = {
        "invoice_id": sale,
        "reason": "price_change",
        "line_items": [{"description": "Late", "unit_price": "11.00"}],
    }
    note = client.post("/v1/adjustment_notes", {**note, "issue_date": "2026-11-04"})["data"]["id"]
    client.post(f"/v1/adjustment_notes/{note}/issue", status=200)
    void = invoice(client)
    client.post(f"/v1/invoices/{void}/void", {"reason": "Twice"}, 200)
    shop = client.post("/v1/contacts", {"name": "Pipe Shop", "abn": "47555222000", "roles": ["supplier"]})["data"]["id"]
    of = {one["name"]: one["id"] for one in client.get("/v1/expense_categories?per_page=100")["data"]}
    lines = [
        {"category_id": of["Materials and supplies"], "amount": "220.00", "business_use_percent": 75},
        {"category_id": of["Tools and equipment"], "amount": "1100.00", "gst_code": "capital"},
        {"category_id": of["Materials and supplies"], "amount": "9.00", "gst_code": "gst_free"},
    ]
    body = {"date": "2026-11-05", "due_date": "2026-12-05", "supplier_id": shop, "reference": "P-77"}
    bill = {**body, "description": "Pipes", "tax_invoice_held": True, "line_items": lines}
    client.post("/v1/expenses", bill)
    same = client.post("/v1/expenses", {**body, "amount": "11.00", "category_id": of["Materials and supplies"]})
    fee = {"date": "2026-11-06", "amount": "5.00", "category_id": of["Bank fees"], "supplier_name": "Bank"}
    return same["data"]["id"], client.post("/v1/expenses", fee)["data"]["id"]


def exported(client, format, status=201, **days):
    """The cells that are not empty of each line of an export's files, and of each document."""
    days = {"from": "2026-11-01", "to": "2026-11-30", **days}
    made = client.call("POST", "/v1/ledger_exports", {**days, "format": format}, status).json["data"]
    text = client.call("GET", f"/v1/ledger_exports/{made['id']}/content", status=200).text
    rows = csv.DictReader(text.splitlines(), delimiter="\t" if format.startswith("myob") else ",")
    return made["entries"], [{name: cell for name, cell in row.items() if cell} for row in rows]


SALES_OF_XERO = """INV-0001|02/11/2026|30/11/2026|400|GST on Income|110.00|10.00
INV-0001|02/11/2026|30/11/2026|400|GST Free Income|20.00|0.00
INV-0001|02/11/2026|30/11/2026|4-1100|GST on Income|60.00|5.45
ADJ-0001|04/11/2026|04/11/2026|400|GST on Income|-11.00|-1.00
"""
BILLS_OF_XERO = """P-77|05/11/2026|05/12/2026|500|GST on Expenses|165.00|15.00
P-77|05/11/2026|05/12/2026|500|BAS Excluded|55.00|0.00
P-77|05/11/2026|05/12/2026|150|GST on Capital|1100.00|100.00
P-77|05/11/2026|05/12/2026|500|GST Free Expenses|9.00|0.00
P-77 {same}|05/11/2026|05/12/2026|500|GST on Expenses|11.00|1.00
{fee}|06/11/2026|06/11/2026|500|GST Free Expenses|5.00|0.00
"""


def test_sales_and_bills_are_what_xero_imports(client):
    """Their prices come to those of the documents, and what GST is claimed on to the GST report."""
    same, fee = sold_and_bought(client)
    names = ("*InvoiceNumber", "*InvoiceDate", "*DueDate", "*AccountCode", "*TaxType", "*UnitAmount", "TaxAmount")
    for format, expected, many in (("xero_sales", SALES_OF_XERO, 2), ("xero_bills", BILLS_OF_XERO, 3)):
        count, lines = exported(client, format)
        assert count == many
        assert "".join("|".join(line[name] for name in names) + "\n" for line in lines) == expected.format(
            same=same, fee=fee
        )
        assert {line["*Quantity"] for line in lines} == {"1"} and {line["Currency"] for line in lines} == {"AUD"}
        assert exported(client, format)[0] == 0
        if format == "xero_sales":
            assert {line["*ContactName"] for line in lines} == {"Ada"} and lines[0][
                "*Description"
            ] == "Invoice INV-0001"
            assert all((line["TrackingName1"], line["TrackingOption1"]) == ("Region", "North") for line in lines)
            assert lines[-1]["Reference"] == "INV-0001"
        else:
            assert [line["*ContactName"] for line in lines[-2:]] == ["Pipe Shop", "Bank"]
    header = client.last.text.partition("\r\n")[0]
    assert header.startswith("*ContactName,EmailAddress,POAddressLine1,") and header.count(",") == 25


def test_sales_and_bills_are_what_myob_imports(client):
    sold_and_bought(client)
    names = ("Co./Last Name", "Invoice #", "Date", "Customer PO", "Account #", "Amount", "Inc-Tax Amount", "Tax Code")
    count, lines = exported(client, "myob_sales")
    assert count == 2 and [line.get(name) for name in names for line in lines[:1]] == [
        *("Ada", "INV-0001", "02/11/2026", "PO 9", "400", "100.00", "110.00", "GST")
    ]
    assert [(line["Tax Code"], line["GST Amount"], line["Inclusive"], line["Sale Status"]) for line in lines] == [
        ("GST", "10.00", "X", "I"),
        ("FRE", "0.00", "X", "I"),
        ("GST", "5.45", "X", "I"),
        ("GST", "-1.00", "X", "I"),
    ]
    count, lines = exported(client, "myob_bills")
    assert [line["Tax Code"] for line in lines] == ["GST", "N-T", "CAP", "FRE", "GST", "FRE"]
    assert {line["Purchase Status"] for line in lines} == {"B"} and lines[0]["Supplier Invoice #"] == "P-77"
    text = client.last.text.split("\r\n\r\n")
    assert len(text) == count == 3  # an empty line between two of them


def test_a_document_is_exported_once_whatever_happens_to_it(client, monkeypatch):
    first, second = invoice(client), invoice(client, issue_date="2026-11-13")
    assert exported(client, "xero_sales", **{"from": "2026-11-10"})[0] == 1
    client.post(f"/v1/invoices/{second}/write_off", {"date": "2026-11-20"}, 200)
    client.post(f"/v1/invoices/{first}/payments", {"amount": "110.00", "payment_method": "card"})
    count, lines = exported(client, "xero_sales")
    assert count == 1 and {line["*InvoiceNumber"] for line in lines} == {"INV-0001"}
    invoice(client, issue_date="2026-11-05")
    assert exported(client, "xero_sales")[0] == 1
    assert exported(client, "myob_sales")[0] == 3
    for _ in range(3):
        invoice(client)
    monkeypatch.setattr("billycan_reports.ledger.sales_and_bills.MOST_OF_A_FILE", 2)
    made = client.post("/v1/ledger_exports", {"from": "2026-11-01", "to": "2026-11-30", "format": "xero_sales"})["data"]
    files = [client.call("GET", f"/v1/ledger_exports/{made['id']}/content?file={n}").text for n in (1, 2)]
    assert made["files"] == 2 and [len(each.splitlines()) - 1 for each in files] == [2, 1]
    invoice(client)
    invoice(client)
    monkeypatch.setattr("billycan_reports.ledger.sales_and_bills.MOST_DOCUMENTS", 1)
    many = {"from": "2026-11-01", "to": "2026-11-30", "format": "xero_sales"}
    client.refused(422, "too_many_entries", "POST", "/v1/ledger_exports", many)


@pytest.mark.parametrize("software", ["xero", "myob"])
def test_no_software_has_the_same_books_as_journals_and_as_sales_or_bills(client, software):
    def export(format, since="2026-11-01", until="2026-11-30"):
        days = {"from": since, "to": until, "format": format}
        id = client.post("/v1/ledger_exports", days)["data"]["id"]
        return id, client.call("GET", f"/v1/ledger_exports/{id}/content").text

    def refused(format, since, until):
        days = {"from": since, "to": until, "format": format}
        return client.refused(409, "exported_otherwise", "POST", "/v1/ledger_exports", days)

    journals, sales, bills = software, f"{software}_sales", f"{software}_bills"
    export(journals)  # nothing was there to export, so nothing is there twice
    sale, moved = invoice(client), expense(client)
    sold, text = export(sales)
    export(bills)
    assert "INV-0001" in text
    error = refused(journals, "2026-10-01", "2026-11-01")
    assert error["ledger_export_id"] == sold and "2026-11-01 to 2026-11-30" in error["message"]
    assert f"{software}_sales or {software}_bills" in error["message"]
    other = {"xero": "myob", "myob": "xero"}[software]
    assert sale in export(other)[1] and sale in export("csv")[1]
    # From December on as journals; what changes of November's sale and bill is done by hand.
    client.patch(f"/v1/expenses/{moved}", {"date": "2026-10-05", "paid_on": "2026-10-05"})
    late = invoice(client, issue_date="2026-10-06")
    again, text = export(journals, "2026-10-01", "2026-10-31")
    assert late in text and moved not in text
    error = refused(sales, "2026-10-31", "2026-12-31")
    assert (error["ledger_export_id"], error["param"]) == (again, "format") and f"as {software}." in error["message"]
    # A bill of September that was noted as one of October is in October's journals.
    later = expense(client, date="2026-09-05", paid_on="2026-09-05")
    client.patch(f"/v1/expenses/{later}", {"date": "2026-10-05", "paid_on": "2026-10-05"})
    assert later in export(journals, "2026-10-01", "2026-10-31")[1]
    assert later not in export(bills, "2026-09-01", "2026-09-30")[1]


@pytest.mark.parametrize("format", ["xero", "myob"])
def test_what_came_to_nothing_before_the_export_is_in_no_journal(client, format):
    void, sale = invoice(client), invoice(client)
    client.post(f"/v1/invoices/{void}/void", {"reason": "Twice"}, 200)
    client.post("/v1/tracking_categories", {"name": "Region", "options": ["North"]})
    client.patch(f"/v1/invoices/{sale}", {"tracking": {"Region": "North"}})
    made = client.post("/v1/ledger_exports", {"from": "2026-11-01", "to": "2026-11-30", "format": format})["data"]
    lines = client.call("GET", f"/v1/ledger_exports/{made['id']}/content").text.splitlines()
    assert made["entries"] == 11 and len([line for line in lines if sale in line]) == len(lines) - 1 == 3


def test_no_name_hides_the_end_of_a_cell_from_myob(client):
    """Or runs as a formula where the file is looked at in a spreadsheet."""
    client.ada = client.post("/v1/contacts", {"name": '=cmd|"Ada'})["data"]["id"]
    invoice(client)
    made = client.post("/v1/ledger_exports", {"from": "2026-11-01", "to": "2026-11-30", "format": "myob"})["data"]["id"]
    lines = client.call("GET", f"/v1/ledger_exports/{made}/content").text.splitlines()
    assert {line.split("\t")[-1] for line in lines[1:]} == {"cmd|'Ada"}


def test_what_an_export_has_is_counted_before_others_wait_for_it(client, monkeypatch):
    from billycan_reports.ledger import exports

    invoice(client)
    ahead, count = [], exports._count
    monkeypatch.setattr(exports, "_count", lambda ctx, days: ahead.append(ctx.prepares) or count(ctx, days))
    body = {"from": "2026-11-01", "to": "2026-11-30", "format": "xero"}
    for entries in (3, 0):
        assert client.post("/v1/ledger_exports", body)["data"]["entries"] == entries
    assert ahead == [True, True]


def test_documents_that_are_left_over_are_not_worked_off_by_a_request_if_they_are_many(app, client, clock):
    """Others would wait for it, and a request that is refused leaves none of it."""
    for _ in range(101):
        invoice(client)
    run_timed(app)
    client.patch("/v1/tenant", {"gst_settings": [CASH]})  # which all documents are looked through for
    body = {"from": "2026-11-01", "to": "2026-11-30", "format": "csv"}
    client.refused(409, "ledger_behind", "POST", "/v1/ledger_exports", body)
    clock.move(seconds=61)
    run_timed(app)
    assert client.post("/v1/ledger_exports", body)["data"]["entries"] >= 303


def test_a_file_for_xero_has_no_more_lines_than_it_takes(app, client):
    for _ in range(101):
        invoice(client)
    run_timed(app)
    made = client.post("/v1/ledger_exports", {"from": "2026-11-01", "to": "2026-11-30", "format": "xero"})["data"]
    assert (made["entries"], made["files"]) == (303, 2)
    lines = [client.call("GET", f"/v1/ledger_exports/{made['id']}/content?file={n}").text for n in (1, 2)]
    assert [len(each.splitlines()) - 1 for each in lines] == [300, 3]
    client.refused(404, "resource_not_found", "GET", f"/v1/ledger_exports/{made['id']}/content?file=3")
