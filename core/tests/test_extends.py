"""Members that a plugin adds to another's records behave like their own wherever they are sent, shown and emitted."""

import re
from decimal import Decimal

import pytest
from msgspec import Struct

from billycan import Conflict, Manifest, Named, Route, RuleBroken
from billycan.fields import Amount, Name
from billycan.starting.plugins import PluginError
from billycan.testing import Client

pytestmark = pytest.mark.either

PATH = "/v1/contacts"


class NewTerms(Struct, kw_only=True):
    """Terms that can be agreed with a contact.

    credit_limit: How much it may owe.
    guarantor: Who pays where it does not.
    """

    credit_limit: Amount | None = None
    guarantor: Name | None = None

    def __post_init__(self):
        if self.guarantor and not self.credit_limit:
            raise RuleBroken("required", "is required where there is a guarantor", "credit_limit")


class Terms(Struct, kw_only=True):
    """Terms that are agreed with a contact.

    rating: How it pays.
    """

    credit_limit: Decimal | None = None
    guarantor: str | None = None
    rating: Named | None = None


class Added:
    """The guest's data, in place of a table."""

    def __init__(self):
        self.kept, self.asked = {}, []

    def fill(self, ctx, ids):
        self.asked.append([*ids])
        return {id: self.kept[id] for id in ids if id in self.kept}

    def keep(self, ctx, id, sent):
        if sent.guarantor == "Nobody":
            raise Conflict("Nobody guarantees nothing.", code="conflict")
        self.kept[id] = Terms(credit_limit=sent.credit_limit, guarantor=sent.guarantor, rating=Named("rat_1", "slow"))


@pytest.fixture
def added():
    return Added()


def guest(added, **given):
    given = {"path": PATH, "shows": Terms, "fill": added.fill, "takes": NewTerms, "keep": added.keep, **given}
    return Manifest(name="guest", requires=("contacts",), extends=(Manifest.Extends(**given),))


@pytest.fixture
def client(make_app, install, added):
    install(guest(added))
    return Client(make_app("contacts", "guest"))


def test_members_are_kept_shown_and_told_of(client):
    made = client.post(PATH, {"name": "Ada", "credit_limit": "500"})["data"]
    assert (made["credit_limit"], made["rating"]) == (Decimal("500.00"), {"id": "rat_1", "name": "slow"})
    other = client.post(PATH, {"name": "Grace"})["data"]
    assert (other["credit_limit"], other["rating"]) == (None, None)
    assert client.get(f"{PATH}?sort=name")["data"] == [made, other]
    assert client.post(f"{PATH}/{made['id']}/archive", status=200)["data"]["credit_limit"] == 500
    told = [event["data"]["credit_limit"] for event in client.get("/v1/events?sort=created_at")["data"]]
    assert told == [500, None, 500]


def test_the_plugin_is_asked_once_for_a_page_and_once_for_what_is_told_and_answered(client, added):
    ids = [client.post(PATH, {"name": name})["data"]["id"] for name in ("Ada", "Grace", "Mary")]
    assert added.asked == [[id] for id in ids]
    client.get(f"{PATH}?sort=name")
    assert added.asked[3:] == [ids]


def test_nothing_is_kept_that_was_not_sent(client, added):
    client.post(PATH, {"name": "Ada"})
    client.post(PATH, {"name": "Ada", "credit_limit": None})
    assert not added.kept


def test_a_patch_merges_over_what_is_kept(client):
    one = f"{PATH}/{client.post(PATH, {'name': 'Ada', 'credit_limit': 500, 'guarantor': 'Bea'})['data']['id']}"
    changed = client.patch(one, {"credit_limit": 600, "name": "Ada B."})["data"]
    assert (changed["version"], changed["credit_limit"], changed["guarantor"]) == (2, 600, "Bea")
    error = client.patch(one, {"credit_limit": None}, 422)["error"]
    assert (error["details"][0]["param"], error["details"][0]["code"]) == ("credit_limit", "required")
    assert client.get(one)["data"] == changed
    assert client.patch(one, {"credit_limit": None, "guarantor": None})["data"]["version"] == 3


def test_a_rule_over_several_members_is_checked_with_the_body(client):
    error = client.post(PATH, {"name": "Ada", "guarantor": "Bea"}, 422)["error"]
    assert (error["details"][0]["param"], error["details"][0]["code"]) == ("credit_limit", "required")


def test_a_refusal_of_the_plugin_undoes_the_whole_request(client):
    body = {"name": "Ada", "credit_limit": 1, "guarantor": "Nobody"}
    client.refused(409, "conflict", "POST", PATH, body)
    assert client.get(PATH)["data"] == [] and client.events() == []


def test_the_order_of_refusals_stays(client):
    one = f"{PATH}/{client.post(PATH, {'name': 'Ada'})['data']['id']}"
    client.patch(f"{PATH}/con_none", {"credit_limit": 5}, 404)
    client.patch(one, {"credit_limit": 5}, 412, If_Match='"7"')
    client.patch(one, {"credit_limit": 5, "name": None}, 422, If_Match='"7"')


