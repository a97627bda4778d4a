"""Opening balances: the ledger comes to an earlier system's trial balance, without a change of any GST label."""

from collections import Counter
from decimal import Decimal

import pytest

from billycan.testing import Client, run_timed
from billycan_imports.testing import finish_imports

pytestmark = pytest.mark.either
D = Decimal
PLUGINS = ("contacts", "documents", "expenses", "hosted", "imports", "invoices", "items", "reports")
CASH = {"from": "2020-07-01", "registered": True, "basis": "cash", "period": "quarter"}

INVOICES = """\
number,client.name,issue_date,line_items.description,line_items.unit_price,amount_paid,paid_at
INV-0412,Hale & Co,2026-06-10,Gutters,200.00,55.00,2026-06-20
"""
BILLS = """\
date,due_date,amount,category_id,reference,paid_on,tax_invoice_held
2026-06-15,2026-07-15,330.00,{category},B 77,,true
"""
ACCOUNTS = "code,name,type\n300,Owner's equity,equity\n250,Van loan,liability\n"
# What the earlier system says of 30 June: GST collected and paid are of what was paid until then.
BALANCES = """\
Number,Date,Balances account code,Balances debit,Balances credit
TB 2026,2026-06-30,100,"$5,000.00",
TB 2026,,110,165.00,
TB 2026,,150,12000.00,0.00
TB 2026,,200,,330.00
TB 2026,,210,,405.00
TB 2026,,212,15.00,
TB 2026,,250,,9000.00
TB 2026,,300,,7445.00
"""


@pytest.fixture
def client(make_app):
    client = Client(make_app(*PLUGINS), profile={"name": "Brindle Plumbing"})
    client.patch("/v1/tenant", {"gst_settings": [CASH]})
    client.post("/v1/contacts", {"name": "Hale & Co"})
    return client


def imported(client, text, resource):
    made = client.call(
        "POST", f"/v1/imports?resource={resource}", raw=text.encode(), status=202, headers={"Content-Type": "text/csv"}
    )
    finish_imports(client.app)
    return client.get(f"/v1/imports/{made.json['data']['id']}")["data"]


def taken_over(client):
    """Import what the earlier system has, but for its trial balance."""
    category = client.get("/v1/expense_categories?search=Materials")["data"][0]["id"]
    for resource, text in (
        ("accounts", ACCOUNTS),
        ("invoices", INVOICES),
        ("expenses", BILLS.format(category=category)),
    ):
        found = imported(client, text, resource)
        assert found["status"] == "done", found["faults"]
    run_timed(client.app)


def balances(client, until="2026-12-31"):
    sums = Counter()
    for one in client.get(f"/v1/ledger_entries?per_page=100&date_to={until}")["data"]:
        sums[one["account"]["code"]] += one["debit"] - one["credit"]
    return {code: amount for code, amount in sorted(sums.items()) if amount}


def labels(client):
    days = "from=2026-04-01&to=2026-06-30", "from=2026-07-01&to=2026-09-30"
    reports = [client.get(f"/v1/reports/gst?{each}")["data"] for each in days]
    return [(one["G1"]["amount"], one["1A"]["amount"], one["1B"]["amount"]) for one in reports]


