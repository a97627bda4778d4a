"""Files that are imported on a page: the form, how far one is, its faults in a table, and where its records are."""

import re

import pytest

from billycan import Manifest
from billycan.testing import Client
from billycan_dashboard.resources.kinds import kinds
from billycan_imports.plugin import manifest as manifest_of_imports
from billycan_imports.testing import finish_imports
from billycan_users.testing import Browser

pytestmark = pytest.mark.either

HERE = "/dashboard/imports"


@pytest.fixture
def app(make_app):
    return make_app("attachments", "contacts", "dashboard", "imports", "items", "users")


@pytest.fixture
def client(app):
    return Client(app)


def upload(browser, content, status=303, filename="clients.csv", **fields):
    form = next(form for form in browser.get(HERE).forms.values() if form.action == HERE)
    given = {"token": form["token"].value, "once": form["once"].value, "resource": "contacts", **fields}
    files = [("file", filename, content)] if content is not None else []
    answer = browser.web.post(HERE, given, upload_files=files, status=status, content_type="multipart/form-data")
    return answer.follow() if status == 303 else answer


def test_a_file_is_uploaded_watched_and_found_in_the_list(app, client):
    owner = Browser(app).join(client)
    page = owner.get("/dashboard/contacts")
    assert "/dashboard/imports?resource=contacts" in page.text
    page = upload(owner, b"name,email\nAda,ada@example.com\nBea,\n")
    assert "2 rows" in page.text and 'every="1"' in page.text and "Look again" in page.text
    finish_imports(app, rounds=2)
    page = owner.get(page.request.path)
    assert "now imported together" in page.text
    finish_imports(app)
    page = owner.get(page.request.path)
    assert "All 2 rows were imported" in page.text and "every=" not in page.text
    made = owner.get(page.html.find("a", string="See what was imported")["href"])
    assert "Ada" in made.text and "Bea" in made.text
    assert "Contacts" in owner.get(HERE).text and "Done" in owner.get(HERE).text


def test_faults_are_a_table_of_row_column_and_words(app, client):
    owner = Browser(app).join(client)
    page = upload(owner, b"name,abn\nAda,12345678901\n,53004085616\n", dry_run="true")
    finish_imports(app)
    page = owner.get(page.request.path)
    rows = [[cell.get_text(" ", strip=True) for cell in row.find_all("td")] for row in page.html.find_all("tr")[1:]]
    assert [row[:2] for row in rows] == [["Row 1", "abn"], ["Row 2", "name"]] and all(
        row[2][0].isupper() for row in rows
    )
    assert "Nothing was imported" in page.text and client.get("/v1/contacts")["data"] == []
    for told in ("Nothing is wrong with the file", "The row was imported"):  # each form leads to the next step
        form = next(form for form in page.forms.values() if form.action == HERE)
        corrected = [("file", "clients.csv", b"name\nAda\n")]
        sent = owner.web.post(
            HERE, form.submit_fields(), upload_files=corrected, content_type="multipart/form-data", status=303
        )
        finish_imports(app)
        page = owner.get(sent.follow().request.path)
        assert told in page.text
    assert [each["name"] for each in client.get("/v1/contacts")["data"]] == ["Ada"]


@pytest.mark.sqlite_alone
def test_what_cannot_be_read_is_said_beside_the_form(app, client):
    owner = Browser(app).join(client)
    page = upload(owner, "name\nZoë\n".encode("cp1252"), status=400)
    assert "not text in UTF-8" in page.text and 'type="file"' in page.text
    assert "Choose a file first" in upload(owner, None, status=422).text
    assert "Choose a file first" in upload(owner, b"name\nAda\n", status=422, filename="").text
    assert upload(owner, b"name\n" + b"x" * (11 << 20), status=413)
    assert client.get("/v1/imports")["data"] == []


@pytest.mark.sqlite_alone
def test_a_stranger_s_file_is_refused_before_it_is_read(app):
    Browser(app).web.post(HERE, b"x" * (11 << 20), status=403, content_type="multipart/form-data; boundary=b")


@pytest.mark.sqlite_alone
def test_a_viewer_sees_imports_and_makes_none(app, client):
    owner, viewer = (Browser(app).join(client, role) for role in ("owner", "viewer"))
    path = upload(owner, b"name\nAda\n").request.path
    token = re.search(r'name="token" value="(\w+)"', viewer.get("/dashboard/account").text)[1]
    assert 'type="file"' not in viewer.get(HERE).text and "Import of contacts" in viewer.get(path).text
    answer = viewer.web.post(
        HERE, {"token": token, "resource": "contacts"}, upload_files=[("file", "a.csv", b"name\nBea\n")], status=403
    )
    assert "Bea" not in answer.text and len(client.get("/v1/imports")["data"]) == 1


@pytest.mark.sqlite_alone
def test_what_is_made_of_a_file_has_no_form_of_members(make_app, install):
    """As where a third party's resource takes files: its pages would fail over a body of bytes."""
    made = manifest_of_imports
    install(Manifest(name="imports", routes=made.routes, tables=made.tables))
    app = make_app("contacts", "dashboard", "imports", "users")
    assert "make" not in kinds(app)["/v1/imports"].routes
