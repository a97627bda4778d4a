"""Custom fields: what is defined, what records take, show and tell, and how lists find and order it."""

import itertools
import json
from csv import DictReader
from decimal import Decimal
from io import StringIO

import pytest
from jsonschema import Draft202012Validator, ValidationError

from billycan.lists import paging
from billycan.lists.queries import Totals
from billycan.testing import Client, counted, run_timed
from billycan.web import encode
from billycan_custom_fields.tables import clearings, values
from billycan_imports.testing import finish_imports

pytestmark = pytest.mark.either

PATH = "/v1/contacts"
FIELDS = (
    {"key": "nickname", "type": "text"},
    {"key": "height", "type": "number", "label": "Height in metres"},
    {"key": "budget", "type": "money"},
    {"key": "since", "type": "date"},
    {"key": "vip", "type": "boolean"},
    {"key": "colour", "type": "choice", "choices": ["red", "blue", "dark green"]},
)
ALL = {
    "nickname": "Ace",
    "height": Decimal("1.85"),
    "budget": Decimal("1200.00"),
    "since": "2026-11-01",
    "vip": True,
    "colour": "red",
}


def define(client, status=201, **field):
    return client.post("/v1/custom_fields", {"resource": "contacts", **field}, status=status)


@pytest.fixture
def client(make_app):
    client = Client(make_app("contacts", "custom_fields"))
    for field in FIELDS:
        define(client, **field)
    return client


def add(client, **custom):
    return client.post(PATH, {"name": "Ada", "custom": custom})["data"]


def faults(answer):
    return {(fault["param"], fault["code"]) for fault in answer["error"]["details"]}


def found(client, query):
    return [record["id"] for record in client.get(f"{PATH}?{query}")["data"]]


# Definitions


def test_a_definition_is_checked_as_a_whole(client):
    answer = define(client, 422, key="Paint Colour", type="colour", choices=["a,b"], label="")
    assert faults(answer) >= {("key", "invalid_value"), ("type", "invalid_value"), ("choices[0]", "invalid_value")}
    assert faults(define(client, 422, key="size", type="choice")) == {("choices", "required")}
    assert faults(define(client, 422, key="size", type="text", choices=["s"])) == {("choices", "invalid_value")}
    assert faults(define(client, 422, resource="boats", key="size", type="text")) == {("resource", "invalid_value")}
    assert define(client, 409, key="vip", type="text")["error"]["code"] == "duplicate_custom_field"


def test_a_label_is_made_of_the_key(client):
    made = define(client, key="paint_colour", type="text")["data"]
    assert made["label"] == "Paint colour"
    one = f"/v1/custom_fields/{made['id']}"
    assert client.patch(one, {"label": "Paint"})["data"]["label"] == "Paint"
    assert client.patch(one, {"label": None})["data"]["label"] == "Paint colour"
    assert faults(client.patch(one, {"type": "number"}, 422)) == {("type", "read_only")}


def test_choices_of_a_change_are_checked(client):
    one, many = (
        f"/v1/custom_fields/{define(client, key=key, **of)['data']['id']}"
        for key, of in (
            ("site", {"type": "text"}),
            ("shade", {"type": "choice", "choices": ["light", "dark"]}),
        )
    )
    assert faults(client.patch(one, {"choices": ["light"]}, 422)) == {("choices", "invalid_value")}
    assert faults(client.patch(many, {"choices": []}, 422)) == {("choices", "required")}
    assert faults(client.patch(many, {"choices": ["dark", "dark"]}, 422)) == {("choices", "invalid_value")}


def test_a_business_has_at_most_200(client, monkeypatch):
    monkeypatch.setattr("billycan_custom_fields.handlers.MOST_FIELDS", len(FIELDS))
    assert define(client, 409, key="more", type="text")["error"]["code"] == "too_many_custom_fields"


def test_businesses_and_sandboxes_have_their_own(client):
    other = client.sandbox()
    assert other.get("/v1/custom_fields")["data"] == []
    answer = other.post(PATH, {"name": "Ada", "custom": {"vip": True}}, status=422)
    assert faults(answer) == {("custom.vip", "unknown_field")}


