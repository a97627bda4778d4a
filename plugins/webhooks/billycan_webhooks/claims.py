"""Who sends, and what came of it: a delivery is claimed, sent, and what came of it recorded.

The database is the only truth. Whoever sends holds a lease that it took by compare-and-set, and may record only while
its token is still the row's: a process that dies or sleeps too long is overtaken, and changes nothing when it wakes.
What the threads of a process have to write at the same time is one transaction.
"""

import logging
import os
import random
import secrets
import signal
import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from billycan.app import App
from billycan.db import Database
from billycan.fields import Moment
from billycan.ids import new_id
from billycan.records import Row
from billycan.tenants import tenants

from . import sender, signing
from .deliveries import hold
from .schemas import LEAST_MARGIN_SECONDS, Settings
from .tables import attempts, deliveries, endpoints
from .together import Together

log = logging.getLogger("billycan.webhooks")

MOST_IN_FLIGHT = 2
OVERLAP = timedelta(hours=24)
_JITTER = 0.1
_RECORD_EVERY_SECONDS = 0.5

# Tests of crashes kill the process here: FAIL_AT="claimed:3" at the third time it comes by.
_fail_at, _, _fail_after = os.environ.get("FAIL_AT", "").partition(":")
_passed = 0


def failpoint(name: str) -> None:
    """Where tests of crashes kill this process."""
    global _passed  # noqa: PLW0603 - a count for tests
    if name == _fail_at:
        _passed += 1
        if _passed >= int(_fail_after or 1):
            os.write(2, f"\nkilled at {name}\n".encode())
            os.kill(os.getpid(), signal.SIGKILL)


class Claim(Struct, frozen=True, kw_only=True):
    """The right to make one attempt, until the lease ends."""

    tenant_id: str
    id: str
    endpoint_id: str
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


class Note(Struct, frozen=True, kw_only=True):
    """What one thread has to write down of an endpoint: what came of its attempt, its next claim, or both."""

    tenant_id: str
    endpoint_id: str
    made: Claim | None = None
    outcome: sender.Outcome | None = None
    more: bool = True  # claim what is due to it next
    slow: bool = True  # even if that is likely to take long


