"""Costs of requests as a business, or the number of businesses, grows (`make bench ARGS="--growth"`).

SQL fills a database for each size. The same requests then go to all of them in turns, in process. The measure is CPU
time, PostgreSQL's included, because it depends least on other work of the machine; the result is each time as a
multiple of the time with the fewest rows.
"""

import argparse
import io
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import sqlalchemy as sa
from curves import picture
from data import PLUGINS, application
from servers import postgresql

from billycan.app import App
from billycan.counters import counters
from billycan.events import events
from billycan.lists import filters
from billycan.lists.queries import Totals
from billycan.starting import migrate
from billycan.tenants import tenants
from billycan.testing import Client
from billycan_contacts import resource
from billycan_custom_fields.tables import values
from billycan_expenses.tables import categories, expenses
from billycan_invoices.tables import invoices, lines

contacts = resource.contacts.table

ROWS = (1_000, 100_000, 1_000_000)  # invoices of one business
BUSINESSES = (10, 1_000, 10_000)
PER_BUSINESS, PER_CLIENT = 50, 100  # invoices
REQUESTS, QUICKLY = 100, 40  # of each operation at each size
FIRST = 100_000_000  # so that the numbers in ids have the same length
# Requests that do not count: psycopg prepares a statement after five, and PostgreSQL keeps a plan after five more.
WARM = 15
BEFORE = 1_000  # numbers in the log of events that come before those of the copied ones
TABLES = (contacts, invoices, lines, expenses, values)
ANEW = "after a change"
IN_A_QUARTER = 50  # expenses, of those of ten years


class Point(msgspec.Struct):
    """The cost of one operation at one size: the median in ms of CPU, and as a multiple of the smallest size."""

    database: str
    grows: str
    operation: str
    size: int
    ms: float
    times: float = 1.0


class Asked(msgspec.Struct):
    """An app and its business, and the requests of each operation, one after the other."""

    app: App
    key: str
    requests: dict[str, list[tuple[str, str, bytes]]]
    backends: list[Path] = []

    def ask(self, operation: str, turn: int) -> tuple[float, bytes]:
        """Send a request in process; return the seconds of CPU it took and the body of its answer."""
        if operation.endswith(ANEW):
            self.app.totals = Totals()
        method, path, body = self.requests[operation][turn % len(self.requests[operation])]
        path, _, query = path.partition("?")
        environ = {"REQUEST_METHOD": method, "PATH_INFO": path, "QUERY_STRING": query, "SERVER_NAME": "localhost"}
        environ |= {"SERVER_PORT": "80", "SERVER_PROTOCOL": "HTTP/1.1", "REMOTE_ADDR": "127.0.0.1", "SCRIPT_NAME": ""}
        environ |= {"HTTP_AUTHORIZATION": f"Bearer {self.key}", "wsgi.url_scheme": "http", "HTTP_HOST": "localhost"}
        environ |= {"CONTENT_TYPE": "application/json", "CONTENT_LENGTH": str(len(body))} if body else {}
        answered: list[str] = []
        given = {**environ, "wsgi.input": io.BytesIO(body), "wsgi.errors": sys.stderr}
        started = time.process_time_ns() + self._of_database()
        body = self.app.wsgi(given, lambda status, headers, info=None: answered.append(status))
        content = b"".join(body)
        getattr(body, "close", lambda: None)()  # a business's share of the process is held until then
        seconds = (time.process_time_ns() + self._of_database() - started) / 1e9
        if answered[0][0] != "2":
            raise SystemExit(f"{method} {path}?{query}: {answered[0]}: {content.decode()}")
        return seconds, content

    def _of_database(self) -> int:
        """The CPU time that PostgreSQL has used for this app, in ns."""
        return sum(int(path.read_text("utf-8").split()[0]) for path in self.backends)

    def find_backends(self) -> None:
        """Find the PostgreSQL processes that serve this app, once it has opened its connections."""
        if not self.app.db.is_sqlite:
            own = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_type LIKE 'client%%'"
            with self.app.db.reading() as db:
                self.backends = [Path(f"/proc/{pid}/schedstat") for pid in db.exec_driver_sql(own).scalars()]


def run(databases: list[str], options: argparse.Namespace, tell: Callable[[str], None]) -> None:
    """Measure, and print a table or JSON; `--quick` omits the largest size."""
    ends = slice(-1) if options.quick else slice(None)
    sizes = {"invoices": ROWS[ends], "businesses": BUSINESSES[ends]}
    sizes = {grows: each for grows, each in sizes.items() if options.grows in (None, grows)}
    points = list(measure(databases, sizes, QUICKLY if options.quick else REQUESTS, tell, options.only))
    if options.pictures:
        draw(points, options.pictures)
    if options.json:
        print(msgspec.json.format(msgspec.json.encode(points)).decode())
    else:
        print("\n".join(table(points)))


