"""The log of requests: its contents, its readers, its limits, and its counts of missing requests."""

import os
import re
import signal
import subprocess
import sys
from datetime import timedelta

import pytest
import sqlalchemy as sa

from billycan import Route
from billycan.fields import Moment
from billycan.testing import Client, run_timed
from billycan_requests import collecting, keeping
from billycan_requests.tables import days, log, writers
from billycan_users.testing import Browser

pytestmark = pytest.mark.either

HERE = "/dashboard/requests"


@pytest.fixture
def app(make_app):
    return make_app("contacts", "users", "dashboard", "requests", requests={"most": 1000})


@pytest.fixture
def client(app):
    return Client(app)


@pytest.fixture
def developer(app, client):
    return Browser(app).join(client, "developer")


def collector(app):
    (found,) = app.observers
    return found


def shown(app, browser, query=""):
    collector(app).write()
    return browser.get(f"{HERE}?{query}")


def logged(app, client):
    collector(app).write()
    with app.db.reading(client.tenant_id) as db:
        found = sa.select(log).where(log.c.tenant_id == client.tenant_id).order_by(log.c.id)
        return db.execute(found).all()


def ids(page):
    return re.findall(r"<br><small>([^<]+)</small></span></td>", page.text)


def fill(app, client, count, at=None, **other):
    """Log so many requests, as if they had been answered."""
    at = at or app.now()
    each = {"method": "GET", "route": "/v1/me", "status": 200, "seconds": 0.001, "code": None, "param": None, **other}
    for i in range(count):
        answered = Route.Answered(client.tenant_id, client.key_id, at, request_id=f"req_{i}", **each)
        collector(app)(answered)
        if i % 1000 == 999:
            collector(app).write()
    collector(app).write()


def test_an_app_that_rests_between_two_tests_goes_on_recording(app, client, app_pool, clock):
    client.get("/v1/me")
    app_pool.give_back(app)
    assert collector(app).thread is None and not collector(app).waiting
    key = next(key for key, resting in app_pool._resting.items() if resting is app)
    assert app_pool.lend(key, clock, lambda: pytest.fail("it was closed")) is app
    client.get("/v1/me")
    assert not collector(app)._ends.is_set(), "the thread writes once a second, not once"
    assert [row.route for row in logged(app, client)] == ["/v1/me", "/v1/me"]


def test_each_call_is_recorded_as_it_was_answered(app, client, developer):
    weak = client.key("events:read", per_minute=2)
    made = client.post("/v1/contacts?", {"name": "Ada Private"})["data"]
    client.get(f"/v1/contacts/{made['id']}?fields=name")
    client.get("/v1/contacts/con_nope?q=secret-in-query", 400)
    client.get("/v1/contacts/con_nope", 404)
    client.post("/v1/contacts", {"name": "", "email": "private@example.com"}, 422)
    client.call("GET", "/v1/somewhere/secret-in-path", status=404)
    client.call("PUT", "/v1/contacts", status=405)
    weak.call("GET", "/v1/contacts", status=403)
    weak.call("GET", "/v1/me", status=200)
    weak.call("HEAD", "/v1/me", status=429, headers={"X-Request-Id": "my-own.id"})
    client.call("GET", "/v1/me", status=401, headers={"Authorization": ""})
    developer.get("/dashboard")
    rows = logged(app, client)
    assert [(r.method, r.route, r.status, r.code, r.param) for r in rows] == [
        ("POST", "/v1/contacts", 201, None, None),
        ("GET", "/v1/contacts/{id}", 200, None, None),
        ("GET", "/v1/contacts/{id}", 400, "unknown_parameter", "q"),
        ("GET", "/v1/contacts/{id}", 404, "resource_not_found", None),
        ("POST", "/v1/contacts", 422, "validation_failed", "name"),
        ("GET", "", 404, "route_not_found", None),
        ("PUT", "/v1/contacts", 405, "method_not_allowed", None),
        ("GET", "/v1/contacts", 403, "insufficient_scope", None),
        ("GET", "/v1/me", 200, None, None),
        ("HEAD", "/v1/me", 429, "rate_limited", None),
    ]
    assert {r.caller_id for r in rows[:7]} == {client.key_id} and rows[8].caller_id == weak.key_id
    assert rows[9].request_id == "my-own.id" and all(0 < r.microseconds < 10**8 for r in rows)
    text = str(rows) + shown(app, developer).text
    for secret in ("Private", "private@", "secret-in", made["id"], client.secret, "fields"):
        assert secret not in text


