"""The pages on which a business registers apps, and the command that does the same."""

import json
import re
from contextlib import contextmanager

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from billycan.testing import Client
from billycan_apps import app_records
from billycan_apps.commands import apps as command
from billycan_apps.testing import REDIRECT, OAuthApp
from billycan_apps.wording import describe_allowed, describe_denied
from billycan_users.testing import Browser

pytestmark = pytest.mark.sqlite_alone

GIVEN = {"name": "Ledger Sync", "home_page": "https://app.example.com", "redirect_uris": REDIRECT}
HERE = "/dashboard/apps"


@pytest.fixture
def client(make_app):
    return Client(make_app("apps", "contacts", "users", "dashboard"))


@pytest.fixture
def browser(client):
    return Browser(client.app).join(client)


@pytest.fixture
def run(client):
    @contextmanager
    def opened():
        yield client.app

    def run(*arguments, status=0, answers=None):
        done = CliRunner().invoke(command, [*arguments], obj=opened, input=answers)
        assert done.exit_code == status, done.output
        return done.output

    return run


def ticked(browser, *scopes):
    form = next(form for form in browser.page.forms.values() if "redirect_uris" in form.fields)
    for tick in form.fields["scopes"]:
        tick.checked = tick._value in scopes
    return form


def register(browser, *scopes, status=303, **changes):
    browser.get(HERE)
    form = ticked(browser, *scopes or ("contacts:read",))
    for name, value in {**GIVEN, **changes}.items():
        form.set(name, value)
    answer = form.submit(status=status)
    browser.page = answer.follow() if status == 303 else answer
    return browser.page


def secret_on(page):
    found = re.search(r"ocs_[0-9A-Za-z]{38}", page.text)
    return found and found[0]


def works(client, app_id, secret):
    oauth = OAuthApp(client)
    form = {"grant_type": "refresh_token", "refresh_token": "x", "client_id": app_id, "client_secret": secret}
    return oauth.post("/oauth/token", form)["error"] == "invalid_grant"


def test_an_app_is_registered_and_its_secret_shown_once(client, browser):
    page = register(browser, "contacts:read", "contacts:write")
    secret, app_id = secret_on(page), re.search(r"app_\w+", page.text)[0]
    assert secret and works(client, app_id, secret)
    path = f"{HERE}/{app_id}"
    assert secret_on(browser.get(path)) is None
    page = browser.send(f"{path}/rotate")
    second = secret_on(page)
    assert works(client, app_id, secret) and works(client, app_id, second)
    third = secret_on(browser.send(f"{path}/rotate"))
    assert [works(client, app_id, each) for each in (secret, second, third)] == [False, True, True]
    older = next(f for f in browser.page.forms.values() if f.action.endswith("/forget"))
    assert older.submit(status=303)
    browser.get(path)
    assert [works(client, app_id, each) for each in (second, third)].count(True) == 1
    assert "/forget" not in browser.page.text


def test_faults_stand_at_their_fields(browser):
    page = register(browser, status=422, name="", home_page="nowhere", redirect_uris="http://app.example.com/cb")
    for said in ("must begin with https://", "fault-name", "fault-home_page"):
        assert said in page.text
    assert "must name at least one thing" in register(browser, "", status=422).text
    # What people read before they consent reads as it is.
    for misleading in (
        {"name": "a\u202eb"},
        {"home_page": "https://bank.example@x.test"},
        {"home_page": "https://x/\u2066"},
    ):
        assert f"fault-{next(iter(misleading))}" in register(browser, status=422, **misleading).text


def test_a_public_app_has_no_secret(browser, client):
    page = register(browser, kind="public")
    assert secret_on(page) is None and "it proves itself by PKCE alone" in page.text
    app_id = re.search(r"app_\w+", page.text)[0]
    token = browser.token
    browser.web.post(f"{HERE}/{app_id}/rotate", {"token": token}, status=409)


def test_apps_are_for_those_who_develop_and_of_their_own_business(browser, client):
    register(browser)
    path = browser.page.request.path
    viewer = Browser(client.app).join(client, "viewer")
    viewer.get(HERE, 403)
    viewer.get("/dashboard/connections", 403)
    stranger = Browser(client.app).join(Client(client.app))
    stranger.get(path, 404)
    stranger.get(HERE)
    token = stranger.token
    stranger.web.post(path, {"token": token, **GIVEN, "scopes": "contacts:read"}, status=404)
    stranger.web.post(f"{path}/rotate", {"token": token}, status=404)
    stranger.web.post(f"{path}/forget", {"token": token}, status=404)


