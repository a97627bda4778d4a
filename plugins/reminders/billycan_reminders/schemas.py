"""What clients send and receive."""

from datetime import date
from typing import Annotated, Literal

from msgspec import Meta, Struct

from billycan import Named, PageQuery, Resource, RuleBroken
from billycan.fields import Day, Moment, Text, Whole

from .texts import FIRST_TEXTS, check

MOST_RULES = 10

Days = Annotated[int, Whole("Days after the due date; negative for before it.", least=-30, most=90)]
Subject = Annotated[str, Text("A subject, with placeholders.", least=1, most=200, check=check)]
Message = Annotated[str, Text("A message, with placeholders.", least=1, most=4000, check=check)]
Status = Literal["sent", "skipped"]
Reason = Literal[
    "no_mail", "no_address", "address_suppressed", "email_held", "reminders_off", "just_sent", "nothing_due"
]


class Rule(Struct, forbid_unknown_fields=True, kw_only=True):
    """When a reminder goes, and what it says. Its texts may use the placeholders `{number}`, `{amount_due}`,
    `{due_date}`, `{client}`, `{business}` and `{link}`.

    days: How many days after the due date it goes, at 09:00; negative for before it.
    subject: The subject of the email.
    message: What it says above the details of the invoice.
    active: Whether it goes at all.
    """

    days: Days
    subject: Subject
    message: Message
    active: bool = True


def first_rules() -> list[Rule]:
    """The rules that a business begins with."""
    return [Rule(days=days, subject=subject, message=text) for days, (subject, text) in FIRST_TEXTS.items()]


class NewReminders(Struct, forbid_unknown_fields=True, kw_only=True):
    """Whether clients are reminded of unpaid invoices, and when.

    enabled: Whether any reminders go.
    rules: At most 10, no two for the same number of days; a list replaces all of them.
    """

    enabled: bool = False
    rules: Annotated[list[Rule], Meta(max_length=MOST_RULES)] = []

    def __post_init__(self) -> None:
        days = [rule.days for rule in self.rules]
        for i, each in enumerate(days):
            if each in days[:i]:
                raise RuleBroken("invalid_value", "must not be those of another rule", f"rules[{i}].days")


class Reminders(Struct, kw_only=True):
    """Whether clients are reminded of unpaid invoices, and when.

    enabled: Whether any reminders go; off until the business turns it on.
    rules: When each reminder goes, and what it says, the first first.
    version: Goes up by one with each change; the `ETag`, for If-Match.
    updated_at: When it was last changed.
    """

    enabled: bool
    rules: list[Rule]
    version: int
    updated_at: Moment | None


class SentReminder(Resource):
    """What became of a reminder.

    status: `sent` once the email was handed to be sent: its `status` says what became of it; or `skipped`.
    reason: Why it was skipped: the plugin mail is off (`no_mail`), the client has no email address (`no_address`), the
      business does not write to the address, as after unsubscribing (`address_suppressed`), the email is kept but not
      sent, as without a mail server or in a sandbox (`email_held`), the invoice or its client wants none
      (`reminders_off`), the invoice was sent on that day or later (`just_sent`), or nothing is due (`nothing_due`).
    invoice_id: The invoice of which the client was reminded.
    invoice: The invoice, with its number.
    due_date: The due date that it went by.
    days: The days of its rule.
    email_id: The email, where one was written.
    """

    status: Status
    reason: Reason | None
    invoice_id: str
    invoice: Named
    due_date: date
    days: int
    email_id: str | None


class SentReminderQuery(PageQuery, kw_only=True):
    """Filters of what became of reminders."""

    invoice_id: list[str] | None = None
    status: list[Status] | None = None
    reason: list[Reason] | None = None
    due_date_from: Day | None = None
    due_date_to: Day | None = None


class TakesReminders(Struct, kw_only=True):
    """What a client may send with an invoice or a contact.

    reminders: Whether reminders go by email while something is due.
    """

    reminders: bool = True


class HasReminders(Struct, kw_only=True):
    """What every invoice and contact shows, too.

    reminders: Whether reminders go by email while something is due.
    """

    reminders: bool = True
