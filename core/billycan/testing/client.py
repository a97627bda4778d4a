"""A business and its key for tests, and helpers to count statements, run timed work and migrate."""

import json
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from ..starting import migrate, versions
from ..tenants import Profile, tenants
from . import holding
from .racing import race

if TYPE_CHECKING:
    from ..app import App

ENGINES = ("sqlite", "postgresql")


class Client:
    """A client of the API: `client.post("/v1/contacts", {"name": "Ada"})` returns the decoded envelope.

    `Client(app)` creates a business of its own. `key()` returns a client with another key of that business, and
    `sandbox()` one of its sandbox. A call fails the test unless its status is the expected one. Numbers are decoded as
    Decimals.
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
                tenant_id, _ = self.app.tenants.create(db, Profile(**given), app.now())
            self.key_id, self.secret = self._create_key(db, tenant_id, scopes, limits)
        self.tenant_id = tenant_id
        self.headers = {"Authorization": f"Bearer {self.secret}"}
        self.web = webtest.TestApp(app.wsgi)
        self.last: Any = None

    def _create_key(
        self, db: sa.Connection, tenant_id: str, scopes: tuple[str, ...], limits: Mapping[str, Any]
    ) -> tuple[str, str]:
        """Create the key that this client calls with; return its id and secret."""
        limits = {"per_minute": 100_000, "per_second": 100_000, **limits}
        return self.app.keys.create(db, tenant_id, list(scopes), self.app.now(), **limits)

    def key(self, *scopes: str, **limits: Any) -> "Client":
        """Return a client with another key of the same business."""
        return Client(self.app, self.tenant_id, scopes or ("read", "write"), **limits)

    def sandbox(self, *scopes: str) -> "Client":
        """Return a client with a key of the paired tenant: the sandbox of a live business."""
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
        """Send a request, and return webtest's response, also kept as `last`; `raw` is a body that is not JSON, such as
        a file.
        """
        sent = raw if raw is not None else b"" if body is None else json.dumps(body, default=_read_number).encode()
        given = {**self.headers, **({"Content-Type": "application/json"} if sent else {}), **(headers or {})}
        with holding.beside():
            self.last = self.web.request(path, method=method, headers=given, status="*", body=sent)
        if status is not None:
            assert self.last.status_int == status, f"{method} {path}: {self.last.status}: {self.last.text}"
        return self.last

    def get(self, path: str, status: int = 200, **headers: str) -> Any:
        """Return the decoded envelope; a header's `-` is written `_`: `If_Match='"1"'`."""
        return decoded(self.call("GET", path, None, status, _name_headers(headers)))

    def post(self, path: str, body: Any = None, status: int = 201, **headers: str) -> Any:
        """Return the decoded envelope."""
        return decoded(self.call("POST", path, body, status, _name_headers(headers)))

    def patch(self, path: str, body: Any, status: int = 200, **headers: str) -> Any:
        """Return the decoded envelope."""
        return decoded(self.call("PATCH", path, body, status, _name_headers(headers)))

    def delete(self, path: str, status: int = 200, **headers: str) -> Any:
        """Return the decoded envelope."""
        return decoded(self.call("DELETE", path, None, status, _name_headers(headers)))

    def refused(self, status: int, code: str, method: str, path: str, body: Any = None, **sent: Any) -> Any:
        """Make a call that must be refused with this status and code; return the envelope's error."""
        given = decoded(self.call(method, path, body, status, **sent))
        error = given["error"]
        assert given == {"data": None, "pagination": None, "error": error}
        assert error["code"] == code, f"{method} {path}: {error}"
        assert error["request_id"] == self.last.headers["X-Request-Id"]
        return error

    def race(self, *calls: Sequence[Any]) -> list[Any]:
        """Make calls of the API at once, each `("POST", path, body)`; return webtest's responses in the same order.

        Each call runs in a thread with its own client, up to 8 at a time, all with the same key. Fails the test if a
        response is 5xx: a 503 may be a deadlock between two requests that lock the same rows in different orders.
        """
        return race(self, *calls)

    @staticmethod
    def decoded(response: Any) -> Any:
        """Decode a response's JSON, with exact numbers."""
        return decoded(response)

    def events(self) -> list[str]:
        """List the names of the business's events, oldest first."""
        found = self.get("/v1/events?per_page=100&sort=created_at")
        return [event["event"] for event in found["data"]]


def decoded(response: Any) -> Any:
    """Decode a response's JSON, with exact numbers."""
    return json.loads(response.body, parse_float=Decimal)


def _read_number(value: Any) -> float | str:
    return float(value) if isinstance(value, Decimal) else str(value)


def _name_headers(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


def run_timed(app: "App") -> None:
    """Run all timed work that is due, as a worker does; move the clock first (`clock.move(days=31)`).

    Raises the first error of a task. Forgets when each task last ran, because the clock of an earlier test may have
    been ahead.
    """
    from ..working.worker import tasks, tick  # noqa: PLC0415 - as above

    with app.db.writing() as db:
        db.execute(sa.delete(tasks))
    failures: list[Exception] = []
    tick(app, failures.append, clock=lambda: 0.0)  # no turn ends early because the machine is slow
    if failures:
        raise failures[0]


def upgrade_to(app: "App", **revisions: str) -> None:
    """Migrate each plugin to the given revision, `visits="visits_0001"`, and all others to their last.

    To test a migration, start with `make_app("visits", fresh=True, migrated=False)`, migrate to the revision before it,
    insert rows, and migrate again.
    """
    for chain in versions.find_chains(app.manifests):
        with app.db.writing(across="a migration changes the rows of all") as db:
            migrate.run_migrations(db, chain, revisions.get(chain.name, "head"))


_CACHED = re.compile(r"\bFROM (core_keys|core_ceilings|core_standings|agents_policies|clock_clocks|custom_fields)\b")


@contextmanager
def counted(app: "App") -> Iterator[list[str]]:
    """Collect the SQL statements that this thread sends while the block runs.

    Leaves out look-ups that are cached for a second (keys, their policies, ceilings, standings, clocks, custom fields
    and, in reads, the tenant), because a test on a busy machine may take longer than that.
    """
    sent: list[str] = []
    this = threading.get_ident()  # what observes requests may write beside them
    engines = [app.db.writer] if app.db.is_sqlite else [app.db.writer, app.db.reader]  # on SQLite both are one

    def note(connection: Any, cursor: Any, statement: str, parameters: Any, context: Any, many: bool) -> None:
        reads = connection.get_execution_options().get("billycan_read") or connection.engine is app.db.reader
        recent = _CACHED.search(statement) or (reads and "FROM core_tenants" in statement)
        if not statement.startswith("BEGIN") and not recent and threading.get_ident() == this:
            sent.append(statement)

    for engine in engines:
        sa.event.listen(engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        for engine in engines:
            sa.event.remove(engine, "before_cursor_execute", note)
