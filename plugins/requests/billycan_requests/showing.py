"""The page of a business's requests, and of its usage against the limit."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, own
from billycan.fields import Moment
from billycan_users.api import Answer, Screen, Shown, Visit, mounted

from . import filters, keeping
from .settings import Settings
from .tables import log

PER_PAGE = 50
MINUTES = 60  # in the chart
_MOST_PAGES = 10_000


class Caller(Struct, frozen=True):
    """A key that made requests."""

    id: str
    name: str
    hint: str
    per_minute: int


class Usage(Struct, frozen=True):
    """The number of requests that a caller made in each of the last minutes."""

    caller: Caller
    minutes: Sequence[tuple[str, int]]
    most: int
    refused: int


def show_requests(visit: Visit) -> Answer:
    given = filters.given_filters(visit.query)
    page = _read_page(visit.query)
    with visit.reading() as ctx:
        callers = _find_callers(ctx)
        wanted, faults = filters.filter_conditions(ctx, given, visit.session.zone)
        visit.faults.update({fault.param: fault.message for fault in faults})
        total = 0 if faults else ctx.db.execute(sa.select(sa.func.count()).select_from(log).where(*wanted)).scalar_one()
        newest = sa.select(log).where(*wanted).order_by(log.c.id.desc())
        rows = ctx.db.execute(newest.limit(PER_PAGE).offset((page - 1) * PER_PAGE)).all() if total else []
        state = keeping.log_state(ctx)
        usage = _sum_usage(ctx, callers, given.get("caller", ""))
    values = {
        "filters": given,
        "fields": [*given.items()],
        "rows": [_show_request(row, callers) for row in rows],
        "page": {"page": page, "per_page": PER_PAGE, "total": total, "has_more": page * PER_PAGE < total},
        "state": state,
        "usage": usage,
        "callers": sorted(callers.values(), key=lambda caller: caller.name.casefold()),
        "routes": sorted({endpoint.route.path for endpoint in visit.app.endpoints}),
        "nowhere": filters.NOWHERE,
        "kept_days": keeping.KEPT_DAYS,
        "most": visit.app.settings_of(Settings).most,
    }
    return Shown("requests/requests.html", values, status=422 if faults else 200)


def _read_page(query: Mapping[str, str]) -> int:
    text = query.get("page", "")
    return min(max(int(text), 1), _MOST_PAGES) if text.isascii() and text.isdecimal() and len(text) < 9 else 1


def _find_callers(ctx: Context) -> dict[str, Caller]:
    """Map ids to the keys that may have made requests."""
    settings = ctx.app.settings
    return {
        key.id: Caller(key.id, key.name or key.hint, key.hint, key.per_minute or settings.per_minute)
        for key in ctx.app.keys.list(ctx)
    }


def _show_request(row: Any, callers: Mapping[str, Caller]) -> dict[str, Any]:
    caller = callers.get(row.caller_id)
    return {
        "at": Moment.of(datetime.fromtimestamp(row.at / 1000, UTC)),
        "caller": caller.name if caller else row.caller_id,
        "method": row.method,
        "route": row.route,
        "status": row.status,
        "took": f"{row.microseconds / 1000:,.1f} ms"
        if row.microseconds < 10**6
        else f"{row.microseconds / 10**6:,.2f} s",
        "request_id": row.request_id,
        "code": row.code,
        "param": row.param,
    }


def _sum_usage(ctx: Context, callers: Mapping[str, Caller], chosen: str) -> Usage | None:
    """Return the last hour of the chosen caller, or else of the busiest; None if no key made requests."""
    now = int(ctx.app.now().timestamp())
    last = now // 60
    recent = (own(ctx, log), log.c.id >= f"{(last - MINUTES + 1) * 60_000:012x}")
    minute = (log.c.at // sa.literal_column("60000")).label("minute")
    is_refused = sa.case((log.c.status == 429, 1), else_=0)
    counted = sa.select(
        log.c.caller_id, minute, sa.func.count().label("made"), sa.func.sum(is_refused).label("refused")
    )
    rows = ctx.db.execute(counted.where(*recent).group_by(log.c.caller_id, "minute")).all()
    totals: Counter[str] = Counter()
    for row in rows:
        totals[row.caller_id] += row.made
    id = chosen if chosen in callers else next((id for id, _ in totals.most_common() if id in callers), "")
    if not id:
        return None
    caller = callers[id]
    of = {int(row.minute): row for row in rows if row.caller_id == id}
    counts = [(m, of[m].made - int(of[m].refused) if m in of else 0) for m in range(last - MINUTES + 1, last + 1)]
    refused = sum(int(row.refused) for row in of.values())
    minutes = [(f"{last - m} min ago" if m < last else "now", count) for m, count in counts]
    return Usage(caller, minutes, max(count for _, count in minutes), refused)


screens = mounted(
    Screen("/dashboard/requests", show_requests, role="developer", nav="Requests", group="Developers"),
)
