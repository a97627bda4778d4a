"""Changes of records: what they affect and what they leave; versions; and the methods of a path."""

import pytest

from billycan.testing import Client

pytestmark = pytest.mark.either

FULL = {
    "name": "Ada",
    "kind": "person",
    "roles": ["client", "supplier"],
    "email": "ada@example.com",
    "phone": "0412 345 678",
    "abn": "47 555 222 000",
    "gst_registered": True,
    "billing_address": {"line1": "1 Collins St", "suburb": "Hobart", "state": "TAS", "postcode": "7000"},
    "people": [{"name": "Bob", "role": "Foreman"}, {"name": "Cy"}],
    "payment_terms_days": 7,
    "notes": "Line one\nLine two",
    "tags": ["vip"],
    "external_id": "X-1",
    "metadata": {"colour": "blue", "size": "L"},
}
ADDRESS = {
    "line1": "1 Collins St",
    "line2": None,
    "suburb": "Hobart",
    "state": "TAS",
    "postcode": "7000",
    "country": "AU",
}


@pytest.fixture
def client(make_app):
    return Client(make_app("contacts"))


@pytest.fixture
def ada(client):
    return client.post("/v1/contacts", FULL)["data"]


@pytest.fixture
def path(ada):
    return f"/v1/contacts/{ada['id']}"


CHANGES = {
    "one member": ({"name": " Eve "}, {"name": "Eve"}),
    "null clears": ({"email": None, "notes": None}, {"email": None, "notes": None}),
    "null brings the default back": (
        {"kind": None, "roles": None, "tags": None},
        {"kind": "company", "roles": ["client"], "tags": []},
    ),
    "a list is replaced": (
        {"people": [{"name": "Di"}]},
        {"people": [{"name": "Di", "role": None, "email": None, "phone": None}]},
    ),
    "an object is merged": (
        {"billing_address": {"suburb": "Glebe"}},
        {"billing_address": ADDRESS | {"suburb": "Glebe"}},
    ),
    "null inside an object": (
        {"billing_address": {"line1": None, "country": None}},
        {"billing_address": ADDRESS | {"line1": None}},
    ),
    "an object is cleared": ({"billing_address": None}, {"billing_address": None}),
    "an object is made": (
        {"site_address": {"suburb": "Perth"}},
        {"site_address": dict.fromkeys(ADDRESS) | {"suburb": "Perth", "country": "AU"}},
    ),
    "metadata is merged": (
        {"metadata": {"size": None, "shape": "round"}},
        {"metadata": {"colour": "blue", "shape": "round"}},
    ),
    "metadata: nothing to remove": ({"metadata": {"shape": None}, "name": "Eve"}, {"name": "Eve"}),
    "metadata is cleared": ({"metadata": None}, {"metadata": {}}),
    "metadata of odd keys": (
        {"metadata": {"a.b[c]": "$", "id": "'"}},
        {"metadata": FULL["metadata"] | {"a.b[c]": "$", "id": "'"}},
    ),
    "external_id is freed": ({"external_id": None}, {"external_id": None}),
}


@pytest.mark.parametrize(("sent", "wanted"), CHANGES.values(), ids=CHANGES)
def test_only_what_is_sent_changes(client, ada, path, sent, wanted):
    changed = client.patch(path, sent)["data"]
    assert changed == ada | wanted | {"version": 2, "updated_at": changed["updated_at"]}
    assert changed["updated_at"] > ada["updated_at"]
    assert client.last.headers["ETag"] == '"2"'
    assert client.get(path)["data"] == changed
    assert client.events() == ["contact.created", "contact.updated"]


NOTHING = {
    "an empty object": {},
    "the same name": {"name": "  Ada\n"},
    "the same ABN": {"abn": "47555222000"},
    "what is null already": {"website": None, "site_address": None},
    "part of an object": {"billing_address": {"state": "TAS"}},
    "an empty object within": {"billing_address": {}, "metadata": {}},
    "the same list": {"people": [{"name": "Bob", "role": "Foreman", "email": None}, {"name": "Cy"}]},
    "metadata that is not there": {"metadata": {"shape": None, "size": "L"}},
    "read-only members": {"version": 1, "status": "active", "allowed_actions": ["archive", "merge"]},
}


@pytest.mark.parametrize("sent", NOTHING.values(), ids=NOTHING)
def test_a_change_that_changes_nothing_leaves_all_as_it_is(client, ada, path, sent):
    assert client.patch(path, sent)["data"] == ada
    assert client.last.headers["ETag"] == '"1"'
    assert client.events() == ["contact.created"]


