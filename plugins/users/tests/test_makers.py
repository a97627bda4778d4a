"""Makers of keys: they are recorded, and a key ends with its maker's role if the owner wants that."""

import json
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from io import BytesIO

import pytest
import sqlalchemy as sa
import webtest
from click.testing import CliRunner

from billycan import Forbidden
from billycan.testing import Client
from billycan_users import key_makers, sessions
from billycan_users.commands import users as command
from billycan_users.people import change_role, invite_person, list_businesses, list_members
from billycan_users.tables import sessions as table
from billycan_users.tables import users
from billycan_users.testing import PASSWORD, Browser

pytestmark = pytest.mark.either


@pytest.fixture
def developer(app, client):
    return Browser(app).join(client, "developer")


def id_of(app, browser):
    with app.db.reading() as db:
        return db.execute(sa.select(users.c.id).where(users.c.email == browser.email)).scalar_one()


def make_key(app, browser, name="Import", **fields):
    """Whoever has a key that somebody makes on the page."""
    token = re.search(r'name="token" value="(\w+)"', browser.get("/dashboard/keys").text)[1]
    sent = {"name": name, "everything": "write", "token": token, **fields}
    page = browser.web.post("/dashboard/keys", sent, status=303).follow()
    holder = Client(app)
    holder.headers = {"Authorization": f"Bearer {re.search(r'svc_(?:live|test)_[0-9A-Za-z]{38}', page.text)[0]}"}
    holder.get("/v1/me")
    return holder


def is_refused(holder):
    holder.refused(401, "revoked_api_key", "GET", "/v1/me")
    return True


def run(app, *words):
    @contextmanager
    def opened():
        yield app

    done = CliRunner().invoke(command, [*words, "--json"], obj=opened)
    assert done.exit_code == 0, done.output
    return json.loads(done.output)


def test_the_page_says_who_made_and_who_revoked_a_key(app, client, owner, developer):
    holder = make_key(app, developer)
    page = owner.get("/dashboard/keys")
    assert page.text.count("by Developer") == 1, "one that a command made has no maker"
    holder.post("/v1/contacts", {"name": "Ann"})
    id = client.get("/v1/contacts")["data"][0]["id"]
    assert "Key “Import”, made by Developer" in owner.get(f"/dashboard/contacts/{id}").text
    page = owner.get("/dashboard/keys")
    owner.send(re.search(r"/dashboard/keys/key_\w+/revoke", page.text.partition("Import")[2])[0])
    assert "by Owner" in owner.page.text and is_refused(holder)


def test_the_keys_somebody_made_are_revoked_with_their_removal(app, client, owner, developer):
    live = make_key(app, developer)
    developer.send("/dashboard/switch", button="environment=sandbox")
    sandbox, others = make_key(app, developer, "Test bench"), make_key(app, owner)
    owner.get("/dashboard/people")
    assert "Import" in owner.page.text and "Test bench" in owner.page.text
    page = owner.send(f"/dashboard/people/{id_of(app, developer)}", button="remove=yes")
    assert "2 keys are revoked" in page.text and is_refused(live) and is_refused(sandbox)
    others.get("/v1/me")
    client.get("/v1/me")


def test_the_owner_may_leave_them_working(app, client, owner, developer):
    holder = make_key(app, developer)
    owner.get("/dashboard/people")
    owner.send(f"/dashboard/people/{id_of(app, developer)}", keep=True, button="remove=yes")
    holder.get("/v1/me")
    assert "by Developer" in owner.get("/dashboard/keys").text


def test_a_smaller_role_revokes_what_may_do_more(app, client, owner, developer):
    writes = make_key(app, developer, everything="write")
    reads = make_key(app, developer, everything="", scope="contacts:read")
    owner.get("/dashboard/people")
    owner.send(f"/dashboard/people/{id_of(app, developer)}", role="viewer")
    assert is_refused(writes)
    reads.get("/v1/me")
    second = Browser(app).join(client, "owner", f"second.{client.tenant_id}@example.com".lower())
    everything = make_key(app, second, everything="write")
    narrow = make_key(app, second, everything="", scope="contacts:write")
    owner.get("/dashboard/people")
    owner.send("/dashboard/people", email=second.email, role="developer")
    assert is_refused(everything)
    narrow.get("/v1/me")


