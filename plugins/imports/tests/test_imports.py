"""CSV files become records: all of their rows or none, each as its POST would make it, and nothing twice."""

from threading import Barrier, Thread

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from billycan import Context, unit_of_work
from billycan.testing import Client, run_timed
from billycan_imports import working

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
    for _ in range(1000):
        found = client.get(f"{PATH}/{id}")["data"]
        if found["status"] in ("done", "failed"):
            return found
        run_timed(client.app)
    raise AssertionError(found)


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


@pytest.mark.either
@pytest.mark.parametrize(
    "content", [b"", b"\r\n\r\n", "name\nZoë\n".encode("cp1252"), b'name\n"Ada', b"\xff\xfea", b"\xef\xbb\xbf"]
)
def test_what_is_no_csv_is_refused(client, content):
    assert upload(client, content, status=400)["code"] == "malformed_csv"
    assert client.get(PATH)["data"] == []


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


def test_more_than_a_thousand_faults_are_counted(client):
    found = finished(client, "name,email\n" + "Ada,x\n" * 1_200)
    assert (found["fault_count"], len(found["faults"]), found["rows_checked"]) == (1_200, 1_000, 1_200)


def test_a_key_needs_both_scopes_and_sees_its_own_business(app, client):
    for scopes in (("imports:write",), ("contacts:write",), ("imports:write", "contacts:read")):
        assert upload(client.key(*scopes), "name\nA\n", status=403)["code"] == "insufficient_scope"
    id = upload(client.key("imports:write", "contacts:write"), "name\nA\n")["id"]
    Client(app).refused(404, "resource_not_found", "GET", f"{PATH}/{id}")
    assert upload(client, "name\nA\n", "webhook_endpoints", status=400)["code"] == "invalid_parameter"
