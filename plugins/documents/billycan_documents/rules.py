"""Line amounts, discounts and GST of a document, exact to the cent: pure functions.

Calculations use whole cents (`int`) or exact fractions of a cent; arguments and results are `Decimal` dollars. The
common cases use whole numbers, because a `Fraction` takes 2 µs for each step.
"""

from collections.abc import Sequence
from decimal import Context, Decimal, Inexact
from fractions import Fraction
from typing import Annotated, Literal, get_args

from msgspec import Struct

from billycan import Invalid
from billycan.fields import Amount, Percent, Text

GstCode = Literal["gst", "gst_free", "export", "input_taxed", "out_of_scope"]
GST_CODES: tuple[GstCode, ...] = get_args(GstCode)
RATES: dict[str, Decimal] = {code: Decimal("10") if code == "gst" else Decimal("0") for code in GST_CODES}  # per cent
LIMIT = Decimal("999999999.99")

_MOST_CENTS = int(LIMIT * 100)
_PERCENT = {code: int(rate) for code, rate in RATES.items()}
# More digits than any product of members has; raises instead of rounding.
_EXACT = Context(prec=60, traps=[Inexact])
_CENT = Decimal("0.01")


class Charge(Struct, frozen=True):
    """One line as entered; the discount is a percent or an amount, not both."""

    quantity: Decimal
    unit_price: Decimal
    gst_code: str = "gst"
    discount_percent: Decimal | None = None
    discount_amount: Decimal | None = None


class LineTotals(Struct, frozen=True):
    """One line after its own discount and its share of the document's: net + gst == total."""

    net: Decimal
    gst: Decimal
    total: Decimal


_Word = Annotated[str, Text(kind="word")]


class CodeTotals(Struct, frozen=True):
    """The totals of the lines with one GST code.

    gst_code: How these lines are taxed.
    rate: The rate of GST, in percent.
    net: Their amount without GST.
    gst: The GST on them.
    """

    gst_code: _Word
    rate: Percent
    net: Amount
    gst: Amount


class Totals(Struct, frozen=True):
    """A document's figures: subtotal + gst == total, and both the lines and the codes add up to them."""

    lines: tuple[LineTotals, ...]
    subtotal: Amount
    discount_total: Amount
    gst: Amount
    total: Amount
    gst_breakdown: tuple[CodeTotals, ...]


def totals(
    charges: Sequence[Charge],
    *,
    amounts_are: Literal["exclusive", "inclusive"],
    gst_rounding: Literal["total_invoice", "per_line"],
    discount_percent: Decimal | None = None,
    discount_amount: Decimal | None = None,
) -> Totals:
    """Calculate every figure of a document by the total invoice rule or the taxable supply rule (s 9-90(2) GST Act).

    The discounts and `discount_total` include GST if `amounts_are` says so. Negating all quantities and discount
    amounts negates every figure. Raises Invalid for the first rule that each line breaks, otherwise for the first that
    the document breaks.
    """
    codes = [charge.gst_code for charge in charges]
    entered = _price_lines(charges)
    amounts = [amount for _, amount in entered]
    if discount_percent is not None or discount_amount is not None:
        discount = nearest(_discount_on(Fraction(sum(amounts)), discount_percent, discount_amount, ""))
        shares = _share_discount(discount, amounts, codes) if discount else [0] * len(amounts)
        amounts = [amount - share for amount, share in zip(amounts, shares, strict=True)]
    discount_total = sum([undiscounted for undiscounted, _ in entered]) - sum(amounts)

    inclusive = amounts_are == "inclusive"
    gsts = _gst_of_lines(amounts, codes, inclusive, gst_rounding == "per_line")
    nets = [amount - gst for amount, gst in zip(amounts, gsts, strict=True)] if inclusive else amounts
    rows = list(zip(codes, nets, gsts, strict=True))
    for i, (_, net, gst) in enumerate(rows):
        if abs(net + gst) > _MOST_CENTS:
            check_limit(f"line_items[{i}].total", net + gst)

    subtotal, gst = sum(nets), sum(gsts)
    check_limit("total", subtotal, discount_total, gst, subtotal + gst)
    breakdown = []
    for code in GST_CODES:
        if code in codes:
            code_net, code_gst = sum([n for c, n, _ in rows if c == code]), sum([g for c, _, g in rows if c == code])
            check_limit("total", code_net, code_gst)
            breakdown.append(CodeTotals(code, RATES[code], dollars(code_net), dollars(code_gst)))
    return Totals(
        lines=tuple([LineTotals(dollars(net), dollars(gst), dollars(net + gst)) for _, net, gst in rows]),
        subtotal=dollars(subtotal),
        discount_total=dollars(discount_total),
        gst=dollars(gst),
        total=dollars(subtotal + gst),
        gst_breakdown=tuple(breakdown),
    )


def allocate(amount: Decimal, weights: Sequence[Fraction | Decimal]) -> list[Decimal]:
    """Share an amount of whole cents by weight: the parts add up to it, each less than a cent from its exact share.

    Leftover cents go by largest remainder; equal remainders favour the earlier part. Raises ValueError if the amount
    has fractions of a cent, or is not zero while the weights add up to zero.
    """
    cents, exact_weights = Fraction(amount) * 100, [Fraction(weight) for weight in weights]
    whole = sum(exact_weights)
    if cents.denominator != 1 or (cents and not whole):
        raise ValueError(f"{amount} cannot be shared: it must be whole cents, and the weights must not come to zero")
    return [dollars(part) for part in whole_cents(int(cents), [cents * w / (whole or 1) for w in exact_weights])]


def round_cents(value: Decimal | Fraction | int) -> Decimal:
    """Round dollars to two decimals, half a cent away from zero (s 9-90(1) GST Act)."""
    return dollars(nearest(Fraction(value) * 100))


