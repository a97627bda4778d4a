"""An app that ends: everywhere at once because the operator says so, or for good because its business does."""

import threading

import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from billycan import Conflict
from billycan.testing import Client
from billycan.testing.racing import together
from billycan_apps import app_records, app_removal, grants
from billycan_apps.tables import access_tokens
from billycan_apps.testing import OAuthApp
from billycan_users.tables import users
from billycan_users.testing import Browser

pytestmark = pytest.mark.either

HERE = "/dashboard/operator/apps"
HOOKS = "/v1/webhook_endpoints"
SCOPES = ("contacts:read", "contacts:write", "webhooks:read", "webhooks:write")


@pytest.fixture
def client(make_app):
    return Client(make_app("apps", "contacts", "users", "webhooks", "dashboard"))


@pytest.fixture
def oauth(client):
    oauth = OAuthApp(client, *SCOPES)
    with client.app.db.writing() as db:
        app_records.publish_app(db, oauth.id, lambda edition: None)
    return oauth


@pytest.fixture
def elsewhere(client):
    """Another business, and somebody who may connect apps to it."""
    other = Client(client.app)
    return other, Browser(client.app).join(other)


def operator(client):
    browser = Browser(client.app).join(client, email=f"boss.{client.tenant_id}@example.com", is_operator=True)
    with client.app.db.writing() as db:
        db.execute(sa.update(users).where(users.c.email == browser.email).values(totp=b"set up"))
    return browser


def test_the_operator_ends_an_app_in_every_business_at_once(client, oauth, elsewhere):
    other, owner = elsewhere
    callers = [oauth.connect(), oauth.connect("sandbox"), oauth.connect(browser=owner)]
    for caller in callers:
        caller.post(HOOKS, {"url": "https://app.example.com/hooks", "events": ["contact.*"]})
    boss = operator(client)
    page = boss.get(HERE)
    assert "Ledger Sync" in page.text and "connected 3 times" in page.text
    page = boss.send(f"{HERE}/{oauth.id}/end")
    assert "3 connections ended" in page.text and "Its own business only" in page.text
    for caller in callers:
        caller.refused(401, "invalid_api_key", "GET", "/v1/me")
        assert oauth.refresh(caller.tokens["refresh_token"], 400)["error"] == "invalid_grant"
    for business in (client, client.sandbox(), other):
        assert business.get(HOOKS)["data"] == []
        (event,) = business.get("/v1/events?event=app.disconnected")["data"]
        assert event["data"]["app"] == {"id": oauth.id, "name": "Ledger Sync"}
    assert "is not published here" in owner.web.get(oauth.asks(), status=400).text
    oauth.connect()


def test_an_operator_publishes_and_withdraws(client, oauth, elsewhere):
    _, owner = elsewhere
    boss = operator(client)
    boss.get(HERE)
    boss.send(f"{HERE}/{oauth.id}/withdraw")
    owner.web.get(oauth.asks(), status=400)
    boss.send(f"{HERE}/{oauth.id}/publish")
    oauth.connect(browser=owner)
    owner.get(HERE, 403)
    did = [(line.did, line.by, line.detail["app"]) for line in client.app.operations.recent(most=2)]
    assert did == [(f"app.{what}", boss.email, "Ledger Sync") for what in ("published", "withdrawn")]


def test_the_operator_publishes_only_the_edition_that_the_page_showed(client, oauth, elsewhere):
    boss, path = operator(client), f"{HERE}/{oauth.id}/publish"
    with client.app.db.writing() as db:
        app_records.change_app(db, oauth.id, replace(oauth.edition, name="Ledger Sync 2"))
    assert "Ledger Sync 2" in boss.get(HERE).text
    with client.app.db.writing() as db:
        app_records.change_app(db, oauth.id, replace(oauth.edition, name="Ledger Sync 2", scopes=["tenant:write"]))
    page = boss.send(path, status=409)
    assert "has changed since you opened the page" in page.text and "tenant:write" in page.text

    def published():
        with client.app.db.reading() as db:
            return app_records.get_app(db, oauth.id).published

    assert published() == oauth.edition
    boss.send(path)
    assert published().scopes == ["tenant:write"]


