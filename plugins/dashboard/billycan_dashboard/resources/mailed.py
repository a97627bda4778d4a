"""The emails of a record on its page, of every document alike: what may be sent, what was, and what became of it."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from billycan import App, RecordPages
from billycan_users.api import Led, Visit

from .kinds import Kind, kinds, page_of, role_reaches

EMAILS = "/v1/emails"
_WITHDRAWN = ("void", "cancelled")  # what says so of itself is not sent to anybody from its page
_MOST_SHOWN = 10
_MOST_NAMED = 3
_MOST_LETTERS = 80  # of an address that a sentence names
_HELD = {
    "no_server": "this deployment has no mail server.",
    "sandbox": "a sandbox sends email only to people of the business.",
}
_ERRORS = {
    "refused": "The mail server refused it.",
    "deferred": "The mail server asked to be tried again later.",
    "address_refused": "The mail server refused some of the addresses.",
    "unreachable": "The mail server could not be reached.",
    "interrupted": "An attempt was interrupted.",
    "unknown": "The connection was lost before the mail server answered.",
}


class Offer(Struct, frozen=True):
    """A document of a record: what it is called, and what leads to its email.

    `email` and `pdf` are the pages of these, empty where there is none.
    """

    noun: str
    words: str
    path: str
    email: str
    pdf: str


class Sending(Struct, frozen=True):
    """An email as the page of its record shows it; `notes` say what somebody should know besides its status."""

    email: Mapping[str, Any]
    addresses: str
    status: str
    notes: tuple[str, ...]
    page: str
    may_resend: bool


class Mailed(Struct, frozen=True):
    """The emails of a record as its page shows them; `total` may be more than there are in `sendings`."""

    offers: list[Offer]
    sendings: list[Sending]
    total: int
    may_see: bool


def offers(visit: Visit, kind: Kind, id: str) -> Iterator[Offer]:
    """The documents of a record: itself, and those below it, such as a contact's statement."""
    here = f"{kind.path}/{{id}}"
    for path in visit.app.documents:
        below = path.removeprefix(here)
        if path == below or below.count("/") > 1:
            continue
        at = f"{kind.page}/{id}{below}"
        pdf = visit.app.at.get(("GET", f"{path}.pdf"))
        noun = below[1:].replace("_", " ") or kind.one
        yield Offer(
            noun,
            f"Email the {noun}" if below else f"Email this {noun}",
            path,
            f"{at}/email" if may_send(visit, path) else "",
            f"{at}/pdf" if pdf and role_reaches(visit, pdf) else "",
        )


def link_pdf(visit: Visit, path: str, record: Mapping[str, Any]) -> Iterator[RecordPages.Link]:
    """Link to a record's PDF, or to the PDF that was emailed."""
    kind = kinds(visit.app)[path]
    if path == EMAILS:
        page = f"{kind.page}/{record['id']}/pdf" if record["attachment"] else ""
    else:
        page = next((each.pdf for each in offers(visit, kind, record["id"]) if each.path == f"{path}/{{id}}"), "")
    if page:
        yield RecordPages.Link(words="Download PDF", page=page, opens="file")


def may_send(visit: Visit, path: str) -> bool:
    """Tell whether this visitor can email the document at a path."""
    at = visit.app.at
    sends, shows = at.get(("POST", f"{path}/email")), at.get(("GET", path))
    if not is_on(visit.app) or sends is None or shows is None or ("POST", f"{path}/email/preview") not in at:
        return False
    scope = shows.route.scope
    return role_reaches(visit, sends) and (scope is None or visit.identity.holds(scope.replace(":read", ":write")))


def show_emails(visit: Visit, path: str, record: Mapping[str, Any]) -> Iterator[RecordPages.Part]:
    """Show a record's emails, and whether it can be emailed; nothing if the visitor may see neither."""
    kind = kinds(visit.app)[path]
    if not is_on(visit.app):
        return
    id, is_withdrawn = record["id"], record.get("status") in _WITHDRAWN
    found = [*offers(visit, kind, id)]
    may_see = bool(found) and visit.identity.holds("mail:read")
    may_email = [each for each in found if each.email and not (is_withdrawn and each.path == f"{kind.path}/{{id}}")]
    if not may_email and not may_see:
        return
    data, total = [], 0
    if may_see:
        answer = visit.call("GET", EMAILS, {"document_id": id, "per_page": _MOST_SHOWN, "sort": "-created_at"})
        data, total = answer["data"], answer["pagination"]["total"]
    sendings = [_describe_sending(visit, email, may_resend=not is_withdrawn) for email in data]
    shown = Mailed(may_email, sendings, total, may_see)
    yield RecordPages.Part(template="dashboard/mailed.html", values={"mailed": shown})


