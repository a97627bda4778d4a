"""Assertions about the members that a plugin adds to another plugin's records."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from ..context import Context
from ..manifest import Manifest
from ..web import encode, parse
from .client import counted

if TYPE_CHECKING:
    from .client import Client


def is_shown_everywhere(client: "Client", extends: Manifest.Extends, body: Mapping[str, Any]) -> None:
    """Assert that POST, GET, lists, PATCH, actions and events show the added members, and PATCH takes them back."""
    members, (made, one) = set(extends.shows.__struct_fields__), _make_record(client, extends, body)
    assert not (missing := members - made.keys()), f"POST {extends.path} shows no {missing}"
    assert client.get(one)["data"] == made
    (listed,) = (r for r in client.get(f"{extends.path}?per_page=100")["data"] if r["id"] == made["id"])
    assert {name: listed.get(name) for name in members} == {name: made[name] for name in members}
    for name in members:
        assert client.get(f"{one}?fields={name}")["data"] == {"id": made["id"], name: made[name]}
    assert client.patch(one, made)["data"] == made, f"PATCH {one} with what it shows changes it"
    for action in made.get("allowed_actions", ()):
        answer = client.call("POST", f"{one}/{action}")
        if answer.status_int == 200 and answer.json["data"]["id"] == made["id"]:
            assert not (missing := members - answer.json["data"].keys()), f"{action} shows no {missing}"
    for event in client.get("/v1/events?per_page=100")["data"]:
        if event["data"]["id"] == made["id"]:
            assert not (missing := members - event["data"].keys()), f"{event['event']} tells no {missing}"
    for name in members.difference(_taken_members(extends)):
        error = client.patch(one, {name: "something else"}, 422)["error"]
        assert (error["details"][0]["param"], error["details"][0]["code"]) == (name, "read_only")
        assert client.post(extends.path, {**body, name: made[name]}, 422)["error"]["details"][0]["code"] == "read_only"


def is_kept(client: "Client", extends: Manifest.Extends, body: Mapping[str, Any]) -> None:
    """Assert that a change to a member raises the version and emits one event, and that the same value does neither."""
    nothing = parse(encode(extends.shows()))
    made, one = _make_record(client, extends, body)
    for name in _taken_members(extends):
        assert name in body, f"extended() sends no {name}"
        assert made[name] != nothing[name], f"extended() sends {name} with its default: send something else"
        version, told = client.get(one)["data"]["version"], len(client.events())
        client.patch(one, {name: None}, 412, If_Match=f'"{version - 1}"')
        for value, shown, changed in ((None, nothing[name], 1), (None, nothing[name], 0), (body[name], made[name], 1)):
            after = client.patch(one, {name: value}, If_Match=f'"{version}"')["data"]
            version, told = version + changed, told + changed
            assert after[name] == shown, f"{one}: {name} is {after[name]} after {value} was sent"
            assert after["version"] == version, f"{one}: {name} changes, and not the version"
            assert len(client.events()) == told, f"{one}: of a change of {name} {client.events()} are told"
    key = f"extended {extends.path}"
    first = client.post(extends.path, body, Idempotency_Key=key)
    assert client.post(extends.path, body, Idempotency_Key=key) == first


def costs_a_query_for_a_page(client: "Client", extends: Manifest.Extends, body: Mapping[str, Any]) -> None:
    """Assert that a longer page takes no more statements than a shorter one."""
    sent = []
    for per_page in (1, 3):
        client.post(extends.path, body), client.post(extends.path, body)
        with counted(client.app) as statements:
            client.get(f"{extends.path}?per_page={per_page}")
        sent.append(statements)
    assert len(sent[0]) == len(sent[1]), f"{extends.path}: a longer page costs more queries: {sent[1]}"


def leaves_nothing_when_off(
    client: "Client", smaller: "Client", extends: Manifest.Extends, body: Mapping[str, Any]
) -> None:
    """Assert that the members are unknown while the plugin is off, and have kept their values when it is on again."""
    made, one = _make_record(client, extends, body)
    members = set(extends.shows.__struct_fields__)
    assert smaller.get(one)["data"].keys() == made.keys() - members
    for name in members:
        error = smaller.patch(one, {name: body.get(name)}, 422)["error"]
        assert error["details"][0]["code"] == "unknown_field"
    assert client.get(one)["data"] == made
    for app, known in ((client.app, True), (smaller.app, False)):
        document = app.openapi()
        answers = [document["paths"][path]["get"] for path in (extends.path, f"{extends.path}/{{id}}")]
        answers += [document["paths"][extends.path]["post"]]
        for operation in answers:
            shown = _answered_members(document, operation["responses"])
            assert {name for name in members if name in shown} == (members if known else set())


def is_forgotten(client: "Client", extends: Manifest.Extends, body: Mapping[str, Any]) -> None:
    """Assert that nothing is kept of a deleted record."""
    made, one = _make_record(client, extends, body)
    if client.call("DELETE", one).status_int == 200:
        ctx = Context(client.app, client.tenant_id)
        with client.app.db.reading(client.tenant_id) as ctx.db:
            found = extends.fill(ctx, [made["id"]]).get(made["id"])
        assert found in (None, extends.shows()), f"{found} is kept of a record that is deleted: hear of it"


def _make_record(client: "Client", extends: Manifest.Extends, body: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    made: dict[str, Any] = client.post(extends.path, body)["data"]
    return made, f"{extends.path}/{made['id']}"


def _taken_members(extends: Manifest.Extends) -> tuple[str, ...]:
    return tuple(f.encode_name for f in msgspec.structs.fields(extends.takes)) if extends.takes else ()


def _answered_members(document: dict[str, Any], responses: dict[str, Any]) -> dict[str, Any]:
    """Return the members of the records in an operation's response."""
    (answer,) = (r for status, r in responses.items() if status in ("200", "201"))
    data = answer["content"]["application/json"]["schema"]["properties"]["data"]
    name = data.get("items", data)["$ref"].rpartition("/")[2]
    found: dict[str, Any] = document["components"]["schemas"][name]["properties"]
    return found
