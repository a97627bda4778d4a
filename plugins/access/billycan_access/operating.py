"""The operator's page: requests for access, and counts of each business's usage."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from billycan import App
from billycan.fields import Moment
from billycan.sql import tenants
from billycan_users.api import Answer, Led, Screen, Shown, Visit, can_send, mounted

from . import records
from .requesting import is_on

_HERE = "/dashboard/operator"
_BY_OPERATOR = "the operator sees every business, in counts alone"
_MOST_SHOWN = 500


class Business(Struct, frozen=True):
    """A business and its usage; counts cover 30 days, and are None if no plugin counts them."""

    id: str
    name: str
    created_at: Moment
    live: Any
    sandbox: Any


def show_operator(visit: Visit) -> Answer:
    app = visit.app
    with app.db.reading(across=_BY_OPERATOR) as db:
        waiting, found = records.list_requests(db, app), businesses(db, app)
    values = {
        "waiting": [(row, records.decision_members(row)) for row in waiting],
        "businesses": found[:_MOST_SHOWN],
        "count": len(found),
        "is_on": is_on(app),
    }
    return Shown("access/operator.html", {**values, "counts": "requests" in app.manifests})


def businesses(db: sa.Connection, app: App) -> Sequence[Business]:
    """Return every business, the newest first."""
    used: Any = {}
    if "requests" in app.manifests:
        from billycan_requests.api import usage  # noqa: PLC0415 - the plugin may be off

        used = usage(db)
    live = sa.select(tenants.c.id, tenants.c.paired_id, tenants.c.profile, tenants.c.created_at)
    rows = db.execute(live.where(tenants.c.environment == "live").order_by(tenants.c.created_at.desc(), tenants.c.id))
    return [
        Business(row.id, row.profile["name"], row.created_at, used.get(row.id), used.get(row.paired_id)) for row in rows
    ]


def approve(visit: Visit, id: str) -> Answer:
    with visit.app.db.writing() as db:
        approved = records.approve_request(db, visit.app, id, visit.check_seen)
    if can_send(visit.app):
        return Led(_HERE, "The business is set up, and its owner's invitation is on its way.")
    return visit.reveal(_HERE, approved.link)


def refuse(visit: Visit, id: str) -> Answer:
    with visit.app.db.writing() as db:
        records.refuse_request(db, visit.app, id)
    return Led(_HERE, "The request is refused.")


screens = mounted(
    Screen(_HERE, show_operator, role=None, operator=True, nav="Businesses", group="Deployment"),
    Screen(f"{_HERE}/{{id}}/approve", post=approve, role=None, operator=True, proof=True, on=_HERE),
    Screen(f"{_HERE}/{{id}}/refuse", post=refuse, role=None, operator=True, proof=True, on=_HERE),
)
