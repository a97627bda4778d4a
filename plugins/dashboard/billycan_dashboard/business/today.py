"""The day of one member of staff, for a phone: where to go, whom to call, what to tick, photos, and a signature."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any
from urllib.parse import quote_plus

from msgspec import Struct

from billycan import Forbidden, NotFound, Problem
from billycan_users.api import Answer, Led, Screen, Shown, Visit, mounted

from ..resources import attachments, changes
from ..resources.kinds import Kind, Member, action_label, kind_at, role_reaches, url, words_of
from ..resources.record_page import has_own_page
from . import calendar
from .calendar import TODAY, Entry

_MAP = "https://www.google.com/maps/search/?api=1&query="
_MOST_TRIES = 3


class Tick(Struct, frozen=True):
    """An item that is done or not, and what else is true of it, such as `Required`."""

    id: str
    text: str
    is_done: bool
    marks: Sequence[str]


class Stop(Struct, frozen=True):
    """An entry of one person's day: the record, where it is done, whom to call, and what can be done there.

    `leads` says whether the first of its actions is what a visitor most likely came for.
    """

    entry: Entry
    version: int
    address: str
    map: str
    phone: str
    notes: str
    ticks: Sequence[Tick]
    may_tick: bool
    pictures: Sequence[Mapping[str, Any]]
    may_attach: bool
    actions: Sequence[tuple[str, str, bool, Mapping[str, str]]]
    leads: bool


def show_today(visit: Visit) -> Answer:
    """Show one day of one member of staff: the visitor's own, unless they choose another."""
    if not calendar.may_see(visit):
        return Led("/dashboard")
    staff = calendar.list_staff(visit, mine=True)
    mine = next((id for id, _, email in calendar.find_staff(visit) if email and email == visit.session.email), "")
    chosen = visit.query.get("staff") or mine or (staff[0][0] if staff else "")
    day = calendar.read_day(visit.query.get("day", "")) or visit.today()
    entries = [*calendar.list_entries(visit, day, day, chosen)]
    pictures = attachments.list_pictures(visit, [entry.id for entry in entries])
    values = {
        "staff": staff if len(staff) > 1 else [],
        "is_planned": bool(staff) or not visit.identity.sees_only_own,
        "chosen": chosen,
        "day": day,
        "said": calendar.say_day(day),
        "is_today": day == visit.today(),
        "before": url(TODAY, {"day": day - timedelta(days=1), "staff": chosen}),
        "after": url(TODAY, {"day": day + timedelta(days=1), "staff": chosen}),
        "here": url("", {"day": day, "staff": chosen}),
        "stops": [_show_stop(visit, entry, pictures.get(entry.id, ())) for entry in entries],
    }
    return Shown("dashboard/today.html", values, frames=True)  # an invoice made here may be emailed here


def tick_item(visit: Visit, resource: str, id: str) -> Answer:
    """Tick an item of a record, or take its tick away; other items stay as they are by then."""
    kind, item, done = kind_at(visit, resource), visit.form.get("item", ""), visit.form.get("done") == "yes"
    for left in reversed(range(_MOST_TRIES)):
        record = visit.call("GET", f"{kind.path}/{id}")["data"]
        member, part = next(((m, p) for m, p in _lists_to_tick(kind) if item in _ids_of(record, m)), (None, None))
        if member is None or part is None:
            raise NotFound
        rows = [{"id": each} | ({part.name: done} if each == item else {}) for each in _ids_of(record, member)]
        try:
            visit.call("PATCH", f"{kind.path}/{id}", body={member.name: rows}, version=record["version"])
            break
        except Problem as problem:
            if problem.code != "version_conflict" or not left:
                raise
    return Led(_page_of(visit))


def add_picture(visit: Visit, resource: str, id: str) -> Answer:
    """Attach the picture of the form, and show the day again."""
    led = attachments.upload(visit, resource, id)
    return Led(_page_of(visit), led.said)


def take_action(visit: Visit, resource: str, id: str, action: str) -> Answer:
    """Carry out an action, and show the day again unless it made something that has a page of its own."""
    answer = changes.take_action(visit, resource, id, action)
    if isinstance(answer, Led) and answer.path == f"{kind_at(visit, resource).page}/{id}":
        return Led(_page_of(visit), answer.said)
    return answer


