"""What is sent and answered; written by `python -m billycan_client.generate`."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any, Literal

import msgspec
from msgspec import UNSET, Struct

from billycan_client.values import Amount, Maybe, Open


class AcceptedBy(Struct, kw_only=True):
    """Who accepted a quote."""

    name: str
    """Who accepted it."""
    email: str | None
    """Their email address."""


class Address(Struct, kw_only=True):
    """A postal address; in Australia the state is one of the eight and the postcode has four digits."""

    line1: str | None
    """A line of the address."""
    line2: str | None
    """A line of the address."""
    suburb: str | None
    """Suburb, town or city."""
    state: str | None
    """In Australia one of ACT, NSW, NT, QLD, SA, TAS, VIC and WA."""
    postcode: str | None
    """In Australia four digits."""
    country: str
    """A two-letter ISO 3166 code; default AU."""


class AddressChange(Struct, kw_only=True):
    """A postal address; in Australia the state is one of the eight and the postcode has four digits."""

    line1: Maybe[str | None] = UNSET
    """A line of the address."""
    line2: Maybe[str | None] = UNSET
    """A line of the address."""
    suburb: Maybe[str | None] = UNSET
    """Suburb, town or city."""
    state: Maybe[str | None] = UNSET
    """In Australia one of ACT, NSW, NT, QLD, SA, TAS, VIC and WA."""
    postcode: Maybe[str | None] = UNSET
    """In Australia four digits."""
    country: Maybe[str | None] = UNSET
    """A two-letter ISO 3166 code; default AU."""


class AdjustmentNote(Struct, kw_only=True):
    """An adjustment note with its lines. `hosted_url` is shown only to keys that may write invoices, never in
    events.
    """

    id: str
    """Its id: a prefix for its kind, `_` and an opaque string."""
    number: str
    """Its number, such as ADJ-0042; never reused."""
    status: Open[Literal["draft", "issued", "void"]]
    """Its status; actions change it."""
    invoice_id: str
    """The invoice that it reduces."""
    invoice_number: str
    """The invoice's number."""
    client_id: str
    """The contact the invoice is for."""
    client: Named
    """The contact the invoice is for, with the name on the invoice."""
    reason: Open[Literal["cancelled", "error", "other", "price_change", "returned"]]
    """Why the invoice is reduced."""
    description: str | None
    """The reason in words."""
    full: bool
    """Whether it takes off all that was left of the invoice."""
    issue_date: dt.date
    """The date of the note."""
    currency: Open[Literal["AUD"]]
    """Always AUD."""
    amounts_are: Open[Literal["exclusive", "inclusive"]]
    """Whether its prices include GST, as the invoice's do."""
    gst_rounding: Open[Literal["per_line", "total_invoice"]]
    """Whether GST is rounded once for the document or for each line, as on the invoice."""
    subtotal: Decimal
    """What it reduces the price by, without GST."""
    gst: Decimal
    """What it reduces the GST by; `subtotal` plus `gst` is `total`."""
    total: Decimal
    """What it reduces the price by."""
    gst_breakdown: list[CodeTotals]
    """Amounts and GST by GST code."""
    document_title: Open[Literal["Adjustment note", "Credit note"]]
    """`Adjustment note` for a taxable supply, otherwise `Credit note`."""
    tax_invoice: TaxInvoice
    """Whether it shows everything that an adjustment note must."""
    issued_at: dt.datetime | None
    """When it was issued."""
    voided_at: dt.datetime | None
    """When it was voided."""
    voided_on: dt.date | None
    """The date on which voiding it counts; null for a mistake, which no figure shows."""
    void_reason: str | None
    """Why it was voided."""
    hosted_url: Maybe[str | None] = UNSET
    """The page where the client sees it, once it is issued; only for keys that may write invoices."""
    line_items: list[NoteLine]
    """What is taken off, in order."""
    external_id: str | None
    """Your own id for the record, unique among records of its kind."""
    metadata: dict[str, str]
    """Your own map of strings."""
    allowed_actions: list[str]
    """The actions that are possible now."""
    version: int
    """Goes up by one with each change; the `ETag`, for If-Match."""
    created_at: dt.datetime
    """When it was created."""
    updated_at: dt.datetime
    """When it was last changed."""


class Allocation(Struct, kw_only=True):
    """What of a payment settles an invoice."""

    invoice_id: str
    """The invoice."""
    invoice_number: str
    """Its number."""
    amount: Decimal
    """How much."""
    cash_rounding: Decimal
    """What it settled beyond `amount`; negative if it settled less. Always 0.00 unless paid in cash."""
    allocated_on: dt.date
    """The date on which it was allocated, in the business's time zone."""


class Attached(Struct, kw_only=True):
    """What is attached to an email."""

    filename: str
    """Its name."""
    size: int | None
    """Its size in bytes; null until the PDF is made, which is right before the email is sent."""


class Attachment(Struct, kw_only=True):
    """A file that is attached to a record."""

    id: str
    """Its id."""
    resource: str
    """The id of the record that it is attached to."""
    filename: str | None
    """Its name, with an extension of its type; in events null, because not all who hear may read the record."""
    content_type: Open[Literal["application/pdf", "image/jpeg", "image/png", "image/webp", "text/csv", "text/plain"]]
    """What it is, told by its bytes."""
    size: int
    """How many bytes it has."""
    sha256: str
    """The SHA-256 of its bytes, in hexadecimal."""
    created_at: dt.datetime
    """When it was uploaded."""


class BankAccount(Struct, kw_only=True):
    """Where the business is paid by bank transfer."""

    bsb: str
    """Six digits; shown as NNN-NNN."""
    account_number: str
    """The account number."""
    account_name: str
    """The account holder's name."""


class BankAccountChange(Struct, kw_only=True):
    """Where the business is paid by bank transfer."""

    bsb: Maybe[str] = UNSET
    """Six digits; shown as NNN-NNN."""
    account_number: Maybe[str] = UNSET
    """The account number."""
    account_name: Maybe[str] = UNSET
    """The account holder's name."""


class Booking(Struct, kw_only=True):
    """A booking as it is shown."""

    id: str
    """Its id: a prefix for its kind, `_` and an opaque string."""
    status: Open[Literal["cancelled", "completed", "confirmed", "declined", "no_show", "pending"]]
    """Its status; actions change it. All but `cancelled`, `declined` and `no_show` occupy the time."""
    service_id: str
    """What is booked."""
    service: Named
    """What is booked."""
    start_at: dt.datetime
    """When it begins."""
    end_at: dt.datetime
    """When it ends; follows from the service."""
    staff_id: str
    """With whom."""
    staff: Named
    """With whom."""
    client_id: str
    """The contact it is for."""
    client: Named
    """The contact it is for."""
    notes: str | None
    """Notes on it."""
    location: str | None
    """Where it takes place."""
    job_id: str | None
    """The job it belongs to."""
    cancel_reason: str | None
    """Why it was cancelled."""
    external_id: str | None
    """Your own id for the record, unique among records of its kind."""
    metadata: dict[str, str]
    """Your own map of strings."""
    allowed_actions: list[str]
    """The actions that are possible now."""
    version: int
    """Goes up by one with each change; the `ETag`, for If-Match."""
    created_at: dt.datetime
    """When it was created."""
    updated_at: dt.datetime
    """When it was last changed."""


class Branding(Struct, kw_only=True):
    """How the business's documents look; null where the deployment's default applies."""

    logo_attachment_id: str | None
    """The attachment that is its logo."""
    accent_colour: str | None
    """The colour of rules and amounts."""
    footer: str | None
    """A few words at the foot of each page."""
    version: int
    """Goes up by one with each change; the `ETag`, for If-Match."""
    updated_at: dt.datetime | None
    """When it was last changed."""


class Category(Struct, kw_only=True):
    """What money is spent on, as it is shown."""

    id: str
    """Its id: a prefix for its kind, `_` and an opaque string."""
    name: str
    """Its name."""
    gst_code: Open[Literal["capital", "capital_gst_free", "gst", "gst_free", "input_taxed", "out_of_scope"]] | None
    """The GST code of its expenses, unless they say another; without one it is `gst`."""
    gst_required: bool
    """Whether `gst` has to be entered, because it is not 1/11 of the amount: an insurance premium includes stamp
    duty.
    """
    external_id: str | None
    """Your own id for the record, unique among records of its kind."""
    metadata: dict[str, str]
    """Your own map of strings."""
    allowed_actions: list[str]
    """The actions that are possible now."""
    version: int
    """Goes up by one with each change; the `ETag`, for If-Match."""
    created_at: dt.datetime
    """When it was created."""
    updated_at: dt.datetime
    """When it was last changed."""


class ChecklistItem(Struct, kw_only=True):
    """A checklist item; a job can be completed only once all required items are done."""

    id: str
    """Its id, by which a PATCH names it."""
    text: str
    """What is to be done."""
    required: bool
    """Whether the job cannot be completed without it."""
    done: bool
    """Whether it is done."""


class ChecklistItemChange(Struct, kw_only=True):
    """A checklist item. On PATCH, one with an `id` is merged into the stored one; one without is new."""

    id: str
    """On PATCH, which stored item this is."""
    text: Maybe[str] = UNSET
    """What is to be done."""
    required: Maybe[bool | None] = UNSET
    """Whether the job cannot be completed without it."""
    done: Maybe[bool | None] = UNSET
    """Whether it is done."""


class CodeTotals(Struct, kw_only=True):
    """The totals of the lines with one GST code."""

    gst_code: str
    """How these lines are taxed."""
    rate: Decimal
    """The rate of GST, in percent."""
    net: Decimal
    """Their amount without GST."""
    gst: Decimal
    """The GST on them."""


class Connection(Struct, kw_only=True):
    """An app that somebody connected to the business."""

    id: str
    """Its id."""
    app: Named
    """The app."""
    scopes: list[str]
    """What the app may do."""
    connected_by: Named
    """Who consented last."""
    connected_at: dt.datetime
    """When it was connected first."""


class ConnectionName(Struct, kw_only=True):
    """A connection of an app to a tenant."""

    id: str
    """Its id."""


class Contact(Struct, kw_only=True):
    """A contact as it is shown."""

    id: str
    """Its id: a prefix for its kind, `_` and an opaque string."""
    name: str
    """Their name."""
    kind: Open[Literal["company", "person"]]
    """Whether it is a person or a company."""
    roles: list[Open[Literal["client", "supplier"]]]
    """Whether the business sells to them, buys from them, or both."""
    status: Open[Literal["active", "archived"]]
    """Whether they are active, or archived by `archive`."""
    email: str | None
    """Their email address."""
    phone: str | None
    """Their phone number, spaced as you like."""
    website: str | None
    """Their web address."""
    abn: str | None
    """Their ABN, whose check digits are verified; shown as 11 digits."""
    gst_registered: bool | None
    """Whether they are registered for GST; null if unknown."""
    contractor: bool
    """Whether payments to them are reported to the tax office as taxable payments."""
    billing_address: Address | None
    """Where their invoices are sent; shown on them."""
    site_address: Address | None
    """Where the work is done."""
    people: list[Person]
    """People to contact."""
    payment_terms_days: int | None
    """Days until their invoices are due; if null, the business's own terms apply."""
    notes: str | None
    """The business's internal notes."""
    tags: list[str]
    """Tags to find them by."""
    external_id: str | None
    """Your own id for the record, unique among records of its kind."""
    metadata: dict[str, str]
    """Your own map of strings."""
    allowed_actions: list[str]
    """The actions that are possible now."""
    version: int
    """Goes up by one with each change; the `ETag`, for If-Match."""
    created_at: dt.datetime
    """When it was created."""
    updated_at: dt.datetime
    """When it was last changed."""
    reminders: Maybe[bool] = UNSET
    """Whether reminders are sent while something is due."""


class Contractor(Struct, kw_only=True):
    """What a contractor was paid."""

    supplier_id: str
    """The contact."""
    supplier: Named
    """The contact."""
    abn: str | None
    """Their ABN, if known."""
    address: Address | None
    """Their billing address, or else the site's, if known."""
    phone: str | None
    """Their phone number, if known."""
    email: str | None
    """Their email address, if known."""
    payments: int
    """How many expenses were paid to them."""
    gross: Decimal
    """What they were paid, including GST and the tax withheld."""
    gst: Decimal
    """The GST in it; none if they have no ABN, or are known not to be registered for GST."""
    tax_withheld: Decimal
    """What was kept back for the tax office, because no ABN was quoted."""
    missing: list[str]
    """What the report asks for and the contact lacks, such as `abn`."""


