"""Measure what billycan costs beside the floor: a bare Falcon app that runs the same SQL by hand (`make bench`).

Both are served by gunicorn with the same settings and asked for the same things, in turns, by one load client with
keep-alive connections. Before anything is measured, their answers are compared, member by member.
"""

import argparse
import http.client
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import msgspec
from data import LINES, PLUGINS, SECRET, Filled, Sizes, application, fill
from servers import SHIPPED, Server, children, cpu_seconds

from billycan import throwaway

PER_PAGE = 25
MOST = 100_000  # requests of one turn
BAR = 40
# Durable, as in production, and with room for the larger tables.
POSTGRESQL = {"fsync": "on", "full_page_writes": "on", "shared_buffers": "512MB", "max_wal_size": "4GB"}


class Asked(msgspec.Struct):
    """What an operation asks of a tenant: one path after another."""

    tenant: str
    paths: list[str]
    body: str = ""


class Target(msgspec.Struct):
    """One of the two servers, how each connection names itself to it, and its own cursor to the last page."""

    name: str
    server: Server
    headers: dict[str, list[str]]
    cursor: str = ""

    def ask(self, asked: Asked) -> Any:
        """The decoded answer to an operation, numbers as they are written."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        header, _, value = self.headers[asked.tenant][0].partition(": ")
        headers = {header: value, "Content-Type": "application/json"}
        connection.request("POST" if asked.body else "GET", asked.paths[0], asked.body or None, headers)
        answer = connection.getresponse()
        body = answer.read()
        if answer.status >= 300:
            raise SystemExit(f"{self.name} answered {answer.status} to {asked.paths[0]}: {body.decode()}")
        return json.loads(body, parse_float=str)


class Turn(msgspec.Struct):
    """One turn of one server: requests a second, µs for each, and µs of CPU that one took."""

    per_second: float
    microseconds: list[int]
    server_cpu: float
    database_cpu: float


class Figures(msgspec.Struct):
    """All turns of one server, as medians."""

    per_second: float
    p50_ms: float
    p99_ms: float
    server_cpu_us: float
    database_cpu_us: float


class Result(msgspec.Struct):
    """One operation: both servers' figures, and the median over the rounds of billycan's rate to the floor's."""

    database: str
    operation: str
    billycan: Figures
    floor: Figures
    ratio: float


def operations(filled: Filled, sizes: Sizes, cursor: str) -> dict[str, Asked]:
    """What is measured, by name."""
    new = {"client_id": filled.client_id, "reference": "Kitchen", "line_items": LINES}
    return {
        f"list 25 of {sizes.invoices:,} invoices": Asked("books", ["/v1/invoices"]),
        "get one invoice": Asked("books", [f"/v1/invoices/{id}" for id in filled.invoices]),
        "create with 5 lines": Asked("maker", ["/v1/invoices"], json.dumps(new)),
        f"search {sizes.contacts:,} contacts": Asked("books", ["/v1/contacts?search=patel"]),
        f"page 1 of {sizes.deep:,}": Asked("deep", ["/v1/contacts"]),
        f"page {sizes.deep // PER_PAGE:,} by cursor": Asked("deep", [f"/v1/contacts?cursor={cursor}"]),
    }


