"""Quotes as stored and as shown: their members beyond those of other documents, such as links and an expiry date."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

from msgspec import Struct

from billycan import Context, Invalid, Row
from billycan.fields import Moment
from billycan_contacts.api import Party
from billycan_documents.api import Documents, Invoiced, gst_codes, invoiced_of, may_charge_gst
from billycan_hosted.api import link_url

from . import resource, rules
from .resource import AcceptedBy, ListedQuote, Quote, becomes, neighbours
from .tables import lines

PATH = "/q/"
DEFAULT_DAYS = 30
# A link outlives the offer, so that a late client reads that it expired.
LINK_DAYS = 90
TARGETS = ("invoices", "jobs")

records = resource.quotes.records


def header(ctx: Context, columns: dict[str, Any], client: Party) -> dict[str, Any]:
    """Return the columns of a draft: the members that were sent, and the dates that depend on them."""
    issue_date = columns["issue_date"] or ctx.today()
    expiry_date = columns["expiry_date"] or issue_date + timedelta(days=DEFAULT_DAYS)
    check_dates(issue_date, expiry_date)
    return {**columns, "issue_date": issue_date, "expiry_date": expiry_date}


def check_dates(issue_date: date, expiry_date: date) -> None:
    """Raise Invalid if a quote would expire before its issue date, or after the last date that can be sent."""
    if not issue_date <= expiry_date <= Moment.LAST_DATE:
        raise Invalid.member("expiry_date", "out_of_range", f"must be from issue_date to {Moment.LAST_DATE}")


def status_of(ctx: Context, row: Row) -> str:
    """Return the quote's status today."""
    return rules.status_on(row.status, row.expiry_date, ctx.today())


def allowed_actions(ctx: Context, row: Row) -> list[str]:
    """Return the actions possible now: `convert` needs a plugin to convert to, and the GST must be chargeable."""
    codes = gst_codes(row)
    # The new document is dated today.
    may_convert = may_charge_gst(ctx, codes, ctx.today()) and any(map(ctx.has, TARGETS))
    now = {"send": may_charge_gst(ctx, codes, row.issue_date), "convert": may_convert}
    return [action for action in rules.actions.allowed(status_of(ctx, row)) if now.get(action, True)]


def hosted_url(ctx: Context, row: Row) -> str | None:
    """Return the page where the client accepts or declines a sent quote."""
    if row.sent_at is None or row.status in ("draft", "cancelled"):
        return None
    return link_url(ctx, PATH, row.id, row.link_edition, row.expiry_date + timedelta(days=LINK_DAYS))


class Billed(Struct):
    """The amount invoiced of a quote, or of the job made from it."""

    quoted: Decimal
    invoice_ids: list[str]
    invoiced: Invoiced
    last: str | None = None
    is_all: bool = False


def billed_amounts(ctx: Context, rows: Sequence[Row]) -> dict[str, Billed]:
    """Map each quote to the amount invoiced of it; if it became a job, to that of the job, by two more queries."""
    nothing = {row.id: Billed(row.total, [], invoiced_of(row.total)) for row in rows}
    if not rows or not ctx.has("invoices"):
        return nothing
    from billycan_invoices import api as invoices  # noqa: PLC0415 - the plugin may be off

    found = invoices.billings(ctx, "quote_id", [row.id for row in rows])
    became = {row.id: row.job_id for row in rows if row.converted_to == "job" and row.job_id and ctx.has("jobs")}
    of_jobs, totals = {}, {}
    if became:
        from billycan_jobs import api as jobs  # noqa: PLC0415 - the plugin may be off

        of_jobs, totals = invoices.billings(ctx, "job_id", [*became.values()]), jobs.totals(ctx, became.values())
    for row in rows:
        job_id = became.get(row.id)
        one, quoted = (of_jobs[job_id], totals[job_id]) if job_id in totals else (found[row.id], row.total)
        ids = found[row.id].invoice_ids
        nothing[row.id] = Billed(quoted, ids, one.of(quoted), one.last, one.is_all(quoted))
    return nothing


def invoice_ids(ctx: Context, rows: Sequence[Row]) -> dict[str, list[str]]:
    """Map each quote to the invoices that name it, in one query; to none if the plugin invoices is off."""
    if not rows or not ctx.has("invoices"):
        return {row.id: [] for row in rows}
    from billycan_invoices import api as invoices  # noqa: PLC0415 - the plugin may be off

    return {id: one.invoice_ids for id, one in invoices.billings(ctx, "quote_id", [row.id for row in rows]).items()}


def members(ctx: Context, rows: Sequence[Row], clients: Mapping[str, Party]) -> Iterable[dict[str, Any]]:
    """Yield the members of quotes beyond those of other documents: today's status, who accepted, and what it became."""
    wants = partial(ctx.wants, ListedQuote)
    of_today, accepted = wants("status"), wants("accepted_by")
    actions, became = wants("allowed_actions"), wants(*becomes.plugins)
    ids, invoiced = wants("invoice_ids"), wants("invoiced")
    sums = billed_amounts(ctx, rows) if invoiced else {}
    named = {id: one.invoice_ids for id, one in sums.items()} if sums or not ids else invoice_ids(ctx, rows)
    for row in rows:
        shown: dict[str, Any] = becomes.shown(ctx, row._mapping) if became else {}
        if invoiced:
            shown["invoiced"] = sums[row.id].invoiced
        if ids:
            shown["invoice_ids"] = named[row.id]
        if of_today:
            shown["status"] = status_of(ctx, row)
        if accepted:
            shown["accepted_by"] = AcceptedBy(**row.accepted_by) if row.accepted_by else None
        if actions:
            shown["allowed_actions"] = allowed_actions(ctx, row)
        yield shown


documents = Documents(
    records,
    Quote,
    lines,
    noun="quote",
    neighbours=neighbours,
    header=header,
    members=members,
    hosted_url=hosted_url,
    actions=rules.actions,
    allowed=allowed_actions,
    open_once_sent=rules.OPEN_ONCE_SENT,
    locked="a quote that is {status} is locked; revise it to change it",
)
