"""The page where a client reads an invoice and how to pay it."""

import re
from decimal import Decimal

import pytest
import webtest

from billycan.testing import Client

pytestmark = pytest.mark.sqlite_alone
PROFILE = {
    "legal_name": "Derwent Plumbing Pty Ltd",
    "bank_account": {"bsb": "067000", "account_number": "12345678", "account_name": "Derwent Plumbing"},
    "payid": "pay@example.com",
}


@pytest.fixture
def app(make_app):
    return make_app("contacts", "documents", "hosted", "invoices")


@pytest.fixture
def client(app):
    client = Client(app)
    client.patch("/v1/tenant", PROFILE)
    return client


def sent(client, *lines, **members):
    contact = client.post("/v1/contacts", {"name": "Ada Lovelace", "abn": "91888222000"})["data"]
    body = {"client_id": contact["id"], "line_items": list(lines) or [line()], **members}
    made = client.post("/v1/invoices", body)["data"]
    assert made["hosted_url"] is None
    return client.post(f"/v1/invoices/{made['id']}/send", status=200)["data"]


def line(**members):
    return {"description": "Tap washers", "unit_price": "100.00", **members}


def page_of(app, invoice):
    return webtest.TestApp(app.wsgi).get(invoice["hosted_url"].removeprefix(app.public_url), status="*")


def test_it_shows_what_a_tax_invoice_must_and_how_to_pay(app, client):
    invoice = sent(client, line(), line(gst_code="gst_free"), purchase_order="PO 7", terms="7 days")
    page = page_of(app, invoice)
    seven = ("Tax invoice", "Derwent Plumbing Pty Ltd", "47 555 222 000", "21 November 2026", "Tap washers", "$10.00")
    for text in (*seven, "Ada Lovelace", "91 888 222 000", "$210.00", "PO 7", "7 days"):
        assert text in page.text, text
    for text in ("067-000", "12345678", "pay@example.com", "INV-0001"):
        assert text in page.text, text
    assert "Total price includes GST" not in page.text and "<form" not in page.text


def test_its_column_of_amounts_adds_up_and_discounts_are_told_apart(app, client):
    lines = line(discount_percent=10), line(unit_price="50.00")
    text = page_of(app, sent(client, *lines, discount_amount="20.00")).text
    amounts = [Decimal(found) for found in re.findall(r'data-label="Amount without GST"[^>]*>\$([\d.]+)<', text)]
    assert sum(amounts) == Decimal("140.00") and "Less 10%" in text
    totals = text.partition('class="totals"')[2]
    assert totals.index("-$20.00") < totals.index("$120.00") < totals.index("$12.00") < totals.index("$132.00")


def test_only_a_fully_taxable_price_is_said_to_include_gst(app, client):
    assert "Total price includes GST" in page_of(app, sent(client)).text


def test_an_unregistered_business_says_that_no_gst_is_charged(app, client):
    client.patch("/v1/tenant", {"gst_registered": False})
    text = page_of(app, sent(client)).text
    assert "No GST has been charged" in text and "Tax invoice" not in text and "GST 10" not in text


def test_it_follows_the_payments(app, client, clock):
    invoice = sent(client, due_date="2026-11-22")
    path = f"/v1/invoices/{invoice['id']}"
    client.post(f"{path}/payments", {"amount": "60.00", "payment_method": "card"})
    text = page_of(app, invoice).text
    assert "Partially paid" in text and "$50.00" in text and "Payment received on 21 November 2026" in text
    client.post(f"{path}/pay", {"payment_method": "card"}, status=200)
    text = page_of(app, invoice).text
    assert "This invoice is paid" in text and "How to pay" not in text


def test_late_and_void_invoices_say_so(app, client, clock):
    invoice = sent(client, due_date="2026-11-22")
    clock.move(days=3)
    assert "Overdue" in page_of(app, invoice).text
    assert "Due 22 November 2026" in page_of(app, invoice).text
    client.post(f"/v1/invoices/{invoice['id']}/void", {"reason": "Twice"}, status=200)
    page = page_of(app, invoice)
    text = page.text
    assert "Tax invoice" not in page.html.h1.text and "Tax invoice" not in page.html.title.text
    assert "This invoice is void" in text and "Amount due" not in text and "How to pay" not in text
    assert '@top-center { content: "VOID"; }' in text


