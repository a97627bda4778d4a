"""The OpenAPI document: valid for every set of plugins, and exact."""

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema.exceptions import ValidationError
from msgspec import UNSET, Struct, UnsetType, defstruct
from openapi_schema_validator import OAS31Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from billycan import Context, Manifest, Named, Page, Patch, Reply, Resource, Route, problems
from billycan.app import App
from billycan.describe.codes import CODES, of_manifests
from billycan.members import split_docstring
from billycan.resources import Paging
from billycan.starting import plugins
from billycan.starting.plugins import first_party
from billycan.starting.settings import Config, Settings
from billycan.testing import Client
from billycan.testing.fixtures import SECRET
from billycan.web import encode

pytestmark = pytest.mark.either

ALL = sorted(first_party())
ALWAYS = {"X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"}


made = []  # the document of all plugins, which many tests read and none changes


@pytest.fixture
def describe(tmp_path):
    """Return the document of a deployment with these plugins, without a database."""
    apps = []

    def build(*plugins, **given):
        if plugins == tuple(ALL) and made:
            return made[0]
        core = {"secret": SECRET, "database": f"sqlite:///{tmp_path}/none.db", "shared_folder": str(tmp_path)}
        apps.append(App(Config(Settings(**core, plugins=",".join(plugins) or "none", **given), {})))
        document = apps[-1].openapi()
        made.extend([document] if plugins == tuple(ALL) else [])
        return document

    yield build
    for app in apps:
        app.close()


def bare(schema):
    """Return a schema without its descriptions."""
    if isinstance(schema, dict):
        return {k: bare(v) for k, v in schema.items() if k != "description" or isinstance(v, dict)}
    return [bare(item) for item in schema] if isinstance(schema, list) else schema


def schemas_of(document):
    return bare(document["components"]["schemas"])


BINARY = {"schema": {"type": "string", "format": "binary"}}


def text(**more):
    return {"type": "string", **more}


def null_or(schema):
    return {"anyOf": [schema, {"type": "null"}]}


def ref(name, kind="schemas"):
    return {"$ref": f"#/components/{kind}/{name}"}


def parameters(operation):
    return {p["name"]: p for p in operation["parameters"] if "name" in p}


def answer(operation, status):
    return operation["responses"][status]["content"]["application/json"]["schema"]["properties"]


# What all plugins describe takes ten seconds to read.
@pytest.mark.parametrize(
    "plugins", [(), ("contacts", "documents", "hosted", "invoices"), pytest.param(ALL, marks=pytest.mark.long)]
)
def test_the_document_is_valid(describe, plugins):
    document = describe(*plugins)
    OpenAPIV31SpecValidator(document).validate()
    assert document["openapi"] == "3.1.0"
    assert document["tags"][0]["name"] == "core" and all(tag["description"] for tag in document["tags"])


def test_it_says_what_it_describes_and_where(describe):
    document = describe(public_url="https://api.example.com/")
    assert document["info"]["title"] == "billycan" and document["info"]["version"][0].isdigit()
    assert document["servers"] == [{"url": "https://api.example.com"}]
    assert document["components"]["securitySchemes"]["bearer"]["scheme"] == "bearer"


def test_it_is_made_once_and_served_without_a_key(make_app):
    app = make_app("contacts")
    assert app.openapi() is app.openapi()
    client = Client(app)
    response = client.call("GET", "/v1/openapi.json", status=200, headers={"Authorization": ""})
    assert response.body == encode(app.openapi())


@pytest.mark.whole
def test_only_mounted_routes_are_described(describe):
    assert "/v1/contacts" not in describe()["paths"]
    alone = describe("contacts", "documents", "hosted", "quotes")["paths"]
    assert "/v1/quotes/{id}/send" in alone and "/v1/quotes/{id}/convert" not in alone
    assert "/v1/quotes/{id}/convert" in describe(*ALL)["paths"]


def test_every_schema_is_used_and_exists(describe):
    document = describe(*ALL)
    used = set()

    def visit(value):
        if isinstance(value, dict):
            used.update([value["$ref"]] if isinstance(value.get("$ref"), str) else [])
            [visit(v) for v in value.values()]
        elif isinstance(value, list):
            [visit(v) for v in value]

    visit(document)
    components = {
        f"#/components/{kind}/{name}"
        for kind, named in document["components"].items()
        for name in named
        if kind != "securitySchemes"
    }
    assert used == components