class Deleted(Struct, kw_only=True):
    """The response to a DELETE."""

    id: str
    """The id of the deleted record."""
    deleted: bool
    """Always true."""


class Delivery(Struct, kw_only=True):
    """A delivery with each attempt."""

    attempts: list[WebhooksAttempt]
    """Every attempt, in order; of more than 50 the newest."""
    id: str
    """Its id."""
    endpoint_id: str
    """The endpoint it goes to."""
    webhook_id: str
    """The event's id; the same for each attempt and replay."""
    event: str
    """What happened, such as `invoice.paid`."""
    status: Open[Literal["cancelled", "delivered", "failed", "held", "pending"]]
    """Its status; `held` means that the endpoint is disabled."""
    attempts_made: int
    """How many attempts were made."""
    next_attempt_at: dt.datetime | None
    """When the next one is due."""
    last_error: str | None
    """Why the last attempt failed, as the attempt's `error`: null before the first and after a success. A
    delivery that was `cancelled` because it was held too long has `held_too_long`, and one whose event is no
    longer kept has `event_expired`.
    """
    finished_at: dt.datetime | None
    """When it was delivered, failed or cancelled."""
    replay_of: str | None
    """The delivery that this one repeats."""
    created_at: dt.datetime
    """When it was created."""


class Email(Struct, kw_only=True):
    """An email to a business's clients."""

    id: str
    """Its id: a prefix for its kind, `_` and an opaque string."""
    status: Open[Literal["failed", "held", "queued", "sending", "sent"]]
    """`sent` means that the mail server accepted it for everybody that it was sent to. A `held` email is not
    sent: `held_because` says why.
    """
    document_id: str | None
    """The document that it is about."""
    recipients: list[Recipient]
    """Every address, with its status."""
    subject: str | None
    """Its subject; null in events, and for a key that may not read the document."""
    message: str | None
    """What was written above the document's details; null where `subject` is."""
    reminder: bool
    """Whether it is a reminder."""
    attachment: Attached | None
    """What is attached."""
    held_because: Open[Literal["no_server", "sandbox"]] | None
    """`no_server`: the deployment sends no mail. `sandbox`: no recipient is a user of the business."""
    sent_at: dt.datetime | None
    """When the mail server accepted it."""
    next_attempt_at: dt.datetime | None
    """When the next attempt is due."""
    attempts_made: int
    """How many attempts were made."""
    last_error: str | None
    """What went wrong last, as an attempt's `error`."""
    may_have_arrived_twice: bool
    """Whether it was sent again although an earlier attempt may have succeeded. Both have the same `Message-ID`,
    and most mail programs show them as one.
    """
    resend_of: str | None
    """The email that this one sends again."""
    text: str | None
    """The whole email, as plain text; null where `subject` is. For keys that may read the document and not write
    it, links to the client's pages are cut short here and in `message`.
    """
    attempts: list[MailAttempt]
    """Every attempt, in order."""
    external_id: str | None
    """Your own id for the record, unique among records of its kind."""
    metadata: dict[str, str]
    """Your own map of strings."""
    allowed_actions: list[str]
    """The actions that are possible now."""
    version: int
    """Goes up by one with each change; the `ETag`, for If-Match."""
    created_at: dt.datetime
    """When it was created."""
    updated_at: dt.datetime
    """When it was last changed."""


class EmailFailure(Struct, kw_only=True):
    """Why the last invoice was sent but not emailed; email it yourself once the reason is gone."""

    code: Open[Literal["address_suppressed", "no_address"]]
    """`no_address` if the client has no email address that mail reaches, or `address_suppressed`."""
    message: str
    """What is wrong, and how to fix it."""


class Endpoint(Struct, kw_only=True):
    """An endpoint as it is shown."""

    id: str
    """Its id: a prefix for its kind, `_` and an opaque string."""
    url: str
    """Where deliveries go: https, and no private or internal host unless the deployment allows them."""
    events: list[str]
    """Which events: by name, all of one kind such as `invoice.*`, or all with `*`."""
    description: str | None
    """What it is for."""
    enabled: bool
    """Whether deliveries are sent; those to a disabled endpoint are held."""
    disabled_reason: Open[Literal["consent", "failing", "gone"]] | None
    """Why it was disabled automatically: it answered 410 (`gone`), no delivery succeeded for days (`failing`),
    or its app may no longer read what it delivers (`consent`).
    """
    failing_since: dt.datetime | None
    """Since when no delivery has succeeded."""
    secret: str | None
    """The secret that signs its deliveries; null except when it is created or rotated."""
    connection_id: str | None
    """The connection of the app that it belongs to; null for the business's own."""
    external_id: str | None
    """Your own id for the record, unique among records of its kind."""
    metadata: dict[str, str]
    """Your own map of strings."""
    allowed_actions: list[str]
    """The actions that are possible now."""
    version: int
    """Goes up by one with each change; the `ETag`, for If-Match."""
    created_at: dt.datetime
    """When it was created."""
    updated_at: dt.datetime
    """When it was last changed."""


class Expense(Struct, kw_only=True):
    """Money spent, as it is shown."""

    id: str
    """Its id: a prefix for its kind, `_` and an opaque string."""
    status: Open[Literal["recorded", "void"]]
    """Whether it counts, or was voided."""
    date: dt.date
    """When the money was spent, or the date of the bill."""
    amount: Decimal
    """What was spent, including GST; below zero for what a supplier gave back."""
    currency: Open[Literal["AUD"]]
    """Always AUD."""
    description: str | None
    """What it was spent on."""
    category_id: str
    """The category it belongs to."""
    category: Named
    """The category it belongs to."""
    supplier_id: str | None
    """The contact it was paid to."""
    supplier: Named | None
    """The contact it was paid to."""
    supplier_name: str | None
    """Who it was paid to, if they are not a contact."""
    supplier_abn: str | None
    """Their ABN, if they are not a contact."""
    gst_code: Open[Literal["capital", "capital_gst_free", "gst", "gst_free", "input_taxed", "out_of_scope"]]
    """How it was taxed; by default as the category says, else `gst`."""
    gst: Decimal
    """The GST on the receipt; by default 1/11 of the amount if the code is taxable."""
    gst_breakdown: GstBreakdown
    """Its GST, and how much can be claimed."""
    import_gst: bool
    """Whether `gst` is what the customs document says was paid on imported goods; it may then be more than 1/11,
    and needs no tax invoice.
    """
    refunded_expense_id: str | None
    """The expense of which the supplier gives back, for an amount below zero."""
    business_use_percent: Decimal
    """How much of it was for business use, in percent."""
    for_input_taxed_sales: bool
    """Whether it was bought to make input taxed sales, such as renting out a home: its GST cannot be claimed (s
    11-15(2) GST Act).
    """
    tax_invoice_held: bool
    """Whether you hold a tax invoice, without which the GST on more than $82.50 cannot be claimed."""
    tax_invoice_held_on: dt.date | None
    """Since when you hold it; a date here says that you do. By default the expense's date, or today once it is
    recorded.
    """
    paid_on: dt.date | None
    """When it was paid; null if it was not. By default the expense's date, unless it has a `due_date`."""
    due_date: dt.date | None
    """When a bill is to be paid."""
    tax_withheld: Decimal
    """What was kept back for the tax office because the supplier quoted no ABN (s 12-190 of Schedule 1 to the
    TAA 1953).
    """
    payment_method: str | None
    """How it was paid, such as `card`, `bank_transfer` or `cash`."""
    reference: str | None
    """A reference, such as the number of the receipt."""
    job_id: str | None
    """The job it was made for."""
    billable: bool
    """Whether it should be charged to the job's client."""
    invoice_id: str | None
    """The invoice that charges it to the job's client."""
    voided_at: dt.datetime | None
    """When it was voided."""
    voided_on: dt.date | None
    """The day from which it counts no more; null for a mistake, which counts on no day."""
    void_reason: str | None
    """Why it was voided."""
    external_id: str | None
    """Your own id for the record, unique among records of its kind."""
    metadata: dict[str, str]
    """Your own map of strings."""
    allowed_actions: list[str]
    """The actions that are possible now."""
    version: int
    """Goes up by one with each change; the `ETag`, for If-Match."""
    created_at: dt.datetime
    """When it was created."""
    updated_at: dt.datetime
    """When it was last changed."""


class Failure(Struct, kw_only=True):
    """Why an invoice could not be created; it is tried again every hour, and at once after a change."""

    date: dt.date
    """The date of the invoice."""
    code: str
    """The code of the error."""
    message: str
    """What is wrong, and how to fix it."""


class Group(Struct, kw_only=True):
    """What the expenses of one category, GST code or month come to."""

    key: str
    """The category's id, the GST code or the month, YYYY-MM."""
    label: str
    """Its name."""
    count: int
    """How many expenses."""
    amount: Decimal
    """What was spent, including GST."""
    net: Decimal
    """What was spent, without GST."""
    gst: Decimal
    """The GST in it."""
    gst_claimable: Decimal
    """How much of the GST can be claimed."""


class GstBreakdown(Struct, kw_only=True):
    """The GST within an amount, and how much of it the business can claim."""

    net: Decimal
    """The amount without GST."""
    gst: Decimal
    """The GST in it."""
    rate: Decimal
    """The rate of GST, in percent."""
    gst_claimable: Decimal
    """How much of the GST can be claimed: for business use, and 0 unless `claimable`."""
    claim_status: Open[
        Literal[
            "awaiting_abn",
            "awaiting_tax_invoice",
            "claimable",
            "not_creditable",
            "supplier_not_registered",
            "tax_withheld",
            "too_old",
        ]
    ]
    """Whether it can be claimed, awaits a tax invoice or the supplier's ABN, comes too late (more than four
    years after the return was due, s 93-5 GST Act), is of a supplier who is not registered for GST, or from
    whom tax was withheld for want of an ABN, or cannot be claimed at all.
    """


class GstDocument(Struct, kw_only=True):
    """What a document adds to a label."""

    id: str
    """The id of the invoice, adjustment note or expense."""
    amount: Decimal
    """How much it adds, below zero where it takes off."""
    name: str | None
    """What people know it by: the number of an invoice or adjustment note, what an expense was for. Null where
    it is gone, or where the key may not read such documents.
    """


class GstFigure(Struct, kw_only=True):
    """What a label comes to."""

    amount: Decimal
    """To the cent, to check it."""
    whole_dollars: int
    """Without the cents, which are not rounded."""
    to_lodge: int | None
    """The whole dollars to lodge, with the corrections of earlier periods in it. Null where nothing can be
    lodged: as if on another basis, of `labels` alone, and of a correction by itself.
    """
    documents: list[GstDocument]
    """What it is made of, at most 100 of them; none for an eleventh of another label."""
    documents_total: int
    """How many there are in all."""


class GstReport(Struct, kw_only=True):
    """The labels of an activity statement and its calculation worksheet; null where the plugin that knows is
    off.
    """

    from_: dt.date = msgspec.field(name="from")
    """The first day."""
    to: dt.date
    """The last day."""
    basis: Open[Literal["accrual", "cash"]]
    """The basis of the last day, or the one asked for."""
    registered: bool
    """Whether the business was registered for GST on any of these days."""
    missing: list[str]
    """The plugins that are off, without which labels are null."""
    gst_period_id: str | None
    """The lodged period of exactly these days, whose figures these are, as they were lodged; else null."""
    corrections: dict[str, GstFigure]
    """What changed, by label, of periods that were lodged before; not in the figures, but to be lodged with
    them.
    """
    not_claimed: list[NotClaimed]
    """Purchases of these days that are left out, by the reason."""
    warnings: list[GstWarning]
    """What is unusual, and should be looked at before the period is lodged."""
    G1: GstFigure | None
    """Total sales, including GST."""
    G2: GstFigure | None
    """Exports."""
    G3: GstFigure | None
    """Other GST-free sales."""
    G4: GstFigure | None
    """Input taxed sales."""
    G5: GstFigure | None
    """G2 + G3 + G4."""
    G6: GstFigure | None
    """Sales subject to GST, G1 less G5."""
    G7: GstFigure | None
    """Increasing adjustments, including GST: what was taken off purchases of earlier periods, and bad debts
    recovered.
    """
    G8: GstFigure | None
    """G6 + G7."""
    G9: GstFigure | None
    """GST on sales by the worksheet, an eleventh of G8."""
    G10: GstFigure | None
    """Capital purchases, including GST."""
    G11: GstFigure | None
    """Other purchases, including GST."""
    G12: GstFigure | None
    """G10 + G11."""
    G13: GstFigure | None
    """Purchases for input taxed sales."""
    G14: GstFigure | None
    """Purchases without GST in the price."""
    G15: GstFigure | None
    """Purchases for private use."""
    G16: GstFigure | None
    """G13 + G14 + G15."""
    G17: GstFigure | None
    """Purchases subject to GST, G12 less G16."""
    G18: GstFigure | None
    """Decreasing adjustments, including GST: what was taken off sales of earlier periods, and bad debts."""
    G19: GstFigure | None
    """G17 + G18."""
    G20: GstFigure | None
    """GST on purchases by the worksheet, an eleventh of G19."""
    _1A: GstFigure | None = msgspec.field(name="1A")
    """GST on sales, and increasing adjustments, as invoiced."""
    _1B: GstFigure | None = msgspec.field(name="1B")
    """GST on purchases, and decreasing adjustments, as recorded."""
    W4: GstFigure | None
    """Tax withheld from suppliers who quoted no ABN, by the date of payment."""


