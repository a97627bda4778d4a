"""SQLite, the embedded database: its connections, and the order in which writers take turns.

SQLite itself waits by sleeping for up to a tenth of a second, and the writer that asks at the right moment goes first:
beside a process that writes without pause another one starves. Here one waiting process holds the lock `next`, so that
the one that held `turn` and has just finished cannot go first again. Both locks end with the process that holds them.
Within a process, threads write in the order in which they came, except that a tenant that has just written lets others
go first, even if they come while it waits for other processes. While others write, a tenant whose transaction took long
then leaves the turn to them for twice as long.

A turn ends before the disk has what was committed, which takes longer than most transactions. Whoever committed waits
for it afterwards, and those that wait at once do so together.
"""

import fcntl
import math
import os
import sqlite3
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from functools import cached_property, lru_cache, partial
from hashlib import blake2b
from itertools import starmap
from operator import itemgetter
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Dialect

from ..apart import run_apart
from . import PLAIN, UNHURRIED, private_files, walls
from .idle_connections import IdleConnections
from .walls import TENANT

WAIT_SECONDS = 10.0  # for other writers of SQLite, and for their waits for the disk
STATEMENT_SECONDS = 15.0  # like PostgreSQL's statement_timeout
LONG_READ_SECONDS = 0.003  # of a statement; one that took longer the last time runs in a thread under gevent
_STEPS = 100_000  # of SQLite's virtual machine, between two looks at the clock: some thousandths of a second
_DEADLINE = "billycan_deadline"
_PRAGMAS = "billycan_pragmas"  # where a connection keeps those that it last sent
_NEXT, _TURN = 0, 1  # the locks, as positions of their files
_LONG_SECONDS = 0.008  # of a transaction; most take less
_MOST_REST_SECONDS = 1.0
_OTHERS_SECONDS = 2.0  # how long ago another tenant's write may be
_TENANT_BYTES, _RESTS = 8, 8  # of a tenant's digest, and how many tenants may rest at once
_ANEW_SECONDS = 1.0  # for others to finish, before the log begins anew
_PAUSE_SECONDS = 0.0005  # flock can wait without pauses, but has no timeout


class Engines:
    """The connections of one SQLite file: all of one pool, distinguished by what they may do."""

    def __init__(self, url: sa.URL, settings: Mapping[str, Any]) -> None:
        if url.database:
            Path(url.database).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        # Of one pool: with one connection kept for reads and one for writes, there must be one for notes.
        room = {"max_overflow": max(settings["max_overflow"], 2)}
        self.writer = sa.create_engine(url, **{**settings, **room})
        self.reader = self.writer.execution_options(billycan_read=True)
        sa.event.listen(self.writer, "do_connect", _make_private)
        sa.event.listen(self.writer, "connect", _prepare_connection)
        sa.event.listen(self.writer, "begin", _begin_transaction)
        sa.event.listen(self.writer, "before_cursor_execute", _limit_time, retval=True)
        sa.event.listen(self.writer, "do_execute", LongReads().execute)
        self.readers, self.writers = (
            IdleConnections(self.reader, settings["pool_size"]),
            IdleConnections(self.writer, 1),
        )
        self._turns = Turns(url.database or "")
        self._log = WriteAheadLog(url.database or "", self._turns)

    @contextmanager
    def writing(self, options: Mapping[str, Any]) -> Iterator[sa.Connection]:
        """Open a transaction with these execution options, the only one that writes; wait for the disk at its end."""
        with self._turns.taken(WAIT_SECONDS, options.get(TENANT, "")) as left:
            sound, db = False, self.writers.borrow({**options, "billycan_wait_seconds": left})
            try:
                with db.begin():
                    yield db
                sound = True
            except BaseException:
                _send_pragmas_again(db)
                raise
            finally:
                self.writers.give_back(db, sound=sound)
        self.wait_for_disk()

    def wait_for_disk(self) -> None:
        """Return once the disk has all that was committed before."""
        self._log.wait_for_disk()

    @contextmanager
    def noting(self, wait_seconds: float | None = None) -> Iterator[sa.Connection]:
        """Open a transaction that does not wait for the disk, nor longer than `wait_seconds` for other writers."""
        with (
            self._turns.taken(WAIT_SECONDS if wait_seconds is None else wait_seconds) as left,
            self.writer.connect() as db,
        ):
            db.execution_options(billycan_wait_seconds=left)
            try:
                with db.begin():
                    yield db
            except BaseException:
                _send_pragmas_again(db)
                raise

    def pace_writers(self) -> None:
        """Let tenants rest after long transactions, while others write."""
        self._turns.rests = True

    def make_private(self) -> None:
        """Close the file, its journals and its lock files to other users."""
        if file := self.writer.url.database:
            private_files.close_to_others(
                Path(f"{file}{end}") for end in ("", "-wal", "-shm", "-journal", "-next", "-turn")
            )

    def dispose(self) -> None:
        self.writer.dispose()
        self._log.close()
        self._turns.close()