@pytest.mark.whole
def test_generators_of_clients_find_what_they_need(describe):
    """openapi-typescript requires members that have a default; openapi-python-client leaves out what has no schema."""
    document = describe(*ALL)
    members = ((name, s["properties"]) for name, s in document["components"]["schemas"].items())
    assert not [(name, member) for name, of in members for member, kind in of.items() if "default" in kind]
    media = {}
    for id, operation in operations(document).items():
        success = operation["responses"][min(operation["responses"])]["content"]
        sent = operation.get("requestBody", {}).get("content", {})
        media |= {(id, way, kind): found for way, of in (("", success), ("body", sent)) for kind, found in of.items()}
    assert not [at for at, found in media.items() if "schema" not in found]
    known = (
        "application/json",
        "application/merge-patch+json",
        "application/octet-stream",
        "text/calendar",
        "text/csv",
    )
    for id, way in {at[:2] for at in media}:
        assert {kind for *at, kind in media if at == [id, way]} & {*known}, id
    assert media["get_invoice_as_pdf", "", "application/pdf"] == BINARY
    assert media["get_invoice", "", "application/pdf"] == BINARY
    assert media["get_booking_calendar", "", "text/calendar"] == {"schema": text()}
    assert media["get_gst_report_as_csv", "", "text/csv"] == {"schema": text()}
    sent = media["add_attachment", "body", "application/octet-stream"]
    assert sent == {**BINARY, "example": sent["example"]}


def test_a_default_is_told_in_words(describe):
    members = describe("contacts")["components"]["schemas"]["NewContact"]["properties"]
    assert members["kind"]["description"] == "Whether it is a person or a company. Default: `company`."
    assert members["tags"]["x-default"] == [] and "Default" not in members["tags"]["description"]
    assert members["email"]["x-default"] is None and "Default" not in members["email"]["description"]
    assert "x-default" not in members["name"]


def test_an_operation_names_its_handler_plugin_and_scope(describe):
    paths = describe("contacts")["paths"]
    operation = paths["/v1/contacts/{id}/archive"]["post"]
    assert operation["operationId"] == "archive_contact"
    assert operation["summary"] == "Archive a contact; documents keep it."
    assert operation["tags"] == ["contacts"]
    assert operation["security"] == [{"bearer": ["contacts:write"]}]
    assert paths["/v1/me"]["get"]["security"] == [{"bearer": []}]
    assert paths["/v1/openapi.json"]["get"]["security"] == []


def test_the_parameters_of_a_list(describe):
    operation = describe("contacts")["paths"]["/v1/contacts"]["get"]
    found = parameters(operation)
    when = {"anyOf": [text(format="date"), text(format="date-time")]}
    assert {name: p["schema"] for name, p in found.items()} == {
        "page": {"type": "integer", "minimum": 1, "maximum": 1_000_000},
        "per_page": {"type": "integer", "minimum": 1, "maximum": 100},
        "cursor": text(),
        "sort": text(pattern="^-?(created_at|updated_at|name)(,-?(created_at|updated_at|name))*$"),
        "external_id": text(minLength=1, maxLength=100),
        "metadata": found["metadata"]["schema"],
        **dict.fromkeys(("created_at_from", "created_at_to", "updated_at_from", "updated_at_to"), when),
        "updated_since": when,
        "search": text(maxLength=200),
        "status": {"type": "array", "items": text(enum=["active", "archived"]), "minItems": 1},
        "kind": {"type": "array", "items": text(enum=["company", "person"]), "minItems": 1},
        "role": text(enum=["client", "supplier"]),
        "contractor": {"type": "boolean"},
        "duplicated": {"type": "boolean"},
        "tag": text(minLength=1, maxLength=50),
        "email": found["email"]["schema"],
        "abn": found["abn"]["schema"],
    }
    assert not any(p.get("required") for p in found.values()) and {p["in"] for p in found.values()} == {"query"}
    said = {name: p["description"] for name, p in found.items()}
    assert said["status"] == "Records with any of these values of `status`."
    whole_day = "A date means that whole day in the business's time zone."
    assert said["created_at_to"] == f"Records whose `created_at` is this or earlier. {whole_day}"
    assert (found["status"]["style"], found["status"]["explode"]) == ("form", False)
    assert (found["metadata"]["style"], found["metadata"]["explode"]) == ("deepObject", True)
    assert found["metadata"]["schema"]["additionalProperties"] == text(maxLength=500)


