"""The walls between tenants when a condition is forgotten: a check of every statement, and PostgreSQL's policies."""

import ast
import re
from functools import partial
from pathlib import Path

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from billycan import records as records_module
from billycan.counters import counters
from billycan.db import metadata, one_moment
from billycan.engines import postgres, walls
from billycan.engines.statements import Statement
from billycan.lists import queries
from billycan.starting import migrate, policies, versions
from billycan.tenants import tenants
from billycan.testing import Client, holding
from billycan.testing.fixtures import SECRET
from billycan.tools.cli import commands
from billycan.tools.doctor import examine
from billycan_contacts import resource

contacts = resource.contacts.table


@pytest.fixture
def app(make_app):
    return make_app("contacts")


@pytest.fixture
def others(app):
    """Return the contact of one business, and a client of another."""
    return Client(app).post("/v1/contacts", {"name": "Ada"})["data"], Client(app)


c, n, other = contacts.c, counters.c, contacts.alias("other")
mine = c.tenant_id == "ten_1"
within = sa.select(n.name).where(n.tenant_id == "ten_1", n.name == c.id)
ALLOWED = {
    "its own": sa.select(c.id).where(mine),
    "its own, and more": sa.select(c.id).where(sa.and_(mine, c.name == "x") & (c.id == "con_1")),
    "a join by tenant": sa.select(c.id).join(counters, n.tenant_id == c.tenant_id).where(mine),
    "an outer join by tenant": sa.select(c.id).outerjoin(counters, n.tenant_id == c.tenant_id).where(mine),
    "within another": sa.select(c.id).where(mine, within.exists()),
    "within another, by its tenant": sa.select(c.id).where(
        mine, sa.exists().where(other.c.tenant_id == c.tenant_id, other.c.name == c.name)
    ),
    "from another": sa.select(sa.select(c.id).where(mine).subquery().c.id),
    "a change": sa.update(contacts).where(mine).values(name="x"),
    "a deletion": sa.delete(contacts).where(mine),
    "an insertion": sa.insert(counters).values(tenant_id="ten_1", name="x", number=1, live=1),
    "an insertion of its own rows": sa.insert(counters).from_select(
        ["tenant_id", "name", "number", "live"],
        sa.select(sa.bindparam(None, "ten_1"), n.name, n.number, n.live).where(n.tenant_id == "ten_1"),
    ),
    "no tenant's": sa.select(tenants.c.id),
}
REFUSED = {
    "everybody's": sa.select(c.id),
    "another's": sa.select(c.id).where(c.tenant_id == "ten_2"),
    "several's": sa.select(c.id).where(c.tenant_id.in_(["ten_1", "ten_2"])),
    "its own or more": sa.select(c.id).where(mine | (c.name == "x")),
    "all but its own": sa.select(c.id).where(~mine),
    "a join without tenant": sa.select(c.id).join(counters, n.name == c.id).where(mine),
    "an outer join whose own side is free": sa.select(n.name).outerjoin(contacts, mine & (n.tenant_id == c.tenant_id)),
    "everybody's within its own": sa.select(c.id).where(mine, c.name.in_(sa.select(n.name))),
    "a tenant that is within": sa.select(c.id).where(
        sa.exists().where(n.tenant_id == "ten_1", n.tenant_id == c.tenant_id)
    ),
    "the same table, apart": sa.select(c.id).where(
        mine, c.id == sa.select(sa.func.max(c.id)).correlate(None).scalar_subquery()
    ),
    "from everybody's": sa.select(sa.select(c.id).subquery().c.id),
    "a change of all": sa.update(contacts).values(name="x"),
    "a deletion by id": sa.delete(contacts).where(c.id == "con_1"),
    "an insertion for another": sa.insert(counters).values(tenant_id="ten_2", name="x", number=1, live=1),
    "an insertion of rows for another": sa.insert(counters).from_select(
        ["tenant_id", "name", "number", "live"],
        sa.select(sa.bindparam(None, "ten_2"), n.name, n.number, n.live).where(n.tenant_id == "ten_1"),
    ),
    "a union with everybody's": sa.union(sa.select(c.id).where(mine), sa.select(c.id)),
}


def run(db, statement):
    with db.begin_nested():
        db.execute(statement)


