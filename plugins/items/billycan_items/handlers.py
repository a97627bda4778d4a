"""Handlers of items: one function for each route."""

from collections.abc import Sequence
from decimal import Decimal

import sqlalchemy as sa

from billycan import Conflict, Context, Deleted, Page, Patch, Problem, Query, Row, hookimpl, own

from .resource import Item, NewItem, items

_SKU_TAKEN = ("uq_items_tenant_id_sku", "items.sku")  # in the messages of PostgreSQL and SQLite


def list_items(ctx: Context, query: Query[Item]) -> Page[Item]:
    """All items, including inactive ones unless you filter by `active`.

    `search` covers names, descriptions and SKUs.
    """
    page = items.records.rows(ctx, query, columns=items.records.columns(ctx))
    return page.of(_show_items(ctx, page.items))


def create_item(ctx: Context, body: NewItem) -> Item:
    """Add an item to the price list.

    Refused with `duplicate_sku` if another item has its `sku`. Emits `item.created`.
    """
    _check_sku(ctx, body.sku)
    (item,) = _show_items(
        ctx, [items.records.insert(ctx, **{name: getattr(body, name) for name in body.__struct_fields__})]
    )
    ctx.emit("item.created", item)
    return item


def get_item(ctx: Context, id: str) -> Item:
    """One item.

    Lines of documents have copies of it.
    """
    return _show_items(ctx, [items.records.find(ctx, id, items.records.columns(ctx))])[0]


def update_item(ctx: Context, id: str, body: Patch[NewItem]) -> Item:
    """Change an item; documents that exist keep what they copied.

    Refused with `duplicate_sku` if another item has its `sku`. Emits `item.updated` if anything changed.
    """
    row = items.records.lock(ctx, id)
    after = body.over(row._mapping)
    if after.sku != row.sku:
        _check_sku(ctx, after.sku)
    changed = items.records.save(ctx, row, **{name: getattr(after, name) for name in after.__struct_fields__})
    (item,) = _show_items(ctx, [changed])
    if changed.version != row.version:
        ctx.emit("item.updated", item)
    return item


def delete_item(ctx: Context, id: str) -> Deleted:
    """Delete an item that no document names; set `active` to false if you no longer sell it.

    Refused with `has_dependents` while a line refers to it, also one of a recurring invoice that has not ended. Emits
    `item.deleted`.
    """
    deleted = items.records.remove(ctx, id)
    ctx.emit("item.deleted", deleted)
    return deleted


@hookimpl
def handle_error(error: Exception) -> Problem | None:
    """Answer `duplicate_sku` if two requests used the same SKU at once, so that neither check saw the other item."""
    is_sku = isinstance(error, sa.exc.IntegrityError) and any(each in str(error.orig) for each in _SKU_TAKEN)
    return _sku_taken() if is_sku else None


def _sku_taken() -> Conflict:
    return Conflict("Another item has this sku.", code="duplicate_sku", param="sku")


def _check_sku(ctx: Context, sku: str | None) -> None:
    taken = sa.select(items.table.c.id).where(own(ctx, items.table), items.table.c.sku == sku)
    if sku is not None and ctx.db.execute(taken).first():
        raise _sku_taken()


def _show_items(ctx: Context, rows: Sequence[Row]) -> list[Item]:
    """Return items as clients see them."""
    prices = {row.id: short(row.unit_price) for row in rows} if ctx.wants(Item, "unit_price") else {}
    return items.records.show(ctx, rows, unit_price=prices)


def short(price: Decimal) -> Decimal:
    """Strip the trailing zeros of a price, down to its cents."""
    cents = price.quantize(Decimal("0.01"))
    return cents if cents == price else price.normalize()
