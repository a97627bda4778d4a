"""Line items of a document: as clients send them, as they are stored, and their amounts."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal

import sqlalchemy as sa
from msgspec import Meta, Struct

from billycan import (
    ByCodePoint,
    Context,
    Decimals,
    Fault,
    Invalid,
    Json,
    Member,
    Neighbours,
    NewResource,
    Patch,
    decode,
    tenant_table,
)
from billycan.fields import Amount, Currency, Description, Id, Number, Percent, Text, UnitPrice

from .rules import CodeTotals, GstCode

AmountsAre = Literal["exclusive", "inclusive"]  # of GST
GstRounding = Literal["total_invoice", "per_line"]
Quantity = Annotated[
    Decimal, Number("A quantity with at most 4 decimal places; negative for a credit line.", places=4, kind="quantity")
]
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
    return tenant_table(
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
