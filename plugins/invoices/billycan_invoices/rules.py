"""The states of an invoice, what may change once it is sent, and what makes it a tax invoice: pure functions."""

from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal

from billycan import Actions

BUYER_NAMED_FROM = Decimal("1000.00")

# There are no 1 and 2 cent coins: of what is due in cash 1, 2, 6 and 7 cents are rounded down, 3, 4, 8 and 9 up.
LEAST_COIN = Decimal("0.05")
MOST_ROUNDING = Decimal("0.02")
ZERO = Decimal("0.00")

actions = Actions(
    {
        "send": ("draft", "sent"),
        "payments": ("sent partially_paid written_off", None),
        "pay": ("draft sent partially_paid", "paid"),
        "void": ("sent", "void"),
        "write_off": ("sent partially_paid", "written_off"),
        "duplicate": ("draft sent partially_paid paid void written_off", None),
    }
)

# A sent document is what the client holds: only what it does not state, and the date it is due, may still change.
OPEN_ONCE_SENT = frozenset({"notes", "reference", "purchase_order", "metadata", "external_id", "due_date"})


payment_actions = Actions({"reverse": ("recorded", "reversed")})


def allowed_actions(status: str, *, may_send: bool, may_charge: bool) -> list[str]:
    """What may be done with an invoice: `may_send` tells of a draft, `may_charge` whether its GST can be charged."""
    if may_charge and (may_send or status != "draft"):
        return actions.allowed(status)
    now = {"send": may_send, "pay": may_send or status != "draft", "duplicate": may_charge}
    return [action for action in actions.allowed(status) if now.get(action, True)]


def amount_due(status: str, total: Decimal, *settled: Decimal) -> Decimal:
    """What is still to be paid: the total less what was paid, written off and rounded away; nothing once void."""
    return ZERO if status == "void" else total - sum(settled)


def in_cash(due: Decimal) -> Decimal:
    """What settles an amount in cash: the nearest multiple of five cents."""
    # Whole cents are never halfway between two of them.
    return (due / LEAST_COIN).quantize(Decimal(1), ROUND_HALF_UP) * LEAST_COIN


def is_cash(payment_method: str) -> bool:
    """Whether coins and notes changed hands."""
    return payment_method.casefold() == "cash"


def cash_rounding(amount: Decimal, due: Decimal) -> Decimal:
    """What a payment in cash settles beyond its amount: the difference to what is due, where that is small enough."""
    return due - amount if abs(due - amount) <= MOST_ROUNDING else ZERO


def document_title(registered: bool, codes: Iterable[str]) -> str:
    """`Tax invoice` where a registered business makes a taxable sale (s 29-70(1)(d) GST Act), else `Invoice`."""
    return "Tax invoice" if registered and "gst" in codes else "Invoice"


def missing_from_tax_invoice(
    *,
    title: str,
    seller_name: str | None,
    seller_abn: str | None,
    buyer_name: str | None,
    buyer_abn: str | None,
    total: Decimal,
) -> list[str]:
    """What a tax invoice lacks of what s 29-70(1)(c) GST Act asks for; nothing where it is no tax invoice.

    The buyer's identity or ABN is asked for from a total price of $1,000 on. The date of issue and the description of
    each line are there by construction.
    """
    if title != "Tax invoice":
        return []
    lacking = {
        "seller_name": not seller_name,
        "seller_abn": not seller_abn,
        "buyer_identity": total >= BUYER_NAMED_FROM and not (buyer_name or buyer_abn),
    }
    return [name for name, lacks in lacking.items() if lacks]
