"""Letters of the platform itself, such as invitations: written down in the caller's transaction, sent by the worker."""

import sqlalchemy as sa

from billycan import App, new_id
from billycan.fields import Moment

from .message import line
from .sealing import sealed
from .settings import Settings
from .tables import letters


def can_send(app: App) -> bool:
    """Whether letters reach anybody: whether the deployment has a mail server."""
    return app.settings_of(Settings).url is not None


def send(app: App, db: sa.Connection, *, to: str, subject: str, text: str) -> None:
    """Send a plain letter once the transaction of `db` is committed; nothing where the deployment has no mail server.

    Its text is encrypted until it is sent, and then gone.
    """
    if not can_send(app):
        return
    now: Moment = app.now()
    row = {"id": new_id("ltr"), "status": "queued", "due_at": now, "created_at": now, "failures": 0}
    db.execute(sa.insert(letters).values(**row, address=to, subject=line(subject), sealed=sealed(app, text)))