def test_the_document_has_the_members(client):
    schemas = client.app.openapi()["components"]["schemas"]
    shown, sent, changed = (schemas[name] for name in ("Contact", "NewContact", "ContactChange"))
    assert {"credit_limit", "guarantor", "rating"} <= set(shown["required"])
    assert sent["properties"]["guarantor"]["description"] == "Who pays where it does not."
    assert shown["properties"]["guarantor"]["description"] == "Who pays where it does not."
    assert shown["properties"]["rating"]["description"] == "How it pays."
    assert {
        name: said["x-plugin"] for name, said in shown["properties"].items() if "x-plugin" in said
    } == dict.fromkeys(("credit_limit", "guarantor", "rating"), "guest")
    assert "rating" not in sent["properties"] and changed["properties"]["rating"]["readOnly"]
    assert {"credit_limit", "guarantor"}.isdisjoint(sent["required"])


def test_a_resource_whose_handler_writes_by_other_means_keeps_nothing_silently(make_app, install, added, caplog):
    def update_contact(ctx, id, body):
        return get.handler(ctx, id)

    from msgspec.structs import replace

    from billycan import Context, Patch
    from billycan.starting.plugins import read_manifest
    from billycan_contacts.resource import Contact, NewContact

    contacts = read_manifest("contacts")
    get = next(r for r in contacts.routes if r.path.endswith("{id}"))
    update_contact.__annotations__ = {"ctx": Context, "id": str, "body": Patch[NewContact], "return": Contact}
    routes = [r for r in contacts.routes if r.method != "PATCH"]
    routes.append(Route("PATCH", f"{PATH}/{{id}}", update_contact, scope="contacts:write"))
    install(replace(contacts, routes=tuple(routes)))
    install(guest(added))
    client = Client(make_app("contacts", "guest"))
    one = f"{PATH}/{client.post(PATH, {'name': 'Ada'})['data']['id']}"
    client.patch(one, {"credit_limit": 5}, 500)
    assert "its handler did not call its Records' insert or save" in caplog.text


class Taken(Struct):
    status: str | None = None


class Required(Struct):
    score: int


class Rating(Struct):
    rating: int | None = None


@pytest.mark.sqlite_alone
@pytest.mark.parametrize(
    "given, message",
    [
        ({"path": "/v1/people"}, "guest extends /v1/people, which no plugin lists: correct the path"),
        ({"shows": Taken, "takes": None, "keep": None}, "the member status, which contacts has: rename it in guest"),
        ({"shows": Required, "takes": None, "keep": None}, "Required.score has no default: give it one"),
        ({"keep": None}, "takes and keep go together: give both or neither"),
        ({"shows": Rating}, "credit_limit is accepted but not shown: add it to Rating"),
        (
            {"path": "/v1/events", "takes": None, "keep": None},
            "guest extends /v1/events of core, which is not a plugin",
        ),
        ({"shows": dict}, "extends must be a tuple of Manifest.Extends"),
    ],
)
def test_what_cannot_be_added_stops_the_start(make_app, install, added, given, message):
    install(guest(added, **given))
    with pytest.raises(PluginError, match=re.escape(message)):
        make_app("contacts", "guest")


def test_a_plugin_extends_only_what_it_names(make_app, install, added):
    install(Manifest(name="guest", extends=guest(added).extends))
    with pytest.raises(PluginError, match="guest extends /v1/contacts of contacts: name contacts in its requires or"):
        make_app("contacts", "guest")


def test_two_plugins_cannot_add_the_same_member(make_app, install, added):
    install(guest(added))
    other = Manifest.Extends(path=PATH, shows=Rating, fill=added.fill)
    install(Manifest(name="visitor", requires=("contacts",), extends=(other,)))
    message = "guest and visitor both add the member rating to /v1/contacts: disable one of them"
    with pytest.raises(PluginError, match=message):
        make_app("contacts", "guest", "visitor")


def test_two_plugins_may_add_different_members(make_app, install, added):
    class Flag(Struct):
        flag: str | None = None

    def flags(ctx, ids):
        return dict.fromkeys(ids, Flag("red"))

    install(guest(added))
    install(
        Manifest(name="visitor", requires=("contacts",), extends=(Manifest.Extends(path=PATH, shows=Flag, fill=flags),))
    )
    client = Client(make_app("contacts", "guest", "visitor"))
    made = client.post(PATH, {"name": "Ada", "credit_limit": 7})["data"]
    assert (made["credit_limit"], made["flag"]) == (7, "red")
    assert client.patch(f"{PATH}/{made['id']}", made)["data"] == made


def test_what_extends_a_plugin_that_is_off_waits_for_it(make_app, install, added):
    install(Manifest(name="guest", uses=("contacts",), extends=guest(added).extends))
    assert make_app("guest").extensions == {}
    client = Client(make_app("contacts", "guest"))
    assert client.post(PATH, {"name": "Ada", "credit_limit": 7})["data"]["credit_limit"] == 7
