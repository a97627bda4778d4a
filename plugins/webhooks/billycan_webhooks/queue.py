"""Huey: what wakes the sender. Nothing is lost with a queue; a lost hint only waits for the sweeper."""

import json
import logging
import queue
import sqlite3
import threading
import time
import weakref
from collections import OrderedDict
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from huey import Huey
from huey.api import PostgresHuey, PriorityRedisHuey, SqliteHuey
from huey.consumer import Consumer
from huey.registry import Message
from huey.serializer import Serializer

from billycan.app import App
from billycan.fields import Moment

from . import deliveries
from .schemas import Settings

log = logging.getLogger("billycan.webhooks")

_NAME = "billycan-webhooks"
_MOST_QUEUED = 1000
_HINT_AGAIN_SECONDS = 5.0
_IDLE_SECONDS = 5.0
Hint = tuple[str, str]


class JsonSerializer(Serializer):  # type: ignore[misc]
    """Messages as JSON: huey's own pickle would run whatever somebody writes into the queue."""

    def _serialize(self, data: Any) -> bytes:
        return json.dumps({"m": list(data)} if isinstance(data, Message) else {"v": data}).encode()

    def _deserialize(self, data: bytes) -> Any:
        read = json.loads(bytes(data))
        return Message(*read["m"]) if "m" in read else read["v"]


class _Lean:
    """Huey without what nobody asks of it here: each task would look for its revocation twice."""

    def is_revoked(self, *_: Any, **__: Any) -> bool:
        return False

    def delete(self, key: str) -> bool:
        return False


class _SqliteHuey(_Lean, SqliteHuey):  # type: ignore[misc]
    pass


class _PostgresHuey(_Lean, PostgresHuey):  # type: ignore[misc]
    pass


class _RedisHuey(_Lean, PriorityRedisHuey):  # type: ignore[misc]
    pass


