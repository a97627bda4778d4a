"""Handlers of the log, one function for each route: the latest requests of the calling key."""

from datetime import UTC, datetime

import sqlalchemy as sa

from billycan import Context, own
from billycan.fields import Moment

from .schemas import LoggedRequest, LogQuery
from .tables import log

MOST_SEARCHED = 1_000  # of the business's newest requests


def list_requests(ctx: Context, query: LogQuery) -> list[LoggedRequest]:
    """The newest requests of the key that asks, the latest first.

    They are found among the newest 1,000 of the business. A request is logged about a second after it was answered, and
    nothing that was sent with it is logged.
    """
    newest = sa.select(log).where(own(ctx, log)).order_by(log.c.id.desc()).limit(MOST_SEARCHED).subquery()
    caller = ctx.identity.id if ctx.identity else ""
    found = sa.select(newest).where(newest.c.caller_id == caller).order_by(newest.c.id.desc()).limit(query.per_page)
    return [
        LoggedRequest(
            at=Moment.of(datetime.fromtimestamp(row.at / 1000, UTC)),
            method=row.method,
            route=row.route or None,
            status=row.status,
            milliseconds=round(row.microseconds / 1000),
            request_id=row.request_id,
            code=row.code,
            param=row.param,
        )
        for row in ctx.db.execute(found)
    ]
