"""A page of documents with their lines is bounded, without fetching all of the lines first."""

import pytest

from billycan import Page
from billycan.testing import Client

pytestmark = pytest.mark.either

DESCRIPTION = "ä" * 4_000
MOST = 200_000


@pytest.fixture
def client(make_app, monkeypatch):
    monkeypatch.setattr(Page, "MOST_BYTES", MOST)
    client = Client(make_app("contacts", "documents", "hosted", "invoices", fresh=True))
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    for _ in range(6):
        line = {"description": DESCRIPTION, "unit_price": 1}
        client.post("/v1/invoices", {"client_id": contact, "line_items": [line] * 10})
    return client


@pytest.mark.parametrize("most", [MOST, 100_000])  # the second: not even two fit
def test_a_page_with_large_lines_is_refused_and_says_what_fits(client, most, monkeypatch):
    monkeypatch.setattr(Page, "MOST_BYTES", most)
    path = "/v1/invoices?include=line_items"
    fits = client.refused(400, "page_too_large", "GET", path)["per_page"]
    assert fits == most // 85_000
    found = client.get(f"{path}&per_page={fits}")["data"]
    assert [len(invoice["line_items"]) for invoice in found] == [10] * fits
    assert len(client.get("/v1/invoices")["data"]) == 6
