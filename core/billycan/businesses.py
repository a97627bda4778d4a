"""New businesses: a tenant, its sandbox and their first keys; the names that plugins use of tenants and keys."""

import sqlalchemy as sa
from msgspec import Struct

from .fields import Moment
from .keys import Keys, Secret
from .tenants import Profile, Tenants

__all__ = ["Profile", "Secret"]


class Business(Struct):
    """A new business: its two tenants, and a key to each, which cannot be shown again."""

    tenant: str
    sandbox: str
    live_key: str
    test_key: str


def create_business(db: sa.Connection, profile: Profile, now: Moment) -> Business:
    """Create a business, its sandbox, and a key with read and write to each."""
    live, sandbox = Tenants.create(db, profile, now)
    made = [Keys.create(db, tenant, ["read", "write"], now)[1] for tenant in (live, sandbox)]
    return Business(live, sandbox, *made)
