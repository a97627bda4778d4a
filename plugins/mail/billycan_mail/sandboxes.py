"""Whom a sandbox may write to: the people who may enter the business, and nobody else."""

from importlib import import_module

import sqlalchemy as sa

from billycan import Context
from billycan.sql import tenants

USERS = "users"


def may_get(ctx: Context) -> frozenset[str] | None:
    """The addresses that the tenant may write to, in small letters; None where that is everybody, as of a live one."""
    if ctx.tenant.environment == "live":
        return None
    if not ctx.has(USERS):
        return frozenset()
    # A connection for the system: whoever may enter is known of the live tenant.
    with ctx.app.db.reading() as db:
        live = db.execute(sa.select(tenants.c.paired_id).where(tenants.c.id == ctx.tenant_id)).scalar_one()
        members = import_module(f"billycan_{USERS}.api").members(db, live)
    return frozenset(member.email.casefold() for member in members if member.has_joined)
