"""Structs of an expense's lines and payments."""

import datetime
from decimal import Decimal
from typing import Annotated, Literal

from msgspec import Struct

from billycan import Member, Named
from billycan.books import Undoing
from billycan.fields import Amount, Day, Description, Id, Moment, Number, Percent, Reference, Text

from .rules import GstCode

MOST = 500  # lines or payments of an expense

PaymentMethod = Annotated[
    str, Text("How it was paid, such as `card`, `bank_transfer` or `cash`.", least=1, most=50, kind="word")
]
PaymentStatus = Literal["recorded", "reversed"]
Reason = Annotated[str, Text("Why something was done.", least=1, most=500)]
_Positive = Annotated[
    Decimal, Number("An amount above zero with at most 2 decimal places.", places=2, least="0.01", kind="money")
]


class NewExpenseLine(Struct, forbid_unknown_fields=True, kw_only=True):
    """A line of an expense. On PATCH, one with an `id` is merged into the stored one; one without is new.

    id: On PATCH, which stored line this is.
    category_id: The category it belongs to.
    amount: What it comes to, including GST; below zero for a discount, or for what a supplier gave back.
    description: What it was spent on.
    gst_code: How it was taxed; by default as the category says, else `gst`.
    gst: The GST in it; by default 1/11 of the amount if the code is taxable.
    business_use_percent: How much of it was for business use, in percent; by default 100, or 0 in a category that is
      not deductible.
    refunded_line_id: Of a supplier's refund of an expense with lines: the line of which the supplier gives back. Its
      GST code and business use are those of that line.
    """

    id: Id | None = None
    category_id: Id
    amount: Amount
    description: Description | None = None
    gst_code: GstCode | None = None
    gst: Amount | None = None
    business_use_percent: Percent | None = None
    refunded_line_id: Id | None = None


class ExpenseLine(Struct, gc=False):
    """A line of an expense, as it is shown.

    id: Its id, by which a PATCH names it.
    category_id: The category it belongs to.
    category: The category it belongs to.
    amount: What it comes to, including GST.
    description: What it was spent on.
    gst_code: How it was taxed.
    gst: The GST in it.
    business_use_percent: How much of it was for business use, in percent.
    refunded_line_id: The line of the purchase of which the supplier gives back.
    """

    id: str
    category_id: Annotated[str, Member(told_by="category")]
    category: Named
    amount: Annotated[Amount, Member(role="amount")]
    description: str | None
    gst_code: GstCode
    gst: Amount
    business_use_percent: Percent
    refunded_line_id: str | None


class NewExpensePayment(Struct, forbid_unknown_fields=True, kw_only=True):
    """Money paid for a bill, which may be a part of it.

    amount: How much of the bill it pays: at most what is due, with any tax withheld in it.
    paid_on: When it was paid; default today, tomorrow at the latest.
    payment_method: How, such as `bank_transfer`, `card` or `cash`.
    reference: A reference, such as the bank's.
    """

    amount: _Positive
    paid_on: Day | None = None
    payment_method: PaymentMethod | None = None
    reference: Reference | None = None


class ExpensePayment(Struct, gc=False):
    """A payment of an expense. A reversed one stays listed.

    id: Its id.
    amount: How much of the bill it pays.
    paid_on: When it was paid.
    payment_method: How it was paid.
    reference: Its reference.
    status: Whether it counts, or was reversed.
    allowed_actions: The actions that are possible now: POST /v1/expenses/{id}/payments/{payment_id}/{action}.
    created_at: When it was recorded.
    reversed_at: When it was reversed.
    reversed_on: The date on which its reversal counts; null for a mistake, which is in no figure.
    reverse_reason: Why it was reversed.
    """

    id: str
    amount: Annotated[Amount, Member(role="amount")]
    paid_on: datetime.date
    payment_method: str | None
    reference: str | None
    status: Annotated[PaymentStatus, Member(role="status", ends=("reversed",))]
    allowed_actions: list[str]
    created_at: Moment
    reversed_at: Annotated[Moment | None, Member(told_by="reversed_on")]
    reversed_on: datetime.date | None
    reverse_reason: str | None


class ExpensePaymentReversal(Undoing, kw_only=True):
    """Reversing a payment of an expense.

    reason: Why.
    """

    reason: Reason | None = None