def test_a_person_leaves_with_the_keys_they_made(app, client, owner, developer):
    holder, others = make_key(app, developer), make_key(app, owner)
    page = developer.get(f"/dashboard/businesses/{client.tenant_id}/leave")
    assert "Leave Derwent Plumbing" in page.text and "Import" in page.text and "keep" not in page.forms[0].fields
    page = developer.send(f"/dashboard/businesses/{client.tenant_id}/leave")
    assert (
        "You have left Derwent Plumbing. The key “Import” is revoked." in page.text and "No business yet" in page.text
    )
    assert developer.get("/dashboard/keys").request.path == "/dashboard/businesses"
    assert is_refused(holder) and others.get("/v1/me")
    developer.get(f"/dashboard/businesses/{client.tenant_id}/leave", 404)


def test_the_only_owner_stays(app, client, owner, developer, clock):
    path = f"/dashboard/businesses/{client.tenant_id}/leave"
    holder = make_key(app, owner)
    clock.move(minutes=16)
    owner.get(path)
    assert "is required" in owner.send(path, status=422).text
    assert "must have an owner" in owner.send(path, current_password=PASSWORD, status=409).text
    holder.get("/v1/me")
    Browser(app).join(client, "owner", f"second.{client.tenant_id}@example.com".lower())
    owner.send(path)
    assert is_refused(holder)


def test_signing_in_lands_in_the_business_that_was_used_last(app, client, owner):
    other = Client(app, profile={"name": "Aardvark"})  # the first by name
    with app.db.writing() as db:
        _, link = invite_person(db, other.tenant_id, owner.email, "owner", app.now())
    owner.get(f"/dashboard/join/{link}")
    owner.send()

    def lands_in():
        owner.get("/dashboard")
        owner.send("/dashboard/sign-out")
        return owner.sign_in()

    assert "Derwent" in lands_in().text
    sandbox = next(business.sandbox_id for business in _businesses(app, owner) if business.id == other.tenant_id)
    token = re.search(r'name="token" value="(\w+)"', owner.get("/dashboard/businesses").text)[1]
    owner.web.post("/dashboard/switch", {"token": token, "business": sandbox}, status=303)
    page = lands_in()
    assert "Aardvark" in page.text and 'class="sandbox"' not in page.text, "nobody takes the sandbox for the business"
    owner.get(f"/dashboard/businesses/{other.tenant_id}/leave")
    Browser(app).join(other, "owner", f"second.{client.tenant_id}@example.com".lower())
    owner.send(f"/dashboard/businesses/{other.tenant_id}/leave")
    assert "Derwent" in lands_in().text


def test_a_developer_lands_in_the_sandbox_at_first_and_each_time(app, client):
    with app.db.writing() as db:
        _, link = invite_person(db, client.tenant_id, email := "dev@example.com", "developer", app.now())
    developer = Browser(app)
    developer.email = email
    developer.get(f"/dashboard/join/{link}")
    page = developer.send(name="Dev", password=PASSWORD)
    assert 'class="sandbox"' in page.text and page.html.find("button", attrs={"aria-current": "true"}).text == "Sandbox"
    assert 'class="sandbox"' not in developer.send("/dashboard/switch", button="environment=live").text
    developer.send("/dashboard/sign-out")
    assert 'class="sandbox"' in developer.sign_in().text


def _businesses(app, browser):
    with app.db.reading() as db:
        return list_businesses(db, id_of(app, browser))


