"""Merged contacts: their books are those of both, whatever arrives at once, and no transaction grows too large."""

import pytest
import sqlalchemy as sa

from billycan.sql import counters
from billycan.testing import Client
from billycan_quotes.tables import quotes

pytestmark = pytest.mark.either

ABN = "51824753556"
LINES = [{"description": "Labour", "unit_price": "100.00"}]
BANK = {"payment_method": "bank_transfer"}
DAYS = ("2026-08-31", "2026-09-30", "2026-10-31", "2026-11-21")


@pytest.fixture
def app(make_app):
    return make_app("changes", "contacts", "documents", "expenses", "hosted", "invoices", "quotes", "reports")


@pytest.fixture
def client(app):
    return Client(app)


def contact(client, name="Ada", **members):
    return client.post("/v1/contacts", {"name": name, **members})["data"]["id"]


def merge(client, old, new, status=200, **more):
    return client.post(f"/v1/contacts/{old}/merge", {"into": new}, status, **more)


def trade(client, id, day, price):
    """Invoice a contact on a day of each month, take some money and leave some of it unused."""
    for month in (8, 9, 10):
        dated = {"issue_date": f"2026-{month:02}-{day}", "line_items": [{"description": "Labour", "unit_price": price}]}
        invoice = client.post("/v1/invoices", {"client_id": id, **dated})["data"]
        path = f"/v1/invoices/{invoice['id']}"
        client.post(f"{path}/send", status=200)
        client.post(f"{path}/payments", {**BANK, "amount": "20.00", "paid_at": f"2026-{month + 1:02}-{day}"})
    note = {"invoice_id": invoice["id"], "reason": "returned", "full": True, "issue_date": "2026-11-20"}
    made = client.post("/v1/adjustment_notes", note)["data"]["id"]
    client.post(f"/v1/adjustment_notes/{made}/issue", status=200)
    client.post("/v1/payments", {**BANK, "client_id": id, "amount": price, "paid_at": f"2026-10-{day}"})


def owed(client):
    """Return what each contact owes, and what each has in credit, at the end of each day."""
    found = {}
    for day in DAYS:
        for row in client.get(f"/v1/reports/receivables?as_at={day}")["data"]["entries"]:
            found[day, row["client"]["id"]] = row["total"] - row["credit"]
    return found


def test_the_books_of_one_are_the_books_of_both(client):
    old, new = contact(client), contact(client, "Ada Lovelace")
    trade(client, old, 12, "330.00")
    trade(client, new, 20, "110.00")
    period = {"from": "2026-07-01", "to": "2026-09-30"}
    client.post("/v1/gst_periods", period)
    client.patch("/v1/tenant", {"locked_until": "2026-10-31"})
    labels = "/v1/reports/gst?from=2026-07-01&to=2026-12-31"
    reported, before = client.get(labels)["data"], owed(client)
    sums = {day: sum(amount for (on, _), amount in before.items() if on == day) for day in DAYS}
    assert all(before[day, id] for day in DAYS for id in (old, new))
    left = merge(client, old, new)["data"]
    assert owed(client) == {(day, left["id"]): sums[day] for day in DAYS}
    assert client.get(labels)["data"] == reported
    for day in DAYS:
        for id in (old, new):
            assert client.get(f"/v1/contacts/{id}/statement?from={day}&to={day}")["data"]["closing"] == sums[day]
    # Credit of the one pays an invoice of the other.
    credit = client.get(f"/v1/payments?client_id={new}&unallocated_from=0.01&sort=created_at")["data"][0]
    invoice = client.get(f"/v1/invoices?client_id={new}&status=unpaid&sort=-created_at")["data"][0]
    given = {"allocations": [{"invoice_id": invoice["id"], "amount": "1.00"}]}
    client.post(f"/v1/payments/{credit['id']}/allocate", given, 200)


def expense(client, supplier):
    category = client.get("/v1/expense_categories")["data"][0]["id"]
    body = {"date": "2026-10-01", "amount": "220.00", "category_id": category, "supplier_id": supplier}
    return client.post("/v1/expenses", {**body, "tax_invoice_held": True})["data"]["id"]


def test_locked_books_keep_what_can_be_claimed(client):
    unknown, known, also = contact(client), contact(client, "Ada Pty Ltd", abn=ABN), contact(client, "Ada P/L", abn=ABN)
    without = expense(client, unknown)
    expense(client, known)
    expense(client, also)
    claimed = f"/v1/expenses/{without}"
    assert client.get(claimed)["data"]["gst_breakdown"]["gst_claimable"] == 0
    client.patch("/v1/tenant", {"locked_until": "2026-10-31"})
    # Either way round the expense without an ABN would be claimed on a locked day.
    for old, new in ((unknown, known), (known, unknown)):
        assert merge(client, old, new, 409)["error"]["code"] == "period_locked"
    merge(client, also, known)
    merge(client, contact(client, "Ada again"), known)
    client.patch("/v1/tenant", {"locked_until": None})
    merge(client, unknown, known)
    assert client.get(claimed)["data"]["gst_breakdown"]["gst_claimable"] == 20


