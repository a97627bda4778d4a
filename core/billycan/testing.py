"""The kit that plugin authors test with: `make_app`, `Client` and `PluginConformance`; pytest loads it by itself.

Every test that takes `make_app` runs on SQLite and on PostgreSQL. Databases are shared by the tests of a run that
enable the same plugins: each Client is a tenant of its own, so none sees another's rows.
"""

import json
import logging
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any, cast, get_args, get_origin, get_type_hints
from urllib.parse import quote

import msgspec
import pytest
import sqlalchemy as sa
from msgspec import Struct

from . import keys, migrate, plugins, throwaway
from .fields import Moment, read_field
from .hookspecs import hookimpl
from .manifest import STEERING, Manifest, Resource
from .settings import Config, Settings
from .signatures import PARAMETER
from .tenants import Profile, tenants
from .tenants import create as create_tenant

if TYPE_CHECKING:
    from .app import App
    from .pipeline import Endpoint
    from .throwaway import Postgres, Redis

ENGINES = ("sqlite", "postgresql")
START = datetime(2026, 11, 21, tzinfo=UTC)
SECRET = "a secret for tests that is long enough"  # noqa: S105
NOBODYS = "no_such_member"  # what no plugin calls anything
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
        self.folder = Path(tempfile.mkdtemp(prefix="billycan-test-", dir=throwaway.in_memory()))
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
    """Say loudly what was skipped because this machine lacks something: its reason holds NOT TESTED."""
    reasons = {report.longrepr[2] for report in terminalreporter.stats.get("skipped", ()) if report.longrepr}
    if missing := sorted(reason.removeprefix("Skipped: ") for reason in reasons if "NOT TESTED" in reason):
        terminalreporter.section("NOT TESTED", red=True, bold=True)
        for reason in missing:
            terminalreporter.line(reason)


@pytest.fixture(scope="session")
def databases() -> Iterator[Databases]:
    found = Databases()
    yield found
    found.close()


