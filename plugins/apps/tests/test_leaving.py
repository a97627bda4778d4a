"""Apps and webhook endpoints that people set up end with their role, unless an owner keeps them."""

import json
from contextlib import contextmanager

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from billycan.testing import Client
from billycan_apps.testing import OAuthApp
from billycan_users.commands import users as command
from billycan_users.tables import users
from billycan_users.testing import Browser

pytestmark = pytest.mark.either

HOOKS = "/v1/webhook_endpoints"
ALL = ("contacts:read", "contacts:write", "webhooks:read", "webhooks:write")


@pytest.fixture
def owner(app, client):
    return Browser(app).join(client)


@pytest.fixture
def developer(app, client):
    return Browser(app).join(client, "developer")


def id_of(app, browser):
    with app.db.reading() as db:
        return db.execute(sa.select(users.c.id).where(users.c.email == browser.email)).scalar_one()


def make_endpoint(browser, url):
    """An endpoint that somebody makes on the page."""
    browser.get("/dashboard/webhooks")
    form = next(form for form in browser.page.forms.values() if "url" in form.fields)
    form["url"] = url
    form.fields["events"][0].checked = True
    form.submit(status=303)


def urls(client):
    return [each["url"] for each in client.get(HOOKS)["data"]]


@pytest.fixture
def set_up(app, client, owner, developer):
    """Connect apps and endpoints of the developer, live and in the sandbox, and some of the owner."""
    theirs, ours = OAuthApp(client, *ALL, browser=developer), OAuthApp(client, *ALL, name="Ours", browser=owner)
    callers = theirs.connect(), theirs.connect("sandbox"), ours.connect()
    make_endpoint(developer, "https://one.example.com/hook")
    make_endpoint(owner, "https://ours.example.com/hook")
    return callers


def is_out(caller):
    caller.refused(401, "invalid_api_key", "GET", "/v1/me")
    return True


def test_the_page_lists_what_a_person_set_up_and_ends_it_with_them(app, client, owner, developer, set_up):
    live, sandbox, ours = set_up
    sandbox.post(HOOKS, {"url": "https://app.example.com/hook", "events": ["contact.*"]})
    page = owner.get("/dashboard/people").text
    for said in ("Keep “Ledger Sync”", "App, sandbox", "Keep “https://one.example.com/hook”"):
        assert said in page, said
    page = owner.send(f"/dashboard/people/{id_of(app, developer)}", button="remove=yes")
    assert "2 apps are disconnected." in page.text
    assert "The webhook endpoint “https://one.example.com/hook” is deleted." in page.text
    assert is_out(live) and is_out(sandbox) and ours.get("/v1/me")
    assert urls(client) == ["https://ours.example.com/hook"] and urls(client.sandbox()) == []
    (event,) = client.get("/v1/events?event=app.disconnected")["data"]
    assert event["actor"]["user_id"] == id_of(app, owner)


def test_what_the_owner_ticks_stays(app, client, owner, developer, set_up):
    live, sandbox, _ = set_up
    owner.get("/dashboard/people")
    form = next(form for form in owner.page.forms.values() if form.action.endswith(id_of(app, developer)))
    for tick in form.fields["keep"]:
        tick.checked = tick._value in (live.key_id, client.get(HOOKS)["data"][-1]["id"])
    form.submit("remove", status=303)
    assert live.get("/v1/me") and is_out(sandbox)
    assert sorted(urls(client)) == ["https://one.example.com/hook", "https://ours.example.com/hook"]


def test_an_endpoint_that_a_persons_key_made_is_theirs(app, client, owner, developer):
    developer.get("/dashboard/keys")
    page = developer.send("/dashboard/keys", name="Deploy")
    holder = Client(app, client.tenant_id)
    holder.headers = {"Authorization": f"Bearer {page.html.find('pre').text}"}
    holder.post(HOOKS, {"url": "https://ci.example.com/hook", "events": ["contact.*"]})
    client.post(HOOKS, {"url": "https://nobodys.example.com/hook", "events": ["contact.*"]})
    assert "Keep “https://ci.example.com/hook”" in owner.get("/dashboard/people").text
    owner.send(f"/dashboard/people/{id_of(app, developer)}", button="remove=yes")
    assert urls(client) == ["https://nobodys.example.com/hook"]


def test_a_smaller_role_ends_what_needs_more(app, client, owner, developer, set_up):
    live, _, ours = set_up
    reader = OAuthApp(client, "contacts:read", name="Reader", browser=developer).connect()
    owner.get("/dashboard/people")
    owner.send(f"/dashboard/people/{id_of(app, developer)}", role="viewer")
    assert is_out(live) and reader.get("/v1/me") and ours.get("/v1/me")
    assert urls(client) == ["https://ours.example.com/hook"]


def test_whoever_leaves_takes_what_they_set_up(app, client, developer, set_up):
    live, sandbox, ours = set_up
    page = developer.get(f"/dashboard/businesses/{client.tenant_id}/leave").text
    assert "Ledger Sync" in page and "https://one.example.com/hook" in page and "ours.example.com" not in page
    developer.send(f"/dashboard/businesses/{client.tenant_id}/leave")
    assert is_out(live) and is_out(sandbox) and ours.get("/v1/me")
    assert urls(client) == ["https://ours.example.com/hook"]


def test_the_command_ends_it_too_unless_told_to_keep_it(app, client, developer, set_up):
    live, sandbox, ours = set_up

    def run(*words):
        @contextmanager
        def opened():
            yield app

        done = CliRunner().invoke(command, ["remove", id_of(app, developer), *words, "--json"], obj=opened)
        assert done.exit_code == 0, done.output
        return json.loads(done.output)

    done = run("--tenant", client.tenant_id)
    assert (done["ended_keys"], done["ended_apps"], done["ended_webhook_endpoints"]) == (0, 2, 1)
    assert is_out(live) and is_out(sandbox) and ours.get("/v1/me")
