"""The page where a client reads a quote, and accepts or declines it."""

from collections.abc import Mapping
from typing import Any

import msgspec

from billycan import Context, NotFound
from billycan.address import one_line
from billycan.app import App
from billycan.fields import read_field
from billycan.problems import RuleBroken
from billycan.records import Row
from billycan_hosted.api import DocumentPage, Link, Shown

from .documents import PATH, records, show, status_of
from .handlers import accept_quote, decline_quote
from .schemas import Acceptance, Refusal

_NOTICES = {
    "accepted": ("good", "Accepted. Thank you! {seller} has been told."),
    "converted": ("good", "Accepted. Thank you! {seller} is on it."),
    "invoiced": ("good", "Accepted, and invoiced. Thank you!"),
    "declined": ("warn", "You declined this quote. Please ask {seller} if you would like a new one."),
    "expired": ("warn", "This quote has expired. Please ask {seller} for a new one."),
}


def quote_page(app: App) -> DocumentPage:
    """The page at `/q/{token}`."""
    return DocumentPage(app, PATH, show_quote, decide_quote)


def show_quote(ctx: Context, link: Link) -> Shown:
    """The quote of a link, or why it is no longer there."""
    row = _found(ctx, link)
    if row is None or row.link_edition != link.edition:
        return _gone(row)
    quote = show(ctx, row)
    status = status_of(ctx, row)
    notice = _NOTICES.get(status)
    values = {
        "heading": "Quote",
        "document": quote,
        "document_title": quote.title,
        "summary": quote.summary,
        "status": status,
        "badge": notice and (notice[0], status.capitalize()),
        "notice": notice and (notice[0], notice[1].format(seller=ctx.tenant.name)),
        "seller_address": _address(ctx),
        "client_abn": row.client_abn,
        "client_address": one_line(row.client_address),
        "facts": [
            ("Date", _day(quote.issue_date)),
            ("Valid until", _day(quote.expiry_date)),
            ("Reference", quote.reference),
            ("Revision", quote.revision if quote.revision > 1 else None),
        ],
    }
    return Shown("quotes/quote.html", values)


def decide_quote(ctx: Context, link: Link, form: Mapping[str, str]) -> Mapping[str, str] | None:
    """Accept or decline; the faults of the form where it is incomplete."""
    row = _found(ctx, link)
    if row is None or row.link_edition != link.edition:
        raise NotFound
    if form.get("decision") == "decline":
        body, faults = _read(Refusal, {"reason": form.get("reason") or None})
        if body:
            decline_quote(ctx, link.id, body)
        return faults
    accepted, faults = _read(Acceptance, {"name": form.get("name", ""), "email": form.get("email") or None})
    if "terms" not in form:
        faults = {**(faults or {}), "terms": "Please tick this to accept."}
    if accepted and not faults:
        accept_quote(ctx, link.id, accepted)
    return faults


def _read(kind: Any, values: Mapping[str, Any]) -> tuple[Any, dict[str, str] | None]:
    faults = {}
    for field in msgspec.structs.fields(kind):
        try:
            msgspec.convert(values[field.name], field.type, dec_hook=read_field)
        except msgspec.ValidationError as error:
            reason = str(error.__cause__) if isinstance(error.__cause__, RuleBroken) else "is not right"
            faults[field.name] = f"This {reason}."
    return (None, faults) if faults else (msgspec.convert(values, kind, dec_hook=read_field), None)


def _found(ctx: Context, link: Link) -> Row | None:
    try:
        return records.find(ctx, link.id)
    except NotFound:
        return None


def _gone(row: Row | None) -> Shown:
    if row is not None and row.status == "cancelled":
        text = "The business has withdrawn it. Please get in touch with them if you were expecting it."
        return Shown("closed.html", {"title": "This quote was withdrawn", "text": text}, 410)
    text = "There is a newer version of it. Please use the latest link the business sent you, or ask for it."
    return Shown("closed.html", {"title": "This quote has been superseded", "text": text}, 410)


def _address(ctx: Context) -> str:
    return one_line(msgspec.to_builtins(ctx.tenant.address)) if ctx.tenant.address else ""


def _day(value: Any) -> str:
    return f"{value.day} {value:%B %Y}"