def test_what_can_be_claimed_of_a_merged_supplier_is_in_the_ledger(client):
    """Also if nothing else changes at the contact that is left."""
    unknown, known = contact(client), contact(client, "Ada Pty Ltd", abn=ABN)
    expense(client, unknown)
    merge(client, unknown, known)
    claimed = client.get("/v1/reports/gst?from=2026-10-01&to=2026-12-31")["data"]["1B"]["amount"]
    (paid,) = client.get("/v1/ledger_entries?account=211")["data"]
    assert paid["debit"] == claimed == 20


def test_whatever_is_created_meanwhile_is_moved_or_refused(client):
    for _ in range(4):
        old, new = contact(client), contact(client, "Ada Lovelace")
        invoice = client.post("/v1/invoices", {"client_id": old, "line_items": LINES})["data"]["id"]
        client.post(f"/v1/invoices/{invoice}/send", status=200)
        bodies = {
            "/v1/invoices": {"client_id": old, "line_items": LINES},
            "/v1/quotes": {"client_id": old, "line_items": LINES},
            "/v1/payments": {
                **BANK,
                "client_id": old,
                "amount": "20.00",
                "allocations": [{"invoice_id": invoice, "amount": "20.00"}],
            },
        }
        made = [("POST", path, body) for path, body in bodies.items()]
        pays = ("POST", f"/v1/invoices/{invoice}/payments", {**BANK, "amount": "10.00"})
        answers = client.race(*made, pays, ("POST", f"/v1/contacts/{old}/merge", {"into": new}), *made[::-1])
        assert answers[4].status_int == 200 and answers[3].status_int == 201
        for answer in answers:
            if answer.status_int == 201 and answer is not answers[3]:
                path = answer.headers["Location"].partition(".example.com")[2] or answer.headers["Location"]
                assert client.get(path[path.index("/v1/") :])["data"]["client_id"] == new
            elif answer.status_int not in (200, 201):
                assert answer.json["error"]["code"] in ("validation_failed", "conflict")
        for path in bodies:
            assert client.get(f"{path}?client_id={old}")["data"] == []


def test_a_merge_changes_no_more_rows_than_one_transaction_may(client):
    old, new = contact(client), contact(client, "Ada Lovelace")
    client.post("/v1/quotes", {"client_id": old, "line_items": LINES})
    with client.app.db.writing(client.tenant_id) as db:
        row = db.execute(sa.select(quotes).where(quotes.c.tenant_id == client.tenant_id)).one()._asdict()
        more = [{**row, "id": f"quo_{i:026}", "sequence": i, "number": f"QUO-{i}"} for i in range(2, 4_001)]
        db.execute(sa.insert(quotes), more)
        counted = (counters.c.tenant_id == client.tenant_id) & (counters.c.name == "quotes")
        db.execute(sa.update(counters).where(counted).values(number=4_000, live=4_000))
    merge(client, old, new)
    assert client.get(f"/v1/quotes?client_id={new}")["pagination"]["total"] == 4_000
    client.post("/v1/quotes", {"client_id": new, "line_items": LINES})
    other = contact(client, "A. Lovelace")
    assert merge(client, new, other, 409)["error"]["code"] == "too_many_records"
    merge(client, other, new)


def test_a_copy_that_follows_changes_learns_of_all_that_moved(client):
    old, new = contact(client), contact(client, "Ada Lovelace")
    quote = client.post("/v1/quotes", {"client_id": old, "line_items": LINES})["data"]["id"]
    path = "/v1/changes?resources=contacts,quotes"
    start = client.get(path)["data"]["cursor"]
    merge(client, old, new)
    found = {each["id"]: each for each in client.get(f"{path}&after={start}")["data"]["changes"]}
    assert found.keys() == {old, new, quote} and found[old]["deleted"]
    assert found[quote]["record"]["client"]["id"] == new


def test_a_key_merges_no_records_that_it_may_not_write(client):
    old, new = contact(client), contact(client, "Ada Lovelace")
    client.post("/v1/quotes", {"client_id": old, "line_items": LINES})
    some = client.key("contacts:read", "contacts:write", "quotes:read")
    assert merge(some, old, new, 403)["error"]["required_scope"] == "quotes:write"
    assert client.get(f"/v1/quotes?client_id={old}")["pagination"]["total"] == 1
    merge(client.key("contacts:write", "quotes:write"), old, new)


def test_records_of_a_plugin_that_is_off_keep_a_contact(make_app):
    app = make_app("contacts", "documents", "hosted", "quotes")
    client = Client(app)
    old, new = contact(client), contact(client, "Ada Lovelace")
    client.post("/v1/quotes", {"client_id": old, "line_items": LINES})
    without = Client(make_app("contacts", database=app.db.url.render_as_string(hide_password=False)), client.tenant_id)
    assert merge(without, old, new, 409)["error"]["code"] == "has_dependents"
    merge(client, old, new)
