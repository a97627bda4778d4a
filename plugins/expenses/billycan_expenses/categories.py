"""Handlers of expense categories, and the records behind them."""

from collections.abc import Collection, Iterable
from decimal import Decimal
from typing import Any, cast

import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, Deleted, Neighbours, NotFound, Page, Patch, Query, Records, own
from billycan.sql import ByIds

from . import category_resource, rules
from .category_resource import Category, NewCategory
from .parts_tables import lines
from .starter import STARTER, all_categories, categories, store

records = category_resource.categories.records

# The same, read from a query that includes the starter set.
shown = Records(categories, Category, prefix="cat", search=("name",))
shown.table = cast(Any, all_categories)

_NAMES = ByIds(sa.select(categories.c.id, categories.c.name), categories.c.id)
_TERMS = (all_categories.c[name] for name in ("id", "gst_code", "gst_required", "deductible"))
_DEFAULTS = ByIds(sa.select(*_TERMS), all_categories.c.id)


class Defaults(Struct):
    """The GST terms of an expense that names none, and whether its GST must be entered."""

    gst_code: rules.GstCode = "gst"
    gst_required: bool = False
    business_use_percent: Decimal = rules.ALL


def names(ctx: Context, ids: Iterable[str]) -> dict[str, str]:
    """Map each id to the category's name. If a write names a category of the starter set, store the set first."""
    wanted = list(ids)
    found = _find_names(ctx, wanted)
    if ctx.writes and any(id in STARTER and id not in found for id in wanted):
        store(ctx)
        found = _find_names(ctx, wanted)
    return found


def defaults_of(ctx: Context, id: str) -> Defaults:
    """Return the GST terms of a category's expenses."""
    return _find_defaults(ctx, [id]).get(id) or Defaults()


def defaults_of_each(ctx: Context, ids: Collection[str]) -> dict[str, Defaults]:
    """Map the id of each of these categories that exists to the GST terms of its expenses."""
    found = names(ctx, ids)  # stores the starter set, if need be
    return _find_defaults(ctx, found)


def _find_defaults(ctx: Context, ids: Collection[str]) -> dict[str, Defaults]:
    return {
        row.id: Defaults(row.gst_code or "gst", row.gst_required, rules.ALL if row.deductible else rules.NOTHING)
        for row in _DEFAULTS.all(ctx.db, ctx.tenant_id, ids)
    }


def list_categories(ctx: Context, query: Query[Category]) -> Page[Category]:
    """All categories: a starter set, until you change it.

    Every business starts with the same set and can change its own.
    """
    # The condition forces a count: the starter set is in no counter until it is stored.
    return shown.page(ctx, query, sa.true())


def create_category(ctx: Context, body: NewCategory) -> Category:
    """Add a category.

    Emits `expense_category.created`.
    """
    store(ctx)
    category = records.add(ctx, body)
    ctx.emit("expense_category.created", category)
    return category


def get_category(ctx: Context, id: str) -> Category:
    """One category.

    It is from the starter set, or one that the business added.
    """
    this = sa.select(all_categories).where(own(ctx, shown.table), all_categories.c.id == id)
    row = ctx.db.execute(this).first()
    if row is None:
        raise NotFound
    return shown.show(ctx, [row])[0]


def update_category(ctx: Context, id: str, body: Patch[NewCategory]) -> Category:
    """Change a category; expenses show its new name.

    Emits `expense_category.updated` if anything changed.
    """
    store(ctx)
    category, changed = records.change(ctx, id, body)
    if changed:
        ctx.emit("expense_category.updated", category)
    return category


def delete_category(ctx: Context, id: str) -> Deleted:
    """Delete a category without expenses; one from the starter set does not come back.

    Refused with `has_dependents` while it has expenses. Emits `expense_category.deleted`.
    """
    store(ctx)
    Neighbours.check_unused(ctx, lines, lines.c.category_id == id, kind="expenses")
    deleted = records.remove(ctx, id)
    ctx.emit("expense_category.deleted", deleted)
    return deleted


def _find_names(ctx: Context, ids: list[str]) -> dict[str, str]:
    return {row.id: row.name for row in _NAMES.all(ctx.db, ctx.tenant_id, ids)}
