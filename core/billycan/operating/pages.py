"""Core's own pages under /-/, most of them for the people who run a deployment."""

import logging
from collections.abc import Callable
from concurrent.futures import Future
from functools import cache
from importlib.resources import files
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

import falcon
import msgspec
import sqlalchemy as sa

from .. import web
from ..db import reason
from ..defaults import envelope
from ..people import Home
from ..problems import RouteNotFound, Unavailable
from ..starting import versions
from . import disks, metrics

if TYPE_CHECKING:
    from ..app import App

log = logging.getLogger("billycan")

READY_SECONDS = 0.8  # of patience, so that a monitor with a second has its answer


class Health:
    """The page that shows that this process answers."""

    def __init__(self, app: "App") -> None:
        self.app = app

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        _write_json(resp, {"status": "ok"})


class Ready(Health):
    """The page that shows that this process can work: the database answers, its schema is current, and disks have room.

    It answers within a second, whatever hangs. Visitors that come while one look is under way share its result.
    """

    def __init__(self, app: "App") -> None:
        super().__init__(app)
        self._turn, self._look = Lock(), Future[str]()
        self._look.set_result("")

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        if cause := self._find_cause():
            problem = Unavailable(cause)
            problem.request_id = req.context.request_id
            resp.status = falcon.HTTP_503
            resp.set_headers(problem.headers)
            body = msgspec.structs.asdict(envelope(data=None, page=None, problem=problem))
            _write_json(resp, {"status": "unavailable", **body})
        else:
            _write_json(resp, {"status": "ok"})

    def _find_cause(self) -> str:
        """Return why this process cannot work; an empty text if it can."""
        with self._turn:
            if self._look.done():
                self._look = Future()
                # A thread that still waits for its answer keeps no process from ending.
                Thread(target=self._report_look, args=(self._look,), daemon=True).start()
            look = self._look
        try:
            return look.result(READY_SECONDS)
        except TimeoutError:
            log.warning("not ready: the database has not answered within %s s", READY_SECONDS)
            return f"The database has not answered within {READY_SECONDS} seconds."

    def _report_look(self, look: "Future[str]") -> None:
        try:
            look.set_result(self._look_around())
        except BaseException as error:  # noqa: BLE001 - raised where the result is awaited
            look.set_exception(error)

    def _look_around(self) -> str:
        for disk in disks.measure_disks(self.app):
            if disk.is_full:
                log.warning("not ready: the disk of %s is full", disk.folder)
                return f"The disk of the {disk.use} folder is full."
        try:
            versions.check_schema(self.app.db, self.app.manifests)
        except sa.exc.SQLAlchemyError as error:
            log.warning("not ready: %s", reason(error))
            return "The database cannot be reached."
        except versions.SchemaBehind as error:
            log.warning("not ready: %s", error)
            return "The database's tables are of another version than the code."
        return ""


class Plugins(Health):
    """The enabled plugins; for loopback and operators only."""

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        if not self.app.is_operator(req):
            raise RouteNotFound
        shown = [
            {
                "name": m.name,
                "requires": m.requires,
                "uses": m.uses,
                "routes": len(m.routes),
                "events": sorted(m.events),
            }
            for m in self.app.manifests.values()
        ]
        _write_json(resp, {"plugins": shown})


class Metrics(Health):
    """The page that Prometheus reads; for loopback and operators only."""

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        if not self.app.is_operator(req):
            raise RouteNotFound
        resp.text, resp.content_type = metrics.write_metrics(self.app), "text/plain; version=0.0.4; charset=utf-8"


class Fonts:
    """The typeface of pages for people, Figtree: cached for a year, because its file names contain its version."""

    def __init__(self, app: "App") -> None:
        self.app = app

    def on_get(self, req: falcon.Request, resp: falcon.Response, name: str) -> None:
        self.app.count_visit("assets", req, 3000, 300)
        resp.data, resp.content_type = _read_fonts().get(name), "font/woff2"
        if resp.data is None:
            raise RouteNotFound
        resp.set_headers({"Cache-Control": "public, max-age=31536000, immutable", "X-Robots-Tag": "noindex"})


@cache
def _read_fonts() -> dict[str, bytes]:
    folder = files(__package__).joinpath("fonts")
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.name.endswith(".woff2")}


pages: tuple[tuple[str, Callable[["App"], Any]], ...] = (
    ("/", Home),
    ("/-/health", Health),
    ("/-/ready", Ready),
    ("/-/plugins", Plugins),
    ("/-/metrics", Metrics),
    ("/-/fonts/{name}", Fonts),
)


def _write_json(resp: falcon.Response, value: Any) -> None:
    resp.data, resp.content_type = web.encode(value), falcon.MEDIA_JSON
