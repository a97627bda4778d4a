"""Per-tenant counters: the last number given and the number of records, in the one row that every create touches."""

from collections.abc import Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert as insert_into_postgresql

from .db import ByCodePoint, metadata, upserts
from .engines.statements import Asked, Statement

if TYPE_CHECKING:
    from .context import Context

EVENTS = "core_events"  # numbers a business's events
counters = sa.Table(
    "core_counters",
    metadata,
    sa.Column("tenant_id", ByCodePoint, sa.ForeignKey("core_tenants.id"), primary_key=True),
    sa.Column("name", ByCodePoint, primary_key=True),
    sa.Column("number", sa.BigInteger, nullable=False),
    sa.Column("live", sa.BigInteger, nullable=False),
)
"""Core's table of the businesses' numbers and counts, for reading."""


def _parameters_of(i: int) -> dict[str, Any]:
    by = sa.bindparam(f"by_{i}", type_=sa.BigInteger)
    return {"tenant_id": sa.bindparam("tenant_id"), "name": sa.bindparam(f"name_{i}"), "number": by, "live": by}


def _build_addition(row: Any, given: Sequence[dict[str, Any]]) -> Any:
    """Return an INSERT of these counters that adds to them if they exist."""
    more = {name: counters.c[name] + row.excluded[name] for name in ("number", "live")}
    added = row.values(given).on_conflict_do_update(index_elements=["tenant_id", "name"], set_=more)
    return added.returning(counters.c.name, counters.c.number)


_ADD_BOTH = upserts(counters, partial(_build_addition, given=[_parameters_of(1), _parameters_of(2)]))
_ADVANCE, _ADVANCE_BOTH = (
    Statement(**upserts(counters, partial(_build_addition, given=[_parameters_of(1)]))),
    Statement(**_ADD_BOTH),
)
_FORGET = Statement(
    sa.update(counters)
    .where(counters.c.tenant_id == sa.bindparam("of_tenant"), counters.c.name == sa.bindparam("of_name"))
    .values(live=counters.c.live - sa.bindparam("fewer", type_=sa.BigInteger))
)


def _build_skip(row: Any) -> Any:
    """Return the statement that leaves a number out: an upsert, so that it waits for the transaction with the first."""
    named: dict[str, Any] = {"tenant_id": sa.bindparam("tenant_id"), "name": sa.bindparam("name_1")}
    left_out = row.values({**named, "number": 1, "live": 0})
    return left_out.on_conflict_do_update(index_elements=[*named], set_={"number": counters.c.number + 1})


_SKIP = Statement(**upserts(counters, _build_skip))


def advance(ctx: "Context", name: str, by: int = 1) -> int:
    """Give out `by` new numbers and count as many more records; return the last number.

    The row stays locked until the transaction ends, so numbers appear in commit order and none is ever given twice.
    """
    return int(_ADVANCE.one(ctx.db, {"tenant_id": ctx.tenant_id, "name_1": name, "by_1": by}).number)


def advance_both(ctx: "Context", name: str, by: int, other: str, by_other: int) -> int:
    """Advance two counters in one statement; return the first one's number."""
    given = {"tenant_id": ctx.tenant_id, "name_1": name, "by_1": by, "name_2": other, "by_2": by_other}
    rows = _ADVANCE_BOTH.all(ctx.db, given)
    return next(int(row.number) for row in rows if row.name == name)


def advanced_both() -> sa.CTE:
    """Return `advance_both` as a part of another statement, for PostgreSQL, with the columns `name` and `number`."""
    advanced: sa.CTE = _ADD_BOTH["postgresql"].cte("advanced")
    return advanced


def forget(ctx: "Context", name: str, by: int = 1) -> None:
    """Count `by` fewer records; their numbers stay used."""
    _FORGET.run(ctx.db, {"of_tenant": ctx.tenant_id, "of_name": name, "fewer": by})


def advance_within(name: str) -> sa.CTE:
    """Return `advance` by one as a part of another statement, for PostgreSQL.

    Its column is `number`, and its parameter is `tenant_id`.
    """
    given = {"tenant_id": sa.bindparam("tenant_id"), "name": sa.literal(name), "number": 1, "live": 1}
    counted: sa.CTE = _build_addition(insert_into_postgresql(counters), [given]).cte("counted")
    return counted


@cache
def last_number(name: str, tenant: str = "of_tenant") -> sa.ScalarSelect[int]:
    """Return a query for the last number given out; `tenant` is the name of its parameter."""
    own = (counters.c.tenant_id == sa.bindparam(tenant)) & (counters.c.name == name)
    return sa.select(counters.c.number).where(own).scalar_subquery()


def skip_number(ctx: "Context", name: str) -> Asked:
    """Return a statement for `at_once` that leaves a number out."""
    return _SKIP, {"tenant_id": ctx.tenant_id, "name_1": name}


@cache
def live_count(name: str) -> sa.ScalarSelect[int]:
    """Return a query for the number of a tenant's records, without counting them; its parameter is `tenant_id`."""
    own = (counters.c.tenant_id == sa.bindparam("tenant_id")) & (counters.c.name == name)
    return sa.select(counters.c.live).where(own).scalar_subquery()
