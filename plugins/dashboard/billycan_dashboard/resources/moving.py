"""Moving what is planned: to another time, another day, or to somebody else; and back again."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import falcon
import msgspec
from msgspec import Struct

from billycan import App, Fault, Forbidden, Invalid, Problem
from billycan.fields import Moment
from billycan.web import encode
from billycan_users.api import Answer, ChangedMeanwhile, Led, Shown, Visit, moment

from . import forms
from .kinds import Kind, Member, kind_at, kinds, role_reaches, title_of, title_of_action, url

CALENDAR = "/dashboard/calendar"
TO_COME = ("", "info", "warn")  # the tones of a status in which something is still to be done
_BACK = re.compile(r"[\w=&-]{0,120}")
_LOCAL = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d")
_MOST_OFFERED = 6


class Undo(Struct, frozen=True):
    """A form that undoes a move: its address, what it says, and its fields."""

    action: str
    said: str
    fields: Mapping[str, str]


def planned(app: App) -> list[Kind]:
    """List the resources whose records have a start that can be changed."""
    return [kind for kind in kinds(app).values() if kind.playing("start") and _ways(kind)]


def may_move(visit: Visit, kind: Kind) -> bool:
    """Tell whether the visitor may move records of a resource."""
    return any(role_reaches(visit, endpoint) for _, endpoint in _ways(kind))


def _ways(kind: Kind) -> list[tuple[str, Any]]:
    """List the routes that set a start, each with the name of its action; the PATCH comes last."""
    start = kind.playing("start")
    found = [*kind.actions.items(), ("", kind.routes.get("change"))]
    return [(name, endpoint) for name, endpoint in found if endpoint and start and start.name in _asked(endpoint)]


def _asked(endpoint: Any) -> set[str]:
    body = endpoint.signature.body
    return {control.name for control in forms.controls(body)} if getattr(body, "__struct_fields__", None) else set()


def show_move(visit: Visit, resource: str, id: str) -> Answer:
    """Show the form that moves a record, with free times if the one that was chosen is taken."""
    kind = kind_at(visit, resource)
    record = visit.call("GET", f"{kind.path}/{id}")["data"]
    zone = visit.session.zone
    start, assignee = kind.playing("start"), kind.playing("assignee")
    if start is None or not _ways(kind):
        raise falcon.HTTPNotFound
    given = {"day": "", "time": "", "staff": " ".join(_staff_of(record, assignee))}
    if record[start.name]:
        local = Moment.read(record[start.name]).astimezone(ZoneInfo(zone))
        given |= {"day": f"{local:%Y-%m-%d}", "time": f"{local:%H:%M}"}
    else:
        given |= {"day": str(visit.today()), "time": "09:00"}
    has_changed = isinstance(visit.problem, ChangedMeanwhile)
    offered = msgspec.json.decode(encode(visit.problem.more.get("alternatives", ()))) if visit.problem else ()
    values = {
        "kind": kind,
        "title": title_of_action(kind, "Move" if record[start.name] else "Plan", title_of(kind, record), between=" "),
        "version": record["version"] if has_changed else visit.form.get("version") or record["version"],
        "given": {**given, **{name: visit.form[name] for name in given if name in visit.form}},
        "has_time": bool(record[start.name]),
        "staff": _choices(visit) if assignee else [],
        "alternatives": [_alternative(each[start.name], zone) for each in offered[:_MOST_OFFERED]],
        "page": f"{kind.page}/{id}",
        "back": _back(visit),
    }
    return Shown("dashboard/move.html", values)


def _alternative(start: str, zone: str) -> tuple[str, str]:
    """Return a free time as a form sends it, and in words."""
    return f"{Moment.read(start).astimezone(ZoneInfo(zone)):%Y-%m-%dT%H:%M}", moment(start, zone)


def move_record(visit: Visit, resource: str, id: str) -> Answer:
    """Move a record, and lead back to the calendar, which offers to undo that."""
    kind = kind_at(visit, resource)
    path = f"{kind.path}/{id}"
    before = visit.call("GET", path)["data"]
    start, end, assignee = (kind.playing(role) for role in ("start", "end", "assignee"))
    if start is None:
        raise falcon.HTTPNotFound
    begins = _asked_start(visit)
    staff = [each for each in visit.form.get("staff", "").split() if each]
    body: dict[str, Any] = {start.name: begins.isoformat()}
    if end and before[start.name] and before.get(end.name):
        lasts = Moment.read(before[end.name]) - Moment.read(before[start.name])
        body[end.name] = (begins + lasts).isoformat()
    elif end and (hours := visit.form.get("lasts", "").strip()):
        body[end.name] = (begins + timedelta(hours=_number(hours))).isoformat()
    if assignee and (staff or visit.form.get("staff") is not None):
        several = isinstance(before.get(assignee.name), list)
        if several or staff:
            body[assignee.name] = staff if several else staff[0]
    _carry_out(visit, kind, path, before, body)
    after = _back(visit)
    was = before[start.name]
    local = Moment.read(was).astimezone(ZoneInfo(visit.session.zone)) if was else None
    undo = {"moved": f"{resource}.{id}", "was": f"{local:%Y-%m-%dT%H:%M}" if local else ""}
    undo["by"] = ".".join(_staff_of(before, assignee))
    asked = dict(pair.split("=", 1) for pair in after.split("&") if "=" in pair)
    for gone in ("moved", "was", "by"):
        asked.pop(gone, None)
    said = f"{title_of(kind, before)} is now on {moment(begins.isoformat(), visit.session.zone)}."
    return Led(url(CALENDAR, asked | (undo if was else {})), said)


def _carry_out(visit: Visit, kind: Kind, path: str, before: Mapping[str, Any], body: Mapping[str, Any]) -> None:
    """Move the record by the first route that allows it, and change what that does not take, in one transaction."""
    allowed = before.get("allowed_actions") or ()
    ways = [(name, e) for name, e in _ways(kind) if (not name or name in allowed) and role_reaches(visit, e)]
    if not ways:
        raise Forbidden(f"This {kind.one} can no longer be moved, or your role may not move it.")
    name, endpoint = ways[0]
    first = {member: value for member, value in body.items() if member in _asked(endpoint)}
    change = kind.routes.get("change")
    rest = {m: v for m, v in body.items() if m not in first and v != before.get(m) and change and m in _asked(change)}
    to, method, version = f"{path}/{name}" if name else path, endpoint.route.method, forms.version(visit.form)
    try:
        if not rest:
            visit.call(method, to, body=first, version=version)
            return
        with visit.writing() as ctx:
            visit.app.call(visit.identity, method, to, body=encode(first), version=version, within=ctx)
            visit.app.call(visit.identity, "PATCH", path, body=encode(rest), within=ctx)
    except Problem as problem:
        if problem.code == "version_conflict":
            raise ChangedMeanwhile from None
        if problem.details:
            visit.faults["day"] = problem.details[0].message
            problem.details = []
        raise


def undo_of(visit: Visit) -> Undo | None:
    """Return the form that undoes the move that led here, if one did."""
    resource, _, id = visit.query.get("moved", "").partition(".")
    was = visit.query.get("was", "")
    kind = kinds(visit.app).get(f"/v1/{resource}")
    if kind is None or not _LOCAL.fullmatch(was) or not re.fullmatch(r"\w{1,60}", id):
        return None
    day, _, time = was.partition("T")
    fields = {"day": day, "time": time, "staff": visit.query.get("by", "").replace(".", " ")}
    return Undo(f"{CALENDAR}/{resource}/{id}", "Move it back", {**fields, "back": _back(visit)})


def _back(visit: Visit) -> str:
    """Return the parameters of the calendar that led here."""
    text = visit.form.get("back") or visit.query.get("back") or visit.query_string
    kept = [pair for pair in text.split("&") if re.fullmatch(r"(view|day|staff)=[\w-]{0,60}", pair)]
    return "&".join(kept)


def _asked_start(visit: Visit) -> datetime:
    """Return the time that the form asks for, in the business's time zone."""
    text = visit.form.get("free") or f"{visit.form.get('day', '')}T{visit.form.get('time', '')[:5]}"
    try:
        if not _LOCAL.fullmatch(text):
            raise ValueError(text)
        return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(visit.session.zone))
    except ValueError:
        raise Invalid.of(Fault("day", "invalid_value", "and time are needed, such as 9 December and 9:30")) from None


def _number(text: str) -> float:
    return float(text) if re.fullmatch(r"\d{1,2}(\.\d{1,2})?", text) and float(text) > 0 else 1


def _staff_of(record: Mapping[str, Any], assignee: Member | None) -> list[str]:
    value = record.get(assignee.name) if assignee else None
    return [*value] if isinstance(value, list) else [value] if value else []


def _choices(visit: Visit) -> list[tuple[str, str]]:
    listing = visit.app.at.get(("GET", "/v1/staff"))
    if listing is None or not role_reaches(visit, listing):
        return []
    asked = {"active": "true", "per_page": 100, "sort": "name", "fields": "id,name"}
    return [(each["id"], each["name"]) for each in visit.call("GET", "/v1/staff", asked)["data"]]
