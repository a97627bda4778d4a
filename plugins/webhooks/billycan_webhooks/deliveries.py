"""One delivery's way: made in the request's transaction, claimed, sent, recorded, and found again by the sweeper.

The database is the only truth. Whoever sends holds a lease that it took by compare-and-set, and may record only while
its token is still the row's: a process that dies or sleeps too long is overtaken, and changes nothing when it wakes.
"""

import logging
import os
import random
import secrets
import signal
import time
from collections.abc import Iterable
from datetime import timedelta
from functools import cache
from typing import Any

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy.dialects import postgresql

from billycan import Context, Event
from billycan.app import App
from billycan.db import Database
from billycan.fields import Moment
from billycan.ids import new_id
from billycan.records import Row
from billycan.tenants import tenants
from billycan.wire import encode

from . import sender, signing
from .schemas import LEAST_MARGIN_SECONDS, Settings
from .tables import attempts, deliveries, endpoints

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


# Made -----------------------------------------------------------------------------------------------------------------


def fan_out(ctx: Context, event: Event) -> list[str]:
    """Insert a delivery for each endpoint that wants the event, in the open transaction; returns the enabled ones."""
    made = {
        "of_tenant": ctx.tenant_id,
        "exactly": event.name,
        "kind": event.name.partition(".")[0] + ".*",
        "suffix": event.id.partition("_")[2],
        "event_id": event.id,
        "body": encode({"event": event.name, "timestamp": event.created_at, "data": event.data}),
        "now": event.created_at,
    }
    rows = ctx.db.execute(_fan_out(ctx.db.dialect.name), made)
    return [row.endpoint_id for row in rows if row.status == "pending"]


@cache
def _fan_out(dialect: str) -> sa.Insert:
    """The insertion of an event's deliveries, built once: each request that emits runs it."""
    named: list[Any] = [sa.bindparam("exactly"), sa.bindparam("kind"), sa.literal("*")]
    if dialect == "postgresql":
        wants: sa.ColumnElement[bool] = sa.func.jsonb_exists_any(_e.events, postgresql.array(named, type_=sa.Text()))
    else:
        item = sa.func.json_each(_e.events).table_valued("value")
        wants = sa.exists().where(item.c.value.in_(named))
    values = {
        "tenant_id": _e.tenant_id,
        # One event and one endpoint have one delivery: its id is made of theirs.
        "id": "dlv_" + sa.bindparam("suffix", type_=sa.Text) + sa.func.substr(_e.id, 21, 10),
        "endpoint_id": _e.id,
        "webhook_id": sa.bindparam("event_id", type_=sa.Text),
        "event": sa.bindparam("exactly", type_=sa.Text),
        "status": sa.case((_e.enabled, "pending"), else_="held"),
        "body": sa.bindparam("body", type_=sa.LargeBinary),
        "created_at": _now,
        "due_at": _now,
        "failures": sa.literal(0),
        "attempts_made": sa.literal(0),
    }
    wanted = sa.select(*values.values()).where(_e.tenant_id == _tenant, wants)
    return sa.insert(deliveries).from_select(list(values), wanted).returning(_d.endpoint_id, _d.status)


def add(ctx: Context, endpoint: Row, *, webhook_id: str, event: str, body: bytes, replay_of: str | None = None) -> str:
    """Insert one delivery by itself: a ping, or a replay; held where the endpoint is disabled."""
    id, now = new_id("dlv"), ctx.now()
    ctx.db.execute(
        sa.insert(deliveries).values(
            tenant_id=ctx.tenant_id,
            id=id,
            endpoint_id=endpoint.id,
            webhook_id=webhook_id or id,
            event=event,
            status="pending" if endpoint.enabled else "held",
            body=body,
            replay_of=replay_of,
            created_at=now,
            due_at=now,
            failures=0,
            attempts_made=0,
        )
    )
    return id


def hold(db: sa.Connection, tenant_id: str, endpoint_id: str) -> None:
    """Hold what an endpoint that was disabled still has to get."""
    _move_open(db, tenant_id, endpoint_id, ["pending"], status="held")


def cancel(ctx: Context, endpoint_id: str) -> None:
    """Cancel what an endpoint that is deleted will never get; the history stays."""
    _move_open(ctx.db, ctx.tenant_id, endpoint_id, ["pending", "held"], status="cancelled", finished_at=ctx.now())


def recover(ctx: Context, endpoint_id: str, since: Moment, until: Moment) -> int:
    """Send every failed or held delivery of a time again, each with all its attempts; returns how many."""
    again = sa.update(deliveries).where(
        deliveries.c.tenant_id == ctx.tenant_id,
        deliveries.c.endpoint_id == endpoint_id,
        deliveries.c.status.in_(["failed", "held"]),
        deliveries.c.created_at >= since,
        deliveries.c.created_at <= until,
    )
    values = {"status": "pending", "due_at": ctx.now(), "failures": 0, "first_attempt_at": None, "finished_at": None}
    return ctx.db.execute(again.values(values)).rowcount