def test_a_change_is_for_its_own_business_until_it_is_published_again(browser, client, run):
    register(browser)
    path = browser.page.request.path
    app_id = path.rpartition("/")[2]
    run("publish", app_id, answers="y\n")
    assert "Every business can connect it." in browser.get(path).text
    form = ticked(browser, "contacts:read", "contacts:write")
    form.submit(status=303)
    assert "Other businesses still connect the app as it was" in browser.get(path).text
    assert "changed since it was published" in run("list")
    run("publish", app_id, answers="y\n")
    (listed,) = [each for each in json.loads(run("list", "--json")) if each["id"] == app_id]
    assert listed["published"]["scopes"] == ["contacts:read", "contacts:write"]
    run("publish", app_id, "--digest", listed["digest"])
    assert "has changed" in run("publish", app_id, "--digest", "0" * 32, status=1)
    run("publish", app_id, "--withdraw")
    assert "Only your own business" in browser.get(path).text


def test_the_command_publishes_what_it_showed_once_that_is_confirmed(browser, client, run, monkeypatch):
    register(browser)
    app_id = browser.page.request.path.rpartition("/")[2]

    def published():
        (listed,) = [each for each in json.loads(run("list", "--json")) if each["id"] == app_id]
        return listed["published"]

    for words, status, answers in (([], 1, None), ([], 1, "n\n"), (["--json"], 2, "y\n")):
        run("publish", app_id, *words, status=status, answers=answers)
        assert published() is None

    def change_and_confirm(*args, **given):
        with client.app.db.writing() as db:
            own = app_records.get_app(db, app_id).own
            app_records.change_app(db, app_id, replace(own, scopes=["tenant:write"]))
        return True

    with monkeypatch.context() as patched:
        patched.setattr("click.confirm", change_and_confirm)
        assert "has changed" in run("publish", app_id, status=1)
    assert published() is None
    told = run("publish", app_id, answers="y\n")
    for shown in (GIVEN["name"], GIVEN["home_page"], REDIRECT, "tenant:write"):
        assert shown in told.partition("Let every business")[0]
    assert published()["scopes"] == ["tenant:write"]


def test_the_command_does_all_of_it(client, run):
    given = ("--tenant", client.tenant_id, "--name", "Ledger Sync", "--home-page", "https://app.example.com")
    given += ("--redirect-uri", REDIRECT, "--scope", "contacts:read", "--scope", "contacts:write")
    made = json.loads(run("create", *given, "--json"))
    assert works(client, made["app"], made["secret"])
    assert json.loads(run("create", *given, "--public", "--json"))["secret"] is None
    assert "is not a scope" in run("create", *given, "--scope", "read", status=1)
    assert "there is no app" in run("publish", "app_nobody", status=1, answers="y\n").lower()
    rotated = json.loads(run("rotate-secret", made["app"], "--json"))["secret"]
    assert works(client, made["app"], made["secret"]) and works(client, made["app"], rotated)
    oauth = OAuthApp(client)
    caller = oauth.connect()
    assert "nothing is connected" not in run("connections", "--tenant", client.tenant_id)
    (row,) = json.loads(run("connections", "--tenant", client.tenant_id, "--json"))
    assert (row["id"], row["app"]["id"], row["connected_by"]["name"]) == (caller.key_id, oauth.id, "Owner")
    assert row["scopes"] == ["contacts:read", "contacts:write"] and row["last_used_at"]
    run("disconnect", caller.key_id, "--tenant", client.tenant_id, "--json")
    caller.refused(401, "invalid_api_key", "GET", "/v1/me")
    assert json.loads(run("connections", "--tenant", client.tenant_id, "--json")) == []
    assert run("disconnect", caller.key_id, "--tenant", client.tenant_id, status=1)


def test_scopes_are_told_in_words_that_name_what_they_open_and_nothing_else(make_app):
    app = make_app("apps", "contacts", "documents", "hosted", "invoices", "users")
    see, change = describe_allowed(app, ["invoices:write", "invoices:read"])
    assert see.title == "See your invoices, payments and adjustment notes"
    assert change.title == "Create, change and delete invoices, payments and adjustment notes"
    assert "send" in change.detail and "void" in change.detail
    closed = "contacts, the log of events, the look of your documents, your business profile or email notifications"
    assert describe_denied(app, ["invoices:read"])[0] == f"See or change {closed}"
    assert describe_denied(app, ["invoices:read"])[1] == "Change invoices"
    others = ("archives", "attachments", "dashboard", "items", "mail", "pdf", "recurring", "reminders", "reports")
    everything = make_app("apps", "contacts", "documents", "hosted", "invoices", "users", *others)
    words = {one.scope: one for one in describe_allowed(everything, app_records.grantable_scopes(everything))}
    assert words["contacts:read"].detail == "With the files attached to them"
    assert (words["mail:write"].title, words["items:read"].title) == (
        "Email your clients in your name",
        "See your price list",
    )
    # Nothing is left unsaid, and files are seen with what they belong to, not apart.
    assert all(one.title.split()[-1] not in ("See", "your") for one in words.values())
    assert "attachments" not in describe_denied(everything, ["contacts:read"])[0]


def test_nobody_is_told_to_open_what_is_for_programs(client):
    assert list(client.app.entrances) == ["/dashboard"]
