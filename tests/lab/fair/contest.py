"""One business floods a server while another one works: on every route, each database and kind of worker.

The noisy business calls one route after the other over 20 connections, with a key for each, within the default limits;
`noise.py` makes the requests from the app's own routes. The quiet one reads and writes on a connection of its own,
first alone and then beside each noise. It passes if its median is at most 10 times, and its 99th percentile at most 100
times, its median alone, no answer to anybody is a 5xx, and some of the noise succeeded. A lost contest is repeated up
to twice, because a machine may be slow for a moment. It does not count if that explains it: if the quiet business,
alone right after it, loses too, or is so slow by then that it did not lose. `timed.py` measures the effect of timed
work on others.
"""

import http.client
import math
import shutil
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager
from itertools import count
from multiprocessing import get_context
from pathlib import Path

import flood
import sqlalchemy as sa
from msgspec import Struct
from noise import Noisy, Request, Sizes
from servers import NO_LIMITS, SHIPPED, Server, postgresql

from billycan.app import App, Clock
from billycan.sharing.addresses import by_address
from billycan.starting import migrate
from billycan.starting.plugins import first_party
from billycan.starting.settings import Config, Settings
from billycan.tenants import set_ceiling
from billycan.testing import Client
from billycan.testing.fixtures import SECRET
from billycan.testing.throwaway import Postgres
from billycan_imports.tables import imports
from billycan_sandbox.tables import resets

DATABASES, WORKER_CLASSES = ("sqlite", "postgresql"), ("gthread", "gevent")
CONNECTIONS, WORKERS, ATTEMPTS = 20, 2, 3
MOST_ATTEMPTS = 9  # with those that are not counted
MOST_MEDIAN, MOST_P99 = 10, 100
ALONE_SECONDS, WARM_SECONDS, PAUSE_SECONDS = 2.0, 0.2, 0.01
LEAST_ANSWERS = 24  # where a machine is slow, a contest is longer
ALONE_EVERY = 10  # noises, since a machine is not always equally fast
LIMITS = {name.removeprefix("BILLYCAN_").lower(): int(most) for name, most in NO_LIMITS.items()}
QUICK = Sizes(listed=20, pool=6)
SHORT = Sizes(lines=150, listed=5, pool=1, rows=5_000, file_bytes=2_000_000, staff=20, failed=3_000)
QUIET_KEYS = 10  # a key may not be given so much as a quick client asks for
# What is counted by address: routes that need no key, and pages.
ADDRESS_USES = ("api", "assets", "dashboard", "explorer", "hosted", "oauth", "unsubscribe")
MAIL = {"url": "smtp://127.0.0.1:1", "sender": "mail@example.com"}  # nothing is sent where no worker runs
QUIET = (("GET", "/v1/contacts", b""), ("POST", "/v1/contacts", b'{"name": "Grace"}'))


class Place(Struct):
    """A deployment's database and folder."""

    url: str
    folder: Path

    def app(self, clock: Clock | None = None) -> App:
        """Return the app that makes the businesses; it has next to no limits."""
        settings = Settings(database=self.url, secret=SECRET, plugins=plugins(), shared_folder=self._shared, **LIMITS)
        own = {"mail": MAIL, "attachments": {"folder": str(self.folder / "attachments")}}
        return App(Config(settings, {**own, "webhooks": {"allow_private": True}}), clock)

    def environ(self, **more: str) -> dict[str, str]:
        """Return the settings of the server and of a worker, with the default limits."""
        defaults = {f"BILLYCAN_{name.upper()}": str(getattr(Settings(), name)) for name in LIMITS}
        return {
            **defaults,
            "BILLYCAN_CONFIG": "/dev/null",
            "BILLYCAN_DATABASE": self.url,
            "BILLYCAN_SECRET": SECRET,
            "BILLYCAN_PLUGINS": plugins(),
            "BILLYCAN_SHARED_FOLDER": self._shared,
            "BILLYCAN_ATTACHMENTS__FOLDER": str(self.folder / "attachments"),
            **{f"BILLYCAN_MAIL__{name.upper()}": text for name, text in MAIL.items()},
            "BILLYCAN_WEBHOOKS__ALLOW_PRIVATE": "true",
            **more,
        }

    @property
    def _shared(self) -> str:
        return str(self.folder / "shared")


