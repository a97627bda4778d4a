"""Invoices: what a client owes, from draft to paid, with GST calculated as the law requires."""

from billycan import Deleted, Every, Manifest, Route
from billycan_contacts import api as contacts

from . import record_pages
from .books.double_entry import in_ledger
from .books.gst import gst
from .books.statement import get_statement, get_statement_as_csv
from .books.statement_paper import statement_paper
from .books.statement_schemas import StatementQuery
from .cards import by_month, owed
from .cards import gst as gst_card
from .demo import add_samples
from .invoices import handlers as h
from .invoices.documents import documents
from .invoices.due import due_soon, overdue, tell_due_soon, tell_overdue
from .invoices.summary import summarise_invoices, summarise_invoices_as_csv
from .neighbours import hears
from .note_resource import AdjustmentNote
from .notes import handlers as n
from .notes.page import finish_note, note_page, note_paper
from .pages import finish_invoice, invoice_page, invoice_paper
from .payments import handlers as p
from .payments import invoice_handlers as i
from .payments.earlier_invoices import add_earlier_invoice
from .payments.earlier_payments import add_earlier_payment, payments_to_settle, settle_payment
from .payments.schemas import Payment
from .resource import Invoice
from .tables import ahead, allocations, entries, held, invoices, lines, note_lines, notes, payments, refunds, settling

