"""What clients send and receive."""

from datetime import date
from decimal import Decimal
from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from billycan import Named, PageQuery, Resource
from billycan.fields import Amount, Day, DayOrInstant, Id, Instant, Moment, Notes, Positive, Reference, Search, Text
from billycan.tenants import AmountsAre, GstRounding
from billycan_gst.api import CodeTotals, GstCode, Line, NewDocument

Status = Literal["draft", "sent", "partially_paid", "paid", "void", "written_off"]
Include = Literal["line_items"]


class PaymentMethod(Text, least=1, most=50):
    """How a payment was made, such as `bank_transfer`, `card` or `cash`."""


class Reason(Text, least=1, most=500):
    """Why something was done."""


class NewInvoice(NewDocument, kw_only=True):
    """An invoice to make; what is not sent follows from the contact's and the tenant's terms.

    client_id: The contact who owes it.
    issue_date: The date of the invoice; today in the business's time zone unless said.
    due_date: When it is due; the issue date and the contact's or the business's terms unless said.
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


class NewPayment(Struct, forbid_unknown_fields=True, kw_only=True):
    """Money received for an invoice.

    amount: What was received, at most what is due.
    payment_method: How, such as `bank_transfer`, `card` or `cash`.
    paid_at: When; now unless said.
    reference: The payer's reference.
    """

    amount: Positive
    payment_method: PaymentMethod
    paid_at: Instant | None = None
    reference: Reference | None = None


class Settlement(Struct, forbid_unknown_fields=True, kw_only=True):
    """Money received for all that is due.

    payment_method: How, such as `bank_transfer`, `card` or `cash`.
    paid_at: When; now unless said.
    reference: The payer's reference.
    """

    payment_method: PaymentMethod
    paid_at: Instant | None = None
    reference: Reference | None = None


class PaymentReversal(Struct, forbid_unknown_fields=True, kw_only=True):
    """Taking a payment back.

    reason: Why.
    """

    reason: Reason | None = None


class InvoiceVoiding(Struct, forbid_unknown_fields=True, kw_only=True):
    """Voiding an invoice.

    reason: Why.
    """

    reason: Reason | None = None


class InvoiceWriteOff(Struct, forbid_unknown_fields=True, kw_only=True):
    """Giving up what is due.

    reason: Why.
    """

    reason: Reason | None = None


class Payment(Struct, kw_only=True):
    """A payment of an invoice; a reversed one stays listed.

    id: Its id.
    invoice_id: The invoice it pays.
    amount: What was received.
    paid_at: When it was received.
    status: Whether it counts, or was taken back.
    created_at: When it was recorded.
    reversed_at: When it was taken back.
    reverse_reason: Why it was taken back.
    """

    id: str
    invoice_id: str
    amount: Decimal
    payment_method: str
    paid_at: Moment
    reference: str | None
    status: Literal["recorded", "reversed"]
    created_at: Moment
    reversed_at: Moment | None
    reverse_reason: str | None


class TaxInvoice(Struct):
    """Whether the document has what a tax invoice must show (s 29-70 GST Act), and what it lacks.

    compliant: Whether nothing is missing.
    missing: What is, such as `seller_abn`; `send` refuses it until then.
    """

    compliant: bool
    missing: list[str]


class ListedInvoice(Resource):
    """An invoice as lists show it: without its payments, and with its lines only on request.

    number: Its number, such as INV-0042: never used twice.
    status: How far it is; actions change it.
    client: The contact who owes it.
    currency: Always AUD.
    amounts_are: Whether its lines were sent with GST in them.
    gst_rounding: Whether GST is rounded once for the document or for each line.
    subtotal: What the lines come to without GST, after discounts.
    discount_total: What the discounts of the lines and of the document come to.
    gst: The GST, which with `subtotal` makes `total`.
    total: What it comes to with GST.
    gst_breakdown: Amounts and GST by GST code.
    amount_paid: What was received.
    amount_due: What is still to be received.
    is_overdue: Whether money is due since before today.
    document_title: What it is headed.
    tax_invoice: Whether it shows what a tax invoice must.
    sent_at: When it was sent.
    paid_at: When it became paid.
    payment_method: How the payment that settled it was made.
    voided_at: When it was voided.
    void_reason: Why it was voided.
    written_off_at: When it was written off.
    write_off_reason: Why it was written off.
    hosted_url: The page where the client sees it, once it is sent; only for keys that may write invoices.
    line_items: What is charged for, in order; in lists only with `include=line_items`.
    """

    number: str
    status: Status
    client_id: str
    client: Named
    issue_date: date
    due_date: date
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
    amount_paid: Decimal
    amount_due: Decimal
    is_overdue: bool
    document_title: Literal["Tax invoice", "Invoice"]
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
    voided_at: Moment | None
    void_reason: str | None
    written_off_at: Moment | None
    write_off_reason: str | None
    hosted_url: str | UnsetType | None
    line_items: list[Line] | UnsetType = UNSET


class Invoice(ListedInvoice, kw_only=True):
    """An invoice with its lines and payments; `hosted_url` is for keys that may write invoices, never in an event.

    payments: The payments of it, the newest last, reversed ones too.
    line_items: What is charged for, in order.
    """

    line_items: list[Line]
    payments: list[Payment]
    hosted_url: str | UnsetType | None = UNSET


class PreviewLine(Struct):
    """A line worked out but not stored.

    description: What is charged for.
    quantity: How many.
    unit: What the quantity counts.
    unit_price: Of one.
    discount_percent: Taken off the line, in per cent.
    discount_amount: Taken off the line, in dollars.
    gst_code: How the line is taxed.
    net: Its amount without GST.
    gst: The GST on it.
    total: Its amount with GST.
    """

    description: str
    quantity: Decimal
    unit: str | None
    unit_price: Decimal
    discount_percent: Decimal | None
    discount_amount: Decimal | None
    gst_code: GstCode
    net: Decimal
    gst: Decimal
    total: Decimal


class Preview(Struct, kw_only=True):
    """An invoice worked out but not stored.

    client_id: The contact who would owe it.
    client: The contact who would owe it.
    issue_date: The date of the invoice.
    due_date: When it would be due.
    currency: Always AUD.
    amounts_are: Whether its lines were sent with GST in them.
    gst_rounding: Whether GST is rounded once for the document or for each line.
    subtotal: What the lines come to without GST, after discounts.
    discount_total: What the discounts of the lines and of the document come to.
    gst: The GST, which with `subtotal` makes `total`.
    total: What it comes to with GST.
    gst_breakdown: Amounts and GST by GST code.
    discount_percent: Taken off the whole document, in per cent.
    discount_amount: Taken off the whole document, in dollars.
    document_title: What it would be headed.
    tax_invoice: Whether it shows what a tax invoice must.
    line_items: What is charged for, in order.
    """

    client_id: str
    client: Named
    issue_date: date
    due_date: date
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
    document_title: Literal["Tax invoice", "Invoice"]
    tax_invoice: TaxInvoice
    line_items: list[PreviewLine]


class InvoiceQuery(PageQuery, kw_only=True):
    """Filters of invoices; `overdue` and `unpaid` are worked out from status and due date.

    status: Those in any of these; `overdue` are those due before today, `unpaid` all that await money.
    include: What list items leave out by themselves.
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
