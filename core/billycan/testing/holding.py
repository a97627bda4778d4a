"""Fail tests whose write transactions do more than SQL.

SQLite has one writer, and on PostgreSQL others wait for the rows, so anything slow in a write transaction delays
everybody's writes. During tests, a write transaction may not connect, start a process, sleep, write a file, wait for a
file lock, or do anything that announces itself as slow, and it may not use much CPU time outside of SQL. Waits for a
lock within the process go unnoticed. Slow code in a library, which Python cannot see, announces itself:
`sys.audit("billycan.slow", "to hash a password")`. SQL itself takes long if it changes many rows: SQLite counts them,
and a test fails if there are too many.

What happens once in a process does not count: at its first use a statement is compiled, and the tenant that it names is
looked for, which takes up to 0.3 s. Outside of tests this module does nothing.
"""

import fcntl
import gc
import os
import sqlite3
import sys
import threading
import time
import traceback
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from functools import cache, wraps
from pathlib import Path
from time import thread_time
from typing import Any

import sqlalchemy as sa

MOST_CPU_SECONDS = 0.25  # outside of SQL, of the thread that writes; an ordinary request takes a few thousandths
MOST_ROWS = 10_000  # that are changed, in indexes of texts too; a thousand take some hundredths of a second
SLOW = "billycan.slow"
_REFUSED = {
    "socket.connect": "to connect",
    "socket.getaddrinfo": "to look up a name",
    "subprocess.Popen": "to start a process",
}
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
# What is locked or written by these is this process's part in whose turn it is, or in memory; and modules are compiled
# once. They are looked for in the names of files.
_FREE = ("billycan/engines/sqlite.py", "billycan/sharing/", "importlib")

breaches: list[str] = []  # of the test that is running


class _OfThread(threading.local):
    is_open = False  # a write transaction, in which nothing slow may be done
    is_timed = False  # it is, or another's request is served meanwhile
    excused = 0.0  # CPU seconds that do not count
    collecting = (0.0, 0.0)


_thread = _OfThread()


@cache
def watch_writes() -> None:
    """Start watching the write transactions of this process, except those of migrations and of tests themselves."""
    # pytest loads this module in every run, with or without billycan's tests.
    from ..db import Database  # noqa: PLC0415
    from ..engines import forms, walls  # noqa: PLC0415

    for name in ("writing", "noting"):
        setattr(Database, name, _watch_transaction(getattr(Database, name)))
    sa.event.listen(sa.Engine, "do_connect", _time_sql)
    compiler: Any = sa.sql.compiler.SQLCompiler
    compiler.__init__ = leave_out_time(compiler.__init__)
    form: Any = forms.Form
    form.__init__ = leave_out_time(form.__init__)
    walls._find_tenants = leave_out_time(walls._find_tenants)
    sys.addaudithook(_refuse_slow)
    gc.callbacks.append(_time_collection)
    time.sleep = _announce_slow(time.sleep, "to sleep")  # which Python itself announces only from 3.13 on
    for name in {"fsync", "fdatasync"} & {*dir(os)}:
        setattr(os, name, _announce_slow(getattr(os, name), "to wait for the disk"))  # which it never does


def _announce_slow(slow: Callable[..., None], what: str) -> Callable[..., None]:
    @wraps(slow)
    def announced(given: Any) -> None:
        sys.audit(SLOW, what)
        slow(given)

    return announced


def _watch_transaction(begin: Callable[..., AbstractContextManager[Any]]) -> Callable[..., AbstractContextManager[Any]]:
    @wraps(begin)
    def watched(*args: Any, **given: Any) -> AbstractContextManager[Any]:
        caller = Path(sys._getframe(1).f_code.co_filename).name
        is_free = caller.startswith(("test_", "conftest", "migrate"))
        return begin(*args, **given) if is_free else _hold_turn(begin(*args, **given), caller)

    return watched