class GstSetting(Struct, kw_only=True):
    """How the business stands to GST from a day on, until the next such day."""

    from_: dt.date = msgspec.field(name="from")
    """The first day it applies to."""
    registered: bool
    """Whether the business is registered for GST."""
    basis: Open[Literal["accrual", "cash"]]
    """How it accounts for GST: on `cash` when money moves, on `accrual` when invoices are issued (s 29-5, 29-40
    GST Act).
    """
    period: Open[Literal["month", "quarter", "year"]]
    """How long its tax periods are (s 27-5, 27-10 GST Act)."""


class GstWarning(Struct, kw_only=True):
    """Something unusual about a report, to be looked at before it is lodged."""

    code: str
    """What it is; more may be added."""
    message: str
    """The same in a sentence."""


class Hours(Struct, kw_only=True):
    """Working hours that repeat every week, in local time."""

    day: Open[Literal["friday", "monday", "saturday", "sunday", "thursday", "tuesday", "wednesday"]]
    """The day of the week."""
    start: str
    """When work starts, as HH:MM in the person's time zone."""
    end: str
    """When it ends; 24:00 is midnight."""


class Import(Struct, kw_only=True):
    """A CSV file whose rows become records: all of them, or none."""

    id: str
    """Its id: a prefix for its kind, `_` and an opaque string."""
    resource: str
    """What the rows are."""
    status: Open[Literal["checking", "done", "failed", "queued", "writing"]]
    """`queued`, then `checking` while the rows are checked and `writing` while the records are created. In the
    end `done`, or `failed` if any row has a fault.
    """
    dry_run: bool
    """Whether the rows are only checked."""
    rows: int
    """How many rows it has, not counting empty ones."""
    rows_checked: int
    """How many of them have been checked so far."""
    rows_imported: int
    """How many became records: all of them, or none."""
    ignored_columns: list[str]
    """Columns of an export that only the server sets, such as `id`; they are not read."""
    fault_count: int
    """How many faults were found."""
    faults: list[ImportFault]
    """The first 100 of them."""
    finished_at: dt.datetime | None
    """When it was done or failed."""
    external_id: str | None
    """Your own id for the record, unique among records of its kind."""
    metadata: dict[str, str]
    """Your own map of strings."""
    allowed_actions: list[str]
    """The actions that are possible now."""
    version: int
    """Goes up by one with each change; the `ETag`, for If-Match."""
    created_at: dt.datetime
    """When it was created."""
    updated_at: dt.datetime
    """When it was last changed."""


class ImportFault(Struct, kw_only=True):
    """What is wrong with a row."""

    row: int
    """Its number: 0 is the header, and 1 the first row after it."""
    column: str | None
    """The column; null for the row as a whole."""
    code: str
    """Which rule it breaks, as for the members of a request."""
    message: str
    """What is wrong and how to fix it."""


class Invoice(Struct, kw_only=True):
    """An invoice with its lines and payments. `hosted_url` is shown only to keys that may write invoices, never
    in events.
    """

    id: str
    """Its id: a prefix for its kind, `_` and an opaque string."""
    number: str
    """Its number, such as INV-0042; never reused."""
    status: Open[Literal["credited", "draft", "paid", "partially_paid", "sent", "void", "written_off"]]
    """Its status; actions change it."""
    client_id: str
    """The contact who owes the money."""
    client: Named
    """The contact who owes the money."""
    issue_date: dt.date
    """The date of the invoice; default today, in the business's time zone."""
    due_date: dt.date
    """When it is due; default the issue date plus the contact's or the business's terms."""
    currency: Open[Literal["AUD"]]
    """Always AUD."""
    amounts_are: Open[Literal["exclusive", "inclusive"]]
    """Whether the prices of its lines include GST."""
    gst_rounding: Open[Literal["per_line", "total_invoice"]]
    """Whether GST is rounded once for the document or for each line."""
    discount_percent: Decimal | None
    """A discount on the whole document, in percent; not together with `discount_amount`."""
    discount_amount: Decimal | None
    """A discount on the whole document, in dollars, spread over its lines."""
    subtotal: Decimal
    """The sum of the lines without GST, after discounts."""
    discount_total: Decimal
    """The sum of all discounts, on lines and on the document."""
    gst: Decimal
    """The GST; `subtotal` plus `gst` is `total`."""
    total: Decimal
    """The total including GST."""
    gst_breakdown: list[CodeTotals]
    """Amounts and GST by GST code."""
    amount_paid: Decimal
    """The amount received."""
    amount_credited: Decimal
    """What adjustment notes took off."""
    amount_written_off: Decimal
    """What was written off as a bad debt and has not been recovered."""
    cash_rounding: Decimal
    """What was settled by rounding cash to a multiple of 0.05; negative if more was received than was due."""
    amount_due: Decimal
    """What is still to be paid; 0.00 if it is void."""
    is_overdue: bool
    """Whether money is still due and the due date has passed."""
    document_title: Open[Literal["Deposit request", "Invoice", "Tax invoice"]]
    """The document's title, such as `Tax invoice`."""
    tax_invoice: TaxInvoice
    """Whether it shows everything that a tax invoice must."""
    reference: str | None
    """A short reference for the client."""
    purchase_order: str | None
    """The client's purchase order."""
    notes: str | None
    """Notes for the client."""
    terms: str | None
    """Terms of payment for the client."""
    quote_id: str | None
    """The quote it was made from."""
    job_id: str | None
    """The job it bills."""
    booking_id: str | None
    """The booking it bills."""
    sent_at: dt.datetime | None
    """When it was sent."""
    paid_at: dt.datetime | None
    """When it became paid."""
    payment_method: str | None
    """How the payment that settled it was made."""
    voided_at: dt.datetime | None
    """When it was voided."""
    voided_on: dt.date | None
    """The date on which voiding it counts; null for a mistake, which no figure shows."""
    void_reason: str | None
    """Why it was voided."""
    written_off_at: dt.datetime | None
    """When it was written off."""
    written_off_on: dt.date | None
    """The date on which the write-off counts."""
    write_off_reason: str | None
    """Why it was written off."""
    claim: Open[Literal["deposit", "final", "part_payment", "progress", "retention"]] | None
    """What it bills of a quote's or a job's work, if it bills a part of it: a `progress` claim, a
    `part_payment`, a `deposit`, the release of what was retained (`retention`), or all that other invoices
    left (`final`).
    """
    progress_claim: ProgressClaim | None
    """Of a progress claim, what it says of the contract: its number, the contract sum, what is claimed to date
    and what is retained.
    """
    work: WorkTotals | None
    """Of a `final` invoice, what all of the work comes to; less `less_invoiced` it is what the invoice adds up
    to.
    """
    less_invoiced: WorkTotals | None
    """Of a `final` invoice, what it takes off: what earlier invoices and deposits have billed, and what the
    client retains.
    """
    deposits_applied: Decimal
    """What it takes off for deposits, with the GST on them in its own."""
    applied_to: str | None
    """Of a deposit, the invoice that takes it off."""
    forfeited_on: dt.date | None
    """Of a deposit, when it was forfeited; the GST on it arises on that date."""
    forfeited_gst: Decimal | None
    """The GST on a forfeited deposit."""
    forfeit_reason: str | None
    """Why it was forfeited."""
    hosted_url: Maybe[str | None] = UNSET
    """The page where the client sees it, once it is sent; only for keys that may write invoices."""
    line_items: list[Line]
    """What is charged for, in order."""
    external_id: str | None
    """Your own id for the record, unique among records of its kind."""
    metadata: dict[str, str]
    """Your own map of strings."""
    allowed_actions: list[str]
    """The actions that are possible now."""
    version: int
    """Goes up by one with each change; the `ETag`, for If-Match."""
    created_at: dt.datetime
    """When it was created."""
    updated_at: dt.datetime
    """When it was last changed."""
    payments: list[InvoicePayment]
    """Its payments, the newest last, including reversed ones; of each, what settles this invoice."""
    reminders: Maybe[bool] = UNSET
    """Whether reminders are sent while something is due."""


class InvoiceGroup(Struct, kw_only=True):
    """What the invoices of one month, client or status come to."""

    key: str
    """The month, YYYY-MM, the client's id or the status."""
    label: str
    """Its name."""
    count: int
    """How many invoices."""
    subtotal: Decimal
    """What was charged, without GST."""
    gst: Decimal
    """The GST on it."""
    total: Decimal
    """What was charged, including GST; the members below add up to it, except on void invoices."""
    amount_paid: Decimal
    """The amount received."""
    amount_credited: Decimal
    """What adjustment notes took off."""
    amount_written_off: Decimal
    """What was written off as a bad debt and has not been recovered."""
    cash_rounding: Decimal
    """What was settled by rounding cash."""
    amount_due: Decimal
    """What is still to be paid; nothing on a void invoice."""


class InvoicePayment(Struct, kw_only=True):
    """A payment as an invoice shows it: what of it settles this invoice. A reversed one stays listed."""

    id: str
    """Its id; `GET /v1/payments/{id}` is the payment as a whole."""
    invoice_id: str
    """The invoice."""
    amount: Decimal
    """What of it settles this invoice."""
    cash_rounding: Decimal
    """What it settled beyond `amount`; negative if it settled less. Always 0.00 unless paid in cash."""
    payment_method: str
    """How it was made."""
    paid_at: dt.datetime
    """When it was received."""
    paid_on: dt.date
    """The date on which it was received, in the business's time zone."""
    reference: str | None
    """The payer's reference."""
    status: Open[Literal["recorded", "reversed"]]
    """Whether it counts, or was reversed."""
    allowed_actions: list[str]
    """The actions that are possible now: POST /v1/invoices/{id}/payments/{pay_id}/{action}."""
    created_at: dt.datetime
    """When it was recorded."""
    reversed_at: dt.datetime | None
    """When it was reversed."""
    reversed_on: dt.date | None
    """The date on which its reversal counts; null for a mistake, which no figure shows."""
    reverse_reason: str | None
    """Why it was reversed."""


class Invoiced(Struct, kw_only=True):
    """How much of the work was invoiced, including GST; `invoiced` plus `remaining` is `quoted`."""

    quoted: Decimal
    """What all of it comes to."""
    invoiced: Decimal
    """What its invoices bill of it: drafts too, less what was credited; void invoices and forfeited deposits do
    not count.
    """
    remaining: Decimal
    """What is left to invoice; below zero if the work was reduced after it was invoiced."""
    retained: Decimal
    """How much of `remaining` the client retains of what was claimed; `claim: retention` releases it."""
    claimed: Decimal
    """What is claimed of it: `invoiced` plus `retained`."""


class InvoicesPreview(Struct, kw_only=True):
    """An invoice that was calculated but not stored."""

    client_id: str
    """The contact it would be for."""
    client: Named
    """The contact it would be for."""
    issue_date: dt.date
    """The date of the invoice."""
    due_date: dt.date
    """When it would be due."""
    currency: Open[Literal["AUD"]]
    """Always AUD."""
    amounts_are: Open[Literal["exclusive", "inclusive"]]
    """Whether the prices of its lines include GST."""
    gst_rounding: Open[Literal["per_line", "total_invoice"]]
    """Whether GST is rounded once for the document or for each line."""
    discount_percent: Decimal | None
    """A discount on the whole document, in percent."""
    discount_amount: Decimal | None
    """A discount on the whole document, in dollars."""
    subtotal: Decimal
    """The sum of the lines without GST, after discounts."""
    discount_total: Decimal
    """The sum of all discounts, on lines and on the document."""
    gst: Decimal
    """The GST; `subtotal` plus `gst` is `total`."""
    total: Decimal
    """The total including GST."""
    gst_breakdown: list[CodeTotals]
    """Amounts and GST by GST code."""
    document_title: Open[Literal["Deposit request", "Invoice", "Tax invoice"]]
    """The title it would have."""
    tax_invoice: TaxInvoice
    """Whether it shows everything that a tax invoice must."""
    line_items: list[PreviewLine]
    """What is charged for, in order."""


