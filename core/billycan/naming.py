"""Look-up of records' names by id, for showing references and checking them."""

from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

import sqlalchemy as sa

from .context import Context
from .engines.statements import Asked, ByIds

Names = Callable[[Context, Iterable[str]], Mapping[str, str]]


class LockingNames(Protocol):
    """The type of the functions that `names_of` returns; `asked` is a statement for `at_once` that looks one id up."""

    asked: Callable[..., Asked]

    def __call__(self, ctx: Context, ids: Iterable[str], *, lock: bool = False) -> dict[str, str]: ...


def names_of(column: sa.Column[str]) -> LockingNames:
    """Return a function that maps ids to this column in one query, for a plugin's `api` to offer.

    Ids that are not the tenant's are left out. `lock=True` keeps each of the records from being deleted until the
    transaction ends: a reference to one is then safe without a foreign key, because a deletion waits and its event is
    heard.
    """
    table = column.table

    named = sa.select(table.c.id, column)
    # In one order, to avoid deadlocks.
    in_order = named.order_by(table.c.id).with_for_update(read=True, key_share=True)
    found, locked = ByIds(named, table.c.id), ByIds(in_order, table.c.id)

    def names(ctx: Context, ids: Iterable[str], *, lock: bool = False) -> dict[str, str]:
        return {row[0]: row[1] for row in (locked if lock else found).all(ctx.db, ctx.tenant_id, ids)}

    def asked(ctx: Context, id: str, *, lock: bool = False) -> Asked:
        return (locked if lock else found).asked(ctx.tenant_id, id)

    names.asked = asked  # type: ignore[attr-defined]
    return names  # type: ignore[return-value]
