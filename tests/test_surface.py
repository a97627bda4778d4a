"""docs/openapi.json is the current API, and within a major version the API only grows.

Each release leaves its copy as docs/released/openapi-<version>.json for comparison.
"""

import json
import re
from copy import deepcopy
from pathlib import Path

import pytest

from billycan.describe.comparing import find_broken as broken
from billycan.describe.comparing import write_changes
from billycan.describe.surface import facts_in, facts_of, write_surface
from billycan.starting.plugins import first_party
from billycan.testing import Client

DOCS = Path(__file__).parents[1] / "docs"
RELEASED = re.compile(r"^## (\d+\.\d+\.\d+) \(\d{4}-\d\d-\d\d\)$", re.MULTILINE)


@pytest.mark.whole
@pytest.mark.sqlite_alone
def test_the_file_is_what_the_api_is(make_app):
    now = write_surface(facts_of(make_app(*sorted(first_party()))))
    kept = (DOCS / "openapi.json").read_text("utf-8")
    differ = sorted({*now.splitlines()} ^ {*kept.splitlines()})
    assert now == kept, "\n".join(["docs/openapi.json is behind: make fix writes it", *differ[:10]])


def test_each_fact_has_a_line_that_can_be_read():
    lines = (DOCS / "openapi.json").read_text("utf-8").splitlines()
    facts = json.loads("\n".join(lines))
    assert len(lines) == len(facts) + 2 and [*facts] == sorted(facts)
    assert len(lines) <= 4_000 and max(map(len, lines)) <= 500


@pytest.mark.sqlite_alone
def test_a_shorter_deployment_has_fewer_facts(make_app):
    app = make_app("contacts")
    facts, whole = facts_of(app), json.loads((DOCS / "openapi.json").read_text("utf-8"))
    assert "/v1/contacts POST" in facts and "/v1/invoices POST" not in facts
    assert broken(facts, whole) == []
    assert facts["/v1/contacts POST"]["status"] == Client(app).call("POST", "/v1/contacts", {"name": "A"}).status_int


def test_what_was_released_is_still_there():
    now = json.loads((DOCS / "openapi.json").read_text("utf-8"))
    versions = RELEASED.findall((DOCS / "changelog.md").read_text("utf-8"))
    files = {path.stem.removeprefix("openapi-"): path for path in DOCS.glob("released/openapi-*.json")}
    assert {*versions[:1]} <= files.keys() <= {*versions}, "docs/releasing.md says how docs/released is filled"
    for version, path in files.items():
        faults = broken(json.loads(path.read_text("utf-8")), now)
        assert not faults, "\n".join([f"clients of {version} rely on this (docs/versions.md):", *faults])


TEXT = {"type": "string", "maxLength": 100}
OR_NULL = {"anyOf": [TEXT, {"type": "null"}]}
KIND = {"type": "string", "enum": ["car", "van"]}
BEFORE = {
    "/v1/vans GET": {
        "answer": {"type": "array", "items": {"$ref": "Van"}}, "id": "list_vans", "needs": ["vans:read"], "status": 200,
        "takes": ["Fields"],
    },
    "/v1/vans GET ?kind": {"type": "array", "items": KIND},
    "/v1/vans GET ?sort": {"enum": ["name"]},
    "/v1/vans/price POST": {"body": {"$ref": "Empty"}, "id": "price_vans", "status": 200},
    "/v1/vans POST": {
        "answer": {"$ref": "Van"}, "body": {"$ref": "NewVan"}, "id": "create_van", "needs": ["vans:write"],
        "refuses": ["too_many_vans"], "status": 201,
    },
    "Empty": {"is": "sent"},
    "NewVan": {"is": "sent"},
    "NewVan.kind": KIND | {"default": "car"},
    "NewVan.name": TEXT | {"required": True},
    "NewVan.seats": {"type": "integer", "minimum": 1, "maximum": 9, "default": 2},
    "Van": {"is": "shown"},
    "Van.kind": KIND | {"required": True},
    "Van.name": TEXT | {"required": True},
    "Van.sold_on": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}], "required": True},
    "code too_many_vans": {"status": 409},
    "event van.sold": {"data": {"$ref": "Van"}},
}  # fmt: skip