class Queue:
    """The hints of one process: `deliver(tenant_id, delivery_id)`.

    `patience` bounds how long it waits for the storage, in seconds; `owns` says to make the storage's tables, which two
    must not do at once in PostgreSQL.
    """

    def __init__(self, app: App, *, patience: float, owns: bool = True) -> None:
        self.app, self.patience, self.owns = app, patience, owns
        self.settings = _settings(app)
        self.file: Path | None = None
        self.huey = self._huey()
        self._deliver = self.huey.task(name="deliver")(self.deliver)
        # Retries, and endpoints that failed last time, leave a share of the threads to first attempts.
        self._slow = threading.BoundedSemaphore(max(1, self.settings.threads // 2))
        # Endpoints that may have deliveries waiting without a hint: each attempt hints at the next one.
        self.crowded: set[Hint] = set()
        self._inode = self._present_inode()

    def _huey(self) -> Huey:
        how: dict[str, Any] = {"results": False, "serializer": JsonSerializer()}
        url = self.settings.queue
        if url and url.startswith(("redis://", "rediss://", "unix://")):
            wait = {"socket_connect_timeout": self.patience, "socket_timeout": self.patience + 1}
            return _RedisHuey(_NAME, url=f"{url}{'&' if '?' in url else '?'}" + _query(wait), **how)
        database = sa.make_url(url) if url else self.app.db.url
        if database.get_backend_name() == "postgresql":
            dsn = database.set(drivername="postgresql").render_as_string(hide_password=False)
            limit = f"-c statement_timeout={int(self.patience * 1000)}"
            how |= {"connect_timeout": max(2, int(self.patience)), "options": limit, "create_tables": self.owns}
            return _PostgresHuey(_NAME, dsn=dsn, **how)
        place = Path(database.database or "queue.db")
        self.file = place if url else place.with_name(place.stem + ".queue.db")
        return _SqliteHuey(_NAME, filename=str(self.file), timeout=self.patience, fsync=False, **how)

    def hint(self, tenant_id: str, delivery_id: str) -> None:
        """Ask any worker to make this attempt now."""
        self._deliver(tenant_id, delivery_id)

    def mend(self) -> None:
        """Open the queue anew where its file or its tables were taken away or broken."""
        storage = self.huey.storage
        storage.close()
        if self.file and not self.file.exists():
            self._remove_file()  # a journal left behind would be replayed into the new one
        try:
            getattr(storage, "initialize_schema", lambda: None)()
        except sqlite3.DatabaseError:
            self._remove_file()
            storage.initialize_schema()
        self._inode = self._present_inode()

    def check(self) -> None:
        """Notice a queue file that was deleted while we had it open."""
        if self.file and self._present_inode() != self._inode:
            self.mend()

    def _remove_file(self) -> None:
        for suffix in ("", "-wal", "-shm"):
            Path(f"{self.file}{suffix}").unlink(missing_ok=True)

    def _present_inode(self) -> int | None:
        try:
            return self.file.stat().st_ino if self.file else None
        except FileNotFoundError:
            return None

    def close(self) -> None:
        self.huey.storage.close()

    def deliver(self, tenant_id: str, delivery_id: str) -> None:
        """One attempt, if it is due, nobody else makes it and its endpoint has a place; then hint at its next one."""
        found = deliveries.candidate(self.app, tenant_id, delivery_id)
        if found is None:
            return
        slow = deliveries.is_slow(found)
        if slow and not self._slow.acquire(blocking=False):
            return
        endpoint = tenant_id, found.endpoint_id
        try:
            claimed = deliveries.claim(self.app, tenant_id, delivery_id, found.endpoint_id)
            if claimed is None:
                self.crowded.add(endpoint)
                return
            deliveries.attempt(self.app, claimed)
        finally:
            if slow:
                self._slow.release()
        if endpoint in self.crowded:
            if waiting := deliveries.next_due(self.app, *endpoint):
                self.hint(tenant_id, waiting)
            else:
                self.crowded.discard(endpoint)


def _settings(app: App) -> Settings:
    settings: Settings = app.plugin_settings[Settings]  # type: ignore[assignment]
    return settings


def _query(values: dict[str, Any]) -> str:
    return "&".join(f"{name}={value}" for name, value in values.items())


# In web processes -----------------------------------------------------------------------------------------------------


class Nudger:
    """Hands hints to the queue from a thread of its own, so that no request ever waits for a queue."""

    def __init__(self, app: App) -> None:
        self.app = weakref.ref(app)
        self.made: OrderedDict[str, list[Hint]] = OrderedDict()
        self._hints: queue.Queue[Hint] = queue.Queue(maxsize=_MOST_QUEUED)
        self._lock, self._running = threading.Lock(), False

    def note(self, event_id: str, hints: list[Hint]) -> None:
        """Keep what a transaction made until it is durable; those of a rolled-back one are pushed out by later ones."""
        with self._lock:
            self.made[event_id] = hints
            if len(self.made) > _MOST_QUEUED:
                self.made.popitem(last=False)

    def nudge(self, event_ids: list[str]) -> None:
        """Hint at what is now durable; what finds no room waits for the sweeper."""
        try:
            for event_id in event_ids:
                for hint in self.made.pop(event_id, []):
                    self._hints.put_nowait(hint)
        except queue.Full:
            return
        with self._lock:
            if not self._running and not self._hints.empty():
                self._running = True
                threading.Thread(target=self._run, daemon=True, name="webhooks nudger").start()

    def _run(self) -> None:
        opened: Queue | None = None
        while (hint := self._next()) is not None:
            try:
                app = self.app()
                if app is None:
                    break
                opened = opened or Queue(app, patience=0.5, owns=False)
                opened.check()
                opened.hint(*hint)
            except Exception as error:  # noqa: BLE001 - whatever a queue raises, the sweeper finds the delivery
                log.info("a hint was lost: %r", error)
        if opened:
            opened.close()

    def _next(self) -> Hint | None:
        try:
            return self._hints.get(timeout=_IDLE_SECONDS)
        except queue.Empty:
            with self._lock:
                self._running = not self._hints.empty()
            return self._hints.get_nowait() if self._running else None


_nudgers: "weakref.WeakKeyDictionary[App, Nudger]" = weakref.WeakKeyDictionary()


def nudger(app: App) -> Nudger:
    """The app's own."""
    return _nudgers.setdefault(app, Nudger(app))


# In the worker process ------------------------------------------------------------------------------------------------


class _Consumer(Consumer):  # type: ignore[misc]
    def _set_signal_handlers(self) -> None:
        """Signals belong to the worker process, which sets `stop`."""


def consume(app: App, stop: threading.Event) -> None:
    """Run deliveries until `stop` is set, then finish those in flight."""
    logging.getLogger("huey").setLevel(logging.WARNING)
    if whose := {True: "every tenant", "sandbox": "sandboxes"}.get(_settings(app).allow_private):
        log.warning("webhooks.allow_private: deliveries of %s may go to private addresses and plain http", whose)
    if opened := _opened(app, stop):
        try:
            _consume(app, opened, stop)
        finally:
            opened.close()


def _opened(app: App, stop: threading.Event) -> Queue | None:
    """The queue, once it can be had; None where the worker stops before."""
    while not stop.is_set():
        try:
            return Queue(app, patience=5.0)
        except Exception as error:  # noqa: BLE001 - whatever keeps the queue away, deliveries wait in the database
            log.warning("the queue cannot be opened yet: %r", error)
            stop.wait(1)
    return None


def _consume(app: App, opened: Queue, stop: threading.Event) -> None:
    # Each thread's own connection to a PostgreSQL queue is closed with it.
    opened.huey.on_shutdown()(opened.close)
    consumer = _Consumer(
        opened.huey,
        workers=opened.settings.threads,
        periodic=False,
        initial_delay=0.05,
        max_delay=0.25,
        shutdown_timeout=opened.settings.timeout_seconds + 5,
        graceful_signal="TERM",
    )
    consumer.start()
    sweeper = Sweeper(app, opened)
    checked = time.monotonic()
    while not stop.wait(1):
        sweeper.sweep()
        if time.monotonic() - checked > 10:
            consumer.check_worker_health()
            checked = time.monotonic()
    consumer.stop(graceful=True)


class Sweeper:
    """Finds what should be under way and is not, and hints at it: retries that are due, lost hints, leases run out."""

    def __init__(self, app: App, opened: Queue) -> None:
        self.app, self.queue = app, opened
        self.hinted: dict[Hint, float] = {}

    def sweep(self) -> None:
        """One round; a database or queue that is away is waited for."""
        try:
            self.queue.check()
            if self.queue.huey.pending_count() < _MOST_QUEUED:
                self._hint(self.app.now())
        except Exception as error:  # noqa: BLE001 - the sweeper must outlive whatever happens to database and queue
            log.warning("the sweeper waits: %r", error)
            try:
                self.queue.mend()
            except Exception as again:  # noqa: BLE001
                log.info("the queue is still away: %r", again)

    def _hint(self, now: Moment) -> None:
        clock = time.monotonic()
        self.hinted = {hint: at for hint, at in self.hinted.items() if clock - at < _HINT_AGAIN_SECONDS}
        for tenant_id, id, endpoint_id in deliveries.due(self.app.db, now):
            if (tenant_id, id) not in self.hinted:
                self.queue.crowded.add((tenant_id, endpoint_id))
                self.queue.hint(tenant_id, id)
                self.hinted[tenant_id, id] = clock