def _page_of(visit: Visit) -> str:
    return f"{TODAY}?{visit.query_string}" if visit.query_string else TODAY


def _show_stop(visit: Visit, entry: Entry, pictures: Sequence[Mapping[str, Any]]) -> Stop:
    kind = entry.kind
    record = visit.call("GET", f"{kind.path}/{entry.id}")["data"]
    client = _find_client(visit, record)
    address = next((record[m.name] for m in kind.members if m.form == "address" and record.get(m.name)), None)
    said = record.get("location") or _write_address(address) or _write_address(client.get("billing_address"))
    possible = [name for name in record.get("allowed_actions") or () if name in kind.actions]
    first = [name for name in possible if words_of(kind, name).weight != "ends"]
    return Stop(
        entry=entry,
        version=record["version"],
        address=said,
        map=f"{_MAP}{quote_plus(said)}" if said else "",
        phone=client.get("phone") or "",
        notes=record.get("notes") or record.get("description") or "",
        ticks=[*_show_ticks(kind, record)],
        may_tick=kind.may(visit, "change"),
        pictures=pictures,
        may_attach=attachments.may_attach(visit, kind),
        actions=[
            each
            for name in sorted(first, key=lambda name: _place_of(kind, name))
            if role_reaches(visit, kind.actions[name])
            for each in _buttons(kind, name)
        ],
        leads=any(words_of(kind, name).weight == "main" and role_reaches(visit, kind.actions[name]) for name in first),
    )


def _place_of(kind: Kind, name: str) -> tuple[bool, bool]:
    """Place what goes on with the work before what makes something else of it, and both before what is done beside."""
    told = words_of(kind, name)
    return told.weight != "main", bool(told.buttons)


def _buttons(kind: Kind, name: str) -> Iterator[tuple[str, str, bool, Mapping[str, str]]]:
    """Yield an action, its words, whether it asks for more, and what it sends: the short ways come alone."""
    for label, sent in words_of(kind, name).buttons.items():
        yield name, label, False, sent
    if not words_of(kind, name).buttons:
        yield name, action_label(kind, name), has_own_page(kind, kind.actions[name], name), {}


def _lists_to_tick(kind: Kind) -> Iterator[tuple[Member, Member]]:
    """Yield the lists of a kind whose items people tick, each with the member that is the tick."""
    for member in kind.members:
        done = next((part for part in member.parts if part.role == "done"), None)
        if member.form == "table" and done is not None:
            yield member, done


def _show_ticks(kind: Kind, record: Mapping[str, Any]) -> Iterator[Tick]:
    for member, done in _lists_to_tick(kind):
        texts = [part.name for part in member.parts if part.form == "text"]
        marks = [part for part in member.parts if part.form == "yes" and part is not done]
        for row in record.get(member.name) or ():
            text = next((row[name] for name in texts if row.get(name)), "")
            yield Tick(row["id"], text, row[done.name], [each.label for each in marks if row[each.name]])


def _ids_of(record: Mapping[str, Any], member: Member) -> list[str]:
    return [row["id"] for row in record.get(member.name) or ()]


def _find_client(visit: Visit, record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the client of a record, as far as the visitor may read it."""
    id = record.get("client_id")
    try:
        found: Mapping[str, Any] = visit.call("GET", f"/v1/contacts/{id}")["data"] if id else {}
    except (Forbidden, NotFound):
        return {}
    return found


def _write_address(address: Mapping[str, Any] | None) -> str:
    names = ("line1", "line2", "suburb", "state", "postcode")
    if not address:
        return ""
    street = [str(address[name]) for name in names[:2] if address.get(name)]
    place = " ".join(str(address[name]) for name in names[2:] if address.get(name))
    return ", ".join(filter(None, (*street, place)))


_STOP = f"{TODAY}/{{resource}}/{{id}}"
screens = mounted(
    Screen(TODAY, show_today, role="field", when=calendar.is_on, live=True),
    Screen(f"{_STOP}/tick", post=tick_item, on=TODAY, role="field", when=calendar.is_on),
    Screen(
        f"{_STOP}/attachments",
        post=add_picture,
        on=TODAY,
        role="field",
        most_bytes=attachments.MOST_BYTES,
        when=lambda app: calendar.is_on(app) and attachments.is_on(app),
    ),
    Screen(f"{_STOP}/{{action}}", post=take_action, on=TODAY, role="field", when=calendar.is_on),
)
