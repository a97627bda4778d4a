"""No page is larger than 8 MiB, and none larger is built: a client that asks for too much learns how much fits."""

import tracemalloc

import pytest

from billycan import Page
from billycan.testing import Client

NOTES = "ä" * 10_000
MOST = 100_000  # bytes, for these tests


@pytest.fixture
def client(make_app, monkeypatch):
    monkeypatch.setattr(Page, "MOST_BYTES", MOST)
    client = Client(make_app("contacts"))
    for i in range(8):
        client.post("/v1/contacts", {"name": str(i), "notes": NOTES})
    return client


def too_large(client, path):
    """Return how many records fit, as the refusal says."""
    error = client.refused(400, "page_too_large", "GET", path)
    assert error["param"] == "per_page" and f"ask for {error['per_page']} at a time" in error["message"]
    return error["per_page"]


@pytest.mark.parametrize("path", ["/v1/contacts", "/v1/events"])
def test_a_page_that_is_too_large_is_refused_and_says_what_fits(client, path):
    assert too_large(client, f"{path}?per_page=100") == 4
    assert too_large(client, path) == 4
    seen, cursor = [], "?per_page=4"
    while cursor:
        page = client.get(path + cursor)
        assert len(client.last.body) <= MOST
        seen += [record["id"] for record in page["data"]]
        following = page["pagination"]["next_cursor"]
        cursor = following and f"?cursor={following}"
    assert len(set(seen)) == len(seen) == 8


def test_polling_goes_on_with_smaller_pages(client):
    (first,) = client.get("/v1/events?sort=created_at&per_page=1")["data"]
    fits = too_large(client, f"/v1/events?after={first['id']}")
    found = client.get(f"/v1/events?after={first['id']}&per_page={fits}")["data"]
    assert [e["data"]["name"] for e in found] == ["1", "2", "3", "4"]


@pytest.mark.parametrize("path", ["/v1/contacts", "/v1/events"])
def test_what_is_said_to_fit_fits_though_most_are_small(client, path):
    for i in range(90):
        client.post("/v1/contacts", {"name": f"small {i}"})
    assert too_large(client, f"{path}?per_page=100&sort=created_at") == 4
    assert len(client.get(f"{path}?per_page=4&sort=created_at")["data"]) == 4


def test_a_single_record_is_shown_whatever_its_size(client, monkeypatch):
    monkeypatch.setattr(Page, "MOST_BYTES", 100)
    assert len(client.get("/v1/contacts?per_page=1")["data"]) == len(client.get("/v1/events?per_page=1")["data"]) == 1


def test_events_that_a_key_may_not_read_have_no_size(client):
    assert len(client.key("events:read").get("/v1/events")["data"]) == 8


def test_what_is_refused_is_not_built_first(client, engine):
    """Of events, which may have 2 MiB each, nothing is fetched before it is known that they fit."""
    for i in range(40):
        client.post("/v1/contacts", {"name": str(i), "notes": NOTES})
    client.refused(400, "page_too_large", "GET", "/v1/events?per_page=100")
    tracemalloc.start()
    client.refused(400, "page_too_large", "GET", "/v1/events?per_page=100")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 500_000  # of 960,000 bytes of events


def test_a_record_has_an_end(client, monkeypatch):
    monkeypatch.setattr("billycan.context.MOST_RECORD_BYTES", 40_000)
    error = client.refused(422, "validation_failed", "POST", "/v1/contacts", {
        "name": "Ada", "notes": NOTES, "metadata": {f"{i}": "ä" * 500 for i in range(40)}})  # fmt: skip
    assert error["details"][0]["code"] == "too_long" and error["message"].startswith("The body: the record would have")
    assert client.get("/v1/contacts?per_page=1")["pagination"]["total"] == 8