@pytest.mark.parametrize("what", ALLOWED)
def test_a_statement_that_names_its_tenant_runs(app, what):
    with pytest.raises(ZeroDivisionError), app.db.writing("ten_1") as db:
        try:
            run(db, ALLOWED[what])
        except sa.exc.IntegrityError:
            assert what == "an insertion"  # there is no such tenant
        raise ZeroDivisionError


@pytest.mark.parametrize("what", REFUSED)
def test_a_statement_that_touches_others_rows_is_refused_each_time(app, what):
    for _ in range(2):
        with pytest.raises(RuntimeError, match="tenant"), app.db.writing("ten_1") as db:
            db.execute(REFUSED[what])


EVERYBODYS = set(REFUSED) - {"another's", "an insertion for another", "an insertion of rows for another"}


@pytest.mark.parametrize("what", sorted(EVERYBODYS))
def test_the_system_touches_everybodys_rows_only_where_it_says_why(app, what):
    with pytest.raises(RuntimeError, match="the system touches"), app.db.writing() as db:
        db.execute(REFUSED[what])
    with pytest.raises(ZeroDivisionError), app.db.writing(across="this test does") as db:
        db.execute(REFUSED[what])
        raise ZeroDivisionError


def test_the_system_may_name_any_tenant(app):
    with app.db.reading() as db:
        db.execute(ALLOWED["within another, by its tenant"])
        db.execute(REFUSED["another's"])


def test_a_reason_opens_no_tenants_connection(app):
    for options in ({}, {walls.ACROSS: "this test does"}):
        with pytest.raises(RuntimeError, match="one tenant touches"), app.db.reading("ten_1", across="so") as db:
            db.execute(REFUSED["everybody's"].execution_options(**options))


def test_options_of_a_connection_end_with_its_use(make_app):
    app = make_app("contacts", pool_size=1)
    for begin in (app.db.reading, app.db.writing):
        with begin("ten_1") as db:
            db.execution_options(**{walls.ACROSS: "so", "billycan_unhurried": True})
        for tenant_id, across in (("ten_1", ""), ("", ""), ("", "so"), ("", "")):
            with begin(tenant_id, across=across) as db:
                options = db.get_execution_options()
                assert (options.get(walls.TENANT, ""), options.get(walls.ACROSS, "")) == (tenant_id, across)
                assert "billycan_unhurried" not in options
    with app.db.noting() as db:
        assert walls.TENANT not in db.get_execution_options()


