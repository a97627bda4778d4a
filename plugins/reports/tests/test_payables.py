"""Payables: what was owed to suppliers at the end of any day, whatever was paid, reversed or voided since."""

import csv
import io

import pytest

from billycan.testing import Client, counted

pytestmark = pytest.mark.either

AGES = ("current", "days_1_30", "days_31_60", "days_61_90", "days_over_90")


@pytest.fixture
def client(make_app):
    client = Client(make_app("contacts", "expenses", "reports"))
    client.category = client.get("/v1/expense_categories?per_page=1")["data"][0]["id"]
    client.ada, client.bea = (
        client.post("/v1/contacts", {"name": name, "roles": ["supplier"]})["data"]["id"] for name in ("Ada", "=Bea")
    )
    return client


def bill(client, date, amount="100.00", **more):
    body = {"date": date, "amount": amount, "category_id": client.category, "paid_on": None}
    return client.post("/v1/expenses", {**body, **more})["data"]["id"]


def pay(client, id, amount, day):
    made = client.post(f"/v1/expenses/{id}/payments", {"amount": amount, "paid_on": day})
    return f"/v1/expenses/{id}/payments/{made['data']['payments'][-1]['id']}"


def report(client, as_at):
    return client.get(f"/v1/reports/payables?as_at={as_at}")["data"]


def owed(client, as_at, **who):
    """The figures of one supplier, or of all: what is owed by age and in all, and what is owed by them."""
    data = report(client, as_at)
    wanted = {"supplier_id": None, "supplier_name": None, **who}
    found = [e for e in data["entries"] if {name: e[name] for name in wanted} == wanted] if who else [data]
    return [found[0][name] for name in (*AGES, "total", "credit")] if found else None


def test_each_past_day_is_as_it_was(client):
    one = bill(client, "2026-07-01", due_date="2026-07-15", supplier_id=client.ada)
    back = pay(client, one, "60.00", "2026-08-20")
    two = bill(client, "2026-10-01", "50.00", due_date="2026-10-10", supplier_id=client.ada)
    pay(client, two, "20.00", "2026-09-30")  # before its bill
    bill(client, "2026-10-05", "7.00", supplier_name="Corner shop")  # due on its date
    bill(client, "2026-10-06", "3.00", due_date="2026-11-30", supplier_name="Corner shop")
    void = bill(client, "2026-07-02", "70.00", due_date="2026-07-02", supplier_id=client.bea)
    wrong = bill(client, "2026-07-03", "900.00", supplier_id=client.bea)
    client.post(f"/v1/expenses/{void}/void", {"date": "2026-11-10"}, 200)
    client.post(f"/v1/expenses/{wrong}/void", {"mistake": True}, 200)
    client.post(f"{back}/reverse", {"date": "2026-11-05"}, 200)
    ada = {"supplier_id": client.ada}
    assert owed(client, "2026-06-30") == [0] * 7 and report(client, "2026-06-30")["suppliers"] == 0
    assert owed(client, "2026-07-15", **ada) == [100, 0, 0, 0, 0, 100, 0]
    assert owed(client, "2026-07-16", **ada) == [0, 100, 0, 0, 0, 100, 0]
    assert owed(client, "2026-08-14", **ada) == [0, 100, 0, 0, 0, 100, 0]
    assert owed(client, "2026-08-20", **ada) == [0, 0, 40, 0, 0, 40, 0]
    assert owed(client, "2026-09-30", **ada) == [0, 0, 0, 40, 0, 40, 20]
    assert owed(client, "2026-10-01", **ada) == [30, 0, 0, 40, 0, 70, 0]
    assert owed(client, "2026-11-05", **ada) == [0, 30, 0, 0, 100, 130, 0]
    assert owed(client, "2026-10-31", supplier_name="Corner shop") == [3, 7, 0, 0, 0, 10, 0]
    assert owed(client, "2026-11-09", supplier_id=client.bea) == [0, 0, 0, 0, 70, 70, 0]
    assert owed(client, "2026-11-10", supplier_id=client.bea) is None
    assert owed(client, "2026-11-09") == [3, 30, 7, 0, 170, 210, 0]
    data = report(client, "2026-11-09")
    names = [(e["supplier"] and e["supplier"]["name"], e["supplier_name"], e["total"]) for e in data["entries"]]
    assert names == [("Ada", None, 130), ("=Bea", None, 70), (None, "Corner shop", 10)] and data["suppliers"] == 3
    with counted(client.app) as sent:
        assert client.get("/v1/reports/payables")["data"]["as_at"] == "2026-11-21"
    assert len([statement for statement in sent if "core_keys" not in statement]) == 2  # besides a key's last use


def test_what_a_supplier_owes_is_credit(client):
    """Until the money is back: it is not taken off what is owed to them."""
    bought = bill(client, "2026-10-01", "110.00", paid_on="2026-10-03", supplier_id=client.ada)
    bill(client, "2026-10-04", "20.00", supplier_id=client.ada)
    bill(client, "2026-10-10", "-33.00", supplier_id=client.ada, refunded_expense_id=bought)
    back = bill(client, "2026-10-11", "-10.00")  # of nobody who is named
    assert owed(client, "2026-10-02", supplier_id=client.ada) == [0, 110, 0, 0, 0, 110, 0]
    assert owed(client, "2026-10-10", supplier_id=client.ada) == [0, 20, 0, 0, 0, 20, 33]
    assert owed(client, "2026-10-11") == [0, 20, 0, 0, 0, 20, 43]
    client.patch(f"/v1/expenses/{back}", {"paid_on": "2026-10-20"})
    assert report(client, "2026-10-19")["credit"] == 43 and report(client, "2026-10-20")["credit"] == 33
    assert [e["supplier"] for e in report(client, "2026-10-11")["entries"]][1] is None


def test_whom_most_is_owed_to_comes_first_page_by_page_and_in_a_spreadsheet(client, monkeypatch):
    for i, who in enumerate([{"supplier_id": client.bea}, {"supplier_name": "+61 shop"}, {}], start=1):
        bill(client, "2026-11-01", f"{i}0.00", **who)
    assert [e["total"] for e in report(client, "2026-11-02")["entries"]] == [30, 20, 10]
    answer = client.call("GET", "/v1/reports/payables?as_at=2026-11-02", headers={"Accept": "text/csv"}, status=200)
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [(row["supplier"], row["supplier_name"], row["days_1_30"]) for row in rows] == [
        ("", "", "30.00"),
        ("", "'+61 shop", "20.00"),
        ("'=Bea", "", "10.00"),
    ]
    monkeypatch.setattr("billycan_reports.payables.MOST_SUPPLIERS", 2)
    second = client.get("/v1/reports/payables?as_at=2026-11-02&page=2")["data"]
    assert (second["suppliers"], second["total"]) == (3, 60)
    assert [e["total"] for e in second["entries"]] == [10]
    beyond = client.get("/v1/reports/payables?as_at=2026-11-02&page=3")["data"]
    assert (beyond["suppliers"], beyond["total"], beyond["entries"]) == (3, 60, [])
