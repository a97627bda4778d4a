"""Reads from PostgreSQL's replicas: each sees whatever was committed before it began, or is left to the primary.

It first asks the primary how far its log is written, which touches no table, and then a replica how much of that it
has not replayed. So everybody sees every write that was acknowledged, whichever key, page, process or host made it. A
replica that lags, does not answer, does not follow this primary, or reads from replicas of a cluster's other nodes is
left out.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple

import sqlalchemy as sa

from .postgres import PATIENCE, PATIENCE_SECONDS, Engines
from .statements import Statement

_WAIT_SECONDS = 0.1  # for a replica to replay the last few writes
_FIRST_PAUSE_SECONDS = 0.0005
_ANSWER_SECONDS = 1.0  # the longest that a replica may take to say how far it is
_AWAY_SECONDS = 5.0  # between two attempts to reach one that did not answer
_CONNECT_SECONDS = 2  # the least that psycopg takes
_SYSTEM = Statement(sa.text("SELECT system_identifier AS id FROM pg_control_system()").columns(id=sa.BigInteger))
_WRITTEN = Statement(
    sa.text(
        "SELECT pg_current_wal_flush_lsn()::text AS at, pg_walfile_name(pg_current_wal_flush_lsn()) AS file"
    ).columns(at=sa.Text, file=sa.Text)
)
# One that a failover left behind may have replayed a later position, but of another timeline. A cluster's coordinator
# that reads from replicas of the other nodes does not know how far those are.
_BEHIND = Statement(
    sa.text(
        "SELECT pg_wal_lsn_diff(CAST(:at AS pg_lsn), pg_last_wal_replay_lsn())::bigint AS bytes"
        " FROM pg_control_system(), pg_control_checkpoint(), pg_control_recovery() WHERE pg_is_in_recovery()"
        " AND system_identifier || ' ' || greatest(timeline_id, min_recovery_end_timeline) = :log"
        " AND coalesce(current_setting('citus.use_secondary_nodes', true), '') <> 'always'"
    ).columns(bytes=sa.BigInteger)
)


class Written(NamedTuple):
    """The end of a primary's log on its disk: the position, and what tells the log from those of other servers."""

    at: str
    log: str


class Replica:
    """One replica's connections, and how it was found last."""

    def __init__(self, url: sa.URL, settings: Mapping[str, Any], *, pooled: bool) -> None:
        engines = Engines(url, settings, pooled=pooled, connect_seconds=_CONNECT_SECONDS)
        self.engine, self._readers = engines.reader, engines.readers
        place = url.query | url.translate_connect_args()
        self.name = f"{place.get('host', 'localhost')}:{place.get('port', 5432)}"
        self._retry_at, self._lags = 0.0, False
        sa.event.listen(self.engine, "connect", lambda connection, record: _limit_patience(connection))

    @property
    def is_left_out(self) -> bool:
        """True while it is not to be asked, since it did not answer a few seconds ago."""
        return self._retry_at > time.monotonic()

    def borrow(self, options: Mapping[str, Any], written: Written) -> sa.Connection | None:
        """Return a connection that sees what is written so far; None if there is none soon."""
        if self._retry_at:
            self._retry_at = time.monotonic() + _AWAY_SECONDS  # others do not wait for this attempt
        try:
            db = self._readers.borrow(options)
        except (sa.exc.DBAPIError, sa.exc.TimeoutError):
            self.leave_out()
            return None
        sees = False
        try:
            sees = self._sees_writes(db, written)
        except sa.exc.DBAPIError:
            self.leave_out()
        finally:
            if not sees:
                self.give_back(db, sound=not self._retry_at)
        return db if sees else None

    def give_back(self, db: sa.Connection, *, sound: bool) -> None:
        if sound:
            _limit_patience(db.connection.driver_connection)
        self._readers.give_back(db, sound=sound)

    def leave_out(self) -> None:
        """Ask it nothing for a while."""
        self._retry_at = time.monotonic() + _AWAY_SECONDS
        self._readers.close_idle()

    def behind(self, written: Written) -> int | None:
        """Return how many bytes of the primary's log it has not replayed; None if it is not to be read from at all.

        Raise DBAPIError if it does not answer.
        """
        sound, db = False, self._readers.borrow({})
        try:
            found = _count_bytes_behind(db, written)
            sound = True
        finally:
            self.give_back(db, sound=sound)
        return found

    def dispose(self) -> None:
        self._readers.close_idle()
        self.engine.dispose()

    def _sees_writes(self, db: sa.Connection, written: Written) -> bool:
        """Tell whether a connection sees what is written; waits a moment, unless that was in vain last time."""
        end, pause = time.monotonic() + _WAIT_SECONDS, _FIRST_PAUSE_SECONDS
        while (left := _count_bytes_behind(db, written)) is None or left > 0:
            if left is None or self._lags or time.monotonic() > end:
                self._retry_at, self._lags = 0.0, True
                return False
            time.sleep(pause)
            pause *= 2
        self._retry_at, self._lags = 0.0, False
        setattr(db.connection.driver_connection, PATIENCE, PATIENCE_SECONDS)
        return True


class Replicas:
    """All replicas of a primary, which take turns."""

    def __init__(self, primary: Engines, replicas: Sequence[Replica]) -> None:
        self._replicas, self._primary, self._turn = replicas, primary, count()
        self._system: int | None = None

    def __iter__(self) -> Iterator[Replica]:
        return iter(self._replicas)

    def borrow(self, options: Mapping[str, Any]) -> tuple[Replica, sa.Connection] | None:
        """Return a replica and a connection that sees what is written so far; None if there is none soon."""
        if not (asked := [replica for replica in self._replicas if not replica.is_left_out]):
            return None
        written, turn = self.written(), next(self._turn)
        for i in range(len(asked)):
            replica = asked[(turn + i) % len(asked)]
            if (db := replica.borrow(options, written)) is not None:
                return replica, db
        return None

    def written(self) -> Written:
        """Return how far the primary's log is written."""
        sound, db = False, self._primary.readers.borrow({})
        try:
            self._system = self._system or _SYSTEM.one(db, {}).id
            found = _WRITTEN.one(db, {})
            sound = True
        finally:
            self._primary.readers.give_back(db, sound=sound)
        return Written(found.at, f"{self._system} {int(found.file[:8], 16)}")


def _count_bytes_behind(db: sa.Connection, written: Written) -> int | None:
    found = _BEHIND.first(db, written._asdict())
    return found.bytes if found else None


def _limit_patience(connection: Any) -> None:
    setattr(connection, PATIENCE, _ANSWER_SECONDS)
