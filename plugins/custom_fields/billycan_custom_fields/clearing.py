"""Removing the values that are no longer shown: in transactions of a few hundred each."""

from collections.abc import Iterable

import sqlalchemy as sa

from billycan import Context, own
from billycan.fields import Moment

from .definitions import known_fields
from .tables import clearings, values

MOST_AT_ONCE = 500


def to_clear(db: sa.Connection, now: Moment) -> Iterable[str]:
    """Name the businesses that have values to remove."""
    return db.execute(sa.select(clearings.c.tenant_id).distinct()).scalars().all()


def clear_values(ctx: Context) -> bool:
    """Remove some values of a field that are no longer shown; return whether there may be more."""
    row = ctx.db.execute(sa.select(clearings.c.id).where(own(ctx, clearings)).limit(1).with_for_update()).first()
    if row is None:
        return False
    gone = own(ctx, values) & (values.c.field_id == row.id)
    if field := known_fields(ctx).by_id.get(row.id):
        gone &= values.c.value.not_in(field.choices)
    ids = ctx.db.execute(sa.select(values.c.id).where(gone).order_by(values.c.id).limit(MOST_AT_ONCE)).scalars().all()
    if ids:
        ctx.search_anew(ids)  # which locks the records first, as whoever changes one does
        ctx.db.execute(sa.delete(values).where(gone, values.c.id.in_(ids)))
        ctx.touched.update(dict.fromkeys(ids))
    else:
        ctx.db.execute(sa.delete(clearings).where(own(ctx, clearings), clearings.c.id == row.id))
    ctx.changed = True
    return True
