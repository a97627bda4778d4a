"""Throughput and latency under load, and the time to start (`make bench ARGS="--load"` and `ARGS="--start"`).

Everything runs on one machine, so the load client and PostgreSQL use some of its cores and two processes gain less over
one than with cores of their own. To measure that gain, each process is limited to half a core, which leaves the others
enough.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import load
import msgspec
from data import LINES, PLUGINS, SECRET, Filled, Sizes, application, fill
from servers import SHIPPED, Server, children, healthy, held_to, postgresql, settle, tree

HERE = Path(__file__).parent
IDLE, ADDRESSES = 1_000, 20  # connections that are held; an address may have 100 to each process
HELD_SECONDS = 4.0  # of the 5 for which gunicorn keeps one that is silent
HELD_SHARE = 0.5  # of a core
# A machine may be half as fast for some seconds, and is then asked for too much: such a turn does not count.
STEADY = 0.9


class Figure(msgspec.Struct):
    """A measurement on a database; `aim` is its target, if it has one."""

    database: str
    what: str
    value: float
    unit: str
    aim: str = ""


def run(databases: list[str], options: argparse.Namespace, tell: Callable[[str], None]) -> None:
    """Measure, and print a table or JSON."""
    measured = started(tell) if options.start else (f for each in databases for f in under_load(each, options, tell))
    figures = []
    for figure in measured:
        figures.append(figure)
        if not options.json:
            print(
                f"{figure.database:11} {figure.what:58} {figure.value:9,.2f} {figure.unit:9} {figure.aim}", flush=True
            )
    if options.json:
        print(msgspec.json.format(msgspec.json.encode(figures)).decode())


def under_load(database: str, options: argparse.Namespace, tell: Callable[[str], None]) -> Iterator[Figure]:
    """Measure two processes beside one, latency at 70 % of the highest rate, and latency beside idle connections."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="billycan-load-")))
        url = f"sqlite:///{folder}/load.db"
        if database == "postgresql":
            url = postgresql().database("load").render_as_string(hide_password=False)
        tell(f"{database}: adding rows")
        app = application(url, str(folder / "shared"))
        filled = fill(app, Sizes(invoices=2_000, contacts=1_000, deep=100), options.connections)
        app.close()
        if database == "postgresql":
            settle(url)
        one, two = (stack.enter_context(serving(url, folder, workers, options)) for workers in (1, 2))
        for name, requests in _operations(filled).items():
            tell(f"{database}: two processes and one: {name}")
            yield from _beside(database, name, one, two, requests, options)
            tell(f"{database}: each process held to half a core: {name}")
            yield from _held(database, name, one, two, requests, options)
        for name, requests in _operations(filled).items():
            tell(f"{database}: at 70 % of the highest rate: {name}")
            yield from _tail(database, name, two, requests, options)
        tell(f"{database}: with {options.idle:,} idle connections")
        yield from _idle(database, two, _operations(filled)["get"], options)


def _operations(filled: Filled) -> dict[str, list[list[str]]]:
    """Map the name of each operation to the requests of each connection."""
    new = json.dumps({"client_id": filled.client_id, "line_items": LINES})
    gets = [f"/v1/invoices/{id}" for id in filled.invoices]
    asked = {
        "get": ("books", gets, ""),
        "list": ("books", ["/v1/invoices"], ""),
        "create": ("maker", ["/v1/invoices"], new),
    }
    return {
        name: [
            [
                f"{'POST' if body else 'GET'} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {key}\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
                for path in paths
            ]
            for key in filled.keys[tenant]
        ]
        for name, (tenant, paths, body) in asked.items()
    }


def _beside(
    database: str, name: str, one: Server, two: Server, requests: list[list[str]], options: argparse.Namespace
) -> Iterator[Figure]:
    rate, cost = _compared(one, two, requests, options)
    yield Figure(database, f"{name}: rate of two processes ÷ of one", rate, "x")
    yield Figure(database, f"{name}: server's CPU a request, two ÷ one", cost, "x")


def _held(
    database: str, name: str, one: Server, two: Server, requests: list[list[str]], options: argparse.Namespace
) -> Iterator[Figure]:
    processes = [*children(one.process.pid), *children(two.process.pid)]
    try:
        with held_to(HELD_SHARE, processes):
            rate, _ = _compared(one, two, requests, options)
    except OSError as error:
        print(f"NOT MEASURED: no process can be held to a share of a core here: {error}", file=sys.stderr)
    else:
        yield Figure(database, f"{name}: the same, each held to half a core", rate, "x", "≥ 1.8")


def _compared(one: Server, two: Server, requests: list[list[str]], options: argparse.Namespace) -> tuple[float, float]:
    """Return the rate of two processes, and their CPU for each request, as multiples of those of one."""
    rates, costs = [], []
    for round_ in range(-1, options.rounds):
        rate, cost = zip(*(_driven(server, requests, options.seconds) for server in (one, two)), strict=True)
        if round_ >= 0:  # the first warms up
            rates.append(rate[1] / rate[0])
            costs.append(cost[1] / cost[0])
    return statistics.median(rates), statistics.median(costs)


def _driven(server: Server, requests: list[list[str]], seconds: float) -> tuple[float, float]:
    """Return the highest rate of requests a second, and µs of the server's CPU for each."""
    before = server.cpu_seconds()
    done = _load(server, requests, seconds)
    answers = len(done["microseconds"])
    return answers / done["seconds"], (server.cpu_seconds() - before) / answers * 1e6


