"""Invoices and quotes on paper and on screens: the content of each page, at each width."""

import base64
import io
import re

import pytest
from pypdf import PdfReader
from webtest.http import StopableWSGIServer

from billycan.testing import Client

pytestmark = pytest.mark.sqlite_alone

PLUGINS = ("contacts", "documents", "hosted", "invoices", "quotes")
WIDTHS = (1280, 1200, 390)
PROFILE = {
    "legal_name": "Derwent Plumbing Pty Ltd",
    "address": {"line1": "2 Castray Esplanade", "suburb": "Hobart", "state": "TAS", "postcode": "7000"},
    "email": "accounts-receivable@derwent-plumbing.example.com.au",
    "phone": "03 5550 0134",
    "bank_account": {"bsb": "067000", "account_number": "12345678", "account_name": "Derwent Plumbing Pty Ltd"},
    "payid": "accounts-receivable@derwent-plumbing.example.com.au",
}
LABOUR = {"description": "Labour", "unit": "hour", "quantity": 38, "unit_price": "85.00", "discount_percent": "12.50"}
FREE = {"description": "Water rates paid for you", "unit_price": "120.00", "gst_code": "gst_free"}


@pytest.fixture
def see(make_app, browser):
    """Return a See: an app, a business in it, and a browser for a document's page."""
    app = make_app(*PLUGINS)
    web = StopableWSGIServer.create(app.wsgi, host="127.0.0.1", asyncore_use_poll=True)
    yield See(app, browser, f"http://127.0.0.1:{web.effective_port}")
    browser.get("about:blank")
    web.shutdown()


class See:
    def __init__(self, app, browser, url):
        self.app, self.browser, self.url = app, browser, url
        self.client = Client(app)
        self.client.patch("/v1/tenant", PROFILE)

    def sent(self, kind, *lines, client=None, **members):
        client = client or self.client
        contact = client.post("/v1/contacts", {"name": "Salamanca Bakery", "abn": "91888222000"})["data"]
        made = client.post(f"/v1/{kind}", {"client_id": contact["id"], "line_items": [*lines], **members})["data"]
        return client.post(f"/v1/{kind}/{made['id']}/send", status=200)["data"]

    def open(self, document):
        self.browser.get(document["hosted_url"].replace(self.app.public_url, self.url))

    def printed(self, document):
        """Return the text of each printed page, in one line."""
        self.open(document)
        pdf = self.browser.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})["data"]
        reader = PdfReader(io.BytesIO(base64.b64decode(pdf)))
        assert {tuple(round(float(x)) for x in page.mediabox[2:]) for page in reader.pages} == {(595, 842)}, "A4"
        return [" ".join(page.extract_text().split()) for page in reader.pages]


def numbered(pages, title):
    """Tell whether each page names its document and its own place in it."""
    return all(title in page and f"Page {i} of {len(pages)}" in page for i, page in enumerate(pages, 1))


def test_a_printed_invoice_says_what_a_person_must_know(see):
    (page,) = see.printed(see.sent("invoices", LABOUR, {**LABOUR, "quantity": 1}, FREE, purchase_order="PO 7"))
    assert numbered([page], "Tax invoice INV-0001")
    for text in (
        *("Derwent Plumbing Pty Ltd", "ABN 47 555 222 000", "Salamanca Bakery", "ABN 91 888 222 000", "PO 7"),
        *("38 hours", "1 hour ", "Less 12.5%", "$85.00", "GST-free", "Prices and amounts do not include GST"),
        *("Subtotal without GST", "GST (10%)", "Total including GST", "Amount due", "5 December 2026"),
        *("067-000", "12345678", PROFILE["payid"], "Payment reference"),
    ):
        assert text in page, (text, page)
    for text in ("SANDBOX", "VOID", "$0.00", "1.0000", "38.0000", "10.00%"):
        assert text not in page, (text, page)


@pytest.mark.parametrize("kind", ["invoices", "quotes"])
def test_prices_that_include_gst_say_so_and_none_is_named_where_none_is_charged(see, kind):
    (page,) = see.printed(see.sent(kind, LABOUR, amounts_are="inclusive"))
    assert "Prices and amounts include GST" in page and "GST (10%) in the total" in page
    (page,) = see.printed(see.sent(kind, FREE))
    assert "No GST has been charged" in page
    assert not re.search(r"10\s?%|\$0\.00|GST-free", page), page


