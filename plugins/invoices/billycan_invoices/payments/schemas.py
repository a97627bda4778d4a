"""Structs that clients send and receive about payments."""

from datetime import date
from typing import Annotated

from msgspec import Meta, Struct

from billycan import Member, Named, NewResource, Query, Resource
from billycan.books import Undoing
from billycan.fields import Amount, Day, DayOrInstant, Id, Moment, Reference
from billycan_documents.api import Positive

from ..invoices.schemas import PaymentMethod, Reason
from ..resource import PaymentStatus


class NewPayment(NewResource, kw_only=True):
    """Money received for an invoice.

    amount: The amount received: at most what is due, or what was written off. Cash must be a multiple of 0.05, and
      settles an amount within 0.02 of it.
    payment_method: How, such as `bank_transfer`, `card` or `cash`.
    paid_at: When it was received: a time, or a date, which means midday in the business's time zone. Defaults to now;
      tomorrow at the latest.
    reference: The payer's reference.
    """

    amount: Positive
    payment_method: PaymentMethod
    paid_at: DayOrInstant | None = None
    reference: Reference | None = None


class Settlement(NewResource, kw_only=True):
    """Payment of everything due; in cash, rounded to the nearest 0.05.

    payment_method: How, such as `bank_transfer`, `card` or `cash`.
    paid_at: When it was received: a time, or a date, which means midday in the business's time zone. Defaults to now;
      tomorrow at the latest.
    reference: The payer's reference.
    """

    payment_method: PaymentMethod
    paid_at: DayOrInstant | None = None
    reference: Reference | None = None


class NewAllocation(Struct, forbid_unknown_fields=True, kw_only=True):
    """The part of a payment that settles an invoice.

    invoice_id: The invoice: one of the same client, sent and not settled, or written off.
    amount: How much: at most what is due, or what was written off.
    """

    invoice_id: Id
    amount: Positive


class NewReceipt(NewResource, kw_only=True):
    """Money received from a client, for several invoices or for none yet.

    client_id: The contact who paid.
    amount: The amount received. Cash must be a multiple of 0.05.
    payment_method: How, such as `bank_transfer`, `card` or `cash`.
    paid_at: When it was received: a time, or a date, which means midday in the business's time zone. Defaults to now;
      tomorrow at the latest.
    reference: The payer's reference.
    allocations: Which invoices it settles, each once; the rest is the client's credit.
    """

    client_id: Id
    amount: Positive
    payment_method: PaymentMethod
    paid_at: DayOrInstant | None = None
    reference: Reference | None = None
    allocations: Annotated[list[NewAllocation], Meta(max_length=100)] = []


class PaymentAllocation(Struct, forbid_unknown_fields=True, kw_only=True):
    """Settling invoices with the unallocated amount of a payment.

    allocations: The invoices, each once; each amount is added to what this payment has already allocated to the
      invoice.
    """

    allocations: Annotated[list[NewAllocation], Meta(min_length=1, max_length=100)]


class PaymentDeallocation(Undoing, kw_only=True):
    """Taking a payment off an invoice, into the client's credit.

    invoice_id: The invoice.
    amount: How much; default all that is allocated to the invoice.
    """

    invoice_id: Id
    amount: Positive | None = None


class NewRefund(Struct, forbid_unknown_fields=True, kw_only=True):
    """Money given back to a client.

    amount: How much: at most the unallocated amount. Cash must be a multiple of 0.05.
    payment_method: How, such as `bank_transfer`, `card` or `cash`.
    refunded_at: When: a time, or a date, which means midday in the business's time zone. Defaults to now; tomorrow at
      the latest.
    reference: A reference for the refund.
    """

    amount: Positive
    payment_method: PaymentMethod
    refunded_at: DayOrInstant | None = None
    reference: Reference | None = None


class PaymentReversal(Undoing, kw_only=True):
    """Reversing a payment.

    reason: Why.
    """

    reason: Reason | None = None


