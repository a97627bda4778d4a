"""The collector of answered requests: it gathers them in memory, and a background thread writes them to the log."""

import atexit
import logging
import secrets
import threading
from collections import Counter, deque
from functools import partial

import sqlalchemy as sa

from billycan import App, Route

from . import keeping

MOST = 10_000  # waiting in a process
MOST_AT_ONCE = 2_000  # in one transaction
EVERY_SECONDS = 1.0
_QUIET_ROUNDS = 10
_WAIT_SECONDS = 5.0  # for other writers of SQLite

log = logging.getLogger("billycan.requests")


class Collector:
    """The requests that this process has answered and not yet written; answering a request only appends to it.

    A thread writes them once a second. The first request starts it, in the process that answers; it ends after ten
    seconds without requests. While it lives, the process has a row in `writers`: if the process is killed, the row
    remains and shows that requests are missing from the log.
    """

    def __init__(self, app: App) -> None:
        self.app, self.id = app, secrets.token_hex(4)
        self.waiting: deque[Route.Answered] = deque()
        self.lost: Counter[tuple[str, str]] = Counter()  # by tenant and day
        self.thread: threading.Thread | None = None
        self._number = 0
        self._lock, self._writing = threading.Lock(), threading.Lock()
        self._ends = threading.Event()

    def __call__(self, answered: Route.Answered) -> None:
        if len(self.waiting) < MOST:
            self.waiting.append(answered)
        else:
            with self._lock:
                self.lost[answered.tenant_id, keeping.day_id(answered.at)] += 1
        if self.thread is None:
            self._begin_thread()

    def close(self) -> None:
        """Write the waiting requests and stop the thread."""
        if thread := self.thread:
            self._ends.set()
            if thread is not threading.current_thread():
                thread.join()
        self.write()

    def write(self) -> None:
        """Write all waiting requests; those that the database cannot take now keep waiting."""
        with self._writing:
            while self._write_some():
                pass

    def _begin_thread(self) -> None:
        with self._lock:
            if self.thread is None:
                self._ends.clear()  # a request may come after close()
                self.thread = threading.Thread(target=self._write_until_quiet, name="billycan-requests", daemon=True)
                atexit.register(self.close)
                self.thread.start()

    def _write_until_quiet(self) -> None:
        quiet = 0
        self._record_writer(keeping.record_writer)
        while quiet < _QUIET_ROUNDS and not self._ends.wait(EVERY_SECONDS):
            quiet = 0 if self.waiting or self.lost else quiet + 1
            self.write()
        self.write()
        if not self.waiting:
            self._record_writer(keeping.forget_writer)
        atexit.unregister(self.close)
        self.thread = None
        if self.waiting and not self._ends.is_set():
            self._begin_thread()  # a request came in the meantime

    def _record_writer(self, record: "keeping.Record") -> None:
        try:
            with self.app.db.noting(_WAIT_SECONDS) as db:
                record(db, self.id, self.app.now())
        except sa.exc.SQLAlchemyError:
            log.warning("requests cannot be written to the database at present")

    def _write_some(self) -> bool:
        """Write a batch; return True if more can be written at once."""
        batch = [self.waiting.popleft() for _ in range(min(len(self.waiting), MOST_AT_ONCE))]
        with self._lock:
            lost, self.lost = self.lost, Counter()
        if not batch and not lost:
            return False
        try:
            with self.app.db.noting(_WAIT_SECONDS) as db:
                self._number = keeping.write_requests(db, self.app, self.id, self._number, batch, lost)
        except (sa.exc.OperationalError, sa.exc.TimeoutError):
            log.warning("%s requests wait for the database", len(batch))
            self.waiting.extendleft(reversed(batch))
            with self._lock:
                self.lost.update(lost)
            return False
        except Exception:
            log.exception("%s requests could not be written", len(batch))
            lost.update((each.tenant_id, keeping.day_id(each.at)) for each in batch)
            for of, count in lost.items():  # one by one, since the fault may concern only one of them
                self._record_writer(partial(keeping.write_lost, of=of, count=count))
        return len(batch) == MOST_AT_ONCE
