"""Every list as a CSV file: complete, from one moment, safe in a spreadsheet, and unchanged when it is read back."""

import csv
import io
import json
import re
import runpy
import subprocess
import sys
import threading
import tracemalloc
from pathlib import Path

import pytest
import sqlalchemy as sa
from falcon.testing import create_environ
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import fields

from billycan import Manifest
from billycan.csv.sheets import cell, columns, text_of
from billycan.endpoints import PARAMETER
from billycan.sharing.slots import Slots
from billycan.starting import plugins
from billycan.testing import Client
from billycan_contacts import resource

pytestmark = pytest.mark.either

contacts = resource.contacts.table

CSV = {"Accept": "text/csv"}
HOSTILE = [
    "=1+1",
    "+61 491 570 156",
    "-5",
    "-2+3",
    "@SUM(A1)",
    "'=1",
    "''=1",
    "'",
    "＝1",
    '"',
    "a,b",
    "a\nb",
    "Zoë",
    "[1]",
    "x;=1+1",
    'x;"=1+1"',
    "x\t@SUM(A1)",
    "x\n-2+3;y",
    "x;+61 491 570 156",
    "x;'=1",
]


def sheet(client, path):
    """Return the rows of a list's file, each by the names of its columns."""
    response = client.call("GET", path, status=200, headers=CSV)
    assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert int(response.headers["Content-Length"]) == len(response.body)
    return [*csv.DictReader(io.StringIO(response.body.decode(), newline=""))]


@pytest.fixture
def client(make_app):
    return Client(make_app("contacts", "documents", "hosted", "invoices"))


@pytest.mark.whole
def test_every_list_of_every_plugin_is_a_file_too(make_app):
    app = make_app(*sorted(set(plugins.installed()) - {"sso_auth"}))
    params = [
        (e.route, {m[1]: e.route.path[: m.start()].rstrip("/") for m in PARAMETER.finditer(e.route.path)})
        for e in app.endpoints
        if e.signature.params
    ]
    tenant = runpy.run_path(str(Path(__file__).with_name("test_isolation.py")))["Tenant"](Client(app), params)
    listed = [e for e in app.endpoints if e.signature.listed and not e.signature.params]
    assert len(listed) > 15
    for e in listed:
        if any(field.required for field in fields(e.signature.query)):
            continue
        rows = sheet(tenant.client, e.route.path)
        shown = tenant.client.get(f"{e.route.path}?per_page=100")
        assert len(rows) == shown["pagination"]["total"], e.route.path
        if "text/csv" not in e.route.also:
            names = [column.name for column in columns(e.signature.listed) if column.name != "custom"]
            found = [name for name in rows[0] if not name.startswith("custom.")] if rows else []
            assert rows == [] or found == names, e.route.path
            assert [row.get("id") for row in rows[:100]] == [record.get("id") for record in shown["data"]]
        assert tenant.client.call("HEAD", e.route.path, status=200, headers=CSV).body == b""


def test_a_file_says_what_the_list_does(client):
    address = {"line1": "7 Main Road", "suburb": "Franklin", "state": "TAS", "postcode": "0800"}
    ada = client.post(
        "/v1/contacts",
        {
            "name": "Ada",
            "site_address": address,
            "phone": "+61 491 570 156",
            "tags": ["wholesale", "north"],
            "roles": ["client", "supplier"],
        },
    )["data"]
    client.post("/v1/contacts", {"name": "Bea", "tags": ["a, b"], "people": [{"name": "Noor"}], "metadata": {"k": "v"}})
    first, second = sheet(client, "/v1/contacts?sort=name")
    assert (first["id"], first["created_at"], first["version"]) == (ada["id"], ada["created_at"], "1")
    assert (first["site_address.suburb"], first["site_address.postcode"]) == ("Franklin", "0800")
    assert first["billing_address.line1"] == first["abn"] == first["metadata"] == first["people"] == ""
    assert (first["phone"], first["tags"], first["roles"]) == (
        "+61 491 570 156",
        "wholesale, north",
        "client, supplier",
    )
    assert (second["tags"], second["metadata"]) == ('["a, b"]', '{"k":"v"}') and '"name":"Noor"' in second["people"]
    line = {"description": "Tap washers", "unit_price": "1000"}
    client.post("/v1/invoices", {"client_id": ada["id"], "line_items": [line]})
    (invoice,) = sheet(client, f"/v1/invoices?client_id={ada['id']}")
    assert (invoice["client.name"], invoice["total"], invoice["currency"]) == ("Ada", "1100.00", "AUD")
    assert "line_items" not in invoice
    assert "Tap washers" in sheet(client, "/v1/invoices?include=line_items")[0]["line_items"]
    assert sheet(client, "/v1/invoices?fields=number,total") == [
        {"id": invoice["id"], "number": "INV-0001", "total": "1100.00"}
    ]
    assert sheet(client, "/v1/invoices?status=paid") == []


def test_a_file_has_all_records_in_the_order_asked_for(client):
    names = [f"{i:03}" for i in range(205)]
    for name in reversed(names):
        client.post("/v1/contacts", {"name": name})
    assert [row["name"] for row in sheet(client, "/v1/contacts?sort=name")] == names
    found = sheet(client, "/v1/contacts?sort=-name&search=20")
    assert [row["name"] for row in found] == ["204", "203", "202", "201", "200", "120", "020"]


