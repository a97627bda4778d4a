"""The dashboard's pages of imports: a file is uploaded, its columns are chosen, and its faults are corrected there."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from billycan import App, Context, Fault, Invalid
from billycan_users.api import Answer, Led, Screen, Shown, Visit, mounted, words

from .kinds import Kind, kinds, label, role_reaches, target_of, title_of

HERE, _PATH = "/dashboard/imports", "/v1/imports"
_MOST_SHOWN = 5  # of a draft's first rows
_MOST_BYTES = 10 * 1024 * 1024 + 65_536  # a file, with the rest of its form


def list_imports(visit: Visit) -> Answer:
    """The files that were imported, and the form for another."""
    page = {"page": number} if (number := visit.query.get("page")) else {}
    found = visit.call("GET", _PATH, {**page, "fields": "resource,status,dry_run,rows,fault_count,created_at"})
    offered = [(name, kind.title) for name, kind in _offered_kinds(visit).items()]
    values = {
        "imports": found["data"],
        "pagination": found["pagination"],
        "query": [*visit.query.items()],
        "titles": {name: kind.title for name, kind in _importable_kinds(visit.app).items()},
        "offered": sorted(offered, key=lambda pair: pair[1]),
        "chosen": visit.query.get("resource", ""),
    }
    return Shown("dashboard/imports.html", values)


def upload(visit: Visit) -> Answer:
    """Keep the file of the form as a draft, whose page shows what its columns become."""
    if (file := visit.files.get("file")) is None:
        raise Invalid.of(Fault("file", "required", "choose a file first"))
    form = visit.form
    asked = {"resource": form.get("resource", ""), "draft": "true"}
    if form.get("charset"):
        asked["charset"] = form["charset"]
    made = visit.call("POST", _PATH, asked, file.content)["data"]
    return Led(f"{HERE}/{made['id']}")


def show_import(visit: Visit, id: str) -> Answer:
    """Show a draft's columns, first rows and faults, the progress of an import, or a link to its records."""
    found = visit.call("GET", f"{_PATH}/{id}")["data"]
    kind = _importable_kinds(visit.app).get(found["resource"])
    may_import = found["resource"] in _offered_kinds(visit)
    values = {
        "import": found,
        "title": kind.title if kind else found["resource"],
        "made": _address_of_made(visit, kind, found) if kind else "",
        "share": 100 * found["rows_checked"] // found["rows"] if found["rows"] else 100,
        "may_import": may_import,
    }
    if found["status"] == "draft" and may_import:
        values |= _describe_draft(visit, found)
    return Shown("dashboard/import.html", values)


def change_draft(visit: Visit, id: str) -> Answer:
    """Do what the pressed button says: choose a draft's columns, correct its rows, check, import or cancel it."""
    form, path, does = visit.form, f"{_PATH}/{id}", visit.form.get("do", "")
    if does == "cancel":
        visit.call("POST", f"{path}/cancel", body={})
        return Led(HERE, "The import was cancelled. Nothing was imported.")
    if does in ("map", "check", "start"):
        visit.call("POST", f"{path}/map", body=_read_mapping(visit, visit.call("GET", path)["data"]))
    if does in ("mend", "save") and (rows := _read_corrections(form)):
        visit.call("POST", f"{path}/correct", body={"rows": rows})
    if does in ("check", "start", "mend"):
        try:
            visit.call("POST", f"{path}/start", body={"dry_run": does == "check"})
        except Invalid as problem:  # the columns are one part of the page
            raise Invalid.of(*(Fault("columns", each.code, each.message) for each in problem.details)) from problem
    after = f"?after={form['next']}#rows" if does == "save" and form.get("next", "").isdecimal() else ""
    return Led(f"{HERE}/{id}{after}", "The corrections are saved." if does == "save" else "")


