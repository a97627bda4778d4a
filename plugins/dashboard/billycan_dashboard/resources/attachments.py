"""The files of a record, on its page: shown, uploaded and deleted, of every resource alike."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from msgspec import Struct, structs

from billycan import App, Fault, Invalid
from billycan_users.api import Answer, Led, Screen, Sent, Visit, mounted

from . import thumbnails
from .kinds import ROOT, Kind, kind_at, page_of

_PATH = "/v1/attachments"
_MOST_SHOWN = 100
SAYS = "says"  # the field of the boxes beside a file
MOST_BYTES = 10 * 1024 * 1024 + 65_536  # a file, with the rest of its form
_IMAGES = ("image/jpeg", "image/png", "image/webp")


class Attached(Struct, frozen=True):
    """The files of a record as its page shows them; `total` may be more than there are in `files`.

    `says` are the boxes beside the field, by their numbers, that would change the record.
    """

    files: list[dict[str, Any]]
    total: int
    may_add: bool
    may_delete: bool
    says: Sequence[tuple[int, str]]


def attached(visit: Visit, kind: Kind, record: Mapping[str, Any], *, is_open: bool) -> Attached | None:
    """The files of a record, which can be deleted where it is open to that; None where there are none to be shown."""
    if not is_on(visit.app) or not kind.prefix:
        return None
    found = visit.call("GET", _PATH, {"resource": record["id"], "per_page": _MOST_SHOWN})
    may_add = may_attach(visit, kind)
    files = [{**file, "is_image": file["content_type"] in _IMAGES} for file in found["data"]]
    if not files and not may_add:
        return None
    says = [
        (i, label)
        for i, (label, sets) in enumerate(kind.attaches.items())
        if any(record.get(name) != value for name, value in sets.items())
    ]
    return Attached(files, found["pagination"]["total"], may_add, may_add and is_open, says)


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
    attach(visit, id, file.filename, file.content)
    record = visit.call("GET", f"{kind.path}/{id}")["data"] if kind.attaches else {}
    told = {name: value for name, value in said(visit, kind).items() if record.get(name) != value}
    if told:
        visit.call("PATCH", f"{kind.path}/{id}", body=told, version=record["version"])
    return Led(f"{kind.page}/{id}", "The file was attached.")


def attach(visit: Visit, id: str, filename: str, content: bytes) -> None:
    visit.call("POST", _PATH, {"resource": id, "filename": filename}, content)


def said(visit: Visit, kind: Kind) -> dict[str, Any]:
    """Return the members that the ticked boxes beside a file set."""
    ticked = visit.form.get(SAYS, "").split()
    chosen = (sets for i, sets in enumerate(kind.attaches.values()) if str(i) in ticked)
    return {name: value for sets in chosen for name, value in sets.items()}


def download(visit: Visit, id: str) -> Sent:
    """The file itself, which pages show as a picture, with headers that keep it from ever being a page.

    With `?small=yes`, the small picture within it, if there is one.
    """
    sent = visit.fetch(f"{_PATH}/{id}/content")
    if not visit.query.get("small") or sent.content_type != "image/jpeg" or isinstance(sent.body, bytes):
        return sent
    pieces, head = iter(sent.body), b""
    while len(head) < thumbnails.MOST_BYTES and (piece := next(pieces, b"")):
        head += piece
    small = thumbnails.find_thumbnail(head)
    if small is None:
        return structs.replace(sent, body=chain((head,), pieces))
    if close := getattr(pieces, "close", None):
        close()
    headers = {name: text for name, text in sent.headers.items() if name not in ("Content-Length", "ETag")}
    return Sent(small, sent.content_type, {**headers, "Cache-Control": "private, max-age=31536000, immutable"})


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