def test_what_get_answers_may_be_sent_back(client, ada, path):
    whole = client.get(path)["data"]
    assert client.patch(path, whole)["data"] == ada
    assert client.patch(path, whole | {"name": "Eve"}, If_Match='"1"')["data"]["version"] == 2
    # Somebody who still holds the old one learns what to do, not that versions are read-only.
    client.patch(path, whole | {"name": "Bob"}, 412, If_Match='"1"')
    error = client.patch(path, whole | {"name": "Bob"}, 422)["error"]
    assert {(d["param"], d["code"]) for d in error["details"]} == {
        ("version", "read_only"),
        ("updated_at", "read_only"),
    }


@pytest.mark.sqlite_alone
@pytest.mark.parametrize(
    ("member", "value"),
    [
        *[("version", value) for value in (2, "1", 1.5, True, None)],
        ("id", "con_1"),
        ("status", "archived"),
        ("allowed_actions", []),
        ("created_at", "2020-01-01T00:00:00Z"),
        ("updated_at", None),
    ],
)
def test_a_read_only_member_cannot_change(client, ada, path, member, value):
    error = client.refused(422, "validation_failed", "PATCH", path, {"name": "Eve", member: value})
    assert [(d["param"], d["code"]) for d in error["details"]] == [(member, "read_only")]
    assert client.get(path)["data"] == ada


def test_read_only_members_are_refused_on_create(client, ada):
    error = client.refused(422, "validation_failed", "POST", "/v1/contacts", ada)
    read_only = {"id", "version", "status", "created_at", "updated_at", "allowed_actions"}
    assert {(d["param"], d["code"]) for d in error["details"]} == {(name, "read_only") for name in read_only}


BAD = {
    "name": ({"name": None}, "name", "required"),
    "blank": ({"name": " "}, "name", "required"),
    "unknown": ({"colour": None}, "colour", "unknown_field"),
    "unknown below": ({"billing_address": {"planet": "Mars"}}, "billing_address.planet", "unknown_field"),
    "wrong type": ({"billing_address": []}, "billing_address", "invalid_type"),
    "wrong together": ({"billing_address": {"postcode": "70"}}, "billing_address.postcode", "invalid_value"),
    "wrong with what is stored": ({"billing_address": {"state": "Mars"}}, "billing_address.state", "invalid_value"),
    "item without what it needs": ({"people": [{"role": "x"}]}, "people[0].name", "required"),
    "null in a list": ({"tags": [None]}, "tags[0]", "invalid_type"),
    "metadata": ({"metadata": {"a": 1}}, "metadata.a", "invalid_type"),
    "too much metadata": ({"metadata": {str(i): "" for i in range(49)}}, "metadata", "too_long"),
}


@pytest.mark.parametrize(("sent", "param", "code"), BAD.values(), ids=BAD)
def test_a_bad_change_changes_nothing(client, ada, path, sent, param, code):
    error = client.refused(422, "validation_failed", "PATCH", path, {"notes": "new", **sent})
    assert [(d["param"], d["code"]) for d in error["details"]] == [(param, code)]
    assert client.get(path)["data"] == ada


def test_external_ids_are_unique_among_a_tenants_own(client, ada, path):
    other = client.post("/v1/contacts", {"name": "Bob", "external_id": "X-2"})["data"]
    for method, where, body in (
        ("POST", "/v1/contacts", FULL),
        ("PATCH", f"/v1/contacts/{other['id']}", {"external_id": " X-1 "}),
    ):
        error = client.refused(409, "duplicate_external_id", method, where, body)
        assert error["type"] == "conflict" and error["param"] == "external_id"
    Client(client.app).post("/v1/contacts", FULL)
    client.sandbox().post("/v1/contacts", FULL)
    client.delete(path)
    client.post("/v1/contacts", FULL)


@pytest.mark.parametrize("header", ['"1"', '"7", "1"', ' "7" ,"1" ', "*", " * "])
def test_a_change_of_the_version_named_goes_through(client, path, header):
    assert client.patch(path, {"name": "Eve"}, If_Match=header)["data"]["name"] == "Eve"


STALE = ['"2"', '"0"', '"2", "3"', 'W/"1"', '""', '"*"', "nonsense"]


@pytest.mark.sqlite_alone
@pytest.mark.parametrize("header", STALE)
@pytest.mark.parametrize(
    ("method", "action", "body"),
    [("PATCH", "", {"name": "Eve"}), ("PATCH", "", {}), ("DELETE", "", None), ("POST", "/archive", None)],
)
def test_a_change_of_another_version_is_refused(client, ada, path, header, method, action, body):
    error = client.refused(412, "version_conflict", method, path + action, body, headers={"If-Match": header})
    assert error["type"] == "precondition"
    assert client.get(path)["data"] == ada


