"""The dispatcher: one thread that decides who sends what next, and the only one that writes to the database.

Hints come in from Huey, outcomes from the senders. Each round takes in what came, writes all outcomes and as many
claims as there are free senders in one transaction, and hands the claims to the senders. The more comes at once, the
less each costs.
"""

import logging
import queue
import threading
import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import sqlalchemy as sa

from billycan import App

from . import sender
from .claims import MOST_IN_FLIGHT, Claim, Desk, Hint, Made, Wanted, clock
from .queue import Queue, nudger, why
from .settings import LEAST_MARGIN_SECONDS, Settings

log = logging.getLogger("billycan.webhooks")

_SLOW_MS = 1000
_MOST_SLOW = 10_000
_AGAIN_SECONDS = 0.5


class Landed(NamedTuple):
    """A sender is done with a claim; it has no outcome if nothing was sent."""

    claim: Claim
    outcome: sender.Outcome | None


class Dispatcher:
    """Sees to the endpoints it is hinted at, in turns, with a bounded number of senders.

    Of an endpoint's deliveries no more than two are in flight, of a business's no more than a quarter of the senders,
    and half of the senders never wait for what is likely to take long: a retry, or an endpoint that failed or took more
    than a second last time.
    """

    def __init__(self, app: App) -> None:
        self.app, self.settings = app, app.settings_of(Settings)
        self.desk, self.nudger = Desk(app), nudger(app)
        self.over = threading.Event()  # nothing more is claimed, and nobody need bring hints
        self._came: queue.SimpleQueue[Hint | Landed] = queue.SimpleQueue()
        self._ready: dict[Hint, None] = {}  # where something may be due, who waited longest first
        self._flying: dict[str, Claim] = {}
        self._made: list[Made] = []
        self._slow: set[Hint] = set()
        self._failed = False
        self._senders = ThreadPoolExecutor(self.settings.threads, "webhooks sender")

    def hint(self, hints: Iterable[Hint]) -> None:
        """Something may be due to these endpoints."""
        for hint in hints:
            self._came.put(hint)

    def sweep(self) -> None:
        """Find what is due and not under way, whatever became of its hint."""
        try:
            self.hint(self.desk.due())
        except Exception as error:  # noqa: BLE001 - the next sweep finds it
            log.warning("the sweep waits: %s", why(error))

    def run(self, stop: threading.Event) -> None:
        """Round after round until `stop` is set, then until what is in flight is recorded."""
        try:
            while not stop.is_set():
                self.round()
        finally:
            self.over.set()
        while self.is_busy():
            self.round()
        self.nudger.hint(self._ready)  # to other workers
        self._senders.shutdown()

    def is_busy(self) -> bool:
        """Whether anything is in flight or to be written, or could be claimed now."""
        return bool(self._flying or self._made or self._wanted()) or not self._came.empty()

    def round(self, seconds: float = 0.25) -> None:
        """Take in what came, write it with the claims that can be made, and send those; waits if there is nothing."""
        self._take_in(0 if self._made or self._wanted() else seconds)
        made, wanted = self._made, self._wanted()
        if self._failed:  # what holds it up must not hold up the others: one at a time
            made, wanted = made[:1], [] if made else wanted[:1]
        if not made and not wanted:
            return
        try:
            claims, retries = self.desk.write(made, wanted)
        except Exception as error:  # noqa: BLE001 - whatever it is, what was sent must be written down
            self._put_off(made, wanted, error)
            return
        self._failed = False
        self._made = self._made[len(made) :]
        for hint, at in retries:
            self.nudger.hint([hint], at)
        for want, claim in zip(wanted, claims, strict=True):
            self._go(want, claim)

    def _take_in(self, seconds: float) -> None:
        try:
            came = self._came.get(timeout=seconds) if seconds else self._came.get_nowait()
            while True:
                if isinstance(came, Landed):
                    self._landed(came.claim, came.outcome)
                else:
                    self._ready[came] = None
                came = self._came.get_nowait()
        except queue.Empty:
            pass

    def _landed(self, claim: Claim, outcome: sender.Outcome | None) -> None:
        del self._flying[claim.attempt_id]
        if outcome is None:
            return
        self._made.append(Made(claim=claim, outcome=outcome))
        slow = outcome.error is not None or outcome.duration_ms > _SLOW_MS
        if slow and len(self._slow) < _MOST_SLOW:
            self._slow.add(claim.hint)
        elif not slow:
            self._slow.discard(claim.hint)

    def _wanted(self) -> list[Wanted]:
        """What to claim now: everybody's first before anybody's second."""
        flying = self._flying.values()
        free, slow_left = self.settings.threads - len(flying), max(1, self.settings.threads // 2)
        slow_left -= sum(claim.slow or claim.hint in self._slow for claim in flying)
        most = max(MOST_IN_FLIGHT, self.settings.threads // 4)
        of_endpoint, of_tenant = Counter(c.hint for c in flying), Counter(c.hint[0] for c in flying)
        wanted: list[Wanted] = []
        for _ in range(0 if self.over.is_set() else MOST_IN_FLIGHT):
            for hint in self._ready:
                if len(wanted) >= free:
                    return wanted
                slow = hint in self._slow
                full = of_endpoint[hint] >= MOST_IN_FLIGHT or of_tenant[hint[0]] >= most
                if not full and not (slow and slow_left <= 0):
                    wanted.append(Wanted(hint=hint, slow=slow_left > 0))
                    slow_left -= 1
                    of_endpoint[hint] += 1
                    of_tenant[hint[0]] += 1
        return wanted

    def _go(self, want: Wanted, claim: Claim | None) -> None:
        if claim:
            # Behind the others, so that they have their turns.
            self._ready.pop(claim.hint, None)
            self._ready[claim.hint] = None
            self._flying[claim.attempt_id] = claim
            self._senders.submit(self._send, claim)
        elif want.slow:
            self._ready.pop(want.hint, None)
        else:
            self._slow.add(want.hint)  # nothing quick is due to it; it is asked again when something slow may go

    def _send(self, claim: Claim) -> None:
        """Make an attempt, with no transaction open; runs in a sender's thread."""
        outcome = None
        try:
            # Had this process slept since, another might be sending by the time this attempt ended.
            if clock() - claim.begun <= LEAST_MARGIN_SECONDS:
                outcome = self._outcome(claim)
        finally:
            self._came.put(Landed(claim, outcome))

    def _outcome(self, claim: Claim) -> sender.Outcome:
        if not claim.headers:
            log.error(
                "%s cannot be signed, because the secret that protected its key is gone: use rotate_secret",
                claim.hint[1],
            )
            return sender.Outcome(error="signing_key")
        seconds, private = self.settings.timeout_seconds, claim.private
        return sender.send(claim.url, claim.headers, claim.body, timeout=seconds, private=private)

    def _put_off(self, made: list[Made], wanted: list[Wanted], error: Exception) -> None:
        """Keep what could not be written, until its lease is over: then it is sent again, by whoever is first."""
        if not self._failed:
            log.warning("deliveries cannot be recorded; trying again: %s", why(error))
        self._failed = True
        self._made = self._made[len(made) :]
        for one in made:
            if clock() - one.claim.begun <= self.settings.lease_seconds:
                self._made.append(one)
            else:
                log.error("the outcome of %s could not be recorded, so it is sent again", one.claim.id)
        is_away = isinstance(error, sa.exc.OperationalError | sa.exc.InterfaceError | sa.exc.TimeoutError)
        if len(wanted) == 1 and not is_away:
            self._ready.pop(wanted[0].hint, None)  # the sweep finds it again
        time.sleep(_AGAIN_SECONDS)


def consume(app: App, stop: threading.Event) -> None:
    """Deliver until `stop` is set, then finish what is in flight."""
    private = app.settings_of(Settings).allow_private
    if private:
        # For sandboxes `billycan serve` sets it by itself, which is nothing to be alarmed at.
        level, whose = (logging.WARNING, "every tenant") if private is True else (logging.INFO, "sandboxes")
        log.log(level, "webhooks.allow_private: deliveries of %s may go to private addresses and plain http", whose)
    dispatcher = Dispatcher(app)
    listening = threading.Thread(target=_listen, args=(app, dispatcher), name="webhooks queue")
    listening.start()
    dispatcher.run(stop)
    listening.join()


def _listen(app: App, dispatcher: Dispatcher) -> None:
    """Hear hints until the dispatcher stops; while the queue is away the database is swept each second instead."""
    is_away = False
    while not dispatcher.over.is_set():
        dispatcher.sweep()
        try:
            opened = Queue(app, patience=5.0, deliver=dispatcher.hint, sweep=dispatcher.sweep)
            try:
                opened.huey.pending_count()
                if is_away:
                    log.warning("the queue is back")
                is_away = False
                opened.listen(dispatcher.over)
            finally:
                opened.close()
        except Exception as error:  # noqa: BLE001 - whatever keeps the queue away, the database is there
            if not is_away:
                log.warning("the queue cannot be reached, so the database is swept each second: %s", why(error))
            is_away = True
            dispatcher.over.wait(1)
