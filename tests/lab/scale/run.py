"""Work out what a deployment of so many businesses needs, from the cost of one business's day here (`make scale`).

Real processes serve days of several businesses on PostgreSQL: gunicorn, a worker, and a receiver of webhooks. What they
cost is counted, not timed: CPU time, bytes stored and logged, memory, connections. The rest is arithmetic.
`make scale ARGS=--write` puts the tables and the picture into docs/scale.md.
"""

import argparse
import http.client
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import msgspec

sys.path.append(str(Path(__file__).parents[1] / "bench"))
from data import LINES
from loaded import memory
from needs import LOGS, READS, WRITES, Costs, table, write
from servers import SHIPPED, Server, children, postgresql, settle, tree_cpu_seconds

from billycan.app import App
from billycan.starting import settings
from billycan.testing import Client
from billycan.testing.fixtures import SECRET

HERE = Path(__file__).parent
BILLYCAN = str(Path(sys.executable).with_name("billycan"))
AT_ONCE = 4
WARM_SECONDS = 15.0  # until a worker has done what was due when it started
WAIT_SECONDS = 300.0


class Business(msgspec.Struct):
    """One of the businesses, the records that its day is about, and its connection to the server."""

    secret: str
    contact: str
    category: str
    connection: http.client.HTTPConnection

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Call the API over HTTP; anything but a 2xx ends the run."""
        headers = {"Authorization": f"Bearer {self.secret}", "Content-Type": "application/json"}
        self.connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise SystemExit(f"{method} {path}: {answer.status}: {text.decode()}")
        return json.loads(text)["data"]

    def write_day(self) -> int:
        """Make what a business makes in a day; return the number of requests."""
        spent = {"date": "2026-04-01", "amount": 110, "category_id": self.category, "gst_code": "gst"}
        others = {"contacts": {"name": "Ada Lovelace"}, "expenses": spent}
        document, calls = {"client_id": self.contact, "line_items": LINES}, 0
        for resource, (times, actions) in WRITES.items():
            for _ in range(times):
                made = self.call("POST", f"/v1/{resource}", others.get(resource, document))
                for action, body in actions.items():
                    self.call("POST", f"/v1/{resource}/{made['id']}/{action}", body)
            calls += times * (1 + len(actions))
        return calls

    def read_day(self) -> int:
        """Ask what a business asks in a day; return the number of requests."""
        ids = [each["id"] for each in self.call("GET", "/v1/invoices?per_page=20")]
        calls = 1
        for path, times in READS.items():
            for number in range(times):
                self.call("GET", path.format(id=ids[number % len(ids)], contact=self.contact))
            calls += times
        return calls


def measure(businesses: int, days: int) -> Costs:
    """Let this many businesses have this many days, after one that does not count; return what a day costs."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="billycan-scale-"))
        server = postgresql()
        url = server.database("scale")
        environ = {"BILLYCAN_CONFIG": "/dev/null", "BILLYCAN_DATABASE": url.render_as_string(hide_password=False)}
        environ |= {"BILLYCAN_SECRET": SECRET, "BILLYCAN_SHARED_FOLDER": f"{folder}/shared"}
        environ |= {"BILLYCAN_WEBHOOKS__ALLOW_PRIVATE": "true", "BILLYCAN_WORKERS": "1"}
        subprocess.run([BILLYCAN, "migrate"], env=os.environ | environ, check=True, stdout=subprocess.DEVNULL)
        settle(environ["BILLYCAN_DATABASE"])
        app = stack.enter_context(closing(App(settings.load_settings(environ)).start()))
        receiver = stack.enter_context(_receiver())
        web = Server(
            "billycan.hosting.workers:application()", HERE, ["-c", str(SHIPPED)], environ, Path(folder) / "log"
        )
        stack.callback(web.stop)
        those = [_business(app, web.port, receiver) for _ in range(businesses)]
        pid_file = Path(str(url.query["host"])) / "data" / "postmaster.pid"
        postmaster = int(pid_file.read_text("utf-8").split()[0])
        # The first day does not count: statements are prepared, and caches filled.
        _pass(those, 1, Business.write_day)
        _pass(those, 1, Business.read_day)
        with _worker(environ) as worker:
            _wait_for_deliveries(app)
            cpus: list[Callable[[], float]] = [web.cpu_seconds, lambda: tree_cpu_seconds(postmaster)]
            cpus.append(lambda: tree_cpu_seconds(worker.pid))
            before, state = [cpu() for cpu in cpus], _state(app)
            writes = _pass(those, days, Business.write_day)
            _wait_for_deliveries(app)
            of_writes = [cpu() - earlier for cpu, earlier in zip(cpus, before, strict=True)]
            stored, logged, delivered, for_days = (late - early for late, early in zip(_state(app), state, strict=True))
            worker_mib = memory(worker.pid)
        before = [cpu() for cpu in cpus[:2]]
        reads = _pass(those, days, Business.read_day)
        of_reads = [cpu() - earlier for cpu, earlier in zip(cpus[:2], before, strict=True)]
        of_days = businesses * days
        return Costs(
            writes=writes / of_days,
            reads=reads / of_days,
            deliveries=delivered / of_days,
            web_write_ms=of_writes[0] / writes * 1000,
            web_read_ms=of_reads[0] / reads * 1000,
            database_write_ms=of_writes[1] / writes * 1000,
            database_read_ms=of_reads[1] / reads * 1000,
            worker_delivery_ms=of_writes[2] / delivered * 1000,
            kept_kib=(stored - for_days) / of_days / 1024,
            forgotten_kib=for_days / of_days / 1024,
            logged_kib=logged / of_days / 1024,
            web_mib=max(map(memory, children(web.process.pid))),
            worker_mib=worker_mib,
        )


