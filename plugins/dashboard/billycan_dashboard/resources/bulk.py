"""One action on many records of a list, carried out as a batch, and the page of its results."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import falcon
from msgspec import Struct

from billycan import App, Forbidden, NotFound
from billycan_users.api import Answer, Led, Shown, Visit

from .kinds import Kind, action_label, kind_at, page_of, role_reaches, title_of, words_of
from .record_page import has_members, is_deletable

_BATCH, _DELETE = "/v1/batch", "delete"
_CHOSEN = re.compile(r"([a-z]{2,10}_[0-9a-z]{1,60}):([1-9][0-9]{0,8})(?!\S)", re.ASCII)
_CHANGED = "It was changed after the list was shown: look at it first."
MOST = 100  # operations of a batch, and records of a page


class Outcome(Struct, frozen=True):
    """The result for a record: `message` says why nothing was done; `made` is the page of the record made from it."""

    title: str
    page: str
    message: str = ""
    made: str = ""


def has_batches(app: App) -> bool:
    """Tell whether many records can be changed at once."""
    return ("POST", _BATCH) in app.at


def actions_on_many(visit: Visit, kind: Kind, records: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Map the actions without members that the visitor may take on any of these records to their labels."""
    allowed = {name for record in records for name in record.get("allowed_actions") or ()}
    if any(is_deletable(kind, record) for record in records):
        allowed.add(_DELETE)
    return {name: _label(kind, name) for name in _simple(visit, kind) if name in allowed}


def take_actions(visit: Visit, resource: str) -> Answer:
    """Take one action on the chosen records, each if it still has the version that the list showed.

    An action that ends something, or asks first on the page of a record, asks here, too.
    """
    kind, action = kind_at(visit, resource), visit.form.get("action", "")
    if action not in (*kind.actions, _DELETE):
        raise falcon.HTTPNotFound
    if action not in _simple(visit, kind):
        raise Forbidden("Your role in this business does not allow that: ask one of its owners.")
    names = ("chosen", "listed") if visit.form.get("all") else ("chosen",)
    chosen = dict([*_chosen(" ".join(visit.form.get(name, "") for name in names))][:MOST])
    if not chosen:
        return Led(kind.page, "Nothing was selected.")
    told = words_of(kind, action)
    values: dict[str, Any] = {"kind": kind, "what": _label(kind, action), "action": action, "asked": {}}
    if (action == _DELETE or told.asks or told.weight == "ends") and not visit.form.get("sure"):
        says = "They will be gone for good." if action == _DELETE else told.says
        ends = action == _DELETE or told.weight == "ends"
        return Shown("dashboard/bulk.html", {**values, "asked": chosen, "says": says, "ends": ends})
    results = visit.call("POST", _BATCH, body={"operations": [*_operations(kind, action, chosen)]})["data"]["results"]
    outcomes = [_outcome(visit, kind, id, result) for id, result in zip(chosen, results, strict=True)]
    values["failed"] = [each for each in outcomes if each.message]
    return Shown("dashboard/bulk.html", {**values, "done": [each for each in outcomes if not each.message]})


def _operations(kind: Kind, action: str, chosen: Mapping[str, int]) -> Iterator[dict[str, Any]]:
    for id, version in chosen.items():
        path = f"{kind.path}/{id}"
        if action == _DELETE:
            yield {"method": "DELETE", "path": path, "if_match": version}
        else:
            yield {"method": "POST", "path": f"{path}/{action}", "body": {}, "if_match": version}


def _simple(visit: Visit, kind: Kind) -> Iterator[str]:
    """Yield the actions without members that the visitor's role allows."""
    if has_batches(visit.app):
        possible = {**kind.actions, **({_DELETE: kind.routes["delete"]} if "delete" in kind.routes else {})}
        yield from (name for name, each in possible.items() if role_reaches(visit, each) and not has_members(each))


def _label(kind: Kind, action: str) -> str:
    return "Delete" if action == _DELETE else action_label(kind, action)


def _chosen(text: str) -> Iterator[tuple[str, int]]:
    """Yield ids and versions, each of which the list wrote as one word."""
    for id, version in _CHOSEN.findall(text):
        yield id, int(version)


def _outcome(visit: Visit, kind: Kind, id: str, result: Mapping[str, Any]) -> Outcome:
    page, record = f"{kind.page}/{id}", result["body"]["data"]
    if result["status"] >= 400:
        error = result["body"]["error"]
        is_newer = error["code"] == "version_conflict"
        return Outcome(_title(visit, kind, id), page, _CHANGED if is_newer else error["message"])
    made = record["id"] if isinstance(record, dict) and record.get("id", id) != id else ""
    is_it = not made and isinstance(record, dict) and "version" in record
    title = title_of(kind, record) if is_it else _title(visit, kind, id)
    return Outcome(title, page, made=page_of(visit.app, made) if made else "")


def _title(visit: Visit, kind: Kind, id: str) -> str:
    try:
        return title_of(kind, visit.call("GET", f"{kind.path}/{id}")["data"])
    except NotFound:
        return id
