"""Calls of the API by a page for its visitor: authorized, validated, idempotent and in one transaction."""

import msgspec
import pytest

from billycan import BadRequest, Forbidden, Identity, Invalid, NotFound
from billycan.problems import Conflict, RouteNotFound, VersionConflict
from billycan.testing import Client
from billycan.testing.client import counted

pytestmark = pytest.mark.either


def somebody(client, *scopes, id="usr_0001"):
    return Identity(
        id=id,
        tenant_id=client.tenant_id,
        environment="live",
        name="Ann",
        scopes=scopes,
        per_minute=1,
        per_second=1,
    )


@pytest.fixture
def app(make_app):
    return make_app("contacts")


def data(answer):
    return msgspec.json.decode(answer.body)["data"]


def test_a_call_answers_as_http_does(app):
    client = Client(app)
    made = app.call(somebody(client, "write"), "POST", "/v1/contacts", body=b'{"name": "Wren"}')
    assert (made.status, made.headers["ETag"]) == (201, '"1"')
    # Nothing is counted: the page counts its visits.
    for _ in range(3):
        read = app.call(somebody(client, "read"), "GET", "/v1/contacts", "search=wren&fields=id,name")
    assert data(read) == [{"id": data(made)["id"], "name": "Wren"}]
    assert client.get(f"/v1/contacts/{data(made)['id']}")["data"] == data(made)


def test_a_query_is_a_string_or_values_by_their_names(app):
    client = Client(app)
    for name in ("Wren", "Lark & Co, Hobart"):
        client.post("/v1/contacts", {"name": name, "metadata": {"a": "1"}})
    person = somebody(client, "read")
    for query in ("search=lark&per_page=1&fields=name", {"search": "lark", "per_page": 1, "fields": ["name"]}):
        assert [each["name"] for each in data(app.call(person, "GET", "/v1/contacts", query))] == ["Lark & Co, Hobart"]
    found = app.call(person, "GET", "/v1/contacts", {"per_page": 1, "metadata[a]": "1", "search": "&"})
    assert len(data(found)) == 1 and "Link" not in found.headers
    assert (
        "metadata%5Ba%5D=1"
        in app.call(person, "GET", "/v1/contacts", {"per_page": 1, "metadata[a]": "1"}).headers["Link"]
    )
    for wrong in ({"per_page": 101}, {"per_page": "x"}, {"nothing": "1"}, {"search": "a\x00"}, {"sort": "phone"}):
        with pytest.raises(BadRequest) as refused:
            app.call(person, "GET", "/v1/contacts", wrong)
        assert refused.value.param == next(iter(wrong))


def test_lists_are_counted_in_one_statement(app):
    client, other = Client(app), Client(app)
    assert app.count_records(
        somebody(client, "read"), [("/v1/contacts", {}), ("/v1/contacts", {"status": "active"})]
    ) == [0, 0]
    for name in ("Wren", "Lark"):
        client.post("/v1/contacts", {"name": name, "roles": ["client"]})
    client.post("/v1/contacts", {"name": "Robin", "roles": ["supplier"], "external_id": "7"})
    other.post("/v1/contacts", {"name": "Wren", "external_id": "7"})
    asked = [{}, {"search": "wren"}, {"external_id": "7"}, {"role": "client"}, {"external_id": "8"}, {"search": "lark"}]
    for again in range(3):  # what is remembered is counted anew once there is more
        with counted(app) as sent:
            found = app.count_records(somebody(client, "contacts:read"), [("/v1/contacts", each) for each in asked])
        assert found == [3 + again, 1 + again, 1, 2 + again, 0, 1]
        assert len([each for each in sent if "_search_rows" not in each]) == 1
        client.post("/v1/contacts", {"name": "Wren", "roles": ["client"]})
    assert app.count_records(somebody(client, "read"), []) == []
    with pytest.raises(Forbidden):
        app.count_records(somebody(client, "jobs:read"), [("/v1/contacts", {})])
    with pytest.raises(BadRequest):
        app.count_records(somebody(client, "read"), [("/v1/contacts", {"nothing": 1})])


def test_an_event_says_who_did_it_and_a_webhook_does_not(app):
    client = Client(app)
    id = data(app.call(somebody(client, "write"), "POST", "/v1/contacts", body=b'{"name": "Wren"}'))["id"]
    client.patch(f"/v1/contacts/{id}", {"name": "Wren & Co"})
    key = client.get("/v1/me")["data"]["id"]
    actors = [event["actor"] for event in client.get("/v1/events")["data"]]
    assert [(actor["key_id"], actor["user_id"]) for actor in actors] == [(key, None), (None, "usr_0001")]
    assert {actor["proposal_id"] for actor in actors} == {None}


def test_a_call_is_refused_as_over_http(app):
    client, other = Client(app), Client(app)
    person = somebody(client, "contacts:read", "contacts:write")
    id = data(app.call(person, "POST", "/v1/contacts", body=b'{"name": "Wren"}'))["id"]
    with pytest.raises(Forbidden):
        app.call(somebody(client, "read"), "POST", "/v1/contacts", body=b'{"name": "Wren"}')
    with pytest.raises(Invalid) as invalid:
        app.call(person, "POST", "/v1/contacts", body=b'{"email": 1}')
    assert {fault.param for fault in invalid.value.details} == {"name", "email"}
    with pytest.raises(NotFound):
        app.call(somebody(other, "read"), "GET", f"/v1/contacts/{id}")
    with pytest.raises(VersionConflict):
        app.call(person, "PATCH", f"/v1/contacts/{id}", body=b'{"name": "Lark"}', version=7)
    with pytest.raises(RouteNotFound):
        app.call(person, "GET", "/v1/nothing")
    with pytest.raises(RouteNotFound):
        app.call(person, "POST", f"/v1/contacts/{id}")
    assert client.get(f"/v1/contacts/{id}")["data"]["name"] == "Wren"


def test_a_call_with_a_key_is_carried_out_once(app):
    client = Client(app)
    person = somebody(client, "write")
    first, second = (app.call(person, "POST", "/v1/contacts", body=b'{"name": "Wren"}', key="form-1") for _ in range(2))
    assert (first.replayed, second.replayed, first.body) == (False, True, second.body)
    with pytest.raises(Invalid, match="another request"):
        app.call(person, "POST", "/v1/contacts", body=b'{"name": "Lark"}', key="form-1")


def test_what_only_a_race_can_bring_about_is_a_conflict(app, monkeypatch):
    client = Client(app)
    person = somebody(client, "write")
    app.call(person, "POST", "/v1/contacts", body=b'{"name": "Wren", "external_id": "1"}')
    with pytest.raises(Conflict):
        app.call(person, "POST", "/v1/contacts", body=b'{"name": "Lark", "external_id": "1"}')
