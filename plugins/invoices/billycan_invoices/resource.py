"""Invoices, declared once: what is sent, shown, filtered, sorted, searched and stored."""

from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal

import sqlalchemy as sa
from msgspec import UNSET, Struct, UnsetType

from billycan import ByCodePoint, Context, Decimals, Json, Member, Named, Neighbours, Query, Resource, resource
from billycan.fields import Amount, Day, Id, Moment, Notes, Percent, Reference, Text
from billycan_contacts import api as contacts
from billycan_documents.api import (
    NEEDS,
    AmountsAre,
    CodeTotals,
    GstRounding,
    Line,
    NewDocument,
    document_columns,
    party_columns,
)

from . import rules

Status = Literal["draft", "sent", "partially_paid", "paid", "credited", "void", "written_off"]
Include = Literal["line_items", "payments"]
Claim = Literal["progress", "part_payment", "deposit", "retention", "final"]
Title = Literal["Tax invoice", "Invoice", "Deposit request"]
PaymentStatus = Literal["recorded", "reversed"]
NotStored = Member(stored=False)
_Word = Annotated[str, Text(kind="word")]


class InvoicePayment(Struct, kw_only=True):
    """A payment as an invoice shows it: the part that settles this invoice. A reversed one stays listed.

    id: Its id; `GET /v1/payments/{id}` is the payment as a whole.
    invoice_id: The invoice.
    amount: The part of it that settles this invoice.
    cash_rounding: What it settled beyond `amount`; negative if it settled less. Always 0.00 unless paid in cash.
    payment_method: How it was made.
    paid_at: When it was received.
    paid_on: The date on which it was received, in the business's time zone.
    reference: The payer's reference.
    status: Whether it counts, or was reversed.
    allowed_actions: The actions that are possible now: POST /v1/invoices/{id}/payments/{pay_id}/{action}.
    created_at: When it was recorded.
    reversed_at: When it was reversed.
    reversed_on: The date on which its reversal counts; null for a mistake, which is in no figure.
    reverse_reason: Why it was reversed.
    """

    id: str
    invoice_id: str
    amount: Annotated[Amount, Member(role="amount")]
    cash_rounding: Amount
    payment_method: _Word
    paid_at: Annotated[Moment, Member(told_by="paid_on")]
    paid_on: date
    reference: str | None
    status: Annotated[PaymentStatus, Member(role="status", ends=("reversed",))]
    allowed_actions: list[str]
    created_at: Moment
    reversed_at: Annotated[Moment | None, Member(told_by="reversed_on")]
    reversed_on: date | None
    reverse_reason: str | None


class NewInvoice(NewDocument, kw_only=True):
    """An invoice to create; the contact's and the business's terms complete it.

    client_id: The contact who owes the money.
    issue_date: The date of the invoice; default today, in the business's time zone.
    due_date: When it is due; default the issue date plus the contact's or the business's terms.
    reference: A short reference for the client.
    purchase_order: The client's purchase order.
    notes: Notes for the client.
    terms: Terms of payment for the client.
    quote_id: The quote it was made from.
    job_id: The job it bills.
    booking_id: The booking it bills.
    """

    client_id: Annotated[Id, Member(filter="any", refers_to="contacts")]
    issue_date: Annotated[Day | None, Member(filter="range", sort="indexed")] = None
    due_date: Annotated[Day | None, Member(filter="range", sort="indexed")] = None
    reference: Annotated[Reference | None, Member(search=True)] = None
    purchase_order: Annotated[Reference | None, Member(search=True)] = None
    notes: Notes | None = None
    terms: Notes | None = None
    quote_id: Annotated[Id | None, Member(filter="any")] = None
    job_id: Annotated[Id | None, Member(filter="any")] = None
    booking_id: Annotated[Id | None, Member(filter="any")] = None


class TaxInvoice(Struct):
    """The check that the document shows everything a tax invoice must (s 29-70 GST Act).

    compliant: Whether nothing is missing; null for a document that is not a tax invoice.
    missing: What is missing, such as `seller_abn`; until it is supplied, `send` is refused.
    """

    compliant: bool | None
    missing: list[str]


class WorkTotals(Struct):
    """The totals of some work: `subtotal` plus `gst` is `total`.

    subtotal: Without GST.
    gst: The GST on it.
    total: Including GST.
    """

    subtotal: Amount
    gst: Amount
    total: Amount


class ProgressClaim(Struct):
    """A progress claim's figures about the contract, as it stood when the claim was made; all of them include GST.

    number: Which claim under the contract it is; null for a release of retention.
    contract_sum: The total of all the work.
    claimed: The amount of work that it claims, before retention.
    claimed_to_date: The amount that it and the claims before it claim, before retention.
    retained: How much of `claimed` the client retains; it is not part of the invoice's total.
    released: How much of the amount retained before it invoices.
    retained_to_date: The amount that the client retains, including from this claim.
    """

    number: int | None
    contract_sum: Amount
    claimed: Amount
    claimed_to_date: Amount
    retained: Amount
    released: Amount
    retained_to_date: Amount


