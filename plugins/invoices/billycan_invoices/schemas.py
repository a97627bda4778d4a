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
    """An invoice to make; what is not sent follows from the contact's and the tenant's terms."""

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
    """Money received for an invoice."""

    amount: Positive
    payment_method: PaymentMethod
    paid_at: Instant | None = None
    reference: Reference | None = None


class Settlement(Struct, forbid_unknown_fields=True, kw_only=True):
    """Money received for all that is due."""

    payment_method: PaymentMethod
    paid_at: Instant | None = None
    reference: Reference | None = None


class WithReason(Struct, forbid_unknown_fields=True, kw_only=True):
    """An action that may be explained."""

    reason: Reason | None = None


class Payment(Struct, kw_only=True):
    """A payment of an invoice; a reversed one stays listed."""

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
    """Whether the document has what a tax invoice must show (s 29-70 GST Act), and what it lacks."""

    compliant: bool
    missing: list[str]


class ListedInvoice(Resource):
    """An invoice as lists show it: without its payments, and with its lines only on request."""

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
    line_items: list[Line] | UnsetType = UNSET


class Invoice(ListedInvoice):
    """An invoice with its lines and payments; `hosted_url` is for keys that may write invoices, never in an event."""

    line_items: list[Line]
    payments: list[Payment]
    hosted_url: str | UnsetType | None = UNSET


class PreviewLine(Struct):
    """A line worked out but not stored."""

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
    """An invoice worked out but not stored."""

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
    """Filters of invoices; `overdue` and `unpaid` are worked out from status and due date."""

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
