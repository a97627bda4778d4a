"""What each endpoint does."""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from billycan import Conflict, Context, Deleted, Invalid, Page, Patch, Resource
from billycan.fields import Moment
from billycan.records import Row
from billycan.wire import plain
from billycan_gst.api import (
    as_sent,
    check_registration,
    let_one_discount_clear_the_other,
    line_id_faults,
    work_out,
)

from . import rules
from .documents import (
    allowed_actions,
    check_dates,
    client_of,
    frozen,
    header,
    neighbours,
    quote_lines,
    records,
    show,
    show_all,
    status_of,
)
from .schemas import (
    Acceptance,
    Conversion,
    ListedQuote,
    NewQuote,
    Quote,
    QuoteQuery,
    Refusal,
    Resend,
)
from .tables import quotes


def list_quotes(ctx: Context, query: QuoteQuery) -> Page[ListedQuote]:
    """All quotes, whatever their status; `include=line_items` adds their lines.

    A sent quote past its expiry date is `expired`, in filters too.
    """
    page = records.rows(ctx, query)
    return page.of(show_all(ctx, page.items, with_lines="line_items" in (query.include or ())))


def create_quote(ctx: Context, body: NewQuote) -> Quote:
    """Make a draft; its number is given now and never again.

    Refused with `gst_not_registered` where a business that is not registered charges GST. Emits `quote.created`.
    """
    client = client_of(ctx, body.client_id)
    neighbours.check(ctx, body)
    worked = work_out(ctx, body)
    row = records.insert(ctx, status="draft", revision=1, link_edition=1, **header(ctx, body, worked))
    quote_lines.add(ctx, row.id, worked.lines)
    return _emit(ctx, "quote.created", show(ctx, row, lines=worked.lines, client=client))


def get_quote(ctx: Context, id: str) -> Quote:
    """One quote with its lines.

    `hosted_url`, once it is sent, is there for keys with `quotes:write` only.
    """
    return show(ctx, records.find(ctx, id))


def update_quote(ctx: Context, id: str, body: Patch[NewQuote]) -> Quote:
    """Change a draft; of a quote that was sent only what its client does not hold.

    Once sent, only `reference`, `metadata`, `external_id`, `job_id` and `booking_id` change, else
    `document_locked`: revise it first. Refused with `gst_not_registered` where a business that is not registered
    charges GST. Emits `quote.updated` where anything changed.
    """
    row = records.lock(ctx, id)
    stored = quote_lines.of(ctx, [id])[id]
    let_one_discount_clear_the_other(body)
    if faults := line_id_faults(body, stored):
        raise _locked(ctx, row, ["line_items"]) if row.status != "draft" else Invalid.of(*faults)
    sent = [as_sent(line) for line in stored]
    before = {**row._mapping, **neighbours.shown(ctx, row._mapping), "currency": "AUD", "line_items": sent}
    after = body.over(before)
    if row.status != "draft":
        changed = _save_open_members(ctx, row, after, before)
        quote = show(ctx, changed, lines=stored)
    else:
        client = client_of(ctx, after.client_id)
        neighbours.check(ctx, after, before)
        worked = work_out(ctx, after, stored=[line.id for line in stored])
        new_lines = worked.lines != stored
        changed = records.save(ctx, row, touch=new_lines, **header(ctx, after, worked))
        if new_lines:
            quote_lines.replace(ctx, id, worked.lines)
        quote = show(ctx, changed, lines=worked.lines, client=client)
    return quote if changed.version == row.version else _emit(ctx, "quote.updated", quote)


def delete_quote(ctx: Context, id: str) -> Deleted:
    """Delete a draft.

    Refused with `document_locked` in any other status, and with `has_dependents` while anything points at it. Its
    number stays used. Emits `quote.deleted`.
    """
    row = records.lock(ctx, id)
    if row.status != "draft":
        raise Conflict(
            f"A quote that is {status_of(ctx, row)} is kept: cancel it instead.",
            code="document_locked",
            status=status_of(ctx, row),
        )
    quote_lines.remove(ctx, id)
    deleted = records.delete(ctx, row)
    ctx.emit("quote.deleted", deleted)
    return deleted


