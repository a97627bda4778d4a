"""The list of a resource's records: its filters, its sorts and its CSV file."""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Literal, get_args, get_origin

from msgspec import Struct

from billycan import BadRequest, Fault
from billycan_users.api import Answer, Shown, Visit

from .bulk import actions_on_many
from .files import download_file
from .imports import import_page
from .kinds import (
    Kind,
    is_id,
    kind_at,
    label,
    page_of,
    title_of,
    url,
)
from .places import fill_place, scripts_of
from .shapes import options, parts

_NOT_FILTERS = {"page", "per_page", "cursor", "sort", "search", "fields", "include", "metadata", "updated_since"}
_NOT_NARROWING = {"page", "per_page", "cursor", "sort"}
_MOST_CHOICES = 3  # filters that are offered at once


class Filter(Struct, frozen=True):
    """A filter as its form shows it; `choices` are pairs of a value and its words."""

    name: str
    label: str
    form: str
    value: str
    choices: tuple[tuple[str, str], ...] = ()


def list_records(visit: Visit, resource: str) -> Answer:
    """A page of a list: its parameters are those of the API."""
    kind = kind_at(visit, resource)
    query = _asked(kind, visit.query)
    found, status = page_of_list(visit, kind.path, query)
    filters = [*_filters(kind, query)]
    first = [f for f in filters if f.form == "choice"][:_MOST_CHOICES]
    more = [f for f in filters if f not in first]
    values = {
        "importing": import_page(visit, kind),
        "kind": kind,
        "alarms": [member for member in kind.members if member.role == "alarm"],
        "records": found["data"],
        "title_of": title_of,
        "bulk": actions_on_many(visit, kind, found["data"]),
        "pagination": found["pagination"],
        "query": [*query.items()],
        "first": first,
        "more": more,
        "is_narrowed": bool(query.keys() - _NOT_NARROWING),
        "has_more_filters": any(f.value for f in more),
        "others": [(name, query[name]) for name in ("sort", "per_page") if name in query],
        "sorts": _sorts(kind, query),
        "page_of": lambda id: page_of(visit.app, id),
        "views": [*fill_place(visit, "list.view", kind.path, query)],
        "scripts": scripts_of(visit.app, kind.path, "list.view"),
        "new": url(f"{kind.page}/new", _chosen(kind, query)) if kind.may(visit, "make") else "",
    }
    return Shown("dashboard/list.html", values, status)


def page_of_list(visit: Visit, path: str, query: Mapping[str, str]) -> tuple[Any, int]:
    """A page of a list and its status: an empty one where the visitor must be told what cannot be asked for."""
    try:
        return visit.call("GET", path, query), 200
    except BadRequest as problem:
        visit.problem = problem
        told = problem.details or [Fault(problem.param or "", problem.code, problem.message)]
        visit.faults = {one.param: one.message.removeprefix(f"{one.param}: ") for one in told if one.param}
        nothing = {"page": 1, "per_page": 25, "total": 0, "has_more": False}
        return {"data": [], "pagination": nothing}, problem.status


def download_records(visit: Visit, resource: str) -> Answer:
    """Send the records of a list as a CSV file."""
    kind = kind_at(visit, resource)
    given = {name: value for name, value in visit.query.items() if name not in ("page", "per_page", "cursor")}
    return download_file(visit, kind.path, _asked(kind, given))


def _asked(kind: Kind, query: Mapping[str, str]) -> dict[str, str]:
    """Return a list's parameters for the API, with the plugin's sort if the visitor chose none."""
    found = {name: _written(kind.filters.get(name), value) for name, value in query.items() if value}
    return {"sort": kind.sort, **found} if kind.sort and not found.get("cursor") else found


def _written(type_: Any, value: str) -> str:
    """A filter's value as the API has it: people write an amount as they see it, `$1,210.00`."""
    return re.sub(r"[$,\s]", "", value) if type_ is not None and _is_number(type_) else value


def _chosen(kind: Kind, query: Mapping[str, str]) -> dict[str, str]:
    """Return the members that a new record takes over from a list that is narrowed by one id."""
    taken = kind.routes["make"].signature.body.__struct_encode_fields__
    return {name: id for name, id in query.items() if is_id(name) and name in taken and "," not in id}


def _sorts(kind: Kind, query: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """For each column that sorts: which way it does now, and the sort that a click asks for."""
    now = query.get("sort", "")
    found = {}
    for column in kind.columns:
        name = next((name for name in (column.name, f"{column.name}_name") if name in kind.sortable), None)
        if name:
            way = "ascending" if now == name else "descending" if now == f"-{name}" else ""
            found[column.name] = way, f"-{name}" if way == "ascending" else name
    return found


def _filters(kind: Kind, query: Mapping[str, str]) -> Iterator[Filter]:
    for name, type_ in kind.filters.items():
        # People have no ids: links lead to what these narrow.
        if name in _NOT_FILTERS or (name in kind.ids and name not in query):
            continue
        choices, form = _choices(type_)
        if not form:
            form = "number" if _is_number(type_) else "date" if name.endswith(("_from", "_to")) else "text"
        words = name.removesuffix("_from") if name.endswith("_from") else name.removesuffix("_to")
        suffix = " from" if name.endswith("_from") else " to" if name.endswith("_to") else ""
        yield Filter(name, (kind.labels.get(words) or label(words)) + suffix, form, query.get(name, ""), choices)


def _choices(type_: Any) -> tuple[tuple[tuple[str, str], ...], str]:
    for option in options(parts(type_)[0]):
        item = parts(get_args(option)[0])[0] if get_origin(option) is list else parts(option)[0]
        names = _literals(item)
        if names:
            return tuple((name, label(name)) for name in names), "choice"
        if item is bool:
            return (("true", "Yes"), ("false", "No")), "choice"
    return (), ""


def _literals(item: Any) -> list[str]:
    if get_origin(item) is Literal:
        return [str(value) for value in get_args(item)]
    return [name for option in options(item) if option is not item for name in _literals(parts(option)[0])]


def _is_number(type_: Any) -> bool:
    return any(parts(option)[0] in (Decimal, int) for option in options(parts(type_)[0]))