class Allocation(Struct):
    """The part of a payment that settles an invoice.

    invoice_id: The invoice.
    invoice_number: Its number.
    amount: How much.
    cash_rounding: What it settled beyond `amount`; negative if it settled less. Always 0.00 unless paid in cash.
    allocated_on: The date on which it was allocated, in the business's time zone.
    """

    invoice_id: str
    invoice_number: Annotated[str, Member(told_by="invoice_id")]
    amount: Annotated[Amount, Member(role="amount")]
    cash_rounding: Amount
    allocated_on: date


class Refund(Struct):
    """Money given back to a client.

    id: Its id.
    amount: How much.
    refunded_at: When it was given back.
    refunded_on: The date on which it was given back, in the business's time zone.
    """

    id: str
    amount: Annotated[Amount, Member(role="amount")]
    payment_method: PaymentMethod
    refunded_at: Annotated[Moment, Member(told_by="refunded_on")]
    refunded_on: date
    reference: str | None


class Payment(Resource):
    """Money received from a client: `amount` is always `allocated` plus `refunded` plus `unallocated`.

    client_id: The contact who paid.
    client: The contact who paid, with the name it had then.
    invoice_id: The invoice, if it settles exactly one; of a reversed payment, the one that it settled.
    amount: The amount received.
    allocated: The part that settles invoices.
    refunded: The amount that the client got back: by refunds, or because the payment was reversed.
    unallocated: The amount left; the sum over a client's payments is the client's credit.
    cash_rounding: What it settled beyond what was allocated, by rounding cash to a multiple of 0.05; negative if less.
    payment_method: How it was made.
    paid_at: When it was received.
    paid_on: The date on which it was received, in the business's time zone.
    reference: The payer's reference.
    status: Whether it counts, or was reversed.
    allocations: The invoices that it settles; none once it is reversed.
    refunds: What was given back, the oldest first.
    reversed_at: When it was reversed.
    reversed_on: The date on which its reversal counts; null for a mistake, which is in no figure.
    reverse_reason: Why it was reversed.
    """

    client_id: str
    client: Named
    invoice_id: str | None
    amount: Annotated[Amount, Member(role="amount")]
    allocated: Amount
    refunded: Amount
    unallocated: Amount
    cash_rounding: Amount
    payment_method: PaymentMethod
    paid_at: Annotated[Moment, Member(told_by="paid_on")]
    paid_on: date
    reference: str | None
    status: Annotated[PaymentStatus, Member(role="status", ends=("reversed",))]
    allocations: list[Allocation]
    refunds: list[Refund]
    reversed_at: Annotated[Moment | None, Member(told_by="reversed_on")]
    reversed_on: date | None
    reverse_reason: str | None


class PaymentQuery(Query[Payment], kw_only=True):
    """Filters of payments.

    client_id: Payments of any of these contacts.
    invoice_id: Payments that settle any of these invoices, or did before they were reversed.
    payment_method: Payments made in any of these ways.
    status: Payments with any of these statuses.
    reference: Payments with any of these references, which are compared as they were sent.
    unallocated_from: Payments of which at least this much is left; 0.01 finds all with credit.
    """

    sortable = ("created_at", "updated_at", "paid_at", "amount", "unallocated")

    client_id: list[str] | None = None
    invoice_id: list[str] | None = None
    payment_method: list[str] | None = None
    status: list[PaymentStatus] | None = None
    reference: list[Reference] | None = None
    paid_at_from: DayOrInstant | None = None
    paid_at_to: DayOrInstant | None = None
    paid_on_from: Day | None = None
    paid_on_to: Day | None = None
    reversed_at_from: DayOrInstant | None = None
    reversed_at_to: DayOrInstant | None = None
    amount_from: Amount | None = None
    amount_to: Amount | None = None
    unallocated_from: Amount | None = None
    unallocated_to: Amount | None = None
