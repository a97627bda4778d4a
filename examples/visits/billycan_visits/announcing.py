"""Announcements of visits: timed work that announces each visit once when it is due, one plan at a time."""

from datetime import timedelta

import sqlalchemy as sa

from billycan import App, Context, own
from billycan.fields import Moment

from .schemas import VisitDue
from .settings import Settings
from .tables import plans


def to_announce(app: App, now: Moment) -> sa.Select[tuple[str, str]]:
    """Select the plans of all businesses whose next visit is to be announced, the longest due first."""
    until = now + timedelta(days=app.settings_of(Settings).announce_days)
    due = sa.select(plans.c.tenant_id, plans.c.id).where(plans.c.announce_at <= until)
    return due.order_by(plans.c.announce_at)


def announce_visit(ctx: Context, id: str) -> None:
    """Announce the next visit of a plan, unless another worker did or the plan has changed."""
    until = ctx.now() + timedelta(days=ctx.settings(Settings).announce_days)
    this = own(ctx, plans) & (plans.c.id == id) & (plans.c.announce_at <= until)
    announced = sa.update(plans).where(this).values(announce_at=None).returning(plans.c.next_on)
    if (due_on := ctx.db.execute(announced).scalar()) is not None:
        ctx.emit("visit.due", VisitDue(id, due_on))
