"""Retention: limits on the age and size of stored deliveries and responses, and figures of what waits."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from billycan import App, Context, own
from billycan.fields import Moment
from billycan.sql import at_most, counters, events
from billycan.timed import Leases

from .settings import Settings
from .tables import FREE, HELD, OPEN, PENDING, attempts, chores, deliveries, endpoints

# For each business. Responses up to 1 KiB are not counted: they are about as large as their rows.
MOST_RESPONSE_BYTES = 64 * 1024 * 1024
_MOST_AT_ONCE = 500  # deliveries, each with its attempts


def check_days(app: App) -> None:
    """Raise ValueError if events are forgotten before their deliveries, which could then not be sent again."""
    settings = app.settings_of(Settings)
    least = settings.keep_days + -(-settings.retry_offsets[-1] // 86_400 if settings.retry_offsets else 0)
    if app.settings.events_days < least:
        raise ValueError(
            f"events_days must be at least {least}, for deliveries of {settings.keep_days} days (webhooks.keep_days)"
            " are sent again from the log of events"
        )


def needed_events() -> sa.Select[Any]:
    """Select the events of a business's deliveries that are not finished, or still to be inserted."""
    log, c = events.alias("needed"), chores.c
    its: Any = sa.bindparam("tenant_id")
    is_open = sa.exists().where(_d.tenant_id == its, _d.webhook_id == log.c.id, OPEN)
    place = log.c.sequence.between(c.first_sequence, c.last_sequence)
    is_owed = sa.exists().where(c.tenant_id == its, c.kind == "add", place)
    return sa.select(log.c.tenant_id, log.c.id).where(is_open | is_owed)


def tidy_deliveries(ctx: Context, tenant_id: str) -> bool:
    """Cancel deliveries that were held too long or are too many, and delete those that finished long enough ago.

    Works on one batch; returns True if there may be more.
    """
    settings, now = ctx.settings(Settings), ctx.now()
    held, too_old = own(ctx, deliveries) & HELD, now - timedelta(days=settings.hold_days)
    ids = [*ctx.db.execute(sa.select(_d.id).where(held, _d.created_at < too_old).limit(_MOST_AT_ONCE)).scalars()]
    for endpoint_id in [*ctx.db.execute(sa.select(_d.endpoint_id).where(held).distinct()).scalars()]:
        newest_first = (
            sa.select(_d.id).where(held, _d.endpoint_id == endpoint_id).order_by(_d.created_at.desc(), _d.id.desc())
        )
        beyond = newest_first.offset(settings.hold_most).limit(_MOST_AT_ONCE)
        ids += ctx.db.execute(beyond).scalars().all() if len(ids) < _MOST_AT_ONCE else []
    cancelled = {"status": "cancelled", "finished_at": now, "last_error": "held_too_long"}
    some = sorted({*ids})[:_MOST_AT_ONCE]
    ctx.db.execute(sa.update(deliveries).where(held, _d.id.in_(some)).values(cancelled))
    finished = _d.status.in_(["delivered", "failed", "cancelled"])
    old = own(ctx, deliveries) & finished & (_d.finished_at < now - timedelta(days=settings.keep_days))
    gone = ctx.db.execute(sa.delete(deliveries).where(at_most(_MOST_AT_ONCE, deliveries, old))).rowcount
    return _MOST_AT_ONCE in (len(some), gone)


def to_tidy(app: App, now: Moment) -> sa.Select[tuple[str, str]]:
    """Select the businesses that have held deliveries, or deliveries that finished long enough ago."""
    # One look-up for each business that ever had an endpoint: an index finds its first finished delivery, and any held.
    of, too_old = counters.c.tenant_id, now - timedelta(days=app.settings_of(Settings).keep_days)
    its = _d.tenant_id == of
    finished = sa.select(sa.func.min(_d.finished_at)).where(its).scalar_subquery() < too_old
    held = sa.select(_d.id).where(its, HELD).limit(1).scalar_subquery().is_not(None)
    return sa.select(of.label("tenant_id"), of.label("id")).where(counters.c.name == endpoints.name, finished | held)