class Item(Struct, kw_only=True):
    """An item of the price list as it is shown."""

    id: str
    """Its id: a prefix for its kind, `_` and an opaque string."""
    name: str
    """Its name."""
    description: str | None
    """What the line of a document says; by default, the name."""
    unit: str | None
    """The unit in which it is sold, such as `hour`."""
    unit_price: Decimal
    """The price of one unit, copied as it is: with or without GST, as the documents it is for are."""
    gst_code: Open[Literal["export", "gst", "gst_free", "input_taxed", "out_of_scope"]] | None
    """How it is taxed; by default, as the document's other lines are."""
    sku: str | None
    """Your own code for it, unique among items."""
    active: bool
    """Whether forms still offer it."""
    external_id: str | None
    """Your own id for the record, unique among records of its kind."""
    metadata: dict[str, str]
    """Your own map of strings."""
    allowed_actions: list[str]
    """The actions that are possible now."""
    version: int
    """Goes up by one with each change; the `ETag`, for If-Match."""
    created_at: dt.datetime
    """When it was created."""
    updated_at: dt.datetime
    """When it was last changed."""


class Job(Struct, kw_only=True):
    """A job with its lines."""

    id: str
    """Its id: a prefix for its kind, `_` and an opaque string."""
    number: str
    """Its number, such as JOB-0042; never reused."""
    status: Open[Literal["cancelled", "complete", "in_progress", "on_hold", "open", "scheduled"]]
    """Its status; actions change it."""
    client_id: str
    """The contact it is for."""
    client: Named
    """The contact it is for."""
    title: str
    """What is to be done, in a few words."""
    description: str | None
    """What is to be done, in detail."""
    site_address: Address | None
    """Where it is done."""
    scheduled_start: dt.datetime | None
    """When it should start; a job created with it is `scheduled`."""
    scheduled_end: dt.datetime | None
    """When it should end."""
    assignee_ids: list[str]
    """The staff who do it."""
    assignees: list[Named]
    """The staff who do it."""
    priority: Open[Literal["high", "low", "normal", "urgent"]]
    """How urgent it is."""
    checklist: list[ChecklistItem]
    """What must or should be done, in order."""
    currency: Open[Literal["AUD"]]
    """Always AUD."""
    amounts_are: Open[Literal["exclusive", "inclusive"]]
    """Whether the prices of its lines include GST."""
    gst_rounding: Open[Literal["per_line", "total_invoice"]]
    """Whether GST is rounded once for the document or for each line."""
    discount_percent: Decimal | None
    """A discount on the whole document, in percent; not together with `discount_amount`."""
    discount_amount: Decimal | None
    """A discount on the whole document, in dollars, spread over its lines."""
    subtotal: Decimal
    """The sum of the lines without GST, after discounts."""
    discount_total: Decimal
    """The sum of all discounts, on lines and on the document."""
    gst: Decimal
    """The GST; `subtotal` plus `gst` is `total`."""
    total: Decimal
    """The total including GST."""
    gst_breakdown: list[CodeTotals]
    """Amounts and GST by GST code."""
    reference: str | None
    """A short reference for the client, on its invoice."""
    notes: str | None
    """Notes for the client, on its invoice."""
    terms: str | None
    """Terms of payment for the client, on its invoice."""
    quote_id: str | None
    """The quote that it fulfils."""
    booking_id: str | None
    """The booking it came from."""
    invoice_ids: list[str]
    """The invoices that name it."""
    invoiced: Invoiced
    """How much of it was invoiced."""
    completed_at: dt.datetime | None
    """When it was completed."""
    completion_notes: str | None
    """Notes on the work done."""
    cancelled_at: dt.datetime | None
    """When it was cancelled."""
    cancel_reason: str | None
    """Why it was cancelled."""
    line_items: list[Line]
    """The materials and labour to bill, in order."""
    external_id: str | None
    """Your own id for the record, unique among records of its kind."""
    metadata: dict[str, str]
    """Your own map of strings."""
    allowed_actions: list[str]
    """The actions that are possible now."""
    version: int
    """Goes up by one with each change; the `ETag`, for If-Match."""
    created_at: dt.datetime
    """When it was created."""
    updated_at: dt.datetime
    """When it was last changed."""


class Limits(Struct, kw_only=True):
    """A key's rate limits, as far as the deployment and the ceiling of its business let it reach them."""

    per_minute: int
    """Requests in any 60 seconds."""
    per_second: int
    """Requests in any second within that."""


class Line(Struct, kw_only=True):
    """A line item as it is shown; `net`, `gst` and `total` are after its share of the document's discount."""

    id: str
    """Its id, by which a PATCH names it."""
    description: str
    """What is charged for; required without an item."""
    quantity: Decimal
    """How many; negative for a credit line."""
    unit: str | None
    """The unit of the quantity, such as `hour`."""
    unit_price: Decimal
    """The price of one unit, with or without GST as `amounts_are` says; negative for a credit line; required
    without an item.
    """
    discount_percent: Decimal | None
    """A discount on the line, in percent; not together with `discount_amount`."""
    discount_amount: Decimal | None
    """A discount on the line, in dollars; at most the line's amount."""
    gst_code: Open[Literal["export", "gst", "gst_free", "input_taxed", "out_of_scope"]]
    """How the line is taxed; defaults to `gst`, or `out_of_scope` if the business is not registered for GST."""
    net: Decimal
    """Its amount without GST."""
    gst: Decimal
    """The GST on it."""
    total: Decimal
    """Its amount with GST."""
    item_id: str | None
    """The item that it was filled in from."""


class LineChange(Struct, kw_only=True):
    """A line item. On PATCH, one with an `id` is merged into the stored one; one without is new."""

    id: str
    """On PATCH, which stored line this is."""
    item_id: Maybe[str | None] = UNSET
    """The item of the price list that gives what is not sent of `description`, `unit`, `unit_price` and
    `gst_code`; they are copied.
    """
    description: Maybe[str | None] = UNSET
    """What is charged for; required without an item."""
    quantity: Maybe[Amount | None] = UNSET
    """How many; negative for a credit line."""
    unit: Maybe[str | None] = UNSET
    """The unit of the quantity, such as `hour`."""
    unit_price: Maybe[Amount | None] = UNSET
    """The price of one unit, with or without GST as `amounts_are` says; negative for a credit line; required
    without an item.
    """
    discount_percent: Maybe[Amount | None] = UNSET
    """A discount on the line, in percent; not together with `discount_amount`."""
    discount_amount: Maybe[Amount | None] = UNSET
    """A discount on the line, in dollars; at most the line's amount."""
    gst_code: Maybe[Literal["export", "gst", "gst_free", "input_taxed", "out_of_scope"] | None] = UNSET
    """How the line is taxed; defaults to `gst`, or `out_of_scope` if the business is not registered for GST."""


class ListedAdjustmentNote(Struct, kw_only=True):
    """An adjustment note as lists show it: with its lines only on request."""

    id: str
    """Its id: a prefix for its kind, `_` and an opaque string."""
    number: str
    """Its number, such as ADJ-0042; never reused."""
    status: Open[Literal["draft", "issued", "void"]]
    """Its status; actions change it."""
    invoice_id: str
    """The invoice that it reduces."""
    invoice_number: str
    """The invoice's number."""
    client_id: str
    """The contact the invoice is for."""
    client: Named
    """The contact the invoice is for, with the name on the invoice."""
    reason: Open[Literal["cancelled", "error", "other", "price_change", "returned"]]
    """Why the invoice is reduced."""
    description: str | None
    """The reason in words."""
    full: bool
    """Whether it takes off all that was left of the invoice."""
    issue_date: dt.date
    """The date of the note."""
    currency: Open[Literal["AUD"]]
    """Always AUD."""
    amounts_are: Open[Literal["exclusive", "inclusive"]]
    """Whether its prices include GST, as the invoice's do."""
    gst_rounding: Open[Literal["per_line", "total_invoice"]]
    """Whether GST is rounded once for the document or for each line, as on the invoice."""
    subtotal: Decimal
    """What it reduces the price by, without GST."""
    gst: Decimal
    """What it reduces the GST by; `subtotal` plus `gst` is `total`."""
    total: Decimal
    """What it reduces the price by."""
    gst_breakdown: list[CodeTotals]
    """Amounts and GST by GST code."""
    document_title: Open[Literal["Adjustment note", "Credit note"]]
    """`Adjustment note` for a taxable supply, otherwise `Credit note`."""
    tax_invoice: TaxInvoice
    """Whether it shows everything that an adjustment note must."""
    issued_at: dt.datetime | None
    """When it was issued."""
    voided_at: dt.datetime | None
    """When it was voided."""
    voided_on: dt.date | None
    """The date on which voiding it counts; null for a mistake, which no figure shows."""
    void_reason: str | None
    """Why it was voided."""
    hosted_url: str | None
    """The page where the client sees it, once it is issued; only for keys that may write invoices."""
    line_items: Maybe[list[NoteLine]] = UNSET
    """What is taken off, in order; in lists only with `include=line_items`."""
    external_id: str | None
    """Your own id for the record, unique among records of its kind."""
    metadata: dict[str, str]
    """Your own map of strings."""
    allowed_actions: list[str]
    """The actions that are possible now."""
    version: int
    """Goes up by one with each change; the `ETag`, for If-Match."""
    created_at: dt.datetime
    """When it was created."""
    updated_at: dt.datetime
    """When it was last changed."""


class ListedDelivery(Struct, kw_only=True):
    """An event on its way to one endpoint, as lists show it."""

    id: str
    """Its id."""
    endpoint_id: str
    """The endpoint it goes to."""
    webhook_id: str
    """The event's id; the same for each attempt and replay."""
    event: str
    """What happened, such as `invoice.paid`."""
    status: Open[Literal["cancelled", "delivered", "failed", "held", "pending"]]
    """Its status; `held` means that the endpoint is disabled."""
    attempts_made: int
    """How many attempts were made."""
    next_attempt_at: dt.datetime | None
    """When the next one is due."""
    last_error: str | None
    """Why the last attempt failed, as the attempt's `error`: null before the first and after a success. A
    delivery that was `cancelled` because it was held too long has `held_too_long`, and one whose event is no
    longer kept has `event_expired`.
    """
    finished_at: dt.datetime | None
    """When it was delivered, failed or cancelled."""
    replay_of: str | None
    """The delivery that this one repeats."""
    created_at: dt.datetime
    """When it was created."""


class ListedEmail(Struct, kw_only=True):
    """An email to a business's clients, as lists show it."""

    id: str
    """Its id: a prefix for its kind, `_` and an opaque string."""
    status: Open[Literal["failed", "held", "queued", "sending", "sent"]]
    """`sent` means that the mail server accepted it for everybody that it was sent to. A `held` email is not
    sent: `held_because` says why.
    """
    document_id: str | None
    """The document that it is about."""
    recipients: list[Recipient]
    """Every address, with its status."""
    subject: str | None
    """Its subject; null in events, and for a key that may not read the document."""
    message: str | None
    """What was written above the document's details; null where `subject` is."""
    reminder: bool
    """Whether it is a reminder."""
    attachment: Attached | None
    """What is attached."""
    held_because: Open[Literal["no_server", "sandbox"]] | None
    """`no_server`: the deployment sends no mail. `sandbox`: no recipient is a user of the business."""
    sent_at: dt.datetime | None
    """When the mail server accepted it."""
    next_attempt_at: dt.datetime | None
    """When the next attempt is due."""
    attempts_made: int
    """How many attempts were made."""
    last_error: str | None
    """What went wrong last, as an attempt's `error`."""
    may_have_arrived_twice: bool
    """Whether it was sent again although an earlier attempt may have succeeded. Both have the same `Message-ID`,
    and most mail programs show them as one.
    """
    resend_of: str | None
    """The email that this one sends again."""
    external_id: str | None
    """Your own id for the record, unique among records of its kind."""
    metadata: dict[str, str]
    """Your own map of strings."""
    allowed_actions: list[str]
    """The actions that are possible now."""
    version: int
    """Goes up by one with each change; the `ETag`, for If-Match."""
    created_at: dt.datetime
    """When it was created."""
    updated_at: dt.datetime
    """When it was last changed."""


