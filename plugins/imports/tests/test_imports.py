"""CSV files become records: all of their rows or none, each as its POST would make it, and nothing twice."""

from threading import Barrier, Thread

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from billycan import Context, unit_of_work
from billycan.importing import Importer
from billycan.testing import Client, run_timed
from billycan_contacts.handlers import records as records_of_contacts
from billycan_imports import handlers, working
from billycan_imports.testing import finish_imports

PATH = "/v1/imports"


@pytest.fixture
def app(make_app):
    return make_app("contacts", "expenses", "imports", "items", "webhooks")


@pytest.fixture
def client(app):
    return Client(app)


def upload(client, content, resource="contacts", query="", status=202):
    raw = content if isinstance(content, bytes) else content.encode()
    path = f"{PATH}?resource={resource}{query}"
    answer = client.call("POST", path, raw=raw, status=status, headers={"Content-Type": "text/csv"})
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
    found = upload(client, "name,External ID,ABN\nAda,,\n")
    said = [each["message"] for each in found["faults"]]
    assert said == [f"is an unknown column. Write {each}" for each in ("external_id", "abn")]


@pytest.mark.parametrize(
    ("content", "query"),
    [
        ("name;phone\nZoë;+61 491 570 156\n".encode("utf-8-sig"), ""),
        ("name\tphone\nZoë\t+61 491 570 156\n".encode("utf-16"), ""),
        ("name,phone\r\nZoë,+61 491 570 156\r\n".encode("cp1252"), "&charset=windows-1252"),
    ],
    ids=["Excel's UTF-8", "Excel's Unicode text", "Windows-1252"],
)
@pytest.mark.either
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


@pytest.mark.either
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
def test_a_hostile_row_is_a_fault_that_says_where(client, content, expected):
    found = finished(client, content)
    assert found["status"] == "failed" and sorted(faults(found), key=str) == sorted(expected, key=str)
    assert names(client) == []


@pytest.mark.either
@pytest.mark.parametrize("delimiter", ",;\t|")
def test_formulas_are_text_whatever_separates_the_cells(client, delimiter):
    text = f'name{delimiter}notes\n\'=1+1{delimiter}"=HYPERLINK(""x"")"\n'
    assert finished(client, text)["status"] == "done"
    (found,) = client.get("/v1/contacts")["data"]
    assert (found["name"], found["notes"]) == ("=1+1", '=HYPERLINK("x")')


