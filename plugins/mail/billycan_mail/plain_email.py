"""Plain emails of the platform, called letters, such as invitations: queued in a transaction, sent by the worker."""

import sqlalchemy as sa

from billycan import App, new_id
from billycan.fields import Moment

from .encryption import encrypt_text
from .message import one_line
from .settings import Settings
from .tables import letters


def can_send(app: App) -> bool:
    """Tell whether the deployment has a mail server."""
    return app.settings_of(Settings).url is not None


def send(app: App, db: sa.Connection, *, to: str, subject: str, text: str) -> None:
    """Queue a plain email, to be sent once the transaction of `db` is committed. Do nothing without a mail server.

    Its text is encrypted until it is sent, and then deleted.
    """
    if not can_send(app):
        return
    now: Moment = app.now()
    row = {"id": new_id("ltr"), "status": "queued", "due_at": now, "created_at": now, "failures": 0}
    db.execute(sa.insert(letters).values(**row, address=to, subject=one_line(subject), sealed=encrypt_text(app, text)))
