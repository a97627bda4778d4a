"""What other plugins may use of requests: how much each tenant asks, never what."""

from collections.abc import Mapping

import sqlalchemy as sa
from msgspec import Struct

from .tables import days

__all__ = ["Usage", "usage"]


class Usage(Struct, frozen=True):
    """How many requests of a tenant were answered in the last 30 days; of those refused as too many, or failed."""

    answered: int
    refused: int
    failed: int


def usage(db: sa.Connection) -> Mapping[str, Usage]:
    """The usage of each tenant that made any requests, by its id."""
    sums = [sa.func.sum(days.c[name]).label(name) for name in Usage.__struct_fields__]
    by_tenant = sa.select(days.c.tenant_id, *sums).group_by(days.c.tenant_id)
    rows = db.execute(by_tenant.execution_options(billycan_across="counts of every business, for the operator"))
    return {row.tenant_id: Usage(int(row.answered), int(row.refused), int(row.failed)) for row in rows}