def test_of_changes_that_meet_one_wins(client, ada, path):
    found = client.race(*(("PATCH", path, {"name": f"Eve {i}"}, None, {"If-Match": '"1"'}) for i in range(6)))
    assert sorted(answer.status_int for answer in found) == [200] + [412] * 5
    (won,) = (answer.json["data"] for answer in found if answer.status_int == 200)
    assert client.get(path)["data"] == won and won["version"] == 2
    assert client.events() == ["contact.created", "contact.updated"]


def test_changes_that_meet_are_all_kept(client, ada, path):
    client.race(*(("PATCH", path, {"metadata": {f"key {i}": "x"}}, 200) for i in range(6)))
    changed = client.get(path)["data"]
    assert changed["version"] == 7 and changed["metadata"] == FULL["metadata"] | {f"key {i}": "x" for i in range(6)}


def test_of_new_records_with_one_external_id_that_meet_one_is_made(client):
    found = client.race(*[("POST", "/v1/contacts", FULL)] * 6)
    assert sorted(answer.status_int for answer in found) == [201] + [409] * 5
    assert {answer.json["error"]["code"] for answer in found if answer.status_int == 409} == {"duplicate_external_id"}
    assert client.get("/v1/contacts")["pagination"]["total"] == 1 and client.events() == ["contact.created"]


def test_the_tenant_has_versions_too(client):
    before = client.get("/v1/tenant")
    assert client.last.headers["ETag"] == '"1"' and before["data"]["version"] == 1
    client.patch("/v1/tenant", {"name": "Eve"}, 412, If_Match='"2"')
    assert client.patch("/v1/tenant", before["data"], If_Match='"1"')["data"] == before["data"]
    changed = client.patch("/v1/tenant", {"name": "Eve", "address": {"state": "TAS"}}, If_Match='"1"')["data"]
    assert changed["version"] == 2 and changed["address"]["country"] == "AU"
    assert client.get("/v1/tenant")["data"] == changed
    assert client.get("/v1/me")["data"]["tenant"]["name"] == "Eve"
    cleared = client.patch("/v1/tenant", {"address": None, "timezone": None, "gst_registered": None})["data"]
    assert (cleared["address"], cleared["timezone"], cleared["gst_registered"]) == (None, "Australia/Sydney", False)


def test_the_registration_for_gst_is_kept_by_date(client, clock):
    def tenant(sent, **more):
        return client.patch("/v1/tenant", sent, **more)["data"]

    def told(shown):
        return [(one["from"], one["registered"], one["basis"]) for one in shown["gst_settings"]]

    began = ("2000-07-01", True, "accrual")
    before = client.get("/v1/tenant")["data"]
    assert before["gst_settings"] == [{"from": began[0], "registered": True, "basis": "accrual", "period": "quarter"}]
    today = "2026-11-21"
    ended = tenant({"gst_registered": False})
    assert (told(ended), ended["gst_registered"]) == ([began, (today, False, "accrual")], False)
    assert tenant({"gst_registered": False}) == ended  # which keeps the version, too
    assert told(tenant({"gst_registered": True})) == [began, (today, True, "accrual")]
    cash = [{"from": "2026-12-01", "registered": False}, {"from": "2026-07-01", "registered": True, "basis": "cash"}]
    shown = tenant({"gst_settings": cash})
    assert told(shown) == [("2026-07-01", True, "cash"), ("2026-12-01", False, "accrual")]
    assert (shown["gst_registered"], shown["gst_settings"][0]["period"]) == (True, "quarter")
    assert tenant(shown) == shown
    clock.move(days=30)
    assert client.get("/v1/tenant")["data"] == {**shown, "gst_registered": False}
    again = tenant({"gst_registered": True})
    assert told(again)[2:] == [("2026-12-21", True, "accrual")]
    assert (told(tenant({"gst_settings": []})), client.get("/v1/tenant")["data"]["gst_registered"]) == ([], False)
    twice = {"gst_settings": [{"from": today, "registered": True}] * 2}
    error = client.refused(422, "validation_failed", "PATCH", "/v1/tenant", twice)
    assert error["details"][0]["param"] == "gst_settings"
    torn = {"gst_settings": [{"from": today, "registered": True}], "gst_registered": False}
    assert client.refused(422, "validation_failed", "PATCH", "/v1/tenant", torn)["param"] == "gst_registered"


