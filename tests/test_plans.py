"""The plans by which the databases run every statement of every route, for a business with many records.

PostgreSQL may keep one plan of a prepared statement for all later parameters. These tests make it keep one from the
first execution, and judge each plan by the rows it read to return its result. Statements that are not prepared are
planned for their parameters.
"""

import json
import re
import runpy
import threading
from collections import defaultdict
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import get_type_hints
from urllib.parse import quote

import pytest
import sqlalchemy as sa

from billycan.counters import counters
from billycan.db import metadata
from billycan.endpoints import PARAMETER
from billycan.engines.postgres import PLANNED_ANEW
from billycan.fields import Moment
from billycan.operating import metrics
from billycan.resources import STEERING, Paging
from billycan.starting import plugins
from billycan.testing import Client
from billycan.testing.samples import literals, sample
from billycan.working import worker
from billycan_search import finding

Tenant = runpy.run_path(str(Path(__file__).with_name("test_isolation.py")))["Tenant"]
ROWS = {
    "contacts": 100_000,
    "invoices": 100_000,
    "expenses_categories": 2_000,
    "reports_accounts": 2_000,
    "attachments_used": 0,
    "webhooks_endpoints": 39,  # and one that the API made
}
OTHERS, REFERRED = 20_000, 2_000
# Tables in which a business has at most ten rows, a dozen a year, or one for each of its people.
FEW = (
    "users_roles",
    *("reminders_settings", "reminders_rules", "reports_gst_periods", "reports_ledger_exports"),
    *("custom_fields", "reports_ledger_walks", "reports_payment_methods", "reports_tracking"),
    *("reports_opening_balances", "reports_opening_lines"),
)
# Asked by the worker of all businesses at once.
OF_ALL = (
    *("SELECT EXISTS", "SELECT $1 AS anon_1, EXISTS"),
    "SELECT core_counters.tenant_id AS tenant_id, core_counters.tenant_id AS id \n"
    'FROM core_counters \nWHERE core_counters.name = $1::VARCHAR COLLATE "C" AND (SELECT core_events.',
)
# These add up all expenses of the business, of which here none was ever due to a supplier.
ADDING_UP = ("/v1/reports/payables", "/v1/reports/payables.csv")
# It shows all of some days, and looks a month back for what has not ended; the copies begin a minute after each other.
OF_DAYS = ("/v1/calendar",)
MOST_IN_VAIN = 3_000  # rows that a plan may read and not return
# The URL of the copies' webhooks, which the sender refuses before it sends.
NOWHERE = "http://127.0.0.1:9/"


@pytest.fixture
def tenant(make_app):
    """Make a business with a record of every collection, on an app with every plugin."""
    app = make_app(*sorted(set(plugins.installed()) - {"sso_auth"}), fresh=True)
    params = [
        (e.route, {m[1]: e.route.path[: m.start()].rstrip("/") for m in PARAMETER.finditer(e.route.path)})
        for e in app.endpoints
        if e.signature.params
    ]
    return Tenant(Client(app), params)


def lists(app):
    """Return the endpoints that list records, with the table of each."""
    tables = [*(table for part in app.parts.values() for table in part.tables), metadata.tables["core_events"]]
    for endpoint in app.endpoints:
        if endpoint.signature.listed and not endpoint.signature.params:
            listed = endpoint.signature.listed  # a kind of what its table shows, or what that is a kind of
            of = [
                table
                for table in tables
                if any(issubclass(listed, kind) or issubclass(kind, listed) for kind in table.info.get("filters", ()))
            ]
            yield endpoint, of[0]


