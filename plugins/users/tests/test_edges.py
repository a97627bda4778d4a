"""The surroundings of pages: hosts, proxies, caches, tabs, and the places where secrets are stored."""

import logging
import re
import time
from urllib.parse import urlencode

import pytest
import sqlalchemy as sa
from falcon import Request
from falcon.testing import create_environ

from billycan.testing import Client
from billycan_users import rules
from billycan_users.page_routes import read_cookie
from billycan_users.people import invite_person
from billycan_users.tables import sessions, users
from billycan_users.testing import PASSWORD, Browser

pytestmark = pytest.mark.either

EVIL = "evil.example"


@pytest.fixture
def app(make_app):
    return make_app("contacts", "users", "dashboard", "requests")


def token_of(page):
    return re.search(r'name="token" value="(\w+)"', page.text)[1]


def screens(app):
    for path, _, door in app.pages:
        if hasattr(door, "screen") and "{" not in path:
            app.clock.move(seconds=1)
            yield path, door.screen


def test_no_page_goes_by_the_host_that_was_sent(app, client):
    owner = Browser(app)
    for name in ("HTTP_HOST", "HTTP_X_FORWARDED_HOST", "HTTP_FORWARDED"):
        owner.web.extra_environ[name] = EVIL if name != "HTTP_FORWARDED" else f"host={EVIL};proto=https"
    owner.join(client)
    for path, screen in screens(app):
        if screen.get:
            answer = owner.web.get(path, status="*")
            assert EVIL not in answer.text and answer.headers.get("Location", "/").startswith("/"), path
    sent = {"token": token_of(owner.web.get("/dashboard/people")), "email": "bob@example.com", "role": "viewer"}
    answer = owner.web.post("/dashboard/people", sent, status=303)
    assert EVIL not in str(answer.headers)
    page = owner.web.get("/dashboard/people")
    assert f"{app.public_url}/dashboard/join/" in page.text and EVIL not in page.text


def test_pages_may_have_a_host_of_their_own(make_app):
    app = make_app(
        "contacts",
        "users",
        "dashboard",
        public_url="http://api.example.com",
        users={"dashboard_url": "https://dashboard.example.com"},
    )
    client = Client(app)
    owner = Browser(app)
    owner.web.extra_environ["HTTP_HOST"] = "dashboard.example.com"
    owner.web.extra_environ["wsgi.url_scheme"] = "https"
    with app.db.writing() as db:
        _, link = invite_person(db, client.tenant_id, f"ann.{client.tenant_id}@example.com".lower(), "owner", app.now())
    page = owner.web.get(f"/dashboard/join/{link}")
    assert page.html.h1.text == f"You are invited to {client.get('/v1/tenant')['data']['name']}"
    sent = {"token": token_of(page), "name": "Ann", "password": PASSWORD, "seen": page.form["seen"].value}
    cookies = owner.web.post(f"/dashboard/join/{link}", sent, status=303).headers.getall("Set-Cookie")
    assert cookies
    for cookie in cookies:
        assert cookie.startswith("__Host-") and "Domain" not in cookie
        assert {"Secure", "HttpOnly", "SameSite=Lax", "Path=/"} <= set(cookie.split("; "))
    sent = {"token": token_of(owner.web.get("/dashboard/people")), "email": "bob@example.com", "role": "viewer"}
    page = owner.web.post("/dashboard/people", sent, status=303).follow()
    assert "https://dashboard.example.com/dashboard/join/" in page.text and "api.example.com" not in page.text


def test_an_address_is_the_sockets_unless_a_trusted_proxy_says_otherwise(app, make_app):
    """Or whoever guesses would have a new address with each guess."""

    def guess(app, number, socket):
        browser = Browser(app)
        browser.web.extra_environ["REMOTE_ADDR"] = socket
        browser.web.extra_environ["HTTP_X_FORWARDED_FOR"] = f"203.0.113.{number}, 198.51.100.{number}"
        sent = {"email": f"{number}@{socket}.example", "password": "a wrong sentence"}
        sent["token"] = token_of(browser.get("/dashboard/sign-in"))
        app.clock.move(seconds=0.5)
        return browser.web.post("/dashboard/sign-in", sent, status="*").text

    assert "try again in" in [guess(app, number, "192.0.2.77") for number in range(21)][-1]
    behind = make_app("contacts", "users", "dashboard", trusted_proxies=("192.0.2.78",))
    assert "is wrong" in [guess(behind, number, "192.0.2.78") for number in range(21)][-1]