def link_email(visit: Visit, path: str, record: Mapping[str, Any]) -> Iterator[RecordPages.Link]:
    """Link to the email of a draft, which comes before what only finishes the draft; nothing if none would leave."""
    if record.get("status") == "draft" and has_server(visit):
        for offer in offers(visit, kinds(visit.app)[path], record["id"]):
            if offer.email and offer.path == f"{path}/{{id}}":
                yield RecordPages.Link(words=offer.words, page=offer.email, opens="dialog", is_main=True)


def may_email(visit: Visit, kind: Kind) -> bool:
    """Tell whether the visitor can email records of a resource themselves, and emails leave."""
    own = f"{kind.path}/{{id}}"
    return has_server(visit) and own in visit.app.documents and may_send(visit, own)


def has_server(visit: Visit) -> bool:
    if not is_on(visit.app):
        return False
    from billycan_mail.api import can_send  # noqa: PLC0415 - there only where that plugin is

    return can_send(visit.app)


def lead_to_email(
    visit: Visit, email: Mapping[str, Any], page: str = "", besides: str = "", *, elsewhere: str = ""
) -> Led:
    """On to the page of what was emailed, where a sentence tells how far the email got, as far as it is known.

    If the email was begun `elsewhere`, that page is shown again.
    """
    whom, tone, where = _name_recipients(email), "good", "under Emails" if elsewhere else "below"
    progress = "" if elsewhere else " Its progress is shown below, under Email."
    said = f"The email to {whom} is being sent.{progress}"
    if email["status"] == "held":
        said, tone = f"Nothing was sent to {whom}: {_HELD[email['held_because']]} The email is kept {where}.", "warn"
    elif email["status"] == "failed":
        said, tone = (
            f"Nothing was sent to {whom}: the business does not write to it. The email is kept {where}.",
            "warn",
        )
    elif left_out := [note for r in email["recipients"] if (note := _of_recipient(email, r))]:
        said, tone = " ".join([said, *left_out[:_MOST_NAMED]]), "warn"
    page = elsewhere or page or page_of(visit.app, email["document_id"] or "") or page_of(visit.app, email["id"])
    return Led(page, f"{said} {besides}".strip(), tone)


def is_on(app: App) -> bool:
    return "mail" in app.manifests


def _describe_sending(visit: Visit, email: Mapping[str, Any], *, may_resend: bool) -> Sending:
    resend = visit.app.at.get(("POST", f"{EMAILS}/{{id}}/resend"))
    return Sending(
        email,
        ", ".join(recipient["address"] for recipient in email["recipients"]),
        "bounced" if email["last_error"] == "bounced" else email["status"],
        tuple(_list_notes(email)),
        page_of(visit.app, email["id"]),
        may_resend and "resend" in email["allowed_actions"] and resend is not None and role_reaches(visit, resend),
    )


def _list_notes(email: Mapping[str, Any]) -> Iterator[str]:
    if email["status"] == "held":
        yield f"Not sent: {_HELD[email['held_because']]}"
    told = [note for recipient in email["recipients"] if (note := _of_recipient(email, recipient))]
    yield from told
    if not told and email["status"] != "sent" and email["last_error"] in _ERRORS:
        yield _ERRORS[email["last_error"]]
    if email["may_have_arrived_twice"]:
        yield "It may have arrived twice: an attempt was cut off, and it was sent again."


def _of_recipient(email: Mapping[str, Any], recipient: Mapping[str, Any]) -> str:
    """Explain why an address did not get an email; empty if it did."""
    address, detail = _shorten_address(recipient["address"]), recipient["detail"]
    if recipient["status"] == "failed":
        what = "bounced" if email["last_error"] == "bounced" else "failed"
        return f"{address} {what}: {detail}" if detail else f"{address} {what}."
    if recipient["status"] == "suppressed":
        return f"Not sent to {address}: the business does not write to it."
    if recipient["status"] == "held" and email["status"] != "held":
        return f"Not sent to {address}: {_HELD['sandbox']}"
    return ""


def _name_recipients(email: Mapping[str, Any]) -> str:
    """Name the first few recipients of an email."""
    waiting = [r["address"] for r in email["recipients"] if r["status"] == "waiting"]
    found = waiting or [r["address"] for r in email["recipients"]]
    more = f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
    return ", ".join(map(_shorten_address, found[:_MOST_NAMED])) + more


def _shorten_address(address: str) -> str:
    return address if len(address) <= _MOST_LETTERS else f"{address[:_MOST_LETTERS]}…"