def _price_lines(charges: Sequence[Charge]) -> list[tuple[int, int]]:
    found, faults = [], []
    for i, charge in enumerate(charges):
        try:
            found.append(_price_line(charge, i))
        except Invalid as problem:
            faults += problem.details
    if faults:
        raise Invalid.of(*faults)
    return found


def _price_line(charge: Charge, place: int) -> tuple[int, int]:
    """Return the line's amount before and after its own discount, each rounded once from the exact figure."""
    if charge.gst_code not in RATES:
        raise Invalid.member(f"line_items[{place}].gst_code", "invalid_value", f"must be one of {', '.join(GST_CODES)}")
    exact = _EXACT.multiply(charge.quantity, charge.unit_price).scaleb(2, _EXACT)
    before = nearest(exact)
    if abs(before) > _MOST_CENTS:
        check_limit(f"line_items[{place}].total", before)
    if charge.discount_percent is None and charge.discount_amount is None:
        return before, before
    where = f"line_items[{place}]."
    discount = _discount_on(Fraction(exact), charge.discount_percent, charge.discount_amount, where)
    return before, nearest(Fraction(exact) - discount)


def _discount_on(before: Fraction, percent: Decimal | None, amount: Decimal | None, where: str) -> Fraction:
    """Return the discount on an amount in cents: at most the amount, and of the same sign."""
    if percent is not None and amount is not None:
        message = "cannot be combined with discount_percent: send one of them"
        raise Invalid.member(f"{where}discount_amount", "invalid_value", message)
    if percent is not None:
        if not 0 <= percent <= 100:
            message = f"must be from 0 to 100, not {percent:f}"
            raise Invalid.member(f"{where}discount_percent", "out_of_range", message)
        return before * Fraction(percent) / 100
    if not amount:
        return Fraction(0)
    off = Fraction(amount) * 100
    if abs(off) > abs(before) or off * before < 0:
        most = Decimal(before.numerator) / (before.denominator * 100)
        message = f"must be from 0 to {most:f}, the amount it reduces, not {amount:f}"
        raise Invalid.member(f"{where}discount_amount", "out_of_range", message)
    return off


def _share_discount(discount: int, amounts: list[int], codes: list[str]) -> list[int]:
    """Apportion the discount over the lines by amount: each line and each code within a cent of its exact share."""
    shares, whole = [0] * len(amounts), sum(amounts)
    exact = [Fraction(discount * amount, whole) for amount in amounts]
    # By code first: over the lines alone, the odd cents of many lines could all fall on one code and shift its GST. The
    # larger line goes first, so that the order in which lines were entered decides no total.
    larger_first = sorted(range(len(amounts)), key=lambda i: -abs(amounts[i]))
    groups = [[i for i in larger_first if codes[i] == code] for code in GST_CODES]
    sums = whole_cents(discount, [sum((exact[i] for i in group), Fraction()) for group in groups])
    for group, cents in zip(groups, sums, strict=True):
        for i, share in zip(group, whole_cents(cents, [exact[i] for i in group]), strict=True):
            shares[i] = share
    return shares


def _gst_of_lines(amounts: list[int], codes: list[str], inclusive: bool, per_line: bool) -> list[int]:
    """Return the GST of each line: a tenth of the value or an eleventh of the price (s 9-70, 9-75 GST Act)."""
    parts = 100 + _PERCENT["gst"] if inclusive else 100
    exact = [amount * _PERCENT[code] for amount, code in zip(amounts, codes, strict=True)]
    if per_line:
        return [nearest(gst, parts) for gst in exact]
    gst = nearest(sum(exact), parts)
    if not inclusive:
        return whole_cents(gst, exact, parts)
    # Here the price is fixed and the net amount is shared out: 3 x 1.05 is 0.96 + 0.95 + 0.95.
    left = [amount * parts - part for amount, part in zip(amounts, exact, strict=True)]
    nets = whole_cents(sum(amounts) - gst, left, parts)
    return [amount - net for amount, net in zip(amounts, nets, strict=True)]


def whole_cents(total: int, exact: Sequence[Fraction | int], parts: int = 1) -> list[int]:
    """Round to whole cents that add up to `total`, each moved by less than one; `total` lies as near the exact sum.

    `exact` is in cents, or in fractions of `1 / parts` cent. By largest remainder: round all, then round the nearest
    candidates the other way until the sum is right. Among equal ones the earlier end further from zero. Negative
    figures mirror positive ones.
    """
    cents = [nearest(each, parts) for each in exact]
    missing = total - sum(cents)
    if not missing:
        return cents
    step = 1 if missing > 0 else -1
    moved = [(cent * parts - each) * step for cent, each in zip(cents, exact, strict=True)]
    order = sorted(range(len(exact)), key=lambda i: (moved[i], i if exact[i] * step > 0 else -i))
    for i in order[: abs(missing)]:
        cents[i] += step
    return cents


def nearest(exact: Fraction | Decimal | int, parts: int = 1) -> int:
    """Round to whole cents, half away from zero; `exact` is in cents, or in fractions of `1 / parts` cent."""
    numerator, denominator = exact.as_integer_ratio()
    whole = denominator * parts
    rounded = (2 * abs(numerator) + whole) // (2 * whole)
    return rounded if numerator > 0 else -rounded


def dollars(cents: int) -> Decimal:
    return _EXACT.multiply(cents, _CENT)  # the operators would round to the precision of the running context


def check_limit(param: str, *amounts: int) -> None:
    """Refuse amounts beyond the limit, in cents."""
    if max(map(abs, amounts)) > _MOST_CENTS:
        message = f"must not exceed {LIMIT:,}: lower a quantity or unit_price, or split the document"
        raise Invalid.member(param, "out_of_range", message)
