"""Statements that are sent to PostgreSQL together and waited for once.

This replaces psycopg's cursors and its pipeline of them, which take 30 µs of CPU more for each statement, and wake
PostgreSQL once for each: BEGIN, three SELECTs and COMMIT take 333 µs in pipelines, and 168 here. Each statement is
prepared at its first use on a connection, values are sent as text, whose types PostgreSQL takes from the statement, and
everything is sent in one piece.
"""

from collections.abc import Generator, Sequence
from itertools import count
from typing import Any, NamedTuple

from psycopg import OperationalError, errors, generators, pq
from psycopg.adapt import PyFormat, Transformer
from psycopg.types.string import TextLoader

from .postgres import Sent

_MOST_PREPARED = 300  # on one connection; then the oldest goes
_FAILED, _LEFT_OUT = pq.ExecStatus.FATAL_ERROR, pq.ExecStatus.PIPELINE_ABORTED
# A migration changed the result of a prepared statement, or PostgreSQL has forgotten the statement.
_STALE = ("0A000", "26000")


class Result(NamedTuple):
    """The result of a statement."""

    values: Any  # a Transformer of psycopg
    raw: pq.abc.PGresult

    def kinds(self) -> list[int]:
        """Return the type of each column, as PostgreSQL's number."""
        return [self.raw.ftype(i) for i in range(self.raw.nfields)]

    def rows(self) -> list[tuple[Any, ...]]:
        """Return the rows, with values as psycopg reads them, and times as PostgreSQL writes them."""
        self.values.set_pgresult(self.raw)
        rows: list[tuple[Any, ...]] = self.values.load_rows(0, self.raw.ntuples, tuple)
        return rows


def send_together(connection: Any, sent: Sequence[Sent]) -> list[Result]:
    """Send these in order and wait for all; if one fails, those after it do not run, and its error is raised."""
    memory = _memory_of(connection)
    # All values before any statement is sent: one of them may be impossible to send.
    dumped = [memory.values.dump_sequence(each.values, [PyFormat.TEXT] * len(each.values)) for each in sent]
    with connection.lock:
        pgconn = connection.pgconn
        try:
            pgconn.enter_pipeline_mode()
            results = connection.wait(_send_all(pgconn, memory, sent, dumped))
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
        raise error
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
    pgconn: Any, memory: _Memory, sent: Sequence[Sent], dumped: Sequence[Any]
) -> Generator[Any, Any, list[pq.abc.PGresult]]:
    """Send the statements in a pipeline and return their results; fewer if the connection ends."""
    awaited: list[bytes | None] = []  # for each answer, the text that is prepared; None for a statement's own answer
    for each, values in zip(sent, dumped, strict=True):
        if each.anew:
            pgconn.send_query_params(each.text, values)
        else:
            name = memory.names.get(each.text)
            if name is None:
                name = b"billycan_%d" % next(memory.numbers)
                if len(memory.names) >= _MOST_PREPARED:
                    oldest = next(iter(memory.names))
                    pgconn.send_query_params(b"DEALLOCATE " + memory.names.pop(oldest), None)
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
