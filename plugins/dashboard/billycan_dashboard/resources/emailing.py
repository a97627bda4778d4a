"""The pages that email a document, of any plugin: the form, the email as it will look, and the PDF beside it."""

import re
from collections.abc import Mapping
from decimal import Decimal
from html import escape
from typing import Any

import falcon
import msgspec
from msgspec import Struct

from billycan import Fault, Forbidden, Invalid, NotFound, Problem
from billycan.web import encode
from billycan_users.api import Answer, ChangedMeanwhile, Screen, Sent, Shown, Visit

from . import changes, forms, mailed
from .kinds import Kind, kind_at, label, title_of

_DOCUMENT = "document."  # what the fields of its parameters begin with
_BETWEEN = re.compile(r"[\s,;]+")
_WRITTEN = ("subject", "message")
_PERIOD = {"from": "First day", "to": "Last day"}  # beside To, to whom an email goes
_LABELS = {"cc": "Copy to", **{f"{_DOCUMENT}{name}": text for name, text in _PERIOD.items()}}
_SANDBOX = "[SANDBOX] "  # which mail puts before each subject of a sandbox by itself
# The email is HTML with styles of its own. It runs nothing, loads nothing and is nobody's page; its links open others.
_FRAMED = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none';"
    " form-action 'none'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox",
    "X-Frame-Options": "SAMEORIGIN",
}
_FAULTY = (
    "<!doctype html><html lang='en-AU'><meta charset='utf-8'><title>No preview</title>"
    "<style>:root { color-scheme: light dark; } body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem; }</style>"
    "<h1 style='font-size: 1.1rem'>There is no preview of this</h1>"
)
_decode = msgspec.json.Decoder(float_hook=Decimal).decode


class _Subject(Struct, frozen=True):
    """The subject of an email page: the record, its document, and the document's path in the API."""

    kind: Kind
    offer: mailed.Offer
    path: str
    parameters: tuple[forms.Control, ...]  # of the document, such as the days of a statement


def show_email(visit: Visit, resource: str, id: str, action: str = "") -> Answer:
    """The form, filled in with what would be sent, and how that looks."""
    about = _find_subject(visit, resource, id, action)
    if about is None:
        return changes.show_action(visit, resource, id, "email")
    _require_subject(about)
    has_changed = isinstance(visit.problem, ChangedMeanwhile)  # and is seen in the new preview
    record = visit.call("GET", f"{about.kind.path}/{id}")["data"]
    ready = _fetch_preview(visit, about, _document_asked(about, visit.query))
    subject = ready["subject"].removeprefix(_SANDBOX)
    values = {
        "parameters": about.parameters,
        "chosen": visit.form or {f"{_DOCUMENT}{name}": text for name, text in visit.query.items()},
        "kind": about.kind,
        "offer": about.offer,
        "title": title_of(about.kind, record),
        "back": f"{about.kind.page}/{id}",
        "ready": {**ready, "subject": subject},
        "is_draft": _is_draft(visit, about, record),
        "version": record["version"] if has_changed else visit.form.get("version") or record["version"],
        "has_server": mailed.has_server(visit),
    }
    return Shown("dashboard/email.html", values, frames=True)


def send_email(visit: Visit, resource: str, id: str, action: str = "") -> Answer:
    """Send it, and say on the record's page how far it got."""
    about = _find_subject(visit, resource, id, action)
    if about is None:
        return changes.take_action(visit, resource, id, "email")
    _require_subject(about)
    record = visit.call("GET", f"{about.kind.path}/{id}")["data"]
    body = _fill_form(visit, about)
    if not body["to"]:
        raise Invalid.of(Fault("to", "required", "is required: an address, or several"))
    endpoint = visit.app.at["POST", f"{about.offer.path}/email"]
    # A document that nothing can lock has no version to compare.
    ask = changes.send_decision if visit.app.documents[about.offer.path].finish else changes.call_api
    email = ask(visit, endpoint, f"{about.path}/email", body)
    finished = f"The {about.offer.noun} is no longer a draft." if _is_draft(visit, about, record) else ""
    return mailed.lead_to_email(visit, email, f"{about.kind.page}/{id}", finished)


