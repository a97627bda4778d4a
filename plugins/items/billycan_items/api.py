"""Items' functions for other plugins: names of items, and the members that lines of documents copy."""

from collections.abc import Iterable
from decimal import Decimal

import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, Records
from billycan.sql import ByIds

from .resource import GstCode, items

_table = items.table

# Map each id to the item's name, in one query; `lock=True` keeps items from being deleted until the transaction ends.
names = Records.names_of(_table.c.name)


class Copied(Struct):
    """The members of an item that a line of a document copies."""

    id: str
    name: str
    description: str | None
    unit: str | None
    unit_price: Decimal
    gst_code: GstCode | None


def copied(ctx: Context, ids: Iterable[str]) -> dict[str, Copied]:
    """Map each id to the members that a line copies of the item, in one query, without ids that are not the tenant's.

    In a write transaction, the items are locked: none is changed or deleted until the transaction ends.
    """
    found = _LOCKED if ctx.writes else _FOUND
    return {row.id: Copied(*row) for row in found.all(ctx.db, ctx.tenant_id, ids)}


_COPIED = sa.select(*(_table.c[name] for name in Copied.__struct_fields__))
_FOUND = ByIds(_COPIED, _table.c.id)
_LOCKED = ByIds(_COPIED.order_by(_table.c.id).with_for_update(read=True), _table.c.id)
