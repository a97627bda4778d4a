"""Structs that clients send and receive."""

from datetime import date
from decimal import Decimal
from typing import Annotated, Literal

from msgspec import UNSET, Struct, UnsetType

from billycan import Named, PageQuery, Resource, RuleBroken
from billycan.fields import (
    Amount,
    AmountsAre,
    Day,
    DayOrInstant,
    Description,
    Email,
    GstRounding,
    Id,
    Moment,
    Name,
    Notes,
    Reference,
    Search,
    Text,
)
from billycan_documents.api import CodeTotals, Invoiced, Line, NewClaim, NewDocument

Status = Literal["draft", "sent", "accepted", "declined", "expired", "cancelled", "converted", "invoiced"]
Include = Literal["line_items"]


Reason = Annotated[str, Text("Why something was done.", least=1, most=1000)]


class NewQuote(NewDocument, kw_only=True):
    """An offer of work to a client. It can be accepted until the end of its expiry date in the business's time zone.

    client_id: The contact it is for.
    title: What it is for, in a few words.
    summary: What it is for, in detail.
    issue_date: The date of the quote; default today, in the business's time zone.
    expiry_date: The last day on which it can be accepted; default 30 days after the issue date.
    reference: A short reference for the client.
    notes: Notes for the client.
    terms: Terms that the client accepts with it.
    job_id: The job it is for.
    booking_id: The booking it came from.
    """

    client_id: Id
    title: Name | None = None
    summary: Description | None = None
    issue_date: Day | None = None
    expiry_date: Day | None = None
    reference: Reference | None = None
    notes: Notes | None = None
    terms: Notes | None = None
    job_id: Id | None = None
    booking_id: Id | None = None


class Resend(Struct, forbid_unknown_fields=True, kw_only=True):
    """Sending a quote; one that has expired or was declined needs a new expiry date.

    expiry_date: The last day on which it can be accepted; unchanged unless sent.
    """

    expiry_date: Day | None = None


class Acceptance(Struct, forbid_unknown_fields=True, kw_only=True):
    """The person who accepts.

    name: Who accepts it.
    email: Their email address.
    """

    name: Name
    email: Email | None = None


class Refusal(Struct, forbid_unknown_fields=True, kw_only=True):
    """The reason for declining.

    reason: Why.
    """

    reason: Reason | None = None


class Conversion(NewClaim, forbid_unknown_fields=True, kw_only=True):
    """The result of converting an accepted quote: a job, or an invoice of all that is left of it or of a part.

    to: What to create; the plugin must be on.
    """

    to: Literal["invoice", "job"]

    def __post_init__(self) -> None:
        super().__post_init__()
        parts = ("percent", "amount", "line_ids", "claim", "final", "retention_percent")
        if self.to == "job" and (sent := [name for name in parts if getattr(self, name) is not None]):
            raise RuleBroken("invalid_value", "is for an invoice: a job is made of the whole quote", sent[0])


class AcceptedBy(Struct):
    """The person who accepted a quote.

    name: Who accepted it.
    email: Their email address.
    """

    name: str
    email: str | None


class ListedQuote(Resource):
    """A quote as lists show it: with its lines only on request.

    number: Its number, such as QUO-0042; never reused.
    status: Its status; actions change it, and `sent` becomes `expired` automatically.
    client: The contact it is for.
    currency: Always AUD.
    amounts_are: Whether the prices of its lines include GST.
    gst_rounding: Whether GST is rounded once for the document or for each line.
    subtotal: The sum of the lines without GST, after discounts.
    discount_total: The sum of all discounts, on lines and on the document.
    gst: The GST; `subtotal` plus `gst` is `total`.
    total: The total including GST.
    gst_breakdown: Amounts and GST by GST code.
    revision: Goes up by one each time it is revised.
    invoice_id: The invoice that completed its invoicing, once all of it is invoiced.
    invoice_ids: The invoices that name it.
    invoiced: How much of it was invoiced; shared with the job that was made from it.
    job_id: The job it is for, or that was made from it.
    sent_at: When it was last sent.
    accepted_at: When it was accepted.
    accepted_by: Who accepted it.
    declined_at: When it was declined.
    decline_reason: Why it was declined.
    cancelled_at: When it was cancelled.
    hosted_url: The page where the client can accept it, once it is sent; only for keys that may write quotes.
    line_items: What is charged for, in order; in lists only with `include=line_items`.
    """

    number: str
    status: Status
    client_id: str
    client: Named
    title: str | None
    summary: str | None
    issue_date: date
    expiry_date: date
    currency: Literal["AUD"]
    amounts_are: AmountsAre
    gst_rounding: GstRounding
    discount_percent: Decimal | None
    discount_amount: Decimal | None
    subtotal: Decimal
    discount_total: Decimal
    gst: Decimal
    total: Decimal
    gst_breakdown: list[CodeTotals]
    reference: str | None
    notes: str | None
    terms: str | None
    revision: int
    invoice_id: str | None
    invoice_ids: list[str]
    invoiced: Invoiced
    job_id: str | None
    booking_id: str | None
    sent_at: Moment | None
    accepted_at: Moment | None
    accepted_by: AcceptedBy | None
    declined_at: Moment | None
    decline_reason: str | None
    cancelled_at: Moment | None
    hosted_url: str | UnsetType | None
    line_items: list[Line] | UnsetType = UNSET


class Quote(ListedQuote, kw_only=True):
    """A quote with its lines. `hosted_url` is shown only to keys that may write quotes, never in events.

    line_items: What is charged for, in order.
    """

    line_items: list[Line]
    hosted_url: str | UnsetType | None = UNSET


class QuoteQuery(PageQuery, kw_only=True):
    """Filters of quotes.

    include: What to include that lists leave out.
    """

    sortable = (
        "created_at",
        "updated_at",
        "number",
        "title",
        "issue_date",
        "expiry_date",
        "total",
        "sent_at",
        "accepted_at",
        "declined_at",
        "cancelled_at",
    )

    search: Search | None = None
    status: list[Status] | None = None
    client_id: list[str] | None = None
    number: list[str] | None = None
    invoice_id: list[str] | None = None
    job_id: list[str] | None = None
    booking_id: list[str] | None = None
    issue_date_from: Day | None = None
    issue_date_to: Day | None = None
    expiry_date_from: Day | None = None
    expiry_date_to: Day | None = None
    sent_at_from: DayOrInstant | None = None
    sent_at_to: DayOrInstant | None = None
    accepted_at_from: DayOrInstant | None = None
    accepted_at_to: DayOrInstant | None = None
    declined_at_from: DayOrInstant | None = None
    declined_at_to: DayOrInstant | None = None
    cancelled_at_from: DayOrInstant | None = None
    cancelled_at_to: DayOrInstant | None = None
    total_from: Amount | None = None
    total_to: Amount | None = None
    include: list[Include] | None = None
