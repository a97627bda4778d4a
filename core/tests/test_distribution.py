"""Tables distributed over a cluster: which, how and in what order; and what keeps them from it.

No Citus is needed: its functions are written down here as they are called.
"""

from functools import partial

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from billycan.counters import counters
from billycan.starting import distribution
from billycan.starting.distribution import find_obstacles, find_undistributed, is_distributed, plan_statements
from billycan.testing.fixtures import SECRET
from billycan.tools.cli import commands
from billycan.tools.doctor import examine
from billycan_contacts import resource

contacts = resource.contacts.table
STAND_INS = """
CREATE TABLE citus_tables (table_name text, citus_table_type text);
CREATE TABLE pg_dist_node (shouldhaveshards boolean, noderole text);
INSERT INTO pg_dist_node VALUES (true, 'primary');
CREATE FUNCTION run_command_on_all_nodes(command text, OUT success boolean, OUT result text) RETURNS SETOF record
  LANGUAGE plpgsql AS $$BEGIN EXECUTE command INTO result; success := true; RETURN NEXT; END$$;
CREATE FUNCTION run_command_on_workers(command text) RETURNS void LANGUAGE plpgsql AS $$BEGIN EXECUTE command; END$$;
CREATE TABLE pg_dist_shard (logicalrelid oid, shardid bigint);
CREATE FUNCTION create_reference_table(name text) RETURNS void LANGUAGE sql AS
  $$INSERT INTO citus_tables VALUES (name, 'reference')$$;
CREATE FUNCTION create_distributed_table(name text, by_column text, colocate_with text) RETURNS void LANGUAGE sql AS
  $$INSERT INTO citus_tables VALUES (name, 'distributed')$$;
"""
# A node that is here, and has what is written down of its parts of tables.
NODE = """
CREATE SCHEMA node;
GRANT USAGE ON SCHEMA node TO PUBLIC;
CREATE FUNCTION shard_name(oid, bigint) RETURNS text LANGUAGE sql AS
  $$SELECT 'node.' || relname || '_' || $2 FROM pg_class WHERE oid = $1$$;
"""
REFUSING = """
CREATE FUNCTION refuse_policy() RETURNS trigger LANGUAGE plpgsql AS
  $$BEGIN IF EXISTS (SELECT FROM pg_class WHERE oid = to_regclass(NEW.table_name) AND relrowsecurity)
    THEN RAISE EXCEPTION 'policies on %%', NEW.table_name; END IF; RETURN NEW; END$$;
CREATE TRIGGER refuse BEFORE INSERT ON citus_tables FOR EACH ROW EXECUTE FUNCTION refuse_policy();
"""


def table(name, *parts, into=None):
    return sa.Table(name, into or sa.MetaData(), sa.Column("tenant_id", sa.Text, primary_key=True), *parts)


def test_rows_that_their_business_identifies_lie_on_its_node():
    row = partial(sa.Column, "id", sa.Text, primary_key=True)
    assert is_distributed(table("a", row()))
    assert is_distributed(table("b", row(), sa.Column("digest", sa.Text), sa.UniqueConstraint("tenant_id", "digest")))
    assert not is_distributed(table("c", row(), sa.Column("digest", sa.Text, unique=True)))
    digest = sa.Column("digest", sa.Text)
    assert not is_distributed(table("d", row(), digest, sa.Index("by_digest", digest, unique=True)))
    assert not is_distributed(sa.Table("e", sa.MetaData(), sa.Column("id", sa.Text, primary_key=True)))


def test_each_table_comes_after_those_it_refers_to():
    """The statements as Citus takes them: copies first, then the table with which the others are divided."""
    tables = [contacts, *distribution.tables_of({})]
    todo = find_undistributed(tables, {"core_tasks": "reference", "core_standings": "distributed"})
    assert {"core_tasks", "core_standings"}.isdisjoint(t.name for t in todo)
    sent = [
        *plan_statements(todo, [("contacts", "fk_contacts", "FOREIGN KEY (tenant_id) REFERENCES core_tenants(id)")])
    ]
    assert sent[:2] == [
        "SET LOCAL citus.multi_shard_modify_mode TO 'sequential'",
        "ALTER TABLE contacts DROP CONSTRAINT fk_contacts",
    ]
    assert (
        sent[-1]
        == "ALTER TABLE contacts ADD CONSTRAINT fk_contacts FOREIGN KEY (tenant_id) REFERENCES core_tenants(id)"
    )
    made = sent[2:-1]
    copies = [each for each in made if "reference" in each]
    assert made[: len(copies)] == copies and "SELECT create_reference_table('core_tenants')" in copies
    assert made[len(copies)] == "SELECT create_distributed_table('core_counters', 'tenant_id', colocate_with => 'none')"
    assert "SELECT create_distributed_table('contacts', 'tenant_id', colocate_with => 'core_counters')" in made
    place = {t: i for i, t in enumerate(todo)}
    pairs = [(t, key.referred_table) for t in todo for key in t.foreign_key_constraints]
    assert pairs and all(place.get(other, -1) <= place[t] for t, other in pairs)


