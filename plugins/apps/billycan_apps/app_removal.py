"""Removal of apps: ended in every business at once by the operator, or deleted."""

import sqlalchemy as sa

from billycan import App, Conflict, Context, NotFound

from . import app_records, connecting
from .tables import apps, codes, connections


def end_app(app: App, app_id: str) -> int:
    """End an app in every business that connected it, and return their number. No other business can connect it then.

    All tokens end first, in one transaction. The rest, one business at a time, may be repeated. The app stays
    registered, and its own business can connect it again. Raises NotFound if there is no such app.
    """
    of_app = (
        sa.select(connections.c.tenant_id, connections.c.id)
        .where(connections.c.app_id == app_id)
        .order_by(connections.c.tenant_id)
    )
    given = sa.exists().where(
        connections.c.tenant_id == codes.c.tenant_id,
        connections.c.id == codes.c.connection_id,
        connections.c.app_id == app_id,
    )
    with app.db.writing(across="an app ends in every business that connected it") as db:
        app_records.withdraw_app(db, app_id)
        db.execute(sa.delete(codes).where(given))  # with their tokens
        found = db.execute(of_app).all()
    app.epoch.bump()
    return sum(_was_disconnected(app, row.tenant_id, row.id) for row in found)


def delete_app(app: App, app_id: str) -> None:
    """End an app everywhere and delete it. Raise NotFound if there is no such app."""
    end_app(app, app_id)
    try:
        with app.db.writing() as db:
            db.execute(sa.delete(apps).where(apps.c.id == app_id))
    except sa.exc.IntegrityError:
        raise Conflict("Somebody connected the app at this moment: try again.") from None


def _was_disconnected(app: App, tenant_id: str, connection_id: str) -> bool:
    ctx = Context(app, tenant_id)
    try:
        with ctx.transaction():
            connecting.end_connection(ctx, connection_id)
    except NotFound:
        return False  # the business has disconnected it
    return True
