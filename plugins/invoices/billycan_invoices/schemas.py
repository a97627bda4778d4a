"""Structs that clients send and receive: invoices, their lines and totals."""

from datetime import date
from typing import Annotated, Literal

from msgspec import UNSET, Struct, UnsetType

from billycan import Member, Named, PageQuery, Resource
from billycan.fields import (
    Amount,
    AmountsAre,
    Day,
    DayOrInstant,
    GstRounding,
    Id,
    Moment,
    Notes,
    Percent,
    Quantity,
    Reference,
    Search,
    UnitPrice,
)
from billycan.gst import Undoing
from billycan_documents.api import CodeTotals, GstCode, Line, NewDocument

from .payment_schemas import InvoicePayment, Reason

Status = Literal["draft", "sent", "partially_paid", "paid", "credited", "void", "written_off"]
Include = Literal["line_items"]
Claim = Literal["progress", "part_payment", "deposit", "retention", "final"]
Title = Literal["Tax invoice", "Invoice", "Deposit request"]


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

    client_id: Id
    issue_date: Day | None = None
    due_date: Day | None = None
    reference: Reference | None = None
    purchase_order: Reference | None = None
    notes: Notes | None = None
    terms: Notes | None = None
    quote_id: Id | None = None
    job_id: Id | None = None
    booking_id: Id | None = None


class InvoiceVoiding(Undoing, kw_only=True):
    """Voiding an invoice.

    reason: Why.
    """

    reason: Reason | None = None


class InvoiceWriteOff(Struct, forbid_unknown_fields=True, kw_only=True):
    """Writing off what is due.

    reason: Why.
    date: The day on which it counts, not before the last payment or adjustment note; default today.
    mistake: False or null: an invoice that was a mistake is voided.
    """

    reason: Reason | None = None
    date: Day | None = None
    mistake: bool | None = None


class WriteOffUndoing(Undoing, kw_only=True):
    """Undoing a write-off: what is left of it is due again."""


class Forfeiture(Struct, forbid_unknown_fields=True, kw_only=True):
    """Keeping a security deposit because the client did not go through with the work.

    reason: Why.
    forfeited_on: When it was forfeited; default today, in the business's time zone.
    """

    reason: Reason | None = None
    forfeited_on: Day | None = None


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
    total: Annotated[Amount, Member(role="amount")]


class ProgressClaim(Struct):
    """A progress claim's figures about the contract, as it stood when the claim was made; all of them include GST.

    number: Which claim under the contract it is; null for a release of retention.
    contract_sum: What all of the work comes to.
    claimed: What it claims of the work, before retention.
    claimed_to_date: What it and the claims before it claim of the work, before retention.
    retained: How much of `claimed` the client retains; it is not part of the invoice's total.
    released: How much of what was retained it invoices.
    retained_to_date: What the client retains, with this claim.
    """

    number: int | None
    contract_sum: Amount
    claimed: Amount
    claimed_to_date: Amount
    retained: Amount
    released: Amount
    retained_to_date: Amount


class ListedInvoice(Resource):
    """An invoice as lists show it: without its payments, and with its lines only on request.

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
    amount_credited: What adjustment notes took off.
    amount_written_off: What was written off as a bad debt and has not been recovered.
    cash_rounding: What was settled by rounding cash to a multiple of 0.05; negative if more was received than was due.
    amount_due: What is still to be paid; 0.00 if it is void.
    is_overdue: Whether money is still due and the due date has passed.
    document_title: The document's title, such as `Tax invoice`.
    tax_invoice: Whether it shows everything that a tax invoice must.
    sent_at: When it was sent.
    paid_at: When it became paid.
    payment_method: How the payment that settled it was made.
    voided_at: When it was voided.
    voided_on: The date on which voiding it counts; null for a mistake, which no figure shows.
    void_reason: Why it was voided.
    written_off_at: When it was written off.
    written_off_on: The date on which the write-off counts.
    write_off_reason: Why it was written off.
    claim: What it bills of a quote's or a job's work, if it bills a part of it: a `progress` claim, a `part_payment`, a
      `deposit`, the release of what was retained (`retention`), or all that other invoices left (`final`).
    progress_claim: Of a progress claim, what it says of the contract: its number, the contract sum, what is claimed to
      date and what is retained.
    work: Of a `final` invoice, what all of the work comes to; less `less_invoiced` it is what the invoice adds up to.
    less_invoiced: Of a `final` invoice, what it takes off: what earlier invoices and deposits have billed, and what the
      client retains.
    deposits_applied: What it takes off for deposits, with the GST on them in its own.
    applied_to: Of a deposit, the invoice that takes it off.
    forfeited_on: Of a deposit, when it was forfeited; the GST on it arises on that date.
    forfeited_gst: The GST on a forfeited deposit.
    forfeit_reason: Why it was forfeited.
    hosted_url: The page where the client sees it, once it is sent; only for keys that may write invoices.
    line_items: What is charged for, in order; in lists only with `include=line_items`.
    """

    number: Annotated[str, Member(unique=True, role="title")]
    status: Annotated[
        Status, Member(role="status", good=("paid",), info=("sent", "partially_paid"), ends=("void", "written_off"))
    ]
    client_id: str
    client: Named
    issue_date: date
    due_date: date
    currency: Literal["AUD"]
    amounts_are: AmountsAre
    gst_rounding: GstRounding
    discount_percent: Percent | None
    discount_amount: Amount | None
    subtotal: Amount
    discount_total: Amount
    gst: Amount
    total: Annotated[Amount, Member(role="amount")]
    gst_breakdown: list[CodeTotals]
    amount_paid: Amount
    amount_credited: Amount
    amount_written_off: Amount
    cash_rounding: Amount
    amount_due: Annotated[Amount, Member(role="amount")]
    is_overdue: Annotated[bool, Member(role="alarm")]
    document_title: Title
    tax_invoice: TaxInvoice
    reference: str | None
    purchase_order: str | None
    notes: str | None
    terms: str | None
    quote_id: str | None
    job_id: str | None
    booking_id: str | None
    sent_at: Moment | None
    paid_at: Moment | None
    payment_method: str | None
    voided_at: Annotated[Moment | None, Member(told_by="voided_on")]
    voided_on: date | None
    void_reason: str | None
    written_off_at: Annotated[Moment | None, Member(told_by="written_off_on")]
    written_off_on: date | None
    write_off_reason: str | None
    claim: Claim | None
    progress_claim: ProgressClaim | None
    work: WorkTotals | None
    less_invoiced: WorkTotals | None
    deposits_applied: Amount
    applied_to: str | None
    forfeited_on: date | None
    forfeited_gst: Amount | None
    forfeit_reason: str | None
    hosted_url: str | UnsetType | None
    line_items: list[Line] | UnsetType = UNSET


