"""The page where a client reads a quote and accepts or declines it, and the quote as a Paper."""

from collections.abc import Mapping
from typing import Any

from billycan import App, Context, Invalid, NotFound, Row, decode
from billycan.paper import Paper
from billycan_hosted.api import DocumentPage, Link, Shown, day, moment, money, paper_of

from .documents import PATH, documents, hosted_url, records, status_of
from .handlers import accept_quote, decline_quote, send_quote
from .resource import Quote
from .schemas import Acceptance, Refusal, Resend

_BADGES = {
    "accepted": Paper.Notice("good", "Accepted"),
    "converted": Paper.Notice("good", "Accepted"),
    "invoiced": Paper.Notice("good", "Accepted"),
    "declined": Paper.Notice("warn", "Declined"),
    "expired": Paper.Notice("warn", "Expired"),
}
_MARKS = {
    "draft": "DRAFT",
    "accepted": "ACCEPTED",
    "converted": "ACCEPTED",
    "invoiced": "ACCEPTED",
    "declined": "DECLINED",
    "expired": "EXPIRED",
    "cancelled": "CANCELLED",
}
_NAMES = {"name": "Your name", "email": "Your email", "terms": "Accepting", "reason": "Your reason"}


def quote_page(app: App) -> DocumentPage:
    """Return the page at `/q/{token}`."""
    return DocumentPage(app, PATH, show_quote, decide_quote, document="/v1/quotes/{id}")


def show_quote(ctx: Context, link: Link) -> Shown:
    """Show the quote of a link, or why it is no longer available."""
    row = _find_quote(ctx, link)
    if row is None or row.link_edition != link.edition:
        return _show_gone(row)
    quote = documents.show(ctx, row)
    values = {
        "paper": _build_paper(ctx, row, quote),
        "status": status_of(ctx, row),
        "names": _NAMES,
        "version": quote.version,
        "has_terms": bool(quote.terms),
        "has_gst": bool(quote.gst),
        "total": money(quote.total),
    }
    return Shown("quotes/quote.html", values)


def finish_quote(ctx: Context, id: str) -> None:
    """Send a quote that is a draft."""
    if records.lock(ctx, id).status == "draft":
        send_quote(ctx, id, Resend())


def quote_paper(ctx: Context, id: str) -> Paper:
    """Return a quote as a Paper."""
    row = records.find(ctx, id)
    return _build_paper(ctx, row, documents.show(ctx, row))


def _build_paper(ctx: Context, row: Row, quote: Quote) -> Paper:
    status, until = status_of(ctx, row), day(quote.expiry_date)
    return paper_of(
        ctx,
        quote,
        row,
        noun="quote",
        title="Quote",
        mark=_MARKS.get(status, ""),
        mark_tone="good" if _MARKS.get(status) == "ACCEPTED" else "bad",
        badge=_BADGES.get(status),
        notice=_choose_notice(ctx, quote, status),
        facts={
            "Date": day(quote.issue_date),
            "Valid until": until,
            "Reference": quote.reference,
            "Revision": quote.revision if quote.revision > 1 else None,
        },
        key=Paper.Key("Total", money(quote.total), f"Valid until {until}") if status == "sent" else None,
        subject=quote.title or "",
        summary=quote.summary or "",
        url=hosted_url(ctx, row),
        due_date=quote.expiry_date,
    )


def decide_quote(ctx: Context, link: Link, form: Mapping[str, str]) -> Mapping[str, str] | None:
    """Accept or decline a quote; return the faults of the form if it is incomplete."""
    # Lock first, so that the client decides on exactly the version that the page showed.
    row = records.lock(ctx, link.id)
    if row.link_edition != link.edition:
        raise NotFound
    if form.get("version") != str(row.version) and status_of(ctx, row) == "sent":
        return {"version": "This quote has changed since you opened it. Please read it again before you decide."}
    if form.get("decision") == "decline":
        body, faults = _read_answer(Refusal, {"reason": form.get("reason") or None})
        if body:
            decline_quote(ctx, link.id, body)
        return faults
    accepted, faults = _read_answer(Acceptance, {"name": form.get("name", ""), "email": form.get("email") or None})
    if not form.get("name"):
        faults = {**(faults or {}), "name": "Please enter your name."}
    if "terms" not in form:
        faults = {**(faults or {}), "terms": "Please tick this to accept."}
    if accepted and not faults:
        accept_quote(ctx, link.id, accepted)
    return faults


def _choose_notice(ctx: Context, quote: Quote, status: str) -> Paper.Notice | None:
    """Return the notice of a decision or expiry. It must not claim that somebody was notified."""
    zone, seller = ctx.tenant.timezone, ctx.tenant.name
    if quote.accepted_at and quote.accepted_by:
        when = moment(quote.accepted_at, zone)
        return Paper.Notice("good", f"Accepted by {quote.accepted_by.name} on {when}. Thank you!")
    if quote.declined_at and status == "declined":
        when = moment(quote.declined_at, zone)
        return Paper.Notice(
            "warn", f"This quote was declined on {when}. Please ask {seller} if you would like a new one."
        )
    if status == "expired":
        return Paper.Notice(
            "warn", f"This quote expired on {day(quote.expiry_date)}. Please ask {seller} for a new one."
        )
    return None


def _read_answer(kind: Any, values: Mapping[str, Any]) -> tuple[Any, dict[str, str] | None]:
    try:
        return decode(dict(values), kind), None
    except Invalid as invalid:
        return None, {fault.param: f"This {fault.message}." for fault in invalid.details}


def _find_quote(ctx: Context, link: Link) -> Row | None:
    try:
        return records.find(ctx, link.id)
    except NotFound:
        return None


def _show_gone(row: Row | None) -> Shown:
    if row is not None and row.status == "cancelled":
        text = "The business has withdrawn it. Please get in touch with them if you were expecting it."
        return Shown("closed.html", {"title": "This quote was withdrawn", "text": text}, 410)
    text = "There is a newer version of it. Please use the latest link the business sent you, or ask for it."
    return Shown("closed.html", {"title": "This quote has been superseded", "text": text}, 410)
