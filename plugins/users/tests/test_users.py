"""People get in, stay in and are kept out, as a browser without JavaScript has it."""

import json
import re
from contextlib import contextmanager

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from billycan import Conflict
from billycan.fields import Email
from billycan.reader import _reader_of_struct
from billycan.testing import Client
from billycan_users import people, rules
from billycan_users import sessions as sessions_of
from billycan_users.commands import users as command
from billycan_users.field_values import read_field
from billycan_users.people import invite_person
from billycan_users.serve_greeting import greet_owner
from billycan_users.tables import roles, sessions, shown_once, users
from billycan_users.testing import PASSWORD, Browser

pytestmark = pytest.mark.either


def email(client, name):
    return f"{name}.{client.tenant_id}@example.com".lower()


def token_of(page):
    return re.search(r'name="token" value="(\w+)"', page.text)[1]


def test_an_invitation_leads_to_a_password_and_in(app, client):
    owner = Browser(app).join(client)
    assert owner.page.request.path == "/dashboard"
    assert "Derwent Plumbing" in owner.page.text
    owner.get("/dashboard/keys")
    other = Browser(app)
    assert other.get("/dashboard/keys").request.path == "/dashboard/sign-in"
    other.email = owner.email
    assert other.send(email=owner.email, password=PASSWORD).request.path == "/dashboard/keys"


def test_a_link_works_once_and_not_for_ever(app, client, clock):
    with app.db.writing() as db:
        _, token = invite_person(db, client.tenant_id, email(client, "ann"), "owner", app.now())
    first, second = Browser(app), Browser(app)
    for browser in (first, second):
        browser.get(f"/dashboard/join/{token}")
    first.send(name="Ann", password=PASSWORD)
    second.send(name="Eve", password="another long sentence", status=404)
    second.get(f"/dashboard/join/{token}", 404)
    with app.db.writing() as db:
        _, token = invite_person(db, client.tenant_id, email(client, "bob"), "viewer", app.now())
    clock.move(hours=73)
    second.get(f"/dashboard/join/{token}", 404)


@pytest.mark.parametrize(("password", "why"), [("short", "at least 12"), ("aaaaaaaaaaaaaaaa", "easy to guess")])
def test_a_form_that_is_not_taken_leaves_the_link_as_it_is(app, client, password, why):
    with app.db.writing() as db:
        _, token = invite_person(db, client.tenant_id, email(client, "ann"), "owner", app.now())
    browser = Browser(app)
    browser.get(f"/dashboard/join/{token}")
    page = browser.send(name="Ann", password=password, status=422)
    assert why in page.text and 'aria-invalid="true"' in page.text
    assert "is required" in browser.send(name=" ", password=PASSWORD, status=422).text
    assert browser.send(name=" Ann", password=PASSWORD).request.path == "/dashboard"
    assert browser.get("/dashboard/account").html.select_one("[name=known_as]")["value"] == "Ann"


def test_no_answer_tells_whether_an_address_is_known(app, owner):
    known, unknown = Browser(app), Browser(app)
    pages = []
    for browser, email in ((known, owner.email), (unknown, "nobody@example.com")):
        for _ in range(6):
            page = browser.sign_in("a wrong sentence", email)
            pages.append((page.status_int, page.text.replace(email, "")))
    tokens = re.compile(r'value="[\w-]{10,}"')
    told = [(status, tokens.sub("", text)) for status, text in pages]
    assert told[:6] == told[6:]
    assert told[0][0] == 422 and "is wrong" in told[0][1] and "try again in" in told[5][1]


def test_wrong_passwords_wait_longer_and_spare_a_browser_that_is_known(app, owner, clock):
    stranger = Browser(app)
    for _ in range(8):
        stranger.sign_in("a wrong sentence", owner.email)
        clock.move(seconds=1)
    assert "try again in" in stranger.sign_in(PASSWORD, owner.email).text
    owner.get("/dashboard")
    owner.send("/dashboard/sign-out")
    assert owner.sign_in().request.path == "/dashboard"
    clock.move(minutes=16)
    assert stranger.sign_in(PASSWORD, owner.email).request.path == "/dashboard"
    assert (
        rules.password_wait(3).seconds == 0
        and rules.password_wait(4).seconds == 1
        and rules.password_wait(60).seconds == 900
    )


