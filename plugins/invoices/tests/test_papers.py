"""Tests of documents on paper, and of finishing a draft before it is sent."""

from datetime import timedelta

import pytest
import webtest

from billycan import Context, NotFound
from billycan.testing import Client

pytestmark = pytest.mark.either

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
    with ctx.transaction():
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


def sums(said):
    return [(one.label, one.amount) for one in said.sums]


def invoice(client, lines, **members):
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    made = client.post("/v1/invoices", {"client_id": contact, "line_items": lines, **members})["data"]["id"]
    return client.post(f"/v1/invoices/{made}/send", status=200)["data"]


def test_a_discount_of_the_document_is_a_line_of_its_own(client):
    lines = [{"description": "Taps", "quantity": 2, "unit_price": "50"}, {"description": "Visit", "unit_price": "40"}]
    said = paper(client, INVOICE, invoice(client, lines, discount_percent=10)["id"])
    assert [line.cells for line in said.lines] == [
        ("Taps", "2", "$50.00", "10%", "$100.00"),
        ("Visit", "1", "$40.00", "10%", "$40.00"),
    ]
    assert sums(said)[:4] == [
        ("Discount of 10%", "-$14.00"),
        ("Subtotal without GST", "$126.00"),
        ("GST (10%)", "$12.60"),
        ("Total price includes GST", "$138.60"),
    ]
    inclusive = invoice(client, lines, discount_amount="7.00", amounts_are="inclusive")
    said = paper(client, INVOICE, inclusive["id"])
    assert [line.cells[-1] for line in said.lines] == ["$100.00", "$40.00"]
    assert sums(said)[:2] == [("Discount", "-$7.00"), ("Total price includes GST", "$133.00")]


def test_that_the_price_includes_gst_stands_at_the_total_where_it_may(client):
    mixed = [
        {"description": "Bread", "unit_price": "5", "gst_code": "gst_free"},
        {"description": "Tap", "unit_price": "9"},
    ]
    assert ("Total including GST", "$14.90") in sums(paper(client, INVOICE, invoice(client, mixed)["id"]))
    untaxed = paper(client, INVOICE, invoice(client, mixed[:1])["id"])
    assert (sums(untaxed)[0], untaxed.remarks) == (("Total", "$5.00"), ("No GST has been charged.",))


def test_a_note_says_from_what_to_what_the_price_changes(client):
    sold = invoice(client, [{"description": "Taps", "quantity": 10, "unit_price": "50"}])
    line = sold["line_items"][0]["id"]

    def note(quantity, *, issue=True):
        body = {"invoice_id": sold["id"], "reason": "returned"}
        body["line_items"] = [{"invoice_line_id": line, "quantity": quantity}]
        made = client.post("/v1/adjustment_notes", body)["data"]["id"]
        if issue:
            client.post(f"/v1/adjustment_notes/{made}/issue", status=200)
        return made

    first, second, draft = note(1), note(2), note(3, issue=False)
    expected = {
        first: ("$550.00", "$50.00", "$495.00", "$45.00"),
        second: ("$495.00", "$45.00", "$385.00", "$35.00"),
        draft: ("$385.00", "$35.00", "$220.00", "$20.00"),
    }
    for id, (before, gst_before, now, gst_now) in expected.items():
        assert sums(paper(client, NOTE, id))[-2:] == [
            (f"Price of {sold['number']} before, including GST of {gst_before}", before),
            (f"Price now, including GST of {gst_now}", now),
        ]
    client.post(f"/v1/adjustment_notes/{second}/void", {}, 200)
    assert sums(paper(client, NOTE, draft))[-2][1] == "$495.00"
    assert sums(paper(client, NOTE, second))[-2][1] == "$495.00"  # as it was when it was issued


def test_a_statement_calls_a_written_off_debt_an_adjustment(client):
    sold = invoice(client, [{"description": "Taps", "unit_price": "50"}], due_date=str(client.app.clock.time.date()))
    client.app.clock.time += timedelta(days=30)
    assert sums(paper(client, STATEMENT, sold["client_id"]))[0] == ("1–30 days overdue", "$55.00")
    client.post(f"/v1/invoices/{sold['id']}/write_off", {"reason": "gone"}, 200)
    said = paper(client, STATEMENT, sold["client_id"])
    assert said.columns[1].title == "Details"
    assert [line.cells[1] for line in said.lines][1:3] == ["Invoice INV-0001", "Adjustment INV-0001"]
    assert "ritten off" not in str(said)


def test_an_invoice_does_not_say_that_it_was_written_off(client):
    sold = invoice(client, [{"description": "Taps", "unit_price": "50"}])
    off = client.post(f"/v1/invoices/{sold['id']}/write_off", {"reason": "gone"}, 200)["data"]
    said = paper(client, INVOICE, sold["id"])
    assert (said.badge, said.notice, said.key) == (None, None, None) and "ritten off" not in str(said)
    page = webtest.TestApp(client.app.wsgi).get(off["hosted_url"].removeprefix(client.app.public_url)).text
    assert "ritten off" not in page and "gone" not in page
