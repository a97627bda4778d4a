"""Handlers of quotes: one function for each route; and the timed work that expires quotes."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa

from billycan import App, Conflict, Context, Deleted, Invalid, Page, Patch, Query, Resource, Row
from billycan.fields import Moment
from billycan.sql import tenants
from billycan.timed import Morning
from billycan_documents.api import Line, check_registration, client_of, frozen

from .documents import billed_amounts, check_dates, documents, records, status_of
from .resource import ListedQuote, NewQuote, Quote
from .schemas import Acceptance, Conversion, Refusal, Resend
from .tables import quotes


def list_quotes(ctx: Context, query: Query[ListedQuote]) -> Page[ListedQuote]:
    """All quotes, whatever their status; `include=line_items` adds their lines.

    A sent quote past its expiry date is `expired`, also in filters.
    """
    return documents.page(ctx, query)


def create_quote(ctx: Context, body: NewQuote) -> Quote:
    """Create a draft. Its number is assigned now and never reused.

    Refused with `gst_not_registered` if a business that is not registered for GST charges it. Emits `quote.created`.
    """
    return documents.add(ctx, body, status="draft", revision=1, link_edition=1)


def get_quote(ctx: Context, id: str) -> Quote:
    """One quote with its lines.

    Once it is sent, `hosted_url` is shown to keys with `quotes:write`.
    """
    return documents.get(ctx, id)


def update_quote(ctx: Context, id: str, body: Patch[NewQuote]) -> Quote:
    """Change a draft, or the few members of a sent quote that may still change.

    Once sent, only `reference`, `metadata`, `external_id`, `job_id` and `booking_id` can change; anything else is
    `document_locked`: revise it first. Refused with `gst_not_registered` if a business that is not registered for GST
    charges it. Emits `quote.updated` if anything changed.
    """
    row = records.lock(ctx, id)
    return documents.change(ctx, documents.edit(ctx, row, body, status=status_of(ctx, row)))


def prepare_update(ctx: Context, id: str, body: Patch[NewQuote]) -> None:
    """Do what changing a quote needs no lock for."""
    documents.prepare_change(ctx, id, body, lambda ctx, row: {"status": status_of(ctx, row)})


def delete_quote(ctx: Context, id: str) -> Deleted:
    """Delete a draft.

    Refused with `document_locked` in any other status, and with `has_dependents` while other records refer to it. Its
    number is never reused. Emits `quote.deleted`.
    """
    row = records.lock(ctx, id)
    if row.status != "draft":
        status = status_of(ctx, row)
        instead = ": cancel it instead" if status == "sent" else ""
        raise Conflict(f"A quote that is {status} must be kept{instead}.", code="document_locked", status=status)
    return documents.remove(ctx, row)


def send_quote(ctx: Context, id: str, body: Resend) -> Quote:
    """Lock the quote, freeze its client's details, and give it a page where the client can accept it.

    From draft, or with a new expiry date from expired and declined, to sent; otherwise `invalid_state_transition`.
    Nothing is emailed: send the link yourself. Refused with `gst_not_registered` if a business that is not registered
    for GST charges it. Emits `quote.sent`.
    """
    row = _lock_quote(ctx, id)
    documents.check(ctx, row, "send")
    if row.status != "draft" and body.expiry_date is None:
        raise Invalid.member("expiry_date", "required", "is required to send this quote again")
    expiry_date = body.expiry_date or row.expiry_date
    if expiry_date < ctx.today():
        raise Invalid.member("expiry_date", "out_of_range", "must not be in the past")
    check_dates(row.issue_date, expiry_date)
    lines = documents.lines(ctx, [id])[id]
    check_registration(ctx, [line.gst_code for line in lines], row.issue_date)
    columns = {"sent_at": ctx.now(), "expiry_date": expiry_date, **frozen(client_of(ctx, row.client_id))}
    row = records.save(ctx, row, status="sent", declined_at=None, decline_reason=None, **columns)
    return documents.tell(ctx, row, "quote.sent", lines=lines)


def accept_quote(ctx: Context, id: str, body: Acceptance) -> Quote:
    """Accept on the client's behalf, as the client can on the quote's page.

    From sent to accepted; otherwise `invalid_state_transition`. Emits `quote.accepted`.
    """
    by = {"name": body.name, "email": body.email}
    return documents.move(ctx, _lock_quote(ctx, id), "accept", "quote.accepted", accepted_at=ctx.now(), accepted_by=by)


def decline_quote(ctx: Context, id: str, body: Refusal) -> Quote:
    """Decline on the client's behalf.

    From sent to declined; otherwise `invalid_state_transition`. It can be sent again. Emits `quote.declined`.
    """
    ended = {"declined_at": ctx.now(), "decline_reason": body.reason}
    return documents.move(ctx, _lock_quote(ctx, id), "decline", "quote.declined", **ended)


def revise_quote(ctx: Context, id: str) -> Quote:
    """Take a sent quote back to draft as its next revision; its old links say that there is a newer one.

    From sent to draft; otherwise `invalid_state_transition`. Emits `quote.updated`.
    """
    row = _lock_quote(ctx, id)
    editions = {"revision": row.revision + 1, "link_edition": row.link_edition + 1}
    return documents.move(ctx, row, "revise", "quote.updated", sent_at=None, **editions, **frozen(None))


def cancel_quote(ctx: Context, id: str) -> Quote:
    """Withdraw a quote; its links stop working.

    From draft or sent to cancelled; otherwise `invalid_state_transition`. Emits `quote.cancelled`.
    """
    row = _lock_quote(ctx, id)
    columns = frozen(client_of(ctx, row.client_id)) if row.status == "draft" else {}
    ended = {"cancelled_at": ctx.now(), "link_edition": row.link_edition + 1}
    return documents.move(ctx, row, "cancel", "quote.cancelled", **ended, **columns)


def convert_quote(ctx: Context, id: str, body: Conversion) -> Resource:
    """Convert an accepted quote into an invoice or a job; the totals match to the cent.

    From accepted; otherwise `invalid_state_transition`. With an invoice of all that is left it becomes invoiced; with a
    job it becomes converted, then invoiced once all of the job is invoiced. To invoice a part, send `percent`, `amount`
    or `line_ids`, and `claim` to say what the invoice is; `retention_percent` says what the client retains of it, and
    `claim: retention` invoices that later. The quote stays accepted until nothing is left. Refused with
    `over_invoiced` for more than is left. Returns the new document. The key needs that document's write scope too.
    Refused with `gst_not_registered` if the business is no longer registered for GST, with `already_invoiced` if
    invoices of its jobs left nothing, and with `list_full` if it has 500 invoices. Emits `quote.converted`, or
    `quote.updated` for a part, and `invoice.created` or `job.created`.
    """
    if not ctx.has(f"{body.to}s"):
        raise Invalid.member("to", "invalid_value", f"{body.to}s are not available here")
    ctx.require(f"{body.to}s:write")
    ctx.take_turns()  # before locking the quote, in the same order as changes of its invoices
    row = _lock_quote(ctx, id)
    documents.check(ctx, row, "convert")
    content = {**documents.content(ctx, row, "booking_id"), "quote_id": id}
    with ctx.copying(id):
        return (_to_invoice if body.to == "invoice" else _to_job)(ctx, row, content, body)


def prepare_conversion(ctx: Context, id: str, body: Conversion) -> None:
    """Do what converting a quote into one invoice of all of it, or into a job, needs no lock for."""
    row = records.find(ctx, id)
    content = {**documents.content(ctx, row, "booking_id"), "quote_id": id}
    _lines_of(ctx, row)
    if body.to == "invoice" and ctx.has("invoices"):
        from billycan_invoices import api as invoices  # noqa: PLC0415 - the plugin may be off

        invoices.prepare_whole(ctx, {**content, "job_id": row.job_id})
    elif body.to == "job" and ctx.has("jobs"):
        from billycan_jobs import api as jobs  # noqa: PLC0415 - the plugin may be off

        jobs.prepare(ctx, _of_job(row, content))


def _of_job(row: Row, content: dict[str, Any]) -> dict[str, Any]:
    return {**content, "title": row.title or row.number, "description": row.summary}


def _to_invoice(ctx: Context, row: Row, content: dict[str, Any], conversion: Conversion) -> Resource:
    from billycan_invoices import api as invoices  # noqa: PLC0415 - the plugin may be off

    lines = _lines_of(ctx, row)
    work = invoices.Work(row, lines, {**content, "job_id": row.job_id})
    made = invoices.claim(ctx, "quote_id", work, conversion)
    if billed_amounts(ctx, [row])[row.id].is_all:
        columns: dict[str, Any] = {"status": "invoiced", "converted_to": "invoice", "invoice_id": made.id}
        documents.tell(ctx, records.save(ctx, row, **columns), "quote.converted", lines=lines)
    else:
        documents.tell(ctx, records.save(ctx, row, touch=True), "quote.updated", lines=lines)
    return made


def _to_job(ctx: Context, row: Row, content: dict[str, Any], conversion: Conversion) -> Resource:
    from billycan_jobs import api as jobs  # noqa: PLC0415 - the plugin may be off

    made, stored = jobs.make(ctx, _of_job(row, content)), _lines_of(ctx, row)
    if ctx.has("invoices"):
        from billycan_invoices import api as invoices  # noqa: PLC0415 - the plugin may be off

        lines = zip(stored, made.line_items, strict=True)
        invoices.hand_over(ctx, row.id, made.id, {old.id: new.id for old, new in lines})
    columns: dict[str, Any] = {"status": "converted", "converted_to": "job", "job_id": made.id}
    documents.tell(ctx, records.save(ctx, row, **columns), "quote.converted", lines=stored)
    return made


def _lines_of(ctx: Context, row: Row) -> list[Line]:
    return ctx.ahead("quotes.lines", row, lambda: documents.lines(ctx, [row.id])[row.id])


def past_expiry(app: App, now: Moment) -> sa.Select[Any]:
    """Select the sent quotes that have expired, the earliest expiry date first."""
    c = quotes.c
    groups = Morning.by_zone(app, now, datetime.date)
    is_past = sa.or_(*(is_there & (c.expiry_date < today) for today, is_there in groups))
    latest = max(today for today, _ in groups)
    of = sa.select(c.tenant_id, c.id).join(tenants, tenants.c.id == c.tenant_id)
    return of.where(c.status == "sent", c.expiry_date < latest, is_past).order_by(c.expiry_date)


def expire_quote(ctx: Context, id: str) -> None:
    """Record that a sent quote has expired: timed work, so that `quote.expired` is emitted even without a reader."""
    _lock_quote(ctx, id)


EXPIRING = Morning("quote.expiring", -3, 0)


def expiring_soon(app: App, now: Moment) -> sa.Select[Any]:
    """Select the sent quotes that expire within three days and have no `quote.expiring` yet."""
    return EXPIRING.due(app, quotes.c.expiry_date, now).where(quotes.c.status == "sent")


def emit_expiring(ctx: Context, id: str) -> None:
    """Emit `quote.expiring`, unless the client decided in the meantime."""
    row = _lock_quote(ctx, id)
    if row.status == "sent" and EXPIRING.once(ctx, id, row.expiry_date):
        documents.tell(ctx, row, EXPIRING.what)


def _lock_quote(ctx: Context, id: str) -> Row:
    """Lock and return the quote, and record its expiry if it has expired."""
    row = records.lock(ctx, id)
    if status_of(ctx, row) != row.status:
        row = records.save(ctx, row, status="expired")
        documents.tell(ctx, row, "quote.expired")
    return row
