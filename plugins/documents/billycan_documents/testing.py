"""Random documents as clients send them, for property tests of anything with line items; needs hypothesis."""

from decimal import ROUND_DOWN, Decimal
from typing import Any

from hypothesis import strategies as st

from .rules import GST_CODES, Charge, totals

_CENT = Decimal("0.01")


def decimals(least: int, most: int, places: int) -> st.SearchStrategy[Decimal]:
    """Generate numbers with this many decimals; zero is never negative."""
    found = st.decimals(least, most, places=places, allow_nan=False, allow_infinity=False)
    return found.map(lambda number: number + 0)


# Made once: hypothesis examines each strategy that it has not seen.
_CODES = st.sampled_from(GST_CODES)
_DISCOUNTS = st.sampled_from(["none", "none", "percent", "amount"])
_PERCENTS, _TENTHS = decimals(0, 100, 4), st.integers(0, 10)
_QUANTITIES, _PRICES = decimals(-20, 200, 4), decimals(-5, 2000, 4) | decimals(0, 2, 2)


@st.composite
def discounts(draw: st.DrawFn, whole: Decimal) -> dict[str, str]:
    """Generate no discount, a percentage, or an amount of at most `whole` and of the same sign."""
    kind = draw(_DISCOUNTS)
    if kind == "percent":
        return {"discount_percent": str(draw(_PERCENTS))}
    if kind == "amount":
        part = (whole * draw(_TENTHS) / 10).quantize(_CENT, ROUND_DOWN) + 0
        return {"discount_amount": str(part)}
    return {}


@st.composite
def lines(draw: st.DrawFn) -> dict[str, str]:
    """Generate a line item with any GST code; some are credits."""
    quantity, price = draw(_QUANTITIES), draw(_PRICES)
    code = draw(_CODES)
    given = {"description": "Goods", "unit_price": str(price), "quantity": str(quantity), "gst_code": code}
    return {**given, **draw(discounts(quantity * price))}


_LINES = st.lists(lines(), min_size=1, max_size=8)
_AMOUNTS_ARE = st.sampled_from(["exclusive", "inclusive"])
_ROUNDINGS = st.sampled_from(["total_invoice", "per_line"])


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """Generate lines, a GST mode, a rounding rule and sometimes a discount on the whole document."""
    items = draw(_LINES)
    entered = totals([_charge_of(item) for item in items], amounts_are="exclusive", gst_rounding="per_line").subtotal
    return {
        "line_items": items,
        "amounts_are": draw(_AMOUNTS_ARE),
        "gst_rounding": draw(_ROUNDINGS),
        **draw(discounts(entered)),
    }


def _charge_of(item: dict[str, str]) -> Charge:
    percent, amount = (item.get(name) for name in ("discount_percent", "discount_amount"))
    return Charge(
        Decimal(item["quantity"]),
        Decimal(item["unit_price"]),
        item["gst_code"],
        None if percent is None else Decimal(percent),
        None if amount is None else Decimal(amount),
    )
