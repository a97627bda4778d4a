"""Deliveries that wait for a retry while the business's own time passes faster than the real one."""

from datetime import timedelta

import sqlalchemy as sa

from billycan import Context, own
from billycan.fields import Moment
from billycan.sql import Statement

from .deliveries import hint_at
from .tables import PENDING, deliveries

MOST_AT_ONCE = 1_000
_d = deliveries.c
_WAITING = PENDING & _d.first_attempt_at.is_not(None) & _d.lease_until.is_(None)
_ANY = Statement(sa.select(_d.id).where(_d.tenant_id == sa.bindparam("of_tenant"), _WAITING).limit(1))


def are_any_retries(ctx: Context) -> bool:
    """Tell whether any delivery waits for a retry."""
    return _ANY.first(ctx.db, {"of_tenant": ctx.tenant_id}) is not None


def bring_retries_forward(ctx: Context, since: Moment, until: Moment) -> None:
    """Bring the next retries of deliveries forward by the time that passed since they were made.

    A delivery counts its retries from its first attempt, so that is brought forward with them: of several retries that
    would have been due by now, each is made at once when the one before it has failed. Beyond 1,000 deliveries, those
    whose retry is furthest ahead wait as before.
    """
    columns = (_d.id, _d.endpoint_id, _d.created_at, _d.first_attempt_at, _d.due_at)
    found = sa.select(*columns).where(own(ctx, deliveries), _WAITING).order_by(_d.due_at).limit(MOST_AT_ONCE)
    rows = ctx.db.execute(found.with_for_update()).all()
    by_id = [(row, min(until - since, max(until - row.created_at, timedelta()))) for row in rows]
    if by_id:
        this = own(ctx, deliveries) & (_d.id == sa.bindparam("of_id"))
        moved = [
            {"of_id": row.id, "first_attempt_at": row.first_attempt_at - by, "due_at": row.due_at - by}
            for row, by in by_id
        ]
        ctx.db.execute(sa.update(deliveries).where(this), moved)
        real = ctx.app.now()
        hint_at(ctx, {row.endpoint_id for row, by in by_id if row.due_at - by <= real})
