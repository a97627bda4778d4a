"""Messages that do not move, for the operator's console, and what can be done about them there."""

from collections.abc import Sequence
from datetime import timedelta

import sqlalchemy as sa

from billycan import App, Manifest

from .retention import count_waiting
from .settings import Settings
from .tables import emails, is_open, letters

LATE = timedelta(seconds=300)
_ACROSS = "the operator sees what does not move of anybody's"


def count_messages(app: App) -> dict[str, float]:
    """Count the unfinished messages by kind."""
    with app.db.reading(across=_ACROSS) as db:
        return count_waiting(db, app.shared_now(db))


def list_stuck(app: App, most: int) -> Sequence[Manifest.Queue.Stuck]:
    """List messages that failed before or that no worker has taken, those due first: letters, then emails."""
    no_server = "" if app.settings_of(Settings).url else "; mail.url is not set"
    found = []
    with app.db.reading(across=_ACROSS) as db:
        late = app.shared_now(db) - LATE
        for kind, table in (("letter of the platform", letters), ("email", emails)):
            c = table.c
            whose = c.tenant_id if table is emails else sa.literal("").label("tenant_id")
            waits = (c.failures > 0) | (c.due_at <= late)
            columns = (whose, c.id, c.failures, c.last_error, c.due_at)
            rows = db.execute(sa.select(*columns).where(is_open(table), waits).order_by(c.due_at).limit(most))
            found += [(kind, row) for row in rows]
    return [
        Manifest.Queue.Stuck(
            tenant_id=row.tenant_id,
            id=row.id,
            what=kind,
            why=f"failed {row.failures} time{'s' * (row.failures > 1)}, the last with {row.last_error}"
            if row.failures
            else f"no worker has taken it{no_server}",
            due_at=row.due_at,
            actions=("try_now",),
        )
        for kind, row in found[:most]
    ]


def try_now(app: App, tenant_id: str, id: str) -> None:
    """Make a message due, unless it is being sent."""
    table = emails if tenant_id else letters
    with app.db.writing(tenant_id) as db:
        now = app.shared_now(db)
        this = [table.c.id == id, is_open(table), table.c.lease_until.is_(None) | (table.c.lease_until <= now)]
        if tenant_id:
            this.append(emails.c.tenant_id == tenant_id)
        db.execute(sa.update(table).where(*this).values(due_at=now))


QUEUE = Manifest.Queue(title="Mail", count=count_messages, list_stuck=list_stuck, actions={"try_now": try_now})
