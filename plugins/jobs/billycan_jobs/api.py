"""What other plugins may use of jobs."""

from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from billycan import Context, own
from billycan.wire import decode

from .documents import neighbours
from .handlers import create_job
from .schemas import Job, NewJob
from .tables import jobs


def make(ctx: Context, members: Mapping[str, Any]) -> Job:
    """Make a job of these members, as `POST /v1/jobs` takes them, in the caller's transaction.

    Members a job does not have are passed over, and so is a quote or booking that is gone or whose plugin is off.
    """
    known = {name: value for name, value in members.items() if name in NewJob.__struct_fields__}
    return create_job(ctx, decode(neighbours.without_gone(ctx, known), NewJob))


def names(ctx: Context, ids: Iterable[str], *, lock: bool = False) -> dict[str, str]:
    """Map each id to the job's title, in one query; ids that are not the tenant's are left out.

    `lock` keeps each of them from being deleted until the transaction ends.
    """
    found = sa.select(jobs.c.id, jobs.c.title).where(own(ctx, jobs), jobs.c.id.in_(list(ids)))
    if lock:
        found = found.order_by(jobs.c.id).with_for_update(read=True, key_share=True)
    return {row.id: row.title for row in ctx.db.execute(found)}
