"""Adjustment notes, declared once: what is sent, shown, filtered, sorted, searched and stored."""

from datetime import date
from decimal import Decimal
from typing import Annotated, Literal

import sqlalchemy as sa
from msgspec import UNSET, Meta, Struct, UnsetType

from billycan import Decimals, Json, Member, Named, NewResource, Query, Resource, resource
from billycan.fields import Amount, Day, Description, Id, Moment, Number, Text
from billycan_documents.api import AmountsAre, CodeTotals, GstCode, GstRounding, Quantity, UnitPrice, party_columns

from .resource import TaxInvoice

NoteStatus = Literal["draft", "issued", "void"]
NoteReason = Literal["returned", "price_change", "error", "cancelled", "other"]
Include = Literal["line_items"]
NotStored = Member(stored=False)

_Quantity = Annotated[
    Decimal, Number("A quantity above zero with at most 4 decimal places.", places=4, least="0.0001", kind="quantity")
]
_Price = Annotated[Decimal, Number("A price per unit with at most 4 decimal places.", places=4, kind="money")]
_Unit = Annotated[str, Text("What a quantity counts, such as `hour` or `each`.", least=1, most=20)]


class NewNoteLine(Struct, forbid_unknown_fields=True, kw_only=True):
    """A deduction: from a line of the invoice, or a separate item, which has a description and a unit price.

    On PATCH, one with an `id` is merged into the stored one; one without is new.

    id: On PATCH, which stored line this is.
    invoice_line_id: The line of the invoice to deduct from, by `quantity` or by `amount`; without either, all that is
      left of the line.
    description: What is taken off; by default, that of the invoice's line.
    quantity: How many; 1 for an item of its own.
    unit: The unit of the quantity, such as `hour`; by default, that of the invoice's line.
    unit_price: The price of one unit, with or without GST as the invoice's prices are; by default, that of the
      invoice's line.
    amount: How much of the invoice's line, with or without GST as the invoice's prices are.
    gst_code: How it was taxed; by default, as the invoice's line. For an item of its own, default `gst` if the invoice
      charges GST, or else the code of the invoice's first line.
    """

    id: Id | None = None
    invoice_line_id: Id | None = None
    description: Description | None = None
    quantity: _Quantity | None = None
    unit: _Unit | None = None
    unit_price: _Price | None = None
    amount: Amount | None = None
    gst_code: GstCode | None = None


class NewAdjustmentNote(NewResource, kw_only=True):
    """An adjustment note to draft for a sent invoice: lines, or all that is left of the invoice.

    invoice_id: The invoice.
    reason: Why it is reduced; a bad debt is written off instead.
    description: The reason in words, for the client.
    line_items: What is taken off.
    full: Whether all that is left of the invoice is taken off, instead of `line_items`.
    issue_date: The date of the note, not before the invoice's; default today, in the business's time zone.
    """

    invoice_id: Annotated[Id, Member(filter="any", refers_to="invoices")]
    reason: Annotated[NoteReason, Member(filter="any")]
    description: Annotated[Description | None, Member(search=True)] = None
    line_items: Annotated[list[NewNoteLine], Meta(max_length=500), NotStored] = []
    full: bool = False
    issue_date: Annotated[Day | None, Member(filter="range", sort="indexed")] = None


class NoteLine(Struct, gc=False):
    """A line of an adjustment note.

    id: Its id, by which a PATCH names it.
    invoice_line_id: The line of the invoice that it takes from; null for an item of its own.
    description: What is taken off.
    quantity: How many.
    unit: The unit of the quantity.
    unit_price: The price of one unit.
    amount: How much of the invoice's line, if it was taken off by amount.
    gst_code: How it was taxed.
    net: Its amount without GST.
    gst: The GST on it.
    total: Its amount with GST.
    """

    id: str
    invoice_line_id: Annotated[str | None, Member(told_by="description")]
    description: str
    quantity: Quantity
    unit: str | None
    unit_price: Annotated[UnitPrice, Member(role="amount")]
    amount: Annotated[Amount | None, Member(role="amount")]
    gst_code: GstCode
    net: Amount
    gst: Amount
    total: Annotated[Amount, Member(role="amount")]


