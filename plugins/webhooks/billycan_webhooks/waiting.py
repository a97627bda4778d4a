"""Deliveries that wait for a retry while the business's own time passes faster than the real one."""

from datetime import datetime, timedelta

import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, own

from .deliveries import hint_at
from .tables import PENDING, deliveries

MOST_AT_ONCE = 1_000


class Passed(Struct):
    """The time that passed for a business: what is heard of `clock.advanced`."""

    advanced_from: datetime | None
    advanced_to: datetime | None


def let_time_pass(ctx: Context, passed: Passed) -> None:
    """Bring the next retries of deliveries forward by the time that passed since they were made.

    A delivery counts its retries from its first attempt, so that is brought forward with them: of several retries that
    would have been due by now, each is made at once when the one before it has failed. Beyond 1,000 deliveries, those
    whose retry is furthest ahead wait as before.
    """
    if passed.advanced_from is None or passed.advanced_to is None:
        return
    d = deliveries.c
    waiting = own(ctx, deliveries) & PENDING & d.first_attempt_at.is_not(None) & d.lease_until.is_(None)
    columns = (d.id, d.endpoint_id, d.created_at, d.first_attempt_at, d.due_at)
    found = sa.select(*columns).where(waiting).order_by(d.due_at).limit(MOST_AT_ONCE).with_for_update()
    rows = ctx.db.execute(found).all()
    whole = passed.advanced_to - passed.advanced_from
    by_id = [(row, min(whole, max(passed.advanced_to - row.created_at, timedelta()))) for row in rows]
    if by_id:
        this = own(ctx, deliveries) & (d.id == sa.bindparam("of_id"))
        moved = [
            {"of_id": row.id, "first_attempt_at": row.first_attempt_at - by, "due_at": row.due_at - by}
            for row, by in by_id
        ]
        ctx.db.execute(sa.update(deliveries).where(this), moved)
        hint_at(ctx, {row.endpoint_id for row in rows})