# Values


def test_values_are_kept_shown_and_told(client):
    made = add(client, **ALL)
    assert made["custom"] == ALL and [*made["custom"]] == [*ALL]
    one = f"{PATH}/{made['id']}"
    assert client.get(one)["data"] == made and client.get(PATH)["data"] == [made]
    assert client.get(f"{one}?fields=custom")["data"] == {"id": made["id"], "custom": ALL}
    assert [e["data"]["custom"] for e in client.get("/v1/events?event=contact.created")["data"]] == [ALL]
    changed = client.patch(one, {"custom": {"height": "1.9", "vip": None}})["data"]
    left = {name: value for name, value in ALL.items() if name != "vip"}
    assert changed["custom"] == {**left, "height": Decimal("1.9")} and changed["version"] == 2
    told = client.get("/v1/events?event=contact.updated")["data"]
    assert [event["data"] for event in told] == [changed]
    assert client.post(PATH, {"name": "Grace"})["data"]["custom"] == {}


def test_what_changes_nothing_changes_no_version(client):
    one = f"{PATH}/{add(client, **ALL)['id']}"
    same = {**ALL, "budget": "1200", "height": "1.8500", "nickname": " Ace "}
    assert client.patch(one, {"custom": same})["data"]["version"] == 1


def test_all_faults_come_at_once_with_their_paths(client):
    wrong = {"height": "tall", "budget": 1.234, "since": "2026-02-30", "vip": "yes", "colour": "pink", "hair": "grey"}
    expected = {
        ("name", "required"),
        ("custom.height", "invalid_value"),
        ("custom.budget", "invalid_value"),
        ("custom.since", "invalid_date"),
        ("custom.vip", "invalid_type"),
        ("custom.colour", "invalid_value"),
        ("custom.hair", "unknown_field"),
    }
    assert faults(client.post(PATH, {"custom": wrong}, status=422)) == expected
    one = f"{PATH}/{add(client)['id']}"
    assert faults(client.patch(one, {"name": None, "custom": wrong}, 422)) == expected
    assert faults(client.post(PATH, {"name": "Ada", "custom": ["red"]}, status=422)) == {("custom", "invalid_type")}
    assert client.get(one)["data"]["version"] == 1


def test_a_required_field_is_asked_of_new_records_and_cannot_be_cleared(client):
    old = f"{PATH}/{add(client)['id']}"
    define(client, key="code", type="text", required=True)
    assert faults(client.post(PATH, {"name": "Ada"}, status=422)) == {("custom.code", "required")}
    assert client.patch(old, {"name": "Bea", "custom": {"vip": True}})["data"]["custom"] == {"vip": True}
    one = f"{PATH}/{add(client, code='A1')['id']}"
    for sent in ({"code": None}, None):
        assert faults(client.patch(one, {"custom": sent}, 422)) == {("custom.code", "required")}
    assert client.patch(one, {"custom": {"vip": True}})["data"]["custom"] == {"code": "A1", "vip": True}


def test_values_need_the_scope_of_their_records(client):
    one = f"{PATH}/{add(client, vip=True)['id']}"
    reader = client.key("contacts:read")
    assert reader.get(one)["data"]["custom"] == {"vip": True}
    assert reader.get("/v1/custom_fields", 403)["error"]["required_scope"] == "custom_fields:read"
    assert client.key("contacts:write").patch(one, {"custom": {"vip": False}}, 200)


def test_nothing_is_asked_of_the_database_where_there_are_none(make_app):
    sent = []
    for plugins in (("contacts",), ("contacts", "custom_fields")):
        client = Client(make_app(*plugins))
        client.post(PATH, {"name": "Ada"}), client.get(PATH)
        with counted(client.app) as statements:
            client.post(PATH, {"name": "Ada"}), client.get(PATH)
        sent.append(len(statements))
    assert sent[0] == sent[1]


# Lists


