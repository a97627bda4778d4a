"""Structs that clients send and receive."""

from datetime import date
from typing import Annotated, Literal

from msgspec import Meta, Struct

from billycan import Member, Named, Query, Resource, RuleBroken
from billycan.fields import Day, Email, Moment, Text, Whole

from .texts import FIRST_TEXTS, check_placeholders

MOST_RULES = 10

Days = Annotated[int, Whole("Days after the due date; negative for before it.", least=-30, most=90)]
Subject = Annotated[str, Text("A subject, with placeholders.", least=1, most=200, check=check_placeholders)]
Message = Annotated[str, Text("A message, with placeholders.", least=1, most=4000, check=check_placeholders)]
PlainSubject = Annotated[str, Text("A subject.", least=1, most=200)]
PlainMessage = Annotated[str, Text("A message.", least=1, most=10_000)]
Status = Literal["sent", "skipped"]
Reason = Literal[
    "no_mail", "no_address", "address_suppressed", "email_held", "reminders_off", "just_sent", "nothing_due"
]


class Rule(Struct, forbid_unknown_fields=True, kw_only=True):
    """A reminder: its day and its texts. The texts may use the placeholders `{number}`, `{amount_due}`, `{due_date}`,
    `{client}`, `{business}` and `{link}`.

    days: How many days after the due date it is sent, at 09:00; negative for days before it.
    subject: The subject of the email.
    message: What it says above the details of the invoice.
    active: Whether it is sent at all.
    """

    days: Days
    subject: Subject
    message: Message
    active: bool = True


def first_rules() -> list[Rule]:
    """Return the rules that a business starts with."""
    return [Rule(days=days, subject=subject, message=text) for days, (subject, text) in FIRST_TEXTS.items()]


class NewReminders(Struct, forbid_unknown_fields=True, kw_only=True):
    """The business's reminders of unpaid invoices: on or off, and their rules.

    enabled: Whether any reminders are sent.
    rules: At most 10, each with different days. A list that you send replaces the whole list.
    """

    enabled: bool = False
    rules: Annotated[list[Rule], Meta(max_length=MOST_RULES)] = []

    def __post_init__(self) -> None:
        days = [rule.days for rule in self.rules]
        for i, each in enumerate(days):
            if each in days[:i]:
                raise RuleBroken("invalid_value", "must not be those of another rule", f"rules[{i}].days")


class Reminders(Struct, kw_only=True):
    """The business's reminders of unpaid invoices: on or off, and their rules.

    enabled: Whether any reminders are sent; false until the business turns them on.
    rules: When each reminder is sent, and what it says, in order of `days`.
    version: Goes up by one with each change; the `ETag`, for If-Match.
    updated_at: When it was last changed.
    """

    enabled: bool
    rules: list[Rule]
    version: int
    updated_at: Moment | None


class NewReminder(Struct, forbid_unknown_fields=True, kw_only=True):
    """A reminder that is sent by hand.

    to: By default the client's address.
    subject: By default that of the rule.
    message: By default that of the rule.
    """

    to: Annotated[list[Email], Meta(max_length=10)] = []
    subject: PlainSubject | None = None
    message: PlainMessage | None = None


class ReminderPreview(Struct, kw_only=True):
    """A reminder as it would be sent now.

    to: The client's address; empty if it is not known, or not for this key to read.
    subject: Its subject.
    message: What it says above the details of the invoice.
    """

    to: list[str]
    subject: str
    message: str


class SentReminder(Resource):
    """A reminder that was sent or skipped.

    status: `sent` once its email is queued, or `skipped`. The email has a `status` of its own.
    reason: Why it was skipped: the plugin mail is off (`no_mail`), the client has no email address (`no_address`), the
      address is suppressed, for example because the client unsubscribed (`address_suppressed`), the email is stored but
      not sent, for example in a sandbox (`email_held`), `reminders` is false on the invoice or its client
      (`reminders_off`), the invoice was sent on that day or later (`just_sent`), or nothing is due (`nothing_due`).
    invoice_id: The invoice of which the client was reminded.
    invoice: The invoice, with its number.
    due_date: The due date that its day was counted from.
    days: The days of its rule; of one that was sent by hand, how many days after the due date that was.
    email_id: Its email, if there is one.
    """

    status: Annotated[Status, Member(role="status", info=("sent",), warn=("skipped",))]
    reason: Reason | None
    invoice_id: str
    invoice: Named
    due_date: date
    days: int
    email_id: str | None


class SentReminderQuery(Query[SentReminder], kw_only=True):
    """Filters of reminders that were sent or skipped."""

    invoice_id: list[str] | None = None
    status: list[Status] | None = None
    reason: list[Reason] | None = None
    due_date_from: Day | None = None
    due_date_to: Day | None = None


class TakesReminders(Struct, kw_only=True):
    """The member that a client may send with an invoice or a contact.

    reminders: Whether reminders are sent while something is due.
    """

    reminders: bool = True


class HasReminders(Struct, kw_only=True):
    """The member that every invoice and contact also shows.

    reminders: Whether reminders are sent while something is due.
    """

    reminders: bool = True