def send_quote(ctx: Context, id: str, body: Resend) -> Quote:
    """Lock the quote, freeze who it is for, and give it a page where the client can accept it.

    From draft, or with a new expiry date from expired and declined, to sent, else `invalid_state_transition`.
    Bringing the page to the client is yours. Refused with `gst_not_registered` where a business that is not
    registered charges GST. Emits `quote.sent`.
    """
    row = _lock(ctx, id, "send")
    if row.status != "draft" and body.expiry_date is None:
        raise Invalid.member("expiry_date", "required", "is required to send this quote again")
    expiry_date = body.expiry_date or row.expiry_date
    if expiry_date < ctx.today():
        raise Invalid.member("expiry_date", "out_of_range", "must not be in the past")
    check_dates(row.issue_date, expiry_date)
    lines = quote_lines.of(ctx, [id])[id]
    check_registration(ctx, [line.gst_code for line in lines])
    client = client_of(ctx, row.client_id)
    row = records.save(
        ctx,
        row,
        status="sent",
        sent_at=ctx.now(),
        expiry_date=expiry_date,
        declined_at=None,
        decline_reason=None,
        **frozen(client),
    )
    return _emit(ctx, "quote.sent", show(ctx, row, lines=lines))


def accept_quote(ctx: Context, id: str, body: Acceptance) -> Quote:
    """Accept on the client's behalf, as the client can on the quote's page.

    From sent to accepted, once; else `invalid_state_transition`. It is locked from then on. Emits `quote.accepted`.
    """
    by = {"name": body.name, "email": body.email}
    return _move(ctx, id, "accept", "quote.accepted", accepted_at=ctx.now(), accepted_by=by)


def decline_quote(ctx: Context, id: str, body: Refusal) -> Quote:
    """Decline on the client's behalf.

    From sent to declined, else `invalid_state_transition`. It can be sent again. Emits `quote.declined`.
    """
    return _move(ctx, id, "decline", "quote.declined", declined_at=ctx.now(), decline_reason=body.reason)


def revise_quote(ctx: Context, id: str) -> Quote:
    """Take a sent quote back to draft as its next revision; links given out say that it was superseded.

    From sent to draft, else `invalid_state_transition`. Emits `quote.updated`.
    """
    row = _lock(ctx, id, "revise")
    row = records.save(
        ctx,
        row,
        status="draft",
        revision=row.revision + 1,
        link_edition=row.link_edition + 1,
        sent_at=None,
        client_name=None,
        client_abn=None,
        client_address=None,
    )
    return _emit(ctx, "quote.updated", show(ctx, row))


def cancel_quote(ctx: Context, id: str) -> Quote:
    """Withdraw a quote; its links stop working.

    From draft or sent to cancelled, else `invalid_state_transition`. Emits `quote.cancelled`.
    """
    row = _lock(ctx, id, "cancel")
    columns = frozen(client_of(ctx, row.client_id)) if row.status == "draft" else {}
    ended = {"status": "cancelled", "cancelled_at": ctx.now(), "link_edition": row.link_edition + 1}
    row = records.save(ctx, row, **ended, **columns)
    return _emit(ctx, "quote.cancelled", show(ctx, row))


