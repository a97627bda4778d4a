"""The pages of the log of events: what happened, what each event carries, and where it was delivered."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from billycan.web import encode
from billycan_users.api import Answer, Screen, Shown, Visit, mounted

from ..resources.kinds import page_of
from ..resources.lists import page_of_list
from ..resources.record_page import approval_of, name_actors
from .reasons import SHORT
from .webhooks import host_of

HERE, API = "/dashboard/events", "/v1/events"
_FILTERS = ("event", "created_at_from", "created_at_to")
_ACTORS = ("key_id", "user_id", "connection_id")


def list_events(visit: Visit) -> Answer:
    names = (*_FILTERS, "page", "cursor", "per_page")
    found, status = page_of_list(visit, API, {name: visit.query[name] for name in names if visit.query.get(name)})
    values = {
        "events": found["data"],
        "page": found["pagination"],
        "is_live": visit.query.get("live") == "yes",
        "query": [*visit.query.items()],
        "names": sorted(visit.app.events),
        "who": _who(visit, found["data"]),
        "record": lambda event: _record_of_event(visit, event),
    }
    return Shown("dashboard/events.html", values, status)


def show_event(visit: Visit, id: str) -> Answer:
    event = visit.call("GET", f"{API}/{id}")["data"]
    deliveries, names = None, {}
    if "webhooks" in visit.app.manifests:
        deliveries = visit.call("GET", "/v1/webhook_deliveries", {"webhook_id": id, "per_page": 100})["data"]
        endpoints = visit.call("GET", "/v1/webhook_endpoints", {"per_page": 100})["data"]
        names = {each["id"]: each["url"] for each in endpoints}
    name, page = _record_of_event(visit, event)
    values = {
        "event": event,
        "called": name,
        "record": page,
        "who": _who(visit, [event])[id],
        "data": write_json(event["data"]),
        "deliveries": deliveries,
        "names": names,
        "short": SHORT,
        "host_of": host_of,
    }
    return Shown("dashboard/event.html", values)


def _who(visit: Visit, events: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Map the id of each event to who did it, and who approved it; empty text for nobody."""
    ids = {e["id"]: next(filter(None, map(e["actor"].get, _ACTORS)), "") for e in events if e["actor"]}
    names = name_actors(visit, {*ids.values()})
    return {
        e["id"]: ", ".join(filter(None, (names.get(by := ids.get(e["id"], ""), by), approval_of(e["actor"]))))
        for e in events
    }


def _record_of_event(visit: Visit, event: Mapping[str, Any]) -> tuple[str, str]:
    """Return the title that an event's record had then, and its page; both are empty if it has none any more."""
    data = event["data"] or {}
    name = str(data.get("number") or data.get("name") or data.get("title") or data.get("subject") or "")
    return name, "" if data.get("deleted") else page_of(visit.app, data.get("id", ""))


def write_json(value: object) -> str:
    """JSON as people read it."""
    return msgspec.json.format(encode(value), indent=2).decode()


screens = mounted(
    Screen(HERE, list_events, role="developer", nav="Events", group="Developers"),
    Screen(f"{HERE}/{{id}}", show_event, role="developer"),
)
