"""Apps' functions for other plugins: the names of connected apps, the people who connected them, and their end."""

from collections.abc import Iterable

import sqlalchemy as sa

from billycan import Context, own

from .connecting import app_name, end_connection, list_connected
from .tables import apps, connections

__all__ = ["describes_itself", "end_set_up", "names_of_apps", "set_up_by_people"]


def set_up_by_people(ctx: Context) -> list[tuple[str, str, list[str], str]]:
    """List the connected apps: the connection's id, the app's name, the scopes granted, and who consented last."""
    return [(row.id, app_name(row), row.scopes, row.user_id) for row in list_connected(ctx)]


def describes_itself(db: sa.Connection, tenant_id: str, connection_id: str) -> bool:
    """Tell whether the app of a connection describes itself, so that nobody here has looked at it."""
    this = (connections.c.tenant_id == tenant_id) & (connections.c.id == connection_id)
    of_app = sa.select(apps.c.address).join(connections, connections.c.app_id == apps.c.id)
    return db.execute(of_app.where(this)).scalar() is not None


def end_set_up(ctx: Context, id: str) -> None:
    """Disconnect an app, with its tokens and endpoints. Raise NotFound if it is gone."""
    end_connection(ctx, id)


def names_of_apps(ctx: Context, connection_ids: Iterable[str]) -> dict[str, str]:
    """Map the connections that exist to the names of their apps, in one query."""
    asked = sa.select(connections.c.id, apps.c.name, apps.c.published).join(apps, apps.c.id == connections.c.app_id)
    found = ctx.db.execute(asked.where(own(ctx, connections), connections.c.id.in_({*connection_ids})))
    return {row.id: app_name(row) for row in found}