def test_lists_are_filtered(client):
    made = [add(client, **ALL), add(client, vip=False, height=2, since="2026-12-24", colour="blue"), add(client)]
    first, second, third = [record["id"] for record in made]
    for query, ids in {
        "custom[nickname]=Ace": [first],
        "custom[nickname]=ace": [],
        "custom[vip]=false": [second],
        "custom[height]=1.850": [first],
        "custom[budget]=1200": [first],
        "custom[colour]=red,blue": [second, first],
        "custom[colour]=red,blue&custom[vip]=true": [first],
        "custom[height]_from=1.9": [second],
        "custom[height]_from=1.85&custom[height]_to=2": [second, first],
        "custom[since]_to=2026-11-30": [first],
        "custom_from[since]=2026-11-02": [second],
        "custom[budget]_from=-5": [first],
        "custom[vip]=true&name=Bea": None,
        "search=ada&custom[vip]=false": [second],
    }.items():
        if ids is not None:
            assert found(client, query) == ids, query
    assert third not in found(client, "custom[vip]=true")
    assert client.get(f"{PATH}?custom[vip]=true")["pagination"]["total"] == 1


def test_searches_find_texts_choices_and_numbers(make_app, clock):
    client = Client(make_app("contacts", "custom_fields", "search"))
    ids = {field["key"]: define(client, **field)["data"]["id"] for field in FIELDS}
    ada = add(client, nickname="Éclair", height="17.25", colour="dark green", vip=True, since="2026-11-01")
    other = add(client, nickname="0412 345 678")
    one = f"{PATH}/{ada['id']}"

    def finds(text):
        listed = found(client, f"search={text}")
        assert [each["id"] for each in client.get(f"/v1/search?q={text}")["data"]] == listed, text
        return listed

    for text in ("eclair", "17.25", "ark gre"):
        assert finds(text) == [ada["id"]], text
    assert finds("0412345678") == finds("0412 34") == [other["id"]]
    assert finds("ada") == [other["id"], ada["id"]] and finds("2026-11-01") == []
    # A change of another member keeps them, and one of a value takes the place of what was.
    client.patch(one, {"name": "Grace"})
    assert finds("eclair") == finds("grace") == [ada["id"]]
    client.patch(one, {"custom": {"nickname": "Tart"}})
    assert finds("eclair") == [] and finds("tart") == finds("17.25") == [ada["id"]]
    client.post(f"{PATH}/{ada['id']}/merge", {"into": other["id"]}, status=200)
    assert finds("dark green") == [other["id"]] and finds("tart") == []
    client.call("DELETE", f"/v1/custom_fields/{ids['nickname']}?clear_values=true", status=200)
    clock.move(minutes=1)
    run_timed(client.app)
    assert finds("0412 34") == [] and finds("dark green") == [other["id"]]


def test_a_filter_that_cannot_match_is_refused(client):
    for query, param in {
        "custom[hair]=grey": "custom[hair]",
        "custom[height]=tall": "custom[height]",
        "custom[vip]=yes": "custom[vip]",
        "custom[colour]=pink": "custom[colour]",
        "custom[colour]_from=red": "custom[colour]_from",
        "custom[since]_to=2026-02-30": "custom[since]_to",
    }.items():
        error = client.get(f"{PATH}?{query}", 400)["error"]
        assert (error["code"], error["param"]) == ("invalid_filter", param)
    assert client.get(f"{PATH}?custom=5", 400)["error"]["code"] == "unknown_parameter"
    assert client.get(f"{PATH}?sort=custom[hair]", 400)["error"]["code"] == "invalid_sort"
    assert client.get(f"{PATH}?sort=custom[vip],name", 400)["error"]["code"] == "invalid_sort"