def copied(column, value, statuses):
    """Return the SQL of a column's value in the n-th copy of a row that holds this value."""
    name = column.name
    if name == "issued_at":
        return "timestamptz '2026-11-01 00:00Z'"  # of a draft it is null, but not of its copies with other statuses
    if value is None or name == "tenant_id":
        return f't."{name}"'
    if name in ("sequence", "position") or (name == "number" and isinstance(value, int)):
        return "1000000 + n"
    if name == "id" or (name == "number" and isinstance(value, str)):
        return id_of(value, "n")
    pairs = [
        [*c.columns] for c in column.table.constraints if isinstance(c, sa.UniqueConstraint) and len(c.columns) > 2
    ]
    if name.endswith("_id") and any(pair[-1] is column for pair in pairs):  # no pair twice
        return id_of(value, f"1 + mod(n + n / {REFERRED}, {REFERRED})")
    if name.endswith("_id") or name == "resource":
        return id_of(value, f"1 + mod(n, {REFERRED})")
    if name.startswith("address_folded"):
        return "'client' || n || '@example.com'"
    if name in ("sku", "code"):
        return "'SKU-' || n"
    if name.startswith(("name", "search_text", "title", "client_name")):
        return "'client ' || n || ' job ' || mod(n::bigint * 7919, 99991)"
    if name == "status" and statuses:
        rare = " ".join(f"WHEN {i} THEN '{status}'" for i, status in enumerate(statuses))
        usual = "'delivered'" if "delivered" in statuses else "t.status"
        return f"CASE mod(n, 100) {rare} ELSE {usual} END"
    if isinstance(column.type, sa.Date):
        return f"t.{name} + (mod(n, 365) - 180)"
    if column.type.python_type is Moment:
        return f"t.{name} - n * interval '1 minute'"
    return f"'{NOWHERE}'" if name == "url" else f't."{name}"'


def id_of(value, number):
    """Return the SQL of the id of a copy, as long as the ids are that the API makes."""
    return f"'{value[:4]}' || lpad((1000000 + {number})::text, 26, '0')"


def fill(app, tenant_id):
    """Copy a row of each table many times, as the API made it."""
    statuses = {table.name: literals(get_type_hints(e.signature.listed).get("status")) for e, table in lists(app)}
    with owner(app, "READ COMMITTED").begin() as db:
        db.exec_driver_sql("SET LOCAL session_replication_role = replica; SET LOCAL maintenance_work_mem = '256MB'")
        for table in metadata.sorted_tables:
            if [column.name for column in table.primary_key] != ["tenant_id", "id"]:
                continue
            if not sa.inspect(db).has_table(table.name) or table.name in FEW:
                continue
            newest = sa.text(f"SELECT * FROM {table.name} WHERE tenant_id = :tenant ORDER BY id DESC LIMIT 1")
            row = db.execute(newest, {"tenant": tenant_id}).first()
            if row is None:
                continue
            indexes = db.execute(_INDEXES, {"name": table.name}).all()
            for name, _ in indexes:  # made anew, they take half as long
                db.exec_driver_sql(f"DROP INDEX {name}")
            values = {c.name: copied(c, row._mapping[c.name], statuses.get(table.name, ())) for c in table.c}
            count = ROWS.get(table.name, OTHERS)
            names = ", ".join(f'"{name}"' for name in values)
            db.exec_driver_sql(
                f"INSERT INTO {table.name} ({names}) SELECT {', '.join(values.values())}"
                f" FROM {table.name} t, generate_series(1, {count}) n WHERE t.tenant_id = '{tenant_id}'"
                f" AND t.id = '{row.id}'"
            )
            for _, made in indexes:
                db.exec_driver_sql(made)
            added = {"number": counters.c.number + 2_000_000, "live": counters.c.live + count}
            its = (counters.c.tenant_id == tenant_id) & (counters.c.name == table.name)
            db.execute(sa.update(counters).where(its).values(added))
        db.execute(_SIZES, {"tenant": tenant_id, "count": ROWS["contacts"]})
    with owner(app).connect() as db:
        db.exec_driver_sql("VACUUM ANALYZE")


# Of all contacts but every tenth.
_SIZES = sa.text(
    "INSERT INTO custom_fields_values (tenant_id, id, field_id, value, comparable)"
    " SELECT tenant_id, 'con_' || lpad((1000000 + n)::text, 26, '0'), id, n,"
    " lpad((10000000000000 + 10000 * n)::text, 14, '0')"
    " FROM custom_fields, generate_series(1, :count) n WHERE tenant_id = :tenant AND mod(n, 10) <> 0"
)
_INDEXES = sa.text(
    "SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index"
    " WHERE indrelid = CAST(:name AS regclass) AND NOT indisunique AND NOT indisexclusion"
)


def owner(app, isolation_level="AUTOCOMMIT"):
    """Open the database with every right and without a time limit."""
    return sa.create_engine(
        app.db.url.set(username="postgres"), isolation_level=isolation_level, poolclass=sa.pool.NullPool
    )