class ListedInvoice(Struct, kw_only=True):
    """An invoice as lists show it: without its payments, and with its lines only on request."""

    id: str
    """Its id: a prefix for its kind, `_` and an opaque string."""
    number: str
    """Its number, such as INV-0042; never reused."""
    status: Open[Literal["credited", "draft", "paid", "partially_paid", "sent", "void", "written_off"]]
    """Its status; actions change it."""
    client_id: str
    """The contact who owes the money."""
    client: Named
    """The contact who owes the money."""
    issue_date: dt.date
    """The date of the invoice; default today, in the business's time zone."""
    due_date: dt.date
    """When it is due; default the issue date plus the contact's or the business's terms."""
    currency: Open[Literal["AUD"]]
    """Always AUD."""
    amounts_are: Open[Literal["exclusive", "inclusive"]]
    """Whether the prices of its lines include GST."""
    gst_rounding: Open[Literal["per_line", "total_invoice"]]
    """Whether GST is rounded once for the document or for each line."""
    discount_percent: Decimal | None
    """A discount on the whole document, in percent; not together with `discount_amount`."""
    discount_amount: Decimal | None
    """A discount on the whole document, in dollars, spread over its lines."""
    subtotal: Decimal
    """The sum of the lines without GST, after discounts."""
    discount_total: Decimal
    """The sum of all discounts, on lines and on the document."""
    gst: Decimal
    """The GST; `subtotal` plus `gst` is `total`."""
    total: Decimal
    """The total including GST."""
    gst_breakdown: list[CodeTotals]
    """Amounts and GST by GST code."""
    amount_paid: Decimal
    """The amount received."""
    amount_credited: Decimal
    """What adjustment notes took off."""
    amount_written_off: Decimal
    """What was written off as a bad debt and has not been recovered."""
    cash_rounding: Decimal
    """What was settled by rounding cash to a multiple of 0.05; negative if more was received than was due."""
    amount_due: Decimal
    """What is still to be paid; 0.00 if it is void."""
    is_overdue: bool
    """Whether money is still due and the due date has passed."""
    document_title: Open[Literal["Deposit request", "Invoice", "Tax invoice"]]
    """The document's title, such as `Tax invoice`."""
    tax_invoice: TaxInvoice
    """Whether it shows everything that a tax invoice must."""
    reference: str | None
    """A short reference for the client."""
    purchase_order: str | None
    """The client's purchase order."""
    notes: str | None
    """Notes for the client."""
    terms: str | None
    """Terms of payment for the client."""
    quote_id: str | None
    """The quote it was made from."""
    job_id: str | None
    """The job it bills."""
    booking_id: str | None
    """The booking it bills."""
    sent_at: dt.datetime | None
    """When it was sent."""
    paid_at: dt.datetime | None
    """When it became paid."""
    payment_method: str | None
    """How the payment that settled it was made."""
    voided_at: dt.datetime | None
    """When it was voided."""
    voided_on: dt.date | None
    """The date on which voiding it counts; null for a mistake, which no figure shows."""
    void_reason: str | None
    """Why it was voided."""
    written_off_at: dt.datetime | None
    """When it was written off."""
    written_off_on: dt.date | None
    """The date on which the write-off counts."""
    write_off_reason: str | None
    """Why it was written off."""
    claim: Open[Literal["deposit", "final", "part_payment", "progress", "retention"]] | None
    """What it bills of a quote's or a job's work, if it bills a part of it: a `progress` claim, a
    `part_payment`, a `deposit`, the release of what was retained (`retention`), or all that other invoices
    left (`final`).
    """
    progress_claim: ProgressClaim | None
    """Of a progress claim, what it says of the contract: its number, the contract sum, what is claimed to date
    and what is retained.
    """
    work: WorkTotals | None
    """Of a `final` invoice, what all of the work comes to; less `less_invoiced` it is what the invoice adds up
    to.
    """
    less_invoiced: WorkTotals | None
    """Of a `final` invoice, what it takes off: what earlier invoices and deposits have billed, and what the
    client retains.
    """
    deposits_applied: Decimal
    """What it takes off for deposits, with the GST on them in its own."""
    applied_to: str | None
    """Of a deposit, the invoice that takes it off."""
    forfeited_on: dt.date | None
    """Of a deposit, when it was forfeited; the GST on it arises on that date."""
    forfeited_gst: Decimal | None
    """The GST on a forfeited deposit."""
    forfeit_reason: str | None
    """Why it was forfeited."""
    hosted_url: str | None
    """The page where the client sees it, once it is sent; only for keys that may write invoices."""
    line_items: Maybe[list[Line]] = UNSET
    """What is charged for, in order; in lists only with `include=line_items`."""
    external_id: str | None
    """Your own id for the record, unique among records of its kind."""
    metadata: dict[str, str]
    """Your own map of strings."""
    allowed_actions: list[str]
    """The actions that are possible now."""
    version: int
    """Goes up by one with each change; the `ETag`, for If-Match."""
    created_at: dt.datetime
    """When it was created."""
    updated_at: dt.datetime
    """When it was last changed."""
    reminders: Maybe[bool] = UNSET
    """Whether reminders are sent while something is due."""


class ListedJob(Struct, kw_only=True):
    """A job as lists show it: with its lines only on request."""

    id: str
    """Its id: a prefix for its kind, `_` and an opaque string."""
    number: str
    """Its number, such as JOB-0042; never reused."""
    status: Open[Literal["cancelled", "complete", "in_progress", "on_hold", "open", "scheduled"]]
    """Its status; actions change it."""
    client_id: str
    """The contact it is for."""
    client: Named
    """The contact it is for."""
    title: str
    """What is to be done, in a few words."""
    description: str | None
    """What is to be done, in detail."""
    site_address: Address | None
    """Where it is done."""
    scheduled_start: dt.datetime | None
    """When it should start; a job created with it is `scheduled`."""
    scheduled_end: dt.datetime | None
    """When it should end."""
    assignee_ids: list[str]
    """The staff who do it."""
    assignees: list[Named]
    """The staff who do it."""
    priority: Open[Literal["high", "low", "normal", "urgent"]]
    """How urgent it is."""
    checklist: list[ChecklistItem]
    """What must or should be done, in order."""
    currency: Open[Literal["AUD"]]
    """Always AUD."""
    amounts_are: Open[Literal["exclusive", "inclusive"]]
    """Whether the prices of its lines include GST."""
    gst_rounding: Open[Literal["per_line", "total_invoice"]]
    """Whether GST is rounded once for the document or for each line."""
    discount_percent: Decimal | None
    """A discount on the whole document, in percent; not together with `discount_amount`."""
    discount_amount: Decimal | None
    """A discount on the whole document, in dollars, spread over its lines."""
    subtotal: Decimal
    """The sum of the lines without GST, after discounts."""
    discount_total: Decimal
    """The sum of all discounts, on lines and on the document."""
    gst: Decimal
    """The GST; `subtotal` plus `gst` is `total`."""
    total: Decimal
    """The total including GST."""
    gst_breakdown: list[CodeTotals]
    """Amounts and GST by GST code."""
    reference: str | None
    """A short reference for the client, on its invoice."""
    notes: str | None
    """Notes for the client, on its invoice."""
    terms: str | None
    """Terms of payment for the client, on its invoice."""
    quote_id: str | None
    """The quote that it fulfils."""
    booking_id: str | None
    """The booking it came from."""
    invoice_ids: list[str]
    """The invoices that name it."""
    invoiced: Invoiced
    """How much of it was invoiced."""
    completed_at: dt.datetime | None
    """When it was completed."""
    completion_notes: str | None
    """Notes on the work done."""
    cancelled_at: dt.datetime | None
    """When it was cancelled."""
    cancel_reason: str | None
    """Why it was cancelled."""
    line_items: Maybe[list[Line]] = UNSET
    """The materials and labour to bill, in order; in lists only with `include=line_items`."""
    external_id: str | None
    """Your own id for the record, unique among records of its kind."""
    metadata: dict[str, str]
    """Your own map of strings."""
    allowed_actions: list[str]
    """The actions that are possible now."""
    version: int
    """Goes up by one with each change; the `ETag`, for If-Match."""
    created_at: dt.datetime
    """When it was created."""
    updated_at: dt.datetime
    """When it was last changed."""


class ListedQuote(Struct, kw_only=True):
    """A quote as lists show it: with its lines only on request."""

    id: str
    """Its id: a prefix for its kind, `_` and an opaque string."""
    number: str
    """Its number, such as QUO-0042; never reused."""
    status: Open[Literal["accepted", "cancelled", "converted", "declined", "draft", "expired", "invoiced", "sent"]]
    """Its status; actions change it, and `sent` becomes `expired` automatically."""
    client_id: str
    """The contact it is for."""
    client: Named
    """The contact it is for."""
    title: str | None
    """What it is for, in a few words."""
    summary: str | None
    """What it is for, in detail."""
    issue_date: dt.date
    """The date of the quote; default today, in the business's time zone."""
    expiry_date: dt.date
    """The last day on which it can be accepted; default 30 days after the issue date."""
    currency: Open[Literal["AUD"]]
    """Always AUD."""
    amounts_are: Open[Literal["exclusive", "inclusive"]]
    """Whether the prices of its lines include GST."""
    gst_rounding: Open[Literal["per_line", "total_invoice"]]
    """Whether GST is rounded once for the document or for each line."""
    discount_percent: Decimal | None
    """A discount on the whole document, in percent; not together with `discount_amount`."""
    discount_amount: Decimal | None
    """A discount on the whole document, in dollars, spread over its lines."""
    subtotal: Decimal
    """The sum of the lines without GST, after discounts."""
    discount_total: Decimal
    """The sum of all discounts, on lines and on the document."""
    gst: Decimal
    """The GST; `subtotal` plus `gst` is `total`."""
    total: Decimal
    """The total including GST."""
    gst_breakdown: list[CodeTotals]
    """Amounts and GST by GST code."""
    reference: str | None
    """A short reference for the client."""
    notes: str | None
    """Notes for the client."""
    terms: str | None
    """Terms that the client accepts with it."""
    revision: int
    """Goes up by one each time it is revised."""
    invoice_id: str | None
    """The invoice that completed its invoicing, once all of it is invoiced."""
    invoice_ids: list[str]
    """The invoices that name it."""
    invoiced: Invoiced
    """How much of it was invoiced; shared with the job that was made from it."""
    job_id: str | None
    """The job it is for, or that was made from it."""
    booking_id: str | None
    """The booking it came from."""
    sent_at: dt.datetime | None
    """When it was last sent."""
    accepted_at: dt.datetime | None
    """When it was accepted."""
    accepted_by: AcceptedBy | None
    """Who accepted it."""
    declined_at: dt.datetime | None
    """When it was declined."""
    decline_reason: str | None
    """Why it was declined."""
    cancelled_at: dt.datetime | None
    """When it was cancelled."""
    hosted_url: str | None
    """The page where the client can accept it, once it is sent; only for keys that may write quotes."""
    line_items: Maybe[list[Line]] = UNSET
    """What is charged for, in order; in lists only with `include=line_items`."""
    external_id: str | None
    """Your own id for the record, unique among records of its kind."""
    metadata: dict[str, str]
    """Your own map of strings."""
    allowed_actions: list[str]
    """The actions that are possible now."""
    version: int
    """Goes up by one with each change; the `ETag`, for If-Match."""
    created_at: dt.datetime
    """When it was created."""
    updated_at: dt.datetime
    """When it was last changed."""


class LodgedFigure(Struct, kw_only=True):
    """What was lodged at a label."""

    amount: Decimal
    """To the cent."""
    whole_dollars: int
    """As it was lodged, without the cents."""


class Lodgement(Struct, kw_only=True):
    """A tax period that was lodged, as it is shown."""

    id: str
    """Its id: a prefix for its kind, `_` and an opaque string."""
    external_id: str | None
    """Your own id for the record, unique among records of its kind."""
    metadata: dict[str, str]
    """Your own map of strings."""
    allowed_actions: list[str]
    """The actions that are possible now."""
    version: int
    """Goes up by one with each change; the `ETag`, for If-Match."""
    created_at: dt.datetime
    """When it was created."""
    updated_at: dt.datetime
    """When it was last changed."""
    from_: dt.date = msgspec.field(name="from")
    """Its first day."""
    to: dt.date
    """Its last day."""
    basis: Open[Literal["accrual", "cash"]]
    """The basis of its last day."""
    status: Open[Literal["lodged", "reopened"]]
    """Whether it is lodged, or was reopened because it had been marked by mistake."""
    labels: dict[str, LodgedFigure]
    """What was lodged at each label, with the corrections of earlier periods; without those that were not known."""
    warnings: list[GstWarning]
    """What was unusual about it when it was lodged."""
    reopened_at: dt.datetime | None
    """When it was reopened."""
    reopen_reason: str | None
    """Why it was reopened."""


