"""The lines and figures of a document, worked out of what was sent, the price list and the business's settings."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Literal

import msgspec
from msgspec import Struct

from billycan import Context, Invalid, new_ids

from .items import fill_in, items_named
from .lines import Line, NewDocument, NewLine, line_faults, plain_number, plain_percent, unregistered
from .rules import Charge, GstCode, Totals, totals


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
    ids = iter(new_ids("lin", sum([line.id is None for line in sent])))
    return [
        Line(
            line.id or next(ids),
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
