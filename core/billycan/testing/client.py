"""A business and its key, and what tests ask of an app: the statements it sends, its timed work, its migrations."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from ..businesses import create_key, create_tenants
from ..starting import migrate, versions
from ..tenants import Profile, tenants

if TYPE_CHECKING:
    from ..app import App

ENGINES = ("sqlite", "postgresql")


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
                tenant_id, _ = create_tenants(db, Profile(**given), app.now())
            self.key_id, self.secret = self._credential(db, tenant_id, scopes, limits)
        self.tenant_id = tenant_id
        self.headers = {"Authorization": f"Bearer {self.secret}"}
        self.web = webtest.TestApp(app.wsgi)
        self.last: Any = None

    def _credential(
        self, db: sa.Connection, tenant_id: str, scopes: tuple[str, ...], limits: Mapping[str, Any]
    ) -> tuple[str, str]:
        """What this client calls with, a new key: its id and secret."""
        limits = {"per_minute": 100_000, "per_second": 100_000, **limits}
        return create_key(db, tenant_id, list(scopes), self.app.now(), **limits)

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


def run_timed(app: "App") -> None:
    """Run every timed task on what is due, as a worker does (`clock.move(days=31)` first); raises what a task raised.

    Whenever a task ran last: another test, whose clock was elsewhere, may have shared the database.
    """
    from ..working.worker import tasks, tick  # noqa: PLC0415 - as above

    with app.db.writing() as db:
        db.execute(sa.delete(tasks))
    failures: list[Exception] = []
    tick(app, failures.append, clock=lambda: 0.0)  # no turn ends early because the machine is slow
    if failures:
        raise failures[0]


def upgrade_to(app: "App", **revisions: str) -> None:
    """Migrate each plugin to the revision given, `visits="visits_0001"`, and those that are not named to their last.

    For tests of a migration: `make_app("visits", fresh=True, migrated=False)`, up to the one before, rows, and on.
    """
    for chain in versions.chains(app.manifests):
        with app.db.writing(across="a migration changes the rows of all") as db:
            migrate.run(db, chain, revisions.get(chain.name, "head"))


@contextmanager
def counted(app: "App") -> Iterator[list[str]]:
    """The SQL statements that this thread sends while the block runs.

    Without the look-ups that are repeated once a second, of keys, ceilings and, by reads, of the tenant: on a busy
    machine a test takes longer than that.
    """
    sent: list[str] = []
    this = threading.get_ident()  # what observes requests may write beside them
    engines = [app.db.writer] if app.db.is_sqlite else [app.db.writer, app.db.reader]  # on SQLite both are one

    def note(connection: Any, cursor: Any, statement: str, parameters: Any, context: Any, many: bool) -> None:
        reads = connection.get_execution_options().get("billycan_read") or connection.engine is app.db.reader
        recent = any(f"FROM {table}" in statement for table in ("core_keys", "core_ceilings"))
        recent = recent or (reads and "FROM core_tenants" in statement)
        if not statement.startswith("BEGIN") and not recent and threading.get_ident() == this:
            sent.append(statement)

    for engine in engines:
        sa.event.listen(engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        for engine in engines:
            sa.event.remove(engine, "before_cursor_execute", note)
