"""The pages of the ledger: its entries, which are no resources because they never change, and the files of exports."""

import pytest

from billycan.testing import Client
from billycan_users.testing import Browser

pytestmark = pytest.mark.either
PLUGINS = ("contacts", "dashboard", "expenses", "reports", "users")


def test_entries_lead_to_their_documents_and_exports_to_their_files(make_app):
    client = Client(make_app(*PLUGINS))
    category = client.get("/v1/expense_categories")["data"][0]["id"]
    body = {"date": "2026-11-02", "amount": "11.00", "category_id": category}
    expense = client.post("/v1/expenses", body)["data"]["id"]
    days = {"from": "2026-11-01", "to": "2026-11-30"}
    export = client.post("/v1/ledger_exports", {**days, "format": "xero"})["data"]["id"]
    owner = Browser(client.app).join(client, "viewer")
    listed = owner.get("/dashboard/ledger_entries")
    assert f'<a href="/dashboard/expenses/{expense}">Expense</a>' in listed.text
    # An entry has a debit or a credit: the other is no amount.
    rows = [[cell.text for cell in row.select("td[data-label]")] for row in listed.html.select("tbody tr")]
    assert rows[0] == ["Expense", "100 Bank", "–", "$11.00", "–"]
    assert ["Expense", "500 Purchases and expenses", "$10.00", "–", "GST"] in rows
    entry = client.get("/v1/ledger_entries?account=500")["data"][0]["id"]
    assert "Purchases and expenses" in owner.get(f"/dashboard/ledger_entries/{entry}").text
    answer = owner.get(f"/dashboard/ledger_exports/{export}").click("Download file")
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert "*Narration" in answer.body.decode("utf-8-sig")
    owner.get(f"/dashboard/expenses/{expense}/content", 404)


def test_options_of_tracking_are_shown_as_a_form_takes_them(make_app):
    client = Client(make_app(*PLUGINS))
    form = Browser(client.app).join(client, "owner").get("/dashboard/expenses/new").html
    assert "such as Region=North." in form.text and '{"Region"' not in form.text
