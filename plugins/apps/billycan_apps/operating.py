"""The operator's page of all registered apps, with the number of businesses that connected each."""

from typing import Any

import sqlalchemy as sa

from billycan.sql import tenants
from billycan_users.api import Answer, Led, Screen, Shown, Visit, mounted

from . import app_records, app_removal
from .tables import connections
from .wording import describe_allowed

_HERE = "/dashboard/operator/apps"
_MOST_SHOWN = 500


def list_apps(visit: Visit) -> Answer:
    with visit.app.db.reading(across="the operator sees in how many businesses each app is connected") as db:
        found = app_records.list_all_apps(db)
        counted = sa.select(connections.c.app_id, sa.func.count().label("times")).group_by(connections.c.app_id)
        counts = {row.app_id: row.times for row in db.execute(counted)}
        named = sa.select(tenants.c.id, tenants.c.profile).where(tenants.c.id.in_({app.business_id for app in found}))
        names = {row.id: row.profile["name"] for row in db.execute(named)}
    shown = [
        (app, names[app.business_id], counts.get(app.id, 0), describe_allowed(visit.app, app.own.scopes))
        for app in found
    ]
    return Shown("apps/operator.html", {"apps": shown[:_MOST_SHOWN], "count": len(shown)})


def publish(visit: Visit, id: str) -> Answer:
    with visit.app.db.writing() as db:
        found = app_records.publish_app(db, id, visit.check_seen)
        visit.app.operations.note(db, visit.session.email, "app.published", None, {"app": found.own.name})
    return Led(_HERE, f"Every business can connect {found.own.name}.")


def withdraw(visit: Visit, id: str) -> Answer:
    with visit.app.db.writing() as db:
        found = app_records.withdraw_app(db, id)
        visit.app.operations.note(db, visit.session.email, "app.withdrawn", None, {"app": found.own.name})
    return Led(_HERE, f"No other business can connect {found.own.name} from now on.")


def end(visit: Visit, id: str) -> Answer:
    count = app_removal.end_app(visit.app, id)
    with visit.app.db.writing() as db:
        visit.app.operations.note(db, visit.session.email, "app.ended", None, {"app": id, "connections": count})
    return Led(
        _HERE, f"The app is refused everywhere. {count:,} {'connection' if count == 1 else 'connections'} ended."
    )


_OPERATORS: dict[str, Any] = {"role": None, "operator": True}
_ACT: dict[str, Any] = {**_OPERATORS, "proof": True, "on": _HERE}

screens = mounted(
    Screen(_HERE, list_apps, nav="All apps", group="Deployment", **_OPERATORS),
    Screen(f"{_HERE}/{{id}}/publish", post=publish, **_ACT),
    Screen(f"{_HERE}/{{id}}/withdraw", post=withdraw, **_ACT),
    Screen(f"{_HERE}/{{id}}/end", post=end, **_ACT),
)