def test_another_business_loses_no_keys(app, client, owner, developer):
    """An accountant's: made in two businesses, and revoked in the one that they leave."""
    other = Client(app, profile={"name": "Second"})
    with app.db.writing() as db:
        _, link = invite_person(db, other.tenant_id, developer.email, "developer", app.now())
    here = make_key(app, developer)
    developer.get(f"/dashboard/join/{link}")
    developer.send()
    token = re.search(r'name="token" value="(\w+)"', developer.get("/dashboard/businesses").text)[1]
    developer.web.post("/dashboard/switch", {"token": token, "business": other.tenant_id})
    there = make_key(app, developer)
    assert run(app, "remove", id_of(app, developer), "--tenant", client.tenant_id)["ended_keys"] == 1
    assert is_refused(here)
    there.get("/v1/me")
    assert run(app, "remove", id_of(app, developer), "--keep")["ended_keys"] == 0
    there.get("/v1/me")


def test_the_explorer_has_one_key_of_each_person(app, client, owner, developer):
    def take(browser):
        token = re.search(r'name="token" value="(\w+)"', browser.get("/dashboard/keys").text)[1]
        holder = Client(app)
        key = browser.web.post("/dashboard/keys/explorer", {"token": token}).json["key"]
        holder.headers = {"Authorization": f"Bearer {key}"}
        holder.get("/v1/me")
        return holder

    first, theirs, again = take(owner), take(developer), take(owner)
    first.refused(401, "invalid_api_key", "GET", "/v1/me")
    theirs.get("/v1/me")
    owner.send("/dashboard/switch", button="environment=sandbox")
    rows = [row for row in owner.get("/dashboard/keys").text.split("<tr>") if "<strong>Explorer</strong>" in row]
    assert len(rows) == 2
    owner.get("/dashboard/people")
    assert again.get("/v1/me")["data"]["environment"] == "sandbox"
    page = owner.send(f"/dashboard/people/{id_of(app, developer)}", button="remove=yes")
    assert "The key “Explorer” is revoked" in page.text and is_refused(theirs)


def test_the_command_lists_who_is_invited_too(app, client, owner):
    other = Client(app)
    with app.db.writing() as db:
        bob, _ = invite_person(db, client.tenant_id, f"bob.{client.tenant_id}@example.com".lower(), "viewer", app.now())
        known, _ = invite_person(db, other.tenant_id, owner.email, "viewer", app.now())
    rows = run(app, "list", "--tenant", client.tenant_id)
    assert [(row["id"], row["role"], row["has_joined"]) for row in rows] == [
        (bob, "viewer", False),
        (id_of(app, owner), "owner", True),
    ]
    mine = [row for row in run(app, "list") if row["id"] in (bob, known)]
    assert sorted((row["email"][:3], row["role"], row["has_joined"]) for row in mine) == [
        ("bob", "viewer", False),
        ("own", "owner", True),
        ("own", "viewer", False),
    ]


@pytest.mark.both
@pytest.mark.parametrize("path", ["/dashboard/keys", "/dashboard/keys/explorer"])
def test_whoever_is_removed_at_this_moment_keeps_no_key_that_nobody_saw(app, client, developer, owner, path):
    token = re.search(r'name="token" value="(\w+)"', developer.get("/dashboard/keys").text)[1]
    sent = {"name": "Too late", "everything": "write", "token": token}
    id, at_the_door, asked = id_of(app, developer), threading.Event(), key_makers.check_role_allows

    def check(*given):
        at_the_door.set()
        return asked(*given)

    with ThreadPoolExecutor(1) as pool, pytest.MonkeyPatch.context() as patch:
        patch.setattr(key_makers, "check_role_allows", check)
        with app.db.writing() as db:
            assert change_role(db, client.tenant_id, id, None)
            key_makers.revoke_beyond(db, app, client.tenant_id, id, None, id)
            answer = pool.submit(developer.web.post, path, sent, status="*")
            at_the_door.wait(0.5)  # SQLite lets it no further than to the beginning of its own transaction
        assert answer.result().status_int == 403
    with app.db.reading() as db:
        assert not app.keys.made_by_people(db, client.tenant_id, app.now())


