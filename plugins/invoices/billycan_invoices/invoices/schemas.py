"""Structs that clients send and receive about invoices, besides the invoices: what actions take, and previews."""

from datetime import date
from typing import Annotated, Literal

from msgspec import Struct

from billycan import Member, Named
from billycan.books import Undoing
from billycan.fields import Amount, Day, Percent, Text
from billycan_documents.api import AmountsAre, CodeTotals, GstCode, GstRounding, Quantity, UnitPrice

from ..resource import TaxInvoice, Title

PaymentMethod = Annotated[
    str, Text("How a payment was made, such as `bank_transfer`, `card` or `cash`.", least=1, most=50, kind="word")
]
Reason = Annotated[str, Text("Why something was done.", least=1, most=500)]


class InvoiceVoiding(Undoing, kw_only=True):
    """Voiding an invoice.

    reason: Why.
    """

    reason: Reason | None = None


class InvoiceWriteOff(Struct, forbid_unknown_fields=True, kw_only=True):
    """Writing off the amount due.

    reason: Why.
    date: The day on which it counts, not before the last payment or adjustment note; default today.
    mistake: Whether the amount was never owed, because the invoice charged too much. Then it counts on the invoice's
      own date, without a `date` here.
    """

    reason: Reason | None = None
    date: Day | None = None
    mistake: bool | None = None


class WriteOffUndoing(Undoing, kw_only=True):
    """Undoing a write-off: the amount still written off is due again."""


class Forfeiture(Struct, forbid_unknown_fields=True, kw_only=True):
    """Keeping a security deposit because the client did not go through with the work.

    reason: Why.
    forfeited_on: When it was forfeited; default today, in the business's time zone.
    """

    reason: Reason | None = None
    forfeited_on: Day | None = None


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
    total: Amount
    gst_breakdown: list[CodeTotals]
    document_title: Title
    tax_invoice: TaxInvoice
    line_items: list[PreviewLine]
