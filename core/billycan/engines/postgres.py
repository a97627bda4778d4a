"""PostgreSQL, the production database: its connections, and statements that are sent together and waited for once.

This replaces psycopg's cursors and its pipeline of them, which take 30 µs of CPU more for each statement, and wake
PostgreSQL once for each: BEGIN, three SELECTs and COMMIT take 333 µs in pipelines, and 168 here. Each statement is
prepared at its first use on a connection, values are sent as text, whose types PostgreSQL takes from the statement, and
everything is sent in one piece. SQLite needs no psycopg, and so nothing of this file.
"""

import math
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from itertools import count
from typing import Any, NamedTuple

import sqlalchemy as sa
from psycopg import OperationalError, RawCursor, errors, generators, pq
from psycopg.adapt import Loader, PyFormat, Transformer
from psycopg.types.string import TextLoader

from ..apart import is_long, let_others_go
from . import PLAIN, PLANNED_ANEW, UNHURRIED, sessions, walls
from .forms import Sent
from .idle_connections import IdleConnections

_SETTINGS = {
    "statement_timeout": "15000",
    "lock_timeout": "5000",
    "idle_in_transaction_session_timeout": "30000",
    "timezone": "UTC",
    "datestyle": "ISO",
    "jit": "off",
}
_IDLE_SECONDS = 5.0
# How long answers are awaited: longer than PostgreSQL itself lets a statement run, and shorter than a proxy waits for
# the request. One that is frozen, or whose disk is, ends nothing by itself, and the kernel goes on answering for it.
PATIENCE_SECONDS = 20.0
PATIENCE = "billycan_patience"  # the attribute of a connection whose answers are awaited for another time
HUNG_SECONDS = 1.0  # no connection is tried after one that got no answer
# After these psycopg may have PostgreSQL forget all that was prepared on the connection.
_FORGETFUL = ("DROP", "ALTER", "ROLLBACK", "DISCARD ALL", "DEALLOCATE ALL")
_MOST_PREPARED = 300  # on one connection; then the oldest goes
_FAILED, _LEFT_OUT = pq.ExecStatus.FATAL_ERROR, pq.ExecStatus.PIPELINE_ABORTED
# A migration changed the result of a prepared statement, or PostgreSQL has forgotten the statement.
_STALE = ("0A000", "26000")
_AS_WHEN = "as it does when none of its sessions is free within query_wait_timeout"
_BEGIN, _COMMIT, _ROLLBACK = Sent(b"BEGIN"), Sent(b"COMMIT"), Sent(b"ROLLBACK")


class Result(NamedTuple):
    """The result of a statement."""

    values: Any  # a Transformer of psycopg
    raw: pq.abc.PGresult

    @property
    def rowcount(self) -> int:
        """The number of rows that it returned or changed."""
        return self.raw.command_tuples or 0

    def kinds(self) -> list[int]:
        """Return the type of each column, as PostgreSQL's number."""
        return [self.raw.ftype(i) for i in range(self.raw.nfields)]

    def rows(self) -> list[tuple[Any, ...]]:
        """Return the rows, with values as psycopg reads them, and times as PostgreSQL writes them."""
        self.values.set_pgresult(self.raw)
        rows: list[tuple[Any, ...]] = self.values.load_rows(0, self.raw.ntuples, tuple)
        return rows


