"""The time of each sandbox with a clock: that it has one is known for a second, its time is read in each call."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

import sqlalchemy as sa

from billycan import App, Context, Row
from billycan.fields import Moment
from billycan.sql import Statement

from .tables import clocks

_OF_TENANT = sa.select(clocks).where(clocks.c.tenant_id == sa.bindparam("of_tenant"))
# A context that writes may read before its transaction, or after it, by a connection that cannot lock rows.
_READ = Statement(
    sqlite=_OF_TENANT.add_columns(sa.literal("on").label("is_read_only")),
    postgresql=_OF_TENANT.add_columns(sa.func.current_setting("transaction_read_only").label("is_read_only")),
)
# The clock moves after those that write, or before them, but nothing that they write becomes due unseen.
_HOLD = Statement(_OF_TENANT.with_for_update(read=True))
_LOCK = Statement(_OF_TENANT.with_for_update())
_known: "WeakKeyDictionary[App, Any]" = WeakKeyDictionary()


def find_time(ctx: Context, now: Moment) -> Moment | None:
    """Return the time of a sandbox when the real time is `now`; None if it has no clock."""
    known = _known.setdefault(ctx.app, ctx.app.recent())
    if not known.get(ctx.tenant_id, lambda: read_clock(ctx) is not None):
        return None
    row = read_clock(ctx)
    return None if row is None else time_of(row, now)


def read_clock(ctx: Context) -> Row | None:
    """Return the row of the business's clock; in a write it moves no more until the end of the transaction."""
    of_tenant = {"of_tenant": ctx.tenant_id}
    with _open_connection(ctx) as db:
        row = _READ.first(db, of_tenant)
        return _HOLD.first(db, of_tenant) if row and ctx.writes and row.is_read_only == "off" else row


def lock_clock(ctx: Context) -> Row | None:
    """Lock and return the row of the business's clock. Call it before anything asks the context for its time."""
    return _LOCK.first(ctx.db, {"of_tenant": ctx.tenant_id})


def forget_known(app: App, tenant_id: str) -> None:
    """Look up anew in this process whether a business has a clock."""
    _known.setdefault(app, app.recent()).forget(tenant_id)


def are_any_waits(ctx: Context) -> bool:
    """Tell whether a plugin has work of the business that waits by the real time; call it outside any transaction."""
    asking = Context(ctx.app, ctx.tenant_id, writes=False, now=ctx.now())
    with ctx.app.db.reading(ctx.tenant_id) as asking.db:
        return any(each.are_any(asking) for _, each in ctx.app.offered(Context.Waits))


def shorten_waits(ctx: Context, since: Moment, until: Moment) -> None:
    """Let what waits by the real time wait less, in the transaction that moves the clock."""
    for _, each in ctx.app.offered(Context.Waits):
        each.shorten(ctx, since, until)


def time_of(row: Row, now: Moment) -> Moment:
    """Return the time that a clock shows when the real time is `now`."""
    if row.until is not None:
        return Moment.of(row.at)
    return Moment.of(max(row.at, row.at + (now - row.since)))


@contextmanager
def _open_connection(ctx: Context) -> Iterator[sa.Connection]:
    """Give the open connection of a context, or one for reading if it has none yet."""
    if hasattr(ctx, "db"):
        yield ctx.db
    else:
        with ctx.app.db.reading(ctx.tenant_id) as db:
            yield db
