"""The page of branding: the logo, the colour and the footer of the documents that clients see."""

import re
from typing import Any

from billycan import App, Fault, Invalid, Problem
from billycan_users.api import Answer, Led, Screen, Shown, Visit, mounted

from ..resources import forms

API = "/v1/branding"
HERE = "/dashboard/branding"
_FILES, _CONTACTS = "/v1/attachments", "/v1/contacts"
_STANDARD = "#0b6b5d"  # what a colour field begins with, which cannot be empty
_COLOUR = re.compile(r"#[0-9A-Fa-f]{6}")
_MOST_LOGO_BYTES = 1024 * 1024
_MOST_BYTES = 10 * 1024 * 1024 + 65_536  # so that too large a file is told at its field
# A file is attached to a record; this one is there for the logo alone.
_KEEPER = "billycan-logo"


def show_branding(visit: Visit) -> Answer:
    stored = visit.call("GET", API)["data"]
    colour = visit.form.get("accent_colour") or stored["accent_colour"] or _STANDARD
    values = {
        "stored": stored,
        "business": visit.call("GET", "/v1/tenant")["data"],
        "colour": colour if _COLOUR.fullmatch(colour) else _STANDARD,
        "is_own": visit.form.get("colour") == "own" if visit.form else stored["accent_colour"] is not None,
        "logo": stored["logo_attachment_id"] if _FILES in _lists(visit.app) else None,
        "keeps_logos": {_FILES, _CONTACTS} <= _lists(visit.app),
        "version": visit.form.get("version") or stored["version"],
        "may_change": visit.identity.holds("hosted:write"),
    }
    return Shown("dashboard/branding.html", values)


def change_branding(visit: Visit) -> Answer:
    """Keep the colour and the footer of the form."""
    own = visit.form.get("colour") == "own"
    body = {
        "accent_colour": visit.form.get("accent_colour", "").strip() or None if own else None,
        "footer": " ".join(visit.form.get("footer", "").split()) or None,
    }
    visit.call("PATCH", API, body=body, version=forms.version(visit.form))
    return Led(HERE, "The branding was saved. Documents that were sent already show it, too.")


def change_logo(visit: Visit) -> Answer:
    """Attach the file of the form, and use it as the logo."""
    if (file := visit.files.get("file")) is None:
        raise Invalid.of(Fault("file", "required", "choose a file first"))
    if len(file.content) > _MOST_LOGO_BYTES:
        raise Invalid.of(Fault("file", "invalid_value", "must be PNG, JPEG or WebP of at most 1 MiB"))
    keeper = _keeper(visit)
    id = visit.call("POST", _FILES, {"resource": keeper, "filename": file.filename}, file.content)["data"]["id"]
    try:
        visit.call("PATCH", API, body={"logo_attachment_id": id})
    except Problem as problem:
        visit.call("DELETE", f"{_FILES}/{id}")
        if problem.details:
            problem.details = [Fault("file", fault.code, fault.message) for fault in problem.details]
        raise
    return Led(HERE, "The logo was saved. Documents that were sent already show it, too.")


def remove_logo(visit: Visit) -> Answer:
    visit.call("PATCH", API, body={"logo_attachment_id": None})
    return Led(HERE, "Documents have no logo now.")


def has_branding(app: App) -> bool:
    return ("GET", API) in app.at


def _keeper(visit: Visit) -> str:
    """The archived contact that the logo is attached to, made where there is none yet."""
    found: list[dict[str, Any]] = visit.call("GET", _CONTACTS, {"external_id": _KEEPER})["data"]
    if found:
        return str(found[0]["id"])
    name = visit.call("GET", "/v1/tenant", {"fields": "name"})["data"]["name"]
    notes = "Keeps the logo of this business's documents. If it is deleted, documents have no logo."
    made = visit.call("POST", _CONTACTS, body={"name": name, "external_id": _KEEPER, "notes": notes})["data"]["id"]
    visit.call("POST", f"{_CONTACTS}/{made}/archive")
    return str(made)


def _lists(app: App) -> set[str]:
    return {path for path in (_FILES, _CONTACTS) if ("POST", path) in app.at}


screens = mounted(
    Screen(HERE, show_branding, change_branding, nav="Branding", group="Business", when=has_branding),
    Screen(f"{HERE}/logo", post=change_logo, role="developer", on=HERE, most_bytes=_MOST_BYTES, when=has_branding),
    Screen(f"{HERE}/logo/remove", post=remove_logo, role="developer", on=HERE, when=has_branding),
)
