"""Access on request, from the public page to a signed-in owner, and all of its limits."""

import json
import re
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from billycan import Manifest
from billycan.sql import tenants
from billycan.testing import Client, StartRefused, counted
from billycan_access import records
from billycan_access.commands import access as command
from billycan_access.tables import requests
from billycan_users.tables import users
from billycan_users.testing import PASSWORD, Browser

pytestmark = pytest.mark.either

HERE = "/dashboard/operator"
GIVEN = {"business": "Wren & Lark Joinery", "abn": "47 555 222 000", "email": "Wren@Example.com", "purpose": "Quotes"}
PLUGINS = ("access", "contacts", "users", "dashboard", "requests")


@pytest.fixture
def open_app(make_app):
    def build(mode="request", *more, **settings):
        app = make_app(*PLUGINS, *more, access={"mode": mode, **settings}, requests={})
        with app.db.writing() as db:  # tests share a database
            db.execute(sa.delete(requests))
        return app

    return build


@pytest.fixture
def app(open_app):
    return open_app()


def ask(app, browser=None, status=200, **changes):
    browser = browser or Browser(app)
    browser.get("/access")
    return browser.send("/access", status=status, **{**GIVEN, **changes})


def stored(app):
    with app.db.reading() as db:
        return db.execute(sa.select(requests).order_by(requests.c.created_at, requests.c.id)).all()


def operator(app, client=None):
    browser = Browser(app).join(client or Client(app), is_operator=True)
    with app.db.writing() as db:
        db.execute(sa.update(users).where(users.c.email == browser.email).values(totp=b"a second factor"))
    return browser


def told(page):
    """Return a page without the parts that differ each time."""
    return re.sub(r'(name="(token|once)" value=|assets/)"?[\w?.-]+', "", page.text)


def test_the_whole_way_from_a_request_to_a_business(app):
    page = ask(app)
    assert page.request.path == "/access/sent" and "Your request is noted" in page.text
    (row,) = stored(app)
    assert (row.state, row.abn, row.email) == ("unproved", "47555222000", "wren@example.com")
    boss = operator(app)
    page = boss.get(HERE)
    assert "Wren &amp; Lark Joinery" in page.text and "Address not confirmed" in page.text
    page = boss.send(f"{HERE}/{row.id}/approve")
    link = re.search(r"http\S+(/dashboard/join/[\w-]+)", page.text)[1]
    assert "shown again" in page.text and link not in boss.get(HERE).text
    line = app.operations.recent(most=1)[0]
    assert (line.did, line.name, line.by) == ("access.approved", "Wren & Lark Joinery", boss.email)
    owner = Browser(app)
    owner.get(link)
    page = owner.send(name="Wren", password=PASSWORD)
    assert page.request.path == "/dashboard" and "Wren &amp; Lark Joinery" in page.text
    (row,) = stored(app)
    with app.db.reading() as db:
        pair = db.execute(
            sa.select(tenants).where(sa.or_(tenants.c.id == row.business_id, tenants.c.paired_id == row.business_id))
        ).all()
    assert {(t.environment, t.profile["name"], t.profile["abn"]) for t in pair} == {
        (environment, "Wren & Lark Joinery", "47555222000") for environment in ("live", "sandbox")
    }
    assert owner.get(HERE, 403) and row.state == "approved"
    assert boss.web.post(f"{HERE}/{row.id}/approve", {"token": "x"}, status="*").status_int == 403


def test_nobody_approves_a_request_that_changed_since_the_page_was_opened(app):
    ask(app)
    (row,) = stored(app)
    boss = operator(app)
    boss.get(HERE)
    with app.db.writing() as db:
        db.execute(sa.update(requests).values(purpose="Something else"))
    page = boss.send(f"{HERE}/{row.id}/approve", status=409)
    assert "has changed since you opened the page" in page.text and "Something else" in page.text
    assert stored(app)[0].state == "unproved"
    assert "The business is set up" in boss.send(f"{HERE}/{row.id}/approve").text