def _send_pragmas_again(db: sa.Connection) -> None:
    """Have all pragmas sent at a connection's next use, after a transaction that failed."""
    if not db.invalidated:
        db.info.pop(_PRAGMAS, None)


def _make_private(dialect: Dialect, record: Any, arguments: Any, options: Any) -> None:
    # SQLite would make it readable for everybody; its journals have the mode of the file.
    private_files.make_file(Path(arguments[0]))


def _prepare_connection(connection: Any, record: Any) -> None:
    connection.isolation_level = None  # BEGIN is ours to send
    # NORMAL: SQLite itself waits for the disk only before it moves the write-ahead log into the database's file.
    wait = f"busy_timeout={WAIT_SECONDS * 1000:.0f}"
    for pragma in (wait, "journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")
    deadline = record.info[_DEADLINE] = [math.inf]
    connection.set_progress_handler(lambda: time.monotonic() > deadline[0], _STEPS)


def _limit_time(db: sa.Connection, cursor: Any, statement: str, parameters: Any, *_: object) -> tuple[str, Any]:
    """Interrupt statements that take too long: a listener for each."""
    limit_statement(db, db.get_execution_options())
    return statement, parameters


walls.FOR_SQLALCHEMY.add(_limit_time)


def limit_statement(db: Any, options: Mapping[str, Any]) -> None:
    """Interrupt the next statement of a connection with these options if it takes too long."""
    db.billycan_deadline[0] = math.inf if UNHURRIED in options else time.monotonic() + STATEMENT_SECONDS


class LongReads:
    """The statements of SQLAlchemy's that took long when they last read: under gevent each runs in a thread.

    SQLite would keep the process from answering others. A `Form` keeps count of its own statement.
    """

    MOST = 1_000  # texts, which hold no values

    def __init__(self) -> None:
        self._texts: set[str] = set()

    def execute(self, cursor: Any, statement: str, parameters: Any, context: Any) -> bool | None:
        """Run a statement in SQLAlchemy's place, if it reads."""
        if "billycan_read" not in context.execution_options:
            return None
        began, execute = time.perf_counter(), partial(cursor.execute, statement, parameters)
        run_apart(execute) if statement in self._texts else execute()
        if time.perf_counter() - began <= LONG_READ_SECONDS:
            self._texts.discard(statement)
        elif len(self._texts) < self.MOST:
            self._texts.add(statement)
        return True


