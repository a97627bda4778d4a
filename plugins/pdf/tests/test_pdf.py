"""PDF files of documents: complete, the same each time, and right for any text."""

import io
import sys
from datetime import date

import pypdf
import pytest

from billycan import Context, Manifest, Route
from billycan.paper import Paper
from billycan.starting import plugins
from billycan.starting.packages import PluginError
from billycan.testing import Client
from billycan_pdf import api
from billycan_pdf.rendering import render
from billycan_pdf.settings import Settings

pytestmark = pytest.mark.sqlite_alone
PLUGINS = ("contacts", "documents", "hosted", "invoices", "pdf", "quotes")
PROFILE = {
    "legal_name": "Derwent Plumbing Pty Ltd",
    "bank_account": {"bsb": "067000", "account_number": "12345678", "account_name": "Derwent Plumbing"},
}


@pytest.fixture
def app(make_app):
    return make_app(*PLUGINS)


@pytest.fixture
def client(app):
    client = Client(app)
    client.patch("/v1/tenant", PROFILE)
    return client


def line(**members):
    return {"description": "Tap washers", "unit_price": "100.00", **members}


def made(client, path="/v1/invoices", **members):
    contact = client.post("/v1/contacts", {"name": "Ada Lovelace", "abn": "91888222000"})["data"]
    return client.post(path, {"client_id": contact["id"], "line_items": [line()], **members})["data"]


def send(client, document, path="/v1/invoices"):
    return client.post(f"{path}/{document['id']}/send", status=200)["data"]


def fetched(client, path, **given):
    return client.call("GET", path, status=200, **given)


def read(content):
    """The pages' texts, in one line each, and the reader."""
    reader = pypdf.PdfReader(io.BytesIO(content))
    return [" ".join(page.extract_text().replace("\u200b", "").split()) for page in reader.pages], reader


def test_it_shows_the_seven_details_of_a_tax_invoice(client):
    """s 29-70(1)(c) GST Act: that it is a tax invoice; seller, ABN; date; what, how much, price; GST; the buyer."""
    invoice = send(client, made(client, line_items=[line(quantity=11), line(gst_code="gst_free")]))
    answer = fetched(client, f"/v1/invoices/{invoice['id']}.pdf")
    assert answer.content_type == "application/pdf"
    assert answer.headers["Content-Disposition"] == 'inline; filename="INV-0001.pdf"'
    (text,), reader = read(answer.body)
    seller = ("Derwent Plumbing Pty Ltd", "ABN 47 555 222 000")
    buyer = ("Ada Lovelace", "ABN 91 888 222 000")
    what = ("21 November 2026", "Tap washers 11 $100.00", "$110.00", "GST-free", "GST (10%)")
    for words in ("Tax invoice", *seller, *buyer, *what, "067-000", "Page 1 of 1"):
        assert words in text, words
    root = reader.trailer["/Root"]
    assert root["/MarkInfo"]["/Marked"] and root["/Lang"] == "en-AU" and root["/StructTreeRoot"]
    metadata = root["/Metadata"].get_data()
    assert b"<pdfuaid:part>1</pdfuaid:part>" in metadata and b"<pdfaid:part>2</pdfaid:part>" in metadata
    assert reader.metadata.title == "Tax invoice INV-0001"
    assert "Headings" not in text and "SANDBOX" not in text and "DRAFT" not in text
    for font in (f for page in reader.pages for f in page["/Resources"]["/Font"].values()):
        assert "/FontFile2" in font["/DescendantFonts"][0]["/FontDescriptor"] or (
            "/FontFile3" in font["/DescendantFonts"][0]["/FontDescriptor"]
        )


def test_it_is_the_same_each_time_and_not_sent_again(client, clock):
    invoice = send(client, made(client))
    path = f"/v1/invoices/{invoice['id']}"
    first = fetched(client, f"{path}.pdf")
    clock.move(days=40)  # it is overdue by then
    again = fetched(client, path, headers={"Accept": "application/pdf"})
    assert again.body == first.body and again.headers["ETag"] == first.headers["ETag"]
    client.call("GET", f"{path}.pdf", headers={"If-None-Match": first.headers["ETag"]}, status=304)
    client.post(f"{path}/pay", {"payment_method": "card"}, status=200)
    (text,), _ = read(fetched(client, f"{path}.pdf").body)
    assert "PAID" in text and "Payment received on 31 December 2026" in text and "How to pay" not in text