def test_a_long_invoice_has_its_number_and_heads_on_every_page_and_breaks_no_line(see):
    lines = [{**LABOUR, "description": f"Visit {i:03} to the site\nand back"} for i in range(1, 121)]
    pages = see.printed(see.sent("invoices", *lines, terms="Payment within 14 days."))
    assert len(pages) >= 5 and numbered(pages, "Tax invoice INV-0001")
    found = [re.findall(r"Visit (\d+) to the site and back", page) for page in pages]
    assert [int(number) for page in found for number in page] == list(range(1, 121)), "and none is cut in two"
    assert all(not numbers or "Description Quantity" in page for numbers, page in zip(found, pages, strict=True))
    assert any("Total price includes GST" in page for page in pages[-2:])


@pytest.mark.parametrize("lines", [1, 120])
def test_void_and_sandbox_are_on_every_page_and_on_no_other_document(see, lines):
    many = [LABOUR] * lines
    invoice = see.sent("invoices", *many)
    see.client.post(f"/v1/invoices/{invoice['id']}/void", {"reason": "Twice"}, status=200)
    pages = see.printed(invoice)
    assert numbered(pages, "INV-0001") and all("VOID" in page for page in pages)
    assert "it is not a tax invoice" in pages[0] and not any("How to pay" in page for page in pages)
    box = see.client.sandbox()
    box.patch("/v1/tenant", PROFILE)
    for kind, number in (("invoices", "INV-0001"), ("quotes", "QUO-0001")):
        pages = see.printed(see.sent(kind, *many, client=box))
        assert numbered(pages, number) and all("SANDBOX, not a tax invoice" in page for page in pages)
        pages = see.printed(see.sent(kind, *many))
        assert not any("SANDBOX" in page or "VOID" in page for page in pages)


def test_a_printed_quote_has_no_form_and_says_until_when_it_is_valid(see):
    lines = [{**LABOUR, "description": f"Visit {i:03}"} for i in range(1, 121)]
    quote = see.sent("quotes", *lines, title="New hot water", expiry_date="2026-12-05", terms="Half up front")
    pages = see.printed(quote)
    assert len(pages) > 1 and numbered(pages, "Quote QUO-0001")
    assert "Valid until" in pages[0] and "5 December 2026" in pages[0] and "New hot water" in pages[0]
    assert "Half up front" in pages[-1]
    assert not any(text in page for page in pages for text in ("Accept quote", "Your name", "Happy to go ahead"))


# The number of text lines of each element, and the elements that exceed the page.
LOOK = """
const lines = (e) => { const r = document.createRange(); r.selectNodeContents(e);
  return new Set([...r.getClientRects()].map((box) => Math.round(box.top))).size; };
return {broken: [...document.querySelectorAll(arguments[0])].filter((e) => lines(e) > 1).map((e) => e.innerText),
  wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  out: [...document.querySelectorAll('main *')].filter((e) => e.checkVisibility() && !e.closest('.stamp')
    && e.getBoundingClientRect().right > innerWidth).map((e) => e.className || e.tagName)}
"""


@pytest.mark.parametrize("kind", ["invoices", "quotes"])
def test_nothing_is_broken_in_a_word_or_stands_out_at_any_width(see, kind):
    members = {"reference": "Order 4711/2026", "terms": "Payment within 14 days."}
    see.open(see.sent(kind, LABOUR, {**LABOUR, "quantity": "1234.5", "unit_price": "12345.6789"}, FREE, **members))
    for width in WIDTHS:
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        see.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        looks = see.browser.execute_script(LOOK, ".pay dd, .facts dd, .key .sum, .totals dd, .number, .lines .amount")
        # On a phone an address of 51 characters takes two lines, and nothing else does.
        expected = [PROFILE["payid"]] if kind == "invoices" and width < 500 else []
        assert looks == {"broken": expected, "wide": 0, "out": []}, width