def test_a_trial_balance_that_agrees_comes_in_as_a_file(client):
    taken_over(client)
    counted = labels(client)

    def faults(*changes):
        text = BALANCES
        for old, new in changes:
            text = text.replace(old, new)
        found = imported(client, text, "opening_balances")["faults"]
        return [(one["row"], one["column"], one["code"], one["message"]) for one in found]

    (found,) = faults(("250,,9000.00", "250,,9000.01"))
    assert found[:3] == (1, "balances", "unbalanced") and "17180.00" in found[3] and "17180.01" in found[3]
    (found,) = faults(("110,165.00", "110,265.00"), ("200,,330.00", "200,,430.00"))
    assert found[:3] == (1, "balances", "unlike_documents")
    assert found[3].startswith(
        "110 Accounts receivable has 265.00 debit, but the documents come to 165.00 debit; "
        "200 Accounts payable has 430.00 credit, but the documents come to 330.00 credit. Import"
    )
    assert faults(("TB 2026,,300", "TB 2026,,301"))[0][:3] == (8, "balances.account_code", "not_found")
    assert faults(("300,,7445.00", "300,,-7445.00"))[0][:3] == (8, "balances.credit", "out_of_range")
    assert client.get("/v1/opening_balances")["data"] == []
    body = {"number": "TB", "date": "2027-01-01", "balances": [{"account_code": "100", "debit": "0"}]}
    assert client.refused(422, "validation_failed", "POST", "/v1/opening_balances", body)["param"] == "date"
    client.patch("/v1/tenant", {"locked_until": "2026-06-30"})
    assert faults()[0][2] == "period_locked"
    client.patch("/v1/tenant", {"locked_until": None})
    assert balances(client) == {"100": 55, "110": 165, "200": -330, "210": -5, "212": 15, "400": -200, "500": 300}
    found = imported(client, BALANCES, "opening_balances")
    assert (found["status"], found["rows"]) == ("done", 1), found["faults"]
    run_timed(client.app)
    there = {"100": 5000, "110": 165, "150": 12000, "200": -330, "210": -405, "212": 15, "250": -9000, "300": -7445}
    assert balances(client, "2026-06-30") == there and labels(client) == counted
    (listed,) = client.get("/v1/opening_balances")["data"]
    assert (listed["number"], listed["date"], listed["total"]) == ("TB 2026", "2026-06-30", D("17180.00"))
    shown = client.get(f"/v1/opening_balances/{listed['id']}")["data"]
    assert [(one["account_code"], one["debit"], one["credit"]) for one in shown["balances"]][3:5] == [
        ("200", 0, 330),
        ("210", 0, 405),
    ]
    # Each entry is the difference, and sales and costs of the year that is closed leave.
    own = client.get(f"/v1/ledger_entries?document_id={listed['id']}&per_page=100")["data"]
    assert {one["account"]["code"]: one["debit"] - one["credit"] for one in own} == {
        **{"100": 4945, "150": 12000, "210": -400, "250": -9000, "300": -7445},
        **{"400": 200, "500": -300},
    }
    assert own[0]["document"] == {"id": listed["id"], "kind": "opening_balance", "number": "TB 2026"}
    # Later documents go on from there, and are reported once.
    invoice = client.get("/v1/invoices")["data"][0]["id"]
    paid = {"amount": "165.00", "payment_method": "card", "paid_at": "2026-08-14"}
    client.post(f"/v1/invoices/{invoice}/payments", paid)
    assert balances(client, "2026-06-30") == there
    after = {code: amount for code, amount in there.items() if code not in ("110", "212")}
    assert balances(client) == after | {"100": 5165, "210": -420, "212": 30}
    assert labels(client)[1] == (D("165.00"), D("15.00"), 0)
    # Once more, it adds nothing.
    assert imported(client, BALANCES, "opening_balances")["status"] == "done"
    run_timed(client.app)
    assert balances(client, "2026-06-30") == there


def test_it_is_undone_until_a_later_period_is_lodged(client):
    """By itself, it brings the accounts to what they came to, with a brand-new ledger."""
    for code, name, type in (("300", "Owner's equity", "equity"), ("250", "Van loan", "liability")):
        loan = client.post("/v1/accounts", {"code": code, "name": name, "type": type})["data"]["id"]
    sides = {"100": "debit", "250": "credit", "300": "credit"}
    amounts = zip(sides.items(), ("900.00", "400.00", "500.00"), strict=True)
    sent = [{"account_code": code, side: amount} for (code, side), amount in amounts]
    made = client.post("/v1/opening_balances", {"number": "TB", "date": "2026-06-30", "balances": sent})["data"]
    assert balances(client) == {"100": 900, "250": -400, "300": -500}
    client.refused(409, "has_dependents", "DELETE", f"/v1/accounts/{loan}")
    export = client.post("/v1/ledger_exports", {"from": "2026-06-01", "to": "2026-06-30", "format": "xero"})["data"]
    file = client.call("GET", f"/v1/ledger_exports/{export['id']}/content", status=200).text
    assert export["entries"] == 3 and f"Opening balance TB ({made['id']}),30/06/2026" in file
    path = f"/v1/opening_balances/{made['id']}"
    client.patch("/v1/tenant", {"locked_until": "2026-06-30"})
    client.refused(409, "period_locked", "DELETE", path)
    client.patch("/v1/tenant", {"locked_until": None})
    client.post("/v1/gst_periods", {"from": "2026-04-01", "to": "2026-06-30"})
    period = client.post("/v1/gst_periods", {"from": "2026-07-01", "to": "2026-09-30"})["data"]["id"]
    assert client.refused(409, "period_lodged", "DELETE", path)["gst_period_id"] == period
    client.post(f"/v1/gst_periods/{period}/reopen", {"reason": "By mistake"}, 200)
    client.delete(path)
    assert balances(client) == {} and client.get("/v1/opening_balances")["data"] == []
    assert len(client.get(f"/v1/ledger_entries?document_id={made['id']}")["data"]) == 6
    again = client.post("/v1/opening_balances", {"number": "TB", "date": "2026-06-30", "balances": sent})["data"]
    assert again["total"] == D("900.00") and balances(client)["100"] == 900
