"""Jobs, declared once: what is sent, shown, filtered, sorted, searched and stored."""

from typing import Annotated, Literal

import sqlalchemy as sa
from msgspec import UNSET, Meta, Struct, UnsetType

from billycan import Address, Context, Decimals, Member, Named, Neighbours, Query, Resource, RuleBroken, resource
from billycan.fields import Amount, Description, Id, Moment, Name, Notes, Percent, Reference, Text
from billycan_contacts import api as contacts
from billycan_documents.api import (
    NEEDS,
    AmountsAre,
    CodeTotals,
    GstRounding,
    Invoiced,
    Line,
    NewDocument,
    NewLine,
    document_columns,
)

Status = Literal["open", "scheduled", "in_progress", "on_hold", "complete", "cancelled"]
Priority = Literal["low", "normal", "high", "urgent"]
Include = Literal["line_items"]
ItemText = Annotated[str, Text("What is to be done: 1 to 500 characters.", least=1, most=500)]
NotStored = Member(stored=False)


class NewChecklistItem(Struct, forbid_unknown_fields=True, kw_only=True):
    """A checklist item. On PATCH, one with an `id` is merged into the stored one; one without is new.

    id: On PATCH, which stored item this is.
    text: What is to be done.
    required: Whether the job cannot be completed without it.
    done: Whether it is done.
    """

    id: Id | None = None
    text: ItemText
    required: bool = False
    done: bool = False


class ChecklistItem(Struct):
    """A checklist item; a job can be completed only once all required items are done.

    id: Its id, by which a PATCH names it.
    """

    id: str
    text: str
    required: bool
    done: Annotated[bool, Member(role="done")]


class NewJob(NewDocument, kw_only=True):
    """Work to do for a client; `reference`, `notes` and `terms` are what its invoice will say.

    client_id: The contact it is for.
    title: What is to be done, in a few words.
    description: What is to be done, in detail.
    site_address: Where it is done.
    scheduled_start: When it should start; a job created with it is `scheduled`.
    scheduled_end: When it should end.
    assignee_ids: The staff who do it.
    priority: How urgent it is.
    checklist: What must or should be done, in order.
    line_items: The materials and labour to bill, in order.
    reference: A short reference for the client, on its invoice.
    notes: Notes for the client, on its invoice.
    terms: Terms of payment for the client, on its invoice.
    quote_id: The quote that it fulfils.
    booking_id: The booking it came from.
    completion_notes: Notes on the work done.
    """

    client_id: Annotated[Id, Member(filter="any", refers_to="contacts")]
    title: Annotated[Name, Member(sort=True, search=True, role="title")]
    description: Annotated[Description | None, Member(search=True)] = None
    site_address: Address | None = None
    scheduled_start: Annotated[Moment | None, Member(filter="range", sort="indexed", role="start")] = None
    scheduled_end: Annotated[Moment | None, Member(filter="range", sort=True, role="end")] = None
    assignee_ids: Annotated[list[Id], Meta(max_length=50), Member(role="assignee")] = []
    priority: Annotated[Priority, Member(filter="any")] = "normal"
    checklist: Annotated[list[NewChecklistItem], Meta(max_length=200)] = []
    line_items: Annotated[list[NewLine], Meta(max_length=500)] = []
    reference: Reference | None = None
    notes: Notes | None = None
    terms: Notes | None = None
    quote_id: Annotated[Id | None, Member(filter="any")] = None
    booking_id: Annotated[Id | None, Member(filter="any")] = None
    completion_notes: Notes | None = None

    def __post_init__(self) -> None:
        check_times(self.scheduled_start, self.scheduled_end)
        for i, id in enumerate(self.assignee_ids):
            if id in self.assignee_ids[:i]:
                raise RuleBroken("invalid_value", "appears twice", f"assignee_ids[{i}]")