def test_a_known_browser_that_guesses_waits_as_well(app, owner):
    owner.send("/dashboard/sign-out")
    for _ in range(5):
        page = owner.sign_in("a wrong sentence")
    assert "try again in" in page.text


def test_a_new_session_has_a_new_cookie_and_the_old_one_ends(app, owner):
    def cookie(browser):
        return browser.web.cookies["billycan_session"]

    before = cookie(owner)
    owner.send("/dashboard/sign-out")
    owner.sign_in()
    assert cookie(owner) != before
    thief = Browser(app)
    thief.web.set_cookie("billycan_session", before)
    assert thief.get("/dashboard").request.path == "/dashboard/sign-in"
    fixed = Browser(app)
    fixed.web.set_cookie("billycan_session", "chosen-by-somebody-else")
    fixed.email = owner.email
    fixed.sign_in()
    assert cookie(fixed) != "chosen-by-somebody-else"


def test_a_session_ends_when_nobody_comes_and_after_a_month(app, owner, clock):
    for _ in range(70):
        clock.move(hours=10)
        owner.get("/dashboard")
    assert owner.page.request.path == "/dashboard"
    clock.move(hours=12)
    assert owner.get("/dashboard").request.path == "/dashboard/sign-in"
    owner.sign_in()
    for _ in range(73):
        clock.move(hours=10)
        owner.get("/dashboard")
    assert owner.page.request.path == "/dashboard/sign-in"


def test_somebody_has_so_many_sessions(app, owner, clock, monkeypatch):
    """Or their page, and the end of all of them, would take as long as they like."""
    monkeypatch.setattr(sessions_of, "MOST_SESSIONS", 2)
    others = []
    for _ in range(2):
        clock.move(seconds=1)
        others.append(Browser(app))
        others[-1].sign_in(email=owner.email)
    assert owner.email in others[1].get("/dashboard/account").text
    assert owner.email not in owner.get("/dashboard/account").text, "the oldest of them has ended"
    with app.db.writing() as db:
        db.execute(sa.update(users).where(users.c.email == owner.email).values(totp=b"x"))
    for _ in range(3):
        Browser(app).sign_in(email=owner.email)
    assert owner.email in others[0].get("/dashboard/account").text, "one without the second factor ends none with it"


def test_a_new_password_ends_every_other_session(app, owner):
    elsewhere = Browser(app)
    elsewhere.email = owner.email
    elsewhere.sign_in()
    owner.get("/dashboard/account")
    owner.send("/dashboard/account/password", current_password="no", password="quite another sentence", status=422)
    owner.send("/dashboard/account/password", current_password=PASSWORD, password="quite another sentence")
    assert "signed out everywhere else" in owner.page.text
    assert elsewhere.get("/dashboard").request.path == "/dashboard/sign-in"
    assert "is wrong" in elsewhere.sign_in().text
    assert elsewhere.sign_in("quite another sentence").request.path == "/dashboard"


def test_somebody_ends_a_session_of_their_own_and_no_other(app, client, owner):
    elsewhere, viewer = Browser(app), Browser(app).join(client, "viewer")
    elsewhere.email = owner.email
    elsewhere.sign_in()
    with app.db.reading() as db:
        joined = sa.select(users.c.email, sessions.c.id).join(sessions, sessions.c.user_id == users.c.id)
        ids = {row.email: row.id for row in db.execute(joined)}
    viewer.get("/dashboard/account")
    sent = {"token": token_of(viewer.page)}
    answer = viewer.web.post(f"/dashboard/account/sessions/{ids[owner.email]}/end", sent, status="*")
    assert answer.status_int == 404
    owner.get("/dashboard/account")
    owner.send(re.search(r"/dashboard/account/sessions/\w+/end", owner.page.text)[0])
    assert elsewhere.get("/dashboard").request.path == "/dashboard/sign-in"