def test_a_changelog_is_written_from_what_changed():
    now = changed("NewVan.kind", enum=["bus", "car", "van"]) | {
        "/v1/vans/{id}/wash POST": {"answer": {"$ref": "Van"}, "id": "wash_van", "status": 200},
        "/v1/vans/{id}/wash POST ?wax": {"type": "boolean"},
        "/v1/vans GET ?name": {"type": "string"},
        "Wash": {"is": "shown"},
        "Wash.price": {"type": "number", "required": True},
        "NewVan.colour": {**OR_NULL},
        "code van_sold": {"status": 409},
        "event van.washed": {"data": {"$ref": "Wash"}},
        "Van.name": {**OR_NULL, "required": True},
        "/v1/vans POST": {**BEFORE["/v1/vans POST"], "refuses": ["van_sold"], "deprecated": True},
    }
    del now["Van.sold_on"]
    assert write_changes(BEFORE, BEFORE) == ""
    assert write_changes(BEFORE, now).splitlines() == [
        "### Clients that rely on this must change",
        "",
        "- /v1/vans POST: refuses had too_many_vans",
        f"- Van.name was {BEFORE['Van.name']}, and may be {now['Van.name']}",
        "- Van.sold_on was there, and is not",
        "",
        "### Added",
        "",
        "- `GET /v1/vans` `?name`: string",
        "- `POST /v1/vans/{id}/wash`: `wash_van`; `?wax`",
        "- `NewVan.colour`: string or null",
        "- `Wash`: `price`",
        "- code `van_sold`: status 409",
        "- event `van.washed`",
        "",
        "### Changed",
        "",
        "- `POST /v1/vans`: deprecated was `null`, is `true`; refuses has `van_sold`; refuses lacks `too_many_vans`",
        "- `NewVan.kind`: enum has `bus`",
        "- `Van.name`: was string, required, is string or null, required",
        "",
        "### Removed",
        "",
        "- `Van.sold_on`: date or null, required",
    ]


@pytest.mark.sqlite_alone
def test_a_document_alone_has_the_same_facts(make_app):
    app = make_app("contacts", "webhooks")
    whole, alone = facts_of(app), facts_in(json.loads(json.dumps(app.openapi(), default=float)))
    without = {name: {**fact, "refuses": None} for name, fact in alone.items() if not name.startswith("code ")}
    assert without == {name: {**whole[name], "refuses": None} for name in without}
    assert whole.keys() - alone.keys() <= {name for name in whole if name.startswith("code ")}
    assert {*whole["/v1/contacts/{id} DELETE"]["refuses"]} < {*alone["/v1/contacts/{id} DELETE"]["refuses"]}
    assert alone["code validation_failed"] == whole["code validation_failed"] == {"status": 422}


def changed(name, **members):
    facts = deepcopy(BEFORE)
    facts[name] = {key: value for key, value in {**facts.get(name, {}), **members}.items() if value is not None}
    return facts


def without(name):
    return {other: fact for other, fact in BEFORE.items() if other != name}


