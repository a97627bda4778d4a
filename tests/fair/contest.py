"""One business floods a server and another one works beside it, on each database and by each kind of worker.

The noisy business keeps all its connections busy with what costs most; the quiet one reads and writes on a connection
of its own, first alone and then beside the noise. PASS where its median is at most 10 times, and its 99th percentile at
most 100 times, the median it had alone, and no answer to anybody is a 5xx.
"""

import argparse
import http.client
import json
import math
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "bench"))
from loaded import load_from
from msgspec import Struct
from servers import SHIPPED, Server, postgresql

from billycan.app import App
from billycan.starting import migrate
from billycan.starting.settings import Config, Settings
from billycan.testing import SECRET, Client

DATABASES, WORKER_CLASSES = ("sqlite", "postgresql"), ("gthread", "gevent")
PLUGINS = "contacts,documents,hosted,invoices,mail,pdf"
MAIL = {"url": "smtp://127.0.0.1:1", "sender": "mail@example.com"}  # nothing is sent: no worker runs
ALONE_SECONDS, PAUSE_SECONDS = 5.0, 0.02
MOST_MEDIAN, MOST_P99 = 10, 100
LINES = [{"description": f"Part {i}", "unit_price": "19.90"} for i in range(5)]
MANY = [{"description": f"Part {i}, as quoted, cut to length on site", "unit_price": "19.90"} for i in range(490)]


class Request(Struct, frozen=True):
    """What somebody asks for again and again."""

    method: str
    path: str
    body: object = None

    @property
    def sent(self) -> str:
        return "" if self.body is None else json.dumps(self.body)

    def on_wire(self, key: str) -> str:
        """As the load client sends it."""
        head = f"{self.method} {self.path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {key}\r\n"
        return f"{head}Content-Type: application/json\r\nContent-Length: {len(self.sent)}\r\n\r\n{self.sent}"


class Noise(Struct, frozen=True):
    """A way to be noisy: what each connection asks for, and the key that it does so with."""

    name: str
    connections: Sequence[tuple[Request, str]]


class Timed(Struct):
    """The seconds that each answer took, by method, and how many there were of each status."""

    seconds: dict[str, list[float]]
    statuses: Counter[str]


class Outcome(Struct):
    """What became of the quiet business's requests of one method beside a noise: seconds."""

    method: str
    alone: float
    median: float
    p99: float
    most: float

    @property
    def is_well(self) -> bool:
        return self.median <= MOST_MEDIAN * self.alone and self.p99 <= MOST_P99 * self.alone

    def __str__(self) -> str:
        ms = [f"{seconds * 1000:8.1f}" for seconds in (self.alone, self.median, self.p99, self.most)]
        times = f"{self.median / self.alone:6.1f} x {self.p99 / self.alone:6.1f} x"
        return f"{self.method:5}" + "".join(ms) + f"  {times}  {'' if self.is_well else 'FAIL'}"


def application(url: str, folder: Path) -> App:
    """The app of the database, migrated."""
    settings = Settings(database=url, secret=SECRET, shared_folder=str(folder / "shared"), plugins=PLUGINS)
    app = App(Config(settings, {"mail": MAIL}))
    migrate.upgrade(app.db, app.manifests)
    return app.start()


def noises(app: App, connections: int, is_limited: bool) -> list[Noise]:
    """The noises of one sandbox, with five keys that have the default limits or next to none."""
    live = Client(app, profile={"name": "Noisy"})
    noisy = live.sandbox()
    limits = {"per_minute": 100, "per_second": 20} if is_limited else {}
    keys = [Client(app, noisy.tenant_id, **limits).secret for _ in range(5)]
    contact = noisy.post("/v1/contacts", {"name": "Ada", "email": "ada@example.com"})["data"]["id"]
    bodies = [{"client_id": contact, "line_items": each} for each in (LINES, MANY)]
    small, heavy = (f"/v1/invoices/{noisy.post('/v1/invoices', body)['data']['id']}" for body in bodies)
    noisy.post(f"{heavy}/send", status=200)
    contacts, duplicates = Request("POST", "/v1/contacts", {"name": "Ada"}), Request("POST", f"{small}/duplicate")
    pdf = Request("GET", f"{heavy}.pdf")
    email = Request("POST", f"{heavy}/email", {"to": ["ada@example.com"], "attach_pdf": True})
    page = Request("GET", "/v1/invoices?per_page=100")

    def mixed(name: str, many: Request, few: Request) -> Noise:
        asked = [few, few, *[many] * (connections - 2)]
        return Noise(name, [(each, keys[i % len(keys)]) for i, each in enumerate(asked)])

    return [
        mixed("contacts, emails", contacts, email),
        mixed("duplicates, emails", duplicates, email),
        mixed("contacts, PDFs", contacts, pdf),
        mixed("duplicates", duplicates, duplicates),
        mixed("lists", page, page),
    ]


