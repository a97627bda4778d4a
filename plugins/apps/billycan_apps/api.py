"""What other plugins may use of apps: what each connection is called."""

from collections.abc import Iterable

import sqlalchemy as sa

from billycan import Context, own

from .connecting import name_of
from .tables import apps, connections

__all__ = ["names"]


def names(ctx: Context, connection_ids: Iterable[str]) -> dict[str, str]:
    """Map each connection that there is to the name of its app, in one query."""
    asked = sa.select(connections.c.id, apps.c.name, apps.c.published).join(apps, apps.c.id == connections.c.app_id)
    found = ctx.db.execute(asked.where(own(ctx, connections), connections.c.id.in_({*connection_ids})))
    return {row.id: name_of(row) for row in found}