def test_what_is_distributed_otherwise_is_refused():
    with pytest.raises(RuntimeError, match="contacts is reference, but declared as distributed"):
        find_undistributed([contacts, counters], {"contacts": "reference"})


def test_a_copy_on_each_node_may_not_refer_to_rows_of_one():
    into = sa.MetaData()
    table("guests", sa.Column("id", sa.Text, primary_key=True), into=into)
    key = sa.ForeignKeyConstraint(["tenant_id", "guest_id"], ["guests.tenant_id", "guests.id"])
    parts = (sa.Column("guest_id", sa.Text), sa.Column("digest", sa.Text, unique=True), key)
    (said,) = find_obstacles([table("guests_links", *parts, into=into)])
    assert said.startswith("guests_links refers to guests") and "contain tenant_id" in said


def owner(url):
    return sa.create_engine(url, poolclass=sa.NullPool)


@pytest.fixture
def run(make_app, engine, databases, monkeypatch):
    """Return a function that runs a command on a database of its own, with these plugins."""
    if engine == "sqlite":
        url = databases.empty(engine)
    else:
        url = make_app("contacts", migrated=False, fresh=True).db.url.render_as_string(hide_password=False)
    monkeypatch.setenv("BILLYCAN_SECRET", SECRET)
    monkeypatch.setenv("BILLYCAN_DATABASE", url)

    def invoke(*words, plugins="contacts"):
        monkeypatch.setenv("BILLYCAN_PLUGINS", plugins)
        return CliRunner().invoke(commands, words)

    invoke.url = url
    return invoke


def test_without_a_cluster_the_command_says_what_is_missing(run, engine):
    assert run("migrate").exit_code == 0
    missing = "SQLite is one file" if engine == "sqlite" else "lacks the extension Citus"
    for words in (["--check"], []):
        said = run("database", "distribute", *words)
        assert said.exit_code == 1 and missing in said.output
    assert not [finding for finding in examine() if finding.check == "nodes"]


@pytest.mark.whole
def test_tables_of_later_migrations_are_distributed_too(run, engine, monkeypatch):
    if engine == "sqlite":
        pytest.skip("SQLite has no nodes")
    assert run("migrate").exit_code == 0
    with owner(run.url).begin() as db:
        db.exec_driver_sql(STAND_INS)
        before = db.exec_driver_sql("SELECT count(*) FROM pg_constraint WHERE contype = 'f'").scalar()
    assert run("migrate").output == "nothing to do\n"  # it is no cluster until it is told to be
    check = run("database", "distribute", "--check")
    assert check.exit_code == 1 and "contacts: distributed by tenant_id" in check.output
    done = run("database", "distribute")
    assert done.output == check.output and "core_keys: copied to each node" in done.output
    assert run("database", "distribute", "--check").output == "nothing to do\n"
    with owner(run.url).begin() as db:
        assert db.exec_driver_sql("SELECT count(*) FROM pg_constraint WHERE contype = 'f'").scalar() == before
    assert "each business's rows" in next(f.message for f in examine() if f.check == "nodes")
    assert run("migrate", plugins="contacts,webhooks").exit_code == 0
    with owner(run.url).begin() as db:
        kinds = dict(db.exec_driver_sql("SELECT table_name, citus_table_type FROM citus_tables").all())
        assert kinds["webhooks_deliveries"] == "distributed" and "billycan_version_webhooks" not in kinds
        db.exec_driver_sql("DELETE FROM citus_tables WHERE table_name = 'webhooks_deliveries'")
    monkeypatch.setenv("BILLYCAN_PLUGINS", "contacts,webhooks")
    found = next(f for f in examine() if f.check == "nodes")
    assert not found.ok and "webhooks_deliveries" in found.message
    assert run("migrate", plugins="contacts,webhooks").output == "webhooks_deliveries: distributed by tenant_id\n"


