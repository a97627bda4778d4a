"""Measure billycan beside its floor and beside the same service in Django REST Framework and FastAPI (`make bench`).

The floor is a bare Falcon app that runs the same SQL by hand; the peers are in peers/. On PostgreSQL there is also
billycan behind row-level security, on a copy of the database, and billycan with its log of requests on, to show the
cost of each; with `--against plain`, billycan whose statements SQLAlchemy runs by itself; with `--against pooled`,
billycan behind PgBouncer in transaction mode, whose CPU is not counted. All serve the same rows with as many processes
and threads, and receive the same requests, in turns, from one load client with keep-alive connections. Their answers
are compared byte by byte before anything is measured.
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
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import growth
import loaded
import msgspec
import sqlalchemy as sa
from answers import decoded, differences, members
from data import LINES, LOGGED, PLUGINS, SECRET, Filled, Sizes, application, fill
from servers import SHIPPED, TICK_SECONDS, Server, postgresql, settle, tree_cpu_seconds

from billycan.db import Database
from billycan.starting import migrate, policies
from billycan.testing import throwaway

HERE = Path(__file__).parent
PEERS = Path(sys.prefix) / "peers" / "bin" / "python"  # `make bench` puts it there
OTHERS = {"floor": "tests/lab/bench/floor.py", "drf": "tests/lab/bench/peers/drf"}
OTHERS["fastapi"] = "tests/lab/bench/peers/fast"
OTHERS["hardened"] = "core/billycan/starting/policies.py"
OTHERS["logged"] = "plugins/requests"
OTHERS["pooled"] = "core/billycan/engines/postgres.py"  # behind PgBouncer in transaction mode
OTHERS["plain"] = "core/billycan/engines"  # with the setting plain_sql
OURS = ("billycan", "hardened", "logged", "pooled", "plain")
ON_POSTGRESQL_ALONE = ("fastapi", "hardened", "pooled")  # asyncpg knows no other; and no other has row-level security
ROLE = "billycan_web"
PER_PAGE = 25
MOST = 100_000  # requests of one turn


class Asked(msgspec.Struct):
    """The requests of an operation to one tenant, one path after another. Some operations leave the peers out."""

    tenant: str
    paths: list[str]
    body: str = ""
    of_peers: bool = True


class Target(msgspec.Struct):
    """One of the servers, the headers of each connection to it, and its own cursor to the last page."""

    name: str
    server: Server
    headers: dict[str, list[str]]
    cursor: str = ""

    def ask(self, tenant: str, path: str, body: str = "") -> bytes:
        """Return the body of an answer; anything but a 2xx ends the run."""
        header, _, value = self.headers[tenant][0].partition(": ")
        headers = {header: value, "Content-Type": "application/json"}
        with closing(http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)) as connection:
            connection.request("POST" if body else "GET", path, body or None, headers)
            answer = connection.getresponse()
            text = answer.read()
        if answer.status >= 300:
            log = self.server.log.read_text("utf-8")
            raise SystemExit(f"{self.name} answered {answer.status} to {path}: {text.decode()}\n{log}")
        return text


class Turn(msgspec.Struct):
    """One turn of one server: requests a second, µs for each, and µs of CPU for each."""

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


class Ratio(msgspec.Struct):
    """The rate and the CPU of billycan, PostgreSQL's included, as multiples of another's: medians over the rounds."""

    rate: float
    cpu: float


class Result(msgspec.Struct):
    """One operation: the figures of each server by its name, and billycan's ratio to each other."""

    database: str
    operation: str
    figures: dict[str, Figures]
    billycan_to: dict[str, Ratio]


def operations(filled: Filled, sizes: Sizes, cursor: str) -> dict[str, Asked]:
    """Map the name of each operation to its requests."""
    new = {"client_id": filled.client_id, "reference": "Kitchen", "line_items": LINES}
    return {
        f"list 25 of {sizes.invoices:,} invoices": Asked("books", ["/v1/invoices"]),
        "get one invoice": Asked("books", [f"/v1/invoices/{id}" for id in filled.invoices]),
        "create with 5 lines": Asked("maker", ["/v1/invoices"], json.dumps(new)),
        f"search {sizes.contacts:,} contacts": Asked("books", ["/v1/contacts?search=patel"], of_peers=False),
        f"page 1 of {sizes.deep:,}": Asked("deep", ["/v1/contacts"], of_peers=False),
        f"page {sizes.deep // PER_PAGE:,} by cursor": Asked("deep", [f"/v1/contacts?cursor={cursor}"], of_peers=False),
    }


