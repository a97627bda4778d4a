"""Telemetry: OpenTelemetry traces, from a request through its statements to the webhooks that it causes."""

import logging
import weakref
from collections.abc import Sequence
from contextlib import AbstractContextManager

from billycan import App, Context, Event, Manifest, Route, hookimpl

from . import statements, tracing
from .collector import takes_traces
from .settings import Settings
from .tracing import Labels, Requests, Tracing

_labels = Labels()
_tracings: "weakref.WeakKeyDictionary[App, Tracing]" = weakref.WeakKeyDictionary()


def tracing_of(app: App) -> Tracing:
    """Return what makes the spans of an app that has started."""
    return _tracings[app]


def follow(app: App, name: str, tenant_id: str, carried: str) -> AbstractContextManager[Context.Tracer.Work]:
    """Make work that is no request a span, in the trace of what was carried."""
    return _tracings[app].follow(name, tenant_id, carried)


def check_collector(app: App) -> str:
    """Tell where traces go. Raise OSError if the collector does not take any."""
    settings = app.settings_of(Settings)
    if not takes_traces(settings):
        raise OSError(
            f"the collector at {settings.endpoint} does not take traces: start it, or correct telemetry.endpoint"
        )
    return f"the collector at {settings.endpoint} takes traces of {settings.sample:.0%} of all requests"


manifest = Manifest(
    name="telemetry",
    settings=Settings,
    doctor=check_collector,
    offers=(Context.Tracer(carry=tracing.carry, follow=follow),),
)


@hookimpl
def startup(app: App) -> None:
    found = _tracings[app] = Tracing(app.settings_of(Settings))
    app.wsgi = Requests(found, app.wsgi)
    app.add_observer(found)
    for engine in app.db.engines:
        statements.watch(engine)
    for handler in (*logging.getLogger().handlers, *logging.getLogger("billycan").handlers):
        handler.addFilter(_labels)


@hookimpl
def authorize(ctx: Context, route: Route) -> None:
    """Note whose request it is, on pages too."""
    tracing.note(ctx.tenant_id)


@hookimpl
def after_commit(ctx: Context, events: Sequence[Event]) -> None:
    """Note what happened."""
    tracing.note(ctx.tenant_id, events=events)