def _tail(
    database: str, name: str, server: Server, requests: list[list[str]], options: argparse.Namespace
) -> Iterator[Figure]:
    turns = []
    highest, _ = _driven(server, requests, options.seconds)
    for _ in range(3 * options.rounds):
        taken = sorted(_load(server, requests, options.seconds * 2, rate=highest * 0.7)["microseconds"])
        p50, p99 = taken[len(taken) // 2] / 1000, taken[len(taken) * 99 // 100] / 1000
        before, (highest, _) = highest, _driven(server, requests, options.seconds)
        if highest >= before * STEADY:
            turns.append((before, p50, p99, p99 / p50))
    if not turns:
        print("NOT MEASURED: the machine was never as fast after a turn as before it", file=sys.stderr)
        return
    highest, p50, p99, times = map(statistics.median, zip(*turns, strict=True))
    yield Figure(database, f"{name}: highest rate of two processes", highest, "/s")
    yield Figure(database, f"{name}: p50 at 70 % of it", p50, "ms")
    yield Figure(database, f"{name}: p99 at 70 % of it", p99, "ms")
    yield Figure(database, f"{name}: p99 ÷ p50", times, "x", "≤ 5")


def _idle(database: str, server: Server, requests: list[list[str]], options: argparse.Namespace) -> Iterator[Figure]:
    alone = _load(server, requests, HELD_SECONDS / 2)
    held = load.hold(server.port, options.idle, ADDRESSES)
    began = time.monotonic()
    among = _load(server, requests, HELD_SECONDS / 2)
    time.sleep(max(0.0, began + HELD_SECONDS - time.monotonic()))
    still = load.ask_again(held)
    for label, done in (("alone", alone), (f"beside {options.idle:,} idle connections", among)):
        yield Figure(database, f"get: rate {label}", len(done["microseconds"]) / done["seconds"], "/s")
    wanted = f"{options.idle:,}"
    yield Figure(database, f"idle connections that are answered {HELD_SECONDS:.0f} s later", still, "", wanted)


def _load(server: Server, requests: list[list[str]], seconds: float, rate: float = 0.0) -> Any:
    """Return the load client's result; end the run after any answer but a 2xx."""
    done = load_from(server, requests, seconds, rate)
    if any(status[0] != "2" for status in done["statuses"]):
        raise SystemExit(f"billycan answered {done['statuses']}\n{server.log.read_text('utf-8')}")
    return done


def load_from(server: Server, requests: list[list[str]], seconds: float, rate: float = 0.0) -> Any:
    """Run the load client and return its result."""
    job = {"port": server.port, "seconds": seconds, "most": 1_000_000, "connections": requests, "rate": rate}
    client = [sys.executable, str(HERE / "load.py")]
    return json.loads(subprocess.run(client, input=json.dumps(job), capture_output=True, check=True, text=True).stdout)


@contextmanager
def serving(url: str, folder: Path, workers: int, options: argparse.Namespace) -> Iterator[Server]:
    environ = {"BILLYCAN_WORKER_CLASS": options.worker_class, "BILLYCAN_WORKERS": str(workers)}
    environ |= {"BILLYCAN_THREADS": str(options.threads), "BILLYCAN_DATABASE": url, "BILLYCAN_SECRET": SECRET}
    environ |= {"BILLYCAN_PLUGINS": PLUGINS, "BILLYCAN_SHARED_FOLDER": str(folder / f"shared-{workers}")}
    application_ = "billycan.hosting.workers:application()"
    server = Server(application_, HERE, ["-c", str(SHIPPED)], environ, folder / f"{workers}.log")
    try:
        yield server
    finally:
        server.stop()


def started(tell: Callable[[str], None]) -> Iterator[Figure]:
    """Measure the time until `billycan serve` answers: first with a database and samples to make, then without."""
    with tempfile.TemporaryDirectory(prefix="billycan-start-") as folder:
        for what in ("the first start, with a database to make", "every other start"):
            tell(f"sqlite: {what}")
            with _served(Path(folder)) as (seconds, pid):
                yield Figure("sqlite", f"{what}, until it answers", seconds, "s", "≤ 3")
                processes = [each for each in tree(pid) if b"gunicorn" in Path(f"/proc/{each}/cmdline").read_bytes()]
                sizes = sorted(memory(each) for each in processes)
        yield Figure("sqlite", "memory of each gunicorn process, its share of what is shared", sizes[-1], "MiB")


@contextmanager
def _served(folder: Path) -> Iterator[tuple[float, int]]:
    """Start `billycan serve`; yield the seconds until it answered, and its process id. Stop it after the block."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("BILLYCAN_")}
    command = [str(Path(sys.executable).with_name("billycan")), "serve", "--bind", f"127.0.0.1:{load.free_port()}"]
    with (folder / "log").open("wb") as log:
        began = time.monotonic()
        process = subprocess.Popen(command, cwd=folder, env=environ, stdout=log, stderr=log)
    try:
        while not healthy(int(command[-1].rpartition(":")[2])):
            if process.poll() is not None or time.monotonic() - began > 60:
                raise SystemExit((folder / "log").read_text("utf-8"))
            time.sleep(0.01)
        yield time.monotonic() - began, process.pid
    finally:
        process.terminate()
        process.wait(30)


def memory(pid: int) -> float:
    """Return MiB of memory; memory that several processes share counts in proportion."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text("utf-8").splitlines()
    return int(next(line for line in lines if line.startswith("Pss:")).split()[1]) / 1024
