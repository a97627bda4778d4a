"""The feed behind a link: what its person may read of what is planned, as their role is now."""

import hashlib
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from itertools import islice
from typing import Any

import falcon
import msgspec

from billycan import App, BadRequest, Context, Forbidden, Identity, NotFound, Problem
from billycan_users.api import page_address

from .icalendar import MEDIA_TYPE, write_calendar
from .links import find_reader

PER_MINUTE, PER_SECOND = 60, 10  # feeds that an address may read; the services that read for many have many addresses
BEHIND, AHEAD = timedelta(days=30), timedelta(days=365)
MOST_ENTRIES = 5_000
_STEP = timedelta(days=92)  # the most days that the calendar lists at a time
_decode = msgspec.json.Decoder().decode


class FeedPage:
    """The Falcon resource of a feed. Whatever is wrong with a link, the answer is the same."""

    is_entrance = False

    def __init__(self, app: App) -> None:
        self.app = app

    def on_get(self, req: falcon.Request, resp: falcon.Response, secret: str) -> None:
        self.app.count_visit("feeds", req, PER_MINUTE, PER_SECOND)
        reader = find_reader(self.app, secret)
        self.app.take_share(req, reader.tenant_id, is_visited=True)
        body = write_feed(self.app, reader, req.context.request_id)
        tag = hashlib.sha256(body).hexdigest()[:32]
        resp.set_headers({**_HEADERS, "ETag": f'"{tag}"', "Cache-Control": "private, no-cache"})
        if any(str(known) in ("*", tag) for known in req.if_none_match or ()):
            resp.status = falcon.HTTP_304
        else:
            resp.data, resp.content_type = body, MEDIA_TYPE

    def refuse(self, resp: falcon.Response, problem: Problem) -> None:
        """Write a problem as plain text: a calendar shows at most its status."""
        resp.set_headers(_HEADERS)
        resp.text, resp.content_type = f"{problem.message}\n", "text/plain; charset=utf-8"


_HEADERS = {"X-Robots-Tag": "noindex, nofollow", "Referrer-Policy": "no-referrer"}


def write_feed(app: App, reader: Identity, request_id: str) -> bytes:
    """Return the calendar file of a person: 30 days back and a year ahead, cancelled entries included."""
    ctx = Context(app, reader.tenant_id, reader, writes=False)
    with app.db.reading(reader.tenant_id) as ctx.db:
        name, today = ctx.tenant.name, ctx.today()
    found: dict[str, Mapping[str, Any]] = {}  # what spans two steps is listed in both
    for entry in islice(_list_planned(app, reader, today, request_id), MOST_ENTRIES):
        found[entry["id"]] = entry
    entries = sorted(found.values(), key=lambda entry: (entry["start_at"], entry["id"]))
    pages = {path.rpartition("/")[2]: page_address(app, f"/dashboard{path[3:]}") for path in app.prefixes.values()}
    return write_calendar(name, entries, pages if "dashboard" in app.manifests else {})


def _list_planned(app: App, reader: Identity, today: date, request_id: str) -> Iterator[Mapping[str, Any]]:
    """Yield what is planned, the next days first, because these are what a feed must have if it cannot have all."""
    days = [(today + i * _STEP, today + min((i + 1) * _STEP, AHEAD + timedelta(1)) - timedelta(1)) for i in range(4)]
    for first, last in [*days, (today - BEHIND, today - timedelta(days=1))]:
        yield from _list_between(app, reader, first, last, request_id)


def _list_between(app: App, reader: Identity, first: date, last: date, request_id: str) -> Iterator[Mapping[str, Any]]:
    asked = {"from": first, "to": last, "cancelled": "true"}
    try:
        answer = app.call(reader, "GET", "/v1/calendar", asked, request_id=request_id)
    except Forbidden:  # the role may read nothing that is planned
        raise NotFound from None
    except BadRequest:  # more than the calendar lists at a time
        if first < last:
            middle = first + (last - first) // 2
            yield from _list_between(app, reader, first, middle, request_id)
            yield from _list_between(app, reader, middle + timedelta(days=1), last, request_id)
        return
    yield from _decode(answer.body)["data"]