def _pass(those: list[Business], days: int, have: Callable[[Business], int]) -> int:
    """Let each business have so many days, several at once; return the number of requests."""

    def have_days(one: Business) -> int:
        one.connection.close()  # the server has closed what was idle
        return sum(have(one) for _ in range(days))

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return sum(pool.map(have_days, those))


def _state(app: App) -> tuple[int, int, int, int]:
    """Return the bytes stored and logged by PostgreSQL, the deliveries that arrived, and the bytes of LOGS."""
    logs = ", ".join(f"('{table}')" for table in LOGS)
    with app.db.reading(across="a measurement counts all rows") as db:
        asked = (
            "SELECT pg_database_size(current_database())",
            "SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint",
            "SELECT count(*) FROM webhooks_deliveries WHERE status = 'delivered'",
            f"SELECT sum(pg_total_relation_size(name::regclass)) FROM (VALUES {logs}) AS logs (name)",
        )
        stored, logged, delivered, for_days = (int(db.exec_driver_sql(each).scalar_one()) for each in asked)
        return stored, logged, delivered, for_days


def _wait_for_deliveries(app: App) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    left = "SELECT count(*) FROM webhooks_deliveries WHERE status <> 'delivered'"
    while True:
        with app.db.reading(across="a measurement counts all rows") as db:
            if not db.exec_driver_sql(left).scalar_one():
                return
        if time.monotonic() > deadline:
            raise SystemExit("some deliveries did not arrive")
        time.sleep(0.5)


def _business(app: App, port: int, receiver: int) -> Business:
    client = Client(app)
    contact = client.post("/v1/contacts", {"name": "Ada Lovelace", "email": "ada@example.com"})["data"]["id"]
    category = client.get("/v1/expense_categories")["data"][0]["id"]
    client.post("/v1/webhook_endpoints", {"url": f"http://127.0.0.1:{receiver}/", "events": ["*"]})
    return Business(client.secret, contact, category, http.client.HTTPConnection("127.0.0.1", port, timeout=60))


@contextmanager
def _receiver() -> Iterator[int]:
    """Receive webhooks at a port of loopback."""

    class Receiver(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as receiver:
        threading.Thread(target=receiver.serve_forever, daemon=True).start()
        yield receiver.server_port
        receiver.shutdown()


@contextmanager
def _worker(environ: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """Run a worker that has already done what was due when it started."""
    worker = subprocess.Popen([BILLYCAN, "worker"], env=os.environ | environ)
    try:
        time.sleep(WARM_SECONDS)
        yield worker
    finally:
        worker.terminate()
        worker.wait(30)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--businesses", type=int, default=8)
    parser.add_argument("--days", type=int, default=10)
    parser.add_argument("--write", action="store_true", help="write the tables and the picture of docs/scale.md")
    options = parser.parse_args()
    costs = measure(options.businesses, options.days)
    print(table(costs))
    if options.write:
        write(costs)


if __name__ == "__main__":
    main()
