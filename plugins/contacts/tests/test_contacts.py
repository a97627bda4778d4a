"""Contacts as the contract defines them, through the API."""

from datetime import UTC, datetime
from urllib.parse import quote

import pytest

from billycan import Context
from billycan.testing import Client
from billycan_contacts import api
from billycan_contacts.resource import Contact, NewContact, contacts

pytestmark = pytest.mark.either

ABN, OTHER_ABN = "47555222000", "51824753556"
PLACE = {"line1": "3 Elizabeth St", "line2": "Level 2", "suburb": "Hobart", "state": "TAS", "postcode": "7000"}
STATES = ("ACT", "NSW", "NT", "QLD", "SA", "TAS", "VIC", "WA")


@pytest.fixture
def client(make_app):
    return Client(make_app("contacts"))


def contact(client, **members):
    return client.post("/v1/contacts", {"name": "Ada Lovelace", **members})["data"]


def codes(error):
    return {(fault["param"], fault["code"]) for fault in error["details"]}


def names(found):
    return [contact["name"] for contact in found["data"]]


def last_event(client):
    event = client.get("/v1/events")["data"][0]
    return event["event"], event["data"]


DEFAULTS = {
    "kind": "company",
    "roles": ["client"],
    "gst_registered": None,
    "contractor": False,
    "people": [],
    "tags": [],
    "metadata": {},
    **dict.fromkeys(("email", "phone", "website", "abn", "billing_address", "site_address")),
    **dict.fromkeys(("payment_terms_days", "notes", "external_id")),
}
SENT = {
    "name": "Zoë Müller",
    "kind": "person",
    "roles": ["client", "supplier"],
    "email": "zoe@example.com",
    "phone": "+61 (03) 6234-5678",
    "website": "https://example.com/zoe?a=b",
    "abn": ABN,
    "gst_registered": True,
    "contractor": True,
    "billing_address": {**PLACE, "country": "AU"},
    "site_address": {
        **dict.fromkeys(PLACE),
        "suburb": "Dunedin",
        "state": "Otago",
        "postcode": "9016",
        "country": "NZ",
    },
    "people": [{"name": "Kim", "role": "Site manager", "email": "kim@example.com", "phone": "0412 345 678"}],
    "payment_terms_days": 30,
    "notes": "Gate code 4711\nDog",
    "tags": ["vip", "north"],
    "external_id": "x-1",
    "metadata": {"ledger": "7"},
}


def test_what_is_not_sent_has_its_default(client):
    made = contact(client)
    assert client.last.headers["Location"].endswith(f"/v1/contacts/{made['id']}") and made["id"].startswith("con_")
    server = {"id": made["id"], "status": "active", "allowed_actions": ["archive", "merge"], "version": 1}
    times = {"created_at": "2026-11-21T00:00:00." + made["created_at"][-4:], "updated_at": made["created_at"]}
    assert made == {"name": "Ada Lovelace", **DEFAULTS, **server, **times}
    assert last_event(client) == ("contact.created", made)


def test_every_member_is_kept_and_cleared(client):
    assert set(SENT) == set(NewContact.__struct_fields__)
    made = contact(client, **SENT)
    assert {name: made[name] for name in SENT} == SENT
    assert client.get(f"/v1/contacts/{made['id']}")["data"] == made
    other = contact(client)
    for i, (name, value) in enumerate({**SENT, "external_id": "x-2"}.items(), 2):
        changed = client.patch(f"/v1/contacts/{other['id']}", {name: value})["data"]
        assert (changed[name], changed["version"]) == (value, i)
        assert last_event(client) == ("contact.updated", changed)
    cleared = client.patch(f"/v1/contacts/{made['id']}", dict.fromkeys(DEFAULTS))["data"]
    assert {name: cleared[name] for name in DEFAULTS} == DEFAULTS and cleared["name"] == SENT["name"]


def test_a_change_that_changes_nothing_keeps_the_version_and_tells_nobody(client):
    made = contact(client, **SENT)
    events = client.events()
    for body in ({}, made, {"abn": "47 555 222 000"}, {"name": f" {made['name']} "}, {"tags": made["tags"]}):
        assert client.patch(f"/v1/contacts/{made['id']}", body)["data"] == made
    assert client.events() == events


def test_addresses_are_merged_and_people_replaced(client):
    made = contact(client, billing_address=PLACE, people=[{"name": "Kim", "role": "Owner"}])
    path = f"/v1/contacts/{made['id']}"
    changed = client.patch(
        path, {"billing_address": {"line2": None, "suburb": "Glenorchy"}, "people": [{"name": "Lee"}]}
    )
    shown = changed["data"]["billing_address"]
    assert shown == {**PLACE, "line2": None, "suburb": "Glenorchy", "country": "AU"}
    assert changed["data"]["people"] == [{"name": "Lee", "role": None, "email": None, "phone": None}]
    assert client.patch(path, {"billing_address": {"state": "XX"}}, 422)["error"]["param"] == "billing_address.state"