def members_of(billycan: Target, filled: Filled) -> dict[str, list[str]]:
    """Return the names of the members that billycan answers now; its first invoice is a draft, its second is paid."""
    paths = "/v1/invoices", f"/v1/invoices/{filled.invoices[1]}", "/v1/contacts"
    return members(*(decoded(billycan.ask("books", path)) for path in paths))


def check(target: Target, asked: dict[str, Asked], billycan: Target, ours: dict[str, Asked]) -> None:
    """End the run if a server's answer differs from billycan's, or if billycan reads what it made differently."""
    faults = []
    for name, each in asked.items():
        # A few of the records suffice: of each five in a row one is a draft, one is sent, and the others are paid.
        for path, our_path in zip(each.paths[:5], ours[name].paths[:5], strict=True):
            answers = [t.ask(each.tenant, p, each.body) for t, p in ((billycan, our_path), (target, path))]
            faults += [f"{name}: {path}" for path in differences(*answers, made_anew=bool(each.body))]
        if each.body:
            made = decoded(answers[1])["data"]
            again = decoded(billycan.ask(each.tenant, f"{each.paths[0]}/{made['id']}"))["data"]
            faults += [f"{name}: billycan reads another {member}" for member in made if made[member] != again[member]]
            # An event never holds the hosted page's address, of which a draft has none; the others may say so.
            logged, our_own = (event["data"] for event in decoded(billycan.ask(each.tenant, "/v1/events"))["data"][:2])
            if {"hosted_url": None} | logged != {"hosted_url": None} | {member: made[member] for member in our_own}:
                faults.append(f"{name}: its event in the log")
        elif name.startswith("list"):
            second = [_second_page(one, each.tenant, each.paths[0]) for one in (billycan, target)]
            if second[0] != second[1]:
                faults.append(f"{name}: the second page")
    if faults:
        listed = "\n  ".join(faults)
        raise SystemExit(f"{target.name} DOES NOT ANSWER AS BILLYCAN DOES: mend {OTHERS[target.name]}\n  {listed}")


def _second_page(target: Target, tenant: str, path: str) -> Any:
    cursor = decoded(target.ask(tenant, path))["pagination"]["next_cursor"]
    return decoded(target.ask(tenant, f"{path}?cursor={cursor}"))["data"]


def turn(target: Target, asked: Asked, postgres: int | None, seconds: float) -> Turn:
    """Run the load client for this long; any answer but a 2xx ends the run."""
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
        # The kernel counts in ticks, and the least is one.
        server_cpu=max(target.server.cpu_seconds() - server, TICK_SECONDS) / answers * 1e6,
        database_cpu=(_postgres_cpu(postgres) - database) / answers * 1e6,
    )


def _postgres_cpu(postmaster: int | None) -> float:
    return tree_cpu_seconds(postmaster) if postmaster else 0.0


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
            server = postgresql()
            postmaster = int(
                (Path(str(server.url.query["host"])) / "data" / "postmaster.pid").read_text("utf-8").split()[0]
            )
            bench = server.database("bench")
            url = bench.render_as_string(hide_password=False)
        app = application(url, str(folder / "shared"))
        filled = fill(app, sizes, options.connections)
        app.close()
        if "logged" in options.against:
            with closing(application(url, str(folder / "shared"), LOGGED)) as logged:
                migrate.upgrade_all(logged.db, logged.manifests)
        if postmaster:
            settle(url)
        # Copied while nobody is connected to it.
        urls = {"hardened": harden(server.database("bench_hardened", "bench"))} if postmaster else {}
        if postmaster and "pooled" in options.against:
            pooler = stack.enter_context(closing(throwaway.Pooler(bench, "transaction")))
            urls["pooled"] = pooler.url.render_as_string(hide_password=False)
        billycan = stack.enter_context(serving("billycan", url, filled, folder, options))
        others = [
            stack.enter_context(
                serving(name, urls.get(name, url), filled, folder, options, members_of(billycan, filled))
            )
            for name in options.against
            if name not in ON_POSTGRESQL_ALONE or database == "postgresql"
        ]
        asked = {}
        for target in (billycan, *others):
            if target.name in (*OURS, "floor"):
                # Paging there by OFFSET once gives each its own cursor.
                page = target.ask("deep", f"/v1/contacts?page={sizes.deep // PER_PAGE - 1}")
                target.cursor = decoded(page)["pagination"]["next_cursor"]
            asked[target.name] = {
                name: each
                for name, each in operations(filled, sizes, target.cursor).items()
                if (not options.only or options.only in name) and (target.cursor or each.of_peers)
            }
        tell(f"{database}: comparing the answers")
        for target in others:
            # Records made in the hardened database are in no other.
            to_check = {n: each for n, each in asked[target.name].items() if target.name != "hardened" or not each.body}
            check(target, to_check, billycan, asked["billycan"])
        turns: dict[str, list[dict[str, Turn]]] = {name: [] for name in asked["billycan"]}
        for round_ in range(-1, options.rounds):
            # The order changes; the round before the first warms up and is discarded.
            order = [billycan, *others]
            order = order[round_ % len(order) :] + order[: round_ % len(order)]
            seconds = options.seconds if round_ >= 0 else min(0.5, options.seconds)
            for name, found in turns.items():
                tell(f"{database}: round {round_ + 1} of {options.rounds}: {name}")
                asking = [(target, asked[target.name][name]) for target in order if name in asked[target.name]]
                round_turns = {target.name: turn(target, each, postmaster, seconds) for target, each in asking}
                if round_ >= 0:
                    found.append(round_turns)
    for name, rounds in turns.items():
        measured = [target.name for target in (billycan, *others) if target.name in rounds[0]]
        yield Result(
            database,
            name,
            {each: figures([round_[each] for round_ in rounds]) for each in measured},
            {each: ratio([(round_["billycan"], round_[each]) for round_ in rounds]) for each in measured[1:]},
        )


