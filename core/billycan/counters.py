"""Per-tenant counters: the last number given, and how many records live, in the one row every create touches."""

from functools import cache
from typing import Any

import sqlalchemy as sa

from .context import Context
from .db import ByCodePoint, metadata, upserts

counters = sa.Table(
    "core_counters",
    metadata,
    sa.Column("tenant_id", ByCodePoint, sa.ForeignKey("core_tenants.id"), primary_key=True),
    sa.Column("name", ByCodePoint, primary_key=True),
    sa.Column("number", sa.BigInteger, nullable=False),
    sa.Column("live", sa.BigInteger, nullable=False),
)


def _add(row: Any) -> Any:
    by = sa.bindparam("by", type_=sa.BigInteger)
    return (
        row.values(number=by, live=by)
        .on_conflict_do_update(
            index_elements=["tenant_id", "name"], set_={"number": counters.c.number + by, "live": counters.c.live + by}
        )
        .returning(counters.c.number)
    )


_ADVANCE = upserts(counters, _add)


def advance(ctx: Context, name: str, by: int = 1) -> int:
    """Give `by` new numbers and count as many more records; returns the last number.

    The row stays locked until the transaction ends, so numbers appear in commit order and none is ever given twice.
    """
    given = {"tenant_id": ctx.tenant_id, "name": name, "by": by}
    return int(ctx.db.execute(_ADVANCE[ctx.db.dialect.name], given).scalar_one())


def forget(ctx: Context, name: str) -> None:
    """Count one record less; its number stays used."""
    own = (counters.c.tenant_id == ctx.tenant_id) & (counters.c.name == name)
    ctx.db.execute(sa.update(counters).where(own).values(live=counters.c.live - 1))


@cache
def live(name: str) -> sa.ScalarSelect[int]:
    """A query for how many records a tenant has, without counting them; its parameter is `tenant_id`."""
    own = (counters.c.tenant_id == sa.bindparam("tenant_id")) & (counters.c.name == name)
    return sa.select(counters.c.live).where(own).scalar_subquery()