def convert_quote(ctx: Context, id: str, body: Conversion) -> Resource:
    """Make an accepted quote into an invoice or a job, with every line, rule and cent of it.

    From accepted, once, else `invalid_state_transition`: to invoiced with an invoice, to converted with a job,
    whose invoice makes it invoiced. Answers what was made. Refused with `gst_not_registered` where the business no
    longer charges GST. Emits `quote.converted`, and `invoice.created` or `job.created`.
    """
    if f"{body.to}s" not in ctx.app.manifests:
        raise Invalid.member("to", "invalid_value", f"{body.to}s are not available here")
    row = _lock(ctx, id, "convert")
    lines = [{**as_sent(line), "id": None} for line in quote_lines.of(ctx, [id])[id]]
    document = {name: row._mapping[name] for name in _CARRIED} | {"line_items": lines, "quote_id": id}
    made: Resource
    if body.to == "invoice":
        from billycan_invoices import api as invoices  # noqa: PLC0415 - there only where that plugin is

        made = invoices.make(ctx, {**document, "job_id": row.job_id})
        columns: dict[str, Any] = {"status": "invoiced", "converted_to": "invoice", "invoice_id": made.id}
    else:
        from billycan_jobs import api as jobs  # noqa: PLC0415 - there only where that plugin is

        made = jobs.make(ctx, {**document, "title": row.title or row.number, "description": row.summary})
        columns = {"status": "converted", "converted_to": "job", "job_id": made.id}
    _emit(ctx, "quote.converted", show(ctx, records.save(ctx, row, **columns)))
    return made


_CARRIED = (
    *("client_id", "amounts_are", "gst_rounding", "discount_percent", "discount_amount"),
    *("reference", "notes", "terms", "booking_id"),
)


def expire_quotes(ctx: Context) -> None:
    """Note that sent quotes have expired: timed work, so that `quote.expired` happens though nobody looks."""
    past = sa.select(quotes.c.id).where(
        quotes.c.tenant_id == ctx.tenant_id, quotes.c.status == "sent", quotes.c.expiry_date < ctx.today()
    )
    for id in ctx.db.execute(past.limit(500)).scalars().all():
        _note_expiry(ctx, records.lock(ctx, id))


def with_expired_quotes(db: sa.Connection, now: Moment) -> Iterable[str]:
    """The tenants that may have a quote to expire: somewhere on earth it is already half a day later."""
    latest = (now + timedelta(hours=14)).date()
    sent = (quotes.c.status == "sent") & (quotes.c.expiry_date < latest)
    return db.execute(sa.select(quotes.c.tenant_id).where(sent).distinct()).scalars()


def _lock(ctx: Context, id: str, action: str) -> Row:
    """The quote, locked, its expiry noted; Conflict where the action does not start from its status."""
    row = records.lock(ctx, id)
    status = status_of(ctx, row)
    rules.actions.check(action, status, allowed_actions(ctx, status))
    return _note_expiry(ctx, row)


def _note_expiry(ctx: Context, row: Row) -> Row:
    if status_of(ctx, row) == row.status:
        return row
    row = records.save(ctx, row, status="expired")
    _emit(ctx, "quote.expired", show(ctx, row))
    return row


def _move(ctx: Context, id: str, action: str, event: str, **columns: Any) -> Quote:
    row = _lock(ctx, id, action)
    row = records.save(ctx, row, status=rules.actions.check(action, row.status), **columns)
    return _emit(ctx, event, show(ctx, row))


def _emit(ctx: Context, event: str, quote: Quote) -> Quote:
    """Emit what happened to a quote, and give the quote back."""
    ctx.emit(event, quote)
    return quote


def _save_open_members(ctx: Context, row: Row, after: NewQuote, before: dict[str, Any]) -> Row:
    changed = {name for name in after.__struct_fields__ if plain(getattr(after, name)) != before[name]}
    if locked := sorted(changed - rules.OPEN_ONCE_SENT):
        raise _locked(ctx, row, locked)
    neighbours.check(ctx, after, before)
    return records.save(ctx, row, **{name: getattr(after, name) for name in changed})


def _locked(ctx: Context, row: Row, members: Sequence[str]) -> Conflict:
    status = status_of(ctx, row)
    return Conflict(
        f"{', '.join(members)}: a quote that is {status} is locked; revise it to change it.",
        code="document_locked",
        param=members[0],
        status=status,
    )