class Business(Struct):
    """The credentials of one caller."""

    tenant_id: str
    keys: dict[str, str]


class Round(Struct):
    """The noises of one database and both businesses, the noisy one with its sandbox.

    They are made once; every kind of worker gets a copy.
    """

    place: Place
    quiet: Business
    noisy: Business
    sandbox: Business
    noises: dict[str, list[Request]]
    server: Postgres | None


class Timed(Struct):
    """The seconds that each answer took, by method, and the number of answers with each status."""

    seconds: dict[str, list[float]]
    statuses: Counter[str]


class Outcome(Struct):
    """The results of the quiet business's requests beside a noise, and of the noise's own."""

    database: str
    worker_class: str
    noise: str
    times: dict[str, tuple[float, float]]  # by method: median and 99th percentile, as multiples of the median alone
    alone: dict[str, float]
    quiet: Counter[str]
    noisy: Counter[str]
    attempts: int = 1

    @property
    def faults(self) -> list[str]:
        """The breaches of the rule."""
        return self.wrong + slow(self.times)

    @property
    def wrong(self) -> list[str]:
        """The breaches of which no slow machine can be the cause."""
        found = [f"{n} x {status} to the {who}" for who in ("quiet", "noisy") for status, n in self._failed(who)]
        return found + (["nothing of the noise was done"] if self.noisy and not self.done else [])

    def compared(self, alone: Timed) -> dict[str, tuple[float, float]]:
        """Return its times as multiples of another median alone."""
        by = {method: self.alone[method] / statistics.median(taken) for method, taken in alone.seconds.items()}
        return {method: (middle * by[method], most * by[method]) for method, (middle, most) in self.times.items()}

    def _failed(self, who: str) -> list[tuple[str, int]]:
        answers = getattr(self, who)
        allowed = "2" if who == "quiet" else "234"
        return [(status, n) for status, n in sorted(answers.items()) if status[0] not in allowed]

    @property
    def done(self) -> int:
        """The number of the noise's requests that succeeded."""
        return sum(n for status, n in self.noisy.items() if status[0] == "2")

    def __str__(self) -> str:
        times = "".join(
            f"{self.alone[m] * 1000:7.1f} {middle:6.1f} x {most:6.1f} x" for m, (middle, most) in self.times.items()
        )
        answers = ", ".join(f"{status}: {n}" for status, n in sorted(self.noisy.items()))
        share = f"{100 * self.done / max(1, self.noisy.total()):4.0f} %"
        verdict = f"  FAIL: {'; '.join(self.faults)}" if self.faults else ""
        again = f"  (attempt {self.attempts})" if self.attempts > 1 else ""
        return f"{self.noise:62}{times}  {share}  {answers}{again}{verdict}"


_END = sa.text("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = 'fair'")
HEADING = f"{'':62}   read: alone ms, median, p99  write: alone, median, p99   done  answers to the noise"


def plugins() -> str:
    """Return the names of all first-party plugins."""
    return ",".join(sorted(first_party()))


def noises(app: App, noisy: Noisy, only: str = "") -> dict[str, list[Request]]:
    """Map each route to the noisy business's requests; routes that only read come before those that change anything."""
    named = {f"{each.route.method} {each.route.path}": each for each in app.endpoints}
    reads, others = (
        [name for name, each in named.items() if only in name and (each.route.method == "GET") is is_read]
        for is_read in (True, False)
    )
    # The reads come last, once all records exist.
    made = {name: noisy.requests(named[name]) for name in (*others, *reads)}
    pages = (
        {name: each for name, each in noisy.pages().items() if only in name}
        if not only or only.startswith("pages")
        else {}
    )
    return {**{name: made[name] for name in (*reads, *others)}, **pages}


def quiet_business(app: App) -> Business:
    """Make a business with next to no limits."""
    client = Client(app, profile={"name": "Quiet"})
    with app.db.writing() as db:
        set_ceiling(db, client.tenant_id, LIMITS["business_per_minute"], LIMITS["business_per_second"])
    keys = (client.key() for _ in range(QUIET_KEYS))
    return Business(client.tenant_id, {each.key_id: each.secret for each in keys})


