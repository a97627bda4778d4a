"""The dashboard's cards of jobs."""

import sqlalchemy as sa

from billycan import Context, Manifest, own

from .tables import jobs

_STATUSES = ("open", "scheduled", "in_progress", "on_hold")


def by_status(ctx: Context) -> Manifest.Card:
    """Count the jobs to do, by status."""
    asked = sa.select(jobs.c.status, sa.func.count()).where(own(ctx, jobs), jobs.c.status.in_(_STATUSES))
    found = {row[0]: row[1] for row in ctx.db.execute(asked.group_by(jobs.c.status))}
    words = [status.replace("_", " ").capitalize() for status in _STATUSES]
    rows = tuple((w, found.get(s, 0), f"/v1/jobs?status={s}") for w, s in zip(words, _STATUSES, strict=True))
    path = f"/v1/jobs?status={','.join(_STATUSES)}"
    return Manifest.Card(title="Jobs to do", figure=sum(found.values()), rows=rows, path=path)
