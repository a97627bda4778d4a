"""Drafts: the columns of other programs' files are guessed and chosen, faults are corrected, and nothing is lost."""

import pytest

from billycan import demo
from billycan.testing import Client, run_timed
from billycan_imports import drafts, handlers, working
from billycan_imports.testing import finish_imports

pytestmark = pytest.mark.either

PATH = "/v1/imports"
XERO = (
    "*ContactName,AccountNumber,EmailAddress,FirstName,LastName,POAddressLine1,POAddressLine2,POCity,PORegion,"
    "POPostalCode,POCountry,PhoneNumber,MobileNumber,TaxNumber\n"
)


@pytest.fixture
def app(make_app):
    return make_app("contacts", "documents", "expenses", "hosted", "imports", "invoices", "items")


@pytest.fixture
def client(app):
    return Client(app)


def upload(client, text, resource="contacts", query="&draft=true", status=202):
    raw = text if isinstance(text, bytes) else text.encode()
    answer = client.call("POST", f"{PATH}?resource={resource}{query}", raw=raw, status=status).json
    return answer["data"] if status == 202 else answer["error"]


def act(client, draft, action, body=None, status=200):
    answer = client.call("POST", f"{PATH}/{draft['id']}/{action}", body or {}, status=status).json
    return answer["data"] if status == 200 else answer["error"]


def started(client, draft, **body):
    act(client, draft, "start", body)
    finish_imports(client.app)
    return client.get(f"{PATH}/{draft['id']}")["data"]


def rows(client, draft, query=""):
    return client.get(f"{PATH}/{draft['id']}/rows{query}")["data"]


def test_a_file_of_xero_is_recognized_mended_and_imported(client):
    text = XERO + (
        "Derwent Bakery,C1,ada@example.com,Ada,Lovelace,PO Box 1,Level 2,Hobart,Tasmania,800,Australia,,0491 570 156,\n"
        "Hale & Co,C2,not an email,,,1 Main St,,Perth,WA,6000,,08 9876 5432,,51 824 753 556\n"
        "Total,,,,,,,,,,,,,\n"
    )
    draft = upload(client, text)
    assert (draft["status"], draft["preset"], draft["rows"]) == ("draft", "Xero contacts", 3)
    assert draft["allowed_actions"] == ["map", "correct", "start", "cancel"] and draft["columns"][0] == "*ContactName"
    assert draft["mapping"]["columns"]["FirstName"] == "people.name"
    first = rows(client, draft)[0]
    assert first["cells"]["PORegion"] == "Tasmania" and first["members"] == {
        "name": "Derwent Bakery",
        "external_id": "C1",
        "email": "ada@example.com",
        "people.name": "Ada Lovelace",
        "billing_address.line1": "PO Box 1",
        "billing_address.line2": "Level 2",
        "billing_address.suburb": "Hobart",
        "billing_address.state": "TAS",
        "billing_address.postcode": "0800",
        "billing_address.country": "AU",
        "phone": "0491 570 156",
    }
    again = started(client, draft)
    assert (again["status"], again["fault_count"], again["rows_imported"]) == ("draft", 1, 0)
    (faulty,) = rows(client, draft, "?faulty=true")
    assert (faulty["row"], [fault["column"] for fault in faulty["faults"]]) == (2, ["email"])
    assert client.get("/v1/contacts")["data"] == [] and client.events() == []
    corrections = [{"row": 2, "members": {"email": "hale@example.com"}}, {"row": 3, "leave_out": True}]
    assert act(client, draft, "correct", {"rows": corrections})["corrected_rows"] == 2
    assert [row["left_out"] for row in rows(client, draft)] == [False, False, True]
    done = started(client, draft)
    assert (done["status"], done["rows_imported"], done["allowed_actions"]) == ("done", 2, [])
    made = client.get("/v1/contacts?sort=name")["data"]
    assert [(each["name"], each["email"], each["abn"]) for each in made] == [
        ("Derwent Bakery", "ada@example.com", None),
        ("Hale & Co", "hale@example.com", "51824753556"),
    ]
    assert rows(client, draft) == []
    act(client, draft, "cancel", status=409)