def walk(client, sort, per_page, **more):
    """Return the ids of a list, walked forwards by cursors, and check that it is the same backwards and by pages."""
    start = f"{PATH}?sort={sort}&per_page={per_page}" + "".join(f"&{k}={v}" for k, v in more.items())
    pages, path = [], start
    while path:
        page = client.get(path)
        pages.append([record["id"] for record in page["data"]])
        cursor = page["pagination"]["next_cursor"]
        path = cursor and f"{start}&cursor={cursor}"
    numbered = [client.get(f"{start}&page={n}") for n in range(1, len(pages) + 1)]
    assert [[record["id"] for record in page["data"]] for page in numbered] == pages
    assert not numbered[-1]["pagination"]["has_more"]
    back, page = [], client.get(f"{start}&page={len(pages)}")
    while cursor := page["pagination"]["prev_cursor"]:
        page = client.get(f"{start}&cursor={cursor}")
        back.insert(0, [record["id"] for record in page["data"]])
    assert back == pages[:-1]
    return [id for ids in pages for id in ids]


@pytest.mark.parametrize("far", [1, 1_000])  # late pages are found in another way
def test_lists_are_sorted_by_a_value_and_those_without_come_last(client, monkeypatch, far):
    monkeypatch.setattr("billycan.lists.paging._FAR", far)
    ids = {}
    for name, height in {"a": "2", "b": "-1.5", "c": None, "d": "100", "e": "2", "f": None, "g": "0"}.items():
        ids[name] = add(client, **({} if height is None else {"height": height, "vip": True}))["id"]
    for per_page in (1, 2, 3, 7, 10):
        assert walk(client, "custom[height]", per_page) == [ids[name] for name in "bgaedcf"]
        assert walk(client, "-custom[height]", per_page) == [ids[name] for name in "deagbfc"]
    assert walk(client, "custom[height]", 2, **{"custom[vip]": "true"}) == [ids[name] for name in "bgaed"]
    assert client.get(f"{PATH}?sort=custom[height]")["pagination"]["total"] == 7
    assert client.get(f"{PATH}?sort=custom[height]&page=9")["data"] == []
    client.patch(f"{PATH}/{ids['a']}", {"custom": {"height": 300}})
    for page, name in ((7, "f"), (5, "a"), (4, "d"), (6, "c"), (3, "e"), (5, "a")):  # in any order, and after a change
        (found,) = client.get(f"{PATH}?sort=custom[height]&per_page=1&page={page}")["data"]
        assert found["id"] == ids[name]


def test_late_pages_are_right_whichever_was_asked_for_before(client, monkeypatch):
    """Records with a value are counted only near the end, and where a page is not full of them."""
    monkeypatch.setattr(paging, "_FAR", 1)
    heights = (3, 1, None, 4, None, 5, 2, 6)
    ids = [add(client, **({} if height is None else {"height": height}))["id"] for height in heights]
    up = [ids[heights.index(height)] for height in range(1, 7)] + [ids[2], ids[4]]
    down = up[5::-1] + up[:5:-1]
    for sort, wanted in (("custom[height]", up), ("-custom[height]", down)):
        for per_page, last in ((1, 9), (3, 4)):
            for pages in itertools.permutations(range(2, last + 1), 2):
                client.app.totals = Totals()
                for page in pages:
                    found = client.get(f"{PATH}?sort={sort}&per_page={per_page}&page={page}")
                    shown = [record["id"] for record in found["data"]]
                    assert shown == wanted[(page - 1) * per_page : page * per_page], (sort, pages)
                ((_, places, _),) = client.app.totals._places.values()
                assert (paging._OF_VALUES in places) is (max(pages) * per_page > 5), (sort, pages)


def test_texts_sort_without_case_and_accents(client):
    ids = [add(client, nickname=name)["id"] for name in ("Zoe", "Éva", "adam", "eve")]
    assert walk(client, "custom[nickname]", 3) == [ids[2], ids[1], ids[3], ids[0]]


# Changes of a definition