def test_a_decision_is_made_once_and_by_command_too(app):
    ask(app)
    ask(app, email="other@example.com")
    first, second = stored(app)

    def run(*args, code=0, typed=""):
        done = CliRunner().invoke(command, args, input=typed, obj=lambda: _opened(app))
        assert done.exit_code == code, done.output
        return done.output

    waiting = json.loads(run("list", "--json"))
    assert [w["email"] for w in waiting] == ["other@example.com", "wren@example.com"]
    assert "address" not in waiting[0] and first.digest != waiting[1]["digest"] in run("list")
    assert "--digest" in run("approve", first.id, "--json", code=2), "it asks nothing"
    asked = run("approve", first.id, typed="n\n", code=1)
    assert "wren@example.com" in asked and "Give this business access?" in asked
    with app.db.writing() as db:
        db.execute(sa.update(requests).where(requests.c.id == first.id).values(business="Another"))
    shown = waiting[1]["digest"]
    assert "has changed" in run("approve", first.id, "--digest", shown, "--json", code=1)
    assert stored(app)[0].state == "unproved"
    shown = json.loads(run("list", "--json"))[1]["digest"]
    approved = json.loads(run("approve", first.id, "--digest", shown, "--json"))
    assert (
        approved.keys() == {"request", "tenant", "sandbox", "user", "link"} and "/dashboard/join/" in approved["link"]
    )
    assert "approved already" in run("refuse", first.id, code=1)
    assert "no request" in run("approve", "acc_nope", code=1)
    assert "tenant: ten_" in run("approve", second.id, typed="y\n")
    ask(app, email="third@example.com")
    second = stored(app)[-1]
    run("refuse", second.id)
    assert "refused already" in run("approve", second.id, code=1)
    assert run("list") == "nobody waits\n" and len(run("list", "--all").splitlines()) == 3


class _opened:
    def __init__(self, app):
        self.app = app

    def __enter__(self):
        return self.app

    def __exit__(self, *args):
        return None


def test_no_answer_tells_what_is_known(app):
    known = operator(app)
    pages = [ask(app, email=email) for email in (known.email, "new@example.com", *["new@example.com"] * 4)]
    assert len({(page.status_int, page.request.path, told(page)) for page in pages}) == 1
    assert len(stored(app)) == 1 + records.PER_EMAIL


def test_one_address_and_one_day_take_only_so_many(open_app, clock):
    app = open_app(per_day=records.PER_ADDRESS + 3)
    browser = Browser(app)
    for i in range(records.PER_ADDRESS):
        ask(app, browser, email=f"{i}@example.com")
        clock.move(seconds=10)
    assert "try again tomorrow" in ask(app, browser, 429, email="more@example.com").text
    for i in range(3):
        ask(app, email=f"else{i}@example.com")
    assert "try again tomorrow" in ask(app, status=429, email="last@example.com").text
    assert len(stored(app)) == records.PER_ADDRESS + 3
    clock.move(hours=25)
    ask(app, browser, email="more@example.com")


def test_whoever_has_one_ipv6_address_has_a_whole_network(app, clock):
    for i in range(records.PER_ADDRESS + 1):
        browser = Browser(app)
        browser.web.extra_environ["REMOTE_ADDR"] = f"2001:db8:9:9::{i + 1}"
        ask(app, browser, 200 if i < records.PER_ADDRESS else 429, email=f"{i}@example.com")
        clock.move(seconds=10)
    browser.web.extra_environ["REMOTE_ADDR"] = "2001:db8:9:a::1"
    ask(app, browser, email="next@example.com")


@pytest.mark.both
def test_requests_at_once_are_no_more_than_a_day_takes(open_app):
    app = open_app(per_day=3)
    browsers = [Browser(app) for _ in range(8)]
    for browser in browsers:
        browser.get("/access")
    ready = threading.Barrier(len(browsers))

    def send(browser):
        form = next(form for form in browser.page.forms.values() if form.action == "/access")
        for name, value in GIVEN.items():
            form[name] = value if name != "email" else browser.web.extra_environ["REMOTE_ADDR"] + "@example.com"
        ready.wait()
        return form.submit(status="*").status_int

    with ThreadPoolExecutor(len(browsers)) as pool:
        assert sorted(pool.map(send, browsers)) == [303] * 3 + [429] * 5
    assert len(stored(app)) == 3


def test_a_request_that_nobody_decides_on_expires_and_is_forgotten(app, clock):
    ask(app, business="Idle Pty Ltd")
    clock.move(days=31)
    boss = operator(app)
    with counted(app) as sent:
        assert "Idle Pty" not in boss.get(HERE).text
    assert not [statement for statement in sent if "access_requests" in statement and "SELECT" not in statement]
    ask(app, business="Another")
    row, _ = stored(app)
    assert row.state == "expired" and row.digest is None
    clock.move(days=91)
    ask(app, business="A third")
    assert [row.business for row in stored(app)] == ["Another", "A third"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"business": ""}, "business"),
        ({"business": "x" * 5000}, "business"),
        ({"abn": "47 555 222 001"}, "abn"),
        ({"email": "nobody"}, "email"),
        ({"email": "a@b.example\r\nBcc: c@d.example"}, "email"),
        ({"purpose": "x" * 1001}, "purpose"),
        ({"purpose": ""}, "purpose"),
    ],
)
def test_a_faulty_field_is_marked_and_nothing_is_stored(app, changes, field):
    page = ask(app, status=422, **changes)
    assert 'aria-describedby="' in page.text and f'id="fault-{field}"' in page.text
    assert not stored(app)


