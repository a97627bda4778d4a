"""The records that a field of a form offers while somebody types, as JSON for its script."""

from collections.abc import Mapping
from typing import Any

from billycan import Problem
from billycan.sql import fold
from billycan.web import encode
from billycan_users.api import Answer, Screen, Sent, Visit, money

from .kinds import Kind, Member, described_as, kind_at, naming_choices

_MOST, _MOST_LOOKED_AT, _MOST_LETTERS = 8, 50, 200


def suggest_records(visit: Visit, resource: str) -> Answer:
    """Answer the records that match `q`, or the one with the `id`; each with the members that are named in `fills`."""
    kind = kind_at(visit, resource)
    members = {member.name for member in kind.members}
    fills = [name for name in visit.query.get("fills", "").split(",") if name in members]
    more = [member.name for member in kind.members if _tells_apart(kind, member)]
    names = ",".join(dict.fromkeys((*naming_choices(kind), *fills, *more)))
    try:
        if id := visit.query.get("id"):
            found = [visit.call("GET", f"{kind.path}/{id}", {"fields": names})["data"]]
        else:
            found = _matching(visit, kind, visit.query.get("q", "").strip()[:_MOST_LETTERS], names)
    except Problem as problem:
        return Sent(encode({"problem": problem.message}), "application/json", status=problem.status)
    return Sent(encode([_offer(kind, record, fills, more) for record in found]), "application/json")


def _matching(visit: Visit, kind: Kind, text: str, names: str) -> list[Mapping[str, Any]]:
    """Return the records that match a text: those that begin with it first, or have it as their code."""
    query: dict[str, Any] = {"per_page": _MOST_LOOKED_AT if text else _MOST, "fields": names, **kind.offered}
    if text and "search" in kind.filters:
        query["search"] = text
    if kind.titles and kind.titles[0] in kind.sortable:
        query["sort"] = kind.titles[0]
    wanted = fold(text)

    def place(record: Mapping[str, Any]) -> int:
        texts = [fold(value) for value in record.values() if isinstance(value, str)]
        if wanted in texts:
            return 0
        return 1 if fold(described_as(kind, record)).startswith(wanted) else 2

    return sorted(visit.call("GET", kind.path, query)["data"], key=place)[:_MOST]


def _offer(kind: Kind, record: Mapping[str, Any], fills: list[str], more: list[str]) -> dict[str, Any]:
    title = described_as(kind, record)
    told = [record[name] if isinstance(record[name], str) else money(record[name]) for name in more if record.get(name)]
    filled = {name: "" if record.get(name) is None else str(record[name]) for name in fills}
    return {"id": record["id"], "title": title, "more": " · ".join(told), "fills": filled}


def _tells_apart(kind: Kind, member: Member) -> bool:
    """Tell whether a member distinguishes records of one title: an address, an amount, or a code to filter by."""
    is_code = member.form == "text" and member.is_short and member.name in kind.filters
    is_told = member.meaning.kind in ("email", "phone") or member.role == "amount" or is_code
    return is_told and member.name not in kind.titles


SUGGEST = "/dashboard/suggest/{resource}"
screen = Screen(SUGGEST, suggest_records, role="field")
