"""The operator's page of queues: what waits, what does not move and why, and what can be done about it."""

from typing import Any

import sqlalchemy as sa

from billycan.sql import tenants
from billycan_users.api import Answer, Led, Screen, Shown, Visit

HERE = "/dashboard/operator/queues"
_BY_OPERATOR = "the operator sees what does not move of anybody's"
_MOST = 50
WORDS = {"try_now": "Try now", "end": "End it"}


def show_queues(visit: Visit) -> Answer:
    app = visit.app
    found = [
        (name, queue, queue.count(app), queue.list_stuck(app, _MOST)) for name, queue in app.operations.queues().items()
    ]
    ids = {entry.tenant_id for _, _, _, stuck in found for entry in stuck if entry.tenant_id}
    t = tenants.c
    with app.db.reading(across=_BY_OPERATOR) as db:
        rows = db.execute(sa.select(t.id, t.paired_id, t.environment, t.profile).where(t.id.in_(ids))).all()
    names = {row.id: (row.id if row.environment == "live" else row.paired_id, row.profile["name"]) for row in rows}
    return Shown("access/queues.html", {"queues": found, "names": names, "words": WORDS, "most": _MOST})


def act(visit: Visit, queue: str, action: str) -> Answer:
    form = visit.form
    visit.app.operations.act_on(queue, action, form.get("tenant_id", ""), form.get("id", ""), visit.session.email)
    return Led(HERE, "It is ended." if action == "end" else "It is tried again as soon as a worker is free.")


_OPERATORS: dict[str, Any] = {"role": None, "operator": True}

screens = (
    Screen(HERE, show_queues, nav="Queues", group="Deployment", **_OPERATORS),
    Screen(f"{HERE}/{{queue}}/{{action}}", post=act, on=HERE, **_OPERATORS),
)
