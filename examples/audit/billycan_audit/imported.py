"""Events of imported files, whose entries follow in steps: a file's transaction makes thousands of records at once."""

from collections.abc import Collection, Iterable

import sqlalchemy as sa

from billycan import Context, Event, new_id, new_table, own
from billycan.fields import Moment
from billycan.sql import events

from .chain import append_entry

STEP = 100  # entries in a transaction, which locks the chain

# By their first and last number in the log; the first rises as entries are added.
imported = new_table(
    "audit_imported",
    sa.Column("first", sa.BigInteger, nullable=False),
    sa.Column("last", sa.BigInteger, nullable=False),
)


def note_imported(ctx: Context, names: Collection[str], first: int, last: int) -> None:
    """Note the events of a file in the transaction that makes its records, so that none is forgotten."""
    ctx.db.execute(sa.insert(imported).values(tenant_id=ctx.tenant_id, id=new_id("imp"), first=first, last=last))


# The log keeps these events until they are in the chain, however old they are.
needs = sa.select(events.c.tenant_id, events.c.id).join(
    imported,
    (imported.c.tenant_id == events.c.tenant_id) & events.c.sequence.between(imported.c.first, imported.c.last),
)
carrier = Event.Carrier(note_many=note_imported, needs=needs)


def append_imported(ctx: Context) -> bool:
    """Add the entries of the next events, in the order of the log; return whether more may be left."""
    # Locked, so that two workers do not add the same ones.
    next_file = sa.select(imported).where(own(ctx, imported)).order_by(imported.c.first).limit(1).with_for_update()
    file = ctx.db.execute(next_file).first()
    if file is None:
        return False
    until = min(file.last, file.first + STEP - 1)
    some = sa.select(events).where(own(ctx, events), events.c.sequence.between(file.first, until))
    for row in ctx.db.execute(some.order_by(events.c.sequence)).all():
        behalf = {name: value for name, value in (row.behalf or {}).items() if name != "trace"}
        append_entry(ctx, row.event, row.data, row.created_at, row.actor, behalf)
    this = own(ctx, imported) & (imported.c.id == file.id)
    if until == file.last:
        ctx.db.execute(sa.delete(imported).where(this))
    else:
        ctx.db.execute(sa.update(imported).where(this).values(first=until + 1))
    return True


def with_imported(db: sa.Connection, now: Moment) -> Iterable[str]:
    """Name the businesses whose chain lacks entries of imported files."""
    return db.execute(sa.select(imported.c.tenant_id).distinct()).scalars().all()