def measure(
    databases: list[str],
    sizes: dict[str, tuple[int, ...]],
    requests: int,
    tell: Callable[[str], None],
    only: str | None = None,
) -> Iterator[Point]:
    """Yield all points, database by database, or those of operations whose names contain `only`: `changes|batch`."""
    for database in databases:
        # The CPU of parallel workers could not be separated from that of other apps.
        server = postgresql(max_parallel_workers_per_gather="0") if database == "postgresql" else None
        for grows, each in sizes.items():
            with tempfile.TemporaryDirectory(prefix="billycan-growth-") as folder:
                asked: dict[int, Asked] = {}
                for size in each:
                    tell(f"{database}: adding {size:,} {grows}")
                    name = f"growth_{'rows' if grows == 'invoices' else 'tenants'}_{size}"
                    url = server.database(name).render_as_string(False) if server else f"sqlite:///{folder}/{name}.db"
                    plugins = f"{PLUGINS},expenses,batch,changes,custom_fields,search"
                    asked[size] = fill(application(url, f"{folder}/{name}", plugins), grows, size)
                tell(f"{database}: asking")
                yield from _points(database, grows, asked, requests, only or "")
                for one in asked.values():
                    one.app.close()


def _points(database: str, grows: str, asked: dict[int, Asked], requests: int, only: str) -> Iterator[Point]:
    parts = only.split("|")
    for operation in [name for name in next(iter(asked.values())).requests if any(part in name for part in parts)]:
        taken: dict[int, list[float]] = {size: [] for size in asked}
        for turn in range(-WARM, requests):
            for size, one in asked.items():
                if turn == 0:
                    one.find_backends()
                seconds, _ = one.ask(operation, turn)
                if turn >= 0:
                    taken[size].append(seconds * 1000)
        medians = {size: statistics.median(each) for size, each in taken.items()}
        for size, ms in medians.items():
            yield Point(database, grows, operation, size, ms, ms / medians[min(medians)])