@pytest.mark.both
def test_whoever_refreshes_meanwhile_is_ended_too(oauth):
    tokens = [oauth.tokens() for _ in range(8)]
    barrier, given = threading.Barrier(9), []

    def refresh(token):
        barrier.wait()
        given.append(grants.renew_tokens(oauth.app, oauth.id, token))

    threads = [threading.Thread(target=refresh, args=(each["refresh_token"],)) for each in tokens]
    for thread in threads:
        thread.start()
    barrier.wait()
    assert app_removal.end_app(oauth.app, oauth.id) == 1
    for thread in threads:
        thread.join()
    for pair in [pair for pair in given if pair]:
        headers = {"Authorization": f"Bearer {pair.access_token}"}
        oauth.web.get("/v1/me", headers=headers, status=401)
        assert grants.renew_tokens(oauth.app, oauth.id, pair.refresh_token) is None
    with oauth.app.db.reading(oauth.client.tenant_id) as db:
        mine = sa.select(access_tokens.c.id).where(access_tokens.c.tenant_id == oauth.client.tenant_id)
        assert db.execute(mine).all() == []


def test_a_business_deletes_its_app_and_has_room_for_another(client, oauth, elsewhere, monkeypatch):
    monkeypatch.setattr(app_records, "MOST_APPS", 1)
    _, owner = elsewhere
    caller = oauth.connect(browser=owner)
    with pytest.raises(Conflict):
        OAuthApp(client)
    path = f"/dashboard/apps/{oauth.id}"
    owner.get("/dashboard/apps")
    token = owner.token
    owner.web.post(f"{path}/delete", {"token": token}, status=404)
    caller.get("/v1/me")
    mine = oauth.person()
    mine.get(path)
    assert "refused everywhere" in mine.send(f"{path}/delete").text
    caller.refused(401, "invalid_api_key", "GET", "/v1/me")
    assert oauth.refresh(caller.tokens["refresh_token"], 401)["error"] == "invalid_client"
    mine.get(path, 404)
    OAuthApp(client)


@pytest.mark.both
def test_of_all_who_register_an_app_at_once_as_many_do_as_there_is_room_for(client, oauth, monkeypatch):
    monkeypatch.setattr(app_records, "MOST_APPS", 4)

    def register(name):
        try:
            with client.app.db.writing() as db:
                edition = replace(oauth.edition, name=name)
                app_records.register_app(db, client.tenant_id, edition, client.app.now(), is_confidential=False)
        except Conflict:
            return False
        return True

    assert together(register, [f"App {i}" for i in range(8)], 8).count(True) == 3


@pytest.mark.both
def test_of_two_who_remove_a_secret_at_once_one_leaves_the_last(client, oauth):
    with client.app.db.writing() as db:
        app_records.rotate_secret(db, oauth.id, client.app.now())
        ids = [row.id for row in app_records.secrets_of(db, oauth.id)]
    barrier, done = threading.Barrier(2), []

    def forget(id):
        barrier.wait()
        try:
            with client.app.db.writing() as db:
                app_records.forget_secret(db, oauth.id, id)
            done.append(id)
        except Conflict:
            pass

    threads = [threading.Thread(target=forget, args=(id,)) for id in ids]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with client.app.db.reading() as db:
        assert len(done) == 1 and len(app_records.secrets_of(db, oauth.id)) == 1


def test_a_business_knows_an_app_by_the_name_that_was_published(client, oauth, elsewhere):
    _, owner = elsewhere
    caller = oauth.connect(browser=owner)
    with client.app.db.writing() as db:
        app_records.change_app(db, oauth.id, replace(oauth.edition, name="Your Bank"))
    client.app.epoch.bump()
    assert caller.get("/v1/me")["data"]["app"]["name"] == "Ledger Sync"
