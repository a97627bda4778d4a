"""Webhook endpoints of apps: each app has its own, the business sees them, and they end with the connection."""

import pytest

from billycan.testing import Client
from billycan_apps.testing import OAuthApp
from billycan_webhooks import handlers

pytestmark = pytest.mark.sqlite_alone

HERE, DELIVERIES = "/v1/webhook_endpoints", "/v1/webhook_deliveries"
SCOPES = ("contacts:read", "contacts:write", "webhooks:read", "webhooks:write")
BODY = {"url": "https://app.example.com/hooks", "events": ["contact.*"]}


@pytest.fixture
def client(make_app):
    return Client(make_app("apps", "contacts", "users", "webhooks", "dashboard"))


@pytest.fixture
def oauth(client):
    return OAuthApp(client, *SCOPES)


@pytest.fixture
def caller(oauth):
    return oauth.connect()


def statuses(client, **query):
    found = client.get(DELIVERIES + "?" + "&".join(f"{k}={v}" for k, v in query.items()))
    return [each["status"] for each in found["data"]]


def test_an_app_sees_counts_and_changes_only_its_own(client, oauth, caller):
    theirs = client.post(HERE, BODY)["data"]
    other = OAuthApp(client, *SCOPES, browser=oauth.browser).connect()
    others = other.post(HERE, BODY)["data"]
    own = caller.post(HERE, BODY)["data"]
    assert own["connection_id"] == caller.key_id and theirs["connection_id"] is None
    client.post("/v1/contacts", {"name": "Ada"})
    for path, seen in ((HERE, "id"), (DELIVERIES, "endpoint_id")):
        page = caller.get(path)
        assert page["pagination"]["total"] == 1 and page["data"][0][seen] == own["id"]
        assert client.get(path)["pagination"]["total"] == 3
    for foreign in (theirs, others):
        (delivery,) = client.get(f"{DELIVERIES}?endpoint_id={foreign['id']}")["data"]
        assert caller.get(f"{DELIVERIES}?endpoint_id={foreign['id']}")["data"] == []
        for method, path, body in (
            ("GET", f"{HERE}/{foreign['id']}", None),
            ("PATCH", f"{HERE}/{foreign['id']}", {"description": "mine"}),
            ("DELETE", f"{HERE}/{foreign['id']}", None),
            ("POST", f"{HERE}/{foreign['id']}/rotate_secret", None),
            ("POST", f"{HERE}/{foreign['id']}/test", None),
            ("POST", f"{HERE}/{foreign['id']}/recover", {"since": "2026-11-20T00:00:00Z"}),
            ("GET", f"{DELIVERIES}/{delivery['id']}", None),
            ("POST", f"{DELIVERIES}/{delivery['id']}/replay", None),
        ):
            caller.refused(404, "resource_not_found", method, path, body)
            caller.call(method, path, body, 404, {"If-Match": '"77"'})
    caller.patch(f"{HERE}/{own['id']}", {"description": "mine"})


def test_the_business_sees_an_apps_endpoint_and_cannot_change_it(client, caller):
    own = caller.post(HERE, BODY)["data"]
    client.post("/v1/contacts", {"name": "Ada"})
    (delivery,) = client.get(DELIVERIES)["data"]
    assert client.get(f"{HERE}/{own['id']}")["data"]["connection_id"] == caller.key_id
    client.get(f"{DELIVERIES}/{delivery['id']}")
    for method, path, body in (
        ("PATCH", f"{HERE}/{own['id']}", {"enabled": False}),
        ("DELETE", f"{HERE}/{own['id']}", None),
        ("POST", f"{HERE}/{own['id']}/rotate_secret", None),
        ("POST", f"{HERE}/{own['id']}/test", None),
        ("POST", f"{HERE}/{own['id']}/recover", {"since": "2026-11-20T00:00:00Z"}),
        ("POST", f"{DELIVERIES}/{delivery['id']}/replay", None),
    ):
        client.refused(403, "belongs_to_app", method, path, body)


def test_a_business_has_forty_with_its_apps(client, caller, monkeypatch):
    """Whatever happens is delivered to each of them."""
    monkeypatch.setattr(handlers, "MOST_IN_ALL", 3)
    client.post(HERE, BODY)
    for _ in range(2):
        caller.post(HERE, BODY)
    for each in (client, caller):
        each.refused(409, "too_many_endpoints", "POST", HERE, BODY)


def test_each_has_twenty_of_its_own(client, caller):
    for _ in range(20):
        client.post(HERE, BODY)
        caller.post(HERE, BODY)
    for each in (client, caller):
        each.refused(409, "too_many_endpoints", "POST", HERE, BODY)


def test_disconnecting_deletes_them_and_keeps_their_history(client, oauth, caller):
    own = caller.post(HERE, BODY)["data"]
    client.post("/v1/contacts", {"name": "Ada"})
    browser = oauth.person()
    browser.get("/dashboard/connections")
    browser.send(f"/dashboard/connections/{caller.key_id}/disconnect")
    assert "it is refused from now on" in browser.page.text and "Nothing is connected" in browser.page.text
    caller.refused(401, "invalid_api_key", "GET", "/v1/me")
    assert oauth.refresh(caller.tokens["refresh_token"], 400)["error"] == "invalid_grant"
    client.get(f"{HERE}/{own['id']}", 404)
    assert statuses(client, endpoint_id=own["id"]) == ["cancelled"]
    (event,) = client.get("/v1/events?event=app.disconnected")["data"]
    assert event["data"]["id"] == caller.key_id and event["actor"]["user_id"].startswith("usr_")


