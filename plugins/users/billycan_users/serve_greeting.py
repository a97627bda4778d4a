"""The greeting of `billycan serve`: a link that signs in as the owner of the only business."""

from typing import Any

import sqlalchemy as sa

from billycan import App
from billycan.sql import tenants

from . import people
from .tables import users


def greet_owner(app: App, url: str) -> str:
    """Return a text with a link that signs the owner in; empty once somebody has chosen a password for that account."""
    shown = tenants.c.id, tenants.c.paired_id, tenants.c.profile
    live = sa.select(*shown).where(tenants.c.environment == "live").limit(2)
    with app.db.writing() as db:
        businesses, found = db.execute(live).all(), db.execute(sa.select(users).limit(2)).all()
        if len(businesses) != 1 or len(found) > 1 or (found and found[0].password):
            return ""
        user_id = found[0].id if found else _owner_of(db, businesses[0], app)
        # The sandbox has the sample records.
        token = people.new_link(db, people.ENTER, user_id, app.now(), businesses[0].paired_id)
    return f"\nOpen the dashboard as the owner, once within 30 minutes:\n\n  {url}/dashboard/join/{token}\n"


def _owner_of(db: sa.Connection, business: Any, app: App) -> str:
    email = business.profile.get("email") or "owner@example.com"
    user_id, token = people.invite_person(db, business.id, email, "owner", app.now())
    people.accept_invitation(db, people.use_link(db, token, people.JOIN, app.now()), app.now())
    return user_id
