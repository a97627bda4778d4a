"""Queued work ends with the access of its author: a person who is removed, or an app that is disconnected."""

import pytest

from billycan import Unauthenticated
from billycan.keys import Identity
from billycan.testing import Client
from billycan_apps.testing import OAuthApp
from billycan_imports.testing import finish_imports
from billycan_users import people
from billycan_users.testing import Browser

PATH = "/v1/imports?resource=contacts"


@pytest.fixture
def app(make_app):
    return make_app("apps", "contacts", "dashboard", "imports", "users")


@pytest.fixture
def client(app):
    return Client(app)


def upload_on_page(browser):
    """Upload a file on the page, and start its import; return its id."""
    form = next(
        form for form in browser.get("/dashboard/imports").forms.values() if form.action == "/dashboard/imports"
    )
    given = {"token": form["token"].value, "once": form["once"].value, "resource": "contacts"}
    answer = browser.web.post(
        "/dashboard/imports",
        given,
        upload_files=[("file", "a.csv", b"name\nAda\n")],
        status=303,
        content_type="multipart/form-data",
    )
    form = next(form for form in answer.follow().forms.values() if "column-0" in form.fields)
    form.submit("do", value="start", status=303)
    return answer.headers["Location"].rpartition("/")[2]


def user_of(app, browser):
    with app.db.reading(across="a test looks for a person") as db:
        return next(
            person["id"] for person in people.list_people(db, app.now(), None) if person["email"] == browser.email
        )


@pytest.mark.parametrize(("role", "code"), [(None, "person_removed"), ("viewer", "insufficient_scope")])
def test_an_import_ends_with_the_role_of_who_sent_it(app, client, role, code):
    Browser(app).join(client)
    sender = Browser(app).join(client, "developer")
    id = upload_on_page(sender)
    finish_imports(app, rounds=2)
    assert client.get(f"/v1/imports/{id}")["data"]["status"] == "writing"
    with app.db.writing() as db:
        people.change_role(db, client.tenant_id, user_of(app, sender), role)
    for _ in range(2):  # at once, and once a worker has come to it
        found = client.get(f"/v1/imports/{id}")["data"]
        assert (found["status"], [each["code"] for each in found["faults"]]) == ("failed", [code])
        finish_imports(app)
    assert client.get("/v1/contacts")["data"] == [] and client.events() == ["import.failed"]


def test_an_import_of_who_stays_goes_on(app, client):
    id = upload_on_page(Browser(app).join(client, "developer"))
    finish_imports(app)
    assert client.get(f"/v1/imports/{id}")["data"]["status"] == "done"


def test_a_person_stands_in_the_sandbox_as_in_the_business(app, client):
    user = user_of(app, Browser(app).join(client, "developer"))
    sandbox = client.sandbox()
    found = Identity.later(app, sandbox.tenant_id, user, ("read", "contacts:write", "tenant:write"))
    assert (found.tenant_id, found.environment, found.id) == (sandbox.tenant_id, "sandbox", user)
    assert found.holds("contacts:write") and found.holds("items:read") and not found.holds("tenant:write")
    with pytest.raises(Unauthenticated):
        Identity.later(app, Client(app).tenant_id, user, ("read",))


def test_an_import_ends_with_the_connection_of_its_app(app, client):
    oauth = OAuthApp(client, "imports:read", "imports:write", "contacts:write")
    sender = oauth.connect()
    made = [sender.call("POST", PATH, raw=b"name\nAda\n", status=202).json["data"]["id"] for _ in range(2)]
    finish_imports(app, rounds=2)
    oauth.person().get("/dashboard/connections")
    oauth.person().send(f"/dashboard/connections/{sender.key_id}/disconnect")
    for _ in range(2):
        for id in made:
            found = client.get(f"/v1/imports/{id}")["data"]
            assert (found["status"], [each["code"] for each in found["faults"]]) == ("failed", ["app_disconnected"])
        finish_imports(app)
    assert client.get("/v1/contacts")["data"] == []


def test_an_import_outlives_its_access_token_but_not_a_scope_of_its_connection(app, client):
    oauth = OAuthApp(client, "imports:read", "imports:write", "contacts:read", "contacts:write")
    sender = oauth.connect()
    outlives = sender.call("POST", PATH, raw=b"name\nAda\n", status=202).json["data"]["id"]
    app.clock.move(hours=2)
    finish_imports(app)
    assert client.get(f"/v1/imports/{outlives}")["data"]["status"] == "done"
    narrow = oauth.connect(scopes=["imports:read", "imports:write", "contacts:write"])
    ends = narrow.call("POST", PATH, raw=b"name\nBea\n", status=202).json["data"]["id"]
    oauth.connect(scopes=["imports:read", "imports:write", "contacts:read"])
    finish_imports(app)
    found = client.get(f"/v1/imports/{ends}")["data"]
    assert (found["status"], [each["code"] for each in found["faults"]]) == ("failed", ["insufficient_scope"])


def test_a_caller_has_the_scopes_of_then_and_now(app, client):
    key = client.key("contacts:write", "read").get("/v1/me")["data"]["id"]
    found = Identity.later(app, client.tenant_id, key, ("write", "contacts:read"))
    assert found.scopes == ("contacts:read", "contacts:write")
    for id in ("key_0123456789", "usr_0123456789", "cnx_0123456789", "abc_0123456789"):
        with pytest.raises(Unauthenticated):
            Identity.later(app, client.tenant_id, id, ("write",))
