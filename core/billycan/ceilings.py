"""The most requests that a business may make with all of its keys, apps and pages together."""

from typing import TYPE_CHECKING

import sqlalchemy as sa

from .db import ByCodePoint, metadata, upsert
from .sharing.limits import Limit, by_address
from .sharing.recent import Recent

if TYPE_CHECKING:
    from .app import App
    from .keys import Identity

MOST_TIMES = 10  # a key's limits can be this many times the deployment's limits for a key

# Only businesses for which the operator chose other limits than the deployment's have a row.
ceilings = sa.Table(
    "core_ceilings",
    metadata,
    sa.Column("tenant_id", ByCodePoint, sa.ForeignKey("core_tenants.id"), primary_key=True),
    sa.Column("per_minute", sa.Integer, nullable=False),
    sa.Column("per_second", sa.Integer, nullable=False),
)
_ACROSS = "every request looks for the ceiling of its business"


class Ceilings:
    """The ceiling of each business, which it shares with its sandbox."""

    def __init__(self, app: "App", recent: Recent[dict[str, Limit]]) -> None:
        self._app, self._recent = app, recent

    def of(self, tenant_id: str) -> Limit:
        """Return the limit of a business; a change applies at once on this host, elsewhere within a second."""
        settings = self._app.settings
        business = self._app.tenants.business_of(self._app.db, tenant_id)
        own = self._recent.get("", self._load).get(business)
        return own or Limit(_name(business), settings.business_per_minute, settings.business_per_second)

    def of_call(self, identity: "Identity | None", address: str) -> tuple[Limit, ...]:
        """Return the limits that a call counts under: its key's and its business's, or its address's without a key."""
        if identity is None:
            settings = self._app.settings
            return (Limit(by_address("api", address), settings.per_minute, settings.per_second),)
        own = self.in_force(identity.tenant_id, identity.per_minute, identity.per_second)
        return Limit(f"key:{identity.id}", *own), self.of(identity.tenant_id)

    def in_force(self, tenant_id: str, per_minute: int, per_second: int) -> tuple[int, int]:
        """Return a key's limits as they apply: at most ten times the deployment's, and no more than its business's."""
        settings, all_together = self._app.settings, self.of(tenant_id)
        return (
            min(per_minute, MOST_TIMES * settings.per_minute, all_together.per_minute),
            min(per_second, MOST_TIMES * settings.per_second, all_together.per_second),
        )

    def of_visitors(self, tenant_id: str) -> Limit:
        """Return an equal limit for visitors of a business's pages, so that no stranger can stop its own work."""
        limit = self.of(tenant_id)
        return Limit(limit.name.replace("business:", "visitors:"), limit.per_minute, limit.per_second)

    def _load(self) -> dict[str, Limit]:
        with self._app.db.reading(across=_ACROSS) as db:
            rows = db.execute(sa.select(ceilings)).all()
        return {row.tenant_id: Limit(_name(row.tenant_id), row.per_minute, row.per_second) for row in rows}


def set_ceiling(db: sa.Connection, tenant_id: str, per_minute: int, per_second: int) -> None:
    """Set limits for a business, by its live id, in place of the deployment's. The caller then bumps the epoch."""
    values = {"per_minute": per_minute, "per_second": per_second}
    row = upsert(ceilings, db).values(tenant_id=tenant_id, **values)
    db.execute(row.on_conflict_do_update(index_elements=["tenant_id"], set_=values))


def clear_ceiling(db: sa.Connection, tenant_id: str) -> None:
    """Give a business, by its live id, the deployment's limits again. The caller bumps the epoch after the commit."""
    db.execute(sa.delete(ceilings).where(ceilings.c.tenant_id == tenant_id))


def _name(tenant_id: str) -> str:
    return f"business:{tenant_id}"
