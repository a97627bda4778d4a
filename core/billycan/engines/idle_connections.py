"""Idle connections kept between requests.

This replaces the pool's part in most requests: borrowing a connection and returning it takes 22 µs of CPU there, and 2
here. They still belong to the pool, which limits their number and handles everything that goes wrong with one in use.
"""

import time
from collections import deque
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any

import sqlalchemy as sa

from . import PLAIN, walls

_IDLE_SECONDS = 5.0  # the pool checks connections that were idle for longer
_MOST_SECONDS = 1800.0  # the most that one is used


class IdleConnections:
    """Up to `most` idle connections of an engine, last used first."""

    def __init__(self, engine: sa.Engine, most: int) -> None:
        self._engine, self._most = engine, most
        self._options = engine.get_execution_options()
        self._idle: deque[tuple[sa.Connection, float]] = deque()
        self._lent, self._counting = 0, Lock()
        self._gone_since = 0.0

    def borrow(self, options: Mapping[str, Any]) -> sa.Connection:
        """Return a connection outside of any transaction, with these execution options besides the engine's."""
        if PLAIN in self._options:
            return self._engine.connect().execution_options(**options)
        with self._counting:
            self._lent += 1
        try:
            db = self._take_recent() or self._open_new()
            # `db.execution_options()` can only add to them, and those of the last loan must go.
            db._execution_options = self._options.union(options)
            note_listeners(db)
        except BaseException:
            self._count_back()
            raise
        return db

    def give_back(self, db: sa.Connection, *, sound: bool) -> None:
        """Take a connection back and keep it, unless something went wrong in its use and it is not `sound`."""
        if PLAIN in self._options:
            db.close()
            return
        try:
            # With more connections than are kept, another thread may be waiting for the pool.
            if not sound or db.invalidated or self._lent > self._most or db.info[_SINCE] <= self._gone_since:
                db.close()
                return
            try:
                if db.in_transaction():
                    db.rollback()
            except BaseException:
                db.close()
                raise
            self._idle.append((db, time.monotonic()))
        finally:
            self._count_back()

    def close_idle(self) -> None:
        """Return all connections to the pool; lent ones follow when they are given back."""
        self._gone_since = time.monotonic()
        while self._idle:
            self._idle.pop()[0].close()

    def _take_recent(self) -> sa.Connection | None:
        while self._idle:
            try:
                db, used = self._idle.pop()
            except IndexError:  # another thread was quicker
                break
            now, since = time.monotonic(), db.info[_SINCE]
            if now - used < _IDLE_SECONDS and now - since < _MOST_SECONDS and since > self._gone_since:
                return db
            db.close()
        return None

    def _open_new(self) -> sa.Connection:
        db = self._engine.connect()
        db.info[_SINCE] = time.monotonic()
        return db

    def _count_back(self) -> None:
        with self._counting:
            self._lent -= 1


_SINCE = "billycan_kept_since"


def note_listeners(db: Any) -> None:
    """Note who listens to a connection's statements besides those whose work a Form does itself.

    SQLAlchemy takes 2 µs to list them, so this is done once for a loan, and by whoever listens from within one. Whoever
    listens to what was executed listens to what is about to be, too.
    """
    listening = db.dispatch.before_cursor_execute
    db.billycan_listeners = [listener for listener in listening if listener not in walls.FOR_SQLALCHEMY]
    db.billycan_after = [*db.dispatch.after_cursor_execute] if db.billycan_listeners else ()


def listeners_of(db: Any) -> list[Any]:
    """Return who listens to a connection's statements, as last noted."""
    if not hasattr(db, "billycan_listeners"):  # it is no loan
        note_listeners(db)
    found: list[Any] = db.billycan_listeners
    return found


def listeners_after(db: Any) -> Sequence[Any]:
    """Return who listens to what a connection has executed, once `listeners_of` was asked."""
    found: Sequence[Any] = db.billycan_after
    return found
