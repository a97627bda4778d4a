"""What the database decides: who sends a delivery, and what came of it.

It is the only truth. Whoever sends holds a lease that was taken by compare-and-set and committed with the attempt, and
may record only while its token is still the row's: a process that dies or sleeps too long is overtaken, and changes
nothing when it wakes.
"""

import logging
import random
import secrets
import time
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from billycan import App, Row, events, new_id
from billycan.fields import Moment
from billycan.sql import tenants

from . import sender, signing
from .deliveries import hold
from .settings import LEAST_MARGIN_SECONDS, Settings
from .tables import PENDING, attempts, deliveries, endpoints

log = logging.getLogger("billycan.webhooks")

MOST_IN_FLIGHT = 2
OVERLAP = timedelta(hours=24)
_JITTER = 0.1
Hint = tuple[str, str]  # a tenant's id and an endpoint's: something may be due there


class Claim(Struct, frozen=True, kw_only=True):
    """The right to make one attempt, until the lease ends."""

    hint: Hint
    id: str
    attempt_id: str
    number: int
    token: str
    webhook_id: str
    url: str
    headers: dict[str, str]
    body: bytes
    private: bool
    slow: bool  # a retry, or to an endpoint that failed last time: likely to take long
    claimed_at: Moment
    first_attempt_at: Moment
    failures: int
    begun: float  # on the clock that also runs while the machine sleeps


class Made(Struct, frozen=True, kw_only=True):
    """An attempt that was made."""

    claim: Claim
    outcome: sender.Outcome


class Wanted(Struct, frozen=True, kw_only=True):
    """A wish for an endpoint's next delivery, be it likely to take long or not."""

    hint: Hint
    slow: bool = True


class Desk:
    """Where claims are made, and where what came of them is recorded."""

    def __init__(self, app: App) -> None:
        self.app, self.settings = app, app.settings_of(Settings)

    def write(
        self, made: Sequence[Made], wanted: Sequence[Wanted]
    ) -> tuple[list[Claim | None], list[tuple[Hint, Moment]]]:
        """Record what was made and lease what is wanted, in one transaction.

        Returns a claim for each wish, None where nothing is due, and when to see to which endpoint again. Of an
        endpoint's deliveries no more than two are in flight, whoever sends them. An attempt that lost its lease is
        written down, and changes nothing else.
        """
        hints = [one.claim.hint for one in made] + [want.hint for want in wanted]
        with self.app.db.noting() as db:
            # The endpoints' rows first and in one order: two that lock so never wait for each other.
            found = _find(db, hints)
            now = self.app.now()  # only then: a lease that began before a wait would end too early
            retries = self._record(db, made, found, now) if made else []
            claims = [self._claim(db, want, found.get(want.hint), now) for want in wanted]
            if begun := [_begun(claim) for claim in claims if claim]:
                db.execute(_BEGIN, begun)
        return claims, retries

    def due(self) -> Iterable[Hint]:
        """Where something should be under way and is not."""
        with self.app.db.reading(across="the sender looks for what is due to anybody") as db:
            return [(row.tenant_id, row.endpoint_id) for row in db.execute(_DUE, {"now": self.app.now()})]

    def _record(
        self, db: sa.Connection, made: Sequence[Made], found: dict[Hint, Row], now: Moment
    ) -> list[tuple[Hint, Moment]]:
        recorded = [_recorded(self.settings, one.claim, one.outcome, now) for one in made]
        db.execute(_FINISH, [_finished(one.claim, one.outcome, now) for one in made])
        db.execute(_RECORD, recorded)
        for one in made:
            endpoint = found.get(one.claim.hint)
            if endpoint is not None and _note_health(db, self.settings, endpoint, one.outcome, now):
                found |= _find(db, [one.claim.hint])
        again = zip(made, recorded, strict=True)
        return [(one.claim.hint, values["due_at"]) for one, values in again if values["status"] == "pending"]

    def _claim(self, db: sa.Connection, want: Wanted, endpoint: Row | None, now: Moment) -> Claim | None:
        """The claim itself, in a transaction that has locked the endpoint."""
        tenant_id, endpoint_id = want.hint
        whose = {"of_tenant": tenant_id, "of_endpoint": endpoint_id, "now": now}
        if endpoint is None or not endpoint.enabled:
            gone = {"status": "cancelled", "finished_at": now} if endpoint is None else {"status": "held"}
            db.execute(sa.update(deliveries).where(_TO_IT, _FREE).values(_UNLEASED | gone), whose)
            return None
        failing = endpoint.failing_since is not None
        if failing and not want.slow:
            return None
        begun, token = clock(), secrets.token_hex(8)
        row = db.execute(_CLAIM, {**whose, **self._lease(now), "token": token, "slow": want.slow}).first()
        if row is None:
            return None
        if row.attempts_made > 1:
            db.execute(_INTERRUPTED, {"of_tenant": tenant_id, "of_id": row.id})
        body = row.own_body or _logged(db, tenant_id, row.webhook_id)
        if body is None:
            # Forgotten while this plugin was off: it alone knows what it needs.
            db.execute(_CANCEL_FORGOTTEN, {**whose, "gone": "event_expired"})
            return self._claim(db, want, endpoint, now)
        return Claim(
            hint=want.hint,
            id=row.id,
            attempt_id=new_id("att"),
            number=row.attempts_made,
            token=token,
            webhook_id=row.webhook_id,
            url=endpoint.url,
            headers=self._headers(endpoint, row.webhook_id, bytes(body), now),
            body=bytes(body),
            private=self.settings.allows_private(endpoint.environment),
            slow=failing or row.failures > 0,
            claimed_at=now,
            first_attempt_at=row.first_attempt_at,
            failures=row.failures,
            begun=begun,
        )

    def _lease(self, now: Moment) -> dict[str, Moment]:
        """Until when a lease lasts; whoever has one for longer than `longest` has no request open any more."""
        seconds = self.settings.lease_seconds
        longest = seconds - self.settings.timeout_seconds - LEAST_MARGIN_SECONDS
        until, past = now + timedelta(seconds=seconds), now + timedelta(seconds=longest)
        return {"until": Moment.of(until), "longest": Moment.of(past)}

    def _headers(self, endpoint: Row, webhook_id: str, body: bytes, now: Moment) -> dict[str, str]:
        """What is sent with a body; nothing where it cannot be signed."""
        try:
            live = live_secrets(self.app, endpoint, now)
        except signing.KeyGone:
            return {}
        signed = signing.headers(webhook_id, int(now.timestamp()), body, live)
        return {**signing.common_headers(endpoint.environment), **signed}


