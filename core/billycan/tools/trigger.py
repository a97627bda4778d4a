"""Events made to happen for real: the calls that led to one when the plugin's examples were recorded, made again."""

import re
from collections.abc import Mapping
from datetime import datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import sqlalchemy as sa

from .. import web
from ..app import App
from ..context import Context
from ..endpoints import endpoint_at
from ..events import unit_of_work
from ..fields import Moment
from ..keys import Identity
from ..reader import decode, decode_patch
from ..starting import packages
from ..starting.command import command_line
from ..tenants import tenants

_ID = re.compile(r"\b[a-z]{2,5}_[0-9a-z]{26,40}\b")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d.*(Z|[+-]\d\d:\d\d)")
_WEEK = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_GONE = object()


class CannotTrigger(Exception):
    """An event cannot be made to happen; the message says why."""


class _Call(msgspec.Struct, array_like=True):
    """A recorded call; `gives` tells where its answer has ids that later calls name."""

    at: datetime
    method: str
    path: str
    body: Any
    gives: dict[str, str]


class _Ways(msgspec.Struct):
    calls: list[_Call] = []
    ways: dict[str, list[int]] = {}


def ways(app: App) -> dict[str, list[_Call]]:
    """Map each event to the calls that make it happen, for every enabled plugin that recorded them."""
    found: dict[str, list[_Call]] = {}
    for file in map(packages.examples_of, app.manifests):
        if file and file.exists():  # there is none before the first recording
            recorded = msgspec.convert(web.parse(file.read_bytes()), _Ways)
            found |= {name: [recorded.calls[i] for i in way] for name, way in recorded.ways.items()}
    return found


def trigger(app: App, tenant_id: str, event: str) -> list[tuple[str, str]]:
    """Make `event` happen in a sandbox, with everything that leads to it; return the names and ids of its events.

    The records are new, and the calls are spread over time as they were when they were recorded, the last of them now.
    """
    if event not in app.events:
        raise CannotTrigger(f"no enabled plugin declares {event}; the events are: {', '.join(sorted(app.events))}")
    zone = ZoneInfo(_zone_of_sandbox(app, tenant_id))
    if by_itself := app.triggers.get(event):
        ctx = Context(app, tenant_id, _as_a_key(tenant_id))
        with unit_of_work(ctx):
            by_itself(ctx)
        return [(each.name, each.id) for each in ctx.events]
    if (way := ways(app).get(event)) is None:
        raise CannotTrigger(f"no recorded example leads to {event}: see billycan.testing.Recorder")
    if endpoint_at(app, way[-1].method, way[-1].path) is None:
        last = f"{way[-1].method} {_ID.sub('{id}', way[-1].path)}"
        raise CannotTrigger(
            f"the example of {event} ends with {last}, which no enabled plugin answers: enable the one that does"
        )
    clock, now, happened, known = app.clock, app.now(), [], dict[str, Any]()
    asking = Context(app, tenant_id, writes=False)
    ahead = asking.now() - asking._real_now  # nothing, unless the sandbox has a time of its own
    moved = _Moved((now + ahead).astimezone(zone), way[-1].at)
    try:
        for call in way:
            behind = way[-1].at - call.at
            app.clock = lambda behind=behind: now - behind  # type: ignore[misc]
            answer, events = _make_call(app, tenant_id, call, moved, known, Moment.of(now + ahead - behind))
            happened += events
            known |= {id: _value_at(answer, place) for id, place in call.gives.items()}
    finally:
        app.clock = clock
    return happened


def _zone_of_sandbox(app: App, tenant_id: str) -> str:
    """Return the time zone of a sandbox; refuse any other tenant."""
    with app.db.reading() as db:
        row = db.execute(sa.select(tenants).where(tenants.c.id == tenant_id)).first()
    if row is None:
        raise CannotTrigger(f"there is no tenant {tenant_id}: see `{command_line('tenants list')}`")
    if row.environment != "sandbox":
        raise CannotTrigger(f"{tenant_id} is live: use its sandbox, {row.paired_id}")
    zone: str = row.profile["timezone"]
    return zone


def _make_call(
    app: App, tenant_id: str, call: _Call, moved: "_Moved", known: Mapping[str, Any], at: Moment
) -> tuple[Any, list[tuple[str, str]]]:
    """Make a call as a key with every scope; return its answer and its events."""
    path, body = str(_now_called(call.path, known)), moved.body(_now_called(call.body, known))
    found = endpoint_at(app, call.method, path)
    if found is None:
        return None, []  # of a plugin that is off: what names its record goes without
    endpoint, ids = found
    signature, values = endpoint.signature, dict[str, Any]()
    if signature.patch:
        values["body"], _ = decode_patch(body or {}, signature.body, signature.shown)
    elif signature.body:
        values["body"] = decode(body or {}, signature.body, signature.shown)
    ctx = Context(app, tenant_id, _as_a_key(tenant_id), path=path)
    ctx._now = at  # a clock that stands would not spread the calls over time
    with unit_of_work(ctx):
        answer = endpoint.run(ctx, values, ids)
    return web.parse(web.encode(answer)), [(event.name, event.id) for event in ctx.events]


def _as_a_key(tenant_id: str) -> Identity:
    """Return a key of the sandbox with every scope."""
    return Identity(
        id="key_", tenant_id=tenant_id, environment="sandbox", name=None, scopes=("read", "write"),
        per_minute=1, per_second=1,
    )  # fmt: skip


def _now_called(value: Any, known: Mapping[str, Any]) -> Any:
    """Return a recorded path or body with the records' new ids; drop members that name a record that was not made."""
    if isinstance(value, dict):
        members = {name: _now_called(member, known) for name, member in value.items() if name != "external_id"}
        return {name: member for name, member in members.items() if member is not _GONE}
    if isinstance(value, list):
        return [item for item in (_now_called(item, known) for item in value) if item is not _GONE]
    if isinstance(value, str):
        if value in known and known[value] is None:
            return _GONE
        return _ID.sub(lambda id: str(known.get(id[0], id[0])), value)
    return value


def _value_at(answer: Any, place: str) -> Any:
    for name in place.split("."):
        if answer is None:
            return None
        answer = answer[int(name)] if isinstance(answer, list) else answer.get(name)
    return answer


class _Moved:
    """Moves dates, times and days of the week of a recorded body from the day it was recorded to today.

    A time keeps its hour in the business's own zone. A weekday moves along, so that staff who worked on the day of a
    booking still do.
    """

    def __init__(self, now: datetime, recorded: datetime) -> None:
        self.zone, self.days = now.tzinfo, (now.date() - recorded.date()).days

    def body(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: self.body(member) for name, member in value.items()}
        if isinstance(value, list):
            return [self.body(item) for item in value]
        if not isinstance(value, str):
            return value
        if value in _WEEK:
            return _WEEK[(_WEEK.index(value) + self.days) % 7]
        if _DAY.fullmatch(value):
            day = datetime.combine(datetime.fromisoformat(value), time())
            return (day + timedelta(days=self.days)).date().isoformat()
        if _TIME.fullmatch(value):
            moved = datetime.fromisoformat(value) + timedelta(days=self.days)
            return (moved if value.endswith("Z") else moved.replace(tzinfo=self.zone)).isoformat()
        return value
