"""Handlers of visits: one function for each route."""

from billycan import Context, Deleted, Page, Patch, Query

from .plans import plan_next
from .resource import NewVisit, Visit, visits


def list_visits(ctx: Context, query: Query[Visit]) -> Page[Visit]:
    """All visits."""
    return visits.records.page(ctx, query)


def create_visit(ctx: Context, body: NewVisit) -> Visit:
    """Record a visit.

    If the job has a plan, its next visit is due that many days later. Emits `visit.created`.
    """
    visit = visits.records.add(ctx, body)
    plan_next(ctx, visit.job_id)
    ctx.emit("visit.created", visit)
    return visit


def get_visit(ctx: Context, id: str) -> Visit:
    """One visit."""
    return visits.records.get(ctx, id)


def update_visit(ctx: Context, id: str, body: Patch[NewVisit]) -> Visit:
    """Change a visit.

    Emits `visit.updated` if anything changed.
    """
    before = visits.records.lock(ctx, id)
    visit, changed = visits.records.change(ctx, id, body)
    if changed:
        for job_id in sorted({before.job_id, visit.job_id}):
            plan_next(ctx, job_id)
        ctx.emit("visit.updated", visit)
    return visit


def delete_visit(ctx: Context, id: str) -> Deleted:
    """Delete a visit.

    Emits `visit.deleted`.
    """
    visit = visits.records.lock(ctx, id)
    deleted = visits.records.delete(ctx, visit)
    plan_next(ctx, visit.job_id)
    ctx.emit("visit.deleted", deleted)
    return deleted
