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
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, Event
from billycan.app import App
from billycan.db import Database
from billycan.fields import Moment
from billycan.ids import new_id
from billycan.records import Row, json_list_has
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
            os.kill(os.getpid(), signal.SIGKILL)


# Made -----------------------------------------------------------------------------------------------------------------


def fan_out(ctx: Context, event: Event) -> list[str]:
    """Insert a delivery for each endpoint that wants the event, in the open transaction; returns those now due."""
    names = (event.name, event.name.partition(".")[0] + ".*", "*")
    body = encode({"event": event.name, "timestamp": event.created_at, "data": event.data})
    # One event and one endpoint have one delivery: its id is made of theirs.
    wanted = sa.select(
        endpoints.c.tenant_id,
        sa.literal("dlv_" + event.id.partition("_")[2]) + sa.func.substr(endpoints.c.id, 21, 10),
        endpoints.c.id,
        sa.literal(event.id),
        sa.literal(event.name),
        sa.case((endpoints.c.enabled, "pending"), else_="held"),
        sa.literal(body, sa.LargeBinary),
        sa.literal(event.created_at, deliveries.c.created_at.type),
        sa.literal(event.created_at, deliveries.c.due_at.type),
        sa.literal(0),
        sa.literal(0),
    ).where(endpoints.c.tenant_id == ctx.tenant_id, sa.or_(*(json_list_has(ctx, endpoints.c.events, n) for n in names)))
    columns = (
        "tenant_id", "id", "endpoint_id", "webhook_id", "event", "status", "body", "created_at", "due_at", "failures",
        "attempts_made",
    )  # fmt: skip
    made = sa.insert(deliveries).from_select(columns, wanted).returning(deliveries.c.id, deliveries.c.status)
    return [row.id for row in ctx.db.execute(made) if row.status == "pending"]


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
    first_attempt_at: Moment
    failures: int
    begun: float  # on the clock that also runs while the machine sleeps


# Statements are built once: a worker spends its time in SQLAlchemy otherwise.
_d, _e, _a = deliveries.c, endpoints.c, attempts.c
_other = deliveries.alias()
_now = sa.bindparam("now", type_=_d.due_at.type)
_tenant: sa.BindParameter[str] = sa.bindparam("of_tenant")
_id: sa.BindParameter[str] = sa.bindparam("of_id")
_endpoint: sa.BindParameter[str] = sa.bindparam("of_endpoint")
_FREE = (_d.due_at <= _now) & (_d.lease_until.is_(None) | (_d.lease_until <= _now))
_MINE = (_d.tenant_id == _tenant) & (_d.id == _id) & (_d.status == "pending")
_ITS_ENDPOINT = (_e.tenant_id == _tenant) & (_e.id == _endpoint)
_CANDIDATE = (
    sa.select(_d.endpoint_id, _d.failures, _e.failing_since)
    .join_from(deliveries, endpoints, (_d.tenant_id == _e.tenant_id) & (_d.endpoint_id == _e.id), isouter=True)
    .where(_MINE, _FREE)
)
_ENDPOINT = (
    sa.select(endpoints, tenants.c.environment)
    .join_from(endpoints, tenants, _e.tenant_id == tenants.c.id)
    .where(_ITS_ENDPOINT)
    .with_for_update(of=endpoints)
)
_IN_FLIGHT = (
    sa.select(sa.func.count())
    .where(
        _other.c.tenant_id == _tenant,
        _other.c.endpoint_id == _endpoint,
        _other.c.status == "pending",
        _other.c.lease_until > sa.bindparam("longest", type_=_d.due_at.type),
    )
    .scalar_subquery()
)
_CLAIM = (
    sa.update(deliveries)
    .where(_MINE, _FREE, _IN_FLIGHT < MOST_IN_FLIGHT)
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
    .where(_a.tenant_id == _tenant, _a.delivery_id == _id, _a.finished_at.is_(None), _a.error.is_(None))
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
    .where(_d.tenant_id == _tenant, _d.id == _id, _d.lease_token == sa.bindparam("token_held"))
    .values(
        lease_until=None,
        lease_token=None,
        **{name: sa.bindparam(name) for name in ("status", "finished_at", "failures", "due_at")},
    )
)
_WORKS_AGAIN = sa.update(endpoints).where(_ITS_ENDPOINT, _e.failing_since.is_not(None)).values(failing_since=None)
_NEXT = (
    sa.select(_d.id)
    .where(_d.tenant_id == _tenant, _d.endpoint_id == _endpoint, _d.status == "pending", _FREE)
    .order_by(_d.due_at)
    .limit(1)
)
_PLACE = sa.func.row_number().over(partition_by=(_d.tenant_id, _d.endpoint_id), order_by=_d.due_at)
_WAITING = (
    sa.select(_d.tenant_id, _d.id, _d.endpoint_id, _d.due_at, _PLACE.label("place"))
    .where(_d.status == "pending", _FREE)
    .subquery()
)
_DUE = (
    sa.select(_WAITING.c.tenant_id, _WAITING.c.id, _WAITING.c.endpoint_id)
    .where(_WAITING.c.place <= 2 * MOST_IN_FLIGHT)
    .order_by(_WAITING.c.due_at)
    .limit(500)
)


