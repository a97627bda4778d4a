"""CSV files become records: all of their rows or none, each as its POST would make it, and nothing twice."""

from threading import Barrier, Event, Thread

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from billycan.csv import rehearsing
from billycan.csv.importing import Importer
from billycan.db import Database
from billycan.keys import keys
from billycan.testing import Client, Clock, holding, run_timed
from billycan_contacts.resource import contacts
from billycan_imports import handlers, working
from billycan_imports.schemas import ImportFault
from billycan_imports.testing import finish_imports
from billycan_imports.working import Rounds
from billycan_webhooks import chores
from billycan_webhooks import deliveries as hinting
from billycan_webhooks.leases import Desk
from billycan_webhooks.tables import deliveries

pytestmark = pytest.mark.either

PATH = "/v1/imports"


@pytest.fixture
def app(make_app):
    return make_app("contacts", "expenses", "imports", "items", "webhooks")


@pytest.fixture
def client(app):
    return Client(app)


def upload(client, content, resource="contacts", query="", status=202, key=None):
    raw = content if isinstance(content, bytes) else content.encode()
    path = f"{PATH}?resource={resource}{query}"
    headers = {"Content-Type": "text/csv"} | ({"Idempotency-Key": key} if key else {})
    answer = client.call("POST", path, raw=raw, status=status, headers=headers)
    return answer.json["data"] if status == 202 else answer.json["error"]


def finished(client, content, resource="contacts", query=""):
    """The import of a file, once the worker has done what there is to do."""
    id = upload(client, content, resource, query)["id"]
    finish_imports(client.app)
    return client.get(f"{PATH}/{id}")["data"]


def faults(found):
    return [(each["row"], each["column"], each["code"]) for each in found["faults"]]


def names(client, resource="contacts"):
    return [each["name"] for each in client.get(f"/v1/{resource}?sort=created_at&per_page=100")["data"]]


def test_rows_become_records_as_their_post_makes_them(client):
    text = (
        "name,email,gst_registered,payment_terms_days,tags,billing_address.suburb,billing_address.state,metadata\r\n"
        'Ada,ada@example.com,TRUE,14,"wholesale, north",Hobart,TAS,"{""route"": ""a""}"\r\n'
        "\r\n"
        "'=Grace,,,,,,,\r\n"
    )
    found = finished(client, text)
    assert (found["status"], found["rows"], found["rows_checked"], found["rows_imported"]) == ("done", 2, 2, 2)
    ada, grace = client.get("/v1/contacts?sort=name")["data"][::-1]
    assert ada["name"] == "Ada" and grace["name"] == "=Grace"
    assert (ada["gst_registered"], ada["payment_terms_days"], ada["tags"]) == (True, 14, ["wholesale", "north"])
    assert (ada["billing_address"]["suburb"], ada["metadata"]) == ("Hobart", {"route": "a"})
    assert grace["billing_address"] is None and grace["email"] is None
    assert client.events() == ["contact.created", "contact.created", "import.finished"]


def test_all_rows_or_none_and_each_fault_is_told(client):
    found = finished(client, "name,abn,billing_address.state\nAda,,\n,12345678901,\nEve,,Texas\n")
    assert found["status"] == "failed" and found["rows_imported"] == 0 and found["fault_count"] == 3
    assert faults(found) == [
        (2, "name", "required"),
        (2, "abn", "invalid_abn"),
        (3, "billing_address.state", "invalid_value"),
    ]
    assert names(client) == [] and client.events() == ["import.failed"]


def test_a_dry_run_makes_nothing(client):
    found = finished(client, "name\nAda\n", query="&dry_run=true")
    assert (found["status"], found["dry_run"], found["rows_checked"], found["rows_imported"]) == ("done", True, 1, 0)
    assert names(client) == [] and client.events() == ["import.finished"]


def test_the_header_is_checked_first(client):
    found = upload(client, "nmae,email,email,id\nAda,,,\n")
    assert found["status"] == "failed" and found["ignored_columns"] == ["id"]
    assert faults(found) == [(0, "nmae", "unknown_field"), (0, "email", "invalid_value"), (0, "name", "required")]
    assert "abn, billing_address.country" in found["faults"][0]["message"]
    found = upload(client, "Name,name,ABN\nAda,,\n")
    assert faults(found) == [(0, "name", "invalid_value")]


