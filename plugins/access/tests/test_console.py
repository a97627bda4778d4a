"""The operator's console: what it shows, what can be done there, who is told of it, and what it costs."""

import re
from contextlib import contextmanager
from datetime import timedelta

import pytest
import sqlalchemy as sa

from billycan import Context, Every, Manifest
from billycan.sql import tenants
from billycan.testing import Client, run_timed
from billycan.working import worker
from billycan_mail.tables import letters
from billycan_users.api import send
from billycan_users.tables import users
from billycan_users.testing import PASSWORD, Browser
from billycan_webhooks.tables import deliveries

pytestmark = pytest.mark.either

HERE = "/dashboard/operator"
PLUGINS = ("access", "contacts", "users", "dashboard", "requests", "webhooks", "mail", "imports")


@pytest.fixture
def app(make_app, clock):
    app = make_app(
        *PLUGINS, webhooks={"allow_private": True}, mail={"url": "smtp://127.0.0.1:1", "sender": "mail@example.com"}
    )
    with app.db.writing() as db:  # tests share a database
        db.execute(sa.delete(letters))
    return app


@pytest.fixture
def client(app):
    return Client(app)


@pytest.fixture
def boss(app):
    browser = Browser(app).join(Client(app), is_operator=True, email="ops@example.com")
    with app.db.writing() as db:
        db.execute(sa.update(users).where(users.c.email == browser.email).values(totp=b"a second factor"))
    yield browser
    app.operations.end_read_only("the end of a test")


def test_only_an_operator_opens_any_of_it(app, client, boss):
    owner = Browser(app).join(client)
    paths = [path for path, _, page in app.pages if path.startswith(HERE) and getattr(page, "screen", None)]
    assert len(paths) > 12
    for template in paths:
        path = template.replace("{id}", client.tenant_id)
        assert owner.web.get(path, status="*").status_int in (403, 405)
        assert Browser(app).web.get(path, status="*").status_int in (303, 405)
    for path in ("", "/checks", "/businesses", f"/businesses/{client.tenant_id}", "/queues", "/log"):
        boss.get(HERE + path)
    boss.get(f"{HERE}/businesses/ten_none", 404)


def test_what_doctor_finds_is_shown_with_its_cure(app, boss, clock):
    page = boss.get(HERE)
    assert "One thing needs you" in page.text and "None has run yet" in page.text
    worker.tick(app)
    assert "All is well" in boss.get(HERE).text
    assert "compared" not in page.text and "kept for 90 days" in boss.get(f"{HERE}/checks").text
    with app.db.writing() as db:
        send(app, db, to="late@example.com", subject="Hello", text="Hello")
    clock.move(seconds=301)
    worker.tick(app)
    page = boss.get(HERE)
    assert "it should be at most 300 s" in page.text and "<code>billycan mail test</code>" in page.text
    with app.db.writing() as db:
        db.execute(sa.delete(letters))


def test_a_business_is_suspended_resumed_limited_and_closed(app, client, boss):
    here = f"{HERE}/businesses/{client.tenant_id}"
    boss.get(here)
    page = boss.send(f"{here}/suspend")
    assert "Suspended" in page.text and "suspended the business" in page.text and "ops@example.com" in page.text
    client.refused(403, "business_suspended", "POST", "/v1/contacts", {"name": "Ada"})
    boss.send(f"{here}/resume")
    client.post("/v1/contacts", {"name": "Ada"})
    assert "Per minute: 900" in boss.send(f"{here}/limits", per_minute="900", per_second="90").text
    assert app.ceilings.of(client.tenant_id).per_minute == 900
    page = boss.send(f"{here}/limits", status=422, per_minute="0", per_second="1e3")
    assert page.text.count("must be a whole number from 1 to 100,000") >= 2
    boss.send(f"{here}/limits", per_minute="", per_second="")
    assert app.ceilings.of(client.tenant_id).per_minute == app.settings.business_per_minute
    assert "Its books are then kept sealed" in boss.get(here).text
    page = boss.send(f"{here}/close")
    assert "Closed" in page.text and "It is deleted in 30 days" in page.text
    client.refused(403, "business_closed", "POST", "/v1/contacts", {"name": "Ada"})
    did = [line.did for line in app.operations.recent(business=client.tenant_id)]
    assert did == [f"business.{what}" for what in ("closed", "limited", "limited", "resumed", "suspended")]
    assert all(what in boss.get(f"{HERE}/log").text for what in ("let work again", "changed the limits of", "closed"))


def test_each_act_asks_for_the_password_again_after_a_while(app, client, boss, clock):
    here = f"{HERE}/businesses/{client.tenant_id}"
    clock.move(hours=1)
    boss.get(here)
    page = boss.send(f"{here}/suspend", status=422)
    assert "Current password" in page.text and app.standings.of(client.tenant_id) is None
    boss.send(f"{here}/suspend", current_password=PASSWORD)
    assert app.standings.of(client.tenant_id).state == "suspended"