def test_a_theft_holds_them_until_somebody_consents_again(client, oauth, caller, clock):
    own = caller.post(HERE, BODY)["data"]
    paused = caller.post(HERE, {**BODY, "enabled": False})["data"]
    oauth.refresh(caller.tokens["refresh_token"])
    clock.move(minutes=2)
    oauth.refresh(caller.tokens["refresh_token"], 400)
    client.post("/v1/contacts", {"name": "Ada"})
    held = client.get(f"{HERE}/{own['id']}")["data"]
    assert (held["enabled"], held["disabled_reason"]) == (False, "consent")
    assert statuses(client) == ["held", "held"]
    again = oauth.connect()
    assert again.get(f"{HERE}/{own['id']}")["data"]["enabled"] is True
    assert statuses(again, endpoint_id=own["id"]) == ["pending"]
    assert statuses(again, endpoint_id=paused["id"]) == ["held"]


def test_scopes_that_are_taken_away_hold_what_they_were_for(client, oauth, caller):
    own = caller.post(HERE, BODY)["data"]
    oauth.consents(scopes=["webhooks:read", "webhooks:write"])
    client.post("/v1/contacts", {"name": "Ada"})
    assert caller.get(f"{HERE}/{own['id']}")["data"]["disabled_reason"] == "consent"
    assert statuses(caller) == ["held"]
    caller.refused(403, "insufficient_scope", "PATCH", f"{HERE}/{own['id']}", {"enabled": True})
    oauth.consents()
    assert statuses(caller) == ["pending"]


def test_what_is_on_its_way_is_held_with_the_scope_that_it_needs(client):
    oauth = OAuthApp(client, *SCOPES, "apps:read")
    caller = oauth.connect()
    own = caller.post(HERE, BODY)["data"]
    client.post("/v1/contacts", {"name": "Ada"})
    caller.patch(f"{HERE}/{own['id']}", {"events": ["app.disconnected"]})
    for scopes in (["apps:read", "webhooks:read"], ["apps:read", "webhooks:write"]):
        oauth.consents(scopes=scopes)
        assert statuses(client) == ["held"]
    oauth.consents()
    assert statuses(client) == ["pending"]


def test_external_ids_are_each_ones_own_and_tell_nothing_of_others(client, oauth, caller):
    other = OAuthApp(client, *SCOPES, browser=oauth.browser).connect()
    for each in (client, caller, other):
        each.post(HERE, {**BODY, "external_id": "main"})
        each.refused(409, "duplicate_external_id", "POST", HERE, {**BODY, "external_id": "main"})
        renamed = each.post(HERE, BODY)["data"]["id"]
        each.refused(409, "duplicate_external_id", "PATCH", f"{HERE}/{renamed}", {"external_id": "main"})


def test_the_dashboard_says_which_app_an_endpoint_belongs_to(client, oauth, caller):
    theirs, own = (
        client.post(HERE, BODY)["data"],
        caller.post(HERE, {**BODY, "url": "https://app.example.com/b"})["data"],
    )
    browser = oauth.person()
    assert browser.get("/dashboard/webhooks").text.count("Ledger Sync") == 1
    page = browser.get(f"/dashboard/webhooks/{own['id']}")
    assert "belongs to Ledger Sync" in page.text
    assert not [form.action for form in page.forms.values() if own["id"] in form.action]
    assert "Ledger Sync" not in browser.get(f"/dashboard/webhooks/{theirs['id']}").text
    oauth.consents(scopes=["webhooks:read"])
    assert "Held: needs consent" in browser.get("/dashboard/webhooks").text
    assert "somebody consents again" in browser.get(f"/dashboard/webhooks/{own['id']}").text


def test_what_is_attached_to_others_endpoints_is_not_there_for_an_app(make_app, tmp_path):
    plugins = ("apps", "attachments", "contacts", "dashboard", "users", "webhooks")
    client = Client(make_app(*plugins, attachments={"folder": str(tmp_path)}))
    oauth = OAuthApp(client, *SCOPES)
    caller = oauth.connect()
    other = OAuthApp(client, *SCOPES, browser=oauth.browser).connect()
    own = caller.post(HERE, BODY)["data"]["id"]

    def upload(who, resource, status=201):
        path = f"/v1/attachments?resource={resource}&filename=notes.txt"
        return who.call("POST", path, raw=b"notes", status=status).json["data"]

    mine = upload(caller, own)
    for owner in (client, other):
        theirs = owner.post(HERE, BODY)["data"]["id"]
        upload(caller, theirs, 404)
        file = f"/v1/attachments/{upload(owner, theirs)['id']}"
        for method, path in (("GET", file), ("GET", f"{file}/content"), ("DELETE", file)):
            caller.refused(404, "resource_not_found", method, path)
        assert caller.get(f"/v1/attachments?resource={theirs}")["data"] == []
    page = caller.get("/v1/attachments")
    assert (page["data"], page["pagination"]["total"]) == ([mine], 1)
    assert client.get("/v1/attachments")["pagination"]["total"] == 3
    caller.delete(f"/v1/attachments/{mine['id']}")
