"""The page of any record shows its files, takes one, and deletes them, without a script."""

from struct import pack

import pytest
from webtest import Upload

from billycan.testing import Client
from billycan_users.testing import Browser

pytestmark = pytest.mark.either

PDF = b"%PDF-1.7\n"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(64)


@pytest.fixture
def app(make_app, tmp_path):
    plugins = ("attachments", "contacts", "dashboard", "expenses", "users")
    return make_app(*plugins, attachments={"folder": str(tmp_path / "files")})


@pytest.fixture
def client(app):
    return Client(app)


@pytest.fixture
def contact(client):
    return client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]


def attach(browser, page, name, content, status=303):
    form = next(form for form in browser.get(page).forms.values() if form.action == f"{page}/attachments")
    form["file"] = Upload(name, content)
    answer = browser.web.post(
        form.action,
        [(k, v) for k, v in form.submit_fields() if k != "file"],
        upload_files=[("file", name, content)],
        status="*",
    )
    assert answer.status_int == status, answer.text
    return answer


def test_a_file_is_uploaded_shown_and_deleted_on_a_records_page(app, client, contact):
    browser = Browser(app).join(client)
    page = f"/dashboard/contacts/{contact}"
    attach(browser, page, "C:\\Users\\ada\\Foto <b>Ü.png", PNG)
    (made,) = client.get(f"/v1/attachments?resource={contact}")["data"]
    assert made["filename"] == "Foto <b>Ü.png"
    shown = browser.get(page)
    assert "Foto &lt;b&gt;Ü.png" in shown.text and "<b>Ü" not in shown.text
    assert f'<img src="/dashboard/attachments/{made["id"]}?small=yes" alt=""' in shown.text
    picture = browser.web.get(f"/dashboard/attachments/{made['id']}")
    assert (picture.body, picture.headers["Content-Type"]) == (PNG, "image/png")
    assert picture.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert picture.headers["X-Content-Type-Options"] == "nosniff"
    assert picture.headers["Content-Disposition"].startswith("attachment;")
    browser.get(page)
    browser.send(f"/dashboard/attachments/{made['id']}/delete")
    assert client.get("/v1/attachments")["data"] == []


@pytest.mark.sqlite_alone
def test_what_is_refused_is_said_on_the_page(app, client, contact):
    browser = Browser(app).join(client)
    page = f"/dashboard/contacts/{contact}"
    assert "An attachment must be a PDF" in attach(browser, page, "photo.png", b"<html>", 415)
    assert "hoose a file first" in attach(browser, page, "", b"", 422)
    form = next(form for form in browser.get(page).forms.values() if form.action == f"{page}/attachments")
    sent = {**dict(form.submit_fields()), "token": "guessed"}
    sent.pop("file", None)
    browser.web.post(form.action, sent, upload_files=[("file", "a.pdf", PDF)], status=403)
    assert client.get("/v1/attachments")["data"] == []


@pytest.mark.sqlite_alone
def test_who_only_looks_sees_files_and_no_form(app, client, contact):
    path = f"/v1/attachments?resource={contact}&filename=a.pdf"
    made = client.call("POST", path, raw=PDF, status=201).json["data"]
    viewer = Browser(app).join(client, "viewer")
    page = viewer.get(f"/dashboard/contacts/{contact}")
    assert "a.pdf" in page.text and 'type="file"' not in page.text and "/delete" not in page.text
    assert viewer.web.get(f"/dashboard/attachments/{made['id']}").body == PDF
    viewer.web.post(f"/dashboard/contacts/{contact}/attachments", upload_files=[("file", "a.pdf", PDF)], status=403)
    stranger = Browser(app).join(Client(app))
    stranger.get(f"/dashboard/attachments/{made['id']}", 404)
    nobody = Browser(app)
    assert "sign-in" in nobody.web.get(f"/dashboard/attachments/{made['id']}").headers["Location"]


@pytest.mark.sqlite_alone
def test_without_the_plugin_there_is_no_trace(make_app):
    app = make_app("contacts", "dashboard", "users")
    client = Client(app)
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    browser = Browser(app).join(client)
    assert 'type="file"' not in browser.get(f"/dashboard/contacts/{contact}").text
    browser.get("/dashboard/attachments/att_1", 404)


