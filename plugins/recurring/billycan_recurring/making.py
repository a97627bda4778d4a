"""Making of invoices: timed work that makes each one on its date, in order, and exactly once whatever runs."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from billycan import App, Conflict, Context, Problem, Row, own
from billycan.fields import Moment
from billycan.sql import tenants
from billycan.timed import Leases, Morning
from billycan_invoices import api as invoices

from .handlers import body_of, check_client, end_locked
from .records import emit_recurring, next_date, records
from .tables import made, recurring

MOST_AT_ONCE = 12  # invoices of one recurring invoice before others get their turn
RETRY = timedelta(hours=1)


def to_make(app: App, now: Moment) -> sa.Select[Any]:
    """Select the recurring invoices of all businesses whose next date has come, the earliest date first."""
    c = recurring.c
    of = sa.select(c.tenant_id, c.id).join(tenants, tenants.c.id == c.tenant_id)
    # A later retry must come from a wrong clock.
    may = (
        c.retry_at.is_(None)
        | (c.retry_at <= now)
        | (c.retry_at > Moment.of(now + RETRY + timedelta(seconds=Leases.AHEAD_SECONDS)))
    )
    groups = Morning.by_zone(app, now, datetime.date)
    has_come = sa.or_(*(is_there & (c.next_on <= today) for today, is_there in groups))
    latest = max(today for today, _ in groups)
    return of.where(c.status == "active", c.next_on <= latest, has_come, may).order_by(c.next_on)


def make_due_invoices(ctx: Context, id: str) -> None:
    """Make the due invoices of one recurring invoice in order of date, each in its own transaction.

    The first failure stops the rest. Raise NotFound if the recurring invoice is gone.
    """
    for _ in range(MOST_AT_ONCE):
        here = Context(ctx.app, ctx.tenant_id, now=ctx.now())
        with here.transaction():
            is_more_due = _make_next(here, id)
        if not is_more_due:
            return


def _make_next(ctx: Context, id: str) -> bool:
    """Make the next invoice if its date has come and no other worker made it; return True if another date is due."""
    ctx.take_turns()  # before locking the row, in the same order as changes of an invoice
    row = records.lock(ctx, id)
    if not _is_due(ctx, row):
        return False
    try:
        with _undone_if_it_fails(ctx):
            return _is_due(ctx, _make_one(ctx, row, row.next_on))
    except Problem as problem:
        _record_failure(ctx, row, row.next_on, problem)
        return False


def _is_due(ctx: Context, row: Row) -> bool:
    return row.status == "active" and row.next_on is not None and bool(row.next_on <= ctx.today())


def _make_one(ctx: Context, row: Row, day: date) -> Row:
    """Make the invoice of a date, and send or email it if the recurring invoice says so; return the new row."""
    check_client(ctx, row.client_id)
    with ctx.copying(row.id):
        invoice = invoices.make(ctx, {**body_of(row), "issue_date": day})
    if row.then != "draft":
        invoices.send(ctx, invoice.id)
    email_failure = _email_invoice(ctx, invoice.id) if row.then == "email" else None
    link = {"tenant_id": ctx.tenant_id, "id": invoice.id, "recurring_id": row.id, "day": day}
    ctx.db.execute(sa.insert(made).values(link))
    done = {"done_until": day, "invoices_made": row.invoices_made + 1, "last_invoice_id": invoice.id}
    row = records.save(ctx, row, **done, total=invoice.total, failure=None, email_failure=email_failure)
    if (upcoming := next_date(row)) is None:
        end_locked(ctx, row)
        row = records.lock(ctx, row.id)
    else:
        row = records.save(ctx, row, next_on=upcoming)
    if email_failure:
        emit_recurring(ctx, row, "recurring_invoice.email_failed")
    return row


def _email_invoice(ctx: Context, invoice_id: str) -> dict[str, str] | None:
    """Email an invoice that was sent; return the failure if its client cannot be reached, else None."""
    if not ctx.has("mail"):
        raise Conflict("The plugin mail is off: switch it on, or send the invoices without email.")
    from billycan_mail import api as mail  # noqa: PLC0415 - the plugin may be off

    try:
        mail.email_document(ctx, "/v1/invoices/{id}", invoice_id)
    except mail.NobodyToWriteTo as problem:
        return {"code": problem.reason, "message": _NOT_EMAILED[problem.reason]}
    return None


_NOT_EMAILED = {
    "no_address": "The client has no email address that mail reaches: add one, then email the invoice.",
    "address_suppressed": "The client's address is suppressed: delete it from /v1/suppressed_addresses once it works, "
    "then email the invoice.",
}


def _record_failure(ctx: Context, row: Row, day: date, problem: Problem) -> None:
    """Store why the invoice of a date could not be made, emit that once, and schedule another attempt."""
    fault = problem.details[0] if problem.details else None
    message = f"{fault.param}: {fault.message}" if fault else problem.message
    failure = {"date": day.isoformat(), "code": fault.code if fault else problem.code, "message": message}
    after = records.save(ctx, row, failure=failure)
    this = own(ctx, recurring) & (recurring.c.id == row.id)
    ctx.db.execute(sa.update(recurring).where(this).values(retry_at=Moment.of(ctx.now() + RETRY)))
    if after.version != row.version:
        emit_recurring(ctx, after, "recurring_invoice.failed")


@contextmanager
def _undone_if_it_fails(ctx: Context) -> Iterator[None]:
    """Roll back the block, with the events it emitted, if it raises; earlier work of the transaction stays."""
    events = len(ctx.events)
    try:
        with ctx.db.begin_nested():
            yield
    except BaseException:
        del ctx.events[events:]
        raise
