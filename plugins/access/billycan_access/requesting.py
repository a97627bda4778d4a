"""Public pages to request access and to confirm an email address."""

from typing import Annotated, Any

from billycan import App, Fault, Invalid, Problem
from billycan.fields import Abn, Email, Name, Text
from billycan_users.api import Answer, Led, Screen, Shown, Visit, can_send, mounted, read_field

from . import records
from .settings import Settings

_HERE, _SENT = "/access", "/access/sent"
_MEMBERS: dict[str, Any] = {
    "business": Name,
    "abn": Abn,
    "email": Email,
    "purpose": Annotated[str, Text("What for.", least=1, most=1000)],
}


class TooManyToday(Problem):
    """An answer that no more requests are accepted today."""

    status, type, code = 429, "rate_limit", "rate_limited"
    message = "No more requests are taken today: please try again tomorrow."


def is_on(app: App) -> bool:
    """Tell whether this deployment has a page to request access."""
    return app.settings_of(Settings).mode != "off"


def show_form(visit: Visit) -> Answer:
    return Shown("access/access.html", {"gives_sandbox": visit.app.settings_of(Settings).mode == "sandbox"})


def ask(visit: Visit) -> Answer:
    """Submit a request; the answer does not reveal anything about the address."""
    given, faults = {}, list[Fault]()
    for name, kind in _MEMBERS.items():
        text = visit.form.get(name, "").strip()
        if name == "abn" and not text:
            continue
        try:
            given[name] = read_field(kind, name, text)
        except Invalid as invalid:
            faults += invalid.details
    if faults:
        raise Invalid.of(*faults)
    asked = records.Asked(given["business"], given.get("abn"), given["email"], given["purpose"])
    try:
        with visit.app.db.writing() as db:
            records.store_request(db, visit.app, asked, visit.network)
    except records.TooMany:
        raise TooManyToday from None
    return Led(_SENT)


def show_sent(visit: Visit) -> Answer:
    return Shown("access/sent.html", {"has_mail": can_send(visit.app)})


def show_confirm(visit: Visit, token: str) -> Answer:
    with visit.app.db.reading() as db:
        row = records.find_confirmable(db, visit.app, token)
    if row is None:
        text = "It was used already, has expired, or was copied in part. You may ask for access again."
        return Shown("users/refused.html", {"title": "This link does not work", "text": text}, status=404)
    return Shown("access/confirm.html", {"email": row.email, "business": row.business})


def confirm(visit: Visit, token: str) -> Answer:
    with visit.app.db.writing() as db:
        key = records.confirm_address(db, visit.app, token)
    return Shown("access/confirmed.html", {"key": key, "url": visit.app.public_url})


screens = mounted(
    Screen(_HERE, show_form, ask, role=None, anybody=True, per_minute=30, when=is_on),
    Screen(_SENT, show_sent, role=None, anybody=True, when=is_on),
    Screen(f"{_HERE}/confirm/{{token}}", show_confirm, confirm, role=None, anybody=True, per_minute=30, when=is_on),
)