def _requests(app: App, key: str, rows: int) -> Asked:
    """Prepare the requests to a business with this many invoices."""
    new = {"client_id": f"con_{FIRST}", "line_items": [{"description": "Tap", "quantity": 1, "unit_price": 90}]}
    ids = [f"inv_{FIRST + i * 37 % rows}" for i in range(50)]
    orders = {"page": "/v1/invoices?", "sorted by a custom field": "/v1/invoices?sort=custom[depth]&"}
    asked = Asked(app, key, {name: [("GET", f"{path}page={rows // 50}", b"")] for name, path in orders.items()})
    cursors = {name: json.loads(asked.ask(name, 0)[1])["pagination"]["next_cursor"] for name in orders}
    beside = range(min(50, rows // 50))
    gets = {
        "list": ["/v1/invoices"],
        **{f"{name} by cursor, halfway": [f"{path}cursor={cursors[name]}"] for name, path in orders.items()},
        # One page beside the other, as whoever reads a whole list by numbers does.
        **{f"{name} by number": [f"{path}page={rows // 50 - i}" for i in beside] for name, path in orders.items()},
        **{f"{name} by number, last": [f"{path}page={rows // 25}"] for name, path in orders.items()},
        **{f"{name} by number, {ANEW}": [f"{path}page={rows // 50}"] for name, path in orders.items()},
        **{f"{name} by number, late, {ANEW}": [f"{path}page={rows * 4 // 125}"] for name, path in orders.items()},
        "custom filter, 1 hit": [f"/v1/invoices?custom[depth]={rows // 2}"],
        "custom filter, 20 hits": [f"/v1/invoices?custom[depth]_from={rows - 20}"],
        "search of all, 20 hits": ["/v1/search?q=quokka&per_type=20"],
        "search of all, a number": [f"/v1/search?q=INV-{i * 37 % rows + 10_000_000}" for i in range(50)],
        "search of all, a round number": [f"/v1/search?q=INV-{rows // 2 + 10_000_000}"],
        "search of all, no hit": ["/v1/search?q=platypus"],
        "list of one client": [f"/v1/invoices?client_id=con_{FIRST}"],
        "get": [f"/v1/invoices/{id}" for id in ids],
        "search, 20 hits": ["/v1/invoices?search=quokka"],
        "search, 3 hits": ["/v1/invoices?search=wombat"],
        "search, no hit": ["/v1/invoices?search=platypus"],
        "total of a fifth": ["/v1/invoices?status=void"],
        f"the same, {ANEW}": ["/v1/invoices?status=void"],
        "GST of a quarter": ["/v1/expenses/summary?group_by=gst_code&date_from=2026-04-01&date_to=2026-06-30"],
    }
    asked.requests = {name: [("GET", path, b"") for path in paths] for name, paths in gets.items()}
    asked.requests["create"] = [("POST", "/v1/invoices", json.dumps(new).encode())]
    place = f"{rows // 2 + BEFORE}.{rows // 2 + BEFORE}.evt_{FIRST + rows // 2}"
    asked.requests["changes, 100 invoices"] = [("GET", f"/v1/changes?resources=invoices&after={place}", b"")]
    several = [{"method": "POST", "path": "/v1/invoices", "body": new}] * 10
    for name, atomic in (("batch, 10 invoices", False), ("batch, 10 at once", True)):
        body = json.dumps({"atomic": atomic, "operations": several}).encode()
        asked.requests[name] = [("POST", "/v1/batch", body)]
    return asked


def fill(app: App, grows: str, size: int) -> Asked:
    """Put this many invoices and expenses of one business, or this many businesses, into an empty database."""
    migrate.upgrade_all(app.db, app.manifests)
    app.start()
    client = Client(app, profile={"name": "Derwent Plumbing"})
    contact = client.post("/v1/contacts", {"name": "Ada Lovelace"})["data"]["id"]
    line = {"description": "Tap", "quantity": 1, "unit_price": 90}
    client.post("/v1/custom_fields", {"resource": "invoices", "key": "depth", "type": "number"})
    new = {"client_id": contact, "line_items": [line], "custom": {"depth": -1}}
    invoice = client.post("/v1/invoices", new)["data"]["id"]
    client.post(f"/v1/invoices/{invoice}/send", None, 200)
    category = client.get("/v1/expense_categories")["data"][0]["id"]
    spent = {"date": "2026-04-01", "amount": 110, "category_id": category, "gst_code": "gst"}
    expense = client.post("/v1/expenses", spent)["data"]["id"]
    rows = size if grows == "invoices" else PER_BUSINESS
    engine = sa.create_engine(app.db.url, poolclass=sa.pool.NullPool)  # SQLite checks no foreign keys there
    with engine.begin() as db:
        rebuild = _without_indexes(db)
        _copy(db, contacts, contact, max(rows // PER_CLIENT, 1), {})
        changed = {
            "client_id": _text("con_", sa.column("i") % max(rows // PER_CLIENT, 1) + FIRST),
            "number": _text("INV-", sa.column("i") + 10_000_000),
            "sequence": sa.column("i") + 10_000_000,
            "search_text": _searched(rows),
            "status": sa.case((sa.column("i") % 5 == 0, "void"), else_="sent"),
        }
        _copy(db, invoices, invoice, rows, changed)
        own = db.execute(sa.select(lines.c.id).where(lines.c.document_id == invoice)).scalar_one()
        _copy(db, lines, own, rows, {"document_id": _text("inv_", sa.column("i") + FIRST)})
        depth = sa.cast(sa.column("i"), sa.BigInteger) * 10_000 + 10**13
        _copy(db, values, invoice, rows, {"value": _text("", sa.column("i")), "comparable": _text("", depth)})
        _copy(db, expenses, expense, rows, {"date": _day(db, sa.column("i"))})
        told = db.execute(sa.select(events.c.id).where(events.c.event == "invoice.created")).scalar_one()
        data = _text('{"id":"inv_', sa.column("i") + FIRST) + '"}'
        _copy(db, events, told, rows, {"sequence": sa.column("i") + BEFORE, "data": data})
        for table in (contacts, invoices, expenses, events):
            its = (counters.c.tenant_id == client.tenant_id) & (counters.c.name == table.name)
            live = sa.select(sa.func.count()).select_from(table).scalar_subquery()
            db.execute(sa.update(counters).where(its).values(number=20_000_000, live=live))
        if grows == "businesses":
            for table in (tenants, counters, categories, *TABLES):
                _to_others(db, table, client.tenant_id, size - 1)
        for statement in rebuild:
            db.exec_driver_sql(statement)
        if app.db.is_sqlite:
            for table in (contacts, invoices, expenses):
                filters.build_index(db, table.name)
    if not app.db.is_sqlite:
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as db:
            db.exec_driver_sql("VACUUM ANALYZE")
    return _requests(app, client.secret, rows)


def _searched(rows: int) -> Any:
    i = sa.column("i", sa.Integer)
    words = sa.case((i % max(rows // 20, 1) == 1, "quokka "), (i % max(rows // 3, 1) == 2, "wombat "), else_="kitchen ")
    return _text("inv-", i + 10_000_000) + "\n" + words + sa.cast(i % 9_973, sa.Text)


def _text(start: str, number: Any) -> Any:
    return sa.literal(start) + sa.cast(number, sa.Text)


def _numbers(count: int) -> Any:
    numbers = sa.select(sa.literal(0).label("i")).cte("numbers", recursive=True)
    return numbers.union_all(sa.select(numbers.c.i + 1).where(numbers.c.i < count - 1))


def _copy(db: sa.Connection, table: sa.Table, id: str, times: int, changed: dict[str, Any]) -> None:
    """Copy a row this many times, each a second newer than the one before."""
    i = sa.column("i", sa.Integer)
    new = {"id": _text(id[:4], i + FIRST), **changed}
    for name in ("created_at", "updated_at"):
        if name in table.c:
            new[name] = _moment(db, i)
    columns = [sa.type_coerce(new[c.name], c.type).label(c.name) if c.name in new else c for c in table.c]
    rows = sa.select(*columns).select_from(table.join(_numbers(times), sa.true())).where(table.c.id == id)
    db.execute(sa.insert(table).from_select([c.name for c in table.c], rows))


def _moment(db: sa.Connection, i: Any) -> Any:
    if db.dialect.name == "postgresql":
        return sa.literal_column("timestamptz '2026-01-01 00:00:00Z' + i * interval '1 second'")
    return sa.func.strftime("%Y-%m-%d %H:%M:%S.000000", "2026-01-01", sa.cast(i, sa.Text) + " seconds")


def _day(db: sa.Connection, i: Any) -> Any:
    """Return a day within a quarter for each business's first rows, and one in the years before for all others."""
    back = sa.case((i < IN_A_QUARTER, i), else_=100 + i % 3_500)
    if db.dialect.name == "postgresql":
        return sa.literal_column("date '2026-06-30'") - back
    return sa.func.date("2026-06-30", "-" + sa.cast(back, sa.Text) + " days")


def _to_others(db: sa.Connection, table: sa.Table, tenant_id: str, others: int) -> None:
    """Copy all rows of a business to this many others."""
    key = table.c.id if table is tenants else table.c.tenant_id
    columns = [_text("ten_", sa.column("i") + FIRST).label(c.name) if c is key else c for c in table.c]
    rows = sa.select(*columns).select_from(table.join(_numbers(others), sa.true())).where(key == tenant_id)
    db.execute(sa.insert(table).from_select([c.name for c in table.c], rows))


def _without_indexes(db: sa.Connection) -> list[str]:
    """Drop what slows a bulk insert; return the statements that restore it."""
    names = ", ".join(f"'{table.name}'" for table in TABLES)
    if db.dialect.name == "sqlite":
        for table in (contacts, invoices, expenses):
            filters.drop_index(db, table.name)
        db.exec_driver_sql("PRAGMA cache_size = -200000")
        found = (
            f"SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL AND tbl_name IN ({names})"
        )
    else:
        db.exec_driver_sql("SET LOCAL session_replication_role = replica; SET LOCAL maintenance_work_mem = '512MB'")
        found = (
            "SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index"
            f" WHERE indrelid::regclass::text IN ({names}) AND NOT indisunique"
        )
    indexes = db.exec_driver_sql(found).all()
    for name, _ in indexes:
        db.exec_driver_sql(f"DROP INDEX {name}")
    return [made for _, made in indexes]


def table(points: list[Point]) -> Iterator[str]:
    """Yield the results for people: the median in ms at each size, and as a multiple of the smallest."""
    for database, grows in dict.fromkeys((p.database, p.grows) for p in points):
        these = [p for p in points if (p.database, p.grows) == (database, grows)]
        yield ""
        title = f"{database}, {grows}"
        yield f"{title:47}" + "".join(f"{size:>20,}" for size in dict.fromkeys(p.size for p in these))
        for operation in dict.fromkeys(p.operation for p in these):
            row = [p for p in these if p.operation == operation]
            yield f"  {operation:45}" + "".join(f"{p.ms:9.2f} ms {p.times:6.2f} x" for p in row)


def draw(points: list[Point], folder: Path) -> None:
    """Draw a picture for each database and each thing that grows."""
    for database, grows in dict.fromkeys((p.database, p.grows) for p in points):
        these = [p for p in points if (p.database, p.grows) == (database, grows)]
        lines = {
            operation: [(p.size, p.times) for p in these if p.operation == operation]
            for operation in dict.fromkeys(p.operation for p in these)
        }
        title = f"Time of a request by {grows}, {'SQLite' if database == 'sqlite' else 'PostgreSQL'}"
        (folder / f"growth-{database}-{grows}.svg").write_text(picture(title, grows, lines), "utf-8")