class ListedInvoice(Resource):
    """An invoice as lists show it: with its lines and its payments only on request.

    number: Its number, such as INV-0042; never reused.
    status: Its status; actions change it.
    client: The contact who owes the money.
    currency: Always AUD.
    amounts_are: Whether the prices of its lines include GST.
    gst_rounding: Whether GST is rounded once for the document or for each line.
    subtotal: The sum of the lines without GST, after discounts.
    discount_total: The sum of all discounts, on lines and on the document.
    gst: The GST; `subtotal` plus `gst` is `total`.
    total: The total including GST.
    gst_breakdown: Amounts and GST by GST code.
    amount_paid: The amount received.
    amount_credited: The amount that adjustment notes took off.
    amount_written_off: The amount written off as a bad debt and not recovered since.
    cash_rounding: The amount settled by rounding cash to a multiple of 0.05; negative if more was received than was
      due.
    amount_due: The amount still to be paid; 0.00 if it is void.
    is_overdue: Whether money is still due and the due date has passed.
    document_title: The document's title, such as `Tax invoice`.
    tax_invoice: Whether it shows everything that a tax invoice must.
    sent_at: When it was sent.
    paid_at: When it became paid.
    payment_method: How the payment that settled it was made.
    voided_at: When it was voided.
    voided_on: The date on which voiding it counts; null for a mistake, which is in no figure.
    void_reason: Why it was voided.
    written_off_at: When it was written off.
    written_off_on: The date on which the write-off counts.
    write_off_reason: Why it was written off.
    claim: If it bills a part of a quote's or a job's work, the kind of part: a `progress` claim, a `part_payment`, a
      `deposit`, the release of what was retained (`retention`), or all that other invoices left (`final`).
    progress_claim: For a progress claim, its figures about the contract: its number, the contract sum, the amount
      claimed to date and the amount retained.
    work: For a `final` invoice, the totals of all the work; `work` less `less_invoiced` is the total of the invoice.
    less_invoiced: For a `final` invoice, what it takes off: the amounts of earlier invoices and deposits, and the
      amount that the client retains.
    deposits_applied: The amount that it takes off for deposits; the GST on them is part of its own GST.
    applied_to: For a deposit, the invoice that takes it off.
    forfeited_on: For a deposit, when it was forfeited; the GST on it arises on that date.
    forfeited_gst: The GST on a forfeited deposit.
    forfeit_reason: Why it was forfeited.
    hosted_url: The page where the client sees it, once it is sent; only for keys that may write invoices.
    line_items: What is charged for, in order; in lists only with `include=line_items`.
    payments: Its payments, the newest last, including reversed ones; in lists only with `include=payments`.
    """

    number: Annotated[str, Member(filter="any", sort=True, search=True, unique=True, role="title")]
    status: Annotated[
        Status,
        Member(
            role="status",
            good=("paid",),
            info=("sent", "partially_paid"),
            ends=("void", "written_off"),
        ),
    ]
    client_id: str
    client: Annotated[Named, NotStored]
    issue_date: date
    due_date: date
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
    amount_paid: Annotated[Amount, Member(sort=True)]
    amount_credited: Amount
    amount_written_off: Amount
    cash_rounding: Amount
    amount_due: Annotated[Amount, Member(stored=False, role="amount")]
    is_overdue: Annotated[bool, Member(stored=False, role="alarm")]
    document_title: Title
    tax_invoice: Annotated[TaxInvoice, NotStored]
    reference: str | None
    purchase_order: str | None
    notes: str | None
    terms: str | None
    quote_id: str | None
    job_id: str | None
    booking_id: str | None
    sent_at: Annotated[Moment | None, Member(filter="range", sort=True)]
    paid_at: Annotated[Moment | None, Member(filter="range", sort=True)]
    payment_method: _Word | None
    voided_at: Annotated[Moment | None, Member(filter="range", sort=True, told_by="voided_on")]
    voided_on: date | None
    void_reason: str | None
    written_off_at: Annotated[Moment | None, Member(filter="range", sort=True, told_by="written_off_on")]
    written_off_on: date | None
    write_off_reason: str | None
    claim: Annotated[Claim | None, Member(filter="any")]
    progress_claim: ProgressClaim | None
    work: Annotated[WorkTotals | None, NotStored]
    less_invoiced: Annotated[WorkTotals | None, NotStored]
    deposits_applied: Amount
    applied_to: str | None
    forfeited_on: date | None
    forfeited_gst: Annotated[Amount | None, NotStored]
    forfeit_reason: str | None
    hosted_url: Annotated[str | UnsetType | None, NotStored]
    line_items: Annotated[list[Line] | UnsetType, NotStored] = UNSET
    payments: Annotated[list[InvoicePayment] | UnsetType, NotStored] = UNSET


class Invoice(ListedInvoice, kw_only=True):
    """An invoice with its lines and payments. `hosted_url` is shown only to keys that may write invoices, never in
    events.

    payments: Its payments, the newest last, including reversed ones; of each, the part that settles this invoice.
    line_items: What is charged for, in order.
    """

    line_items: list[Line]
    payments: list[InvoicePayment]
    hosted_url: str | UnsetType | None = UNSET


