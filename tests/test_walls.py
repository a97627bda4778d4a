"""What keeps tenants apart when a condition is forgotten: a look at every statement, and PostgreSQL's policies."""

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from billycan import migrate, walls
from billycan import records as core_records
from billycan.counters import counters
from billycan.tenants import tenants
from billycan.testing import SECRET, Client
from billycan.tools.cli import commands
from billycan.tools.doctor import examine
from billycan_contacts.handlers import records
from billycan_contacts.tables import contacts


@pytest.fixture
def app(make_app):
    return make_app("contacts", walled=True)


@pytest.fixture
def others(app):
    """The contact of one business, and a client of another."""
    return Client(app).post("/v1/contacts", {"name": "Ada"})["data"], Client(app)


# The look at every statement ------------------------------------------------------------------------------------------

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
    "the same table, apart": sa.select(c.id).where(mine, c.id == sa.select(c.id).correlate(None).scalar_subquery()),
    "from everybody's": sa.select(sa.select(c.id).subquery().c.id),
    "a change of all": sa.update(contacts).values(name="x"),
    "a deletion by id": sa.delete(contacts).where(c.id == "con_1"),
    "an insertion for another": sa.insert(counters).values(tenant_id="ten_2", name="x", number=1, live=1),
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


def test_the_system_may_ask_for_everybodys(app):
    with app.db.reading() as db:
        db.execute(REFUSED["everybody's"])


# PostgreSQL's policies ------------------------------------------------------------------------------------------------


def forget_where(monkeypatch, app):
    """Take the tenant out of what contacts ask for, and the look at statements with it."""
    monkeypatch.setattr(core_records, "own", lambda ctx, table: sa.true())
    monkeypatch.setattr(records, "_by_id", sa.select(contacts).where(c.id == sa.bindparam("id")))
    for engine in (app.db.writer, app.db.reader):
        sa.event.remove(engine, "before_cursor_execute", walls.look_at)


def test_without_its_condition_a_query_still_finds_nobody_elses_rows(app, engine, others, monkeypatch):
    if engine == "sqlite":
        pytest.skip("SQLite has the look at statements alone")
    ada, stranger = others
    forget_where(monkeypatch, app)
    assert stranger.get("/v1/contacts?sort=name")["data"] == []
    assert stranger.get("/v1/contacts?search=ada")["data"] == []
    stranger.get(f"/v1/contacts/{ada['id']}", 404)
    stranger.patch(f"/v1/contacts/{ada['id']}", {"notes": "x"}, 404)
    with app.db.writing(stranger.tenant_id) as db:
        assert db.execute(sa.text("UPDATE contacts SET name = 'Eve'")).rowcount == 0
        assert db.execute(sa.text("SELECT count(*) FROM core_tenants")).scalar() == 1


def test_without_policies_the_same_query_would_have_found_them(make_app, engine, monkeypatch):
    if engine == "sqlite":
        pytest.skip("SQLite has the look at statements alone")
    app = make_app("contacts")
    ada, stranger = Client(app).post("/v1/contacts", {"name": "Ada"})["data"], Client(app)
    forget_where(monkeypatch, app)
    assert stranger.get(f"/v1/contacts/{ada['id']}")["data"]["name"] == "Ada"


def test_a_connection_that_goes_from_hand_to_hand_is_never_anothers(make_app, engine):
    if engine == "sqlite":
        pytest.skip("SQLite has the look at statements alone")
    app = make_app("contacts", walled=True, pool_size=1)
    one, two = Client(app), Client(app)
    for client, name in ((one, "Ada"), (two, "Bob")):
        client.post("/v1/contacts", {"name": name})
    seen = sa.text("SELECT name FROM contacts WHERE tenant_id IN (:one, :two)")
    both = {"one": one.tenant_id, "two": two.tenant_id}
    for opened in (app.db.reading, app.db.writing):
        for _ in range(2):
            with opened(one.tenant_id) as db:
                assert db.execute(seen, both).scalars().all() == ["Ada"]
            with pytest.raises(sa.exc.DBAPIError), opened(two.tenant_id) as db:
                db.execute(sa.text("SELECT 1 / 0"))
            with opened(two.tenant_id) as db:
                assert db.execute(seen, both).scalars().all() == ["Bob"]
            with pytest.raises(ZeroDivisionError), opened(one.tenant_id) as db:
                assert db.execute(seen, both).scalars().all() == ["Ada"]
                raise ZeroDivisionError
            with opened(two.tenant_id) as db:
                assert db.execute(seen, both).scalars().all() == ["Bob"]
            with opened() as db:
                assert sorted(db.execute(seen, both).scalars()) == ["Ada", "Bob"]


def test_who_tells_nobody_is_refused(app, engine):
    if engine == "sqlite":
        pytest.skip("SQLite has the look at statements alone")
    bare = sa.create_engine(app.db.url, poolclass=sa.pool.NullPool)
    with bare.connect() as db, pytest.raises(sa.exc.ProgrammingError, match=r"billycan\.tenant"):
        db.execute(sa.text("SELECT * FROM contacts"))


def test_a_later_table_gets_its_policy_with_the_next_migration(make_app, engine):
    if engine == "sqlite":
        pytest.skip("SQLite has no policies")
    app = make_app("contacts", fresh=True, walled=True)
    superuser = make_app("contacts", database=str(app.db.url.set(username="postgres")))
    with superuser.db.writing() as db:
        db.exec_driver_sql("CREATE TABLE later (tenant_id text, id text)")
        assert walls.gaps(db) == ["later"]
    migrate.upgrade(superuser.db, superuser.manifests)
    with superuser.db.reading() as db:
        assert walls.gaps(db) == []
    with app.db.writing("ten_1") as db, pytest.raises(sa.exc.ProgrammingError, match="row-level security"):
        db.execute(sa.text("INSERT INTO later VALUES ('ten_2', 'x')"))


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
    assert [f.message for f in examine() if f.check == "tenants"] == ["kept apart by each query"]
    said = run("database", "harden", "billycan_web")
    assert said.exit_code == 0 and "postgresql+psycopg://billycan_web:" in said.output, said.output
    assert "already" in run("database", "harden", "billycan_web").output
    assert "superuser" in run("database", "harden", "postgres").output
    monkeypatch.setenv("BILLYCAN_DATABASE", owner.replace("postgres@", "billycan_web@"))
    (found,) = [f for f in examine() if f.check == "tenants"]
    assert found.ok and "billycan_web" in found.message
    assert "BILLYCAN_DATABASE_OWNER" in run("migrate").output
    monkeypatch.setenv("BILLYCAN_DATABASE_OWNER", owner)
    assert run("migrate").exit_code == 0
    made = make_app("contacts", database=owner.replace("postgres@", "billycan_web@"))
    with made.db.writing() as db:
        db.execute(sa.text("SELECT billycan_analyze('contacts')"))
    assert Client(made).post("/v1/contacts", {"name": "Ada"})["data"]["name"] == "Ada"
