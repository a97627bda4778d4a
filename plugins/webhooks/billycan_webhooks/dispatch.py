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
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import partial

import sqlalchemy as sa

from billycan import App

from . import sender
from .claims import MOST_IN_FLIGHT, Claim, Desk, Made, Wish, clock
from .nudging import CHORES, Hint, nudger, why
from .queue import Queue
from .settings import LEAST_MARGIN_SECONDS, Settings

log = logging.getLogger("billycan.webhooks")

_SLOW_MS = 1000
_AGAIN_SECONDS = 0.5


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
        self._came: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()  # what other threads have it note
        # Where something may be due, who waited longest first; False where it is nothing quick.
        self._ready: dict[Hint, bool] = {}
        self._chores: dict[str, None] = {}  # tenants for which much is left to do in steps, who waited longest first
        self._flying: set[Claim] = set()
        self._made: list[Made] = []
        self._slow: set[Hint] = set()  # whose last attempt failed or took long
        self._failed = False  # the last transaction
        self._senders = ThreadPoolExecutor(self.settings.threads, "webhooks sender")

    def hint(self, hints: Iterable[Hint]) -> None:
        """Something may be due to these endpoints."""
        self._came.put(partial(self._note, list(hints)))

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
        if left := [*self._ready, *((id, CHORES) for id in self._chores)]:
            self.nudger.hint(left)  # other workers see to them
        self._senders.shutdown()

    def is_busy(self) -> bool:
        """Whether anything is in flight or to be written, or could be claimed or gone on with now."""
        return bool(self._flying or self._made or self._wanted() or self._goes_on()) or not self._came.empty()

    def round(self) -> None:
        """Take in what came, write it with the claims that can be made, and send those; waits if there is nothing."""
        self._take_in(0 if self._made or self._wanted() or self._goes_on() else 1)
        if self._goes_on():
            self._go_on()
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
        self._failed, self._made = False, self._made[len(made) :]
        for hint, at in retries:
            if hint[1] == CHORES:
                self._note([hint])
            else:
                self.nudger.hint([hint], at)
        for wish, claim in zip(wanted, claims, strict=True):
            self._go(wish, claim)

    def _goes_on(self) -> bool:
        return bool(self._chores) and not self.over.is_set()

    def _go_on(self) -> None:
        """Take a step of one business's chores; then it is another's turn."""
        tenant_id = next(iter(self._chores))
        del self._chores[tenant_id]
        try:
            hints = self.desk.go_on(tenant_id)
        except Exception as error:  # noqa: BLE001 - the sweep finds it again
            log.warning("deliveries of many events wait: %s", why(error))
            return
        if hints is not None:
            self._note([*hints, (tenant_id, CHORES)])

    def _note(self, hints: Iterable[Hint]) -> None:
        for hint in hints:
            if hint[1] == CHORES:
                self._chores[hint[0]] = None
            else:
                self._ready[hint] = True

    def _take_in(self, seconds: float) -> None:
        with suppress(queue.Empty):
            while True:
                self._came.get(timeout=seconds)()
                seconds = 0

    def _wanted(self) -> list[Wish]:
        """What to claim now: everybody's first before anybody's second."""
        free = 0 if self.over.is_set() else self.settings.threads - len(self._flying)
        slow_left = max(1, self.settings.threads // 2)
        slow_left -= sum(claim.is_slow or claim.hint in self._slow for claim in self._flying)
        most = max(MOST_IN_FLIGHT, self.settings.threads // 4)
        of_endpoint = Counter(claim.hint for claim in self._flying)
        of_tenant = Counter(claim.hint[0] for claim in self._flying)
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

    def _go(self, wish: Wish, claim: Claim | None) -> None:
        hint, slow = wish
        self._ready.pop(hint, None)
        if claim:
            self._ready[hint] = True  # behind the others, so that they have their turns
            self._flying.add(claim)
            self._senders.submit(self._send, claim)
        elif not slow:
            self._ready[hint] = False  # nothing quick is due to it; it is asked again when something slow may go

    def _send(self, claim: Claim) -> None:
        """Make an attempt, with no transaction open; runs in a sender's thread."""
        outcome = None
        try:
            # Had this process slept since, another might be sending by the time this attempt ended.
            if clock() - claim.begun <= LEAST_MARGIN_SECONDS:
                outcome = self._outcome(claim)
        finally:
            self._came.put(partial(self._landed, claim, outcome))

    def _outcome(self, claim: Claim) -> sender.Outcome:
        if not claim.headers:
            cure = "%s cannot be signed, because the secret that protected its key is gone: use rotate_secret"
            log.error(cure, claim.endpoint.id)
            return sender.Outcome(error="signing_key")
        seconds, private = self.settings.timeout_seconds, self.settings.allows_private(claim.endpoint.environment)
        return sender.send(claim.endpoint.url, claim.headers, claim.body, timeout=seconds, private=private)

    def _landed(self, claim: Claim, outcome: sender.Outcome | None) -> None:
        """A sender is done with a claim; it has no outcome if nothing was sent."""
        self._flying.remove(claim)
        if outcome:
            self._made.append((claim, outcome))
            slow = outcome.error is not None or outcome.duration_ms > _SLOW_MS
            (self._slow.add if slow else self._slow.discard)(claim.hint)

    def _put_off(self, made: list[Made], wanted: list[Wish], error: Exception) -> None:
        """Keep what could not be written, until its lease is over: then it is sent again, by whoever is first."""
        if not self._failed:
            log.warning("deliveries cannot be recorded; trying again: %s", why(error))
        self._failed = True
        self._made = self._made[len(made) :]
        for one in made:
            if clock() - one[0].begun <= self.settings.lease_seconds:
                self._made.append(one)
            else:
                log.error("the outcome of %s could not be recorded, so it is sent again", one[0].delivery.id)
        is_away = isinstance(error, sa.exc.OperationalError | sa.exc.InterfaceError | sa.exc.TimeoutError)
        if len(wanted) == 1 and not is_away:
            self._ready.pop(wanted[0][0])  # the sweep finds it again
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
        try:
            with closing(Queue(app, patience=5.0, deliver=dispatcher.hint, sweep=dispatcher.sweep)) as opened:
                opened.huey.pending_count()
                if is_away:
                    log.warning("the queue is back")
                is_away = False
                dispatcher.sweep()  # only now: whatever came before the queue was there may have lost its hint
                opened.listen(dispatcher.over)
        except Exception as error:  # noqa: BLE001 - whatever keeps the queue away, the database is there
            if not is_away:
                log.warning("the queue cannot be reached, so the database is swept each second: %s", why(error))
            is_away = True
            dispatcher.sweep()
            dispatcher.over.wait(1)
