"""Mail: emails with documents for clients, and plain emails of the platform, called letters."""

from billycan import Deleted, Every, Manifest, RecordPages, Route

from . import handlers as h
from . import suppressing
from .document_email import routes_of_document
from .retention import (
    count_waiting,
    describe_waiting,
    forget_letters,
    forget_old,
    oldest_due_seconds,
    too_old,
    with_old_letters,
)
from .schemas import Email, SuppressedAddress
from .sending import run_sender
from .settings import Settings
from .stuck import QUEUE
from .tables import attempts, emails, files, letters, recipients, suppressed
from .unsubscribe import PATH, UnsubscribePage

READ, WRITE = "mail:read", "mail:write"

manifest = Manifest(
    name="mail",
    uses=("pdf", "users"),
    settings=Settings,
    tables=(emails, recipients, attempts, files, suppressed, letters),
    events={
        "email.sent": Email,
        "email.failed": Email,
        "suppressed_address.created": SuppressedAddress,
        "suppressed_address.deleted": Deleted,
    },
    routes=(
        Route("GET", "/v1/emails", h.list_emails, scope=READ),
        Route("GET", "/v1/emails/{id}", h.get_email, scope=READ),
        Route("GET", "/v1/emails/{id}/pdf", h.get_email_pdf, scope=READ, answers="application/pdf"),
        Route("POST", "/v1/emails/{id}/resend", h.resend_email, scope=WRITE, status=201),
        Route("GET", "/v1/suppressed_addresses", suppressing.list_suppressed, scope=READ),
        Route("POST", "/v1/suppressed_addresses", suppressing.add_suppressed, scope=WRITE, status=201),
        Route("GET", "/v1/suppressed_addresses/{id}", suppressing.get_suppressed, scope=READ),
        Route("DELETE", "/v1/suppressed_addresses/{id}", suppressing.delete_suppressed, scope=WRITE),
    ),
    pages=((f"{PATH}{{token}}", UnsubscribePage),),
    records=(
        RecordPages(
            path="/v1/emails",
            empty="An invoice, a quote or a statement that you email from its page is listed here.",
            columns=("subject", "recipients", "created_at", "sent_at", "status"),
            attention=(
                RecordPages.Attention(
                    title="Emails that failed",
                    filters={"status": "failed", "created_at_from": "{14}"},
                    sort="-created_at",
                    action="resend",
                ),
            ),
            actions={
                "resend": RecordPages.Action(
                    label="Send again",
                    says="The same email, with what is attached, goes to the same addresses once more.",
                    asks=True,
                ),
            },
            order=140,
        ),
        RecordPages(
            path="/v1/suppressed_addresses",
            empty="Addresses that failed or unsubscribed are listed here, and those that you add. They get no email.",
            one="suppressed address",
            columns=("address", "covers", "reason", "created_at"),
            hints={"address": "", "covers": "Whether it gets no email at all, or no reminders."},
            order=145,
        ),
    ),
    hears={"contact.merged": h.move_statements},
    tasks=(
        Every(seconds=3600, due=too_old, run=forget_old, real_time=True),
        Every(seconds=3600, tenants=with_old_letters, run=forget_letters, real_time=True),
    ),
    workers=(run_sender,),
    gauges=(
        Manifest.Gauge("mail_waiting", "Emails and letters that are not finished, by kind.", "kind", count_waiting),
        Manifest.Gauge(
            "mail_oldest_due_seconds",
            "The age of the oldest message that could be sent.",
            "",
            oldest_due_seconds,
            most=300,
            cure="start a worker, and try the mail server with `billycan mail test`: one of them is away",
        ),
    ),
    codes={
        "already_suppressed": (409, "The address is on the list already."),
        "address_suppressed": (422, "Every recipient is suppressed: see `/v1/suppressed_addresses`."),
        "too_many_emails": (422, "The business has written to as many addresses as it may in 24 hours."),
    },
    doctor=describe_waiting,
    offers=(Manifest.Document.Routes(routes_of_document), QUEUE),
)
