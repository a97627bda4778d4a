"""The jobs and contacts that are a person's own: what they are assigned to as a member of staff, and its clients."""

from typing import Any

import sqlalchemy as sa

from billycan import Context, Records, own

from .resource import assigned_to
from .tables import jobs


def jobs_of(ctx: Context, user_id: str) -> sa.Select[Any]:
    """Select the jobs that a person is assigned to."""
    return _own(ctx, user_id, jobs.c.id)


def clients_of(ctx: Context, user_id: str) -> sa.Select[Any]:
    """Select the clients of those jobs."""
    return _own(ctx, user_id, jobs.c.client_id)


def _own(ctx: Context, user_id: str, column: sa.Column[Any]) -> sa.Select[Any]:
    ids: list[str] = []
    if ctx.has("staff"):
        from billycan_staff import api as staff  # noqa: PLC0415 - there only where that plugin is

        ids = staff.ids_of(ctx, user_id)
    return sa.select(column.label("id")).where(own(ctx, jobs), assigned_to(ctx, ids) if ids else jobs.c.id == "")


owns = (Records.Own(prefix="job", ids=jobs_of, writes=True), Records.Own(prefix="con", ids=clients_of))
