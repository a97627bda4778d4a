"""Recipients that a sandbox may write to: the users of the business, and nobody else."""

from importlib import import_module

import sqlalchemy as sa

from billycan import Context
from billycan.sql import tenants

USERS = "users"


def allowed_recipients(ctx: Context) -> frozenset[str] | None:
    """Return the addresses that the tenant may write to, in lower case. Return None for a live one: it may use all."""
    if ctx.tenant.environment == "live":
        return None
    if not ctx.has(USERS):
        return frozenset()
    # A connection for the system: only the live tenant has members.
    with ctx.app.db.reading() as db:
        live = db.execute(sa.select(tenants.c.paired_id).where(tenants.c.id == ctx.tenant_id)).scalar_one()
        members = import_module(f"billycan_{USERS}.api").list_members(db, live)
    return frozenset(member.email.casefold() for member in members if member.has_joined)