def test_hostile_text_is_text(app):
    hostile = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{7*7}}"
    ask(app, business=hostile[:100], purpose=hostile)
    page = operator(app).get(HERE)
    assert "<script>alert" not in page.text and "<img src=x" not in page.text and "{{7*7}}" in page.text


def test_off_leaves_no_trace(open_app):
    app = open_app("off")
    browser = Browser(app)
    for path in ("/access", "/access/sent", "/access/confirm/x"):
        page = browser.get(path, 404)
        nowhere = browser.get("/acc", 404)
        assert re.sub(r"req_\w+", "", page.text) == re.sub(r"req_\w+", "", nowhere.text)
        assert {*page.headers} == {*nowhere.headers} and "Set-Cookie" not in page.headers
    assert "/access" not in app.entrances
    assert "Requests from the page" not in operator(app).get(HERE).text


def test_only_an_operator_with_a_second_factor_sees_counts_and_no_records(app):
    client = Client(app)
    client.post("/v1/contacts", {"name": "Ada Private"})
    client.get("/v1/contacts")
    app.observers[0].write()
    page = operator(app, client).get(f"{HERE}/businesses")
    assert client.tenant_id in page.text and "Private" not in page.text
    row = next(row for row in page.text.split("<tr>")[1:] if client.tenant_id in row)
    assert re.search(r'data-label="Requests in 30 days" class="n"><div class="nowrap">2<', row)
    Browser(app).join(client, "developer").get(HERE, 403)
    without = Browser(app).join(Client(app), is_operator=True)
    assert without.get(HERE).request.path == "/dashboard/account"
    assert Browser(app).get(HERE).request.path == "/dashboard/sign-in"


@pytest.fixture
def letters(install, monkeypatch):
    """The emails handed to the plugin mail."""
    sent = []
    module = ModuleType("billycan_mail.api")
    module.send = lambda app, db, *, to, subject, text: sent.append((to, subject, text))
    module.can_send = lambda app: True
    monkeypatch.setitem(sys.modules, "billycan_mail", ModuleType("billycan_mail"))
    monkeypatch.setitem(sys.modules, "billycan_mail.api", module)
    install(Manifest(name="mail"))
    return sent


def test_an_address_is_proved_by_a_form_behind_a_link(open_app, letters):
    app = open_app("request", "mail")
    assert "an email is on its way" in ask(app).text
    ((to, _, text),) = letters
    link = re.search(r"(/access/confirm/[\w-]+)", text)[1]
    browser = Browser(app)
    assert to == "wren@example.com"
    page = browser.get(link)
    assert "Is this your address?" in page.text and stored(app)[0].state == "unproved", "a scanner opens links"
    assert "confirmed" in browser.send(link).text
    assert stored(app)[0].state == "proved" and stored(app)[0].business_id is None
    browser.get(link, 404)
    browser.get("/access/confirm/nope", 404)
    assert "Address confirmed" in operator(app).get(HERE).text
    with app.db.writing() as db:
        approved = records.approve_request(db, app, stored(app)[0].id)
    assert letters[-1][0] == to and approved.link in letters[-1][2]


def test_a_letter_to_an_address_that_nobody_proved_says_nothing_that_a_stranger_wrote(open_app, letters):
    words = "Your account is locked: https://thief.example"
    ask(open_app("request", "mail"), business=words, purpose=words)
    ((_, subject, text),) = letters
    assert "locked" not in subject + text and "thief" not in subject + text


def test_a_link_does_not_prove_for_ever(open_app, letters, clock):
    app = open_app("request", "mail")
    ask(app)
    clock.move(hours=73)
    Browser(app).get(re.search(r"(/access/confirm/[\w-]+)", letters[0][2])[1], 404)


def test_a_proved_address_gets_a_sandbox_at_once_and_the_business_later(open_app, letters):
    app = open_app("sandbox", "mail")
    ask(app)
    link = re.search(r"(/access/confirm/[\w-]+)", letters[0][2])[1]
    browser = Browser(app)
    browser.get(link)
    key = re.search(r"svc_test_\w+", browser.send(link).text)[0]
    answer = browser.web.get("/v1/me", headers={"Authorization": f"Bearer {key}", "Accept": "*/*"}, status="*")
    assert answer.status_int == 200 and answer.json["data"]["environment"] == "sandbox"
    (row,) = stored(app)
    with app.db.writing() as db:
        approved = records.approve_request(db, app, row.id)
    assert approved.tenant == row.business_id and approved.sandbox == answer.json["data"]["tenant"]["id"]


def test_a_sandbox_is_not_promised_without_mail(make_app):
    with pytest.raises(StartRefused, match=r"needs mail: enable the plugin mail and set mail\.url, or set"):
        make_app("access", "users", access={"mode": "sandbox"})