@pytest.mark.parametrize(
    "onward",
    [
        "//evil.example",
        "https://evil.example",
        "/\\evil.example",
        "/\t/evil.example",
        "x",
        "/dashboard/..//evil.example",
        "/dashboard/%2e%2e//evil.example",
        "/dashboard/%2E%2E/%2fevil.example",
        "/dashboard/..%2f/evil.example",
        "/dashboard//evil.example",
        "/dashboard/%5c/evil.example",
        "/dashboard/./..//evil.example?next=/dashboard",
    ],
)
def test_no_form_leads_elsewhere(app, owner, onward):
    token = token_of(owner.get("/dashboard/account"))
    sent = {"token": token, "environment": "sandbox", "next": onward}
    assert owner.web.post("/dashboard/switch", sent, status=303).headers["Location"] == "/dashboard"
    query = urlencode({"next": onward})
    assert owner.web.get(f"/dashboard/sign-in?{query}", status=303).headers["Location"] == "/dashboard"


@pytest.mark.parametrize("onward", ["/dashboard/keys", "/oauth/authorize?redirect_uri=https://a.example//b/..", "/"])
def test_a_form_leads_back_within_the_site(app, owner, onward):
    query = urlencode({"next": onward})
    assert owner.web.get(f"/dashboard/sign-in?{query}", status=303).headers["Location"] == onward


def test_a_cookie_of_backslashes_takes_no_time(app, owner):
    """Some releases of Python take quadratic time for it: 10 s of the processor for 100 KB."""
    cookie = owner.web.cookies["billycan_session"]
    sent = ['a="' + '\\"' * number + f'"; billycan_session={cookie}' for number in (15_000, 50_000)]
    Browser(app).web.get("/dashboard/account", headers={"Cookie": sent[0]}, status=200)
    began = time.thread_time()
    assert read_cookie(app, Request(create_environ(headers={"Cookie": sent[1]}))) == cookie
    assert time.thread_time() - began < 1


def test_nothing_is_kept_by_a_cache_and_an_old_cookie_opens_nothing(app, owner):
    """Pages, ways on, refusals and faults alike; after signing out the old cookie is nobody's."""
    token = token_of(owner.get("/dashboard/account"))
    answers = [owner.web.get(path, status="*") for path, screen in screens(app) if screen.get]
    answers += [owner.web.post("/dashboard/keys", {"token": t, "name": ""}, status="*") for t in (token, "x")]
    answers += [
        owner.web.post("/dashboard/keys/explorer", {"token": token}),
        owner.web.get("/dashboard/nope/1", status=404),
    ]
    cookie = owner.web.cookies["billycan_session"]
    answers.append(owner.web.post("/dashboard/sign-out", {"token": token}))
    assert {answer.headers["Cache-Control"] for answer in answers} == {"no-store"}
    assert {200, 303, 403, 404, 422} <= {answer.status_int for answer in answers}
    thief = Browser(app)
    thief.web.set_cookie("billycan_session", cookie)
    for path, screen in screens(app):
        if not screen.anybody:
            again = thief.web.get(path, status="*")
            assert again.status_int in (303, 405) and "Sign in" not in again.headers.get("Location", ""), path
            assert owner.email not in again.text and "Derwent" not in again.text