def jpeg(small, order="<", turned=1):
    """A JPEG file with a smaller one inside, as cameras write it: the first directory says how the camera was held."""

    def entry(tag, form, value):
        return pack(f"{order}HHI", tag, form, 1) + (
            pack(f"{order}HH", value, 0) if form == 3 else pack(f"{order}I", value)
        )

    first = pack(f"{order}H", 1) + entry(0x0112, 3, turned) + pack(f"{order}I", 8 + 18)
    at = 8 + 18 + 2 + 3 * 12 + 4
    second = pack(f"{order}H", 3) + entry(0x0103, 3, 6) + entry(0x0201, 4, at) + entry(0x0202, 4, len(small))
    head = (b"II" if order == "<" else b"MM") + pack(f"{order}HI", 42, 8)
    exif = b"Exif\0\0" + head + first + second + pack(f"{order}I", 0) + small
    comment, end = b"\xff\xfe" + pack(">H", 2 + 4) + b"Taps", b"\xff\xda" + bytes(200_000) + b"\xff\xd9"
    return b"\xff\xd8" + comment + b"\xff\xe1" + pack(">H", 2 + len(exif)) + exif + end


def test_lists_show_the_small_picture_that_a_photo_carries(app, client, contact):
    small, browser = b"\xff\xd8\xff" + bytes(500) + b"\xff\xd9", Browser(app).join(client)
    whole = {
        "upright": jpeg(small), "big-endian": jpeg(small, ">"), "turned": jpeg(small, turned=6), "none": jpeg(b""),
        "other": jpeg(b"<script>"), "cut": jpeg(small)[:70],
    }  # fmt: skip
    for name, content in whole.items():
        attach(browser, f"/dashboard/contacts/{contact}", f"{name}.jpg", content)
        at = client.get(f"/v1/attachments?resource={contact}")["data"][0]["id"]
        shown = browser.web.get(f"/dashboard/attachments/{at}?small=yes")
        assert shown.body == (small if name in ("upright", "big-endian") else content), name
        assert shown.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
        assert int(shown.headers["Content-Length"]) == len(shown.body)
        assert browser.web.get(f"/dashboard/attachments/{at}").body == content


def test_a_photo_that_few_programs_open_is_refused_in_words(app, client, contact):
    browser = Browser(app).join(client)
    photo = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic"
    refused = attach(browser, f"/dashboard/contacts/{contact}", "IMG_1.HEIC", photo, status=415)
    assert "this file is a HEIC photo: save it as JPEG first" in refused.text


@pytest.fixture
def category(client):
    return client.get("/v1/expense_categories?sort=name")["data"][0]["id"]


def test_a_receipt_says_that_the_tax_invoice_is_held(app, client, category):
    browser = Browser(app).join(client)
    spent = {"date": "2026-11-20", "amount": "110.00", "category_id": category}
    for ticked in (True, False):
        made = client.post("/v1/expenses", spent)["data"]["id"]
        browser.get(f"/dashboard/expenses/{made}")
        browser.send(f"/dashboard/expenses/{made}/attachments", file=Upload("r.pdf", PDF), says=ticked)
        assert client.get(f"/v1/expenses/{made}")["data"]["tax_invoice_held"] is ticked
        shown = browser.get(f"/dashboard/expenses/{made}")
        assert bool(shown.html.find("input", attrs={"name": "says"})) is not ticked, (
            "asked as long as it says something"
        )
    # A new one begins with its file.
    for ticked in (True, False):
        browser.get("/dashboard/expenses/new")
        fields = {**spent, "file": Upload("r.png", PNG), "says": ticked}
        browser.send("/dashboard/expenses/new", **fields)
        made = client.get("/v1/expenses")["data"][0]
        assert made["tax_invoice_held"] is ticked
        assert client.get(f"/v1/attachments?resource={made['id']}")["data"][0]["filename"] == "r.png"
    browser.get("/dashboard/expenses/new")
    browser.send("/dashboard/expenses/new", **spent)
    assert client.get("/v1/expenses")["data"][0]["tax_invoice_held"] is False, "without a file"
    browser.get("/dashboard/expenses/new")
    shown = browser.send("/dashboard/expenses/new", **{**spent, "file": Upload("r.svg", b"<svg/>")})
    assert "The expense was created, but its file was not attached." in shown.text


def test_a_form_that_takes_a_file_takes_no_longer_texts_than_others(app, client, category):
    browser = Browser(app).join(client)
    for file in ({}, {"file": Upload("r.pdf", PDF)}):
        browser.get("/dashboard/expenses/new")
        fields = {"date": "2026-11-20", "amount": "110.00", "category_id": category, "description": "x" * 600_000}
        browser.send("/dashboard/expenses/new", status=413, **fields, **file)