def forget_finished(ctx: Context) -> None:
    """Delete deliveries that were finished longer ago than the deployment keeps them; held ones stay."""
    before = ctx.now() - timedelta(days=ctx.settings(Settings).keep_days)
    ctx.db.execute(sa.delete(deliveries).where(deliveries.c.tenant_id == ctx.tenant_id, *_finished_before(before)))


def with_finished(db: sa.Connection, now: Moment) -> Iterable[str]:
    """The tenants that have finished deliveries of yesterday or older."""
    return db.execute(
        sa.select(deliveries.c.tenant_id).where(*_finished_before(now - timedelta(days=1))).distinct()
    ).scalars()


def _finished_before(moment: Any) -> list[sa.ColumnElement[bool]]:
    return [deliveries.c.status.in_(["delivered", "failed", "cancelled"]), deliveries.c.finished_at < moment]


def _move_open(db: sa.Connection, tenant_id: str, endpoint_id: str, statuses: list[str], **values: Any) -> None:
    # One in flight is let finish: should it have to go again, its next claim finds how the endpoint is then.
    whose = (deliveries.c.tenant_id == tenant_id) & (deliveries.c.endpoint_id == endpoint_id)
    still = deliveries.c.status.in_(statuses) & deliveries.c.lease_until.is_(None)
    db.execute(sa.update(deliveries).where(whose, still).values(values))


# Claimed --------------------------------------------------------------------------------------------------------------


class Claim(Struct, frozen=True, kw_only=True):
    """The right to make one attempt, until the lease ends."""

    tenant_id: str
    id: str
    endpoint_id: str
    attempt_id: str
    token: str
    webhook_id: str
    url: str
    headers: dict[str, str]
    body: bytes
    private: bool
    slow: bool  # a retry, or to an endpoint that failed last time: likely to take long
    first_attempt_at: Moment
    failures: int
    begun: float  # on the clock that also runs while the machine sleeps


def claim(app: App, tenant_id: str, endpoint_id: str, *, slow: bool = True) -> Claim | None:
    """Lease the endpoint's next due delivery and note the attempt before anything is sent; None where there is none.

    The endpoint's row is locked meanwhile: of its deliveries no more than two are in flight, whoever sends them.
    Unless `slow`, what is likely to take long is left to others.
    """
    whose = {"of_tenant": tenant_id, "of_endpoint": endpoint_id}
    with app.db.noting() as db:
        endpoint = db.execute(_ENDPOINT, whose).first()
        if endpoint is not None and endpoint.enabled:
            return _claim(app, db, endpoint, slow=slow, failing=endpoint.failing_since is not None)
        gone = {"status": "cancelled", "finished_at": app.now()} if endpoint is None else {"status": "held"}
        left = sa.update(deliveries).where(_TO_IT, _FREE).values(lease_until=None, lease_token=None, **gone)
        db.execute(left, {**whose, "now": app.now()})
        return None


def _claim(app: App, db: sa.Connection, endpoint: Row, *, slow: bool, failing: bool) -> Claim | None:
    """The claim itself, in a transaction that has locked the endpoint."""
    if failing and not slow:
        return None
    settings, begun, now, token = app.settings_of(Settings), _clock(), app.now(), secrets.token_hex(8)
    # Whoever claimed longer ago than that has no request open any more, alive or dead.
    longest = timedelta(seconds=settings.lease_seconds - settings.timeout_seconds - LEAST_MARGIN_SECONDS)
    leased = {
        "of_tenant": endpoint.tenant_id,
        "of_endpoint": endpoint.id,
        "now": now,
        "longest": now + longest,
        "until": now + timedelta(seconds=settings.lease_seconds),
        "token": token,
        "slow": slow,
    }
    row = db.execute(_CLAIM, leased).first()
    if row is None:
        return None
    try:
        signed = signing.headers(row.webhook_id, int(now.timestamp()), row.body, live_secrets(app, endpoint, now))
    except signing.KeyGone:
        signed = {}
    claimed = Claim(
        tenant_id=row.tenant_id,
        id=row.id,
        endpoint_id=endpoint.id,
        attempt_id=new_id("att"),
        token=token,
        webhook_id=row.webhook_id,
        url=endpoint.url,
        headers={**signing.common_headers(endpoint.environment), **signed} if signed else {},
        body=bytes(row.body),
        private=settings.allows_private(endpoint.environment),
        slow=failing or row.failures > 0,
        first_attempt_at=row.first_attempt_at,
        failures=row.failures,
        begun=begun,
    )
    if row.attempts_made > 1:
        db.execute(_INTERRUPTED, {"of_tenant": row.tenant_id, "of_id": row.id})
    noted = {
        "tenant_id": row.tenant_id,
        "id": claimed.attempt_id,
        "delivery_id": row.id,
        "number": row.attempts_made,
        "started_at": now,
        "url": claimed.url,
        "headers": claimed.headers,
    }
    db.execute(_BEGIN, noted)
    return claimed


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


def _clock() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME)


# Sent and recorded ----------------------------------------------------------------------------------------------------


