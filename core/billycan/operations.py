"""Core's own pages, most of them for those who run a deployment, under /-/; and the guard around everything."""

import logging
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import falcon
import sqlalchemy as sa

from . import metrics, wire
from .db import reason
from .people import Home
from .pipeline import STATE, headers_of
from .problems import Problem, RouteNotFound
from .starting import migrate

if TYPE_CHECKING:
    from .app import App

log = logging.getLogger("billycan")


class Health:
    """Whether this process answers at all."""

    def __init__(self, app: "App") -> None:
        self.app = app

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        _write(resp, {"status": "ok"})


class Ready(Health):
    """Whether it can do its work: the database answers and its schema is current."""

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        try:
            migrate.check(self.app.db, self.app.manifests)
        except (sa.exc.SQLAlchemyError, migrate.SchemaBehind) as error:
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
    """What Prometheus reads; for loopback and operators only."""

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
    resp.data, resp.content_type = wire.encode(value), falcon.MEDIA_JSON


class Outer:
    """The WSGI callable: what escapes Falcon itself, such as a bad header value, is still a plain envelope."""

    def __init__(self, web: Callable[..., Iterable[bytes]]) -> None:
        self.web = web

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        # An unheard-of method is one that nothing takes; Falcon would refuse some of them before the pipeline begins.
        if environ["REQUEST_METHOD"] not in falcon.HTTP_METHODS:
            environ["REQUEST_METHOD"] = "TRACE"
        try:
            return self.web(environ, start_response)
        except Exception:
            problem, headers = Problem(), headers_of(environ[STATE])
            problem.request_id = headers["X-Request-Id"]
            log.exception("request %s failed beyond its handler", problem.request_id)
            body = wire.encode({"data": None, "pagination": None, "error": problem.as_error()})
            headers |= {"Content-Type": "application/json", "Content-Length": str(len(body))}
            # A server that was given a head already, and has not sent it, takes another only with the error.
            start_response("500 Internal Server Error", [*headers.items()], sys.exc_info())
            return [body]