def show_preview(visit: Visit, resource: str, id: str, action: str = "") -> Answer:
    """The email as it will look, for the frame on the page of its form; a form that is sent here says what is in it."""
    about = _find_subject(visit, resource, id, action)
    if about is None:
        raise falcon.HTTPNotFound
    try:
        html = _fetch_preview(
            visit, about, _fill_form(visit, about) if visit.form else _document_asked(about, visit.query)
        )["html"]
    except NotFound:
        raise
    except Problem as problem:
        said = [f"{_field_name(each.param.partition('[')[0])} {each.message}." for each in problem.details]
        html = _FAULTY + "".join(f"<p>{escape(text)}</p>" for text in said or [problem.message])
        return Sent(html.encode(), "text/html; charset=utf-8", _FRAMED, problem.status)
    html = html.replace("<head>", '<head><base target="_blank">', 1)
    return Sent(html.encode(), "text/html; charset=utf-8", _FRAMED)


def show_pdf(visit: Visit, resource: str, id: str, action: str = "") -> Answer:
    """The PDF of a document, with the parameters that its route takes; of an email, the one that it brought."""
    if f"/v1/{resource}" == mailed.EMAILS and not action:
        return visit.fetch(f"{mailed.EMAILS}/{id}/pdf")
    about = _find_subject(visit, resource, id, action)
    if about is None or not about.offer.pdf:
        raise falcon.HTTPNotFound
    return visit.fetch(f"{about.path}.pdf", visit.query)


def on_record(record: str) -> tuple[Screen, ...]:
    """The pages of a record's document, and of the documents below it."""
    return tuple(
        screen
        for at in (record, f"{record}/{{action}}")
        for screen in (
            Screen(f"{at}/email", show_email, send_email, when=mailed.is_on),
            Screen(f"{at}/email/preview", show_preview, show_preview, when=mailed.is_on),
            Screen(f"{at}/pdf", show_pdf, when=lambda app: not app.manifests.keys().isdisjoint({"mail", "pdf"})),
        )
    )


def _find_subject(visit: Visit, resource: str, id: str, action: str) -> _Subject | None:
    """Find the subject of a page; return None if the resource has an action of its own called `email`."""
    kind = kind_at(visit, resource)
    below = f"/{action}" if action else ""
    path = f"{kind.path}/{{id}}{below}"
    offer = next((each for each in mailed.offers(visit, kind, id) if each.path == path), None)
    if offer is None:
        if action:
            raise falcon.HTTPNotFound
        return None
    takes = visit.app.documents[path].takes
    parameters = forms.reword(forms.controls(takes), _PERIOD, {}) if takes else ()
    return _Subject(kind, offer, f"{kind.path}/{id}{below}", parameters)


def _field_name(name: str) -> str:
    """Return the form's name for a field."""
    return _LABELS.get(name) or label(name)


def _require_subject(about: _Subject) -> None:
    if not about.offer.email:
        raise Forbidden("Your role in this business does not allow that: ask one of its owners.")


def _is_draft(visit: Visit, about: _Subject, record: Mapping[str, Any]) -> bool:
    """Tell whether sending the email also sends or issues the document."""
    return record.get("status") == "draft" and visit.app.documents[about.offer.path].finish is not None


def _fetch_preview(visit: Visit, about: _Subject, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the API's preview of the email, fetched each time, because `once` would repeat the first answer."""
    answer = visit.app.call(
        visit.identity, "POST", f"{about.path}/email/preview", body=encode(body), request_id=visit.request_id
    )
    found: dict[str, Any] = _decode(answer.body)["data"]
    return found


def _document_asked(about: _Subject, given: Mapping[str, str], before: str = "") -> dict[str, Any]:
    """The part of a body that says which document it is, where these fields say something of that."""
    asked = forms.read_body(about.parameters, given, "UTC", before)
    return {"document": asked} if asked else {}


def _fill_form(visit: Visit, about: _Subject) -> dict[str, Any]:
    """Return the form's values. Texts left unchanged are left to mail, which knows a draft's number by then."""
    form = visit.form
    body: dict[str, Any] = {name: [a for a in _BETWEEN.split(form.get(name, "")) if a] for name in ("to", "cc")}
    for name in _WRITTEN:
        text, ready = (form.get(key, "").replace("\r\n", "\n").strip() for key in (name, f"ready_{name}"))
        if text and text != ready:
            body[name] = text
    if about.offer.pdf:
        body["attach_pdf"] = form.get("attach_pdf") == "true"
    return body | _document_asked(about, form, _DOCUMENT)