def test_a_header_and_amounts_are_read_as_spreadsheets_have_them(client):
    header = "Name,External ID,E-mail,Billing Address Suburb,billing_address.State"
    found = finished(client, f"{header}\nAda,a-1,ada@example.com,Moonah,TAS\n")
    assert (found["status"], found["rows_imported"]) == ("done", 1)
    (made,) = client.get("/v1/contacts")["data"]
    assert (made["external_id"], made["email"], made["billing_address"]["suburb"]) == (
        "a-1",
        "ada@example.com",
        "Moonah",
    )


@pytest.mark.parametrize(
    ("content", "query"),
    [
        ("name;phone\nZoë;+61 491 570 156\n".encode("utf-8-sig"), ""),
        ("name\tphone\nZoë\t+61 491 570 156\n".encode("utf-16"), ""),
        ("name,phone\r\nZoë,+61 491 570 156\r\n".encode("cp1252"), "&charset=windows-1252"),
    ],
    ids=["Excel's UTF-8", "Excel's Unicode text", "Windows-1252"],
)
@pytest.mark.sqlite_alone
def test_files_as_spreadsheets_write_them(client, content, query):
    assert finished(client, content, query=query)["status"] == "done"
    (found,) = client.get("/v1/contacts")["data"]
    assert (found["name"], found["phone"]) == ("Zoë", "+61 491 570 156")


UNREADABLE = {
    "nothing": (b"", "first line must name the columns"),
    "empty lines": (b"\r\n\r\n", "first line must name the columns"),
    "a mark alone": (b"\xef\xbb\xbf", "first line must name the columns"),
    "Windows-1252 that nobody said": ("name\nZoë\n".encode("cp1252"), "not text in UTF-8"),
    "half of UTF-16": (b"\xff\xfea", "not text in UTF-16"),
    "UTF-16 without a mark": ("name\nAda\n".encode("utf-16-le"), "control characters"),
    "UTF-32": ("name\nAda\n".encode("utf-32"), "control characters"),
    "NUL in a name": (b"na\0me\nAda\n", "control characters"),
    "an open quote": (b'name\n"Ada', "line 2"),
    "text after a quote": (b'name,email\n"Ada"x,\n', 'write ""'),
    "a cell of 1 MB": (b"name\n" + b"A" * 1_000_000, "more than 131,072 characters"),
    "a workbook": (b"PK\3\4\x14\0\6\0", "CSV UTF-8"),
    "201 columns": (b"name" + b"," * 200, "200 columns"),
    "a name of 201 characters": (b"name," + b"x" * 201, "more than 200 characters"),
    "a line of 2 MB": (b"name\n" + b"," * 2_000_000, "line 2 has more than 1,048,576 characters"),
    "a row of 2 MB in many lines": (b"name\n" + b'"\n",' * 500_000, "line 262,146 has more than 1,048,576 characters"),
    "a header of 2 MB in many lines": (b'"\n",' * 500_000, "line 262,145 has more than 1,048,576 characters"),
    "a row of 201 cells": (b"name\nAda\nBea" + b",x" * 200, "line 3 has more than 200 cells"),
}


@pytest.mark.sqlite_alone
@pytest.mark.parametrize("kind", UNREADABLE)
def test_what_is_no_csv_is_refused_in_words_that_help(client, kind):
    content, said = UNREADABLE[kind]
    error = upload(client, content, status=400)
    assert error["code"] == "malformed_csv" and said in error["message"]
    assert client.get(PATH)["data"] == []


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("name,notes\nA\0da,\n", [(1, "name", "invalid_value")]),
        ("name,tags,kind\nAda,a\0,com\0pany\n", [(1, "kind", "invalid_value"), (1, "tags[0]", "invalid_value")]),
        ("name,\nAda,\nBea,x\n", [(2, None, "unknown_field")]),
        ("name,email\nAda,,x\n", [(1, None, "too_long")]),
        ("name:email\nAda:a@example.com\n", [(0, "name:email", "unknown_field"), (0, "name", "required")]),
        ("name\r" + "A" * 201 + "\rBea\r", [(1, "name", "too_long")]),
        ("name,metadata\nAda,{\n", [(1, "metadata", "invalid_type")]),
        ('name,metadata\nAda,"{""a"": ""\\u0000""}"\n', [(1, "metadata.a", "invalid_value")]),
        ('name,people\nAda,"[{""name"": ""Bea"", ""\\u0000"": 1}]"\n', [(1, "people[0].\ufffd", "unknown_field")]),
    ],
    ids=[
        *("NUL", "NUL in choices", "a nameless column", "too many cells", "colons", "CR alone", "half an object"),
        *("NUL in an object", "NUL in the name of a member"),
    ],
)
@pytest.mark.each_case
def test_a_hostile_row_is_a_fault_that_says_where(client, content, expected):
    found = finished(client, content)
    assert found["status"] == "failed" and sorted(faults(found), key=str) == sorted(expected, key=str)
    assert names(client) == []