def test_a_profile_with_as_many_settings_as_it_may_have_takes_no_more_by_itself(client):
    days = [f"{year}-{month:02}-01" for year in range(2010, 2019) for month in range(1, 13)][:100]
    full = client.patch("/v1/tenant", {"gst_settings": [{"from": day, "registered": True} for day in days]})["data"]
    error = client.refused(422, "validation_failed", "PATCH", "/v1/tenant", {"gst_registered": False})
    assert (error["details"][0]["param"], error["details"][0]["code"]) == ("gst_settings", "too_long")
    assert client.get("/v1/tenant")["data"] == full
    client.patch("/v1/tenant", {"gst_settings": full["gst_settings"][1:]})
    assert client.patch("/v1/tenant", {"gst_registered": False})["data"]["gst_registered"] is False
    assert len(client.get("/v1/tenant")["data"]["gst_settings"]) == 100


@pytest.mark.sqlite_alone
@pytest.mark.parametrize(
    ("sent", "param", "code"),
    [
        ({"name": None}, "name", "required"),
        ({"abn": "1"}, "abn", "invalid_abn"),
        ({"timezone": "Hobart"}, "timezone", "invalid_value"),
        ({"bank_account": {"bsb": "1"}}, "bank_account.bsb", "invalid_value"),
        ({"bank_account": {"bsb": "062-000"}}, "bank_account.account_number", "required"),
        ({"default_payment_terms_days": -1}, "default_payment_terms_days", "out_of_range"),
        ({"environment": "sandbox"}, "environment", "read_only"),
        ({"paired_id": "ten_1"}, "paired_id", "unknown_field"),
    ],
)
def test_a_bad_profile_changes_nothing(client, sent, param, code):
    before = client.get("/v1/tenant")["data"]
    error = client.refused(422, "validation_failed", "PATCH", "/v1/tenant", sent)
    assert (param, code) in {(d["param"], d["code"]) for d in error["details"]}
    assert client.get("/v1/tenant")["data"] == before


def test_what_is_deleted_is_gone(client, ada, path):
    client.delete(path, If_Match='"1"')
    assert client.last.json["data"] == {"id": ada["id"], "deleted": True}
    for method, where in (("GET", path), ("PATCH", path), ("DELETE", path), ("POST", f"{path}/archive")):
        client.refused(404, "resource_not_found", method, where)
    assert client.get("/v1/contacts")["pagination"]["total"] == 0
    assert client.events() == ["contact.created", "contact.deleted"]


def test_actions_lead_from_status_to_status(client, ada, path):
    archived = client.post(f"{path}/archive", status=200)["data"]
    assert (archived["status"], archived["allowed_actions"]) == ("archived", ["restore", "merge"])
    assert archived["version"] == 2
    error = client.refused(409, "invalid_state_transition", "POST", f"{path}/archive", {})
    assert (error["status"], error["allowed_actions"]) == ("archived", ["restore", "merge"])
    assert client.post(f"{path}/restore", {}, 200)["data"]["status"] == "active"
    client.refused(404, "route_not_found", "POST", f"{path}/explode")


def test_a_new_record_is_found_where_its_location_says(make_app):
    client = Client(make_app("contacts", public_url="https://api.example.com/base/"))
    made = client.post("/v1/contacts", FULL, Host="evil.example.com")["data"]
    assert client.last.headers["Location"] == f"https://api.example.com/base/v1/contacts/{made['id']}"
    assert client.last.headers["ETag"] == '"1"'


METHODS = {
    "/v1/contacts": "GET, HEAD, OPTIONS, POST",
    "{path}": "DELETE, GET, HEAD, OPTIONS, PATCH",
    "{path}/archive": "OPTIONS, POST",
    "/v1/tenant": "GET, HEAD, OPTIONS, PATCH",
    "/v1/me": "GET, HEAD, OPTIONS",
    "/v1/events": "GET, HEAD, OPTIONS",
}


@pytest.mark.sqlite_alone
@pytest.mark.parametrize(("where", "allow"), METHODS.items(), ids=METHODS)
def test_a_path_says_which_methods_it_takes(client, ada, path, where, allow):
    where = where.format(path=path)
    for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE"} - set(allow.split(", ")):
        client.refused(405, "method_not_allowed", method, where)
        assert client.last.headers["Allow"] == allow
    assert client.call("OPTIONS", where, status=200).json == {"data": None, "pagination": None, "error": None}
    assert client.last.headers["Allow"] == allow


@pytest.mark.sqlite_alone
@pytest.mark.parametrize("where", ["/v1/contacts", "{path}", "/v1/contacts?page=0", "/v1/contacts/con_1", "/v1/nope"])
def test_head_is_get_without_a_body(client, path, where):
    got = client.call("GET", where.format(path=path))
    head = client.call("HEAD", where.format(path=path))
    assert head.status == got.status and head.body == b""
    for headers in (got.headers, head.headers):
        for changing in ("X-Request-Id", "X-RateLimit-Remaining", "X-RateLimit-Reset"):
            assert headers.pop(changing)
    assert dict(head.headers) == dict(got.headers)
