"""Leases: the database decides who sends a delivery, and records the outcome.

A sender holds a lease that was taken by compare-and-set and committed with the attempt. It may record the outcome only
while the row still has its token: a process that dies or sleeps too long is overtaken, and changes nothing when it
wakes.
"""

import logging
import random
import time
from collections.abc import Iterable, Sequence
from datetime import timedelta
from itertools import groupby
from operator import itemgetter
from typing import Any

import sqlalchemy as sa
from msgspec import Struct, structs

from billycan import App, Row, new_id
from billycan.fields import Moment
from billycan.sql import ByIds, events, tenants
from billycan.timed import Leases

from . import chores, signing
from .deliveries import body_and_trace_of
from .sender import Outcome
from .settings import LEAST_MARGIN_SECONDS, MOST_LEASE_SECONDS, Settings
from .tables import CHORES, FREE, PENDING, Hint, attempts, deliveries, endpoints

log = logging.getLogger("billycan.webhooks")

MOST_IN_FLIGHT = 2
_JITTER = 0.1


class Lease(Struct, frozen=True, eq=False, kw_only=True):
    """The right to make one attempt, until the lease ends."""

    hint: Hint
    id: str  # the attempt's id and the lease's token
    delivery: Row
    endpoint: Row
    headers: dict[str, str]
    body: bytes
    trace: str  # leads back to the work that the event came of
    begun: float  # by `boot_clock`

    @property
    def is_slow(self) -> bool:
        """True if it is likely to take long: a retry, or an endpoint whose last attempt failed."""
        return self.delivery.failures > 0 or self.endpoint.failing_since is not None


Wish = tuple[Hint, bool]  # the endpoint; True if its next delivery may be a slow one
Made = tuple[Lease, Outcome]  # an attempt that was made


class Desk:
    """The one place that leases deliveries and records outcomes."""

    def __init__(self, app: App) -> None:
        self.app, self.settings = app, app.settings_of(Settings)

    def write(
        self, made: Sequence[Made], wanted: Sequence[Wish]
    ) -> tuple[list[Lease | None], list[tuple[Hint, Moment]]]:
        """Record the attempts that were made and lease the wanted deliveries, in one transaction.

        Returns a lease for each wish, None if nothing is due, and the hints to act on later with their times. At most
        two deliveries to an endpoint are in flight at once, across all workers. An attempt that lost its lease is
        recorded and changes nothing else.
        """
        with self.app.db.noting() as db:
            # Lock the endpoints' rows first and in one order: two transactions never wait for each other then.
            found = _lock_endpoints(db, [lease.hint for lease, _ in made] + [hint for hint, _ in wanted])
            now = self.app.shared_now(db)  # after the lock: a lease that began before a wait would end too early
            retries = self._record_attempts(db, made, found, now) if made else []
            leases = [self._lease_next(db, wish, found.get(wish[0]), now, retries) for wish in wanted]
            if begun := [_new_attempt(lease, now) for lease in leases if lease]:
                db.execute(_BEGIN, begun)
        if begun:
            self.app.db.wait_for_disk()  # or a power cut could undo a record of which somebody was told
        return leases, retries

    def due(self) -> Iterable[Hint]:
        """Return hints of what is due but not under way, including deliveries postponed by a wrong clock."""
        with self.app.db.noting() as db:
            longest = {
                "retry_seconds": max(self.settings.retry_offsets, default=0),
                "lease_seconds": MOST_LEASE_SECONDS,
            }
            if Leases(deliveries).bring_forward(db, PENDING, self.app.shared_now(db), **longest):
                log.warning("deliveries were put off by a clock that was ahead: they are sent now")
        with self.app.db.reading(across="the sender looks for what is due to anybody") as db:
            found = db.execute(_DUE, Leases.times(self.app.shared_now(db)))
            return [*((row.tenant_id, row.endpoint_id) for row in found), *chores.hints_of_chores(db)]

    def go_on(self, tenant_id: str) -> list[Hint] | None:
        """Take the next step of a business's chores. Return hints of what is due now, or None if it has no chores."""
        with self.app.db.noting() as db:
            return chores.take_next_step(db, tenant_id, self.app.shared_now(db))

    def _record_attempts(
        self, db: sa.Connection, made: Sequence[Made], found: dict[Hint, Row], now: Moment
    ) -> list[tuple[Hint, Moment]]:
        recorded = [_delivery_values(self.settings, *one, now) for one in made]
        retries: list[tuple[Hint, Moment]] = []
        db.execute(_FINISH, [_attempt_values(*one, now) for one in made])
        db.execute(_RECORD, recorded)
        for lease, outcome in made:
            endpoint = found.get(lease.hint)
            if endpoint is not None and _record_health(db, self.settings, endpoint, outcome, now, retries):
                found |= _lock_endpoints(db, [lease.hint])
        again = zip(made, recorded, strict=True)
        retries += [(lease.hint, values["due_at"]) for (lease, _), values in again if values["status"] == "pending"]
        return retries

    def _lease_next(
        self, db: sa.Connection, wish: Wish, endpoint: Row | None, now: Moment, retries: list[tuple[Hint, Moment]]
    ) -> Lease | None:
        """Lease the next delivery to an endpoint that the transaction has locked. Return None if nothing is due."""
        hint, slow = wish
        whose = {"of_tenant": hint[0], "of_endpoint": hint[1], **Leases.times(now)}
        if endpoint is None or not endpoint.enabled:
            if not chores.has_chores(db, *hint):
                retries += _start_chore(db, hint, "cancel" if endpoint is None else "hold", now)
            return None
        if endpoint.failing_since is not None and not slow:
            return None
        id, begun = new_id("att"), boot_clock()
        until = now + timedelta(seconds=self.settings.lease_seconds)
        # A lease that ends by `over` has no open request any more: a dead process does not block the endpoint.
        over = until - timedelta(seconds=self.settings.timeout_seconds + LEAST_MARGIN_SECONDS)
        columns = {"lease_token": id, "lease_until": until, "over": over}
        row = db.execute(_LEASE, {**whose, **columns, "slow": slow}).first()
        if row is None:
            return None
        body, trace = body_and_trace_of(db, hint[0], row)
        if body is None:
            # The event was deleted while this plugin was off: only the plugin says which events it needs.
            db.execute(_CANCEL_FORGOTTEN, whose)
            return self._lease_next(db, wish, endpoint, now, retries)
        headers = signing.signed_headers(self.app.secrets, endpoint, row.webhook_id, body, now)
        return Lease(
            hint=hint, id=id, delivery=row, endpoint=endpoint, headers=headers, body=body, trace=trace, begun=begun
        )