def test_what_a_change_of_choices_would_remove_is_said_first(client, clock):
    records = [add(client, colour="red"), add(client, colour="red"), add(client, colour="blue")]
    (field,) = client.get("/v1/custom_fields?key=colour")["data"]
    one = f"/v1/custom_fields/{field['id']}"
    error = client.patch(one, {"choices": ["blue"]}, 409)["error"]
    assert (error["code"], error["values"]) == ("has_values", 2)
    assert client.patch(one, {"choices": ["blue", "red"]})["data"]["choices"] == ["blue", "red"]
    changed = client.patch(one, {"choices": ["blue"], "clear_values": True})["data"]
    assert changed["choices"] == ["blue"] and "clear_values" not in changed
    shown = [client.get(f"{PATH}/{record['id']}")["data"]["custom"] for record in records]
    assert shown == [{}, {}, {"colour": "blue"}]
    clock.move(minutes=1)
    run_timed(client.app)
    client.patch(one, {"choices": ["blue", "red"]})
    assert found(client, "custom[colour]=red") == []
    assert found(client, "custom[colour]=blue") == [records[2]["id"]]


def test_a_field_is_deleted_with_its_values(client, clock, monkeypatch):
    monkeypatch.setattr("billycan_custom_fields.clearing.MOST_AT_ONCE", 2)
    records = [add(client, vip=True, colour="red") for _ in range(5)]
    (field,) = client.get("/v1/custom_fields?key=vip")["data"]
    one = f"/v1/custom_fields/{field['id']}"
    error = client.call("DELETE", one, status=409).json["error"]
    assert (error["code"], error["values"]) == ("has_values", 5)
    client.call("DELETE", f"{one}?clear_values=true", status=200)
    assert client.get(f"{PATH}/{records[0]['id']}")["data"]["custom"] == {"colour": "red"}
    assert client.get(f"{PATH}?custom[vip]=true", 400)["error"]["code"] == "invalid_filter"
    clock.move(minutes=1)
    run_timed(client.app)
    with client.app.db.reading(client.tenant_id) as db:
        rows = db.execute(values.select().where(values.c.tenant_id == client.tenant_id)).all()
        assert {row.value for row in rows} == {"red"}
        assert not db.execute(clearings.select().where(clearings.c.tenant_id == client.tenant_id)).all()


# Files


def csv_of(client, query=""):
    answer = client.call("GET", f"{PATH}?sort=created_at{query}", headers={"Accept": "text/csv"})
    return [*DictReader(StringIO(answer.text))]


def test_a_csv_file_has_a_column_for_each_field(client):
    add(client, **ALL), add(client, vip=False, nickname="=1+1")
    first, second = csv_of(client)
    assert {name: first[f"custom.{name}"] for name in ALL} == {**{k: str(v) for k, v in ALL.items()}, "vip": "true"}
    assert (second["custom.vip"], second["custom.height"], second["custom.nickname"]) == ("false", "", "'=1+1")
    (only,) = csv_of(client, "&custom[vip]=true&fields=name,custom")
    assert [*only] == ["id", "name", *(f"custom.{field['key']}" for field in FIELDS)]


def imported(client, text):
    headers = {"Content-Type": "text/csv"}
    made = client.call("POST", "/v1/imports?resource=contacts", raw=text.encode(), headers=headers, status=202)
    finish_imports(client.app)
    return client.get(f"/v1/imports/{made.json['data']['id']}")["data"]


def test_rows_of_a_file_have_custom_values(make_app):
    client = Client(make_app("contacts", "custom_fields", "imports"))
    for field in FIELDS:
        define(client, **field)
    text = "name,custom.height,custom.vip,custom.colour,custom.since\nAda,1.85,true,dark green,2026-11-01\nBea,,,,\n"
    done = imported(client, text)
    assert (done["status"], done["faults"]) == ("done", [])
    ada, bea = client.get(f"{PATH}?sort=name")["data"]
    assert ada["custom"] == {"height": Decimal("1.85"), "since": "2026-11-01", "vip": True, "colour": "dark green"}
    assert bea["custom"] == {}
    assert found(client, "custom[height]_from=1") == [ada["id"]]
    assert [e["data"]["custom"] for e in client.get("/v1/events?event=contact.created&sort=created_at")["data"]] == [
        ada["custom"],
        {},
    ]
    # What a list's file has can be read again.
    whole = client.call("GET", PATH, headers={"Accept": "text/csv"}).text
    again = imported(client, whole.replace("Ada", "Ada again"))
    assert again["status"] == "done" and client.get(f"{PATH}?search=again")["data"][0]["custom"] == ada["custom"]


