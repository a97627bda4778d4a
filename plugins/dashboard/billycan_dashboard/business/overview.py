"""The page that a business opens first: a card for each thing that its plugins tell at a glance."""

import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from msgspec import Struct

from billycan import Manifest, RecordPages
from billycan.web import in_turns
from billycan_users.api import Answer, Led, Screen, Shown, Visit, day, moment, money, mounted

from ..resources import attachments
from ..resources.kinds import Kind, Member, action_label, kinds, naming, page_at, role_reaches, title_of, url, words_of
from ..resources.record_page import has_own_page
from . import calendar
from .first_steps import first_steps, put_aside

_MOST_WAITING = 3  # records of each kind that are named


class Waiting(Struct, frozen=True):
    """Records that wait for somebody: how many there are, the page that lists them, and the first of them."""

    title: str
    total: int
    page: str
    rows: list["WaitingRecord"]


class WaitingRecord(Struct, frozen=True):
    """A record that waits for somebody: what it is called and about, its page, and the action to take.

    `action` is where the buttons send what they say; without any, the page that `words` lead to.
    """

    title: str
    about: str
    more: str
    page: str
    version: int
    action: str
    words: str
    buttons: Mapping[str, Mapping[str, str]]


def show_overview(visit: Visit) -> Answer:
    if visit.identity.sees_only_own and calendar.is_on(visit.app) and calendar.may_see(visit):
        return Led(calendar.TODAY)  # nothing here is of one person alone
    cards, steps = [*_show_cards(visit)], first_steps(visit)
    values = {
        "waiting": [*_find_waiting(visit)],
        "cards": cards,
        "page_at": lambda path: page_at(visit.app, path),
        "first": None if steps else _first_kind(visit),  # the steps say so, too
        "steps": steps,
    }
    return Shown("dashboard/overview.html", values)


def _find_waiting(visit: Visit) -> Iterator[Waiting]:
    """Yield what waits for somebody: all is counted in one statement, and only what there is is listed."""
    of = kinds(visit.app)
    asked = [
        (pages.path, each, {name: _address_of_filter(visit, value) for name, value in each.filters.items()})
        for manifest in visit.app.manifests.values()
        for pages in sorted(manifest.records, key=lambda pages: pages.order)
        for each in pages.attention
        if (listing := visit.app.at.get(("GET", pages.path))) is not None and role_reaches(visit, listing)
        # Nobody can take an action of a plugin that is off, and the records would wait for ever.
        if not each.action or pages.path not in of or each.action in of[pages.path].actions
    ]
    order = {path: place for place, path in enumerate(of)}
    asked.sort(key=lambda one: order.get(one[0], len(order)))
    totals = visit.count([(path, filters) for path, _, filters in asked])
    for (path, each, filters), total in in_turns(zip(asked, totals, strict=True)):
        if total:
            kind = of.get(path)
            page = url(each.page or (kind.page if kind else ""), filters)
            rows = [*_first_waiting(visit, kind, each, filters)] if kind else []
            yield Waiting(each.title, total, page, rows)


def _find_buttons(kind: Kind, action: str) -> Mapping[str, Mapping[str, str]]:
    """Return the buttons that carry out an action at once, with what they send; none if it asks for more."""
    if buttons := words_of(kind, action).buttons:
        return buttons
    return {} if has_own_page(kind, kind.actions[action], action) else {action_label(kind, action): {}}


def _address_of_filter(visit: Visit, value: str) -> str:
    days = re.fullmatch(r"\{(\d{1,4})\}", value)
    return str(visit.today() - timedelta(days=int(days[1]))) if days else value


def _first_waiting(
    visit: Visit, kind: Kind, each: RecordPages.Attention, filters: Mapping[str, str]
) -> Iterator[WaitingRecord]:
    shown = {column.name: column.form for column in kind.columns}
    amount = next((name for name, form in shown.items() if form == "money"), "")
    on = _find_day(kind, each)
    has_action = each.action in kind.actions and role_reaches(visit, kind.actions[each.action])
    takes_file = not has_action and _is_settled_by_file(kind, each) and attachments.may_attach(visit, kind)
    buttons = _find_buttons(kind, each.action) if has_action else {}
    told_by = filter(None, (amount, on.name if on else ""))
    names = dict.fromkeys(("id", "version", *naming(kind), *told_by, *(c for c in ("client",) if c in shown)))
    query = {**filters, "per_page": _MOST_WAITING, "fields": ",".join(names)}
    for record in visit.call("GET", kind.path, query | ({"sort": each.sort} if each.sort else {}))["data"]:
        page, title = f"{kind.page}/{record['id']}", title_of(kind, record)
        told = (*(record.get(name) for name in kind.titles), (record.get("client") or {}).get("name"))
        action = f"{page}/{each.action}" if has_action else f"{page}#files" if takes_file else ""
        facts = (money(record[amount]) if record.get(amount) else "", _say_day(visit, on, record) if on else "")
        yield WaitingRecord(
            title=title,
            about=" · ".join(str(text) for text in told if text and str(text) not in title),
            more=" · ".join(filter(None, facts)),
            page=page,
            version=record["version"],
            action=action if buttons or takes_file or not action else url(action, {"version": record["version"]}),
            words=action_label(kind, each.action) if has_action else "Attach a file",
            buttons=buttons,
        )


def _find_day(kind: Kind, each: RecordPages.Attention) -> Member | None:
    """Return the member by which records wait, if that is a day or a time; or else the first day of their list."""
    by = each.sort.removeprefix("-")
    sorted_by = (member for member in kind.members if member.name == by and member.form in ("day", "moment"))
    return next(sorted_by, None) or next((column for column in kind.columns if column.form == "day"), None)


def _say_day(visit: Visit, on: Member, record: Mapping[str, Any]) -> str:
    value = record.get(on.name)
    said = day(value) if on.form == "day" else moment(value, visit.session.zone)
    return f"{on.label}: {said}" if value else ""


def _is_settled_by_file(kind: Kind, each: RecordPages.Attention) -> bool:
    """Tell whether a file that is attached, and says what it is, sets a member by which these records wait."""
    return any(each.filters.keys() & sets.keys() for sets in kind.attaches.values())


def _first_kind(visit: Visit) -> Kind | None:
    """The resource that a business begins with, while it has none of it and the visitor may make some."""
    kind = next(iter(kinds(visit.app).values()), None)
    if kind is None or not kind.may(visit, "list") or not kind.may(visit, "make"):
        return None
    found = visit.call("GET", kind.path, {"per_page": 1, "fields": "id"})
    return None if found["pagination"]["total"] else kind


def _show_cards(visit: Visit) -> Iterator[Manifest.Card]:
    """Yield the cards of plugins whose records the visitor may read, computed from all of a business's records."""
    if visit.identity.sees_only_own:
        return
    with visit.reading() as ctx:
        for manifest in visit.app.manifests.values():
            if manifest.cards and ctx.may_read(manifest.name):
                yield from (card for make in in_turns(manifest.cards) if (card := make(ctx)))


screens = mounted(
    Screen("/dashboard", show_overview, role="field", nav="Overview", live=True),
    Screen("/dashboard/first-steps/aside", post=put_aside, role="field", on="/dashboard"),
)