class Engines:
    """One PostgreSQL database's connections: some for transactions, others for reads outside of any.

    `pooled` ones may share sessions with others: whatever they tell a session goes with each transaction.
    """

    def __init__(
        self, url: sa.URL, settings: Mapping[str, Any], *, pooled: bool = False, connect_seconds: int = 5
    ) -> None:
        self._pooled = pooled
        reading = _SETTINGS | {"transaction_read_only" if pooled else "default_transaction_read_only": "on"}
        told, told_reading = ({} if pooled else each for each in (_SETTINGS, reading))
        # BEGIN is ours to send, along with the first statement: psycopg waits for it by itself.
        self.writer = sa.create_engine(
            url, pool_recycle=1800, connect_args=_connect_args(told, connect_seconds) | {"autocommit": True}, **settings
        )
        # A read outside a transaction costs one round trip; BEGIN and ROLLBACK around it would cost two more.
        self.reader = sa.create_engine(
            url,
            isolation_level="AUTOCOMMIT",
            skip_autocommit_rollback=True,
            pool_reset_on_return=None,
            pool_recycle=1800,
            connect_args=_connect_args(told_reading, connect_seconds),
            **settings,
        )
        self._hung_at = -math.inf
        # Like psycopg's own, but without a Python call for each value: a page of 25 invoices has 50.
        self._json = type("Json", (Loader,), {"load": settings["json_deserializer"]})
        for engine in (self.writer, self.reader):
            sa.event.listen(engine, "do_connect", self._make_connection)
            sa.event.listen(engine, "connect", self._limit_waits)
            sa.event.listen(engine, "connect", self._read_json)
            sa.event.listen(engine, "checkin", _note_checkin)
            sa.event.listen(engine, "checkout", _ping_if_idle)
            sa.event.listen(engine, "connect", walls.look_for_policies)
            sa.event.listen(engine, "do_execute", _execute_statement)
            sa.event.listen(engine, "do_executemany", _prepare_to_send)
            sa.event.listen(engine, "reset", _note_reset)
        if pooled:
            sa.event.listen(self.writer, "connect", partial(_prepare_shared_session, walls.tell_with(_SETTINGS)))
            sa.event.listen(self.reader, "connect", partial(_prepare_shared_session, walls.tell_with(reading)))
        sa.event.listen(self.writer, "connect", _skip_idle_commits)
        sa.event.listen(self.writer, "begin", _note_begin)
        sa.event.listen(self.writer, "rollback", _roll_back)
        self.readers, self.writers = (
            IdleConnections(engine, settings["pool_size"]) for engine in (self.reader, self.writer)
        )

    @contextmanager
    def writing(self, options: Mapping[str, Any]) -> Iterator[sa.Connection]:
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
        return self.writing({})

    def _make_connection(self, dialect: Any, record: Any, args: Any, options: Any) -> Any:
        """Make a connection, unless PostgreSQL hung a moment ago: requests that queue up must not wait one by one."""
        if time.monotonic() < self._hung_at + HUNG_SECONDS:
            raise OperationalError("PostgreSQL has just left others without an answer")
        try:
            connect = dialect.connect if self._pooled else partial(sessions.connect_unshared, dialect)
            connection = connect(*args, **options)
        except errors.ConnectionTimeout:
            self._hung_at = time.monotonic()
            raise
        self._hung_at = -math.inf
        return connection

    def _limit_waits(self, connection: Any, record: Any) -> None:
        """Have a connection end if PostgreSQL does not answer in time: a listener for each new one."""
        wait = connection.wait

        def wait_in_time(gen: Any, **given: Any) -> Any:
            if getattr(connection, UNHURRIED, False):
                return wait(gen, **given)
            patience = getattr(connection, PATIENCE, PATIENCE_SECONDS)
            try:
                return wait(gen, **({"timeout": patience} | given))
            except OperationalError as error:
                if error.sqlstate is None and connection.pgconn.status == pq.ConnStatus.OK:
                    self._hung_at = time.monotonic()
                    connection.pgconn.finish()  # its answer would be taken for the next statement's
                    who = "PostgreSQL, or the pooler before it," if self._pooled else "PostgreSQL"
                    raise OperationalError(f"{who} has not answered within {patience:g} s") from error
                if error.sqlstate is None and self._pooled:
                    # Its own words are lost where statements were sent together.
                    raise OperationalError(f"the pooler ended the connection, {_AS_WHEN}: {error}") from error
                raise

        connection.wait = wait_in_time

    def _read_json(self, connection: Any, record: Any) -> None:
        for name in ("json", "jsonb"):
            connection.adapters.register_loader(name, self._json)

    def dispose(self) -> None:
        self.writer.dispose()
        self.reader.dispose()