def test_a_key_lists_its_own_requests(app, client):
    other, elsewhere = client.key("read"), Client(app)
    client.key("write").refused(403, "insufficient_scope", "GET", "/v1/requests")
    assert other.get("/v1/requests")["data"] == []
    client.post("/v1/contacts", {"name": ""}, 422), client.get("/v1/somewhere", 404)
    other.get("/v1/me"), elsewhere.get("/v1/me"), client.sandbox().get("/v1/me")
    collector(app).write()
    found = client.get("/v1/requests")["data"]
    assert [(r["method"], r["route"], r["status"], r["code"], r["param"]) for r in found] == [
        ("GET", None, 404, "route_not_found", None),
        ("POST", "/v1/contacts", 422, "validation_failed", "name"),
    ]
    assert all(r["request_id"].startswith("req_") and r["milliseconds"] >= 0 for r in found)
    assert [r["route"] for r in other.get("/v1/requests?per_page=1")["data"]] == ["/v1/me"]
    client.get("/v1/requests?per_page=101", 400)
    fill(app, other, 1000)
    assert client.get("/v1/requests")["data"] == []


def test_filters_find_what_they_say(app, client, developer):
    other = client.key("read")
    sent = [
        (client, "GET", "/v1/me", None, "a"),
        (client, "POST", "/v1/contacts", {"name": "Ada"}, "b"),
        (client, "POST", "/v1/contacts", {}, "c"),
        (other, "GET", "/v1/contacts/con_x", None, "d"),
        (other, "GET", "/v1/elsewhere", None, "e"),
    ]
    for who, method, path, body, id in sent:
        who.call(method, path, body, headers={"X-Request-Id": id})
    day = app.now().date()
    for query, expected in {
        "": "edcba",
        f"caller={client.key_id}": "cba",
        "method=POST": "cb",
        "route=/v1/contacts/{id}": "d",
        "route=nowhere": "e",
        "status=4xx": "edc",
        "status=422": "c",
        "slower=0": "edcba",
        "slower=999999": "",
        "request_id=b": "b",
        "code=resource_not_found": "d",
        "param=name": "c",
        f"from={day - timedelta(days=2)}&to={day + timedelta(days=2)}": "edcba",
        f"from={day + timedelta(days=2)}": "",
        f"to={day - timedelta(days=2)}": "",
        "status=4xx&method=GET": "ed",
        "param=%00": "",
        "route=%3Cscript%3Ealert(1)%3C/script%3E": "",
        "page=2": "",
    }.items():
        page = shown(app, developer, query)
        assert "".join(ids(page)) == expected, query
        assert "<script>alert" not in page.text
    for query in ("status=abc", "from=yesterday", "slower=x", "slower=nan", "to=9999-12-31"):
        collector(app).write()
        page = developer.get(f"{HERE}?{query}", 422)
        assert 'aria-invalid="true"' in page.text and not ids(page)


def test_only_developers_and_owners_of_this_business_see_any(app, client, developer):
    client.get("/v1/me", X_Request_Id="of-this-one")
    client.sandbox().get("/v1/me", X_Request_Id="of-its-sandbox")
    assert ids(shown(app, developer)) == ["of-this-one"]
    assert ids(shown(app, Browser(app).join(client, "owner"))) == ["of-this-one"]
    Browser(app).join(client, "viewer").get(HERE, 403)
    stranger = Browser(app).join(Client(app), "owner")
    page = shown(app, stranger, f"caller={client.key_id}")
    assert not ids(page) and "1 of 1" not in page.text and "of-this" not in page.text
    developer.get("/dashboard")
    developer.send("/dashboard/switch", button="environment=sandbox")
    assert ids(shown(app, developer)) == ["of-its-sandbox"]


def test_usage_is_shown_against_the_limit(app, client, developer, clock):
    key = client.key(per_minute=3)
    for _ in range(2):
        for _ in range(5):
            key.call("GET", "/v1/me")
        clock.move(minutes=2)
    page = shown(app, developer, f"caller={key.key_id}")
    assert "At most 3 of the 3 requests a minute" in page.text and "4 were refused as too many" in page.text
    clock.move(hours=2)
    assert "Usage of" not in shown(app, developer).text


