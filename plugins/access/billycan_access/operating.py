"""The operator's console: health, requests for access, read-only mode, and who did what."""

from typing import Any

import sqlalchemy as sa

from billycan import Fault, Invalid
from billycan.sql import tenants
from billycan_users.api import Answer, Led, Screen, Shown, Visit, can_send, mounted

from . import businesses, queues, records
from .requesting import is_on

HERE = "/dashboard/operator"
_READ_ONLY = f"{HERE}/read-only"
_BY_OPERATOR = "the operator sees every business, in counts alone"
_MOST_BUSY, _MOST_LINES = 5, 50
_MOST_REASON, _MOST_MINUTES = 500, 10_080


def show_console(visit: Visit, *, deep: bool = False) -> Answer:
    app = visit.app
    # Bad news first; in each part as `billycan doctor` has them.
    findings = sorted(app.operations.examine(deep=deep), key=lambda finding: finding.ok)
    with app.db.reading(across=_BY_OPERATOR) as db:
        waiting = records.list_requests(db, app)
        count = db.execute(sa.select(sa.func.count()).where(tenants.c.environment == "live")).scalar_one()
        busy = businesses.list_busiest(db, app, _MOST_BUSY)
    values = {
        "findings": findings,
        "wrong": [finding for finding in findings if not finding.ok],
        "deep": deep,
        "waiting": [(row, records.decision_members(row)) for row in waiting],
        "is_on": is_on(app),
        "count": count,
        "busy": busy,
        "answered": app.operations.count_answers(),
        "queues": {name: (queue.title, queue.count(app)) for name, queue in app.operations.queues().items()},
        "lines": app.operations.recent(most=6),
    }
    return Shown("access/operator.html", values)


def show_checks(visit: Visit) -> Answer:
    return show_console(visit, deep=True)


def change_read_only(visit: Visit) -> Answer:
    form, by = visit.form, visit.session.email
    if form.get("mode") == "off":
        visit.app.operations.end_read_only(by)
        return Led(HERE, "Everything can be changed again.")
    reason, minutes = form.get("reason", "").strip(), form.get("minutes", "").strip()
    faults = []
    if not 1 <= len(reason) <= _MOST_REASON:
        faults.append(Fault("reason", "required", f"must say in 1 to {_MOST_REASON} characters what people are told"))
    if minutes and not (minutes.isascii() and minutes.isdigit() and 1 <= int(minutes[:9]) <= _MOST_MINUTES):
        faults.append(Fault("minutes", "out_of_range", f"must be a whole number from 1 to {_MOST_MINUTES:,}, or empty"))
    if faults:
        raise Invalid.of(*faults)
    visit.app.operations.start_read_only(reason, by, int(minutes) if minutes else None)
    return Led(HERE, "Nothing can be changed from now on, except here.", "warn")


def show_log(visit: Visit) -> Answer:
    before = visit.query.get("before", "")
    lines = visit.app.operations.recent(before=before, most=_MOST_LINES + 1)
    following = lines[_MOST_LINES - 1].id if len(lines) > _MOST_LINES else ""
    return Shown("access/log.html", {"lines": lines[:_MOST_LINES], "before": before, "following": following})


def approve(visit: Visit, id: str) -> Answer:
    with visit.app.db.writing() as db:
        approved = records.approve_request(db, visit.app, id, visit.check_seen)
        by, detail = visit.session.email, {"request": approved.request}
        visit.app.operations.note(db, by, "access.approved", approved.tenant, detail)
    if can_send(visit.app):
        return Led(HERE, "The business is set up, and its owner's invitation is on its way.")
    return visit.reveal(HERE, approved.link)


def refuse(visit: Visit, id: str) -> Answer:
    with visit.app.db.writing() as db:
        records.refuse_request(db, visit.app, id)
        visit.app.operations.note(db, visit.session.email, "access.refused", None, {"request": id})
    return Led(HERE, "The request is refused.")


_OPERATORS: dict[str, Any] = {"role": None, "operator": True}
_LISTED = {**_OPERATORS, "group": "Deployment"}

screens = mounted(
    Screen(HERE, show_console, nav="Console", **_LISTED),
    Screen(f"{HERE}/checks", show_checks, **_OPERATORS),
    Screen(_READ_ONLY, post=change_read_only, proof=True, always=True, on=HERE, **_OPERATORS),
    *businesses.screens,
    *queues.screens,
    Screen(f"{HERE}/log", show_log, nav="Who did what", **_LISTED),
    Screen(f"{HERE}/{{id}}/approve", post=approve, proof=True, on=HERE, **_OPERATORS),
    Screen(f"{HERE}/{{id}}/refuse", post=refuse, proof=True, on=HERE, **_OPERATORS),
)
