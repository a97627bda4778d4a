"""The queue, which is Huey: it brings hints to the workers, schedules retries, and triggers the sweep.

A hint says that something is due to an endpoint. Only the database decides what that is and who sends it, so a hint may
come late, twice or never: the sweep finds what is due without one, within a minute.
"""

import glob
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, cast

import msgspec
import sqlalchemy as sa
from huey import Huey, PostgresHuey, RedisHuey
from huey.registry import Message
from huey.serializer import Serializer
from huey.storage import SqliteStorage

from billycan import App
from billycan.fields import Moment

from .settings import Settings
from .tables import Hint

_NAME = "billycan-webhooks"
_READ_SECONDS = 1.0  # how long to listen to the storage before reading it again
_LOOK_SECONDS = 0.1


class JsonSerializer(Serializer):  # type: ignore[misc]
    """Messages as JSON: Huey's own pickle would run any code that somebody writes into the queue."""

    def _serialize(self, data: Any) -> bytes:
        return msgspec.json.encode(list(data))

    def _deserialize(self, data: bytes) -> Any:
        message = Message(*msgspec.json.decode(bytes(data)))
        return message._replace(eta=message.eta and datetime.fromisoformat(message.eta))


class _File(SqliteStorage):  # type: ignore[misc]
    """Huey's storage in a file, which cannot wake a reader: it is read when it was written to, and once a second.

    Looking at its time of change takes a fiftieth of the time of reading it.
    """

    blocking = True

    def dequeue(self) -> bytes | None:
        seen, data = self._last_change(), super().dequeue()
        until = time.monotonic() + _READ_SECONDS
        while data is None and time.monotonic() < until:
            time.sleep(_LOOK_SECONDS)
            if (written := self._last_change()) != seen:
                seen, data = written, super().dequeue()
        return cast("bytes | None", data)

    def _last_change(self) -> tuple[int, int]:
        """Return the journal's time of change and its size; both stay the same while nothing is written."""
        try:
            found = os.stat(f"{self.filename}-wal")  # noqa: PTH116 - 10 times a second
        except FileNotFoundError:
            return 0, 0
        return found.st_mtime_ns, found.st_size


class Queue:
    """Huey as this deployment sets it up: `deliver(hints)` is the task, `sweep()` the periodic one.

    A worker passes `deliver` and `sweep`; a process that only sends hints leaves them out. `patience` is how long to
    wait for the storage, in seconds.
    """

    def __init__(
        self,
        app: App,
        *,
        patience: float,
        deliver: Callable[[Iterable[Hint]], None] | None = None,
        sweep: Callable[[], None] | None = None,
    ) -> None:
        self.file: Path | None = None
        # Only the worker makes the tables of PostgreSQL: two processes must not do so at once.
        self.huey = self._open_huey(app, patience, makes_tables=deliver is not None)
        self._inode = self.file and self.file.stat().st_ino

        def run(*hints: Hint) -> None:
            if deliver:
                deliver((tenant_id, endpoint_id) for tenant_id, endpoint_id in hints)

        self._deliver = self.huey.task(name="deliver")(run)
        if sweep:
            minutes = count()  # Huey also runs it at its start, just after the listener's sweep
            self.huey.periodic_task(lambda now: next(minutes) > 0, name="sweep")(sweep)
        # With PostgreSQL the listening thread has a connection of its own.
        self.huey.on_shutdown("close")(self.close)

    def _open_huey(self, app: App, patience: float, *, makes_tables: bool) -> Huey:
        url, how = app.settings_of(Settings).queue or "", {"serializer": JsonSerializer(), "results": False}
        if url.startswith(("redis://", "rediss://", "unix://")):
            wait = f"socket_connect_timeout={patience}&socket_timeout={patience + 1}"
            return RedisHuey(_NAME, url=f"{url}{'&' if '?' in url else '?'}{wait}", **how)
        database = sa.make_url(url) if url else app.db.url
        if database.get_backend_name() == "postgresql":
            dsn = database.set(drivername="postgresql").render_as_string(hide_password=False)
            # The sweep repeats a hint that is lost in a crash of the server.
            options = f"-c statement_timeout={int(patience * 1000)} -c synchronous_commit=off"
            how |= {"connect_timeout": max(2, int(patience)), "options": options, "read_timeout": _READ_SECONDS}
            huey = PostgresHuey(_NAME, dsn=dsn, create_tables=False, **how)
            there = f"SELECT to_regclass('{huey.storage.table_task}')"
            # A role that may not make tables cannot run even "if not exists": its owner's migration made them.
            if makes_tables and huey.storage.sql(there, results=True) == [(None,)]:
                huey.storage.initialize_schema()
            return huey
        file = Path(database.database or "queue.db")
        self.file = file if url else file.with_name(file.stem + ".queue.db")
        return _open_file(self.file, timeout=patience, fsync=False, **how)

    def hint(self, hints: Iterable[Hint], at: Moment | None = None) -> None:
        """Have a worker serve these endpoints: now, or at a time."""
        if at is None:
            self._deliver(*hints)
        else:
            self._deliver.schedule(tuple(hints), eta=datetime.fromtimestamp(at.timestamp(), UTC))

    def is_whole(self) -> bool:
        """Tell whether the queue's file, if it has one, is still the one that was opened."""
        return self.file is None or (self.file.exists() and self.file.stat().st_ino == self._inode)

    def check(self) -> None:
        """Raise unless the queue can be written. A PostgreSQL that became a replica can still be read."""
        if isinstance(self.huey, PostgresHuey):
            self.huey.storage.sql(f"DELETE FROM {self.huey.storage.table_task} WHERE false")  # noqa: S608
        else:
            self.huey.pending_count()

    def listen(self, stop: threading.Event) -> None:
        """Run Huey's consumer until `stop` is set. Return earlier, or raise, if the queue is gone."""
        logging.getLogger("huey").setLevel(logging.CRITICAL)  # it would log an unreachable queue at each try
        consumer = self.huey.create_consumer(workers=1)
        # Not `start()`: signals belong to the worker process, which sets `stop`.
        consumer.scheduler.start()
        for _, thread in consumer.worker_threads:
            thread.start()
        try:
            while not stop.wait(1) and self.is_whole():
                self.check()
                consumer.check_worker_health()
        finally:
            consumer.stop(graceful=True)

    def close(self) -> None:
        self.huey.storage.close()


def _open_file(file: Path, **how: Any) -> Huey:
    """Open the queue in a file that only this user can read. Replace a broken file: nothing is lost with it."""
    with suppress(OSError):  # Opening the file reports the error.
        file.touch(0o600)
        for path in (file, *file.parent.glob(f"{glob.escape(file.name)}-*")):
            if path.stat().st_mode & 0o007:
                path.chmod(0o600)
    try:
        return Huey(_NAME, storage_class=_File, filename=str(file), **how)
    except sqlite3.OperationalError:  # such as a lock: the file is intact
        raise
    except sqlite3.DatabaseError:
        for suffix in ("", "-wal", "-shm"):
            Path(f"{file}{suffix}").unlink(missing_ok=True)
        return _open_file(file, **how)