@pytest.mark.both
def test_records_that_change_meanwhile_neither_repeat_nor_vanish(make_app, install):
    at_work = threading.local()

    def meddle(ctx, found, query):
        change, at_work.change = getattr(at_work, "change", None), None
        if change and query.cursor:
            thread = threading.Thread(target=change)
            thread.start()
            thread.join()
        elif change:
            at_work.change = change

    install(Manifest(name="meddler"), paginate=meddle)
    client = Client(make_app("contacts", "meddler"))
    ids = {f"{i:03}": client.post("/v1/contacts", {"name": f"{i:03}"})["data"]["id"] for i in range(150)}
    other = client.key()

    def change():
        other.delete(f"/v1/contacts/{ids['149']}")
        other.patch(f"/v1/contacts/{ids['000']}", {"name": "140a"})
        other.post("/v1/contacts", {"name": "120a"})

    at_work.change = change
    assert [row["name"] for row in sheet(client, "/v1/contacts?sort=name")] == [*ids]
    assert at_work.change is None and len(sheet(client, "/v1/contacts")) == 150
    assert "140a" in [row["name"] for row in sheet(client, "/v1/contacts")]


@pytest.mark.sqlite_alone
def test_what_is_refused_is_refused_as_json(client):
    for name, value in (("page", "2"), ("per_page", "10")):
        error = client.refused(400, "invalid_parameter", "GET", f"/v1/contacts?{name}={value}", headers=CSV)
        assert error["param"] == name
    client.refused(400, "invalid_filter", "GET", "/v1/contacts?status=asleep", headers=CSV)
    client.key("invoices:read").refused(403, "insufficient_scope", "GET", "/v1/contacts", headers=CSV)
    client.refused(406, "not_acceptable", "GET", "/v1/me", headers=CSV)
    for accept in ("*/*", "application/json, text/csv", "text/csv;q=0.5, application/json"):
        assert "json" in client.call("GET", "/v1/contacts", status=200, headers={"Accept": accept}).content_type
    assert len(sheet(Client(client.app), "/v1/contacts")) == 0


@given(st.one_of(st.sampled_from(HOSTILE), st.text("=+-@'＝ \t\n0189().a,;[\"", min_size=1), st.text()))
def test_no_text_runs_as_a_formula_and_all_is_read_as_it_was(text):
    shown = cell(text)
    assert text_of(shown) == text
    assert not re.match(r"[=+\-@\t\r\n＝＋－＠]", shown) or re.fullmatch(r"[+-]?[0-9][0-9 ().-]*", shown)
    # A spreadsheet that separates by semicolons or tabs takes the text after one for a cell of its own.
    for part in re.split(r'[;\t\r\n]"*', shown)[1:]:
        assert not re.match(r"[=+\-@＝＋－＠]", part) or re.fullmatch(r'[+-]?[0-9][0-9 ().-]*"*', part), part


@pytest.mark.long
def test_ten_thousand_records_take_no_more_memory_than_a_thousand(client):
    client.post("/v1/contacts", {"name": "Ada", "notes": "x" * 200})
    with client.app.db.writing(client.tenant_id) as db:
        mine = contacts.c.tenant_id == client.tenant_id
        row = db.execute(sa.select(contacts).where(mine)).one()._asdict()
    peaks = {}
    made = 1
    for total in (1_000, 10_000):
        with client.app.db.writing(client.tenant_id) as db:
            db.execute(sa.insert(contacts), [{**row, "id": f"con_{n:08}"} for n in range(made, total)])
        made = total
        tracemalloc.start()
        asked = client.web.RequestClass.blank("/v1/contacts", headers={**client.headers, **CSV})
        response = asked.send(client.app.wsgi)
        lines = sum(piece.count(b"\n") for piece in response.app_iter)
        peaks[total] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert lines == total + 1
    assert peaks[10_000] < peaks[1_000] + 2_000_000, peaks


def test_a_business_has_three_files_at_a_time_until_they_are_received_or_let_go(client):
    other = Client(client.app)

    def begin(caller, status="200 OK", accept="text/csv"):
        answered = []
        asked = {"HTTP_AUTHORIZATION": f"Bearer {caller.secret}", "HTTP_ACCEPT": accept}
        begun = client.app.wsgi(create_environ("/v1/contacts", headers=None) | asked, lambda *a: answered.append(a))
        assert answered[0][0] == status
        return begun, {name.lower(): value for name, value in answered[0][1]}

    open_files = [begin(client)[0] for _ in range(3)]
    refused, headers = begin(client, "429 Too Many Requests")
    assert json.loads(b"".join(refused))["error"]["code"] == "too_many_exports" and headers["retry-after"] == "5"
    begin(client, accept="application/json")
    begin(other)[0].close()
    open_files.pop().close()  # somebody goes away
    open_files.append(begin(client)[0])
    begin(client, "429 Too Many Requests")
    assert b"".join(open_files.pop()).startswith(b"id,")
    client.refused(400, "invalid_parameter", "GET", "/v1/contacts?per_page=2", headers=CSV)
    for _ in range(4):
        sheet(client, "/v1/contacts")
    for each in open_files:
        each.close()


def test_a_process_that_dies_lets_its_slots_go(tmp_path):
    script = f"""
from pathlib import Path
from billycan.sharing.slots import Slots
held = [Slots(Path({str(tmp_path)!r}), 2).take("a") for _ in range(3)]
print([slot is not None for slot in held], flush=True)
input()
"""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", script], **pipes) as process:
        assert process.stdout.readline().strip() == "[True, True, False]"
        slots = Slots(tmp_path, 2)
        assert slots.take("a") is None and slots.take("b")
        process.kill()
        process.wait()
        assert slots.take("a")