def test_a_business_is_found_by_name_abn_and_ids(app, boss):
    made = Client(app)
    ids = [made.tenant_id, made.sandbox().tenant_id]
    with app.db.writing(across="a test") as db:
        this = tenants.c.id.in_(ids)
        profile = {**db.execute(sa.select(tenants.c.profile).where(this)).scalar(), "name": "100%_Wren & Lark"}
        db.execute(sa.update(tenants).where(this).values(profile={**profile, "abn": "51824753556"}))
    for q in ("wren", "100%_", "51 824 753 556", *ids):
        page = boss.get(f"{HERE}/businesses?q={q.replace('%', '%25').replace(' ', '+')}")
        assert made.tenant_id in page.text, q
        assert page.text.count("<tr>") == 2, q
    assert "Nothing found" in boss.get(f"{HERE}/businesses?q=10_%25").text


def test_read_only_mode_is_switched_on_and_off(app, client, boss):
    boss.get(HERE)
    page = boss.send(f"{HERE}/read-only", status=422, reason="", minutes="x")
    assert "what people are told" in page.text
    page = boss.send(f"{HERE}/read-only", reason="<b>A larger server</b>", minutes="45")
    assert "&lt;b&gt;A larger server" in page.text and "<b>A larger" not in page.text
    client.refused(503, "read_only", "POST", "/v1/contacts", {"name": "Ada"})
    boss.get(f"{HERE}/businesses/{client.tenant_id}")
    boss.send(f"{HERE}/businesses/{client.tenant_id}/suspend")
    boss.send(f"{HERE}/businesses/{client.tenant_id}/resume")
    boss.web.post(f"{HERE}/queues/core/try_now", {"token": boss.token}, status=503)
    boss.web.post(f"{HERE}/acc_1/approve", {"token": boss.token}, status=503)
    boss.get(HERE)
    boss.send(f"{HERE}/read-only")
    client.post("/v1/contacts", {"name": "Ada"})
    last, _, _, first = app.operations.recent(most=4)
    assert (last.did, first.did, first.detail["minutes"]) == ("read_only.ended", "read_only.started", 45)


def test_stuck_deliveries_are_tried_again(app, client, boss, clock):
    client.post("/v1/webhook_endpoints", {"url": "http://127.0.0.1:1/", "events": ["contact.created"]})
    client.post("/v1/contacts", {"name": "Ada"})
    assert "Nothing is stuck" in boss.get(f"{HERE}/queues").text
    clock.move(seconds=61)
    page = boss.get(f"{HERE}/queues")
    assert "contact.created to whk_" in page.text and "No worker has taken it" in page.text
    later = app.now() + timedelta(hours=5)
    with app.db.writing(client.tenant_id) as db:
        this = deliveries.c.tenant_id == client.tenant_id
        db.execute(sa.update(deliveries).where(this).values(failures=3, last_error="timeout", due_at=later))
    page = boss.get(f"{HERE}/queues")
    assert "Failed 3 times, the last with timeout" in page.text and "Ada" not in page.text
    boss.send(f"{HERE}/queues/webhooks/try_now")
    with app.db.reading(client.tenant_id) as db:
        due_at = db.execute(sa.select(deliveries.c.due_at).where(this)).scalar_one()
    assert due_at <= app.now()
    line = app.operations.recent(business=client.tenant_id)[0]
    assert (line.did, line.by, line.detail["queue"]) == ("queue.try_now", "ops@example.com", "webhooks")
    boss.web.post(f"{HERE}/queues/webhooks/drop", {"token": boss.token}, status=404)
    boss.web.post(f"{HERE}/queues/none/try_now", {"token": boss.token}, status=404)


def test_stuck_mail_imports_and_timed_work_are_tried_or_ended(app, client, boss, clock, install, make_app):
    with app.db.writing() as db:
        send(app, db, to="late@example.com", subject="Hello", text="Hello")
        later = app.now() + timedelta(hours=5)
        db.execute(sa.update(letters).values(failures=2, last_error="refused", due_at=later))
    file = client.web.post(
        "/v1/imports?resource=contacts", b"name\nAda\n", {**client.headers, "Content-Type": "text/csv"}, status=202
    )
    id = file.json["data"]["id"]
    page = boss.get(f"{HERE}/queues")
    assert "letter of the platform" in page.text and "1 rows of contacts" in page.text and "late@" not in page.text
    boss.send(f"{HERE}/queues/mail/try_now")
    with app.db.writing() as db:
        due = sa.select(sa.func.count()).select_from(letters).where(letters.c.due_at <= app.now())
        assert db.execute(due).scalar_one() == 1
        db.execute(sa.delete(letters))
    boss.send(f"{HERE}/queues/imports/end")
    ended = client.get(f"/v1/imports/{id}")["data"]
    assert ended["status"] == "failed" and "ended the import" in ended["faults"][0]["message"]
    assert client.get("/v1/contacts")["pagination"]["total"] == 0
    with (ctx := Context(app, client.tenant_id)).transaction():
        row = {"tenant_id": client.tenant_id, "task": "core.x", "id": "con_1", "failures": 4}
        ctx.db.execute(sa.insert(worker.put_off).values(**row, until=later))
    assert "Failed 4 times" in boss.get(f"{HERE}/queues").text
    boss.send(f"{HERE}/queues/core/try_now")
    assert "Failed 4 times" not in boss.get(f"{HERE}/queues").text