def prepare(database: str, folder: Path, sizes: Sizes, only: str = "") -> Round:
    """Make a database with both businesses, and the noises."""
    server = postgresql() if database == "postgresql" else None
    url = server.database("fair").render_as_string(hide_password=False) if server else f"sqlite:///{folder}/fair.db"
    place = Place(url, folder)
    app = place.app()
    migrate.upgrade_all(app.db, app.manifests)
    app.start()
    noisy = Noisy(app, sizes, CONNECTIONS)
    quiet = quiet_business(app)
    asked = noises(app, noisy, only)
    if server:
        with app.db.reading() as db:
            db.exec_driver_sql("VACUUM ANALYZE")
    app.close()
    tenant_id = noisy.client.tenant_id
    sandbox = Business(noisy.sandbox.tenant_id, noisy.sandbox_keys)
    return Round(place, quiet, Business(tenant_id, noisy.keys), sandbox, asked, server)


@contextmanager
def copied(held: Round, folder: Path, name: str) -> Iterator[Place]:
    """Yield a copy of a prepared database."""
    shutil.copytree(held.place.folder, folder, ignore=shutil.ignore_patterns("shared"))
    url = f"sqlite:///{folder}/fair.db"
    if held.server:
        # Nobody may be connected to a template, not even autovacuum, which notices that by itself.
        with sa.create_engine(held.server.url, poolclass=sa.pool.NullPool).connect() as db:
            db.execute(_END)
        url = held.server.database(name, template="fair").render_as_string(hide_password=False)
    yield Place(url, folder)
    if held.server:
        held.server.drop(name)


@contextmanager
def served(place: Place, worker_class: str, **more: str) -> Iterator[Server]:
    """Run gunicorn with the shipped settings."""
    more |= {"BILLYCAN_WORKER_CLASS": worker_class, "BILLYCAN_WORKERS": str(WORKERS)}
    log = place.folder / f"{worker_class}.log"
    application = "billycan.hosting.workers:application()"
    server = Server(application, place.folder, ["-c", str(SHIPPED)], place.environ(**more), log)
    try:
        yield server
    finally:
        server.stop()


def ask(port: int, business: Business, is_over: Callable[[], bool], pause: float = PAUSE_SECONDS) -> Timed:
    """Send requests in turn on one connection, with a pause after each, until it is over and enough are answered."""
    timed = Timed({method: [] for method, _, _ in QUIET}, Counter())
    keys = list(business.keys.values())
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    for number in count():
        if number >= LEAST_ANSWERS and is_over():
            break
        method, path, body = QUIET[number % len(QUIET)]
        headers = {"Authorization": f"Bearer {keys[number % len(keys)]}", "Content-Type": "application/json"}
        began = time.perf_counter()
        connection.request(method, path, body or None, headers)
        answer = connection.getresponse()
        answer.read()
        timed.seconds[method].append(time.perf_counter() - began)
        timed.statuses[str(answer.status)] += 1
        time.sleep(pause)
    connection.close()
    return timed


def within(seconds: float) -> Callable[[], bool]:
    """Return a function that tells whether this many seconds have passed since now."""
    until = time.monotonic() + seconds
    return lambda: time.monotonic() >= until


def multiples(alone: Timed, beside: Timed) -> dict[str, tuple[float, float]]:
    """Return, by method, the median and 99th percentile beside a noise as multiples of the median alone."""
    return {method: tail(taken, statistics.median(alone.seconds[method])) for method, taken in beside.seconds.items()}


def tail(taken: Sequence[float], once: float) -> tuple[float, float]:
    """Return the median and the 99th percentile as multiples of the time alone."""
    return statistics.median(taken) / once, sorted(taken)[math.ceil(0.99 * len(taken)) - 1] / once


def slow(times: Mapping[str, tuple[float, float]]) -> list[str]:
    """Return the breaches among medians and 99th percentiles, which are multiples of the median alone."""
    found = [f"median of {what} {middle:.1f} x" for what, (middle, _) in times.items() if middle > MOST_MEDIAN]
    return found + [f"p99 of {what} {most:.0f} x" for what, (_, most) in times.items() if most > MOST_P99]


def forget_requests(app: App, business: Business) -> None:
    """Reset a business's limits, as after a minute: forget its requests ahead of the clock."""
    settings, past = Settings(), time.time() - 200
    for kind in ("business", "visitors"):
        app.limiter.take(f"{kind}:{business.tenant_id}", settings.business_per_minute, 1, past)
    for use in ADDRESS_USES:
        app.limiter.take(by_address(use, "127.0.0.1"), settings.per_minute, 1, past)
    for id in business.keys:
        app.limiter.take(f"key:{id}", settings.per_minute, 1, past)


