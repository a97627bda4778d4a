"""Two hosts and a worker go to the next release one after the other, and back, while everybody goes on working."""

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter

import pytest
import sqlalchemy as sa

from billycan.hosting import gunicorn_conf
from billycan.testing import throwaway
from billycan.testing.fixtures import SECRET

pytestmark = pytest.mark.long

FIRST = '''
from typing import Annotated

import sqlalchemy as sa
from msgspec import Meta

from billycan import Context, Manifest, NewResource, Page, Patch, Query, Resource, Route, resource


class NewTrip(NewResource, kw_only=True):
    """A trip to record.

    km: How long it is, in kilometres.
    """

    km: Annotated[int, Meta(ge=0, le=10_000)]


class Trip(Resource):
    """A trip as it is shown."""

    km: int


trips = resource("trips", sends=NewTrip, shows=Trip, prefix="trp")


def list_trips(ctx: Context, query: Query[Trip]) -> Page[Trip]:
    """All trips."""
    return trips.records.page(ctx, query)


def create_trip(ctx: Context, body: NewTrip) -> Trip:
    """Record a trip."""
    return trips.records.add(ctx, body)


def update_trip(ctx: Context, id: str, body: Patch[NewTrip]) -> Trip:
    """Change a trip."""
    return trips.records.change(ctx, id, body)[0]


manifest = Manifest(
    name="trips",
    tables=(trips.table,),
    routes=(
        Route("GET", "/v1/trips", list_trips, scope="trips:read"),
        Route("POST", "/v1/trips", create_trip, scope="trips:write", status=201),
        Route("PATCH", "/v1/trips/{id}", update_trip, scope="trips:write"),
    ),
)
'''
# The next release stores metres, too. It writes both, and goes on reading what the first release writes alone.
NEXT = (
    FIRST.replace("    km: int\n\n\ntrips", "    km: int\n    metres: int | None\n\n\ntrips")
    .replace("add(ctx, body)", "add(ctx, body, metres=body.km * 1000)")
    .replace(
        "    return trips.records.change(ctx, id, body)[0]",
        "    km = body.over(trips.records.lock(ctx, id)._mapping).km\n"
        "    return trips.records.change(ctx, id, body, metres=km * 1000)[0]",
    )
)
TABLE = '''
"""Create the table of trips."""

import sqlalchemy as sa
from alembic import op

from billycan.migrations import create_resource_table

revision, down_revision = "trips_0001", None


def upgrade() -> None:
    create_resource_table(op, "trips", sa.Column("km", sa.Integer, nullable=False))


def downgrade() -> None:
    op.drop_table("trips")
'''
COLUMN = '''
"""Store metres beside kilometres."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "trips_0002", "trips_0001"


def upgrade() -> None:
    op.add_column("trips", sa.Column("metres", sa.Integer))


def fill(db: sa.Connection, tenant_id: str) -> int:
    """Fill the metres of ten trips, also of those that the first release has changed since."""
    trips = sa.table("trips", *map(sa.column, ("tenant_id", "id", "km", "metres")))
    its, metres = trips.c.tenant_id == tenant_id, trips.c.km * 1000
    some = sa.select(trips.c.id).where(its, trips.c.metres.is_distinct_from(metres)).limit(10)
    return db.execute(sa.update(trips).where(its, trips.c.id.in_(some)).values(metres=metres)).rowcount


def downgrade() -> None:
    op.drop_column("trips", "metres")
'''
ROWS = 400


class Host:
    """A host with an installed release, whose web server is reloaded as `systemctl reload billycan-web` does it."""

    def __init__(self, folder, environ):
        self.folder, self.installed = folder, folder / "installed"
        folder.mkdir()
        self._held = throwaway.hold_port()
        self.port = self._held.getsockname()[1]
        self.environ = environ | {
            "PYTHONPATH": str(self.installed),
            "BILLYCAN_BIND": f"127.0.0.1:{self.port}",
            "BILLYCAN_SHARED_FOLDER": str(folder / "shared"),
        }
        self._running = []

    def install(self, release):
        link = self.folder / "link"
        link.symlink_to(release)
        link.rename(self.installed)

    def run(self, *words):
        done = subprocess.run(
            [sys.executable, "-m", "billycan.tools.cli", *words], env=self.environ, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode()
        return json.loads(done.stdout)

    def start(self, *command):
        with (self.folder / "log").open("ab") as log:
            self._running.append(subprocess.Popen([sys.executable, "-m", *command], env=self.environ, stderr=log))
        return self._running[-1]

    def serve(self):
        self.web = self.start("gunicorn", "-c", gunicorn_conf.__file__, "billycan.hosting.workers:application()")

    def web_workers(self):
        children = f"/proc/{self.web.pid}/task/{self.web.pid}/children"
        with open(children, encoding="utf-8") as file:  # noqa: PTH123 - no file, but what the kernel says
            return {*file.read().split()}

    def reload(self, release):
        """Install a release, and wait until none of the processes of the one before is left."""
        before = self.web_workers()
        self.install(release)
        self.web.send_signal(signal.SIGHUP)
        until(lambda: not before & self.web_workers() and self.is_ready())

    def is_ready(self):
        try:
            return self.call("GET", "/-/ready")[0] == 200
        except OSError:
            return False

    def call(self, method, path, body=None, key=""):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())["data"] if path.startswith("/v1") else None
        finally:
            connection.close()

    def close(self):
        for process in self._running:
            process.terminate()
        for process in self._running:
            process.wait(60)
        self._held.close()


