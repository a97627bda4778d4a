"""Timed work of sandboxes with a clock, in turns: an advance from one due time to the next, and what a clock runs into.

Nothing is lost where a process is killed: the clock then stands at the time whose work is not yet all done, and what
was done is not due again.
"""

import time
from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Any
from weakref import WeakKeyDictionary

import sqlalchemy as sa
from msgspec import Struct

from billycan import App, Context, Row, own
from billycan.fields import Moment
from billycan.sql import Statement

from .handlers import show_clock
from .keeping import are_any_waits, forget_known, lock_clock, read_clock, shorten_waits, time_of
from .tables import clocks

LOOK_SECONDS = 60  # between two looks for the work of a clock that runs
TURN_SECONDS = 0.2
MOST_WALKS = 1_000  # that a process keeps; those of clocks that were deleted stay until there are so many
STRIDE = timedelta(days=28)  # the longest time without anything due that is looked through in one turn


class _Walk(Struct):
    """The place of this process in the work of a clock."""

    id: str
    at: Moment
    alone: Any
    steps: Iterator[None]


_walks: "WeakKeyDictionary[App, dict[str, _Walk]]" = WeakKeyDictionary()


def to_walk(db: sa.Connection, now: Moment) -> Iterable[str]:
    """Return the sandboxes whose clock advances, or that nobody has looked at for a minute."""
    c, minute = clocks.c, timedelta(seconds=LOOK_SECONDS)
    is_time = c.until.is_not(None) | (c.looked_at <= now - minute) | (c.looked_at > now + minute)  # by a wrong clock
    return db.execute(sa.select(c.tenant_id).where(is_time)).scalars()


def walk(ctx: Context) -> bool:
    """Do some of the work of a clock; return True if more is left. Call it outside any transaction."""
    forget_known(ctx.app, ctx.tenant_id)  # the clock may be of this very second
    walks = _walks.setdefault(ctx.app, {})
    row = read_clock(ctx)
    if row is None:
        walks.pop(ctx.tenant_id, None)
        return False
    return _run_clock(ctx, row) if row.until is None else _advance_clock(ctx, row, walks)


def _run_clock(ctx: Context, row: Row) -> bool:
    """Do what is due to a clock that runs."""
    over = time.monotonic() + TURN_SECONDS
    if _is_over(ctx.app.alone(ctx.tenant_id).work(time_of(row, ctx.now())), over):
        return True
    with ctx.app.db.writing(ctx.tenant_id) as db:
        db.execute(sa.update(clocks).where(own(ctx, clocks), clocks.c.id == row.id).values(looked_at=ctx.now()))
    return False


def _advance_clock(ctx: Context, row: Row, walks: dict[str, _Walk]) -> bool:
    """For one turn, do what is due at the time where the clock stands, and set it to the next time when anything is."""
    over = time.monotonic() + TURN_SECONDS
    here = walks.get(ctx.tenant_id)
    if here is None or (here.id, here.at) != (row.id, row.at):
        if len(walks) >= MOST_WALKS:
            walks.clear()
        alone = here.alone if here and here.id == row.id else ctx.app.alone(ctx.tenant_id)
        here = walks[ctx.tenant_id] = _Walk(row.id, row.at, alone, alone.work(row.at))
    while not _is_over(here.steps, over):
        if here.at >= row.until:
            walks.pop(ctx.tenant_id)
            _end_advance(ctx, row)
            return False
        then = here.alone.next(here.at, Moment.of(min(row.until, here.at + STRIDE)))
        if not _move_clock(ctx, here, then):  # it was deleted, or another worker was first
            break
        here.at, here.steps = then, here.alone.work(then)
        if time.monotonic() >= over:
            break
    return True


def _move_clock(ctx: Context, here: _Walk, then: Moment) -> bool:
    """Set an advancing clock to a time, and shorten what waits by the real time; tell whether the clock was there."""
    moved = {"of_tenant": ctx.tenant_id, "of_id": here.id, "of_at": here.at, "at": then}
    if not are_any_waits(ctx):
        with ctx.app.db.noting() as db:  # a power cut may set it back, but not behind work that was done later
            return bool(_MOVE.all(db, moved))
    there = Context(ctx.app, ctx.tenant_id, now=then)
    with there.transaction():
        is_moved = bool(_MOVE.all(there.db, moved))
        if is_moved:
            shorten_waits(there, here.at, then)
    return is_moved


_MOVE = Statement(
    sa.update(clocks)
    .where(
        clocks.c.tenant_id == sa.bindparam("of_tenant"),
        clocks.c.id == sa.bindparam("of_id"),
        clocks.c.at == sa.bindparam("of_at"),
        clocks.c.until.is_not(None),
    )
    .returning(clocks.c.id)
)


def _end_advance(ctx: Context, row: Row) -> None:
    """Let the clock run on from where it came to, unless another worker or a request was first."""
    here = Context(ctx.app, ctx.tenant_id, now=row.until)
    with here.transaction():
        locked = lock_clock(here)
        if locked is None or (locked.id, locked.until) != (row.id, row.until):
            return
        values = {"since": ctx.app.now(), "until": None, "looked_at": ctx.now()}
        changed = sa.update(clocks).where(own(ctx, clocks)).values(**values).returning(clocks)
        here.emit("clock.advanced", show_clock(here, here.db.execute(changed).one()))


def _is_over(steps: Iterator[None], over: float) -> bool:
    """Take steps until there are no more; return True if the turn is over before that."""
    return any(time.monotonic() >= over for _ in steps)
