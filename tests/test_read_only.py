"""While a deployment is read only, nothing of any business changes, by whatever way, and everything can be read."""

import json
import re
import threading

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from billycan import Every, Manifest
from billycan.db import metadata
from billycan.operating.metrics import write_metrics
from billycan.sharing import folder
from billycan.starting.packages import first_party
from billycan.testing import Client, run_timed
from billycan.tools.cli import commands
from billycan.working import worker
from billycan_users.testing import Browser

pytestmark = pytest.mark.both

WHY = "We are moving to a larger server until 9 pm."
# What the deployment notes about itself, and who signs in; `core_read_only` is the mode itself.
STILL = (
    "core_keys",
    "core_tasks",
    "core_read_only",
    "core_operations",
    "requests_",
    "users_sessions",
    "users_attempts",
)


def kept(app):
    """Every row of the tables that must stay as they are."""
    names = [name for name in metadata.tables if not name.startswith(STILL)]
    with app.db.reading(across="a test looks at everything") as db:
        there = {*sa.inspect(db).get_table_names()}
        return {
            name: sorted(map(repr, db.execute(sa.select(metadata.tables[name])))) for name in names if name in there
        }


@pytest.fixture
def still():
    """Make an app read only, and let it be changed again in the end: tests share a database."""
    made = []

    def start(app, minutes=None):
        made.append(app)
        app.operations.start_read_only(WHY, "ops@example.com", minutes)

    yield start
    for app in made:
        app.operations.end_read_only("ops@example.com")


def test_writes_are_refused_and_reads_are_answered(make_app, still, clock):
    app = make_app("contacts", "batch")
    client = Client(app)
    ada = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    still(app, minutes=45)
    answer = client.call("POST", "/v1/contacts", {"name": "Bob"})
    assert answer.status_int == 503 and {*answer.json} == {"data", "pagination", "error"}
    error = answer.json["error"]
    assert (error["type"], error["code"], error["retry_after"]) == ("api", "read_only", 45 * 60)
    assert WHY in error["message"] and answer.headers["Retry-After"] == "2700"
    clock.move(minutes=50)
    assert client.call("PATCH", f"/v1/contacts/{ada}", {"name": "Eve"}).headers["Retry-After"] == "60", "it took longer"
    client.refused(503, "read_only", "DELETE", f"/v1/contacts/{ada}")
    client.refused(503, "read_only", "POST", "/v1/contacts", {"name": 7})
    client.refused(503, "read_only", "POST", "/v1/batch", {"operations": [{"method": "GET", "path": "/v1/contacts"}]})
    assert client.get(f"/v1/contacts/{ada}")["data"]["name"] == "Ada"
    assert client.get("/v1/contacts?search=ad")["pagination"]["total"] == 1
    app.operations.end_read_only("ops@example.com")
    client.post("/v1/contacts", {"name": "Bob"})


def test_the_setting_does_so_from_the_start(make_app):
    client = Client(make_app("contacts", read_only=WHY))
    assert WHY in client.refused(503, "read_only", "POST", "/v1/contacts", {"name": "Ada"})["message"]
    client.get("/v1/contacts")


def test_another_host_follows_within_a_second(make_app, still, tmp_path, monkeypatch):
    here, there = make_app("contacts"), make_app("contacts", shared_folder=str(tmp_path))
    client = Client(there)
    client.post("/v1/contacts", {"name": "Ada"})
    assert folder.SECONDS <= 1
    still(here)
    monkeypatch.setattr(folder, "SECONDS", 0)  # as if the second had passed
    client.refused(503, "read_only", "POST", "/v1/contacts", {"name": "Bob"})
    here.operations.end_read_only("ops@example.com")
    client.post("/v1/contacts", {"name": "Bob"})


def test_no_form_and_no_route_changes_anything(make_app, still, clock):
    app = make_app(*sorted(first_party()), access={"mode": "request"})
    client = Client(app)
    owner = Browser(app).join(client)
    owner.get("/dashboard/keys")
    token, doors = owner.token, [(path, getattr(page, "screen", None)) for path, _, page in app.pages]
    forms = [path for path, screen in doors if screen and screen.post and not screen.always and not screen.operator]
    assert len(forms) > 60
    still(app)
    before = kept(app)
    fields = {"name": "Late", "everything": "write", "email": "late@example.com", "role": "viewer"}
    for path in forms:
        clock.move(seconds=20)
        answer = owner.web.post(re.sub(r"{\w+}", "contacts", path), {"token": token, **fields}, status="*")
        is_refused = answer.status_int == 503 and WHY in answer.text
        assert is_refused or answer.status_int in (403, 404), (path, answer.status, answer.text)
    assert len([path for path, screen in doors if screen and screen.always]) < 12
    refused = 0
    for endpoint in app.endpoints:
        if endpoint.writes:
            clock.move(seconds=20)
            route = endpoint.route
            path = re.sub(r"{\w+}", "con_00000000000000000000000000", route.path)
            client.refused(503, "read_only", route.method, path, {})
            refused += 1
    assert refused > 100
    for path in ("/oauth/token", "/oauth/revoke"):
        client.web.post(path, {"grant_type": "x"}, status="*")
    assert kept(app) == before