def test_columns_are_guessed_chosen_and_remembered(client):
    text = "Client\u2019s Ref,First Name,Last Name,E-Mail,Mobile,Suburb,Shade\nHale & Co,Ada,Love,a@b.com,,Hobart,red\n"
    draft = upload(client, text)
    assert draft["preset"] is None and draft["mapping"]["columns"] == {
        "First Name": "name",
        "Last Name": "name",
        "E-Mail": "email",
        "Mobile": "phone",
        "Suburb": "billing_address.suburb",
    }
    chosen = {
        "columns": {"Client\u2019s Ref": "name", "Shade": "notes"},
        "fixed": {"roles": "Customer"},
        "dates": "mdy",
    }
    assert act(client, draft, "map", chosen)["mapping"] == {**chosen, "once": None}
    assert rows(client, draft)[0]["members"] == {"name": "Hale & Co", "notes": "red", "roles": "Customer"}
    wrong = act(client, draft, "map", {"columns": {"Nope": "name", "Shade": "colour"}}, status=422)
    assert [fault["param"] for fault in wrong["details"]] == ["columns.Nope", "columns.Shade"]
    act(client, draft, "map", {**chosen, "columns": {"Shade": "notes"}})
    missing = act(client, draft, "start", status=422)
    assert [(fault["param"], fault["code"]) for fault in missing["details"]] == [("columns.name", "required")]
    act(client, draft, "map", chosen | {"fixed": {"roles": "client"}})
    assert started(client, draft)["status"] == "done"
    assert upload(client, text)["mapping"]["columns"] == chosen["columns"]
    assert upload(Client(client.app), text)["mapping"]["columns"] != chosen["columns"]  # another business


def test_the_lines_of_an_invoice_are_joined_and_dates_are_read_in_their_form(client):
    client.post("/v1/contacts", {"name": "Hale & Co"})
    head = "*ContactName,*InvoiceNumber,*InvoiceDate,*DueDate,Description,*Quantity,*UnitAmount,*TaxType\n"
    text = head + (
        'Hale & Co,X-1,03/04/2026,31/05/2026,Labour,2,"1,000.00",GST on Income\n'
        "Hale & Co,X-1,03/04/2026,31/05/2026,Bread,1,$10.00,GST Free Income\n"
        "Hale & Co,X-2,4 May 2026,2026-06-01,Parts,1,5,GST on Income\n"
    )
    draft = upload(client, text, "invoices")
    assert (draft["preset"], draft["mapping"]["dates"], draft["rows"]) == ("Xero invoices", "dmy", 3)
    done = started(client, draft)
    assert (done["status"], done["rows"], done["rows_imported"], done["faults"]) == ("done", 2, 2, [])
    found = client.get("/v1/invoices?sort=number&include=line_items")["data"]
    assert [(each["number"], each["issue_date"], len(each["line_items"])) for each in found] == [
        ("X-1", "2026-04-03", 2),
        ("X-2", "2026-05-04", 1),
    ]
    assert found[0]["line_items"][1]["gst_code"] == "gst_free"


def test_a_fault_of_a_part_is_at_its_cell(client):
    head = "Client,Invoice No,Date,Line items description,Line items unit price,Line items GST code\n"
    draft = upload(
        client, f"{head}Hale & Co,N-1,13/01/2026,Labour,5,VAT\nHale & Co,N-2,13/01/2026,Parts,5,FRE\n", "invoices"
    )
    started(client, draft)
    found = [(row["row"], [fault["column"] for fault in row["faults"]]) for row in rows(client, draft, "?faulty=true")]
    assert found == [(1, ["line_items.gst_code"]), (2, ["client.name"])]
    client.post("/v1/contacts", {"name": "Hale & Co"})
    act(client, draft, "correct", {"rows": [{"row": 1, "members": {"line_items.gst_code": "gst"}}]})
    assert started(client, draft)["rows_imported"] == 2


