"""Documents whose entries are still to be made: those from before the ledger, imported ones, and all documents once the
GST settings have changed.

Each transaction makes entries of at most twenty documents, so that others hardly wait. Documents that are looked at
twice get nothing the second time: see `posting`.
"""

from collections.abc import Collection, Iterable

import sqlalchemy as sa

from billycan import ByCodePoint, Context, Event, LedgerEntries, new_id, new_table, own
from billycan.fields import Moment
from billycan.sql import events, tenants, upsert

STEP = 20  # documents in a transaction of timed work
MOST_AT_ONCE = 100  # documents that one event or request brings up to date, without leaving them to timed work

# How far a business's documents have been looked through: the plugin, and its last document so far.
walks = new_table(
    "reports_ledger_walks",
    sa.Column("plugin", sa.Text, nullable=False),
    sa.Column("after", ByCodePoint, nullable=False),
    sa.Column("done", sa.Boolean, nullable=False),
    # Counts how often it began anew, so that who looks through documents meanwhile notices.
    sa.Column("round", sa.Integer, nullable=False),
    sa.Index(None, "done"),
)

# Events of imported files, by their first and last number in the log; the first rises as their documents are done.
imported = new_table(
    "reports_ledger_imported",
    sa.Column("first", sa.BigInteger, nullable=False),
    sa.Column("last", sa.BigInteger, nullable=False),
)

ALL = "all"  # the id of a business's only walk


def begin_anew(ctx: Context) -> None:
    """Look through all of the business's documents again, by timed work."""
    row = upsert(walks, ctx.db).values(tenant_id=ctx.tenant_id, id=ALL, plugin="", after="", done=sa.false(), round=0)
    anew = {"plugin": "", "after": "", "done": sa.false(), "round": walks.c.round + 1}
    ctx.db.execute(row.on_conflict_do_update(index_elements=["tenant_id", "id"], set_=anew))


def note_imported(ctx: Context, names: Collection[str], first: int, last: int) -> None:
    """Leave the documents of an imported file to timed work."""
    if any(name in offer.events for _, offer in ctx.app.offered(LedgerEntries) for name in names):
        row = {"tenant_id": ctx.tenant_id, "id": new_id("imp"), "first": first, "last": last}
        ctx.db.execute(sa.insert(imported).values(row))


# The events of imported files are kept until their documents have entries.
needs = sa.select(events.c.tenant_id, events.c.id).join(
    imported,
    (imported.c.tenant_id == events.c.tenant_id) & events.c.sequence.between(imported.c.first, imported.c.last),
)
carrier = Event.Carrier(note_many=note_imported, needs=needs)


def is_behind(ctx: Context) -> bool:
    """Tell whether documents of the business may lack entries; ask it only once their entries were begun."""
    left = sa.select(walks.c.id).where(own(ctx, walks), ~walks.c.done)
    either = left.union_all(sa.select(imported.c.id).where(own(ctx, imported)))
    return ctx.db.execute(either.limit(1)).first() is not None


_BEHIND = sa.union(
    sa.select(tenants.c.id).where(tenants.c.id.not_in(sa.select(walks.c.tenant_id).where(walks.c.id == ALL))),
    sa.select(walks.c.tenant_id).where(~walks.c.done),
    sa.select(imported.c.tenant_id),
)


def behind(db: sa.Connection, now: Moment) -> Iterable[str]:
    """Return the businesses that have documents without entries, or whose documents nobody has looked through."""
    return db.execute(_BEHIND).scalars().all()
