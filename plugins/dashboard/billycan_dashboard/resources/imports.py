"""The dashboard's pages of imports, a resource: a file is uploaded and checked, and its faults are shown."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from billycan import App, Fault, Invalid
from billycan_users.api import Answer, Led, Screen, Shown, Visit, mounted

from .kinds import Kind, kinds, role_reaches

HERE, _PATH = "/dashboard/imports", "/v1/imports"
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
    """Import the file of the form, or have it checked only."""
    if (file := visit.files.get("file")) is None:
        raise Invalid.of(Fault("file", "required", "choose a file first"))
    form = visit.form
    asked = {"resource": form.get("resource", ""), "dry_run": "true" if form.get("dry_run") else "false"}
    if form.get("charset"):
        asked["charset"] = form["charset"]
    made = visit.call("POST", _PATH, asked, file.content)["data"]
    return Led(f"{HERE}/{made['id']}")


def show_import(visit: Visit, id: str) -> Answer:
    """Show the progress of an import, the faults of its rows, or a link to its records."""
    found = visit.call("GET", f"{_PATH}/{id}")["data"]
    kind = _importable_kinds(visit.app).get(found["resource"])
    values = {
        "import": found,
        "title": kind.title if kind else found["resource"],
        "made": _address_of_made(visit, kind, found) if kind else "",
        "share": 100 * found["rows_checked"] // found["rows"] if found["rows"] else 100,
        "may_import": found["resource"] in _offered_kinds(visit),
    }
    return Shown("dashboard/import.html", values)


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
    Screen(f"{HERE}/{{id}}", show_import, when=is_on),
)