def test_myob_s_header_is_read_as_myob_means_it(client):
    text = (
        "{}\nCo./Last Name\tFirst Name\tCard ID\tAddr 1 - Line 1\t    - City\t    - Email\tAddr 2 - Line 1"
        "\t    - City\nLovelace\tAda\t*None\tPO Box 1\tHobart\tada@example.com\t1 Main St\tPerth\n"
    )
    draft = upload(client, text)
    assert draft["preset"] == "MYOB contacts" and "Addr 2 - City" in draft["columns"]
    assert started(client, draft)["status"] == "done"
    (made,) = client.get("/v1/contacts")["data"]
    assert (made["name"], made["external_id"], made["email"]) == ("Ada Lovelace", None, "ada@example.com")
    assert (made["billing_address"]["suburb"], made["site_address"]["suburb"]) == ("Hobart", "Perth")


def test_a_bill_of_several_lines_is_one_expense(client):
    category = client.get("/v1/expense_categories?per_page=1")["data"][0]["id"]
    text = (
        "*ContactName,*InvoiceNumber,*InvoiceDate,*DueDate,Total,Description\n"
        "Bexley,B-1,13/09/2026,20/09/2026,110.00,Resin\nBexley,B-1,13/09/2026,20/09/2026,110.00,Freight\n"
        "Calder,B-2,14/09/2026,20/09/2026,55.00,Fuel\n"
    )
    draft = upload(client, text, "expenses")
    assert (draft["preset"], draft["mapping"]["once"]) == ("Xero bills", "*InvoiceNumber")
    act(client, draft, "map", {**draft["mapping"], "fixed": {"category_id": category}})
    assert started(client, draft)["rows_imported"] == 2
    assert sorted(float(each["amount"]) for each in client.get("/v1/expenses")["data"]) == [55.0, 110.0]


def test_an_upload_may_bring_its_mapping(client):
    text = "Client,Mail,Since\nHale & Co,hale@example.com,x\n"
    sent = upload(client, text, query='&mapping={"columns":{"Client":"name","Mail":"email"}}')
    assert sent["status"] == "queued" and sent["columns"] == ["Client", "Mail", "Since"]
    finish_imports(client.app)
    upload(client, XERO + "Ada,,,,,,,,,,,,,\n", query="&mapping=auto")
    finish_imports(client.app)
    assert [each["name"] for each in client.get("/v1/contacts?sort=name")["data"]] == ["Ada", "Hale & Co"]
    for mapping in ("{}", '{"columns":{"Client":"nope"}}', '{"columns":{"Nope":"name"}}', "xero"):
        refused = upload(client, text, query=f"&mapping={mapping}", status=400)
        assert (refused["code"], refused["param"]) == ("invalid_parameter", "mapping")


def test_a_check_leaves_the_draft_and_faults_come_a_hundred_at_a_time(client):
    lines = "".join(f"Client {i},{'x' if i % 2 else 'a@example.com'}\n" for i in range(240))
    draft = upload(client, "name,email\n" + lines)
    checked = started(client, draft, dry_run=True)
    assert (checked["status"], checked["fault_count"], checked["rows_checked"]) == ("draft", 120, 240)
    page = rows(client, draft, "?faulty=true")
    assert len(page) == 50 and page[0]["row"] == 2
    assert rows(client, draft, f"?faulty=true&after={page[-1]['row']}")[0]["row"] == 102
    act(client, draft, "map", {"columns": {"name": "name"}})
    checked = started(client, draft, dry_run=True)
    assert (checked["status"], checked["fault_count"], checked["rows_imported"]) == ("draft", 0, 0)
    assert client.get("/v1/contacts")["data"] == []
    assert started(client, draft)["rows_imported"] == 240


