"""Webhooks: every event is delivered, signed, to each endpoint that subscribes to it."""

import threading

from billycan import App, Context, Event, Every, Manifest, RecordPages, Route, hookimpl

from . import handlers as h
from .chores import owe_deliveries
from .deliveries import after_commit, on_event
from .description import DELIVERY
from .retention import (
    check_days,
    count_waiting,
    describe_retention,
    needed_events,
    oldest_due_seconds,
    tenants_to_trim,
    tidy_deliveries,
    to_tidy,
    trim_answers,
)
from .retries import are_any_retries, bring_retries_forward
from .settings import Settings
from .stuck import QUEUE
from .tables import attempts, chores, deliveries, endpoints

READ, WRITE = "webhooks:read", "webhooks:write"


def deliver(app: App, stop: threading.Event) -> None:
    """Send what is due until `stop` is set."""
    from .dispatch import run_dispatcher  # noqa: PLC0415 - only a worker loads Huey and the HTTP client

    run_dispatcher(app, stop)


__all__ = ["after_commit", "manifest", "on_event", "startup"]

manifest = Manifest(
    name="webhooks",
    settings=Settings,
    tables=(endpoints, deliveries, attempts, chores),
    routes=(
        Route("GET", "/v1/webhook_endpoints", h.list_endpoints, scope=READ),
        Route("POST", "/v1/webhook_endpoints", h.create_endpoint, scope=WRITE, status=201, shown_once="secret"),
        Route("GET", "/v1/webhook_endpoints/{id}", h.get_endpoint, scope=READ),
        Route("PATCH", "/v1/webhook_endpoints/{id}", h.update_endpoint, scope=WRITE),
        Route("DELETE", "/v1/webhook_endpoints/{id}", h.delete_endpoint, scope=WRITE),
        Route(
            "POST",
            "/v1/webhook_endpoints/{id}/rotate_secret",
            h.rotate_endpoint_secret,
            scope=WRITE,
            shown_once="secret",
        ),
        Route("POST", "/v1/webhook_endpoints/{id}/test", h.test_endpoint, scope=WRITE, status=201),
        Route("POST", "/v1/webhook_endpoints/{id}/recover", h.recover_endpoint, scope=WRITE, status=202),
        Route("GET", "/v1/webhook_deliveries", h.list_deliveries, scope=READ),
        Route("GET", "/v1/webhook_deliveries/{id}", h.get_delivery, scope=READ),
        Route("POST", "/v1/webhook_deliveries/{id}/replay", h.replay_delivery, scope=WRITE, status=201),
    ),
    records=(
        RecordPages(path="/v1/webhook_endpoints", hidden=True),
        RecordPages(
            path="/v1/webhook_deliveries",
            attention=(
                RecordPages.Attention(
                    title="Failed deliveries",
                    filters={"status": "failed", "created_at_from": "{7}"},
                    page="/dashboard/deliveries",
                ),
            ),
            hidden=True,
        ),
    ),
    tasks=(
        Every(seconds=600, due=to_tidy, run=tidy_deliveries, real_time=True),
        Every(seconds=60, run=trim_answers, tenants=tenants_to_trim, real_time=True),
    ),
    workers=(deliver,),
    gauges=(
        Manifest.Gauge(
            "webhooks_deliveries_waiting", "Deliveries that are not finished, by why.", "why", count_waiting
        ),
        Manifest.Gauge(
            "webhooks_oldest_due_seconds",
            "The age of the oldest delivery that could be sent.",
            "",
            oldest_due_seconds,
            most=60,
            cure="start a worker, or another one: there are too few, or they have stopped",
        ),
    ),
    codes={
        "belongs_to_app": (403, "The endpoint belongs to a connected app: only the app can change it."),
        "too_many_endpoints": (409, "The business has the maximum number of endpoints: delete one first."),
        "url_not_allowed": (422, "Nothing can be delivered to this URL; the message says why."),
    },
    doctor=describe_retention,
    offers=(
        Event.Carrier(operation=DELIVERY, note_many=owe_deliveries, needs=needed_events()),
        Context.Emptied(stay=(endpoints,)),
        QUEUE,
        Context.Waits(are_any=are_any_retries, shorten=bring_retries_forward),
    ),
)


@hookimpl
def startup(app: App) -> None:
    check_days(app)