def ratio(rounds: list[tuple[Turn, Turn]]) -> Ratio:
    return Ratio(
        rate=statistics.median(ours.per_second / theirs.per_second for ours, theirs in rounds),
        cpu=statistics.median(
            (ours.server_cpu + ours.database_cpu) / (theirs.server_cpu + theirs.database_cpu) for ours, theirs in rounds
        ),
    )


def harden(database: sa.URL) -> str:
    """Set up row-level security in a database; return the URL of the role that the server then runs as."""
    superuser = Database(database)
    with superuser.writing() as db:
        policies.create_policies(db, ROLE, "")
    superuser.dispose()
    return database.set(username=ROLE).render_as_string(hide_password=False)


@contextmanager
def serving(
    name: str,
    url: str,
    filled: Filled,
    folder: Path,
    options: argparse.Namespace,
    members: dict[str, list[str]] | None = None,
) -> Iterator[Target]:
    """Run one server with billycan's default settings or their equals; `members` are those it answers."""
    kind, workers, threads = options.worker_class, str(options.workers), str(options.threads)
    by_key = {t: [f"Authorization: Bearer {key}" for key in keys] for t, keys in filled.keys.items()}
    by_tenant = {t: [f"X-Tenant: {id}"] * options.connections for t, id in filled.tenants.items()}
    gunicorn = ["-c", "/dev/null", "--worker-class", kind, "--workers", workers, "--keep-alive", "5"]
    gunicorn += ["--threads", threads] if kind == "gthread" else []
    gunicorn += ["--worker-tmp-dir", "/dev/shm", "--no-control-socket"]
    environ = {
        "BENCH_DATABASE": url.removeprefix("sqlite:///").replace("postgresql+psycopg:", "postgresql:"),
        "BENCH_MEMBERS": json.dumps(members),
        "BENCH_SECRET": SECRET,
    }
    log, in_peers = folder / f"{name}.log", {"python": str(PEERS)}
    if name in OURS:
        environ = {"BILLYCAN_WORKER_CLASS": kind, "BILLYCAN_WORKERS": workers, "BILLYCAN_THREADS": threads}
        environ |= {"BILLYCAN_DATABASE": url, "BILLYCAN_SECRET": SECRET}
        environ |= {"BILLYCAN_PLUGINS": LOGGED if name == "logged" else PLUGINS}
        environ |= {"BILLYCAN_SHARED_FOLDER": str(folder / f"shared-{name}")}
        environ |= {"BILLYCAN_POOLED": str(name == "pooled").lower()}
        environ |= {"BILLYCAN_PLAIN_SQL": str(name == "plain").lower()}
        server = Server("billycan.hosting.workers:application()", HERE, ["-c", str(SHIPPED)], environ, log)
    elif name == "floor":
        server = Server("floor:application", HERE, gunicorn, environ, log)
    elif name == "drf":
        server = Server("drf.wsgi:application", HERE / "peers", gunicorn, environ, log, **in_peers)
    else:
        uvicorn = ["--workers", workers, "--loop", "uvloop", "--http", "httptools", "--no-access-log"]
        server = Server("fast.app:app", HERE / "peers", uvicorn, environ, log, program="uvicorn", **in_peers)
    try:
        yield Target(name, server, by_tenant if name == "floor" else by_key)
    finally:
        server.stop()


