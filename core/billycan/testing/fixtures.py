"""The pytest plugin: databases, a clock, and the fixtures that make apps and install plugins."""

import logging
import re
import tempfile
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar, cast

import pytest
import sqlalchemy as sa

from ..hookspecs import hookimpl
from ..manifest import Manifest
from ..starting import migrate, packages, plugins, policies
from ..starting.packages import PluginError, absent
from ..starting.settings import Config, Settings
from . import holding, routing, throwaway
from .apps import AppPool
from .databases import Databases, share_compiled

if TYPE_CHECKING:
    from ..app import App
    from ..db import Database
    from .throwaway import Redis

ENGINES = ("sqlite", "postgresql")
SECRET = "a secret for tests that is long enough"  # noqa: S105
"""The secret of the apps that `make_app` gives."""
ROLE = "billycan_app"


class Clock:
    """A clock that stands still, except for a millisecond at each reading, and moves when told to.

    START: The time at which the fixture `clock` starts.
    """

    START: ClassVar = datetime(2026, 11, 21, tzinfo=UTC)  # of every test that sets no time of its own

    def __init__(self, start: datetime = START) -> None:
        self.time = start
        self._lock = threading.Lock()  # of two threads that add to it at once, one would set it back

    def __call__(self) -> datetime:
        return self._add_time(timedelta(milliseconds=1))

    def move(self, **by: float) -> None:
        """Move the clock ahead: `clock.move(days=3)`."""
        self._add_time(timedelta(**by))

    def _add_time(self, time: timedelta) -> datetime:
        with self._lock:
            self.time += time
            return self.time


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--engine", choices=ENGINES, help="run on one database only; default: both")
    parser.addoption("--plain-sql", action="store_true", help="have SQLAlchemy alone run every statement: plain_sql")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "engine" in metafunc.fixturenames:
        only = metafunc.config.getoption("--engine")
        one = ENGINES[:1] if metafunc.definition.get_closest_marker("sqlite_alone") else ENGINES
        metafunc.parametrize("engine", [only] if only else one, scope="session")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Report tests that were skipped because the machine lacks something; their reasons contain NOT TESTED."""
    reasons = {report.longrepr[2] for report in terminalreporter.stats.get("skipped", ()) if report.longrepr}
    if missing := sorted(reason.removeprefix("Skipped: ") for reason in reasons if "NOT TESTED" in reason):
        terminalreporter.section("NOT TESTED", red=True, bold=True)
        for reason in missing:
            terminalreporter.line(reason)


def pytest_configure(config: pytest.Config) -> None:
    for marker in (
        "long: long and rare, such as browser crawls, unthinned fuzzing and crash runs; `make test-long` runs these",
        "either: true on either database alike; `make test` runs these on SQLite, `make test-long` on PostgreSQL, there"
        " with the first of a table of cases",
        "each_case: of a file of `either`, what PostgreSQL tries with each case, because it sees what differs",
        "both: of a file of `either`, what a database decides, such as a race; `make test` runs these on both",
        "sqlite_alone: no database decides; PostgreSQL only where `--engine postgresql` chooses it",
        "needs(method): a test of PluginConformance that is left out of a class that does not define this method",
        "whole: about every plugin of the assembled distribution, whichever those are",
    ):
        config.addinivalue_line("markers", marker)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Postpone tests that either database does for, if both run; skip tests of the whole where a part is missing.

    Of those postponed, PostgreSQL tries the first of a table of cases: the others make the same statements with other
    values. Leave out what a parameter of a test marks as `sqlite_alone`; `pytest_generate_tests` sees the test's own
    marks.
    """
    without, has_chosen = sorted(absent()), config.getoption("--engine")
    left_out, postponed = set(), set()
    for item in items:
        callspec = getattr(item, "callspec", None)
        is_second = not has_chosen and callspec is not None and callspec.params.get("engine") == "postgresql"
        if is_second and item.get_closest_marker("sqlite_alone"):
            left_out.add(item)
        elif is_second and item.get_closest_marker("either") and not item.get_closest_marker("both"):
            test = item.parent, getattr(item, "originalname", item.name)
            marks = {mark.name for mark in item.iter_markers()}
            if test in postponed and not {"each_case", "long"} & marks:
                left_out.add(item)
            postponed.add(test)
            item.add_marker("long")
        if item.get_closest_marker("whole") and without:
            reason = f"What is about the whole was NOT TESTED without {', '.join(without)}"
            item.add_marker(pytest.mark.skip(reason=reason))
    if left_out:
        config.hook.pytest_deselected(items=[*left_out])
        items[:] = [item for item in items if item not in left_out]


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out test files that import a part of the distribution that is not installed."""
    if collection_path.suffix != ".py" or not absent():
        return None
    imported = set(re.findall(r"^(?:from|import) billycan_(\w+)", collection_path.read_text("utf-8"), re.MULTILINE))
    return True if imported & absent() else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Generator[None, Any, Any]:
    """Skip a test that fails because a part of the assembled distribution is not installed."""
    try:
        return (yield)
    except (PluginError, ModuleNotFoundError) as error:
        _skip_without(re.findall(r"\b(?:billycan_)?(\w+)", str(error)))
        raise


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, Any, Any]:
    """Do the same during the call, and fail a test whose write transaction did more than SQL.

    Fail one that sent a statement that no cluster takes, too.
    """
    holding.breaches.clear()
    try:
        result = yield from pytest_runtest_setup()
    except BaseException as error:
        for breach in holding.breaches:
            error.add_note(breach)
        raise
    if holding.breaches:
        raise AssertionError("\n".join(holding.breaches))
    return result


def _skip_without(names: Iterable[str]) -> None:
    if missing := sorted(absent().intersection(names)):
        pytest.skip(f"What needs {', '.join(missing)} was NOT TESTED: not installed")


@pytest.fixture(scope="session")
def databases() -> Iterator[Databases]:
    found = Databases()
    yield found
    found.close()


@pytest.fixture(scope="session")
def redis_server() -> Iterator["Redis"]:
    """Start a Redis for this run; a test that stops it must start it again."""
    try:
        server = throwaway.Redis()
    except RuntimeError as error:
        pytest.skip(f"Redis was NOT TESTED: {error}")
    yield server
    server.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="session")
def app_pool(databases: Databases) -> Iterator[AppPool]:
    pool = AppPool(databases.folder)
    yield pool
    pool.close()


@pytest.fixture
def make_app(
    engine: str, databases: Databases, app_pool: AppPool, clock: Clock, pytestconfig: pytest.Config
) -> Iterator[Callable[..., "App"]]:
    """Build an app with the named plugins on a migrated database: `make_app("contacts", per_minute=5)`.

    The database has the tables of every installed plugin, and no rows. With `fresh=True` it has those of the named
    plugins alone. On PostgreSQL it runs as a role that owns nothing, behind row-level security; with `walled=False`
    it is a superuser, without. Other keywords are core's settings, or a plugin's as a dict.
    """
    from ..app import App  # noqa: PLC0415 - pytest loads this module in every run, with or without billycan's tests

    taken: list[App] = []
    used: dict[str, None] = {}
    holding.watch_writes()
    routing.watch_statements(holding.tell_breach)
    share_compiled()

    def make(
        *plugins: str,
        fresh: bool = False,
        migrated: bool = True,
        walled: bool = True,
        database: str = "",
        **given: Any,
    ) -> App:
        names = tuple(sorted(plugins))
        _skip_without(names)
        given = {"plain_sql": pytestconfig.getoption("--plain-sql"), **given}
        # A plugin that a test installs may have the name of one that is there, and none of its tables.
        found = packages.installed()
        guests = [name for name in names if not isinstance(found.get(name), EntryPoint)]
        walls = ("walled",) if walled else ()

        def build(url: str) -> App:
            config = _build_config(names, url, databases.folder, given)
            # A second app of a test stands for a second process.
            how = {"plain_sql": config.settings.plain_sql, "pooled": config.settings.pooled}
            is_shared = not (fresh or config.settings.database_replica) and is_first(url)
            db = databases.open(url, config.settings.pool_size, **how) if is_shared else None
            return App(config, clock, db)

        def is_first(url: str) -> bool:
            return all(app.db.url != sa.make_url(url) for app in taken)

        def prepare(url: str) -> None:
            app = build(url)
            _migrate_tables(app.db, app.manifests, walled=walled)
            app.close()

        def find() -> str:
            if not (fresh or guests):
                build_all = partial(_migrate_all, databases, walled=walled)
                return databases.cleaned(engine, ("all", *walls), build_all)
            key = (*names, *(f"guest {name} {_migrations_of(name)}" for name in guests), *walls)
            if not fresh:
                return databases.shared(engine, key, prepare)
            # What a test installs may have other migrations than the next of its name.
            if migrated and not guests:
                return databases.copy(engine, key, prepare)
            url = databases.empty(engine)
            if migrated:
                prepare(url)
            return url

        url = database or (find() if migrated or fresh else databases.empty(engine))
        used[url] = None
        if walled and migrated and not database and engine == "postgresql":
            url = sa.make_url(url).set(username=ROLE).render_as_string()
        if not migrated:
            app = build(url)
        elif fresh or database or guests or not is_first(url):
            app = build(url).start()
        else:
            app = app_pool.lend((url, names, repr(given)), clock, lambda: build(url).start())
        taken.append(app)
        return app

    yield make
    for app in taken:
        app_pool.give_back(app)
    databases.clean(used)
    logging.getLogger("billycan").handlers.clear()


def _migrations_of(guest: str) -> Path | None:
    """Return the migrations of a plugin that a test installed; None if it has none, or is not to be had."""
    try:
        return packages.migrations_of(guest)
    except Exception:  # noqa: BLE001 - building the app says what is wrong
        return None


def _migrate_all(databases: Databases, url: str, *, walled: bool) -> None:
    """Make the tables of every installed plugin that can be used."""
    from .. import defaults, platform  # noqa: PLC0415 - as above

    known = {name for name, entry in packages.installed().items() if isinstance(entry, EntryPoint)}
    usable = known - absent() - packages.lacking()
    _, manifests = plugins.load_plugins(usable, {"core": defaults, "platform": platform})
    _migrate_tables(databases.open(url, 4), manifests, walled=walled)


def _migrate_tables(db: "Database", manifests: Mapping[str, Manifest], *, walled: bool) -> None:
    migrate.upgrade_all(db, manifests)
    if walled and not db.is_sqlite:
        with db.writing() as connection:
            policies.create_policies(connection, ROLE, "")


def _build_config(names: Iterable[str], url: str, folder: Path, given: Mapping[str, Any]) -> Config:
    """Return the configuration of an app: `given`, files of this run, and limits that no test reaches by accident."""
    room = ("per_minute", "per_second", "business_per_minute", "business_per_second")
    defaults = {"secret": SECRET, "pool_size": 4, **dict.fromkeys(room, 100_000)}
    core = {k: v for k, v in given.items() if not isinstance(v, dict)}
    shared = tempfile.mkdtemp(prefix="shared-", dir=folder)
    told = {**defaults, "shared_folder": shared, **core, "database": url, "plugins": ",".join(names) or "none"}
    plugins = {k: v for k, v in given.items() if isinstance(v, dict)}
    for name in filter(_keeps_files, names):
        plugins[name] = {"folder": str(folder / name), **plugins.get(name, {})}
    return Config(Settings(**told), plugins)


def _keeps_files(plugin: str) -> bool:
    """Tell whether a plugin has a setting for a folder; the folder is then one of this run."""
    entry = packages.installed().get(plugin)
    kind = entry.load().manifest.settings if isinstance(entry, EntryPoint) else None
    return kind is not None and "folder" in kind.__struct_fields__


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Install a plugin for one test: `install(Manifest(name="guest"), after_commit=tell)`, then `make_app("guest")`.

    Keywords are hook functions; `load` replaces what importing the plugin does; `folder` has its migrations and
    examples, by default those of the installed plugin whose place it takes, tables included.
    """
    found = packages.installed()
    monkeypatch.setattr(packages, "installed", lambda: found)

    def add(
        manifest: Manifest,
        load: Callable[[], Any] | None = None,
        *,
        folder: Path | None = None,
        **hooks: Callable[..., Any],
    ) -> None:
        module = ModuleType(manifest.name)
        is_in_place = bool(manifest.tables) and manifest.name in found
        if folder := folder or (packages.folder_of(manifest.name) if is_in_place else None):
            module.__package__, module.__file__ = manifest.name, str(folder / "plugin.py")
        members = {"manifest": manifest, **{name: hookimpl(function) for name, function in hooks.items()}}
        vars(module).update(members)
        found[manifest.name] = cast(Any, SimpleNamespace(value=manifest.name, dist=None, load=load or (lambda: module)))

    return add