class Invoice(ListedInvoice, kw_only=True):
    """An invoice with its lines and payments. `hosted_url` is shown only to keys that may write invoices, never in
    events.

    payments: Its payments, the newest last, including reversed ones; of each, what settles this invoice.
    line_items: What is charged for, in order.
    """

    line_items: list[Line]
    payments: list[InvoicePayment]
    hosted_url: str | UnsetType | None = UNSET


class PreviewLine(Struct):
    """A line that was calculated but not stored.

    description: What is charged for.
    quantity: How many.
    unit: The unit of the quantity.
    unit_price: The price of one unit.
    discount_percent: A discount on the line, in percent.
    discount_amount: A discount on the line, in dollars.
    gst_code: How the line is taxed.
    net: Its amount without GST.
    gst: The GST on it.
    total: Its amount with GST.
    item_id: The item that it was filled in from.
    """

    description: str
    quantity: Quantity
    unit: str | None
    unit_price: Annotated[UnitPrice, Member(role="amount")]
    discount_percent: Percent | None
    discount_amount: Amount | None
    gst_code: GstCode
    net: Amount
    gst: Amount
    total: Annotated[Amount, Member(role="amount")]
    item_id: Annotated[str | None, Member(told_by="description")]


class Preview(Struct, kw_only=True):
    """An invoice that was calculated but not stored.

    client_id: The contact it would be for.
    client: The contact it would be for.
    issue_date: The date of the invoice.
    due_date: When it would be due.
    currency: Always AUD.
    amounts_are: Whether the prices of its lines include GST.
    gst_rounding: Whether GST is rounded once for the document or for each line.
    subtotal: The sum of the lines without GST, after discounts.
    discount_total: The sum of all discounts, on lines and on the document.
    gst: The GST; `subtotal` plus `gst` is `total`.
    total: The total including GST.
    gst_breakdown: Amounts and GST by GST code.
    discount_percent: A discount on the whole document, in percent.
    discount_amount: A discount on the whole document, in dollars.
    document_title: The title it would have.
    tax_invoice: Whether it shows everything that a tax invoice must.
    line_items: What is charged for, in order.
    """

    client_id: str
    client: Named
    issue_date: date
    due_date: date
    currency: Literal["AUD"]
    amounts_are: AmountsAre
    gst_rounding: GstRounding
    discount_percent: Percent | None
    discount_amount: Amount | None
    subtotal: Amount
    discount_total: Amount
    gst: Amount
    total: Annotated[Amount, Member(role="amount")]
    gst_breakdown: list[CodeTotals]
    document_title: Title
    tax_invoice: TaxInvoice
    line_items: list[PreviewLine]


class InvoiceQuery(PageQuery, kw_only=True):
    """Filters of invoices; `overdue` and `unpaid` are worked out from status and due date.

    status: Invoices with any of these statuses; `overdue` means due before today, `unpaid` sent or partially paid.
    include: What to include that lists leave out.
    """

    sortable = (
        "created_at",
        "updated_at",
        "number",
        "issue_date",
        "due_date",
        "total",
        "amount_paid",
        "sent_at",
        "paid_at",
        "voided_at",
        "written_off_at",
    )

    search: Search | None = None
    status: list[Literal[Status, "overdue", "unpaid"]] | None = None
    claim: list[Claim] | None = None
    client_id: list[str] | None = None
    number: list[str] | None = None
    quote_id: list[str] | None = None
    job_id: list[str] | None = None
    booking_id: list[str] | None = None
    issue_date_from: Day | None = None
    issue_date_to: Day | None = None
    due_date_from: Day | None = None
    due_date_to: Day | None = None
    sent_at_from: DayOrInstant | None = None
    sent_at_to: DayOrInstant | None = None
    paid_at_from: DayOrInstant | None = None
    paid_at_to: DayOrInstant | None = None
    voided_at_from: DayOrInstant | None = None
    voided_at_to: DayOrInstant | None = None
    written_off_at_from: DayOrInstant | None = None
    written_off_at_to: DayOrInstant | None = None
    total_from: Amount | None = None
    total_to: Amount | None = None
    include: list[Include] | None = None
