"""Wrong passwords: each account, and each address, waits longer with every one."""

import math
from datetime import timedelta

import sqlalchemy as sa

from billycan import App
from billycan.sql import upsert

from .rules import wait
from .tables import attempts

_FORGOTTEN = timedelta(days=1)


def seconds_to_wait(app: App, *names: str) -> int:
    """How long until any of these may try again; 0 where all may."""
    with app.db.reading() as db:
        until = db.execute(sa.select(sa.func.max(attempts.c.until)).where(attempts.c.name.in_(names))).scalar()
    return max(0, math.ceil((until - app.now()).total_seconds())) if until else 0


def failed(app: App, *names: str) -> None:
    """Count a wrong password against each of these."""
    now = app.now()
    with app.db.writing() as db:
        db.execute(sa.delete(attempts).where(attempts.c.until < now - _FORGOTTEN))
        for name in sorted(names):
            row = upsert(attempts, db).values(name=name, failures=1, until=now)
            counted = row.on_conflict_do_update(
                index_elements=["name"], set_={"failures": attempts.c.failures + 1}
            ).returning(attempts.c.failures)
            failures = db.execute(counted).scalar_one()
            until = now + wait(failures, of_address=name.startswith("address:"))
            db.execute(sa.update(attempts).where(attempts.c.name == name).values(until=until))


def forgive(db: sa.Connection, name: str) -> None:
    """Begin anew after the right password."""
    db.execute(sa.delete(attempts).where(attempts.c.name == name))