class LoggedEvent(Struct, kw_only=True):
    """Something that happened to a record."""

    id: str
    """Its id; the `webhook-id` of its deliveries."""
    event: str
    """What happened, such as `invoice.paid`."""
    created_at: dt.datetime
    """When it happened; the `timestamp` of its deliveries."""
    actor: str | None
    """Who did it: the id of a key or of a person; null for timed work, and for what a client did on a hosted
    page.
    """
    data: dict[str, Any] | None
    """The record as GET returned it then; after a deletion only its `id`. Null for a key that may not read it."""


class MailAttempt(Struct, kw_only=True):
    """One attempt to send an email."""

    number: int
    """Which attempt it was, from 1."""
    started_at: dt.datetime
    """When it began."""
    finished_at: dt.datetime | None
    """When it ended; null while it is being made, and if the process died."""
    error: str | None
    """Null for a success. Otherwise `refused` or `deferred` by the server, `address_refused` for some of the
    addresses, `unreachable`, `interrupted` if the process died, `suppressed` if no address was left,
    `unusable` if no valid message could be built, or `unknown` if the connection was lost before the server
    answered: the email may have arrived.
    """
    detail: str | None
    """What the server or the network said."""


class MailPreview(Struct, kw_only=True):
    """An email as it would be sent."""

    to: list[str]
    """Whom it would be sent to; empty if the client's address is not known, or not for this key to read."""
    cc: list[str]
    """Who would get a copy."""
    subject: str
    """Its subject."""
    message: str
    """The text above the document's details."""
    text: str
    """The whole email, as plain text."""
    html: str
    """The whole email, as HTML."""


class Me(Struct, kw_only=True):
    """The calling key (never its secret), its tenant, environment, scopes and limits."""

    id: str
    """The key's id, or the connection's for an access token."""
    name: str | None
    """The key's name, or the app's."""
    tenant: TenantName
    """Whose key it is."""
    environment: Open[Literal["live", "sandbox"]]
    """Production, or the sandbox."""
    scopes: list[str]
    """What the key may do."""
    limits: Limits
    """The key's rate limits."""
    app: Named | None
    """The app that is calling with an access token; null for a key."""
    connection: ConnectionName | None
    """Its connection to the tenant; null for a key."""


class Named(Struct, kw_only=True):
    """A referenced record, as it is shown."""

    id: str
    """Its id."""
    name: str
    """Its name; on documents that were sent, its name at that time."""


class NewAddress(Struct, kw_only=True):
    """A postal address; in Australia the state is one of the eight and the postcode has four digits."""

    line1: Maybe[str | None] = UNSET
    """A line of the address."""
    line2: Maybe[str | None] = UNSET
    """A line of the address."""
    suburb: Maybe[str | None] = UNSET
    """Suburb, town or city."""
    state: Maybe[str | None] = UNSET
    """In Australia one of ACT, NSW, NT, QLD, SA, TAS, VIC and WA."""
    postcode: Maybe[str | None] = UNSET
    """In Australia four digits."""
    country: Maybe[str] = UNSET
    """A two-letter ISO 3166 code; default AU."""


class NewAllocation(Struct, kw_only=True):
    """What of a payment settles an invoice."""

    invoice_id: str
    """The invoice: one of the same client, sent and not settled, or written off."""
    amount: Amount
    """How much: at most what is due, or what was written off."""


class NewChecklistItem(Struct, kw_only=True):
    """A checklist item. On PATCH, one with an `id` is merged into the stored one; one without is new."""

    id: Maybe[str | None] = UNSET
    """On PATCH, which stored item this is."""
    text: str
    """What is to be done."""
    required: Maybe[bool] = UNSET
    """Whether the job cannot be completed without it."""
    done: Maybe[bool] = UNSET
    """Whether it is done."""


class NewGstSetting(Struct, kw_only=True):
    """How the business stands to GST from a day on, until the next such day."""

    from_: dt.date = msgspec.field(name="from")
    """The first day it applies to."""
    registered: bool
    """Whether the business is registered for GST."""
    basis: Maybe[Literal["accrual", "cash"]] = UNSET
    """How it accounts for GST: on `cash` when money moves, on `accrual` when invoices are issued (s 29-5, 29-40
    GST Act).
    """
    period: Maybe[Literal["month", "quarter", "year"]] = UNSET
    """How long its tax periods are (s 27-5, 27-10 GST Act)."""


class NewHours(Struct, kw_only=True):
    """Working hours that repeat every week, in local time."""

    day: Literal["friday", "monday", "saturday", "sunday", "thursday", "tuesday", "wednesday"]
    """The day of the week."""
    start: str
    """When work starts, as HH:MM in the person's time zone."""
    end: str
    """When it ends; 24:00 is midnight."""


class NewLine(Struct, kw_only=True):
    """A line item. On PATCH, one with an `id` is merged into the stored one; one without is new."""

    id: Maybe[str | None] = UNSET
    """On PATCH, which stored line this is."""
    item_id: Maybe[str | None] = UNSET
    """The item of the price list that gives what is not sent of `description`, `unit`, `unit_price` and
    `gst_code`; they are copied.
    """
    description: Maybe[str | None] = UNSET
    """What is charged for; required without an item."""
    quantity: Maybe[Amount] = UNSET
    """How many; negative for a credit line."""
    unit: Maybe[str | None] = UNSET
    """The unit of the quantity, such as `hour`."""
    unit_price: Maybe[Amount | None] = UNSET
    """The price of one unit, with or without GST as `amounts_are` says; negative for a credit line; required
    without an item.
    """
    discount_percent: Maybe[Amount | None] = UNSET
    """A discount on the line, in percent; not together with `discount_amount`."""
    discount_amount: Maybe[Amount | None] = UNSET
    """A discount on the line, in dollars; at most the line's amount."""
    gst_code: Maybe[Literal["export", "gst", "gst_free", "input_taxed", "out_of_scope"] | None] = UNSET
    """How the line is taxed; defaults to `gst`, or `out_of_scope` if the business is not registered for GST."""


class NewNoteLine(Struct, kw_only=True):
    """What is taken off: of a line of the invoice, or an item of its own, which has a description and a unit
    price.

    On PATCH, one with an `id` is merged into the stored one; one without is new.
    """

    id: Maybe[str | None] = UNSET
    """On PATCH, which stored line this is."""
    invoice_line_id: Maybe[str | None] = UNSET
    """The line of the invoice that it takes from, by `quantity` or by `amount`; all that is left of it without
    either.
    """
    description: Maybe[str | None] = UNSET
    """What is taken off; default that of the invoice's line."""
    quantity: Maybe[Amount | None] = UNSET
    """How many; 1 for an item of its own."""
    unit: Maybe[str | None] = UNSET
    """The unit of the quantity, such as `hour`; that of the invoice's line."""
    unit_price: Maybe[Amount | None] = UNSET
    """The price of one unit, with or without GST as the invoice's prices are; that of the invoice's line."""
    amount: Maybe[Amount | None] = UNSET
    """How much of the invoice's line, with or without GST as the invoice's prices are."""
    gst_code: Maybe[Literal["export", "gst", "gst_free", "input_taxed", "out_of_scope"] | None] = UNSET
    """How it was taxed; that of the invoice's line. For an item of its own, default `gst` if the invoice charges
    GST, or else the code of the invoice's first line.
    """


class NewPerson(Struct, kw_only=True):
    """A person to contact."""

    name: str
    """Their name."""
    role: Maybe[str | None] = UNSET
    """What they do there, such as `Accounts`."""
    email: Maybe[str | None] = UNSET
    """Their email address."""
    phone: Maybe[str | None] = UNSET
    """Their phone number."""


class NewRule(Struct, kw_only=True):
    """When a reminder is sent, and what it says. Its texts may use the placeholders `{number}`, `{amount_due}`,
    `{due_date}`, `{client}`, `{business}` and `{link}`.
    """

    days: int
    """How many days after the due date it is sent, at 09:00; negative for days before it."""
    subject: str
    """The subject of the email."""
    message: str
    """What it says above the details of the invoice."""
    active: Maybe[bool] = UNSET
    """Whether it is sent at all."""


class NewTimeOff(Struct, kw_only=True):
    """A period in which a person does not work, whatever their hours say."""

    start_at: dt.datetime
    """When it begins."""
    end_at: dt.datetime
    """When it ends."""
    reason: Maybe[str | None] = UNSET
    """Why."""


class NextInvoice(Struct, kw_only=True):
    """An invoice that will be created."""

    issue_date: dt.date
    """Its date."""


class NotClaimed(Struct, kw_only=True):
    """Purchases of these days whose GST is in no label, and why."""

    reason: Open[Literal["awaiting_abn", "awaiting_tax_invoice", "too_old"]]
    """`awaiting_tax_invoice`, which counts once you hold it; `awaiting_abn`, which counts once the supplier's
    ABN is recorded; or `too_old`, more than four years after the return was due (s 93-5 GST Act).
    """
    gst: Decimal
    """The GST that could have been claimed."""
    documents: list[GstDocument]
    """The expenses, at most 100 of them."""
    documents_total: int
    """How many there are in all."""


class NoteLine(Struct, kw_only=True):
    """What is taken off."""

    id: str
    """Its id, by which a PATCH names it."""
    invoice_line_id: str | None
    """The line of the invoice that it takes from; null for an item of its own."""
    description: str
    """What is taken off."""
    quantity: Decimal
    """How many."""
    unit: str | None
    """The unit of the quantity."""
    unit_price: Decimal
    """The price of one unit."""
    amount: Decimal | None
    """How much of the invoice's line, where it was taken off by amount."""
    gst_code: Open[Literal["export", "gst", "gst_free", "input_taxed", "out_of_scope"]]
    """How it was taxed."""
    net: Decimal
    """Its amount without GST."""
    gst: Decimal
    """The GST on it."""
    total: Decimal
    """Its amount with GST."""


class NoteLineChange(Struct, kw_only=True):
    """What is taken off: of a line of the invoice, or an item of its own, which has a description and a unit
    price.

    On PATCH, one with an `id` is merged into the stored one; one without is new.
    """

    id: str
    """On PATCH, which stored line this is."""
    invoice_line_id: Maybe[str | None] = UNSET
    """The line of the invoice that it takes from, by `quantity` or by `amount`; all that is left of it without
    either.
    """
    description: Maybe[str | None] = UNSET
    """What is taken off; default that of the invoice's line."""
    quantity: Maybe[Amount | None] = UNSET
    """How many; 1 for an item of its own."""
    unit: Maybe[str | None] = UNSET
    """The unit of the quantity, such as `hour`; that of the invoice's line."""
    unit_price: Maybe[Amount | None] = UNSET
    """The price of one unit, with or without GST as the invoice's prices are; that of the invoice's line."""
    amount: Maybe[Amount | None] = UNSET
    """How much of the invoice's line, with or without GST as the invoice's prices are."""
    gst_code: Maybe[Literal["export", "gst", "gst_free", "input_taxed", "out_of_scope"] | None] = UNSET
    """How it was taxed; that of the invoice's line. For an item of its own, default `gst` if the invoice charges
    GST, or else the code of the invoice's first line.
    """


class Opening(Struct, kw_only=True):
    """A time that can be booked."""

    start_at: dt.datetime
    """When it begins."""
    end_at: dt.datetime
    """When it ends."""
    staff_ids: list[str]
    """Who is free then."""
    remaining: int
    """How many more bookings all of `staff_ids` can take then, together."""


class Payment(Struct, kw_only=True):
    """Money received from a client: `amount` is always `allocated` plus `refunded` plus `unallocated`."""

    id: str
    """Its id: a prefix for its kind, `_` and an opaque string."""
    client_id: str
    """The contact who paid."""
    client: Named
    """The contact who paid, with the name it had then."""
    invoice_id: str | None
    """The invoice, if it settles exactly one; of a reversed payment, the one that it settled."""
    amount: Decimal
    """The amount received."""
    allocated: Decimal
    """What of it settles invoices."""
    refunded: Decimal
    """What the client got back: by refunds, or because the payment was reversed."""
    unallocated: Decimal
    """What is left; the sum over a client's payments is the client's credit."""
    cash_rounding: Decimal
    """What it settled beyond what was allocated, by rounding cash to a multiple of 0.05; negative if less."""
    payment_method: str
    """How it was made."""
    paid_at: dt.datetime
    """When it was received."""
    paid_on: dt.date
    """The date on which it was received, in the business's time zone."""
    reference: str | None
    """The payer's reference."""
    status: Open[Literal["recorded", "reversed"]]
    """Whether it counts, or was reversed."""
    allocations: list[Allocation]
    """The invoices that it settles; none once it is reversed."""
    refunds: list[Refund]
    """What was given back, the oldest first."""
    reversed_at: dt.datetime | None
    """When it was reversed."""
    reversed_on: dt.date | None
    """The date on which its reversal counts; null for a mistake, which no figure shows."""
    reverse_reason: str | None
    """Why it was reversed."""
    external_id: str | None
    """Your own id for the record, unique among records of its kind."""
    metadata: dict[str, str]
    """Your own map of strings."""
    allowed_actions: list[str]
    """The actions that are possible now."""
    version: int
    """Goes up by one with each change; the `ETag`, for If-Match."""
    created_at: dt.datetime
    """When it was created."""
    updated_at: dt.datetime
    """When it was last changed."""


