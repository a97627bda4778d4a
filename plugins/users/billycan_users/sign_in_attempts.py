"""Attempts at passwords and codes: each account, and each network address, waits longer with every wrong one."""

import math
from collections.abc import Mapping
from datetime import timedelta

import sqlalchemy as sa

from billycan import App, UTCDateTime
from billycan.fields import Moment
from billycan.sql import upsert

from .rules import letter_wait, password_wait
from .tables import attempts

_FORGOTTEN = timedelta(days=1)
_MOST_FORGOTTEN = 100  # with each attempt

Taken = Mapping[str, Moment]  # the names an attempt counts against, with the end of each wait if it is wrong


class Wait(Exception):
    """The next attempt must wait, for this many seconds."""

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds
        super().__init__(f"for {seconds} s")

    def __str__(self) -> str:
        return f"{self.seconds} seconds" if self.seconds < 90 else f"{round(self.seconds / 60)} minutes"


def count_attempt(app: App, *names: str) -> Taken:
    """Count an attempt as wrong against each name before it is checked. Raise Wait if one of them must wait.

    Attempts made at once get no more tries than attempts made in turn. If the attempt is right, call `clear_attempts`
    or `uncount_attempt` afterwards.
    """
    taken: dict[str, Moment] = {}
    with app.db.noting() as db:
        for name in sorted(names):  # in one order, so that no two wait for each other
            row = upsert(attempts, db).values(name=name, failures=0, until=app.now())
            # The upsert locks the row, and inserts it again if a right attempt has deleted it.
            same = {"failures": attempts.c.failures}
            db.execute(row.on_conflict_do_update(index_elements=["name"], set_=same))
        now = app.now()  # after the lock, so that earlier attempts have earlier times
        mine = sa.select(attempts).where(attempts.c.name.in_(names)).order_by(attempts.c.name)
        rows = db.execute(mine).all()
        waits = [row.until for row in rows if row.until <= now + 2 * _longest_wait(row.name)]
        if (until := max(waits, default=now)) > now:  # longer waits come from a wrong clock
            raise Wait(math.ceil((until - now).total_seconds()))
        for row in rows:
            failures = row.failures + 1
            taken[row.name] = Moment.of(now + _wait_of(row.name, failures))
            changed = sa.update(attempts).where(attempts.c.name == row.name)
            db.execute(changed.values(failures=failures, until=taken[row.name]))
        old = sa.select(attempts.c.name).where(attempts.c.until < now - _FORGOTTEN).limit(_MOST_FORGOTTEN)
        db.execute(sa.delete(attempts).where(attempts.c.name.in_(old.with_for_update(skip_locked=True))))
    return taken


def _longest_wait(name: str) -> timedelta:
    """Return the longest wait of a name of this kind."""
    return _wait_of(name, 1000)


def _wait_of(name: str, failures: int) -> timedelta:
    if name.startswith("letters:"):
        return letter_wait(failures)
    return password_wait(failures, of_address=name.startswith("address:"))


def uncount_attempt(db: sa.Connection, now: Moment, taken: Taken) -> None:
    """Take back an attempt that was not wrong. Other attempts stay counted."""
    for name in sorted(taken):
        until = sa.case((attempts.c.until == taken[name], sa.literal(now, UTCDateTime)), else_=attempts.c.until)
        this = (attempts.c.name == name) & (attempts.c.failures > 0)
        db.execute(sa.update(attempts).where(this).values(failures=attempts.c.failures - 1, until=until))


def clear_attempts(db: sa.Connection, now: Moment, taken: Taken) -> None:
    """Reset the count after a right attempt: an account's to zero, a network address's to its former value."""
    uncount_attempt(db, now, {name: until for name, until in taken.items() if name.startswith("address:")})
    of_accounts = [name for name in taken if not name.startswith("address:")]
    db.execute(sa.delete(attempts).where(attempts.c.name.in_(of_accounts)))
