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


def press(page, does, status=303, **fields):
    """Press the button of a draft's form that does this, with these fields changed."""
    form = next(
        form for form in page.forms.values() if any(b.get("value") == does for b in form.html.find_all("button"))
    )
    for name, text in fields.items():
        form[name] = text
    answer = form.submit("do", value=does, status=status)
    return answer.follow() if status == 303 else answer


def cells_of(page, heading):
    """The texts of the table below a heading."""
    table = page.html.find("h2", string=re.compile(heading)).find_parent("section").find("table")
    return [[cell.get_text(" ", strip=True) for cell in row.find_all(["td", "th"])] for row in table.find_all("tr")]


def test_a_file_is_uploaded_watched_and_found_in_the_list(app, client):
    owner = Browser(app).join(client)
    page = owner.get("/dashboard/contacts")
    assert "/dashboard/imports?resource=contacts" in page.text
    page = upload(owner, b"name,email\nAda,ada@example.com\nBea,\n")
    assert "2 rows" in page.text and "every=" not in page.text
    assert cells_of(page, "first rows") == [["Name", "Email"], ["Ada", "ada@example.com"], ["Bea", ""]]
    page = press(page, "start")
    assert 'every="1"' in page.text and "Look again" in page.text
    finish_imports(app, rounds=2)
    page = owner.get(page.request.path)
    assert "now imported together" in page.text
    finish_imports(app)
    page = owner.get(page.request.path)
    assert "All 2 rows were imported" in page.text and "every=" not in page.text
    made = owner.get(page.html.find("a", string="See what was imported")["href"])
    assert "Ada" in made.text and "Bea" in made.text
    assert "Contacts" in owner.get(HERE).text and "Done" in owner.get(HERE).text


def test_columns_are_chosen_joined_and_the_same_in_every_row(app, client):
    owner = Browser(app).join(client)
    page = upload(owner, b"First name,Surname,Shade,Post\nAda,Lovelace,red,x\n")
    assert cells_of(page, "first rows")[1] == ["Ada Lovelace"]
    page = press(
        page, "map", **{"column-0": "", "column-1": "", "column-2": "notes", "column-3": "", "fixed-kind": "person"}
    )
    assert cells_of(page, "first rows") == [["Notes", "Kind"], ["red", "person"]] and "Still needed" in page.text
    refused = press(page, "start", status=422)
    assert "Name is required" in refused.text.replace("name is required", "Name is required")
    page = press(refused, "start", **{"column-0": "name"})
    finish_imports(app)
    (made,) = client.get("/v1/contacts")["data"]
    assert (made["name"], made["notes"], made["kind"]) == ("Ada", "red", "person")


def test_dates_that_could_be_of_two_days_are_asked_for(make_app):
    app = make_app("contacts", "dashboard", "documents", "hosted", "imports", "invoices", "users")
    client = Client(app)
    client.post("/v1/contacts", {"name": "Hale"})
    owner = Browser(app).join(client)
    text = b"Client,Invoice No,Date,Line items description,Line items unit price\nHale,A-1,03/04/2026,Labour,5\n"
    page = upload(owner, text, resource="invoices")
    assert "2026-04-03" in page.text
    page = press(page, "map", dates="mdy")
    assert "2026-03-04" in page.text
    press(page, "start")
    finish_imports(app)
    assert client.get("/v1/invoices")["data"][0]["issue_date"] == "2026-03-04"


def test_faults_are_corrected_at_their_cells(app, client):
    owner = Browser(app).join(client)
    lines = "".join(f"Client {i},{'wrong' if i % 2 else 'a@example.com'}\n" for i in range(120))
    page = press(upload(owner, b"name,email,abn\n" + lines.encode() + b"Total,,12345678901\n"), "start")
    finish_imports(app)
    page = owner.get(page.request.path)
    table = cells_of(page, "faults in")
    assert len(table) == 51 and table[0] == ["Row", "Email", "Leave out"] and table[1][0] == "Row 2 Client 1"
    assert "Nothing is imported yet" in page.text and client.get("/v1/contacts")["data"] == []
    page = press(page, "save", **{f"cell-{i}-email": f"c{i}@example.com" for i in range(2, 101, 2)})
    assert "The corrections are saved" in page.text and len(cells_of(page, "faults in")) == 12
    page = press(page, "mend", **{f"cell-{i}-email": "" for i in range(102, 121, 2)}, **{"cell-121-abn": "1"})
    finish_imports(app)
    page = owner.get(page.request.path)
    assert [row[0] for row in cells_of(page, "1 fault in")[1:]] == ["Row 121 Total"]
    page = press(page, "mend", **{"out-121": "yes"})
    finish_imports(app)
    assert "All 120 rows were imported" in owner.get(page.request.path).text
    assert client.get("/v1/contacts?search=c2@example.com")["pagination"]["total"] == 1


def test_a_file_is_only_checked_and_then_cancelled(app, client):
    owner = Browser(app).join(client)
    page = press(upload(owner, b"name\nAda\n"), "check")
    finish_imports(app)
    page = owner.get(page.request.path)
    assert "Nothing is wrong with the file" in page.text and client.get("/v1/contacts")["data"] == []
    page = press(page, "cancel")
    assert "Nothing was imported" in page.text and client.get("/v1/imports")["data"][0]["status"] == "failed"


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
