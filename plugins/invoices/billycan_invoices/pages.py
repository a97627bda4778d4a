"""The page where a client reads and prints an invoice, and how to pay it."""

from fractions import Fraction

import msgspec

from billycan import Context, NotFound
from billycan.address import one_line
from billycan.app import App
from billycan_gst.api import round_cents
from billycan_hosted.api import DocumentPage, Link, Shown

from .documents import PATH, records, show

_BADGES = {
    "paid": ("good", "Paid"),
    "void": ("bad", "Void"),
    "written_off": ("bad", "Written off"),
    "partially_paid": ("warn", "Part paid"),
}
_NOTICES = {
    "paid": ("good", "This invoice is paid. Thank you!"),
    "void": ("bad", "This invoice was voided: there is nothing to pay."),
}


def invoice_page(app: App) -> DocumentPage:
    """The page at `/i/{token}`."""
    return DocumentPage(app, PATH, show_invoice)


def show_invoice(ctx: Context, link: Link) -> Shown:
    """The invoice of a link."""
    try:
        row = records.find(ctx, link.id)
    except NotFound:
        text = "Please ask the business for a new link."
        return Shown("closed.html", {"title": "This invoice is no longer here", "text": text}, 410)
    invoice = show(ctx, row)
    seller = ctx.tenant
    only_taxable = [part.gst_code for part in invoice.gst_breakdown] == ["gst"]
    badge = _BADGES.get(invoice.status)
    if badge is None and invoice.is_overdue:
        badge = ("bad", "Overdue")
    values = {
        "heading": invoice.document_title,
        "document": invoice,
        "badge": badge,
        "notice": _NOTICES.get(invoice.status),
        "owing": invoice.status in ("sent", "partially_paid"),
        # Only where all of it is taxable and GST is an eleventh may a document say so in words (GSTR 2013/1, par 20).
        "price_includes_gst": only_taxable and invoice.gst == round_cents(Fraction(invoice.total) / 11),
        "seller_address": one_line(msgspec.to_builtins(seller.address)) if seller.address else "",
        "client_abn": row.client_abn,
        "client_address": one_line(row.client_address),
        "facts": [
            ("Date of issue", _day(invoice.issue_date)),
            ("Due", _day(invoice.due_date)),
            ("Your order", invoice.purchase_order),
            ("Reference", invoice.reference),
        ],
    }
    return Shown("invoices/invoice.html", values)


def _day(value: object) -> str:
    return f"{value:%-d %B %Y}"