class ListedJob(Resource):
    """A job as lists show it: with its lines only on request.

    number: Its number, such as JOB-0042; never reused.
    status: Its status; actions change it.
    client: The contact it is for.
    assignees: The staff who do it.
    currency: Always AUD.
    amounts_are: Whether the prices of its lines include GST.
    gst_rounding: Whether GST is rounded once for the document or for each line.
    subtotal: The sum of the lines without GST, after discounts.
    discount_total: The sum of all discounts, on lines and on the document.
    gst: The GST; `subtotal` plus `gst` is `total`.
    total: The total including GST.
    gst_breakdown: Amounts and GST by GST code.
    invoice_ids: The invoices that name it.
    invoiced: How much of it was invoiced.
    completed_at: When it was completed.
    cancelled_at: When it was cancelled.
    cancel_reason: Why it was cancelled.
    line_items: The materials and labour to bill, in order; in lists only with `include=line_items`.
    """

    number: Annotated[str, Member(filter="any", sort=True, search=True, unique=True, role="title")]
    status: Annotated[
        Status,
        Member(
            filter="any",
            role="status",
            good=("complete",),
            info=("scheduled", "in_progress"),
            warn=("on_hold",),
            ends=("cancelled",),
        ),
    ]
    client_id: str
    client: Annotated[Named, NotStored]
    title: str
    description: str | None
    site_address: Address | None
    scheduled_start: Moment | None
    scheduled_end: Moment | None
    assignee_ids: list[str]
    assignees: Annotated[list[Named], NotStored]
    priority: Priority
    checklist: list[ChecklistItem]
    currency: Annotated[Literal["AUD"], NotStored]
    amounts_are: AmountsAre
    gst_rounding: GstRounding
    discount_percent: Percent | None
    discount_amount: Amount | None
    subtotal: Amount
    discount_total: Amount
    gst: Amount
    total: Annotated[Amount, Member(filter="range", sort=True)]
    gst_breakdown: list[CodeTotals]
    reference: str | None
    notes: str | None
    terms: str | None
    quote_id: str | None
    booking_id: str | None
    invoice_ids: Annotated[list[str], NotStored]
    invoiced: Annotated[Invoiced, NotStored]
    completed_at: Annotated[Moment | None, Member(filter="range", sort=True)]
    completion_notes: str | None
    cancelled_at: Annotated[Moment | None, Member(filter="range", sort=True)]
    cancel_reason: str | None
    line_items: Annotated[list[Line] | UnsetType, NotStored] = UNSET


class Job(ListedJob):
    """A job with its lines.

    line_items: The materials and labour to bill, in order.
    """

    line_items: list[Line]


class JobQuery(Query[ListedJob], kw_only=True):
    """Parameters of the list of jobs besides those of its members.

    assignee_id: Jobs assigned to any of these members of staff.
    to_invoice: Complete jobs that are not invoiced in full, or all others. What the client retains counts as invoiced,
      a deposit only once an invoice takes it off.
    include: What to include that lists leave out.
    """

    assignee_id: list[str] | None = None
    to_invoice: bool | None = None
    include: list[Include] | None = None


def check_times(start: Moment | None, end: Moment | None) -> None:
    """Refuse an end without a start, or an end that is not after the start."""
    if end is not None and start is None:
        raise RuleBroken("required", "is required where there is a scheduled_end", "scheduled_start")
    if end is not None and start is not None and end <= start:
        raise RuleBroken("out_of_range", "must be after scheduled_start", "scheduled_end")


neighbours = Neighbours(quote_id="quotes", booking_id="bookings")


def assigned_to(ctx: Context, ids: list[str]) -> sa.ColumnElement[bool]:
    """Match the jobs that any of these staff are assigned to."""
    return sa.or_(*(ctx.json_list_has(jobs.table.c.assignee_ids, id) for id in ids))


def is_to_invoice(ctx: Context, wanted: bool) -> sa.ColumnElement[bool]:
    """Match complete jobs of which something is left to invoice, or the others."""
    c = jobs.table.c
    # In these words, with literals and the column first, both databases know the index of these jobs again.
    is_left = c.total > sa.func.coalesce(c.billed, sa.literal_column("0"))
    found = (c.status == sa.literal_column("'complete'")) & is_left
    return found if wanted else sa.not_(found)


_TO_INVOICE = sa.text("status = 'complete' AND total > coalesce(billed, 0)")

jobs = resource(
    "jobs",
    sends=NewJob,
    shows=ListedJob,
    prefix="job",
    query=JobQuery,
    number="JOB-",
    more=(
        *document_columns(),
        # The claims of its invoices on its total; null before the first of them.
        sa.Column("billed", Decimals(2)),
        sa.Index(None, "tenant_id", "client_id", "created_at", "id"),
        sa.Index(None, "tenant_id", "status", "created_at", "id"),
        sa.Index(None, "tenant_id", "sequence", "id"),
        sa.Index(None, "tenant_id", "scheduled_end"),
        sa.Index(
            "ix_jobs_to_invoice",
            "tenant_id",
            "status",
            "created_at",
            "id",
            sqlite_where=_TO_INVOICE,
            postgresql_where=_TO_INVOICE,
        ),
        *map(Neighbours.index, ("quote_id", "booking_id")),
    ),
    filters={"search": contacts.found_by("jobs", "client_id"), "assignee_id": assigned_to, "to_invoice": is_to_invoice},
    remembers=True,
    neighbours=neighbours,
    needs={
        **NEEDS,
        "assignees": ("assignee_ids",),
        "invoice_ids": (),
        "invoiced": ("total",),
        "allowed_actions": ("status", "checklist", "gst_breakdown", "total"),
    },
    points_at={"assignee_id": "staff"},
)