def retry_at(settings: Settings, first_attempt_at: Moment, failures: int) -> Moment:
    """Return the time of the next attempt, counted from the first; jitter takes up to a tenth of the step."""
    offset = settings.retry_offsets[failures]
    step = offset - (settings.retry_offsets[failures - 1] if failures else 0)
    jitter = random.random() * _JITTER * step  # noqa: S311 - no secret
    return Moment.of(first_attempt_at + timedelta(seconds=offset - jitter))


def boot_clock() -> float:
    """Return the seconds since boot, including those that the machine slept."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def _lock_endpoints(db: sa.Connection, hints: Iterable[Hint]) -> dict[Hint, Row]:
    """Lock the endpoints, one tenant's after the other's: in a cluster each tenant's lie on another node."""
    found: dict[Hint, Row] = {}
    for tenant_id, those in groupby(sorted({*hints}), itemgetter(0)):
        rows = _ENDPOINTS.all(db, tenant_id, [endpoint_id for _, endpoint_id in those])
        found |= {(tenant_id, row.id): row for row in rows}
    return found


def _new_attempt(lease: Lease, now: Moment) -> dict[str, Any]:
    """Return the row of the attempt that a lease is about to make."""
    return {
        "tenant_id": lease.hint[0],
        "id": lease.id,
        "delivery_id": lease.delivery.id,
        "number": lease.delivery.attempts_made,
        "started_at": now,
        "url": lease.endpoint.url,
        "headers": lease.headers,
    }


def _attempt_values(lease: Lease, outcome: Outcome, now: Moment) -> dict[str, Any]:
    """Return the columns of an attempt that ended."""
    headers, body = outcome.response_headers, (outcome.response_body or "").encode()
    size = len(body) + sum(map(len, [*headers, *headers.values()]))
    attempt = {"of_tenant": lease.hint[0], "of_attempt": lease.id, "finished_at": now, "response_bytes": size}
    return attempt | structs.asdict(outcome)


def _delivery_values(settings: Settings, lease: Lease, outcome: Outcome, now: Moment) -> dict[str, Any]:
    """Return the columns of a delivery after an attempt."""
    failures, became = lease.delivery.failures, {"status": "delivered", "finished_at": now, "due_at": now}
    if outcome.error is not None and failures >= len(settings.retry_offsets):
        became["status"] = "failed"
    elif outcome.error is not None:
        due_at = retry_at(settings, min(lease.delivery.first_attempt_at, now), failures)
        became = {"status": "pending", "finished_at": None, "due_at": due_at}
    return {
        "of_tenant": lease.hint[0],
        "of_id": lease.delivery.id,
        "token_held": lease.id,
        "failures": failures + (outcome.error is not None),
        "last_error": outcome.error,
        **became,
        **_UNLEASED,
    }


