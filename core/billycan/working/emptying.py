"""Empty a sandbox in bounded transactions, between which others can write, and refill it."""

from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

import sqlalchemy as sa

from ..context import Context
from ..counters import EVENTS, counters, last_number
from ..db import at_most, metadata, own
from ..events import BYTES, events, forgotten
from ..idempotency import answers
from ..keys import keys
from ..starting.filling import fills
from ..tenants import ceilings, standings
from .retention import forget_every_event
from .worker import waiting

if TYPE_CHECKING:
    from ..app import App

MOST_AT_ONCE = 500  # rows, in one transaction
# Keys stay, and so do positions in the log of events: a follower then learns that its events are gone. What says that a
# business's rows are filled stays, too, or they would be filled anew between two of these transactions.
_STAY = (keys, ceilings, standings, counters, events, forgotten, waiting, fills)


class Emptying:
    """The work of emptying the sandbox of a context, whose time is the real one: call `remove` until it returns 0, then
    `finish`, and begin again if that returns False.

    `since` is when it began: answers to later requests stay for their Idempotency-Keys.
    """

    def __init__(self, app: "App", since: datetime) -> None:
        self._offers = [offer for _, offer in app.offered(Context.Emptied)]
        stay = {*_STAY, *(table for offer in self._offers for table in offer.stay)}
        used = {table.name for manifest in app.manifests.values() for table in manifest.tables}
        self._tables = [
            table
            for table in reversed(metadata.sorted_tables)
            if "tenant_id" in table.c and table not in stay and (table.name in used or table.name.startswith("core_"))
        ]
        self._since = since

    @staticmethod
    def samples(app: "App") -> Mapping[str, Callable[[Context], None]]:
        """Map plugins to what adds their sample records, in the order in which that is to be done."""
        return {name: manifest.demo for name, manifest in app.manifests.items() if manifest.demo}

    def remove(self, ctx: Context) -> int:
        """Remove some rows in the open transaction; return how many, 0 if there are none."""
        ctx.changed = True  # lists that were counted before are counted anew
        for offer in self._offers:
            if offer.remove and (removed := offer.remove(ctx)):
                return removed
        for table in self._list_left(ctx):
            try:
                with ctx.db.begin_nested():
                    removed = self._remove_from(ctx, table)
            except sa.exc.IntegrityError:
                continue  # a request added a row that refers to one of these: that one is removed first, in its turn
            if removed:
                return removed
        return forget_every_event(ctx)

    def finish(self, ctx: Context) -> bool:
        """Restart all numbers; return False if there are rows again, so that the transaction is undone."""
        # Whoever adds a record counts it: they are waited for here, and wait from here on.
        here = own(ctx, counters) & counters.c.name.not_in((EVENTS, BYTES))
        ctx.db.execute(sa.delete(counters).where(here))
        # No event told of what was removed, so every follower of the log has to begin anew, wherever it was.
        number = last_number(EVENTS)
        ctx.db.execute(
            sa.update(forgotten).where(own(ctx, forgotten)).values(sequence=number), {"of_tenant": ctx.tenant_id}
        )
        return not self._list_left(ctx)

    def _remove_from(self, ctx: Context, table: sa.Table) -> int:
        gone = ctx.db.execute(
            sa.delete(table).where(at_most(MOST_AT_ONCE, table, *self._conditions_of(ctx, table)))
        ).rowcount
        counter = own(ctx, counters) & (counters.c.name == table.name)
        ctx.db.execute(sa.update(counters).where(counter).values(live=counters.c.live - gone))
        return gone

    def _list_left(self, ctx: Context) -> Collection[sa.Table]:
        """List the tables that have rows, those that refer to others first."""
        asked = [sa.select(sa.literal(1)).where(*self._conditions_of(ctx, table)).exists() for table in self._tables]
        found = ctx.db.execute(sa.select(*asked)).one()
        return [table for table, has_rows in zip(self._tables, found, strict=True) if has_rows]

    def _conditions_of(self, ctx: Context, table: sa.Table) -> Iterator[sa.ColumnElement[bool]]:
        yield own(ctx, table)
        if table is answers:
            yield answers.c.created_at < self._since
