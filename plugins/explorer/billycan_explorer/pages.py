"""The page and its files: served as they are, revalidated at each visit, and isolated from other sites."""

import hashlib
from importlib.resources import files

import falcon
from msgspec import Struct

from billycan import App

from .settings import Settings

PAGE, ASSETS = "/explore", "/explore/{name}"
KEYS = "/dashboard/keys/explorer"  # the dashboard, if it is on, gives signed-in people a sandbox key here
VISIT = 15  # files of a visit, or slightly fewer: an address may visit the page as often as it may call without a key

_TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
    " connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none';"
    " require-trusted-types-for 'script'; trusted-types 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex, nofollow",
}


class File(Struct, frozen=True):
    """The body and headers sent for a path."""

    body: bytes
    content_type: str
    tag: falcon.ETag


class Document:
    """The page itself, at `/explore`."""

    def __init__(self, app: App) -> None:
        self.app = app
        folder = files(__package__).joinpath("page")
        live = b"true" if app.settings_of(Settings).live else b"false"
        page = folder.joinpath("index.html").read_bytes().replace(b'data-live=""', b'data-live="%s"' % live)
        if KEYS in app.page_paths:
            page = page.replace(b'data-keys=""', b'data-keys="%s"' % KEYS[1:].encode())
        self.page = _build_file(page, "text/html; charset=utf-8")
        kinds = ((f.name, _TYPES.get(f.name.rpartition(".")[2])) for f in folder.iterdir())
        self.assets = {name: _build_file(folder.joinpath(name).read_bytes(), kind) for name, kind in kinds if kind}

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        self._send_file(req, resp, self.page)

    def _send_file(self, req: falcon.Request, resp: falcon.Response, file: File | None) -> None:
        resp.set_headers(_HEADERS)
        limits = self.app.settings
        self.app.count_visit("explorer", req, VISIT * limits.per_minute, VISIT * limits.per_second)
        if file is None:
            raise falcon.HTTPNotFound
        resp.etag = file.tag
        resp.cache_control = ["no-cache"]
        if file.tag in (req.if_none_match or ()) or "*" in (req.if_none_match or ()):
            resp.status = falcon.HTTP_304
        else:
            resp.data, resp.content_type = file.body, file.content_type


class Asset(Document):
    """The files of the page, at `/explore/{name}`."""

    def on_get(self, req: falcon.Request, resp: falcon.Response, name: str) -> None:  # type: ignore[override]
        self._send_file(req, resp, self.assets.get(name))


def _build_file(body: bytes, content_type: str) -> File:
    return File(body, content_type, falcon.ETag(hashlib.sha256(body).hexdigest()[:20]))
