"""PostgreSQL, the production database: its connections, and the statements prepared on them."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from . import PLAIN, sessions, walls
from .idle_connections import IdleConnections

if TYPE_CHECKING:
    from .trips import Result

_OPTIONS = (
    "-c statement_timeout=15000 -c lock_timeout=5000 -c idle_in_transaction_session_timeout=30000"
    " -c timezone=UTC -c datestyle=ISO -c jit=off"
)
_IDLE_SECONDS = 5.0
# After these psycopg may have PostgreSQL forget all that was prepared on the connection.
_FORGETFUL = ("DROP", "ALTER", "ROLLBACK", "DISCARD ALL", "DEALLOCATE ALL")
PLANNED_ANEW = "billycan_planned_anew"
"""The execution option of a statement that PostgreSQL plans for its values each time: `{PLANNED_ANEW: True}`.

Such a statement is never prepared. Of one that is, PostgreSQL keeps a single plan for all values before long: right for
`id = ?`, and ruinous if the value decides which index is the one to use, as in a sum over some days.
"""


class Sent(NamedTuple):
    """A statement with `$1`, `$2`… and their values; `anew` has it planned for these values."""

    text: bytes
    values: Sequence[Any] = ()
    anew: bool = False


_BEGIN, _COMMIT, _ROLLBACK = Sent(b"BEGIN"), Sent(b"COMMIT"), Sent(b"ROLLBACK")


class Engines:
    """One PostgreSQL database's connections: some for transactions, others for reads outside of any."""

    def __init__(self, url: sa.URL, settings: Mapping[str, Any]) -> None:
        # BEGIN is ours to send, along with the first statement: psycopg waits for it by itself.
        self.writer = self.notes = sa.create_engine(
            url, pool_recycle=1800, connect_args=_connect_args(_OPTIONS) | {"autocommit": True}, **settings
        )
        # A read outside a transaction costs one round trip; BEGIN and ROLLBACK around it would cost two more.
        self.reader = sa.create_engine(
            url,
            isolation_level="AUTOCOMMIT",
            skip_autocommit_rollback=True,
            pool_reset_on_return=None,
            pool_recycle=1800,
            connect_args=_connect_args(_OPTIONS + " -c default_transaction_read_only=on"),
            **settings,
        )
        from psycopg.adapt import Loader  # noqa: PLC0415 - SQLite needs none of it

        # Like psycopg's own, but without a Python call for each value: a page of 25 invoices has 50.
        self._json = type("Json", (Loader,), {"load": settings["json_deserializer"]})
        for engine in (self.writer, self.reader):
            sa.event.listen(engine, "do_connect", sessions.connect_unshared)
            sa.event.listen(engine, "connect", self._read_json)
            sa.event.listen(engine, "checkin", _note_checkin)
            sa.event.listen(engine, "checkout", _ping_if_idle)
            sa.event.listen(engine, "connect", walls.look_for_policies)
            sa.event.listen(engine, "do_execute", _execute)
            sa.event.listen(engine, "do_executemany", _prepare_to_send)
            sa.event.listen(engine, "reset", _note_reset)
        sa.event.listen(self.writer, "begin", _note_begin)
        sa.event.listen(self.writer, "rollback", _roll_back)
        self.readers, self.writers = (
            IdleConnections(engine, settings["pool_size"]) for engine in (self.reader, self.writer)
        )

    @contextmanager
    def alone(self, options: Mapping[str, Any]) -> Iterator[sa.Connection]:
        """Open a transaction with these execution options; others may write meanwhile."""
        sound, db = False, self.writers.borrow(options)
        try:
            with db.begin():
                yield db
            sound = True
        finally:
            self.writers.give_back(db, sound=sound)

    def noting(self, wait_seconds: float | None = None) -> AbstractContextManager[sa.Connection]:
        """Open a transaction like any other: no transaction waits for those that write other rows."""
        return self.alone({})

    def _read_json(self, connection: Any, record: Any) -> None:
        for name in ("json", "jsonb"):
            connection.adapters.register_loader(name, self._json)

    def dispose(self) -> None:
        self.writer.dispose()
        self.reader.dispose()


