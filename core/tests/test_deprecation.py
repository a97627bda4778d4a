"""A deprecated route says so in the headers of each of its answers, and in the OpenAPI document."""

from datetime import date
from typing import Any

import pytest
from msgspec import Struct

from billycan import Context, Manifest, Page, Query, Route
from billycan.starting.plugins import PluginError
from billycan.testing import Client

pytestmark = pytest.mark.sqlite_alone

NOTICE = "https://example.com/moving-to-boats"
SINCE, UNTIL = "@1798761600", "Sat, 01 Jan 2028 00:00:00 GMT"


class Raft(Struct):
    """A raft."""

    id: str


class NewRaft(Struct, forbid_unknown_fields=True):
    """A raft to make."""

    id: str


def list_rafts(ctx: Context, query: Query) -> Page[Raft]:
    """All rafts."""
    return Page([Raft("raf_1")], 1, 1, 2, True, next_cursor="more")


def create_raft(ctx: Context, body: NewRaft) -> Raft:
    """Make a raft."""
    return Raft(body.id)


def get_raft(ctx: Context, id: str) -> Raft:
    """One raft."""
    return Raft(id)


def sink_raft(ctx: Context, id: str) -> Raft:
    """Let a raft go."""
    raise RuntimeError(id)


ROUTES = (
    Route("GET", "/v1/rafts", list_rafts, scope="rafts:read", deprecated=date(2027, 1, 1), notice=NOTICE),
    Route("POST", "/v1/rafts", create_raft, scope="rafts:write", status=201),
    Route("GET", "/v1/rafts/{id}", get_raft, scope="rafts:read", deprecated=date(2027, 1, 1), sunset=date(2028, 1, 1)),
    Route("POST", "/v1/rafts/{id}/sink", sink_raft, scope="rafts:write", deprecated=date(2027, 1, 1)),
)


@pytest.fixture
def client(make_app, install):
    install(Manifest(name="rafts", routes=ROUTES))
    return Client(make_app("rafts"))


def notices(response: Any) -> dict[str, str]:
    headers = {name: response.headers.get(name) for name in ("Deprecation", "Sunset", "Link")}
    return {name: value for name, value in headers.items() if value}


def test_an_answer_says_since_when_and_until_when(client):
    assert notices(client.call("GET", "/v1/rafts/raf_1", status=200)) == {"Deprecation": SINCE, "Sunset": UNTIL}
    assert notices(client.call("HEAD", "/v1/rafts/raf_1", status=200)) == {"Deprecation": SINCE, "Sunset": UNTIL}


def test_the_page_that_says_more_stands_beside_the_next_page(client):
    found = notices(client.call("GET", "/v1/rafts", status=200))
    following = '<http://127.0.0.1:8000/v1/rafts?cursor=more>; rel="next"'
    assert found == {"Deprecation": SINCE, "Link": f'{following}, <{NOTICE}>; rel="deprecation"'}


@pytest.mark.parametrize(
    ("status", "path", "headers"),
    [
        (400, "/v1/rafts/raf_1?colour=red", {}),
        (401, "/v1/rafts/raf_1", {"Authorization": ""}),
        (404, "/v1/rafts/no id", {}),
        (406, "/v1/rafts/raf_1", {"Accept": "image/png"}),
    ],
)
def test_refusals_say_it_too(client, status, path, headers):
    assert notices(client.call("GET", path, status=status, headers=headers))["Deprecation"] == SINCE


def test_a_403_a_429_and_a_500_say_it_too(client, caplog):
    stranger = client.key("events:read", per_second=2)
    for status in (403, 403, 429):
        assert notices(stranger.call("GET", "/v1/rafts/raf_1", status=status))["Deprecation"] == SINCE
    assert notices(client.call("POST", "/v1/rafts/raf_1/sink", status=500)) == {"Deprecation": SINCE}
    assert "RuntimeError" in caplog.text


def test_a_replayed_answer_says_it_too(client, make_app, install):
    routes = (Route("POST", "/v1/rafts", create_raft, scope="rafts:write", status=201, deprecated=date(2027, 1, 1)),)
    install(Manifest(name="rafts", routes=routes))
    client = Client(make_app("rafts"))
    for _ in range(2):
        found = client.call("POST", "/v1/rafts", {"id": "raf_1"}, 201, {"Idempotency-Key": "once"})
        assert notices(found) == {"Deprecation": SINCE}
    assert found.headers["Idempotent-Replayed"] == "true"


def test_other_routes_say_nothing(client):
    assert notices(client.call("POST", "/v1/rafts", {"id": "raf_1"}, 201)) == {}
    assert notices(client.call("GET", "/v1/me", status=200)) == {}
    assert notices(client.call("OPTIONS", "/v1/rafts/raf_1", status=200)) == {}
    assert notices(client.call("GET", "/v1/nothing", status=404)) == {}


def test_the_document_says_it(client):
    paths = client.app.openapi()["paths"]
    operation = paths["/v1/rafts/{id}"]["get"]
    assert operation["deprecated"] is True
    assert operation["description"] == "Deprecated since 2027-01-01, gone from 2028-01-01."
    for status, response in operation["responses"].items():
        assert response["headers"].keys() >= {"Deprecation", "Sunset"}, status
    listed = paths["/v1/rafts"]["get"]
    assert listed["description"] == f"Deprecated since 2027-01-01. See <{NOTICE}>."
    assert "Sunset" not in listed["responses"]["200"]["headers"]
    assert "deprecated" not in paths["/v1/rafts"]["post"]
    assert "Deprecation" not in str(paths["/v1/rafts"]["post"])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"sunset": date(2028, 1, 1)}, "sunset and notice need deprecated"),
        ({"notice": NOTICE}, "sunset and notice need deprecated"),
        ({"deprecated": date(2028, 1, 1), "sunset": date(2027, 1, 1)}, "sunset must not be before deprecated"),
    ],
)
def test_a_route_that_contradicts_itself_is_named(make_app, install, given, said):
    def load():
        return Route("GET", "/v1/rafts", list_rafts, scope=None, **given)

    install(Manifest(name="rafts"), load=load)
    with pytest.raises(PluginError, match=f"rafts cannot be imported: .*GET /v1/rafts: {said}"):
        make_app("rafts", migrated=False)
