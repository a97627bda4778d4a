"""Long lists let other requests go while they are fetched, shown and encoded, under gevent, where nothing else does."""

import sys

import pytest

from billycan import Page, apart
from billycan.sql import ByIds
from billycan.testing import Client

pytestmark = pytest.mark.either
PLUGINS = ("contacts", "documents", "hosted", "invoices", "jobs", "quotes", "recurring")
RECORDS, LINES = 3, 40
WITH_LINES = ("invoices", "quotes", "jobs", "adjustment_notes")


@pytest.fixture
def client(make_app):
    client = Client(make_app(*PLUGINS))
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    lines = [{"description": f"Part {i}", "unit_price": "2.00"} for i in range(LINES)]
    document = {"client_id": contact, "line_items": lines}
    for _ in range(RECORDS):
        id = client.post("/v1/invoices", document)["data"]["id"]
        client.post(f"/v1/invoices/{id}/send", status=200)
        client.post("/v1/adjustment_notes", {"invoice_id": id, "reason": "other", "full": True})
        client.post("/v1/quotes", document)
        client.post("/v1/jobs", {**document, "title": "Bathroom"})
        client.post("/v1/recurring_invoices", {**document, "frequency": "month", "start_on": "2030-01-01"})
    return client


@pytest.fixture
def begin(monkeypatch):
    """Return a function that has pieces as short as possible from then on, and returns one item for each time that
    others could go."""
    times = []

    def let_others_go():
        sys.audit("billycan.slow", "to serve others")  # a breach, where a write transaction is open
        times.append(1)

    def begin():
        for name, stand_in in (("_is_gevent", lambda: True), ("let_others_go", let_others_go), ("PIECE_SECONDS", 0)):
            monkeypatch.setattr(apart, name, stand_in)
        return times

    return begin


def test_a_list_of_documents_with_their_lines_is_made_in_pieces(client, begin):
    paths = [f"/v1/{kind}?include=line_items" for kind in WITH_LINES]
    expected, turns = [client.get(path) for path in paths], begin()
    for path, before in zip(paths, expected, strict=True):
        turns.clear()
        assert client.get(path) == before and len(before["data"][-1]["line_items"]) == LINES
        assert len(turns) >= RECORDS * (LINES + 2), path  # each line, and each record as shown and as encoded


@pytest.mark.parametrize("query", ["recurring_invoices", "recurring_invoices?fields=id,line_items", "quotes"])
@pytest.mark.each_case
def test_any_list_is_made_in_pieces(client, begin, query):
    path = f"/v1/{query}"
    expected, turns = client.get(path), begin()
    turns.clear()
    assert client.get(path) == expected
    assert len(turns) >= RECORDS * 2


def test_without_gevent_nobody_is_asked():
    items = [1, 2, 3]
    assert apart.in_turns(items) is items and apart.in_pieces(items, 2) == [items]


@pytest.mark.parametrize("kind", WITH_LINES)
def test_a_page_that_is_too_large_is_refused_before_any_of_its_lines_are_fetched(client, monkeypatch, kind):
    path = f"/v1/{kind}?include=line_items"
    fetched, fetch = [], ByIds.in_groups
    monkeypatch.setattr(ByIds, "in_groups", lambda *given: fetched.append(given) or fetch(*given))
    monkeypatch.setattr(Page, "MOST_BYTES", 2 * LINES * 350)
    assert client.refused(400, "page_too_large", "GET", path)["per_page"] == 2
    assert fetched == []
    assert len(client.get(f"{path}&per_page=2")["data"]) == 2 and fetched
