"""Quotes as stored and as shown: the records, their lines, their links, and how they are worked out."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

import sqlalchemy as sa
from msgspec import UNSET

from billycan import Context, Invalid, Named, Records
from billycan.fields import LAST_DATE
from billycan.neighbours import Neighbours
from billycan.records import Row
from billycan_contacts import api as contacts
from billycan_contacts.api import Party
from billycan_gst.api import Line, Lines, Worked, breakdown, plain_number
from billycan_hosted.api import link_url

from . import rules
from .schemas import AcceptedBy, ListedQuote, NewQuote, Quote
from .tables import lines, quotes

PATH = "/q/"
DEFAULT_DAYS = 30
# A link outlives the offer, so that a client who comes late reads what became of it.
LINK_DAYS = 90
TARGETS = ("invoices", "jobs")

quote_lines = Lines(lines)
neighbours = Neighbours(job_id="jobs", booking_id="bookings")
becomes = Neighbours(invoice_id="invoices")


def of_status(ctx: Context, statuses: list[str]) -> sa.ColumnElement[bool]:
    """The quotes of any of these statuses today."""
    sent, past = quotes.c.status == "sent", quotes.c.expiry_date < ctx.today()
    conditions = {"sent": sent & ~past, "expired": (quotes.c.status == "expired") | (sent & past)}
    return sa.or_(*(conditions.get(status, quotes.c.status == status) for status in statuses))


def found_by(ctx: Context, text: str) -> sa.ColumnElement[bool]:
    """The quotes that hold a text themselves or are for a contact whose name does."""
    return records.holds(text) | contacts.is_named_like(ctx, quotes.c.client_id, text)


records = Records(
    quotes,
    ListedQuote,
    prefix="quo",
    number="QUO-",
    search=("number", "client_name", "title", "summary"),
    filters={"status": of_status, "search": found_by},
    neighbours=neighbours,
)


def client_of(ctx: Context, client_id: str) -> Party:
    """The contact a quote is for; Invalid where there is none."""
    found = contacts.parties(ctx, [client_id]).get(client_id)
    if found is None:
        raise Invalid.member("client_id", "not_found", "there is no such contact")
    return found


def header(ctx: Context, body: NewQuote, worked: Worked) -> dict[str, Any]:
    """The columns of a draft: what was sent, the dates that follow from it, and its figures."""
    issue_date = body.issue_date or ctx.today()
    expiry_date = body.expiry_date or issue_date + timedelta(days=DEFAULT_DAYS)
    check_dates(issue_date, expiry_date)
    left_out = ("line_items", "currency", *neighbours.off(ctx))
    sent = {name: getattr(body, name) for name in body.__struct_fields__ if name not in left_out}
    return {**sent, **worked.columns, "issue_date": issue_date, "expiry_date": expiry_date}


def check_dates(issue_date: date, expiry_date: date) -> None:
    """Invalid where a quote would expire before it is issued, or later than any date that can be sent."""
    if not issue_date <= expiry_date <= LAST_DATE:
        raise Invalid.member("expiry_date", "out_of_range", f"must be from issue_date to {LAST_DATE}")


def frozen(client: Party) -> dict[str, Any]:
    """The columns that keep who a quote is for, once it is no draft any more."""
    return {"client_name": client.name, "client_abn": client.abn, "client_address": client.billing_address}


def status_of(ctx: Context, row: Row) -> str:
    """The quote's status today."""
    return rules.status_on(row.status, row.expiry_date, ctx.today())


def allowed_actions(ctx: Context, status: str) -> list[str]:
    """What a quote of this status may do here: converting needs a plugin to convert to."""
    converts = any(name in ctx.app.manifests for name in TARGETS)
    return [action for action in rules.actions.allowed(status) if action != "convert" or converts]


def show(ctx: Context, row: Row, *, lines: list[Line] | None = None, client: Party | None = None) -> Quote:
    """One quote, with its link where the key may write quotes; `lines` and `client` spare queries."""
    shown = _members(ctx, row, _clients(ctx, [row]) if client is None else {client.id: client})
    shown["line_items"] = quote_lines.of(ctx, [row.id])[row.id] if lines is None else lines
    return Quote(**shown)


def show_all(ctx: Context, rows: Sequence[Row], *, with_lines: bool) -> list[ListedQuote]:
    """A page of quotes, with one query for the contacts of its drafts and one for its lines."""
    clients = _clients(ctx, rows)
    found = quote_lines.of(ctx, [row.id for row in rows]) if with_lines else {}
    return [
        ListedQuote(**_members(ctx, row, clients), line_items=found[row.id] if with_lines else UNSET) for row in rows
    ]


def hosted_url(ctx: Context, row: Row) -> str | None:
    """The page where the client of a quote that was sent accepts or declines it."""
    if row.sent_at is None or row.status in ("draft", "cancelled"):
        return None
    return link_url(ctx, PATH, row.id, row.link_edition, row.expiry_date + timedelta(days=LINK_DAYS))


def _clients(ctx: Context, rows: Sequence[Row]) -> Mapping[str, Party]:
    # A document that was sent shows the name frozen then.
    return contacts.parties(ctx, {row.client_id for row in rows if row.client_name is None})


def _members(ctx: Context, row: Row, clients: Mapping[str, Party]) -> dict[str, Any]:
    stored = row._mapping
    status = status_of(ctx, row)
    percent = row.discount_percent
    may_see = ctx.identity is not None and ctx.identity.holds("quotes:write")
    worked_out = {
        "status": status,
        "client": Named(row.client_id, row.client_name or clients[row.client_id].name),
        "currency": "AUD",
        "discount_percent": None if percent is None else plain_number(percent),
        "gst_breakdown": breakdown(row.gst_breakdown),
        "accepted_by": AcceptedBy(**row.accepted_by) if row.accepted_by else None,
        "hosted_url": hosted_url(ctx, row) if may_see else None,
        "allowed_actions": allowed_actions(ctx, status),
    }
    worked_out |= neighbours.shown(ctx, stored) | becomes.shown(ctx, stored)
    names = [f for f in ListedQuote.__struct_fields__ if f != "line_items" and f not in worked_out]
    return {name: stored[name] for name in names} | worked_out