class ListedAdjustmentNote(Resource):
    """An adjustment note as lists show it: with its lines only on request.

    number: Its number, such as ADJ-0042; never reused.
    status: Its status; actions change it.
    invoice_id: The invoice that it reduces.
    invoice_number: The invoice's number.
    client_id: The contact the invoice is for.
    client: The contact the invoice is for, with the name on the invoice.
    reason: Why the invoice is reduced.
    description: The reason in words.
    full: Whether it takes off all that was left of the invoice.
    issue_date: The date of the note.
    currency: Always AUD.
    amounts_are: Whether its prices include GST, as the invoice's do.
    gst_rounding: Whether GST is rounded once for the document or for each line, as on the invoice.
    subtotal: How much it reduces the price, without GST.
    gst: How much it reduces the GST; `subtotal` plus `gst` is `total`.
    total: How much it reduces the price, including GST.
    gst_breakdown: Amounts and GST by GST code.
    document_title: `Adjustment note` for a taxable supply, otherwise `Credit note`.
    tax_invoice: Whether it shows everything that an adjustment note must.
    issued_at: When it was issued.
    voided_at: When it was voided.
    voided_on: The date on which voiding it counts; null for a mistake, which is in no figure.
    void_reason: Why it was voided.
    hosted_url: The page where the client sees it, once it is issued; only for keys that may write invoices.
    line_items: What is taken off, in order; in lists only with `include=line_items`.
    """

    number: Annotated[str, Member(filter="any", sort=True, search=True, unique=True, role="title")]
    status: Annotated[NoteStatus, Member(filter="any", role="status", good=("issued",), ends=("void",))]
    invoice_id: str
    invoice_number: Annotated[str, Member(search=True, told_by="invoice_id")]
    client_id: Annotated[str, Member(filter="any", refers_to="contacts")]
    client: Annotated[Named, NotStored]
    reason: NoteReason
    description: str | None
    full: bool
    issue_date: date
    currency: Annotated[Literal["AUD"], NotStored]
    amounts_are: AmountsAre
    gst_rounding: GstRounding
    subtotal: Amount
    gst: Amount
    total: Annotated[Amount, Member(filter="range", sort=True, role="amount")]
    gst_breakdown: list[CodeTotals]
    document_title: Literal["Adjustment note", "Credit note"]
    tax_invoice: Annotated[TaxInvoice, NotStored]
    issued_at: Annotated[Moment | None, Member(filter="range", sort=True)]
    voided_at: Annotated[Moment | None, Member(filter="range", sort=True, told_by="voided_on")]
    voided_on: date | None
    void_reason: str | None
    hosted_url: Annotated[str | UnsetType | None, NotStored]
    line_items: Annotated[list[NoteLine] | UnsetType, NotStored] = UNSET


class AdjustmentNote(ListedAdjustmentNote, kw_only=True):
    """An adjustment note with its lines. `hosted_url` is shown only to keys that may write invoices, never in events.

    line_items: What is taken off, in order.
    """

    line_items: list[NoteLine]
    hosted_url: str | UnsetType | None = UNSET


class AdjustmentNoteQuery(Query[ListedAdjustmentNote], kw_only=True):
    """Parameters of the list of adjustment notes, in addition to the filters by its members.

    include: The members to include that lists otherwise leave out.
    """

    include: list[Include] | None = None


# The columns that show whether a note says everything that it must.
_CHECKED = ("status", "document_title", "client_name", "client_abn", "invoice_total")

notes = resource(
    "invoices_notes",
    sends=NewAdjustmentNote,
    shows=ListedAdjustmentNote,
    prefix="adj",
    query=AdjustmentNoteQuery,
    number="ADJ-",
    more=(
        # The invoice's total, copied like its number: the invoice is locked, so neither can change.
        sa.Column("invoice_total", Decimals(2), nullable=False),
        *party_columns(),
        # The amounts that issuing the note took off the invoice's payments, so that voiding can put them back.
        sa.Column("released", Json, nullable=False),
        sa.Column("gst_breakdown", sa.JSON, nullable=False),
        sa.Index(None, "tenant_id", "invoice_id", "created_at", "id"),
        sa.Index(None, "tenant_id", "client_id", "created_at", "id"),
        sa.Index(None, "tenant_id", "status", "created_at", "id"),
        sa.Index(None, "tenant_id", "sequence", "id"),
    ),
    search=("client_name",),
    needs={
        "client": ("client_id", "client_name"),
        "currency": (),
        "tax_invoice": _CHECKED,
        "allowed_actions": _CHECKED,
        "hosted_url": ("status", "issue_date", "issued_at"),
        "line_items": (),
    },
)
