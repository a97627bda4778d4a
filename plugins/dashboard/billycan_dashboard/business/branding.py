"""The page of branding: the logo, the colour and the footer of the documents that clients see."""

import re
from contextlib import suppress

from billycan import App, Fault, Invalid, NotFound, Problem
from billycan_users.api import Answer, Led, Screen, Shown, Visit, mounted

from ..resources import forms, meanwhile

API = "/v1/branding"
HERE = "/dashboard/branding"
_FILES = "/v1/attachments"
_STANDARD = "#0b6b5d"  # what a colour field begins with, which cannot be empty
_COLOUR = re.compile(r"#[0-9A-Fa-f]{6}")
_MOST_LOGO_BYTES = 1024 * 1024
_MOST_BYTES = 10 * 1024 * 1024 + 65_536  # so that too large a file is told at its field


def show_branding(visit: Visit) -> Answer:
    stored = visit.call("GET", API)["data"]
    colour = visit.form.get("accent_colour") or stored["accent_colour"] or _STANDARD
    values = {
        "stored": stored,
        "business": visit.call("GET", "/v1/tenant")["data"],
        "colour": colour if _COLOUR.fullmatch(colour) else _STANDARD,
        "is_own": _is_own(visit) if visit.form else stored["accent_colour"] is not None,
        "logo": stored["logo_attachment_id"] if _keeps_files(visit.app) else None,
        "keeps_logos": _keeps_files(visit.app),
        "version": visit.form.get("version") or stored["version"],
        "may_change": visit.identity.holds("hosted:write"),
    }
    return Shown("dashboard/branding.html", values)


def change_branding(visit: Visit) -> Answer:
    """Keep the colour and the footer of the form."""
    body = {
        "accent_colour": visit.form.get("accent_colour", "").strip() or None if _is_own(visit) else None,
        "footer": " ".join(visit.form.get("footer", "").split()) or None,
    }
    try:
        visit.call("PATCH", API, body=body, version=forms.version(visit.form))
    except Problem as problem:
        if problem.code != "version_conflict":
            raise
        raise meanwhile.keep_typed(visit, visit.call("GET", API)["data"]["version"]) from None
    return Led(HERE, "The branding was saved. Documents that were sent already show it, too.")


def change_logo(visit: Visit) -> Answer:
    """Attach the file of the form, and use it as the logo."""
    if (file := visit.files.get("file")) is None:
        raise Invalid.of(Fault("file", "required", "choose a file first"))
    if len(file.content) > _MOST_LOGO_BYTES:
        raise Invalid.of(Fault("file", "invalid_value", "must be PNG, JPEG or WebP of at most 1 MiB"))
    former, business = _own_logo(visit), visit.tenant_id
    id = visit.call("POST", _FILES, {"resource": business, "filename": file.filename}, file.content)["data"]["id"]
    try:
        visit.call("PATCH", API, body={"logo_attachment_id": id})
    except Problem as problem:
        visit.call("DELETE", f"{_FILES}/{id}")
        if problem.details:
            problem.details = [Fault("file", fault.code, fault.message) for fault in problem.details]
        raise
    _drop_logo(visit, former)
    return Led(HERE, "The logo was saved. Documents that were sent already show it, too.")


def remove_logo(visit: Visit) -> Answer:
    former = _own_logo(visit)
    visit.call("PATCH", API, body={"logo_attachment_id": None})
    _drop_logo(visit, former)
    return Led(HERE, "Documents have no logo now.")


def has_branding(app: App) -> bool:
    return ("GET", API) in app.at


def _is_own(visit: Visit) -> bool:
    """Tell whether the form asks for a colour of its own; whoever changes the colour need not tick so, too."""
    colour, shown = visit.form.get("accent_colour", ""), visit.form.get("colour_shown")
    return visit.form.get("colour") == "own" or (shown is not None and colour.lower() != shown.lower())


def _own_logo(visit: Visit) -> str | None:
    """Return the logo if its file is attached to the business, and so is there for nothing else."""
    id = visit.call("GET", API)["data"]["logo_attachment_id"]
    if id is None:
        return None
    try:
        found = visit.call("GET", f"{_FILES}/{id}")["data"]
    except NotFound:
        return None
    return str(id) if found["resource"] == visit.tenant_id else None


def _drop_logo(visit: Visit, id: str | None) -> None:
    if id is not None:
        with suppress(NotFound):
            visit.call("DELETE", f"{_FILES}/{id}")


def _keeps_files(app: App) -> bool:
    return ("POST", _FILES) in app.at


screens = mounted(
    Screen(HERE, show_branding, change_branding, nav="Branding", group="Business", when=has_branding),
    Screen(f"{HERE}/logo", post=change_logo, role="office", on=HERE, most_bytes=_MOST_BYTES, when=has_branding),
    Screen(f"{HERE}/logo/remove", post=remove_logo, role="office", on=HERE, when=has_branding),
)