# The places where core and its plugins read across tenants, each with its reason. Each could show one tenant's rows to
# another: add only what cannot be read tenant by tenant.
REACHES_ACROSS = {
    ("core/billycan/keys.py", "a business and its sandbox have so many keys together"),
    ("core/billycan/moving/arriving.py", "an operator imports a business"),
    ("core/billycan/moving/closing.py", "a closed business is deleted"),
    ("core/billycan/moving/leaving.py", "a business is exported"),
    ("core/billycan/tenants.py", "every request looks for the ceiling of its business"),
    ("core/billycan/tenants.py", "every request looks for the standing of its business"),
    ("core/billycan/keys.py", "only the key says whose it is"),
    ("core/billycan/timed.py", "timed work by date is looked for in the zone of every business"),
    ("core/billycan/operating/metrics.py", "gauges measure the whole deployment"),
    ("core/billycan/starting/migrate.py", "a migration changes the rows of all"),
    ("core/billycan/starting/migrate.py", "a plugin's tables go with the rows of all"),
    ("core/billycan/starting/filling.py", "rows of all businesses are filled"),
    ("core/billycan/testing/client.py", "a migration changes the rows of all"),
    ("plugins/users/billycan_users/notifying.py", "a person's role is kept with the live tenant"),
    ("core/billycan/tools/commands/keys.py", "whoever runs commands runs the whole deployment"),
    ("core/billycan/tools/commands/tenants.py", "an operator's command changes a business"),
    ("core/billycan/operating/health.py", "doctor looks at the whole deployment"),
    ("core/billycan/operating/operations.py", "an operator sees and changes any business"),
    ("core/billycan/tools/commands/tenants.py", "an operator's command shows a business"),
    ("core/billycan/working/alone.py", "a task names the businesses that it is for"),
    ("core/billycan/working/worker.py", "the worker looks for what is due to anybody"),
    ("examples/audit/billycan_audit/commands.py", "verifies every business's entries"),
    ("plugins/access/billycan_access/businesses.py", "the operator sees every business, in counts alone"),
    ("plugins/access/billycan_access/operating.py", "the operator sees every business, in counts alone"),
    ("plugins/access/billycan_access/queues.py", "the operator sees what does not move of anybody's"),
    ("plugins/imports/billycan_imports/stuck.py", "the operator sees what does not move of anybody's"),
    ("plugins/mail/billycan_mail/stuck.py", "the operator sees what does not move of anybody's"),
    ("plugins/webhooks/billycan_webhooks/stuck.py", "the operator sees what does not move of anybody's"),
    ("plugins/apps/billycan_apps/callers.py", "only the access token says whose it is"),
    ("plugins/apps/billycan_apps/app_removal.py", "an app ends in every business that connected it"),
    ("plugins/apps/billycan_apps/operating.py", "the operator sees in how many businesses each app is connected"),
    ("plugins/apps/billycan_apps/grants.py", "only the code or the token says whose it is"),
    ("plugins/booking_pages/billycan_booking_pages/pages.py", "only the address says whose page it is"),
    ("plugins/feeds/billycan_feeds/links.py", "only the secret says whose it is"),
    ("plugins/imports/billycan_imports/working.py", "the worker looks for imports of anybody"),
    ("plugins/requests/billycan_requests/api.py", "counts of every business, for the operator"),
    ("plugins/requests/billycan_requests/keeping.py", "requests of several businesses are written in one transaction"),
    ("plugins/users/billycan_users/commands.py", "whoever runs commands runs the whole deployment"),
    ("plugins/users/billycan_users/people.py", "a person may belong to several businesses"),
    ("plugins/users/billycan_users/sessions.py", "only the session says which business somebody looks at"),
    ("plugins/users/billycan_users/current_role.py", "a person's role is kept with the live tenant"),
    ("plugins/mail/billycan_mail/bouncing.py", "a report on an email says nothing of whose it is"),
    ("plugins/mail/billycan_mail/retention.py", "doctor looks at the whole deployment"),
    ("plugins/mail/billycan_mail/sending.py", "the sender looks for what is due to anybody"),
    ("plugins/mail/billycan_mail/sending.py", "what a wrong clock put off is anybody's"),
    ("plugins/webhooks/billycan_webhooks/leases.py", "the sender looks for what is due to anybody"),
    ("plugins/webhooks/billycan_webhooks/retention.py", "doctor looks at the whole deployment"),
}


def reasons(source):
    """Yield each reason for reading across tenants that a module gives, as `across=` or as an execution option."""
    if "across" not in source:
        return set()
    tree = ast.parse(source)
    named = {n.targets[0].id: n.value for n in tree.body if isinstance(n, ast.Assign) and hasattr(n.targets[0], "id")}
    calls = [call for call in ast.walk(tree) if isinstance(call, ast.Call)]
    given = [word.value for call in calls for word in call.keywords if word.arg in ("across", walls.ACROSS)]
    given = [named.get(value.id) if isinstance(value, ast.Name) else value for value in given]
    return {ast.literal_eval(value) for value in given if value is not None}  # db.py passes on what it is given


def modules():
    """Yield the modules of core, plugins and examples by path, without their tests."""
    root = Path(__file__).parents[1]
    for path in (path for folder in ("core/billycan", "plugins", "examples") for path in (root / folder).rglob("*.py")):
        name = path.relative_to(root)
        if not {"tests", "node_modules"} & {*name.parts}:
            yield str(name), path.read_text("utf-8")


@pytest.mark.whole
def test_nobody_else_reaches_across():
    assert {(name, reason) for name, source in modules() for reason in reasons(source)} == REACHES_ACROSS


def test_no_statement_that_is_text_touches_a_tenants_table():
    tables = "|".join(name for name, table in metadata.tables.items() if "tenant_id" in table.c)
    assert "contacts" in tables and "core_keys" in tables
    touches = re.compile(rf"\b(FROM|JOIN|INTO|UPDATE|TABLE) ({tables})\b")
    found = {name for name, source in modules() if "/migrations/" not in name and touches.search(source)}
    assert found == {"core/billycan/csv/replaying.py"}  # which gives each event that it logs its tenant