def test_the_headers_and_ids_a_route_takes(describe):
    paths = describe("contacts")["paths"]
    key, match = ref("IdempotencyKey", "parameters"), ref("IfMatch", "parameters")
    id = {"name": "id", "in": "path", "required": True, "description": "The record's id.", "schema": text()}
    assert paths["/v1/contacts"]["post"]["parameters"] == [key]
    some, known = ref("Fields", "parameters"), ref("IfNoneMatch", "parameters")
    assert paths["/v1/contacts/{id}"]["get"]["parameters"] == [id, some, known]
    assert paths["/v1/contacts"]["get"]["parameters"][-1] == some
    for method, path in (("patch", ""), ("delete", ""), ("post", "/archive")):
        assert paths[f"/v1/contacts/{{id}}{path}"][method]["parameters"] == [id, key, match]
    assert paths["/v1/tenant"]["patch"]["parameters"] == [key, match]
    assert paths["/v1/me"]["get"]["parameters"] == [some]


@pytest.mark.whole
def test_only_what_shows_a_version_takes_one(describe):
    paths, match = describe(*ALL)["paths"], ref("IfMatch", "parameters")
    for path, method in (("/v1/attachments/{id}", "delete"), ("/v1/branding", "patch"), ("/v1/reminders", "patch")):
        assert match not in paths[path][method]["parameters"]
    assert match not in paths["/v1/webhook_deliveries/{id}/replay"]["post"]["parameters"]
    assert match in paths["/v1/invoices/{id}/payments/{pay_id}/reverse"]["post"]["parameters"]


def test_the_body_of_each_kind_of_route(describe):
    paths = describe("contacts")["paths"]

    def body(path, method):
        found = paths[path][method]["requestBody"]
        return found["required"], {kind: media["schema"] for kind, media in found["content"].items()}

    assert body("/v1/contacts", "post") == (True, {"application/json": ref("NewContact")})
    patch = dict.fromkeys(("application/json", "application/merge-patch+json"), ref("ContactChange"))
    assert body("/v1/contacts/{id}", "patch") == (False, patch)
    assert body("/v1/contacts/{id}/archive", "post") == (False, {"application/json": ref("Empty")})
    assert "requestBody" not in paths["/v1/contacts/{id}"]["delete"]