def test_faults_in_a_file_name_the_column(make_app):
    client = Client(make_app("contacts", "custom_fields", "imports"))
    define(client, key="height", type="number", required=True)
    found = imported(client, "name,custom.height,custom.hair\nAda,tall,grey\n")
    assert [(each["column"], each["code"]) for each in found["faults"]] == [("custom.hair", "unknown_field")]
    found = imported(client, "name,custom.height\nAda,tall\nBea,\n")
    told = [(each["row"], each["column"], each["code"]) for each in found["faults"]]
    assert told == [(1, "custom.height", "invalid_value"), (2, "custom.height", "required")]


# The description


def test_the_description_asked_with_a_key_has_the_fields_of_the_business(client):
    define(client, key="code", type="text", label="Code of the\nwarehouse", required=True)
    general = client.call("GET", "/v1/openapi.json", headers={"Authorization": ""}).json
    described = client.call("GET", "/v1/openapi.json")
    assert described.headers["Cache-Control"] == "private, no-cache"
    same = client.call("GET", "/v1/openapi.json", headers={"If-None-Match": described.headers["ETag"]})
    assert same.status_int == 304
    assert client.call("GET", "/v1/openapi.json", headers={"Authorization": "Bearer svc_live_no"}).status_int == 401
    document = described.json
    schemas = document["components"]["schemas"]
    new, shown, change = (schemas[name] for name in ("NewContactsCustom", "ContactsCustom", "ContactsCustomChange"))
    assert [*new["properties"]] == [*(field["key"] for field in FIELDS), "code"] == [*shown["properties"]]
    assert new["required"] == ["code"] and "custom" in schemas["NewContact"]["required"]
    assert shown["required"] == change["required"] == []
    assert shown["properties"]["colour"]["enum"] == ["blue", "dark green", "red"]
    assert shown["properties"]["code"]["description"] == "Code of the warehouse"
    assert new["additionalProperties"] is False
    names = [each.get("name") for each in document["paths"][PATH]["get"]["parameters"]]
    assert {"custom[height]_from", "custom[colour]", "custom[since]_to"} <= {*names}
    assert {"custom", "custom[colour]_from"}.isdisjoint(names)
    assert "ContactsCustom" not in str(general)
    body = {"name": "Ada", "custom": {"code": "A", "colour": "red", "since": "2026-11-01", "height": 2}}
    made = client.post(PATH, body)["data"]
    for name, value in (("NewContact", body), ("Contact", made)):
        validator = Draft202012Validator({"$ref": f"#/components/schemas/{name}", "components": document["components"]})
        validator.validate(json.loads(encode(value)))
    with pytest.raises(ValidationError):
        Draft202012Validator({"$ref": "#/$defs/x", "$defs": {"x": new}}).validate({"code": "A", "hair": "grey"})


# Beside other plugins


def test_a_merged_contact_gives_what_the_other_lacks(client):
    gone, left = add(client, vip=True, colour="red", height=1), add(client, colour="blue")
    client.post(f"{PATH}/{gone['id']}/merge", {"into": left["id"]}, status=200)
    expected = {"height": Decimal("1"), "vip": True, "colour": "blue"}
    assert client.get(f"{PATH}/{left['id']}")["data"]["custom"] == expected
    assert found(client, "custom[vip]=true") == [left["id"]] and found(client, "custom[colour]=red") == []


def test_a_copy_is_told_of_values_that_are_removed(make_app, clock):
    client = Client(make_app("changes", "contacts", "custom_fields"))
    field = define(client, key="vip", type="boolean")["data"]["id"]
    made = add(client, vip=True)
    cursor = client.get("/v1/changes")["data"]["cursor"]
    client.call("DELETE", f"/v1/custom_fields/{field}?clear_values=true", status=200)
    clock.move(minutes=1)
    run_timed(client.app)
    (change,) = client.get(f"/v1/changes?resources=contacts&after={cursor}")["data"]["changes"]
    assert (change["id"], change["record"]["custom"]) == (made["id"], {})


