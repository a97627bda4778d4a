"""What clients send and receive."""

from datetime import date
from decimal import Decimal
from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from billycan import Named, PageQuery, Resource
from billycan.fields import (
    Amount,
    Day,
    DayOrInstant,
    Description,
    Email,
    Id,
    Moment,
    Name,
    Notes,
    Reference,
    Search,
    Text,
)
from billycan.tenants import AmountsAre, GstRounding
from billycan_gst.api import CodeTotals, Line, NewDocument

Status = Literal["draft", "sent", "accepted", "declined", "expired", "cancelled", "converted", "invoiced"]
Include = Literal["line_items"]


class Reason(Text, least=1, most=1000):
    """Why something was done."""


class NewQuote(NewDocument, kw_only=True):
    """A quote to make; it can be accepted until the end of its expiry date in the business's time zone."""

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
    """Sending; a quote that has expired or was declined needs a new expiry date."""

    expiry_date: Day | None = None


class Acceptance(Struct, forbid_unknown_fields=True, kw_only=True):
    """Who accepts."""

    name: Name
    email: Email | None = None


class Refusal(Struct, forbid_unknown_fields=True, kw_only=True):
    """Why it is declined."""

    reason: Reason | None = None


class Conversion(Struct, forbid_unknown_fields=True, kw_only=True):
    """What an accepted quote becomes."""

    to: Literal["invoice", "job"]


class AcceptedBy(Struct):
    """Who accepted a quote."""

    name: str
    email: str | None


class ListedQuote(Resource):
    """A quote as lists show it: with its lines only on request."""

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
    job_id: str | None
    booking_id: str | None
    sent_at: Moment | None
    accepted_at: Moment | None
    accepted_by: AcceptedBy | None
    declined_at: Moment | None
    decline_reason: str | None
    cancelled_at: Moment | None
    line_items: list[Line] | UnsetType = UNSET


class Quote(ListedQuote):
    """A quote with its lines. `hosted_url` is for keys that may write quotes, and never part of an event."""

    line_items: list[Line]
    hosted_url: str | UnsetType | None = UNSET


class QuoteQuery(PageQuery, kw_only=True):
    """Filters of quotes."""

    sortable = ("created_at", "updated_at", "number", "issue_date", "expiry_date", "total", "title", "sent_at")

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
    total_from: Amount | None = None
    total_to: Amount | None = None
    include: list[Include] | None = None