def test_roles_and_tags_are_sets_in_the_order_sent(client):
    made = contact(client, roles=["supplier", "supplier"], tags=["b", "a", " b "])
    assert (made["roles"], made["tags"]) == (["supplier"], ["b", "a"])
    assert client.patch(f"/v1/contacts/{made['id']}", {"tags": ["c", "c"]})["data"]["tags"] == ["c"]


def test_an_abn_takes_spaces_and_shows_digits(client):
    assert contact(client, abn=" 47 555 222 000 ")["abn"] == ABN


REFUSED = [
    ({"name": None}, "name", {"POST": "invalid_type", "PATCH": "required"}),
    ({"name": " \n "}, "name", "required"),
    ({"name": "x" * 201}, "name", "too_long"),
    ({"name": "a\x00b"}, "name", "invalid_value"),
    ({"name": 1}, "name", "invalid_type"),
    ({"kind": "club"}, "kind", "invalid_value"),
    ({"roles": []}, "roles", "required"),
    ({"roles": "client"}, "roles", "invalid_type"),
    ({"roles": ["client", "boss"]}, "roles[1]", "invalid_value"),
    ({"roles": ["client"] * 3}, "roles", "too_long"),
    *[
        ({"email": text}, "email", "invalid_value")
        for text in ("ada", "ada@", "a b@example.com", "a@b@c.d", "ada@local")
    ],
    ({"email": "a@" + "x" * 250 + ".au"}, "email", "too_long"),
    *[({"phone": text}, "phone", "invalid_value") for text in ("call me", "++61 3 6234", "1234 ext 5")],
    ({"phone": "0" * 41}, "phone", "too_long"),
    *[
        ({"website": text}, "website", "invalid_value")
        for text in ("example.com", "ftp://example.com", "javascript:alert")
    ],
    *[
        ({"abn": text}, "abn", "invalid_abn")
        for text in ("47555222001", "4755522200x", "07555222000", "4755522200", "1")
    ],
    ({"abn": 47555222000}, "abn", "invalid_type"),
    ({"gst_registered": "yes"}, "gst_registered", "invalid_type"),
    ({"billing_address": {"state": "tas"}}, "billing_address.state", "invalid_value"),
    ({"billing_address": {"postcode": "700"}}, "billing_address.postcode", "invalid_value"),
    ({"site_address": {"postcode": "７０００"}}, "site_address.postcode", "invalid_value"),
    ({"site_address": {"country": "Australia"}}, "site_address.country", "too_long"),
    ({"site_address": {"country": "au"}}, "site_address.country", "invalid_value"),
    ({"site_address": {"street": "x"}}, "site_address.street", "unknown_field"),
    ({"site_address": "3 Elizabeth St"}, "site_address", "invalid_type"),
    ({"people": [{"role": "Owner"}]}, "people[0].name", "required"),
    ({"people": [{"name": "Kim"}, {"name": "Lee", "email": "x"}]}, "people[1].email", "invalid_value"),
    ({"people": [{"name": "Kim", "age": 40}]}, "people[0].age", "unknown_field"),
    ({"people": [{"name": "Kim"}] * 51}, "people", "too_long"),
    *[({"payment_terms_days": days}, "payment_terms_days", "out_of_range") for days in (-1, 366)],
    *[({"payment_terms_days": days}, "payment_terms_days", "invalid_type") for days in ("7", 7.5)],
    ({"notes": "x" * 10_001}, "notes", "too_long"),
    ({"tags": [""]}, "tags[0]", "required"),
    ({"tags": ["x" * 51]}, "tags[0]", "too_long"),
    ({"tags": [str(i) for i in range(51)]}, "tags", "too_long"),
    ({"external_id": "x" * 101}, "external_id", "too_long"),
    ({"metadata": {"x" * 41: ""}}, "metadata." + "x" * 40, "invalid_value"),
    ({"metadata": {"a": "x" * 501}}, "metadata.a", "too_long"),
    ({"colour": "red"}, "colour", "unknown_field"),
    *[
        ({name: "other"}, name, "read_only")
        for name in set(Contact.__struct_fields__) - set(NewContact.__struct_fields__)
    ],
]


def test_what_breaks_a_rule_is_refused_and_named(client):
    made = contact(client)
    for body, param, code in REFUSED:
        for method, path, sent in (
            ("POST", "/v1/contacts", {"name": "Ada", **body}),
            ("PATCH", f"/v1/contacts/{made['id']}", body),
        ):
            error = client.refused(422, "validation_failed", method, path, sent)
            assert codes(error) == {(param, code if isinstance(code, str) else code[method])}, (method, body)
    assert client.get("/v1/contacts")["data"] == [made]


