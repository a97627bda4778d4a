"""The files of a record, on its page: shown, uploaded and deleted, of every resource alike."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from billycan import App, Fault, Invalid
from billycan_users.api import Answer, Led, Screen, Sent, Visit, mounted

from .kinds import ROOT, Kind, kind_at, page_of

_PATH = "/v1/attachments"
_MOST_SHOWN = 100
MOST_BYTES = 10 * 1024 * 1024 + 65_536  # a file, with the rest of its form
_IMAGES = ("image/jpeg", "image/png", "image/webp")


class Attached(Struct, frozen=True):
    """The files of a record as its page shows them; `total` may be more than there are in `files`."""

    files: list[dict[str, Any]]
    total: int
    may_add: bool
    may_delete: bool


def attached(visit: Visit, kind: Kind, id: str, *, is_open: bool) -> Attached | None:
    """The files of a record, which can be deleted where it is open to that; None where there are none to be shown."""
    if not is_on(visit.app) or not kind.prefix:
        return None
    found = visit.call("GET", _PATH, {"resource": id, "per_page": _MOST_SHOWN})
    may_add = may_attach(visit, kind)
    files = [{**file, "is_image": file["content_type"] in _IMAGES} for file in found["data"]]
    if not files and not may_add:
        return None
    return Attached(files, found["pagination"]["total"], may_add, may_add and is_open)


def may_attach(visit: Visit, kind: Kind) -> bool:
    """Tell whether the visitor may attach files to records of this kind."""
    if not is_on(visit.app) or not kind.prefix:
        return False
    return kind.may(visit, "change") if visit.identity.sees_only_own else visit.identity.holds(f"{kind.plugin}:write")


def list_pictures(visit: Visit, ids: Sequence[str]) -> Mapping[str, list[Mapping[str, Any]]]:
    """Map the ids of records to the pictures that are attached to them, oldest first; the newest 100 in all."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    if ids and is_on(visit.app):
        asked = {"resource": ",".join(ids), "content_type": ",".join(_IMAGES), "per_page": _MOST_SHOWN}
        for file in reversed(visit.call("GET", _PATH, asked)["data"]):
            found.setdefault(file["resource"], []).append(file)
    return found


def upload(visit: Visit, resource: str, id: str) -> Led:
    """Attach the file of the form."""
    kind = kind_at(visit, resource)
    if (file := visit.files.get("file")) is None:
        raise Invalid.of(Fault("file", "required", "choose a file first"))
    visit.call("POST", _PATH, {"resource": id, "filename": file.filename}, file.content)
    return Led(f"{kind.page}/{id}", "The file was attached.")


def download(visit: Visit, id: str) -> Sent:
    """The file itself, which pages show as a picture, with headers that keep it from ever being a page."""
    return visit.fetch(f"{_PATH}/{id}/content")


def delete(visit: Visit, id: str) -> Answer:
    """Delete a file, and show its record."""
    file = visit.call("GET", f"{_PATH}/{id}")["data"]
    visit.call("DELETE", f"{_PATH}/{id}")
    return Led(page_of(visit.app, file["resource"]) or ROOT, f"“{file['filename']}” was deleted.")


def is_on(app: App) -> bool:
    return "attachments" in app.manifests


_FILE = f"{ROOT}/attachments/{{id}}"
screens = mounted(
    Screen(_FILE, download, role="field", when=is_on),
    Screen(f"{_FILE}/delete", post=delete, on=_FILE, role="field", when=is_on),
)


def on_record(record: str) -> Screen:
    """The form of a record's page that takes a file."""
    return Screen(f"{record}/attachments", post=upload, on=record, role="field", most_bytes=MOST_BYTES, when=is_on)