@pytest.mark.either
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
@pytest.mark.either
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
    run_timed(app)
    assert client.get(f"{PATH}/{id}")["data"]["status"] == "writing"

    def dies(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(working, "finish", dies)
        with pytest.raises(KeyboardInterrupt):
            run_timed(app)
    assert names(client) == [] and client.get(f"{PATH}/{id}")["data"]["status"] == "writing"
    run_timed(app)
    assert names(client) == ["Ada", "Bea"] and client.get(f"{PATH}/{id}")["data"]["status"] == "done"


def test_two_workers_make_nothing_twice(app, client):
    id = upload(client, "name\nAda\nBea\n")["id"]
    barrier, errors = Barrier(2), []

    def work():
        try:
            barrier.wait()
            for _ in range(3):
                ctx = Context(app, client.tenant_id)
                with unit_of_work(ctx):
                    working.step(ctx, id)
        except Exception as error:  # noqa: BLE001 - whatever it is, the test is to see it
            errors.append(error)

    threads = [Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == [] and names(client) == ["Ada", "Bea"]
    assert client.events() == ["contact.created", "contact.created", "import.finished"]


def test_a_refusal_while_writing_undoes_all_rows(app, client):
    id = upload(client, "name,unit_price,sku\nPipe,1,p1\nBend,2,b1\n", "items")["id"]
    run_timed(app)
    client.post("/v1/items", {"name": "Late", "unit_price": "1.00", "sku": "b1"})
    run_timed(app)
    found = client.get(f"{PATH}/{id}")["data"]
    assert (found["status"], found["rows_imported"]) == ("failed", 0) and faults(found)[0][0] == 2
    assert names(client, "items") == ["Late"]


def test_more_than_a_hundred_faults_are_counted(client):
    found = finished(client, "name,email\n" + "Ada,x\n" * 1_200)
    assert (found["fault_count"], len(found["faults"]), found["rows_checked"]) == (1_200, 100, 1_200)


def test_ten_files_may_wait(app, client):
    for _ in range(10):
        upload(client, "name\n")
    assert upload(client, "name\n", status=409)["code"] == "too_many_imports"
    upload(Client(app), "name\n")
    run_timed(app)
    run_timed(app)
    assert finished(client, "name\nAda\n")["status"] == "done"


def test_of_two_files_at_once_the_eleventh_is_refused(app, client, engine, monkeypatch):
    if engine == "sqlite":
        pytest.skip("SQLite has one writer")
    for _ in range(9):
        upload(client, "name\n")
    barrier, rows_of, answers = Barrier(2), handlers.rows_of, []

    def together(*given):
        rows = rows_of(*given)
        barrier.wait()  # each has begun its transaction
        return rows

    monkeypatch.setattr(handlers, "rows_of", together)

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

    def write_beside(importer, ctx, cells):
        faults = make(importer, ctx, cells)
        if ctx.tenant_id == client.tenant_id:  # other tests leave imports that the worker finishes here
            wrote.append(client.post("/v1/contacts", {"name": f"Beside {len(wrote)}"})["data"]["id"])
        return faults

    monkeypatch.setattr(Importer, "make", write_beside)
    run_timed(app)
    run_timed(app)
    assert client.get(f"{PATH}/{id}")["data"]["status"] == "done" and len(wrote) == 4
    assert client.get("/v1/contacts")["pagination"]["total"] == 6
    assert len(client.events()) == 7


def test_the_rows_written_so_far_are_told_where_that_can_be(app, client, engine, monkeypatch):
    monkeypatch.setattr(working, "TOLD_EVERY", 2)
    id = upload(client, "name\nAda\nBea\nCal\nDee\n")["id"]
    make, seen = Importer.make, []

    def look_beside(importer, ctx, cells):
        found = client.get(f"{PATH}?fields=status,rows_written,rows_imported")["data"][0]
        if found["status"] == "writing" and ctx.tenant_id == client.tenant_id:
            seen.append(found["rows_written"])
            assert found["rows_imported"] == 0 and names(client) == []
        return make(importer, ctx, cells)

    monkeypatch.setattr(Importer, "make", look_beside)
    run_timed(app)
    run_timed(app)
    assert seen == ([None] * 4 if engine == "sqlite" else [0, 0, 2, 2])
    done = client.get(f"{PATH}/{id}")["data"]
    assert (done["rows_written"], done["rows_imported"]) == (4, 4)


@pytest.mark.parametrize("error", [RuntimeError("a secret"), sa.exc.DataError("a secret", {}, Exception())])
def test_an_error_of_ours_in_a_row_is_told_and_ends_the_import(app, client, monkeypatch, caplog, error):
    real = records_of_contacts.insert

    def breaks(ctx, *given, **values):
        if values.get("name") == "Bea":
            raise error
        return real(ctx, *given, **values)

    monkeypatch.setattr(records_of_contacts, "insert", breaks)
    found = finished(client, "name\nAda\nBea\n")
    assert found["status"] == "failed" and faults(found) == [(2, None, "internal_error")]
    assert "secret" not in str(found["faults"]) and "a row cannot be imported" in caplog.text


def test_a_key_needs_both_scopes_and_sees_its_own_business(app, client):
    for scopes in (("imports:write",), ("contacts:write",), ("imports:write", "contacts:read")):
        assert upload(client.key(*scopes), "name\nA\n", status=403)["code"] == "insufficient_scope"
    id = upload(client.key("imports:write", "contacts:write"), "name\nA\n")["id"]
    Client(app).refused(404, "resource_not_found", "GET", f"{PATH}/{id}")
    assert upload(client, "name\nA\n", "webhook_endpoints", status=400)["code"] == "invalid_parameter"