def turn(target: Target, asked: Asked, postgres: int | None, seconds: float) -> Turn:
    """Let the load client ask for so long; any answer but a 2xx ends the run."""
    method = "POST" if asked.body else "GET"
    end = f"Content-Type: application/json\r\nContent-Length: {len(asked.body)}\r\n\r\n{asked.body}"
    connections = [
        [f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{header}\r\n{end}" for path in asked.paths]
        for header in target.headers[asked.tenant]
    ]
    job = {"port": target.server.port, "seconds": seconds, "most": MOST, "connections": connections}
    server, database = target.server.cpu_seconds(), _postgres_cpu(postgres)
    client = [sys.executable, str(Path(__file__).with_name("load.py"))]
    done = json.loads(subprocess.run(client, input=json.dumps(job), capture_output=True, check=True, text=True).stdout)
    answers = len(done["microseconds"])
    if any(status[0] != "2" for status in done["statuses"]):
        raise SystemExit(f"{target.name} answered {done['statuses']} to {asked.paths[0]}")
    return Turn(
        per_second=answers / done["seconds"],
        microseconds=done["microseconds"],
        server_cpu=(target.server.cpu_seconds() - server) / answers * 1e6,
        database_cpu=(_postgres_cpu(postgres) - database) / answers * 1e6,
    )


def _postgres_cpu(postmaster: int | None) -> float:
    return sum(map(cpu_seconds, children(postmaster))) if postmaster else 0.0


def figures(turns: list[Turn]) -> Figures:
    latencies = sorted(us for turn in turns for us in turn.microseconds)
    return Figures(
        per_second=statistics.median(turn.per_second for turn in turns),
        p50_ms=latencies[len(latencies) // 2] / 1000,
        p99_ms=latencies[len(latencies) * 99 // 100] / 1000,
        server_cpu_us=statistics.median(turn.server_cpu for turn in turns),
        database_cpu_us=statistics.median(turn.database_cpu for turn in turns),
    )


def compare(database: str, options: argparse.Namespace, sizes: Sizes) -> Iterator[Result]:
    """Measure every operation on one database, round by round."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="billycan-bench-")))
        tell(f"{database}: adding {sizes.invoices + sizes.contacts + sizes.deep:,} rows")
        url, postmaster = f"sqlite:///{folder}/bench.db", None
        if database == "postgresql":
            server = throwaway.start(**POSTGRESQL)
            assert server is not None
            postmaster = int((Path(str(server.url.query["host"])) / "data" / "postmaster.pid").read_text().split()[0])
            url = server.database("bench").render_as_string(hide_password=False)
        app = application(url, str(folder / "shared"))
        filled = fill(app, sizes, options.connections)
        app.close()
        targets = [stack.enter_context(serving(name, url, filled, folder, options)) for name in ("billycan", "floor")]
        for target in targets:
            # Paging there by OFFSET once gives each its own cursor.
            page = Asked("deep", [f"/v1/contacts?page={sizes.deep // PER_PAGE - 1}"])
            target.cursor = target.ask(page)["pagination"]["next_cursor"]
        asked = [operations(filled, sizes, target.cursor) for target in targets]
        names = [name for name in asked[0] if not options.only or options.only in name]
        for name in names:
            answers = [target.ask(each[name]) for target, each in zip(targets, asked, strict=True)]
            if paths := {*differing(*answers, made_anew=bool(asked[0][name].body))}:
                tell(f"{database}: {name}: THE ANSWERS DIFFER in {', '.join(sorted(paths))}: mend floor.py")
        turns: dict[str, list[list[Turn]]] = {name: [] for name in names}
        for round_ in range(-1, options.rounds):
            for name in names:
                tell(f"{database}: round {round_ + 1} of {options.rounds}: {name}")
                # Who goes first changes; the round before the first warms up and is thrown away.
                order = list(zip(targets, asked, strict=True))[:: -1 if round_ % 2 else 1]
                seconds = options.seconds if round_ >= 0 else min(0.5, options.seconds)
                found = {t.name: turn(t, each[name], postmaster, seconds) for t, each in order}
                if round_ >= 0:
                    turns[name].append([found[target.name] for target in targets])
    for name in names:
        ratio = statistics.median(ours.per_second / floor.per_second for ours, floor in turns[name])
        ours, floor = (figures(list(each)) for each in zip(*turns[name], strict=True))
        yield Result(database, name, ours, floor, ratio)


@contextmanager
def serving(name: str, url: str, filled: Filled, folder: Path, options: argparse.Namespace) -> Iterator[Target]:
    """One of the two, under gunicorn with the settings billycan ships or the same ones given by hand."""
    kind, workers, threads = options.worker_class, str(options.workers), str(options.threads)
    if name == "billycan":
        given = ["-c", str(SHIPPED)]
        environ = {"BILLYCAN_WORKER_CLASS": kind, "BILLYCAN_WORKERS": workers, "BILLYCAN_THREADS": threads}
        environ |= {"BILLYCAN_DATABASE": url, "BILLYCAN_SECRET": SECRET, "BILLYCAN_PLUGINS": PLUGINS}
        environ |= {"BILLYCAN_SHARED_FOLDER": str(folder / "shared")}
        wsgi = "billycan.hosting:application()"
        headers = {t: [f"Authorization: Bearer {key}" for key in keys] for t, keys in filled.keys.items()}
    else:
        given = ["-c", "/dev/null", "--worker-class", kind, "--workers", workers, "--keep-alive", "5"]
        given += ["--threads", threads] if kind == "gthread" else []
        given += ["--worker-tmp-dir", "/dev/shm", "--no-control-socket"]
        environ = {"FLOOR_DATABASE": url.removeprefix("sqlite:///").replace("postgresql+psycopg:", "postgresql:")}
        wsgi = "floor:application"
        headers = {t: [f"X-Tenant: {id}"] * options.connections for t, id in filled.tenants.items()}
    server = Server(wsgi, Path(__file__).parent, given, environ, folder / f"{name}.log")
    try:
        yield Target(name, server, headers)
    finally:
        server.stop()


def differing(ours: Any, floor: Any, made_anew: bool, path: str = "") -> Iterator[str]:
    """The members that the two answers do not share, or not with the same value; where each makes a record, ids may."""
    if isinstance(ours, dict) and isinstance(floor, dict):
        anew = ("next_cursor", "prev_cursor", *(("id", "number", "created_at", "updated_at") if made_anew else ()))
        for name in sorted({*ours, *floor} - {*anew}):
            yield from differing(ours.get(name, "none"), floor.get(name, "none"), made_anew, f"{path}.{name}")
    elif isinstance(ours, list) and isinstance(floor, list) and len(ours) == len(floor):
        for one, other in zip(ours, floor, strict=True):
            yield from differing(one, other, made_anew, f"{path}[]")
    elif ours != floor:
        yield path


def table(results: list[Result]) -> Iterator[str]:
    """The results for people: numbers, and bars of the rate beside the floor's."""
    for database in dict.fromkeys(result.database for result in results):
        yield ""
        yield f"{database:33} {'requests a second':>25}   {'p50, p99 ms':>15}   {'CPU us a request':>17}  of the floor"
        yield f"{'':33} {'floor':>12} {'billycan':>12}   {'billycan':>15}   {'floor':>8} {'billycan':>8}  rate   CPU"
        for r in results:
            if r.database == database:
                cpus = [f.server_cpu_us + f.database_cpu_us for f in (r.floor, r.billycan)]
                yield (
                    f"{r.operation:33} {r.floor.per_second:12,.0f} {r.billycan.per_second:12,.0f}"
                    f"   {r.billycan.p50_ms:7.2f} {r.billycan.p99_ms:7.2f}   {cpus[0]:8,.0f} {cpus[1]:8,.0f}"
                    f"  {r.ratio:4.2f}  {cpus[1] / cpus[0]:4.2f}"
                )
        yield ""
        for r in results:
            if r.database == database:
                filled = round(BAR * r.ratio)
                yield f"{r.operation:33} {'█' * filled}{'░' * (BAR - filled)} {r.ratio:.2f}"


def tell(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="half a minute: fewer rows and one short round")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--database", choices=("sqlite", "postgresql"), help="one of them only")
    parser.add_argument("--only", help="operations whose name holds this")
    parser.add_argument("--worker-class", default="gthread", choices=("gthread", "sync", "gevent"))
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--rounds", type=int, help="how often each server has its turn (default 4)")
    parser.add_argument("--seconds", type=float, help="of each turn (default 1.5)")
    options = parser.parse_args()
    options.rounds = options.rounds or (1 if options.quick else 4)
    options.seconds = options.seconds or (0.5 if options.quick else 1.5)
    sizes = Sizes(contacts=20_000, deep=100_000) if options.quick else Sizes()
    databases = [options.database] if options.database else ["sqlite", "postgresql"]
    if "postgresql" in databases and throwaway.find() is None:
        tell("postgresql: NOT MEASURED: no server programs in /usr/lib/postgresql/*/bin or on PATH")
        databases.remove("postgresql")
    results = [result for database in databases for result in compare(database, options, sizes)]
    if options.json:
        print(msgspec.json.format(msgspec.json.encode(results)).decode())
    else:
        print("\n".join(table(results)))


if __name__ == "__main__":
    main()
