"""The operator's pages of businesses: how large each is, when it was last used, and what an operator may do to it."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from billycan import App, Fault, Invalid, NotFound
from billycan.fields import Moment
from billycan.sql import counters, events, tenants
from billycan_users.api import Answer, Led, Screen, Shown, Visit

HERE = "/dashboard/operator/businesses"
_ONE = f"{HERE}/{{id}}"
_BY_OPERATOR = "the operator sees every business, in counts alone"
_PER_PAGE = 50
_BYTES = f"{events.name}.bytes"
_MOST_REQUESTS = 100_000


class Business(Struct, frozen=True, kw_only=True):
    """A business with its sandbox, as an operator sees it: in counts alone.

    `live` and `sandbox` are requests of 30 days, and None without the plugin that counts them or if there were none.
    """

    id: str
    sandbox_id: str
    name: str
    abn: str | None
    created_at: Moment
    per_minute: int
    per_second: int
    has_own_limits: bool
    standing: Any
    records: int
    events: int
    log_bytes: int
    last_used_at: Moment | None
    live: Any = None
    sandbox: Any = None


def list_businesses(visit: Visit) -> Answer:
    app, q = visit.app, visit.query.get("q", "").strip()[:200]
    after = visit.query.get("after", "")
    t = tenants.c
    # The newest first, by an index: ids grow with time. A search reads along it until the page is full.
    found = sa.select(t.id, t.paired_id, t.profile, t.created_at).where(t.environment == "live").order_by(t.id.desc())
    if after:
        found = found.where(t.id < after)
    if q:
        name, digits = sa.func.lower(t.profile["name"].as_string()), "".join(filter(str.isdigit, q))
        matches = [name.contains(q.lower(), autoescape=True), t.id == q, t.paired_id == q]
        if len(digits) == 11:
            matches.append(t.profile["abn"].as_string() == digits)
        found = found.where(sa.or_(*matches))
    with app.db.reading(across=_BY_OPERATOR) as db:
        rows = db.execute(found.limit(_PER_PAGE + 1)).all()
        shown = _describe_businesses(db, app, rows[:_PER_PAGE])
    following = shown[-1].id if len(rows) > _PER_PAGE else ""
    values = {"businesses": shown, "q": q, "after": after, "following": following}
    return Shown("access/businesses.html", {**values, "counts": "requests" in app.manifests})


def show_business(visit: Visit, id: str) -> Answer:
    t = tenants.c
    this = (t.environment == "live") & ((t.id == id) | (t.paired_id == id))
    with visit.app.db.reading(across=_BY_OPERATOR) as db:
        rows = db.execute(sa.select(t.id, t.paired_id, t.profile, t.created_at).where(this)).all()
        if not rows:
            raise NotFound
        (business,) = _describe_businesses(db, visit.app, rows)
    values = {"business": business, "lines": visit.app.operations.recent(business=business.id, most=20)}
    return Shown("access/business.html", {**values, "counts": "requests" in visit.app.manifests})


def _describe_businesses(db: sa.Connection, app: App, rows: Sequence[Any]) -> list[Business]:
    """Describe these businesses in one statement for each kind of figure, however many there are."""
    ids = [id for row in rows for id in (row.id, row.paired_id)]
    used: Any = {}
    if "requests" in app.manifests:
        from billycan_requests.api import usage  # noqa: PLC0415 - the plugin may be off

        used = usage(db, ids)
    last, sizes = app.operations.last_used(db, ids), _measure_businesses(db, ids)
    settings = app.settings
    described = []
    for row in rows:
        both = (row.id, row.paired_id)
        limit = app.ceilings.of(row.id)
        own = (limit.per_minute, limit.per_second) != (settings.business_per_minute, settings.business_per_second)
        records, events_, log_bytes = (sum(sizes.get(id, (0, 0, 0))[i] for id in both) for i in range(3))
        described.append(
            Business(
                id=row.id,
                sandbox_id=row.paired_id,
                name=row.profile["name"],
                abn=row.profile.get("abn"),
                created_at=row.created_at,
                per_minute=limit.per_minute,
                per_second=limit.per_second,
                has_own_limits=own,
                standing=app.standings.of(row.id),
                records=records,
                events=events_,
                log_bytes=log_bytes,
                last_used_at=max((last[id] for id in both if id in last), default=None),
                live=used.get(row.id),
                sandbox=used.get(row.paired_id),
            )
        )
    return described


def _measure_businesses(db: sa.Connection, ids: Sequence[str]) -> dict[str, tuple[int, int, int]]:
    """Map the ids of tenants to their records, their events, and the bytes of their log."""
    c = counters.c
    is_log = c.name.in_([events.name, _BYTES])
    sums = (
        sa.func.coalesce(sa.func.sum(c.live).filter(~is_log), 0),
        sa.func.coalesce(sa.func.sum(c.live).filter(c.name == events.name), 0),
        sa.func.coalesce(sa.func.sum(c.live).filter(c.name == _BYTES), 0),
    )
    rows = db.execute(sa.select(c.tenant_id, *sums).where(c.tenant_id.in_(ids)).group_by(c.tenant_id))
    return {row[0]: (int(row[1]), int(row[2]), int(row[3])) for row in rows}


def list_busiest(db: sa.Connection, app: App, most: int) -> list[tuple[str, str, str, Any]] | None:
    """List the tenants with the most requests today: id of the business, name, environment and counts.

    None without the plugin that counts them.
    """
    if "requests" not in app.manifests:
        return None
    from billycan_requests.api import busiest  # noqa: PLC0415 - the plugin may be off

    found = busiest(db, app.now(), most)
    t = tenants.c
    named = sa.select(t.id, t.paired_id, t.profile, t.environment).where(t.id.in_([*found]))
    rows = {row.id: row for row in db.execute(named)}
    return [
        (row.id if row.environment == "live" else row.paired_id, row.profile["name"], row.environment, found[id])
        for id in found
        if (row := rows.get(id))
    ]


def suspend(visit: Visit, id: str) -> Answer:
    visit.app.operations.suspend(id, visit.session.email)
    return Led(f"{HERE}/{id}", "The business is suspended: it can be read, but not changed.", "warn")


def resume(visit: Visit, id: str) -> Answer:
    visit.app.operations.resume(id, visit.session.email)
    return Led(f"{HERE}/{id}", "The business works again.")


def close(visit: Visit, id: str) -> Answer:
    visit.app.operations.close(id, visit.session.email)
    days = visit.app.settings.closed_days
    said = f"The business is closed. It is deleted in {days} days, unless you let it work again."
    return Led(f"{HERE}/{id}", said, "warn")


def limit(visit: Visit, id: str) -> Answer:
    given: dict[str, int | None] = {}
    faults = []
    for name in ("per_minute", "per_second"):
        text = visit.form.get(name, "").strip().replace(",", "")
        if text and not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= _MOST_REQUESTS):
            faults.append(Fault(name, "out_of_range", f"must be a whole number from 1 to {_MOST_REQUESTS:,}, or empty"))
        given[name] = int(text) if text.isdigit() else None
    if faults:
        raise Invalid.of(*faults)
    visit.app.operations.limit(id, visit.session.email, given["per_minute"], given["per_second"])
    return Led(f"{HERE}/{id}", "The limits are changed.")


_OPERATORS: dict[str, Any] = {"role": None, "operator": True}
_ACT: dict[str, Any] = {**_OPERATORS, "proof": True, "always": True, "on": _ONE}

screens = (
    Screen(HERE, list_businesses, nav="Businesses", group="Deployment", **_OPERATORS),
    Screen(_ONE, show_business, **_OPERATORS),
    Screen(f"{_ONE}/suspend", post=suspend, **_ACT),
    Screen(f"{_ONE}/resume", post=resume, **_ACT),
    Screen(f"{_ONE}/close", post=close, **_ACT),
    Screen(f"{_ONE}/limits", post=limit, **_ACT),
)
