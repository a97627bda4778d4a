"""The tables of invoices, the payments that settle them, and the adjustment notes that reduce them."""

import sqlalchemy as sa

from billycan import ByCodePoint, Decimals, Neighbours, UTCDateTime, new_table, reference
from billycan_documents.api import lines_table

from . import note_resource, resource

invoices = resource.invoices.table
lines = lines_table("invoices")

payments = new_table(
    "invoices_payments",
    sa.Column("client_id", ByCodePoint, nullable=False),
    # The payer's name when the payment was recorded.
    sa.Column("client_name", sa.Text, nullable=False),
    sa.Column("amount", Decimals(2), nullable=False),
    sa.Column("allocated", Decimals(2), nullable=False),
    sa.Column("refunded", Decimals(2), nullable=False),
    sa.Column("unallocated", Decimals(2), nullable=False),
    # The amount settled less the amount received, positive or negative: cash comes in multiples of 0.05.
    sa.Column("cash_rounding", Decimals(2), nullable=False),
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
    Neighbours.index("reference"),
    of="resource",
)

# Links payments to the invoices they settle. Rows of a reversed payment stay, so that its invoice still lists it.
allocations = new_table(
    "invoices_allocations",
    sa.Column("payment_id", ByCodePoint, nullable=False),
    sa.Column("invoice_id", ByCodePoint, nullable=False),
    sa.Column("amount", Decimals(2), nullable=False),
    sa.Column("cash_rounding", Decimals(2), nullable=False),
    sa.Column("allocated_on", sa.Date, nullable=False),
    reference("payment_id", "invoices_payments"),
    reference("invoice_id", "invoices"),
    sa.UniqueConstraint("tenant_id", "payment_id", "invoice_id"),
    sa.Index(None, "tenant_id", "invoice_id", "payment_id"),
)

# Payments that are to be allocated to an invoice. Each row's id is that of the payment.
settling = new_table(
    "invoices_settling",
    sa.Column("invoice_id", ByCodePoint, nullable=False),
    reference("invoice_id", "invoices"),
    sa.ForeignKeyConstraint(
        ["tenant_id", "id"],
        ["invoices_payments.tenant_id", "invoices_payments.id"],
        name="fk_invoices_settling_payment",
    ),
    sa.Index(None, "tenant_id", "invoice_id"),
)

# The changes of each invoice, by day. Entries are added and never rewritten. Undoing a mistake adds entries of the
# opposite sign on the same days: entries of one kind, day, payment and note that add up to nothing count as none.
# The first four figures add up to the invoice's own `amount_paid` and so on. The others add up to its price less
# notes, the parts of it without GST by code, and the GST; a void invoice has no price.
entries = new_table(
    "invoices_entries",
    sa.Column("invoice_id", ByCodePoint, nullable=False),
    # The cause: sending or voiding the invoice, a payment, a note, a write-off, or applying or forfeiting a deposit.
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("counts_on", sa.Date, nullable=False),
    sa.Column("payment_id", ByCodePoint),
    sa.Column("note_id", ByCodePoint),
    # For a deposit: the invoice that takes it off.
    sa.Column("taken_off_by", ByCodePoint),
    sa.Column("paid", Decimals(2), nullable=False),
    sa.Column("cash_rounding", Decimals(2), nullable=False),
    sa.Column("credited", Decimals(2), nullable=False),
    sa.Column("written_off", Decimals(2), nullable=False),
    sa.Column("total", Decimals(2), nullable=False),
    sa.Column("gst", Decimals(2), nullable=False),
    sa.Column("gst_free", Decimals(2), nullable=False),
    sa.Column("export", Decimals(2), nullable=False),
    sa.Column("input_taxed", Decimals(2), nullable=False),
    sa.Column("out_of_scope", Decimals(2), nullable=False),
    reference("invoice_id", "invoices"),
    sa.Index(None, "tenant_id", "invoice_id", "counts_on", "id"),
    sa.Index(None, "tenant_id", "counts_on", "invoice_id"),
    sa.Index(None, "tenant_id", "payment_id"),
)