@pytest.mark.parametrize("first", ["harden", "distribute"])
def test_row_level_security_goes_with_it(run, engine, first):
    """Citus takes no policy that contains a query, and none on a table whose rows it is to copy for the owner."""
    if engine == "sqlite":
        pytest.skip("SQLite has no nodes")
    assert run("migrate").exit_code == 0
    harden = ("database", "harden", "billycan_nobody")
    if first == "harden":  # before the extension is there
        assert run(*harden).exit_code == 0
    with owner(run.url).begin() as db:
        db.exec_driver_sql(STAND_INS)
        db.exec_driver_sql(REFUSING)
    done = run("database", "distribute")
    assert done.exit_code == 0 and "contacts: distributed by tenant_id" in done.output, done.output
    assert run(*harden).exit_code == 0
    assert run("migrate", plugins="contacts,webhooks").exit_code == 0
    with owner(run.url).begin() as db:
        conditions = db.exec_driver_sql("SELECT pg_get_expr(polqual, polrelid) FROM pg_policy").scalars().all()
        assert len(conditions) > 10 and not any("SELECT" in each for each in conditions)
        db.exec_driver_sql("ALTER TABLE core_counters DROP CONSTRAINT fk_core_counters_tenant_id")
        insert = "INSERT INTO core_counters (tenant_id, name, number, live) VALUES (%s, 'x', 1, 1)"
        db.exec_driver_sql(insert, [("ten_1",), ("ten_2",)])
        db.exec_driver_sql("SET ROLE billycan_nobody")
        seen = {}
        for tenant in ("ten_1", "ten_3", "*"):
            db.exec_driver_sql(f"SET LOCAL billycan.tenant TO '{tenant}'")
            seen[tenant] = db.exec_driver_sql("SELECT tenant_id FROM core_counters ORDER BY 1").scalars().all()
        assert seen == {"ten_1": ["ten_1"], "ten_3": [], "*": ["ten_1", "ten_2"]}
        db.exec_driver_sql("SET LOCAL billycan.tenant TO 'ten_1'")
        with pytest.raises(sa.exc.ProgrammingError, match="row-level security"), db.begin_nested():
            db.exec_driver_sql(insert, ("ten_2",))
        # As after a transaction that was told one.
        db.exec_driver_sql("SET LOCAL billycan.tenant TO ''")
        with pytest.raises(sa.exc.ProgrammingError, match=r"no tenant is set as billycan\.tenant"):
            db.exec_driver_sql("SELECT tenant_id FROM core_counters")


def test_doctor_asks_each_node_whether_its_tables_are_guarded(run, engine, monkeypatch):
    if engine == "sqlite":
        pytest.skip("SQLite has no nodes")
    assert run("migrate").exit_code == 0
    with owner(run.url).begin() as db:
        db.exec_driver_sql(STAND_INS + NODE)
    assert run("database", "distribute").exit_code == 0
    assert run("database", "harden", "billycan_nobody").exit_code == 0
    monkeypatch.setenv("BILLYCAN_DATABASE", run.url.replace("postgres@", "billycan_nobody@"))

    def found():
        return next(f for f in examine() if f.check == "tenants")

    assert found().ok and found().message.endswith("row-level security for the role billycan_nobody on each node")
    with owner(run.url).begin() as db:
        db.exec_driver_sql("CREATE TABLE node.contacts_7 (tenant_id text)")
        db.exec_driver_sql("INSERT INTO pg_dist_shard SELECT CAST('contacts' AS regclass), 7")
    assert not found().ok and found().message == "no policy protects contacts on some node"
    with owner(run.url).begin() as db:
        db.exec_driver_sql("ALTER TABLE node.contacts_7 ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
        db.exec_driver_sql("CREATE POLICY billycan_tenant ON node.contacts_7 USING (false)")
    assert found().ok
    with owner(run.url).begin() as db:
        body = "$$SELECT false, 'no route to host'$$"
        how = "run_command_on_all_nodes(command text, OUT success boolean, OUT result text) RETURNS SETOF record"
        db.exec_driver_sql(f"CREATE OR REPLACE FUNCTION {how} LANGUAGE sql AS {body}")
    assert not found().ok and "did not answer: no route to host" in found().message