def _connect_args(told: Mapping[str, str], connect_seconds: int) -> dict[str, Any]:
    # A server that vanished silently is noticed within 20 seconds; the kernel alone would wait for two hours.
    alive = {"keepalives_idle": 5, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": 20_000}
    options = {"options": " ".join(f"-c {name}={value}" for name, value in told.items())} if told else {}
    return {"connect_timeout": connect_seconds, **options, **alive}


def _skip_idle_commits(connection: Any, record: Any) -> None:
    """Have a commit that was sent along with statements not be looked for again: a listener for each new one."""
    commit = connection.commit

    def commit_if_open() -> None:
        if connection.pgconn.transaction_status != pq.TransactionStatus.IDLE:
            commit()

    connection.commit = commit_if_open


def _prepare_shared_session(tell: bytes, connection: Any, record: Any) -> None:
    """Have a new connection keep nothing in its session, which others use between its transactions."""
    connection.prepare_threshold = None  # psycopg's own statements
    connection.billycan_shares = tell
    connection.billycan_told = ""
    connection.billycan_prepares = _keeps_statements(connection)


def _keeps_statements(connection: Any) -> bool:
    """Tell whether a pooler has prepared statements in whichever session it gives, as PgBouncer has from 1.21 on.

    It then prepares them under names of its own. Before libpq 17 none could be given up.
    """
    if pq.version() < 170_000:
        return False
    connection.billycan_prepares = True
    try:
        (_, found) = send_together(connection, [Sent(b"BEGIN", anew=True), Sent(_NAMED)])
        ((name,),) = found.rows()
        keeps = name.encode() not in _memory_of(connection).names.values()
        # Or it would be there, in a session of others.
        forget = [] if keeps else [Sent(b"DEALLOCATE " + name.encode(), anew=True)]
        send_together(connection, [*forget, Sent(b"COMMIT", anew=True)])
    except errors.DuplicatePreparedStatement:
        keeps = False
        send_together(connection, [Sent(b"ROLLBACK", anew=True)])
    return keeps


_NAMED = b"SELECT name FROM pg_prepared_statements WHERE statement LIKE 'SELECT name FROM pg\\_prepared%' LIMIT 1"


def send_statements(db: sa.Connection, sent: Sequence[Sent], *, commits: bool = False) -> list[Result]:
    """Send these statements together, wait for them once, and return their results.

    BEGIN, the tenant and COMMIT travel with them. An error of any statement is raised here as psycopg's; within a
    transaction nothing of the trip has happened then.
    """
    connection: Any = db.connection.driver_connection
    options, is_alone = db.get_execution_options(), _needs_transaction(connection)
    first = _statements_ahead(connection, options, begins=is_alone)
    try:
        results = send_together(connection, [*first, *sent, _COMMIT] if commits or is_alone else [*first, *sent])
    except BaseException:
        if first:
            walls.forget_tenant(connection)
        if is_alone:
            _give_up(connection, options)
        raise
    return results[len(first) :]


def _needs_transaction(connection: Any) -> bool:
    """Tell whether what is read next needs a transaction of its own: the nodes of a cluster know the tenant in one."""
    return (
        walls.tells_nodes(connection)
        and not hasattr(connection, "billycan_begins")
        and connection.info.transaction_status == pq.TransactionStatus.IDLE
    )


def _give_up(connection: Any, options: Mapping[str, Any]) -> None:
    """Roll back; the error that led here is the one to raise."""
    with suppress(Exception):
        _send_silently(connection, [_ROLLBACK], options)


@contextmanager
def one_moment(db: sa.Connection) -> Iterator[None]:
    """Let all reads outside of a transaction in the block see the database at one moment."""
    connection: Any = db.connection.driver_connection
    options = db.get_execution_options()
    # A write transaction decides this itself, and a nested block already sees one moment.
    if hasattr(connection, "billycan_begins") or connection.info.transaction_status != pq.TransactionStatus.IDLE:
        yield
        return
    try:
        first = _statements_ahead(connection, options)
        if first and not _is_told_each_time(connection):
            # Not in one trip: statements sent together are one transaction from the first on.
            _send_silently(connection, first, options)
            first = []
        _send_silently(connection, [_BEGIN_READING, *first], options)
        yield
    except BaseException:
        walls.forget_tenant(connection)
        _give_up(connection, options)
        raise
    _send_silently(connection, [_COMMIT], options)


# Never prepared: to make room for it, another would be forgotten first, and a moment begins before anything else.
_BEGIN_READING = Sent(b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", anew=True)


def _send_silently(connection: Any, sent: Sequence[Sent], options: Mapping[str, Any]) -> None:
    """Send statements whose results are not needed."""
    if PLAIN not in options:
        send_together(connection, sent)
        return
    with RawCursor(connection) as cursor:
        for each in sent:
            cursor.execute(each.text, each.values, prepare=False)


def _statements_ahead(connection: Any, options: Mapping[str, Any], *, begins: bool = False) -> list[Sent]:
    """Return the statements to send ahead of the next one: BEGIN, and the tenant that it is for."""
    first = [_BEGIN] if begins else []
    if getattr(connection, "billycan_begins", False):
        connection.billycan_begins = False
        first.append(_BEGIN)
    elif _is_told_each_time(connection) and connection.info.transaction_status == pq.TransactionStatus.IDLE:
        walls.forget_tenant(connection)  # it was told for the last transaction alone
    return first + [Sent(*each) for each in walls.tenant_statements(connection, options)]


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
            _send_silently(connection, [_ROLLBACK], db.get_execution_options())


def _note_reset(connection: Any, record: Any, state: Any) -> None:
    """Note that psycopg has rolled back for the pool: a listener for when the pool takes a connection back."""
    if not connection.closed and connection.info.transaction_status and not _is_shared(connection):
        vars(connection).pop("billycan_memory", None)


def _prepare_to_send(cursor: Any, statement: str, parameters: Any, context: Any) -> None:
    """Send what goes ahead of a statement that SQLAlchemy sends: a listener for each."""
    if first := _statements_ahead(cursor.connection, context.execution_options):
        try:
            _send_silently(cursor.connection, first, context.execution_options)
        except BaseException:
            walls.forget_tenant(cursor.connection)
            raise


def _execute_statement(cursor: Any, statement: str, parameters: Any, context: Any) -> bool:
    """Send a statement and what goes ahead of it; return True, so that SQLAlchemy does not send it."""
    setattr(cursor.connection, UNHURRIED, UNHURRIED in context.execution_options)
    connection, options = cursor.connection, context.execution_options
    prepare = False if PLANNED_ANEW in options else None
    if _is_told_each_time(connection):
        is_alone = _needs_transaction(connection)
        try:
            with connection.pipeline():  # outside of a transaction, what is sent together is one
                for each in _statements_ahead(connection, options, begins=is_alone):
                    RawCursor(connection).execute(each.text, each.values)
                cursor.execute(statement, parameters, prepare=prepare)
            if is_alone:
                _send_silently(connection, [_COMMIT], options)
        except BaseException:
            if is_alone:
                _give_up(connection, options)
            raise
    else:
        _prepare_to_send(cursor, statement, parameters, context)
        cursor.execute(statement, parameters, prepare=prepare)
    forgets = (cursor.statusmessage or "").startswith(_FORGETFUL)
    if forgets and not _is_shared(connection) and PLAIN not in options:
        check_prepared(connection)
    _let_others_go(connection)
    return True


def _let_others_go(connection: Any) -> None:
    """Let others go after a long request's answer, where no transaction is open for which they might wait."""
    if is_long() and connection.pgconn.transaction_status == pq.TransactionStatus.IDLE:
        let_others_go()


def _is_shared(connection: Any) -> bool:
    """Tell whether others may use a connection's session between its transactions."""
    return hasattr(connection, "billycan_shares")


def _is_told_each_time(connection: Any) -> bool:
    """Tell whether PostgreSQL knows the tenant only until the transaction ends, even of what only reads."""
    return _is_shared(connection) or walls.tells_nodes(connection)


def _note_checkin(connection: Any, record: Any) -> None:
    record.info["idle_since"] = time.monotonic()


def _ping_if_idle(connection: Any, record: Any, proxy: Any) -> None:
    # A connection in steady use is alive; only an idle one is checked, which saves each request a trip.
    if time.monotonic() - record.info.get("idle_since", time.monotonic()) > _IDLE_SECONDS:
        try:
            connection.execute("")
        except Exception as error:
            raise sa.exc.DisconnectionError("the server closed an idle connection") from error


def send_together(connection: Any, sent: Sequence[Sent]) -> list[Result]:
    """Send these in order and wait for all; if one fails, those after it do not run, and its error is raised."""
    memory = _memory_of(connection)
    # All values before any statement is sent: one of them may be impossible to send.
    dumped = [memory.values.dump_sequence(each.values, [PyFormat.TEXT] * len(each.values)) for each in sent]
    with connection.lock:
        pgconn = connection.pgconn
        try:
            pgconn.enter_pipeline_mode()
            results = connection.wait(_send_all(connection, memory, sent, dumped))
        except BaseException:
            pgconn.finish()  # the next user would get the answers to these statements
            raise
        failed = next((raw for raw in results if raw.status == _FAILED), None)
        if len(results) < len(sent) and failed is None:
            pgconn.finish()
            raise OperationalError("the server closed the connection")
        if pgconn.pipeline_status and pgconn.status == pq.ConnStatus.OK:
            pgconn.exit_pipeline_mode()
    if failed is not None:
        error = errors.error_from_result(failed, connection.info.encoding)
        if error.sqlstate in _STALE:
            memory.names.clear()
            if _is_shared(connection):
                connection.billycan_prepares = False  # the pooler keeps the old one for the same text
        raise error
    _let_others_go(connection)
    return [Result(memory.values, raw) for raw in results]


def check_prepared(connection: Any) -> None:
    """Find out whether PostgreSQL has forgotten a connection's prepared statements, as psycopg may tell it to."""
    memory = _memory_of(connection)
    if memory.names:
        (found,) = send_together(connection, [Sent(_KNOWS, (next(iter(memory.names.values())).decode(),), anew=True)])
        if not found.rows():
            memory.names.clear()


_KNOWS = b"SELECT 1 FROM pg_prepared_statements WHERE name = $1"


class _Memory(NamedTuple):
    """A connection's prepared statements by text, names for more, and the conversion of its values."""

    names: dict[bytes, bytes]
    numbers: "count[int]"
    values: Any  # a Transformer of psycopg


def _memory_of(connection: Any) -> _Memory:
    memory: _Memory | None = getattr(connection, "billycan_memory", None)
    if memory is None:
        context = connection.cursor()
        # A time is printed much as PostgreSQL writes it, so psycopg need not make a datetime of it first.
        context.adapters.register_loader("timestamptz", TextLoader)
        memory = connection.billycan_memory = _Memory({}, count(), Transformer(context))
    return memory


def _send_all(
    connection: Any, memory: _Memory, sent: Sequence[Sent], dumped: Sequence[Any]
) -> Generator[Any, Any, list[pq.abc.PGresult]]:
    """Send the statements in a pipeline and return their results; fewer if the connection ends."""
    pgconn, prepares = connection.pgconn, getattr(connection, "billycan_prepares", True)
    awaited: list[bytes | None] = []  # for each answer, the text that is prepared; None for a statement's own answer
    for each, values in zip(sent, dumped, strict=True):
        if each.anew or not prepares:
            pgconn.send_query_params(each.text, values)
        else:
            name = memory.names.get(each.text)
            if name is None:
                name = b"billycan_%d" % next(memory.numbers)
                if len(memory.names) >= _MOST_PREPARED:
                    oldest = memory.names.pop(next(iter(memory.names)))
                    if _is_shared(connection):
                        pgconn.send_close_prepared(oldest)  # a pooler knows no other way
                    else:
                        pgconn.send_query_params(b"DEALLOCATE " + oldest, None)
                    awaited.append(b"")
                pgconn.send_prepare(name, each.text)
                awaited.append(each.text)
                memory.names[each.text] = name
            pgconn.send_query_prepared(name, values)
        awaited.append(None)
    pgconn.pipeline_sync()
    yield from generators.send(pgconn)
    results: list[pq.abc.PGresult] = []
    for prepared in awaited:
        answer = yield from generators.fetch_many(pgconn)
        if not answer:
            return results
        failed = answer[-1].status in (_FAILED, _LEFT_OUT)
        if prepared and failed:
            memory.names.pop(prepared, None)
        if prepared is None or failed:
            results.append(answer[-1])
    yield from generators.fetch_many(pgconn)  # to the sync
    return results
