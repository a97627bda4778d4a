"""Structs that clients send and receive about statements."""

import datetime
from typing import Literal

from msgspec import Struct, field

from billycan import Named
from billycan.fields import Amount, Day

# The kinds of entries, in the order in which a day's entries are listed.
Kind = Literal[
    "invoice",
    "void",
    "adjustment_note",
    "adjustment_note_void",
    "payment",
    "cash_rounding",
    "reversal",
    "refund",
    "write_off",
    "recovery",
]


class StatementEntry(Struct):
    """Something that changed what a client owes.

    date: The day on which it counts.
    kind: What it was; a `recovery` undoes a `write_off` of an amount that was paid after all.
    number: The number of the invoice or adjustment note; null for a payment or refund.
    reference: The reference of the invoice, payment or refund.
    amount: How much it adds to what the client owes; negative if it takes something off.
    balance: What the client owed after it; negative if the business owed the client.
    invoice_id: The invoice that it changed, if any.
    payment_id: The payment that it belongs to, if any.
    adjustment_note_id: The adjustment note that it is, if any.
    """

    date: datetime.date
    kind: Kind
    number: str | None
    reference: str | None
    amount: Amount
    balance: Amount
    invoice_id: str | None
    payment_id: str | None
    adjustment_note_id: str | None


class Statement(Struct):
    """A client's balance and its changes; `opening` and the amounts of all entries add up to `closing`.

    client: The contact.
    from: The first day.
    to: The last day.
    opening: The amount the client owed before the first day; negative if the business owed the client.
    entries: The changes, in order.
    closing: The amount the client owed at the end of the last day: `total` less `credit`.
    current: How much of that was not due yet.
    days_1_30: How much had been due for 1 to 30 days.
    days_31_60: How much had been due for 31 to 60 days.
    days_61_90: How much had been due for 61 to 90 days.
    days_over_90: How much had been due for more than 90 days.
    total: The total owed, before credit.
    credit: The amount that the client had paid and no invoice had used.
    """

    client: Named
    since: datetime.date = field(name="from")
    until: datetime.date = field(name="to")
    opening: Amount
    entries: list[StatementEntry]
    closing: Amount
    current: Amount
    days_1_30: Amount
    days_31_60: Amount
    days_61_90: Amount
    days_over_90: Amount
    total: Amount
    credit: Amount


class StatementQuery(Struct, kw_only=True):
    """The days of a statement, in the business's time zone.

    from: The first day; default 90 days before the last.
    to: The last day; default today.
    """

    since: Day | None = field(name="from", default=None)
    until: Day | None = field(name="to", default=None)