@pytest.mark.sqlite_alone
@pytest.mark.parametrize("delimiter", ",;\t|")
def test_formulas_are_text_whatever_separates_the_cells(client, delimiter):
    text = f'name{delimiter}notes\n\'=1+1{delimiter}"=HYPERLINK(""x"")"\n'
    assert finished(client, text)["status"] == "done"
    (found,) = client.get("/v1/contacts")["data"]
    assert (found["name"], found["notes"]) == ("=1+1", '=HYPERLINK("x")')


@pytest.mark.sqlite_alone
def test_a_file_with_too_many_rows_or_of_nothing_known_is_refused(client):
    assert upload(client, b"name\n" + b"A\n" * 20_001, status=400)["code"] == "too_many_rows"
    assert upload(client, b"name\nA\n", "import", status=400)["param"] == "resource"
    assert upload(client, b"x" * (10 * 1024 * 1024 + 1), status=413)["code"] == "payload_too_large"


def test_a_duplicate_in_the_file_or_among_what_exists_is_a_fault(client):
    client.post("/v1/items", {"name": "Pipe", "unit_price": "9.50", "sku": "p1"})
    found = finished(client, "name,unit_price,sku\nPipe,9.50,p1\nBend,3,b1\nTee,4,b1\n", "items")
    assert found["status"] == "failed" and [row for row, *_ in faults(found)] == [1, 3]
    assert names(client, "items") == ["Pipe"]


def test_an_unpaid_expense_comes_back_unpaid(app, client):
    category = client.get("/v1/expense_categories")["data"][0]["id"]
    client.post("/v1/expenses", {"date": "2026-11-01", "amount": "110.00", "category_id": category, "paid_on": None})
    client.post("/v1/expenses", {"date": "2026-11-02", "amount": "-9.90", "category_id": category})
    text = client.call("GET", "/v1/expenses?sort=date", headers={"Accept": "text/csv"}).body
    found = finished(client, text, "expenses")
    assert found["status"] == "done", found["faults"]
    assert {"id", "status", "gst_breakdown.net", "created_at"} <= set(found["ignored_columns"])
    paid = [(e["amount"], e["paid_on"]) for e in client.get("/v1/expenses?sort=date,created_at")["data"]]
    assert [str(each) for each in paid[::2]] == [str(each) for each in paid[1::2]]
    assert [on for _, on in paid] == [None, None, "2026-11-02", "2026-11-02"]


HOSTILE = st.one_of(
    st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1, max_size=20),
    st.sampled_from(
        ["=1+1", "'=1", "''+x", "-", "@a", "+61 491 570 156", "-5", "null", "true", "[a]", "{}", 'a"b,c;d\te']
    ),
)


@given(st.lists(st.tuples(HOSTILE, HOSTILE, st.lists(HOSTILE, max_size=3)), min_size=1, max_size=5))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_was_exported_is_imported_as_it_was(app, rows):
    before, after = Client(app), Client(app)
    for name, notes, tags in rows:
        before.call("POST", "/v1/contacts", {"name": name, "notes": notes, "tags": tags})
    text = before.call("GET", "/v1/contacts?sort=created_at", headers={"Accept": "text/csv"}, status=200).body
    found = finished(after, text)
    assert found["status"] == "done", found["faults"]
    members = ("name", "notes", "tags", "phone", "people", "roles")

    def of(client):
        return sorted(
            [[each[m] or None for m in members] for each in client.get("/v1/contacts?per_page=100")["data"]], key=repr
        )

    assert of(after) == of(before)


