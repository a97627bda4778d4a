"""What the database decides: who sends a delivery, and what came of it.

It is the only truth. Whoever sends holds a lease that was taken by compare-and-set and committed with the attempt, and
may record only while its token is still the row's: a process that dies or sleeps too long is overtaken, and changes
nothing when it wakes.
"""

import logging
import random
import time
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from msgspec import Struct, structs

from billycan import App, Row, events, new_id
from billycan.fields import Moment
from billycan.leases import NOW, bring_forward, times
from billycan.sql import tenants

from . import chores, signing
from .deliveries import body_of
from .nudging import CHORES, Hint
from .sender import Outcome
from .settings import LEAST_MARGIN_SECONDS, MOST_LEASE_SECONDS, Settings
from .tables import FREE, PENDING, attempts, deliveries, endpoints

log = logging.getLogger("billycan.webhooks")

MOST_IN_FLIGHT = 2
_JITTER = 0.1


class Claim(Struct, frozen=True, eq=False, kw_only=True):
    """The right to make one attempt, until the lease ends."""

    hint: Hint
    id: str  # the attempt's, and the token of the lease
    delivery: Row
    endpoint: Row
    headers: dict[str, str]
    body: bytes
    begun: float  # on the clock that also runs while the machine sleeps

    @property
    def is_slow(self) -> bool:
        """Whether it is likely to take long: a retry, or to an endpoint that failed last time."""
        return self.delivery.failures > 0 or self.endpoint.failing_since is not None


Wish = tuple[Hint, bool]  # for an endpoint's next delivery; whether it may be one that is likely to take long
Made = tuple[Claim, Outcome]  # an attempt that was made


class Desk:
    """Where claims are made, and where what came of them is recorded."""

    def __init__(self, app: App) -> None:
        self.app, self.settings = app, app.settings_of(Settings)

    def write(
        self, made: Sequence[Made], wanted: Sequence[Wish]
    ) -> tuple[list[Claim | None], list[tuple[Hint, Moment]]]:
        """Record what was made and lease what is wanted, in one transaction.

        Returns a claim for each wish, None where nothing is due, and when to see to which endpoint again. Of an
        endpoint's deliveries no more than two are in flight, whoever sends them. An attempt that lost its lease is
        written down, and changes nothing else.
        """
        with self.app.db.noting() as db:
            # The endpoints' rows first and in one order: two that lock so never wait for each other.
            found = _lock(db, [claim.hint for claim, _ in made] + [hint for hint, _ in wanted])
            now = self.app.shared_now(db)  # only then: a lease that began before a wait would end too early
            retries = self._record(db, made, found, now) if made else []
            claims = [self._claim(db, wish, found.get(wish[0]), now, retries) for wish in wanted]
            if begun := [_begun(claim, now) for claim in claims if claim]:
                db.execute(_BEGIN, begun)
        return claims, retries

    def due(self) -> Iterable[Hint]:
        """Where something should be under way and is not; what a wrong clock put off is among it."""
        with self.app.db.noting() as db:
            longest = {
                "retry_seconds": max(self.settings.retry_offsets, default=0),
                "lease_seconds": MOST_LEASE_SECONDS,
            }
            if bring_forward(db, deliveries, PENDING, self.app.shared_now(db), **longest):
                log.warning("deliveries were put off by a clock that was ahead: they are sent now")
        with self.app.db.reading(across="the sender looks for what is due to anybody") as db:
            found = db.execute(_DUE, times(self.app.shared_now(db)))
            return [*((row.tenant_id, row.endpoint_id) for row in found), *chores.left(db)]

    def go_on(self, tenant_id: str) -> list[Hint] | None:
        """Take the next step of a business's chores; what it made due, or None where nothing is left to do."""
        with self.app.db.noting() as db:
            return chores.go_on(db, tenant_id, self.app.shared_now(db))

    def _record(
        self, db: sa.Connection, made: Sequence[Made], found: dict[Hint, Row], now: Moment
    ) -> list[tuple[Hint, Moment]]:
        recorded = [_recorded(self.settings, *one, now) for one in made]
        retries: list[tuple[Hint, Moment]] = []
        db.execute(_FINISH, [_finished(*one, now) for one in made])
        db.execute(_RECORD, recorded)
        for claim, outcome in made:
            endpoint = found.get(claim.hint)
            if endpoint is not None and _note_health(db, self.settings, endpoint, outcome, now, retries):
                found |= _lock(db, [claim.hint])
        again = zip(made, recorded, strict=True)
        retries += [(claim.hint, values["due_at"]) for (claim, _), values in again if values["status"] == "pending"]
        return retries

    def _claim(
        self, db: sa.Connection, wish: Wish, endpoint: Row | None, now: Moment, retries: list[tuple[Hint, Moment]]
    ) -> Claim | None:
        """The claim itself, in a transaction that has locked the endpoint."""
        hint, slow = wish
        whose = {"of_tenant": hint[0], "of_endpoint": hint[1], **times(now)}
        if endpoint is None or not endpoint.enabled:
            if not chores.are_left(db, *hint):
                retries += _start(db, hint, "cancel" if endpoint is None else "hold", now)
            return None
        if endpoint.failing_since is not None and not slow:
            return None
        id, begun = new_id("att"), clock()
        until = now + timedelta(seconds=self.settings.lease_seconds)
        # Of a lease that ends by then no request is open any more: a dead process's keeps nobody from the endpoint.
        over = until - timedelta(seconds=self.settings.timeout_seconds + LEAST_MARGIN_SECONDS)
        lease = {"lease_token": id, "lease_until": until, "over": over}
        row = db.execute(_CLAIM, {**whose, **lease, "slow": slow}).first()
        if row is None:
            return None
        body = body_of(db, hint[0], row)
        if body is None:
            # Forgotten while this plugin was off: it alone knows what it needs.
            db.execute(_CANCEL_FORGOTTEN, whose)
            return self._claim(db, wish, endpoint, now, retries)
        headers = signing.headers_to(self.app.secrets, endpoint, row.webhook_id, body, now)
        return Claim(hint=hint, id=id, delivery=row, endpoint=endpoint, headers=headers, body=body, begun=begun)