def _begin_transaction(db: Any) -> None:
    # A transaction that only later becomes a writer would lose updates silently.
    options, info = db.get_execution_options(), db.info
    # Noted for the statements of the transaction, each of which would take five calls to find it.
    driver = db.billycan_driver = db.connection.driver_connection
    db.billycan_deadline = info[_DEADLINE]
    reads = bool(options.get("billycan_read"))
    # In tenths, so that most transactions find it unchanged.
    wait = math.ceil(options.get("billycan_wait_seconds", WAIT_SECONDS) * 10) * 100
    wanted = {"query_only": int(reads), "busy_timeout": wait}
    # Only what differs: after `PRAGMA query_only` SQLite compiles each statement of the connection anew, which doubles
    # what a new invoice takes.
    as_it_is = info.setdefault(_PRAGMAS, {})
    for name, value in wanted.items():
        if as_it_is.get(name) != value:
            driver.execute(f"PRAGMA {name}={value}")
            as_it_is[name] = value
    begin = "BEGIN" if reads else "BEGIN IMMEDIATE"
    try:
        if PLAIN in options:
            db.exec_driver_sql(begin)
        else:
            driver.execute(begin)  # past SQLAlchemy, which takes as long for it as for any statement
    except sqlite3.Error as error:
        db._handle_dbapi_exception(error, begin, None, None, None)


class WriteAheadLog:
    """The file to which SQLite appends each transaction of one database, whoever commits it.

    After a wait for the disk that failed, the system keeps nothing of what it could not write, and calls later waits a
    success. It tells each open file once that one failed, so the file stays open. What follows the gap would be lost,
    so SQLite begins the log anew before anything else is acknowledged.
    """

    def __init__(self, database: str, turns: "Turns") -> None:
        # As SQLite names it, which follows links.
        self._database, self._turns, self._waiting = os.path.realpath(database), turns, threading.Lock()
        self._path, self._file = Path(f"{self._database}-wal"), -1
        self._begun = self._done = 0  # waits for the disk
        self._has_gap = False

    def wait_for_disk(self) -> None:
        """Return once the disk has all that was committed before; raise OperationalError if it fails, or TimeoutError.

        Threads that call this while one of them waits share the next wait.
        """
        wanted = self._begun + 1  # one that has begun already may have missed the last transactions
        if not self._waiting.acquire(timeout=WAIT_SECONDS):
            raise sa.exc.TimeoutError("the disk took too long")
        try:
            if self._done >= wanted:
                return
            self._begun = begun = self._begun + 1
            if self._has_gap:
                self._begin_anew()
            try:
                run_apart(self._sync_file)
            except OSError as error:
                self._has_gap = True
                with suppress(sa.exc.SQLAlchemyError):
                    self._begin_anew()  # at once: a process that opens the file later is told of nothing
                raise sa.exc.OperationalError("COMMIT", None, error) from error
            self._done = begun
        finally:
            self._waiting.release()

    def close(self) -> None:
        """Close the file; it is opened again when needed."""
        with self._waiting:
            self._close_file()

    def _sync_file(self) -> None:
        try:
            self._open_file()
        except FileNotFoundError:
            return  # SQLite has moved all of it into the database's file, and waited for the disk
        getattr(os, "fdatasync", os.fsync)(self._file)  # macOS has fsync alone

    def _open_file(self) -> None:
        if self._file >= 0 and not os.path.samestat(os.fstat(self._file), self._path.stat()):
            self._close_file()
        if self._file < 0:
            self._file = os.open(self._path, os.O_RDONLY)

    def _close_file(self) -> None:
        if self._file >= 0:
            os.close(self._file)
        self._file = -1

    def _begin_anew(self) -> None:
        """Have SQLite move all of the log into the database's file, wait for the disk, and begin the log anew."""
        order = "PRAGMA wal_checkpoint(TRUNCATE)"
        try:
            with (
                self._turns.taken(_ANEW_SECONDS),
                closing(sqlite3.connect(self._database, _ANEW_SECONDS, isolation_level=None)) as db,
            ):
                is_busy, *_ = db.execute(order).fetchone()
        except sqlite3.Error as error:
            raise sa.exc.OperationalError(order, None, error) from error
        if is_busy:
            raise sa.exc.TimeoutError("others kept reading what a failure of the disk may have left incomplete")
        self._has_gap = False


