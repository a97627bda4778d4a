"""Copying from the price list: the items that lines name, in the plugin `items`, which may be off."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from billycan import Context, Deleted, Fault, Invalid, Patch, check_unused, own

from .lines import Line, NewLine

COPIED = ("description", "unit", "unit_price", "gst_code")


def let_new_items_fill_in(body: Patch[Any], stored: Sequence[Line]) -> None:
    """Let a new item fill in a stored line: clear the members that the item gives and the patch does not send."""
    had = {line.id: line.item_id for line in stored}
    for part in body.sent.get("line_items", ()):
        if part.get("item_id") is not None and part.get("id") in had and part["item_id"] != had[part["id"]]:
            part.update({name: None for name in COPIED if name not in part})


def fill_in(ctx: Context, sent: Sequence[NewLine], stored: Sequence[Line] = ()) -> None:
    """Copy into each line that names an item the members that were not sent, with one query for all lines.

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
        return
    found: Mapping[str, Any] = {}
    if ctx.has("items"):
        from billycan_items import api as items  # noqa: PLC0415 - there only where that plugin is

        found = items.copied(ctx, sorted({*asked.values()}))
    if unknown := [i for i, id in asked.items() if id not in found]:
        missing = "there is no such record"
        raise Invalid.of(*(Fault(f"line_items[{i}].item_id", "not_found", missing) for i in unknown))
    for i, id in asked.items():
        line, item = sent[i], found[id]
        line.description = line.description or item.description or item.name
        line.unit_price = item.unit_price if line.unit_price is None else line.unit_price
        line.unit, line.gst_code = line.unit or item.unit, line.gst_code or item.gst_code


def keeps_items(documents: sa.Table, lines: sa.Table) -> Callable[[Context, Deleted], None]:
    """Make the hearer of `item.deleted` for a kind of document: it refuses to delete an item that a line names."""

    def keep_item(ctx: Context, item: Deleted) -> None:
        naming = sa.select(lines.c.document_id).where(own(ctx, lines), lines.c.item_id == item.id)
        check_unused(ctx, documents, documents.c.id.in_(naming), instead="set `active` to false instead")

    return keep_item
