"""Reports of a business with 20,000 invoices, their payments and 20,000 expenses: a few statements for any of them.

`pytest -s -m long plugins/reports/tests/test_many.py` prints the seconds that each took.
"""

import runpy
import time
from pathlib import Path

import pytest
import sqlalchemy as sa

from billycan.testing import Client, counted
from billycan_contacts import resource
from billycan_expenses.tables import expenses
from billycan_invoices.tables import allocations, entries, invoices, payments

contacts = resource.contacts.table

ROOT = Path(__file__).parents[3]
fill = runpy.run_path(str(ROOT / "plugins/invoices/tests/test_statements.py"))["fill"]
MANY, CLIENTS, MOST_STATEMENTS = 20_000, 2_000, 12
PLUGINS = ("contacts", "documents", "expenses", "hosted", "invoices", "reports")
NTH = "(1000001 + n.i % {})"


@pytest.fixture
def busy(make_app):
    app = make_app(*PLUGINS, fresh=True, walled=False)
    client = Client(app)
    if app.db.is_sqlite:
        pytest.skip("measured on PostgreSQL")
    contact = client.post("/v1/contacts", {"name": "Client", "contractor": True})["data"]["id"]
    body = {"client_id": contact, "line_items": [{"description": "Labour", "unit_price": "95.00"}]}
    invoice = client.post("/v1/invoices", body)["data"]["id"]
    client.post(f"/v1/invoices/{invoice}/send", status=200)
    paid = client.post(f"/v1/invoices/{invoice}/payments", {"amount": "50.00", "payment_method": "card"})
    payment = paid["data"]["payments"][0]["id"]
    category = client.get("/v1/expense_categories?per_page=1")["data"][0]["id"]
    spent = {"date": "2026-11-20", "amount": "11.00", "category_id": category, "supplier_id": contact}
    expense = client.post("/v1/expenses", spent)["data"]["id"]
    whose, day = f"'con_' || {NTH.format(CLIENTS)}", "+ (n.i % 720 - 700)"
    with app.db.writing() as db:
        db.exec_driver_sql("SET LOCAL statement_timeout = 0; SET LOCAL session_replication_role = replica")
        db.execute(
            sa.text("UPDATE invoices_entries SET id = 'ent_' || kind WHERE tenant_id = :id"), {"id": client.tenant_id}
        )
        ours = allocations.c.tenant_id == client.tenant_id
        allocation = db.execute(sa.select(allocations.c.id).where(ours)).scalar_one()
        ids = {"id": "'con_' || (1000000 + n.i)", "name": "'client ' || n.i", "name_folded": "'client ' || n.i"}
        fill(db, contacts, contact, CLIENTS, **ids)
        dates = {name: f"invoices.{name} {day}" for name in ("issue_date", "due_date")}
        numbers = {"number": "'INV-' || (1000000 + n.i)", "sequence": "1000000 + n.i"}
        fill(db, invoices, invoice, MANY, id="'inv_' || (1000000 + n.i)", client_id=whose, **numbers, **dates)
        fill(db, payments, payment, MANY, id="'pay_' || (1000000 + n.i)", client_id=whose, paid_on=f"paid_on {day}")
        its = {"invoice_id": "'inv_' || (1000000 + n.i)", "counts_on": f"counts_on {day}"}
        of = {"payment_id": "'pay_' || (1000000 + n.i)", "paid": "CASE n.i % 10 WHEN 0 THEN 5000 ELSE 10450 END"}
        fill(db, entries, "ent_invoice", MANY, id="'ent_1' || (1000000 + n.i)", **its)
        fill(db, entries, "ent_payment", MANY, id="'ent_2' || (1000000 + n.i)", **its, **of)
        settled = {"invoice_id": its["invoice_id"], "payment_id": of["payment_id"]}
        fill(db, allocations, allocation, MANY, id="'all_' || (1000000 + n.i)", **settled)
        paid_on = {name: f"expenses.{name} {day}" for name in ("date", "paid_on")}
        fill(db, expenses, expense, MANY, id="'exp_' || (1000000 + n.i)", supplier_id=whose, **paid_on)
    with app.db.reader.connect() as db:
        db.exec_driver_sql("VACUUM ANALYZE")
    return client


@pytest.mark.long
def test_no_report_reads_its_documents_one_by_one(busy):
    asked = [
        "/v1/reports/receivables",
        "/v1/reports/receivables?as_at=2025-12-31",
        "/v1/reports/receivables.csv",
        "/v1/reports/payables",
        "/v1/reports/payables?as_at=2025-12-31",
        "/v1/reports/taxable_payments?year=2026",
        "/v1/contacts/con_1000077/statement?from=2024-12-01&to=2026-11-21",
        *(f"/v1/reports/gst?from=2025-11-01&to=2026-10-31{basis}" for basis in ("", "&basis=cash")),  # 20,000 of them
        "/v1/reports/gst/documents?from=2025-11-01&to=2026-10-31&label=1A&page=50",
        *(f"/v1/invoices/summary?group_by={by}" for by in ("month", "client", "status")),
    ]
    took, statements = {}, {}
    for path in asked:
        began = time.perf_counter()
        with counted(busy.app) as sent:
            busy.call("GET", path, status=200)
        took[path], statements[path] = round(time.perf_counter() - began, 2), len(sent)
    print(took)
    assert max(statements.values()) <= MOST_STATEMENTS, statements
