"""The request log's functions for other plugins: counts of each tenant's requests, never their contents."""

from collections.abc import Collection, Mapping

import sqlalchemy as sa
from msgspec import Struct

from billycan.fields import Moment

from .keeping import day_id
from .tables import days

__all__ = ["Usage", "busiest", "usage"]


class Usage(Struct, frozen=True):
    """Counts of a tenant's requests in the last 30 days: answered, refused as too many, and failed."""

    answered: int
    refused: int
    failed: int


def usage(db: sa.Connection, tenant_ids: Collection[str]) -> Mapping[str, Usage]:
    """Map the ids of those of these tenants that made requests to their usage, in one statement."""
    sums = [sa.func.sum(days.c[name]).label(name) for name in Usage.__struct_fields__]
    by_tenant = sa.select(days.c.tenant_id, *sums).where(days.c.tenant_id.in_(tenant_ids)).group_by(days.c.tenant_id)
    rows = db.execute(by_tenant.execution_options(billycan_across="counts of every business, for the operator"))
    return {row.tenant_id: Usage(int(row.answered), int(row.refused), int(row.failed)) for row in rows}


def busiest(db: sa.Connection, now: Moment, most: int) -> Mapping[str, Usage]:
    """Map the ids of the tenants that have made the most requests today (UTC) to their usage today, the first first."""
    columns = [days.c[name] for name in Usage.__struct_fields__]
    today = sa.select(days.c.tenant_id, *columns).where(days.c.id == day_id(now))
    found = today.order_by(days.c.answered.desc(), days.c.tenant_id).limit(most)
    rows = db.execute(found.execution_options(billycan_across="counts of every business, for the operator"))
    return {row.tenant_id: Usage(row.answered, row.refused, row.failed) for row in rows}
