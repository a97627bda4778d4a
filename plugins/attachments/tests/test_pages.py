"""The page of any record shows its files, takes one, and deletes them, without a script."""

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
    assert f'<img src="/dashboard/attachments/{made["id"]}" alt=""' in shown.text
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
