"""Triggers of the events of GST periods, for the business's own periods, which no recorded example can name."""

import sqlalchemy as sa

from billycan import Context, Invalid, own

from . import handlers
from .periods import periods_between
from .schemas import Lodgement, NewLodgement, Reason, Reopening
from .tables import periods


def lodge(ctx: Context) -> Lodgement:
    """Lodge the newest of the business's tax periods that is over and not lodged."""
    settings, today = ctx.tenant.gst_settings, ctx.today()
    mine = own(ctx, periods), periods.c.status == "lodged"
    lodged = {*map(tuple, ctx.db.execute(sa.select(periods.c.since, periods.c.until).where(*mine)))}
    spans = periods_between(settings, settings[0].since, today) if settings else ()
    for since, until in spans:
        if until < today and not any(a <= until and b >= since for a, b in lodged):
            return handlers.create_gst_period(ctx, NewLodgement(since=since, until=until))
    raise Invalid("The business has no tax period that is over and was not lodged.", code="not_a_period")


def reopen(ctx: Context) -> Lodgement:
    """Reopen the last lodged period; if there is none, lodge one first."""
    id = handlers.last_lodged(ctx) or lodge(ctx).id
    return handlers.reopen_gst_period(ctx, id, Reopening(reason=Reason("Triggered in a sandbox.")))
