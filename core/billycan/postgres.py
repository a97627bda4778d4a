"""PostgreSQL, the production engine: its connections, and what is prepared on them."""

import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import sqlalchemy as sa

from . import walls
from .kept import Kept

_OPTIONS = (
    "-c statement_timeout=15000 -c lock_timeout=5000 -c idle_in_transaction_session_timeout=30000"
    " -c timezone=UTC -c jit=off"
)
_IDLE_SECONDS = 5.0
# A statement with this execution option is never prepared on PostgreSQL. Of one that is, PostgreSQL keeps a single plan
# for all values before long: right for `id = ?`, and ruinous where the value decides which index is the one to use.
PLANNED_ANEW = "billycan_planned_anew"


class Engines:
    """One PostgreSQL database's connections: some for transactions, others for reads outside of any."""

    def __init__(self, url: sa.URL, settings: Mapping[str, Any]) -> None:
        self.writer = self.notes = sa.create_engine(
            url, pool_recycle=1800, connect_args=_connect_args(_OPTIONS), **settings
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

        # As psycopg's own, but for a call in Python for each value, of which a page of 25 invoices has 50.
        self._json = type("Json", (Loader,), {"load": settings["json_deserializer"]})
        for engine in (self.writer, self.reader):
            sa.event.listen(engine, "connect", self._read_json)
            sa.event.listen(engine, "checkin", _note_checkin)
            sa.event.listen(engine, "checkout", _ping_if_idle)
            sa.event.listen(engine, "connect", walls.look_for_policies)
            sa.event.listen(engine, "do_execute", send)
            sa.event.listen(engine, "do_executemany", walls.tell)
        sa.event.listen(self.writer, "begin", walls.forget_last)
        self.readers, self.writers = (Kept(engine, settings["pool_size"]) for engine in (self.reader, self.writer))

    @contextmanager
    def alone(self, options: Mapping[str, Any]) -> Iterator[sa.Connection]:
        """A transaction with these execution options; others may write meanwhile."""
        sound, db = False, self.writers.take(options)
        try:
            with db.begin():
                yield db
            sound = True
        finally:
            self.writers.give(db, sound=sound)

    def noting(self, wait_seconds: float | None = None) -> AbstractContextManager[sa.Connection]:
        """A transaction like any other: none waits for those that write other rows."""
        return self.alone({})

    def _read_json(self, connection: Any, record: Any) -> None:
        for name in ("json", "jsonb"):
            connection.adapters.register_loader(name, self._json)

    def dispose(self) -> None:
        self.writer.dispose()
        self.reader.dispose()


def _connect_args(options: str) -> dict[str, Any]:
    # A server that vanished without a word is noticed within 20 seconds; the kernel alone would wait for two hours.
    alive = {"keepalives_idle": 5, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": 20_000}
    return {"connect_timeout": 5, "options": options, **alive}


def send(cursor: Any, statement: str, parameters: Any, context: Any) -> bool:
    """Send a statement to PostgreSQL; returns that it is done."""
    prepare = False if PLANNED_ANEW in context.execution_options else None
    if walls.is_told(cursor, context):
        cursor.execute(statement, parameters, prepare=prepare)
    else:
        try:
            with cursor.connection.pipeline():  # one trip for both
                walls.tell(cursor, statement, parameters, context)
                cursor.execute(statement, parameters, prepare=prepare)
        except BaseException:
            walls.forget(cursor.connection)  # neither happened
            raise
    return True


@contextmanager
def in_one_trip(db: sa.Connection) -> Iterator[None]:
    """Wait for no statement that is sent within the block before its end."""
    connection: Any = db.connection.driver_connection
    try:
        with connection.pipeline():
            yield
    except BaseException:
        walls.forget(connection)  # none of them happened
        raise


def _note_checkin(connection: Any, record: Any) -> None:
    record.info["idle_since"] = time.monotonic()


def _ping_if_idle(connection: Any, record: Any, proxy: Any) -> None:
    # A connection in steady use is known to live; only one that rested is asked, which spares each request a trip.
    if time.monotonic() - record.info.get("idle_since", time.monotonic()) > _IDLE_SECONDS:
        try:
            connection.pgconn.exec_(b"")
        except Exception as error:
            raise sa.exc.DisconnectionError("the server closed an idle connection") from error
        if connection.closed or connection.broken:
            raise sa.exc.DisconnectionError("the server closed an idle connection")
