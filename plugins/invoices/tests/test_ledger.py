"""The ledger: what was paid, credited and written off of an invoice up to a day stays so, whatever happens later."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
import sqlalchemy as sa

from billycan.testing import Client
from billycan_invoices.api import entries

D = Decimal
END_OF_JUNE, END_OF_JULY = date(2026, 6, 30), date(2026, 7, 31)
FIGURES = ("paid", "credited", "written_off", "total", "gst")


@pytest.fixture
def client(make_app, clock):
    clock.time = datetime(2026, 6, 1, 2, tzinfo=UTC)
    return Client(make_app("contacts", "documents", "hosted", "invoices"))


def sent(client, price="110.00"):
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    lines = [{"description": "Work", "unit_price": price}]
    body = {"client_id": contact, "amounts_are": "inclusive", "line_items": lines}
    id = client.post("/v1/invoices", body)["data"]["id"]
    client.post(f"/v1/invoices/{id}/send", status=200)
    return id


def paid(client, id, amount):
    body = {"amount": amount, "payment_method": "card"}
    return client.post(f"/v1/invoices/{id}/payments", body)["data"]["payments"][-1]["id"]


def up_to(client, id, day):
    """Add up the entries of an invoice up to a day."""
    columns = [entries.c[name] for name in FIGURES]
    mine = (entries.c.tenant_id == client.tenant_id) & (entries.c.invoice_id == id) & (entries.c.counts_on <= day)
    with client.app.db.reading(client.tenant_id) as db:
        rows = db.execute(sa.select(*columns).where(mine)).all()
    return [sum(values) for values in zip(*rows, strict=True)]


@pytest.mark.parametrize(
    ("undo", "after"),
    [
        ("note", ["55.00", "55.00", "0", "55.00", "5.00"]),
        ("void note", ["110.00", "0", "0", "110.00", "10.00"]),
        ("reverse", ["0", "0", "0", "110.00", "10.00"]),
        ("deallocate", ["70.00", "0", "0", "110.00", "10.00"]),
        ("write off", ["60.00", "0", "50.00", "110.00", "10.00"]),
        ("recover", ["80.00", "0", "30.00", "110.00", "10.00"]),
    ],
)
def test_what_happens_in_july_changes_nothing_of_june(client, clock, undo, after):
    id = sent(client)
    payment = paid(client, id, "60.00" if undo in ("write off", "recover") else "110.00")
    june = up_to(client, id, END_OF_JUNE)
    clock.time = datetime(2026, 6, 30, 14, 30, tzinfo=UTC)  # the first of July in the business's time zone
    if undo in ("note", "void note"):
        lines = [{"description": "Half", "unit_price": "55.00"}]
        note = client.post("/v1/adjustment_notes", {"invoice_id": id, "reason": "other", "line_items": lines})["data"]
        client.post(f"/v1/adjustment_notes/{note['id']}/issue", status=200)
        if undo == "void note":
            client.post(f"/v1/adjustment_notes/{note['id']}/void", {"mistake": False}, 200)
    elif undo == "reverse":
        client.post(f"/v1/payments/{payment}/reverse", {"mistake": False}, 200)
    elif undo == "deallocate":
        client.post(f"/v1/payments/{payment}/deallocate", {"invoice_id": id, "amount": "40.00", "mistake": False}, 200)
    else:
        client.post(f"/v1/invoices/{id}/write_off", {}, 200)
        if undo == "recover":
            paid(client, id, "20.00")
    assert up_to(client, id, END_OF_JUNE) == june
    assert up_to(client, id, END_OF_JULY) == [D(x) for x in after]


def test_what_counts_tomorrow_is_undone_no_earlier(client, clock):
    id = sent(client)
    body = {"amount": "110.00", "payment_method": "card", "paid_at": "2026-06-02"}
    payment = client.post(f"/v1/invoices/{id}/payments", body)["data"]["payments"][0]["id"]
    client.post(f"/v1/payments/{payment}/reverse", {}, 200)
    assert up_to(client, id, date(2026, 6, 1))[0] == up_to(client, id, date(2026, 6, 2))[0] == 0


def test_a_void_invoice_has_no_price_from_then_on(client, clock):
    id = sent(client)
    clock.move(days=40)
    client.post(f"/v1/invoices/{id}/void", {"mistake": False}, 200)
    assert up_to(client, id, END_OF_JUNE)[3:] == [110, 10]
    assert up_to(client, id, END_OF_JULY)[3:] == [0, 0]