def forget_where(monkeypatch):
    """Remove the tenant from the queries of contacts, and disable the check of statements."""
    monkeypatch.setattr(queries, "_of_tenant", lambda table, tenant_id: sa.true())
    monkeypatch.setattr(queries, "_built", queries._built.__wrapped__)
    anybodys = Statement(sa.select(contacts).where(c.id == sa.bindparam("id")))
    monkeypatch.setattr(records_module, "_build_look_up", lambda table, columns: anybodys)
    monkeypatch.setattr(walls, "tenants_of", lambda compiled: ())
    monkeypatch.setattr(walls, "_seen", {})


def expect_lost_wheres():
    """Expect that the kit noticed the conditions which this test removed, and nothing else."""
    noticed = {breach.partition("\n")[0].rpartition(": ")[2] for breach in holding.breaches}
    holding.breaches.clear()
    assert noticed and all(each.startswith("rows of ") and each.endswith(" without their business") for each in noticed)


def test_without_its_condition_a_query_still_finds_nobody_elses_rows(app, engine, others, monkeypatch):
    if engine == "sqlite":
        pytest.skip("SQLite has the look at statements alone")
    ada, stranger = others
    forget_where(monkeypatch)
    assert stranger.get("/v1/contacts?sort=name")["data"] == []
    assert stranger.get("/v1/contacts?search=ada")["data"] == []
    stranger.get(f"/v1/contacts/{ada['id']}", 404)
    stranger.patch(f"/v1/contacts/{ada['id']}", {"notes": "x"}, 404)
    with app.db.writing(stranger.tenant_id) as db:
        assert db.execute(sa.text("UPDATE contacts SET name = 'Eve'")).rowcount == 0
        assert db.execute(sa.text("SELECT count(*) FROM core_tenants")).scalar() == 1
    expect_lost_wheres()


def test_without_policies_the_same_query_would_have_found_them(make_app, engine, monkeypatch):
    if engine == "sqlite":
        pytest.skip("SQLite has the look at statements alone")
    app = make_app("contacts", walled=False)
    ada, stranger = Client(app).post("/v1/contacts", {"name": "Ada"})["data"], Client(app)
    forget_where(monkeypatch)
    assert stranger.get(f"/v1/contacts/{ada['id']}")["data"]["name"] == "Ada"
    expect_lost_wheres()


@pytest.fixture(params=["one server", "a cluster"])
def place(request, make_app, engine):
    """Return where an app's rows lie, and a function that makes one with one connection for each purpose.

    Of a cluster there is only what shows a connection that there is one: all rows are here.
    """
    if engine == "sqlite":
        pytest.skip("SQLite has the look at statements alone")

    def make():
        app = make_app("contacts", fresh=request.param == "a cluster", pool_size=1)
        if request.param == "a cluster":
            with sa.create_engine(app.db.url.set(username="postgres"), poolclass=sa.NullPool).begin() as db:
                db.exec_driver_sql("CREATE VIEW pg_dist_node AS SELECT 1")
            app.db.dispose()  # a connection looks when it is made
        return app

    return request.param, make


def test_the_nodes_of_a_cluster_are_told_the_tenant_in_each_transaction(place, monkeypatch):
    where, make = place
    app = make()
    client = Client(app)
    sent, send = [], postgres.send_together

    def note(connection, together):
        sent.append([(each.text.decode().partition("\n")[0], *each.values[:1]) for each in together])
        return send(connection, together)

    monkeypatch.setattr(postgres, "send_together", note)
    of_tenant = Statement(sa.select(c.name).where(c.tenant_id == sa.bindparam("tenant_id")))
    asked = ("SELECT contacts.name ", client.tenant_id)

    def sent_by(opened, *given, **reason):
        sent.clear()
        with opened(*given, **reason) as db:
            for _ in range(2):
                of_tenant.all(db, {"tenant_id": client.tenant_id})
        return [*sent]

    reads = sent_by(app.db.reading, client.tenant_id)
    if where == "one server":
        tell = ("SELECT set_config('billycan.tenant', $1, $2)", client.tenant_id)
        assert reads == [[tell, asked], [asked]]
        assert sent_by(app.db.writing, client.tenant_id) == [[("BEGIN",), tell, asked], [asked]]
        return
    to_nodes = ("SET LOCAL citus.propagate_set_commands TO 'local'",)
    tell = [to_nodes, (f"SET LOCAL billycan.tenant TO '{client.tenant_id}'",)]
    assert reads == [[("BEGIN",), *tell, asked, ("COMMIT",)]] * 2
    assert sent_by(app.db.writing, client.tenant_id) == [[("BEGIN",), *tell, asked], [asked]]
    everybody = [to_nodes, ("SET LOCAL billycan.tenant TO '*'",)]
    assert sent_by(app.db.writing, across="why")[0][:3] == [("BEGIN",), *everybody]
    with app.db.reading(client.tenant_id) as db, one_moment(db):
        sent.clear()
        of_tenant.all(db, {"tenant_id": client.tenant_id})
        assert sent == [[asked]]
        raw = db.connection.driver_connection
        assert walls.tenant_statements(raw, {walls.TENANT: "it's"})[-1][0] == b"SET LOCAL billycan.tenant TO 'it''s'"


