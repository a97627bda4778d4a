"""The tables of invoices, the payments that settle them, and the adjustment notes that reduce them."""

import sqlalchemy as sa

from billycan import (
    ByCodePoint,
    Cents,
    Json,
    TenThousandths,
    UTCDateTime,
    neighbour_index,
    numbered,
    reference,
    resource_table,
    searchable,
    tenant_table,
)
from billycan_documents.api import document_columns, lines_table, party_columns

from . import rules

invoices = resource_table(
    "invoices",
    *numbered(),
    sa.Column("client_id", ByCodePoint, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("issue_date", sa.Date, nullable=False),
    sa.Column("due_date", sa.Date, nullable=False),
    *document_columns(),
    sa.Column("document_title", sa.Text, nullable=False),
    sa.Column("amount_paid", Cents(), nullable=False),
    sa.Column("amount_credited", Cents(), nullable=False),
    sa.Column("amount_written_off", Cents(), nullable=False),
    sa.Column("cash_rounding", Cents(), nullable=False),
    sa.Column("reference", sa.Text),
    sa.Column("purchase_order", sa.Text),
    sa.Column("notes", sa.Text),
    sa.Column("terms", sa.Text),
    sa.Column("quote_id", sa.Text),
    sa.Column("job_id", sa.Text),
    sa.Column("booking_id", sa.Text),
    *party_columns(),
    sa.Column("sent_at", UTCDateTime),
    sa.Column("paid_at", UTCDateTime),
    sa.Column("payment_method", sa.Text),
    # The day on which voiding it counts; null for a mistake, which no figure of any day shows.
    sa.Column("voided_at", UTCDateTime),
    sa.Column("voided_on", sa.Date),
    sa.Column("void_reason", sa.Text),
    sa.Column("written_off_at", UTCDateTime),
    sa.Column("written_off_on", sa.Date),
    sa.Column("write_off_reason", sa.Text),
    # The part of a quote's or job's work that it bills: see `claims`. `claimed` is the amount without extras.
    sa.Column("claim", sa.Text),
    sa.Column("claim_on", ByCodePoint),
    sa.Column("claimed", Cents()),
    sa.Column("claim_percent", TenThousandths()),
    sa.Column("claim_parts", Json),
    # For a final invoice or a claim with retention: the lines that take off earlier invoices or retention, and their
    # totals.
    sa.Column("less_line_ids", Json),
    sa.Column("less_subtotal", Cents()),
    sa.Column("less_gst", Cents()),
    # For a progress claim: its figures about the contract, and the retention by part.
    sa.Column("progress_claim", Json),
    sa.Column("retained", Cents()),
    sa.Column("retained_parts", Json),
    sa.Column("deposits_applied", Cents(), nullable=False),
    sa.Column("applied_to", ByCodePoint),
    sa.Column("deposit_gst", Cents()),
    sa.Column("forfeited_on", sa.Date),
    sa.Column("forfeit_reason", sa.Text),
    # For a part payment: the total of the work at that time, see `supplies`.
    sa.Column("claim_supply", Json),
    searchable(),
    reference("client_id", "contacts"),
    sa.UniqueConstraint("tenant_id", "number"),
    sa.Index(None, "tenant_id", "client_id", "created_at", "id"),
    sa.Index(None, "tenant_id", "status", "created_at", "id"),
    sa.Index(None, "tenant_id", "sequence", "id"),
    sa.Index(None, "tenant_id", "due_date", "id"),
    sa.Index(None, "tenant_id", "issue_date", "id"),
    sa.Index(None, "status", "due_date"),
    *map(neighbour_index, ("quote_id", "job_id", "booking_id", "applied_to")),
)

# Literals let the database reuse the statement of a list of open invoices, and that of its total.
IS_OPEN = invoices.c.status.in_([sa.literal_column(f"'{status}'") for status in rules.OPEN])

lines = lines_table("invoices")

payments = resource_table(
    "invoices_payments",
    sa.Column("client_id", ByCodePoint, nullable=False),
    # The payer's name when the payment was recorded.
    sa.Column("client_name", sa.Text, nullable=False),
    sa.Column("amount", Cents(), nullable=False),
    sa.Column("allocated", Cents(), nullable=False),
    sa.Column("refunded", Cents(), nullable=False),
    sa.Column("unallocated", Cents(), nullable=False),
    # The amount settled less the amount received, positive or negative: cash comes in multiples of 0.05.
    sa.Column("cash_rounding", Cents(), nullable=False),
    sa.Column("payment_method", sa.Text, nullable=False),
    sa.Column("paid_at", UTCDateTime, nullable=False),
    # The date on which it counts, even if the business later changes its time zone.
    sa.Column("paid_on", sa.Date, nullable=False),
    sa.Column("reference", sa.Text),
    sa.Column("status", sa.Text, nullable=False),
    # The day on which its reversal counts; null for a mistake.
    sa.Column("reversed_at", UTCDateTime),
    sa.Column("reversed_on", sa.Date),
    sa.Column("reverse_reason", sa.Text),
    reference("client_id", "contacts"),
    # A safeguard against faults in handlers: no payment is used for more than its amount.
    sa.CheckConstraint("amount = allocated + refunded + unallocated", name="adds_up"),
    sa.CheckConstraint("allocated >= 0 AND refunded >= 0 AND unallocated >= 0", name="not_negative"),
    sa.Index(None, "tenant_id", "client_id", "created_at", "id"),
    sa.Index(None, "tenant_id", "status", "created_at", "id"),
    sa.Index(None, "tenant_id", "paid_at", "id"),
    sa.Index(None, "tenant_id", "paid_on", "id"),
)

# Links payments to the invoices they settle. Rows of a reversed payment stay, so that its invoice still lists it.
allocations = tenant_table(
    "invoices_allocations",
    sa.Column("payment_id", ByCodePoint, nullable=False),
    sa.Column("invoice_id", ByCodePoint, nullable=False),
    sa.Column("amount", Cents(), nullable=False),
    sa.Column("cash_rounding", Cents(), nullable=False),
    sa.Column("allocated_on", sa.Date, nullable=False),
    reference("payment_id", "invoices_payments"),
    reference("invoice_id", "invoices"),
    sa.UniqueConstraint("tenant_id", "payment_id", "invoice_id"),
    sa.Index(None, "tenant_id", "invoice_id", "payment_id"),
)

# The changes of each invoice, by day. Entries are added and never rewritten. Undoing a mistake adds entries of the
# opposite sign on the same days: entries of one kind, day, payment and note that add up to nothing count as none.
# The first four figures add up to the invoice's own `amount_paid` and so on. The others add up to its price less
# notes, the parts of it without GST by code, and the GST; a void invoice has no price.
entries = tenant_table(
    "invoices_entries",
    sa.Column("invoice_id", ByCodePoint, nullable=False),
    # The cause: sending or voiding the invoice, a payment, a note, a write-off, or applying or forfeiting a deposit.
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("counts_on", sa.Date, nullable=False),
    sa.Column("payment_id", ByCodePoint),
    sa.Column("note_id", ByCodePoint),
    # For a deposit: the invoice that takes it off.
    sa.Column("taken_off_by", ByCodePoint),
    sa.Column("paid", Cents(), nullable=False),
    sa.Column("cash_rounding", Cents(), nullable=False),
    sa.Column("credited", Cents(), nullable=False),
    sa.Column("written_off", Cents(), nullable=False),
    sa.Column("total", Cents(), nullable=False),
    sa.Column("gst", Cents(), nullable=False),
    sa.Column("gst_free", Cents(), nullable=False),
    sa.Column("export", Cents(), nullable=False),
    sa.Column("input_taxed", Cents(), nullable=False),
    sa.Column("out_of_scope", Cents(), nullable=False),
    reference("invoice_id", "invoices"),
    sa.Index(None, "tenant_id", "invoice_id", "counts_on", "id"),
    sa.Index(None, "tenant_id", "counts_on", "invoice_id"),
    sa.Index(None, "tenant_id", "payment_id"),
)

# The part of a note that does not count yet on a cash basis, because its credit is neither refunded nor used (s 29-20
# GST Act): the amount paid, and the share of the price that the note took off. See `held`.
held = tenant_table(
    "invoices_held",
    sa.Column("invoice_id", ByCodePoint, nullable=False),
    sa.Column("note_id", ByCodePoint, nullable=False),
    sa.Column("payment_id", ByCodePoint, nullable=False),
    # The invoice on which the credit was used; null if the credit was given, refunded or withdrawn.
    sa.Column("used_on", ByCodePoint),
    sa.Column("counts_on", sa.Date, nullable=False),
    sa.Column("paid", Cents(), nullable=False),
    sa.Column("cash_rounding", Cents(), nullable=False),
    sa.Column("total", Cents(), nullable=False),
    sa.Column("gst", Cents(), nullable=False),
    sa.Column("gst_free", Cents(), nullable=False),
    sa.Column("export", Cents(), nullable=False),
    sa.Column("input_taxed", Cents(), nullable=False),
    sa.Column("out_of_scope", Cents(), nullable=False),
    reference("invoice_id", "invoices"),
    sa.Index(None, "tenant_id", "invoice_id", "counts_on"),
    sa.Index(None, "tenant_id", "counts_on", "invoice_id"),
    sa.Index(None, "tenant_id", "payment_id"),
)

# The rest of a partly invoiced work, which on an accrual basis counts ahead of its other invoices: see `supplies`.
# Entries are added and never rewritten; those of a fully invoiced work add up to nothing.
ahead = tenant_table(
    "invoices_ahead",
    sa.Column("invoice_id", ByCodePoint, nullable=False),
    sa.Column("work_id", ByCodePoint, nullable=False),
    sa.Column("counts_on", sa.Date, nullable=False),
    sa.Column("total", Cents(), nullable=False),
    sa.Column("gst", Cents(), nullable=False),
    sa.Column("export", Cents(), nullable=False),
    sa.Column("gst_free", Cents(), nullable=False),
    sa.Column("input_taxed", Cents(), nullable=False),
    reference("invoice_id", "invoices"),
    sa.Index(None, "tenant_id", "work_id", "counts_on"),
    sa.Index(None, "tenant_id", "invoice_id"),
)

refunds = tenant_table(
    "invoices_refunds",
    sa.Column("payment_id", ByCodePoint, nullable=False),
    sa.Column("amount", Cents(), nullable=False),
    sa.Column("payment_method", sa.Text, nullable=False),
    sa.Column("refunded_at", UTCDateTime, nullable=False),
    sa.Column("refunded_on", sa.Date, nullable=False),
    sa.Column("reference", sa.Text),
    reference("payment_id", "invoices_payments"),
    sa.Index(None, "tenant_id", "payment_id", "id"),
    sa.Index(None, "tenant_id", "refunded_on", "id"),
)

notes = resource_table(
    "invoices_notes",
    *numbered(),
    sa.Column("invoice_id", ByCodePoint, nullable=False),
    sa.Column("client_id", ByCodePoint, nullable=False),
    # The invoice's members that the note shows; the invoice is locked, so they cannot change.
    sa.Column("invoice_number", sa.Text, nullable=False),
    sa.Column("invoice_total", Cents(), nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("description", sa.Text),
    sa.Column("full", sa.Boolean, nullable=False),
    sa.Column("issue_date", sa.Date, nullable=False),
    sa.Column("amounts_are", sa.Text, nullable=False),
    sa.Column("gst_rounding", sa.Text, nullable=False),
    sa.Column("subtotal", Cents(), nullable=False),
    sa.Column("gst", Cents(), nullable=False),
    sa.Column("total", Cents(), nullable=False),
    sa.Column("gst_breakdown", sa.JSON, nullable=False),
    sa.Column("document_title", sa.Text, nullable=False),
    *party_columns(),
    # The amounts that issuing the note took off the invoice's payments, so that voiding can put them back.
    sa.Column("released", Json, nullable=False),
    sa.Column("issued_at", UTCDateTime),
    # The day on which voiding it counts; null for a mistake.
    sa.Column("voided_at", UTCDateTime),
    sa.Column("voided_on", sa.Date),
    sa.Column("void_reason", sa.Text),
    searchable(),
    reference("invoice_id", "invoices"),
    reference("client_id", "contacts"),
    sa.UniqueConstraint("tenant_id", "number"),
    sa.Index(None, "tenant_id", "invoice_id", "created_at", "id"),
    sa.Index(None, "tenant_id", "client_id", "created_at", "id"),
    sa.Index(None, "tenant_id", "status", "created_at", "id"),
    sa.Index(None, "tenant_id", "sequence", "id"),
    sa.Index(None, "tenant_id", "issue_date", "id"),
)

note_lines = tenant_table(
    "invoices_notes_lines",
    sa.Column("document_id", ByCodePoint, nullable=False),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("invoice_line_id", ByCodePoint),
    sa.Column("description", sa.Text, nullable=False),
    sa.Column("quantity", TenThousandths(), nullable=False),
    sa.Column("unit", sa.Text),
    sa.Column("unit_price", TenThousandths(), nullable=False),
    sa.Column("amount", Cents()),
    sa.Column("gst_code", sa.Text, nullable=False),
    sa.Column("net", Cents(), nullable=False),
    sa.Column("gst", Cents(), nullable=False),
    sa.Column("total", Cents(), nullable=False),
    reference("document_id", "invoices_notes"),
    sa.Index(None, "tenant_id", "document_id", "position"),
)