def filters(query):
    """Return, for each filter of a list, values that find something and values that do not."""
    for name, hint in get_type_hints(query).items():
        if name not in query.__struct_fields__ or name in (*STEERING, "custom", "custom_from", "custom_to"):
            continue
        if name == "search":
            yield from ((name, text) for text in ("job 4711", "nobody at all"))
        elif name == "metadata":
            yield "metadata[colour]", "blue"
        elif name.startswith(("total", "amount")):
            yield name, "999999.99" if name.endswith("_from") else "0.01"
        elif name.endswith("_from") or name == "updated_since":
            yield from ((name, text) for text in ("2026-11-20", "2199-01-01"))
        elif name.endswith("_to"):
            yield name, "1901-01-01"
        elif name.endswith("_id") and name != "external_id":
            yield name, f"con_{1000077:026}"
        else:
            yield from ((name, text) for text in literals(hint) or [sample(hint)])


_CUSTOM = [("custom[size]", "4711"), ("custom[size]", "-1"), ("custom[size]_from", "99990"), ("custom[size]_to", "9")]


def reads(tenant):
    """Yield every GET, with the member it sorts or filters by."""
    client, ids = tenant.client, tenant.ids
    for endpoint in client.app.endpoints:
        if endpoint.route.method != "GET":
            continue
        template = endpoint.route.path
        path = PARAMETER.sub(lambda m, template=template: ids[template[: m.start()].rstrip("/")], template)
        yield template, "", path
        query = endpoint.signature.query
        if not endpoint.signature.listed or not issubclass(query, Paging):
            continue
        for sort in (s for name in query.sortable for s in (name, f"-{name}")):
            first = client.get(f"{path}?sort={sort}")["pagination"]
            yield template, sort.strip("-"), f"{path}?sort={sort}&cursor={first['next_cursor']}"
        for name, text in (*filters(query), *(_CUSTOM if template == "/v1/contacts" else ())):
            yield template, name, f"{path}?{name}={quote(text)}"
        for sort in ("custom[size]", "-custom[size]") if template == "/v1/contacts" else ():
            first = client.get(f"{path}?sort={sort}")["pagination"]
            yield template, sort.strip("-"), f"{path}?sort={sort}&cursor={first['next_cursor']}"


def writes(tenant):
    """Change, act on and delete the records that the API made, and make them again."""
    client = tenant.client
    for path, id in reversed([*tenant.ids.items()]):
        client.call("PATCH", f"{path}/{id}", {"metadata": {"colour": "blue"}})
        record = Client.decoded(client.call("GET", f"{path}/{id}"))["data"]
        for action in (record or {}).get("allowed_actions", ()):
            client.call("POST", f"{path}/{id}/{action}", {"payment_method": "cash"} if action == "pay" else {})
        client.call("DELETE", f"{path}/{id}")
    Tenant(client, [])


class Recorder:
    """The statements that run while `now` names their route, and on PostgreSQL the plans they run by."""

    def __init__(self, app):
        self.app, self.now = app, ()
        self.statements, self.plans, self.sent = {}, [], threading.Semaphore(0)

    def note(self, diagnostic):
        told = diagnostic.message_primary or ""
        if self.now and "plan:\n" in told:
            self.plans.append((self.now, json.loads(told.partition("plan:\n")[2])))

    def before(self, connection, cursor, statement, parameters, context, many):
        if not self.app.db.is_sqlite:
            mode = "auto" if PLANNED_ANEW in context.execution_options else "force_generic_plan"
            driver = cursor.connection if cursor else connection.connection.driver_connection
            driver.execute(f"SET plan_cache_mode = {mode}")
        elif self.now and context.compiled:
            self.statements.setdefault(statement, (self.now, parameters))
        if "webhooks_deliveries" in statement and not statement.startswith("SELECT"):
            self.sent.release()

    def connected(self, connection, record):
        connection.add_notice_handler(self.note)

    @contextmanager
    def listening(self):
        if not self.app.db.is_sqlite:
            with owner(self.app).connect() as db:
                for name, value in EXPLAINED.items():
                    db.exec_driver_sql(f"ALTER DATABASE {self.app.db.url.database} SET {name} = {value}")
            self.app.db.dispose()
        listeners = [("before_cursor_execute", self.before)]
        listeners += [] if self.app.db.is_sqlite else [("connect", self.connected)]
        engines = [self.app.db.writer] if self.app.db.is_sqlite else [self.app.db.writer, self.app.db.reader]
        on = [(engine, *listener) for engine in engines for listener in listeners]
        for each in on:
            sa.event.listen(*each)
        yield self
        for each in on:
            sa.event.remove(*each)


