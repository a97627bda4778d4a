"""The names of records by their ids: what a reference shows, and what it is checked with."""

from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

import sqlalchemy as sa

from .context import Context
from .statements import Asked, ByIds

Names = Callable[[Context, Iterable[str]], Mapping[str, str]]


class LockingNames(Protocol):
    """What `names_of` gives; `asked` is what `at_once` takes to look one id up."""

    asked: Callable[..., Asked]

    def __call__(self, ctx: Context, ids: Iterable[str], *, lock: bool = False) -> dict[str, str]: ...


def names_of(column: sa.Column[str]) -> LockingNames:
    """What a plugin's `api` offers of a resource: a function that maps ids to this column, in one query.

    Ids that are not the tenant's are left out. `lock=True` keeps each of the records from being deleted until the
    transaction ends: a reference to one then holds without a foreign key, as whoever deletes it waits, and is heard.
    """
    table = column.table

    named = sa.select(table.c.id, column)
    # In one order, so that nobody waits for somebody who waits.
    in_order = named.order_by(table.c.id).with_for_update(read=True, key_share=True)
    found, locked = ByIds(named, table.c.id), ByIds(in_order, table.c.id)

    def names(ctx: Context, ids: Iterable[str], *, lock: bool = False) -> dict[str, str]:
        return {row[0]: row[1] for row in (locked if lock else found).all(ctx.db, ctx.tenant_id, ids)}

    def asked(ctx: Context, id: str, *, lock: bool = False) -> Asked:
        return (locked if lock else found).asked(ctx.tenant_id, id)

    names.asked = asked  # type: ignore[attr-defined]
    return names  # type: ignore[return-value]
