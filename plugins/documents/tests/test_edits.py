"""A change reads and recalculates only what it names, because only one request at a time may write."""

import pytest

from billycan.reader import StructOf
from billycan.testing import Client
from billycan_documents import documents
from billycan_documents.lines import NewLine

pytestmark = pytest.mark.either

LINES = [{"description": f"Part {i}", "unit_price": "19.90", "discount_percent": 5} for i in range(3)]
KINDS = {"invoices": {}, "quotes": {}, "jobs": {"title": "Bathroom"}}


@pytest.fixture
def client(make_app):
    return Client(make_app("contacts", "documents", "hosted", "invoices", "jobs", "quotes"))


@pytest.fixture(params=KINDS)
def draft(request, client):
    """Create each kind of document; return its path and its body."""
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    body = {"client_id": contact, "line_items": LINES, "discount_amount": "1.00", **KINDS[request.param]}
    made = client.post(f"/v1/{request.param}", body)["data"]
    return f"/v1/{request.param}/{made['id']}", made


@pytest.fixture
def reads(monkeypatch):
    """Count the lines converted by a patch."""
    real, found = StructOf.read, []

    def read(self, *given):
        found.extend([1] if self.kind is NewLine else [])
        return real(self, *given)

    monkeypatch.setattr(StructOf, "read", read)
    return found


def test_a_change_that_decides_no_figure_works_nothing_out(client, draft, reads, monkeypatch):
    def refuse(*_):
        raise AssertionError("lines and figures are as they are")

    monkeypatch.setattr(documents, "work_out", refuse)
    path, made = draft
    changed = client.patch(path, {"notes": "Ring the bell", "metadata": {"a": "b"}})["data"]
    aside = {"notes", "metadata", "version", "updated_at"}
    assert {k: v for k, v in changed.items() if k not in aside} == {k: v for k, v in made.items() if k not in aside}
    assert changed["notes"] == "Ring the bell" and changed["version"] == made["version"] + 1 and not reads
    assert client.patch(path, {"notes": "Ring the bell"})["data"]["version"] == changed["version"]


def test_new_lines_are_read_once(client, draft, reads):
    path, _ = draft
    lines = [{"description": f"Other {i}", "unit_price": "10.00"} for i in range(4)]
    changed = client.patch(path, {"line_items": lines, "discount_amount": None})["data"]
    assert len(reads) == 4 and [line["total"] for line in changed["line_items"]] == [11, 11, 11, 11]
    kept = changed["line_items"][0]["id"]
    mixed = [{"id": kept, "unit_price": "20.00"}, {"description": "New", "unit_price": "1.00"}]
    changed = client.patch(path, {"line_items": mixed})["data"]
    assert [(line["description"], line["unit_price"]) for line in changed["line_items"]] == [
        ("Other 0", 20),
        ("New", 1),
    ]
    assert changed["line_items"][0]["id"] == kept


def test_a_change_is_refused_where_gst_can_no_longer_be_charged(client, draft):
    path, _ = draft
    client.patch("/v1/tenant", {"gst_settings": [{"from": "2020-01-01", "registered": False}]})
    client.refused(422, "gst_not_registered", "PATCH", path, {"notes": "Ring the bell"})
