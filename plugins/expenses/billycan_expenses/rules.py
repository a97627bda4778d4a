"""The states of an expense, the GST that its receipt holds, and how much of it can be claimed: pure functions."""

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Literal

from billycan import Actions

GstCode = Literal["gst", "gst_free", "input_taxed", "capital", "capital_gst_free", "out_of_scope"]
ClaimStatus = Literal["claimable", "awaiting_tax_invoice", "not_creditable"]

LABELS: dict[str, str] = {
    "gst": "GST on expenses",
    "gst_free": "GST-free expenses",
    "input_taxed": "Input taxed",
    "capital": "GST on capital purchases",
    "capital_gst_free": "GST-free capital purchases",
    "out_of_scope": "Out of scope",
}

# The codes whose price holds GST, which a registered business can claim (s 11-5 GST Act).
TAXABLE = ("gst", "capital")

# Up to this price, with GST, a claim needs no tax invoice (s 29-80(1) GST Act).
NO_TAX_INVOICE_UP_TO = Decimal("82.50")

actions = Actions({"void": ("recorded", "void")})

# A void expense is kept as it was; these say nothing of it.
OPEN_ONCE_VOID = frozenset({"external_id", "metadata"})

_CENT = Decimal("0.01")


def rate(gst_code: str) -> Decimal:
    """The GST within a price, in per cent of the price without it."""
    return Decimal("10") if gst_code in TAXABLE else Decimal("0")


def default_gst(amount: Decimal, gst_code: str) -> Decimal:
    """The GST of a price: an eleventh of it, where it holds any (s 9-75 GST Act)."""
    # An eleventh of whole cents never lies halfway between two cents.
    return (amount / 11).quantize(_CENT, ROUND_HALF_UP) if gst_code in TAXABLE else Decimal("0.00")


def gst_fits(gst: Decimal, amount: Decimal, gst_code: str) -> bool:
    """Whether a receipt of this price can hold so much GST: an eleventh of it, and a cent for how it was rounded."""
    most = Fraction(amount) / 11 + Fraction(1, 100) if gst_code in TAXABLE else 0
    return 0 <= gst <= most


def claim_status(
    *, amount: Decimal, gst_code: str, tax_invoice_held: bool, status: str, registered: bool
) -> ClaimStatus:
    """Whether the GST can be claimed, and if not, what for."""
    if not registered or status == "void" or gst_code not in TAXABLE:
        return "not_creditable"
    if amount > NO_TAX_INVOICE_UP_TO and not tax_invoice_held:
        return "awaiting_tax_invoice"
    return "claimable"


def claimable_part(gst: Decimal, business_use_percent: Decimal) -> Decimal:
    """The business's share of the GST, rounded once (s 11-30 GST Act)."""
    return (gst * business_use_percent).scaleb(-2).quantize(_CENT, ROUND_HALF_UP)
