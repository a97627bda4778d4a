"""`fields` on any GET of records, and `If-None-Match`: the answers, and what is not even fetched for them."""

import re
from collections.abc import Iterator

import pytest

from billycan.testing import Client, counted

pytestmark = pytest.mark.either


@pytest.fixture
def client(widgets):
    return Client(widgets.app())


@pytest.fixture
def widget(client):
    return client.post("/v1/widgets", {"name": "Cog", "price": "12.30", "size": 3, "external_id": "erp 1"})["data"]


def test_a_client_gets_the_members_it_names_in_the_records_own_order(client, widget):
    one = f"/v1/widgets/{widget['id']}"
    some = {"id": widget["id"], "name": "Cog", "price": widget["price"]}
    assert client.get(f"{one}?fields=price,name")["data"] == some
    assert [*client.get(f"{one}?fields=price,name")["data"]] == ["id", "name", "price"]
    assert client.get("/v1/widgets?fields=price,name")["data"] == [some]
    assert client.get(f"{one}?fields=id")["data"] == {"id": widget["id"]}
    everything = ",".join(widget)
    assert client.get(f"{one}?fields={everything}")["data"] == widget == client.get(one)["data"]


@pytest.mark.sqlite_alone
@pytest.mark.parametrize("fields", ["", "colour", "name,colour", "name,name", "name,", "metadata.colour", "Name"])
def test_a_field_that_there_is_not_is_refused_with_those_that_there_are(client, widget, fields):
    for path in ("/v1/widgets", f"/v1/widgets/{widget['id']}"):
        error = client.refused(400, "invalid_parameter", "GET", f"{path}?fields={fields}")
        assert error["param"] == "fields"
        assert all(name in error["message"] for name in widget)
    client.refused(400, "invalid_parameter", "GET", "/v1/widgets?fields=name&fields=price")
    client.refused(400, "unknown_parameter", "POST", "/v1/widgets?fields=name", {"name": "Cog"})


def test_a_cursor_goes_on_whatever_members_are_named(client, widget):
    client.post("/v1/widgets", {"name": "Bolt"})
    first = client.get("/v1/widgets?per_page=1&sort=-price&fields=name")
    assert "fields=name" in client.last.headers["Link"]
    assert first["data"] == [{"id": widget["id"], "name": "Cog"}]
    cursor = first["pagination"]["next_cursor"]
    (second,) = client.get(f"/v1/widgets?cursor={cursor}&sort=-price&fields=size")["data"]
    assert second.keys() == {"id", "size"}
    searched = client.get("/v1/widgets?search=cog&fields=price&sort=name")
    assert searched["data"] == [{"id": widget["id"], "price": widget["price"]}]


def test_only_the_columns_that_are_needed_are_fetched(client, widget):
    for path, more in ((f"/v1/widgets/{widget['id']}", set()), ("/v1/widgets", {"created_at"})):
        with counted(client.app) as sent:
            client.get(f"{path}?fields=name,allowed_actions")
        assert len(sent) == 1
        assert {*fetched(sent[0])} == {"id", "version", "name"} | more


def test_the_etag_of_some_members_is_their_own_and_names_the_version(client, widget):
    one = f"/v1/widgets/{widget['id']}"
    tags = {}
    for query in ("", "?fields=name", "?fields=price", "?fields=price,name"):
        client.get(one + query)
        tags[query] = client.last.headers["ETag"]
    assert tags[""] == '"1"' and len({*tags.values()}) == 4
    client.get(f"{one}?fields=name,price")
    assert client.last.headers["ETag"] == tags["?fields=price,name"]
    for query, tag in tags.items():
        for known in tags.values():
            client.call("GET", one + query, None, 304 if known == tag else 200, {"If-None-Match": known})


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_what_a_client_has_already_is_not_sent_again(client, widget, method):
    one = f"/v1/widgets/{widget['id']}"
    for known in ('"1"', 'W/"1"', '"7", "1"', ' "7" , W/"1" ', "*"):
        for query in ("", "?fields=name"):
            client.get(one + query)
            tag = client.last.headers["ETag"]
            same = client.call(method, one + query, None, 304, {"If-None-Match": known.replace('"1"', tag)})
            assert (same.body, same.headers["ETag"]) == (b"", tag)
            assert "Content-Type" not in same.headers and same.headers["X-Request-Id"]
    for known in ('"2"', '"11"', '"1-"', "1x", ""):
        client.call(method, one, None, 200, {"If-None-Match": known})
    client.call(method, "/v1/widgets/wid_none", None, 404, {"If-None-Match": "*"})
    client.call(method, "/v1/widgets", None, 200, {"If-None-Match": "*"})


def fetched(statement: str) -> Iterator[str]:
    """The columns that a SELECT fetches of its table."""
    return (match[1] for match in re.finditer(r"widgets\.(\w+)", re.split(r"\sFROM\s|\(", statement)[0]))