def test_a_connection_that_goes_from_hand_to_hand_is_never_anothers(place):
    _, make = place
    app = make()
    one, two = Client(app), Client(app)
    for client, name in ((one, "Ada"), (two, "Bob")):
        client.post("/v1/contacts", {"name": name})
    seen = sa.text("SELECT name FROM contacts WHERE tenant_id IN (:one, :two)")
    both = {"one": one.tenant_id, "two": two.tenant_id}
    fails = Statement(sa.select(1 / sa.bindparam("by", type_=sa.Integer)))
    for opened in (app.db.reading, app.db.writing):
        for _ in range(2):
            with opened(one.tenant_id) as db:
                assert db.execute(seen, both).scalars().all() == ["Ada"]
            with pytest.raises(sa.exc.DBAPIError), opened(two.tenant_id) as db:
                db.execute(sa.text("SELECT 1 / 0"))
            with opened(two.tenant_id) as db:
                assert db.execute(seen, both).scalars().all() == ["Bob"]
            with pytest.raises(sa.exc.DBAPIError), opened(one.tenant_id) as db:
                fails.all(db, {"by": 0})
            with pytest.raises(ZeroDivisionError), opened(one.tenant_id) as db:
                assert db.execute(seen, both).scalars().all() == ["Ada"]
                raise ZeroDivisionError
            with opened(two.tenant_id) as db:
                assert db.execute(seen, both).scalars().all() == ["Bob"]
            with opened() as db:
                assert sorted(db.execute(seen, both).scalars()) == ["Ada", "Bob"]


def trips(app, file, request):
    """Count a request's round trips to PostgreSQL in libpq's trace. The app has one connection in each pool."""
    raw = []
    for opened in (app.db.writing, app.db.reading):
        with opened() as db:
            raw.append(db.connection.driver_connection.pgconn)
    with file.open("w+") as traced:
        for connection in raw:
            connection.trace(traced.fileno())
        request()
        for connection in raw:
            connection.untrace()
    return file.read_text("utf-8").count("ReadyForQuery")


def test_what_is_made_waits_for_postgresql_two_or_three_times(make_app, engine, monkeypatch, tmp_path):
    if engine == "sqlite":
        pytest.skip("SQLite is no server")
    monkeypatch.setattr("billycan.sharing.folder.time.monotonic", lambda: 1000.0)
    app = make_app("contacts", "documents", "hosted", "invoices", pool_size=1)
    client = Client(app)
    ada = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    body = {"client_id": ada, "line_items": [{"description": "Tap", "unit_price": 90}] * 5}
    of = partial(trips, app, tmp_path / "trace")
    key = {"Idempotency_Key": "once"}
    client.post("/v1/invoices", body)  # the first reads the business's profile ahead of its transaction
    taken = {
        "contact": of(lambda: client.post("/v1/contacts", {"name": "Bob"})),  # its row, and the event with the commit
        "invoice": of(lambda: client.post("/v1/invoices", body)),  # what it depends on, its rows, the event
        "with a key": of(lambda: client.post("/v1/invoices", body, **key)),  # and first the key's answer
    }
    assert taken == {"contact": 2, "invoice": 3, "with a key": 4}