def table(results: list[Result], served: str) -> Iterator[str]:
    """Yield the results for people."""
    for database in dict.fromkeys(result.database for result in results):
        yield ""
        title = f"{database}, {served}"
        yield f"{title:36} {'requests':>8}  {'p50':>7} {'p99':>7}  {'CPU us a request':>17}  billycan has"
        yield f"{'':36} {'a second':>8}  {'ms':>7} {'ms':>7}  {'server':>8} {'database':>8}  rate x  CPU x"
        for r in results:
            if r.database == database:
                yield r.operation
                for name, f in r.figures.items():
                    to = r.billycan_to.get(name)
                    yield (
                        f"  {name:34} {f.per_second:8,.0f}  {f.p50_ms:7.2f} {f.p99_ms:7.2f}"
                        f"  {f.server_cpu_us:8,.0f} {f.database_cpu_us:8,.0f}"
                        + (f"  {to.rate:6.2f} {to.cpu:6.2f}" if to else "")
                    )


def tell(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a minute: fewer rows and one short round")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--growth", action="store_true", help="what requests take as rows and businesses grow instead")
    parser.add_argument(
        "--load", action="store_true", help="how it stands load instead: processes, tails, idle clients"
    )
    parser.add_argument("--start", action="store_true", help="how soon it answers, and what memory it takes, instead")
    parser.add_argument("--tools", action="store_true", help="what a call costs as a tool of agents, instead")
    parser.add_argument("--pdf", action="store_true", help="how long a PDF file takes, instead")
    parser.add_argument("--idle", type=int, default=loaded.IDLE, help="with --load: idle connections that are held")
    parser.add_argument("--pictures", type=Path, help="with --growth: draw its curves into this folder")
    parser.add_argument("--database", choices=("sqlite", "postgresql"), help="one of them only")
    parser.add_argument("--grows", choices=("invoices", "businesses"), help="with --growth: these only")
    parser.add_argument("--only", help="operations whose name holds this; with --growth, one of several: changes|batch")
    parser.add_argument(
        "--against",
        nargs="*",
        choices=OTHERS,
        default=[n for n in OTHERS if n not in ("plain", "pooled")],
        help="these only",
    )
    parser.add_argument("--worker-class", default="gthread", choices=("gthread", "sync", "gevent"), help="of gunicorn")
    parser.add_argument("--workers", type=int, default=1, help="processes of each server")
    parser.add_argument("--threads", type=int, default=8, help="of each gthread process (default 8, as shipped)")
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--rounds", type=int, help="how often each server has its turn (default 4)")
    parser.add_argument("--seconds", type=float, help="of each turn (default 1.5)")
    options = parser.parse_args()
    if options.pdf:
        import papers  # what no other measurement needs

        papers.run(tell)
        return
    options.rounds = options.rounds or (1 if options.quick else 4)
    options.seconds = options.seconds or (0.5 if options.quick else 1.5)
    sizes = Sizes(contacts=20_000, deep=100_000) if options.quick else Sizes()
    databases = [options.database] if options.database else ["sqlite", "postgresql"]
    if "postgresql" in databases and throwaway.find() is None:
        tell("postgresql: NOT MEASURED: no server programs in /usr/lib/postgresql/*/bin or on PATH")
        databases.remove("postgresql")
    if options.growth or options.load or options.start:
        (growth if options.growth else loaded).run(databases, options, tell)
        return
    if options.tools:
        import tool_calls  # what no other measurement needs

        def turn_of(server: Server, headers: list[str], path: str, body: str, postgres: int | None) -> Turn:
            target, asked = Target("billycan", server, {"books": headers}), Asked("books", [path], body)
            return turn(target, asked, postgres, options.seconds)

        tool_calls.run(databases, options, tell, turn_of)
        return
    if not PEERS.exists():
        tell("drf, fastapi: NOT MEASURED: `make bench` installs them")
        options.against = [name for name in options.against if name not in ("drf", "fastapi")]
    results = [result for database in databases for result in compare(database, options, sizes)]
    if options.json:
        print(msgspec.json.format(msgspec.json.encode(results)).decode())
    else:
        print("\n".join(table(results, f"{options.workers} x {options.worker_class}")))


if __name__ == "__main__":
    main()