@pytest.fixture(scope="session")
def redis_server() -> Iterator["Redis"]:
    """A Redis of this run; a test that stops it starts it again."""
    try:
        server = throwaway.Redis()
    except RuntimeError as error:
        pytest.skip(f"Redis was NOT TESTED: {error}")
    yield server
    server.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def make_app(engine: str, databases: Databases, clock: Clock) -> Iterator[Callable[..., "App"]]:
    """Build an app with the named plugins on a migrated database: `make_app("contacts", per_minute=5)`.

    `fresh=True` gives it an empty database of its own; other keywords are core's settings, or a plugin's as a dict.
    """
    from .app import App  # noqa: PLC0415 - pytest loads this module in every run, with or without billycan's tests

    built: list[App] = []

    def make(*plugins: str, fresh: bool = False, migrated: bool = True, database: str = "", **given: Any) -> App:
        names = tuple(sorted(plugins))

        def build(url: str) -> App:
            defaults = {"secret": SECRET, "per_minute": 100_000, "per_second": 100_000, "pool_size": 4}
            core = {k: v for k, v in given.items() if not isinstance(v, dict)}
            shared = tempfile.mkdtemp(prefix="shared-", dir=databases.folder)
            settings = Settings(
                **{**defaults, "shared_folder": shared, **core, "database": url, "plugins": ",".join(names) or "none"}
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


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Install a plugin for one test: `install(Manifest(name="guest"), after_commit=tell)`, then `make_app("guest")`.

    Keywords are hook functions; `load` replaces what importing the plugin does.
    """
    found = plugins.installed()
    monkeypatch.setattr(plugins, "installed", lambda: found)

    def add(manifest: Manifest, load: Callable[[], Any] | None = None, **hooks: Callable[..., Any]) -> None:
        module = ModuleType(manifest.name)
        members = {"manifest": manifest, **{name: hookimpl(function) for name, function in hooks.items()}}
        vars(module).update(members)
        found[manifest.name] = cast(Any, SimpleNamespace(value=manifest.name, dist=None, load=load or (lambda: module)))

    return add


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
        import webtest  # noqa: PLC0415 - only those who test need it

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

    def refused(self, status: int, code: str, method: str, path: str, body: Any = None, **sent: Any) -> Any:
        """Make a call that must be refused so; returns the envelope's error."""
        given = decoded(self.call(method, path, body, status, **sent))
        error = given["error"]
        assert given == {"data": None, "pagination": None, "error": error}
        assert error["code"] == code, f"{method} {path}: {error}"
        assert error["request_id"] == self.last.headers["X-Request-Id"]
        return error

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

    engines = [app.db.writer] if app.db.is_sqlite else [app.db.writer, app.db.reader]  # on SQLite both are one
    for engine in engines:
        sa.event.listen(engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        for engine in engines:
            sa.event.remove(engine, "before_cursor_execute", note)


class PluginConformance:
    """What every plugin must keep: subclass it, name the plugin and give one valid body for each of its collections.

    `enable` names what it requires, `settings` are those it does not start without.

    class TestAssets(PluginConformance):
        plugin = "assets"
        enable = ("contacts",)

        def bodies(self, client):
            return {"/v1/assets": {"name": "Van"}}
    """

    plugin = ""
    enable: tuple[str, ...] = ()
    settings: Mapping[str, Any] = {}

    def bodies(self, client: Client) -> Mapping[str, Mapping[str, Any]]:
        """A valid body for each collection that takes POST, by its path; `client` may make what they refer to."""
        return {}

    @pytest.fixture
    def app(self, make_app: Callable[..., "App"]) -> "App":
        return make_app(self.plugin, *self.enable, **{self.plugin: dict(self.settings)})

    @pytest.fixture
    def client(self, app: "App") -> Client:
        return Client(app)

    @pytest.fixture
    def made(self, app: "App", client: Client) -> dict[str, Any]:
        """A record of each collection, by the collection's path."""
        return self.make(app, client)

    def make(self, app: "App", client: Client) -> dict[str, Any]:
        """Make a record in each collection; returns them by the collection's path."""
        bodies = self.bodies(client)
        missing = {path for path in self.collections(app) if path not in bodies}
        assert not missing, f"bodies() gives none for {missing}"
        return {path: self.as_read(app, path, client.post(path, body)["data"]) for path, body in bodies.items()}

    def as_read(self, app: "App", path: str, record: dict[str, Any]) -> dict[str, Any]:
        """A record just made as it is read from then on: without the member that is shown only once."""
        secret = self.endpoint(app, "POST", path).route.shown_once
        assert secret is None or record[secret]
        return {**record, secret: None} if secret else record

    def endpoints(self, app: "App") -> "list[Endpoint]":
        return [e for e in app.endpoints if e.plugin == self.plugin]

    def endpoint(self, app: "App", method: str, path: str) -> "Endpoint":
        (found,) = (e for e in self.endpoints(app) if (e.route.method, e.route.path) == (method, path))
        return found

    def has(self, app: "App", method: str, path: str) -> bool:
        """Whether the records of a collection can be read, changed or deleted one by one."""
        return (method, f"{path}/{{}}") in {
            (e.route.method, PARAMETER.sub("{}", e.route.path)) for e in self.endpoints(app)
        }

    def collections(self, app: "App") -> list[str]:
        """The paths that list records and make new ones."""
        lists = {e.route.path for e in self.endpoints(app) if e.signature.listed}
        return [e.route.path for e in self.endpoints(app) if e.route.path in lists and e.route.method == "POST"]

    def calls(self, app: "App", id: str) -> list[tuple[str, str]]:
        """Method and path of every route, with `id` for each id in it."""
        return [(e.route.method, PARAMETER.sub(id, e.route.path)) for e in self.endpoints(app)]

    def found(self, client: Client, path: str, **query: str) -> list[str]:
        """The ids of the newest hundred records that a query finds."""
        asked = "&".join(f"{quote(name)}={quote(text)}" for name, text in {**query, "per_page": "100"}.items())
        return [record["id"] for record in client.get(f"{path}?{asked}")["data"]]

    # The tests --------------------------------------------------------------------------------------------------------

    def test_migrations_make_the_declared_tables(self, app: "App") -> None:
        manifest = app.manifests[self.plugin]
        found = "; ".join(migrate.described(migrate.differences(app.db, self.plugin, manifest.tables)))
        assert not found, (
            f"{found}: declare it in the code and make it in a migration in {manifest.migrations}, both alike;"
            " the last migration there may be changed until it has run anywhere, then add another"
        )

    def test_every_route_refuses_a_missing_key(self, app: "App", client: Client) -> None:
        for method, path in self.calls(app, "xxx_1"):
            client.call(method, path, {}, 401, {"Authorization": ""})

    def test_every_route_refuses_a_key_without_its_scope(self, app: "App", client: Client) -> None:
        client = client.key("events:read")
        for method, path in self.calls(app, "xxx_1"):
            client.call(method, path, {} if method != "GET" else None, 403)
            assert client.last.json["error"]["code"] == "insufficient_scope"

    def test_another_tenants_records_look_like_none(self, app: "App", made: dict[str, Any]) -> None:
        stranger = Client(app)
        for path, record in made.items():
            id = record["id"]
            assert id not in self.found(stranger, path), f"{path} lists another tenant's"
            query = self.endpoint(app, "GET", path).signature.query
            for name in sorted(set(query.__struct_fields__) - set(STEERING)):
                if isinstance(value := record.get(name.removesuffix("_from").removesuffix("_to")), str):
                    assert id not in self.found(stranger, path, **{name: value}), f"{path}?{name}={value}"
            if self.has(app, "GET", path):
                answers = [stranger.get(f"{path}/{id}", 404) for id in (id, id[:-5] + "zzzzz", "nope")]
                assert len({str({**a["error"], "request_id": None}) for a in answers}) == 1
            for endpoint in self.endpoints(app):
                if endpoint.route.path.startswith(f"{path}/{{"):
                    theirs = PARAMETER.sub("xxx_1", PARAMETER.sub(id, endpoint.route.path, count=1))
                    answer = stranger.call(endpoint.route.method, theirs, {} if endpoint.signature.body else None)
                    # The shape of a body is judged before the id.
                    allowed = (404, 422) if endpoint.signature.body and not endpoint.signature.patch else (404,)
                    assert answer.status_int in allowed, f"{endpoint.route.method} {theirs}: {answer.status}"

    def test_what_is_not_known_is_refused(self, app: "App", client: Client, made: dict[str, Any]) -> None:
        for path, body in self.bodies(client).items():
            assert client.post(path, {**body, NOBODYS: 1}, 422)["error"]["details"][0]["code"] == "unknown_field"
            assert client.get(f"{path}?{NOBODYS}=1", 400)["error"]["code"] == "unknown_parameter"
            assert client.post(path, {**body, "version": 1}, 422)["error"]["details"][0]["code"] == "read_only"
            if self.has(app, "PATCH", path):
                refused = client.patch(f"{path}/{made[path]['id']}", {NOBODYS: 1}, 422)
                assert refused["error"]["details"][0]["code"] == "unknown_field"

    def test_a_number_beyond_its_column_is_refused(self, app: "App", client: Client) -> None:
        for path, body in self.bodies(client).items():
            kind = self.endpoint(app, "POST", path).signature.body
            for name, huge in _with_integers(kind, body, 2**63):
                answer = client.call("POST", path, huge)
                assert answer.status_int == 422, f"{path}: {name} takes what no column can hold: make it a Whole"
            for name, large in _with_integers(kind, body, 2**31):
                answer = client.call("POST", path, large)
                assert answer.status_int < 500, f"{path}: {name} takes what its column cannot hold: limit it"
            query = self.endpoint(app, "GET", path).signature.query
            for name, hint in get_type_hints(query).items():
                if name in query.__struct_fields__ and any(map(_is_integer, _parts(hint))):
                    answer = client.call("GET", f"{path}?{name}={2**63}")
                    assert answer.status_int == 400, f"{path}?{name}= takes what no column can hold: make it a Whole"

    def test_a_record_is_read_listed_and_left_alone(self, app: "App", client: Client, made: dict[str, Any]) -> None:
        for path, record in made.items():
            one = f"{path}/{record['id']}"
            (listed,) = (r for r in client.get(f"{path}?per_page=100")["data"] if r["id"] == record["id"])
            assert {k: v for k, v in record.items() if k in listed} == listed
            if self.has(app, "GET", path):
                assert client.get(one)["data"] == record
                assert client.last.headers["ETag"] == f'"{record["version"]}"'
            if self.has(app, "PATCH", path):
                assert client.patch(one, record)["data"] == record
                changed = client.patch(one, {"metadata": {"colour": "blue"}})["data"]
                assert changed["version"] == record["version"] + 1
                client.patch(one, {}, 412, If_Match='"1"')

    def test_a_deleted_record_is_gone(self, app: "App", client: Client, made: dict[str, Any]) -> None:
        for path, record in reversed(made.items()):
            one = f"{path}/{record['id']}"
            if not self.has(app, "DELETE", path):
                continue
            if client.call("DELETE", one).status_int == 409:  # It is of a state that must be kept, or pointed at.
                assert client.last.json["error"]["code"] in ("document_locked", "has_dependents")
                assert record["id"] in self.found(client, path)
                continue
            assert client.last.json["data"] == {"id": record["id"], "deleted": True}
            assert record["id"] not in self.found(client, path)
            client.delete(one, 404)

    def test_actions_lead_to_what_is_declared(self, app: "App", client: Client) -> None:
        for path, body in self.bodies(client).items():
            tried: set[str] = set()
            while (made := client.call("POST", path, body)).status_int == 201:  # Anew for each way out of a status.
                now, tried_before = decoded(made)["data"], len(tried)
                while action := next((a for a in now.get("allowed_actions", ()) if a not in tried), None):
                    tried.add(action)
                    after = self.act(client, path, now["id"], action)
                    now = after if after and after.get("id") == now["id"] else now
                if len(tried) == tried_before:
                    break

    def act(self, client: Client, path: str, id: str, action: str) -> dict[str, Any] | None:
        """What an action of a record answers, which must be as its handler declares; None where it needs a body."""
        for endpoint in self.endpoints(client.app):
            route = endpoint.route
            if (route.method, PARAMETER.sub("{}", route.path)) == ("POST", f"{path}/{{}}/{action}"):
                answer = client.call("POST", f"{path}/{id}/{action}")
                if answer.status_int in (409, 422):
                    return None
                assert answer.status_int == route.status, f"{route.path}: {answer.text}"
                data: dict[str, Any] = decoded(answer)["data"]
                fault = _undeclared(data, endpoint.signature.answer)
                assert not fault, f"{route.path} answers what {endpoint.signature.answer} has not: {fault}"
                return data
        return None

    def test_lists_are_paged_and_sorted(self, app: "App", client: Client, made: dict[str, Any]) -> None:
        for path, body in self.bodies(client).items():
            client.post(path, body)
            for sort in [
                s for name in self.endpoint(app, "GET", path).signature.query.sortable for s in (name, f"-{name}")
            ]:
                everything = self.found(client, path, sort=sort)
                assert len(everything) > 1
                walked, cursor = [], ""
                while cursor is not None:
                    page = client.get(f"{path}?sort={sort}&per_page=1{cursor and f'&cursor={cursor}'}")
                    assert len(page["data"]) == 1, f"{path}?per_page=1 gives {len(page['data'])}"
                    walked += [r["id"] for r in page["data"]]
                    assert page["pagination"]["total"] == len(everything)
                    cursor = page["pagination"]["next_cursor"]
                    assert len(walked) <= len(everything), f"{path}?sort={sort} goes round in circles"
                assert walked == everything, f"{path}?sort={sort}"
            client.refused(400, "invalid_sort", "GET", f"{path}?sort={NOBODYS}")
            client.refused(400, "invalid_parameter", "GET", f"{path}?per_page=101")

    def test_filters_find_a_record_by_its_own_values(self, app: "App", client: Client, made: dict[str, Any]) -> None:
        for path, record in made.items():
            query = self.endpoint(app, "GET", path).signature.query
            hints = get_type_hints(query)
            for name in sorted(set(query.__struct_fields__) - set(STEERING)):
                value = record.get(name.removesuffix("_from").removesuffix("_to"))
                sample = client.call("GET", f"{path}?{name}={_sample(hints[name])}")
                assert sample.status_int < 500, f"{path}?{name}= names neither a column nor one of its Records' filters"
                if isinstance(value, str | int | Decimal):
                    text = str(value).lower() if isinstance(value, bool) else str(value)
                    assert record["id"] in self.found(client, path, **{name: text}), f"{path}?{name}={value}"

    def test_filters_leave_out_what_does_not_match(self, app: "App", client: Client, made: dict[str, Any]) -> None:
        for path, record in made.items():
            query = self.endpoint(app, "GET", path).signature.query
            hints = get_type_hints(query)
            for name in sorted(set(query.__struct_fields__) - set(STEERING)):
                value = record.get(name.removesuffix("_from").removesuffix("_to"))
                if not isinstance(value, str):
                    continue
                others = [other for other in _literals(hints[name]) if other != value]
                if name.endswith(("_from", "_to")):
                    none = "2200-01-01" if name.endswith("_from") else "1900-01-01"
                elif name.endswith("_id"):
                    none = value[:-5] + "zzzzz"
                elif others:
                    none = others[0]
                    both = self.found(client, path, **{name: f"{value},{none}"})
                    assert record["id"] in both, f"{path}?{name}={value},{none}"
                    client.refused(400, "invalid_filter", "GET", f"{path}?{name}=no_such_value")
                else:
                    continue
                assert record["id"] not in self.found(client, path, **{name: none}), f"{path}?{name}={none}"

    def test_a_record_is_found_by_what_clients_attach_to_it(
        self, app: "App", client: Client, made: dict[str, Any]
    ) -> None:
        given = {"external_id": "erp 1%", "metadata": {"colour": "blue"}}
        wanted = {"external_id": "erp 1%", "metadata[colour]": "blue"}
        for path, record in made.items():
            query = self.endpoint(app, "GET", path).signature.query
            if self.has(app, "PATCH", path) and {"external_id", "metadata"} <= set(query.__struct_fields__):
                client.patch(f"{path}/{record['id']}", given)
                for name, text in wanted.items():
                    assert self.found(client, path, **{name: text}) == [record["id"]], f"{path}?{name}={text}"
                    assert self.found(client, path, **{name: f"{text}x"}) == [], f"{path}?{name}={text}x"

    def test_search_finds_a_record_by_its_own_words(self, app: "App", client: Client, made: dict[str, Any]) -> None:
        for path, body in self.bodies(client).items():
            if "search" not in self.endpoint(app, "GET", path).signature.query.__struct_fields__:
                continue
            id = made[path]["id"]
            texts = [text for text in body.values() if isinstance(text, str) and len(text) > 2]
            searched = [text for text in texts if id in self.found(client, path, search=text)]
            assert searched, f"{path}?search= finds none of {texts}"
            assert id in self.found(client, path, search=searched[0].swapcase()), "case matters"
            for text in ("%", f"{searched[0][0]}_{searched[0][2:]}", f"{searched[0]}\\"):
                assert id not in self.found(client, path, search=text), f"{path}?search={text}"

    def test_an_idempotency_key_makes_one_record(self, app: "App", client: Client, made: dict[str, Any]) -> None:
        for path, body in self.bodies(client).items():
            first = client.post(path, body, Idempotency_Key=f"key {path}")
            first["data"] = self.as_read(app, path, first["data"])
            assert client.post(path, body, Idempotency_Key=f"key {path}") == first
            assert client.last.headers["Idempotent-Replayed"] == "true"

    def test_events_happen_as_declared(self, app: "App", client: Client, made: dict[str, Any]) -> None:
        declared = app.manifests[self.plugin].events
        events = [(e["event"], e["data"]) for e in client.get("/v1/events?per_page=100")["data"]]
        for name, data in events:
            if name in declared:
                # A member with a default of "unset" is for some readers only, and never for an event.
                fields = msgspec.structs.fields(declared[name])
                assert set(data) == {f.name for f in fields if f.default is not msgspec.UNSET}, name
        for path, record in made.items():
            shown = self.endpoint(app, "POST", path).signature.answer
            told = [name for name, kind in declared.items() if kind is shown and name.endswith(".created")]
            happened = [name for name, data in events if data["id"] == record["id"]]
            assert not told or set(told) & set(happened), f"POST {path} emits none of {told}"

    def test_the_readme_names_everything(self, app: "App") -> None:
        manifest = app.manifests[self.plugin]
        module = sys.modules[plugins.installed()[self.plugin].value]
        readme = Path(str(module.__file__)).parents[1] / "README.md"
        text = readme.read_text()
        named = [f"{e.route.method} {e.route.path}" for e in self.endpoints(app)]
        settings = manifest.settings.__struct_fields__ if manifest.settings else ()
        commands = [f"billycan {command.name}" for command in manifest.commands]
        named += [*manifest.scopes, *manifest.events, *settings, *commands]
        listed = [kind for e in self.endpoints(app) if (kind := e.signature.listed)]
        members = {m: None for kind in listed for m in kind.__struct_fields__ if m not in Resource.__struct_fields__}
        missing = [name for name in named if name not in text]
        as_code = re.findall(r"`([^`]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
        missing += [name for name in members if name not in re.findall(r"\w+", " ".join(as_code))]
        assert not missing, f"{readme} does not name {missing}"

    def test_disabling_keeps_the_rows(
        self, app: "App", client: Client, made: dict[str, Any], make_app: Callable[..., "App"]
    ) -> None:
        url = app.db.url.render_as_string(hide_password=False)
        smaller = Client(make_app(*self.enable, database=url), client.tenant_id)
        for method, path in self.calls(app, "xxx_1"):
            assert smaller.call(method, path).json["error"]["code"] == "route_not_found"
        given = {self.plugin: dict(self.settings)}
        again = Client(make_app(self.plugin, *self.enable, database=url, **given), client.tenant_id)
        for path, record in made.items():
            assert record["id"] in self.found(again, path)
            if self.has(app, "GET", path):
                assert again.get(f"{path}/{record['id']}")["data"] == record

    def test_openapi_describes_every_route(self, app: "App") -> None:
        paths = app.openapi()["paths"]
        for endpoint in self.endpoints(app):
            operation = paths[endpoint.route.path][endpoint.route.method.lower()]
            assert operation["summary"] and str(endpoint.route.status) in operation["responses"]


def _literals(hint: Any) -> list[str]:
    """The texts that a type allows, where it names them."""
    return [part for part in _parts(hint) if isinstance(part, str)]


def _parts(hint: Any) -> list[Any]:
    """The types that a type is made of, and the values that it names."""
    inner = () if isinstance(hint, str) else get_args(hint)
    return [part for each in inner for part in _parts(each)] if inner else [hint]


def _is_integer(part: Any) -> bool:
    return isinstance(part, type) and issubclass(part, int) and part is not bool


def _sample(hint: Any) -> str:
    """A text that a parameter of this type takes."""
    parts = _parts(hint)
    named = [part for part in parts if isinstance(part, str)]
    if any(isinstance(part, type) and issubclass(part, date) for part in parts):
        return "2026-11-21"
    return named[0] if named else "1" if any(map(_is_integer, parts)) else "true" if bool in parts else "x"


def _with_integers(kind: type[Struct], body: Mapping[str, Any], value: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """A body with `value` for each whole number that a Struct takes, one at a time, with the member's name."""
    for field in msgspec.structs.fields(kind):
        given = body.get(field.name)
        one = given[0] if given and isinstance(given, list) else given
        for part in _parts(field.type):
            if _is_integer(part):
                yield field.name, {**body, field.name: value if get_origin(field.type) is not list else [value]}
            elif isinstance(part, type) and issubclass(part, Struct) and isinstance(one, Mapping):
                for name, changed in _with_integers(part, one, value):
                    yield f"{field.name}.{name}", {**body, field.name: [changed] if one is not given else changed}


def _undeclared(data: Any, kind: Any) -> str | None:
    """What of an answer its handler's type does not allow."""
    if not (isinstance(kind, type) and issubclass(kind, Struct)):
        return None
    try:
        msgspec.convert(data, kind, dec_hook=_read)
    except msgspec.ValidationError as error:
        return str(error)
    return None


def _read(kind: type, value: Any) -> Any:
    return Moment.of(datetime.fromisoformat(value)) if issubclass(kind, Moment) else read_field(kind, value)
