"""Plans of regular visits to a job: members that this plugin adds to jobs, stored in its own table."""

from collections.abc import Sequence
from datetime import timedelta

import sqlalchemy as sa

from billycan import Context, Deleted, own
from billycan.fields import Moment

from .resource import visits
from .schemas import JobPlan, NewJobPlan
from .tables import plans


def plans_of(ctx: Context, ids: Sequence[str]) -> dict[str, JobPlan]:
    """Map each job that has a plan to it, in one query."""
    found = ctx.db.execute(sa.select(plans).where(own(ctx, plans), plans.c.id.in_(ids)))
    return {row.id: JobPlan(visit_every_days=row.every_days, next_visit_on=row.next_on) for row in found}


def keep_plan(ctx: Context, id: str, sent: NewJobPlan) -> None:
    """Store or clear the plan of a new or changed job."""
    forget_plan(ctx, Deleted(id))
    if (days := sent.visit_every_days) is not None:
        values = {"tenant_id": ctx.tenant_id, "id": id, "every_days": days, "next_on": ctx.today()}
        ctx.db.execute(sa.insert(plans).values(values))
        plan_next(ctx, id)


def plan_next(ctx: Context, job_id: str) -> None:
    """Set when the next visit to a job is due: so many days after the last one, or after today."""
    plan = ctx.db.execute(sa.select(plans).where(own(ctx, plans), plans.c.id == job_id).with_for_update()).first()
    if plan:
        table = visits.table
        last = sa.select(sa.func.max(table.c.visited_on)).where(own(ctx, table), table.c.job_id == job_id)
        due = (ctx.db.execute(last).scalar() or ctx.today()) + timedelta(days=plan.every_days)
        values = {"next_on": due, "announce_at": Moment.start_of(due, ctx.tenant.timezone)}
        ctx.db.execute(sa.update(plans).where(own(ctx, plans), plans.c.id == job_id).values(values))


def forget_plan(ctx: Context, job: Deleted) -> None:
    """Delete the plan of a deleted job."""
    ctx.db.execute(sa.delete(plans).where(own(ctx, plans), plans.c.id == job.id))