class Person(Struct, kw_only=True):
    """A person to contact."""

    name: str
    """Their name."""
    role: str | None
    """What they do there, such as `Accounts`."""
    email: str | None
    """Their email address."""
    phone: str | None
    """Their phone number."""


class Phases(Struct, kw_only=True):
    """How long each phase of an attempt took, in milliseconds; null for one that did not begin."""

    dns: int | None
    """Looking up the host."""
    connect: int | None
    """Connecting to its address."""
    tls: int | None
    """The TLS handshake and the check of the certificate."""
    first_byte: int | None
    """Sending the request, and waiting for the headers of the response."""
    body: int | None
    """Reading the body of the response."""


class PreviewLine(Struct, kw_only=True):
    """A line that was calculated but not stored."""

    description: str
    """What is charged for."""
    quantity: Decimal
    """How many."""
    unit: str | None
    """The unit of the quantity."""
    unit_price: Decimal
    """The price of one unit."""
    discount_percent: Decimal | None
    """A discount on the line, in percent."""
    discount_amount: Decimal | None
    """A discount on the line, in dollars."""
    gst_code: Open[Literal["export", "gst", "gst_free", "input_taxed", "out_of_scope"]]
    """How the line is taxed."""
    net: Decimal
    """Its amount without GST."""
    gst: Decimal
    """The GST on it."""
    total: Decimal
    """Its amount with GST."""
    item_id: str | None
    """The item that it was filled in from."""


class ProgressClaim(Struct, kw_only=True):
    """What a progress claim says of the contract, as it stood when the claim was made; all of it includes GST."""

    number: int | None
    """Which claim under the contract it is; null for a release of retention."""
    contract_sum: Decimal
    """What all of the work comes to."""
    claimed: Decimal
    """What it claims of the work, before retention."""
    claimed_to_date: Decimal
    """What it and the claims before it claim of the work, before retention."""
    retained: Decimal
    """How much of `claimed` the client retains; it is not part of the invoice's total."""
    released: Decimal
    """How much of what was retained it invoices."""
    retained_to_date: Decimal
    """What the client retains, with this claim."""


class Quote(Struct, kw_only=True):
    """A quote with its lines. `hosted_url` is shown only to keys that may write quotes, never in events."""

    id: str
    """Its id: a prefix for its kind, `_` and an opaque string."""
    number: str
    """Its number, such as QUO-0042; never reused."""
    status: Open[Literal["accepted", "cancelled", "converted", "declined", "draft", "expired", "invoiced", "sent"]]
    """Its status; actions change it, and `sent` becomes `expired` automatically."""
    client_id: str
    """The contact it is for."""
    client: Named
    """The contact it is for."""
    title: str | None
    """What it is for, in a few words."""
    summary: str | None
    """What it is for, in detail."""
    issue_date: dt.date
    """The date of the quote; default today, in the business's time zone."""
    expiry_date: dt.date
    """The last day on which it can be accepted; default 30 days after the issue date."""
    currency: Open[Literal["AUD"]]
    """Always AUD."""
    amounts_are: Open[Literal["exclusive", "inclusive"]]
    """Whether the prices of its lines include GST."""
    gst_rounding: Open[Literal["per_line", "total_invoice"]]
    """Whether GST is rounded once for the document or for each line."""
    discount_percent: Decimal | None
    """A discount on the whole document, in percent; not together with `discount_amount`."""
    discount_amount: Decimal | None
    """A discount on the whole document, in dollars, spread over its lines."""
    subtotal: Decimal
    """The sum of the lines without GST, after discounts."""
    discount_total: Decimal
    """The sum of all discounts, on lines and on the document."""
    gst: Decimal
    """The GST; `subtotal` plus `gst` is `total`."""
    total: Decimal
    """The total including GST."""
    gst_breakdown: list[CodeTotals]
    """Amounts and GST by GST code."""
    reference: str | None
    """A short reference for the client."""
    notes: str | None
    """Notes for the client."""
    terms: str | None
    """Terms that the client accepts with it."""
    revision: int
    """Goes up by one each time it is revised."""
    invoice_id: str | None
    """The invoice that completed its invoicing, once all of it is invoiced."""
    invoice_ids: list[str]
    """The invoices that name it."""
    invoiced: Invoiced
    """How much of it was invoiced; shared with the job that was made from it."""
    job_id: str | None
    """The job it is for, or that was made from it."""
    booking_id: str | None
    """The booking it came from."""
    sent_at: dt.datetime | None
    """When it was last sent."""
    accepted_at: dt.datetime | None
    """When it was accepted."""
    accepted_by: AcceptedBy | None
    """Who accepted it."""
    declined_at: dt.datetime | None
    """When it was declined."""
    decline_reason: str | None
    """Why it was declined."""
    cancelled_at: dt.datetime | None
    """When it was cancelled."""
    hosted_url: Maybe[str | None] = UNSET
    """The page where the client can accept it, once it is sent; only for keys that may write quotes."""
    line_items: list[Line]
    """What is charged for, in order."""
    external_id: str | None
    """Your own id for the record, unique among records of its kind."""
    metadata: dict[str, str]
    """Your own map of strings."""
    allowed_actions: list[str]
    """The actions that are possible now."""
    version: int
    """Goes up by one with each change; the `ETag`, for If-Match."""
    created_at: dt.datetime
    """When it was created."""
    updated_at: dt.datetime
    """When it was last changed."""


class Receivable(Struct, kw_only=True):
    """What a client owes."""

    client_id: str
    """The contact."""
    client: Named
    """The contact."""
    current: Decimal
    """What is not due yet."""
    days_1_30: Decimal
    """What has been due for 1 to 30 days."""
    days_31_60: Decimal
    """What has been due for 31 to 60 days."""
    days_61_90: Decimal
    """What has been due for 61 to 90 days."""
    days_over_90: Decimal
    """What has been due for more than 90 days."""
    total: Decimal
    """All of that."""
    credit: Decimal
    """What the client has paid and no invoice has used: it is not taken off the total."""


class Receivables(Struct, kw_only=True):
    """What all clients owe together, and what each of them does."""

    as_at: dt.date
    """The day at whose end they did."""
    clients: int
    """How many clients owe something or have credit."""
    current: Decimal
    """What is not due yet."""
    days_1_30: Decimal
    """What has been due for 1 to 30 days."""
    days_31_60: Decimal
    """What has been due for 31 to 60 days."""
    days_61_90: Decimal
    """What has been due for 61 to 90 days."""
    days_over_90: Decimal
    """What has been due for more than 90 days."""
    total: Decimal
    """All of that."""
    credit: Decimal
    """What clients have paid and no invoice has used."""
    entries: list[Receivable]
    """What each client owes, the most first; 1,000 on a page."""


class Received(Struct, kw_only=True):
    """The response: the first 16 KiB of it."""

    status: int
    """The HTTP status."""
    headers: dict[str, str]
    """The response's headers, at most 8 KiB."""
    body: str | None
    """The response's body. Null for a key that may not read the event, and for old attempts: only the newest 64
    MiB of each business are kept.
    """


class Recipient(Struct, kw_only=True):
    """One address that an email is sent to."""

    address: str
    """The address."""
    kind: Open[Literal["cc", "to"]]
    """Whether it is a recipient or gets a copy."""
    status: Open[Literal["failed", "held", "sent", "suppressed", "waiting"]]
    """`sent` means that the mail server accepted the email for this address."""
    detail: str | None
    """What the server said."""


class Recovery(Struct, kw_only=True):
    """How many deliveries will be sent again."""

    endpoint_id: str
    """The endpoint they go to."""
    since: dt.datetime
    """The start of the period."""
    until: dt.datetime
    """The end of the period."""
    deliveries: int
    """How many."""


class RecurringInvoice(Struct, kw_only=True):
    """A recurring invoice as it is shown."""

    id: str
    """Its id: a prefix for its kind, `_` and an opaque string."""
    status: Open[Literal["active", "ended", "paused"]]
    """Whether invoices are created: `active`, `paused`, or `ended`, which is final."""
    client_id: str
    """The contact who owes the money."""
    client: Named
    """The contact who owes the money."""
    frequency: Open[Literal["fortnight", "month", "quarter", "week", "year"]]
    """The time from one invoice to the next."""
    start_on: dt.date
    """The date of the first invoice, at most a year ago; all other dates are counted from it. If a month is too
    short for the day, its last day is used.
    """
    end_on: dt.date | None
    """No invoice is created after this date; not together with `count`."""
    count: int | None
    """How many invoices to create; not together with `end_on`."""
    then: Open[Literal["draft", "email", "send"]]
    """What to do with each invoice: it stays a `draft`, is sent (`send`), or is sent and emailed (`email`). If
    the client cannot be emailed, it is sent without an email, and `email_failure` says why.
    """
    line_items: list[RecurringLine]
    """What is charged for, in order. GST codes and prices of items that you leave out are those on the date of
    each invoice.
    """
    currency: Open[Literal["AUD"]]
    """Always AUD."""
    amounts_are: Open[Literal["exclusive", "inclusive"]] | None
    """Whether the prices of the lines include GST; defaults to the business's setting."""
    gst_rounding: Open[Literal["per_line", "total_invoice"]] | None
    """Whether GST is rounded once for the document or for each line; defaults to the business's setting."""
    discount_percent: Decimal | None
    """A discount on the whole document, in percent; not together with `discount_amount`."""
    discount_amount: Decimal | None
    """A discount on the whole document, in dollars, spread over its lines."""
    reference: str | None
    """A short reference for the client."""
    purchase_order: str | None
    """The client's purchase order."""
    notes: str | None
    """Notes for the client."""
    terms: str | None
    """Terms of payment for the client."""
    total: Decimal
    """The total of one invoice, including GST, when this was last changed or an invoice was last created."""
    next_on: dt.date | None
    """The date of the next invoice; null unless it is active."""
    invoices_made: int
    """How many invoices were created so far."""
    last_invoice_id: str | None
    """The invoice that was created last."""
    failure: Failure | None
    """Why the next invoice could not be created; null if nothing is wrong."""
    email_failure: EmailFailure | None
    """Why the last invoice was sent but not emailed; null if nothing is wrong."""
    external_id: str | None
    """Your own id for the record, unique among records of its kind."""
    metadata: dict[str, str]
    """Your own map of strings."""
    allowed_actions: list[str]
    """The actions that are possible now."""
    version: int
    """Goes up by one with each change; the `ETag`, for If-Match."""
    created_at: dt.datetime
    """When it was created."""
    updated_at: dt.datetime
    """When it was last changed."""


class RecurringLine(Struct, kw_only=True):
    """A line item as it was sent; what is null is filled in on the date of each invoice."""

    id: str
    """Its id, by which a PATCH names it."""
    description: str | None
    """What is charged for."""
    quantity: Decimal
    """How many."""
    unit: str | None
    """The unit of the quantity."""
    unit_price: Decimal | None
    """The price of one unit."""
    discount_percent: Decimal | None
    """A discount on the line, in percent."""
    discount_amount: Decimal | None
    """A discount on the line, in dollars."""
    gst_code: Open[Literal["export", "gst", "gst_free", "input_taxed", "out_of_scope"]] | None
    """How the line is taxed; if null, by the business's registration for GST on the date of each invoice."""
    item_id: str | None
    """The item of the price list that fills in the members that are null."""


class Refund(Struct, kw_only=True):
    """Money given back to a client."""

    id: str
    """Its id."""
    amount: Decimal
    """How much."""
    payment_method: str
    """How, such as `bank_transfer`, `card` or `cash`."""
    refunded_at: dt.datetime
    """When it was given back."""
    refunded_on: dt.date
    """The date on which it was given back, in the business's time zone."""
    reference: str | None
    """A reference for the refund."""


