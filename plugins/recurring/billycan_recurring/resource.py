"""Recurring invoices, declared once: what is sent, shown, filtered, sorted, searched and stored."""

from datetime import date
from typing import Annotated, Literal

import sqlalchemy as sa
from msgspec import Struct

from billycan import (
    Actions,
    ByCodePoint,
    Json,
    Member,
    Named,
    Resource,
    RuleBroken,
    UTCDateTime,
    resource,
)
from billycan.fields import Amount, Day, Id, Notes, Percent, Reference, Whole
from billycan_contacts import api as contacts
from billycan_documents.api import AmountsAre, GstCode, GstRounding, NewDocument, Quantity, UnitPrice

Frequency = Literal["week", "fortnight", "month", "quarter", "year"]
Then = Literal["draft", "send", "email"]
Status = Literal["active", "paused", "ended"]
Times = Annotated[int, Whole("How many invoices to create.", least=1, most=10_000)]


class NewRecurringInvoice(NewDocument, kw_only=True):
    """The content and the schedule of an invoice that is created regularly.

    client_id: The contact who owes the money.
    frequency: The time from one invoice to the next.
    start_on: The date of the first invoice, at most a year ago; all other dates are counted from it. If a month is
      too short for the day, its last day is used.
    end_on: No invoice is created after this date; not together with `count`.
    count: How many invoices to create; not together with `end_on`.
    then: What to do with each invoice: it stays a `draft`, is sent (`send`), or is sent and emailed (`email`). If the
      client cannot be emailed, it is sent without an email, and `email_failure` says why.
    line_items: What is charged for, in order. GST codes and prices of items that you leave out are those on the date of
      each invoice.
    reference: A short reference for the client.
    purchase_order: The client's purchase order.
    notes: Notes for the client.
    terms: Terms of payment for the client.
    """

    client_id: Annotated[Id, Member(filter="any", refers_to="contacts")]
    frequency: Annotated[Frequency, Member(filter="any")]
    start_on: Annotated[Day, Member(filter="range", sort=True)]
    end_on: Day | None = None
    count: Times | None = None
    then: Annotated[Then, Member(filter="any")] = "draft"
    reference: Annotated[Reference | None, Member(search=True)] = None
    purchase_order: Annotated[Reference | None, Member(search=True)] = None
    notes: Annotated[Notes | None, Member(search=True)] = None
    terms: Notes | None = None

    def __post_init__(self) -> None:
        if self.end_on is not None and self.count is not None:
            raise RuleBroken("invalid_value", "must not be sent together with end_on", "count")
        if self.end_on is not None and self.end_on < self.start_on:
            raise RuleBroken("out_of_range", "must not be before start_on", "end_on")


class RecurringLine(Struct):
    """A line item as it was sent; what is null is filled in on the date of each invoice.

    id: Its id, by which a PATCH names it.
    description: What is charged for.
    quantity: How many.
    unit: The unit of the quantity.
    unit_price: The price of one unit.
    discount_percent: A discount on the line, in percent.
    discount_amount: A discount on the line, in dollars.
    item_id: The item of the price list from which the null members are filled in.
    gst_code: How the line is taxed; if null, by the business's registration for GST on the date of each invoice.
    """

    id: str
    description: str | None
    quantity: Quantity
    unit: str | None
    unit_price: Annotated[UnitPrice | None, Member(role="amount")]
    discount_percent: Percent | None
    discount_amount: Amount | None
    gst_code: GstCode | None
    item_id: Annotated[str | None, Member(told_by="description")]


class Failure(Struct):
    """The reason why an invoice could not be created; it is tried again every hour, and at once after a change.

    date: The date of the invoice.
    code: The code of the error.
    message: What is wrong, and how to fix it.
    """

    date: date
    code: str
    message: str


class EmailFailure(Struct):
    """The reason why the last invoice was sent but not emailed; email it yourself once the reason is gone.

    code: `no_address` if the client has no email address that mail reaches, or `address_suppressed`.
    message: What is wrong, and how to fix it.
    """

    code: Literal["no_address", "address_suppressed"]
    message: str


class RecurringInvoice(Resource):
    """A recurring invoice as it is shown.

    status: Whether invoices are created: `active`, `paused`, or `ended`, which is final.
    client: The contact who owes the money.
    currency: Always AUD.
    total: The total of one invoice, including GST, when this was last changed or an invoice was last created.
    next_on: The date of the next invoice; null unless it is active.
    invoices_made: How many invoices were created so far.
    last_invoice_id: The invoice that was created last.
    failure: Why the next invoice could not be created; null if nothing is wrong.
    email_failure: Why the last invoice was sent but not emailed; null if nothing is wrong.
    """

    status: Annotated[Status, Member(filter="any", role="status", good=("active",), warn=("paused",))]
    client_id: str
    client: Named
    frequency: Frequency
    start_on: date
    end_on: date | None
    count: int | None
    then: Then
    line_items: list[RecurringLine]
    currency: Annotated[Literal["AUD"], Member(stored=False)]
    amounts_are: AmountsAre | None
    gst_rounding: GstRounding | None
    discount_percent: Percent | None
    discount_amount: Amount | None
    reference: str | None
    purchase_order: str | None
    notes: str | None
    terms: str | None
    total: Annotated[Amount, Member(sort=True, role="amount")]
    next_on: Annotated[date | None, Member(filter="range", sort="indexed")]
    invoices_made: int
    last_invoice_id: str | None
    failure: Failure | None
    email_failure: EmailFailure | None


actions = Actions(
    {"pause": ("active", "paused"), "resume": ("paused", "active"), "end": ("active paused", "ended")},
)


recurring = resource(
    "recurring_invoices",
    sends=NewRecurringInvoice,
    shows=RecurringInvoice,
    prefix="rec",
    more=(
        sa.Column("last_invoice_id", ByCodePoint),
        # The last date that is done, and the pauses: pairs of the first day and the day after the last.
        sa.Column("done_until", sa.Date),
        sa.Column("paused_on", sa.Date),
        sa.Column("pauses", Json, nullable=False),
        sa.Column("retry_at", UTCDateTime),
        sa.Index(None, "tenant_id", "client_id", "created_at", "id"),
        sa.Index(None, "status", "next_on"),
    ),
    references={"client": contacts.names},
    filters={"search": contacts.found_by("recurring_invoices", "client_id")},
    actions=lambda row: actions.allowed(row.status),
    needs={"allowed_actions": ("status",), "currency": (), "line_items": ("line_items",)},
)
