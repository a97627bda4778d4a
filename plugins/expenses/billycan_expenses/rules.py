"""The states of an expense, the GST that its receipt holds, and how much of it can be claimed: pure functions."""

from collections.abc import Sequence
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any, Literal

from billycan import Actions

GstCode = Literal["gst", "gst_free", "input_taxed", "capital", "capital_gst_free", "out_of_scope"]
ClaimStatus = Literal[
    "claimable",
    "awaiting_tax_invoice",
    "awaiting_abn",
    "too_old",
    "supplier_not_registered",
    "tax_withheld",
    "not_creditable",
]
Period = Literal["month", "quarter", "year"]

LABELS: dict[str, str] = {
    "gst": "GST on expenses",
    "gst_free": "GST-free expenses",
    "input_taxed": "Input taxed",
    "capital": "GST on capital purchases",
    "capital_gst_free": "GST-free capital purchases",
    "out_of_scope": "Out of scope",
}

# The codes whose price contains GST, which a registered business can claim (s 11-5 GST Act).
TAXABLE = ("gst", "capital")

# Up to this price, with GST, a claim needs no tax invoice (s 29-80(1) GST Act).
NO_TAX_INVOICE_UP_TO = Decimal("82.50")

actions = Actions({"payments": ("recorded", None), "void": ("recorded", "void")})
payment_actions = Actions({"reverse": ("recorded", "reversed")})

YEARS_TO_CLAIM = 4
NOTHING = Decimal("0.00")
ALL = Decimal("100.0000")  # of a purchase is for business use

# A refund takes these from its purchase: the adjustment never exceeds the claim (s 19-70, 19-80 GST Act).
OF_THE_PURCHASE = ("gst_code", "import_gst", "business_use_percent", "for_input_taxed_sales")

# The days on which an expense counts: its own, when it was paid, and its GST once the tax invoice is held.
DATES = ("date", "paid_on", "tax_invoice_held_on", "first_paid_on")

# What an expense with lines has from its lines.
OF_THE_LINES = ("amount", "category_id", "gst_code", "gst", "business_use_percent")

# Members that change no figure of locked books, or that follow from the dates.
OPEN_WHERE_LOCKED = frozenset(
    {
        *("description", "due_date", "reference", "job_id", "billable", "external_id", "metadata"),
        *("tax_invoice_held", "claim_until", "recorded_late", "line_count"),
    }
)

# A void expense stays as it was, except for these.
OPEN_ONCE_VOID = frozenset({"external_id", "metadata"})

_CENT = Decimal("0.01")


def amount_due(expense: Any) -> Decimal:
    """Return what is still to be paid; below zero if the supplier is to give it back."""
    is_settled = expense.status == "void" or expense.paid_on is not None
    return NOTHING if is_settled else Decimal(expense.amount - expense.part_paid)


def allowed_actions(status: str, due: Decimal, part_paid: Decimal) -> list[str]:
    """List the actions that are possible on an expense now: none with recorded payments can be voided."""
    possible = {"payments": due > 0, "void": not part_paid}
    return [action for action in actions.allowed(status) if possible[action]]


def leading(parts: Sequence[tuple[str, Decimal]]) -> int:
    """Return the place of the line that stands for all, given their GST codes and amounts: the largest that is taxed,
    or else the largest.
    """
    return max(range(len(parts)), key=lambda i: (parts[i][0] in TAXABLE, abs(parts[i][1]), -i))


def rate(gst_code: str) -> Decimal:
    """Return the GST within a price, in per cent of the price without it."""
    return Decimal("10") if gst_code in TAXABLE else Decimal("0")


def default_gst(amount: Decimal, gst_code: str) -> Decimal:
    """Return the GST of a price: an eleventh if it contains any (s 9-75 GST Act); below zero for a refund."""
    # An eleventh of whole cents never lies halfway between two cents.
    return (amount / 11).quantize(_CENT, ROUND_HALF_UP) if gst_code in TAXABLE else Decimal("0.00")


def refunded_gst(bought: tuple[Decimal, Decimal], before: tuple[Decimal, Decimal], amount: Decimal) -> Decimal:
    """Return the GST in a supplier's refund, below zero: the refund's share of the GST of the purchase.

    `bought` and `before` are the price and GST of the purchase, and of its earlier refunds. Refunds of the full price
    have the full GST, to the cent.
    """
    (price, gst), (amount_before, gst_before) = bought, before
    so_far = (gst * (amount_before - amount) / price).quantize(_CENT, ROUND_HALF_UP)
    return min(gst_before - so_far, NOTHING)


