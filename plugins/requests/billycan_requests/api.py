"""The request log's functions for other plugins: counts of each tenant's requests, never their contents."""

from collections.abc import Mapping

import sqlalchemy as sa
from msgspec import Struct

from .tables import days

__all__ = ["Usage", "usage"]


class Usage(Struct, frozen=True):
    """Counts of a tenant's requests in the last 30 days: answered, refused as too many, and failed."""

    answered: int
    refused: int
    failed: int


def usage(db: sa.Connection) -> Mapping[str, Usage]:
    """Map the id of each tenant that made requests to its usage."""
    sums = [sa.func.sum(days.c[name]).label(name) for name in Usage.__struct_fields__]
    by_tenant = sa.select(days.c.tenant_id, *sums).group_by(days.c.tenant_id)
    rows = db.execute(by_tenant.execution_options(billycan_across="counts of every business, for the operator"))
    return {row.tenant_id: Usage(int(row.answered), int(row.refused), int(row.failed)) for row in rows}