def _connect_args(options: str) -> dict[str, Any]:
    # A server that vanished silently is noticed within 20 seconds; the kernel alone would wait for two hours.
    alive = {"keepalives_idle": 5, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": 20_000}
    return {"connect_timeout": 5, "options": options, **alive}


def send_statements(db: sa.Connection, sent: Sequence[Sent], *, commits: bool = False) -> list["Result"]:
    """Send these statements together, wait for them once, and return their results.

    BEGIN, the tenant and COMMIT travel with them. An error of any statement is raised here as psycopg's; within a
    transaction nothing of the trip has happened then.
    """
    from .trips import send_together  # noqa: PLC0415 - SQLite needs no psycopg

    connection: Any = db.connection.driver_connection
    first = _first(connection, db.get_execution_options())
    try:
        results = send_together(connection, [*first, *sent, _COMMIT] if commits else [*first, *sent])
    except BaseException:
        if first:
            walls.forget_tenant(connection)
        raise
    return results[len(first) :]


@contextmanager
def one_moment(db: sa.Connection) -> Iterator[None]:
    """Let all reads outside of a transaction in the block see the database at one moment."""
    from psycopg.pq import TransactionStatus  # noqa: PLC0415 - SQLite needs no psycopg

    connection: Any = db.connection.driver_connection
    options = db.get_execution_options()
    # A write transaction decides this itself, and a nested block already sees one moment.
    if hasattr(connection, "billycan_begins") or connection.info.transaction_status != TransactionStatus.IDLE:
        yield
        return
    try:
        # Not in one trip: statements sent together are one transaction from the first on.
        if first := _first(connection, options):
            _send(connection, first, options)
        _send(connection, [_BEGIN_READING], options)
        yield
    except BaseException:
        walls.forget_tenant(connection)
        with suppress(Exception):  # the error that led here is the one to raise
            _send(connection, [_ROLLBACK], options)
        raise
    _send(connection, [_COMMIT], options)


# Never prepared: to make room for it, another would be forgotten first, and a moment begins before anything else.
_BEGIN_READING = Sent(b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", anew=True)


def _send(connection: Any, sent: Sequence[Sent], options: Mapping[str, Any]) -> None:
    """Send statements whose results are not needed."""
    if PLAIN not in options:
        from .trips import send_together  # noqa: PLC0415 - SQLite needs no psycopg

        send_together(connection, sent)
        return
    from psycopg import RawCursor  # noqa: PLC0415 - as above

    with RawCursor(connection) as cursor:
        for each in sent:
            cursor.execute(each.text, each.values, prepare=False)


def _first(connection: Any, options: Mapping[str, Any]) -> list[Sent]:
    """Return the statements to send ahead of the next one: BEGIN, and the tenant that it is for."""
    first = []
    if getattr(connection, "billycan_begins", False):
        connection.billycan_begins = False
        first.append(_BEGIN)
    if tells := walls.tenant_statement(connection, options):
        first.append(Sent(*tells))
    return first


def _note_begin(db: sa.Connection) -> None:
    """Begin the transaction with its first statement: a listener for the begin of each."""
    connection: Any = db.connection.driver_connection
    connection.billycan_begins = True
    walls.forget_tenant(connection)


def _roll_back(db: sa.Connection) -> None:
    """Roll back before psycopg does, so that PostgreSQL keeps the prepared statements: a listener for each."""
    connection: Any = None if db.invalidated else db.connection.driver_connection
    if connection and not connection.closed and connection.info.transaction_status:
        with suppress(Exception):  # psycopg tries next, and raises what is wrong
            _send(connection, [_ROLLBACK], db.get_execution_options())


def _note_reset(connection: Any, record: Any, state: Any) -> None:
    """Note that psycopg has rolled back for the pool: a listener for when the pool takes a connection back."""
    if not connection.closed and connection.info.transaction_status:
        vars(connection).pop("billycan_memory", None)


def _prepare_to_send(cursor: Any, statement: str, parameters: Any, context: Any) -> None:
    """Send what goes ahead of a statement that SQLAlchemy sends: a listener for each."""
    if first := _first(cursor.connection, context.execution_options):
        try:
            _send(cursor.connection, first, context.execution_options)
        except BaseException:
            walls.forget_tenant(cursor.connection)
            raise


def _execute(cursor: Any, statement: str, parameters: Any, context: Any) -> bool:
    """Send a statement and what goes ahead of it; return True, so that SQLAlchemy does not send it."""
    _prepare_to_send(cursor, statement, parameters, context)
    cursor.execute(statement, parameters, prepare=False if PLANNED_ANEW in context.execution_options else None)
    if (cursor.statusmessage or "").startswith(_FORGETFUL) and PLAIN not in context.execution_options:
        from .trips import check_prepared  # noqa: PLC0415 - as above

        check_prepared(cursor.connection)
    return True


def _note_checkin(connection: Any, record: Any) -> None:
    record.info["idle_since"] = time.monotonic()


def _ping_if_idle(connection: Any, record: Any, proxy: Any) -> None:
    # A connection in steady use is alive; only an idle one is checked, which saves each request a trip.
    if time.monotonic() - record.info.get("idle_since", time.monotonic()) > _IDLE_SECONDS:
        try:
            connection.execute("")
        except Exception as error:
            raise sa.exc.DisconnectionError("the server closed an idle connection") from error