class Desk:
    """Where the threads of a process make their claims, and record what came of them."""

    def __init__(self, app: App) -> None:
        self.app, self.settings = app, app.settings_of(Settings)
        self._together = Together(self._write)

    def claim(self, tenant_id: str, endpoint_id: str, *, slow: bool = True) -> Claim | None:
        """Lease the endpoint's next due delivery and note the attempt before anything is sent; None where none is due.

        Of an endpoint's deliveries no more than two are in flight, whoever sends them. Unless `slow`, what is likely
        to take long is left to others.
        """
        return self._together.ask(Note(tenant_id=tenant_id, endpoint_id=endpoint_id, slow=slow))

    def attempt(self, claim: Claim, *, slow: bool = True, more: bool = False) -> Claim | None:
        """Send what was claimed, with no transaction open, and record what came of it; with `more`, as `record`."""
        failpoint("claimed")
        if _clock() - claim.begun > LEAST_MARGIN_SECONDS:
            return None  # this process slept: by the time it ended, another might be sending
        if claim.headers:
            failpoint("sending")
            outcome = sender.send(
                claim.url,
                claim.headers,
                claim.body,
                timeout=self.settings.timeout_seconds,
                private=claim.private,
            )
        else:
            log.error(
                "%s cannot be signed: the secret it was made with is gone: rotate_secret makes one", claim.endpoint_id
            )
            outcome = sender.Outcome(error="signing_key")
        failpoint("sent")
        following = self.record(claim, outcome, slow=slow, more=more)
        failpoint("recorded")
        return following

    def record(self, claim: Claim, outcome: sender.Outcome, *, slow: bool = True, more: bool = False) -> Claim | None:
        """Write down what came of an attempt; one that lost its lease only writes down the attempt.

        With `more` it claims the endpoint's next delivery in the same transaction, as `claim` does. While the database
        is away it tries again, until the lease is over.
        """
        note = Note(
            tenant_id=claim.tenant_id, endpoint_id=claim.endpoint_id, made=claim, outcome=outcome, more=more, slow=slow
        )
        alone = False  # at first; then what holds it up must not hold up others
        while True:
            try:
                return self._write([note])[0] if alone else self._together.ask(note)
            except sa.exc.SQLAlchemyError as error:
                if _clock() - claim.begun > self.settings.lease_seconds:
                    why = type(error).__name__  # the rest quotes the statement
                    log.error("what came of %s could not be recorded, so it is sent again: %s", claim.id, why)
                    return None
                time.sleep(_RECORD_EVERY_SECONDS)
                alone = True

    def _write(self, notes: Sequence[Note]) -> list[Claim | None]:
        """One transaction for all the notes; answers the claims they asked for."""
        made = [(note.made, note.outcome) for note in notes if note.made and note.outcome]
        with self.app.db.noting() as db:
            # The endpoints' rows first and in one order: two that lock so never wait for each other.
            found = {(row.tenant_id, row.id): row for row in _find(db, notes)}
            now = self.app.now()  # only then: a lease that began before a wait would end too early
            if made:
                db.execute(_FINISH, [_finished(*each, now) for each in made])
                db.execute(_RECORD, [_recorded(self.settings, *each, now) for each in made])
                failpoint("recording")
            for claim, outcome in made:
                endpoint = found.get((claim.tenant_id, claim.endpoint_id))
                if endpoint is not None and _note_health(db, self.settings, endpoint, outcome, now):
                    found |= {(row.tenant_id, row.id): row for row in _find(db, [claim])}
            claims = [
                self._claim(db, note, found.get((note.tenant_id, note.endpoint_id)), now) if note.more else None
                for note in notes
            ]
            if begun := [_begun(claim) for claim in claims if claim]:
                db.execute(_BEGIN, begun)
        return claims

    def _claim(self, db: sa.Connection, note: Note, endpoint: Row | None, now: Moment) -> Claim | None:
        """The claim itself, in a transaction that has locked the endpoint."""
        settings, whose = self.settings, {"of_tenant": note.tenant_id, "of_endpoint": note.endpoint_id}
        if endpoint is None or not endpoint.enabled:
            gone = {"status": "cancelled", "finished_at": now} if endpoint is None else {"status": "held"}
            left = sa.update(deliveries).where(_TO_IT, _FREE).values(lease_until=None, lease_token=None, **gone)
            db.execute(left, {**whose, "now": now})
            return None
        failing = endpoint.failing_since is not None
        if failing and not note.slow:
            return None
        begun, token = _clock(), secrets.token_hex(8)
        # Whoever claimed longer ago than that has no request open any more, alive or dead.
        longest = timedelta(seconds=settings.lease_seconds - settings.timeout_seconds - LEAST_MARGIN_SECONDS)
        leased = {
            **whose,
            "now": now,
            "longest": now + longest,
            "until": now + timedelta(seconds=settings.lease_seconds),
            "token": token,
            "slow": note.slow,
        }
        row = db.execute(_CLAIM, leased).first()
        if row is None:
            return None
        if row.attempts_made > 1:
            db.execute(_INTERRUPTED, {"of_tenant": note.tenant_id, "of_id": row.id})
        try:
            live = live_secrets(self.app, endpoint, now)
            signed = signing.headers(row.webhook_id, int(now.timestamp()), row.body, live)
            headers = {**signing.common_headers(endpoint.environment), **signed}
        except signing.KeyGone:
            headers = {}
        return Claim(
            tenant_id=note.tenant_id,
            id=row.id,
            endpoint_id=note.endpoint_id,
            attempt_id=new_id("att"),
            number=row.attempts_made,
            token=token,
            webhook_id=row.webhook_id,
            url=endpoint.url,
            headers=headers,
            body=bytes(row.body),
            private=settings.allows_private(endpoint.environment),
            slow=failing or row.failures > 0,
            claimed_at=now,
            first_attempt_at=row.first_attempt_at,
            failures=row.failures,
            begun=begun,
        )


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