def test_all_faults_of_a_body_are_told_at_once(client):
    body = {"abn": "1", "people": [{"email": "x"}], "billing_address": {"postcode": "x", "state": "TAS"}}
    assert codes(client.refused(422, "validation_failed", "POST", "/v1/contacts", body)) == {
        ("name", "required"),
        ("abn", "invalid_abn"),
        ("people[0].name", "required"),
        ("people[0].email", "invalid_value"),
        ("billing_address.postcode", "invalid_value"),
    }


@pytest.mark.sqlite_alone
@pytest.mark.parametrize("state", STATES)
def test_every_state_of_australia_is_one(client, state):
    assert contact(client, site_address={"state": state, "postcode": "0200"})["site_address"]["state"] == state


def test_an_external_id_is_given_once(client):
    contact(client, external_id="x")
    client.refused(409, "duplicate_external_id", "POST", "/v1/contacts", {"name": "B", "external_id": "x"})
    other = contact(client)
    client.refused(409, "duplicate_external_id", "PATCH", f"/v1/contacts/{other['id']}", {"external_id": "x"})
    contact(client.sandbox(), external_id="x")


def test_a_contact_is_archived_and_restored(client):
    made = contact(client)
    path = f"/v1/contacts/{made['id']}"
    for action, status, other in (("archive", "archived", "restore"), ("restore", "active", "archive")):
        client.refused(412, "version_conflict", "POST", f"{path}/{action}", headers={"If-Match": '"99"'})
        shown = client.post(f"{path}/{action}", status=200)["data"]
        assert (shown["status"], shown["allowed_actions"]) == (status, [other, "merge"])
        assert client.last.headers["ETag"] == f'"{shown["version"]}"' and client.get(path)["data"] == shown
        assert last_event(client) == ("contact.updated", shown)
        error = client.refused(409, "invalid_state_transition", "POST", f"{path}/{action}")
        assert (error["status"], error["allowed_actions"]) == (status, [other, "merge"])
    assert client.get(path)["data"]["version"] == 3
    client.refused(422, "validation_failed", "POST", f"{path}/archive", {"reason": "x"})


def test_an_archived_contact_is_listed_changed_and_deleted_like_any(client):
    made = contact(client)
    path = f"/v1/contacts/{made['id']}"
    client.post(f"{path}/archive", status=200)
    assert len(client.get("/v1/contacts")["data"]) == 1
    assert client.patch(path, {"name": "B"})["data"]["status"] == "archived"
    client.refused(412, "version_conflict", "DELETE", path, headers={"If-Match": '"1"'})
    answer = client.delete(path)["data"]
    assert answer == {"id": made["id"], "deleted": True} and last_event(client) == ("contact.deleted", answer)
    client.refused(404, "resource_not_found", "GET", path)
    assert client.get("/v1/contacts")["pagination"]["total"] == 0


