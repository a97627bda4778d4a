"""Bounds of posted forms, which keep the page that shows them again small."""

import re

import jinja2
import pytest

from billycan.testing import Client, counted
from billycan_users.testing import Browser

pytestmark = pytest.mark.sqlite_alone
PLUGINS = ("contacts", "documents", "hosted", "invoices", "users", "dashboard")


@pytest.fixture
def app(make_app):
    return make_app(*PLUGINS)


@pytest.fixture
def send(app):
    owner = Browser(app).join(Client(app))
    token = re.search(r'name="token" value="(\w+)"', owner.get("/dashboard/account").text)[1]

    def send(path, *fields):
        return owner.web.post(path, [("token", token), *fields], status="*")

    return send


def lines(count, text="x"):
    return [(f"line_items[{i}].description", text) for i in range(count)]


def test_a_form_with_more_rows_than_a_document_has_lines_is_not_shown_again(send):
    for more in ([], [("more", "line_items")]):
        page = send("/dashboard/invoices/new", *lines(501), *more)
        assert page.status_int == 413 and "at most 500 rows" in page.text and len(page.body) < 2000
    page = send("/dashboard/payments/new", *((f"allocations[{i}].amount", "1") for i in range(101)))
    assert page.status_int == 413 and "at most 100 rows" in page.text
    page = send("/dashboard/profile", *((f"gst_settings[{i}].from", "1") for i in range(101)))
    assert page.status_int == 413
    assert send("/dashboard/invoices/new", *[(f"x{i}", "") for i in range(7000)]).status_int == 413
    assert send("/dashboard/invoices/new", ("notes", '"' * 200_000)).status_int == 413


def test_a_page_that_shows_a_form_again_grows_with_what_was_sent_and_no_faster(send):
    half, whole = (len(send("/dashboard/invoices/new", *lines(count)).body) for count in (250, 500))
    assert whole < 2.1 * half and whole < 1_500_000
    shortest, longest = (len(send("/dashboard/invoices/new", *lines(1, '"' * n)).body) for n in (1, 150_000))
    assert longest - shortest < 6 * 150_000


def test_a_form_with_many_rows_draws_no_field_twice(send, monkeypatch):
    """To draw each field of 490 lines by itself took half a second."""
    drawn, invoke = [], jinja2.runtime.Macro._invoke
    monkeypatch.setattr(jinja2.runtime.Macro, "_invoke", lambda *args: drawn.append(1) or invoke(*args))
    calls = []
    for count in (20, 490):
        drawn.clear()
        codes = [(f"line_items[{i}].gst_code", ("gst", "gst_free")[i % 2]) for i in range(count)]
        send("/dashboard/invoices/new", *lines(count), *codes, ("more", "line_items"))
        calls.append(len(drawn))
    assert calls[0] == calls[1] < 200


def test_each_row_of_a_form_shows_what_was_sent_in_it(send):
    texts = ["plain", '<b>"&', "", "[0]", "{{ 1 }}", "two\r\nlines", "\0text\0", "\0row\0"]
    codes = ["gst", "", "export", "gst_free", "gst", "nonsense", "gst", "export"]
    rows = []
    for i, (text, code) in enumerate(zip(texts, codes, strict=True)):
        rows += [(f"line_items[{i}].description", text), (f"line_items[{i}].gst_code", code)]
        rows += [(f"line_items[{i}].unit_price", "a lot" if i == 1 else str(i)), (f"line_items[{i}].unit", text)]
    page = send("/dashboard/invoices/new", *rows, ("more", "line_items"))  # shown again, as it is
    form = next(form for form in page.forms.values() if "line_items[0].unit" in form.fields)
    for i, (text, code) in enumerate(zip(texts, codes, strict=True)):
        read = text.replace("\0", "\N{REPLACEMENT CHARACTER}")  # as HTML is read
        assert form[f"line_items[{i}].description"].value == form[f"line_items[{i}].unit"].value == read
        assert form[f"line_items[{i}].gst_code"].value == ("" if code == "nonsense" else code)
    page = send("/dashboard/invoices/new", *rows)
    assert page.status_int == 422
    price = page.html.find(id="line_items[1].unit_price")
    assert price["value"] == "a lot" and page.html.find(id=price["aria-describedby"]).text.startswith("Unit price ")
    assert page.html.find("a", href="#line_items[1].unit_price").text == "Line items 2: Unit price"
    assert not page.html.find(id="line_items[3].unit_price").get("aria-invalid")


def test_many_rows_offer_fewer_records_each_and_keep_what_is_chosen(app, send):
    """A hundred rows that each offer a hundred invoices would be ten thousand choices."""
    client = Client(app)
    owner = Browser(app).join(client)
    token = re.search(r'name="token" value="(\w+)"', owner.get("/dashboard/account").text)[1]
    contact = client.post("/v1/contacts", {"name": "Ann"})["data"]["id"]
    item = {"description": "x", "quantity": 1, "unit_price": 1}
    made = [client.post("/v1/invoices", {"client_id": contact, "line_items": [item]})["data"]["id"] for _ in range(60)]
    rows = [("token", token)]
    for i in range(100):
        rows += [(f"allocations[{i}].invoice_id", made[i % 60]), (f"allocations[{i}].amount", "x")]
    page = owner.web.post("/dashboard/payments/new", rows, status=422)
    assert len(re.findall(r"<option value=\"inv_", page.text)) <= 100 * 51
    assert len(re.findall(r"<option value=\"inv_\w+\" selected", page.text)) == 100


def test_a_form_shows_what_was_chosen_among_many_without_another_statement(app):
    client = Client(app)
    owner = Browser(app).join(client)
    line = {"description": "x", "quantity": 1, "unit_price": 1}
    asked = {}
    for name in ("Aaron", "Zoe"):
        contact = client.post("/v1/contacts", {"name": name})["data"]["id"]
        invoice = client.post("/v1/invoices", {"client_id": contact, "line_items": [line]})["data"]["id"]
        asked[name] = f"/dashboard/invoices/{invoice}/edit"
    for i in range(100):
        client.post("/v1/contacts", {"name": f"Mia {i:02}"})
    sent = {}
    for name, path in asked.items():
        owner.get(path)
        app.clock.move(seconds=5)
        with counted(app) as said:
            assert re.search(rf"selected>{name}<", owner.get(path).text)
        sent[name] = len(said)
    assert sent["Zoe"] == sent["Aaron"]
