"""Core's own pages under /-/, most of them for the people who run a deployment."""

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import falcon
import sqlalchemy as sa

from .. import web
from ..db import reason
from ..people import Home
from ..problems import RouteNotFound
from ..starting import versions
from . import metrics

if TYPE_CHECKING:
    from ..app import App

log = logging.getLogger("billycan")


class Health:
    """The page that shows that this process answers."""

    def __init__(self, app: "App") -> None:
        self.app = app

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        _write(resp, {"status": "ok"})


class Ready(Health):
    """The page that shows that this process can work: the database answers and its schema is current."""

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        try:
            versions.check(self.app.db, self.app.manifests)
        except (sa.exc.SQLAlchemyError, versions.SchemaBehind) as error:
            log.warning("not ready: %s", reason(error) if isinstance(error, sa.exc.SQLAlchemyError) else error)
            resp.status = falcon.HTTP_503
            resp.set_header("Retry-After", "1")
            _write(resp, {"status": "unavailable"})
        else:
            _write(resp, {"status": "ok"})


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
        _write(resp, {"plugins": shown})


class Metrics(Health):
    """The page that Prometheus reads; for loopback and operators only."""

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        if not self.app.is_operator(req):
            raise RouteNotFound
        resp.text, resp.content_type = metrics.exposition(self.app), "text/plain; version=0.0.4; charset=utf-8"


pages: tuple[tuple[str, Callable[["App"], Any]], ...] = (
    ("/", Home),
    ("/-/health", Health),
    ("/-/ready", Ready),
    ("/-/plugins", Plugins),
    ("/-/metrics", Metrics),
)


def _write(resp: falcon.Response, value: Any) -> None:
    resp.data, resp.content_type = web.encode(value), falcon.MEDIA_JSON
