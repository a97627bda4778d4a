"""Resets in turns: each step is a transaction that notes how far it came, so another worker goes on after a kill."""

import time
from collections.abc import Iterable

import sqlalchemy as sa

from billycan import Context, Row, own
from billycan.fields import Moment

from .handlers import show_reset
from .tables import resets

TURN_SECONDS = 0.3


def to_reset(db: sa.Connection, now: Moment) -> Iterable[str]:
    """Return the sandboxes that are being reset."""
    return db.execute(sa.select(resets.c.tenant_id).where(resets.c.done_at.is_(None))).scalars()


def reset(ctx: Context) -> bool:
    """Take steps of a reset for a while; return True if more is left. Call it outside any transaction."""
    over = time.monotonic() + TURN_SECONDS
    while more := _take_step(Context(ctx.app, ctx.tenant_id)):
        if time.monotonic() >= over:
            break
    return more


class _Again(Exception):
    """Records came in after all were removed."""


def _take_step(ctx: Context) -> bool:
    """Remove some rows, begin the numbers anew, or add the samples of a plugin; return True if more is left."""
    try:
        with ctx.transaction():
            mine = own(ctx, resets) & resets.c.done_at.is_(None)
            row = ctx.db.execute(sa.select(resets).where(mine).with_for_update()).one_or_none()
            return row is not None and (_remove_batch(ctx, row) if row.filled is None else _fill_plugin(ctx, row))
    except _Again:
        return True


def _remove_batch(ctx: Context, row: Row) -> bool:
    emptying = ctx.app.emptying(row.created_at)
    if removed := emptying.remove(ctx):
        return _note_progress(ctx, removed=row.removed + removed)
    if not emptying.finish(ctx):
        raise _Again
    ctx.outdates = True  # what is remembered of the clock and the profile
    return _note_progress(ctx, filled="")


def _fill_plugin(ctx: Context, row: Row) -> bool:
    samples = ctx.app.emptying(row.created_at).samples(ctx.app) if row.samples else {}
    names = [*samples]
    left = names[names.index(row.filled) + 1 :] if row.filled in names else names
    if left:
        samples[left[0]](ctx)
        return _note_progress(ctx, filled=left[0])
    done = sa.update(resets).where(own(ctx, resets)).values(done_at=ctx.app.now()).returning(resets)
    ctx.emit("sandbox.reset", show_reset(ctx.db.execute(done).one()))
    return False


def _note_progress(ctx: Context, **values: object) -> bool:
    ctx.db.execute(sa.update(resets).where(own(ctx, resets)).values(**values))
    return True