class Turns:
    """The turns of one database file's writers, kept in two files beside it."""

    def __init__(self, database: str) -> None:
        self._line = WriterQueue(self._release_files)
        self._paths = f"{database}-next", f"{database}-turn"
        self._files: list[int] = []
        self._held: set[int] = set()
        self.rests = False  # whether tenants rest after long transactions: those of requests do

    @contextmanager
    def taken(self, wait_seconds: float, whose: str = "") -> Iterator[float]:
        """Hold the turn while the block runs; yield the seconds left of the wait. `whose` is the tenant that writes.

        If another process held its turn throughout, no time is left and SQLite reports "database is locked". Raise
        TimeoutError if another thread did.
        """
        until = time.monotonic() + wait_seconds
        self._line.take(whose, until)
        while True:
            try:
                is_ours = self._take_files(until)
                # While the turn is held, nobody else writes it.
                wrote = Wrote(self._files[_TURN]) if is_ours and whose else None
                rest = self._rest_of(wrote, whose, until) if wrote and self.rests else 0.0
            except BaseException:
                self._line.give()
                raise
            if not is_ours:
                break
            if rest:
                self._line.give()
                time.sleep(rest)
                self._line.take(whose, until)
            # Others of this process came while it waited for other processes.
            elif not self._line.let_another_go_first(whose, until):
                break
        began = time.monotonic()
        try:
            yield max(until - began, 0)
        finally:
            try:
                if wrote and self._held:  # unless the files were closed meanwhile
                    self._note_write(wrote, whose, time.monotonic() - began)
            finally:
                self._line.give()

    @staticmethod
    def _rest_of(wrote: "Wrote", whose: str, until: float) -> float:
        """Return for how many seconds a tenant that wants to write leaves the turn to others; 0 where none write."""
        now = time.monotonic()
        since = wrote.at if wrote.tenant != _digest_tenant(whose) else wrote.other_at
        if not 0 <= now - since < _OTHERS_SECONDS:
            return 0.0
        rest = wrote.rests.get(_digest_tenant(whose), 0.0) - now
        return rest if 0 < rest <= _MOST_REST_SECONDS and now + rest < until else 0.0

    def _note_write(self, wrote: "Wrote", whose: str, seconds: float) -> None:
        """Note for all processes who wrote, and when a tenant that wrote for long may do so again."""
        now, tenant = time.monotonic(), _digest_tenant(whose)
        if wrote.tenant == tenant and seconds <= _LONG_SECONDS and 0 <= now - wrote.at < _OTHERS_SECONDS / 4:
            return
        if wrote.tenant != tenant:
            wrote.tenant, wrote.other_at = tenant, wrote.at
        wrote.at = now
        if seconds > _LONG_SECONDS:
            wrote.rests[tenant] = now + min(2 * seconds, _MOST_REST_SECONDS)
        wrote.write(self._files[_TURN])

    def close(self) -> None:
        """Close the files; they are opened again when needed."""
        self._held.clear()  # closing them lets go of their locks
        while self._files:
            os.close(self._files.pop())

    def _open_files(self) -> None:
        try:
            while len(self._files) < len(self._paths):
                self._files.append(os.open(self._paths[len(self._files)], os.O_RDWR | os.O_CREAT, 0o600))
        except OSError:
            self.close()  # in a read-only folder the database cannot be written either

    def _take_files(self, until: float) -> bool:
        """Wait for the turn among processes; return False if it could not be taken."""
        if _TURN in self._held:  # by the thread that let this one go first
            return True
        self._open_files()
        is_ours = self._wait_for_lock(_NEXT, until) and self._wait_for_lock(_TURN, until)
        self._release_lock(_NEXT)
        return is_ours

    def _wait_for_lock(self, which: int, until: float) -> bool:
        while self._files:
            try:
                self._held.add(which)
                fcntl.flock(self._files[which], fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > until:
                    return False
                time.sleep(_PAUSE_SECONDS)
            else:
                return True
        return False

    def _release_lock(self, which: int) -> None:
        if self._files:
            fcntl.flock(self._files[which], fcntl.LOCK_UN)
        self._held.discard(which)

    def _release_files(self) -> None:
        # Both: a thread that is ended while it waits may still hold the first lock.
        for which in [*self._held]:
            self._release_lock(which)


class Wrote:
    """The latest writes to a database file, as its lock file tells all processes; times are of the host's clock."""

    _LAST = struct.Struct(f"={_TENANT_BYTES}sdd")
    _REST = struct.Struct(f"={_TENANT_BYTES}sd")
    _SIZE = _LAST.size + _RESTS * _REST.size

    def __init__(self, fd: int) -> None:
        """`tenant` wrote last, `at` a time; another one last at `other_at`."""
        data = os.pread(fd, self._SIZE, 0)
        self._data = data if len(data) == self._SIZE else bytes(self._SIZE)
        self.tenant, self.at, self.other_at = self._LAST.unpack_from(self._data)

    @cached_property  # most transactions need none of them
    def rests(self) -> dict[bytes, float]:
        """The times until which tenants rest."""
        return dict(self._REST.iter_unpack(self._data[self._LAST.size :]))

    def write(self, fd: int) -> None:
        last = sorted(self.rests.items(), key=itemgetter(1))[-_RESTS:]
        last += [(b"", 0.0)] * (_RESTS - len(last))
        packed = [self._LAST.pack(self.tenant, self.at, self.other_at), *starmap(self._REST.pack, last)]
        with suppress(OSError):  # a full disk is told of by the write itself
            os.pwrite(fd, b"".join(packed), 0)


@lru_cache(256)
def _digest_tenant(tenant: str) -> bytes:
    return blake2b(tenant.encode(), digest_size=_TENANT_BYTES).digest()


class WriterQueue:
    """The queue of one process's threads that want to write; no tenant goes twice while others wait."""

    def __init__(self, release: Callable[[], None]) -> None:
        """`release` is called when a writer has finished, before the next one takes its turn."""
        self._lock, self._is_taken, self._release = threading.Lock(), False, release
        self._writes = self._last = ""  # the tenants whose turn it is, and whose it was before
        self._waiting: deque[tuple[str, threading.Lock]] = deque()

    def take(self, whose: str, until: float) -> None:
        """Wait for the turn; raise TimeoutError if it is not taken in time."""
        with self._lock:
            if not self._is_taken:
                self._is_taken, self._writes = True, whose
                return
            waiting = (whose, _closed_gate())
            self._waiting.append(waiting)
        self._wait_for_turn(waiting, until)

    def let_another_go_first(self, whose: str, until: float) -> bool:
        """Hand the turn to another tenant if `whose` wrote last, and wait for it again; return whether that was so."""
        with self._lock:
            if whose != self._last or not (following := self._find_other()):
                return False
            waiting = (whose, _closed_gate())
            self._waiting.appendleft(waiting)
            self._hand_to(following)
        self._wait_for_turn(waiting, until)
        return True

    def give(self) -> None:
        """Hand the turn to the first waiting thread whose tenant has not just written, or else to the first."""
        with self._lock:
            self._release()
            self._last = self._writes
            if self._waiting:
                self._hand_to(self._find_other() or self._waiting[0])
            else:
                self._is_taken = False

    def _find_other(self) -> tuple[str, threading.Lock] | None:
        return next((each for each in self._waiting if each[0] != self._last), None)

    def _hand_to(self, waiting: tuple[str, threading.Lock]) -> None:
        self._waiting.remove(waiting)
        self._writes = waiting[0]
        waiting[1].release()

    def _wait_for_turn(self, waiting: tuple[str, threading.Lock], until: float) -> None:
        try:
            is_ours = waiting[1].acquire(timeout=max(until - time.monotonic(), 0))
        except BaseException:
            if not self._leave_queue(waiting):
                self.give()
            raise
        if not is_ours and self._leave_queue(waiting):
            raise sa.exc.TimeoutError("other threads kept writing for too long")

    def _leave_queue(self, waiting: tuple[str, threading.Lock]) -> bool:
        """Leave the queue; return False if the turn was handed over in the meantime."""
        with self._lock:
            if waiting in self._waiting:
                self._waiting.remove(waiting)
                return True
        return False


def _closed_gate() -> threading.Lock:
    gate = threading.Lock()
    gate.acquire()
    return gate
