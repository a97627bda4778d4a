"""Every cent of an invoice, through the API: published figures, and sums that hold for any document."""

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from billycan.testing import Client
from billycan_documents.testing import documents

D = Decimal
CENT = D("0.01")

# The app outlives the examples: each makes invoices of its own.
modest = settings(max_examples=60)


@pytest.fixture
def client(make_app):
    return Client(make_app("contacts", "documents", "hosted", "invoices"))


@pytest.fixture
def client_id(client):
    return client.post("/v1/contacts", {"name": "Ada Lovelace"})["data"]["id"]


def line(unit_price, quantity="1", **members):
    return {"description": "Goods", "unit_price": unit_price, "quantity": quantity, **members}


STATIONERY = [line("1.00", 20), line("1.00", 10), line("35.00", 4)]
PUBLISHED = [
    ([line("1.05")] * 3, {"amounts_are": "inclusive"}, ("2.86", "0.29", "3.15")),
    ([line("1.05")] * 3, {"amounts_are": "inclusive", "gst_rounding": "per_line"}, ("2.85", "0.30", "3.15")),
    ([line("0.05")] * 2, {}, ("0.10", "0.01", "0.11")),
    ([line("0.05")] * 2, {"gst_rounding": "per_line"}, ("0.10", "0.02", "0.12")),
    ([line("0.01")] * 15, {}, ("0.15", "0.02", "0.17")),
    ([line("0.01")] * 15, {"gst_rounding": "per_line"}, ("0.15", "0.00", "0.15")),
    ([line(1000), line(1000, gst_code="export")], {"discount_percent": 10}, ("1800.00", "90.00", "1890.00")),
    (STATIONERY, {}, ("170.00", "17.00", "187.00")),
]


@pytest.mark.parametrize(("lines", "members", "figures"), PUBLISHED)
def test_published_figures_come_out(client, client_id, lines, members, figures):
    made = client.post("/v1/invoices", {"client_id": client_id, "line_items": lines, **members})["data"]
    assert tuple(str(made[name]) for name in ("subtotal", "gst", "total")) == figures
    assert f'"total":{figures[2]},' in client.last.text


def adds_up(made):
    """Check every sum that the contract promises of a document."""
    lines, codes = made["line_items"], made["gst_breakdown"]
    assert made["subtotal"] + made["gst"] == made["total"] == made["amount_paid"] + made["amount_due"]
    for name, of in (("net", "subtotal"), ("gst", "gst")):
        assert sum(x[name] for x in lines) == sum(x[name] for x in codes) == made[of]
    assert sum(x["total"] for x in lines) == made["total"]
    for x in lines:
        assert x["net"] + x["gst"] == x["total"] and (x["gst_code"] == "gst" or x["gst"] == 0)
    for code in codes:
        same = [x for x in lines if x["gst_code"] == code["gst_code"]]
        assert (code["net"], code["gst"]) == (sum(x["net"] for x in same), sum(x["gst"] for x in same))
        assert code["rate"] == (10 if code["gst_code"] == "gst" else 0)
    if made["gst_rounding"] == "total_invoice":
        entered, part = ("net", 10) if made["amounts_are"] == "exclusive" else ("total", 11)
        taxed = sum((x[entered] for x in lines if x["gst_code"] == "gst"), D(0))
        assert abs(made["gst"] - taxed / part) <= CENT / 2
    return made


def figures(made):
    return {k: made[k] for k in ("subtotal", "discount_total", "gst", "total", "gst_breakdown")} | {
        "lines": [(x["net"], x["gst"], x["total"]) for x in made["line_items"]]
    }


@pytest.mark.sqlite_alone  # test_money_machine.py reckons on PostgreSQL, too
@modest
@given(document=documents())
def test_any_document_adds_up_and_a_patch_of_itself_changes_nothing(client, client_id, document):
    body = {"client_id": client_id, **document}
    made = adds_up(client.post("/v1/invoices", body)["data"])
    path = f"/v1/invoices/{made['id']}"
    assert client.get(path)["data"] == made
    assert figures(client.post("/v1/invoices/preview", body, 200)["data"]) == figures(made)
    assert client.patch(path, made)["data"] == made
    copy = client.post(f"{path}/duplicate", status=201)["data"]
    assert figures(copy) == figures(made)


@pytest.mark.sqlite_alone  # as above
@modest
@given(before=documents(), after=documents())
def test_a_changed_document_comes_to_what_a_new_one_would(client, client_id, before, after):
    made = client.post("/v1/invoices", {"client_id": client_id, **before})["data"]
    # Stored members are merged with those sent, and must not linger.
    cleared = {"discount_percent": None, "discount_amount": None}
    change = {**cleared, **after}
    for stored, sent in zip(made["line_items"], after["line_items"], strict=False):
        change["line_items"] = [{"id": stored["id"], **cleared, **x} if x is sent else x for x in change["line_items"]]
    changed = adds_up(client.patch(f"/v1/invoices/{made['id']}", change)["data"])
    assert figures(changed) == figures(client.post("/v1/invoices", {"client_id": client_id, **after})["data"])


@pytest.mark.either
@modest
@given(cents=st.integers(1, 10**11 - 1), parts=st.lists(st.integers(1, 10**11 - 1), max_size=4))
def test_payments_add_up_to_the_cent(client, client_id, cents, parts):
    total = D(cents) / 100
    body = {"client_id": client_id, "line_items": [line(str(total), gst_code="gst_free")]}
    made = client.post("/v1/invoices", body)["data"]
    path = f"/v1/invoices/{made['id']}"
    client.post(f"{path}/send", status=200)
    paid = D("0.00")
    for part in parts:
        amount = D(part) / 100
        body = {"amount": str(amount), "payment_method": "card"}
        if paid == total:
            client.refused(409, "invalid_state_transition", "POST", f"{path}/payments", body)
        elif amount > total - paid:
            client.refused(422, "overpayment_not_allowed", "POST", f"{path}/payments", body)
        else:
            paid += amount
            client.post(f"{path}/payments", body)
        shown = client.get(path)["data"]
        assert (shown["amount_paid"], shown["amount_due"]) == (paid, total - paid)
    if paid < total:
        shown = client.post(f"{path}/pay", {"payment_method": "card"}, 200)["data"]
    assert (shown["status"], shown["amount_paid"], shown["amount_due"]) == ("paid", total, 0)
    assert sum(x["amount"] for x in shown["payments"]) == total