def test_a_name_of_a_client_is_shown_as_text(app, client, developer):
    hostile = "<img src=x onerror=alert(1)>\0" + "x" * 500
    fill(app, client, 1, status=422, code="validation_failed", param=hostile)
    page = shown(app, developer)
    assert "<img src=x" not in page.text and "&lt;img src=x" in page.text
    assert len(logged(app, client)[0].param) == 200


def test_the_log_stays_small(app, client, developer, clock):
    fill(app, client, 1_000)
    fill(app, client, 49)
    assert len(logged(app, client)) == 1_049
    fill(app, client, 2)
    assert len(logged(app, client)) == 1_000
    page = shown(app, developer)
    assert "1,000 of 1,051 requests are in the log" in page.text and "51 were the oldest" in page.text
    clock.move(days=20)
    fill(app, client, 3)
    clock.move(days=11)
    run_timed(app)
    assert len(logged(app, client)) == 3
    developer.sign_in()
    developer.send("/dashboard/switch", button="environment=live")
    assert "3 of 3" in shown(app, developer).text


def test_what_comes_too_fast_is_counted_and_said(app, client, developer, monkeypatch):
    monkeypatch.setattr(collecting, "MOST", 5)
    with collector(app)._writing:  # as long as the database is slow
        for _ in range(9):
            client.get("/v1/me")
        assert len(collector(app).waiting) == 5
    page = shown(app, developer)
    assert "5 of 9 requests are in the log" in page.text and "4 came faster than they could be written" in page.text


def test_requests_wait_for_a_database_that_is_away(app, client, monkeypatch):
    def away(*args):
        raise sa.exc.OperationalError("", {}, Exception("away"))

    with monkeypatch.context() as patch:
        patch.setattr(keeping, "write_requests", away)
        client.get("/v1/me", X_Request_Id="patient")
        assert [r.request_id for r in logged(app, client)] == []
    assert [r.request_id for r in logged(app, client)] == ["patient"]


def test_ending_writes_everything_and_leaves_no_doubt(make_app, client, app):
    client.get("/v1/me")
    app.close()
    other = make_app("contacts", "users", "dashboard", "requests")
    with other.db.reading(across="a test looks at every row") as db:
        (row,) = db.execute(sa.select(days).where(days.c.tenant_id == client.tenant_id)).all()
        left = db.execute(sa.select(writers.c.id)).scalars().all()
    assert (row.answered, row.kept) == (1, 1) and collector(app).id not in left


KILLED = """
import os, signal, sys
from billycan.app import App
from billycan.starting.settings import Config, Settings
from billycan_requests import collecting
import webtest
url, shared, key, secret = sys.argv[1:]
collecting.EVERY_SECONDS = 600.0
plugins = "contacts,users,dashboard,requests"
app = App(Config(Settings(database=url, shared_folder=shared, secret=secret, plugins=plugins), {})).start()
web, headers = webtest.TestApp(app.wsgi), {"Authorization": f"Bearer {key}"}
web.get("/v1/me", headers=headers)
(collector,) = app.observers
while True:  # until the database knows of this process
    with app.db.reading() as db:
        from billycan_requests.tables import writers
        if db.execute(writers.select()).first():
            break
collector.write()
for _ in range(3):
    web.get("/v1/me", headers=headers)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_process_had_not_written_is_admitted(make_app, tmp_path, clock):
    app = make_app("contacts", "users", "dashboard", "requests", fresh=True, walled=False)
    client = Client(app)
    url = app.db.url.render_as_string(hide_password=False)
    given = [url, str(tmp_path), client.secret, app.settings.secret]
    environ = {name: value for name, value in os.environ.items() if not name.startswith("BILLYCAN_")}
    done = subprocess.run(
        [sys.executable, "-c", KILLED, *given], check=False, env=environ, capture_output=True, text=True, timeout=180
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert len(logged(app, client)) == 1
    with app.db.writing() as db:  # by this test's clock
        db.execute(sa.update(writers).values(wrote_at=Moment.of(app.now() - timedelta(minutes=2))))
    page = shown(app, Browser(app).join(client, "developer"))
    assert "1 of 1 request is in the log" in page.text and "ended without a word after" in page.text


def test_a_tenants_id_that_is_unknown_loses_that_batch_and_no_more(app, client):
    collector(app)(Route.Answered("ten_gone", "key_x", app.now(), "GET", "", 404, 0.1, "r", None, None))
    collector(app).write()
    client.get("/v1/me")
    assert len(logged(app, client)) == 1
