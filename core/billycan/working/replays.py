"""Limits on the answers stored for an Idempotency-Key: their age, and the size of the large ones."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import msgspec
import sqlalchemy as sa

from ..context import Context
from ..db import at_most, own
from ..fields import Moment
from ..idempotency import KEPT, PACKED, answers

if TYPE_CHECKING:
    from ..app import App

MOST_LARGE_BYTES = 64 * 1024 * 1024  # of one business's answers, as stored, that have more than 4 KiB each
MOST_AT_ONCE = 1_000  # that are forgotten in one transaction


def with_old(db: sa.Connection, now: Moment) -> Iterable[str]:
    """Return the tenants that have answers which are no longer given again."""
    return db.execute(sa.select(answers.c.tenant_id).where(answers.c.created_at <= now - KEPT).distinct()).scalars()


def forget_old(ctx: Context) -> bool:
    """Delete the tenant's answers that are no longer given again, a batch at a time; whether there may be more."""
    old = own(ctx, answers) & (answers.c.created_at <= ctx.now() - KEPT)
    return ctx.db.execute(sa.delete(answers).where(at_most(MOST_AT_ONCE, answers, old))).rowcount == MOST_AT_ONCE


def too_large(app: "App", now: Moment) -> sa.Select[Any]:
    """The tenants whose large answers are more than are kept."""
    sizes = sa.func.sum(_SIZE)
    of = answers.c.tenant_id
    return sa.select(of, of.label("id")).where(_LARGE).group_by(of).having(sizes > MOST_LARGE_BYTES)


def forget_large(ctx: Context, tenant_id: str) -> None:
    """Keep a tenant's newest large answers up to a size in all; of older ones, that their requests were carried out."""
    newest_first = (answers.c.created_at.desc(), answers.c.key)
    large = own(ctx, answers) & _LARGE
    sizes = (
        sa.select(answers.c.key, sa.func.sum(_SIZE).over(order_by=newest_first).label("size")).where(large).subquery()
    )
    beyond = sa.select(sizes.c.key).where(sizes.c.size > MOST_LARGE_BYTES).limit(MOST_AT_ONCE)
    # Not a subquery of the UPDATE: PostgreSQL would add up the sizes again for each row, until it has statistics.
    keys = ctx.db.execute(beyond).scalars().all()
    ctx.db.execute(sa.update(answers).where(large, answers.c.key.in_(keys)).values(body=PACKED))


class Kept(msgspec.Struct):
    """The number and the size of the stored answers of all businesses."""

    count: int
    bytes: int


def kept(db: sa.Connection) -> Kept:
    """Count and measure the stored answers of all businesses."""
    row = db.execute(sa.select(sa.func.count(), sa.func.coalesce(sa.func.sum(_SIZE), 0)).select_from(answers)).one()
    return Kept(row[0], int(row[1]))


_SIZE = sa.func.octet_length(answers.c.body)
_LARGE = _SIZE.op(">", is_comparison=True)(sa.literal_column("4096"))  # as the index has it