def test_a_form_keeps_what_was_typed_and_says_why(make_app, still):
    app = make_app("contacts", "users", "dashboard")
    owner = Browser(app).join(Client(app))
    owner.get("/dashboard/contacts/new")
    still(app)
    page = owner.send(status=503, name="Salamanca Bakery")
    assert WHY in page.text and "What you typed is still on this page" in page.text
    assert page.forms[[*page.forms][-1]]["name"].value == "Salamanca Bakery"
    assert 'class="ribbon still"' in owner.get("/dashboard/contacts").text
    app.operations.end_read_only("ops@example.com")
    assert "ribbon still" not in owner.get("/dashboard/contacts").text


def test_people_can_still_sign_in_and_out(make_app, still):
    app = make_app("contacts", "users", "dashboard")
    owner = Browser(app).join(Client(app))
    still(app)
    owner.get("/dashboard")
    owner.send("/dashboard/sign-out", status=None)
    assert "/dashboard" in owner.sign_in().request.path
    owner.get("/dashboard/contacts")


def test_timed_work_waits_and_the_worker_is_alive(make_app, install, still, clock):
    ran = []
    install(Manifest(name="guest", tasks=(Every(seconds=60, run=lambda ctx: ran.append(ctx.tenant_id)),)))
    app = make_app("guest")
    Client(app)
    still(app)
    clock.move(minutes=10)
    worker.tick(app)
    assert not ran
    found = {finding.check: finding for finding in app.operations.examine(deep=True)}
    assert found["worker"].ok and found["tasks"].ok and found["read_only"].message.endswith(WHY)
    assert "billycan_read_only 1" in write_metrics(app).splitlines()
    app.operations.end_read_only("ops@example.com")
    run_timed(app)
    assert ran
    assert "billycan_read_only 0" in write_metrics(app).splitlines()


def test_the_work_of_plugins_ends_and_begins_anew(make_app, install, still):
    began, ended = threading.Semaphore(0), threading.Semaphore(0)

    def work(app, stop):
        began.release()
        stop.wait()
        ended.release()

    install(Manifest(name="guest", workers=(work,)))
    app, stop = make_app("guest"), threading.Event()
    running = threading.Thread(target=worker.run, args=(app, stop))
    running.start()
    try:
        assert began.acquire(timeout=30)
        still(app)
        assert ended.acquire(timeout=30), "it goes on while nothing may be changed"
        assert not began.acquire(blocking=False)
        app.operations.end_read_only("ops@example.com")
        assert began.acquire(timeout=30), "it does not begin again"
    finally:
        stop.set()
        running.join(30)
    assert not running.is_alive() and ended.acquire(timeout=1)


def test_it_is_a_command(make_app, monkeypatch, still):
    app = make_app("contacts")
    client = Client(app)
    monkeypatch.setenv("BILLYCAN_DATABASE", app.db.url.render_as_string(hide_password=False))
    monkeypatch.setenv("BILLYCAN_SHARED_FOLDER", str(app.shared))
    monkeypatch.setenv("BILLYCAN_PLUGINS", "contacts")

    def run(*args, code=0):
        done = CliRunner().invoke(commands, ["readonly", *args])
        assert done.exit_code == code, done.output
        return done.output

    try:
        assert "nothing can be changed since" in run("on", "--reason", WHY, "--minutes", "45")
        client.refused(503, "read_only", "POST", "/v1/contacts", {"name": "Ada"})
        assert json.loads(run("show", "--json"))["read_only"]["reason"] == WHY
        run("on", "--reason", "  ", code=2)
    finally:
        assert run("off") == "everything can be changed\n"
    client.post("/v1/contacts", {"name": "Ada"})
    last, first = app.operations.recent(most=2)
    assert (first.did, first.detail) == ("read_only.started", {"reason": WHY, "minutes": 45})
    assert last.did == "read_only.ended" and last.by.endswith("(command)")