def test_each_kind_of_document_says_what_it_is(client):
    quote = made(client, "/v1/quotes", title="New bathroom")
    (text,), _ = read(fetched(client, f"/v1/quotes/{quote['id']}.pdf").body)
    assert "Quote" in text and "DRAFT" in text and "New bathroom" in text and "Valid until" in text
    invoice = send(client, made(client))
    note = client.post("/v1/adjustment_notes", {"invoice_id": invoice["id"], "reason": "error", "full": True})["data"]
    client.post(f"/v1/adjustment_notes/{note['id']}/issue", status=200)
    (text,), _ = read(fetched(client, f"/v1/adjustment_notes/{note['id']}.pdf").body)
    assert "Adjustment note" in text and "Decreasing adjustment" in text and "Error on the invoice" in text
    statement = f"/v1/contacts/{invoice['client_id']}/statement.pdf?from=2026-11-01&to=2026-11-30"
    (text,), _ = read(fetched(client, statement).body)
    assert "Statement" in text and "Invoice INV-0001" in text and "From 1 November 2026" in text
    void = send(client, made(client))
    client.post(f"/v1/invoices/{void['id']}/void", {"reason": "Twice"}, status=200)
    (text,), _ = read(fetched(client, f"/v1/invoices/{void['id']}.pdf").body)
    assert "VOID" in text and "it is not a tax invoice" in text


def test_a_sandbox_says_so_on_each_page(client):
    box = client.sandbox()
    invoice = send(box, made(box, line_items=[line()] * 60))
    pages, _ = read(fetched(box, f"/v1/invoices/{invoice['id']}.pdf").body)
    assert len(pages) > 1 and all("SANDBOX, not a tax invoice" in page for page in pages)


