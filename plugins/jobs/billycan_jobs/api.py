"""Jobs' functions for other plugins: make a job, and look up its total and the time it takes."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, Records, decode, own
from billycan.fields import Moment
from billycan.sql import ByIds

from . import rules
from .documents import documents
from .handlers import create_job
from .resource import Job, NewJob, neighbours
from .tables import jobs


class Work(Struct, frozen=True):
    """The time that a job takes of one member of staff."""

    job_id: str
    staff_id: str
    start_at: Moment
    end_at: Moment


# Maps each id to the job's title, in one query; `lock=True` keeps them from being deleted until the transaction ends.
names = Records.names_of(jobs.c.title)


def make(ctx: Context, members: Mapping[str, Any]) -> Job:
    """Make a job of these members, as `POST /v1/jobs` takes them, in the caller's transaction.

    Ignores members that a job does not have, and a quote or booking that is deleted or whose plugin is off. Raises
    Forbidden if the caller's key lacks `jobs:write`.
    """
    ctx.require("jobs:write")
    return create_job(ctx, _read_body(ctx, members))


def prepare(ctx: Context, members: Mapping[str, Any]) -> None:
    """Do what `make` needs no lock for, in a route's `prepare`."""
    documents.prepare_new(ctx, _read_body(ctx, members))


def _read_body(ctx: Context, members: Mapping[str, Any]) -> NewJob:
    known = {name: value for name, value in members.items() if name in NewJob.__struct_fields__}
    known = neighbours.without_gone(ctx, known)
    return ctx.ahead("jobs.make", known, lambda: decode(known, NewJob))


def totals(ctx: Context, ids: Iterable[str]) -> dict[str, Decimal]:
    """Map each id to the job's total, in one query."""
    return {row[0]: row[1] for row in _TOTALS.all(ctx.db, ctx.tenant_id, ids)}


_TOTALS = ByIds(sa.select(jobs.c.id, jobs.c.total), jobs.c.id)


def work(ctx: Context, staff_ids: Iterable[str], since: datetime, until: datetime) -> list[Work]:
    """List the times these staff are at work between two moments: jobs with a start and an end, in one query.

    Complete and cancelled jobs do not count. Locks nothing: a job may be scheduled over any other.
    """
    wanted = frozenset(staff_ids)
    overlaps = (jobs.c.scheduled_start < until) & (jobs.c.scheduled_end > since)
    found = sa.select(jobs.c.id, jobs.c.assignee_ids, jobs.c.scheduled_start, jobs.c.scheduled_end).where(
        own(ctx, jobs), overlaps, jobs.c.status.not_in(rules.DONE_WITH)
    )
    return [
        Work(row.id, staff_id, row.scheduled_start, row.scheduled_end)
        for row in ctx.db.execute(found)
        for staff_id in row.assignee_ids
        if staff_id in wanted
    ]