def candidate(app: App, tenant_id: str, id: str) -> Any:
    """A delivery that is due, with what its lane and its claim need to know; None where another was quicker."""
    with app.db.reading() as db:
        return db.execute(_CANDIDATE, {"of_tenant": tenant_id, "of_id": id, "now": app.now()}).first()


def is_slow(found: Row) -> bool:
    """Whether an attempt is likely to take long: a retry, or an endpoint that failed last time."""
    return bool(found.failures or found.failing_since)


def claim(app: App, tenant_id: str, id: str, endpoint_id: str) -> Claim | None:
    """Take the lease of a due delivery and note the attempt before anything is sent; None where it is not ours.

    The endpoint's row is locked meanwhile: of its deliveries no more than two are in flight, whoever sends them.
    """
    settings = app.plugin_settings[Settings]
    assert isinstance(settings, Settings)  # noqa: S101 - for the type checker
    begun = time.clock_gettime(time.CLOCK_BOOTTIME)
    now, token = app.now(), secrets.token_hex(8)
    # Whoever claimed longer ago than that has no request open any more, alive or dead.
    longest = timedelta(seconds=settings.lease_seconds - settings.timeout_seconds - LEAST_MARGIN_SECONDS)
    whose = {"of_tenant": tenant_id, "of_id": id, "of_endpoint": endpoint_id, "now": now}
    with app.db.noting() as db:
        endpoint = db.execute(_ENDPOINT, whose).first()
        if endpoint is None or not endpoint.enabled:
            gone = {"status": "cancelled", "finished_at": now} if endpoint is None else {"status": "held"}
            db.execute(
                sa.update(deliveries).where(_MINE, _FREE).values(lease_until=None, lease_token=None, **gone), whose
            )
            return None
        until = now + timedelta(seconds=settings.lease_seconds)
        row = db.execute(_CLAIM, {**whose, "longest": now + longest, "until": until, "token": token}).first()
        if row is None:
            return None
        try:
            secrets_ = live_secrets(app, endpoint, now)
            signed = signing.headers(row.webhook_id, int(now.timestamp()), row.body, secrets_)
        except signing.KeyGone:
            signed = {}
        claimed = Claim(
            tenant_id=tenant_id,
            id=id,
            endpoint_id=endpoint_id,
            attempt_id=new_id("att"),
            token=token,
            webhook_id=row.webhook_id,
            url=endpoint.url,
            headers={**signing.common_headers(endpoint.environment), **signed} if signed else {},
            body=bytes(row.body),
            private=settings.allows_private(endpoint.environment),
            first_attempt_at=row.first_attempt_at,
            failures=row.failures,
            begun=begun,
        )
        if row.attempts_made > 1:
            db.execute(_INTERRUPTED, whose)
        db.execute(
            _BEGIN,
            {
                "tenant_id": tenant_id,
                "id": claimed.attempt_id,
                "delivery_id": id,
                "number": row.attempts_made,
                "started_at": now,
                "url": claimed.url,
                "headers": claimed.headers,
            },
        )
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


# Sent and recorded ----------------------------------------------------------------------------------------------------