def retry_at(settings: Settings, first_attempt_at: Moment, failures: int) -> Moment:
    """When to try again: so long after the first attempt, jitter taking up to a tenth of the step."""
    offset = settings.retry_offsets[failures]
    step = offset - (settings.retry_offsets[failures - 1] if failures else 0)
    jitter = random.random() * _JITTER * step  # noqa: S311 - no secret
    return Moment.of(first_attempt_at + timedelta(seconds=offset - jitter))


def clock() -> float:
    """Seconds that also count while the machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def _lock(db: sa.Connection, hints: Iterable[Hint]) -> dict[Hint, Row]:
    """The endpoints, locked. Pairs of ids would not find their index everywhere; an endpoint's is one tenant's only."""
    tenant_ids, endpoint_ids = ({hint[i] for hint in hints} for i in (0, 1))
    asked = {"tenant_ids": sorted(tenant_ids), "endpoint_ids": sorted(endpoint_ids)}
    return {(row.tenant_id, row.id): row for row in db.execute(_ENDPOINTS, asked)}


def _begun(claim: Claim, now: Moment) -> dict[str, Any]:
    """The attempt that a claim is about to make."""
    return {
        "tenant_id": claim.hint[0],
        "id": claim.id,
        "delivery_id": claim.delivery.id,
        "number": claim.delivery.attempts_made,
        "started_at": now,
        "url": claim.endpoint.url,
        "headers": claim.headers,
    }


def _finished(claim: Claim, outcome: Outcome, now: Moment) -> dict[str, Any]:
    """What the attempt becomes."""
    headers, body = outcome.response_headers, (outcome.response_body or "").encode()
    size = len(body) + sum(map(len, [*headers, *headers.values()]))
    attempt = {"of_tenant": claim.hint[0], "of_attempt": claim.id, "finished_at": now, "response_bytes": size}
    return attempt | structs.asdict(outcome)


def _recorded(settings: Settings, claim: Claim, outcome: Outcome, now: Moment) -> dict[str, Any]:
    """What the delivery becomes."""
    failures, became = claim.delivery.failures, {"status": "delivered", "finished_at": now, "due_at": now}
    if outcome.error is not None and failures >= len(settings.retry_offsets):
        became["status"] = "failed"
    elif outcome.error is not None:
        due_at = retry_at(settings, min(claim.delivery.first_attempt_at, now), failures)
        became = {"status": "pending", "finished_at": None, "due_at": due_at}
    return {
        "of_tenant": claim.hint[0],
        "of_id": claim.delivery.id,
        "token_held": claim.id,
        "failures": failures + (outcome.error is not None),
        "last_error": outcome.error,
        **became,
        **_UNLEASED,
    }


def _start(db: sa.Connection, hint: Hint, kind: str, now: Moment) -> list[tuple[Hint, Moment]]:
    """Begin a chore; returns the hint to go on with it, and when."""
    rest = chores.start(db, *hint, kind, now).rest
    return [] if rest is None else [((hint[0], CHORES), now)]


def _note_health(
    db: sa.Connection,
    settings: Settings,
    endpoint: Row,
    outcome: Outcome,
    now: Moment,
    retries: list[tuple[Hint, Moment]],
) -> bool:
    """Keep since when an endpoint fails, disable one that is gone or failed for days; whether that changed its row."""
    since = None if outcome.error is None else endpoint.failing_since or now
    too_long = since is not None and since <= now - timedelta(days=settings.disable_after_days)
    reason = "gone" if outcome.response_status == 410 else "failing" if too_long else None
    values: dict[str, Any] = {"failing_since": since} if since != endpoint.failing_since else {}
    if reason and endpoint.enabled:
        values |= {"enabled": False, "disabled_reason": reason, "version": endpoint.version + 1, "updated_at": now}
        retries += _start(db, (endpoint.tenant_id, endpoint.id), "hold", now)
        log.warning("%s is disabled: it %s", endpoint.id, "answered 410" if reason == "gone" else "failed for days")
    if values:
        mine = (_e.tenant_id == endpoint.tenant_id) & (_e.id == endpoint.id)
        db.execute(sa.update(endpoints).where(mine).values(values))
    return bool(values)


# The statements, built once: a worker spends its time in SQLAlchemy otherwise -----------------------------------------
# What an UPDATE is given by the name of a column, it sets.

_d, _e, _a, _l = deliveries.c, endpoints.c, attempts.c, events.events.c
_tenant: sa.BindParameter[str] = sa.bindparam("of_tenant")
_endpoint: sa.BindParameter[str] = sa.bindparam("of_endpoint")
_UNLEASED: dict[str, Any] = {"lease_until": None, "lease_token": None}
_TO_IT = (_d.tenant_id == _tenant) & (_d.endpoint_id == _endpoint) & (_d.status == "pending")
_ENDPOINTS = (
    sa.select(endpoints, tenants.c.environment)
    .join_from(endpoints, tenants, _e.tenant_id == tenants.c.id)
    .where(
        _e.tenant_id.in_(sa.bindparam("tenant_ids", expanding=True)),
        _e.id.in_(sa.bindparam("endpoint_ids", expanding=True)),
    )
    .order_by(_e.tenant_id, _e.id)
    .with_for_update(of=endpoints)
    .execution_options(billycan_across="the sender claims for several tenants in one transaction")
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
    _flying.c.lease_until.is_not(None),  # as the index has it
    _flying.c.lease_until > sa.bindparam("over", type_=_d.lease_until.type),
)
_CLAIM = (
    sa.update(deliveries)
    .where(
        _d.tenant_id == _tenant,
        _d.id == _next.scalar_subquery(),
        _in_flight.scalar_subquery() < MOST_IN_FLIGHT,
    )
    .values(first_attempt_at=sa.func.coalesce(_d.first_attempt_at, NOW), attempts_made=_d.attempts_made + 1)
    .returning(_d.id, _d.webhook_id, _d.own_body, _d.first_attempt_at, _d.failures, _d.attempts_made)
)
_CANCEL_FORGOTTEN = (
    sa.update(deliveries)
    .where(_TO_IT, _d.own_body.is_(None), ~sa.exists().where(_l.tenant_id == _d.tenant_id, _l.id == _d.webhook_id))
    .values(**_UNLEASED, status="cancelled", finished_at=NOW, last_error="event_expired")
)
_BEGIN = sa.insert(attempts)
_FINISH = sa.update(attempts).where(_a.tenant_id == _tenant, _a.id == sa.bindparam("of_attempt"))
_RECORD = sa.update(deliveries).where(
    _d.tenant_id == _tenant, _d.id == sa.bindparam("of_id"), _d.lease_token == sa.bindparam("token_held")
)
# SQLite would take the index in whose order these are, and read every delivery there ever was: of a text that is put
# together it knows no order, so it takes the one of what is due.
_DUE = sa.select((_d.tenant_id + "").label("tenant_id"), _d.endpoint_id).where(PENDING, FREE).distinct()
