"""The labels of a GST report, how they follow from one another, and whole dollars: pure functions.

The labels are those of the activity statement and of its GST calculation worksheet (ATO, "GST: completing your activity
statement").
"""

from collections.abc import Mapping
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal

from billycan import Actions

CENT, DOLLAR = Decimal("0.01"), Decimal(1)

# The labels of the sheet that sum others: each part with its sign.
SUMS: Mapping[str, Mapping[str, int]] = {
    "G5": {"G2": 1, "G3": 1, "G4": 1},
    "G6": {"G1": 1, "G5": -1},
    "G8": {"G6": 1, "G7": 1},
    "G12": {"G10": 1, "G11": 1},
    "G16": {"G13": 1, "G14": 1, "G15": 1},
    "G17": {"G12": 1, "G16": -1},
    "G19": {"G17": 1, "G18": 1},
}
# GST by the worksheet: an eleventh of a sum; the accounts, 1A and 1B, say it to the cent.
ELEVENTHS: Mapping[str, str] = {"G9": "G8", "G20": "G19"}

SALES = ("G1", "G2", "G3", "G4", "G5", "G6", "G7", "G8", "G9", "1A")
PURCHASES = ("G10", "G11", "G12", "G13", "G14", "G15", "G16", "G17", "G18", "G19", "G20", "1B")
LABELS = (*SALES[:-1], *PURCHASES[:-1], "1A", "1B", "W4")
# A label is unknown without the plugin that makes most of its documents.
SOURCES: Mapping[str, tuple[str, ...]] = {"invoices": SALES, "expenses": (*PURCHASES, "W4")}

# A business with this turnover in twelve months must register (s 23-5, 23-15 GST Act); the warning starts at the other
# amount.
THRESHOLD, NEAR_THRESHOLD = Decimal("75000.00"), Decimal("60000.00")

actions = Actions({"reopen": ("lodged", "reopened")})


def parts(label: str) -> Mapping[str, int]:
    """Map each label that documents add to and this label sums to its sign; empty for an eleventh."""
    if label in ELEVENTHS:
        return {}
    if label not in SUMS:
        return {label: 1}
    return {part: sign * inner for one, sign in SUMS[label].items() for part, inner in parts(one).items()}


def eleventh(amount: Decimal) -> Decimal:
    """Return the GST in a price that includes it, rounded to the cent (s 9-70, 9-75 GST Act)."""
    return (amount / 11).quantize(CENT, ROUND_HALF_UP)


def whole_dollars(amount: Decimal) -> int:
    """Return the amount to lodge: without its cents, which are cut off and not rounded (s 388-85 Sch 1 TAA 1953)."""
    return int(amount.quantize(DOLLAR, ROUND_DOWN))