def _read_mapping(visit: Visit, found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the mapping that the form chose, whose fields have the places of the columns."""
    form = visit.form
    chosen = {name: form.get(f"column-{place}", "") for place, name in enumerate(found["columns"])}
    return {
        "columns": {name: member for name, member in chosen.items() if member},
        "fixed": {name[6:]: text for name, text in form.items() if name.startswith("fixed-") and text.strip()},
        "dates": form.get("dates") or found["mapping"]["dates"],
        "once": form.get("shared") or None,
    }


def _read_corrections(form: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the corrections of the form: `cell-12-email` is a cell of row 12, and `out-12` leaves the row out."""
    rows: dict[int, dict[str, Any]] = {}
    for name, text in form.items():
        part, _, rest = name.partition("-")
        number, _, member = rest.partition("-")
        if part == "cell" and number.isdecimal():
            rows.setdefault(int(number), {"members": {}})["members"][member] = text
        elif part == "out" and number.isdecimal():
            rows.setdefault(int(number), {})["leave_out"] = True
    return [{"row": number, **row} for number, row in rows.items()]


def _describe_draft(visit: Visit, found: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the page of a draft shows: its columns with examples, the first rows, and those with faults."""
    from billycan_imports import api  # noqa: PLC0415 - there only where that plugin is

    path, mapping = f"{_PATH}/{found['id']}/rows", found["mapping"]
    first = visit.call("GET", path)["data"]
    ctx = Context(visit.app, visit.tenant_id, visit.identity, writes=False)
    members = api.importable_members(ctx, found["resource"])
    labels = {each.name: _label_of(each.name) for each in members}
    mapped = {*mapping["columns"].values()}
    order = dict.fromkeys([*map(mapping["columns"].get, found["columns"]), *mapping["fixed"]])
    becomes = [name for name in order if name in labels and any(name in row["members"] for row in first)]
    columns = [
        (place, name, list(dict.fromkeys(row["cells"][name] for row in first if name in row["cells"]))[:3])
        for place, name in enumerate(found["columns"])
    ]
    after = visit.query.get("after", "")
    after = after if after.isdecimal() else "0"
    faulty = visit.call("GET", path, {"faulty": "true", "after": after})["data"] if found["fault_count"] else []
    told = [fault["row"] for fault in found["faults"]]
    missing = [each.name for each in members if each.is_required and not _is_given(each.name, mapping)]
    return {
        "columns": columns,
        "labels": labels,
        "becomes": becomes,
        "first": first[:_MOST_SHOWN],
        "missing": missing,
        "needed": ", ".join(labels[name].lower() for name in missing),
        "has_dates": any(each.is_date and each.name in mapped for each in members),
        "fixable": [
            (each.name, labels[each.name], each.is_date, _choices(visit, found["resource"], each))
            for each in members
            if each.name not in mapped
            and (each.choices or each.is_required or each.is_date or each.name in mapping["fixed"])
        ],
        "faulty": faulty,
        "cells": [name for name in labels if any(fault["column"] == name for row in faulty for fault in row["faults"])],
        "next": faulty[-1]["row"] if faulty and max(told) > faulty[-1]["row"] else None,
        "told": len({*told} - {0}),
    }


def _is_given(name: str, mapping: Mapping[str, Any]) -> bool:
    """Tell whether a member, or a part of it, has a column or is the same in every row."""
    return any(each.partition(".")[0] == name for each in (*mapping["columns"].values(), *mapping["fixed"]))


def _choices(visit: Visit, resource: str, member: Any) -> list[tuple[str, str]]:
    """Return the values of a member that is the same in every row, with their words; empty if it can be any text."""
    if member.choices:
        return [(choice, words(choice)) for choice in member.choices]
    kind = _importable_kinds(visit.app).get(resource)
    target = target_of(visit.app, kind, member.name) if kind and member.name.endswith("_id") else None
    if target is None or not target.may(visit, "list"):
        return []
    found = visit.call("GET", target.path, {"per_page": 100, "fields": ",".join(target.titles)})["data"]
    return [(record["id"], title_of(target, record)) for record in found]


def _label_of(name: str) -> str:
    """Return a member's name as people read it: `billing_address.suburb` as `Billing address: suburb`."""
    first, *others = (label(part) for part in name.split("."))
    return ": ".join([first, *(part[:1].lower() + part[1:] for part in others)])


def import_page(visit: Visit, kind: Kind) -> str:
    """Return the page where the visitor can import records of this kind; empty if they cannot."""
    name = kind.path.rpartition("/")[2]
    return f"{HERE}?{urlencode({'resource': name})}" if is_on(visit.app) and name in _offered_kinds(visit) else ""


def is_on(app: App) -> bool:
    return ("POST", _PATH) in app.at


def _address_of_made(visit: Visit, kind: Kind, found: Mapping[str, Any]) -> str:
    """The list of the records that an import made: all of them were created when it finished, and hardly any other."""
    if not found["rows_imported"] or not kind.may(visit, "list"):
        return ""
    at = found["finished_at"]
    return f"{kind.page}?{urlencode({'created_at_from': at, 'created_at_to': at})}"


def _importable_kinds(app: App) -> dict[str, Kind]:
    """Map each importable resource, by its name in the API, to its kind."""
    of = kinds(app)
    return {name: of[path] for name in app.importable if (path := f"/v1/{name}") in of}


def _offered_kinds(visit: Visit) -> dict[str, Kind]:
    """Return the kinds that the visitor may import."""
    if not role_reaches(visit, visit.app.at["POST", _PATH]):
        return {}
    return {name: kind for name, kind in _importable_kinds(visit.app).items() if kind.may(visit, "make")}


screens = mounted(
    Screen(HERE, list_imports, upload, nav="Imports", group="Records", most_bytes=_MOST_BYTES, when=is_on),
    Screen(f"{HERE}/{{id}}", show_import, change_draft, most_bytes=_MOST_BYTES, when=is_on),
)
