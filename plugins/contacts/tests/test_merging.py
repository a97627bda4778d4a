"""Two contacts that are one are found and merged: what one of them says of itself is kept."""

import pytest

from billycan.testing import Client
from billycan_contacts.resource import Contact

pytestmark = pytest.mark.either

ABN, OTHER_ABN = "47555222000", "51824753556"
PLACE = {"line1": "3 Elizabeth St", "suburb": "Hobart", "state": "TAS", "postcode": "7000"}


@pytest.fixture
def client(make_app):
    return Client(make_app("contacts"))


def contact(client, name="Ada Lovelace", **members):
    return client.post("/v1/contacts", {"name": name, **members})["data"]


def merge(client, old, new, status=200):
    return client.post(f"/v1/contacts/{old['id']}/merge", {"into": new["id"]}, status)


def events(client):
    return [(e["event"], e["data"]) for e in client.get("/v1/events?sort=created_at")["data"]]


def test_the_one_that_is_left_has_what_it_lacked(client):
    full = {
        "kind": "person",
        "roles": ["supplier"],
        "email": "ada@example.com",
        "phone": "03 6234 5678",
        "website": "https://example.com/ada",
        "abn": ABN,
        "gst_registered": True,
        "contractor": True,
        "billing_address": PLACE,
        "site_address": {**PLACE, "line1": "4 Elizabeth St"},
        "people": [{"name": "Kim", "role": "Accounts", "email": None, "phone": None}],
        "payment_terms_days": 30,
        "notes": "Gate code 4711",
        "tags": ["vip", "north"],
        "external_id": "x-1",
        "metadata": {"ledger": "7", "zone": "2"},
    }
    old = contact(client, "A. Lovelace", **full)
    new = contact(client, tags=["north"], metadata={"zone": "1"})
    left = merge(client, old, new)["data"]
    same = dict.fromkeys(full.keys() - {"kind", "roles", "tags", "metadata"})
    assert {name: left[name] for name in same} == {name: old[name] for name in same}
    own = ("id", "name", "kind", "created_at", "status")
    assert {name: left[name] for name in own} == {name: new[name] for name in own}
    assert left["roles"] == ["client", "supplier"] and left["tags"] == ["north", "vip"]
    assert left["metadata"] == {"ledger": "7", "zone": "1"} and left["version"] == 2
    # What both have stays as it was, and a way to reach them is no less known than before.
    third = contact(client, "Lovelace Pty Ltd", email="ADA@example.com", phone="0412 345 678", notes="Dog", abn=ABN)
    fuller = merge(client, third, left)["data"]
    reach = {"name": "Lovelace Pty Ltd", "role": None, "email": None, "phone": "0412 345 678"}
    changes = {"people": [*left["people"], reach], "notes": "Gate code 4711\n\nDog"}
    rest = ("version", "updated_at")
    assert fuller == {**left, **changes, **{name: fuller[name] for name in rest}}
    assert events(client)[-2:] == [
        ("contact.updated", fuller),
        ("contact.merged", {"id": fuller["id"], "merged": third}),
    ]


def test_the_old_id_leads_to_the_one_that_is_left(client, make_app):
    first, second, third = (contact(client, name) for name in ("One", "Two", "Three"))
    merge(client, first, second)
    before = merge(client, second, third)["data"]
    count = len(events(client))
    assert merge(client, second, third)["data"] == before and merge(client, first, third)["data"] == before
    assert len(events(client)) == count
    for old in (first, second):
        path = f"/v1/contacts/{old['id']}"
        assert client.get(path)["data"] == before
        assert client.get(f"{path}?fields=name")["data"] == {"id": third["id"], "name": "Three"}
        for refused in (
            client.patch(path, {"name": "X"}, 404),
            client.delete(path, 404),
            client.post(f"{path}/archive", {}, 404),
        ):
            assert refused["error"]["code"] == "resource_not_found" and refused["error"]["merged_into"] == third["id"]
        Client(client.app).get(path, 404)
    assert client.get("/v1/contacts")["pagination"]["total"] == 1
    assert client.get("/v1/contacts?fields=name")["data"] == [{"id": third["id"], "name": "Three"}]
    client.delete(f"/v1/contacts/{third['id']}")
    client.get(f"/v1/contacts/{first['id']}", 404)


def test_what_cannot_be_one_is_not_merged(client):
    ada, grace = contact(client, abn=ABN), contact(client, "Grace", abn=OTHER_ABN)
    archived = contact(client, "Bob")
    client.post(f"/v1/contacts/{archived['id']}/archive", {}, 200)
    stranger = contact(Client(client.app), "Eve")
    many = contact(client, "Many", tags=[f"t{i}" for i in range(50)], notes="n" * 9_990)
    more = contact(client, "More", tags=["other"], notes="m" * 10)
    count = len(events(client))
    assert merge(client, ada, grace, 409)["error"]["code"] == "abn_differs"
    cases = [(ada, archived, "invalid_value"), (ada, ada, "invalid_value"), (ada, stranger, "not_found")]
    for old, new, code in cases:
        error = merge(client, old, new, 422)["error"]
        assert [(fault["param"], fault["code"]) for fault in error["details"]] == [("into", code)]
    assert merge(client, stranger, ada, 404)["error"]["code"] == "resource_not_found"
    faults = merge(client, more, many, 422)["error"]["details"]
    assert [fault["message"].split()[1] for fault in faults] == ["tags", "notes"]
    path = f"/v1/contacts/{ada['id']}/merge"
    client.post(path, {"into": grace["id"]}, 412, If_Match='"9"')
    client.key("contacts:read").post(path, {"into": grace["id"]}, 403)
    assert len(events(client)) == count
    # An archived one may go, and what the other knows already changes nothing.
    left = merge(client, archived, grace)["data"]
    assert left == grace and events(client)[-1][0] == "contact.merged" and len(events(client)) == count + 1


def test_contacts_that_may_be_one_are_found(client):
    ada = contact(client, abn=ABN, email="Ada@example.com")
    same_abn = contact(client, "Ada Pty Ltd", abn=ABN)
    same_email = contact(client, "A. L.", email="ada@EXAMPLE.com")
    longer = contact(client, "Nada", email="nada@example.com")  # has the other address within
    contact(client, "Grace", abn=OTHER_ABN)
    contact(Client(client.app), "Ada elsewhere", abn=OTHER_ABN, email="nada@example.com")

    def found(query):
        return {one["id"] for one in client.get(query)["data"]}

    path = f"/v1/contacts/{ada['id']}/duplicates"
    assert found(path) == {same_abn["id"], same_email["id"]}
    assert client.get(f"{path}?per_page=1")["pagination"]["total"] == 2
    assert found(f"/v1/contacts/{same_email['id']}/duplicates") == {ada["id"]}
    assert found(f"/v1/contacts/{longer['id']}/duplicates") == set()
    three = {ada["id"], same_abn["id"], same_email["id"]}
    assert found("/v1/contacts?duplicated=true") == three
    assert found("/v1/contacts?duplicated=false").isdisjoint(three)
    assert client.get("/v1/contacts")["pagination"]["total"] == 5
    Client(client.app).get(path, 404)
    merge(client, same_abn, ada)
    assert set(client.get(f"{path}?fields=name")["data"][0]) == {"id", "name"}
    assert set(Contact.__struct_fields__) == set(client.get(path)["data"][0])
