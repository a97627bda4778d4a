"""Reminders that somebody sends by hand: what leads to them, on the pages of an invoice, a client and what is owed."""

from collections.abc import Iterator, Mapping
from typing import Any

from billycan import App, RecordPages
from billycan_users.api import Answer, Led, Screen, Visit, mounted

from ..resources.kinds import action_label, kinds, role_reaches, url
from ..resources.mailed import has_server

_ACTION = "send_reminder"
_INVOICES = "/v1/invoices"
_HERE = "/dashboard/reminders"


def is_on(app: App) -> bool:
    return ("POST", f"{_INVOICES}/{{id}}/{_ACTION}") in app.at


def may_remind(visit: Visit) -> bool:
    """Tell whether this visitor can send reminders, and emails leave."""
    at = visit.app.at.get(("POST", f"{_INVOICES}/{{id}}/{_ACTION}"))
    return at is not None and role_reaches(visit, at) and visit.identity.holds("mail:write") and has_server(visit)


def page_for_client(id: str, on: str) -> str:
    """Return the address of the form that reminds a client, which ends on the page where that began."""
    return url(f"{_HERE}/{id}", {"on": on})


def link_reminder(visit: Visit, path: str, record: Mapping[str, Any]) -> Iterator[RecordPages.Link]:
    """Link to the reminder of an overdue invoice, or of a client's overdue invoices."""
    if not may_remind(visit) or not record.get("reminders", True):
        return
    kind, id = kinds(visit.app)[_INVOICES], record["id"]
    if path == _INVOICES:
        is_late, page = record["is_overdue"], f"{kind.page}/{id}/{_ACTION}"
    else:
        is_late = bool(visit.count([(_INVOICES, _overdue(id))])[0])
        page = page_for_client(id, f"{kinds(visit.app)[path].page}/{id}")
    if is_late:
        yield RecordPages.Link(words=action_label(kind, _ACTION), page=page, opens="dialog")


def find_next(visit: Visit, id: str) -> Answer:
    """Lead to the form of a client's invoice that has been due longest and that nobody reminded them of today."""
    page = f"{kinds(visit.app)['/v1/contacts'].page}/{visit.call('GET', f'/v1/contacts/{id}')['data']['id']}"
    asked = {**_overdue(id), "sort": "due_date", "fields": "id,reminders"}
    late = [each["id"] for each in visit.call("GET", _INVOICES, asked)["data"] if each["reminders"]]
    today = {"invoice_id": ",".join(late), "status": "sent", "created_at_from": visit.today(), "fields": "invoice_id"}
    sent = visit.call("GET", "/v1/sent_reminders", today)["data"] if late else []
    left = [one for one in late if one not in {each["invoice_id"] for each in sent}]
    if not left:
        said = "The client was reminded today already." if late else "The client has no overdue invoice to remind of."
        return Led(page, said, "warn")
    on = {"on": visit.query["on"]} if visit.query.get("on") else {}
    return Led(url(f"{kinds(visit.app)[_INVOICES].page}/{left[0]}/{_ACTION}", on))


def _overdue(client_id: str) -> dict[str, Any]:
    return {"client_id": client_id, "status": "overdue"}


places = (RecordPages.Place(at="record.actions", show=link_reminder, paths=(_INVOICES, "/v1/contacts")),)
screens = mounted(Screen(f"{_HERE}/{{id}}", find_next, when=is_on))