EXPLAINED = {"session_preload_libraries": "auto_explain", "auto_explain.log_min_duration": 0}
EXPLAINED |= {"auto_explain.log_analyze": "on", "auto_explain.log_timing": "off", "auto_explain.log_format": "json"}
EXPLAINED |= {"auto_explain.log_level": "notice"}


def reset_sandbox(tenant):
    """Reset the sandbox, and give it a clock.

    It is over before the business has many rows: of one with few rows beside it, PostgreSQL plans statements as if it
    had as many.
    """
    app, sandbox = tenant.client.app, tenant.client.sandbox()
    sandbox.post("/v1/sandbox/reset", {}, 202)
    while not sandbox.get("/v1/sandbox/reset")["data"]["done"]:
        worker.tick(app)
    sandbox.post("/v1/clock", {"now": str(Moment.of(app.now() + timedelta(minutes=1)))})


def run_all(tenant, recorder):
    """Run every read, write, timed task, gauge and delivery."""
    client, app, sandbox = tenant.client, tenant.client.app, tenant.client.sandbox()
    with recorder.listening():
        for recorder.now in [*reads(tenant)]:
            asked = sandbox if recorder.now[0] in ("/v1/clock", "/v1/sandbox/reset") else client  # live ones have none
            assert asked.call("GET", recorder.now[2]).status_int in (200, 400), asked.last.text
        recorder.now = ("writes", "", "")
        writes(tenant)
        recorder.now = ("the worker", "", "")
        app.clock.move(days=3)
        worker.tick(app)
        metrics.write_metrics(app)
        recorder.now = ("deliveries", "", "")
        stop = threading.Event()
        threads = [
            threading.Thread(target=work, args=(app, stop)) for m in app.manifests.values() for work in m.workers
        ]
        for thread in threads:
            thread.start()
        came = [recorder.sent.acquire(timeout=30) for _ in range(6)]
        stop.set()
        for thread in threads:
            thread.join()
        recorder.now = ()
        assert all(came), "nothing was written of any delivery"


def promised(table):
    """Return the columns that an index finds or sorts by; other columns are searched among all of a tenant's rows."""
    indexes = [[c.name for c in index.columns] for index in table.indexes]
    indexes += [[c.name for c in u.columns] for u in table.constraints if isinstance(u, sa.UniqueConstraint)]
    leading = {columns[1] for columns in indexes if len(columns) > 1 and columns[0] == "tenant_id"}
    # NULLs come last in both orders, which no index of one column supports; lists never sort by an id.
    return {name for name in leading if name.endswith("_id") or not table.c[name].nullable}


def excused(tables, template, about):
    """Tell whether a list is filtered or sorted by a column that promises no index."""
    column = about.removesuffix("_from").removesuffix("_to").replace("updated_since", "updated_at")
    table = tables.get(template)
    if table is None or column in ("", "search") or column.startswith("custom["):
        return False
    return not {column, f"{column}_folded", {"number": "sequence"}.get(column, column)} & promised(table)


def nodes(plan, above=()):
    yield plan, above
    for part in plan.get("Plans", ()):
        yield from nodes(part, (*above, plan["Node Type"]))


def faults(plan, *, finds_due=False):
    """Yield the wasteful steps of a plan; one that `finds_due` may return and sort as many rows as there are."""
    for node, above in nodes(plan):
        loops = node.get("Actual Loops", 1)
        gave = node.get("Actual Rows", 0) * loops
        left_out = loops * sum(count for name, count in node.items() if name.startswith("Rows Removed"))
        what = " ".join(node.get(name, "") for name in ("Node Type", "Relation Name", "Index Name"))
        if left_out > MOST_IN_VAIN + gave:
            yield f"{what} reads {left_out + gave} rows to give {gave}"
        if finds_due:
            continue
        # Rows to be added up may be sorted by the group they are added up by.
        if "Sort" in node["Node Type"] and not any("Aggregate" in each for each in above):
            put = sum(part["Actual Rows"] * part["Actual Loops"] for part in node["Plans"])
            if put > MOST_IN_VAIN:
                yield f"{what} sorts {put} rows"
        if "Relation Name" in node and gave > MOST_IN_VAIN and not any("Aggregate" in each for each in above):
            yield f"{what} gives {gave} rows"


