"""Work that is due at a time and leased by a worker, robust against wrong clocks of the hosts that wrote the times.

A host whose clock is ahead, briefly or for good, writes times that are further ahead than intended. New work is due
even if its time is a little ahead, and work that a wrong clock put off is brought forward.
"""

from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from .db import UTCDateTime
from .fields import Moment

__all__ = ["AHEAD_SECONDS", "NOW", "bring_forward", "is_free", "times"]

AHEAD_SECONDS = 5.0  # by which the clocks of hosts may differ
NOW: sa.BindParameter[Any] = sa.bindparam("now", type_=UTCDateTime())
_SOON: sa.BindParameter[Any] = sa.bindparam("soon", type_=UTCDateTime())


def times(now: Moment) -> dict[str, Moment]:
    """Return the parameters of a statement with `is_free`; NOW is one of them."""
    return {NOW.key: now, _SOON.key: Moment.of(now + timedelta(seconds=AHEAD_SECONDS))}


def is_free(table: sa.Table) -> sa.ColumnElement[bool]:
    """Match rows whose `due_at` has come and that nobody leases; a row without `first_attempt_at` is new.

    The statement needs the parameters of `times`.
    """
    c = table.c
    due = (c.due_at <= _SOON) & ((c.due_at <= NOW) | c.first_attempt_at.is_(None))  # the former by an index
    return due & (c.lease_until.is_(None) | (c.lease_until <= NOW))


def bring_forward(
    db: sa.Connection,
    table: sa.Table,
    is_open: sa.ColumnElement[bool],
    now: Moment,
    *,
    retry_seconds: float,
    lease_seconds: float,
) -> bool:
    """Make work due, and end its lease, if a wrong clock put it off; return whether there was any.

    It acts on the open rows of all tenants. A retry is at most `retry_seconds` ahead, and a lease `lease_seconds`.
    """
    c, far = table.c, timedelta(seconds=AHEAD_SECONDS)
    late = c.first_attempt_at.is_(None) | (c.due_at > Moment.of(now + timedelta(seconds=retry_seconds) + far))
    ahead = sa.update(table).where(is_open, c.due_at > Moment.of(now + far), late).values(due_at=now)
    held = c.lease_until.is_not(None) & (c.lease_until > Moment.of(now + timedelta(seconds=lease_seconds) + far))
    ended = sa.update(table).where(is_open, held).values(lease_until=now)
    counts = [db.execute(each, execution_options=_ACROSS).rowcount for each in (ahead, ended)]
    return any(counts)


_ACROSS = {"billycan_across": "what a wrong clock put off is anybody's"}
