"""Make each invoice on its date: timed work, exactly once for each date whatever runs, and in order."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from typing import Any

import sqlalchemy as sa

from billycan import App, Conflict, Context, Problem, Row, own, take_turns, unit_of_work
from billycan.fields import Moment
from billycan.leases import AHEAD_SECONDS
from billycan.mornings import has_come
from billycan.sql import tenants
from billycan_invoices import api as invoices

from .handlers import body_of, check_client, end
from .records import next_date, records, tell
from .tables import made, recurring

MOST_AT_ONCE = 12  # invoices of one recurring invoice, before it is the turn of others
RETRY = timedelta(hours=1)


def to_make(app: App, now: Moment) -> sa.Select[Any]:
    """The recurring invoices, in any business, whose next date has come; the earliest date first."""
    c = recurring.c
    of = sa.select(c.tenant_id, c.id).join(tenants, tenants.c.id == c.tenant_id)
    # A retry further ahead than that was put there by a clock that was wrong.
    may = (
        c.retry_at.is_(None)
        | (c.retry_at <= now)
        | (c.retry_at > Moment.of(now + RETRY + timedelta(seconds=AHEAD_SECONDS)))
    )
    return of.where(c.status == "active", has_come(app, c.next_on, now), may).order_by(c.next_on)


def make(ctx: Context, id: str) -> None:
    """Make what is due of one recurring invoice, each invoice in a transaction of its own, in the order of their dates.

    The first that fails stops the others; NotFound where the recurring invoice is gone.
    """
    for _ in range(MOST_AT_ONCE):
        here = Context(ctx.app, ctx.tenant_id)
        with unit_of_work(here):
            is_more_due = _make_next(here, id)
        if not is_more_due:
            return


def _make_next(ctx: Context, id: str) -> bool:
    """Make the next invoice if its date has come, unless another worker has; whether that of another date is due."""
    take_turns(ctx)  # before the row is locked, as whoever changes an invoice does
    row = records.lock(ctx, id)
    if not _is_due(ctx, row):
        return False
    try:
        with _undone_if_it_fails(ctx):
            return _is_due(ctx, _make_one(ctx, row, row.next_on))
    except Problem as problem:
        _note_failure(ctx, row, row.next_on, problem)
        return False


def _is_due(ctx: Context, row: Row) -> bool:
    return row.status == "active" and row.next_on is not None and bool(row.next_on <= ctx.today())


def _make_one(ctx: Context, row: Row, day: date) -> Row:
    """Make the invoice of a date, and do with it what is wanted; the row as it is then."""
    check_client(ctx, row.client_id)
    invoice = invoices.make(ctx, {**body_of(row), "issue_date": day})
    if row.then != "draft":
        invoices.send(ctx, invoice.id)
    email_failure = _email(ctx, invoice.id) if row.then == "email" else None
    link = {"tenant_id": ctx.tenant_id, "id": invoice.id, "recurring_id": row.id, "day": day}
    ctx.db.execute(sa.insert(made).values(link))
    done = {"done_until": day, "invoices_made": row.invoices_made + 1, "last_invoice_id": invoice.id}
    row = records.save(ctx, row, **done, total=invoice.total, failure=None, email_failure=email_failure)
    if (upcoming := next_date(row)) is None:
        end(ctx, row)
        row = records.lock(ctx, row.id)
    else:
        row = records.save(ctx, row, next_on=upcoming)
    if email_failure:
        tell(ctx, row, "recurring_invoice.email_failed")
    return row


def _email(ctx: Context, invoice_id: str) -> dict[str, str] | None:
    """Email an invoice that was sent; why not, where its client cannot be reached."""
    if not ctx.has("mail"):
        raise Conflict("The plugin mail is off: switch it on, or send the invoices without email.")
    from billycan_mail import api as mail  # noqa: PLC0415 - there only where that plugin is

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


def _note_failure(ctx: Context, row: Row, day: date, problem: Problem) -> None:
    """Keep why the invoice of a date could not be made, tell of it once, and have it tried again."""
    fault = problem.details[0] if problem.details else None
    message = f"{fault.param}: {fault.message}" if fault else problem.message
    failure = {"date": day.isoformat(), "code": fault.code if fault else problem.code, "message": message}
    after = records.save(ctx, row, failure=failure)
    this = own(ctx, recurring) & (recurring.c.id == row.id)
    ctx.db.execute(sa.update(recurring).where(this).values(retry_at=Moment.of(ctx.now() + RETRY)))
    if after.version != row.version:
        tell(ctx, after, "recurring_invoice.failed")


@contextmanager
def _undone_if_it_fails(ctx: Context) -> Iterator[None]:
    """Undo in the database, and take back the events of, what raises; what came before it stays."""
    events = len(ctx.events)
    try:
        with ctx.db.begin_nested():
            yield
    except BaseException:
        del ctx.events[events:]
        raise