@pytest.mark.long
@pytest.mark.whole
def test_no_plan_reads_more_than_it_must(tenant, engine):
    app = tenant.client.app
    tables = {endpoint.route.path: table for endpoint, table in lists(app)}
    reset_sandbox(tenant)
    if engine == "postgresql":
        fill(app, tenant.client.tenant_id)
    recorder = Recorder(app)
    run_all(tenant, recorder)
    wrong = defaultdict(set)
    for (template, about, path), plan in recorder.plans:
        asks_of_all = template == "the worker" and plan["Query Text"].startswith(OF_ALL)
        if not asks_of_all and template not in (*ADDING_UP, *OF_DAYS) and not excused(tables, template, about):
            # The copies have more due work than any real deployment.
            finds_due = template in ("the worker", "deliveries")
            wrong[path or template, plan["Query Text"]] |= {*faults(plan["Plan"], finds_due=finds_due)}
    with app.db.reading() as db:
        indexes = {name for name in sa.inspect(db).get_table_names() if name.startswith("ix_")}
        for statement, ((template, _, path), parameters) in recorder.statements.items():
            if template == "the worker":
                continue  # looks for due work of all businesses
            index = re.search(r"\bix_\w+_search_rows\b", statement)
            if index and index[0] not in indexes:
                continue  # few rows: the table has no index, and the next statement reads them all
            for step in db.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters):
                if whole(step.detail):
                    wrong[path or template, statement[:200]].add(step.detail)
    assert len(recorder.plans) + len(recorder.statements) > 300
    found = [f"{path}\n  {statement}\n    " + "\n    ".join(each) for (path, statement), each in wrong.items() if each]
    assert not found, "\n".join(found)


def test_a_number_is_not_looked_up_beside_all_rows_of_a_business_that_has_most(make_app, engine, monkeypatch):
    if engine == "sqlite":
        pytest.skip("SQLite's index knows a business by the places of its rows")
    app = make_app("contacts", "custom_fields", "documents", "hosted", "invoices", "search", fresh=True)
    client = Client(app)
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    client.post("/v1/invoices", {"client_id": contact, "line_items": [{"description": "Tap", "unit_price": "9.00"}]})
    monkeypatch.setitem(ROWS, "invoices", 5_000)
    monkeypatch.setitem(globals(), "OTHERS", 10)
    monkeypatch.setattr(finding, "_MANY", 5_000)
    fill(app, client.tenant_id)
    recorder = Recorder(app)

    def first_condition():
        recorder.now = ("/v1/search", "", "")
        client.get("/v1/search?q=INV-1004711&types=invoices")
        recorder.now = ()
        found = [node for _, plan in recorder.plans for node, _ in nodes(plan["Plan"])]
        recorder.plans.clear()
        return next(node["Index Cond"] for node in found if node.get("Index Name") == "ix_invoices_search")

    with recorder.listening():
        most = first_condition()
        with owner(app).connect() as db:  # as if others had ten times as many
            db.exec_driver_sql("UPDATE pg_class SET reltuples = 11 * reltuples WHERE relname = 'invoices'")
        few = first_condition()
    assert "%004711%" in most and "tenant_id" not in most
    assert "%004711%" in few and "tenant_id" in few


def whole(detail):
    """Tell whether a step of SQLite's plan reads a table of tenants' records from end to end.

    An index of due rows holds only those, `core_ceilings` only the businesses that the operator has limited,
    `core_standings` only those that are not open, and `webhooks_chores` only unfinished work.
    """
    few = re.match(r"SCAN (core_ceilings|core_standings|webhooks_chores)\b", detail)
    if few or re.search(r" USING INDEX ix_\w+_due$", detail):
        return False
    name = detail.split()[1] if detail.startswith("SCAN ") else ""
    return name in metadata.tables and "tenant_id" in metadata.tables[name].c
