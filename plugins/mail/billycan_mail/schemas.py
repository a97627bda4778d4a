"""Structs that clients send and receive: emails, suppressed addresses and previews."""

import re
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, defstruct

from billycan import Invalid, Member, NewResource, Query, Resource, RuleBroken, decode
from billycan.fields import DayOrInstant, Moment, Text

Status = Literal["queued", "sending", "sent", "failed", "held"]
RecipientStatus = Literal["waiting", "sent", "failed", "held", "suppressed"]
HeldBecause = Literal["no_server", "sandbox"]
Covers = Literal["everything", "reminders"]
Reason = Literal["added", "refused", "bounced", "unsubscribed"]
MOST_ADDRESSES = 10
# RFC 5321 without quoted names, literal addresses and encoded words: no character has a meaning in a header or for
# a server.
_NAME = re.compile(r"(?=.{1,64}$)(?!.*=\?)[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*", re.ASCII)
_DOMAIN = re.compile(r"([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", re.ASCII | re.I)


def _read_mailbox(text: str) -> str:
    name, _, domain = text.rpartition("@")
    if not (_NAME.fullmatch(name) and _DOMAIN.fullmatch(domain)):
        raise RuleBroken("invalid_value", "must be an email address such as ada@example.com, in plain letters")
    return text


MailAddress = Annotated[
    str, Text("An email address.", least=3, most=254, kind="email", format="email", check=_read_mailbox)
]


def _read_line(text: str) -> str:
    if not text.isprintable():
        raise RuleBroken("invalid_value", "must be a single line")
    return text


Subject = Annotated[str, Text("A subject: a single line of 1 to 200 characters.", least=1, most=200, check=_read_line)]
Message = Annotated[str, Text("The text of a message: 1 to 10,000 characters.", least=1, most=10_000)]


class NewEmail(Struct, forbid_unknown_fields=True, kw_only=True):
    """The recipients and the text of an email with a document.

    to: The addresses to send it to; defaults to the client's.
    cc: The addresses to send a copy to.
    subject: Defaults to the document, its number and the business.
    message: The text above the document's details; defaults to a few sentences about the document.
    attach_pdf: Whether to attach the PDF; defaults to true if the deployment makes PDFs and the document is not too
      long for one.
    """

    to: Annotated[list[MailAddress], Meta(max_length=MOST_ADDRESSES)] = []
    cc: Annotated[list[MailAddress], Meta(max_length=MOST_ADDRESSES)] = []
    subject: Subject | None = None
    message: Message | None = None
    attach_pdf: bool | None = None


def new_email_of(noun: str, path: str, takes: type[Struct]) -> type[Struct]:
    """Return a NewEmail with a member `document`, which has the parameters of the document's GET route.

    They would collide with the other members: a statement has a last day `to`, and an email goes `to` somebody.
    """
    name = noun.title().replace(" ", "")
    strict: dict[str, Any] = {"module": takes.__module__, "kw_only": True, "forbid_unknown_fields": True}
    said = {"__doc__": takes.__doc__}
    parameters = defstruct(f"{name}Parameters", [], bases=(takes,), namespace=said, **strict)
    document = f"document: Which {noun}: the parameters that `GET {path}` takes."
    said = {"__doc__": f"Whom to send a {noun} to, and what to say.\n\n{document}\n"}
    member = ("document", parameters | None, None)
    return defstruct(f"New{name}Email", [member], bases=(NewEmail,), namespace=said, **{**strict, "module": __name__})


def read_address(text: str) -> str:
    """Read an email address. Raise Invalid if mail cannot be sent to it."""
    return decode({"to": [text]}, NewEmail).to[0]


def is_address(text: str) -> bool:
    """Tell whether mail can be sent to a text that is meant as an email address."""
    try:
        read_address(text)
    except Invalid:
        return False
    return True


class Recipient(Struct, kw_only=True):
    """One address that an email is sent to.

    address: The address.
    kind: Whether it is a recipient or gets a copy.
    status: `sent` means that the mail server accepted the email for this address.
    detail: What the server said.
    """

    address: str
    kind: Literal["to", "cc"]
    status: Annotated[RecipientStatus, Member(role="status", info=("sent",), warn=("held",), bad=("failed",))]
    detail: str | None