HOSTILE = [
    "*bold* _it_ $x^2$ #eval(1) @ref <lab> = Head - list + enum / term: `raw` \\ ~ // no /* no */ [x] {y} ]]",
    "漢字かな交じり文 한국어 Ελληνικά Русский",
    "שלום עולם مرحبا بالعالم",  # no bundled font has these
    "👩‍🔧 zero\u200bwidth \u202eright to left\u202c a\u0301\u0301\u0301",
    "x" * 4000,
    "W" * 2000 + "é" * 1900,
    "word " * 790,
    "tab\there\nand\nthere",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_any_text_is_printed_as_it_is_and_breaks_nothing(client, text):
    words = text[:200].strip()
    contact = client.post("/v1/contacts", {"name": words[:150].replace("\n", " ").replace("\t", " ")})["data"]
    lines = [line(description=text), line(unit="W" * 20, quantity="9999", unit_price="9999.9999")]
    document = {"client_id": contact["id"], "line_items": lines, "notes": text, "reference": words[:90].split("\n")[0]}
    invoice = client.post("/v1/invoices", document)["data"]
    pages, reader = read(fetched(client, f"/v1/invoices/{invoice['id']}.pdf").body)
    whole = "".join(pages).replace(" ", "")
    if text.isascii():
        assert text.replace(" ", "").replace("\t", "").replace("\n", "")[:1000] in whole
    right = reader.pages[0].mediabox.right

    def visit(text, matrix, *_):
        if text.strip():
            assert 0 <= matrix[4] < right, text

    for page in reader.pages:
        page.extract_text(visitor_text=visit)


def test_300_lines_repeat_their_headings(client):
    invoice = made(client, line_items=[line(description=f"Item {i}: supplied and fitted") for i in range(300)])
    pages, _ = read(fetched(client, f"/v1/invoices/{invoice['id']}.pdf").body)
    assert len(pages) > 5 and "Item 299:" in pages[-1] + pages[-2]
    assert all("Description Quantity Price" in page for page in pages[:-1])
    assert f"Page 2 of {len(pages)}" in pages[1]


def test_a_file_of_thousands_of_pages_is_refused_before_it_is_made(client):
    invoice = made(client, line_items=[line(description="a" + "\n" * 3_998 + "b")] * 13)
    error = client.refused(400, "invalid_parameter", "GET", f"/v1/invoices/{invoice['id']}.pdf")
    assert error["message"] == "A PDF file has at most 50,000 line breaks in the texts of its lines."
    invoice = made(client, line_items=[line(description="a\u4e00" * 2_000)] * 51)
    error = client.refused(400, "invalid_parameter", "GET", f"/v1/invoices/{invoice['id']}.pdf")
    assert error["message"] == "A PDF file has at most 200,000 characters in the texts of its lines."


def test_a_business_has_two_made_at_a_time_whoever_asks_and_timed_work_is_never_refused(client, app, monkeypatch):
    invoice = send(client, made(client))
    path, page = f"/v1/invoices/{invoice['id']}", invoice["hosted_url"].removeprefix(app.public_url)
    other = Client(app)
    theirs = made(other)
    made_so_far = []

    def render_while_others_ask(*given):
        made_so_far.append(given)
        if len(made_so_far) == 1:
            fetched(client, f"{path}.pdf")
        elif len(made_so_far) == 2:
            error = client.refused(429, "too_many_pdfs", "GET", f"{path}.pdf")
            assert error["retry_after"] == 5 and client.last.headers["Retry-After"] == "5"
            client.refused(429, "too_many_pdfs", "GET", path, headers={"Accept": "application/pdf"})
            refused = client.web.get(f"{page}?format=pdf", status=429)
            assert (refused.content_type, refused.headers["Retry-After"]) == ("text/html", "5")
            client.get(path)
            client.web.get(page, status=200)
            fetched(other, f"/v1/invoices/{theirs['id']}.pdf")
            ctx = Context(app, client.tenant_id, writes=False)
            with app.db.reading(ctx.tenant_id) as ctx.db:
                assert api.pdf_of(ctx, "/v1/invoices/{id}", invoice["id"]).content
        return render(*given)

    monkeypatch.setattr(api, "render", render_while_others_ask)
    client.web.get(f"{page}?format=pdf", status=200)
    assert len(made_so_far) == 4, "what is refused is not made"
    for _ in range(3):
        fetched(client, f"{path}.pdf")


def test_nobody_else_has_it(client, app):
    invoice = send(client, made(client))
    contact = invoice["client_id"]
    for path in (f"/v1/invoices/{invoice['id']}.pdf", f"/v1/contacts/{contact}/statement.pdf"):
        Client(app).get(path, status=404)
        client.key("quotes:read").get(path, status=403)
        fetched(client.key("invoices:read", "contacts:read"), path)
    client.key("invoices:read").get(f"/v1/contacts/{contact}/statement.pdf", status=403)


def test_without_it_documents_are_json(make_app):
    client = Client(make_app(*(name for name in PLUGINS if name != "pdf")))
    invoice = made(client)
    client.get(f"/v1/invoices/{invoice['id']}.pdf", status=404)
    client.call("GET", f"/v1/invoices/{invoice['id']}", headers={"Accept": "application/pdf"}, status=406)


def test_without_typst_the_start_says_what_is_missing_and_how_to_get_it(monkeypatch):
    for name in [name for name in sys.modules if name == "typst" or name.startswith(("typst.", "billycan_pdf"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(PluginError, match=r"pdf cannot be imported: .*typst.*: install billycan\[pdf\] or disable it"):
        plugins.load_plugins(["pdf"], {})


OF = {"seller": Paper.Party(name="A"), "buyer": Paper.Party(name="Zoë")}
PAPER = Paper(noun="slip", title="Slip", filename='a "slip"\r\n', dated=date(2026, 11, 22), **OF)
TEMPLATE = """#let paper = json(bytes(sys.inputs.paper))
#set document(title: paper.title, date: datetime(year: paper.dated.at(0), month: 1, day: 1))
Our own #read("words.txt") #paper.title for #paper.buyer.name
"""


def slips(install, template):
    def get_slip(ctx, id: str) -> Paper.Party:
        """A slip."""
        return PAPER.buyer

    route = Route("GET", "/v1/slips/{id}", get_slip, scope="slips:read")
    document = Manifest.Document(path="/v1/slips/{id}", show=lambda ctx, id: PAPER, template=template)
    install(Manifest(name="slips", routes=(route,), documents=(document,)))


def test_a_plugin_brings_its_own_template(make_app, install, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "latin-1")  # like a machine whose locale is not UTF-8
    (tmp_path / "slip.typ").write_text(TEMPLATE, "utf-8")
    (tmp_path / "words.txt").write_text("special", "utf-8")
    slips(install, tmp_path / "slip.typ")
    answer = fetched(Client(make_app("pdf", "slips", pdf={"template_seconds": 60})), "/v1/slips/con_1.pdf")
    assert read(answer.body)[0] == ["Our own special Slip for Zoë"]
    assert answer.headers["Content-Disposition"] == 'inline; filename="a-slip.pdf"'


@pytest.mark.parametrize(
    "words", ["#for i in range(100000000) { let x = i }", "#nothing", '#read("/etc/passwd")', "#let f(x) = f(x)\n#f(1)"]
)
def test_a_template_that_fails_is_ended(tmp_path, words):
    (tmp_path / "slip.typ").write_text(words, "utf-8")
    with pytest.raises(RuntimeError, match=r"slip\.typ"):
        render(PAPER, None, tmp_path / "slip.typ", Settings(template_seconds=2))


def test_a_logo_is_printed(tmp_path):
    brand = Paper.Brand(accent="#842519", footer="Licensed plumber")
    paper = Paper(noun="slip", title="Slip", filename="slip", dated=date(2026, 1, 1), brand=brand, **OF)
    logo = bytes.fromhex(
        "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8cfc0000003010100c9fe92ef"
        "0000000049454e44ae426082"
    )
    text, reader = read(render(paper, logo, None, Settings()))
    assert "/XObject" in reader.pages[0]["/Resources"] and "Licensed plumber" in text[0]
    drawn = reader.pages[0].get_contents().operations
    wide, _, _, high, left, _ = next(operands for operands, operator in drawn if operator == b"cm")
    assert (round(wide), round(high), round(left)) == (45, 45, 51), "16 mm high, and 18 mm from the edge, as text is"
    assert render(paper, b"no picture", None, Settings()), "it was checked when it was stored, but decoders differ"