def due(database: Database, now: Moment) -> dict[tuple[str, str], int]:
    """How many deliveries should be under way and are not, by tenant and endpoint."""
    with database.reading() as db:
        return {(row.tenant_id, row.endpoint_id): row.waiting for row in db.execute(_DUE, {"now": now})}


def waiting(db: sa.Connection, now: Moment) -> dict[str, float]:
    """How many deliveries are not finished, by why: `due`, `in_flight`, `retry`, or `held` for a disabled endpoint."""
    row = db.execute(_WAITING, {"now": now}).one()
    held = db.execute(_HELD).scalar_one()
    return {"due": row.due, "in_flight": row.in_flight, "retry": row.pending - row.due - row.in_flight, "held": held}


def oldest_due(db: sa.Connection, now: Moment) -> dict[str, float]:
    """For how long the first of those that could go has waited, in seconds; 0 where none does."""
    first = db.execute(_OLDEST, {"now": now}).scalar()
    return {"": max((now - first).total_seconds(), 0) if first else 0}


def _clock() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def _find(db: sa.Connection, whose: Sequence[Note | Claim]) -> Sequence[Row]:
    """The endpoints, locked. Pairs of ids would not find their index everywhere; an endpoint's is one tenant's only."""
    tenant_ids, endpoint_ids = {it.tenant_id for it in whose}, {it.endpoint_id for it in whose}
    return db.execute(_ENDPOINTS, {"tenant_ids": list(tenant_ids), "endpoint_ids": list(endpoint_ids)}).all()


def _begun(claim: Claim) -> dict[str, Any]:
    """The attempt that a claim is about to make."""
    return {
        "tenant_id": claim.tenant_id,
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
        "of_tenant": claim.tenant_id,
        "of_attempt": claim.attempt_id,
        "finished_at": now,
        "error": outcome.error,
        "response_status": outcome.status,
        "response_headers": outcome.headers,
        "response_body": outcome.body,
        "duration_ms": outcome.duration_ms,
    }


def _recorded(settings: Settings, claim: Claim, outcome: sender.Outcome, now: Moment) -> dict[str, Any]:
    """What the delivery becomes."""
    values = {
        "of_tenant": claim.tenant_id,
        "of_id": claim.id,
        "token_held": claim.token,
        "status": "delivered",
        "finished_at": now,
        "failures": claim.failures,
        "due_at": now,
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
    .returning(_d.id, _d.webhook_id, _d.body, _d.first_attempt_at, _d.failures, _d.attempts_made)
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
        "finished_at", "error", "response_status", "response_headers", "response_body", "duration_ms",
    )})
)  # fmt: skip
_RECORD = (
    sa.update(deliveries)
    .where(_d.tenant_id == _tenant, _d.id == sa.bindparam("of_id"), _d.lease_token == sa.bindparam("token_held"))
    .values(
        lease_until=None,
        lease_token=None,
        **{name: sa.bindparam(name) for name in ("status", "finished_at", "failures", "due_at")},
    )
)
_DUE = (
    sa.select(_d.tenant_id, _d.endpoint_id, sa.func.count().label("waiting"))
    .where(_d.status == "pending", _FREE)
    .group_by(_d.tenant_id, _d.endpoint_id)
)
_WAITING = sa.select(
    sa.func.count().label("pending"),
    sa.func.count().filter(_FREE).label("due"),
    sa.func.count().filter(_d.lease_until > _now).label("in_flight"),
).where(_d.status == "pending")
_HELD = (
    sa.select(sa.func.count())
    .select_from(endpoints)
    .join(deliveries, (_d.tenant_id == _e.tenant_id) & (_d.endpoint_id == _e.id))
    .where(_e.enabled.is_(False), _d.status == "held")
)
_OLDEST = sa.select(sa.func.min(_d.due_at)).where(_d.status == "pending", _FREE)