class Client(threading.Thread):
    """Somebody who goes on recording and changing trips on both hosts in turn, until `stop`."""

    def __init__(self, hosts, key, stop):
        super().__init__()
        self.hosts, self.key, self.stop = hosts, key, stop
        self.statuses, self.longest = Counter(), 0.0

    def run(self):
        turn = 0
        while not self.stop.wait(0.02):
            turn += 1
            made = self._call(turn, "POST", "/v1/trips", {"km": turn % 100})
            if made:
                self._call(turn + 1, "PATCH", f"/v1/trips/{made['id']}", {"km": turn % 100 + 1})
            self._call(turn, "GET", "/v1/trips?per_page=5")

    def _call(self, turn, *what):
        began = time.monotonic()
        try:
            status, data = self.hosts[turn % 2].call(*what, key=self.key)
        except (OSError, http.client.HTTPException):
            status, data = "cut", None
        self.longest = max(self.longest, time.monotonic() - began)
        self.statuses[status] += 1
        return data


def until(is_so, seconds=120):
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.05)


@pytest.fixture
def releases(tmp_path):
    """The folders of two releases of the plugin trips, as pip would leave them."""
    found = []
    for version, code, migrations in (("1.0.0", FIRST, [TABLE]), ("1.1.0", NEXT, [TABLE, COLUMN])):
        folder, told = tmp_path / version, f"billycan_trips-{version}.dist-info"
        files = {
            "billycan_trips/__init__.py": "",
            "billycan_trips/plugin.py": code,
            f"{told}/METADATA": f"Name: billycan-trips\nVersion: {version}\n",
            f"{told}/entry_points.txt": "[billycan.plugins]\ntrips = billycan_trips.plugin\n",
            **{f"billycan_trips/migrations/trips_{n:04}_trips.py": text for n, text in enumerate(migrations, 1)},
        }
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, "utf-8")
        found.append(folder)
    return found


@pytest.fixture
def hosts(engine, databases, tmp_path, releases):
    """Two hosts that serve the first release, and a third for its worker and for commands."""
    environ = {k: v for k, v in os.environ.items() if not k.startswith("BILLYCAN_")} | {
        "BILLYCAN_CONFIG": os.devnull,
        "BILLYCAN_DATABASE": databases.empty(engine),
        "BILLYCAN_SECRET": SECRET,
        "BILLYCAN_PLUGINS": "trips",
        "BILLYCAN_WORKERS": "1",
        **{f"BILLYCAN_{name}": "100000" for name in ("PER_MINUTE", "PER_SECOND")},
        **{f"BILLYCAN_BUSINESS_{name}": "100000" for name in ("PER_MINUTE", "PER_SECOND")},
    }
    found = [Host(tmp_path / name, environ) for name in ("web1", "web2", "worker")]
    try:
        for host in found:
            host.install(releases[0])
        found[-1].run("migrate", "--json")
        for host in found[:-1]:
            host.serve()
        until(lambda: all(host.is_ready() for host in found[:-1]))
        yield found
    finally:
        for host in found:
            host.close()


@pytest.fixture
def database(hosts):
    """Run a statement, `database(statement)`, and return its first value."""
    engine = sa.create_engine(hosts[0].environ["BILLYCAN_DATABASE"])

    def run(statement):
        with engine.begin() as db:
            found = db.execute(sa.text(statement))
            return found.scalar() if found.returns_rows else None

    yield run
    engine.dispose()


@pytest.fixture
def clients(hosts):
    """Two businesses that use both web hosts until the end, the first of which has many trips already."""
    keys = [hosts[-1].run("tenants", "create", name, "--json")["keys"]["live"] for name in ("Ada", "Bob")]
    for number in range(ROWS):
        assert hosts[0].call("POST", "/v1/trips", {"km": number}, keys[0])[0] == 201
    stop = threading.Event()
    found = [Client(hosts, key, stop) for key in keys]
    for client in found:
        client.start()
    yield found
    stop.set()
    for client in found:
        client.join()


def test_no_request_fails_from_release_to_release_host_by_host_and_back(hosts, database, clients, releases):
    first, after = releases
    *webs, works = hosts
    worker = works.start("billycan.tools.cli", "worker")

    def work_on():
        seen = [(client, sum(client.statuses.values())) for client in clients]
        until(lambda: all(sum(client.statuses.values()) >= count + 20 for client, count in seen))

    def go(hosts, release):
        for host in hosts:
            host.reload(release)
            work_on()

    def restart_worker():
        worker.wait(60)
        database("DELETE FROM core_tasks")  # what is due each minute is due now
        return works.start("billycan.tools.cli", "worker")

    until(lambda: database("SELECT count(*) FROM core_tasks"))  # it is at work
    work_on()
    works.install(after)
    assert works.run("migrate", "--json")["changed"] == ["trips: trips_0001 -> trips_0002"]
    work_on()  # the first release on the tables of the next
    go(webs, after)
    worker.terminate()
    worker = restart_worker()
    until(lambda: (database("SELECT sum(filled) FROM core_fills") or 0) > 0)
    worker.kill()
    worker = restart_worker()
    businesses = database("SELECT count(*) FROM core_tenants")
    until(lambda: database("SELECT count(*) FROM core_fills WHERE is_done") == businesses)
    assert database("SELECT count(*) FROM trips WHERE metres IS NULL OR metres != km * 1000") == 0
    (shown,) = works.run("migrate", "--status", "--json")["fills"]
    assert shown["done"] == shown["businesses"] == businesses and shown["filled"] >= ROWS
    go(reversed(webs), first)  # and back again: the first release goes on with the tables of the next
    worker.terminate()
    works.install(first)
    restart_worker()
    assert works.run("migrate", "--json")["changed"] == []
    work_on()
    answers = sum((client.statuses for client in clients), Counter())
    assert {*answers} == {200, 201}, answers
    assert max(client.longest for client in clients) < 10, "a request's patience"
