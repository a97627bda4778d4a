"""Receivables: true for any day that is over, and the same as what invoices and payments show today."""

import csv
import io
from decimal import Decimal

import pytest

from billycan.testing import Client, counted

pytestmark = pytest.mark.either

D = Decimal
AGES = ("current", "days_1_30", "days_31_60", "days_61_90", "days_over_90")
PLUGINS = ("contacts", "documents", "hosted", "invoices", "reports")


@pytest.fixture
def client(make_app):
    return Client(make_app(*PLUGINS))


def bill(client, contact, issued, due, amount="100.00"):
    line = {"description": "Work", "unit_price": amount, "gst_code": "gst_free"}
    body = {"client_id": contact, "issue_date": issued, "due_date": due, "line_items": [line]}
    id = client.post("/v1/invoices", body)["data"]["id"]
    client.post(f"/v1/invoices/{id}/send", status=200)
    return id


def report(client, as_at, who=None):
    data = client.get(f"/v1/reports/receivables?as_at={as_at}")["data"]
    found = next((e for e in data["entries"] if e["client_id"] == who), None) if who else data
    return found and [found[name] for name in (*AGES, "total", "credit")]


def test_each_past_day_is_as_it_was(client):
    ada, bea = (client.post("/v1/contacts", {"name": name})["data"]["id"] for name in ("Ada", "=Bea"))
    one = bill(client, ada, "2026-07-01", "2026-07-15")
    two = bill(client, ada, "2026-10-01", "2026-10-10", "50.00")
    lost = bill(client, bea, "2026-07-02", "2026-07-02", "70.00")
    wrong = bill(client, bea, "2026-11-01", "2026-11-30", "9.00")
    paid = {"amount": "60.00", "payment_method": "card", "paid_at": "2026-08-20"}
    client.post(f"/v1/invoices/{one}/payments", paid)
    ahead = {"client_id": ada, "payment_method": "card", "amount": "30.00", "paid_at": "2026-09-30"}
    ahead = client.post("/v1/payments", ahead)["data"]["id"]
    client.app.clock.move(days=3)  # 24 November
    client.post(f"/v1/payments/{ahead}/allocate", {"allocations": [{"invoice_id": two, "amount": "20.00"}]}, 200)
    client.post(f"/v1/invoices/{lost}/write_off", {}, 200)
    client.post(f"/v1/invoices/{wrong}/void", {"mistake": False}, 200)
    client.app.clock.move(days=3)  # 27 November
    note = client.post("/v1/adjustment_notes", {"invoice_id": one, "reason": "error", "full": True})["data"]["id"]
    client.post(f"/v1/adjustment_notes/{note}/issue", status=200)
    assert report(client, "2026-06-30") == [0] * 7
    assert report(client, "2026-07-15", ada) == [100, 0, 0, 0, 0, 100, 0]
    assert report(client, "2026-07-16", ada) == [0, 100, 0, 0, 0, 100, 0]
    assert report(client, "2026-08-14", ada) == [0, 100, 0, 0, 0, 100, 0]
    assert report(client, "2026-08-15", ada) == [0, 0, 100, 0, 0, 100, 0]
    # What is allocated on 24 November counts from the invoice's day on, as less of what is due and less credit.
    assert report(client, "2026-09-30", ada) == [0, 0, 0, 40, 0, 40, 30]
    assert report(client, "2026-11-23", ada) == [0, 0, 30, 0, 40, 70, 10]
    assert report(client, "2026-11-23", bea) == [9, 0, 0, 0, 70, 79, 0]
    assert report(client, "2026-11-23") == [9, 0, 30, 0, 110, 149, 10]
    assert report(client, "2026-11-24", ada) == [0, 0, 30, 0, 40, 70, 10]
    assert report(client, "2026-11-24", bea) is None
    # All that was left of the first invoice was taken off, and what had been paid of it is credit.
    assert report(client, "2026-11-27") == [0, 0, 30, 0, 0, 30, 70]
    with counted(client.app) as sent:
        assert client.get("/v1/reports/receivables")["data"]["as_at"] == "2026-11-27"
    assert len([statement for statement in sent if "core_keys" not in statement]) == 2  # besides a key's last use
    statement = client.get(f"/v1/contacts/{ada}/statement?from=2026-06-30&to=2026-11-27")["data"]
    assert (statement["opening"], statement["closing"]) == (0, D("-40.00"))


def test_who_owes_the_most_comes_first_page_by_page_and_in_a_spreadsheet(client, monkeypatch):
    for i in range(3):
        contact = client.post("/v1/contacts", {"name": f"={i}", "phone": "+61 3 5550 0170"})["data"]["id"]
        bill(client, contact, "2026-11-01", "2026-11-02", f"{i + 1}0.00")
    data = client.get("/v1/reports/receivables")["data"]
    assert [e["client"]["name"] for e in data["entries"]] == ["=2", "=1", "=0"]
    assert (data["clients"], data["total"]) == (3, D("60.00"))
    past = client.get("/v1/reports/receivables?page=2")["data"]
    assert (past["entries"], past["clients"], past["total"]) == ([], 3, D("60.00"))
    monkeypatch.setattr("billycan_reports.receivables.MOST_CLIENTS", 2)  # on a page: the file has all
    assert len(client.get("/v1/reports/receivables")["data"]["entries"]) == 2
    answer = client.web.get("/v1/reports/receivables", headers={**client.headers, "Accept": "text/csv"})
    header, *rows = csv.reader(io.StringIO(answer.body.decode(), newline=""))
    assert header == [*data["entries"][0]] and "receivables-2026-11-21.csv" in answer.headers["Content-Disposition"]
    assert [row[1:4] for row in rows] == [["'=2", "0.00", "30.00"], ["'=1", "0.00", "20.00"], ["'=0", "0.00", "10.00"]]


def test_without_invoices_there_is_no_such_report(make_app):
    client = Client(make_app("contacts", "reports"))
    for path in ("receivables", "receivables.csv", "taxable_payments"):
        client.refused(404, "route_not_found", "GET", f"/v1/reports/{path}")