def test_what_is_made_of_another_record_takes_its_values_along(make_app, clock):
    plugins = ("contacts", "custom_fields", "documents", "hosted", "invoices", "jobs", "quotes", "recurring")
    app = make_app(*plugins)
    client = Client(app)
    for resource in ("invoices", "quotes", "jobs", "recurring_invoices"):
        define(client, resource=resource, key="site", type="text")
        define(client, resource=resource, key="stage", type="choice", choices=["first", f"of {resource}"])
    define(client, resource="invoices", key="code", type="text", required=True)
    define(client, resource="jobs", key="code", type="number")
    client_id = client.post(PATH, {"name": "Ada"})["data"]["id"]

    def make(resource, members, **custom):
        lines = [{"description": "Work", "quantity": 1, "unit_price": "100.00"}]
        body = {"client_id": client_id, "line_items": lines, "custom": {"site": "Pier 7", **custom}, **members}
        return client.post(f"/v1/{resource}", body)["data"]

    first = make("invoices", {}, stage="first", code="A")
    copy = client.post(f"/v1/invoices/{first['id']}/duplicate")["data"]
    assert copy["custom"] == first["custom"] == {"site": "Pier 7", "stage": "first", "code": "A"}
    assert client.get("/v1/events?event=invoice.created")["data"][0]["data"].items() <= copy.items()
    assert {each["id"] for each in client.get("/v1/invoices?search=pier")["data"]} == {copy["id"], first["id"]}

    quotes = [make("quotes", {}, stage=stage) for stage in ("first", "of quotes")]
    for quote in quotes:
        for action, body in (("send", {}), ("accept", {"name": "Ada"})):
            client.post(f"/v1/quotes/{quote['id']}/{action}", body, status=200)
    invoice = client.post(f"/v1/quotes/{quotes[0]['id']}/convert", {"to": "invoice"})["data"]
    assert invoice["custom"] == {"site": "Pier 7", "stage": "first"}
    job = client.post(f"/v1/quotes/{quotes[1]['id']}/convert", {"to": "job"})["data"]
    assert job["custom"] == {"site": "Pier 7"}  # a choice that jobs have not
    job = client.patch(f"/v1/jobs/{job['id']}", {"custom": {"stage": "first", "code": 7}})["data"]
    client.post(f"/v1/jobs/{job['id']}/start", {}, status=200)
    invoice = client.post(f"/v1/jobs/{job['id']}/invoice", {})["data"]
    assert invoice["custom"] == {"site": "Pier 7", "stage": "first"}  # a code of another type

    make("recurring_invoices", {"frequency": "month", "start_on": str(clock().date())}, stage="first")
    clock.move(minutes=5)
    run_timed(app)
    (invoice,) = client.get("/v1/invoices?sort=-created_at&per_page=1")["data"]
    assert invoice["custom"] == {"site": "Pier 7", "stage": "first"}


def test_a_field_that_a_batch_defines_can_be_used_in_it(make_app):
    client = Client(make_app("batch", "contacts", "custom_fields"))
    operations = [
        {
            "method": "POST",
            "path": "/v1/custom_fields",
            "body": {"resource": "contacts", "key": "vip", "type": "boolean"},
        },
        {"method": "POST", "path": PATH, "body": {"name": "Ada", "custom": {"vip": True}}},
    ]
    results = client.post("/v1/batch", {"operations": operations, "atomic": True}, status=200)["data"]["results"]
    assert results[1]["body"]["data"]["custom"] == {"vip": True}


def test_resources_of_third_parties_have_them(make_app):
    client = Client(make_app("assets", "contacts", "custom_fields"))
    client.post("/v1/custom_fields", {"resource": "assets", "key": "wheels", "type": "number"})
    made = client.post("/v1/assets", {"name": "Trailer", "cost": "900.00", "custom": {"wheels": 4}})["data"]
    assert made["custom"] == {"wheels": 4}
    assert [each["id"] for each in client.get("/v1/assets?custom[wheels]_from=4")["data"]] == [made["id"]]