def test_the_second_factor_is_asked_for_and_each_code_is_taken_once(app, owner, clock):
    owner.get("/dashboard/account")
    secret = re.search(r"Or type: <span[^>]*>([A-Z2-7 ]+)", owner.send("/dashboard/account/totp").text)[1].replace(
        " ", ""
    )
    owner.send("/dashboard/account/totp-on", code="000000", current_password=PASSWORD, status=422)

    def code():
        return rules.totp_code(secret, int(app.now().timestamp() // 30))

    owner.send("/dashboard/account/totp-on", code=code(), current_password=PASSWORD)
    recovery = re.search(r"<pre[^>]*>([^<]+)", owner.page.text)[1].split()
    assert len(recovery) == 10
    assert recovery[0] not in owner.get("/dashboard/account").text, "they are shown once"

    elsewhere = Browser(app)
    elsewhere.email = owner.email
    elsewhere.sign_in()
    assert "One more step" in elsewhere.page.text
    assert elsewhere.get("/dashboard/keys").request.path == "/dashboard/sign-in", "a password alone opens nothing"
    elsewhere.send(code=code(), status=422)  # it was used to turn it on
    clock.move(seconds=61)
    used = code()
    assert elsewhere.send(code=used).request.path == "/dashboard/keys"
    for given, leads_in in ((used, False), (recovery[0], True), (recovery[0], False), (recovery[1].upper(), True)):
        again = Browser(app)
        again.email = owner.email
        again.sign_in()
        page = again.send(code=given, status=None)
        assert (page.request.path == "/dashboard") is leads_in, given
        clock.move(minutes=1)
    with app.db.reading() as db:
        row = db.execute(sa.select(users).where(users.c.email == owner.email)).one()
    assert len(row.recovery) == 8 and secret.encode() not in row.totp and recovery[2] not in json.dumps(row.recovery)


def test_a_form_without_its_token_is_refused(app, client, owner):
    stranger = Browser(app).join(Client(app), "owner")
    theirs, own = token_of(stranger.get("/dashboard/keys")), token_of(owner.get("/dashboard/keys"))
    for token in ("", "x", theirs):
        answer = owner.web.post("/dashboard/keys", {"name": "x", "everything": "write", "token": token}, status="*")
        assert answer.status_int == 403
    evil = {"Sec-Fetch-Site": "cross-site"}
    sent = {"name": "x", "everything": "write", "token": own}
    assert owner.web.post("/dashboard/keys", sent, headers=evil, status="*").status_int == 403
    assert Browser(app).web.post("/dashboard/sign-in", {"email": "a@b.example"}, status="*").status_int == 403


def test_a_form_of_a_page_that_shows_another_business_is_refused(app, client, owner):
    """In another tab somebody switched to the sandbox: what this tab shows is not what the form would change."""
    owner.get("/dashboard/keys")
    form = next(f for f in owner.page.forms.values() if f.action == "/dashboard/keys")
    form["name"] = "Made for the live business"
    owner.send("/dashboard/switch", button="environment=sandbox")
    assert form.submit(status="*").status_int == 403


def test_what_was_typed_outlives_signing_out_elsewhere(app, client, owner):
    def send_again(browser, form):
        browser.page = form.submit(headers={"Sec-Fetch-Site": "same-origin"}, status=403)
        return browser.page

    contacts = client.get("/v1/contacts")["pagination"]["total"]
    page = owner.get("/dashboard/contacts/new")
    form = next(f for f in page.forms.values() if f.action == "/dashboard/contacts/new")
    form["name"], form["notes"] = "O’Neill & Sons", "Two\nlines"
    owner.send("/dashboard/sign-out")
    out = send_again(owner, form)
    assert "You are signed out" in out.text and "token" in out.form.fields
    assert send_again(owner, out.form).form["name"].value == "O’Neill & Sons"  # too early: nothing is lost
    kept = owner.page.form
    owner.sign_in()
    again = send_again(owner, kept)
    assert "what you typed is below" in again.text
    assert client.get("/v1/contacts")["pagination"]["total"] == contacts
    owner.send("/dashboard/contacts/new")
    made = client.get("/v1/contacts")["data"][0]
    assert (made["name"], made["notes"]) == ("O’Neill & Sons", "Two\nlines")
    # So is what was typed into the form of an action.
    page = owner.get(f"/dashboard/contacts/{made['id']}/merge?version={made['version']}")
    form = next(f for f in page.forms.values() if f.action.endswith("/merge"))
    owner.send("/dashboard/sign-out")
    owner.sign_in()
    again = owner.page = form.submit(headers={"Sec-Fetch-Site": "same-origin"}, status=403)
    assert "what you typed is below" in again.text and again.html.find("form", action=form.action)
    # Another site's form is not shown, nor is one of a browser that never signed in.
    for browser, site in ((owner, "cross-site"), (Browser(app), "same-origin")):
        refused = browser.web.post(kept.action, {"name": "Eve"}, headers={"Sec-Fetch-Site": site}, status=403)
        assert "Eve" not in refused.text


@pytest.mark.parametrize("onward", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)"])
def test_signing_in_leads_nowhere_else(app, owner, onward):
    browser = Browser(app)
    browser.email = owner.email
    browser.get("/dashboard/sign-in?next=" + onward)
    page = browser.send(email=owner.email, password=PASSWORD)
    assert page.request.url.startswith("http://localhost") and page.request.path == "/dashboard"


def test_roles_open_what_they_may_and_nothing_else(app, client, owner):
    for role, opens in (("viewer", {"/dashboard"}), ("developer", {"/dashboard", "/dashboard/keys"})):
        browser = Browser(app).join(client, role)
        for path in ("/dashboard", "/dashboard/keys", "/dashboard/people"):
            page = browser.get(path, 200 if path in opens else 403)
            assert ('href="/dashboard/people"' in page.text) is False


def test_people_are_invited_changed_and_removed_at_once(app, client, owner):
    owner.get("/dashboard/people")
    link = re.search(
        r"/dashboard/join/[\w-]+", owner.send("/dashboard/people", email=email(client, "bob"), role="developer").text
    )
    assert link[0] not in owner.get("/dashboard/people").text
    bob = Browser(app)
    bob.get(link[0])
    bob.send(name="Bob", password=PASSWORD)
    bob.get("/dashboard/keys")
    with app.db.reading() as db:
        id = db.execute(sa.select(users.c.id).where(users.c.email == email(client, "bob"))).scalar_one()
    owner.get("/dashboard/people")
    owner.send(f"/dashboard/people/{id}", role="viewer")
    bob.get("/dashboard/keys", 403)
    owner.send(f"/dashboard/people/{id}", button="remove=yes")
    assert bob.get("/dashboard").request.path == "/dashboard/sign-in"


def test_a_business_has_only_so_many_open_invitations(app, client, owner, monkeypatch):
    monkeypatch.setattr(people, "MOST_INVITATIONS", 2)
    boss = next(row["id"] for row in people_of(app, client) if row["role"] == "owner")

    def invite_as_owner(name):
        with app.db.writing() as db:
            return invite_person(db, client.tenant_id, email(client, name), "viewer", app.now(), made_by=boss)

    invite_as_owner("ann"), invite_as_owner("bob")
    with pytest.raises(Conflict, match="at most 2 open invitations"):
        invite_as_owner("cy")
    invite_as_owner("bob")  # again
    with app.db.writing() as db:
        people.change_role(db, client.tenant_id, invitation_of(db, client, "ann"), None)
    invite_as_owner("cy")


def test_those_who_were_invited_and_never_came_are_forgotten(app, client, owner, monkeypatch):
    monkeypatch.setattr(people, "_MOST_FORGOTTEN", 1_000_000)  # tests share a database
    with app.db.writing() as db:
        made = [
            invite_person(db, client.tenant_id, email(client, name), "viewer", app.now()) for name in ("ann", "bob")
        ]
        people.change_role(db, client.tenant_id, invitation_of(db, client, "ann"), None)
    with app.db.writing() as db:
        invite_person(db, client.tenant_id, email(client, "cy"), "viewer", app.now())
        ids = set(db.execute(sa.select(users.c.id)).scalars())
    assert made[0][0] not in ids and made[1][0] in ids
    assert {row["id"] for row in people_of(app, client)} <= ids


def invitation_of(db, client, name):
    members = people.list_members(db, client.tenant_id)
    return next(member.id for member in members if member.email == email(client, name))


def people_of(app, client):
    with app.db.reading() as db:
        return people.list_people(db, app.now(), client.tenant_id)


def test_nobody_accepts_an_invitation_to_another_role_than_the_page_showed(app, client, owner):
    owner.get("/dashboard/people")
    owner.send("/dashboard/people", email=email(client, "bob"), role="viewer")
    bob = Browser(app)
    page = bob.get(re.search(r"/dashboard/join/[\w-]+", owner.page.text)[0])
    assert "Your role: <strong>Viewer</strong>" in page.text
    with app.db.reading() as db:
        id = db.execute(sa.select(users.c.id).where(users.c.email == email(client, "bob"))).scalar_one()
        invitation = invitation_of(db, client, "bob")
    owner.get("/dashboard/people")
    assert id not in owner.page.text
    owner.send(f"/dashboard/people/{invitation}", role="developer")
    page = bob.send(name="Bob", password=PASSWORD, status=409)
    assert "has changed since you opened the page" in page.text
    assert "Your role: <strong>Developer</strong>" in page.text
    with app.db.reading() as db:
        assert not people.has_role(db, client.tenant_id, id)
    bob.send(name="Bob", password=PASSWORD)
    bob.get("/dashboard/keys")


def test_a_business_keeps_an_owner(app, client, owner):
    with app.db.reading() as db:
        id = db.execute(sa.select(users.c.id).where(users.c.email == owner.email)).scalar_one()
    owner.get("/dashboard/people")
    assert "must have an owner" in owner.send(f"/dashboard/people/{id}", role="viewer", status=409).text
    owner.get("/dashboard/people")
    assert "must have an owner" in owner.send("/dashboard/people", email=owner.email, role="viewer", status=409).text
    with app.db.reading() as db:
        assert db.execute(sa.select(roles.c.role).where(roles.c.tenant_id == client.tenant_id)).scalars().all() == [
            "owner"
        ]


def test_one_person_enters_several_businesses_and_no_others(app, client, owner):
    second, third = Client(app, profile={"name": "Second"}), Client(app, profile={"name": "Third"})
    with app.db.writing() as db:
        _, link = invite_person(db, second.tenant_id, owner.email, "viewer", app.now())
    page = owner.get(f"/dashboard/join/{link}")
    assert f"You are signed in as {owner.email}" in page.text and "<nav" not in page.text
    owner.send()
    page = owner.get("/dashboard/businesses")
    assert "Second" in page.text and "Third" not in page.text
    sent = {"token": token_of(page), "business": second.tenant_id}
    switched = owner.web.post("/dashboard/switch", sent, status="*")
    assert switched.status_int == 303
    assert "Second" in owner.get("/dashboard").text
    owner.get("/dashboard/keys", 403)
    sent = {"token": token_of(owner.get("/dashboard")), "business": third.tenant_id}
    refused = owner.web.post("/dashboard/switch", sent, status="*")
    assert refused.status_int == 404


def test_a_key_is_made_shown_once_used_and_revoked(app, client, owner):
    owner.get("/dashboard/keys")
    page = owner.send("/dashboard/keys", name="Import", everything="read")
    key = re.search(r"svc_live_\w+", page.text)[0]
    assert key not in owner.get("/dashboard/keys").text
    used = Client(app, client.tenant_id)
    used.headers = {"Authorization": f"Bearer {key}"}
    assert used.get("/v1/me")["data"]["scopes"] == ["read"]
    id = used.get("/v1/me")["data"]["id"]
    owner.get("/dashboard/keys")
    owner.send(f"/dashboard/keys/{id}/revoke")
    used.refused(401, "revoked_api_key", "GET", "/v1/me")


def test_what_is_shown_once_is_sealed_and_for_its_own_browser(app, client, owner):
    owner.get("/dashboard/keys")
    form = next(f for f in owner.page.forms.values() if f.action == "/dashboard/keys")
    form["name"] = "Import"
    form.submit(status=303)
    with app.db.reading() as db:
        row = db.execute(sa.select(shown_once).order_by(shown_once.c.expires_at.desc())).first()
    assert b"svc_live" not in row.sealed
    elsewhere = Browser(app)
    elsewhere.email = owner.email
    elsewhere.sign_in()
    assert not re.search(r"svc_live_\w{30}", elsewhere.get("/dashboard/keys").text)
    owner.web.head("/dashboard/keys")
    assert re.search(r"svc_live_\w{30}", owner.get("/dashboard/keys").text)


def test_another_business_cannot_revoke_a_key(app, client, owner):
    stranger = Browser(app).join(Client(app), "owner")
    sent = {"token": token_of(stranger.get("/dashboard/keys"))}
    answers = [
        stranger.web.post(f"/dashboard/keys/{id}/revoke", sent, status="*")
        for id in (client.key_id, "key_00000000000000000000000000")
    ]
    assert [a.status_int for a in answers] == [404, 404]
    assert len({re.sub(r"key_\w+", "", a.text) for a in answers}) == 1
    client.get("/v1/me")


def test_the_password_is_asked_for_again(app, client, owner, clock):
    clock.move(minutes=16)
    owner.get("/dashboard/keys")
    page = owner.send("/dashboard/keys", name="Import", status=422)
    assert "Current password" in page.text and 'value="Import"' in page.text
    page = owner.send("/dashboard/keys", name="Import", current_password="not this one", status=422)
    page = owner.send("/dashboard/keys", name="Import", current_password=PASSWORD)
    assert re.search(r"svc_live_\w{30}", page.text)
    owner.send("/dashboard/keys", name="At once")


def test_pages_are_kept_by_nobody_and_framed_by_nobody(app, client, owner):
    for browser in (owner, Browser(app)):
        headers = browser.get("/dashboard/account").headers
        assert headers["Cache-Control"] == "no-store" and headers["X-Frame-Options"] == "DENY"
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert not re.search(r"style=|onclick=|<style|<script>", browser.page.text)
    cookie = next(c for c in owner.web.cookiejar if c.name == "billycan_session")
    assert cookie.has_nonstandard_attr("HttpOnly")


def test_cookies_are_for_this_host_alone_where_pages_come_by_https(make_app, client):
    app = make_app("users", "dashboard", public_url="https://api.example.com")
    answer = Browser(app).web.get("/dashboard/sign-in")
    (cookie,) = answer.headers.getall("Set-Cookie")
    assert cookie.startswith("__Host-billycan_visitor=") and "Secure" in cookie and "SameSite=Lax" in cookie


def test_the_api_ignores_cookies_and_pages_ignore_keys(app, client, owner):
    answer = owner.web.get("/v1/me", status="*")
    assert answer.status_int == 401
    page = Browser(app).web.get("/dashboard/keys", headers=client.headers, status="*")
    assert page.status_int == 303


def test_the_command_invites_lists_resets_and_removes(app, client):
    @contextmanager
    def opened():
        yield app

    def run(*words):
        done = CliRunner().invoke(command, [*words, "--json"], obj=opened)
        assert done.exit_code == 0, done.output
        return json.loads(done.output)

    made = run(
        "invite", "--tenant", client.tenant_id, "--email", email(client, "ann").title(), "--role", "owner", "--operator"
    )
    browser = Browser(app)
    browser.get(made["link"].removeprefix(app.public_url))
    browser.send(name="Ann", password=PASSWORD)
    (row,) = run("list", "--tenant", client.tenant_id)
    assert (row["email"], row["role"], row["is_operator"], row["has_joined"]) == (
        email(client, "ann"),
        "owner",
        True,
        True,
    )
    link = run("reset", made["user"])["link"].removeprefix(app.public_url)
    browser.get(link)
    browser.send(password="a second long sentence")
    assert browser.page.request.path == "/dashboard/account"
    run("remove", made["user"])
    assert browser.get("/dashboard").request.path == "/dashboard/sign-in"
    assert run("list", "--tenant", client.tenant_id) == []


def test_reading_a_field_again_builds_no_other_reader():
    """Core keeps a reader for each type for as long as a process lives: forms must not make new types."""
    for address in ("ann@example.com", "bob@example.com"):
        assert read_field(Email, "email", address) == address
    before = _reader_of_struct.cache_info().currsize
    assert read_field(Email, "email", "cyd@example.com") == "cyd@example.com"
    assert _reader_of_struct.cache_info().currsize == before


def test_the_link_that_serve_prints_leads_to_the_sandbox_where_the_samples_are(make_app):
    app = make_app("contacts", "users", "dashboard", fresh=True)
    client, owner = Client(app), Browser(app)
    client.sandbox().post("/v1/contacts", {"name": "Sample"})
    owner.get(re.search(r"/dashboard/join/[\w-]+", greet_owner(app, ""))[0])
    owner.send()
    assert owner.get("/dashboard").html.select_one("[name=environment][aria-current=true]")["value"] == "sandbox"
    assert "Sample" in owner.get("/dashboard/contacts").text


def test_whoever_a_link_let_in_chooses_a_first_password_while_the_session_is_new(make_app, clock):
    app = make_app("contacts", "users", "dashboard", fresh=True)
    Client(app)

    def let_in():
        browser = Browser(app)
        browser.get(re.search(r"/dashboard/join/[\w-]+", greet_owner(app, ""))[0])
        browser.send()
        return browser

    late, owner = let_in(), let_in()
    token = token_of(late.get("/dashboard/account"))
    clock.move(minutes=16)
    assert "current_password" not in late.get("/dashboard/account").text
    assert "Choose the password" not in late.page.text
    with app.db.reading() as db:
        assert f"billycan users reset {db.execute(sa.select(users.c.id)).scalar_one()}" in late.page.text
    sent = {"token": token, "password": "quite another sentence"}
    refused = late.web.post("/dashboard/account/password", sent, status=403)
    assert "within 15 minutes of signing in" in refused.text
    # What asks for a password that there is not proves nothing, and a passkey is as good as a password.
    late.web.post("/dashboard/account/totp", {"token": token}, status=303)
    late.web.post("/dashboard/account/password", sent, status=403)
    late.web.post("/dashboard/account/passkeys/new", {"token": token, "name": "Mine"}, status=403)
    owner = let_in()
    assert "current_password" not in owner.get("/dashboard/account").text
    assert "at least 12" in owner.send("/dashboard/account/password", password="short", status=422).text
    owner.send("/dashboard/account/password", password=PASSWORD)
    assert "You have a password now" in owner.page.text and "Current password" in owner.page.text
    assert late.get("/dashboard/account").request.path == "/dashboard/sign-in"
    assert greet_owner(app, "") == ""
    with app.db.reading() as db:
        owner.email = db.execute(sa.select(users.c.email)).scalar_one()
    again = Browser(app)
    assert again.sign_in(email=owner.email).request.path == "/dashboard"


def test_whoever_a_link_let_in_names_themselves(make_app):
    app = make_app("contacts", "users", "dashboard", fresh=True)
    Client(app)
    owner = Browser(app)
    owner.get(re.search(r"/dashboard/join/[\w-]+", greet_owner(app, ""))[0])
    owner.send()
    assert "No password yet" in owner.get("/dashboard/people").text
    owner.get("/dashboard/account")
    owner.send("/dashboard/account/password", password=PASSWORD)
    people_page = owner.get("/dashboard/people").text
    assert "No name yet" in people_page and "No password yet" not in people_page
    owner.get("/dashboard/account")
    assert "is required" in owner.send("/dashboard/account/name", known_as=" ", status=422).text
    assert "Your name was saved" in owner.send("/dashboard/account/name", known_as=" Ann Quoll ").text
    assert owner.get("/dashboard/account").html.select_one("[name=known_as]")["value"] == "Ann Quoll"
    people_page = owner.get("/dashboard/people").html.select_one("main").text
    assert "Ann Quoll" in people_page and "No name yet" not in people_page
    owner.get("/dashboard/account")
    owner.send("/dashboard/account/name", known_as="n" * 201)
    assert owner.get("/dashboard/account").html.select_one("[name=known_as]")["value"] == "n" * 200
