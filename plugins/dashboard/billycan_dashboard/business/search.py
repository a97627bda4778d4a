"""The search: records, pages of the dashboard, and the page that lists them where there is no JavaScript."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from billycan import Forbidden, Problem
from billycan.sql import fold
from billycan_users.api import Answer, Screen, Shown, Visit, mounted, navigation

from ..resources.kinds import Kind, kinds

HERE, API = "/dashboard/search", "/v1/search"
_MOST_PAGES = 8
_MOST_LETTERS = 200


class Found(Struct, frozen=True):
    """A record that was found: its resource, its page, and what the API tells of it."""

    kind: Kind
    page: str
    record: Mapping[str, Any]
    tone: str


def show_search(visit: Visit) -> Answer:
    text = visit.query.get("q", "").strip()[:_MOST_LETTERS]
    found = [*_find_records(visit, text)] if text else []
    values = {
        "text": text,
        "found": found,
        "pages": [*_find_pages(visit, text)] if text else [],
        "lists": list(dict.fromkeys(each.kind for each in found)),
        "is_on": ("GET", API) in visit.app.at,
    }
    return Shown("dashboard/search.html", values)


def _find_records(visit: Visit, text: str) -> Iterator[Found]:
    if ("GET", API) not in visit.app.at:
        return
    try:
        found = visit.call("GET", API, {"q": text})["data"]
    except Forbidden:
        return  # a role that may read nothing of it
    except Problem as problem:
        visit.problem = problem
        return
    of = kinds(visit.app)
    for record in found:
        if (kind := of.get(f"/v1/{record['type']}")) is not None:
            status = kind.playing("status")
            tone = status.meaning.tones.get(record["status"], "") if status and record["status"] else ""
            yield Found(kind, f"{kind.page}/{record['id']}", record, tone)


def _find_pages(visit: Visit, text: str) -> Iterator[tuple[str, str]]:
    """Yield the pages whose name has a word that begins with the text."""
    wanted, taken = fold(text), 0
    for _, items in navigation(visit.app, visit):
        for item in items:
            if f" {fold(item.name)}".find(f" {wanted}") >= 0 and taken < _MOST_PAGES:
                taken += 1
                yield item.name, item.path


screens = mounted(Screen(HERE, show_search, role="field"))
