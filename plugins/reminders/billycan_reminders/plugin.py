"""Reminders: emails to clients about unpaid invoices, by the business's rules."""

from billycan import Every, Manifest, RecordPages, Route

from . import by_hand
from . import handlers as h
from .cards import reminded_lately
from .demo import add_samples
from .reminding import remind, to_remind
from .schemas import HasReminders, TakesReminders
from .tables import off, rules, sent, settings


def _extend_records(path: str) -> Manifest.Extends:
    return Manifest.Extends(
        path=path, shows=HasReminders, fill=h.find_silenced, takes=TakesReminders, keep=h.store_silence
    )


manifest = Manifest(
    name="reminders",
    requires=("contacts", "hosted", "invoices"),
    uses=("mail",),
    tables=(settings, rules, off, sent),
    routes=(
        Route("GET", "/v1/reminders", h.get_reminders, scope="reminders:read"),
        Route("PATCH", "/v1/reminders", h.update_reminders, scope="reminders:write"),
        Route("GET", "/v1/sent_reminders", h.list_sent_reminders, scope="reminders:read"),
        Route("GET", "/v1/sent_reminders/{id}", h.get_sent_reminder, scope="reminders:read"),
        Route(
            "POST",
            "/v1/invoices/{id}/send_reminder",
            by_hand.send_reminder,
            scope="reminders:write",
            status=201,
            needs=("mail",),
            makes=("/v1/emails/{id}",),
        ),
        Route(
            "POST",
            "/v1/invoices/{id}/send_reminder/preview",
            by_hand.preview_reminder,
            scope="reminders:read",
            needs=("mail",),
            stores=False,
        ),
    ),
    extends=(_extend_records("/v1/invoices"), _extend_records("/v1/contacts")),
    records=(
        RecordPages(
            path="/v1/sent_reminders",
            empty="Each reminder is listed here once it was sent, or skipped with the reason.",
            title="Sent reminders",
            one="reminder",
            labels={"days": "Days past due"},
            columns=("invoice", "due_date", "days", "created_at", "status", "reason"),
            order=75,
        ),
    ),
    cards=(reminded_lately,),
    hears={
        "invoice.deleted": h.forget_silence,
        "contact.deleted": h.forget_silence,
        "contact.merged": h.move_silence,
    },
    tasks=(Every(seconds=60, due=to_remind, run=remind),),
    demo=add_samples,
    codes={
        "already_reminded": (409, "The client was reminded of this invoice today already."),
        "nothing_due": (409, "Nothing is due on the invoice, so nobody can be reminded of it."),
        "reminders_off": (409, "`reminders` is false on the invoice or its client."),
    },
)
