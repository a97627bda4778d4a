"""The lines and figures of a document, worked out of what was sent, the price list and the business's settings.

The plugin `items`, which has the price list, may be off.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Literal

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, Deleted, Fault, Invalid, Neighbours, Patch, new_id, own

from .lines import Line, NewDocument, NewLine, line_faults, plain_number, plain_percent, unregistered
from .rules import Charge, GstCode, Totals, totals

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


class Work(Struct):
    """All that a document's lines and figures follow from, so that they need not be worked out again if it is equal.

    `items` are the items to fill in, by the places of their lines; `stored` are the document's present lines.
    `registered` tells whether the business is registered for GST on `day`.
    """

    sent: Sequence[NewLine]
    items: Mapping[int, Any]
    stored: Sequence[Line]
    amounts_are: Literal["exclusive", "inclusive"]
    gst_rounding: Literal["total_invoice", "per_line"]
    discount_percent: Decimal | None
    discount_amount: Decimal | None
    day: date
    registered: bool


def work_of(ctx: Context, document: NewDocument, stored: Sequence[Line] = ()) -> Work:
    """Return what a document's lines and figures follow from; `stored` are its present lines.

    Raises Invalid for an unknown item.
    """
    tenant = ctx.tenant
    # A job has no date; its invoice gets one.
    day = getattr(document, "issue_date", None) or ctx.today()
    return Work(
        document.line_items,
        items_named(ctx, document.line_items, stored),
        stored,
        document.amounts_are or tenant.amounts_are,
        document.gst_rounding or tenant.gst_rounding,
        document.discount_percent,
        document.discount_amount,
        day,
        tenant.registered_on(day),
    )


def work_out(work: Work) -> tuple[list[Line], dict[str, Any]]:
    """Fill in a document's lines and calculate the columns of its figures.

    Raises Invalid for an unknown line id, for GST charged by a tenant that is not registered for it, and for an amount
    beyond the limit.
    """
    if faults := line_faults([line.id for line in work.sent], (line.id for line in work.stored)):
        raise Invalid.of(*faults)
    sent = fill_in(work.sent, work.items) if work.items else work.sent
    code: GstCode = "gst" if work.registered else "out_of_scope"
    codes = [line.gst_code or code for line in sent]
    if not work.registered and "gst" in codes:
        raise unregistered(codes, work.day)
    figures = totals(
        [_charge(line, code) for line, code in zip(sent, codes, strict=True)],
        amounts_are=work.amounts_are,
        gst_rounding=work.gst_rounding,
        discount_percent=work.discount_percent,
        discount_amount=work.discount_amount,
    )
    columns = {
        "amounts_are": work.amounts_are,
        "gst_rounding": work.gst_rounding,
        "discount_percent": work.discount_percent,
        "discount_amount": work.discount_amount,
        "subtotal": figures.subtotal,
        "discount_total": figures.discount_total,
        "gst": figures.gst,
        "total": figures.total,
        "gst_breakdown": msgspec.to_builtins(list(figures.gst_breakdown)),
    }
    return _lines(sent, codes, figures), columns


def _charge(line: NewLine, code: GstCode) -> Charge:
    return Charge(line.quantity, _price(line), code, line.discount_percent, line.discount_amount)


def _price(line: NewLine) -> Decimal:
    assert line.unit_price is not None  # noqa: S101 - it was sent, or filled in
    return line.unit_price


def _lines(sent: Sequence[NewLine], codes: Sequence[GstCode], figures: Totals) -> list[Line]:
    return [
        Line(
            line.id or new_id("lin"),
            line.description or "",
            plain_number(line.quantity),
            line.unit,
            plain_number(_price(line), 2),
            plain_percent(line.discount_percent),
            line.discount_amount,
            code,
            amounts.net,
            amounts.gst,
            amounts.total,
            line.item_id,
        )
        for line, code, amounts in zip(sent, codes, figures.lines, strict=True)
    ]
