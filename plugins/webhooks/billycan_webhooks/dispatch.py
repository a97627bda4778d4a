"""The dispatcher: the one thread that decides what is sent next, and the only one that writes to the database.

Huey brings hints, the senders bring outcomes. Each round reads both, writes all outcomes and as many leases as there
are free senders in one transaction, and hands the leases to the senders. The more arrives at once, the less each costs.
"""

import logging
import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import partial
from typing import Any

import sqlalchemy as sa

from billycan import App

from . import sender
from .deliveries import error_line, nudger_of
from .leases import MOST_IN_FLIGHT, Desk, Lease, Made, Wish, boot_clock
from .queue import Queue
from .settings import LEAST_MARGIN_SECONDS, Settings
from .tables import CHORES, Hint

log = logging.getLogger("billycan.webhooks")

_SLOW_MS = 1000
_AGAIN_SECONDS = 0.5


class Dispatcher:
    """Serves the endpoints it gets hints of, in turns, with a bounded number of senders.

    At most two deliveries to an endpoint are in flight at once, and a business has at most a quarter of the senders.
    Half of the senders never wait for slow deliveries: retries, and endpoints whose last attempt failed or took over a
    second.
    """

    def __init__(self, app: App) -> None:
        self.app, self.settings = app, app.settings_of(Settings)
        self.desk, self.nudger = Desk(app), nudger_of(app)
        self.over = threading.Event()  # once set, nothing more is leased and hints are not needed
        self._came: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()  # calls from other threads
        # Endpoints to which something may be due, longest waiting first; False if nothing quick is due.
        self._ready: dict[Hint, bool] = {}
        self._chores: dict[str, None] = {}  # tenants that have chores, longest waiting first
        self._flying: set[Lease] = set()
        self._made: list[Made] = []
        self._slow: set[Hint] = set()  # endpoints whose last attempt failed or took long
        self._failed = False  # True if the last transaction failed
        self._senders = ThreadPoolExecutor(self.settings.threads, "webhooks sender")

    def add_hints(self, hints: Iterable[Hint]) -> None:
        """Add hints: something may be due to these endpoints."""
        self._came.put(partial(self._note_hints, list(hints)))

    def sweep(self) -> None:
        """Find what is due and not under way, even if its hint was lost."""
        try:
            self.add_hints(self.desk.due())
        except Exception as error:  # noqa: BLE001 - the next sweep finds it
            log.warning("the sweep waits: %s", error_line(error))

    def run(self, stop: threading.Event) -> None:
        """Run rounds until `stop` is set, and then until every attempt in flight is recorded."""
        try:
            while not stop.is_set():
                self.round()
        finally:
            self.over.set()
        while self.is_busy():
            self.round()
        if left := [*self._ready, *((id, CHORES) for id in self._chores)]:
            self.nudger.send_hints_soon(left)  # for other workers
        self._senders.shutdown()

    def is_busy(self) -> bool:
        """Tell whether anything is in flight, is to be recorded, or can be leased or continued now."""
        return bool(self._flying or self._made or self._choose_wanted() or self._has_chores()) or not self._came.empty()

    def round(self) -> None:
        """Read what arrived, record it, take the possible leases and send them. Wait a second if there is nothing."""
        self._run_calls(0 if self._made or self._choose_wanted() or self._has_chores() else 1)
        if self._has_chores():
            self._take_chore_step()
        made, wanted = self._made, self._choose_wanted()
        if self._failed:  # one at a time, so that a row that cannot be written does not stop the others
            made, wanted = made[:1], [] if made else wanted[:1]
        if not made and not wanted:
            return
        try:
            leases, retries = self.desk.write(made, wanted)
        except Exception as error:  # noqa: BLE001 - whatever it is, the outcomes must be recorded
            self._put_off(made, wanted, error)
            return
        self._failed, self._made = False, self._made[len(made) :]
        for hint, at in retries:
            if hint[1] == CHORES:
                self._note_hints([hint])
            else:
                self.nudger.send_hints_soon([hint], at)
        for wish, lease in zip(wanted, leases, strict=True):
            self._hand_over(wish, lease)

    def _has_chores(self) -> bool:
        return bool(self._chores) and not self.over.is_set()

    def _take_chore_step(self) -> None:
        """Take a step of one business's chores; the next step is another business's."""
        tenant_id = next(iter(self._chores))
        del self._chores[tenant_id]
        try:
            hints = self.desk.go_on(tenant_id)
        except Exception as error:  # noqa: BLE001 - the sweep finds it again
            log.warning("deliveries of many events wait: %s", error_line(error))
            return
        if hints is not None:
            self._note_hints([*hints, (tenant_id, CHORES)])

    def _note_hints(self, hints: Iterable[Hint]) -> None:
        for hint in hints:
            if hint[1] == CHORES:
                self._chores[hint[0]] = None
            else:
                self._ready[hint] = True

    def _run_calls(self, seconds: float) -> None:
        with suppress(queue.Empty):
            while True:
                self._came.get(timeout=seconds)()
                seconds = 0

    def _choose_wanted(self) -> list[Wish]:
        """List the deliveries to lease now: each endpoint's first before any endpoint's second."""
        free = 0 if self.over.is_set() else self.settings.threads - len(self._flying)
        slow_left = max(1, self.settings.threads // 2)
        slow_left -= sum(lease.is_slow or lease.hint in self._slow for lease in self._flying)
        most = max(MOST_IN_FLIGHT, self.settings.threads // 4)
        of_endpoint = Counter(lease.hint for lease in self._flying)
        of_tenant = Counter(lease.hint[0] for lease in self._flying)
        wanted: list[Wish] = []
        for hint, quick in [*self._ready.items()] * MOST_IN_FLIGHT:
            if len(wanted) >= free:
                break
            full = of_endpoint[hint] >= MOST_IN_FLIGHT or of_tenant[hint[0]] >= most
            if not full and (slow_left > 0 or (quick and hint not in self._slow)):
                wanted.append((hint, slow_left > 0))
                slow_left -= 1
                of_endpoint[hint] += 1
                of_tenant[hint[0]] += 1
        return wanted

    def _hand_over(self, wish: Wish, lease: Lease | None) -> None:
        hint, slow = wish
        self._ready.pop(hint, None)
        if lease:
            self._ready[hint] = True  # behind the others, so that they get their turns
            self._flying.add(lease)
            self._senders.submit(self._make_attempt, lease)
        elif not slow:
            self._ready[hint] = False  # nothing quick is due; tried again when something slow may be sent

    def _make_attempt(self, lease: Lease) -> None:
        """Make an attempt in a sender's thread, with no transaction open."""
        outcome = None
        try:
            # If this process has slept since, another may be sending before this attempt ends.
            if boot_clock() - lease.begun <= LEAST_MARGIN_SECONDS:
                outcome = self._attempt_lease(lease)
        finally:
            self._came.put(partial(self._take_back, lease, outcome))

    def _attempt_lease(self, lease: Lease) -> sender.Outcome:
        if not lease.headers:
            cure = "%s cannot be signed, because the secret that protected its key is gone: use rotate_secret"
            log.error(cure, lease.endpoint.id)
            return sender.Outcome(error="signing_key")
        seconds, private = self.settings.timeout_seconds, self.settings.allows_private(lease.endpoint.environment)
        how: dict[str, Any] = {"timeout": seconds, "private": private, "business": lease.hint[0]}
        with self.app.traced("webhooks.attempt", lease.hint[0], lease.trace) as work:
            sent = lease.headers | work.headers
            outcome = sender.attempt_delivery(lease.endpoint.url, sent, lease.body, **how)
            work.facts |= _facts_of(lease, outcome)
        return outcome

    def _take_back(self, lease: Lease, outcome: sender.Outcome | None) -> None:
        """Take back a lease from a sender; `outcome` is None if nothing was sent."""
        self._flying.remove(lease)
        if outcome:
            self._made.append((lease, outcome))
            slow = outcome.error is not None or outcome.duration_ms > _SLOW_MS
            (self._slow.add if slow else self._slow.discard)(lease.hint)

    def _put_off(self, made: list[Made], wanted: list[Wish], error: Exception) -> None:
        """Keep outcomes that could not be written until their leases end; then any worker may send them again."""
        if not self._failed:
            log.warning("deliveries cannot be recorded; trying again: %s", error_line(error))
        self._failed = True
        self._made = self._made[len(made) :]
        for one in made:
            if boot_clock() - one[0].begun <= self.settings.lease_seconds:
                self._made.append(one)
            else:
                log.error("the outcome of %s could not be recorded, so it is sent again", one[0].delivery.id)
        is_away = isinstance(error, sa.exc.OperationalError | sa.exc.InterfaceError | sa.exc.TimeoutError)
        if len(wanted) == 1 and not is_away:
            self._ready.pop(wanted[0][0])  # the sweep finds it again
        time.sleep(_AGAIN_SECONDS)


def _facts_of(lease: Lease, outcome: sender.Outcome) -> dict[str, str | int]:
    """Return what a trace keeps of an attempt."""
    facts: dict[str, str | int] = {
        "http.request.method": "POST",
        "billycan.delivery_id": lease.delivery.id,
        "billycan.endpoint_id": lease.hint[1],
        "billycan.event_id": lease.delivery.webhook_id,
        "billycan.attempt": lease.delivery.attempts_made,
    }
    if outcome.response_status is not None:
        facts["http.response.status_code"] = outcome.response_status
    if outcome.error is not None:
        facts["error.type"] = outcome.error
    return facts


def run_dispatcher(app: App, stop: threading.Event) -> None:
    """Deliver until `stop` is set, then finish what is in flight."""
    private = app.settings_of(Settings).allow_private
    if private:
        # `billycan serve` sets it for sandboxes, which needs no warning.
        level, whose = (logging.WARNING, "every tenant") if private is True else (logging.INFO, "sandboxes")
        log.log(level, "webhooks.allow_private: deliveries of %s may go to private addresses and plain http", whose)
    dispatcher = Dispatcher(app)
    listening = threading.Thread(target=_listen_for_hints, args=(app, dispatcher), name="webhooks queue")
    listening.start()
    dispatcher.run(stop)
    listening.join()


def _listen_for_hints(app: App, dispatcher: Dispatcher) -> None:
    """Listen for hints until the dispatcher stops. While the queue is unreachable, sweep the database every second."""
    is_away = False
    while not dispatcher.over.is_set():
        try:
            with closing(Queue(app, patience=5.0, deliver=dispatcher.add_hints, sweep=dispatcher.sweep)) as opened:
                opened.check()
                if is_away:
                    log.warning("the queue is back")
                is_away = False
                dispatcher.sweep()  # now, because hints from before the queue was there may be lost
                opened.listen(dispatcher.over)
        except Exception as error:  # noqa: BLE001 - whatever keeps the queue away, the database is there
            if not is_away:
                log.warning("the queue cannot be reached, so the database is swept each second: %s", error_line(error))
            is_away = True
            dispatcher.sweep()
            dispatcher.over.wait(1)
