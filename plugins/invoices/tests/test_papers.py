"""What documents say on paper, and that a draft is finished before it is sent to anybody."""

import pytest

from billycan import Context, NotFound, unit_of_work
from billycan.testing import Client

INVOICE, NOTE, STATEMENT = "/v1/invoices/{id}", "/v1/adjustment_notes/{id}", "/v1/contacts/{id}/statement"


@pytest.fixture
def app(make_app):
    return make_app("contacts", "documents", "hosted", "invoices")


@pytest.fixture
def client(app):
    return Client(app)


def paper(client, path, id):
    ctx = Context(client.app, client.tenant_id, writes=False)
    with client.app.db.reading(client.tenant_id) as ctx.db:
        return client.app.documents[path].show(ctx, id)


def finish(client, path, id):
    ctx = Context(client.app, client.tenant_id)
    with unit_of_work(ctx):
        client.app.documents[path].finish(ctx, id)


def test_a_draft_says_so_until_it_is_sent_once(client):
    contact = client.post("/v1/contacts", {"name": "Ada", "email": "ada@example.com", "abn": "91888222000"})["data"]
    lines = [{"description": "Taps", "quantity": 2, "unit_price": "50"}]
    id = client.post("/v1/invoices", {"client_id": contact["id"], "line_items": lines})["data"]["id"]
    draft = paper(client, INVOICE, id)
    assert (draft.mark, draft.is_draft, draft.url, draft.email) == ("DRAFT", True, None, "ada@example.com")
    assert (draft.buyer.name, draft.buyer.abn) == ("Ada", "91 888 222 000")
    for _ in range(2):
        finish(client, INVOICE, id)
    sent = paper(client, INVOICE, id)
    assert (sent.mark, sent.is_draft, sent.number, sent.title) == ("", False, "INV-0001", "Tax invoice")
    assert sent.url == client.get(f"/v1/invoices/{id}")["data"]["hosted_url"]
    assert [event["event"] for event in client.get("/v1/events")["data"]].count("invoice.sent") == 1

    note = client.post("/v1/adjustment_notes", {"invoice_id": id, "reason": "error", "full": True})["data"]["id"]
    assert paper(client, NOTE, note).mark == "DRAFT"
    for _ in range(2):
        finish(client, NOTE, note)
    said = paper(client, NOTE, note)
    assert (said.title, said.mark, said.noun) == ("Adjustment note", "", "adjustment note")
    assert ("Effect", "Decreasing adjustment") in [(sum.label, sum.amount) for sum in said.sums]
    assert paper(client, INVOICE, id).mark == "CREDITED"

    statement = paper(client, STATEMENT, contact["id"])
    assert [line.cells[1] for line in statement.lines] == [
        "Opening balance",
        "Invoice INV-0001",
        "Adjustment note ADJ-0001",
        "Closing balance",
    ]
    assert statement.email == "ada@example.com"


def test_nobody_else_has_it(client, app):
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    for path, id in ((INVOICE, "inv_1"), (NOTE, "adj_1"), (STATEMENT, contact)):
        with pytest.raises(NotFound):
            paper(Client(app), path, id)
