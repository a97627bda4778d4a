"""Invoices: what a client owes, from draft to paid, with GST calculated as the law requires."""

from pathlib import Path

from billycan import Code, Deleted, Manifest, Route

from . import handlers as h
from .demo import add_samples
from .neighbours import hears
from .pages import invoice_page
from .schemas import Invoice, Payment
from .tables import invoices, lines, payments

manifest = Manifest(
    name="invoices",
    requires=("contacts", "documents", "hosted"),
    tables=(invoices, lines, payments),
    migrations=Path(__file__).parent / "migrations",
    events={
        "invoice.created": Invoice,
        "invoice.updated": Invoice,
        "invoice.sent": Invoice,
        "invoice.paid": Invoice,
        "invoice.voided": Invoice,
        "invoice.written_off": Invoice,
        "invoice.recovered": Invoice,
        "invoice.deleted": Deleted,
        "payment.recorded": Payment,
        "payment.reversed": Payment,
    },
    routes=(
        Route("GET", "/v1/invoices", h.list_invoices, scope="invoices:read"),
        Route("POST", "/v1/invoices", h.create_invoice, scope="invoices:write", status=201),
        Route("POST", "/v1/invoices/preview", h.preview_invoice, scope="invoices:write"),
        Route("GET", "/v1/invoices/{id}", h.get_invoice, scope="invoices:read"),
        Route("PATCH", "/v1/invoices/{id}", h.update_invoice, scope="invoices:write"),
        Route("DELETE", "/v1/invoices/{id}", h.delete_invoice, scope="invoices:write"),
        Route("POST", "/v1/invoices/{id}/send", h.send_invoice, scope="invoices:write"),
        Route("POST", "/v1/invoices/{id}/payments", h.add_payment, scope="invoices:write", status=201),
        Route("POST", "/v1/invoices/{id}/payments/{pay_id}/reverse", h.reverse_payment, scope="invoices:write"),
        Route("POST", "/v1/invoices/{id}/pay", h.pay_invoice, scope="invoices:write"),
        Route("POST", "/v1/invoices/{id}/void", h.void_invoice, scope="invoices:write"),
        Route("POST", "/v1/invoices/{id}/write_off", h.write_off_invoice, scope="invoices:write"),
        Route("POST", "/v1/invoices/{id}/duplicate", h.duplicate_invoice, scope="invoices:write", status=201),
    ),
    pages=(("/i/{token}", invoice_page),),
    hears=hears,
    demo=add_samples,
    codes={
        "has_payments": Code(409, "Money was received for the invoice: reverse its payments first."),
        "negative_total": Code(422, "The total is below zero: change the lines."),
        "overpayment_not_allowed": Code(422, "The payment is more than is due, or than was written off."),
        "tax_invoice_incomplete": Code(422, "Something that a tax invoice must show is missing; `details` lists it."),
    },
    examples=Path(__file__).parent / "examples.json",
)
