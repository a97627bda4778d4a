"""Handlers of the clock: one function for each route."""

from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from billycan import Conflict, Context, Deleted, Forbidden, Invalid, NotFound, Row, new_id, own
from billycan.fields import Moment

from .keeping import forget_known, lock_clock, read_clock, shorten_waits, time_of
from .schemas import Advance, Clock, NewClock
from .tables import clocks

MOST_AHEAD = timedelta(days=731)
_STEP = timedelta(minutes=1)


def get_clock(ctx: Context) -> Clock:
    """The sandbox's clock, and how far an advance has come.

    Refused with `resource_not_found` if it has none: its time is the real time. A live business has no clock
    (`sandbox_only`).
    """
    _check_sandbox(ctx)
    return show_clock(ctx, _require_clock(read_clock(ctx)))


def set_clock(ctx: Context, body: NewClock) -> Clock:
    """Set a clock for the sandbox: from now on its time is `now`, and runs on from there.

    The time between is left out, as if nobody had looked meanwhile: to live through it, set the clock to the real time
    and advance it. Refused with `clock_is_set` if there is a clock, and with `sandbox_only` for a live business. Emits
    `clock.advanced` if it is ahead of the real time.
    """
    _check_sandbox(ctx)
    real = ctx.app.now()
    at = real if body.now is None else Moment.of(body.now)
    if at < real - timedelta(minutes=1):
        raise Invalid.member("now", "out_of_range", f"must not be before the present time, {real}")
    at = Moment.of(max(at, real))
    _check_ahead("now", at, real)
    new: dict[str, Any] = {"tenant_id": ctx.tenant_id, "id": new_id("clk"), "at": at, "since": real, "until": None}
    ahead = {"advanced_from": real, "advanced_to": at} if at > real else {"advanced_from": None, "advanced_to": None}
    if lock_clock(ctx) is not None:
        raise Conflict("The sandbox has a clock: advance it, or delete it first.", code="clock_is_set")
    ctx.db.execute(sa.insert(clocks).values(**new, **ahead, looked_at=real, created_at=real))
    forget_known(ctx.app, ctx.tenant_id)
    ctx.outdates = True
    clock = show_clock(ctx, _require_clock(read_clock(ctx)))
    if at > real:
        shorten_waits(ctx, real, at)
        ctx.emit("clock.advanced", clock)
    return clock


def advance_clock(ctx: Context, body: Advance) -> Clock:
    """Let the sandbox live up to a time: all that becomes due until then is done, in order and each at its own time.

    It goes on after the answer: follow `progress`, or wait for `clock.advanced`. Other requests are answered meanwhile,
    at the time that the clock has reached. Refused with `clock_advancing` while another advance is under way, with
    `resource_not_found` without a clock, and with `sandbox_only` for a live business.
    """
    _check_sandbox(ctx)
    row, real = _require_clock(lock_clock(ctx)), ctx.app.now()
    _check_at_rest(row)
    now, to = time_of(row, real), Moment.of(body.to)
    if to <= now:
        raise Invalid.member("to", "out_of_range", f"must be after the clock's time, {now}: it only goes forward")
    _check_ahead("to", to, real)
    values = {"at": now, "until": to, "advanced_from": now, "advanced_to": to}
    changed = sa.update(clocks).where(own(ctx, clocks)).values(**values).returning(clocks)
    return show_clock(ctx, ctx.db.execute(changed).one())


def step_ahead(ctx: Context) -> Clock:
    """Set the clock a minute ahead; without a clock, set one. It makes `clock.advanced` happen as often as wanted."""
    row, real = lock_clock(ctx), ctx.app.now()
    if row is None:
        return set_clock(ctx, NewClock(now=Moment.of(real + _STEP)))
    _check_at_rest(row)
    now = time_of(row, real)
    to = Moment.of(now + _STEP)
    _check_ahead("to", to, real)
    values = {"at": to, "since": real, "advanced_from": now, "advanced_to": to}
    changed = sa.update(clocks).where(own(ctx, clocks)).values(**values).returning(clocks)
    clock = show_clock(ctx, ctx.db.execute(changed).one())
    shorten_waits(ctx, now, to)
    ctx.emit("clock.advanced", clock)
    return clock


def delete_clock(ctx: Context) -> Deleted:
    """Delete the sandbox's clock: its time is the real time again. An advance that is under way ends where it is.

    Records keep the times that they have, also those that are still to come. Refused with `resource_not_found` without
    a clock, and with `sandbox_only` for a live business.
    """
    _check_sandbox(ctx)
    row = _require_clock(lock_clock(ctx))
    ctx.db.execute(sa.delete(clocks).where(own(ctx, clocks)))
    ctx.outdates = True
    return Deleted(row.id)


def show_clock(ctx: Context, row: Row) -> Clock:
    """Show a clock as it is now."""
    now = time_of(row, ctx.app.now())
    progress = 100
    if row.until is not None and row.until > row.advanced_from:
        progress = min(99, int(100 * ((row.at - row.advanced_from) / (row.until - row.advanced_from))))
    return Clock(
        id=row.id,
        now=now,
        done=row.until is None,
        progress=progress,
        advanced_from=row.advanced_from,
        advanced_to=row.advanced_to,
        created_at=row.created_at,
    )


def _require_clock(row: Row | None) -> Row:
    if row is None:
        message = "The sandbox has no clock, so its time is the real time: set one with POST /v1/clock."
        raise NotFound(message)
    return row


def _check_at_rest(row: Row) -> None:
    if row.until is not None:
        message = f"The clock is advancing to {row.until}: wait until that is done, or delete the clock."
        raise Conflict(message, code="clock_advancing")


def _check_sandbox(ctx: Context) -> None:
    # The profile is not asked: it would ask for today, and so for the time before the clock is set.
    if ctx.identity is None or ctx.identity.environment != "sandbox":
        message = "Only a sandbox has a clock, and this business is live: use a key that begins with svc_test_."
        raise Forbidden(message, code="sandbox_only")


def _check_ahead(param: str, time: Moment, real: Moment) -> None:
    if time > real + MOST_AHEAD:
        most = Moment.of(real + MOST_AHEAD)
        raise Invalid.member(param, "out_of_range", f"must be at most two years ahead of the real time: until {most}")
