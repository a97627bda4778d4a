"""Tests of the summary against a model that adds up the invoices that the API shows."""

import csv
import io
from collections import defaultdict
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from billycan.testing import Client, counted

D = Decimal
PLUGINS = ("contacts", "documents", "hosted", "invoices")
FIGURES = ("subtotal", "gst", "total", "amount_paid", "amount_credited", "amount_written_off", "cash_rounding")
FIGURES += ("amount_due",)
FATES = ("draft", "send", "pay", "part", "void", "write_off", "credit", "cash")


def bill(client, contact, fate, cents, day):
    body = {"client_id": contact, "issue_date": day, "line_items": [{"description": "Work", "unit_price": cents}]}
    invoice = client.post("/v1/invoices", body)["data"]
    path = f"/v1/invoices/{invoice['id']}"
    if fate != "draft":
        client.post(f"{path}/send", status=200)
    if fate in ("pay", "cash"):
        client.call("POST", f"{path}/pay", {"payment_method": "cash" if fate == "cash" else "card"})
    if fate in ("part", "write_off"):
        client.post(f"{path}/payments", {"amount": "0.01", "payment_method": "card"})
    if fate in ("void", "write_off"):
        client.post(f"{path}/{fate}", {}, 200)
    if fate == "credit":
        note = client.post("/v1/adjustment_notes", {"invoice_id": invoice["id"], "reason": "returned", "full": True})
        client.post(f"/v1/adjustment_notes/{note['data']['id']}/issue", status=200)


def model(shown, by, filtered):
    groups = defaultdict(list)
    key = {"month": lambda i: i["issue_date"][:7], "client": lambda i: i["client_id"], "status": lambda i: i["status"]}
    for invoice in shown:
        if by == "status" or filtered or invoice["status"] not in ("draft", "void"):
            groups[key[by](invoice)].append(invoice)
    return {k: (len(g), *(sum(i[name] for i in g) for name in FIGURES)) for k, g in groups.items()}


drawn = st.tuples(
    st.integers(0, 1),
    st.sampled_from(FATES),
    st.integers(3, 200_000).map(lambda cents: str(D(cents).scaleb(-2))),
    st.sampled_from(["2025-12-31", "2026-02-01", "2026-11-20"]),
)


@pytest.mark.either
@settings(max_examples=8)
@given(st.lists(drawn, min_size=1, max_size=7))
def test_any_summary_is_the_sum_of_what_it_covers_to_the_cent(make_app, invoices):
    client = Client(make_app(*PLUGINS))
    people = [client.post("/v1/contacts", {"name": name})["data"]["id"] for name in ("Ada", "=Bea")]
    for who, *rest in invoices:
        bill(client, people[who], *rest)
    for filters in ("", "status=void,sent,paid", "issue_date_from=2026-01-01&total_to=900", f"client_id={people[0]}"):
        shown = client.get(f"/v1/invoices?per_page=100&{filters}")["data"]
        for by in ("month", "client", "status"):
            groups = client.get(f"/v1/invoices/summary?group_by={by}&{filters}")["data"]
            found = {g["key"]: (g["count"], *(g[name] for name in FIGURES)) for g in groups}
            assert found == model(shown, by, "status" in filters)
            for g in groups:
                assert g["subtotal"] + g["gst"] == g["total"]
                assert g["key"] == "void" or "void" in filters or g["total"] == sum(g[n] for n in FIGURES[3:])


@pytest.fixture
def client(make_app):
    client = Client(make_app(*PLUGINS))
    for name, days in {"=Bea": ["2025-12-31"], "Ada": ["2026-02-01", "2026-11-20"]}.items():
        contact = client.post("/v1/contacts", {"name": name})["data"]["id"]
        for day in days:
            bill(client, contact, "send", "100.00", day)
            bill(client, contact, "draft", "5.00", day)
    return client


def test_groups_are_labelled_and_in_order(client):
    def labels(query):
        return [g["label"] for g in client.get(f"/v1/invoices/summary{query}")["data"]]

    assert labels("") == ["December 2025", "February 2026", "November 2026"]
    assert labels("?group_by=client") == ["Ada", "=Bea"], "the highest total first"
    assert labels("?group_by=status") == ["Draft", "Sent"]
    assert labels("?group_by=client&page=2") == labels("?page=2") == labels("?search=nothing") == []
    with counted(client.app) as sent:
        client.get("/v1/invoices/summary?group_by=client")
    assert len(sent) == 2


def test_a_spreadsheet_gets_it_as_csv(client):
    asked = "/v1/invoices/summary?group_by=client"
    answer = client.web.get(asked, headers={**client.headers, "Accept": "text/csv"})
    assert answer.content_type == "text/csv" and "invoices-by-client.csv" in answer.headers["Content-Disposition"]
    header, *rows = csv.reader(io.StringIO(answer.body.decode(), newline=""))
    shown = client.get(asked)["data"]
    assert header == [*shown[0]]
    assert [row[1:5] for row in rows] == [["Ada", "2", "200.00", "20.00"], ["'=Bea", "1", "100.00", "10.00"]]
    assert client.call("GET", asked.replace("?", ".csv?")).body == answer.body