manifest = Manifest(
    name="invoices",
    requires=("contacts", "documents", "hosted"),
    tables=(invoices, lines, payments, allocations, entries, held, ahead, refunds, notes, note_lines, settling),
    events={
        "invoice.created": Invoice,
        "invoice.updated": Invoice,
        "invoice.sent": Invoice,
        "invoice.paid": Invoice,
        "invoice.voided": Invoice,
        "invoice.written_off": Invoice,
        "invoice.write_off_undone": Invoice,
        "invoice.recovered": Invoice,
        "invoice.forfeited": Invoice,
        "invoice.due_soon": Invoice,
        "invoice.overdue": Invoice,
        "invoice.deleted": Deleted,
        "adjustment_note.created": AdjustmentNote,
        "adjustment_note.updated": AdjustmentNote,
        "adjustment_note.issued": AdjustmentNote,
        "adjustment_note.voided": AdjustmentNote,
        "adjustment_note.deleted": Deleted,
        "payment.recorded": Payment,
        "payment.allocated": Payment,
        "payment.deallocated": Payment,
        "payment.refunded": Payment,
        "payment.reversed": Payment,
    },
    routes=(
        Route("GET", "/v1/invoices", h.list_invoices, scope="invoices:read"),
        Route(
            "POST",
            "/v1/invoices",
            h.create_invoice,
            scope="invoices:write",
            status=201,
            prepare=documents.prepare_new,
        ),
        Route("POST", "/v1/invoices/import", add_earlier_invoice, scope="invoices:write", status=201, imports=True),
        Route("POST", "/v1/invoices/preview", h.preview_invoice, scope="invoices:write", stores=False),
        Route(
            "GET",
            "/v1/invoices/summary",
            summarise_invoices,
            scope="invoices:read",
            also={"text/csv": "/v1/invoices/summary.csv"},
        ),
        Route("GET", "/v1/invoices/summary.csv", summarise_invoices_as_csv, scope="invoices:read", answers="text/csv"),
        Route("GET", "/v1/invoices/{id}", h.get_invoice, scope="invoices:read"),
        Route(
            "PATCH",
            "/v1/invoices/{id}",
            h.update_invoice,
            scope="invoices:write",
            prepare=documents.prepare_change,
        ),
        Route("DELETE", "/v1/invoices/{id}", h.delete_invoice, scope="invoices:write"),
        Route("POST", "/v1/invoices/{id}/send", h.send_invoice, scope="invoices:write"),
        Route("POST", "/v1/invoices/{id}/payments", i.add_payment, scope="invoices:write", status=201),
        Route("POST", "/v1/invoices/{id}/payments/{pay_id}/reverse", i.reverse_payment, scope="invoices:write"),
        Route("POST", "/v1/invoices/{id}/pay", i.pay_invoice, scope="invoices:write"),
        Route("POST", "/v1/invoices/{id}/void", h.void_invoice, scope="invoices:write"),
        Route("POST", "/v1/invoices/{id}/write_off", h.write_off_invoice, scope="invoices:write"),
        Route("POST", "/v1/invoices/{id}/undo_write_off", h.undo_write_off, scope="invoices:write"),
        Route("POST", "/v1/invoices/{id}/forfeit", h.forfeit_invoice, scope="invoices:write"),
        Route(
            "POST",
            "/v1/invoices/{id}/duplicate",
            h.duplicate_invoice,
            scope="invoices:write",
            status=201,
            prepare=h.prepare_duplicate,
        ),
        Route(
            "GET",
            "/v1/contacts/{id}/statement",
            get_statement,
            scope="invoices:read",
            also={"text/csv": "/v1/contacts/{id}/statement.csv"},
        ),
        Route(
            "GET", "/v1/contacts/{id}/statement.csv", get_statement_as_csv, scope="invoices:read", answers="text/csv"
        ),
        Route("GET", "/v1/payments", p.list_payments, scope="invoices:read"),
        Route("POST", "/v1/payments", p.create_payment, scope="invoices:write", status=201),
        Route("POST", "/v1/payments/import", add_earlier_payment, scope="invoices:write", status=201, imports=True),
        Route("GET", "/v1/payments/{id}", p.get_payment, scope="invoices:read"),
        Route("POST", "/v1/payments/{id}/allocate", p.allocate_payment, scope="invoices:write"),
        Route("POST", "/v1/payments/{id}/deallocate", p.deallocate_payment, scope="invoices:write"),
        Route("POST", "/v1/payments/{id}/refund", p.refund_payment, scope="invoices:write"),
        Route("POST", "/v1/payments/{id}/reverse", p.reverse_whole_payment, scope="invoices:write"),
        Route("GET", "/v1/adjustment_notes", n.list_adjustment_notes, scope="invoices:read"),
        Route(
            "POST",
            "/v1/adjustment_notes",
            n.create_adjustment_note,
            scope="invoices:write",
            status=201,
            prepare=n.prepare_note,
        ),
        Route("GET", "/v1/adjustment_notes/{id}", n.get_adjustment_note, scope="invoices:read"),
        Route("PATCH", "/v1/adjustment_notes/{id}", n.update_adjustment_note, scope="invoices:write"),
        Route("DELETE", "/v1/adjustment_notes/{id}", n.delete_adjustment_note, scope="invoices:write"),
        Route("POST", "/v1/adjustment_notes/{id}/issue", n.issue_adjustment_note, scope="invoices:write"),
        Route("POST", "/v1/adjustment_notes/{id}/void", n.void_adjustment_note, scope="invoices:write"),
    ),
    pages=(("/i/{token}", invoice_page), ("/a/{token}", note_page)),
    records=(record_pages.invoices, record_pages.payments, record_pages.adjustment_notes),
    cards=(owed, by_month, gst_card),
    documents=(
        Manifest.Document(path="/v1/invoices/{id}", show=invoice_paper, finish=finish_invoice),
        Manifest.Document(path="/v1/adjustment_notes/{id}", show=note_paper, finish=finish_note),
        Manifest.Document(
            path="/v1/contacts/{id}/statement", show=statement_paper, finish=contacts.lock, takes=StatementQuery
        ),
    ),
    hears=hears,
    tasks=(
        Every(seconds=60, due=due_soon, run=tell_due_soon),
        Every(seconds=60, due=overdue, run=tell_overdue),
        Every(seconds=5, due=payments_to_settle, run=settle_payment),
    ),
    demo=add_samples,
    codes={
        "allocated_elsewhere": (409, "The payment settles other invoices too: reverse it as a whole."),
        "already_invoiced": (409, "All of it is invoiced: void an invoice, or delete it while it is a draft."),
        "duplicate_number": (409, "Another invoice has this number."),
        "credit_spent": (409, "The credit that the note gave was allocated or refunded since."),
        "has_adjustment_notes": (409, "Adjustment notes were issued for the invoice: void them first."),
        "has_refunds": (409, "Some of the payment was refunded."),
        "negative_total": (422, "The total is below zero: change the lines."),
        "over_allocated": (422, "The amounts are more than there is of the payment."),
        "over_credited": (422, "The note takes off more than is left of the invoice."),
        "over_refunded": (422, "The refund is more than is unallocated."),
        "tax_invoice_incomplete": (
            422,
            "Something that a tax invoice or adjustment note must show is missing; `details` lists it.",
        ),
    },
    offers=(*gst, in_ledger),
)
