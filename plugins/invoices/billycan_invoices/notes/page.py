"""The page where a client reads and prints an adjustment note, and the note on paper."""

from collections.abc import Iterator
from decimal import Decimal

from billycan import App, Context, NotFound, Row
from billycan.paper import Paper
from billycan_hosted.api import DocumentPage, Link, Shown, day, money, paper_of

from .handlers import issue_adjustment_note
from .records import PATH, hosted_url, price_before, records, show_adjustment_note

_REASONS = {
    "returned": "Goods or services returned",
    "price_change": "Change of price",
    "error": "Error on the invoice",
    "cancelled": "Cancelled",
    "other": "Other",
}


def note_page(app: App) -> DocumentPage:
    """The page at `/a/{token}`."""
    return DocumentPage(app, PATH, show_note, document="/v1/adjustment_notes/{id}")


def show_note(ctx: Context, link: Link) -> Shown:
    """Show the note that a link opens."""
    try:
        return Shown("document.html", {"paper": note_paper(ctx, link.id)})
    except NotFound:
        text = "Please ask the business for a new link."
        return Shown("closed.html", {"title": "This note is no longer here", "text": text}, 410)


def finish_note(ctx: Context, id: str) -> None:
    """Issue an adjustment note that is a draft."""
    if records.lock(ctx, id).status == "draft":
        issue_adjustment_note(ctx, id)


def note_paper(ctx: Context, id: str) -> Paper:
    """Return an adjustment note with everything it must show (s 29-75 GST Act; GSTR 2013/2)."""
    row = records.find(ctx, id)
    note, is_void = show_adjustment_note(ctx, row), row.status == "void"
    effect = (
        Paper.Sum("Effect", "Decreasing adjustment"),
        Paper.Sum("Price reduced by", money(note.total)),
        Paper.Sum("GST reduced by", money(note.gst)),
    )
    return paper_of(
        ctx,
        note,
        row,
        noun=note.document_title.lower(),
        title=note.document_title,
        mark={"draft": "DRAFT", "void": "VOID"}.get(note.status, ""),
        badge=Paper.Notice("bad", "Void") if is_void else None,
        notice=Paper.Notice("bad", "This note is void: the invoice is not reduced by it.") if is_void else None,
        facts={
            "Date of issue": day(note.issue_date),
            "Invoice": note.invoice_number,
            "Reason": _REASONS[note.reason],
        },
        key=None if is_void else Paper.Key("Credit", money(note.total), f"on invoice {note.invoice_number}"),
        sums=(*(effect if note.document_title == "Adjustment note" else ()), *_show_prices(ctx, row)),
        summary=note.description or "",
        url=hosted_url(ctx, row),
    )


def _show_prices(ctx: Context, row: Row) -> Iterator[Paper.Sum]:
    """Yield the invoice's price before and after the note, with the GST in each."""
    total, gst = price_before(ctx, row)

    def price(words: str, total: Decimal, gst: Decimal) -> Paper.Sum:
        including = f", including GST of {money(gst)}" if gst or row.gst else ""
        return Paper.Sum(f"{words}{including}", money(total))

    yield price(f"Price of {row.invoice_number} before", total, gst)
    yield price("Price now", total - row.total, gst - row.gst)
