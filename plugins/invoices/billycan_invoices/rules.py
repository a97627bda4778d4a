"""States of an invoice, changes allowed after sending, and tax invoice requirements: pure functions."""

from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal
from functools import cache

from billycan import Actions

BUYER_NAMED_FROM = Decimal("1000.00")

# There are no 1 and 2 cent coins: in cash, 1, 2, 6 and 7 cents are rounded down, 3, 4, 8 and 9 up.
LEAST_COIN = Decimal("0.05")
MOST_ROUNDING = Decimal("0.02")
ZERO = Decimal("0.00")

# The statuses of an invoice with an amount due.
OPEN = ("sent", "partially_paid")

actions = Actions(
    {
        "send": ("draft", "sent"),
        "payments": ("sent partially_paid written_off", None),
        "pay": ("draft sent partially_paid", "paid"),
        "void": ("sent", "void"),
        "write_off": ("sent partially_paid", "written_off"),
        "undo_write_off": ("written_off paid", None),
        "forfeit": ("paid", None),
        "duplicate": ("draft sent partially_paid paid credited void written_off", None),
    }
)

# The client has a copy of a sent document: only members it does not show, and the due date, may still change.
OPEN_ONCE_SENT = frozenset({"notes", "reference", "purchase_order", "metadata", "external_id", "due_date"})

payment_actions = Actions(
    {
        "allocate": ("recorded", None),
        "deallocate": ("recorded", None),
        "refund": ("recorded", None),
        "reverse": ("recorded", "reversed"),
    }
)


# The amount billed of a quote or job does not change afterwards, because the rest of the work depends on it.
LOCKED_IN_CLAIMS = frozenset(
    {
        *("line_items", "amounts_are", "gst_rounding", "discount_percent", "discount_amount"),
        *("client_id", "quote_id", "job_id"),
    }
)


def allowed_actions(
    status: str,
    *,
    may_send: bool,
    may_charge: bool,
    may_void: bool,
    may_forfeit: bool = False,
    written_off: bool = False,
) -> list[str]:
    """List the actions that are possible on an invoice.

    `may_send` is about a draft; `may_charge` says that its GST can be charged; `may_void` that no note adjusts it;
    `may_forfeit` that it is a deposit neither taken off another invoice nor forfeited; `written_off` that the debt was
    given up, even if all of it was recovered since.
    """
    return [*_allowed_by_status(status, may_send, may_charge, may_void, may_forfeit, written_off)]


@cache  # a few hundred results; each invoice of a list needs one, and working it out takes 1.5 µs
def _allowed_by_status(
    status: str, may_send: bool, may_charge: bool, may_void: bool, may_forfeit: bool, written_off: bool
) -> tuple[str, ...]:
    pay = may_send or status != "draft"
    now = {"send": may_send, "pay": pay, "duplicate": may_charge, "void": may_void, "forfeit": may_forfeit}
    now["undo_write_off"] = written_off
    return tuple([action for action in actions.allowed(status) if now.get(action, True)])


def amount_due(status: str, total: Decimal, *settled: Decimal) -> Decimal:
    """Return the amount to pay: the total less payments, credits, write-offs and rounding; nothing if void."""
    return ZERO if status == "void" else total - sum(settled, ZERO)


def standing(
    total: Decimal, paid: Decimal, credited: Decimal, rounding: Decimal, *, given_up: bool
) -> tuple[str, Decimal]:
    """Return the status of a sent invoice that is not void, and the amount written off.

    Both follow from what was paid, credited and rounded away. The rest is due or, once the business gave the debt up,
    written off.
    """
    if rest := total - paid - credited - rounding:
        if given_up:
            return "written_off", rest
        return "partially_paid" if paid else "sent", ZERO
    return "credited" if credited and not paid else "paid", ZERO


def in_cash(due: Decimal) -> Decimal:
    """Return the cash that settles an amount: the nearest multiple of five cents."""
    # Whole cents are never halfway between two multiples.
    return (due / LEAST_COIN).quantize(Decimal(1), ROUND_HALF_UP) * LEAST_COIN


def is_cash(payment_method: str) -> bool:
    """Tell whether a payment method uses coins and notes."""
    return payment_method.casefold() == "cash"


def cash_rounding(amount: Decimal, due: Decimal, rounded: Decimal = ZERO) -> Decimal:
    """Return the difference between a cash payment and the amount due, if it is small enough to be rounding.

    `rounded` is the rounding on other invoices of the payment: coins change hands once, so all rounding counts
    together.
    """
    return due - amount if abs(due - amount) + rounded <= MOST_ROUNDING else ZERO


def left_over(amount: Decimal, rounding: Decimal, taken: Decimal) -> tuple[Decimal, Decimal]:
    """Return what is left of an allocation and its cash rounding when it may settle `taken` less.

    The rounding stays as long as any of the cash does: it arose when the coins changed hands.
    """
    kept = amount + rounding - taken
    if kept <= 0:
        return ZERO, ZERO
    return (kept - rounding, rounding) if kept > rounding else (kept, ZERO)


def document_title(registered: bool, codes: Iterable[str], claim: str | None = None) -> str:
    """Return `Tax invoice` if a registered business makes a taxable sale (s 29-70(1)(d) GST Act), else `Invoice`.

    A security deposit is no consideration until it is applied or forfeited (s 99-5), so a request for one is neither.
    """
    if claim == "deposit":
        return "Deposit request"
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
    """List what s 29-70(1)(c) GST Act requires of a tax invoice and is missing; nothing for other documents.

    The buyer's identity or ABN is required from a total price of $1,000. The date of issue and the description of each
    line are always there.
    """
    if title != "Tax invoice":
        return []
    lacking = {
        "seller_name": not seller_name,
        "seller_abn": not seller_abn,
        "buyer_identity": total >= BUYER_NAMED_FROM and not (buyer_name or buyer_abn),
    }
    return [name for name, lacks in lacking.items() if lacks]


def note_title(invoice_title: str, codes: Iterable[str]) -> str:
    """Return `Adjustment note` if a taxable supply changes (s 29-75 GST Act), else `Credit note`."""
    return "Adjustment note" if invoice_title == "Tax invoice" and "gst" in codes else "Credit note"


def missing_from_adjustment_note(
    *,
    title: str,
    seller_name: str | None,
    seller_abn: str | None,
    buyer_name: str | None,
    buyer_abn: str | None,
    invoice_total: Decimal,
) -> list[str]:
    """List what s 29-75(1)(c) GST Act and its determination of 2022 require of an adjustment note and is missing.

    The buyer's identity or ABN is required if the tax invoice that the note adjusts has a total of at least $1,000 (s
    5(1)(c)(i) of the determination), whatever the note's total.
    """
    return missing_from_tax_invoice(
        title="Tax invoice" if title == "Adjustment note" else title,
        seller_name=seller_name,
        seller_abn=seller_abn,
        buyer_name=buyer_name,
        buyer_abn=buyer_abn,
        total=invoice_total,
    )