def test_signing_in_again_ends_what_this_browser_had(app, owner):
    before = owner.web.cookies["billycan_session"]
    page = owner.web.get("/dashboard/account")
    sent = {"token": token_of(page), "email": owner.email, "password": PASSWORD}
    owner.web.post("/dashboard/sign-in", sent, status=303)
    thief = Browser(app)
    thief.web.set_cookie("billycan_session", before)
    assert thief.get("/dashboard").request.path == "/dashboard/sign-in"
    assert "Derwent" in owner.get("/dashboard").text


def test_a_half_signed_in_browser_learns_nothing(app, client, owner):
    """A password without the second factor: no page, no name of a business, no invitation accepted."""
    with app.db.writing() as db:
        db.execute(sa.update(users).where(users.c.email == owner.email).values(totp=b"a second factor"))
    half = Browser(app)
    half.email = owner.email
    page = half.sign_in()
    assert "One more step" in page.text and "Derwent" not in page.text and 'class="sandbox"' not in page.text
    for path, screen in screens(app):
        if screen.get and not screen.anybody:
            assert half.web.get(path, status="*").status_int == 303, path
    with app.db.writing() as db:
        _, link = invite_person(db, client.tenant_id, owner.email, "owner", app.now())
    half.get(f"/dashboard/join/{link}")
    assert half.send().request.path == "/dashboard/sign-in"


def test_a_role_that_ends_in_one_tab_ends_in_the_other(app, client, owner):
    """A page that was open when its reader was made a viewer: its form is refused, and changes nothing."""
    developer = Browser(app).join(client, "developer")
    developer.get("/dashboard/keys")
    form = next(f for f in developer.page.forms.values() if f.action == "/dashboard/keys")
    form["name"] = "Too late"
    with app.db.reading() as db:
        id = db.execute(sa.select(users.c.id).where(users.c.email == developer.email)).scalar_one()
    owner.get("/dashboard/people")
    owner.send(f"/dashboard/people/{id}", role="viewer")
    assert form.submit(status="*").status_int == 403
    owner.get("/dashboard/people")
    owner.send(f"/dashboard/people/{id}", button="remove=yes")
    assert form.submit(status="*").status_int == 403
    assert "Too late" not in owner.get("/dashboard/keys").text


def test_secrets_are_in_no_log_and_no_table(app, client, owner, caplog):
    """Passwords, codes, keys, links and cookies: nowhere in what is logged, and nowhere in the database as they are."""
    caplog.set_level(logging.DEBUG)
    owner.get("/dashboard/account")
    page = owner.send("/dashboard/account/totp")
    totp = re.search(r"Or type: <span[^>]*>([A-Z2-7 ]+)", page.text)[1].replace(" ", "")
    code = rules.totp_code(totp, int(app.now().timestamp() // 30))
    owner.send("/dashboard/account/totp-on", code=code, current_password=PASSWORD)
    recovery = re.search(r"<pre[^>]*>([^<]+)", owner.page.text)[1].split()
    owner.get("/dashboard/keys")
    key = re.search(r"svc_live_\w{30,}", owner.send("/dashboard/keys", name="Import").text)[0]
    owner.get("/dashboard/people")
    page = owner.send("/dashboard/people", email="bob@example.com", role="viewer")
    link = re.search(r"/dashboard/join/([\w-]{20,})", page.text)[1]
    Browser(app).get(f"/dashboard/join/{link}")
    owner.web.get("/v1/me", headers={"Authorization": f"Bearer {key}", "Accept": "*/*"})
    app.observers[0].write()
    secrets = [PASSWORD, totp, *recovery, key, link, owner.web.cookies["billycan_session"]]
    for path, screen in screens(app):
        if screen.get and path != "/dashboard/join":
            page = owner.web.get(path, status="*")
            assert not [secret for secret in secrets if secret in page.text], path
    with app.db.reading(across="a test looks at every row") as db:
        tables = [table for table in sessions.metadata.tables.values() if sa.inspect(db).has_table(table.name)]
        rows = "".join(
            str(bytes(value) if isinstance(value, memoryview) else value)
            for table in tables
            for row in db.execute(sa.select(table))
            for value in row
        )
    for secret in secrets:
        assert secret not in rows and secret not in caplog.text, secret[:9]
