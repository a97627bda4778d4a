"""The kit that plugin authors test with: `make_app`, `Client` and `PluginConformance`; pytest loads it by itself.

Every test that takes `make_app` runs on SQLite and on PostgreSQL. Databases are shared by the tests of a run that
enable the same plugins: each Client is a tenant of its own, so none sees another's rows.
"""

import json
import logging
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from . import keys, migrate, throwaway
from .settings import Config, Settings
from .tenants import Profile, tenants
from .tenants import create as create_tenant

if TYPE_CHECKING:
    from .app import App
    from .throwaway import Postgres

ENGINES = ("sqlite", "postgresql")
START = datetime(2026, 11, 21, tzinfo=UTC)
SECRET = "a secret for tests that is long enough"  # noqa: S105
NOT_TESTED = "PostgreSQL was NOT TESTED: no server programs in /usr/lib/postgresql/*/bin or on PATH"


class Clock:
    """A clock that stands still but for a millisecond each time it is asked, and moves when told."""

    def __init__(self, start: datetime = START) -> None:
        self.time = start

    def __call__(self) -> datetime:
        self.time += timedelta(milliseconds=1)
        return self.time

    def move(self, **by: float) -> None:
        """`clock.move(hours=1)`"""
        self.time += timedelta(**by)


class Databases:
    """The databases of one run: a migrated one for each engine and set of plugins."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="billycan-test-"))
        self._ready: dict[tuple[str, ...], str] = {}
        self._postgres: Postgres | None = None
        self._count = 0

    @property
    def postgres(self) -> "Postgres | None":
        if self._postgres is None and throwaway.find():
            self._postgres = throwaway.start()
        return self._postgres

    def empty(self, engine: str) -> str:
        """The URL of a new, empty database."""
        self._count += 1
        if engine == "sqlite":
            return f"sqlite:///{self.folder / f'{self._count}.db'}"
        if self.postgres is None:
            pytest.skip(NOT_TESTED)
        return self.postgres.database(f"test{self._count}").render_as_string(hide_password=False)

    def shared(self, engine: str, plugins: tuple[str, ...], build: Callable[[str], None]) -> str:
        """The URL of the database of these plugins; `build` migrates it when it is new."""
        key = (engine, *plugins)
        if key not in self._ready:
            url = self.empty(engine)
            build(url)
            self._ready[key] = url
        return self._ready[key]

    def close(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--engine", choices=ENGINES, help="run on one database only; default: both")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "engine" in metafunc.fixturenames:
        only = metafunc.config.getoption("--engine")
        metafunc.parametrize("engine", [only] if only else ENGINES, scope="session")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if throwaway.find() is None:
        terminalreporter.section("NOT TESTED", red=True, bold=True)
        terminalreporter.line(NOT_TESTED)


@pytest.fixture(scope="session")
def databases() -> Iterator[Databases]:
    found = Databases()
    yield found
    found.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def make_app(engine: str, databases: Databases, clock: Clock) -> Iterator[Callable[..., "App"]]:
    """Build an app with the named plugins on a migrated database: `make_app("contacts", per_minute=5)`.

    `fresh=True` gives it an empty database of its own; other keywords are core's settings, or a plugin's as a dict.
    """
    from .app import App

    built: list[App] = []

    def make(*plugins: str, fresh: bool = False, migrated: bool = True, database: str = "", **given: Any) -> App:
        names = tuple(sorted(plugins))

        def build(url: str) -> App:
            defaults = {"secret": SECRET, "per_minute": 100_000, "per_second": 100_000, "pool_size": 4}
            core = {k: v for k, v in given.items() if not isinstance(v, dict)}
            shared = tempfile.mkdtemp(prefix="shared-", dir=databases.folder)
            settings = Settings(
                **{**defaults, "shared_folder": shared, **core, "database": url, "plugins": ",".join(names) or "-none"}
            )
            built.append(App(Config(settings, {k: v for k, v in given.items() if isinstance(v, dict)}), clock))
            return built[-1]

        def prepare(url: str) -> None:
            app = build(url)
            migrate.upgrade(app.db, app.manifests)

        url = database or (databases.empty(engine) if fresh else databases.shared(engine, names, prepare))
        app = build(url)
        if fresh and migrated:
            migrate.upgrade(app.db, app.manifests)
        return app.start() if migrated else app

    yield make
    for app in built:
        app.close()
    logging.getLogger("billycan").handlers.clear()


class Client:
    """A business and a key of it: `client.post("/v1/contacts", {"name": "Ada"})` returns the decoded envelope.

    `Client(app)` makes a business of its own; `key()` gives another key of it, `sandbox()` one of its sandbox. A call
    fails the test when the status is another than the one expected. Numbers come back as Decimals.
    """

    def __init__(
        self,
        app: "App",
        tenant_id: str = "",
        scopes: tuple[str, ...] = ("read", "write"),
        *,
        profile: Mapping[str, Any] | None = None,
        **limits: Any,
    ) -> None:
        import webtest

        self.app = app
        given = {"name": "Derwent Plumbing", "abn": "47555222000", "gst_registered": True, **(profile or {})}
        with app.db.writing() as db:
            if not tenant_id:
                tenant_id, _ = create_tenant(db, Profile(**given), app.now())
            limits = {"per_minute": 100_000, "per_second": 100_000, **limits}
            self.key_id, self.secret = keys.create(db, tenant_id, list(scopes), app.now(), **limits)
        self.tenant_id = tenant_id
        self.headers = {"Authorization": f"Bearer {self.secret}"}
        self.web = webtest.TestApp(app.wsgi)
        self.last: Any = None

    def key(self, *scopes: str, **limits: Any) -> "Client":
        """Another key of the same tenant."""
        return Client(self.app, self.tenant_id, scopes or ("read", "write"), **limits)

    def sandbox(self, *scopes: str) -> "Client":
        """A key of the paired tenant: a live one's sandbox."""
        with self.app.db.reading() as db:
            paired = db.execute(sa.select(tenants.c.paired_id).where(tenants.c.id == self.tenant_id)).scalar_one()
        return Client(self.app, paired, scopes or ("read", "write"))

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        status: int | None = None,
        headers: Mapping[str, str] | None = None,
        raw: bytes | None = None,
    ) -> Any:
        """Send a request; returns webtest's response, also kept as `last`."""
        sent = raw if raw is not None else b"" if body is None else json.dumps(body, default=_number).encode()
        given = {**self.headers, **({"Content-Type": "application/json"} if sent else {}), **(headers or {})}
        self.last = self.web.request(path, method=method, headers=given, status="*", body=sent)
        if status is not None:
            assert self.last.status_int == status, f"{method} {path}: {self.last.status}: {self.last.text}"
        return self.last

    def get(self, path: str, status: int = 200, **headers: str) -> Any:
        return decoded(self.call("GET", path, None, status, _named(headers)))

    def post(self, path: str, body: Any = None, status: int = 201, **headers: str) -> Any:
        return decoded(self.call("POST", path, body, status, _named(headers)))

    def patch(self, path: str, body: Any, status: int = 200, **headers: str) -> Any:
        return decoded(self.call("PATCH", path, body, status, _named(headers)))

    def delete(self, path: str, status: int = 200, **headers: str) -> Any:
        return decoded(self.call("DELETE", path, None, status, _named(headers)))

    def events(self) -> list[str]:
        """The names of the tenant's events, oldest first."""
        found = self.get("/v1/events?per_page=100&sort=created_at")
        return [event["event"] for event in found["data"]]


def decoded(response: Any) -> Any:
    """A response's JSON, numbers exact."""
    return json.loads(response.body, parse_float=Decimal)


def _number(value: Any) -> float | str:
    return float(value) if isinstance(value, Decimal) else str(value)


def _named(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


@contextmanager
def counted(app: "App") -> Iterator[list[str]]:
    """The SQL statements sent while the block runs."""
    sent: list[str] = []

    def note(connection: Any, cursor: Any, statement: str, parameters: Any, context: Any, many: bool) -> None:
        if not statement.startswith("BEGIN"):
            sent.append(statement)

    engines = {id(e.sync_engine if hasattr(e, "sync_engine") else e): e for e in (app.db.writer, app.db.reader)}
    for engine in engines.values():
        sa.event.listen(engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        for engine in engines.values():
            sa.event.remove(engine, "before_cursor_execute", note)