def test_a_sandbox_says_so_on_the_page_and_on_each_printed_one(app, client):
    box = client.sandbox()
    box.patch("/v1/tenant", PROFILE)
    text = page_of(app, sent(box)).text
    assert "<strong>SANDBOX, not a tax invoice.</strong>" in text and "please do not pay" in text
    assert '@top-center { content: "SANDBOX, not a tax invoice"; }' in text
    assert "SANDBOX" not in page_of(app, sent(client)).text


def test_each_printed_page_has_the_number_and_its_place(app, client):
    text = page_of(app, sent(client)).text
    assert '@bottom-left { content: "Tax invoice INV-0001"; }' in text
    assert 'content: "Page " counter(page) " of " counter(pages)' in text


@pytest.mark.parametrize(
    ("amounts_are", "says", "first", "last"),
    [
        ("exclusive", "Prices and amounts do not include GST", "Subtotal without GST", "Total price includes GST"),
        ("inclusive", "Prices and amounts include GST", "Total price includes GST", "GST (10%) in the total"),
    ],
)
def test_it_says_whether_amounts_include_gst(app, client, amounts_are, says, first, last):
    text = page_of(app, sent(client, amounts_are=amounts_are)).text
    totals = text.partition('class="totals"')[2]
    assert says in text and totals.index(first) < totals.index(last)


def test_numbers_are_written_as_people_do(app, client):
    hours = line(quantity=38, unit="hour", discount_percent="12.50")
    text = page_of(app, sent(client, hours, line(quantity=1, unit="hours"), line(gst_code="gst_free"))).text
    for words in (">38 hours<", ">1 hour<", "Less 12.5%", ">$3,325.00<", ">GST-free<", "GST (10%)"):
        assert words in text, words


def test_a_registered_business_that_charges_no_gst_names_none(app, client):
    text = page_of(app, sent(client, line(gst_code="gst_free"))).text
    assert "No GST has been charged" in text and "10%" not in text and "$0.00" not in text


def test_links_are_for_writers_never_in_events_and_end(app, client, clock):
    invoice = sent(client)
    for reader, url in ((client, invoice["hosted_url"]), (client.key("read"), None)):
        (listed,) = reader.get("/v1/invoices")["data"]
        assert reader.get(f"/v1/invoices/{invoice['id']}")["data"]["hosted_url"] == listed["hosted_url"] == url
    assert all("hosted_url" not in event["data"] for event in client.get("/v1/events")["data"])
    assert page_of(app, {"hosted_url": invoice["hosted_url"][:-2]}).status_int == 404
    clock.move(days=731)
    assert page_of(app, invoice).status_int == 404


def test_an_invoice_of_an_early_date_has_a_page_too(app, client, clock):
    invoice = sent(client, issue_date="2020-01-01", due_date="2020-01-15")
    assert page_of(app, invoice).status_int == 200
    clock.move(days=700)
    assert client.get(f"/v1/invoices/{invoice['id']}")["data"]["hosted_url"] == invoice["hosted_url"]
    assert page_of(app, invoice).status_int == 200


def test_nothing_can_be_sent_to_the_page(app, client):
    invoice = sent(client)
    webtest.TestApp(app.wsgi).post(invoice["hosted_url"].removeprefix(app.public_url), {"a": "b"}, status=405)


def test_visitors_have_a_ceiling_of_their_own(make_app):
    app = make_app("contacts", "documents", "hosted", "invoices", business_per_minute=4)
    client = Client(app)
    invoice = sent(client)  # in three calls
    assert [page_of(app, invoice).status_int for _ in range(5)] == [200, 200, 200, 200, 429]
    client.get("/v1/contacts")  # whatever strangers do
    client.refused(429, "rate_limited", "GET", "/v1/contacts")
    Client(app).get("/v1/contacts")
