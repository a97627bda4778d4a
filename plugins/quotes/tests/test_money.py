"""Every cent of a quote: its lines, its job and its invoice have the same figures."""

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from billycan.testing import Client
from billycan_documents.testing import documents

# The app outlives the examples: each makes a quote of its own.
modest = settings(max_examples=50)
SUMS = ("amounts_are", "gst_rounding", "discount_percent", "discount_amount")
SUMS += ("subtotal", "discount_total", "gst", "total", "gst_breakdown")


@pytest.fixture
def client(make_app):
    return Client(make_app("contacts", "documents", "hosted", "invoices", "jobs", "quotes", "staff"))


@pytest.fixture
def client_id(client):
    return client.post("/v1/contacts", {"name": "Ada Lovelace"})["data"]["id"]


def figures(document):
    lines = [{name: value for name, value in line.items() if name != "id"} for line in document["line_items"]]
    return {name: document[name] for name in SUMS} | {"lines": lines}


def adds_up(document):
    lines, codes = document["line_items"], document["gst_breakdown"]
    assert document["subtotal"] + document["gst"] == document["total"]
    for name, whole in (("net", "subtotal"), ("gst", "gst")):
        assert sum((x[name] for x in lines), Decimal(0)) == sum(x[name] for x in codes) == document[whole]
    assert sum(x["total"] for x in lines) == document["total"]


@pytest.mark.sqlite_alone  # documents reckon in Python; test_quotes.py converts them on PostgreSQL, too
@modest
@given(document=documents(), by_job=st.booleans())
def test_a_quote_is_its_lines_and_what_it_becomes_to_the_cent(client, client_id, document, by_job):
    quote = client.post("/v1/quotes", {"client_id": client_id, **document})["data"]
    adds_up(quote)
    path = f"/v1/quotes/{quote['id']}"
    client.post(f"{path}/send", status=200)
    client.post(f"{path}/accept", {"name": "Ada"}, 200)
    if by_job:
        job = client.post(f"{path}/convert", {"to": "job"})["data"]
        assert figures(job) == figures(quote)
        client.post(f"/v1/jobs/{job['id']}/complete", status=200)
        invoice = client.post(f"/v1/jobs/{job['id']}/invoice")["data"]
    else:
        invoice = client.post(f"{path}/convert", {"to": "invoice"})["data"]
    assert figures(invoice) == figures(quote)
    shown = client.get(path)["data"]
    assert (shown["status"], figures(shown)) == ("invoiced", figures(quote))
    assert client.get(f"/v1/invoices/{invoice['id']}")["data"]["line_items"] == invoice["line_items"]