@pytest.mark.parametrize(
    "now",
    [
        changed("/v1/vans DELETE", id="delete_vans", status=200),
        changed("/v1/vans GET ?name", type="string"),
        changed("/v1/vans GET ?sort", enum=["kind", "name"]),
        changed("/v1/vans GET ?kind", items=KIND | {"enum": ["bus", "car", "van"]}),
        changed("/v1/vans GET", takes=["Fields", "IfNoneMatch"], other=["text/csv"], deprecated=True),
        changed("/v1/vans POST", needs=["vans:write", "fleet:write"], refuses=["too_many_vans", "van_sold"]),
        changed("/v1/vans POST", needs=None),
        changed("/v1/vans/price POST", body={"$ref": "Pricing"}) | {"Pricing.discount": {"type": "number"}},
        changed("NewVan.colour", default=None, **TEXT),
        changed("NewVan.name", maxLength=200),
        changed("NewVan.name", required=None),
        changed("NewVan.name", type=None, maxLength=None, **OR_NULL),
        changed("NewVan.kind", enum=["bus", "car", "van"]),
        changed("NewVan.seats", minimum=0, maximum=None),
        changed("NewVan.seats", type="number"),
        changed("Van.colour", required=True, **TEXT),
        changed("Van.name", maxLength=200),
        changed("Van.sold_on", anyOf=None, type="string", format="date"),
        changed("Wheel", **{"is": "sent"}) | {"Wheel.size": {"type": "number", "required": True}},
        changed("code van_sold", status=409),
        changed("event van.bought", data={"$ref": "Van"}),
    ],
    ids=str,
)
def test_what_only_adds_may_land(now):
    assert broken(BEFORE, now) == []


@pytest.mark.parametrize("name", BEFORE)
def test_nothing_may_go(name):
    assert f"{name} was there, and is not" in broken(BEFORE, without(name))


@pytest.mark.parametrize(
    "now, said",
    [
        (changed("/v1/vans GET", id="get_vans"), "id was list_vans, and is get_vans"),
        (changed("/v1/vans POST", status=200), "status was 201"),
        (changed("/v1/vans GET", answer={"$ref": "Van"}), "its answer changed"),
        (changed("/v1/vans POST", body={"$ref": "Van"}), "its body changed"),
        (changed("/v1/vans/price POST", body={"$ref": "NewVan"}), "its body changed"),
        (changed("/v1/vans/price POST", needs=[""]), "it needed no key"),
        (changed("/v1/vans GET", takes=None), "takes had Fields"),
        (changed("/v1/vans POST", refuses=["van_sold"]), "refuses had too_many_vans"),
        (changed("/v1/vans POST", needs=["vans:write fleet:write"]), "'vans:write' does not suffice"),
        (changed("/v1/vans GET ?year", required=True, type="integer"), "is new, and required"),
        (changed("/v1/vans GET ?sort", enum=["title"]), "?sort took"),
        (changed("/v1/vans GET ?kind", items=KIND | {"enum": ["car"]}), "?kind took"),
        (changed("/v1/vans GET ?kind", maxItems=1), "?kind took"),
        (changed("NewVan", **{"is": "shown"}), "NewVan was"),
        (changed("NewVan.colour", required=True, **TEXT), "is new, and required"),
        (changed("NewVan.kind", required=True), "NewVan.kind took"),
        (changed("NewVan.kind", default="van"), "NewVan.kind took"),
        (changed("NewVan.kind", enum=["bus", "car"]), "NewVan.kind took"),
        (changed("NewVan.name", maxLength=50), "NewVan.name took"),
        (changed("NewVan.name", pattern="^[a-z]+$"), "NewVan.name took"),
        (changed("NewVan.seats", minimum=2), "NewVan.seats took"),
        (changed("NewVan.seats", type="string"), "NewVan.seats took"),
        (changed("Van.name", required=None), "Van.name was"),
        (changed("Van.name", type=None, maxLength=None, **OR_NULL), "Van.name was"),
        (changed("Van.kind", enum=["bus", "car", "van"]), "Van.kind was"),
        (changed("Van.sold_on", anyOf=[{"type": "string"}, {"type": "null"}]), "Van.sold_on was"),
        (changed("code too_many_vans", status=422), "code too_many_vans was"),
        (changed("event van.sold", data={"$ref": "OldVan"}), "event van.sold was"),
    ],
    ids=str,
)
def test_what_a_client_relies_on_may_not_change(now, said):
    (fault,) = broken(BEFORE, now)
    assert said in fault
