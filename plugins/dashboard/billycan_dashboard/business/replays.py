"""The page that replays all that a filter finds: batch after batch, saying how far it is.

Where it has come is in the page's own address, so that nothing is lost with a worker or a browser: whoever opens the
address again goes on from there.
"""

import hmac
import math
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from billycan import Problem
from billycan_users.api import Answer, Led, Screen, Shown, Visit, mounted

from .deliveries import API, filters
from .webhooks import is_on

HERE = "/dashboard/replays"
BATCH = 50
_LEFT = 3  # requests of the business: the page that follows is one, too
# `skip` is how many of the batch were replayed before the business had made as many requests as it may; `wait` seconds
# later it may make more.
_NUMBERS = ("total", "done", "refused", "skip", "wait")


def show_replay(visit: Visit) -> Answer:
    asked, at = filters(visit.query), _progress_of(visit)
    goes_on = hmac.compare_digest(visit.query.get("mark", "").encode(), _sign_address(visit, visit.query).encode())
    until = visit.query.get("until", "")
    if not until:
        found = visit.call("GET", API, {**asked, "per_page": 1})["pagination"]
        at["total"] = found["total"]
    cursor = visit.query.get("cursor", "")
    is_over = bool(until) and not cursor and not at["wait"]
    since = {name: asked[name] for name in ("endpoint_id", "event") if name in asked} | {"created_at_from": until}
    values = {
        "asked": asked,
        "at": at,
        "has_begun": bool(until),
        # Fixed when the page is first seen: what comes later, the replays too, is none of what was found.
        "until": until or str(visit.app.now()),
        "cursor": cursor,
        "is_over": is_over,
        "back": f"/dashboard/deliveries?{urlencode(asked)}",
        "new": f"/dashboard/deliveries?{urlencode(since)}",
        "counts": _count_deliveries(visit, since) if is_over else {},
        # A link from elsewhere begins nothing by itself, and puts no words on this page.
        "goes_on": goes_on,
        "words": visit.query.get("said", "")[:200] if goes_on else "",
    }
    return Shown("dashboard/replays.html", values)


def replay_some(visit: Visit) -> Answer:
    """Replay the next 50 deliveries, and lead on to how far it is; the same form sent twice replays each once.

    Each replay is one of the requests that the business may make.
    """
    asked, at, form = filters(visit.form), _progress_of(visit), visit.form
    until = form.get("until") or str(visit.app.now())
    to = asked.get("created_at_to", until)
    query: dict[str, Any] = {**asked, "created_at_to": until if to >= until[:10] else to, "per_page": BATCH}
    if form.get("cursor"):
        query["cursor"] = form["cursor"]
    said = form.get("said", "")[:200]
    page = visit.call("GET", API, query)
    at["total"] = max(at["total"], page["pagination"]["total"])
    left = page["data"][at["skip"] :]
    at["wait"] = 0
    for delivery in left:
        at["skip"] += 1
        try:
            visit.call("POST", f"{API}/{delivery['id']}/replay")
        except Problem as problem:
            at["refused"] += 1
            said = problem.message
        at["done"] += 1
        at["wait"] = _count_request(visit)
        if at["wait"]:
            break
    cursor = form.get("cursor", "")
    if not at["wait"]:
        cursor, at["skip"] = page["pagination"]["next_cursor"] or "", 0
    found = {**asked, **at, "until": until, "cursor": cursor, "said": said}
    onward = {name: str(value) for name, value in found.items() if value != ""}
    return Led(f"{HERE}?{urlencode({**onward, 'mark': _sign_address(visit, onward)})}")


def _count_request(visit: Visit) -> int:
    """Count one more request of the business; return 0, or in how many seconds it may make more if few are left."""
    now = visit.app.now().timestamp()
    allowance = visit.app.count(now, visit.app.ceilings.of(visit.tenant_id))
    if allowance.allowed and allowance.remaining >= _LEFT:
        return 0
    return allowance.retry_after or max(1, math.ceil(allowance.reset - now))


def _sign_address(visit: Visit, query: Mapping[str, str]) -> str:
    """Sign an address, to prove later that one of this visitor's forms led there."""
    of = urlencode(sorted((name, value) for name, value in query.items() if name != "mark"))
    return hmac.new(visit.token.encode(), of.encode(), "sha256").hexdigest()


def _progress_of(visit: Visit) -> dict[str, int]:
    given = visit.form or visit.query
    return {name: int(text) if (text := given.get(name, "")).isdecimal() and len(text) < 9 else 0 for name in _NUMBERS}


def _count_deliveries(visit: Visit, since: dict[str, str]) -> dict[str, int]:
    """Count the deliveries created since then by their status."""
    asked = ("delivered", "pending", "failed")
    return dict(zip(asked, visit.count([(API, {**since, "status": status}) for status in asked]), strict=True))


screens = mounted(Screen(HERE, show_replay, replay_some, role="developer", when=is_on))
