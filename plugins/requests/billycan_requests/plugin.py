"""Requests: a log of each business's API requests, written in the background and shown to its developers."""

from billycan import App, Context, Every, Manifest, Route, hookimpl

from . import showing
from .collecting import Collector
from .handlers import list_requests
from .keeping import forget_old, with_old
from .settings import Settings
from .tables import days, log, writers

manifest = Manifest(
    name="requests",
    requires=("users",),
    settings=Settings,
    tables=(log, days, writers),
    routes=(Route("GET", "/v1/requests", list_requests, scope="requests:read"),),
    pages=showing.screens,
    tasks=(Every(seconds=3600, run=forget_old, tenants=with_old, real_time=True),),
    offers=(Context.Emptied(stay=(log, days)),),
)


@hookimpl
def startup(app: App) -> None:
    app.add_observer(Collector(app))