class Reminders(Struct, kw_only=True):
    """Whether clients are reminded of unpaid invoices, and when."""

    enabled: bool
    """Whether any reminders are sent; false until the business turns them on."""
    rules: list[Rule]
    """When each reminder is sent, and what it says, in order of `days`."""
    version: int
    """Goes up by one with each change; the `ETag`, for If-Match."""
    updated_at: dt.datetime | None
    """When it was last changed."""


class Rule(Struct, kw_only=True):
    """When a reminder is sent, and what it says. Its texts may use the placeholders `{number}`, `{amount_due}`,
    `{due_date}`, `{client}`, `{business}` and `{link}`.
    """

    days: int
    """How many days after the due date it is sent, at 09:00; negative for days before it."""
    subject: str
    """The subject of the email."""
    message: str
    """What it says above the details of the invoice."""
    active: bool
    """Whether it is sent at all."""


class Sent(Struct, kw_only=True):
    """What was sent. `body` is null for a key that may not read the event."""

    url: str
    """Where to."""
    headers: dict[str, str]
    """The request's headers."""
    body: str | None
    """The request's body; null too once its event is no longer kept, and for older attempts at a large one: 8
    MiB are shown in all.
    """


class SentReminder(Struct, kw_only=True):
    """A reminder that was sent or skipped."""

    id: str
    """Its id: a prefix for its kind, `_` and an opaque string."""
    status: Open[Literal["sent", "skipped"]]
    """`sent` once its email is queued, or `skipped`. The email has a `status` of its own."""
    reason: (
        Open[
            Literal[
                "address_suppressed", "email_held", "just_sent", "no_address", "no_mail", "nothing_due", "reminders_off"
            ]
        ]
        | None
    )
    """Why it was skipped: the plugin mail is off (`no_mail`), the client has no email address (`no_address`),
    the address is suppressed, for example because the client unsubscribed (`address_suppressed`), the email
    is stored but not sent, for example in a sandbox (`email_held`), `reminders` is false on the invoice or
    its client (`reminders_off`), the invoice was sent on that day or later (`just_sent`), or nothing is due
    (`nothing_due`).
    """
    invoice_id: str
    """The invoice of which the client was reminded."""
    invoice: Named
    """The invoice, with its number."""
    due_date: dt.date
    """The due date that its day was counted from."""
    days: int
    """The days of its rule."""
    email_id: str | None
    """Its email, if there is one."""
    external_id: str | None
    """Your own id for the record, unique among records of its kind."""
    metadata: dict[str, str]
    """Your own map of strings."""
    allowed_actions: list[str]
    """The actions that are possible now."""
    version: int
    """Goes up by one with each change; the `ETag`, for If-Match."""
    created_at: dt.datetime
    """When it was created."""
    updated_at: dt.datetime
    """When it was last changed."""


class Service(Struct, kw_only=True):
    """A service as it is shown."""

    id: str
    """Its id: a prefix for its kind, `_` and an opaque string."""
    name: str
    """Its name."""
    duration_minutes: int
    """How many minutes it takes."""
    price: Decimal | None
    """What it costs."""
    gst_code: Open[Literal["export", "gst", "gst_free", "input_taxed", "out_of_scope"]] | None
    """How the price is taxed."""
    buffer_before_minutes: int
    """How many minutes to keep free before it."""
    buffer_after_minutes: int
    """How many minutes to keep free after it."""
    capacity: int
    """How many bookings share one time with one member of staff."""
    slot_interval_minutes: int
    """How many minutes apart the offered times are."""
    min_notice_minutes: int
    """How many minutes ahead it must be booked."""
    max_advance_days: int | None
    """How many days ahead it can be booked; if null, any number."""
    requires_confirmation: bool
    """Whether new bookings are pending until they are confirmed."""
    staff_ids: list[str]
    """Who provides it; if empty, any active staff."""
    active: bool
    """Whether it can be booked."""
    external_id: str | None
    """Your own id for the record, unique among records of its kind."""
    metadata: dict[str, str]
    """Your own map of strings."""
    allowed_actions: list[str]
    """The actions that are possible now."""
    version: int
    """Goes up by one with each change; the `ETag`, for If-Match."""
    created_at: dt.datetime
    """When it was created."""
    updated_at: dt.datetime
    """When it was last changed."""


class Staff(Struct, kw_only=True):
    """A member of staff as it is shown."""

    id: str
    """Its id: a prefix for its kind, `_` and an opaque string."""
    name: str
    """Their name."""
    email: str | None
    """Their email address."""
    phone: str | None
    """Their phone number."""
    timezone: str
    """The IANA time zone of their hours; defaults to the business's."""
    hours: list[Hours]
    """When they work each week; empty for never."""
    time_off: list[TimeOff]
    """When they do not work, whatever their hours say."""
    active: bool
    """Whether they can be booked and assigned."""
    external_id: str | None
    """Your own id for the record, unique among records of its kind."""
    metadata: dict[str, str]
    """Your own map of strings."""
    allowed_actions: list[str]
    """The actions that are possible now."""
    version: int
    """Goes up by one with each change; the `ETag`, for If-Match."""
    created_at: dt.datetime
    """When it was created."""
    updated_at: dt.datetime
    """When it was last changed."""


class Statement(Struct, kw_only=True):
    """What a client owed, and what changed it; `opening` and the amounts of all entries add up to `closing`."""

    client: Named
    """The contact."""
    from_: dt.date = msgspec.field(name="from")
    """The first day."""
    to: dt.date
    """The last day."""
    opening: Decimal
    """What the client owed before the first day; negative where the business owed the client."""
    entries: list[StatementEntry]
    """What changed it, in order."""
    closing: Decimal
    """What the client owed at the end of the last day: `total` less `credit`."""
    current: Decimal
    """How much of that was not due yet."""
    days_1_30: Decimal
    """How much had been due for 1 to 30 days."""
    days_31_60: Decimal
    """How much had been due for 31 to 60 days."""
    days_61_90: Decimal
    """How much had been due for 61 to 90 days."""
    days_over_90: Decimal
    """How much had been due for more than 90 days."""
    total: Decimal
    """What was owed in all, before credit."""
    credit: Decimal
    """What the client had paid and no invoice had used."""


class StatementEntry(Struct, kw_only=True):
    """Something that changed what a client owes."""

    date: dt.date
    """The day on which it counts."""
    kind: Open[
        Literal[
            "adjustment_note",
            "adjustment_note_void",
            "cash_rounding",
            "invoice",
            "payment",
            "recovery",
            "refund",
            "reversal",
            "void",
            "write_off",
        ]
    ]
    """What it was; a `recovery` undoes a `write_off` of what was paid after all."""
    number: str | None
    """The number of the invoice or adjustment note; null for a payment or refund."""
    reference: str | None
    """The reference of the invoice, payment or refund."""
    amount: Decimal
    """What it adds to what the client owes; negative for what it takes off."""
    balance: Decimal
    """What the client owed after it; negative where the business owed the client."""
    invoice_id: str | None
    """The invoice that it changed, if any."""
    payment_id: str | None
    """The payment that it belongs to, if any."""
    adjustment_note_id: str | None
    """The adjustment note that it is, if any."""


class StatementParameters(Struct, kw_only=True):
    """The days of a statement, in the business's time zone."""

    from_: Maybe[dt.date | None] = msgspec.field(default=UNSET, name="from")
    """The first day; default 90 days before the last."""
    to: Maybe[dt.date | None] = UNSET
    """The last day; default today."""


class SuppressedAddress(Struct, kw_only=True):
    """An address that the business does not write to. Delete it to write to it again."""

    id: str
    """Its id: a prefix for its kind, `_` and an opaque string."""
    address: str
    """The address."""
    covers: Open[Literal["everything", "reminders"]]
    """`everything`, or only `reminders`."""
    reason: Open[Literal["added", "bounced", "refused", "unsubscribed"]]
    """`added` by the business, `refused` by its mail server, `bounced` later, or `unsubscribed` from reminders."""
    detail: str | None
    """What the mail server said."""
    email_id: str | None
    """The email that failed or was unsubscribed from."""
    external_id: str | None
    """Your own id for the record, unique among records of its kind."""
    metadata: dict[str, str]
    """Your own map of strings."""
    allowed_actions: list[str]
    """The actions that are possible now."""
    version: int
    """Goes up by one with each change; the `ETag`, for If-Match."""
    created_at: dt.datetime
    """When it was created."""
    updated_at: dt.datetime
    """When it was last changed."""


class TaxInvoice(Struct, kw_only=True):
    """Whether the document shows everything a tax invoice must (s 29-70 GST Act), and what is missing."""

    compliant: bool | None
    """Whether nothing is missing; null for a document that is not a tax invoice."""
    missing: list[str]
    """What is missing, such as `seller_abn`; until it is supplied, `send` is refused."""


class TaxPeriod(Struct, kw_only=True):
    """One of the business's own tax periods, as its `gst_settings` have them."""

    from_: dt.date = msgspec.field(name="from")
    """Its first day."""
    to: dt.date
    """Its last day."""
    is_over: bool
    """Whether it can be lodged."""
    gst_period_id: str | None
    """What was lodged of it, if it was."""


class TaxablePayments(Struct, kw_only=True):
    """What contractors were paid in a financial year."""

    year: int
    """The year in which it ends."""
    from_: dt.date = msgspec.field(name="from")
    """Its first day, 1 July."""
    to: dt.date
    """Its last day, 30 June."""
    gross: Decimal
    """What they were paid in all, including GST and the tax withheld."""
    gst: Decimal
    """The GST in it."""
    tax_withheld: Decimal
    """What was kept back for the tax office."""
    contractors: list[Contractor]
    """What each was paid, by name."""


class Tenant(Struct, kw_only=True):
    """A tenant as it is shown: its profile, environment and version."""

    id: str
    """The tenant's id."""
    environment: Open[Literal["live", "sandbox"]]
    """Production, or the sandbox."""
    version: int
    """Goes up by one with each change; the `ETag`, for If-Match."""
    created_at: dt.datetime
    """When it was created."""
    updated_at: dt.datetime
    """When it was last changed."""
    name: str
    """The name the business trades by."""
    legal_name: str | None
    """The legal entity's name, if different."""
    abn: str | None
    """The business's ABN, required to send a tax invoice; shown as 11 digits."""
    gst_registered: bool
    """Whether the business is registered for GST today; if not, it cannot charge GST. A change applies from
    today on.
    """
    gst_settings: list[GstSetting]
    """How it stands to GST, by date; a document's date decides. Before the first it is not registered."""
    locked_until: dt.date | None
    """The day until which its books are locked: whatever would change what counts up to then is refused."""
    timezone: str
    """Its IANA time zone, to which all dates refer."""
    address: Address | None
    """Where the business is, as its documents show it."""
    email: str | None
    """The business's email address."""
    phone: str | None
    """The business's phone number."""
    bank_account: BankAccount | None
    """The account for bank transfers; shown on hosted invoices."""
    payid: str | None
    """The PayID for payments; shown on hosted invoices."""
    default_payment_terms_days: int
    """Days until invoices are due, for contacts without terms of their own."""
    amounts_are: Open[Literal["exclusive", "inclusive"]]
    """Whether prices on new documents include GST."""
    gst_rounding: Open[Literal["per_line", "total_invoice"]]
    """Whether GST is rounded once for a document or for each line; both are lawful (s 9-90 GST Act)."""


class TenantName(Struct, kw_only=True):
    """The tenant a key belongs to."""

    id: str
    """Its id."""
    name: str
    """The business's name."""


class TimeOff(Struct, kw_only=True):
    """A period in which a person does not work, whatever their hours say."""

    start_at: dt.datetime
    """When it begins."""
    end_at: dt.datetime
    """When it ends."""
    reason: str | None
    """Why."""


class WebhooksAttempt(Struct, kw_only=True):
    """One attempt. `finished_at` is null while it runs, and stays null if the process died; then `error` says
    so.
    """

    number: int
    """Which attempt it was, from 1."""
    started_at: dt.datetime
    """When it began."""
    finished_at: dt.datetime | None
    """When it ended."""
    duration_ms: int | None
    """How long it took, in milliseconds."""
    phases: Phases
    """How long each of its phases took."""
    error: str | None
    """The kind of failure; null for a success."""
    detail: str | None
    """What TLS or the network said of a failure; null for others."""
    request: Sent
    """What was sent."""
    response: Received | None
    """The response, if there was one."""


class WorkTotals(Struct, kw_only=True):
    """What some work comes to: `subtotal` plus `gst` is `total`."""

    subtotal: Decimal
    """Without GST."""
    gst: Decimal
    """The GST on it."""
    total: Decimal
    """Including GST."""