@pytest.mark.parametrize("way", ["removed", "demoted", "by command", "from all"])
@pytest.mark.each_case
def test_an_invitation_ends_when_whoever_made_it_is_no_owner_any_more(app, client, owner, way):
    boss = Browser(app).join(client, "owner", f"boss.{client.tenant_id}@example.com".lower())
    owner.get("/dashboard/people")
    page = owner.send("/dashboard/people", email=f"eve.{client.tenant_id}@example.com".lower(), role="owner")
    link = re.search(r"/dashboard/join/[\w-]+", page.text)[0]
    boss.get("/dashboard/people")
    page = boss.send("/dashboard/people", email=f"ivy.{client.tenant_id}@example.com".lower(), role="viewer")
    other = re.search(r"/dashboard/join/[\w-]+", page.text)[0]
    Browser(app).get(link)
    id = id_of(app, owner)
    boss.get("/dashboard/people")
    if way == "removed":
        boss.send(f"/dashboard/people/{id}", button="remove=yes")
    elif way == "demoted":
        boss.send(f"/dashboard/people/{id}", role="viewer")
    else:
        run(app, "remove", id, *(["--tenant", client.tenant_id] if way == "by command" else []))
    Browser(app).get(link, 404)
    Browser(app).get(other)
    assert "eve." not in boss.get("/dashboard/people").text


def test_whoever_is_removed_at_this_moment_invites_nobody(app, client, owner):
    boss = Browser(app).join(client, "owner", f"boss.{client.tenant_id}@example.com".lower())
    id = id_of(app, owner)
    with app.db.writing() as db:
        change_role(db, client.tenant_id, id, "viewer")
        with pytest.raises(Forbidden):
            invite_person(db, client.tenant_id, "eve@example.com", "owner", app.now(), made_by=id)
    assert "eve@" not in boss.get("/dashboard/people").text


class Late(BytesIO):
    """A form that arrives in full once something else has happened."""

    def __init__(self, content, first):
        super().__init__(content)
        self.first = first

    def read(self, *size):
        first, self.first = self.first, None
        if first:
            first()
        return super().read(*size)


@pytest.mark.parametrize("way", ["removed", "demoted", "signed out"])
@pytest.mark.each_case
def test_a_form_that_arrives_after_its_sender_was_removed_does_nothing(app, client, owner, way):
    boss = Browser(app).join(client, "owner", f"boss.{client.tenant_id}@example.com".lower())
    eve = Browser(app).join(client, "viewer", f"eve.{client.tenant_id}@example.com".lower())
    id = id_of(app, owner)
    token = re.search(r'name="token" value="(\w+)"', owner.get("/dashboard/people").text)[1]

    def end():
        boss.get("/dashboard/people")
        if way == "signed out":
            with app.db.writing() as db:
                sessions.end_sessions(db, table.c.user_id == id)
        elif way == "demoted":
            boss.send(f"/dashboard/people/{id}", role="viewer")
        else:
            boss.send(f"/dashboard/people/{id}", button="remove=yes")

    body = f"token={token}&role=owner".encode()
    held = webtest.TestRequest.blank(f"/dashboard/people/{id_of(app, eve)}", method="POST")
    held.content_type, held.content_length = "application/x-www-form-urlencoded", len(body)
    held.environ["wsgi.input"] = Late(body, end)
    answer = owner.web.do_request(held, status="*")
    assert answer.status_int == 403, answer.text
    with app.db.reading() as db:
        found = {member.email: member.role for member in list_members(db, client.tenant_id)}
    assert found[eve.email] == "viewer"


def test_whoever_is_removed_at_this_moment_changes_nobodys_role(app, client, owner):
    Browser(app).join(client, "owner", f"boss.{client.tenant_id}@example.com".lower())
    eve = Browser(app).join(client, "viewer", f"eve.{client.tenant_id}@example.com".lower())
    id = id_of(app, owner)
    with app.db.writing() as db:
        change_role(db, client.tenant_id, id, None)
        with pytest.raises(Forbidden):
            change_role(db, client.tenant_id, id_of(app, eve), "owner", by=id)
