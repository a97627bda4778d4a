"""The page where a client reads and prints an adjustment note."""

from billycan import App, Context, NotFound
from billycan_hosted.api import DocumentPage, Link, Shown, day, money

from .notes import PATH, records, show

_REASONS = {
    "returned": "Goods or services returned",
    "price_change": "Change of price",
    "error": "Error on the invoice",
    "cancelled": "Cancelled",
    "other": "Other",
}


def note_page(app: App) -> DocumentPage:
    """The page at `/a/{token}`."""
    return DocumentPage(app, PATH, show_note)


def show_note(ctx: Context, link: Link) -> Shown:
    """The note of a link, with what its form asks for (s 29-75 GST Act; GSTR 2013/2)."""
    try:
        row = records.find(ctx, link.id)
    except NotFound:
        text = "Please ask the business for a new link."
        return Shown("closed.html", {"title": "This note is no longer here", "text": text}, 410)
    note, is_void = show(ctx, row), row.status == "void"
    values = {
        "heading": note.document_title,
        "document": note,
        "badge": ("bad", "Void") if is_void else None,
        "stamp": "VOID" if is_void else None,
        "notice": ("bad", "This note is void: the invoice is not reduced by it.") if is_void else None,
        "key": None if is_void else ("Credit", money(note.total), f"on invoice {note.invoice_number}"),
        "client_abn": row.client_abn,
        "client_address": row.client_address,
        "price_includes_gst": False,
        "facts": [
            ("Date of issue", day(note.issue_date)),
            ("Invoice", note.invoice_number),
            ("Reason", _REASONS[note.reason]),
        ],
        "summary": note.description,
    }
    return Shown("invoices/adjustment_note.html", values)