def finish_waiting(app: App, business: Business) -> None:
    """Finish what a contest left unfinished, as a worker would: few imports may be, and one reset."""
    now = app.now()
    waiting = imports.c.finished_at.is_(None) & (imports.c.status != "draft")
    cancelled = sa.update(imports).where(waiting).values(status="cancelled", finished_at=now)
    reset = sa.update(resets).where(resets.c.done_at.is_(None)).values(done_at=now)
    with app.db.writing(business.tenant_id) as db:
        for one in (cancelled, reset):
            db.execute(one.where(one.table.c.tenant_id == business.tenant_id))


class Contest:
    """A server with a flood beside it."""

    def __init__(self, held: Round, app: App, port: int, database: str, worker_class: str, seconds: float) -> None:
        self.held, self.app, self.port, self.seconds = held, app, port, seconds
        self.database, self.worker_class = database, worker_class
        spawn = get_context("spawn")
        self.over = spawn.Event()
        self.flood = ProcessPoolExecutor(1, spawn, flood.prepare, (self.over,))
        ask(port, held.quiet, within(1.0))  # it warms up

    def alone(self) -> Timed:
        """Measure the quiet business without any noise."""
        return ask(self.port, self.held.quiet, within(ALONE_SECONDS))

    def hold(self, noise: str, alone: Timed, *, once: bool = False) -> Outcome:
        """Run a noise; if the quiet business loses, measure it alone again and repeat.

        With `once`, each request of the noise is sent once.
        """
        lost = 0
        for attempt in range(MOST_ATTEMPTS):
            outcome = self._attempt(noise, alone, attempt % ATTEMPTS, once)
            outcome.attempts = attempt + 1
            if not outcome.faults:
                break
            alone = self.alone()
            is_explained = slow(multiples(alone, alone)) or not slow(outcome.compared(alone))
            lost += bool(outcome.wrong) or not is_explained
            if lost == ATTEMPTS:
                break
        return outcome

    def _attempt(self, noise: str, alone: Timed, attempt: int, once: bool) -> Outcome:
        for business in (self.held.noisy, self.held.sandbox):
            forget_requests(self.app, business)
            finish_waiting(self.app, business)
        requests = self.held.noises[noise]
        if len(requests) >= ATTEMPTS * 2 and not once:  # what is done once only is left for each attempt
            requests = requests[attempt::ATTEMPTS]
        keys = list(zip(self.held.noisy.keys.values(), self.held.sandbox.keys.values(), strict=True))
        # Each connection begins elsewhere among them, or has some of its own.
        connections = [[*requests[i % len(requests) :], *requests[: i % len(requests)]] for i in range(CONNECTIONS)]
        if once:
            connections = [requests[i::CONNECTIONS] for i in range(CONNECTIONS)]
        sent = [
            [each.on_wire(of_sandbox if each.in_sandbox else key) for each in own]
            for own, (key, of_sandbox) in zip(connections, keys, strict=True)
        ]
        self.over.clear()
        load = self.flood.submit(flood.run, self.port, sent, once=once)
        time.sleep(WARM_SECONDS)
        try:
            beside = ask(self.port, self.held.quiet, load.done if once else within(self.seconds))
        finally:
            self.over.set()
        noisy = load.result()
        return Outcome(
            self.database,
            self.worker_class,
            noise,
            multiples(alone, beside),
            {method: statistics.median(taken) for method, taken in alone.seconds.items()},
            beside.statuses,
            noisy,
        )

    def close(self) -> None:
        self.flood.shutdown()


@contextmanager
def contest(held: Round, database: str, worker_class: str, seconds: float) -> Iterator[Contest]:
    """Yield a contest on a copy of a prepared database."""
    with (
        tempfile.TemporaryDirectory(prefix="billycan-fair-") as name,
        copied(held, Path(name) / "copy", f"fair_{worker_class}") as place,
        closing(place.app()) as app,
        served(place, worker_class) as server,
        closing(Contest(held, app, server.port, database, worker_class, seconds)) as one,
    ):
        yield one