def test_another_businesss_contact_looks_like_none(client):
    foreign = contact(Client(client.app))
    live = contact(client)
    for who, id in ((client, foreign["id"]), (client.sandbox(), live["id"]), (client, "con_0"), (client, "nonsense")):
        path = f"/v1/contacts/{id}"
        for method, end in (("GET", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/archive"), ("POST", "/restore")):
            who.refused(404, "resource_not_found", method, path + end, None if method == "GET" else {})


@pytest.fixture
def people(client, clock):
    """Four contacts, made on successive days."""
    given = [
        {
            "name": "Ångström & Söhne",
            "email": "Office@Angstrom.example",
            "abn": ABN,
            "tags": ["vip"],
            "contractor": True,
        },
        {"name": "ada lovelace", "kind": "person", "phone": "03 6234 5678", "external_id": "x", "metadata": {"k": "v"}},
        {"name": "Zebra 100%_", "roles": ["supplier"], "phone": "+61 412 345 678", "tags": ["vip", 'a"b']},
        {"name": "Beta", "roles": ["client", "supplier"], "people": [{"name": "Kim Ôe", "email": "kim@x.example"}]},
    ]
    made = []
    for day, members in enumerate(given, 1):
        clock.time = datetime(2026, 11, day, 2, tzinfo=UTC)
        made.append(contact(client, **members))
    client.post(f"/v1/contacts/{made[3]['id']}/archive", status=200)
    return made


def found(client, query):
    answer = client.get(f"/v1/contacts?{query}&sort=created_at")
    assert answer["pagination"]["total"] == len(answer["data"])
    return [int(x["created_at"][8:10]) for x in answer["data"]]


def test_every_filter_finds_what_it_says(client, people):
    cases = {
        "status=active": [1, 2, 3],
        "status=archived": [4],
        "status=active,archived": [1, 2, 3, 4],
        "kind=person": [2],
        "kind=person,company": [1, 2, 3, 4],
        "role=client": [1, 2, 4],
        "role=supplier": [3, 4],
        "contractor=true": [1],
        "contractor=false": [2, 3, 4],
        "tag=vip": [1, 3],
        "tag=a%22b": [3],
        "tag=vi": [],
        "email=Office@Angstrom.example": [1],
        "abn=47%20555%20222%20000": [1],
        f"abn={OTHER_ABN}": [],
        "duplicated=true": [],
        "duplicated=false": [1, 2, 3, 4],
        "external_id=x": [2],
        "metadata[k]=v": [2],
        "created_at_from=2026-11-03": [3, 4],
        "created_at_to=2026-11-02": [1, 2],
        "updated_at_from=2026-11-04": [4],
        "updated_at_to=2026-11-01": [1],
        "updated_since=2026-11-03": [3, 4],
        "search=beta": [4],
    }
    tested = {query.partition("=")[0].partition("[")[0] for query in cases}
    assert tested == set(contacts.query.__struct_fields__) - {"page", "per_page", "cursor", "sort"}
    for query, expected in cases.items():
        assert found(client, query) == expected, query
    for query in (
        "status=gone",
        "kind=club",
        "role=boss",
        "role=client,supplier",
        "email=x",
        "abn=1",
        "tag=",
        "created_at_to=x",
    ):
        assert client.refused(400, "invalid_filter", "GET", f"/v1/contacts?{query}")["param"] == query.partition("=")[0]


def test_search_looks_through_name_email_phone_abn_and_people(client, people):
    cases = {
        "angstrom": [1],
        "ÅNGSTRÖM": [1],
        "sohne": [1],
        "office@": [1],
        "47 555": [1],
        "47555222000": [1],
        "555-222": [1],
        "LOVE": [2],
        "6234 5678": [2],
        "62345678": [2],
        "(03) 6234": [2],
        "+61 3 6234 5678": [2],
        "0412 345": [3],
        "+61412345678": [3],
        "345678": [2, 3],
        "9999": [],
        "100%": [3],
        "%_": [3],
        "100_": [],
        "kim oe": [4],
        "@x.example": [4],
        "a": [1, 2, 3, 4],
        "": [1, 2, 3, 4],
        "vip": [],
    }
    for text, expected in cases.items():
        assert found(client, f"search={quote(text)}") == expected, text
    client.patch(f"/v1/contacts/{people[0]['id']}", {"name": "Renamed"})
    assert found(client, "search=angstrom") == [1] and found(client, "search=sohne") == []
    assert found(client, "search=renamed&status=archived") == []


def test_lists_are_sorted_by_name_without_case_and_accents(client, people):
    by_name = ["ada lovelace", "Ångström & Söhne", "Beta", "Zebra 100%_"]
    assert names(client.get("/v1/contacts?sort=name")) == by_name
    assert names(client.get("/v1/contacts?sort=-name")) == by_name[::-1]
    assert names(client.get("/v1/contacts")) == [x["name"] for x in people[::-1]]
    assert names(client.get("/v1/contacts?sort=updated_at")) == [x["name"] for x in people]
    for sort in ("name", "-name", "created_at", "-updated_at"):
        walked, cursor = [], ""
        while cursor is not None:
            page = client.get(f"/v1/contacts?sort={sort}&per_page=3" + (cursor and f"&cursor={cursor}"))
            walked, cursor = walked + names(page), page["pagination"]["next_cursor"]
        assert walked == names(client.get(f"/v1/contacts?sort={sort}"))
    client.refused(400, "invalid_sort", "GET", "/v1/contacts?sort=email")


def test_other_plugins_see_only_the_contacts_of_their_tenant(client):
    mine, foreign = contact(client, billing_address=PLACE, payment_terms_days=7), contact(Client(client.app))
    contact(client, name="Grace", email="ada@lovelace.example")
    ctx = Context(client.app, client.tenant_id)
    with ctx.transaction():
        assert api.names(ctx, [mine["id"], foreign["id"], "con_0"]) == {mine["id"]: "Ada Lovelace"}
        (party,) = api.parties(ctx, [mine["id"], foreign["id"]]).values()
        assert (party.name, party.billing_address["suburb"], party.payment_terms_days) == ("Ada Lovelace", "Hobart", 7)
        assert api.parties(ctx, []) == {}
        assert ctx.db.execute(api.named_like(ctx, "LOVE")).scalars().all() == [mine["id"]]
        assert ctx.db.execute(api.named_like(ctx, "%")).scalars().all() == []
