"""Quotes, declared once: what is sent, shown, filtered, sorted, searched and stored."""

from datetime import date
from typing import Annotated, Literal

import sqlalchemy as sa
from msgspec import UNSET, Struct, UnsetType

from billycan import Context, Member, Named, Neighbours, Query, Resource, resource
from billycan.fields import Amount, Day, Description, Id, Moment, Name, Notes, Percent, Reference
from billycan_contacts import api as contacts
from billycan_documents.api import (
    NEEDS,
    AmountsAre,
    CodeTotals,
    GstRounding,
    Invoiced,
    Line,
    NewDocument,
    document_columns,
    party_columns,
)

Status = Literal["draft", "sent", "accepted", "declined", "expired", "cancelled", "converted", "invoiced"]
Include = Literal["line_items"]
NotStored = Member(stored=False)


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

    client_id: Annotated[Id, Member(filter="any", refers_to="contacts")]
    title: Annotated[Name | None, Member(sort=True, search=True, role="title")] = None
    summary: Annotated[Description | None, Member(search=True)] = None
    issue_date: Annotated[Day | None, Member(filter="range", sort=True)] = None
    expiry_date: Annotated[Day | None, Member(filter="range", sort=True)] = None
    reference: Reference | None = None
    notes: Notes | None = None
    terms: Notes | None = None
    job_id: Annotated[Id | None, Member(filter="any")] = None
    booking_id: Annotated[Id | None, Member(filter="any")] = None


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

    number: Annotated[str, Member(filter="any", sort=True, search=True, unique=True, role="title")]
    status: Annotated[
        Status,
        Member(
            filter="any",
            role="status",
            good=("accepted", "converted", "invoiced"),
            info=("sent",),
            warn=("expired",),
            ends=("declined", "cancelled"),
        ),
    ]
    client_id: str
    client: Annotated[Named, NotStored]
    title: str | None
    summary: str | None
    issue_date: date
    expiry_date: date
    currency: Annotated[Literal["AUD"], NotStored]
    amounts_are: AmountsAre
    gst_rounding: GstRounding
    discount_percent: Percent | None
    discount_amount: Amount | None
    subtotal: Amount
    discount_total: Amount
    gst: Amount
    total: Annotated[Amount, Member(filter="range", sort=True, role="amount")]
    gst_breakdown: list[CodeTotals]
    reference: str | None
    notes: str | None
    terms: str | None
    revision: int
    invoice_id: Annotated[str | None, Member(filter="any")]
    invoice_ids: Annotated[list[str], NotStored]
    invoiced: Annotated[Invoiced, NotStored]
    job_id: str | None
    booking_id: str | None
    sent_at: Annotated[Moment | None, Member(filter="range", sort=True)]
    accepted_at: Annotated[Moment | None, Member(filter="range", sort=True)]
    accepted_by: AcceptedBy | None
    declined_at: Annotated[Moment | None, Member(filter="range", sort=True)]
    decline_reason: str | None
    cancelled_at: Annotated[Moment | None, Member(filter="range", sort=True)]
    hosted_url: Annotated[str | UnsetType | None, NotStored]
    line_items: Annotated[list[Line] | UnsetType, NotStored] = UNSET


class Quote(ListedQuote, kw_only=True):
    """A quote with its lines. `hosted_url` is shown only to keys that may write quotes, never in events.

    line_items: What is charged for, in order.
    """

    line_items: list[Line]
    hosted_url: str | UnsetType | None = UNSET


class QuoteQuery(Query[ListedQuote], kw_only=True):
    """Parameters of the list of quotes besides those of its members.

    include: What to include that lists leave out.
    """

    include: list[Include] | None = None


neighbours = Neighbours(job_id="jobs", booking_id="bookings")
becomes = Neighbours(invoice_id="invoices")


def of_status(ctx: Context, statuses: list[str]) -> sa.ColumnElement[bool]:
    """Match quotes that have one of these statuses today."""
    table = quotes.table
    sent, past = table.c.status == "sent", table.c.expiry_date < ctx.today()
    conditions = {"sent": sent & ~past, "expired": (table.c.status == "expired") | (sent & past)}
    return sa.or_(*(conditions.get(status, table.c.status == status) for status in statuses))


quotes = resource(
    "quotes",
    sends=NewQuote,
    shows=ListedQuote,
    prefix="quo",
    query=QuoteQuery,
    number="QUO-",
    more=(
        *document_columns(),
        *party_columns(),
        # Goes up by one to revoke all earlier links.
        sa.Column("link_edition", sa.Integer, nullable=False),
        # `job` or `invoice`, once converted.
        sa.Column("converted_to", sa.Text),
        sa.Index(None, "tenant_id", "client_id", "created_at"),
        sa.Index(None, "tenant_id", "sequence", "id"),
        sa.Index(None, "tenant_id", "invoice_id"),
        *map(Neighbours.index, ("job_id", "booking_id")),
        sa.Index(None, "status", "expiry_date"),
    ),
    search=("client_name",),
    filters={"status": of_status, "search": contacts.found_by("quotes", "client_id")},
    remembers=True,
    neighbours=neighbours,
    needs={
        **NEEDS,
        "status": ("status", "expiry_date"),
        "allowed_actions": ("status", "issue_date", "expiry_date", "gst_breakdown"),
        "invoice_ids": (),
        "invoiced": ("total", "converted_to", "job_id"),
        "hosted_url": ("status", "sent_at", "expiry_date", "link_edition"),
    },
    points_at=becomes.plugins,
)