def test_policies_cost_no_round_trip(make_app, place, monkeypatch, tmp_path):
    _, make = place
    monkeypatch.setattr("billycan.sharing.folder.time.monotonic", lambda: 1000.0)  # keys and tenants are looked up once
    counts = []
    for app in (make_app("contacts", walled=False, pool_size=1), make()):
        clients = Client(app), Client(app)
        made = [client.post("/v1/contacts", {"name": "Ada"})["data"]["id"] for client in clients]
        for client in clients:
            client.get("/v1/contacts")
        of = partial(trips, app, tmp_path / "trace")
        paths = {"get": [f"/v1/contacts/{id}" for id in made], "list": ["/v1/contacts"] * 2}
        # By turns, so that each time the connection was another's.
        taken = {
            name: [of(lambda c=client, at=path: c.get(at)) for client, path in zip(clients, asked, strict=True)]
            for name, asked in paths.items()
        }
        taken["create"] = [of(lambda c=client: c.post("/v1/contacts", {"name": "Bob"})) for client in clients]
        counts.append(taken)
    plain, walled = counts
    assert plain["get"] == plain["list"] == walled["get"] == walled["list"] == [1, 1]
    assert walled["create"] <= plain["create"], (plain, walled)


def test_who_tells_nobody_is_refused(app, engine):
    if engine == "sqlite":
        pytest.skip("SQLite has the look at statements alone")
    Client(app).post("/v1/contacts", {"name": "Grace"})
    bare = sa.create_engine(app.db.url, poolclass=sa.pool.NullPool)
    with bare.connect() as db, pytest.raises(sa.exc.ProgrammingError, match=r"billycan\.tenant"):
        db.execute(sa.text("SELECT * FROM contacts"))


@pytest.fixture
def hardened(make_app, engine):
    """Return an app that runs as the server's role, behind policies, and its database as the superuser."""
    if engine == "sqlite":
        pytest.skip("SQLite has no policies")
    app = make_app("contacts", fresh=True)
    return app, make_app("contacts", database=str(app.db.url.set(username="postgres")))


def test_a_later_table_gets_its_policy_and_its_rights_with_the_next_migration(hardened):
    app, owner = hardened
    with owner.db.writing() as db:
        # As after an upgrade from before migrations did this, or under another role than the one that hardened.
        db.exec_driver_sql("CREATE TABLE later (tenant_id text, id text)")
        db.exec_driver_sql("CREATE TABLE queue (id bigserial)")
        assert policies.tables_without_policy(db) == ["later"]
    said = "no policy guards later; the role billycan_app may not use later, queue, queue_id_seq"
    for start in (app.start, lambda: migrate.upgrade_all(app.db, app.manifests)):
        with pytest.raises(versions.SchemaBehind, match=f"{said}: run .* with BILLYCAN_DATABASE_OWNER"):
            start()
    changed = migrate.upgrade_all(owner.db, owner.manifests)
    assert changed[0] == "later: guarded by its policy" and "queue_id_seq: open to billycan_app" in changed
    assert migrate.upgrade_all(owner.db, owner.manifests) == []
    app.start()
    with app.db.writing("ten_1") as db:
        db.execute(sa.text("INSERT INTO queue DEFAULT VALUES"))
        with pytest.raises(sa.exc.ProgrammingError, match="row-level security"):
            db.execute(sa.text("INSERT INTO later VALUES ('ten_2', 'x')"))


def test_a_database_that_was_hardened_before_it_could_take_stock_can_after_the_next_migration(hardened):
    app, owner = hardened
    with owner.db.writing() as db:
        db.execute(sa.text("DROP FUNCTION billycan_analyze"))
    with pytest.raises(versions.SchemaBehind, match="may not use billycan_analyze"):
        app.start()
    migrate.upgrade_all(owner.db, owner.manifests)
    app.start()
    with app.db.writing() as db:
        db.execute(sa.text("SELECT billycan_analyze('contacts')"))


