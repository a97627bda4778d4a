"""The states of an invoice, what stays open to change once it is sent, and what makes it a tax invoice."""

from collections.abc import Iterable
from decimal import Decimal

from billycan import Actions

BUYER_NAMED_FROM = Decimal("1000.00")

actions = Actions(
    {
        "send": ("draft", "sent"),
        "payments": ("sent partially_paid", None),
        "pay": ("draft sent partially_paid", "paid"),
        "reverse": ("partially_paid paid", None),
        "void": ("sent", "void"),
        "write_off": ("sent partially_paid", "written_off"),
        "duplicate": ("draft sent partially_paid paid void written_off", None),
    }
)

# A sent document is what the client holds: only what it does not state, and the date it is due, may still change.
OPEN_ONCE_SENT = frozenset({"notes", "reference", "purchase_order", "metadata", "external_id", "due_date"})


def allowed_actions(status: str, amount_paid: Decimal) -> list[str]:
    """What may be done with an invoice; one of 0.00 is paid without a payment that could be reversed."""
    return [action for action in actions.allowed(status) if action != "reverse" or amount_paid]


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
