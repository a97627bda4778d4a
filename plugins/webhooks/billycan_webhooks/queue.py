"""Huey: what wakes the sender. Nothing is lost with a queue; a lost hint only waits for the sweeper."""

import json
import logging
import queue
import sqlite3
import threading
import time
import weakref
from collections import Counter, OrderedDict, deque
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import sqlalchemy as sa
from huey import Huey
from huey.api import PostgresHuey, PriorityRedisHuey, SqliteHuey
from huey.consumer import Consumer
from huey.registry import Message
from huey.serializer import Serializer
from huey.storage import PostgresStorage, SqliteStorage

from billycan.app import App

from . import claims
from .schemas import Settings

log = logging.getLogger("billycan.webhooks")

_NAME = "billycan-webhooks"
_MOST_QUEUED = 1000
_MOST_TOGETHER = 10
_SWEEP_SECONDS, _MOST_SWEEP_SECONDS = 1.0, 10.0
_HINT_AGAIN_SECONDS = 2.0
_TURN_SECONDS = 1.0
_IDLE_SECONDS = 5.0
_WAIT_SECONDS, _ASK_SECONDS = 0.25, 0.02
Hint = tuple[str, str]


class JsonSerializer(Serializer):  # type: ignore[misc]
    """Messages as JSON: huey's own pickle would run whatever somebody writes into the queue."""

    def _serialize(self, data: Any) -> bytes:
        return json.dumps({"m": list(data)} if isinstance(data, Message) else {"v": data}).encode()

    def _deserialize(self, data: bytes) -> Any:
        read = json.loads(bytes(data))
        return Message(*read["m"]) if "m" in read else read["v"]


class _Hints:
    """Huey whose messages hold several hints each; one thread waits for the next, and the others for their turn."""

    stopping = is_away = False

    def __init__(self, *given: Any, **named: Any) -> None:
        self._turn, self._taken = threading.Lock(), deque[Any]()
        super().__init__(*given, serializer=JsonSerializer(), results=False, **named)  # type: ignore[call-arg]

    def dequeue(self) -> Any:
        # Were all to wait in the storage, each message would wake every thread for one to have it.
        with self._turn:
            if not (self._taken or self.stopping) and (message := self._receive()):
                self._taken.extend(type(message)((tuple(hint),)) for hint in message.args)
            return self._taken.popleft() if self._taken else None

    def _receive(self) -> Any:
        try:
            message = super().dequeue()  # type: ignore[misc]
        except Exception as error:  # noqa: BLE001 - whatever keeps it away, huey would log it for each thread and try
            if not self.is_away:
                log.warning("the queue is away, and deliveries wait until it is back: %s", _why(error))
            self.is_away = True
            time.sleep(_WAIT_SECONDS)
            return None
        if self.is_away:
            log.warning("the queue is back")
        self.is_away = False
        return message

    # Huey asks its storage these for every task or second, and nobody schedules or revokes a hint.

    def read_schedule(self, *_: Any) -> list[Any]:
        return []

    def is_revoked(self, *_: Any, **__: Any) -> bool:
        return False

    def delete(self, key: str) -> bool:
        return False


def _why(error: Exception) -> str:
    # Further lines quote the statement, and the values in it.
    return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"


class _SqliteStorage(SqliteStorage):  # type: ignore[misc]
    blocking = True

    def dequeue(self) -> bytes | None:
        # SQLite wakes nobody: the one thread that waits asks again and again.
        over = time.monotonic() + _WAIT_SECONDS
        while (data := super().dequeue()) is None and self.blocking and time.monotonic() < over:
            time.sleep(_ASK_SECONDS)
        return data  # type: ignore[no-any-return]


class _PostgresStorage(PostgresStorage):  # type: ignore[misc]
    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._listen_local = SimpleNamespace()  # one connection that listens, whoever's turn it is

    def enqueue(self, data: bytes, priority: float | None = None) -> None:
        # Huey's own sends four statements.
        told = "WITH told AS (SELECT pg_notify(%s, '')) "
        insert = f"INSERT INTO {self.table_task} (queue, data, priority) SELECT %s, %s, %s FROM told"  # noqa: S608
        self.sql(told + insert, (self.channel, self.name, data, priority or 0))

    def dequeue(self) -> bytes | None:
        listening = self._listen_conn()
        list(listening.notifies(timeout=0))  # of what is found now, or others took
        data = self._dequeue()
        if data is None and self.blocking and list(listening.notifies(timeout=self.read_timeout, stop_after=1)):
            data = self._dequeue()
        return data  # type: ignore[no-any-return]


