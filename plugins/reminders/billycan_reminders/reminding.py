"""Reminders of unpaid invoices: timed work at 09:00 in the business's time zone, each rule once for each due date."""

from datetime import date, timedelta
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from billycan import App, Context, own
from billycan.fields import Moment
from billycan.sql import tenants
from billycan.timed import Morning
from billycan_hosted.api import day, money
from billycan_invoices import api as invoices

from .handlers import find_silenced, load_reminders, records
from .schemas import Rule
from .tables import rules, sent, settings
from .texts import fill_placeholders

# How far a worker that was down catches up. A reminder before the due date is never sent after it.
LATE_DAYS = 7


class Fate(Struct, frozen=True):
    """The result of a reminder: sent, or skipped for a reason."""

    status: str
    reason: str | None = None
    email_id: str | None = None

    @classmethod
    def of_email(cls, id: str, status: str) -> "Fate":
        """Return the fate of a reminder whose email was queued, or is kept and not sent."""
        return cls("skipped", "email_held", id) if status == "held" else cls("sent", None, id)


def to_remind(app: App, now: Moment) -> sa.Select[Any]:
    """Select the unpaid invoices of all businesses that are due a reminder, the earliest due date first."""
    i, r, base = _unreminded()
    groups = Morning.by_zone(app, now, lambda local: (Morning.latest(local), local.date()))
    is_time = sa.or_(
        *(
            is_there
            & i.due_date.between(_Days(sa.literal(morning), -LATE_DAYS - r.days), _Days(sa.literal(morning), -r.days))
            & ((r.days >= 0) | (i.due_date >= today))
            for (morning, today), is_there in groups
        )
    )
    return base.where(is_time)


@cache
def _unreminded() -> tuple[Any, Any, sa.Select[Any]]:
    """Return the columns of unpaid invoices and of rules, and the invoices to which a rule will apply at some time."""
    i, r, s = invoices.unpaid().c, rules.c, settings.c
    done = sa.exists().where(
        sent.c.tenant_id == i.tenant_id,
        sent.c.invoice_id == i.id,
        sent.c.due_date == i.due_date,
        sent.c.days >= r.days,
    )
    found = (
        sa.select(i.tenant_id, i.id)
        .join(tenants, tenants.c.id == i.tenant_id)
        .join(settings, s.tenant_id == i.tenant_id)
        .join(rules, r.tenant_id == i.tenant_id)
        .where(s.enabled, r.active, i.due_date >= _Days(s.since, -r.days), ~done)
        .group_by(i.tenant_id, i.id, i.due_date)
        .order_by(i.due_date)
    )
    return i, r, found


def remind(ctx: Context, id: str) -> None:
    """Send the latest due reminder of an invoice, and record the result.

    Do nothing if the invoice was paid, postponed or reminded of in the meantime.
    """
    ctx.take_turns()  # before locking the row, in the same order as changes of an invoice
    unpaid = invoices.lock_unpaid(ctx, id)
    rule = _due_rule(ctx, unpaid) if unpaid else None
    if unpaid and rule:
        fate = _decide_fate(ctx, unpaid, rule)
        columns = {"invoice_id": id, "due_date": unpaid.due_date, "days": rule.days, "metadata": {}}
        status = {"status": fate.status, "reason": fate.reason, "email_id": fate.email_id}
        records.insert(ctx, **columns, **status)


def _due_rule(ctx: Context, unpaid: invoices.Unpaid) -> Rule | None:
    """Return the latest rule that is due; None if there is none, or its reminder was already sent or skipped."""
    row = ctx.db.execute(sa.select(settings).where(own(ctx, settings))).first()
    if row is None or not row.enabled:
        return None
    local = ctx.now().astimezone(ZoneInfo(ctx.tenant.timezone))
    morning, last = Morning.latest(local), None
    for rule in load_reminders(ctx).rules:
        goes_on = unpaid.due_date + timedelta(rule.days)
        is_time = max(row.since, morning - timedelta(LATE_DAYS)) <= goes_on <= morning
        if rule.active and is_time and (rule.days >= 0 or unpaid.due_date >= local.date()):
            last = rule
    if last is None:
        return None
    of_date = own(ctx, sent) & (sent.c.invoice_id == unpaid.id) & (sent.c.due_date == unpaid.due_date)
    done = ctx.db.execute(sa.select(sent.c.id).where(of_date, sent.c.days >= last.days).limit(1)).first()
    return None if done else last


def _decide_fate(ctx: Context, unpaid: invoices.Unpaid, rule: Rule) -> Fate:
    """Queue the email of a reminder, or find the reason to skip it."""
    if unpaid.amount_due <= 0:
        return Fate("skipped", "nothing_due")
    if find_silenced(ctx, [unpaid.id, unpaid.client_id]):
        return Fate("skipped", "reminders_off")
    if unpaid.sent_on >= unpaid.due_date + timedelta(rule.days):
        return Fate("skipped", "just_sent")
    if not ctx.has("mail"):
        return Fate("skipped", "no_mail")
    return _email_reminder(ctx, unpaid, rule)


def _email_reminder(ctx: Context, unpaid: invoices.Unpaid, rule: Rule) -> Fate:
    from billycan_mail import api as mail  # noqa: PLC0415 - the plugin may be off

    subject, message = write_letter(ctx, unpaid, rule)
    try:
        said = mail.NewEmail(subject=subject, message=message)
        email = mail.email_document(ctx, "/v1/invoices/{id}", unpaid.id, said, reminder=True)
    except mail.NobodyToWriteTo as problem:
        return Fate("skipped", problem.reason)
    return Fate.of_email(email.id, email.status)


def write_letter(ctx: Context, unpaid: invoices.Unpaid, rule: Rule, *, link: str | None = None) -> tuple[str, str]:
    """Return the subject and the message of a rule's reminder of an invoice; `link` takes the place of its page's."""
    values = {
        "number": unpaid.number,
        "amount_due": money(unpaid.amount_due),
        "due_date": day(unpaid.due_date),
        "client": unpaid.client_name,
        "business": ctx.tenant.name,
        "link": unpaid.url if link is None else link,
    }
    return fill_placeholders(rule.subject, values), fill_placeholders(rule.message, values)


class _Days(FunctionElement[date]):
    """SQL for a date plus a number of days: `_Days(date, days)`."""

    type = sa.Date()
    inherit_cache = True


@compiles(_Days, "sqlite")
def _on_sqlite(element: Any, compiler: Any, **kw: Any) -> str:
    start, days = (compiler.process(clause, **kw) for clause in element.clauses)
    return f"date({start}, ({days}) || ' days')"


@compiles(_Days, "postgresql")
def _on_postgresql(element: Any, compiler: Any, **kw: Any) -> str:
    start, days = (compiler.process(clause, **kw) for clause in element.clauses)
    return f"(CAST({start} AS DATE) + ({days}))"