def test_rows_are_arranged_in_steps(client, monkeypatch):
    client.post("/v1/contacts", {"name": "Hale & Co"})
    monkeypatch.setattr(working, "STEP_SECONDS", 0)
    monkeypatch.setattr(handlers, "ROWS_OF_SOURCE", 7)
    head = "Client,Invoice No,Date,Line items description,Line items unit price\n"
    lines = "".join(f"Hale & Co,N-{i // 3},13/01/2026,Line {i},1\n" for i in range(75))
    draft = upload(client, head + lines, "invoices")
    done = started(client, draft)
    assert (done["status"], done["rows"], done["faults"]) == ("done", 25, [])
    found = client.get("/v1/invoices?per_page=100&include=line_items")["data"]
    assert {len(each["line_items"]) for each in found} == {3}


def test_drafts_are_bounded_and_end(app, client, monkeypatch):
    monkeypatch.setattr(handlers, "MOST_WAITING", 2)
    drafts_made = [upload(client, "name\nAda\n") for _ in range(2)]
    assert upload(client, "name\nAda\n", status=409)["code"] == "too_many_imports"
    upload(client, "name\nAda\n", query="")  # an import is no draft
    cancelled = act(client, drafts_made[0], "cancel")
    assert (cancelled["status"], cancelled["faults"][0]["code"]) == ("failed", "cancelled")
    monkeypatch.setattr(drafts, "MOST_CORRECTED", 1)
    both = {"rows": [{"row": 1, "leave_out": True}, {"row": 2, "leave_out": True}]}
    assert act(client, drafts_made[1], "correct", both, status=409)["code"] == "too_many_corrections"
    monkeypatch.setattr(drafts, "DRAFT_KEPT", drafts.DRAFT_KEPT * 0)
    run_timed(app)
    assert client.get(f"{PATH}/{drafts_made[1]['id']}")["data"]["status"] == "failed"


@pytest.mark.parametrize("scopes", [("imports:read", "imports:write"), ("imports:read", "contacts:write")])
def test_a_key_that_cannot_import_the_rows_does_nothing_with_a_draft(client, scopes):
    draft = upload(client, "name\nAda\n")
    other = client.key(*scopes)
    for action, body in (("map", {"columns": {}}), ("correct", {"rows": [{"row": 1}]}), ("start", {}), ("cancel", {})):
        assert act(other, draft, action, body, status=403)["code"] == "insufficient_scope"
    other.call("GET", f"{PATH}/{draft['id']}/rows", status=403)
    assert client.get(f"{PATH}/{draft['id']}")["data"]["status"] == "draft"


def test_the_demo_leaves_one_draft_to_mend_and_one_to_look_at(app):
    client = Client(app, demo.first(app).sandbox)
    before = client.get("/v1/contacts")["pagination"]["total"]
    faulty, fresh = client.get(PATH)["data"]
    assert [fault["row"] for fault in faulty["faults"]] == [1, 3, 4] and fresh["rows_checked"] == 0
    assert {column for row in rows(client, faulty, "?faulty=true") for column in row["cells"]} == {*faulty["columns"]}
    mended = {1: {"email": "farm@example.com"}, 3: {"abn": "51824753556"}, 4: {"name": "Rosella Frond"}}
    corrections = [{"row": row, "members": members} for row, members in mended.items()]
    act(client, faulty, "correct", {"rows": corrections})
    assert [started(client, draft)["status"] for draft in (faulty, fresh)] == ["done", "done"]
    assert client.get("/v1/contacts")["pagination"]["total"] == before + 7
    assert client.get("/v1/contacts?search=tamar")["data"][0]["roles"] == ["supplier"]


def test_without_contacts_the_demo_leaves_no_draft(make_app):
    app = make_app("imports", "items")
    assert Client(app, demo.first(app).sandbox).get(PATH)["data"] == []