class Attempt(Struct, kw_only=True):
    """One attempt to send an email.

    number: Which attempt it was, from 1.
    started_at: When it began.
    finished_at: When it ended; null while it is being made, and if the process died.
    error: Null for a success. Otherwise `refused` or `deferred` by the server, `address_refused` for some of the
      addresses, `unreachable`, `interrupted` if the process died, `suppressed` if no address was left, `unusable` if no
      valid message could be built, or `unknown` if the connection was lost before the server answered: the email may
      have arrived.
    detail: What the server or the network said.
    """

    number: int
    started_at: Moment
    finished_at: Moment | None
    error: str | None
    detail: str | None


class Attached(Struct, kw_only=True):
    """A file attached to an email.

    filename: Its name.
    size: Its size in bytes; null until the PDF is made, which is right before the email is sent.
    """

    filename: str
    size: Annotated[int | None, Member(unit="bytes")]


class ListedEmail(Resource):
    """An email to a business's clients, as lists show it.

    status: `sent` means that the mail server accepted it for everybody that it was sent to. A `held` email is not sent:
      `held_because` says why.
    document_id: The document that it is about.
    recipients: Every address, with its status.
    subject: Its subject; null in events, and for a key that may not read the document.
    message: What was written above the document's details; null where `subject` is.
    reminder: Whether it is a reminder.
    attachment: What is attached.
    held_because: `no_server`: the deployment sends no mail. `sandbox`: no recipient is a user of the business.
    sent_at: When the mail server accepted it.
    next_attempt_at: When the next attempt is due.
    attempts_made: How many attempts were made.
    last_error: What went wrong last, as an attempt's `error`.
    may_have_arrived_twice: Whether it was sent again although an earlier attempt may have succeeded. Both have the same
      `Message-ID`, and most mail programs show them as one.
    resend_of: The email that this one sends again.
    """

    status: Annotated[
        Status, Member(role="status", info=("queued", "sending", "sent"), warn=("held",), bad=("failed",))
    ]
    document_id: str | None
    recipients: list[Recipient]
    subject: str | None
    message: Annotated[str | None, Member(told_by="text")]
    reminder: bool
    attachment: Attached | None
    held_because: HeldBecause | None
    sent_at: Moment | None
    next_attempt_at: Moment | None
    attempts_made: int
    last_error: str | None
    may_have_arrived_twice: bool
    resend_of: str | None


class Email(ListedEmail):
    """An email to a business's clients.

    text: The whole email, as plain text; null where `subject` is. For keys that may read the document and not write it,
      links to the client's pages are cut short here and in `message`.
    attempts: Every attempt, in order.
    """

    text: str | None
    attempts: list[Attempt]


class EmailQuery(Query[ListedEmail], kw_only=True):
    """Filters of emails.

    recipient: Emails to any of these addresses.
    """

    status: list[Status] | None = None
    document_id: list[str] | None = None
    recipient: list[MailAddress] | None = None
    reminder: bool | None = None
    sent_at_from: DayOrInstant | None = None
    sent_at_to: DayOrInstant | None = None


class NewSuppressedAddress(NewResource, kw_only=True):
    """An address that the business does not write to.

    address: The address; upper and lower case are the same.
    covers: `everything`, or only `reminders`.
    """

    address: MailAddress
    covers: Covers = "everything"


class SuppressedAddress(Resource):
    """An address that the business does not write to. Delete it to write to it again.

    address: The address.
    covers: `everything`, or only `reminders`.
    reason: `added` by the business, `refused` by its mail server, `bounced` later, or `unsubscribed` from reminders.
    detail: What the mail server said.
    email_id: The email that failed or was unsubscribed from.
    """

    address: str
    covers: Covers
    reason: Reason
    detail: str | None
    email_id: str | None


class SuppressedQuery(Query[SuppressedAddress], kw_only=True):
    """Filters of suppressed addresses."""

    sortable = ("created_at", "updated_at", "address")

    covers: list[Covers] | None = None
    reason: list[Reason] | None = None
    address: list[MailAddress] | None = None


class Preview(Struct, kw_only=True):
    """An email as it would be sent.

    to: Whom it would be sent to; empty if the client's address is not known, or not for this key to read.
    cc: Who would get a copy.
    subject: Its subject.
    message: The text above the document's details.
    text: The whole email, as plain text.
    html: The whole email, as HTML.
    """

    to: list[str]
    cc: list[str]
    subject: str
    message: str
    text: str
    html: str
