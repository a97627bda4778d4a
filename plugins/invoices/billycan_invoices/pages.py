"""The page where a client reads and prints an invoice, and how to pay it."""

from fractions import Fraction

from billycan import App, Context, NotFound
from billycan_documents.api import round_cents
from billycan_hosted.api import DocumentPage, Link, Shown, day, money

from .documents import PATH, documents, records

_BADGES = {
    "paid": ("good", "Paid"),
    "credited": ("good", "Credited"),
    "void": ("bad", "Void"),
    "written_off": ("warn", "Written off"),
    "partially_paid": ("warn", "Partly paid"),
}
_NOTICES = {
    "paid": ("good", "This invoice is paid. Thank you!"),
    "credited": ("good", "{seller} has taken all of this invoice off: there is nothing to pay."),
    "void": ("bad", "This invoice is void: it is not a tax invoice, and there is nothing to pay."),
    "written_off": ("warn", "{seller} has written off what was due on this invoice."),
}
_STAMPS = {"void": "VOID"}


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
    invoice = documents.show(ctx, row)
    only_taxable = [part.gst_code for part in invoice.gst_breakdown] == ["gst"]
    badge = _BADGES.get(invoice.status)
    if badge is None and invoice.is_overdue:
        badge = ("bad", "Overdue")
    owing = invoice.status in ("sent", "partially_paid")
    due = ("Was due" if invoice.is_overdue else "Due") + f" {day(invoice.due_date)}"
    notice = _NOTICES.get(invoice.status)
    values = {
        "heading": invoice.document_title,
        "document": invoice,
        "badge": badge,
        "stamp": _STAMPS.get(invoice.status),
        "notice": notice and (notice[0], notice[1].format(seller=ctx.tenant.name)),
        "owing": owing,
        "key": ("Amount due", money(invoice.amount_due), due) if owing else None,
        # Only where all of it is taxable and GST is an eleventh may a document say so in words (GSTR 2013/1, par 20).
        "price_includes_gst": only_taxable and invoice.gst == round_cents(Fraction(invoice.total) / 11),
        "client_abn": row.client_abn,
        "client_address": row.client_address,
        "facts": [
            ("Date of issue", day(invoice.issue_date)),
            ("Due", day(invoice.due_date)),
            ("Your order", invoice.purchase_order),
            ("Reference", invoice.reference),
        ],
    }
    return Shown("invoices/invoice.html", values)