def test_the_busiest_businesses_of_the_day_are_named(app, client, boss):
    for _ in range(3):
        client.get("/v1/contacts")
    app.observers[0].write()
    page = boss.get(HERE)
    assert "Busiest today" in page.text
    assert re.search(rf'businesses/{client.tenant_id}">.*?</a>\s*<span class="n nowrap">3', page.text, re.DOTALL)


@contextmanager
def every_statement(app):
    """Collect every statement with its parameters."""
    found = []

    def note(connection, cursor, statement, parameters, context, executemany):
        found.append((statement, parameters))

    engines = [app.db.writer] if app.db.is_sqlite else [app.db.writer, app.db.reader]  # on SQLite both are one
    for engine in engines:
        sa.event.listen(engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        for engine in engines:
            sa.event.remove(engine, "before_cursor_execute", note)


@pytest.fixture
def ten_thousand(app):
    """Ten thousand businesses more, the newest of all; on PostgreSQL a thousand, since to delete more takes minutes."""
    count = 10_000 if app.db.is_sqlite else 1_000
    with app.db.writing(across="a test") as db:
        row = dict(db.execute(sa.select(tenants).where(tenants.c.environment == "live").limit(1)).mappings().one())
        ids = [(f"ten_9{i:025}", f"ten_8{i:025}") for i in range(count)]
        db.execute(sa.insert(tenants), [{**row, "id": id, "paired_id": paired} for id, paired in ids])
    with app.db.writing() as db:
        db.exec_driver_sql("ANALYZE core_tenants")
    yield
    for first in range(0, len(ids), 250):  # each is looked for in every table that refers to it
        with app.db.writing(across="a test") as db:
            db.execute(sa.delete(tenants).where(tenants.c.id.in_([id for id, _ in ids[first : first + 250]])))


PATHS = ("", "/businesses", "/businesses?q=wren", "/businesses?after=ten_95", "/queues", "/log")


def test_pages_ask_as_much_of_ten_thousand_businesses_as_of_few(app, boss, request):
    def ask(path):
        boss.get(f"{HERE}{path}")  # what is remembered for a second is read now
        with every_statement(app) as found:
            boss.get(f"{HERE}{path}")
        return found

    Client(app)
    few = {path: len(ask(path)) for path in PATHS}
    request.getfixturevalue("ten_thousand")
    many = {path: ask(path) for path in PATHS}
    remembered = 2  # statements, if the second is over
    assert all(len(many[path]) <= few[path] + remembered for path in PATHS), (few, {p: len(many[p]) for p in PATHS})
    assert max(map(len, many.values())) <= 60 and len(many["/businesses"]) <= 12
    for path in PATHS[1:4]:
        ((statement, parameters),) = [each for each in many[path] if "ORDER BY core_tenants.id DESC" in each[0]]
        explain = "EXPLAIN QUERY PLAN" if app.db.is_sqlite else "EXPLAIN"
        with app.db.writing(across="a test") as db:
            if (
                not app.db.is_sqlite
            ):  # behind its policies PostgreSQL expects so few rows that it would rather sort them
                db.exec_driver_sql("SET LOCAL enable_bitmapscan = off; SET LOCAL enable_seqscan = off")
            plan = "\n".join(map(str, db.exec_driver_sql(f"{explain} {statement}", parameters)))
        assert "ix_core_tenants_environment" in plan or "core_tenants_pkey" in plan, plan
        assert not re.search("B-TREE|Sort|Seq Scan", plan), plan


def test_pages_lead_from_the_newest_business_to_the_oldest(app, boss, ten_thousand):
    page = boss.get(f"{HERE}/businesses")
    first = re.findall(r"<small class=\"mono soft nowrap\">(\w+)<", page.text)
    assert len(first) == 50 and first == sorted(first, reverse=True)
    following = re.search(r'rel="next" href="([^"]+)"', page.text)[1].replace("&amp;", "&")
    page = boss.get(f"{HERE}/businesses{following}")
    then = re.findall(r"<small class=\"mono soft nowrap\">(\w+)<", page.text)
    assert then[0] < first[-1] and len(then) == 50 and "The newest" in page.text


def test_a_gauge_above_what_is_well_is_told_of(make_app, install):
    value = {"": 1.0}
    gauge = Manifest.Gauge(
        "guest_age_seconds", "The age of a guest.", "", lambda db, now: value, most=60, cure="wake it"
    )
    install(Manifest(name="guest", gauges=(gauge,), tasks=(Every(seconds=60, run=lambda ctx: None),)))
    app = make_app("guest")
    Client(app)
    run_timed(app)

    def found():
        return next(each for each in app.operations.examine() if each.check == "guest")

    assert (found().ok, found().message, found().cure) == (True, "the age of a guest: 1 s", None)
    value[""] = 61.0
    assert not found().ok and found().message == "the age of a guest: 61 s; it should be at most 60 s"
    assert found().cure == "wake it"