# The part of a note that does not count yet on a cash basis, because its credit is neither refunded nor used (s 29-20
# GST Act): the amount paid, and the share of the price that the note took off. See `held`.
held = new_table(
    "invoices_held",
    sa.Column("invoice_id", ByCodePoint, nullable=False),
    sa.Column("note_id", ByCodePoint, nullable=False),
    sa.Column("payment_id", ByCodePoint, nullable=False),
    # The invoice on which the credit was used; null if the credit was given, refunded or withdrawn.
    sa.Column("used_on", ByCodePoint),
    sa.Column("counts_on", sa.Date, nullable=False),
    sa.Column("paid", Decimals(2), nullable=False),
    sa.Column("cash_rounding", Decimals(2), nullable=False),
    sa.Column("total", Decimals(2), nullable=False),
    sa.Column("gst", Decimals(2), nullable=False),
    sa.Column("gst_free", Decimals(2), nullable=False),
    sa.Column("export", Decimals(2), nullable=False),
    sa.Column("input_taxed", Decimals(2), nullable=False),
    sa.Column("out_of_scope", Decimals(2), nullable=False),
    reference("invoice_id", "invoices"),
    sa.Index(None, "tenant_id", "invoice_id", "counts_on"),
    sa.Index(None, "tenant_id", "counts_on", "invoice_id"),
    sa.Index(None, "tenant_id", "payment_id"),
)

# The rest of a partly invoiced work, which on an accrual basis counts ahead of its other invoices: see `supplies`.
# Entries are added and never rewritten; those of a fully invoiced work add up to nothing.
ahead = new_table(
    "invoices_ahead",
    sa.Column("invoice_id", ByCodePoint, nullable=False),
    sa.Column("work_id", ByCodePoint, nullable=False),
    sa.Column("counts_on", sa.Date, nullable=False),
    sa.Column("total", Decimals(2), nullable=False),
    sa.Column("gst", Decimals(2), nullable=False),
    sa.Column("export", Decimals(2), nullable=False),
    sa.Column("gst_free", Decimals(2), nullable=False),
    sa.Column("input_taxed", Decimals(2), nullable=False),
    reference("invoice_id", "invoices"),
    sa.Index(None, "tenant_id", "work_id", "counts_on"),
    sa.Index(None, "tenant_id", "invoice_id"),
)

refunds = new_table(
    "invoices_refunds",
    sa.Column("payment_id", ByCodePoint, nullable=False),
    sa.Column("amount", Decimals(2), nullable=False),
    sa.Column("payment_method", sa.Text, nullable=False),
    sa.Column("refunded_at", UTCDateTime, nullable=False),
    sa.Column("refunded_on", sa.Date, nullable=False),
    sa.Column("reference", sa.Text),
    reference("payment_id", "invoices_payments"),
    sa.Index(None, "tenant_id", "payment_id", "id"),
    sa.Index(None, "tenant_id", "refunded_on", "id"),
)

notes = note_resource.notes.table

note_lines = new_table(
    "invoices_notes_lines",
    sa.Column("document_id", ByCodePoint, nullable=False),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("invoice_line_id", ByCodePoint),
    sa.Column("description", sa.Text, nullable=False),
    sa.Column("quantity", Decimals(4), nullable=False),
    sa.Column("unit", sa.Text),
    sa.Column("unit_price", Decimals(4), nullable=False),
    sa.Column("amount", Decimals(2)),
    sa.Column("gst_code", sa.Text, nullable=False),
    sa.Column("net", Decimals(2), nullable=False),
    sa.Column("gst", Decimals(2), nullable=False),
    sa.Column("total", Decimals(2), nullable=False),
    reference("document_id", "invoices_notes"),
    sa.Index(None, "tenant_id", "document_id", "position"),
)