def attempt(app: App, claimed: Claim, *, slow: bool = True, more: bool = False) -> Claim | None:
    """Send what was claimed, with no transaction open, and record what came of it; with `more`, as `record`."""
    settings = app.settings_of(Settings)
    failpoint("claimed")
    if _clock() - claimed.begun > LEAST_MARGIN_SECONDS:
        return None  # this process slept: by the time it ended, another might be sending
    if claimed.headers:
        failpoint("sending")
        outcome = sender.send(
            claimed.url, claimed.headers, claimed.body, timeout=settings.timeout_seconds, private=claimed.private
        )
    else:
        log.error(
            "%s cannot be signed: the secret it was made with is gone: rotate_secret makes one", claimed.endpoint_id
        )
        outcome = sender.Outcome(error="signing_key")
    failpoint("sent")
    while True:
        try:
            following = record(app, claimed, outcome, slow=slow, more=more)
        except sa.exc.SQLAlchemyError as error:
            if _clock() - claimed.begun > settings.lease_seconds:
                why = type(error).__name__  # the rest quotes the statement
                log.error("what came of %s could not be recorded, so it is sent again: %s", claimed.id, why)
                return None
            time.sleep(_RECORD_EVERY_SECONDS)
        else:
            failpoint("recorded")
            return following


def record(app: App, claimed: Claim, outcome: sender.Outcome, *, slow: bool = True, more: bool = False) -> Claim | None:
    """Write down what came of an attempt; one that lost its lease only writes down the attempt.

    With `more` it claims the endpoint's next delivery in the same transaction, as `claim` does.
    """
    settings, now = app.settings_of(Settings), app.now()
    whose = {"of_tenant": claimed.tenant_id, "of_id": claimed.id, "of_endpoint": claimed.endpoint_id}
    with app.db.noting() as db:
        # The endpoint's row first, as in a claim: two that lock in one order never wait for each other.
        endpoint = db.execute(_ENDPOINT, whose).first()
        finished = {
            "of_tenant": claimed.tenant_id,
            "of_attempt": claimed.attempt_id,
            "finished_at": now,
            "error": outcome.error,
            "response_status": outcome.status,
            "response_headers": outcome.headers,
            "response_body": outcome.body,
            "duration_ms": outcome.duration_ms,
        }
        db.execute(_FINISH, finished)
        db.execute(_RECORD, {**whose, "token_held": claimed.token, **_next(settings, claimed, outcome, now)})
        failpoint("recording")
        if endpoint is None:
            return None
        enabled = _note_health(db, settings, endpoint, now, outcome)
        if not (more and enabled):
            return None
        return _claim(app, db, endpoint, slow=slow, failing=outcome.error is not None)


def _next(settings: Settings, claimed: Claim, outcome: sender.Outcome, now: Moment) -> dict[str, Any]:
    """What the delivery becomes."""
    values = {"status": "delivered", "finished_at": now, "failures": claimed.failures, "due_at": now}
    if outcome.error is None:
        return values
    values["failures"] = claimed.failures + 1
    if claimed.failures >= len(settings.retry_offsets):
        return {**values, "status": "failed"}
    due = retry_at(settings, claimed.first_attempt_at, claimed.failures)
    return {**values, "status": "pending", "finished_at": None, "due_at": due}


def retry_at(settings: Settings, first_attempt_at: Moment, failures: int) -> Moment:
    """When to try again: so long after the first attempt, jitter taking up to a tenth of the step."""
    offset = settings.retry_offsets[failures]
    step = offset - (settings.retry_offsets[failures - 1] if failures else 0)
    jitter = random.random() * _JITTER * step  # noqa: S311 - no secret
    return Moment.of(first_attempt_at + timedelta(seconds=offset - jitter))


def _note_health(db: sa.Connection, settings: Settings, endpoint: Row, now: Moment, outcome: sender.Outcome) -> bool:
    """Keep since when an endpoint fails, disable one that is gone or failed for days; whether it still is enabled."""
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
    return endpoint.enabled and not disabled


# Found again ----------------------------------------------------------------------------------------------------------


def due(database: Database, now: Moment) -> dict[tuple[str, str], int]:
    """How many deliveries should be under way and are not, by tenant and endpoint."""
    with database.reading() as db:
        return {(row.tenant_id, row.endpoint_id): row.waiting for row in db.execute(_DUE, {"now": now})}


# The statements, built once: a worker spends its time in SQLAlchemy otherwise -----------------------------------------

_d, _e, _a = deliveries.c, endpoints.c, attempts.c
_now = sa.bindparam("now", type_=_d.due_at.type)
_tenant: sa.BindParameter[str] = sa.bindparam("of_tenant")
_endpoint: sa.BindParameter[str] = sa.bindparam("of_endpoint")
_TO_IT = (_d.tenant_id == _tenant) & (_d.endpoint_id == _endpoint) & (_d.status == "pending")
_FREE = (_d.due_at <= _now) & (_d.lease_until.is_(None) | (_d.lease_until <= _now))
_ENDPOINT = (
    sa.select(endpoints, tenants.c.environment)
    .join_from(endpoints, tenants, _e.tenant_id == tenants.c.id)
    .where(_e.tenant_id == _tenant, _e.id == _endpoint)
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
            _flying.c.status == "pending",
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
    .returning(deliveries)
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
