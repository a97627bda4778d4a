"""Reminders that somebody sends by hand, in the words of the business's rules."""

from collections.abc import Sequence
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from billycan import Conflict, Context, Resource, Row, decode, own
from billycan_invoices import api as invoices

from .handlers import find_silenced, load_reminders, records
from .reminding import Fate, write_letter
from .schemas import NewReminder, ReminderPreview, Rule, first_rules
from .tables import sent

_PATH = "/v1/invoices/{id}"


def send_reminder(ctx: Context, id: str, body: NewReminder) -> Resource:
    """Email the client a reminder of an unpaid invoice now.

    Without `subject` and `message` it says what the rule says that applies today; the rules need not be turned on. At
    most one is sent on a day: otherwise `already_reminded`. Refused with `nothing_due`, with `reminders_off` if
    `reminders` is false on the invoice or its client, and as the email of an invoice is. The response is the email;
    `GET /v1/sent_reminders` lists the reminder. The key also needs the scope mail:write.
    """
    from billycan_mail import api as mail  # noqa: PLC0415 - the plugin may be off

    ctx.require("mail:write")
    ctx.take_turns()  # before locking the invoice, as timed reminders do
    unpaid = _require_due(invoices.lock_unpaid(ctx, id))
    if find_silenced(ctx, [id, unpaid.client_id]):
        message = "Reminders are off for this invoice or its client: set `reminders` to true first."
        raise Conflict(message, code="reminders_off", param="reminders")
    today = ctx.today()
    late = (today - unpaid.due_date).days
    of_date = own(ctx, sent) & (sent.c.invoice_id == id) & (sent.c.due_date == unpaid.due_date)
    had = ctx.db.execute(sa.select(sent).where(of_date)).all()
    if any(row.status == "sent" and (row.days == late or _day_of(ctx, row) == today) for row in had):
        raise Conflict("The client was reminded of this invoice today already.", code="already_reminded")
    subject, message = write_letter(ctx, unpaid, _rule_for(late, load_reminders(ctx).rules))
    texts = {"subject": body.subject or subject, "message": body.message or message}
    email = mail.email_document(ctx, _PATH, id, decode({"to": body.to, **texts}, mail.NewEmail), reminder=True)
    fate = Fate.of_email(email.id, email.status)
    outcome: dict[str, Any] = {"status": fate.status, "reason": fate.reason, "email_id": email.id}
    skipped = next((row for row in had if row.days == late), None)
    if skipped is not None:
        records.save(ctx, skipped, **outcome)
    else:
        records.insert(ctx, invoice_id=id, due_date=unpaid.due_date, days=late, metadata={}, **outcome)
    return email


def preview_reminder(ctx: Context, id: str) -> ReminderPreview:
    """The reminder that `send_reminder` would send now.

    Nothing is sent. Refused with `nothing_due`. The link to the invoice's page is shown only to keys with
    `invoices:write`, and `to` is empty for a key that may not read contacts.
    """
    unpaid = _require_due(invoices.find_unpaid(ctx, id))
    may_see = ctx.holds("invoices:write") and ctx.acts_alone
    rule = _rule_for((ctx.today() - unpaid.due_date).days, load_reminders(ctx).rules)
    subject, message = write_letter(ctx, unpaid, rule, link=unpaid.url if may_see else "…")
    address = ctx.app.documents[_PATH].show(ctx, id).email if ctx.may_read("contacts") else None
    return ReminderPreview(to=[address] if address else [], subject=subject, message=message)


def _require_due(unpaid: invoices.Unpaid | None) -> invoices.Unpaid:
    if unpaid is None or unpaid.amount_due <= 0:
        message = "Nothing is due on this invoice. Only an invoice that was sent and is not settled has reminders."
        raise Conflict(message, code="nothing_due")
    return unpaid


def _rule_for(late: int, rules: Sequence[Rule]) -> Rule:
    """Return the last rule whose day has come, of those for overdue invoices or of those before; else the next one."""
    found = [rule for rule in rules if rule.active and (rule.days > 0) == (late > 0)]
    found = found or [rule for rule in first_rules() if (rule.days > 0) == (late > 0)]
    return next((rule for rule in reversed(found) if rule.days <= late), found[0])


def _day_of(ctx: Context, row: Row) -> date:
    day: date = row.created_at.astimezone(ZoneInfo(ctx.tenant.timezone)).date()
    return day