@contextmanager
def served(url: str, folder: Path, worker_class: str, workers: int = 2) -> Iterator[Server]:
    """gunicorn as it is shipped."""
    environ = {
        "BILLYCAN_DATABASE": url,
        "BILLYCAN_SECRET": SECRET,
        "BILLYCAN_PLUGINS": PLUGINS,
        "BILLYCAN_SHARED_FOLDER": str(folder / "shared"),
        "BILLYCAN_WORKER_CLASS": worker_class,
        "BILLYCAN_WORKERS": str(workers),
        **{f"BILLYCAN_MAIL__{name.upper()}": text for name, text in MAIL.items()},
    }
    log = folder / f"{worker_class}.log"
    server = Server("billycan.hosting.workers:application()", folder, ["-c", str(SHIPPED)], environ, log)
    try:
        yield server
    finally:
        server.stop()


def ask(server: Server, requests: Sequence[Request], key: str, seconds: float) -> Timed:
    """Ask one after the other on one connection, with a pause after each, until the time is over."""
    timed = Timed({}, Counter())
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    until, number = time.monotonic() + seconds, 0
    while time.monotonic() < until:
        request = requests[number % len(requests)]
        number += 1
        began = time.perf_counter()
        connection.request(request.method, request.path, request.sent or None, headers)
        answer = connection.getresponse()
        answer.read()
        timed.seconds.setdefault(request.method, []).append(time.perf_counter() - began)
        timed.statuses[str(answer.status)] += 1
        time.sleep(PAUSE_SECONDS)
    connection.close()
    return timed


def contend(server: Server, quiet: Client, noise: Noise, seconds: float) -> tuple[list[Outcome], Timed, Counter[str]]:
    """What becomes of a quiet business beside a noise; its answers then, and the statuses of the noise's own."""
    requests = [Request("GET", "/v1/contacts"), Request("POST", "/v1/contacts", {"name": "Grace"})]
    ask(server, requests, quiet.secret, 1.0)
    alone = ask(server, requests, quiet.secret, ALONE_SECONDS)
    lines = [[request.on_wire(key)] for request, key in noise.connections]
    with ThreadPoolExecutor(1) as pool:
        load = pool.submit(load_from, server, lines, seconds + 1)
        time.sleep(1.0)  # until all are at work
        beside = ask(server, requests, quiet.secret, seconds)
        statuses = Counter(load.result()["statuses"])
    outcomes = [
        Outcome(
            method,
            statistics.median(alone.seconds[method]),
            statistics.median(took),
            sorted(took)[math.ceil(0.99 * len(took)) - 1],
            max(took),
        )
        for method, took in sorted(beside.seconds.items())
    ]
    return outcomes, beside, statuses


def run(database: str, worker_class: str, options: argparse.Namespace) -> bool:
    """Hold the contests of one database and kind of worker, and tell of each; whether all went well."""
    with tempfile.TemporaryDirectory(prefix="billycan-fair-") as name:
        folder, all_well = Path(name), True
        url = f"sqlite:///{folder}/fair.db"
        if database == "postgresql":
            url = postgresql().database("fair").render_as_string(hide_password=False)
        app = application(url, folder)
        quiet = Client(app, profile={"name": "Quiet"})
        for noise in noises(app, options.connections, options.limited):
            if options.noise and options.noise not in noise.name:
                continue
            with served(url, folder, worker_class) as server:
                outcomes, beside, statuses = contend(server, quiet, noise, options.seconds)
            failed = [each for each in (*beside.statuses, *statuses) if each[0] == "5"]
            all_well &= not failed and all(outcome.is_well for outcome in outcomes)
            print(f"{database}, {worker_class}, beside {noise.name}")
            for outcome in outcomes:
                print(f"  {outcome}")
            told = f"quiet {dict(beside.statuses)}, noisy {dict(statuses)}"
            print(f"  answers: {told}{' FAIL' * bool(failed)}", flush=True)
        app.close()
        return all_well


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10, help="of each noise")
    parser.add_argument("--connections", type=int, default=20, help="of the noisy business")
    parser.add_argument("--limited", action="store_true", help="its keys have the default limits, not next to none")
    parser.add_argument("--noise", default="", help="only those whose name has this in it")
    parser.add_argument("--database", choices=DATABASES, help="one of them only")
    parser.add_argument("--worker-class", choices=WORKER_CLASSES, help="one of them only")
    options = parser.parse_args()
    print("                alone  median     p99    most (ms)  median and p99 as multiples of the median alone")
    well = [
        run(database, worker_class, options)
        for database in ([options.database] if options.database else DATABASES)
        for worker_class in ([options.worker_class] if options.worker_class else WORKER_CLASSES)
    ]
    sys.exit(0 if all(well) else 1)


if __name__ == "__main__":
    main()