def _start_chore(db: sa.Connection, hint: Hint, kind: str, now: Moment) -> list[tuple[Hint, Moment]]:
    """Start a chore. Return the hint that continues it, with its time."""
    rest = chores.start_chore(db, *hint, kind, now).rest
    return [] if rest is None else [((hint[0], CHORES), now)]


def _record_health(
    db: sa.Connection,
    settings: Settings,
    endpoint: Row,
    outcome: Outcome,
    now: Moment,
    retries: list[tuple[Hint, Moment]],
) -> bool:
    """Record since when an endpoint fails; disable it if it is gone or failed for days. Return True if it changed."""
    since = None if outcome.error is None else endpoint.failing_since or now
    too_long = since is not None and since <= now - timedelta(days=settings.disable_after_days)
    reason = "gone" if outcome.response_status == 410 else "failing" if too_long else None
    values: dict[str, Any] = {"failing_since": since} if since != endpoint.failing_since else {}
    if reason and endpoint.enabled:
        values |= {"enabled": False, "disabled_reason": reason, "version": endpoint.version + 1, "updated_at": now}
        retries += _start_chore(db, (endpoint.tenant_id, endpoint.id), "hold", now)
        log.warning("%s is disabled: it %s", endpoint.id, "answered 410" if reason == "gone" else "failed for days")
    if values:
        mine = (_e.tenant_id == endpoint.tenant_id) & (_e.id == endpoint.id)
        db.execute(sa.update(endpoints).where(mine).values(values))
    return bool(values)


# The statements are built once: a worker would spend most of its time in SQLAlchemy otherwise. An UPDATE sets each
# parameter that has the name of a column.

_d, _e, _a, _l = deliveries.c, endpoints.c, attempts.c, events.c
_tenant: sa.BindParameter[str] = sa.bindparam("of_tenant")
_endpoint: sa.BindParameter[str] = sa.bindparam("of_endpoint")
_UNLEASED: dict[str, Any] = {"lease_until": None, "lease_token": None}
_TO_IT = (_d.tenant_id == _tenant) & (_d.endpoint_id == _endpoint) & (_d.status == "pending")
_ENDPOINTS = ByIds(
    sa.select(endpoints, tenants.c.environment)
    .join_from(endpoints, tenants, _e.tenant_id == tenants.c.id)
    .order_by(_e.id)
    .with_for_update(of=endpoints),
    _e.id,
)
_next = (
    sa.select(_d.id)
    .where(_TO_IT, FREE, (_d.failures == 0) | sa.bindparam("slow", type_=sa.Boolean))
    .order_by(_d.due_at)
    .limit(1)
    .correlate(None)
)
_flying = deliveries.alias("flying")
_in_flight = sa.select(sa.func.count()).where(
    _flying.c.tenant_id == _tenant,
    _flying.c.endpoint_id == _endpoint,
    _flying.c.lease_until.is_not(None),  # the condition of the index
    _flying.c.lease_until > sa.bindparam("over", type_=_d.lease_until.type),
)
_LEASE = (
    sa.update(deliveries)
    .where(
        _d.tenant_id == _tenant,
        _d.id == _next.scalar_subquery(),
        _in_flight.scalar_subquery() < MOST_IN_FLIGHT,
    )
    .values(first_attempt_at=sa.func.coalesce(_d.first_attempt_at, Leases.NOW), attempts_made=_d.attempts_made + 1)
    .returning(_d.id, _d.webhook_id, _d.own_body, _d.first_attempt_at, _d.failures, _d.attempts_made)
)
_CANCEL_FORGOTTEN = (
    sa.update(deliveries)
    .where(_TO_IT, _d.own_body.is_(None), ~sa.exists().where(_l.tenant_id == _d.tenant_id, _l.id == _d.webhook_id))
    .values(**_UNLEASED, status="cancelled", finished_at=Leases.NOW, last_error="event_expired")
)
_BEGIN = sa.insert(attempts)
_FINISH = sa.update(attempts).where(_a.tenant_id == _tenant, _a.id == sa.bindparam("of_attempt"))
_RECORD = sa.update(deliveries).where(
    _d.tenant_id == _tenant, _d.id == sa.bindparam("of_id"), _d.lease_token == sa.bindparam("token_held")
)
# Given the plain column, SQLite uses the index that has its order and reads every delivery ever made. A concatenated
# text has no order, so SQLite uses the index of due deliveries.
_DUE = sa.select((_d.tenant_id + "").label("tenant_id"), _d.endpoint_id).where(PENDING, FREE).distinct()
