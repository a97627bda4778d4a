"""Copying from the price list: the items that lines name, in the plugin `items`, which may be off."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
import sqlalchemy as sa

from billycan import Context, Deleted, Fault, Invalid, Neighbours, Patch, own

from .lines import Line, NewLine

COPIED = ("description", "unit", "unit_price", "gst_code")


def let_new_items_fill_in(body: Patch[Any], stored: Sequence[Line]) -> None:
    """Let a new item fill in a stored line: clear the members that the item gives and the patch does not send."""
    had = {line.id: line.item_id for line in stored}
    parts = body.sent.get("line_items", [])
    for i, part in enumerate(parts):
        if part.get("item_id") is not None and part.get("id") in had and part["item_id"] != had[part["id"]]:
            parts[i] = {**part, **{name: None for name in COPIED if name not in part}}


def items_named(ctx: Context, sent: Sequence[NewLine], stored: Sequence[Line] = ()) -> dict[int, Any]:
    """Return the item to fill in each line that names one and lacks members, by the line's place, with one query.

    Raises Invalid for an unknown item. A complete stored line keeps its item, whether the plugin is on or off.
    """
    had = {line.id: line.item_id for line in stored}
    asked = {
        i: line.item_id
        for i, line in enumerate(sent)
        if line.item_id is not None
        and (had.get(line.id or "") != line.item_id or line.description is None or line.unit_price is None)
    }
    if not asked:
        return {}
    found: Mapping[str, Any] = {}
    if ctx.has("items"):
        from billycan_items import api as items  # noqa: PLC0415 - there only where that plugin is

        found = items.copied(ctx, sorted({*asked.values()}))
    if unknown := [i for i, id in asked.items() if id not in found]:
        missing = "there is no such record"
        raise Invalid.of(*(Fault(f"line_items[{i}].item_id", "not_found", missing) for i in unknown))
    return {i: found[id] for i, id in asked.items()}


def fill_in(sent: Sequence[NewLine], items: Mapping[int, Any]) -> list[NewLine]:
    """Return the lines with the members of their items in place of those that were not sent."""
    lines = [*sent]
    for i, item in items.items():
        line = lines[i]
        lines[i] = msgspec.structs.replace(
            line,
            description=line.description or item.description or item.name,
            unit_price=item.unit_price if line.unit_price is None else line.unit_price,
            unit=line.unit or item.unit,
            gst_code=line.gst_code or item.gst_code,
        )
    return lines


def keeps_items(documents: sa.Table, lines: sa.Table) -> Callable[[Context, Deleted], None]:
    """Make the hearer of `item.deleted` for a kind of document: it refuses to delete an item that a line names."""

    def keep_item(ctx: Context, item: Deleted) -> None:
        naming = sa.select(lines.c.document_id).where(own(ctx, lines), lines.c.item_id == item.id)
        Neighbours.check_unused(ctx, documents, documents.c.id.in_(naming), instead="set `active` to false instead")

    return keep_item
