"""The generator: a method for each operation, from any deployment's document."""

import importlib
import io
import json
import runpy
import subprocess
import sys
import zipfile
from decimal import Decimal
from pathlib import Path

import httpx2
import pytest
import uv
from msgspec import UNSET

from billycan.testing import Client
from billycan_client import models
from billycan_generator import __main__ as command
from billycan_generator import document as reading
from billycan_generator import python

pytestmark = pytest.mark.either

PACKAGE = Path(__file__).parents[1] / "billycan_client"


@pytest.mark.whole
def test_every_operation_is_a_method(document):
    source = (PACKAGE / "api.py").read_text("utf-8")
    operations = [path for path, item in document["paths"].items() for method in item]
    methods = source.count("\n    def ") - 2 * (source.count("\nclass ") - 1)
    assert methods == len(operations), "the client is not of this API: make fix, then make setup"


@pytest.mark.whole
def test_a_record_as_a_whole_is_also_one_of_its_list():
    assert issubclass(models.Invoice, models.ListedInvoice)
    assert issubclass(models.Quote, models.ListedQuote) and issubclass(models.Expense, models.ListedExpense)


@pytest.mark.whole
def test_a_wheel_has_what_is_generated(tmp_path):
    """Although git does not: the backend packs the package's folder as it is."""
    done = subprocess.run(
        [uv.find_uv_bin(), "build", "-q", "--offline", "--wheel", "--out-dir", str(tmp_path), str(PACKAGE.parent)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("billycan_client-*.whl")
    packed = zipfile.ZipFile(wheel)
    for name in ("api.py", "models.py", "webhooks.py"):
        assert packed.read(f"billycan_client/{name}") == (PACKAGE / name).read_bytes()


@pytest.mark.parametrize(
    "group, operation, method",
    [
        ("invoices", "list_invoices", "list"),
        ("invoices", "write_off_invoice", "write_off"),
        ("invoices", "reverse_payment", "reverse_payment"),
        ("jobs", "invoice_job", "invoice"),
        ("expense_categories", "create_category", "create"),
        ("webhook_deliveries", "list_deliveries", "list"),
        ("webhook_endpoints", "rotate_endpoint_secret", "rotate_secret"),
        ("staff", "get_staff", "get"),
        ("me", "get_me", "get"),
    ],
)
def test_a_method_is_named_after_what_its_group_leaves_unsaid(group, operation, method):
    assert reading.method_name(group, operation) == method


def envelope(data, **more):
    schema = {"type": "object", "properties": {"data": data, **more}}
    return {"200": {"description": "OK", "content": {"application/json": {"schema": schema}}}}


def ref(name):
    return {"$ref": f"#/components/schemas/{name}"}


def query(name, **schema):
    return {"name": name, "in": "query", "schema": schema}


TERSE = {
    "openapi": "3.1.0",
    "info": {"title": 'the "Vans" API', "version": "1"},
    "paths": {
        "/v1/vans": {
            "get": {
                "operationId": "list_vans",
                "summary": "All vans.",
                "deprecated": True,
                "parameters": [
                    query("cursor", type="string"),
                    query("class", type="array", items={"enum": ["light", "heavy"]}),
                    query("made_from", anyOf=[{"type": "string", "format": "date"}, {"type": "null"}]),
                ],
                "responses": envelope({"type": "array", "items": ref("Van")}, pagination={}),
            },
            "post": {
                "operationId": "create_van",
                "requestBody": {"content": {"application/json": {"schema": ref("NewVan")}}},
                "responses": envelope(ref("Van")),
            },
        },
        "/v1/vans/{id}/wash": {
            "post": {
                "operationId": "wash_van",
                "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
                "requestBody": {
                    "content": {"application/json": {"schema": {"type": "array", "items": {"type": "string"}}}}
                },
                "responses": envelope({"anyOf": [ref("Van"), ref("Sold"), {"type": "null"}]}),
            },
        },
        "/v1/vans/{id}.pdf": {
            "get": {
                "operationId": "print_van",
                "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
                "responses": {"200": {"description": "OK", "content": {"application/pdf": {}}}},
            },
        },
        "/v1/vans/count": {"get": {"operationId": "count_vans", "responses": envelope({"type": "integer"})}},
    },
    "webhooks": {
        "van.sold": {"post": {"requestBody": {"content": {"application/json": {"schema": ref("VanSold")}}}}},
    },
    "components": {
        "schemas": {
            "NewVan": {
                "type": "object",
                "properties": {
                    "from": {"type": "string", "description": 'Where it was bought: "here"'},
                    "if_match": {"type": ["integer", "null"]},
                    "price": {"anyOf": [{"type": "number"}, {"type": "string"}]},
                    "parts": {"type": "array", "items": ref("Part")},
                    "id": {"type": "string", "readOnly": True},
                },
                "required": ["from"],
            },
            "Part": {"type": "object", "properties": {"is-new": {"type": "boolean"}}, "required": ["is-new"]},
            "Van": {
                "type": "object",
                "properties": {
                    "id": {"type": "string"},
                    "class": {"$ref": "#/components/schemas/Class"},
                    "price": {"type": "number"},
                    "date": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]},
                    "tows": ref("Van"),
                    "extra": {},
                    "leased": {"type": "boolean", "x-plugin": "leases"},
                },
                "required": ["id", "class", "price", "date", "leased"],
            },
            "Class": {"enum": ["light", "heavy"]},
            "Sold": {"type": "object", "properties": {"sold": {"const": True}}, "required": ["sold"]},
            "VanSold": {"type": "object", "properties": {"event": {"const": "van.sold"}, "data": ref("Sold")}},
        }
    },
}


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Write the client of a document as the command does, and import it."""

    def write(document):
        monkeypatch.setattr(sys, "argv", ["billycan_generator", "-", "--into", str(tmp_path / "written")])
        monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(document, default=float)))
        command.main()
        return importlib.import_module("written.api")

    monkeypatch.syspath_prepend(tmp_path)
    yield write
    for name in [name for name in sys.modules if name.split(".")[0] == "written"]:
        del sys.modules[name]


def test_a_deployment_with_another_plugin_gets_its_methods(make_app, written):
    app = make_app("assets", "contacts")
    transport = httpx2.WSGITransport(app=app.wsgi)
    with written(app.openapi()).Billycan("http://api.test", Client(app).secret, transport=transport) as api:
        van = api.assets.create(name="Van", cost="48000.00", custodian_id=api.contacts.create(name="Ada").id)
        assert [asset.id for asset in api.assets.list(search="van")] == [van.id]
        assert van.cost == Decimal("48000.00") and not hasattr(api, "invoices")


@pytest.mark.parametrize("formatter", ["ruff", "no ruff"])
def test_a_terse_document_makes_a_client(written, monkeypatch, formatter):
    if formatter == "no ruff":
        monkeypatch.setattr(python.shutil, "which", lambda *a, **k: None)
    vans = written(TERSE)

    def answer(request):
        sent.append(request)
        if request.url.path.endswith(".pdf"):
            return httpx2.Response(200, content=b"%PDF")
        return httpx2.Response(200, json={"data": answers.pop(0), "pagination": pagination, "error": None})

    pagination = {"page": 1, "per_page": 25, "total": 1, "has_more": False, "next_cursor": None, "prev_cursor": None}
    van = {"id": "van_1", "class": "odd", "price": 10.5, "date": None, "tows": {**VAN, "extra": [0.1]}}
    sent, answers = [], [van, [VAN], {"sold": True}, None, 3]
    api = vans.Billycan("http://vans.test", "key", transport=httpx2.MockTransport(answer))
    part = vans.models.Part(is_new=True)
    made = api.vans.create(from_="Hobart", if_match_=None, price="7.10", parts=[part])
    assert json.loads(sent[-1].content) == {
        "from": "Hobart", "if_match": None, "price": "7.10", "parts": [{"is-new": True}],
    }  # fmt: skip
    assert (made.class_, made.price, made.extra, made.tows.extra) == ("odd", Decimal("10.5"), UNSET, [Decimal("0.1")])
    assert made.leased is UNSET  # of a plugin that is off
    assert [van.id for van in api.vans.list(class_=["light", "heavy"])] == ["van_2"]
    assert sent[-1].url.params["class"] == "light,heavy"
    assert api.vans.wash("van_1", body=["wax"]) == vans.models.Sold(sold=True)
    assert sent[-1].content == b'["wax"]'
    assert api.vans.wash("van_1", body=[]) is None and api.vans.count() == 3
    assert api.vans.print("van_1") == b"%PDF"
    assert "Deprecated" in vans.Vans.list.__doc__
    events = importlib.import_module("written.webhooks")
    assert events.EVENTS["van.sold"] is events.VanSold


VAN = {"id": "van_2", "class": "light", "price": 1, "date": "2026-02-28"}


def test_it_runs_as_a_command(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(sys, "argv", ["billycan_generator", "--help"])
    with pytest.raises(SystemExit, match="0"), pytest.warns(RuntimeWarning, match="found in sys.modules"):
        runpy.run_module("billycan_generator", run_name="__main__")
    assert "--into" in capsys.readouterr().out
