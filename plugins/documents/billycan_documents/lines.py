"""Line items of a document: as clients send them, as they are stored, and their amounts.

The plugin `items`, which has the price list that fills lines in, may be off.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal

import msgspec
import sqlalchemy as sa
from msgspec import Meta, Struct

from billycan import (
    ByCodePoint,
    Context,
    Decimals,
    Deleted,
    Fault,
    Invalid,
    Json,
    Member,
    Neighbours,
    NewResource,
    Patch,
    decode,
    new_id,
    new_table,
    own,
)
from billycan.fields import Amount, Currency, Description, Id, Number, Percent, Text

from .rules import Charge, CodeTotals, GstCode, Totals, totals

AmountsAre = Literal["exclusive", "inclusive"]  # of GST
GstRounding = Literal["total_invoice", "per_line"]
Quantity = Annotated[
    Decimal, Number("A quantity with at most 4 decimal places; negative for a credit line.", places=4, kind="quantity")
]
UnitPrice = Annotated[
    Decimal,
    Number("A price per unit with at most 4 decimal places; negative for a credit line.", places=4, kind="money"),
]
COPIED = ("description", "unit", "unit_price", "gst_code")
MOST_LINES = 500  # that a client may send
Unit = Annotated[str, Text("What a quantity counts, such as `hour` or `each`.", least=1, most=20)]


class NewLine(Struct, forbid_unknown_fields=True, kw_only=True):
    """A line item. On PATCH, one with an `id` is merged into the stored one; one without is new.

    id: On PATCH, which stored line this is.
    item_id: The item of the price list that gives what is not sent of `description`, `unit`, `unit_price` and
      `gst_code`; they are copied.
    description: What is charged for; required without an item.
    quantity: How many; negative for a credit line.
    unit: The unit of the quantity, such as `hour`.
    unit_price: The price of one unit, with or without GST as `amounts_are` says; negative for a credit line; required
      without an item.
    discount_percent: A discount on the line, in percent; not together with `discount_amount`.
    discount_amount: A discount on the line, in dollars; at most the line's amount.
    gst_code: How the line is taxed; defaults to `gst`, or `out_of_scope` if the business is not registered for GST.
    """

    required_without: ClassVar[dict[str, str]] = {"description": "item_id", "unit_price": "item_id"}

    id: Id | None = None
    item_id: Id | None = None
    description: Description | None = None
    quantity: Quantity = Decimal("1.0000")
    unit: Unit | None = None
    unit_price: UnitPrice | None = None
    discount_percent: Percent | None = None
    discount_amount: Amount | None = None
    gst_code: GstCode | None = None


class Line(Struct, gc=False):
    """A line item as it is shown; `net`, `gst` and `total` are after its share of the document's discount.

    id: Its id, by which a PATCH names it.
    net: Its amount without GST.
    gst: The GST on it.
    total: Its amount with GST.
    item_id: The item that it was filled in from.
    """

    id: str
    description: str
    quantity: Quantity
    unit: str | None
    unit_price: Annotated[UnitPrice, Member(role="amount")]
    discount_percent: Percent | None
    discount_amount: Amount | None
    gst_code: GstCode
    net: Amount
    gst: Amount
    total: Annotated[Amount, Member(role="amount")]
    item_id: Annotated[str | None, Member(told_by="description")] = None


class NewDocument(NewResource, kw_only=True):
    """The members that a document's amounts depend on; the tenant's own defaults apply to those not sent.

    line_items: What is charged for, in order.
    currency: Always AUD.
    amounts_are: Whether the prices of the lines include GST; defaults to the business's setting.
    gst_rounding: Whether GST is rounded once for the document or for each line; defaults to the business's setting.
    discount_percent: A discount on the whole document, in percent; not together with `discount_amount`.
    discount_amount: A discount on the whole document, in dollars, spread over its lines.
    """

    line_items: Annotated[list[NewLine], Meta(min_length=1, max_length=MOST_LINES)]
    currency: Currency = "AUD"
    amounts_are: AmountsAre | None = None
    gst_rounding: GstRounding | None = None
    discount_percent: Percent | None = None
    discount_amount: Amount | None = None


def check_registration(ctx: Context, codes: Sequence[str], day: date) -> None:
    """Refuse GST in a document dated on a day when the tenant is not registered for it (s 9-5, 29-70 GST Act)."""
    if may_charge_gst(ctx, codes, day):
        return
    raise unregistered(codes, day)


def unregistered(codes: Sequence[str], day: date) -> Invalid:
    """Return the refusal of GST that a business charges on a day when it is not registered for it."""
    return Invalid(
        f"A business that is not registered for GST on {day} cannot charge it: use another gst_code or gst_settings.",
        code="gst_not_registered",
        param=f"line_items[{codes.index('gst')}].gst_code",
    )


def may_charge_gst(ctx: Context, codes: Sequence[str], day: date) -> bool:
    """Tell whether the tenant may use these GST codes on a day: `gst` requires registration on that day."""
    return "gst" not in codes or ctx.tenant.registered_on(day)


def breakdown(stored: Any) -> list[CodeTotals]:
    """Convert a stored `gst_breakdown` column to what is shown."""
    return [
        CodeTotals(part["gst_code"], Decimal(part["rate"]), Decimal(part["net"]), Decimal(part["gst"]))
        for part in stored
    ]


def let_one_discount_clear_the_other(body: Patch[Any]) -> None:
    """Let a percentage sent in a patch clear a stored amount, and vice versa, in the document and in each line."""
    parts = body.sent.get("line_items", [])
    for i, part in enumerate(parts):
        if other := _discount_to_clear(part):
            parts[i] = {**part, other: None}
    if other := _discount_to_clear(body.sent):
        body.sent[other] = None


def _discount_to_clear(part: Mapping[str, Any]) -> str | None:
    for one, other in (("discount_percent", "discount_amount"), ("discount_amount", "discount_percent")):
        if part.get(one) is not None and other not in part:
            return other
    return None


def patched(body: Patch[Any], before: Mapping[str, Any], line: type[Struct]) -> Any:
    """Apply a patch to the members of a document; `line` is the struct of the lines that clients send.

    An invoice of all that is left of some work, or a note that credits all of it, may have more lines than a client may
    send.
    """
    sent = before["line_items"]
    rest = [] if "line_items" in body else sent[MOST_LINES:]
    after = body.over({**before, "line_items": sent[: len(sent) - len(rest)]})
    after.line_items += [decode(each, line) for each in rest]
    return after


def line_id_faults(body: Patch[Any], stored: Sequence[Line]) -> list[Fault]:
    """Return a fault for each line that a patch names and the document does not have."""
    return line_faults([line.get("id") for line in body.sent.get("line_items", ())], (line.id for line in stored))


def id_faults(member: str, kind: str, ids: Sequence[str | None], stored: Iterable[str]) -> list[Fault]:
    """Return a fault for each id in this member's list that no stored item has, or that appears twice."""
    left: set[str | None] = set(stored)
    faults = []
    for i, id in enumerate(ids):
        if id is not None and id not in left:
            faults.append(Fault(f"{member}[{i}].id", "not_found", f"is not {kind}, or appears twice; leave it out"))
        left.discard(id)
    return faults