def test_an_import_that_dies_before_its_commit_starts_again_and_makes_nothing_twice(app, client, monkeypatch):
    id = upload(client, "name\nAda\nBea\n")["id"]
    finish_imports(app, rounds=2)
    assert client.get(f"{PATH}/{id}")["data"]["status"] == "writing"

    def dies(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(working, "finish_import", dies)
        with pytest.raises(KeyboardInterrupt):
            finish_imports(app)
    assert names(client) == [] and client.get(f"{PATH}/{id}")["data"]["status"] == "writing"
    finish_imports(app)
    assert names(client) == ["Ada", "Bea"] and client.get(f"{PATH}/{id}")["data"]["status"] == "done"


@pytest.mark.both
def test_two_workers_make_nothing_twice(app, client):
    id = upload(client, "name\nAda\nBea\n")["id"]
    barrier, errors = Barrier(2), []

    def work():
        try:
            barrier.wait()
            for _ in range(4):
                working.take_step(app, client.tenant_id, id)
        except Exception as error:  # noqa: BLE001 - whatever it is, the test is to see it
            errors.append(error)

    threads = [Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    finish_imports(app)  # steps are skipped while another worker has the import
    assert names(client) == ["Ada", "Bea"]
    assert client.events() == ["contact.created", "contact.created", "import.finished"]


ITEMS = "name,unit_price,sku,external_id\n" + "".join(f"Item {n},1,s{n},e{n}\n" for n in range(1, 26))


@pytest.mark.parametrize("taken", [{"sku": "s24"}, {"external_id": "e24"}])
def test_what_is_taken_after_the_check_is_a_fault_of_its_row(app, client, taken):
    id = upload(client, ITEMS, "items")["id"]
    finish_imports(app, rounds=2)
    while client.get(f"{PATH}/{id}")["data"]["status"] != "writing":
        finish_imports(app, rounds=1)
    client.post("/v1/items", {"name": "Late", "unit_price": "1.00", **taken})
    finish_imports(app)
    found = client.get(f"{PATH}/{id}")["data"]
    assert (found["status"], found["rows_imported"]) == ("failed", 0)
    assert faults(found) == [(24, *taken, f"duplicate_{next(iter(taken))}")]
    assert names(client, "items") == ["Late"]


def test_what_is_deleted_after_the_check_is_a_fault_of_each_row_that_names_it(app, client):
    kept, gone = (client.post("/v1/expense_categories", {"name": name})["data"]["id"] for name in ("Kept", "Gone"))
    row = "2026-11-01,110.00,{}\n"
    text = "date,amount,category_id\n" + row.format(kept) * 12 + row.format(gone) * 2
    id = upload(client, text, "expenses")["id"]
    while client.get(f"{PATH}/{id}")["data"]["status"] != "writing":
        finish_imports(app, rounds=1)
    client.delete(f"/v1/expense_categories/{gone}")
    finish_imports(app)
    found = client.get(f"{PATH}/{id}")["data"]
    assert found["status"] == "failed"
    assert faults(found) == [(13, "category_id", "not_found"), (14, "category_id", "not_found")]
    assert client.get("/v1/expenses")["data"] == []


def test_other_changes_of_the_business_do_not_keep_an_import_from_its_end(app, client):
    id = upload(client, ITEMS, "items")["id"]
    for number in range(10):
        client.post("/v1/items", {"name": f"Beside {number}", "unit_price": "1.00", "sku": f"beside-{number}"})
        finish_imports(app, rounds=1)
    finish_imports(app)
    assert client.get(f"{PATH}/{id}")["data"]["status"] == "done"
    assert client.get("/v1/items")["pagination"]["total"] == 35


def test_a_conflict_that_no_look_explains_ends_the_import(app, client, monkeypatch):
    monkeypatch.setattr(working, "_read_whole", lambda ctx, row: working.Whole())
    text = "name,unit_price,sku\n" + "".join(f"Item,1,{sku}\n" for sku in ["a", *map(str, range(10)), "a"])
    found = finished(client, text, "items")
    assert found["status"] == "failed" and faults(found) == [(0, None, "conflict")]
    assert names(client, "items") == []


@pytest.mark.parametrize("query", ["", "&dry_run=true"])
def test_rows_that_repeat_earlier_ones_are_faults_however_far_apart(client, query):
    rows = ["a", *map(str, range(30)), "a", "b", "7", "a"]
    text = "name,unit_price,sku\n" + "".join(f"Item,1,{sku}\n" for sku in rows)
    found = finished(client, text, "items", query)
    assert found["status"] == "failed"
    assert faults(found) == [(row, "sku", "duplicate_sku") for row in (32, 34, 35)]
    assert names(client, "items") == []


def test_rows_that_all_repeat_the_first_are_counted(client):
    text = "name,unit_price,sku\n" + "Item,1,a\n" * 300
    found = finished(client, text, "items")
    assert (found["fault_count"], len(found["faults"])) == (299, 100)
    assert faults(found)[0] == (2, "sku", "duplicate_sku")


def test_more_than_a_hundred_faults_are_counted(client):
    found = finished(client, "name,email\n" + "Ada,x\n" * 1_200)
    assert (found["fault_count"], len(found["faults"]), found["rows_checked"]) == (1_200, 100, 1_200)


def test_ten_files_may_wait(app, client):
    first = upload(client, "name\n", key="one")
    for _ in range(9):
        upload(client, "name\n")
    for text in ("name\n", '"nobody reads this\n'):
        assert upload(client, text, status=409)["code"] == "too_many_imports"
    assert upload(client, "name\n", key="one") == first
    assert upload(client, "name\nAda\n", status=422, key="one")["code"] == "idempotency_key_reused"
    upload(Client(app), "name\n")
    finish_imports(app)
    assert finished(client, "name\nAda\n")["status"] == "done"


def test_the_rows_that_may_wait_are_bounded(app, client, monkeypatch):
    monkeypatch.setattr(handlers, "MOST_ROWS_WAITING", 5)
    upload(client, "name\nAda\nBea\nCal\n")
    error = upload(client, "name\nAda\nBea\nCal\n", status=409)
    assert error["code"] == "too_many_imports" and "5 rows in all" in error["message"]
    upload(client, "name\nAda\nBea\n")
    upload(Client(app), "name\nAda\nBea\nCal\n")
    finish_imports(app)
    assert finished(client, "name\nAda\n")["status"] == "done"


@pytest.mark.both
def test_of_two_files_at_once_the_eleventh_is_refused(app, client, engine, monkeypatch):
    if engine == "sqlite":
        pytest.skip("SQLite has one writer")
    for _ in range(9):
        upload(client, "name\n")
    barrier, answers = Barrier(2), []

    def together(*given):
        barrier.wait()  # each has begun its transaction
        return Importer(*given)

    monkeypatch.setattr(handlers, "Importer", together)

    def send(sender):
        sender.call("POST", f"{PATH}?resource=contacts", raw=b"name\n", headers={"Content-Type": "text/csv"})
        answers.append(sender.last.status_int)

    threads = [Thread(target=send, args=[sender]) for sender in (client, client.key())]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [202, 409]


def test_records_are_of_the_moment_at_which_their_import_ended_and_are_counted(app, client):
    client.post("/v1/contacts", {"name": "Before"})
    app.clock.move(seconds=90)
    at = finished(client, "name\nAda\nBea\n")["finished_at"]
    app.clock.move(seconds=90)
    client.post("/v1/contacts", {"name": "After"})
    found = client.get(f"/v1/contacts?created_at_from={at}&created_at_to={at}&sort=name")
    assert [each["name"] for each in found["data"]] == ["Ada", "Bea"]
    assert client.get("/v1/contacts")["pagination"]["total"] == 4


def test_others_write_while_rows_are_made(app, client, engine, monkeypatch):
    """On PostgreSQL: neither numbers nor counters are taken before the end."""
    if engine == "sqlite":
        pytest.skip("SQLite has one writer at a time")
    id = upload(client, "name\nAda\nBea\n")["id"]
    make, wrote = Importer.make, []

    def write_beside(importer, ctx, *given):
        faults = make(importer, ctx, *given)
        if ctx.tenant_id == client.tenant_id:  # other tests leave imports that the worker finishes here
            wrote.append(client.post("/v1/contacts", {"name": f"Beside {len(wrote)}"})["data"]["id"])
        return faults

    monkeypatch.setattr(Importer, "make", write_beside)
    finish_imports(app)
    assert client.get(f"{PATH}/{id}")["data"]["status"] == "done" and len(wrote) == 2
    assert client.get("/v1/contacts")["pagination"]["total"] == 4
    assert len(client.events()) == 5


@pytest.mark.parametrize("error", [RuntimeError("a secret"), sa.exc.DataError("a secret", {}, Exception())])
def test_an_error_of_ours_in_a_row_is_told_and_ends_the_import(app, client, monkeypatch, caplog, error):
    real = contacts.records.insert

    def breaks(ctx, *given, **values):
        if values.get("name") == "Bea":
            raise error
        return real(ctx, *given, **values)

    monkeypatch.setattr(contacts.records, "insert", breaks)
    found = finished(client, "name\nAda\nBea\n")
    assert found["status"] == "failed" and faults(found) == [(2, None, "internal_error")]
    assert "secret" not in str(found["faults"]) and "a row cannot be imported" in caplog.text


def test_a_key_needs_both_scopes_and_sees_its_own_business(app, client):
    for scopes in (("imports:write",), ("contacts:write",), ("imports:write", "contacts:read")):
        assert upload(client.key(*scopes), "name\nA\n", status=403)["code"] == "insufficient_scope"
    id = upload(client.key("imports:write", "contacts:write"), "name\nA\n")["id"]
    Client(app).refused(404, "resource_not_found", "GET", f"{PATH}/{id}")
    assert upload(client, "name\nA\n", "webhook_endpoints", status=400)["code"] == "invalid_parameter"


def test_a_file_that_cannot_be_read_opens_no_transaction(client, monkeypatch):
    opened, real = [], Database.writing

    def writing(database, *given, **more):
        opened.append(given)
        return real(database, *given, **more)

    monkeypatch.setattr(Database, "writing", writing)
    content = b"name\n" + b"A" * 100 + b"\n" * 10_000 + b'"Ada'
    assert upload(client, content, status=400)["code"] == "malformed_csv"
    assert opened == []
    upload(client, "name\n")
    assert len(opened) == 1


def test_a_step_takes_a_few_rows_and_the_last_one_few_statements(app, client, monkeypatch):
    monkeypatch.setattr(working, "STEP_SECONDS", 0)
    rows = 200
    id = upload(client, "name,external_id\n" + "".join(f"Client {n},e{n}\n" for n in range(rows)))["id"]
    rounds = Rounds(app)
    rounds.go()
    checked = []
    for _ in range(rows // handlers.ROWS_OF_CHUNK):
        rounds.go()
        checked.append(client.get(f"{PATH}/{id}")["data"]["rows_checked"])
        assert names(client) == []
    assert checked == [*range(handlers.ROWS_OF_CHUNK, rows + 1, handlers.ROWS_OF_CHUNK)]
    assert client.get(f"{PATH}/{id}")["data"]["status"] == "writing"
    sent = []
    sa.event.listen(app.db.writer, "before_cursor_execute", lambda *given: sent.append(given[2]))
    rounds.go()
    assert client.get(f"{PATH}/{id}")["data"]["status"] == "done"
    assert client.get("/v1/contacts")["pagination"]["total"] == rows
    assert 0 < len([text for text in sent if text.startswith("INSERT")]) < 20


def test_businesses_take_turns_a_step_each(app, client, monkeypatch):
    finish_imports(app)  # what other tests left
    monkeypatch.setattr(working, "STEP_SECONDS", 0)
    noisy, rows = Client(app), "name\n" + "Ada\n" * 35
    for _ in range(4):
        upload(noisy, rows)
    id = upload(client, rows)["id"]
    took, step = [], working.take_step

    def noted(app, tenant_id, id):
        took.append(tenant_id)
        step(app, tenant_id, id)

    monkeypatch.setattr(working, "take_step", noted)
    rounds = Rounds(app)
    for _ in range(6):
        rounds.go()
    assert client.get(f"{PATH}/{id}")["data"]["status"] == "done"
    assert took.count(client.tenant_id) == 6  # to prepare it, its four chunks, and the end
    assert abs(took.count(noisy.tenant_id) - 6) <= 1
    assert len([*noisy.get(f"{PATH}?status=queued")["data"]]) >= 2
    finish_imports(app)


def test_a_step_that_fails_is_put_off_and_holds_up_nobody(app, client, monkeypatch, caplog):
    finish_imports(app)
    bad, good = upload(client, "name\nAda\n")["id"], upload(client, "name\nBea\n")["id"]
    step = working.take_step

    def fails(app, tenant_id, id):
        if id == bad:
            raise RuntimeError("no luck")
        step(app, tenant_id, id)

    with monkeypatch.context() as patched:
        patched.setattr(working, "take_step", fails)
        rounds = Rounds(app)
        for _ in range(6):
            rounds.go()
        assert not rounds.go()
    assert client.get(f"{PATH}/{good}")["data"]["status"] == "done" and "no luck" in caplog.text
    with app.db.reading(across="a gauge looks at all") as db:
        assert working.longest_wait(db, app.now())[""] >= 0
    app.clock.move(seconds=61)
    for _ in range(4):
        rounds.go()
    assert client.get(f"{PATH}/{bad}")["data"]["status"] == "done"


@pytest.mark.both
def test_an_import_whose_step_keeps_failing_ends_and_says_so(app, client, monkeypatch):
    finish_imports(app)
    id = upload(client, "name\nAda\n")["id"]

    def fails(ctx, row):
        raise error

    monkeypatch.setattr(working, "_prepare_import", fails)
    rounds = Rounds(app)
    error: Exception = sa.exc.OperationalError("", {}, RuntimeError("the database is away"))
    for _ in range(working.MOST_RECHECKS + 2):  # what the database refuses may work later: that is not counted
        rounds.go()
        app.clock.move(seconds=61)
    assert client.get(f"{PATH}/{id}")["data"]["status"] == "queued"
    error = RuntimeError("no luck")
    for _ in range(working.MOST_RECHECKS + 1):
        rounds.go()
        app.clock.move(seconds=61)
    ended = client.get(f"{PATH}/{id}")["data"]
    (fault,) = ended["faults"]
    assert ended["status"] == "failed" and (fault["row"], fault["code"]) == (0, "internal_error")
    assert id in fault["message"] and names(client) == [] and not rounds.go()


@pytest.mark.both
def test_a_worker_works_on_imports_beside_its_timed_tasks(app, client):
    id = upload(client, "name\nAda\n")["id"]
    stop = Event()
    (run,) = app.manifests["imports"].workers
    thread = Thread(target=run, args=(app, stop))
    thread.start()
    try:
        for _ in range(2_000):
            if client.get(f"{PATH}/{id}")["data"]["status"] == "done":
                break
    finally:
        stop.set()
        thread.join()
    assert names(client) == ["Ada"]


def test_every_record_is_delivered_and_the_sender_is_told_at_once(app, client, monkeypatch):
    """However many endpoints there are, no transaction makes all deliveries: they are owed, and made in steps."""
    hints = []
    monkeypatch.setattr(hinting.nudger_of(app), "send_hints_soon", hints.extend)
    monkeypatch.setattr(holding, "MOST_ROWS", 3_000)
    monkeypatch.setattr(chores, "MOST_AT_ONCE", 100)
    new = [{"url": f"https://example.com/{i}", "events": ["contact.created"]} for i in range(20)]
    endpoints = {client.post("/v1/webhook_endpoints", each)["data"]["id"] for each in new}
    rare = client.post("/v1/webhook_endpoints", {"url": "https://example.com/", "events": ["import.*"]}, 409)
    assert rare["error"]["code"] == "too_many_endpoints"
    assert finished(client, "name\n" + "Ada\n" * 250)["status"] == "done"
    assert (client.tenant_id, hinting.CHORES) in hints and made(client) == {}
    desk, steps = Desk(app), 0
    assert (client.tenant_id, hinting.CHORES) in desk.due(), "a sweep finds what lost its hint"
    while (due := desk.go_on(client.tenant_id)) is not None:
        steps += 1
        assert len(due) == 1 and sum(made(client).values()) <= steps * 100
    assert made(client) == dict.fromkeys(endpoints, 250) and steps == 20 * 3


def test_what_an_endpoint_is_owed_follows_the_endpoint(app, client, monkeypatch):
    """Its events stay in the log; one that is disabled since has its deliveries held, one that is deleted none."""
    monkeypatch.setattr(chores, "MOST_AT_ONCE", 10)
    new = [{"url": f"https://example.com/{i}", "events": ["contact.*"]} for i in range(3)]
    going, disabled, deleted = (client.post("/v1/webhook_endpoints", each)["data"]["id"] for each in new)
    assert finished(client, "name\n" + "Ada\n" * 25)["status"] == "done"
    later = client.post("/v1/webhook_endpoints", {"url": "https://example.com/later", "events": ["*"]})["data"]["id"]
    desk = Desk(app)
    desk.go_on(client.tenant_id)
    client.patch(f"/v1/webhook_endpoints/{disabled}", {"enabled": False})
    client.delete(f"/v1/webhook_endpoints/{deleted}")
    # Whoever may not read contacts changes nothing of an endpoint to which contacts are on their way.
    client.patch(f"/v1/webhook_endpoints/{going}", {"events": ["import.*"]})
    small = client.key("webhooks:write", "imports:read")
    small.refused(403, "insufficient_scope", "PATCH", f"/v1/webhook_endpoints/{going}", {"url": "https://example.org"})
    app.clock.move(days=100)
    run_timed(app)
    assert client.get("/v1/events?event=contact.created")["pagination"]["total"] == 25
    while desk.go_on(client.tenant_id) is not None:
        pass
    assert made(client) == {going: 25, disabled: 25} and later not in made(client)
    held = client.get(f"/v1/webhook_deliveries?endpoint_id={disabled}&status=held")
    assert held["pagination"]["total"] == 25
    run_timed(app)
    kept = client.get("/v1/events?event=contact.created")["pagination"]["total"]
    assert kept == 25, "they are on their way still"


def made(client):
    """Count each endpoint's deliveries of contacts."""
    c = deliveries.c
    with client.app.db.reading(client.tenant_id) as db:
        those = sa.select(c.endpoint_id, sa.func.count()).where(c.tenant_id == client.tenant_id)
        found = db.execute(those.where(c.event == "contact.created").group_by(c.endpoint_id))
        return dict(map(tuple, found))


def test_rows_recorded_by_another_release_are_checked_again(app, client, monkeypatch):
    id = upload(client, "name\nAda\n")["id"]
    finish_imports(app, rounds=2)
    assert client.get(f"{PATH}/{id}")["data"]["status"] == "writing"
    monkeypatch.setattr(rehearsing, "edition", lambda app: "later")
    finish_imports(app, rounds=1)
    assert client.get(f"{PATH}/{id}")["data"]["status"] == "checking"
    finish_imports(app)
    assert client.get(f"{PATH}/{id}")["data"]["status"] == "done" and names(client) == ["Ada"]


def test_a_handler_that_changes_other_records_cannot_be_imported(client, monkeypatch, caplog):
    other, real = client.post("/v1/contacts", {"name": "Other"})["data"]["id"], contacts.records.insert

    def changes(ctx, *given, **values):
        row = contacts.records.lock(ctx, other)
        contacts.records.save(ctx, row, notes=f"{row.notes or ''}+")
        return real(ctx, *given, **values)

    monkeypatch.setattr(contacts.records, "insert", changes)
    found = finished(client, "name\nAda\n")
    assert found["status"] == "failed" and faults(found) == [(1, None, "internal_error")]
    assert "may only add rows" in caplog.text and names(client) == ["Other"]


def test_a_revoked_key_imports_nothing_more(app, client):
    sender = client.key("imports:write", "contacts:write")
    id = upload(sender, "name\nAda\n")["id"]
    finish_imports(app, rounds=2)
    with app.db.writing() as db:
        app.keys.revoke_many(db, client.tenant_id, [key_of(app, sender)], app.now(), "usr_1")
    # Before a worker comes to it, too.
    found = client.get(f"{PATH}/{id}")["data"]
    assert (found["status"], faults(found)) == ("failed", [(0, None, "revoked_api_key")])
    assert client.get(f"{PATH}?fields=status")["data"] == [{"id": id, "status": "failed"}]
    finish_imports(app)
    found = client.get(f"{PATH}/{id}")["data"]
    assert (found["status"], faults(found)) == ("failed", [(0, None, "revoked_api_key")])
    assert names(client) == [] and client.events() == ["import.failed"]


def test_a_key_that_is_revoked_while_the_records_are_made_imports_nothing(app, client, monkeypatch):
    sender = client.key("imports:write", "contacts:write")
    id, identity_of = upload(sender, "name\nAda\n")["id"], working.identity_of
    finish_imports(app, rounds=2)

    def revoked_since(ctx, row):
        found = identity_of(ctx, row)
        monkeypatch.setattr(working, "end_reason", lambda ctx, row: ImportFault(0, None, "revoked_api_key", "revoked"))
        return found

    with monkeypatch.context() as patched:
        patched.setattr(working, "identity_of", revoked_since)
        finish_imports(app, rounds=1)
    assert client.get(f"{PATH}/{id}")["data"]["status"] != "done" and names(client) == []
    finish_imports(app)
    assert client.get(f"{PATH}/{id}")["data"]["status"] == "failed" and names(client) == []


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"expires_at": Clock.START}, "expired_api_key"),
        ({"scopes": ["imports:write"]}, "insufficient_scope"),
        ({"scopes": ["contacts:write"]}, "insufficient_scope"),
    ],
)
def test_a_key_that_expired_or_lost_a_scope_imports_nothing_more(app, client, values, code):
    sender = client.key("imports:write", "contacts:write")
    id = upload(sender, "name\nAda\n")["id"]
    with app.db.writing(client.tenant_id) as db:
        this = (keys.c.tenant_id == client.tenant_id) & (keys.c.id == key_of(app, sender))
        db.execute(sa.update(keys).where(this).values(values))
    finish_imports(app)
    found = client.get(f"{PATH}/{id}")["data"]
    assert (found["status"], faults(found)) == ("failed", [(0, None, code)]) and names(client) == []


def test_the_records_of_imports_are_kept_for_90_days(app, client):
    id = finished(client, "name\nAda\n")["id"]
    app.clock.move(days=89)
    run_timed(app)
    assert client.get(f"{PATH}/{id}")["data"]["status"] == "done"
    waiting = upload(client, "name\nBea\n")["id"]
    app.clock.move(days=2)
    run_timed(app)
    client.refused(404, "resource_not_found", "GET", f"{PATH}/{id}")
    assert client.get(f"{PATH}/{waiting}")["data"]["status"] == "queued"
    assert client.get(PATH)["pagination"]["total"] == 1 and names(client) == ["Ada"]


def key_of(app, sender):
    """The id of the key with which a client calls."""
    return sender.get("/v1/me")["data"]["id"]