def test_an_owner_who_is_no_superuser_hardens_and_migrates(make_app, engine):
    if engine == "sqlite":
        pytest.skip("SQLite has no policies")
    bare = make_app("contacts", fresh=True, migrated=False)
    url = bare.db.url
    with bare.db.writing() as db:
        db.exec_driver_sql("CREATE ROLE shop LOGIN CREATEROLE")
        db.exec_driver_sql(f"ALTER DATABASE {url.database} OWNER TO shop")
    owner = make_app("contacts", migrated=False, database=str(url.set(username="shop")))
    migrate.upgrade_all(owner.db, owner.manifests)
    with owner.db.writing() as db:
        assert policies.create_policies(db, "shop_web", "")
        db.exec_driver_sql("CREATE TABLE later (tenant_id text, id bigserial)")
    assert "later: open to shop_web" in migrate.upgrade_all(owner.db, owner.manifests)
    assert migrate.upgrade_all(owner.db, owner.manifests) == []
    app = make_app("contacts", database=str(url.set(username="shop_web")))
    assert Client(app).post("/v1/contacts", {"name": "Ada"})["data"]["name"] == "Ada"
    with app.db.writing() as db:
        db.execute(sa.text("SELECT billycan_analyze('contacts')"))


def test_a_role_that_only_reads_is_given_no_more_by_a_migration(hardened):
    _, owner = hardened
    with owner.db.writing() as db:
        for statement in (
            "CREATE ROLE reports",
            "GRANT SELECT ON core_tenants TO reports",
            "CREATE TABLE later (id int)",
        ):
            db.exec_driver_sql(statement)
    migrate.upgrade_all(owner.db, owner.manifests)
    with owner.db.writing() as db:
        allowed = sa.text("SELECT has_table_privilege(:role, 'later', 'SELECT')")
        assert [db.execute(allowed, {"role": role}).scalar() for role in ("billycan_app", "reports")] == [True, False]
        db.exec_driver_sql("DROP OWNED BY reports")
        db.exec_driver_sql("DROP ROLE reports")


def test_the_servers_role_changes_no_table_and_need_not_where_all_is_current(hardened):
    app, owner = hardened
    assert migrate.upgrade_all(app.db, app.manifests) == []
    with owner.db.writing() as db:
        db.execute(sa.text("DELETE FROM billycan_version_contacts"))
    said = r"contacts is at nothing .* with BILLYCAN_DATABASE_OWNER set"
    with pytest.raises(versions.SchemaBehind, match=said):
        migrate.upgrade_all(app.db, app.manifests)


def test_one_command_builds_the_wall_and_doctor_says_so(make_app, engine, monkeypatch):
    if engine == "sqlite":
        pytest.skip("SQLite has no policies")
    app = make_app("contacts", fresh=True, migrated=False)
    owner = app.db.url.render_as_string(hide_password=False)
    monkeypatch.setenv("BILLYCAN_PLUGINS", "contacts")
    monkeypatch.setenv("BILLYCAN_SECRET", SECRET)
    monkeypatch.setenv("BILLYCAN_DATABASE", owner)
    run = lambda *words: CliRunner().invoke(commands, words)  # noqa: E731
    assert run("migrate").exit_code == 0
    assert [f.message for f in examine() if f.check == "tenants"] == ["isolated by each query"]
    said = run("database", "harden", "billycan_web")
    assert said.exit_code == 0 and "postgresql+psycopg://billycan_web:" in said.output, said.output
    again = run("database", "harden", "billycan_web").output
    assert "already" in again and "//billycan_web@" in again and "password that the role was given" in again
    assert "superuser" in run("database", "harden", "postgres").output
    monkeypatch.setenv("BILLYCAN_DATABASE", owner.replace("postgres@", "billycan_web@"))
    (found,) = [f for f in examine() if f.check == "tenants"]
    assert found.ok and "billycan_web" in found.message
    assert run("migrate").output == "nothing to do\n"
    with app.db.writing() as db:
        db.exec_driver_sql("CREATE TABLE later (tenant_id text, id text)")
    (found,) = [f for f in examine() if not f.ok and f.check == "schema"]
    assert "no policy guards later" in found.message
    assert "BILLYCAN_DATABASE_OWNER" in run("migrate").output
    monkeypatch.setenv("BILLYCAN_DATABASE_OWNER", owner)
    assert run("migrate").output.splitlines() == ["later: guarded by its policy", "later: open to billycan_web"]
    made = make_app("contacts", database=owner.replace("postgres@", "billycan_web@"))
    with made.db.writing() as db:
        db.execute(sa.text("SELECT billycan_analyze('contacts')"))
    assert Client(made).post("/v1/contacts", {"name": "Ada"})["data"]["name"] == "Ada"