class InvoiceQuery(Query[ListedInvoice], kw_only=True):
    """Parameters of the list of invoices, in addition to the filters by its members.

    status: Invoices with any of these statuses; `overdue` means due before today, `unpaid` sent or partially paid.
    amount_due_from, amount_due_to: Invoices of which at least or at most so much is still to be paid.
    include: The members to include that lists otherwise leave out.
    """

    status: list[Literal[Status, "overdue", "unpaid"]] | None = None
    amount_due_from: Amount | None = None
    amount_due_to: Amount | None = None
    include: list[Include] | None = None


# The plugin that each of these ids points into.
NEIGHBOURS = {"quote_id": "quotes", "job_id": "jobs", "booking_id": "bookings"}
# The figures that reduce the amount due.
SETTLED = ("amount_paid", "amount_credited", "amount_written_off", "cash_rounding")


def of_status(ctx: Context, statuses: list[str]) -> sa.ColumnElement[bool]:
    """Match the invoices of any of these statuses, including calculated ones."""
    table = invoices.table
    conditions = {"unpaid": IS_OPEN, "overdue": IS_OPEN & (table.c.due_date < ctx.today())}
    return sa.or_(*(conditions.get(status, table.c.status == status) for status in statuses))


def _amount_due() -> sa.ColumnElement[Any]:
    table = invoices.table
    due = table.c.total - sum((table.c[name] for name in SETTLED[1:]), table.c[SETTLED[0]])
    return sa.case((table.c.status == "void", sa.literal(rules.ZERO, Decimals(2))), else_=due)


def of_least_due(ctx: Context, least: Decimal) -> sa.ColumnElement[bool]:
    """Match the invoices of which at least so much is still to be paid."""
    due = _amount_due() >= sa.literal(least, Decimals(2))
    # Only these have anything due, and the index on the status finds them.
    return due & invoices.table.c.status.in_(("draft", *rules.OPEN)) if least > 0 else due


def of_most_due(ctx: Context, most: Decimal) -> sa.ColumnElement[bool]:
    """Match the invoices of which at most so much is still to be paid."""
    return _amount_due() <= sa.literal(most, Decimals(2))


invoices = resource(
    "invoices",
    sends=NewInvoice,
    shows=ListedInvoice,
    prefix="inv",
    query=InvoiceQuery,
    number="INV-",
    more=(
        *document_columns(),
        *party_columns(),
        # The part of a quote's or job's work that it bills: see `claims`. `claimed` is the amount without extras.
        sa.Column("claim_on", ByCodePoint),
        sa.Column("claimed", Decimals(2)),
        sa.Column("claim_percent", Decimals(4)),
        sa.Column("claim_parts", Json),
        # For a final invoice or a claim with retention: the lines that take off earlier invoices or retention, and
        # their totals.
        sa.Column("less_line_ids", Json),
        sa.Column("less_subtotal", Decimals(2)),
        sa.Column("less_gst", Decimals(2)),
        # For a progress claim: the retention, and what each part has of it.
        sa.Column("retained", Decimals(2)),
        sa.Column("retained_parts", Json),
        sa.Column("applied_to", ByCodePoint),
        sa.Column("deposit_gst", Decimals(2)),
        # For a part payment: the total of the work at that time, see `supplies`.
        sa.Column("claim_supply", Json),
        sa.Index(None, "tenant_id", "client_id", "created_at", "id"),
        sa.Index(None, "tenant_id", "status", "created_at", "id"),
        sa.Index(None, "tenant_id", "sequence", "id"),
        sa.Index(None, "status", "due_date"),
        *map(Neighbours.index, (*NEIGHBOURS, "applied_to")),
    ),
    search=("client_name",),
    filters={
        "status": of_status,
        "amount_due_from": of_least_due,
        "amount_due_to": of_most_due,
        "search": contacts.found_by("invoices", "client_id"),
    },
    remembers=True,
    needs={
        **NEEDS,
        "document_title": ("document_title", "client_name", "issue_date", "gst_breakdown", "claim"),
        "tax_invoice": ("document_title", "client_id", "client_name", "issue_date", "gst_breakdown", "total", "claim"),
        "amount_due": ("status", "total", *SETTLED),
        "is_overdue": ("status", "due_date"),
        "allowed_actions": (
            *("status", "client_id", "issue_date", "gst_breakdown", "total", "amount_credited"),
            *("claim", "applied_to", "forfeited_on", "written_off_on"),
        ),
        "forfeited_gst": ("forfeited_on", "deposit_gst"),
        "work": ("claim", "subtotal", "gst", "less_subtotal", "less_gst"),
        "less_invoiced": ("claim", "less_subtotal", "less_gst"),
        "hosted_url": ("status", "issue_date", "sent_at"),
        "payments": ("status",),
    },
    points_at=NEIGHBOURS,
)

# Literals let the database reuse the statement of a list of open invoices, and that of its total.
IS_OPEN = invoices.table.c.status.in_([sa.literal_column(f"'{status}'") for status in rules.OPEN])