def test_every_answer_is_the_envelope(describe):
    paths = describe("contacts")["paths"]
    one = answer(paths["/v1/contacts"]["post"], "201")
    assert one == {"data": ref("Contact"), "pagination": {"type": "null"}, "error": {"type": "null"}}
    many = answer(paths["/v1/contacts"]["get"], "200")
    assert many["data"] == {"type": "array", "items": ref("Contact")} and many["pagination"] == ref("Pagination")
    assert answer(paths["/v1/contacts/{id}"]["delete"], "200")["data"] == ref("Deleted")
    envelope = paths["/v1/contacts"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    assert envelope["required"] == ["data", "pagination", "error"]


def test_the_headers_of_an_answer(describe):
    document = describe("contacts")

    def headers(path, method, status):
        return document["paths"][path][method]["responses"][status]["headers"].keys() - ALWAYS

    assert headers("/v1/contacts", "post", "201") == {"ETag", "Location", "Idempotent-Replayed"}
    assert headers("/v1/contacts", "get", "200") == {"Link"}
    assert headers("/v1/contacts/{id}", "get", "200") == headers("/v1/contacts/{id}", "get", "304") == {"ETag"}
    assert headers("/v1/contacts/{id}", "delete", "200") == {"Idempotent-Replayed"}
    assert headers("/v1/me", "get", "200") == set()
    answers = document["components"]["responses"]
    shared = {name: set(r["headers"]) - ALWAYS for name, r in answers.items()}
    assert shared.pop("Unauthenticated") == {"WWW-Authenticate"}
    limited = [shared.pop(f"RateLimited{which}") for which in ("", "List", "Public")]
    assert limited == [{"Retry-After"}] * 3 and shared.pop("Unavailable") == {"Retry-After"}
    conflicts = {name for name in shared if name.startswith("Conflict")}
    assert all(shared.pop(name) == {"Retry-After"} for name in conflicts) and not any(shared.values())
    assert not any(answers[name]["headers"]["Retry-After"].get("required") for name in conflicts)


def test_the_refusals_a_route_can_answer(describe):
    paths = describe("contacts")["paths"]

    def refusals(path, method):
        return {status for status in paths[path][method]["responses"] if status >= "400"}

    all_routes = {"400", "429", "500", "503"}
    read = all_routes | {"401", "406"}
    write = read | {"403", "409", "422"}
    body = {"408", "413", "415"}
    assert refusals("/v1/openapi.json", "get") == all_routes
    assert refusals("/v1/me", "get") == read
    assert refusals("/v1/contacts", "get") == read | {"403"}
    assert refusals("/v1/contacts/{id}", "get") == read | {"403", "404"}
    assert refusals("/v1/contacts", "post") == write | body
    assert refusals("/v1/contacts/{id}", "patch") == write | body | {"404", "412"}
    assert refusals("/v1/contacts/{id}", "delete") == write | {"404", "412"}
    assert refusals("/v1/contacts/{id}/archive", "post") == write | body | {"404", "412"}
    assert refusals("/v1/tenant", "patch") == write | body | {"412"}


def test_what_is_sent_says_what_it_takes(describe):
    schemas = schemas_of(describe("contacts"))
    sent = schemas["NewContact"]
    assert sent["required"] == ["name"] and sent["additionalProperties"] is False
    name = {k: v for k, v in sent["properties"]["name"].items() if k != "description"}
    assert name == text(minLength=1, maxLength=200)
    assert sent["properties"]["kind"] == {**text(enum=["company", "person"]), "x-default": "company"}
    assert sent["properties"]["billing_address"] == {**null_or(ref("NewAddress")), "x-default": None}
    assert sent["properties"]["people"]["items"] == ref("NewPerson")
    assert schemas["NewAddress"]["required"] == [] and schemas["NewAddress"]["additionalProperties"] is False
    assert schemas["Empty"]["properties"] == {} and schemas["Empty"]["additionalProperties"] is False


@pytest.mark.whole
def test_all_of_what_is_shown_is_there(describe):
    schemas = schemas_of(describe(*ALL))
    for name in ("Contact", "Address", "Person", "Tenant", "Line", "Booking", "Deleted", "Pagination"):
        assert schemas[name]["required"] == list(schemas[name]["properties"]), name
        assert "additionalProperties" not in schemas[name]
    assert schemas["Contact"]["properties"]["billing_address"] == null_or(ref("Address"))
    assert schemas["Contact"]["properties"]["created_at"] == text(format="date-time")
    assert schemas["Invoice"]["properties"]["total"] == {"type": "number", "x-kind": "money"}
    assert schemas["Invoice"]["properties"]["due_date"] == text(format="date")
    assert "line_items" in schemas["Invoice"]["required"]
    listed = schemas["ListedInvoice"]
    assert "line_items" in listed["properties"] and "line_items" not in listed["required"]


@pytest.mark.whole
def test_a_record_as_a_whole_is_also_one_of_its_list(describe):
    schemas = schemas_of(describe(*ALL))
    pairs = [(schemas[name], schemas[f"Listed{name}"]) for name in schemas if f"Listed{name}" in schemas]
    assert len(pairs) >= 8
    for whole, listed in pairs:
        assert whole["properties"].items() >= listed["properties"].items(), listed["properties"]
        assert {*whole["required"]} >= {*listed["required"]}, listed["properties"]
    assert "hosted_url" not in schemas["ListedInvoice"]["required"]  # a key that may only read is not shown it


def test_a_patch_requires_nothing_and_null_clears_what_has_a_default(describe):
    schemas = schemas_of(describe("contacts"))
    change = schemas["ContactChange"]
    assert change["required"] == [] and change["additionalProperties"] is False
    members = change["properties"]
    assert members["kind"] == null_or(text(enum=["company", "person"]))
    assert members["gst_registered"] == null_or({"type": "boolean"})
    assert "anyOf" not in members["name"] and "default" not in str(change)
    assert members["billing_address"] == null_or(ref("AddressChange"))
    assert schemas["AddressChange"]["required"] == []
    assert members["people"]["anyOf"][0]["items"] == ref("NewPerson")
    assert members["metadata"]["anyOf"][0]["additionalProperties"] == null_or(text(maxLength=500))


@pytest.mark.whole
def test_a_patch_may_repeat_what_is_read_only(describe):
    schemas = schemas_of(describe(*ALL))
    change, shown = schemas["InvoiceChange"]["properties"], schemas["Invoice"]["properties"]
    read_only = {name for name, member in change.items() if member.get("readOnly")}
    assert read_only == set(shown) - set(schemas["NewInvoice"]["properties"])
    assert change["total"] == {"type": "number", "readOnly": True, "x-kind": "money"}
    assert change["client"] == {**ref("Named"), "readOnly": True}
    assert not any(member.get("readOnly") for member in schemas["NewInvoice"]["properties"].values())


@pytest.mark.whole
def test_an_item_with_an_id_is_patched_and_one_without_is_new(describe):
    schemas = schemas_of(describe(*ALL))
    items = schemas["InvoiceChange"]["properties"]["line_items"]
    assert items["items"] == {"anyOf": [ref("NewLine"), ref("LineChange")]} and items["minItems"] == 1
    assert schemas["LineChange"]["required"] == ["id"] and schemas["LineChange"]["properties"]["id"]["type"] == "string"
    assert schemas["LineChange"]["properties"]["net"] == {"type": "number", "readOnly": True, "x-kind": "money"}
    assert schemas["NewLine"]["required"] == []  # an item may give what is not sent
    assert schemas["NewInvoice"]["properties"]["line_items"]["items"] == ref("NewLine")


@pytest.mark.whole
def test_numbers_are_numbers_or_plain_decimals(describe):
    document = describe(*ALL)
    price = document["components"]["schemas"]["NewItem"]["properties"]["unit_price"]["anyOf"]
    assert price == [
        {"type": "number", "minimum": -999999999.99, "maximum": 999999999.99},
        text(pattern=r"^-?[0-9]{1,9}(\.[0-9]{1,4})?$"),
    ]
    assert "multipleOf" not in str(document)
    listing = parameters(document["paths"]["/v1/invoices"]["get"])
    assert listing["total_from"]["schema"]["anyOf"][0]["type"] == "number"
    assert listing["include"]["schema"]["items"] == text(enum=["line_items", "payments"])


def operations(document):
    return {o["operationId"]: o for path in document["paths"].values() for o in path.values()}


def test_everything_is_said_in_words_too(describe):
    document = describe(*ALL)
    for id, operation in operations(document).items():
        assert operation["summary"].endswith(".") and operation["description"], id
        for parameter in operation.get("parameters", ()):
            assert "$ref" in parameter or parameter["description"], (id, parameter)
    for name, schema in document["components"]["schemas"].items():
        assert schema["description"], name
        for member, found in schema["properties"].items():
            assert found.get("description"), f"{name}.{member}"
    for kind in ("parameters", "headers"):
        assert all(found["description"] for found in document["components"][kind].values())


class Line(Struct):
    """A line of the guest's, which is nothing like an invoice's."""

    thickness: int


class Lines(Resource):
    """The guest's lines."""

    lines: list[Line]


class LineChange(Struct):
    """A line as a guest sends it."""

    lines: list[Line]


def change_lines(ctx: Context, body: LineChange) -> Lines:
    """Change the guest's lines."""
    raise NotImplementedError


@pytest.mark.whole
def test_a_strangers_schema_takes_no_name_from_those_that_come_with_billycan(describe, install):
    before = describe(*ALL)
    route = Route("POST", "/v1/aaa_guest", change_lines, scope="aaa_guest:write")
    install(Manifest(name="aaa_guest", routes=(route,)))
    after = describe(*ALL, "aaa_guest")
    for path, item in before["paths"].items():
        assert after["paths"][path] == item
    assert before["webhooks"] == after["webhooks"]
    assert before["components"]["schemas"].items() <= after["components"]["schemas"].items()
    own = after["components"]["schemas"].keys() - before["components"]["schemas"].keys()
    assert len(own) == 4 and "Lines" in own and all(name.endswith(("Line", "Lines", "LineChange")) for name in own)
    generate = pytest.importorskip("billycan_generator.python", reason="The client was NOT TESTED: not installed")
    client, larger = (generate.modules(document)["models.py"] for document in (before, after))
    for model in client.split("\n\n\n"):
        assert model in larger


def test_a_docstring_explains_only_members_that_there_are(describe):
    seen, waiting = set(), list(Struct.__subclasses__())
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        if kind.__module__.startswith("billycan") and kind not in seen:
            seen.add(kind)
            constants = {name for name in vars(kind) if name.isupper()}
            assert set(split_docstring(vars(kind).get("__doc__"))[1]) <= {*kind.__struct_encode_fields__} | constants
    assert len(seen) > 50


@pytest.mark.whole
def test_each_operation_has_examples_of_what_it_takes_and_gives(describe):
    document = describe(*ALL)
    as_sent = json.loads(encode(document))
    checked = 0
    for id, operation in operations(as_sent).items():
        contents = [operation["responses"][min(operation["responses"])]["content"]]
        contents += [operation["requestBody"]["content"]] if operation.get("requestBody", {}).get("required") else []
        for content in (found["application/json"] for found in contents if "application/json" in found):
            if id == "get_openapi":
                continue  # an example of it would be itself
            assert "example" in content, id
            check(content["schema"], content["example"], as_sent)
            checked += 1
        for content in operation.get("requestBody", {}).get("content", {}).values():
            if "example" in content:
                check(content["schema"], content["example"], as_sent)
    assert checked > 100


# These need simultaneous requests, broken HTTP, megabytes, a hundred files, or months.
UNRECORDED = {"conflict", "idempotency_in_progress", "malformed_request"}
UNRECORDED |= {"not_carried_out", "reference_failed"}  # of one operation of a batch
UNRECORDED |= {"too_many_records", "page_too_large", "idempotency_answer_gone", "event_expired", "too_many_attachments"}
UNRECORDED |= {"business_suspended", "business_closed"}


def test_each_code_has_an_example_that_holds_it(describe):
    document = json.loads(encode(describe(*ALL)))
    examples = document["components"]["examples"]
    for code, example in examples.items():
        check(ref("ErrorEnvelope"), example["value"], document)
        assert example["value"]["error"]["code"] == code
    for name, answer in document["components"]["responses"].items():
        said = {line.split("`")[1] for line in answer["description"].splitlines()}
        shown = answer["content"]["application/json"].get("examples", {})
        assert said - UNRECORDED == set(shown), name
        assert all(shown[code] == ref(code, "examples") for code in shown)


def check(schema, value, document):
    OAS31Validator({**schema, "components": document["components"]}).validate(value)


@pytest.mark.whole
def test_refusals_name_the_codes_that_can_come(describe):
    paths, shared = (found := describe(*ALL))["paths"], found["components"]["responses"]

    def codes(path, method, status):
        name = paths[path][method]["responses"][status]["$ref"].rpartition("/")[2]
        return {line.split("`")[1] for line in shared[name]["description"].splitlines()}

    always = {"malformed_request", "unknown_parameter", "invalid_parameter"}
    assert codes("/v1/me", "get", "400") == always
    listing = {"invalid_filter", "invalid_sort", "invalid_cursor", "page_too_large"}
    assert codes("/v1/contacts", "get", "400") == always | listing
    assert codes("/v1/contacts", "post", "400") == always | {"malformed_json", "duplicate_key", "too_deep"}
    writes = {"conflict", "idempotency_in_progress", "idempotency_answer_gone"}
    assert codes("/v1/contacts", "post", "409") == writes | {"duplicate_external_id"}
    assert codes("/v1/contacts/{id}", "delete", "409") == writes | {"has_dependents"}
    assert codes("/v1/contacts/{id}", "delete", "422") == {"idempotency_key_reused"}
    assert codes("/v1/invoices/{id}/void", "post", "409") == writes | {
        *("invalid_state_transition", "has_payments", "has_adjustment_notes")
    }
    assert "overpayment_not_allowed" in codes("/v1/invoices/{id}/payments", "post", "422")


def test_every_code_in_the_source_is_listed(describe):
    """The codes that answers hold are words in the source; each is core's or in the manifest of its plugin.

    Those of single faults are in the guide alone.
    """
    root = Path(problems.__file__).parents[2]
    guide = (root / "docs" / "errors.md").read_text("utf-8")
    faults = {*re.findall(r"^\| `(\w+)` \|", guide.partition("### In `details`")[2], re.MULTILINE)}
    raised = set()
    parts = [("core", root / "core" / "billycan")]
    parts += [(name, root / "plugins" / name / f"billycan_{name}") for name in ALL]
    manifests = {name: plugins.read_manifest(name) for name in ALL}
    listed = CODES | of_manifests(*manifests.values())
    for part, folder in parts:
        for file in folder.rglob("*.py"):
            for code, of_fault in codes_in(ast.parse(file.read_text("utf-8"))):
                known = {*CODES, *(manifests[part].codes if part != "core" else ())}
                assert code in (known | faults if of_fault else known), f"{file}: {code}"
                raised.add(code)
                assert code in listed or of_fault
    assert faults <= raised
    assert all(status >= 400 and meaning.endswith(".") for status, meaning in listed.values())


def codes_in(tree):
    """Yield each error code that a module raises, and whether it is the code of a single fault."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            place = {"Fault": 1, "member": 1, "RuleBroken": 0, "_refused": 0}.get(name)
            if place is not None and len(node.args) > place and isinstance(node.args[place], ast.Constant):
                yield node.args[place].value, name != "_refused"
            for keyword in node.keywords:
                if keyword.arg == "code" and isinstance(keyword.value, ast.Constant):
                    yield keyword.value.value, False
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "code":
            yield from [(node.value.value, False)] if isinstance(node.value, ast.Constant) else []


@pytest.mark.whole
def test_a_deployment_that_delivers_events_describes_them(describe):
    document = json.loads(encode(describe(*ALL)))
    found = document["webhooks"]
    assert found.keys() >= {
        *("invoice.created", "invoice.paid", "quote.accepted", "booking.created", "booking.cancelled"),
        *("contact.created", "job.completed", "expense.created"),
    }
    paid = found["invoice.paid"]["post"]
    assert (paid["operationId"], paid["summary"], paid["tags"]) == ("on_invoice_paid", "Invoice paid", ["invoices"])
    told_by = ("send_invoice", "add_payment", "pay_invoice", "create_payment", "allocate_payment")
    told_by += ("issue_adjustment_note", "void_adjustment_note")
    assert f"Emitted by {', '.join(f'`{name}`' for name in told_by)}." in paid["description"]
    headers = {p["name"]: p["required"] for p in paid["parameters"]}
    names = ("webhook-id", "webhook-timestamp", "webhook-signature", "billycan-environment")
    assert headers == dict.fromkeys(names, True)
    assert list(paid["responses"]) == ["2XX", "410", "default"]
    content = paid["requestBody"]["content"]["application/json"]
    schema = bare(content["schema"])
    assert schema["required"] == ["event", "timestamp", "data"] and schema["additionalProperties"] is False
    assert schema["properties"]["event"] == {"const": "invoice.paid"}
    assert schema["properties"]["data"] == {**ref("Invoice"), "not": {"anyOf": [{"required": ["hosted_url"]}]}}
    for name, event in found.items():
        content = event["post"]["requestBody"]["content"]["application/json"]
        check(content["schema"], content["example"], document)
        assert content["example"]["event"] == name
    with pytest.raises(ValidationError):
        example = found["invoice.paid"]["post"]["requestBody"]["content"]["application/json"]["example"]
        check(schema, {**example, "data": {**example["data"], "hosted_url": None}}, document)


@pytest.mark.whole
def test_only_events_that_can_happen_here_and_are_delivered_are_described(describe):
    assert set(describe("contacts", "webhooks")["webhooks"]) == {
        f"contact.{x}" for x in ("created", "updated", "merged", "deleted")
    }
    alone = describe("contacts", "documents", "hosted", "invoices")
    assert "webhooks" not in alone and "webhooks" not in describe("webhooks")


@pytest.mark.whole
def test_what_is_made_has_links_to_what_can_be_done_with_it(describe):
    document = describe("contacts", "documents", "hosted", "invoices")
    made = document["paths"]["/v1/contacts"]["post"]["responses"]["201"]["links"]
    own = ["get_contact", "update_contact", "delete_contact", "archive_contact", "restore_contact"]
    assert list(made) == [*own, "list_duplicates", "merge_contact", "get_statement", "get_statement_as_csv"]
    assert made["archive_contact"] == ref("archive_contact", "links")
    links = document["components"]["links"]
    parameters = {"id": "$response.body#/data/id"}
    assert links["archive_contact"] == {"operationId": "archive_contact", "parameters": parameters}
    duplicate = document["paths"]["/v1/invoices/{id}/duplicate"]["post"]["responses"]["201"]["links"]
    assert "send_invoice" in duplicate and "reverse_payment" not in duplicate


@pytest.mark.whole
def test_what_several_plugins_can_make_is_named(describe):
    def made(path, *plugins):
        return answer(describe(*plugins)["paths"][path]["post"], "201")["data"]

    base = ("contacts", "documents", "hosted", "quotes")
    assert made("/v1/quotes/{id}/convert", *base, "invoices") == ref("Invoice")
    assert made("/v1/quotes/{id}/convert", *base, "jobs") == ref("Job")
    assert made("/v1/quotes/{id}/convert", *ALL) == {"anyOf": [ref("Invoice"), ref("Job")]}
    assert made("/v1/jobs/{id}/invoice", *ALL) == ref("Invoice")


def test_errors_are_described(describe):
    document = describe()
    envelope = schemas_of(document)["ErrorEnvelope"]
    assert envelope["properties"] == {"data": {"type": "null"}, "pagination": {"type": "null"}, "error": ref("Error")}
    error = document["components"]["schemas"]["Error"]
    assert error["required"] == ["type", "code", "message", "param", "details", "request_id"]
    assert error["properties"]["details"]["items"] == ref("Fault")
    for name, refusal in document["components"]["responses"].items():
        assert refusal["content"]["application/json"]["schema"] == ref("ErrorEnvelope"), name
        assert set(refusal["headers"]) >= ALWAYS


class Slot(Struct):
    """A free time."""

    staff: Named | UnsetType = UNSET
    count: int = 0


class SlotQuery(Struct, forbid_unknown_fields=True, kw_only=True):
    service_id: str
    only_free: bool = True


class Ferry(Resource):
    """A ferry."""

    name: str


class Tram(Resource):
    """A tram."""


class NewFerry(Struct, forbid_unknown_fields=True, kw_only=True):
    name: str
    parts: "list[NewFerry]" = []


class Tide(Struct):
    """High or low."""

    height: int


def list_slots(ctx: Any, query: SlotQuery) -> list[Slot]:
    """Free times.

    In order.
    """


def get_ferry(ctx: Any, id: str) -> Ferry: ...
def get_tram(ctx: Any, id: str) -> Tram: ...
def copy_ferry(ctx: Any, id: str) -> Resource: ...
def update_ferry(ctx: Any, id: str, body: Patch[NewFerry]) -> Ferry: ...
def list_ferries(ctx: Any, query: Paging) -> Page[Ferry]: ...
def get_timetable(ctx: Any, id: str) -> Reply: ...
def get_next(ctx: Any) -> Ferry | Tide: ...


@pytest.fixture
def ferries(describe, install):
    routes = (
        Route("GET", "/v1/slots", list_slots, scope=None),
        Route("GET", "/v1/ferries", list_ferries, scope="ferries:read"),
        Route("GET", "/v1/ferries/{id}", get_ferry, scope="ferries:read"),
        Route("PATCH", "/v1/ferries/{id}", update_ferry, scope="ferries:write"),
        Route(
            "POST",
            "/v1/ferries/{id}/copy",
            copy_ferry,
            scope="ferries:write",
            status=201,
            makes=("/v1/ferries/{id}", "/v1/trams/{id}", "/v1/of_a_plugin_that_is_off/{id}"),
        ),
        Route("GET", "/v1/trams/{id}", get_tram, scope="ferries:read"),
        Route("GET", "/v1/ferries/{id}.ics", get_timetable, scope="ferries:read"),
        Route("GET", "/v1/next", get_next, scope=None),
    )
    install(Manifest(name="ferries", uses=("of_a_plugin_that_is_off",), routes=routes))
    document = describe("ferries")
    OpenAPIV31SpecValidator(document).validate()
    return document


def test_a_list_that_is_no_page(ferries):
    operation = ferries["paths"]["/v1/slots"]["get"]
    assert (operation["summary"], operation["description"]) == ("Free times.", "In order.")
    assert answer(operation, "200")["data"] == {"type": "array", "items": ref("Slot")}
    assert answer(operation, "200")["pagination"] == {"type": "null"}
    assert ferries["components"]["schemas"]["Slot"]["required"] == ["count"]
    service, only_free = operation["parameters"]
    assert service == {"name": "service_id", "in": "query", "required": True, "schema": text()}
    assert only_free["schema"] == {"type": "boolean", "default": True}
    assert only_free["description"] == "Records with this value of `only_free`."


def test_an_answer_that_is_no_json(ferries):
    operation = ferries["paths"]["/v1/ferries/{id}.ics"]["get"]
    assert operation["responses"]["200"]["content"] == dict.fromkeys(("*/*", "application/octet-stream"), BINARY)
    assert "406" not in operation["responses"] and "404" in operation["responses"]


def test_an_answer_of_one_kind_or_another(ferries):
    operation = ferries["paths"]["/v1/next"]["get"]
    assert answer(operation, "200")["data"] == {"anyOf": [ref("Ferry"), ref("Tide")]}
    made = ferries["paths"]["/v1/ferries/{id}/copy"]["post"]
    assert answer(made, "201")["data"] == {"anyOf": [ref("Ferry"), ref("Tram")]}
    assert made["responses"]["201"]["headers"].keys() >= {"Location", "ETag"}
    assert "links" not in made["responses"]["201"], "whose?"


def test_a_struct_may_hold_itself(ferries):
    schemas = schemas_of(ferries)
    assert schemas["FerryChange"]["properties"]["parts"]["anyOf"][0]["items"] == ref("NewFerry")
    assert schemas["NewFerry"]["properties"]["parts"]["items"] == ref("NewFerry")


def test_a_name_that_two_plugins_have_says_whose_it_is(describe, install):
    for plugin in ("billycan_ferries", "billycan_trains"):
        ticket = defstruct("NewTicket", [("seat", str)], module=f"{plugin}.schemas")

        def buy(ctx: Any, body: ticket) -> ticket: ...

        buy.__name__ = f"buy_{plugin}"
        install(Manifest(name=plugin, routes=(Route("POST", f"/v1/{plugin}", buy, scope=None),)))
    schemas = schemas_of(describe("billycan_ferries", "billycan_trains"))
    assert {name for name in schemas if "Ticket" in name} == {
        *("FerriesTicket", "NewFerriesTicket", "TrainsTicket", "NewTrainsTicket"),
    }