def trim_answers(ctx: Context) -> bool:
    """Keep a business's newest responses up to a total size; of older ones, keep only the status.

    Works on one batch; returns True if there may be more.
    """
    size = sa.func.sum(_a.response_bytes).over(order_by=_a.id.desc())
    large = own(ctx, attempts) & _LARGE
    sizes = sa.select(_a.id, size.label("size")).where(large).subquery()
    beyond = sa.select(sizes.c.id).where(sizes.c.size > MOST_RESPONSE_BYTES).limit(_MOST_AT_ONCE)
    # Not a subquery of the UPDATE: PostgreSQL would add up the sizes again for each row, until it has statistics.
    ids = ctx.db.execute(beyond).scalars().all()
    emptied: dict[str, Any] = {"response_headers": {}, "response_body": None, "response_bytes": 0}
    return ctx.db.execute(sa.update(attempts).where(large, _a.id.in_(ids)).values(emptied)).rowcount == _MOST_AT_ONCE


def tenants_to_trim(db: sa.Connection, now: Moment) -> Iterable[str]:
    """List the tenants whose responses exceed the total size."""
    size = sa.func.sum(_a.response_bytes)
    found = sa.select(_a.tenant_id).where(_LARGE).group_by(_a.tenant_id).having(size > MOST_RESPONSE_BYTES)
    return db.execute(found).scalars()


def describe_retention(app: App) -> str:
    """Describe for `billycan doctor` how many deliveries are stored and held, and for how long."""
    settings = app.settings_of(Settings)
    asked = sa.select(sa.func.count(), sa.func.count(_d.endpoint_id.distinct()), sa.func.min(_d.created_at))
    stored = sa.select(sa.func.count(), sa.func.min(_d.created_at))
    with app.db.reading(across="doctor looks at the whole deployment") as db:
        count, endpoints, oldest = db.execute(asked.where(HELD)).one()
        pending, first_pending = db.execute(stored.where(PENDING)).one()
        finished, first_finished = db.execute(stored.where(_d.status.not_in(["pending", "held"]))).one()
    since = f", the oldest of {first_finished}" if finished else ""
    waits = f", the oldest since {first_pending}" if pending else ""
    kept = f"{finished:,} finished deliveries{since}, kept for {settings.keep_days} days; {pending:,} pending{waits}"
    bound = (
        f"held deliveries are kept for {settings.hold_days} days, the newest {settings.hold_most:,} of each endpoint"
    )
    if not count:
        return f"no disabled endpoint holds deliveries; {bound}; {kept}"
    held = f"{count:,} deliveries are held for {endpoints:,} disabled endpoints, the oldest since {oldest}"
    return f"{held}; {bound}; {kept}"


def count_waiting(db: sa.Connection, now: Moment) -> dict[str, float]:
    """Count the unfinished deliveries by state: `due`, `in_flight`, `retry`, or `held` for a disabled endpoint."""
    row = db.execute(_WAITING, Leases.times(now)).one()
    held = db.execute(_HELD).scalar_one()
    return {"due": row.due, "in_flight": row.in_flight, "retry": row.pending - row.due - row.in_flight, "held": held}


def oldest_due_seconds(db: sa.Connection, now: Moment) -> dict[str, float]:
    """Age in seconds of the oldest delivery that could be sent; 0 if none is waiting."""
    first = db.execute(_OLDEST, Leases.times(now)).scalar()
    return {"": max((now - first).total_seconds(), 0) if first else 0}


_d, _a = deliveries.c, attempts.c
_WAITING = sa.select(
    sa.func.count().label("pending"),
    sa.func.count().filter(FREE).label("due"),
    sa.func.count().filter(_d.lease_until > Leases.NOW).label("in_flight"),
).where(PENDING)
_HELD = sa.select(sa.func.count()).select_from(deliveries).where(HELD)
_OLDEST = sa.select(sa.func.min(_d.due_at)).where(PENDING, FREE)
_LARGE = _a.response_bytes > sa.literal_column("1024")  # the condition of the index