def gst_fits(gst: Decimal, amount: Decimal, gst_code: str, *, import_gst: bool = False) -> bool:
    """Tell whether a receipt of this price can contain this GST: up to an eleventh, and a cent for rounding.

    A payment to customs may be nothing but GST: it is a tenth of the value of the goods (s 13-20 GST Act), which are
    paid for elsewhere.
    """
    most = abs(Fraction(amount)) if import_gst else abs(Fraction(amount)) / 11 + Fraction(1, 100)
    most = most if gst_code in TAXABLE else Fraction(0)
    return 0 <= (gst if amount > 0 else -gst) <= most


def gst_rule(gst_code: str, *, import_gst: bool) -> str:
    """Return the rule that `gst_fits` checks, in words."""
    taxed = "the amount" if import_gst else "an eleventh of the amount and a cent"
    return f"must be from 0 to {taxed if gst_code in TAXABLE else '0'} for the gst_code {gst_code}"


def claim_until(day: date, period: Period) -> date:
    """Return the last day to claim the GST of a purchase made in the tax period of `day`.

    This is four years after the return for that period was due (s 93-5 GST Act): on the 21st of the month after a
    month, on the 28th of the month after a quarter, on 28 February for the quarter to December (s 31-8, 31-10), and on
    31 October for a year to June (s 162-60).
    """
    if period == "month":
        due = date(day.year + day.month // 12, day.month % 12 + 1, 21)
    elif period == "quarter":
        due = {1: date(day.year, 4, 28), 2: date(day.year, 7, 28), 3: date(day.year, 10, 28)}.get(
            (day.month + 2) // 3, date(day.year + 1, 2, 28)
        )
    else:
        due = date(day.year + (day.month > 6), 10, 31)
    return due.replace(year=due.year + YEARS_TO_CLAIM)


def claim_status(
    *,
    amount: Decimal,
    gst_code: str,
    tax_invoice_held: bool,
    status: str,
    registered: bool,
    supplier_registered: bool | None = None,
    too_old: bool = False,
    tax_withheld: Decimal = NOTHING,
    lacks_abn: bool = False,
    import_gst: bool = False,
    for_input_taxed_sales: bool = False,
) -> ClaimStatus:
    """Tell whether the GST can be claimed, and if not, why.

    A supplier who is not registered makes no taxable supply (s 9-5 GST Act), so there is nothing to claim. A supplier
    counts as registered unless recorded otherwise. A supplier who quoted no ABN, so that tax was withheld, is not
    registered: registration requires an ABN. A tax invoice shows the supplier's ABN (s 29-70(1)(c)), so a named
    supplier's must be recorded. The customs document supports the claim of GST on an import (s 29-15). Purchases for
    input taxed sales have no creditable purpose (s 11-15(2)).
    """
    if not registered or status == "void" or gst_code not in TAXABLE or for_input_taxed_sales:
        return "not_creditable"
    if tax_withheld:
        return "tax_withheld"
    if supplier_registered is False and not import_gst:
        return "supplier_not_registered"
    if too_old:
        return "too_old"
    if amount > NO_TAX_INVOICE_UP_TO and not import_gst:
        if not tax_invoice_held:
            return "awaiting_tax_invoice"
        if lacks_abn:
            return "awaiting_abn"
    return "claimable"


def claimable_part(gst: Decimal, business_use_percent: Decimal) -> Decimal:
    """Return the business's share of the GST, rounded once (s 11-30 GST Act); never -0.00."""
    return (gst * business_use_percent).scaleb(-2).quantize(_CENT, ROUND_HALF_UP) + 0


def paid_share(part: Decimal, paid: Decimal, price: Decimal) -> Decimal:
    """Return as much of a part of a price as is paid of it, to the cent, as `GstEntries.Period.share_paid` does."""
    if paid <= 0:
        return NOTHING
    return part if paid >= price else (part * paid / price).quantize(_CENT, ROUND_HALF_UP)


def plain_percent(percent: Decimal) -> Decimal:
    """Return a percentage without trailing zeros."""
    return percent.quantize(Decimal(1)) if percent == percent.to_integral_value() else percent.normalize()
