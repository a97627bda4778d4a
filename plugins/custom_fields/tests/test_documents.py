"""Custom fields on documents: what the client sees of them."""

import pytest

from billycan import Context
from billycan.testing import Client

pytestmark = pytest.mark.either
FIELDS = (
    {"key": "site", "type": "text", "label": "Site", "on_document": True},
    {"key": "budget", "type": "money", "on_document": True},
    {"key": "start", "type": "date", "on_document": True, "label": "Start of work"},
    {"key": "insured", "type": "boolean", "on_document": True},
    {"key": "margin", "type": "number"},
)
CUSTOM = {"site": "Dock 4", "budget": -1200.5, "start": "2026-12-05", "insured": True, "margin": 12.5}


@pytest.mark.parametrize(("resource", "noun"), [("invoices", "i"), ("quotes", "q")])
def test_a_document_shows_the_fields_that_are_for_the_client(make_app, resource, noun):
    app = make_app("contacts", "custom_fields", "documents", "hosted", "invoices", "quotes")
    client = Client(app)
    for field in FIELDS:
        client.post("/v1/custom_fields", {"resource": resource, **field})
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    lines = [{"description": "Work", "unit_price": "50.00"}]
    made = client.post(f"/v1/{resource}", {"client_id": contact, "line_items": lines, "custom": CUSTOM})["data"]
    ctx = Context(app, client.tenant_id, writes=False)
    with app.db.reading(client.tenant_id) as ctx.db:
        paper = app.documents[f"/v1/{resource}/{{id}}"].show(ctx, made["id"])
    facts = [("Site", "Dock 4"), ("Budget", "-$1,200.50"), ("Start of work", "5 December 2026"), ("Insured", "Yes")]
    assert [*paper.facts[-4:]] == facts and "Margin" not in str(paper.facts)
    sent = client.post(f"/v1/{resource}/{made['id']}/send", status=200)["data"]
    page = client.call("GET", f"/{noun}/{sent['hosted_url'].rpartition('/')[2]}", status=200)
    assert "Start of work" in page.text and "5 December 2026" in page.text