def attempt(app: App, claimed: Claim) -> None:
    """Send what was claimed, with no transaction open, and record what came of it."""
    settings = app.plugin_settings[Settings]
    assert isinstance(settings, Settings)  # noqa: S101 - for the type checker
    failpoint("claimed")
    if _seconds_since(claimed) > LEAST_MARGIN_SECONDS:
        return  # this process slept: by the time it ended, another might be sending
    if not claimed.headers:
        log.error(
            "%s cannot be signed: the secret it was made with is gone: rotate_secret makes one", claimed.endpoint_id
        )
        outcome = sender.Outcome(error="signing_key")
    else:
        failpoint("sending")
        outcome = sender.send(
            claimed.url, claimed.headers, claimed.body, timeout=settings.timeout_seconds, private=claimed.private
        )
    failpoint("sent")
    while True:
        try:
            record(app, settings, claimed, outcome)
        except sa.exc.SQLAlchemyError:
            if _seconds_since(claimed) > settings.lease_seconds:
                log.exception("what came of %s could not be recorded: it is sent again", claimed.id)
                return
            time.sleep(_RECORD_EVERY_SECONDS)
        else:
            failpoint("recorded")
            return


def _seconds_since(claimed: Claim) -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME) - claimed.begun


def record(app: App, settings: Settings, claimed: Claim, outcome: sender.Outcome) -> None:
    """Write down what came of an attempt, and what is next; one that lost its lease only writes down the attempt."""
    now = app.now()
    whose = {"of_tenant": claimed.tenant_id, "of_id": claimed.id, "of_endpoint": claimed.endpoint_id}
    with app.db.noting() as db:
        # The endpoint's row first, as in a claim: two that lock in one order never wait for each other.
        disabled = _note_health(db, settings, claimed, now, outcome)
        db.execute(
            _FINISH,
            {
                **whose,
                "of_attempt": claimed.attempt_id,
                "finished_at": now,
                "error": outcome.error,
                "response_status": outcome.status,
                "response_headers": outcome.headers,
                "response_body": outcome.body,
                "duration_ms": outcome.duration_ms,
            },
        )
        db.execute(_RECORD, {**whose, "token_held": claimed.token, **_next(settings, claimed, outcome, now)})
        failpoint("recording")
        if disabled:
            hold(db, claimed.tenant_id, claimed.endpoint_id)


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


def _note_health(db: sa.Connection, settings: Settings, claimed: Claim, now: Moment, outcome: sender.Outcome) -> bool:
    """Keep since when an endpoint fails; disable one that is gone or has failed for days, and say whether it was."""
    mine = (_e.tenant_id == claimed.tenant_id) & (_e.id == claimed.endpoint_id)
    if outcome.error is None:
        db.execute(_WORKS_AGAIN, {"of_tenant": claimed.tenant_id, "of_endpoint": claimed.endpoint_id})
        return False
    is_gone = outcome.status == 410
    db.execute(sa.update(endpoints).where(mine, _e.failing_since.is_(None)).values(failing_since=now))
    too_long = _e.failing_since <= now - timedelta(days=settings.disable_after_days)
    reason = "gone" if is_gone else "failing"
    disabled = db.execute(
        sa.update(endpoints)
        .where(mine, _e.enabled, sa.true() if is_gone else too_long)
        .values(enabled=False, disabled_reason=reason, version=_e.version + 1, updated_at=now)
    )
    if disabled.rowcount:
        log.warning("%s is disabled: it %s", claimed.endpoint_id, "answered 410" if is_gone else "failed for days")
    return bool(disabled.rowcount)


# Found again ----------------------------------------------------------------------------------------------------------


def next_due(app: App, tenant_id: str, endpoint_id: str) -> str | None:
    """The next delivery that waits for a place in an endpoint's flight."""
    with app.db.reading() as db:
        return db.execute(_NEXT, {"of_tenant": tenant_id, "of_endpoint": endpoint_id, "now": app.now()}).scalar()


def due(database: Database, now: Moment) -> list[tuple[str, str, str]]:
    """Deliveries that should be under way and are not: tenant, id and endpoint, the oldest few of each."""
    with database.reading() as db:
        return [(row.tenant_id, row.id, row.endpoint_id) for row in db.execute(_DUE, {"now": now})]
