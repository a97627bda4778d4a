"""People as callers of the API: their present role gives their scopes, on pages and in work they queued."""

from typing import Literal

import sqlalchemy as sa

from billycan import App, Identity, Unauthenticated

from . import people, rules
from .tables import roles, users

Environment = Literal["live", "sandbox"]


def identity_of(app: App, tenant_id: str, environment: Environment, user_id: str, name: str, role: str) -> Identity:
    """Return the identity of a person with a role at a tenant. It may do what a key with the role's scopes may."""
    return Identity(
        id=user_id,
        tenant_id=tenant_id,
        environment=environment,
        name=name,
        scopes=rules.scopes_of_role(role, app),
        per_minute=app.settings.per_minute,
        per_second=app.settings.per_second,
    )


def find_identity(app: App, tenant_id: str, id: str) -> Identity:
    """Return the identity of a person with their present role. Raise Unauthenticated if they have none there."""
    with app.db.reading(across="a person's role is kept with the live tenant") as db:
        live = people.live_of(db, tenant_id)
        found = sa.select(roles.c.role, users.c.name, users.c.email).join_from(roles, users, users.c.id == roles.c.id)
        row = db.execute(found.where(roles.c.tenant_id == live, roles.c.id == id)).first()
    if row is None:
        raise Unauthenticated("The person was removed from the business.", code="person_removed")
    environment: Environment = "live" if live == tenant_id else "sandbox"
    return identity_of(app, tenant_id, environment, id, row.name or row.email, row.role)