def document_columns() -> tuple[sa.Column[Any], ...]:
    """The columns of a document's figures."""
    return (
        sa.Column("amounts_are", sa.Text, nullable=False),
        sa.Column("gst_rounding", sa.Text, nullable=False),
        sa.Column("discount_percent", Decimals(4)),
        sa.Column("discount_amount", Decimals(2)),
        sa.Column("subtotal", Decimals(2), nullable=False),
        sa.Column("discount_total", Decimals(2), nullable=False),
        sa.Column("gst", Decimals(2), nullable=False),
        sa.Column("total", Decimals(2), nullable=False),
        sa.Column("gst_breakdown", sa.JSON, nullable=False),
    )


def gst_codes(row: Any) -> list[str]:
    """List the GST codes of a stored document."""
    return [part["gst_code"] for part in row.gst_breakdown]


def party_columns() -> tuple[sa.Column[Any], ...]:
    """The columns of a document's client, frozen when the document is sent."""
    return (
        sa.Column("client_name", sa.Text),
        sa.Column("client_abn", sa.Text),
        sa.Column("client_address", Json),
    )


def lines_table(parent: str) -> sa.Table:
    """The table of a kind of document's lines."""
    return new_table(
        f"{parent}_lines",
        sa.Column("document_id", ByCodePoint, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("quantity", Decimals(4), nullable=False),
        sa.Column("unit", sa.Text),
        sa.Column("unit_price", Decimals(4), nullable=False),
        sa.Column("discount_percent", Decimals(4)),
        sa.Column("discount_amount", Decimals(2)),
        sa.Column("gst_code", sa.Text, nullable=False),
        sa.Column("net", Decimals(2), nullable=False),
        sa.Column("gst", Decimals(2), nullable=False),
        sa.Column("total", Decimals(2), nullable=False),
        sa.Column("item_id", ByCodePoint),
        sa.ForeignKeyConstraint(["tenant_id", "document_id"], [f"{parent}.tenant_id", f"{parent}.id"]),
        sa.Index(None, "tenant_id", "document_id", "position"),
        Neighbours.index("item_id"),
    )


def line_of(
    id: str,
    description: str,
    quantity: Decimal,
    unit: str | None,
    unit_price: Decimal,
    discount_percent: Decimal | None,
    *more: Any,
) -> Line:
    """Make a line as shown from its stored columns, in the order of its members."""
    price, percent = plain_number(unit_price, 2), plain_percent(discount_percent)
    return Line(id, description, plain_number(quantity), unit, price, percent, *more)


def as_sent(line: Line) -> dict[str, Any]:
    """Convert a stored line to the members a client may send, so that a patch can merge into it."""
    return {name: getattr(line, name) for name in NewLine.__struct_fields__}


@lru_cache(4096)
def plain_number(number: Decimal, places: int = 0) -> Decimal:
    """Drop a number's trailing zeros, but keep at least `places` decimals."""
    exponent = min(number.normalize().as_tuple().exponent, -places)
    return number.quantize(Decimal(1).scaleb(int(exponent)))


def plain_percent(percent: Decimal | None) -> Decimal | None:
    """Drop a percentage's trailing zeros; None stays None."""
    return None if percent is None else plain_number(percent)


def line_faults(ids: Sequence[str | None], stored: Iterable[str]) -> list[Fault]:
    """Return a fault for each id that no stored line has, or that appears twice."""
    return id_faults("line_items", "a line of this document", ids, stored)


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
        [
            Charge(line.quantity, _price_of(line), code, line.discount_percent, line.discount_amount)
            for line, code in zip(sent, codes, strict=True)
        ],
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
    return _build_lines(sent, codes, figures), columns


def _price_of(line: NewLine) -> Decimal:
    assert line.unit_price is not None  # noqa: S101 - it was sent, or filled in
    return line.unit_price


def _build_lines(sent: Sequence[NewLine], codes: Sequence[GstCode], figures: Totals) -> list[Line]:
    return [
        Line(
            line.id or new_id("lin"),
            line.description or "",
            plain_number(line.quantity),
            line.unit,
            plain_number(_price_of(line), 2),
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
