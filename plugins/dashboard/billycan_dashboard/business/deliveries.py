"""The pages of webhook deliveries: found, understood attempt by attempt, compared and replayed."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from billycan import Fault, Invalid, Problem
from billycan_users.api import Answer, Led, Screen, Shown, Visit, mounted

from ..resources.lists import page_of_list
from . import reasons
from .webhooks import API as ENDPOINTS
from .webhooks import host_of, is_on

HERE, API = "/dashboard/deliveries", "/v1/webhook_deliveries"
FILTERS = ("endpoint_id", "event", "status", "created_at_from", "created_at_to", "webhook_id")
_STATUSES = ("pending", "delivered", "failed", "held", "cancelled")
_WIDTH = 1000  # of a bar, in its own units


class Part(Struct, frozen=True):
    """A phase as a bar shows it: from where, how wide, and how long it took."""

    name: str
    words: str
    milliseconds: int
    x: float
    width: float


def list_deliveries(visit: Visit) -> Answer:
    asked = filters(visit.query)
    pages = {name: visit.query[name] for name in ("page", "cursor", "per_page") if visit.query.get(name)}
    found, status = page_of_list(visit, API, {**asked, **pages})
    endpoints = visit.call("GET", ENDPOINTS, {"per_page": 100})["data"]
    values = {
        "deliveries": found["data"],
        "page": found["pagination"],
        "asked": asked,
        "is_live": visit.query.get("live") == "yes",
        "query": [*visit.query.items()],
        "names": {each["id"]: each["url"] for each in endpoints},
        "events": ["ping", *sorted(visit.app.events)],
        "statuses": _STATUSES,
        "short": reasons.SHORT,
        "host_of": host_of,
    }
    return Shown("dashboard/deliveries.html", values, status)


def filters(query: Mapping[str, str]) -> dict[str, str]:
    """The filters among a page's parameters, as the API has them."""
    return {name: query[name] for name in FILTERS if query.get(name)}


def show_delivery(visit: Visit, id: str) -> Answer:
    return Shown("dashboard/delivery.html", _page_values(visit, id))


def _page_values(visit: Visit, id: str) -> dict[str, Any]:
    from billycan_webhooks import api  # noqa: PLC0415 - there only where that plugin is

    delivery = visit.call("GET", f"{API}/{id}")["data"]
    try:
        endpoint = visit.call("GET", f"{ENDPOINTS}/{delivery['endpoint_id']}")["data"]
    except Problem:
        endpoint = None  # it was deleted, and its history stays
    attempts = delivery["attempts"][::-1]
    seconds = api.timeout_seconds(visit.app)
    newest = attempts[0] if attempts else None
    with visit.reading() as ctx:
        work = api.explain_signature(ctx, delivery["endpoint_id"], newest["request"]) if newest else None
    return {
        "delivery": delivery,
        "endpoint": endpoint,
        "attempts": [(each, parts(each["phases"]), reasons.of_attempt(each, seconds)) for each in attempts],
        "sent_headers": lambda request: api.request_headers(request["url"], request["headers"], request["body"] or ""),
        "request_line": api.request_line,
        "became": reasons.of_delivery(delivery),
        "why": reasons.of_attempt(newest, seconds) if newest and delivery["status"] != "delivered" else None,
        "in_all": api.attempts_in_all(visit.app),
        "is_moving": delivery["status"] == "pending",
        "work": work,
        "verdict": None,
        "was_compared": False,
        "host_of": host_of,
    }


def parts(phases: Mapping[str, int | None]) -> list[Part]:
    """The phases of an attempt side by side, each wide enough to be seen."""
    took = [(name, ms) for name in reasons.PHASES if (ms := phases[name]) is not None]
    least = _WIDTH / 100
    scale = (_WIDTH - least * len(took)) / (sum(ms for _, ms in took) or 1)
    found, x = [], 0.0
    for name, ms in took:
        width = least + ms * scale
        found.append(Part(name, reasons.PHASES[name], ms, round(x, 1), round(width, 1)))
        x += width
    return found


def compare_signature(visit: Visit, id: str) -> Answer:
    """Say where a signature that the receiver computed departs from ours."""
    from billycan_webhooks import api  # noqa: PLC0415 - there only where that plugin is

    values = _page_values(visit, id)
    pasted = visit.form.get("signature", "").strip()
    if not pasted:
        raise Invalid.of(Fault("signature", "required", "is what your receiver computed"))
    if values["work"] is None:
        raise Invalid.of(Fault("signature", "invalid_value", "cannot be compared: no attempt was signed yet"))
    with visit.reading() as ctx:
        newest = values["attempts"][0][0]
        verdict = api.compare_signature(ctx, values["delivery"], newest, pasted, visit.form.get("secret_id", ""))
    return Shown("dashboard/delivery.html", {**values, "verdict": verdict, "was_compared": True})


def replay_delivery(visit: Visit, id: str) -> Answer:
    made = visit.call("POST", f"{API}/{id}/replay")["data"]
    return Led(f"{HERE}/{made['id']}", "It is sent again, as a new delivery with the same webhook-id.")


_ONE = f"{HERE}/{{id}}"
_MORE: dict[str, Any] = {"role": "developer", "when": is_on}

screens = mounted(
    Screen(HERE, list_deliveries, nav="Deliveries", group="Developers", **_MORE),
    Screen(_ONE, show_delivery, **_MORE),
    Screen(f"{_ONE}/compare", post=compare_signature, on=_ONE, **_MORE),
    Screen(f"{_ONE}/replay", post=replay_delivery, on=_ONE, **_MORE),
)