class _SqliteHuey(_Hints, SqliteHuey):  # type: ignore[misc]
    storage_class = _SqliteStorage


class _PostgresHuey(_Hints, PostgresHuey):  # type: ignore[misc]
    storage_class = _PostgresStorage


class _RedisHuey(_Hints, PriorityRedisHuey):  # type: ignore[misc]
    pass


class Queue:
    """The hints of one process: `deliver((tenant_id, endpoint_id))`, something is due to this endpoint.

    `patience` bounds how long it waits for the storage, in seconds; `owns` says to make the storage's tables, which two
    must not do at once in PostgreSQL.
    """

    def __init__(self, app: App, *, patience: float, owns: bool = True) -> None:
        self.app, self.patience, self.owns = app, patience, owns
        self.settings = app.settings_of(Settings)
        self.file: Path | None = None
        self.huey = self._huey()
        self.desk = claims.Desk(app)
        self._lock = threading.Lock()
        self._seeing: Counter[Hint] = Counter()
        self._asked_again: set[Hint] = set()
        self._deliver = self.huey.task(name="deliver")(self.deliver)
        # Retries, and endpoints that failed last time, leave a share of the threads to first attempts.
        self._slow = threading.BoundedSemaphore(max(1, self.settings.threads // 2))
        self._inode = self._present_inode()

    def _huey(self) -> Huey:
        url = self.settings.queue
        if url and url.startswith(("redis://", "rediss://", "unix://")):
            wait = f"socket_connect_timeout={self.patience}&socket_timeout={self.patience + 1}"
            return _RedisHuey(_NAME, url=f"{url}{'&' if '?' in url else '?'}{wait}")
        database = sa.make_url(url) if url else self.app.db.url
        if database.get_backend_name() == "postgresql":
            dsn = database.set(drivername="postgresql").render_as_string(hide_password=False)
            how: dict[str, Any] = {"connect_timeout": max(2, int(self.patience)), "read_timeout": _WAIT_SECONDS}
            # A hint that a crash of the server undoes is one that the sweeper repeats.
            how["options"] = f"-c statement_timeout={int(self.patience * 1000)} -c synchronous_commit=off"
            return _PostgresHuey(_NAME, dsn=dsn, create_tables=self.owns, **how)
        place = Path(database.database or "queue.db")
        self.file = place if url else place.with_name(place.stem + ".queue.db")
        return _SqliteHuey(_NAME, filename=str(self.file), timeout=self.patience, fsync=False)

    def hint(self, hints: Sequence[Hint]) -> None:
        """Ask any workers to see to these endpoints now."""
        for start in range(0, len(hints), _MOST_TOGETHER):
            self._deliver(*hints[start : start + _MOST_TOGETHER])

    def mend(self) -> None:
        """Open the queue anew where its file or its tables were taken away or broken."""
        storage = self.huey.storage
        if self.file:
            storage.close()
            if not self.file.exists():
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

    def deliver(self, hint: Hint) -> None:
        """See to an endpoint; where as many threads as may do so already, one of them does when it is done."""
        with self._lock:
            if self._seeing[hint] == claims.MOST_IN_FLIGHT:
                self._asked_again.add(hint)
                return
            self._seeing[hint] += 1
        more = False
        try:
            more = self._take_turn(hint)
        finally:
            with self._lock:
                self._seeing -= Counter([hint])
                more = more or hint in self._asked_again
                self._asked_again.discard(hint)
        if more:
            self.hint([hint])  # behind the other endpoints, so that they have their turns

    def _take_turn(self, hint: Hint) -> bool:
        """Attempt after attempt while anything is due, for a second and no more; whether something may be left."""
        over, more = time.monotonic() + _TURN_SECONDS, True
        slow = self._slow.acquire(blocking=False)
        try:
            claim = self.desk.claim(*hint, slow=slow)
            while claim:
                if slow and not claim.slow:
                    self._slow.release()
                    slow = False
                more = time.monotonic() < over and not self.huey.stopping
                claim = self.desk.attempt(claim, slow=slow, more=more)
        finally:
            if slow:
                self._slow.release()
        return not more


# In web processes -----------------------------------------------------------------------------------------------------


class Nudger:
    """Hands hints to the queue from a thread of its own, so that no request ever waits for a queue."""

    def __init__(self, app: App) -> None:
        self.app = weakref.ref(app)
        self.made: OrderedDict[str, list[Hint]] = OrderedDict()
        self._hints: queue.Queue[list[Hint]] = queue.Queue(maxsize=_MOST_QUEUED)
        self._lock, self._running = threading.Lock(), False

    def note(self, event_id: str, hints: list[Hint]) -> None:
        """Keep what a transaction made until it is durable; those of a rolled-back one are pushed out by later ones."""
        with self._lock:
            self.made[event_id] = hints
            if len(self.made) > _MOST_QUEUED:
                self.made.popitem(last=False)

    def nudge(self, event_ids: list[str]) -> None:
        """Hint at what is now durable; what finds no room waits for the sweeper."""
        if not (hints := [hint for event_id in event_ids for hint in self.made.pop(event_id, [])]):
            return
        try:
            self._hints.put_nowait(hints)
        except queue.Full:
            return
        with self._lock:
            if not self._running:
                self._running = True
                threading.Thread(target=self._run, daemon=True, name="webhooks nudger").start()

    def _run(self) -> None:
        opened: Queue | None = None
        while hints := self._next():
            try:
                app = self.app()
                if app is None:
                    break
                opened = opened or Queue(app, patience=0.5, owns=False)
                opened.check()
                opened.hint(list(dict.fromkeys(hints)))  # a turn takes all that is due
            except Exception as error:  # noqa: BLE001 - whatever a queue raises, the sweeper finds the delivery
                log.info("a hint was lost: %s", _why(error))
        if opened:
            opened.close()

    def _next(self) -> list[Hint]:
        """All hints there are, as soon as there are any; none after a while, and then the thread ends."""
        try:
            found = self._hints.get(timeout=_IDLE_SECONDS)
        except queue.Empty:
            with self._lock:
                self._running = not self._hints.empty()
            return self._next() if self._running else []
        while not self._hints.empty():
            found += self._hints.get_nowait()
        return found


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
    private = app.settings_of(Settings).allow_private
    if private:
        # For sandboxes `billycan serve` sets it by itself, which is nothing to be alarmed at.
        level, whose = (logging.WARNING, "every tenant") if private is True else (logging.INFO, "sandboxes")
        log.log(level, "webhooks.allow_private: deliveries of %s may go to private addresses and plain http", whose)
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
            log.warning("the queue cannot be opened yet: %s", _why(error))
            stop.wait(1)
    return None


def _consume(app: App, opened: Queue, stop: threading.Event) -> None:
    consumer = _Consumer(
        opened.huey,
        workers=opened.settings.threads,
        periodic=False,
        max_delay=0.25,
        shutdown_timeout=opened.settings.timeout_seconds + 5,
        graceful_signal="TERM",
    )
    consumer.start()
    sweeper = Sweeper(app, opened)
    checked, pause = time.monotonic(), _SWEEP_SECONDS
    while not stop.wait(pause):
        pause = sweeper.sweep()
        if time.monotonic() - checked > 10:
            consumer.check_worker_health()
            checked = time.monotonic()
    opened.huey.stopping = True
    consumer.stop(graceful=True)


class Sweeper:
    """Finds what should be under way and is not, and hints at it: retries that are due, lost hints, leases run out."""

    def __init__(self, app: App, opened: Queue) -> None:
        self.app, self.queue = app, opened
        self.hinted: dict[Hint, float] = {}

    def sweep(self) -> float:
        """One round, and after how many seconds to do the next; a database or queue that is away is waited for."""
        began = time.monotonic()
        try:
            self.queue.check()
            if self.queue.huey.pending_count() < _MOST_QUEUED:
                self._hint()
            # A great backlog takes long to look through.
            return min(max(_SWEEP_SECONDS, 10 * (time.monotonic() - began)), _MOST_SWEEP_SECONDS)
        except Exception as error:  # noqa: BLE001 - the sweeper must outlive whatever happens to database and queue
            log.warning("the sweeper waits: %s", _why(error))
            try:
                self.queue.mend()
            except Exception as again:  # noqa: BLE001
                log.info("the queue is still away: %s", _why(again))
            return _SWEEP_SECONDS

    def _hint(self) -> None:
        clock = time.monotonic()
        self.hinted = {hint: at for hint, at in self.hinted.items() if clock - at < _HINT_AGAIN_SECONDS}
        due = claims.due(self.app.db, self.app.now())
        found = {hint: count for hint, count in due.items() if hint not in self.hinted}
        # Where several wait, two may be in flight.
        self.queue.hint([*found, *(hint for hint, count in found.items() if count > 1)])
        self.hinted |= dict.fromkeys(found, clock)
