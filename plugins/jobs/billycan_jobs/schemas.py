"""Structs that clients send and receive for jobs."""

from decimal import Decimal
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from billycan import Address, Named, PageQuery, Resource, RuleBroken
from billycan.fields import (
    Amount,
    AmountsAre,
    DayOrInstant,
    Description,
    GstRounding,
    Id,
    Instant,
    Moment,
    Name,
    Notes,
    Reference,
    Search,
    Text,
)
from billycan_documents.api import CodeTotals, Invoiced, Line, NewDocument, NewLine

Status = Literal["open", "scheduled", "in_progress", "on_hold", "complete", "cancelled"]
Priority = Literal["low", "normal", "high", "urgent"]
Include = Literal["line_items"]


ItemText = Annotated[str, Text("What is to be done: 1 to 500 characters.", least=1, most=500)]
Reason = Annotated[str, Text("Why something was done.", least=1, most=500)]


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
    done: bool


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

    client_id: Id
    title: Name
    description: Description | None = None
    site_address: Address | None = None
    scheduled_start: Instant | None = None
    scheduled_end: Instant | None = None
    assignee_ids: Annotated[list[Id], Meta(max_length=50)] = []
    priority: Priority = "normal"
    checklist: Annotated[list[NewChecklistItem], Meta(max_length=200)] = []
    line_items: Annotated[list[NewLine], Meta(max_length=500)] = []
    reference: Reference | None = None
    notes: Notes | None = None
    terms: Notes | None = None
    quote_id: Id | None = None
    booking_id: Id | None = None
    completion_notes: Notes | None = None

    def __post_init__(self) -> None:
        check_times(self.scheduled_start, self.scheduled_end)
        for i, id in enumerate(self.assignee_ids):
            if id in self.assignee_ids[:i]:
                raise RuleBroken("invalid_value", "appears twice", f"assignee_ids[{i}]")


class Schedule(Struct, forbid_unknown_fields=True, kw_only=True):
    """The times of the work.

    scheduled_start: When it should start.
    scheduled_end: When it should end.
    """

    scheduled_start: Instant
    scheduled_end: Instant | None = None

    def __post_init__(self) -> None:
        check_times(self.scheduled_start, self.scheduled_end)


class Completion(Struct, forbid_unknown_fields=True, kw_only=True):
    """Completing a job; without `notes`, existing notes stay.

    notes: Notes on the work done.
    """

    notes: Notes | None = None


class JobCancellation(Struct, forbid_unknown_fields=True, kw_only=True):
    """Cancelling a job.

    reason: Why.
    """

    reason: Reason | None = None


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

    number: str
    status: Status
    client_id: str
    client: Named
    title: str
    description: str | None
    site_address: Address | None
    scheduled_start: Moment | None
    scheduled_end: Moment | None
    assignee_ids: list[str]
    assignees: list[Named]
    priority: Priority
    checklist: list[ChecklistItem]
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
    quote_id: str | None
    booking_id: str | None
    invoice_ids: list[str]
    invoiced: Invoiced
    completed_at: Moment | None
    completion_notes: str | None
    cancelled_at: Moment | None
    cancel_reason: str | None
    line_items: list[Line] | UnsetType = UNSET


class Job(ListedJob):
    """A job with its lines.

    line_items: The materials and labour to bill, in order.
    """

    line_items: list[Line]


class JobQuery(PageQuery, kw_only=True):
    """Filters of jobs.

    assignee_id: Jobs assigned to any of these members of staff.
    include: What to include that lists leave out.
    """

    sortable = (
        "created_at",
        "updated_at",
        "number",
        "title",
        "scheduled_start",
        "scheduled_end",
        "completed_at",
        "cancelled_at",
        "total",
    )

    search: Search | None = None
    status: list[Status] | None = None
    client_id: list[str] | None = None
    assignee_id: list[str] | None = None
    priority: list[Priority] | None = None
    number: list[str] | None = None
    quote_id: list[str] | None = None
    booking_id: list[str] | None = None
    scheduled_start_from: DayOrInstant | None = None
    scheduled_start_to: DayOrInstant | None = None
    scheduled_end_from: DayOrInstant | None = None
    scheduled_end_to: DayOrInstant | None = None
    completed_at_from: DayOrInstant | None = None
    completed_at_to: DayOrInstant | None = None
    cancelled_at_from: DayOrInstant | None = None
    cancelled_at_to: DayOrInstant | None = None
    total_from: Amount | None = None
    total_to: Amount | None = None
    include: list[Include] | None = None


def check_times(start: Instant | None, end: Instant | None) -> None:
    """Refuse an end without a start, or an end that is not after the start."""
    if end is not None and start is None:
        raise RuleBroken("required", "is required where there is a scheduled_end", "scheduled_start")
    if end is not None and start is not None and end <= start:
        raise RuleBroken("out_of_range", "must be after scheduled_start", "scheduled_end")