@contextmanager
def _hold_turn(transaction: AbstractContextManager[Any], caller: str) -> Generator[Any, None, None]:
    with transaction as db:
        outer = _thread.is_open, _thread.is_timed
        _thread.is_open = _thread.is_timed = True
        began, excused, changed = thread_time(), _thread.excused, _count_changes(db)
        try:
            yield db
        finally:
            _thread.is_open, _thread.is_timed = outer
            rows = _count_changes(db) - changed
            if rows > MOST_ROWS:
                tell_breach(
                    f"a write transaction of {caller} changed {rows:,} rows: take {MOST_ROWS:,} at most, in steps"
                )
            spent = thread_time() - began - (_thread.excused - excused)
            if spent > MOST_CPU_SECONDS:
                tell_breach(f"a write transaction of {caller} used {spent:.2f} s of CPU time outside of SQL")


@contextmanager
def beside() -> Generator[None, None, None]:
    """Let the block be somebody else's request, which a test sends while a transaction of its own thread is open."""
    outer, _thread.is_open = _thread.is_open, False
    try:
        yield
    finally:
        _thread.is_open = outer


def _count_changes(db: sa.Connection) -> int:
    """Return the number of rows that SQLite's connection has changed since it was opened; 0 on PostgreSQL."""
    if db.dialect.name != "sqlite" or db.closed or db.invalidated:
        return 0
    return int(getattr(db.connection.dbapi_connection, "total_changes", 0))


def _refuse_slow(event: str, arguments: tuple[Any, ...]) -> None:
    """Refuse an audit event of Python that may be slow while a write transaction is open."""
    if not getattr(_thread, "is_open", False):  # nor at the end of Python, when there is no _thread
        return
    what = str(arguments[0]) if event == SLOW else _REFUSED.get(event) or _on_disk(event, arguments)
    if what:
        raise RuntimeError(
            tell_breach(f"a write transaction is open, so it is no time {what}: everybody's writes wait")
        )


def _on_disk(event: str, arguments: tuple[Any, ...]) -> str:
    """Describe a file operation that may take long, for the refusal; return "" for any other event."""
    what = ""
    if event == "open" and (arguments[2] or 0) & _WRITES:
        what = "to write a file"
    elif event in ("fcntl.flock", "fcntl.lockf") and not arguments[1] & (fcntl.LOCK_NB | fcntl.LOCK_UN):
        what = "to wait for a lock"
    frame = sys._getframe() if what else None
    while frame is not None:
        if any(name in frame.f_code.co_filename for name in _FREE):
            return ""
        frame = frame.f_back
    return what


def tell_breach(breach: str) -> str:
    """Note what fails the test that is running, with where it happened; return it."""
    breaches.append(f"{breach}\n{''.join(traceback.format_stack(limit=25)[:-2])}")
    return breach


def _time_sql(dialect: Any, record: Any, arguments: Any, given: Any) -> None:
    """Make SQLite's connections measure their CPU time: a listener for new connections."""
    if dialect.name == "sqlite":
        given["factory"] = _Connection


def leave_out_time(run: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function so that its CPU time does not count."""

    @wraps(run)
    def timed(*args: Any, **given: Any) -> Any:
        if not _thread.is_timed:
            return run(*args, **given)
        began, excused = thread_time(), _thread.excused
        try:
            return run(*args, **given)
        finally:
            _thread.excused = excused + thread_time() - began  # what was excused meanwhile is part of it

    return timed


def _time_collection(phase: str, _: Any) -> None:
    """Leave out the garbage collector's time, which grows with all that a test run has imported: its callback."""
    if phase == "start":
        _thread.collecting = thread_time(), _thread.excused
    else:
        began, excused = _thread.collecting
        _thread.excused = excused + thread_time() - began


class _Cursor(sqlite3.Cursor):
    """A cursor that measures SQLite's CPU time, most of which goes into stepping from row to row."""

    execute, executemany = leave_out_time(sqlite3.Cursor.execute), leave_out_time(sqlite3.Cursor.executemany)
    fetchone, fetchmany = leave_out_time(sqlite3.Cursor.fetchone), leave_out_time(sqlite3.Cursor.fetchmany)
    fetchall = leave_out_time(sqlite3.Cursor.fetchall)


class _Connection(sqlite3.Connection):
    def cursor(self, factory: Any = _Cursor) -> Any:
        return super().cursor(factory)