def live_secrets(app: App, endpoint: Row, now: Moment) -> list[bytes]:
    """The endpoint's secret, and for 24 hours after a rotation the one before it too."""
    whose = app.secrets, endpoint.tenant_id, endpoint.id
    live = [signing.secret(*whose, endpoint.secret_version, endpoint.secret_key)]
    if endpoint.secret_rotated_at and now < endpoint.secret_rotated_at + OVERLAP:
        try:
            live.append(signing.secret(*whose, endpoint.secret_version - 1, endpoint.previous_secret_key))
        except signing.KeyGone:
            log.warning("the previous secret of %s is gone with BILLYCAN_SECRET_PREVIOUS", endpoint.id)
    return live


def retry_at(settings: Settings, first_attempt_at: Moment, failures: int) -> Moment:
    """When to try again: so long after the first attempt, jitter taking up to a tenth of the step."""
    offset = settings.retry_offsets[failures]
    step = offset - (settings.retry_offsets[failures - 1] if failures else 0)
    jitter = random.random() * _JITTER * step  # noqa: S311 - no secret
    return Moment.of(first_attempt_at + timedelta(seconds=offset - jitter))


def clock() -> float:
    """Seconds that also count while the machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def _find(db: sa.Connection, hints: Iterable[Hint]) -> dict[Hint, Row]:
    """The endpoints, locked. Pairs of ids would not find their index everywhere; an endpoint's is one tenant's only."""
    tenant_ids, endpoint_ids = ({hint[i] for hint in hints} for i in (0, 1))
    asked = {"tenant_ids": sorted(tenant_ids), "endpoint_ids": sorted(endpoint_ids)}
    return {(row.tenant_id, row.id): row for row in db.execute(_ENDPOINTS, asked)}


def _logged(db: sa.Connection, tenant_id: str, event_id: str) -> bytes | None:
    """What is delivered of an event; None for one that the log has no longer."""
    row = db.execute(_LOGGED, {"of_tenant": tenant_id, "of_event": event_id}).first()
    return events.body_of(row) if row else None


def _begun(claim: Claim) -> dict[str, Any]:
    """The attempt that a claim is about to make."""
    return {
        "tenant_id": claim.hint[0],
        "id": claim.attempt_id,
        "delivery_id": claim.id,
        "number": claim.number,
        "started_at": claim.claimed_at,
        "url": claim.url,
        "headers": claim.headers,
    }


def _finished(claim: Claim, outcome: sender.Outcome, now: Moment) -> dict[str, Any]:
    """What the attempt becomes."""
    return {
        "of_tenant": claim.hint[0],
        "of_attempt": claim.attempt_id,
        "finished_at": now,
        "error": outcome.error,
        "response_status": outcome.status,
        "response_headers": outcome.headers,
        "response_body": outcome.body if outcome.status else None,
        "response_bytes": len(outcome.body.encode()) + sum(map(len, [*outcome.headers, *outcome.headers.values()])),
        "duration_ms": outcome.duration_ms,
    }


def _recorded(settings: Settings, claim: Claim, outcome: sender.Outcome, now: Moment) -> dict[str, Any]:
    """What the delivery becomes."""
    values = {
        "of_tenant": claim.hint[0],
        "of_id": claim.id,
        "token_held": claim.token,
        "status": "delivered",
        "finished_at": now,
        "failures": claim.failures,
        "due_at": now,
        "last_error": outcome.error,
    }
    if outcome.error is None:
        return values
    values["failures"] = claim.failures + 1
    if claim.failures >= len(settings.retry_offsets):
        return {**values, "status": "failed"}
    due_at = retry_at(settings, claim.first_attempt_at, claim.failures)
    return {**values, "status": "pending", "finished_at": None, "due_at": due_at}


def _note_health(db: sa.Connection, settings: Settings, endpoint: Row, outcome: sender.Outcome, now: Moment) -> bool:
    """Keep since when an endpoint fails, disable one that is gone or failed for days; whether that changed its row."""
    since = None if outcome.error is None else endpoint.failing_since or now
    is_gone = outcome.status == 410
    too_long = since is not None and since <= now - timedelta(days=settings.disable_after_days)
    values: dict[str, Any] = {"failing_since": since} if since != endpoint.failing_since else {}
    disabled = endpoint.enabled and (is_gone or too_long)
    if disabled:
        reason = "gone" if is_gone else "failing"
        values |= {"enabled": False, "disabled_reason": reason, "version": endpoint.version + 1, "updated_at": now}
    if values:
        mine = (_e.tenant_id == endpoint.tenant_id) & (_e.id == endpoint.id)
        db.execute(sa.update(endpoints).where(mine).values(values))
    if disabled:
        hold(db, endpoint.tenant_id, endpoint.id)
        log.warning("%s is disabled: it %s", endpoint.id, "answered 410" if is_gone else "failed for days")
    return bool(values)


# The statements, built once: a worker spends its time in SQLAlchemy otherwise -----------------------------------------

_d, _e, _a = deliveries.c, endpoints.c, attempts.c
_now = sa.bindparam("now", type_=_d.due_at.type)
_tenant: sa.BindParameter[str] = sa.bindparam("of_tenant")
_endpoint: sa.BindParameter[str] = sa.bindparam("of_endpoint")
_UNLEASED: dict[str, Any] = {"lease_until": None, "lease_token": None}
_TO_IT = (_d.tenant_id == _tenant) & (_d.endpoint_id == _endpoint) & (_d.status == "pending")
_FREE = (_d.due_at <= _now) & (_d.lease_until.is_(None) | (_d.lease_until <= _now))
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
_l = events.events.c
# By itself: within RETURNING, SQLite would read the whole log for it.
_LOGGED: sa.Select[Any] = sa.select(_l.event, _l.created_at, _l.data).where(
    _l.tenant_id == _tenant, _l.id == sa.bindparam("of_event", type_=sa.Text)
)
_flying = deliveries.alias("flying")
_CLAIM = (
    sa.update(deliveries)
    .where(
        _d.tenant_id == _tenant,
        _d.id
        == sa.select(_d.id)
        .where(_TO_IT, _FREE, (_d.failures == 0) | sa.bindparam("slow", type_=sa.Boolean))
        .order_by(_d.due_at)
        .limit(1)
        .correlate(None)
        .scalar_subquery(),
        sa.select(sa.func.count())
        .where(
            _flying.c.tenant_id == _tenant,
            _flying.c.endpoint_id == _endpoint,
            _flying.c.lease_until.is_not(None),
            _flying.c.lease_until > sa.bindparam("longest", type_=_d.due_at.type),
        )
        .scalar_subquery()
        < MOST_IN_FLIGHT,
    )
    .values(
        lease_until=sa.bindparam("until"),
        lease_token=sa.bindparam("token"),
        first_attempt_at=sa.func.coalesce(_d.first_attempt_at, _now),
        attempts_made=_d.attempts_made + 1,
    )
    .returning(_d.id, _d.webhook_id, _d.own_body, _d.first_attempt_at, _d.failures, _d.attempts_made)
)
_CANCEL_FORGOTTEN = (
    sa.update(deliveries)
    .where(_TO_IT, _d.own_body.is_(None), ~sa.exists().where(_l.tenant_id == _d.tenant_id, _l.id == _d.webhook_id))
    .values(**_UNLEASED, status="cancelled", finished_at=_now, last_error=sa.bindparam("gone"))
)
_BEGIN = sa.insert(attempts)
_INTERRUPTED = (
    sa.update(attempts)
    .where(
        _a.tenant_id == _tenant,
        _a.delivery_id == sa.bindparam("of_id"),
        _a.finished_at.is_(None),
        _a.error.is_(None),
    )
    .values(error="interrupted")
)
_FINISH = (
    sa.update(attempts)
    .where(_a.tenant_id == _tenant, _a.id == sa.bindparam("of_attempt"))
    .values({name: sa.bindparam(name) for name in (
        "finished_at", "error", "response_status", "response_headers", "response_body", "response_bytes",
        "duration_ms",
    )})
)  # fmt: skip
_RECORD = (
    sa.update(deliveries)
    .where(_d.tenant_id == _tenant, _d.id == sa.bindparam("of_id"), _d.lease_token == sa.bindparam("token_held"))
    .values(
        **_UNLEASED,
        **{name: sa.bindparam(name) for name in ("status", "finished_at", "failures", "due_at", "last_error")},
    )
)
# SQLite would take the index in whose order these are, and read every delivery there ever was: of a text that is put
# together it knows no order, so it takes the one of what is due.
_DUE = sa.select((_d.tenant_id + "").label("tenant_id"), _d.endpoint_id).where(PENDING, _FREE).distinct()
